//! Calls: each within a time, repeated where it failed in passing.
//!
//! In: a call, a moment by which to be done. Out: its answer, or the status of the last try.

use std::time::{Duration, Instant};

use tonic::{Code, Response, Status};

use super::Grpc;
use crate::backend::{Class, Failure};

/// Tries of a call.
const TRIES: u32 = 4;
/// The pause before the second; each later one is twice as long.
const PAUSE: Duration = Duration::from_millis(40);

impl Grpc {
    /// Makes a call that may be made again.
    pub(super) async fn call<T, F>(&self, until: Instant, call: impl Fn() -> F) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let mut pause = PAUSE;
        let mut tried = 0;
        loop {
            tried += 1;
            let slot = self.slots.acquire().await;
            let end = until.min(Instant::now() + self.timeout);
            let result = tokio::time::timeout_at(end.into(), call()).await;
            drop(slot);
            let status = match result {
                Ok(Ok(answer)) => return Ok(answer.into_inner()),
                Ok(Err(status)) => status,
                Err(_) => return Err(Status::deadline_exceeded("it does not answer in time")),
            };
            if tried == TRIES || !is_passing(status.code()) || Instant::now() + pause >= until {
                return Err(status);
            }
            tokio::time::sleep(pause + jitter(pause)).await;
            pause *= 2;
        }
    }
}

/// Failures that may be gone at the next try.
fn is_passing(code: Code) -> bool {
    matches!(
        code,
        Code::Unavailable
            | Code::Aborted
            | Code::Internal
            | Code::Unknown
            | Code::Cancelled
            | Code::DataLoss
    )
}

/// Some more time, so that machines that failed together do not come back together.
fn jitter(pause: Duration) -> Duration {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let part = now.map_or(0, |it| it.subsec_nanos() % 1000);
    pause * part / 2000
}

/// Describes what a status means for the layer.
pub(super) fn failure(status: &Status) -> Failure {
    let class = match status.code() {
        Code::DeadlineExceeded => Class::Slow,
        Code::PermissionDenied | Code::Unauthenticated | Code::Unimplemented => Class::Refused,
        // Another instance, or a request that it does not understand: it will not the next time either.
        Code::InvalidArgument | Code::FailedPrecondition | Code::NotFound | Code::OutOfRange => {
            Class::Refused
        }
        Code::ResourceExhausted => Class::Full,
        _ => Class::Down,
    };
    let code = status.code();
    // What a server says is not ours: one line of it, of a bounded length.
    let said: String = status.message().chars().filter(|it| !it.is_control()).take(200).collect();
    let text = match (class, said.as_str()) {
        (Class::Slow, _) => "it does not answer in time".to_owned(),
        (_, "") => format!("{code}"),
        (_, said) => format!("{code}: {said}"),
    };
    Failure::new(class, text)
}
