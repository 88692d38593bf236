//! Workers: a service that runs commands, held to its promises.
//!
//! In: a job. Out: what its command left, or why there is nothing; in a bounded time, whatever the service does. One
//! that fails is left alone ([`crate::breaker`]). Asked for an end, the service is told so too, as far as it knows how.

use std::{
    fmt,
    pin::pin,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use codegen::execute::{Done, Executor, Job, NotDone, Stop};
use tokio::runtime::Runtime;

use crate::{
    Environment, Settings,
    backend::{Class, Failure},
    breaker::Breaker,
    grpc::{Grpc, execute::Operation},
    layer,
};

/// Between two looks whether an end was asked for.
const NAP: Duration = Duration::from_millis(20);
/// The longest that telling the service so may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// A service.
pub(crate) struct Workers {
    name: String,
    /// Of a call.
    timeout: Duration,
    grpc: Grpc,
    /// Taken when this value goes: what still runs is not waited for.
    runtime: Option<Runtime>,
    breaker: Breaker,
}

impl Workers {
    pub(crate) fn new(
        settings: &Settings,
        environment: Environment<'_>,
    ) -> Result<Workers, String> {
        let runtime = layer::runtime()?;
        let grpc = Grpc::new(settings, environment, &runtime)?;
        Ok(Workers {
            name: settings.address.to_string(),
            timeout: settings.timeout,
            grpc,
            runtime: Some(runtime),
            breaker: Breaker::default(),
        })
    }

    fn failed(&self, failure: Failure) -> NotDone {
        let weight = match failure.class {
            Class::Down | Class::Full => 1,
            Class::Slow | Class::Refused | Class::Wrong => Breaker::WRONG,
        };
        self.breaker.failed(Instant::now(), weight);
        NotDone::Failed(failure.text)
    }
}

impl Executor for Workers {
    fn name(&self) -> &str {
        &self.name
    }

    fn execute(&self, job: &Job, stop: &Stop) -> Result<Done, NotDone> {
        let Some(runtime) = &self.runtime else { return Err(NotDone::LeftAlone) };
        if !self.breaker.allows(Instant::now()) {
            return Err(NotDone::LeftAlone);
        }
        let bytes: u64 = job.files.iter().map(|it| it.content.digest().size).sum();
        // As for what a cache is given: a mebibyte a second is not too much to ask.
        let sending = Duration::from_millis(bytes >> 10);
        let until = Instant::now() + job.timeout + 2 * self.timeout + sending;
        let operation = Mutex::new(Operation::default());
        let outcome = runtime.block_on(async {
            let run = self.grpc.execute(job, &operation, until);
            let mut run = pin!(tokio::time::timeout_at(until.into(), run));
            loop {
                match tokio::time::timeout(NAP, run.as_mut()).await {
                    Ok(outcome) => break Some(outcome),
                    Err(_) if stop.is_set() => break None,
                    Err(_) => {}
                }
            }
        });
        let name = || operation.lock().unwrap_or_else(PoisonError::into_inner).name.clone();
        match outcome {
            Some(Ok(Ok(done))) => {
                self.breaker.succeeded();
                Ok(done)
            }
            Some(Ok(Err(failure))) => Err(self.failed(failure)),
            ended => {
                if let Some(name) = name() {
                    let grpc = self.grpc.clone();
                    runtime.spawn(async move {
                        // It may not know how.
                        let _ = tokio::time::timeout(FAREWELL, grpc.cancel(name)).await;
                    });
                }
                match ended {
                    None => Err(NotDone::Stopped),
                    Some(_) => {
                        Err(self
                            .failed(Failure::new(Class::Slow, "it takes too long to run a job")))
                    }
                }
            }
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers").field("name", &self.name).finish_non_exhaustive()
    }
}
