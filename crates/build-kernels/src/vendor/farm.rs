//! Compilers here and on other machines, at once.
//!
//! In: sources, from threads that wait for them. Out: their code, from whoever is faster. Sources wait in one queue.
//! Threads of this machine take one at a time, and others take groups for workers. Who has nothing to do begins what
//! takes long elsewhere once more; the first outcome counts, and nobody waits for the other. What workers do not do,
//! for whatever reason, is done here, so a build ends as it would without them; so is what a compiler there refuses,
//! which is rare, and may be the machine's fault and not the kernel's.

use std::{
    collections::{BTreeMap, VecDeque},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use codegen::{
    build::{Compiled, Compiler, Helped, Origin, hash_of},
    execute::{NotDone, Stop},
};

/// A group that is not full waits so long for more.
const LINGER: Duration = Duration::from_millis(20);
/// Between two looks for what takes long.
const LOOK: Duration = Duration::from_millis(50);
/// A service that is left alone is asked again after this.
const PAUSE: Duration = Duration::from_secs(1);
/// The shortest time after which work is begun again.
const SOON: Duration = Duration::from_millis(200);
/// Work that takes so many times as long as usual is begun again elsewhere.
const TIMES: u32 = 3;

/// A source to compile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Source {
    pub(super) text: Arc<str>,
    pub(super) flags: Arc<[String]>,
    pub(super) arch: Arc<str>,
}

/// The outcome for a group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct GroupDone {
    /// Of each source; `None` for one that is to be compiled here.
    pub(super) compiled: Vec<Option<Compiled>>,
    /// The machine that did it.
    pub(super) worker: Arc<str>,
    /// The service had done it before.
    pub(super) is_known: bool,
}

/// Machines that compile groups of sources.
pub(super) trait Elsewhere: std::fmt::Debug + Send + Sync {
    /// Its place, for people.
    fn name(&self) -> &str;

    /// Compiles a group, in a bounded time.
    fn compile(&self, group: &[Source], stop: &Stop) -> Result<GroupDone, NotDone>;
}

/// How much at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FarmLimits {
    /// Sources that are compiled on this machine at a time.
    pub here: usize,
    /// Jobs that workers do at a time.
    pub jobs: usize,
    /// Sources of a job.
    pub group: usize,
}

/// A compiler that others help.
#[derive(Debug)]
pub struct Farm {
    inner: Arc<Inner>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Inner {
    here: Arc<dyn Compiler>,
    elsewhere: Arc<dyn Elsewhere>,
    limits: FarmLimits,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default, Debug)]
struct State {
    /// By the hash of the source and its settings: what somebody waits for, or will.
    tasks: BTreeMap<[u8; 32], Arc<Task>>,
    waiting: VecDeque<Arc<Task>>,
    here: Side,
    there: Side,
    is_closed: bool,
    /// The service is not asked before this moment.
    alone_until: Option<Instant>,
    helped: Helped,
    more_failures: usize,
}

/// The work of one side.
#[derive(Default, Debug)]
struct Side {
    attempts: Vec<Attempt>,
    n_attempts: u64,
    /// The usual time of an attempt: half of it is the last one's.
    usual: Option<Duration>,
}

#[derive(Debug)]
struct Attempt {
    number: u64,
    tasks: Vec<Arc<Task>>,
    since: Instant,
    stop: Stop,
}

#[derive(Debug)]
struct Task {
    source: Source,
    state: Mutex<TaskState>,
    changed: Condvar,
}

#[derive(Default, Debug)]
struct TaskState {
    outcome: Option<Result<Compiled, String>>,
    /// It was begun twice already.
    is_doubled: bool,
    /// Nobody does it any more: a thread of ours failed.
    is_given_up: bool,
}

impl Task {
    fn lock(&self) -> MutexGuard<'_, TaskState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_done(&self) -> bool {
        self.lock().outcome.is_some()
    }
}

impl Farm {
    pub(super) fn new(
        here: Arc<dyn Compiler>,
        elsewhere: Arc<dyn Elsewhere>,
        limits: FarmLimits,
    ) -> Farm {
        let inner =
            Inner { here, elsewhere, limits, state: Mutex::default(), changed: Condvar::new() };
        Farm { inner: Arc::new(inner), threads: Mutex::default() }
    }

    /// Tells workers that nobody waits for them any more; returns true if any was at work. Who waits here still gets an
    /// outcome.
    pub fn stop(&self) -> bool {
        let mut state = self.inner.lock();
        state.alone_until = Some(Instant::now() + PAUSE);
        state.there.attempts.iter().for_each(|it| it.stop.set());
        !state.there.attempts.is_empty()
    }

    /// Starts the threads with the first source: a build that compiles nothing needs none.
    fn start(&self) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if !threads.is_empty() {
            return;
        }
        let FarmLimits { here, jobs, .. } = self.inner.limits;
        let mut begin = |name: &str, run: fn(&Inner)| {
            let inner = Arc::clone(&self.inner);
            let thread = std::thread::Builder::new().name(name.to_owned());
            // Without one there are fewer; who asks compiles then.
            threads.extend(thread.spawn(move || run(&inner)).ok());
        };
        (0..here.max(1)).for_each(|_| begin("compiler", Inner::work_here));
        (0..jobs).for_each(|_| begin("jobs for workers", Inner::work_there));
    }

    fn task(&self, source: &str, flags: &[String], arch: &str) -> ([u8; 32], Arc<Task>) {
        let settings = flags.join("\n");
        let key = hash_of(&[source.as_bytes(), settings.as_bytes(), arch.as_bytes()]);
        let mut state = self.inner.lock();
        if let Some(task) = state.tasks.get(&key) {
            return (key, Arc::clone(task));
        }
        let source = Source { text: source.into(), flags: flags.into(), arch: arch.into() };
        let task = Arc::new(Task { source, state: Mutex::default(), changed: Condvar::new() });
        state.tasks.insert(key, Arc::clone(&task));
        state.waiting.push_back(Arc::clone(&task));
        drop(state);
        self.inner.changed.notify_all();
        (key, task)
    }
}

impl Compiler for Farm {
    fn identity(&self) -> &str {
        self.inner.here.identity()
    }

    fn inputs(&self) -> &str {
        self.inner.here.inputs()
    }

    fn has_helpers(&self) -> bool {
        true
    }

    fn expect(&self, source: &str, flags: &[String], arch: &str) {
        self.start();
        self.task(source, flags, arch);
    }

    fn compile(&self, source: &str, flags: &[String], arch: &str) -> Result<Compiled, String> {
        self.start();
        let (key, task) = self.task(source, flags, arch);
        let outcome = {
            let mut state = task.lock();
            while state.outcome.is_none() && !state.is_given_up {
                state = task.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.outcome.clone()
        };
        self.inner.lock().tasks.remove(&key);
        // A panic over this source is this thread's then, and is told as one.
        outcome.unwrap_or_else(|| self.inner.here.compile(source, flags, arch))
    }

    fn helped(&self) -> Option<Helped> {
        let mut state = self.inner.lock();
        let mut helped = std::mem::take(&mut state.helped);
        helped.name = self.inner.elsewhere.name().to_owned();
        let more = std::mem::take(&mut state.more_failures);
        if let Some(first) = helped.notes.first_mut()
            && more > 0
        {
            *first = format!("{first} (and {more} more failures)");
        }
        Some(helped)
    }
}

impl Drop for Farm {
    fn drop(&mut self) {
        {
            let mut state = self.inner.lock();
            state.is_closed = true;
            state.waiting.clear();
            state.there.attempts.iter().for_each(|it| it.stop.set());
        }
        self.inner.changed.notify_all();
        let threads = self.threads.get_mut().unwrap_or_else(PoisonError::into_inner);
        // At most one kernel each.
        threads.drain(..).for_each(|it| drop(it.join()));
    }
}

impl Side {
    fn begin(&mut self, tasks: Vec<Arc<Task>>) -> (u64, Stop) {
        self.n_attempts += 1;
        let (number, stop) = (self.n_attempts, Stop::default());
        self.attempts.push(Attempt { number, tasks, since: Instant::now(), stop: stop.clone() });
        (number, stop)
    }

    fn end(&mut self, number: u64, is_good: bool) {
        let Some(at) = self.attempts.iter().position(|it| it.number == number) else { return };
        let took = self.attempts.remove(at).since.elapsed();
        if is_good {
            self.usual = Some(self.usual.map_or(took, |it| (it + took) / 2));
        }
    }

    /// A task that takes long here and is begun nowhere else, the oldest first.
    fn slow(&self, patience: Duration) -> Option<Arc<Task>> {
        let patience = patience.max(SOON);
        let old = self.attempts.iter().filter(|it| it.since.elapsed() > patience);
        old.flat_map(|it| &it.tasks).find_map(|task| {
            let mut state = task.lock();
            let is_open =
                state.outcome.is_none() && !std::mem::replace(&mut state.is_doubled, true);
            is_open.then(|| Arc::clone(task))
        })
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        time: Option<Duration>,
    ) -> MutexGuard<'a, State> {
        match time {
            Some(time) => {
                let waited = self.changed.wait_timeout(state, time);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Takes an outcome, if it is the first.
    fn take(&self, task: &Task, outcome: Result<Compiled, String>, place: &Origin) {
        // It is counted before anybody sees it: who got the last outcome may ask for the counts.
        let mut state = self.lock();
        let is_first = {
            let mut state = task.lock();
            let is_first = state.outcome.is_none();
            if is_first {
                let placed = |it| Compiled { origin: Some(place.clone()), ..it };
                state.outcome = Some(outcome.map(placed));
            }
            is_first
        };
        task.changed.notify_all();
        match place {
            _ if !is_first => state.helped.unneeded += 1,
            Origin::Worker(name) | Origin::Known(name) => {
                *state.helped.by_worker.entry(Arc::clone(name)).or_default() += 1;
            }
            _ => state.helped.here += 1,
        }
        // Nobody waits for a group of which all was done elsewhere.
        let is_over = |it: &&Attempt| it.tasks.iter().all(|it| it.is_done());
        state.there.attempts.iter().filter(is_over).for_each(|it| it.stop.set());
    }

    fn work_here(&self) {
        while let Some((task, number)) = self.next_here() {
            let Source { text, flags, arch } = &task.source;
            let run = AssertUnwindSafe(|| self.here.compile(text, flags, arch));
            let outcome = catch_unwind(run);
            self.lock().here.end(number, outcome.is_ok());
            match outcome {
                Ok(outcome) => self.take(&task, outcome, &Origin::Here),
                Err(_) => {
                    task.lock().is_given_up = true;
                    task.changed.notify_all();
                }
            }
        }
    }

    fn next_here(&self) -> Option<(Arc<Task>, u64)> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            let waiting = loop {
                match state.waiting.pop_front() {
                    Some(it) if it.is_done() => {}
                    it => break it,
                }
            };
            // By now it would be done here, had it been begun here.
            let patience = state.here.usual.unwrap_or(SOON);
            if let Some(task) = waiting.or_else(|| state.there.slow(patience)) {
                let (number, _) = state.here.begin(vec![Arc::clone(&task)]);
                return Some((task, number));
            }
            let time = (!state.there.attempts.is_empty()).then_some(LOOK);
            state = self.wait(state, time);
        }
    }

    fn work_there(&self) {
        while let Some((tasks, number, stop)) = self.next_there() {
            let sources: Vec<Source> = tasks.iter().map(|it| it.source.clone()).collect();
            let run = AssertUnwindSafe(|| self.elsewhere.compile(&sources, &stop));
            let outcome = catch_unwind(run)
                .unwrap_or_else(|_| Err(NotDone::Failed("a mistake of ours".to_owned())));
            let mut left = Vec::new();
            {
                let mut state = self.lock();
                state.there.end(number, outcome.is_ok());
                match &outcome {
                    Ok(_) | Err(NotDone::Stopped) => {}
                    Err(NotDone::LeftAlone) => state.alone_until = Some(Instant::now() + PAUSE),
                    Err(NotDone::Failed(why)) => match state.helped.notes.is_empty() {
                        true => state.helped.notes.push(why.clone()),
                        false => state.more_failures += 1,
                    },
                }
            }
            match outcome {
                Ok(GroupDone { compiled, worker, is_known }) => {
                    let place = match is_known {
                        true => Origin::Known(worker),
                        false => Origin::Worker(worker),
                    };
                    let mut compiled = compiled.into_iter();
                    for task in tasks {
                        match compiled.next().flatten() {
                            Some(it) => self.take(&task, Ok(it), &place),
                            None => left.push(task),
                        }
                    }
                }
                Err(_) => left = tasks,
            }
            self.put_back(left);
        }
    }

    /// Has done here what workers did not do, before all that waits; what is begun here already is not begun again.
    fn put_back(&self, tasks: Vec<Arc<Task>>) {
        let mut state = self.lock();
        for task in tasks.into_iter().rev() {
            let is_open = {
                let state = task.lock();
                state.outcome.is_none() && !state.is_doubled
            };
            if is_open && !state.is_closed {
                task.lock().is_doubled = true;
                state.waiting.push_front(task);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    fn next_there(&self) -> Option<(Vec<Arc<Task>>, u64, Stop)> {
        let mut state = self.lock();
        let mut has_lingered = false;
        loop {
            if state.is_closed {
                return None;
            }
            let now = Instant::now();
            if let Some(pause) = state.alone_until.map(|it| it.saturating_duration_since(now))
                && !pause.is_zero()
            {
                state = self.wait(state, Some(pause));
                continue;
            }
            // What a worker did not do once is done here.
            let is_ours = |it: &&Arc<Task>| {
                let it = it.lock();
                it.outcome.is_none() && !it.is_doubled
            };
            let n = state.waiting.iter().filter(is_ours).take(self.limits.group).count();
            if n > 0 && n < self.limits.group && !has_lingered {
                has_lingered = true;
                state = self.wait(state, Some(LINGER));
                continue;
            }
            let mut tasks = Vec::new();
            if n > 0 {
                let mut left = n;
                let (taken, rest): (VecDeque<_>, VecDeque<_>) =
                    std::mem::take(&mut state.waiting).into_iter().partition(|it| {
                        let is_it = left > 0 && is_ours(&it);
                        left -= usize::from(is_it);
                        is_it
                    });
                state.waiting = rest;
                tasks = taken.into();
            } else if let Some(usual) = state.there.usual {
                tasks.extend(state.here.slow(TIMES * usual));
            }
            if !tasks.is_empty() {
                let (number, stop) = state.there.begin(tasks.clone());
                return Some((tasks, number, stop));
            }
            has_lingered = false;
            let time = (!state.here.attempts.is_empty()).then_some(LOOK);
            state = self.wait(state, time);
        }
    }
}

#[cfg(test)]
mod tests;
