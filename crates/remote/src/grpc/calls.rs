//! Calls of gRPC: which failures may pass, and what they mean.

use std::time::Instant;

use tonic::{Code, Response, Status};

use super::Grpc;
use crate::{
    backend::{Class, Failure},
    retry::Missed,
};

impl Grpc {
    /// Makes a call that may be made again.
    pub(super) async fn call<T, F>(&self, until: Instant, call: impl Fn() -> F) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let is_passing = |it: &Status| is_passing(it.code());
        match self.calls.call(until, is_passing, call).await {
            Ok(answer) => Ok(answer.into_inner()),
            Err(Missed::Failed(status)) => Err(status),
            Err(Missed::Late) => Err(Status::deadline_exceeded("it does not answer in time")),
        }
    }
}

/// Failures that may be gone at the next try.
pub(super) fn is_passing(code: Code) -> bool {
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
    let mut text = match (class, said.as_str()) {
        (Class::Slow, _) => "it does not answer in time".to_owned(),
        (_, "") => format!("{code}"),
        (_, said) => format!("{code}: {said}"),
    };
    // Why there is no connection: a certificate, a port.
    if let Some(cause) =
        cause(status).filter(|it| class == Class::Down && !text.contains(it.as_str()))
    {
        text = format!("{text}: {cause}");
    }
    Failure::new(class, text)
}

/// The first cause of a failure on this side.
fn cause(status: &Status) -> Option<String> {
    let mut cause = std::error::Error::source(status)?;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let text: String = cause.to_string().chars().filter(|it| !it.is_control()).take(200).collect();
    (!text.is_empty()).then_some(text)
}
