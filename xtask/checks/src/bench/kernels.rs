//! `tir-analyzer build`: edits, unchanged workspaces, and the way from text to CUDA (`tests/benches/kernels.rs`), the
//! last beside TVM's.
//!
//! The peer runs on every N-th file, and the sums are over the files that both build: it needs minutes where we need
//! milliseconds.

use std::path::Path;
use std::process::Stdio;

use anyhow::Context as _;
use serde_json::Value;

use super::figures::{Figure, Figures};
use super::{ask, memory::release_binary, number};
use crate::conformance::peer::TVM_PACKAGES;
use crate::venv::Venv;
use crate::workspace::{Workspace, complain};

pub(super) const TVM_SCRIPT: &str = include_str!("tvm_cuda_bench.py");

/// Runs the benchmark, and the peer on every N-th file.
pub(super) fn run(ws: &Workspace, corpus: &Path, every: Option<usize>) -> anyhow::Result<Figures> {
    let mut figures = Figures::of("kernels");
    let binary = release_binary(ws)?;
    let output = ws
        .cargo()
        .args(["bench", "--quiet", "--package", "tests", "--bench", "kernels", "--"])
        .arg(corpus)
        .env("TIR_ANALYZER_BIN", binary)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo bench")?;
    anyhow::ensure!(output.status.success(), "the benchmark of builds failed");
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|it| it.starts_with('{')) {
        let line: Value = serde_json::from_str(line)?;
        tell(&line, &mut figures);
        if let (Some("generate"), Some(every)) = (line["bench"].as_str(), every) {
            peer(ws, &line, every.max(1), &mut figures)?;
        }
    }
    Ok(figures)
}

/// The peer's way to CUDA on the same files.
fn peer(ws: &Workspace, ours: &Value, every: usize, figures: &mut Figures) -> anyhow::Result<()> {
    let venv = match Venv::with_packages(ws, "tvm", TVM_PACKAGES) {
        Ok(venv) => venv,
        Err(skip) => {
            complain(format_args!("skipped: {skip}"));
            return Ok(());
        }
    };
    let paths = ours["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let seconds = ours["file_seconds"].as_array().into_iter().flatten().filter_map(Value::as_f64);
    let files: Vec<(&str, f64)> = paths.zip(seconds).step_by(every).collect();
    let names: Vec<&str> = files.iter().map(|it| it.0).collect();
    let (mut theirs, mut parse, mut same, mut n_files, mut kernels) = (0.0, 0.0, 0.0, 0, 0.0);
    for line in ask(ws, &venv, "tvm_cuda_bench.py", TVM_SCRIPT, &names)? {
        let Some(seconds) = line["seconds"].as_f64() else { continue };
        theirs += seconds;
        parse += number(&line, "parse");
        kernels += number(&line, "kernels");
        same += files.iter().find(|it| line["path"] == *it.0).map_or(0.0, |it| it.1);
        n_files += 1;
    }
    let what = format!("text to CUDA, the {n_files} of {} files that TVM builds", files.len());
    figures.tell(Figure::new(what, format!("{:.0} ms", same * 1e3)).beside(
        format!("TVM from_source {parse:.1} s, all {theirs:.1} s, {kernels} kernels"),
        &[theirs / same],
    ));
    Ok(())
}

fn tell(line: &Value, figures: &mut Figures) {
    let of = |key: &str| number(line, key);
    let best = |key: &str| number(&line[key], "best");
    let median = |key: &str| number(&line[key], "median");
    let rate = |ms: f64| of("bytes") / 1e3 / ms;
    let megabytes = of("bytes") / 1e6;
    match line["bench"].as_str() {
        Some("workspace") => {
            let (functions, files) = (&line["functions"], &line["files"]);
            figures.tell(Figure::new(
                format!("build, {functions} functions in {files} files ({megabytes:.1} MB)"),
                format!(
                    "from nothing {:.0} ms; unchanged, a cold process {:.1} ms (median {:.1}), {:.0} MB/s",
                    of("cold_ms"),
                    best("unchanged_ms"),
                    median("unchanged_ms"),
                    rate(best("unchanged_ms"))
                ),
            ));
            figures.tell(Figure::new(
                "build after one edit",
                format!(
                    "a cold process {:.1} ms (median {:.1}), watching {:.1} ms (median {:.1})",
                    best("edited_ms"),
                    median("edited_ms"),
                    best("watched_ms"),
                    median("watched_ms")
                ),
            ));
        }
        Some("corpus") => figures.tell(Figure::new(
            format!("build of the lowered corpus ({megabytes:.1} MB)"),
            format!(
                "from nothing {:.0} ms; unchanged, a cold process {:.1} ms, {:.0} MB/s",
                of("cold_ms"),
                best("unchanged_ms"),
                rate(best("unchanged_ms"))
            ),
        )),
        _ => figures.tell(Figure::new(
            format!(
                "text to CUDA, one thread, {}: {} functions, {megabytes:.1} MB",
                line["folder"].as_str().unwrap_or_default(),
                line["functions"]
            ),
            format!("{:.0} ms", of("seconds") * 1e3),
        )),
    }
}
