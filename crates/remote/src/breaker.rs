//! A circuit breaker: who failed is left alone for a while.
//!
//! In: the outcomes of calls. Out: whether to call. After some failures in a row nobody calls; after a pause, which
//! doubles, one may try. Answers that are wrong weigh as much as all other failures together. Constant work.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Failures in a row that open it.
const MOST: u32 = 3;
/// The first pause.
const PAUSE: Duration = Duration::from_secs(15);
/// The longest.
const LONGEST: Duration = Duration::from_secs(600);

#[derive(Default, Debug)]
struct State {
    failures: u32,
    open: Option<(Instant, Duration)>,
}

/// A circuit breaker.
#[derive(Default, Debug)]
pub(crate) struct Breaker(Mutex<State>);

impl Breaker {
    /// Returns true if a call may be made now.
    pub(crate) fn allows(&self, now: Instant) -> bool {
        let mut state = self.lock();
        match state.open {
            Some((until, _)) if now < until => false,
            Some(_) => {
                // One more failure opens it again.
                state.failures = MOST - 1;
                true
            }
            None => true,
        }
    }

    /// A call succeeded.
    pub(crate) fn succeeded(&self) {
        *self.lock() = State::default();
    }

    /// A call failed; `weight` is 1, or [`Self::WRONG`].
    pub(crate) fn failed(&self, now: Instant, weight: u32) {
        let mut state = self.lock();
        state.failures = state.failures.saturating_add(weight);
        if state.failures >= MOST {
            let pause = state.open.map_or(PAUSE, |it| (it.1 * 2).min(LONGEST));
            state.open = Some((now + pause, pause));
        }
    }

    /// The weight of an answer that is wrong, or of a call that took too long: the next would, too.
    pub(crate) const WRONG: u32 = MOST;

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_failures_in_a_row_and_tries_again_later() {
        let (breaker, now) = (Breaker::default(), Instant::now());
        breaker.failed(now, 1);
        breaker.failed(now, 1);
        breaker.succeeded();
        breaker.failed(now, 1);
        breaker.failed(now, 1);
        assert!(breaker.allows(now));
        breaker.failed(now, 1);
        assert!(!breaker.allows(now) && !breaker.allows(now + PAUSE / 2));
        let later = now + PAUSE;
        assert!(breaker.allows(later));
        // The next pause is twice as long.
        breaker.failed(later, 1);
        assert!(!breaker.allows(later + PAUSE) && breaker.allows(later + 2 * PAUSE));
        breaker.succeeded();
        assert!(breaker.allows(later));
        breaker.failed(now, Breaker::WRONG);
        assert!(!breaker.allows(now));
    }
}
