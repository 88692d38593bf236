//! `tir-analyzer build`: edits, unchanged workspaces, and the way from text to CUDA (`tests/benches/kernels.rs`).

use std::path::Path;
use std::process::Stdio;

use anyhow::Context as _;
use serde_json::Value;

use super::{memory::release_binary, number};
use crate::workspace::{Workspace, say};

pub(super) fn run(ws: &Workspace, corpus: &Path) -> anyhow::Result<()> {
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
        show(&serde_json::from_str(line)?);
    }
    Ok(())
}

fn show(line: &Value) {
    let best = |key: &str| number(&line[key], "best");
    let median = |key: &str| number(&line[key], "median");
    let rate = |ms: f64| number(line, "bytes") / 1e3 / ms;
    match line["bench"].as_str() {
        Some("workspace") => {
            say(format_args!(
                "build, {} functions in {} files ({:.1} MB): from nothing {:.0} ms; unchanged, a cold process \
                 {:.1} ms (median {:.1}), {:.0} MB/s",
                line["functions"],
                line["files"],
                number(line, "bytes") / 1e6,
                number(line, "cold_ms"),
                best("unchanged_ms"),
                median("unchanged_ms"),
                rate(best("unchanged_ms"))
            ));
            say(format_args!(
                "build after one edit: a cold process {:.1} ms (median {:.1}), watching {:.1} ms (median {:.1})",
                best("edited_ms"),
                median("edited_ms"),
                best("watched_ms"),
                median("watched_ms")
            ));
        }
        Some("corpus") => say(format_args!(
            "build of the lowered corpus ({:.1} MB): from nothing {:.0} ms; unchanged, a cold process {:.1} ms, {:.0} MB/s",
            number(line, "bytes") / 1e6,
            number(line, "cold_ms"),
            best("unchanged_ms"),
            rate(best("unchanged_ms"))
        )),
        _ => say(format_args!(
            "text to CUDA, one thread: {} functions, {:.1} MB in {:.0} ms",
            line["functions"],
            number(line, "bytes") / 1e6,
            number(line, "seconds") * 1e3
        )),
    }
}
