//! A workspace of many kernels (`tests/benches/scale.rs`): figures beside the aims, and TVM's compile of a sample.

use std::process::Stdio;

use anyhow::Context as _;
use serde_json::Value;

use super::figures::{Figure, Figures};
use super::kernels::TVM_SCRIPT;
use super::{ask, memory::release_binary, number};
use crate::conformance::peer::TVM_PACKAGES;
use crate::venv::Venv;
use crate::workspace::{Workspace, complain};

/// Runs the benchmark, and the peer on a sample of its files.
pub(super) fn run(ws: &Workspace, files: usize, has_peer: bool) -> anyhow::Result<Figures> {
    let mut figures = Figures::of("scale");
    let binary = match std::env::var_os("TIR_ANALYZER_BIN") {
        Some(given) => given.into(),
        None => release_binary(ws)?,
    };
    let output = ws
        .cargo()
        .args(["bench", "--quiet", "--package", "tests", "--bench", "scale", "--"])
        .arg(files.to_string())
        .env("TIR_ANALYZER_BIN", binary)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo bench")?;
    anyhow::ensure!(output.status.success(), "the benchmark failed");
    let mut sample = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|it| it.starts_with('{')) {
        let line: Value = serde_json::from_str(line)?;
        let texts = line["sample"].as_array().into_iter().flatten().filter_map(Value::as_str);
        sample.extend(texts.map(str::to_owned));
        tell(&line, &mut figures);
    }
    if has_peer {
        peer(ws, &sample, &mut figures)?;
    }
    Ok(figures)
}

/// TVM's way from text to CUDA, on some files of the workspace.
fn peer(ws: &Workspace, sample: &[String], figures: &mut Figures) -> anyhow::Result<()> {
    let venv = match Venv::with_packages(ws, "tvm", TVM_PACKAGES) {
        Ok(venv) => venv,
        Err(skip) => {
            complain(format_args!("skipped: {skip}"));
            return Ok(());
        }
    };
    let folder = tempfile::tempdir()?;
    let mut names = Vec::new();
    for (at, text) in sample.iter().enumerate() {
        let path = folder.path().join(format!("{at}.py"));
        // TVM's reader of texts has the names that a program imports, and refuses the imports.
        std::fs::write(&path, text.replace("from tvm.script import", "# from tvm.script import"))?;
        names.push(path.display().to_string());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (mut seconds, mut n) = (0.0, 0.0);
    for line in ask(ws, &venv, "tvm_cuda_bench.py", TVM_SCRIPT, &names)? {
        let Some(it) = line["seconds"].as_f64() else { continue };
        seconds += it;
        n += number(&line, "kernels");
    }
    anyhow::ensure!(n > 0.0, "TVM has read none of the files");
    figures.tell(Figure::new(
        "TVM, text to CUDA of a sample of such files",
        format!("{n} kernels in {seconds:.2} s of one processor, {:.0} kernels/s", n / seconds),
    ));
    Ok(())
}

fn tell(line: &Value, figures: &mut Figures) {
    let of = |key: &str| number(line, key);
    let best = |key: &str| number(&line[key], "best");
    let median = |key: &str| number(&line[key], "median");
    let rate = |key: &str| of("bytes") / 1e3 / of(key);
    let mut tell = |what: &str, ours: String| figures.tell(Figure::new(what, ours));
    match line["bench"].as_str() {
        Some("scale") => tell(
            "workspace",
            format!(
                "{} files, {} functions, {:.1} MB",
                line["files"],
                line["functions"],
                of("bytes") / 1e6
            ),
        ),
        Some("check") => tell(
            "check from nothing",
            format!(
                "{:.2} s on one processor ({:.1} MB/s), {:.2} s on all; {:.0} MB of memory",
                of("one_ms") / 1e3,
                rate("one_ms"),
                of("all_ms") / 1e3,
                of("peak") / 1e6
            ),
        ),
        Some("build") => {
            tell(
                "build",
                format!(
                    "from nothing {:.2} s on one processor ({:.1} MB/s), {:.2} s on all; unchanged, a cold process: \
                     {:.0} ms (median {:.0}; aim 1,000)",
                    of("one_ms") / 1e3,
                    rate("one_ms"),
                    of("cold_ms") / 1e3,
                    best("unchanged_ms"),
                    median("unchanged_ms")
                ),
            );
            tell(
                "build after one edit",
                format!(
                    "a cold process {:.0} ms (median {:.0}; aim 50); watching {:.1} ms (median {:.1}; aim 10), {:.1} ms \
                     from the save (median {:.1})",
                    best("edited_ms"),
                    median("edited_ms"),
                    best("watched_ms"),
                    median("watched_ms"),
                    best("saved_ms"),
                    median("saved_ms")
                ),
            );
        }
        _ => {
            let grown = of("memory_indexed") - of("memory_empty");
            let grown_places = of("memory_places") - of("memory_empty");
            tell(
                "server",
                format!(
                    "first hint after {:.0} ms; indexed in {:.1} s, {:.1} s of the processor ({:.1} MB/s; aim 50); idle \
                     {:.2} % of a processor",
                    of("first_hint_ms"),
                    of("index_wall_s"),
                    of("index_cpu_s"),
                    of("bytes") / 1e6 / of("index_cpu_s"),
                    of("idle_cpu_percent")
                ),
            );
            tell(
                "server, memory",
                format!(
                    "{:.0} MB, {:.0} more than without a workspace: {:.0} bytes a function (aim 200)",
                    of("memory_indexed") / 1e6,
                    grown / 1e6,
                    grown / of("functions")
                ),
            );
            tell(
                "server, key to hints",
                format!(
                    "{:.1} ms without a workspace, {:.1} while indexing, {:.1} after (medians)",
                    median("calm_ms"),
                    median("indexing_ms"),
                    median("indexed_ms")
                ),
            );
            tell(
                "server, once a hover has asked what is elsewhere",
                format!(
                    "the functions read in {:.1} s of the processor ({:.1} MB/s); {:.0} bytes a function (aim 200)",
                    of("places_cpu_s"),
                    of("bytes") / 1e6 / of("places_cpu_s"),
                    grown_places / of("functions")
                ),
            );
            let open = of("memory_others") - of("memory_places");
            tell(
                "server, other texts opened as well, with hints",
                format!(
                    "{:.1} KB of text, {:.1} KB of memory, {:.1} times the text (aim 3)",
                    of("others_bytes") / 1e3,
                    open / 1e3,
                    open / of("others_bytes")
                ),
            );
        }
    }
}
