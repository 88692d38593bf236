//! A few threads with large stacks that run jobs in the order given, and a watch over them.
//!
//! Requests and background work have threads of their own: warming caches never stands before an answer. A job
//! computes, under a token that cancels it, and then delivers its result; only computing is watched. One that takes
//! longer than the limit is stopped. A job that does not stop when it is cancelled has lost its thread: another thread
//! replaces it, and the lost one ends with its job. So does that of a request which is answered before its work is
//! done: the work goes on, and others do not wait for it. The main loop looks at all this from time to time
//! ([`ThreadPool::look`]).

use std::{
    collections::BTreeMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use ide::CancellationToken;
use lsp_server::RequestId;

/// Deeply nested input is walked with growing stacks; a large first stack keeps that rare.
const STACK_SIZE: usize = 16 * 1024 * 1024;

/// Answers are computed by this many threads: enough that a long one does not hold up the others.
const N_REQUEST_THREADS: usize = 3;

/// A job that has not stopped this long after its cancellation never will.
const LOST_AFTER: Duration = Duration::from_secs(1);

/// So many threads replace those of works that go on after their answer; beyond that, others wait.
const MAX_LATE: usize = 8;

/// With so many lost threads the process has no more to give.
pub(crate) const MAX_LOST: usize = 8;

/// The continuation with the result of a job.
pub(crate) type Delivery = Box<dyn FnOnce()>;

/// True if a job was cancelled because it took too long.
#[derive(Clone, Default, Debug)]
pub(crate) struct TooLong(Arc<AtomicBool>);

impl TooLong {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Something to compute.
pub(crate) struct Job {
    /// The name, for people.
    pub(crate) name: String,
    /// The request that it answers.
    pub(crate) id: Option<RequestId>,
    /// Stops it.
    pub(crate) token: CancellationToken,
    /// The time after which its request gets another answer, if there is one.
    pub(crate) patience: Option<Duration>,
    /// Computes; catches its own panics.
    pub(crate) run: Box<dyn FnOnce(&TooLong) -> Delivery + Send>,
}

/// The observation of the watchdog.
#[derive(Debug)]
pub(crate) enum Sight {
    /// The request of a job waits for longer than that has patience. The job goes on.
    Late(Option<RequestId>),
    /// A job took too long, and was cancelled.
    TooLong(Option<RequestId>, String),
    /// A job does not stop, and has lost its thread.
    Lost(Option<RequestId>, String),
}

/// The threads of the server.
pub(crate) struct ThreadPool {
    requests: Lane,
    background: Lane,
    watch: Watch,
    limit: Duration,
}

/// Threads that take their jobs from one queue.
struct Lane {
    name: &'static str,
    sender: Sender<Job>,
    receiver: Receiver<Job>,
}

/// The computation that is watched.
#[derive(Clone, Default)]
struct Watch(Arc<Mutex<Watched>>);

#[derive(Default)]
struct Watched {
    running: BTreeMap<u64, Running>,
    n_begun: u64,
    /// Jobs that no thread has taken yet.
    n_waiting: usize,
}

struct Running {
    lane: &'static str,
    name: String,
    id: Option<RequestId>,
    too_long: TooLong,
    token: CancellationToken,
    since: Instant,
    /// The time after which it is late; none if it is, or never will be.
    patience: Option<Duration>,
    /// The time of the first look after its cancellation.
    stopping_since: Option<Instant>,
    is_lost: bool,
    /// Another thread does the work that is left to its own.
    is_replaced: bool,
}

impl Watch {
    fn lock(&self) -> MutexGuard<'_, Watched> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, lane: &'static str, job: &Job) -> (u64, TooLong) {
        let too_long = TooLong::default();
        let running = Running {
            lane,
            name: job.name.clone(),
            id: job.id.clone(),
            too_long: too_long.clone(),
            token: job.token.clone(),
            since: Instant::now(),
            patience: job.patience,
            stopping_since: None,
            is_lost: false,
            is_replaced: false,
        };
        let mut watched = self.lock();
        watched.n_waiting -= 1;
        watched.n_begun += 1;
        let number = watched.n_begun;
        watched.running.insert(number, running);
        (number, too_long)
    }

    /// Ends the watch; returns true if the thread is still wanted.
    fn end(&self, number: u64) -> bool {
        self.lock().running.remove(&number).is_none_or(|it| !it.is_replaced)
    }
}

impl Running {
    fn look(&mut self, now: Instant, limit: Duration) -> Option<Sight> {
        if self.token.is_cancelled() {
            let since = *self.stopping_since.get_or_insert(now);
            let is_lost = now - since >= LOST_AFTER && !self.is_lost;
            self.is_lost |= is_lost;
            self.patience = None;
            return is_lost.then(|| Sight::Lost(self.id.clone(), self.name.clone()));
        }
        if now - self.since < limit {
            let is_late = self.patience.is_some_and(|it| now - self.since >= it);
            return is_late.then(|| {
                self.patience = None;
                Sight::Late(self.id.clone())
            });
        }
        self.too_long.0.store(true, Ordering::Release);
        self.token.cancel();
        Some(Sight::TooLong(self.id.clone(), self.name.clone()))
    }
}

impl ThreadPool {
    /// Starts the threads. They end when the pool is dropped and their jobs are done. No job computes longer than
    /// `limit`.
    pub(crate) fn new(limit: Duration) -> io::Result<ThreadPool> {
        let lane = |name| {
            let (sender, receiver) = unbounded();
            Lane { name, sender, receiver }
        };
        let pool = ThreadPool {
            requests: lane("request"),
            background: lane("background"),
            watch: Watch::default(),
            limit,
        };
        for _ in 0..N_REQUEST_THREADS {
            pool.start(&pool.requests)?;
        }
        pool.start(&pool.background)?;
        Ok(pool)
    }

    /// Runs a job with a waiting client.
    pub(crate) fn request(&self, job: Job) {
        self.send(&self.requests, job);
    }

    /// Runs a background job.
    pub(crate) fn background(&self, job: Job) {
        self.send(&self.background, job);
    }

    fn send(&self, lane: &Lane, job: Job) {
        self.watch.lock().n_waiting += 1;
        // The pool has a receiver of its own, so sending cannot fail.
        let _ = lane.sender.send(job);
    }

    /// The longest time that a job computes.
    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }

    /// Returns true if anything is being computed, or will be.
    pub(crate) fn is_busy(&self) -> bool {
        let watched = self.watch.lock();
        watched.n_waiting > 0 || !watched.running.is_empty()
    }

    /// Returns the number of lost threads.
    pub(crate) fn n_lost(&self) -> usize {
        self.watch.lock().running.values().filter(|it| it.is_lost).count()
    }

    /// Cancels jobs that take too long, and replaces threads that are lost or busy with what is answered.
    pub(crate) fn look(&self) -> Vec<Sight> {
        let (mut sights, mut lanes) = (Vec::new(), Vec::new());
        let now = Instant::now();
        let mut watched = self.watch.lock();
        let is_late = |it: &&Running| it.is_replaced && !it.is_lost;
        let mut n_late = watched.running.values().filter(is_late).count();
        for running in watched.running.values_mut() {
            let sight = running.look(now, self.limit);
            let is_replaced = match sight {
                Some(Sight::Lost(..)) => true,
                Some(Sight::Late(_)) => n_late < MAX_LATE,
                Some(Sight::TooLong(..)) | None => false,
            };
            if is_replaced && !running.is_replaced {
                running.is_replaced = true;
                n_late += usize::from(matches!(sight, Some(Sight::Late(_))));
                lanes.push(running.lane);
            }
            sights.extend(sight);
        }
        drop(watched);
        for name in lanes {
            let lane = if name == self.requests.name { &self.requests } else { &self.background };
            // If there cannot be another thread, those that are left go on.
            let _ = self.start(lane);
        }
        sights
    }

    fn start(&self, lane: &Lane) -> io::Result<()> {
        let (name, receiver, watch) = (lane.name, lane.receiver.clone(), self.watch.clone());
        let builder = thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE);
        builder.spawn(move || {
            for job in receiver {
                let (number, too_long) = watch.begin(name, &job);
                let deliver = (job.run)(&too_long);
                let is_wanted = watch.end(number);
                deliver();
                if !is_wanted {
                    return;
                }
            }
        })?;
        Ok(())
    }
}
