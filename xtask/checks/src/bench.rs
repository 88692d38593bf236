//! `cargo xtask bench`: speed, measured beside the peer in the same run.
//!
//! The stages run in release mode in a process of their own (`tests/benches`), TVM in its own environment, one after
//! the other on the same files. Nothing here passes or fails by a time: figures and ratios are printed.

mod figures;
mod kernels;
mod latency;
mod memory;
mod operations;
mod scale;

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::Context as _;
use serde_json::Value;

use self::figures::{Figure, Figures};
use crate::Outcome;
use crate::conformance::peer::TVM_PACKAGES;
use crate::venv::Venv;
use crate::workspace::{Workspace, complain, say};

const TVM_SCRIPT: &str = include_str!("bench/tvm_bench.py");

/// Measure speed against the peers, as ratios, with growth t(2n)/t(n).
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask bench                                    on the committed samples
  cargo xtask bench --corpus path/to/corpus/tvm        on a whole corpus
  cargo xtask bench --corpus path --every 5            the peer on every fifth lowered file only
  cargo xtask bench --only operations,kernels          two parts of it
  cargo xtask bench --only scale --files 20000         a workspace of 100,000 kernels
  cargo xtask bench --no-peer                          without TVM
  cargo xtask bench --proof                            leave the figures for the page of `cargo xtask proof`")]
pub(crate) struct Args {
    /// The place where the input files are: folders `lowered_cuda`, `lowered_cpu` and others with `.py` files.
    #[arg(long, default_value = "tests/corpus")]
    corpus: std::path::PathBuf,
    /// Measure the pipeline on every N-th lowered file, here and in the peer.
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Leave the peer out.
    #[arg(long)]
    no_peer: bool,
    /// Measure these parts only.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PARTS")]
    only: Vec<Part>,
    /// Files of the generated workspace of `scale`, of five functions each.
    #[arg(long, default_value_t = 20_000)]
    files: usize,
    /// Leave a record of each part for the page that `cargo xtask proof` makes.
    #[arg(long)]
    proof: bool,
}

/// The part to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Parsing, and planning beside TVM's passes.
    Plans,
    /// The memory that `check` of the corpus takes.
    Memory,
    /// Synthetic files of MLIR beside mlir-opt.
    Operations,
    /// Builds of kernels, and the way to CUDA beside TVM's.
    Kernels,
    /// Keys in the editor, beside mlir-lsp-server.
    Latency,
    /// A workspace of many kernels; on request only.
    Scale,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let corpus = std::path::absolute(if args.corpus.is_absolute() {
        args.corpus.clone()
    } else if args.corpus.exists() {
        std::env::current_dir()?.join(&args.corpus)
    } else {
        ws.path(&args.corpus)
    })?;
    anyhow::ensure!(corpus.is_dir(), "there is no folder {}", corpus.display());
    let is_asked = |part: Part| args.only.is_empty() || args.only.contains(&part);
    let files = format!("{} .py files", test_utils::python_files(&corpus)?.len());
    let done = |figures: Figures, inputs: &str| match args.proof {
        true => figures.write(inputs, ws),
        false => Ok(()),
    };
    if is_asked(Part::Plans) {
        done(plans(ws, &corpus, args)?, &files)?;
    }
    if is_asked(Part::Memory) {
        done(memory::run(ws, &corpus)?, &files)?;
    }
    if is_asked(Part::Operations) {
        done(operations::run(ws)?, "synthetic")?;
    }
    if is_asked(Part::Kernels) {
        done(kernels::run(ws, &corpus, (!args.no_peer).then_some(args.every))?, &files)?;
    }
    if is_asked(Part::Latency) {
        done(latency::run(ws, &corpus)?, &files)?;
    }
    // It takes minutes.
    if args.only.contains(&Part::Scale) {
        done(scale::run(ws, args.files, !args.no_peer)?, "synthetic")?;
    }
    Ok(Outcome::Passed)
}

fn plans(ws: &Workspace, corpus: &std::path::Path, args: &Args) -> anyhow::Result<Figures> {
    let mut figures = Figures::of("plans");
    for line in throughput(ws, corpus, args.every)? {
        figures.tell(figure(&line));
        if line["bench"] == "parse + lower + plan" && !args.no_peer {
            peer(ws, &line, &mut figures)?;
        }
    }
    Ok(figures)
}

fn throughput(
    ws: &Workspace,
    corpus: &std::path::Path,
    every: usize,
) -> anyhow::Result<Vec<Value>> {
    say(format_args!("building the benchmark in release mode"));
    let output = ws
        .cargo()
        .args(["bench", "--quiet", "--package", "tests", "--bench", "throughput", "--"])
        .arg(corpus)
        .arg(every.to_string())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo bench")?;
    anyhow::ensure!(output.status.success(), "the benchmark failed");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter(|it| it.starts_with('{')).map(|it| Ok(serde_json::from_str(it)?)).collect()
}

fn number(line: &Value, key: &str) -> f64 {
    line[key].as_f64().unwrap_or(f64::NAN)
}

fn figure(line: &Value) -> Figure {
    let ms = |key: &str| number(line, key) * 1e3;
    match line["bench"].as_str() {
        Some("parse") => Figure::new(
            "parse to a lossless tree",
            format!(
                "{:.1} MB/s ({} files, {:.1} MB)",
                number(line, "megabytes_per_second"),
                line["files"],
                number(line, "bytes") / 1e6
            ),
        ),
        Some("growth") => Figure::new(
            format!("{}, n = {}", line["family"].as_str().unwrap_or_default(), line["n"]),
            format!("{:.2} ms", number(line, "milliseconds")),
        )
        .grows(format!(
            "{:.2} at 2n, for {:.2} times the text",
            number(line, "ratio"),
            number(line, "byte_ratio")
        )),
        _ => Figure::new(
            format!("text to plan, {:.2} MB of lowered files", number(line, "bytes") / 1e6),
            format!(
                "{:.1} ms (parse {:.1}, lower {:.1}, plan {:.1}), {:.1} MB/s",
                ms("seconds"),
                ms("parse_seconds"),
                ms("lower_seconds"),
                ms("plan_seconds"),
                number(line, "bytes") / 1e6 / number(line, "seconds")
            ),
        ),
    }
}

/// Runs TVM on the same files.
fn peer(ws: &Workspace, ours: &Value, figures: &mut Figures) -> anyhow::Result<()> {
    let venv = match Venv::with_packages(ws, "tvm", TVM_PACKAGES) {
        Ok(venv) => venv,
        Err(skip) => {
            complain(format_args!("skipped: {skip}"));
            return Ok(());
        }
    };
    let paths: Vec<&str> =
        ours["files"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let lines = ask(ws, &venv, "tvm_bench.py", TVM_SCRIPT, &paths)?;
    let plans = &ours["file_plan_seconds"];
    let simplify = &ours["file_simplify_seconds"];
    let our_seconds =
        ours["file_seconds"].as_array().into_iter().flatten().filter_map(Value::as_f64);
    let our_seconds: Vec<(&str, f64)> = paths.iter().copied().zip(our_seconds).collect();
    let (mut parse, mut cse, mut unread, mut ours) = (0.0, 0.0, 0, 0.0);
    let mut peer_cse: Vec<(usize, f64)> = Vec::new();
    let mut peer_simplify: Vec<(usize, f64)> = Vec::new();
    for line in lines {
        if line.get("error").is_some() {
            unread += 1;
        } else {
            parse += number(&line, "parse");
            cse += number(&line, "cse");
            let same = our_seconds.iter().position(|(path, _)| line["path"] == *path);
            ours += same.map_or(0.0, |at| our_seconds[at].1);
            peer_cse.extend(same.map(|at| (at, number(&line, "cse"))));
            let simplified = line["simplify"].as_f64();
            peer_simplify.extend(same.zip(simplified));
        }
    }
    let both = format!("text to plan, the same without {unread} files that TVM cannot read");
    figures.tell(Figure::new(both, format!("{:.1} ms", ours * 1e3)).beside(
        format!("TVM {parse:.2} s from_source and {cse:.2} s CommonSubexprElim"),
        &[(parse + cse) / ours],
    ));
    for preset in ["tvm", "tvm-2022", "default"] {
        let what = format!("plan, preset {preset}");
        figures.tell(plan_ratio(&what, &plans[preset], &peer_cse));
    }
    figures.tell(plan_ratio("simplify", simplify, &peer_simplify));
    Ok(())
}

/// Runs a script of the peer on files; its answers, an object a line.
fn ask(
    ws: &Workspace,
    venv: &Venv,
    name: &str,
    script: &str,
    paths: &[&str],
) -> anyhow::Result<Vec<Value>> {
    let path = ws.peers().join(name);
    std::fs::write(&path, script)?;
    let mut child = Command::new(venv.python())
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start TVM")?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    let list = paths.join("\n");
    let writer = std::thread::spawn(move || stdin.write_all(list.as_bytes()));
    let output = child.wait_with_output()?;
    let _ = writer.join();
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter(|it| it.starts_with('{'));
    lines.map(|it| Ok(serde_json::from_str(it)?)).collect()
}

/// Planning alone against the peer's pass alone: over all files that both read, and on the one that takes the peer
/// longest.
fn plan_ratio(what: &str, seconds: &Value, peer: &[(usize, f64)]) -> Figure {
    let ours = |at: usize| seconds[at].as_f64().unwrap_or(f64::NAN);
    let total: f64 = peer.iter().map(|it| ours(it.0)).sum();
    let peer_total: f64 = peer.iter().map(|it| it.1).sum();
    let slowest = peer.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let on_slowest = slowest.map_or(f64::NAN, |&(at, seconds)| seconds / ours(at));
    Figure::new(what, format!("{:.1} ms", total * 1e3)).beside(
        format!(
            "TVM's pass {:.1} ms; {on_slowest:.1} times on its slowest file, on all",
            peer_total * 1e3
        ),
        &[peer_total / total],
    )
}
