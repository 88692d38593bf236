//! Key press to hints, through the real server (`tests/benches/latency.rs`).

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
        .args(["bench", "--quiet", "--package", "tests", "--bench", "latency", "--"])
        .arg(corpus)
        .env("TIR_ANALYZER_BIN", binary)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo bench")?;
    anyhow::ensure!(output.status.success(), "the latency benchmark failed");
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|it| it.starts_with('{')) {
        let line: Value = serde_json::from_str(line)?;
        say(format_args!(
            "key to hints, {} ({:.0} KB), function of {:.1} KB with {} hints: p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms",
            line["scenario"].as_str().unwrap_or_default(),
            number(&line, "file_bytes") / 1e3,
            number(&line, "function_bytes") / 1e3,
            line["hints"],
            number(&line, "p50_ms"),
            number(&line, "p99_ms"),
            number(&line, "max_ms")
        ));
    }
    Ok(())
}
