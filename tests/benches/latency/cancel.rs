//! The cost of a request after it is cancelled: one function of 100,000 lines, each request at many moments.
//!
//! A server is started for each moment, so that all is made for the first time. Counted is the time of the processor
//! that the threads for requests take from the cancellation on until they rest, as Linux tells it: another load of the
//! machine does not count. Background work is on a thread of its own, and goes on.

use std::{
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use test_utils::operations::{Shape, mlir};
use tests::{document::Document, lsp::Server};

const LINES: usize = 100_000;
/// Moments at which a request is cancelled, evenly spread over the time that it takes.
const MOMENTS: u32 = 20;
/// Threads that sleep in so many looks rest.
const QUIET: usize = 8;

/// A line for each request. None where the system does not tell about threads.
pub(crate) fn measure() -> anyhow::Result<Vec<Value>> {
    let mut lines = Vec::new();
    if !cfg!(target_os = "linux") {
        return Ok(lines);
    }
    let texts = [
        ("MLIR", Document::new("file:///bench.mlir", mlir(Shape::Flat, LINES))),
        ("TVMScript", Document::new("file:///bench.py", statements(LINES))),
    ];
    for (language, document) in &texts {
        for (what, method) in [
            ("hints on the screen", "textDocument/inlayHint"),
            ("all hints", "textDocument/inlayHint"),
            ("diagnostics", "textDocument/diagnostic"),
            ("tokens", "textDocument/semanticTokens/full"),
            ("actions", "textDocument/codeAction"),
            ("hover", "textDocument/hover"),
            ("symbols", "textDocument/documentSymbol"),
        ] {
            let params = params_of(what, document);
            lines.push(of_request(language, what, document, method, &params)?);
        }
    }
    Ok(lines)
}

/// One function of so many statements.
fn statements(n: usize) -> String {
    let mut text = String::from(
        "from tvm.script import tirx as T\n\n\n@T.prim_func\n\
         def f(A: T.Buffer((1024,), \"int32\"), B: T.Buffer((1024,), \"int32\"), n: T.int32):\n",
    );
    for it in 0..n {
        let (a, b, c) = (it % 97, it % 13, it % 31);
        text.push_str(&format!("    A[n * {a} + {b}] = B[n * {a} + {it}] + n * {c}\n"));
    }
    text
}

fn params_of(what: &str, document: &Document) -> Value {
    let middle = document.text().len() / 2;
    let mut params = match what {
        "all hints" | "tokens" => document.over_all(),
        _ => document.over(middle, middle + 2_000),
    };
    params["position"] = params["range"]["start"].clone();
    params["context"] = json!({ "diagnostics": [] });
    params
}

fn of_request(
    language: &str,
    what: &str,
    document: &Document,
    method: &str,
    params: &Value,
) -> anyhow::Result<Value> {
    let dir = tempfile::tempdir()?;
    let opened = || {
        let mut server = Server::start(dir.path());
        server.open(document);
        // Its tree is there when another request is answered.
        let nowhere = json!({ "textDocument": { "uri": "file:///nowhere" } });
        let _ = server.request("textDocument/foldingRange", nowhere);
        server
    };
    let mut server = opened();
    let begin = Instant::now();
    let _ = server.request(method, params.clone());
    let whole = begin.elapsed();
    let (mut worst, mut n_cancelled) = (0.0_f64, 0);
    for moment in 0..MOMENTS {
        let mut server = opened();
        let id = server.send(method, params.clone());
        std::thread::sleep(whole * (2 * moment + 1) / (2 * MOMENTS));
        let before = processor_ms(server.process());
        server.cancel(id);
        // One that was answered already has nothing to give up.
        n_cancelled += u32::from(server.wait_for(id).is_err());
        rest(server.process());
        worst = worst.max(processor_ms(server.process()) - before);
    }
    Ok(json!({
        "bench": "cancelling", "scenario": format!("{language}, {LINES} lines: {what}"),
        "whole_ms": whole.as_secs_f64() * 1e3, "cancelled": n_cancelled, "worst_ms": worst,
    }))
}

/// The folders of the threads for requests.
fn threads(process: u32) -> Vec<PathBuf> {
    let all = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let is_request = |it: &PathBuf| {
        fs::read_to_string(it.join("comm")).is_ok_and(|it| it.trim_end() == "request")
    };
    all.map(|it| it.path()).filter(is_request).collect()
}

/// The time that they took so far.
fn processor_ms(process: u32) -> f64 {
    let taken = |it: PathBuf| -> Option<f64> {
        let text = fs::read_to_string(it.join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse().ok()
    };
    threads(process).into_iter().filter_map(taken).sum::<f64>() / 1e6
}

/// Waits until they sleep.
fn rest(process: u32) {
    let runs = |it: &PathBuf| {
        let text = fs::read_to_string(it.join("stat")).unwrap_or_default();
        text.rsplit(')').next().is_some_and(|it| it.trim_start().starts_with(['R', 'D']))
    };
    let mut quiet = 0;
    while quiet < QUIET {
        quiet = if threads(process).iter().any(runs) { 0 } else { quiet + 1 };
        std::thread::sleep(Duration::from_micros(200));
    }
}
