//! Calls: some at a time, each within a time, made again where it failed in passing.
//!
//! In: a call, a moment by which to be done, which failures may be gone the next time. Out: its answer, or the failure
//! of the last try.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::sync::{Semaphore, SemaphorePermit};

/// Tries of a call.
const TRIES: u32 = 4;
/// The pause before the second; each later one is twice as long.
const PAUSE: Duration = Duration::from_millis(40);

/// The calls to one server.
#[derive(Clone)]
pub(crate) struct Calls {
    /// The longest that one may take.
    pub(crate) timeout: Duration,
    slots: Arc<Semaphore>,
}

/// A call that came to nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Missed<E> {
    /// There was no answer in time.
    Late,
    /// The last try failed.
    Failed(E),
}

impl Calls {
    /// So many at a time.
    pub(crate) fn new(timeout: Duration, parallel: usize) -> Calls {
        Calls { timeout, slots: Arc::new(Semaphore::new(parallel)) }
    }

    /// Waits until one more may be made, and counts it until the value goes.
    pub(crate) async fn slot(&self) -> Option<SemaphorePermit<'_>> {
        // Nobody closes it.
        self.slots.acquire().await.ok()
    }

    /// Makes a call that may be made again.
    pub(crate) async fn call<T, E, F>(
        &self,
        until: Instant,
        is_passing: impl Fn(&E) -> bool,
        call: impl Fn() -> F,
    ) -> Result<T, Missed<E>>
    where
        F: Future<Output = Result<T, E>>,
    {
        let mut pause = PAUSE;
        let mut tried = 0;
        loop {
            tried += 1;
            let slot = self.slot().await;
            let end = until.min(Instant::now() + self.timeout);
            let result = tokio::time::timeout_at(end.into(), call()).await;
            drop(slot);
            let failure = match result {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(failure)) => failure,
                Err(_) => return Err(Missed::Late),
            };
            let time = pause + jitter(pause);
            if tried == TRIES || !is_passing(&failure) || Instant::now() + time >= until {
                return Err(Missed::Failed(failure));
            }
            tokio::time::sleep(time).await;
            pause *= 2;
        }
    }
}

/// Some more time, so that machines that failed together do not come back together.
fn jitter(pause: Duration) -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let part = now.map_or(0, |it| it.subsec_nanos() % 1000);
    pause * part / 2000
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// The answer, and how often it was tried, of a call that fails so often first.
    fn check(failures: u32, is_passing: bool) -> (Result<u32, Missed<u32>>, u32) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let calls = Calls::new(Duration::from_millis(50), 1);
        let tried = Cell::new(0);
        let call = || {
            tried.set(tried.get() + 1);
            let n = tried.get();
            async move { if n > failures { Ok(n) } else { Err(n) } }
        };
        let until = Instant::now() + Duration::from_secs(20);
        let call = calls.call(until, |_| is_passing, call);
        (runtime.expect("a thread").block_on(call), tried.get())
    }

    #[test]
    fn what_may_pass_is_tried_again_and_nothing_else() {
        assert_eq!(check(0, true), (Ok(1), 1));
        assert_eq!(check(2, true), (Ok(3), 3));
        assert_eq!(check(9, true), (Err(Missed::Failed(TRIES)), TRIES));
        assert_eq!(check(2, false), (Err(Missed::Failed(1)), 1));
    }

    #[test]
    fn what_does_not_answer_is_given_up() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let calls = Calls::new(Duration::from_millis(10), 1);
        let until = Instant::now() + Duration::from_secs(20);
        let call = calls.call(until, |()| true, std::future::pending::<Result<(), ()>>);
        assert_eq!(runtime.expect("a thread").block_on(call), Err(Missed::Late));
    }
}
