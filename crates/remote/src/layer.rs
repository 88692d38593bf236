//! The layer: a server of any kind, held to its promises.
//!
//! In: wanted and offered entries. Out: entries, and a report. A build must not notice a bad server but by its speed:
//! each call for entries ends by a moment that depends on their number, a server that fails is left alone
//! ([`crate::breaker`]), and all that went wrong in a build is one note. What is offered waits in a bounded queue, and
//! other threads send it, some entries at a time.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use codegen::{
    action::Action,
    store::{
        Kind,
        layer::{Fetched, Layer, LayerReport},
    },
};
use tokio::{runtime::Runtime, task::JoinHandle};

use crate::{
    Settings,
    backend::{Answer, Backend, Class, Failure, Kept, LARGEST, Offered, Wanted},
    breaker::Breaker,
    seal::Seal,
};

/// Time for each wanted entry beyond the time of a call: making it takes about as long.
const EACH: Duration = Duration::from_millis(20);
/// Time for each offered mebibyte beyond that.
const EACH_MIB: Duration = Duration::from_secs(1);
/// Offered entries that are sent at once: so many, or so many bytes.
const BATCH: (usize, usize) = (256, 3 << 20);
/// Offered bytes that may wait.
const MOST_WAITING: u64 = 512 << 20;

/// Threads for calls; most of the work is waiting.
pub(crate) fn runtime() -> Result<Runtime, String> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("shared cache")
        .enable_all()
        .build()
        .map_err(|it| format!("no threads for the shared cache: {it}"))
}

/// A server as a layer.
pub(crate) struct Remote<B> {
    name: String,
    timeout: Duration,
    upload: bool,
    seal: Seal,
    backend: Arc<B>,
    /// Taken when this value goes: what still runs is not waited for.
    runtime: Option<Runtime>,
    breaker: Breaker,
    state: Arc<State>,
}

/// Describes what threads share.
#[derive(Default)]
struct State {
    waiting: Mutex<Waiting>,
    kept: Mutex<Kept>,
    /// It does not let us upload, or is full.
    is_closed: AtomicBool,
    /// Bytes that are offered and not sent.
    bytes: AtomicU64,
    failures: Mutex<Failures>,
}

#[derive(Default)]
struct Waiting {
    offered: Vec<Offered>,
    bytes: usize,
    running: Vec<JoinHandle<()>>,
}

/// Describes what went wrong: the first, and how often.
#[derive(Default)]
struct Failures {
    first: Option<String>,
    more: u64,
}

impl State {
    fn note(&self, text: &str) {
        let mut failures = lock(&self.failures);
        match failures.first {
            None => failures.first = Some(text.to_owned()),
            Some(_) => failures.more += 1,
        }
    }
}

impl<B: Backend> Remote<B> {
    pub(crate) fn new(settings: &Settings, seal: Seal, backend: B, runtime: Runtime) -> Remote<B> {
        Remote {
            name: settings.address.to_string(),
            timeout: settings.timeout,
            upload: settings.upload,
            seal,
            backend: Arc::new(backend),
            runtime: Some(runtime),
            breaker: Breaker::default(),
            state: Arc::default(),
        }
    }

    fn failed(&self, failure: &Failure) {
        let weight = match failure.class {
            Class::Down | Class::Full => 1,
            Class::Slow | Class::Refused | Class::Wrong => Breaker::WRONG,
        };
        self.breaker.failed(Instant::now(), weight);
        self.state.note(&failure.text);
    }

    /// Sends what waits, if there is some.
    fn send(&self, waiting: &mut Waiting) {
        let Some(runtime) = &self.runtime else { return };
        if waiting.offered.is_empty() {
            return;
        }
        let offered = std::mem::take(&mut waiting.offered);
        let bytes = std::mem::take(&mut waiting.bytes);
        let until = Instant::now() + self.time_for(bytes);
        let (backend, state) = (Arc::clone(&self.backend), Arc::clone(&self.state));
        waiting.running.retain(|it| !it.is_finished());
        waiting.running.push(runtime.spawn(async move {
            let all = tokio::time::timeout_at(until.into(), backend.keep(offered, until)).await;
            let kept = all.unwrap_or_else(|_| Kept {
                failure: Some(Failure::new(Class::Slow, "it takes too long to keep entries")),
                ..Kept::default()
            });
            state.bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
            if let Some(failure) = &kept.failure {
                state.note(&failure.text);
                if !matches!(failure.class, Class::Down) {
                    state.is_closed.store(true, Ordering::Relaxed);
                }
            }
            let mut sum = lock(&state.kept);
            sum.entries += kept.entries;
            sum.bytes += kept.bytes;
        }));
    }

    fn time_for(&self, bytes: usize) -> Duration {
        2 * self.timeout + EACH_MIB * u32::try_from(bytes >> 20).unwrap_or(u32::MAX)
    }
}

impl<B: Backend> Layer for Remote<B> {
    fn fetch(&self, wanted: &[(Kind, &Action)]) -> Vec<Option<Fetched>> {
        let nothing = || vec![None; wanted.len()];
        let Some(runtime) = &self.runtime else { return nothing() };
        if wanted.is_empty() || !self.breaker.allows(Instant::now()) {
            return nothing();
        }
        let all: Vec<Wanted> = wanted
            .iter()
            .map(|it| Wanted { key: it.1.key(), size: it.1.message().len() as u64 })
            .collect();
        let n = u32::try_from(all.len()).unwrap_or(u32::MAX);
        let until = Instant::now() + self.timeout + EACH.saturating_mul(n);
        let fetch =
            async { tokio::time::timeout_at(until.into(), self.backend.fetch(all, until)).await };
        let Ok(answers) = runtime.block_on(fetch) else {
            self.failed(&Failure::new(Class::Slow, "it takes too long to answer"));
            return nothing();
        };
        let mut first: Option<Failure> = None;
        let mut found = Vec::with_capacity(wanted.len());
        let mut is_answering = false;
        let opened = |(answer, (kind, action)): (Answer, &(Kind, &Action))| match answer {
            Answer::Found(Fetched { file, cost }) => {
                let file = self.seal.open(*kind, action.key(), file);
                let foreign = || Failure::new(Class::Wrong, "it gives an entry without our seal");
                file.map_or_else(
                    || Answer::Failed(foreign()),
                    |file| Answer::Found(Fetched { file, cost }),
                )
            }
            other => other,
        };
        for answer in answers.into_iter().zip(wanted).map(opened) {
            found.push(match answer {
                Answer::Found(fetched) => {
                    is_answering = true;
                    Some(fetched)
                }
                Answer::Absent => {
                    is_answering = true;
                    None
                }
                Answer::Failed(failure) => {
                    // The gravest decides.
                    let is_graver =
                        |it: &Failure| failure.class == Class::Wrong && it.class != Class::Wrong;
                    match &first {
                        Some(it) if !is_graver(it) => self.state.note(&failure.text),
                        _ => first = Some(failure),
                    }
                    None
                }
            });
        }
        found.resize(wanted.len(), None);
        match first {
            Some(failure) => self.failed(&failure),
            None if is_answering => self.breaker.succeeded(),
            None => {}
        }
        found
    }

    fn offer(&self, kind: Kind, action: &Action, file: Vec<u8>, cost: Duration) {
        let file = if self.upload { self.seal.close(kind, action.key(), file) } else { file };
        let bytes = file.len() as u64;
        let is_open = self.upload
            && bytes <= LARGEST
            && !self.state.is_closed.load(Ordering::Relaxed)
            && self.breaker.allows(Instant::now());
        if !is_open {
            return;
        }
        if self.state.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > MOST_WAITING {
            self.state.bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.state.note("it is too slow for what is made; some of that is not kept there");
            return;
        }
        let mut waiting = lock(&self.state.waiting);
        waiting.bytes += file.len();
        waiting.offered.push(Offered { action: action.clone(), file, cost });
        if waiting.offered.len() >= BATCH.0 || waiting.bytes >= BATCH.1 {
            self.send(&mut waiting);
        }
    }

    fn refuse(&self, kind: Kind, _: &Action) {
        let text = format!("it gives an entry of `{}` that is another's or broken", kind.folder());
        self.failed(&Failure::new(Class::Wrong, text));
    }

    fn finish(&self) -> LayerReport {
        let running = {
            let mut waiting = lock(&self.state.waiting);
            self.send(&mut waiting);
            std::mem::take(&mut waiting.running)
        };
        if let Some(runtime) = self.runtime.as_ref().filter(|_| !running.is_empty()) {
            let bytes = self.state.bytes.load(Ordering::Relaxed);
            let time = self.time_for(usize::try_from(bytes).unwrap_or(usize::MAX));
            let until = Instant::now() + time;
            let all = async {
                for task in running {
                    // A task that panicked is a failure of the server's, as far as a build can tell.
                    let _ = task.await;
                }
            };
            if runtime.block_on(async { tokio::time::timeout_at(until.into(), all).await }).is_err()
            {
                self.state.note("it takes too long to keep entries");
            }
        }
        let kept = std::mem::take(&mut *lock(&self.state.kept));
        let Failures { first, more } = std::mem::take(&mut *lock(&self.state.failures));
        let note = first.map(|it| match more {
            0 => it,
            1 => format!("{it} (and one more failure)"),
            _ => format!("{it} (and {more} more failures)"),
        });
        LayerReport {
            name: self.name.clone(),
            kept: kept.entries,
            bytes_out: kept.bytes,
            notes: note.into_iter().collect(),
            ..LayerReport::default()
        }
    }
}

impl<B> Drop for Remote<B> {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl<B> fmt::Debug for Remote<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("name", &self.name).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
