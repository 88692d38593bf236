//! Key press to hints, through the real server (`tests/benches/latency.rs`); in one large function of MLIR beside
//! `mlir-lsp-server`.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::Context as _;
use serde_json::Value;

use super::figures::{Figure, Figures};
use super::{memory::release_binary, number};
use crate::conformance::mlir::mlir_opt;
use crate::process;
use crate::skip::Skip;
use crate::workspace::{Workspace, complain};

pub(super) fn run(ws: &Workspace, corpus: &Path) -> anyhow::Result<Figures> {
    let mut figures = Figures::of("latency");
    let binary = release_binary(ws)?;
    let mut command = ws.cargo();
    command
        .args(["bench", "--quiet", "--package", "tests", "--bench", "latency", "--"])
        .arg(corpus)
        .env("TIR_ANALYZER_BIN", binary);
    match mlir_lsp_server() {
        Ok(program) => {
            command.env("MLIR_LSP_SERVER", program);
        }
        Err(skip) => complain(format_args!("{skip}")),
    }
    let output = command.stderr(Stdio::inherit()).output().context("cannot run cargo bench")?;
    anyhow::ensure!(output.status.success(), "the latency benchmark failed");
    for line in String::from_utf8_lossy(&output.stdout).lines().filter(|it| it.starts_with('{')) {
        let line: Value = serde_json::from_str(line)?;
        figures.tell(match line["bench"].as_str() {
            Some("latency") => alone(&line),
            Some("latency beside the peer") => beside_peer(&line),
            Some("cancelling") => cancelling(&line),
            other => {
                anyhow::bail!("the latency benchmark tells of {other:?}, which has no form here")
            }
        });
    }
    Ok(figures)
}

fn alone(line: &Value) -> Figure {
    Figure::new(
        format!(
            "key to hints, {} ({:.0} KB), function of {:.1} KB with {} hints",
            line["scenario"].as_str().unwrap_or_default(),
            number(line, "file_bytes") / 1e3,
            number(line, "function_bytes") / 1e3,
            line["hints"]
        ),
        format!(
            "p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms",
            number(line, "p50_ms"),
            number(line, "p99_ms"),
            number(line, "max_ms")
        ),
    )
}

fn cancelling(line: &Value) -> Figure {
    Figure::new(
        format!(
            "work after a request is cancelled, {}",
            line["scenario"].as_str().unwrap_or_default()
        ),
        format!(
            "at most {:.1} ms of the processor at {} moments, of {:.1} ms for the whole",
            number(line, "worst_ms"),
            line["cancelled"],
            number(line, "whole_ms")
        ),
    )
}

/// The server that is installed beside `mlir-opt`.
fn mlir_lsp_server() -> Result<PathBuf, Skip> {
    let opt = mlir_opt()?;
    let program = opt.canonicalize().unwrap_or(opt).with_file_name("mlir-lsp-server");
    match process::exists(&program.to_string_lossy(), "--help") {
        true => Ok(program),
        false => Err(Skip::new("mlir-lsp-server", "it is not there beside mlir-opt")),
    }
}

fn beside_peer(line: &Value) -> Figure {
    let of = |key: &str| number(line, key);
    let figure = Figure::new(
        format!(
            "key to hints on the screen and diagnostics, {} ({:.1} MB)",
            line["scenario"].as_str().unwrap_or_default(),
            of("file_bytes") / 1e6
        ),
        format!(
            "p50 {:.1} ms, p99 {:.1} ms (the hints alone p50 {:.1} ms, p99 {:.1} ms)",
            of("p50_ms"),
            of("p99_ms"),
            of("hints_p50_ms"),
            of("hints_p99_ms")
        ),
    );
    if !line["peer_p50_ms"].is_number() {
        return figure;
    }
    let (p50, p99) = (of("peer_p50_ms"), of("peer_p99_ms"));
    figure.beside(
        format!("mlir-lsp-server to its diagnostics p50 {p50:.1} ms, p99 {p99:.1} ms"),
        &[p50 / of("p50_ms"), p99 / of("p99_ms")],
    )
}
