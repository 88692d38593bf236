//! Parts of a build on a worker of the tests, by a program that is sent: a script that starts this one.

use std::sync::OnceLock;

use build_kernels::{
    Input, InputSource, Outcome, RunOptions, ShardProgram, ShardSettings, Shards, do_shard, run,
};

use super::*;

/// The program of a job gets the name of a command, which is a filter of tests here: it runs this one alone, in the
/// folder of the job.
#[test]
fn the_shard_of_a_job() {
    if Path::new("order.json").is_file() {
        do_shard(Path::new(".")).expect("a shard");
    }
}

/// The program that is sent: this one is too large for a test.
fn program() -> PathBuf {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    let written = || {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, this) = (folder.path().join("program"), std::env::current_exe());
        let text = format!("#!/bin/sh\nexec '{}' \"$@\"\n", this.expect("a program").display());
        fs::write(&path, text).expect("a file");
        (folder, path)
    };
    PROGRAM.get_or_init(written).1.clone()
}

/// A checkout with so many files.
fn checkout(files: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("kernels")).expect("a folder");
    for file in 0..files {
        let function = |it: usize| {
            format!(
                "@T.prim_func\ndef f{it}(A: T.Buffer((64,), \"float32\")):\n    with \
                 T.launch_thread(\"threadIdx.x\", 64) as tx:\n        A[tx] = A[tx] * T.float32({file}.{it})\n\n"
            )
        };
        let functions: String = (0..4).map(function).collect();
        let text = format!("from tvm.script import tirx as T\n\n{functions}");
        fs::write(folder.path().join(format!("kernels/f{file}.py")), text).expect("a file");
    }
    folder
}

/// Builds a checkout, perhaps with workers and a cache.
fn build(
    folder: &Path,
    workers: Option<&Settings>,
    layer: Option<Arc<dyn Layer>>,
) -> (Outcome, BTreeMap<PathBuf, Vec<u8>>) {
    let kernels = folder.join("kernels");
    let files = fs::read_dir(&kernels).expect("a folder").flatten();
    let input = |it: fs::DirEntry| Input {
        name: it.file_name().into_string().expect("a text"),
        source: InputSource::Path(it.path()),
        is_only_name: true,
    };
    let mut inputs: Vec<Input> = files.map(input).collect();
    inputs.sort();
    let settings =
        codegen::build::Settings { layer, ..codegen::build::Settings::new(folder.join("out")) };
    let shards = workers.map(|it| {
        let executor = crate::workers(it, &|_| None).expect("workers");
        let settings = ShardSettings {
            program: ShardProgram::Sent(program()),
            platform: Vec::new(),
            timeout: Duration::from_secs(60),
            jobs: 4,
            bytes: 3000,
            files: 10,
        };
        Arc::new(Shards::new(executor, settings))
    });
    let options = RunOptions {
        jobs: 1,
        prune: false,
        instances: Arc::default(),
        workspaces: vec![vec![kernels]],
        shards,
    };
    let start = Instant::now();
    let outcome = run(&inputs, &settings, &options, &|_| {}).expect("a build");
    assert!(start.elapsed() < PATIENCE);
    assert_eq!(outcome.failures, []);
    (outcome, outputs_in(&folder.join("out")))
}

fn by_workers(outcome: &Outcome) -> usize {
    outcome.shards.as_ref().map_or(0, |it| it.by_worker.values().sum())
}

const FILES: usize = 40;
/// Files of a build with a service that is bad.
const FEW: usize = 16;

#[test]
fn workers_lower_files_of_a_build_and_the_cache_gets_them() {
    let (_, expected) = build(checkout(FILES).path(), None, None);
    let server = Server::start(Fault::None);
    let settings = Settings { timeout: Duration::from_secs(20), ..settings(&server) };
    // The first may be done before a worker has begun; what workers end after it is known to the next.
    let mut n_by_workers = 0;
    for _ in 0..20 {
        let checkout = checkout(FILES);
        let (outcome, outputs) = build(checkout.path(), Some(&settings), None);
        assert_eq!(outputs, expected);
        let helped = outcome.shards.as_ref().expect("workers");
        assert_eq!(helped.notes, Vec::<String>::new());
        assert_eq!(helped.here + by_workers(&outcome), FILES);
        n_by_workers = by_workers(&outcome);
        if n_by_workers > 0 {
            let is_told = |it: &Option<Arc<str>>| it.as_deref() == Some("worker-1");
            let files = outcome.report.files.iter().filter(|it| is_told(&it.worker));
            assert_eq!(files.count(), n_by_workers);
            assert!(outcome.report.kernels.iter().any(|it| is_told(&it.worker)));
            break;
        }
    }
    assert!(n_by_workers > 0, "workers never did anything");
    // What workers made is kept for others, as what is made here.
    let (outcome, outputs) = build(checkout(FILES).path(), Some(&settings), Some(layer(&settings)));
    assert_eq!(outputs, expected);
    assert!(by_workers(&outcome) > 0);
    let (outcome, outputs) = build(checkout(FILES).path(), None, Some(layer(&settings)));
    assert_eq!(outputs, expected);
    assert_eq!((outcome.report.work.parsed, outcome.report.work.generated), (0, 0));
}

#[test]
fn outputs_are_the_same_with_any_fault_of_workers() {
    let (_, expected) = build(checkout(FEW).path(), None, None);
    for fault in Fault::ALL.into_iter().chain([Fault::LosesInputs, Fault::Breaks]) {
        let server = Server::start(fault);
        let (outcome, outputs) = build(checkout(FEW).path(), Some(&settings(&server)), None);
        assert_eq!(outputs, expected, "{fault:?}");
        assert_eq!(outcome.report.kernels.len(), 4 * FEW, "{fault:?}");
    }
}
