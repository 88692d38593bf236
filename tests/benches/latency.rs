//! From a key press to fresh hints, through the real server over pipes: one JSON object a line on standard output.
//!
//! Each scenario opens a file and types one character over a digit inside one function, again and again at different
//! places; the time is from sending the change to having the hints of that function. The client's own bookkeeping is
//! done before the clock starts. So in a workspace of many files, for edits of what a kernel takes from around it
//! (`latency/workspace.rs`). In one large function of MLIR the hints are those that an editor shows, and the
//! diagnostics of the file are waited for as well; `mlir-lsp-server`, where `MLIR_LSP_SERVER` names it, gets each of
//! the same changes right after, and is waited for until its diagnostics are there. What a cancelled request still
//! costs is in `latency/cancel.rs`. `cargo xtask bench` builds the server in release mode and names it in
//! `TIR_ANALYZER_BIN`.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::Context as _;
use serde_json::{Value, json};
use test_utils::operations::{Shape, mlir};
use tests::{
    document::Document,
    figures::report,
    lsp::{Server, usual_capabilities},
};

#[path = "latency/cancel.rs"]
mod cancel;
#[path = "latency/workspace.rs"]
mod workspace;

const KEYS: usize = 300;
/// In a function so large that each takes the peer a good part of a second.
const LARGE_KEYS: usize = 60;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let corpus = args.first().map_or_else(|| PathBuf::from("corpus"), PathBuf::from);
    for scenario in scenarios(&corpus)?.into_iter().chain(of_mlir()).chain([of_tilelang()]) {
        report(&measure(&scenario).with_context(|| format!("in scenario {}", scenario.name))?)?;
    }
    for line in workspace::measure().context("in a workspace of many files")? {
        report(&line)?;
    }
    for line in cancel::measure().context("in cancelling")? {
        report(&line)?;
    }
    for (name, text) in large_functions() {
        report(&measure_beside_peer(name, &text).with_context(|| format!("in scenario {name}"))?)?;
    }
    Ok(())
}

/// Functions of 100,000 lines.
fn large_functions() -> [(&'static str, String); 2] {
    [
        ("one function of 100,000 lines, chained", mlir_function("f", 25_000)),
        ("one function of 100,000 lines, flat", mlir(Shape::Flat, 100_000)),
    ]
}

/// The number of bytes around the cursor that are on the screen.
const SCREEN: usize = 2_000;

/// Types one operation over another in the middle of the only function, again and again at different places, here and
/// in the peer.
fn measure_beside_peer(name: &str, text: &str) -> anyhow::Result<Value> {
    let dir = tempfile::tempdir()?;
    let mut document = Document::new("file:///bench.mlir", text);
    let places: Vec<usize> = text.match_indices("arith.addi").map(|(at, _)| at + 6).collect();
    anyhow::ensure!(places.len() > KEYS, "the function has too few additions");
    let mut ours = Server::start(dir.path());
    ours.open(&document);
    let screen = |document: &Document, at: usize| document.over(at - SCREEN, at + SCREEN);
    let diagnostics = |document: &Document| json!({ "textDocument": document.identifier() });
    let failed = |it: tests::lsp::ResponseError| anyhow::anyhow!("{}", it.message);
    ours.request("textDocument/diagnostic", diagnostics(&document)).map_err(failed)?;
    let mut peer = match std::env::var_os("MLIR_LSP_SERVER") {
        Some(program) => {
            let mut peer = Server::spawn_program(Command::new(program), dir.path());
            peer.initialize(usual_capabilities(), dir.path()).map_err(failed)?;
            peer.open(&document);
            peer.published_diagnostics(document.version());
            Some(peer)
        }
        None => None,
    };
    let (mut hint_times, mut times, mut peer_times) =
        (Times::default(), Times::default(), Times::default());
    let mut n_hints = 0;
    for key in 0..LARGE_KEYS {
        let at = places[places.len() / 4 + (key * 7919) % (places.len() / 2)];
        let new = if document.text()[at..].starts_with("addi") { "muli" } else { "addi" };
        let change = document.replace(at, at + 4, new);
        let (hints, whole) = (screen(&document, at), diagnostics(&document));
        let start = Instant::now();
        ours.change(change);
        let asked = ours.send("textDocument/inlayHint", hints);
        let also = ours.send("textDocument/diagnostic", whole);
        let hints = ours.wait_for(asked).map_err(failed)?;
        hint_times.push(start);
        ours.wait_for(also).map_err(failed)?;
        times.push(start);
        n_hints = hints.as_array().map_or(0, Vec::len);
        if let Some(peer) = &mut peer {
            // It takes whole texts only.
            let change = document.whole_change();
            let start = Instant::now();
            peer.change(change);
            peer.published_diagnostics(document.version());
            peer_times.push(start);
        }
    }
    Ok(json!({
        "bench": "latency beside the peer", "scenario": name, "file_bytes": text.len(), "hints": n_hints,
        "hints_p50_ms": hint_times.quantile(0.5), "hints_p99_ms": hint_times.quantile(0.99),
        "p50_ms": times.quantile(0.5), "p99_ms": times.quantile(0.99),
        "peer_p50_ms": peer_times.quantile(0.5), "peer_p99_ms": peer_times.quantile(0.99),
    }))
}

/// Milliseconds that something took.
#[derive(Default)]
struct Times(Vec<f64>);

impl Times {
    fn push(&mut self, start: Instant) {
        self.0.push(start.elapsed().as_secs_f64() * 1e3);
    }

    /// None if nothing was measured.
    fn quantile(&self, q: f64) -> Option<f64> {
        let mut times = self.0.clone();
        times.sort_by(f64::total_cmp);
        times.get((times.len().saturating_sub(1) as f64 * q).round() as usize).copied()
    }
}

struct Scenario {
    name: String,
    text: String,
    /// The most bytes that the edited function may have (none: the largest is edited).
    limit: Option<usize>,
    uri: &'static str,
    /// The first lines of a function.
    begin: &'static str,
}

impl Scenario {
    fn new(name: String, text: String, limit: Option<usize>) -> Scenario {
        Scenario { name, text, limit, uri: "file:///bench.py", begin: "@T.prim_func" }
    }
}

/// MLIR: many functions.
fn of_mlir() -> Vec<Scenario> {
    let scenario = |name: &str, text, limit| Scenario {
        uri: "file:///bench.mlir",
        begin: "func.func",
        ..Scenario::new(name.to_owned(), text, limit)
    };
    let mut many = String::from("module {\n");
    for i in 0..5_000 {
        many.push_str(&mlir_function(&format!("f{i}"), 4));
    }
    many.push_str("}\n");
    vec![scenario("MLIR, 100,000 lines in 5,000 functions", many, Some(20_000))]
}

/// TileLang as people write it: a file of some 2,000 lines, a kernel of 40 each.
fn of_tilelang() -> Scenario {
    let mut text = String::from("import tilelang.language as T\n");
    for number in 0..50 {
        text.push_str(&tilelang_kernel(number));
    }
    Scenario {
        uri: "file:///bench_tiles.py",
        ..Scenario::new("TileLang, 2,000 lines".to_owned(), text, Some(20_000))
    }
}

/// A kernel: products of tiles in a pipeline, and elements after it.
fn tilelang_kernel(number: usize) -> String {
    let matrix = "T.Tensor((1024, 1024), \"float16\")";
    let mut text = format!(
        "\n\n@T.prim_func\ndef kernel_{number}(A: {matrix}, B: {matrix}, C: {matrix}):
    with T.Kernel(8, 8, threads=128) as (bx, by):
        A_shared = T.alloc_shared((128, 32), \"float16\")
        B_shared = T.alloc_shared((32, 128), \"float16\")
        C_local = T.alloc_fragment((128, 128), \"float32\")
        largest = T.alloc_fragment((128,), \"float32\")
        T.clear(C_local)
        for k in T.Pipelined(32, num_stages=3):
            T.copy(A[by * 128, k * 32], A_shared)
            T.copy(B[k * 32, bx * 128], B_shared)
            T.gemm(A_shared, B_shared, C_local)
        T.reduce_max(C_local, largest, dim=1)
"
    );
    for step in 2..8 {
        text.push_str(&format!(
            "        for i, j in T.Parallel(128, 128):
            C_local[i, j] = C_local[i, j] * {step} + T.exp2(C_local[i, j] * {step} - largest[i])
        for i in T.Parallel(128):
            if by * 128 + i * {step} < 1024:
                largest[i] = largest[i] * {step} + T.cast(by * 128 + i * {step} , \"float32\")
"
        ));
    }
    text.push_str("        T.copy(C_local, C[by * 128, bx * 128])\n");
    text
}

/// A function of some more than four lines for each of `n` groups; one operation of each group is redundant.
fn mlir_function(name: &str, n: usize) -> String {
    let mut text =
        format!("  func.func @{name}(%a: i32, %m: memref<64xi32>, %i: index) -> i32 {{\n");
    for k in 0..n {
        let last = if k == 0 { "%a".to_owned() } else { format!("%s{}", k - 1) };
        text.push_str(&format!("    %c{k} = arith.constant 7 : i32\n"));
        text.push_str(&format!("    %x{k} = arith.addi {last}, %c{k} : i32\n"));
        text.push_str(&format!("    %y{k} = arith.addi {last}, %c{k} : i32\n"));
        text.push_str(&format!("    %s{k} = arith.muli %x{k}, %y{k} : i32\n"));
    }
    let last = n - 1;
    text.push_str(&format!("    memref.store %s{last}, %m[%i] : memref<64xi32>\n"));
    text.push_str(&format!("    return %s{last} : i32\n  }}\n"));
    text
}

fn scenarios(corpus: &Path) -> anyhow::Result<Vec<Scenario>> {
    let files = lowered_files(corpus)?;
    let mut scenarios = Vec::new();
    if let Some((path, text)) = files.iter().find(|(_, text)| (4_000..7_000).contains(&text.len()))
    {
        scenarios.push(Scenario::new(
            format!("small file {}", name_of(path)),
            text.clone(),
            Some(20_000),
        ));
    }
    let (path, largest) = files.iter().max_by_key(|(_, text)| text.len()).context("no file")?;
    scenarios.push(Scenario::new(
        format!("largest file {}", name_of(path)),
        largest.clone(),
        Some(20_000),
    ));
    scenarios.push(Scenario::new(
        "100,000 lines".to_owned(),
        many_lines(largest, 100_000),
        Some(20_000),
    ));
    let longest = files
        .iter()
        .max_by_key(|(_, text)| functions(text, "@T.prim_func").iter().map(|it| it.1 - it.0).max());
    let (path, text) = longest.context("no file")?;
    scenarios.push(Scenario::new(
        format!("largest function, in {}", name_of(path)),
        text.clone(),
        None,
    ));
    Ok(scenarios)
}

fn name_of(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    format!("{}/{}", folder.display(), path.file_name().unwrap_or_default().display())
}

/// The files of the lowered stages that are text.
fn lowered_files(corpus: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let is_lowered = |path: &PathBuf| {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        ["lowered_cpu", "lowered_cuda"].iter().any(|it| folder == *it)
    };
    let paths = test_utils::python_files(corpus)?.into_iter().filter(is_lowered);
    Ok(paths.filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?))).collect())
}

/// A module of the functions of `text`, repeated until it has `n` lines.
fn many_lines(text: &str, n: usize) -> String {
    let start = text.find("    @T.prim_func").unwrap_or(0);
    let (head, body) = text.split_at(start);
    let mut long = head.to_owned();
    let mut lines = head.matches('\n').count();
    while lines < n {
        long.push_str(body);
        long.push_str("\n\n");
        lines += body.matches('\n').count() + 2;
    }
    long
}

/// Byte ranges of the functions of a printed module.
fn functions(text: &str, begin: &str) -> Vec<(usize, usize)> {
    let starts: Vec<usize> = text.match_indices(begin).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain(std::iter::once(text.len()));
    starts.iter().copied().zip(ends).collect()
}

/// Places inside a function where a digit may become another digit: inside an index, between other digits.
fn digits(text: &str, (start, end): (usize, usize)) -> Vec<usize> {
    let bytes = text.as_bytes();
    let body = text[start..end].find("):").map_or(start, |at| start + at);
    (body + 1..end - 1)
        .filter(|&at| {
            bytes[at].is_ascii_digit()
                && bytes[at - 1] == b' '
                && matches!(bytes[at + 1], b']' | b' ' | b',')
                && bytes[at] != b'0'
        })
        .collect()
}

fn measure(scenario: &Scenario) -> anyhow::Result<Value> {
    let Scenario { name, text, limit, uri, begin } = scenario;
    let limit = *limit;
    let dir = tempfile::tempdir()?;
    let mut server = Server::start(dir.path());
    let mut document = Document::new(*uri, text.as_str());
    let all = functions(text, begin);
    let fits = |range: &&(usize, usize)| limit.is_none_or(|limit| range.1 - range.0 <= limit);
    let has_digits = |range: &&(usize, usize)| !digits(text, **range).is_empty();
    let middle = all.len() / 2;
    let range = *match limit {
        None => all.iter().max_by_key(|it| it.1 - it.0),
        Some(_) => {
            let rest = all[middle..].iter().chain(&all[..middle]);
            rest.filter(fits).filter(has_digits).max_by_key(|it| it.1 - it.0)
        }
    }
    .context("no function to edit")?;
    let places = digits(text, range);
    anyhow::ensure!(!places.is_empty(), "the function has no digit to edit");
    server.open(&document);
    let params = document.over(range.0, range.1 - 1);
    let hints = server
        .request("textDocument/inlayHint", params.clone())
        .map_err(|it| anyhow::anyhow!("{}", it.message))?;
    let mut times = Times::default();
    let n_keys = if limit.is_none() { KEYS / 10 } else { KEYS };
    for key in 0..n_keys {
        let at = places[(key * 7919) % places.len()];
        let digit = char::from(b'2' + (key % 8) as u8).to_string();
        let change = document.replace(at, at + 1, &digit);
        let start = Instant::now();
        server.change(change);
        let answer = server.request("textDocument/inlayHint", params.clone());
        times.push(start);
        answer.map_err(|it| anyhow::anyhow!("{}", it.message))?;
    }
    Ok(json!({
        "bench": "latency", "scenario": name, "file_bytes": text.len(), "function_bytes": range.1 - range.0,
        "hints": hints.as_array().map_or(0, Vec::len), "keys": n_keys, "p50_ms": times.quantile(0.5),
        "p99_ms": times.quantile(0.99), "max_ms": times.quantile(1.0),
    }))
}
