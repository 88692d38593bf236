//! The speed of the stages on real files, and its growth: one JSON object a line on standard output.
//!
//! `cargo xtask bench` runs this in release mode and puts the peer's figures beside it. Single thread; each figure is
//! the best of several runs over inputs that are read from disk before the clock starts.

use dataflow::analyses::Analyses;
use ir::effects::EffectTable;
use std::{
    hint::black_box,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use ir::{Occurrences, plan::Preset};
use serde_json::{Value, json};
use tests::figures::report;
use transform::{
    cse::{self, CseOptions},
    simplify::{self, SimplifyOptions},
};

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let corpus = args.first().map_or_else(|| PathBuf::from("corpus"), PathBuf::from);
    let every = args.get(1).and_then(|it| it.parse().ok()).unwrap_or(1);
    let files = read_files(&corpus)?;
    anyhow::ensure!(!files.is_empty(), "no .py file under {}", corpus.display());
    report(&parse_rate(&files))?;
    let lowered: Vec<&File> =
        files.iter().filter(|it| it.is_lowered).step_by(std::cmp::max(every, 1)).collect();
    report(&pipeline(&lowered))?;
    for family in FAMILIES {
        report(&growth(family, run_stages_seconds))?;
    }
    report(&growth(&NESTED_IFS, simplify_seconds))?;
    Ok(())
}

struct File {
    path: PathBuf,
    text: String,
    is_lowered: bool,
}

/// Every Python file under `corpus` that is text, sorted by path.
fn read_files(corpus: &Path) -> anyhow::Result<Vec<File>> {
    let file = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).ok()?;
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        let is_lowered = ["lowered_cuda", "lowered_cpu"].iter().any(|it| folder == *it);
        Some(File { path, text, is_lowered })
    };
    Ok(test_utils::python_files(corpus)?.into_iter().filter_map(file).collect())
}

/// The shortest of `n` runs.
fn best_of(n: usize, mut run: impl FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let start = Instant::now();
        run();
        start.elapsed()
    };
    (0..n).map(|_| time(&mut run)).min().unwrap_or_default()
}

fn parse_rate(files: &[File]) -> Value {
    let bytes: usize = files.iter().map(|it| it.text.len()).sum();
    let time = best_of(5, || {
        for file in files {
            black_box(syntax::parse(black_box(&file.text)));
        }
    });
    json!({
        "bench": "parse", "files": files.len(), "bytes": bytes, "seconds": time.as_secs_f64(),
        "megabytes_per_second": bytes as f64 / 1e6 / time.as_secs_f64(),
    })
}

/// Seconds of each stage over one text.
#[derive(Default)]
struct Stages {
    parse: f64,
    lower: f64,
    plan: f64,
}

impl Stages {
    fn total(&self) -> f64 {
        self.parse + self.lower + self.plan
    }
}

fn run_stages(text: &str) -> Stages {
    let start = Instant::now();
    let parse = syntax::parse(text);
    let parsed = Instant::now();
    let functions = frontend::tvmscript::functions(&parse);
    let lowered: Vec<_> = functions
        .functions
        .iter()
        .map(|item| frontend::tvmscript::lower(&item.source, &functions.environment(item)))
        .collect();
    let lowered_at = Instant::now();
    for function in &lowered {
        let occurrences = Occurrences::collect(&function.body);
        let options =
            CseOptions { preset: Preset::Tvm, allow_unsound: true, ..CseOptions::default() };
        black_box(cse::plan(
            &Analyses::of(&function.body, &occurrences, EffectTable::builtin()),
            None,
            &options,
        ));
    }
    let planned = Instant::now();
    Stages {
        parse: (parsed - start).as_secs_f64(),
        lower: (lowered_at - parsed).as_secs_f64(),
        plan: (planned - lowered_at).as_secs_f64(),
    }
}

/// The presets, by the names of the command line.
const PRESETS: [(&str, Preset); 3] =
    [("tvm", Preset::Tvm), ("tvm-2022", Preset::Tvm2022), ("default", Preset::Default)];

/// Seconds of planning alone, data flow included, for each file and preset: the best of three.
fn plan_seconds(files: &[&File]) -> Value {
    let mut seconds = vec![vec![f64::INFINITY; files.len()]; PRESETS.len()];
    for (at, file) in files.iter().enumerate() {
        let bodies = bodies(&file.text);
        for (of_preset, (_, preset)) in seconds.iter_mut().zip(PRESETS) {
            // As the peer: what it does, it does unsoundly too.
            let allow_unsound = preset != Preset::Default;
            let options = CseOptions { preset, allow_unsound, ..CseOptions::default() };
            of_preset[at] = best_of(3, || {
                for body in &bodies {
                    let occurrences = Occurrences::collect(body);
                    black_box(cse::plan(
                        &Analyses::of(body, &occurrences, EffectTable::builtin()),
                        None,
                        &options,
                    ));
                }
            })
            .as_secs_f64();
        }
    }
    let by_name =
        PRESETS.iter().zip(seconds).map(|((name, _), it)| ((*name).to_owned(), json!(it)));
    Value::Object(by_name.collect())
}

fn bodies(text: &str) -> Vec<ir::Body> {
    let functions = frontend::tvmscript::functions(&syntax::parse(text));
    let lower = |it: &frontend::tvmscript::FunctionItem| {
        frontend::tvmscript::lower(&it.source, &functions.environment(it)).body
    };
    functions.functions.iter().map(lower).collect()
}

/// Seconds of simplifying all functions of a text, plan and rewrite: the best of three.
fn simplify_seconds(text: &str) -> f64 {
    let bodies = bodies(text);
    best_of(3, || {
        for body in &bodies {
            let occurrences = Occurrences::collect(body);
            let plan = simplify::plan(
                &Analyses::of(body, &occurrences, EffectTable::builtin()),
                None,
                &SimplifyOptions::default(),
            );
            black_box(simplify::rewrite(body, &occurrences, &plan));
        }
    })
    .as_secs_f64()
}

fn pipeline(files: &[&File]) -> Value {
    let mut best = Stages::default();
    let mut file_seconds = vec![f64::INFINITY; files.len()];
    for run in 0..3 {
        let mut sum = Stages::default();
        for (file, seconds) in files.iter().zip(&mut file_seconds) {
            let stages = run_stages(&file.text);
            *seconds = seconds.min(stages.total());
            sum.parse += stages.parse;
            sum.lower += stages.lower;
            sum.plan += stages.plan;
        }
        if run == 0 || sum.total() < best.total() {
            best = sum;
        }
    }
    let bytes: usize = files.iter().map(|it| it.text.len()).sum();
    let paths: Vec<String> = files.iter().map(|it| it.path.display().to_string()).collect();
    json!({
        "bench": "parse + lower + plan", "files": paths, "bytes": bytes, "seconds": best.total(),
        "file_seconds": file_seconds, "file_plan_seconds": plan_seconds(files),
        "file_simplify_seconds": files.iter().map(|it| simplify_seconds(&it.text)).collect::<Vec<_>>(), "parse_seconds": best.parse, "lower_seconds": best.lower, "plan_seconds": best.plan,
    })
}

/// A family of inputs that the peers are quadratic or cubic on.
struct Family {
    name: &'static str,
    n: usize,
    text: fn(usize) -> String,
}

const FAMILIES: &[Family] = &[
    Family { name: "distinct candidates", n: 2000, text: distinct },
    Family { name: "two equal chains", n: 2000, text: chains },
    Family { name: "prefix chain", n: 160, text: prefixes },
    Family { name: "one long sum of loads", n: 10_000, text: long_sum },
    Family { name: "flat ifs", n: 1000, text: flat_ifs },
    Family { name: "many functions", n: 300, text: many_functions },
];

/// Distinct conditions inside each other: each could be decided by all around it.
const NESTED_IFS: Family =
    Family { name: "simplify, nested distinct ifs", n: 500, text: nested_ifs };

fn run_stages_seconds(text: &str) -> f64 {
    run_stages(text).total()
}

fn growth(family: &Family, seconds: fn(&str) -> f64) -> Value {
    let time = |n: usize| {
        let text = (family.text)(n);
        let best = (0..5).map(|_| seconds(&text)).fold(f64::INFINITY, f64::min);
        (text.len(), best)
    };
    let (bytes, one) = time(family.n);
    let (double_bytes, two) = time(2 * family.n);
    json!({
        "bench": "growth", "family": family.name, "n": family.n, "bytes": bytes, "milliseconds": one * 1e3,
        "milliseconds_at_2n": two * 1e3, "ratio": two / one, "byte_ratio": double_bytes as f64 / bytes as f64,
    })
}

fn function(name: &str, lines: impl Iterator<Item = String>) -> String {
    let mut text = format!(
        "@T.prim_func(s_tir=True)\ndef {name}(A: T.Buffer((1048576,), \"int32\"), B: T.Buffer((1048576,), \"int32\"), \
         i: T.int32, j: T.int32, k: T.int32, x: T.int32, y: T.int32):\n"
    );
    for line in lines {
        text.push_str("    ");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

fn module(text: &str) -> String {
    format!("# from tvm.script import tirx as T\n\n{text}")
}

fn distinct(n: usize) -> String {
    module(&function(
        "f",
        (2..n + 2).map(|at| {
            format!("A[i * {m} + j * 16 + k] = B[i * {m} + j * 16 + k + 4096]", m = 256 + at)
        }),
    ))
}

fn chain(length: usize) -> String {
    (2..length + 2).fold("x".to_owned(), |inner, at| format!("({inner} * y + {at})"))
}

fn chains(n: usize) -> String {
    let chain = chain(n);
    module(&function("f", [format!("A[0] = {chain}"), format!("A[1] = {chain}")].into_iter()))
}

fn prefixes(n: usize) -> String {
    module(&function("f", (1..n).map(|length| format!("B[{length}] = {}", chain(length)))))
}

fn long_sum(n: usize) -> String {
    let terms: Vec<String> = (0..n).map(|at| format!("B[i + {}]", at + 2)).collect();
    module(&function("f", std::iter::once(format!("A[0] = {}", terms.join(" + ")))))
}

fn nested_ifs(n: usize) -> String {
    let condition =
        |at: usize| format!("{}if i * {} + j < k * {}:", " ".repeat(at - 2), at, at + 3);
    let store = format!("{}A[i] = j", " ".repeat(n));
    module(&function("f", (2..n + 2).map(condition).chain(std::iter::once(store))))
}

fn flat_ifs(n: usize) -> String {
    module(&function(
        "f",
        (2..n + 2).flat_map(|at| {
            [
                format!("if i * 256 + j * 16 + k < {at}:"),
                format!("    A[i * 256 + j * 16 + k + {at}] = B[i * 256 + j * 16 + k]"),
            ]
        }),
    ))
}

fn many_functions(n: usize) -> String {
    let functions: Vec<String> = (0..n)
        .map(|at| {
            function(
                &format!("f{at}"),
                (2..5).map(|it| format!("A[i * 4 + {it}] = B[i * 4 + {it}] + x * y")),
            )
        })
        .collect();
    module(&functions.join("\n"))
}
