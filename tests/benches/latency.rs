//! From a key press to fresh hints, through the real server over pipes: one JSON object a line on standard output.
//!
//! Each scenario opens a file and types one character over a digit inside one function, again and again at different
//! places; the time is from sending the change to having the hints of that function. The client's own bookkeeping is
//! done before the clock starts. `cargo xtask bench` builds the server in release mode and names it in
//! `TIR_ANALYZER_BIN`.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Context as _;
use serde_json::{Value, json};
use tests::{document::Document, lsp::Server};

const KEYS: usize = 300;

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let corpus = args.first().map_or_else(|| PathBuf::from("corpus"), PathBuf::from);
    for scenario in scenarios(&corpus)?.into_iter().chain(of_mlir()) {
        let line = measure(&scenario).with_context(|| format!("in scenario {}", scenario.name))?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "{line}")?;
        out.flush()?;
    }
    Ok(())
}

struct Scenario {
    name: String,
    text: String,
    /// The most bytes that the edited function may have (none: the largest is edited).
    limit: Option<usize>,
    uri: &'static str,
    /// What a function begins with.
    begin: &'static str,
}

impl Scenario {
    fn new(name: String, text: String, limit: Option<usize>) -> Scenario {
        Scenario { name, text, limit, uri: "file:///bench.py", begin: "@T.prim_func" }
    }
}

/// MLIR: many functions, and one large one.
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
    vec![
        scenario("MLIR, 100,000 lines in 5,000 functions", many, Some(20_000)),
        scenario("MLIR, one function of 100,000 lines", mlir_function("f", 25_000), None),
    ]
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
    let mut times = Vec::with_capacity(KEYS);
    let n_keys = if limit.is_none() { KEYS / 10 } else { KEYS };
    for key in 0..n_keys {
        let at = places[(key * 7919) % places.len()];
        let digit = char::from(b'2' + (key % 8) as u8).to_string();
        let change = document.replace(at, at + 1, &digit);
        let start = Instant::now();
        server.change(change);
        let answer = server.request("textDocument/inlayHint", params.clone());
        times.push(start.elapsed().as_secs_f64() * 1e3);
        answer.map_err(|it| anyhow::anyhow!("{}", it.message))?;
    }
    times.sort_by(f64::total_cmp);
    let quantile = |q: f64| times[((times.len() - 1) as f64 * q).round() as usize];
    Ok(json!({
        "bench": "latency", "scenario": name, "file_bytes": text.len(), "function_bytes": range.1 - range.0,
        "hints": hints.as_array().map_or(0, Vec::len), "keys": times.len(), "p50_ms": quantile(0.5),
        "p99_ms": quantile(0.99), "max_ms": quantile(1.0),
    }))
}
