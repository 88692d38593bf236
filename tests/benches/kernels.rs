//! The speed of `tir-analyzer build`: one JSON object a line on standard output.
//!
//! In: `TIR_ANALYZER_BIN`, a corpus. Out: builds of a generated workspace of 10,000 functions (from nothing, unchanged,
//! after one edit, after one edit while it watches), an unchanged build of the corpus, and how long one thread needs
//! from the text of the corpus's scheduled and lowered functions to CUDA sources. The best of several runs, and the
//! median.

use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    time::Instant,
};

use codegen::{Options, Target};
use frontend::tvmscript::{self, FunctionKind, Severity};
use serde_json::json;
use tests::{
    figures::{report, summary},
    kernels,
    timed_build::{self, timed},
};

const FILES: usize = 1000;
const SIZE: usize = 10;
const RUNS: usize = 15;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let corpus = args.first().map_or_else(|| PathBuf::from("tests/corpus"), PathBuf::from);
    workspace()?;
    unchanged_corpus(&corpus.join("lowered_cuda"))?;
    ["scheduled_cuda", "lowered_cuda"].iter().try_for_each(|it| generate(&corpus, it))
}

fn workspace() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let sources = folder.path().join("kernels");
    let bytes = kernels::write(&sources, FILES, SIZE)?;
    let run = || timed(&mut timed_build::command(folder.path(), &sources));
    let cold = run()?;
    let unchanged = (0..RUNS).map(|_| run()).collect::<anyhow::Result<Vec<_>>>()?;
    let edit = |round: usize| kernels::edit(&sources, 7 * round % FILES, SIZE, round);
    let edited = (0..RUNS)
        .map(|round| {
            edit(round)?;
            run()
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let mut build = timed_build::command(folder.path(), &sources);
    let watched = timed_build::watched(&mut build, RUNS..2 * RUNS, edit)?;
    report(&json!({
        "bench": "workspace", "functions": FILES * SIZE, "files": FILES, "bytes": bytes,
        "cold_ms": cold, "unchanged_ms": summary(unchanged), "edited_ms": summary(edited),
        "watched_ms": summary(watched.builds),
    }))
}

fn unchanged_corpus(corpus: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut bytes = 0;
    for path in test_utils::python_files(corpus)? {
        bytes += path.metadata()?.len();
    }
    let run = || timed(&mut timed_build::command(folder.path(), corpus));
    let cold = run()?;
    let unchanged = (0..RUNS).map(|_| run()).collect::<anyhow::Result<Vec<_>>>()?;
    report(&json!({
        "bench": "corpus", "bytes": bytes, "cold_ms": cold, "unchanged_ms": summary(unchanged),
    }))
}

/// From text to CUDA sources, in this thread.
fn generate(corpus: &Path, stage: &str) -> anyhow::Result<()> {
    let mut files = Vec::new();
    for path in test_utils::python_files(&corpus.join(stage))? {
        files.push((path.clone(), fs::read_to_string(&path)?));
    }
    let options = Options::default();
    let mut seconds = Vec::new();
    let mut functions = 0;
    for (_, text) in &files {
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let started = Instant::now();
            let parse = syntax::parse(text);
            let all = tvmscript::functions(&parse);
            let mut written = 0;
            for item in &all.functions {
                if item.source.kind != FunctionKind::PrimFunc {
                    continue;
                }
                let lowered = tvmscript::lower(&item.source, &all.environment(item));
                if lowered.diagnostics.iter().any(|it| it.severity == Severity::Error) {
                    continue;
                }
                let code = codegen::device_code(&lowered.body, Target::Cuda, &options);
                written += usize::from(black_box(code).is_ok_and(|it| !it.is_empty()));
            }
            if best == f64::INFINITY {
                functions += written;
            }
            best = best.min(started.elapsed().as_secs_f64());
        }
        seconds.push(best);
    }
    report(&json!({
        "bench": "generate", "folder": stage, "functions": functions, "seconds": seconds.iter().sum::<f64>(),
        "bytes": files.iter().map(|it| it.1.len()).sum::<usize>(),
        "files": files.iter().map(|it| it.0.display().to_string()).collect::<Vec<_>>(),
        "file_seconds": seconds,
    }))
}
