//! Shards of a build on other machines: files that workers read, lower and generate code of, beside this machine.
//!
//! In: files of which the store and the cache beyond it have nothing, an `execute::Executor`. Out: their entries in the
//! store, where the build finds them as it finds cached ones; so outputs are written here, and are those of a build
//! without workers. A job has this program, the settings that code depends on, and texts under neutral names
//! ([`job`]); what comes back is compared with checksums, and only what these texts need is taken (`Build::lend`).
//! [`plan`] says which files go together, [`queue`] who does what.

mod job;
mod plan;
mod queue;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::Duration,
};

use codegen::{
    build::{Build, Helped, Order, hash_of},
    execute::{Content, Done, Executor, NotDone, Stop},
    store::pack::Pack,
};

use self::{job::Program, queue::Queue};

pub(crate) use self::{
    job::{ENTRIES, ORDER, TEXTS},
    plan::Candidate,
};

/// The most bytes of this program.
const LARGEST: u64 = 1 << 30;

/// How shards are made and done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardSettings {
    /// This program, which is sent, or its place on workers.
    pub program: ShardProgram,
    /// Properties of the machine that is wanted, as the service names them.
    pub platform: Vec<(String, String)>,
    /// The longest that a job may take.
    pub timeout: Duration,
    /// Jobs that workers do at a time.
    pub jobs: usize,
    /// The most bytes of the texts of a shard; one text is sent whatever its size.
    pub bytes: u64,
    /// A build in which fewer files are to be read sends none.
    pub files: usize,
}

/// The program on workers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ShardProgram {
    /// This file is sent.
    Sent(PathBuf),
    /// Workers have it in this place, of the version here.
    There(String),
}

/// Workers that do shards.
#[derive(Debug)]
pub struct Shards {
    executor: Arc<dyn Executor>,
    settings: ShardSettings,
    /// The program, once it was read.
    program: OnceLock<Result<Content, String>>,
    /// Jobs that are done now.
    running: Mutex<Vec<Stop>>,
}

impl Shards {
    /// Those of a service.
    pub fn new(executor: Arc<dyn Executor>, settings: ShardSettings) -> Shards {
        let (program, running) = (OnceLock::new(), Mutex::default());
        Shards { executor, settings, program, running }
    }

    /// Tells workers that nobody waits for them any more; returns true if any was at work.
    pub fn stop(&self) -> bool {
        let running = self.running();
        running.iter().for_each(Stop::set);
        !running.is_empty()
    }

    fn running(&self) -> MutexGuard<'_, Vec<Stop>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shares files of a build out; none where it does not pay.
    pub(crate) fn begin<'a>(
        &'a self,
        build: &'a Build<'a>,
        order: &Order,
        files: Vec<(&'a str, &'a Path)>,
        candidates: Vec<Candidate>,
    ) -> Option<Round<'a>> {
        if candidates.is_empty() || candidates.len() < self.settings.files {
            return None;
        }
        let shards = plan::cut(candidates, self.settings.bytes);
        let n_senders = self.settings.jobs.min(shards.len());
        let queue = Queue::new(files.len(), shards);
        let order = Content::of_bytes(order.write());
        Some(Round { shards: self, build, order, files, queue, n_senders })
    }

    /// The program as a job has it.
    fn program(&self) -> Result<Program<'_>, NotDone> {
        let path = match &self.settings.program {
            ShardProgram::There(path) => return Ok(Program::There(path)),
            ShardProgram::Sent(path) => path,
        };
        let read = || {
            let content = Content::of_file(path.clone(), LARGEST);
            content.map_err(|it| format!("this program cannot be sent: {it}"))
        };
        let program = self.program.get_or_init(read).as_ref();
        program.map(Program::Sent).map_err(|it| NotDone::Failed(it.clone()))
    }
}

/// The files of one build.
pub(crate) struct Round<'a> {
    shards: &'a Shards,
    build: &'a Build<'a>,
    order: Content,
    /// By number: name and path.
    files: Vec<(&'a str, &'a Path)>,
    queue: Queue,
    n_senders: usize,
}

/// Ends what is away when it goes, also where a thread of ours fails.
struct Closing<'q>(&'q Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Round<'_> {
    /// Runs `work` on this machine, beside workers. It calls [`Self::next`] until there is nothing more.
    pub(crate) fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        thread::scope(|scope| {
            let _closing = Closing(&self.queue);
            for _ in 0..self.n_senders {
                let thread = thread::Builder::new().name("shards for workers".to_owned());
                // Without one there are fewer; what nobody sends is done here.
                drop(thread.spawn_scoped(scope, || self.send()));
            }
            work()
        })
    }

    /// The number of a file to do here.
    pub(crate) fn next(&self) -> Option<usize> {
        self.queue.next_here()
    }

    /// The work of workers, but for the files: these are counted by those who see what became of them.
    pub(crate) fn helped(&self) -> Helped {
        let (unneeded, notes) = self.queue.told();
        let name = self.shards.executor.name().to_owned();
        Helped { name, unneeded, notes, ..Helped::default() }
    }

    fn send(&self) {
        while let Some(shard) = self.queue.next_there() {
            self.shards.running().push(shard.stop.clone());
            let run = AssertUnwindSafe(|| self.done(&shard.files, &shard.stop));
            let outcome = catch_unwind(run)
                .unwrap_or_else(|_| Err(NotDone::Failed("a mistake of ours".to_owned())));
            self.shards.running().retain(|it| !it.is_same(&shard.stop));
            self.queue.returned(&shard, outcome.as_deref());
        }
    }

    /// Has files done; of each, whether all that it needs is in the store now.
    fn done(&self, files: &[Candidate], stop: &Stop) -> Result<Vec<bool>, NotDone> {
        let settings = &self.shards.settings;
        let mut texts = Vec::new();
        for of_text in files.chunk_by(|a, b| a.text == b.text) {
            // One that was changed in the meantime is not that which was looked at: it is read here.
            let read = |it: &Candidate| {
                let (name, path) = self.files[it.at];
                let bytes = files::read(path, it.bytes).ok()?;
                (hash_of(&[&bytes]) == it.text).then_some((name, bytes))
            };
            texts.extend(of_text.iter().find_map(read));
        }
        let program = self.shards.program()?;
        let job = job::job(program, &self.order, texts, &settings.platform, settings.timeout);
        let done = self.shards.executor.execute(&job, stop)?;
        let pack = entries(&done).map_err(NotDone::Failed)?;
        let name = self.shards.executor.name();
        let worker: Arc<str> = if done.worker.is_empty() { name } else { &done.worker }.into();
        let wanted: Vec<[u8; 32]> = files.iter().map(|it| it.text).collect();
        let lent = self.build.lend(&wanted, &pack, &worker);
        lent.map_err(|it: io::Error| NotDone::Failed(format!("it cannot be kept: {it}")))
    }
}

/// The entries of a job that was done.
fn entries(done: &Done) -> Result<Pack, String> {
    if done.exit_code != 0 {
        let said = [&*done.stderr, &*done.stdout].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let line = said.lines().map(str::trim).find(|it| !it.is_empty());
        let line = line.unwrap_or("it says nothing").trim_start_matches("error: ");
        let line: String = line.chars().filter(|it| !it.is_control()).take(200).collect();
        return Err(format!("this program cannot be run there: {line}"));
    }
    let output = done.outputs.iter().find(|it| it.0 == ENTRIES);
    let pack = output.and_then(|it| Pack::read(&it.1));
    pack.ok_or_else(|| "a job for a shard gives no entries".to_owned())
}
