//! Builds with one, two and four workers, and the figures by which a model predicts them (`cargo xtask farm-model`).
//!
//! The compilers wait for a fixed time, so workers on one machine are as good as machines. One object of JSON is
//! written, with the parameters of the model and the times of the builds.

use std::{io::Write as _, os::unix::fs::PermissionsExt as _};

use build_kernels::{
    Compile, Compiler, CudaCompiler, FarmLimits, Input, InputSource, RunOptions, WorkerSettings,
    run,
};
use codegen::execute::{Content, Job, JobFile, Stop};

use super::*;

/// Kernels of a build.
const KERNELS: usize = 120;
/// Kernels of a job.
const GROUP: usize = 4;
/// Jobs at a time: more than there are workers, so that these never wait.
const JOBS: usize = 8;
/// Jobs of one worker at once.
const BUSY: usize = 12;
/// The time that each of both compilers waits for a kernel, in seconds.
const WAIT: &str = "0.05";

fn write_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a program");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a program");
}

/// A folder with compilers that wait.
fn compilers(folder: &Path) {
    let says = "if [ \"$1\" = --version ]; then echo 'release 1, V1.0'; exit; fi";
    let nvcc = format!("sleep {WAIT}\ncp kernel.cu kernel.ptx");
    let ptxas = format!("sleep {WAIT}\ncp kernel.ptx kernel.cubin\necho 'Used 7 registers' >&2");
    for (name, does) in [("nvcc", nvcc), ("ptxas", ptxas)] {
        write_program(&folder.join("bin").join(name), &format!("#!/bin/sh\n{says}\n{does}\n"));
    }
}

/// Functions that are all different, a file.
fn inputs(folder: &Path, first: usize) -> Vec<Input> {
    let input = |number: usize| {
        let text = format!(
            "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((64,), \"float32\")):\n    with \
             T.launch_thread(\"threadIdx.x\", 64) as tx:\n        A[tx] = A[tx] * T.float32({number}.0)\n"
        );
        let path = folder.join(format!("f{number}.py"));
        fs::write(&path, text).expect("a file");
        let name = format!("f{number}.py");
        Input { name, source: InputSource::Path(path), is_only_name: true }
    };
    (first..first + KERNELS).map(input).collect()
}

/// Seconds of a build of new kernels with these compilers; bytes of an entry, and of a source.
fn build(round: usize, compiler: Option<Arc<dyn Compiler>>, threads: usize) -> (f64, f64, f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let inputs = inputs(folder.path(), 1 + round * KERNELS);
    let compile =
        compiler.map(|compiler| Compile { compiler, ptx: true, cubin: true, compare: false });
    let settings = codegen::build::Settings {
        compile,
        ..codegen::build::Settings::new(folder.path().join("out"))
    };
    let options = RunOptions {
        jobs: threads,
        prune: false,
        instances: Arc::default(),
        workspaces: Vec::new(),
        shards: None,
    };
    let start = Instant::now();
    let outcome = run(&inputs, &settings, &options, &|_| {}).expect("a build");
    let took = start.elapsed().as_secs_f64();
    assert_eq!((outcome.report.kernels.len(), &outcome.failures[..]), (KERNELS, &[][..]));
    assert_eq!(outcome.report.compiled.map_or(0, |it| it.failed), 0);
    let store = codegen::store::Store::new(&settings.store).usage().expect("a store");
    let entry = store.kernels.bytes as f64 / store.kernels.entries.max(1) as f64;
    let source =
        fs::metadata(folder.path().join(format!("out/cuda/f{}/f_kernel.cu", 1 + round * KERNELS)));
    (took, entry, source.expect("a source").len() as f64)
}

/// Seconds of a job that compiles so many kernels, as `build-kernels` sends it.
fn job(
    workers: &dyn codegen::execute::Executor,
    cuda: &Path,
    number: usize,
    kernels: usize,
) -> f64 {
    let mut script = format!("bin={}/bin\n", cuda.display());
    let mut files = Vec::new();
    let mut outputs = Vec::new();
    for at in 0..kernels {
        files.push(JobFile {
            path: format!("{at}/kernel.cu"),
            content: Content::of_bytes(format!("{number} {at}").as_bytes()),
            is_executable: false,
        });
        outputs.extend([format!("{at}/kernel.ptx"), format!("{at}/kernel.cubin")]);
        script.push_str(&format!(
            "(cd {at} && \"$bin/nvcc\" --ptx && \"$bin/ptxas\") > {at}/kernel.log 2>&1\n"
        ));
    }
    let job = Job {
        arguments: ["/bin/sh", "-c", &script].map(str::to_owned).to_vec(),
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        files,
        outputs,
        platform: Vec::new(),
        timeout: Duration::from_secs(60),
    };
    let start = Instant::now();
    let done = workers.execute(&job, &Stop::default()).expect("done");
    assert_eq!((done.exit_code, done.outputs.len()), (0, 2 * kernels));
    start.elapsed().as_secs_f64()
}

fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    all[all.len() / 2]
}

/// Seconds of a call of the cache, many at a time.
fn call() -> f64 {
    const ENTRIES: usize = 2000;
    let server = Server::start(Fault::None);
    let entries: Vec<_> = (0..ENTRIES)
        .map(|it| {
            let mut seed = [0; 32];
            seed[..8].copy_from_slice(&(it as u64).to_le_bytes());
            let action = Action::of_text(&seed, "tests");
            let file = file_of(Kind::Text, action.key(), &[7; 3000]);
            (action, file)
        })
        .collect();
    let settings = Settings { timeout: Duration::from_secs(20), ..settings(&server) };
    let first = layer(&settings);
    for (action, file) in &entries {
        first.offer(Kind::Text, action, file.clone(), Duration::ZERO);
    }
    assert_eq!(first.finish().notes, Vec::<String>::new());
    let second = layer(&settings);
    let wanted: Vec<_> = entries.iter().map(|it| (Kind::Text, &it.0)).collect();
    // It connects.
    second.fetch(&wanted[..1]);
    let start = Instant::now();
    assert!(second.fetch(&wanted).iter().all(Option::is_some));
    start.elapsed().as_secs_f64() / ENTRIES as f64
}

#[test]
#[ignore = "measures; `cargo xtask farm-model` runs it"]
fn figures() {
    let cuda = tempfile::tempdir().expect("a folder");
    compilers(cuda.path());
    let compiler = || CudaCompiler::find(Some(cuda.path())).expect("compilers");
    let with = |server: &Server| {
        let settings = Settings { timeout: Duration::from_secs(20), ..settings(server) };
        crate::workers(&settings, &|_| None).expect("workers")
    };
    let (text, entry, source) = build(0, None, 1);
    let (local, ..) = build(1, Some(Arc::new(compiler())), 1);
    let produce = text / KERNELS as f64;
    let server = Server::start(Fault::None);
    let workers = &with(&server);
    let (cuda, server) = (&cuda, &server);
    let many = 4 * GROUP;
    let jobs = |kernels: usize, from: usize| {
        median((0..7).map(|it| job(&**workers, cuda.path(), from + it, kernels)).collect())
    };
    let (one, all) = (jobs(1, 0), jobs(many, 100));
    let compile_there = (all - one) / (many - 1) as f64;
    // One worker with more than it can do: what is on its way then costs nothing.
    server.set(|it| it.places = Arc::new(tokio::sync::Semaphore::new(1)));
    let start = Instant::now();
    std::thread::scope(|scope| {
        let run = |it: usize| scope.spawn(move || job(&**workers, cuda.path(), 1000 + it, GROUP));
        (0..BUSY).map(run).collect::<Vec<_>>().into_iter().for_each(|it| drop(it.join()));
    });
    let busy = start.elapsed().as_secs_f64() / BUSY as f64 - GROUP as f64 * compile_there;
    let busy = busy.max(0.0);
    let runs: Vec<_> = [1, 2, 4]
        .into_iter()
        .map(|workers| {
            let server = Server::start(Fault::None);
            server.set(|it| it.places = Arc::new(tokio::sync::Semaphore::new(workers)));
            let settings = WorkerSettings {
                cuda: Some(cuda.path().display().to_string()),
                platform: Vec::new(),
                timeout: Duration::from_secs(60),
            };
            let limits = FarmLimits { here: 1, jobs: JOBS, group: GROUP };
            let farm = compiler().with_workers(with(&server), settings, limits);
            let threads = 1 + JOBS * GROUP;
            let (seconds, ..) = build(1 + workers, Some(Arc::new(farm)), threads);
            serde_json::json!({ "workers": workers, "seconds": rounded(seconds) })
        })
        .collect();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let figures = serde_json::json!({
        "kernels": KERNELS, "group": GROUP, "jobs": JOBS, "processors": processors,
        "produce": rounded(produce), "compile_here": rounded(local / KERNELS as f64 - produce),
        "compile_there": rounded(compile_there), "job": rounded(busy),
        "latency": rounded((one - compile_there - busy).max(0.0)),
        "call": rounded(call()), "entry": entry.round(), "source": source, "runs": runs,
    });
    writeln!(std::io::stdout(), "\n{figures}").expect("somebody reads");
}

/// To ten microseconds at most six digits.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
