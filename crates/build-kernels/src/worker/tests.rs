//! Builds with workers that are good, slow, wrong or gone: outputs and reports are those of a build without them.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    thread::ThreadId,
    time::Instant,
};

use codegen::{
    Target, TargetOptions,
    build::{BuildReport, How, KernelReport},
    execute::{Done, Executor, Job, NotDone, Stop},
    store::{Store, layer::file_of},
};
use ir::effects::{EffectRow, EffectRows, EffectTable};

use super::*;
use crate::{
    Outcome,
    shards::{ShardProgram, ShardSettings, Shards},
};

const HEAD: &str = "from tvm.script import tirx as T\n";

fn function(name: &str, value: &str) -> String {
    format!(
        "@T.prim_func\ndef {name}(A: T.Buffer((64,), \"float32\")):\n    \
         with T.launch_thread(\"threadIdx.x\", 64) as tx:\n        A[tx] = A[tx] * {value}\n\n"
    )
}

const FACTORY: &str = "def scale(n):\n    @T.prim_func\n    \
    def main(A: T.Buffer((n,), \"float32\")):\n        \
    for i in T.thread_binding(n, thread=\"threadIdx.x\"):\n            A[i] = T.float32(2.0)\n\n    return main\n";

const OPERATIONS: &str = "gpu.module @m {\n  gpu.func @k(%a: memref<64xf32>) kernel {\n    \
    %i = gpu.thread_id x\n    %x = memref.load %a[%i] : memref<64xf32>\n    \
    memref.store %x, %a[%i] : memref<64xf32>\n    gpu.return\n  }\n}\n";

/// A workspace: files that may be sent, and of each kind of files that may not.
fn workspace() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join("kernels").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    for file in 0..16 {
        let functions = (0..2).map(|it| function(&format!("f{it}"), &format!("{file}.{it}")));
        write(&format!("k/f{file}.py"), &format!("{HEAD}\n{}", functions.collect::<String>()));
    }
    // Equal texts, equal functions, mistakes, an unknown call, nothing at all.
    let same = format!("{HEAD}\n{}", function("same", "7.5"));
    ["same/a.py", "same/b.py"].iter().for_each(|it| write(it, &same));
    write("same/c.py", &format!("{HEAD}# a comment\n\n{}", function("other", "7.5")));
    write("broken.py", &format!("{HEAD}\n{}", function("broken", "undefined")));
    write("unclosed.py", &format!("{HEAD}\n@T.prim_func\ndef f(A: T.Buffer((64,)\n"));
    write("called.py", &format!("{HEAD}\n{}", function("g", "T.my_value(A[tx])")));
    write("empty.py", "");
    write("ops.mlir", OPERATIONS);
    write("own.py", &format!("{HEAD}\n{FACTORY}\nscale(16)\n"));
    // These stay here: one imports, one is imported, of one another file calls a factory.
    write("sizes.py", "K = 2.5\n");
    write("user.py", &format!("{HEAD}from sizes import K\n\n{}", function("u", "K")));
    write("factory.py", &format!("{HEAD}\n{FACTORY}"));
    write("run.py", "from factory import scale\n\nscale(4)\n");
    folder
}

fn files_in(root: &Path) -> BTreeMap<String, PathBuf> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(root).expect("inside");
                    found.insert(name.to_str().expect("a text").replace('\\', "/"), path);
                }
            }
        }
    }
    found
}

fn outputs(out: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |(name, path): (String, PathBuf)| (name, fs::read(path).expect("a file"));
    files_in(out).into_iter().map(read).collect()
}

/// How a service does jobs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    Good,
    /// It answers when it is told to stop.
    Hangs,
    /// The first job hangs.
    FirstHangs,
    Fails,
    Away,
    /// The command ends with an error.
    NoProgram,
    /// A panic of ours.
    Panics,
    /// Bytes that are no entries.
    Garbage,
    /// A bit of each entry is another.
    Flipped,
    /// Entries of other keys.
    Swapped,
    /// Texts without the code that they name.
    Half,
    Nothing,
}

impl Manner {
    const BAD: [Manner; 10] = [
        Manner::Hangs,
        Manner::Fails,
        Manner::Away,
        Manner::NoProgram,
        Manner::Panics,
        Manner::Garbage,
        Manner::Flipped,
        Manner::Swapped,
        Manner::Half,
        Manner::Nothing,
    ];
}

/// A service in this process.
#[derive(Debug)]
struct Service {
    manner: Manner,
    jobs: Mutex<Vec<Job>>,
    /// Threads that were given an answer that is told of if it is bad.
    answered: Mutex<Vec<ThreadId>>,
    /// One of them asked again, so it has looked at its answer.
    is_seen: AtomicBool,
}

impl Executor for Service {
    fn name(&self) -> &str {
        "grpc://farm"
    }

    fn execute(&self, job: &Job, stop: &Stop) -> Result<Done, NotDone> {
        let thread = thread::current().id();
        if self.answered.lock().expect("no panic").contains(&thread) {
            self.is_seen.store(true, Ordering::Relaxed);
        }
        if self.manner != Manner::Half {
            self.answered.lock().expect("no panic").push(thread);
        }
        let at = {
            let mut jobs = self.jobs.lock().expect("no panic");
            jobs.push(job.clone());
            jobs.len()
        };
        let outputs = |bytes: Vec<u8>| vec![("entries".to_owned(), bytes)];
        let mut done = Done {
            exit_code: 0,
            outputs: Vec::new(),
            stdout: Vec::new(),
            stderr: Vec::new(),
            worker: "w1".to_owned(),
            is_cached: false,
        };
        match self.manner {
            Manner::Fails => return Err(NotDone::Failed("it is full".to_owned())),
            Manner::Away => return Err(NotDone::LeftAlone),
            Manner::Panics => panic!("planted by a test"),
            Manner::NoProgram => {
                (done.exit_code, done.stderr) = (126, b"error: wrong format\nmore".to_vec());
                return Ok(done);
            }
            Manner::Garbage => {
                done.outputs = outputs(b"no entries".to_vec());
                return Ok(done);
            }
            Manner::Nothing => return Ok(done),
            Manner::FirstHangs | Manner::Hangs if at == 1 || self.manner == Manner::Hangs => {
                let end = Instant::now() + Duration::from_secs(60);
                while !stop.is_set() && Instant::now() < end {
                    thread::sleep(Duration::from_millis(1));
                }
                return Err(NotDone::Stopped);
            }
            _ => {}
        }
        let folder = tempfile::tempdir().expect("a folder");
        for file in &job.files {
            let path = folder.path().join(&file.path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, file.content.bytes().expect("bytes")).expect("a file");
        }
        let made = match do_shard(folder.path()) {
            Ok(()) => fs::read(folder.path().join("entries")).expect("entries"),
            Err(error) => {
                (done.exit_code, done.stderr) = (2, error.to_string().into_bytes());
                return Ok(done);
            }
        };
        done.outputs = outputs(self.spoilt(&folder.path().join("made/out.store"), made));
        Ok(done)
    }
}

impl Service {
    fn new(manner: Manner) -> Service {
        let (jobs, answered, is_seen) = (Mutex::default(), Mutex::default(), AtomicBool::default());
        Service { manner, jobs, answered, is_seen }
    }

    /// The entries of a store, as this service gives them.
    fn spoilt(&self, store: &Path, made: Vec<u8>) -> Vec<u8> {
        if !matches!(self.manner, Manner::Flipped | Manner::Swapped | Manner::Half) {
            return made;
        }
        let store = Store::new(store);
        let mut pack = Pack::default();
        for kind in [Kind::Text, Kind::Kernel] {
            let files = files_in(&store.root().join(kind.folder()));
            let keys: Vec<codegen::Key> =
                files.keys().filter_map(|it| codegen::Key::parse(&it.replace('/', ""))).collect();
            for (at, key) in keys.iter().enumerate() {
                let codegen::store::Read::Found(data) = store.read(kind, *key).expect("a store")
                else {
                    panic!("it is broken")
                };
                let mut file = file_of(kind, *key, &data);
                let mut of = *key;
                match self.manner {
                    Manner::Flipped => *file.last_mut().expect("bytes") ^= 1,
                    Manner::Swapped if keys.len() == 1 => continue,
                    Manner::Swapped => of = keys[(at + 1) % keys.len()],
                    _ if kind == Kind::Kernel => {
                        self.answered.lock().expect("no panic").push(thread::current().id());
                        continue;
                    }
                    _ => {}
                }
                pack.add(kind, of, Packed { file, cost: Duration::ZERO });
            }
        }
        pack.write()
    }
}

/// A build of a workspace into a folder of it.
struct Built {
    outcome: Outcome,
    jobs: Vec<Job>,
}

/// The wishes beside the files.
#[derive(Clone, Copy, Default)]
struct Wanted {
    has_effects: bool,
    has_instances: bool,
}

fn build(root: &Path, out: &str, manner: Option<Manner>, wanted: Wanted) -> Built {
    build_with(root, out, manner, wanted, |it| it)
}

fn build_with(
    root: &Path,
    out: &str,
    manner: Option<Manner>,
    wanted: Wanted,
    change: impl Fn(ShardSettings) -> ShardSettings,
) -> Built {
    let kernels = root.join("kernels");
    let input = |(name, path): (String, PathBuf)| Input {
        name,
        source: InputSource::Path(path),
        is_only_name: true,
    };
    let inputs: Vec<Input> = files_in(&kernels).into_iter().map(input).collect();
    let mut settings = Settings::new(root.join(out));
    settings.targets = vec![Target::Cuda, Target::OpenCl];
    let (target, options) = TargetOptions::parse("cuda:arch=sm_90:index-bits=64").expect("options");
    settings.devices.insert(target, options);
    if wanted.has_effects {
        let row = EffectRow { ops: vec!["T.my_value".to_owned()], ..EffectRow::default() };
        let rows = EffectRows { tir: vec![row], ..EffectRows::default() };
        settings.options.effects =
            Arc::new(EffectTable::builtin().overlay(&rows).expect("good rows"));
    }
    let instance = wanted.has_instances.then(|| Request::parse("scale(n=32)").expect("a call"));
    let service = manner.map(|manner| Arc::new(Service::new(manner)));
    let is_awaited = |it| !matches!(it, Manner::Hangs | Manner::FirstHangs | Manner::Away);
    let mut is_slow = manner.is_some_and(is_awaited) && !root.join(out).exists();
    let shards = service.clone().map(|service| {
        let settings = ShardSettings {
            program: ShardProgram::There("/opt/tir-analyzer".to_owned()),
            platform: vec![("OSFamily".to_owned(), "linux".to_owned())],
            timeout: Duration::from_secs(60),
            jobs: 3,
            bytes: 1500,
            files: 1,
        };
        let settings = change(settings);
        is_slow &= settings.files == 1;
        Arc::new(Shards::new(service, settings))
    });
    let options = RunOptions {
        jobs: 2,
        prune: false,
        instances: instance.into_iter().collect(),
        workspaces: vec![vec![kernels]],
        shards,
    };
    let start = Instant::now();
    // This machine waits until an answer of the service was looked at.
    let wait = |_| {
        let is_seen = || service.as_ref().is_none_or(|it| it.is_seen.load(Ordering::Relaxed));
        while is_slow && !is_seen() && start.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(1));
        }
    };
    let outcome = run(&inputs, &settings, &options, &wait).expect("a build");
    assert!(start.elapsed() < Duration::from_secs(50));
    let jobs = service.map(|it| std::mem::take(&mut *it.jobs.lock().expect("no panic")));
    Built { outcome, jobs: jobs.unwrap_or_default() }
}

/// All of a report that tells of kernels, without who made them.
fn told(report: &BuildReport) -> Vec<String> {
    let kernel =
        |it: &KernelReport| format!("{} {} {:?} {}", it.output(), it.key(), it.status, it.written);
    let kernels = report.kernels.iter().map(kernel);
    let refused = report.unsupported.iter().map(|it| format!("{it:?}"));
    let aliases = report.aliases.iter().map(|it| format!("{it:?}"));
    let rest = format!("{} {}", report.without_launch, report.work.generated);
    kernels.chain(refused).chain(aliases).chain([rest]).collect()
}

/// Compares a build with workers with one without.
fn check(manner: Manner, wanted: Wanted) -> Built {
    let folder = workspace();
    let root = folder.path();
    let alone = build(root, "alone", None, wanted);
    assert!(alone.outcome.shards.is_none());
    let helped = build(root, "helped", Some(manner), wanted);
    assert_eq!(outputs(&root.join("helped")), outputs(&root.join("alone")), "{manner:?}");
    assert_eq!(told(&helped.outcome.report), told(&alone.outcome.report), "{manner:?}");
    assert_eq!(helped.outcome.failures, alone.outcome.failures, "{manner:?}");
    // The next build knows as much.
    let again = build(root, "helped", Some(manner), wanted);
    assert_eq!(again.outcome.report.work, codegen::build::Work::default(), "{manner:?}");
    assert!(again.outcome.shards.is_none());
    helped
}

/// Files that workers read.
fn n_by_workers(built: &Built) -> usize {
    built.outcome.shards.as_ref().map_or(0, |it| it.by_worker.values().sum())
}

#[test]
fn workers_give_what_this_machine_gives() {
    for has_effects in [false, true] {
        for has_instances in [false, true] {
            let wanted = Wanted { has_effects, has_instances };
            let built = check(Manner::Good, wanted);
            let helped = built.outcome.shards.as_ref().expect("workers");
            assert_eq!(helped.notes, Vec::<String>::new());
            let report = &built.outcome.report;
            assert_eq!(helped.here, report.work.parsed);
            // A busy machine reads what is bound to it, and no more.
            assert!(n_by_workers(&built) > 0 && helped.here >= 3, "{helped:?}");
            // What stays here, and who did the rest, of files and of kernels.
            // Of equal texts one is read, wherever.
            let files = report.files.iter().filter(|it| !it.file.starts_with("same/"));
            for file in files {
                let is_bound = ["user.py", "factory.py", "run.py"].contains(&&*file.file);
                assert!(!is_bound || file.worker.is_none(), "{file:?}");
                assert_eq!(file.worker.is_some(), file.how == How::Known, "{file:?}");
            }
            let of_worker = report.kernels.iter().filter(|it| it.worker.as_deref() == Some("w1"));
            assert!(of_worker.count() > 0);
        }
    }
}

#[test]
fn workers_that_are_bad_cost_notes_and_no_kernel() {
    for manner in Manner::BAD {
        let built = check(manner, Wanted::default());
        let helped = built.outcome.shards.as_ref().expect("workers");
        let mut kernels = built.outcome.report.kernels.iter();
        assert!(kernels.all(|it| it.worker.is_none()), "{manner:?}: {helped:?}");
        // Files without code need nothing but their texts.
        assert!(manner == Manner::Half || n_by_workers(&built) == 0, "{manner:?}: {helped:?}");
        let is_quiet = matches!(manner, Manner::Hangs | Manner::Away);
        assert_eq!(helped.notes.len(), usize::from(!is_quiet), "{manner:?}: {helped:?}");
    }
}

#[test]
fn a_worker_that_hangs_is_not_waited_for() {
    check(Manner::FirstHangs, Wanted::default());
}

#[test]
fn jobs_hold_nothing_of_this_machine_and_are_those_of_another_checkout() {
    let none_here = |it: ShardSettings| ShardSettings { jobs: 64, ..it };
    let jobs = |rename: bool| {
        let folder = workspace();
        let kernels = folder.path().join("kernels");
        if rename {
            fs::rename(kernels.join("k"), kernels.join("elsewhere")).expect("a folder");
        }
        let built = build_with(
            folder.path(),
            if rename { "one" } else { "two" },
            Some(Manner::Good),
            Wanted::default(),
            none_here,
        );
        let root = folder.path().to_str().expect("a text").to_owned();
        let seen = |job: &Job| {
            let bytes = |it: &codegen::execute::JobFile| {
                let bytes = it.content.bytes().expect("bytes");
                let text = String::from_utf8_lossy(&bytes).into_owned();
                assert!(!text.contains(&root) && !it.path.contains("f1"), "{}", it.path);
                format!("{} {:?}", it.path, it.content.digest())
            };
            let files: Vec<String> = job.files.iter().map(bytes).collect();
            format!("{:?} {:?} {files:?} {:?}", job.arguments, job.environment, job.outputs)
        };
        built.jobs.iter().map(seen).collect::<std::collections::BTreeSet<_>>()
    };
    let (one, other) = (jobs(false), jobs(true));
    // Which of them were needed depends on who was faster.
    assert!(one.intersection(&other).count() >= 1, "{one:?} {other:?}");
}

#[test]
fn an_order_for_another_version_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = Settings { reader: "another".to_owned(), ..Settings::new("out") };
    fs::create_dir(folder.path().join(TEXTS)).expect("a folder");
    fs::write(folder.path().join(ORDER), Order::new(&settings, Vec::new()).write()).expect("it");
    let error = do_shard(folder.path()).expect_err("another version").to_string();
    assert_eq!(error, "the program here is another version than the one there");
    fs::write(folder.path().join(ORDER), "{}").expect("a file");
    assert!(do_shard(folder.path()).is_err());
}

#[test]
fn few_files_are_not_sent_and_those_in_the_store_are_not_either() {
    let folder = workspace();
    let many = |it: ShardSettings| ShardSettings { files: 1000, ..it };
    let built = build_with(folder.path(), "out", Some(Manner::Good), Wanted::default(), many);
    assert!(built.outcome.shards.is_none() && built.jobs.is_empty());
    // Another target: only code is lacking.
    fs::remove_dir_all(folder.path().join("out.store/kernels")).expect("a store");
    fs::remove_dir_all(folder.path().join("out")).expect("outputs");
    let built = build(folder.path(), "out", Some(Manner::Good), Wanted::default());
    assert!(n_by_workers(&built) == 0 && !built.jobs.is_empty());
    let by_worker = built.outcome.report.kernels.iter().filter(|it| it.worker.is_some());
    assert!(by_worker.count() > 0);
}
