//! A workspace of many kernels: one JSON object a line on standard output.
//!
//! In: `TIR_ANALYZER_BIN`, the number of files. Out: `check` and `build` from nothing, an unchanged workspace from a
//! cold process, one edit (cold, and while it watches), and the language server: the first hint, the time and memory of
//! its index, of files that are open as well, hints while it reads, and its use of the processor when it has nothing to
//! do. Every file has five functions; one of twenty has a factory with five instances instead.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use serde_json::json;
use tests::{
    binary,
    document::Document,
    figures::{report, summary},
    kernels,
    lsp::{Server, usual_capabilities},
    metrics::Metrics,
    peak,
    timed_build::{self, timed},
};

/// Functions of a file.
const SIZE: usize = 5;
/// One file of so many has a factory.
const FACTORY: usize = 20;
const RUNS: usize = 7;
/// Files that are open beside the first, where the memory of open ones is measured.
const OPEN: usize = 20;
/// The time over which an idle server is watched.
const IDLE: Duration = Duration::from_secs(5);

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let files = args.first().map_or(Ok(20_000), |it| it.parse())?;
    let folder = tempfile::tempdir()?;
    let workspace = Workspace::write(folder.path().join("kernels"), files)?;
    let n_functions = files * SIZE;
    report(&json!({
        "bench": "scale", "files": files, "functions": n_functions, "bytes": workspace.bytes,
        "sample": workspace.sample(50)?,
    }))?;
    check(&workspace)?;
    build(folder.path(), &workspace)?;
    server(&workspace)
}

/// A generated workspace.
struct Workspace {
    folder: PathBuf,
    files: usize,
    bytes: u64,
}

impl Workspace {
    fn write(folder: PathBuf, files: usize) -> anyhow::Result<Workspace> {
        let mut bytes = kernels::write(&folder, files, SIZE)?;
        for file in (0..files).step_by(FACTORY) {
            let path = folder.join(kernels::file_name(file));
            bytes -= path.metadata()?.len();
            let text = kernels::factory_module(file, SIZE);
            bytes += text.len() as u64;
            fs::write(path, text)?;
        }
        Ok(Workspace { folder, files, bytes })
    }

    /// A file without a factory.
    fn file(&self, round: usize) -> usize {
        let file = 7 * FACTORY * round % self.files + 1;
        file.min(self.files - 1)
    }

    fn path(&self, file: usize) -> PathBuf {
        self.folder.join(kernels::file_name(file))
    }

    /// Changes one function of one file.
    fn edit(&self, round: usize) -> std::io::Result<()> {
        kernels::edit(&self.folder, self.file(round), SIZE, round)
    }

    /// Texts of some files, for the peer.
    fn sample(&self, n: usize) -> std::io::Result<Vec<String>> {
        (0..n).map(|it| fs::read_to_string(self.path(self.file(it)))).collect()
    }
}

/// `check` from nothing: on one processor, and on as many as there are.
fn check(workspace: &Workspace) -> anyhow::Result<()> {
    let run = |jobs: Option<&str>| {
        let mut command = binary::command();
        command.args(["check", "--exit-zero", "--statistics", "--quiet"]).arg(&workspace.folder);
        command.args(jobs.into_iter().flat_map(|it| ["--jobs", it]));
        command
    };
    let one = timed(&mut run(Some("1")))?;
    let started = Instant::now();
    let ended = peak::run(run(None));
    let all = started.elapsed().as_secs_f64() * 1e3;
    anyhow::ensure!(ended.output.status.success(), "the check failed");
    report(&json!({
        "bench": "check", "bytes": workspace.bytes, "one_ms": one, "all_ms": all, "peak": ended.peak,
    }))
}

fn build(folder: &Path, workspace: &Workspace) -> anyhow::Result<()> {
    let run = || timed(&mut timed_build::command(folder, &workspace.folder));
    let one = {
        let other = tempfile::tempdir_in(folder)?;
        timed(timed_build::command(other.path(), &workspace.folder).args(["--jobs", "1"]))?
    };
    let cold = run()?;
    // The first one after that records what was too young to be trusted.
    run()?;
    let unchanged = (0..RUNS).map(|_| run()).collect::<anyhow::Result<Vec<_>>>()?;
    let edited = (0..RUNS)
        .map(|round| {
            workspace.edit(round)?;
            run()
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let watched = timed_build::watched(
        &mut timed_build::command(folder, &workspace.folder),
        RUNS..3 * RUNS,
        |round| workspace.edit(round),
    )?;
    report(&json!({
        "bench": "build", "bytes": workspace.bytes, "one_ms": one, "cold_ms": cold,
        "unchanged_ms": summary(unchanged), "edited_ms": summary(edited),
        "watched_ms": summary(watched.builds), "saved_ms": summary(watched.saves),
    }))
}

/// Processor seconds of a process so far; none where the system does not tell.
fn processor_seconds(process: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name, which may have blanks: the state is the first word, the times are the 12th and 13th.
    let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = words.get(11)?.parse::<u64>().ok()? + words.get(12)?.parse::<u64>().ok()?;
    Some(ticks as f64 / 100.0)
}

/// Asks for the hints of the whole document after each of some keys: milliseconds.
fn hints(server: &mut Server, document: &mut Document, keys: usize) -> anyhow::Result<Vec<f64>> {
    let failed = |it: tests::lsp::ResponseError| anyhow::anyhow!("{}", it.message);
    let place = document.text().find("float32(").context("no number")? + "float32(".len();
    let mut times = Vec::new();
    for key in 0..keys {
        let change = document.replace(place, place + 1, &((key % 9) + 1).to_string());
        let asked = document.over_all();
        let started = Instant::now();
        server.change(change);
        server.request("textDocument/inlayHint", asked).map_err(failed)?;
        times.push(started.elapsed().as_secs_f64() * 1e3);
        thread::sleep(Duration::from_millis(50));
    }
    Ok(times)
}

fn server(workspace: &Workspace) -> anyhow::Result<()> {
    let failed = |it: tests::lsp::ResponseError| anyhow::anyhow!("{}", it.message);
    let path = workspace.path(workspace.file(3));
    let uri = format!("file://{}", path.display());
    let text = fs::read_to_string(&path)?;
    // What a server takes that has nothing to read.
    let nothing = tempfile::tempdir()?;
    let mut plain = Server::start(nothing.path());
    plain.open(&Document::new(&*uri, &*text));
    thread::sleep(Duration::from_millis(500));
    let before = Metrics::of(plain.process());
    let calm = hints(&mut plain, &mut Document::new(&*uri, &*text), 40)?;
    drop(plain);
    let mut document = Document::new(&*uri, &*text);
    let started = Instant::now();
    let mut server = Server::spawn(&workspace.folder);
    server.initialize(usual_capabilities(), &workspace.folder).map_err(failed)?;
    server.open(&document);
    server.request("textDocument/inlayHint", document.over_all()).map_err(failed)?;
    let first = started.elapsed().as_secs_f64() * 1e3;
    let busy = hints(&mut server, &mut document, 40)?;
    let used = |server: &Server| processor_seconds(server.process()).unwrap_or(0.0);
    // It has read everything when it takes no time any more.
    let settled = |server: &Server| {
        let mut last = used(server);
        loop {
            thread::sleep(Duration::from_millis(500));
            let now = used(server);
            if now - last < 0.02 {
                return now;
            }
            last = now;
        }
    };
    let indexed = settled(&server);
    let wall = started.elapsed().as_secs_f64() - 0.5;
    let rest = hints(&mut server, &mut document, 40)?;
    thread::sleep(Duration::from_secs(1));
    let before_idle = used(&server);
    thread::sleep(IDLE);
    let idle = used(&server) - before_idle;
    let after = Metrics::of(server.process());
    // A hover asks what is the same elsewhere: then the functions of closed files are read as well.
    let asked = used(&server);
    let place = document.text().find("float32(").context("no number")?;
    server.request("textDocument/hover", document.at(place)).map_err(failed)?;
    let places = settled(&server) - asked;
    let with_places = Metrics::of(server.process());
    let mut others_bytes = 0;
    for round in 10..10 + OPEN {
        let path = workspace.path(workspace.file(round));
        let text = fs::read_to_string(&path)?;
        others_bytes += text.len();
        let document = Document::new(format!("file://{}", path.display()), text);
        server.open(&document);
        server.request("textDocument/inlayHint", document.over_all()).map_err(failed)?;
    }
    settled(&server);
    let with_others = Metrics::of(server.process());
    let anonymous = |it: Option<Metrics>| it.map(|it| 1024 * it.anonymous);
    report(&json!({
        "bench": "server", "bytes": workspace.bytes, "functions": workspace.files * SIZE,
        "open_bytes": text.len(), "first_hint_ms": first,
        "calm_ms": summary(calm), "indexing_ms": summary(busy), "indexed_ms": summary(rest),
        "index_wall_s": wall, "index_cpu_s": indexed, "idle_cpu_percent": 100.0 * idle / IDLE.as_secs_f64(),
        "memory_empty": anonymous(before), "memory_indexed": anonymous(after),
        "places_cpu_s": places, "memory_places": anonymous(with_places),
        "others_bytes": others_bytes, "memory_others": anonymous(with_others),
    }))
}
