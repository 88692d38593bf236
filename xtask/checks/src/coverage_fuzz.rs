//! `cargo xtask coverage-fuzz`: the targets of `tests/fuzz`, run with inputs that reach code which none before did.
//!
//! A target is compiled with counters for what it executes and linked with libFuzzer; neither a nightly compiler nor
//! another tool is needed. Inputs begin with the committed samples. What was found to reach something new is kept in
//! `target/fuzz`, and so is each input that fails: it is tried again before anything else, so that the record of a
//! campaign says how many inputs that ever failed still do. A campaign with a record runs in pieces, each added to it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::ValueEnum as _;
use serde_json::json;
use syntax::Language;
use test_utils::Rng;

use crate::Outcome;
use crate::process;
use crate::proof::Record;
use crate::workspace::{Workspace, say};

/// The longest input, and the longest part of a sample that becomes one.
const LONGEST: usize = 2_048;
/// Folders of samples.
const SAMPLES: &[&str] = &["tests/corpus", "tests/constructs", "tests/kernels", "tests/tilelang"];
/// Bytes before the text of an input that has steps: language, their number, four bytes a step.
const HEADER: usize = 2 + 4 * 4;
/// The flags that make the compiler count executed edges and show compared values.
const FLAGS: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Run targets with inputs that are led by what they execute.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask coverage-fuzz reparse --runs 1000000
  cargo xtask coverage-fuzz tvmscript --seconds 600 --proof coverage   ended and begun again, it goes on
  cargo xtask coverage-fuzz --runs 100000 --proof coverage             every target, one after the other")]
pub(crate) struct Args {
    /// The targets; all of them without one.
    #[arg(value_enum)]
    targets: Vec<Target>,
    /// The number of inputs of each target; with a record, together with those of its runs before.
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    runs: u64,
    /// End each target after so many seconds.
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// The seed of the first piece.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Leave records of this name and the target's for the page that `cargo xtask proof` makes.
    #[arg(long, value_name = "NAME")]
    proof: Option<String>,
}

/// The targets there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Target {
    /// Any bytes as a file of TVMScript.
    Tvmscript,
    /// Any bytes as a file of MLIR.
    Mlir,
    /// Any bytes as a file of Paddle PIR.
    Pir,
    /// Functions of TVMScript, printed and read again.
    Print,
    /// MLIR, laid out twice.
    Layout,
    /// Edits of a file in any of the languages.
    Reparse,
    /// Messages to the language server.
    Server,
}

impl Target {
    fn name(self) -> String {
        let value = self.to_possible_value().expect("no target is hidden");
        value.get_name().to_owned()
    }

    fn claim(self) -> &'static str {
        match self {
            Target::Tvmscript | Target::Mlir | Target::Pir => {
                "any bytes are read without a panic, printed as they are, and give well-formed bodies"
            }
            Target::Print => {
                "a function read without a warning is printed as a text that prints the same"
            }
            Target::Layout => "a text that is laid out is laid out as it is",
            Target::Reparse => "tree and errors after an edit are those of the text after it",
            Target::Server => {
                "no message is a panic, each request is answered, and edited texts as fresh ones are"
            }
        }
    }

    /// Inputs of one piece: about a minute.
    fn piece(self) -> u64 {
        match self {
            Target::Server => 5_000,
            Target::Print => 20_000,
            _ => 50_000,
        }
    }

    /// The languages of its samples.
    fn languages(self) -> &'static [Language] {
        match self {
            Target::Tvmscript | Target::Print => &[Language::TvmScript],
            Target::Mlir | Target::Layout => &[Language::Mlir],
            Target::Pir => &[Language::Pir],
            Target::Reparse | Target::Server => &Language::ALL,
        }
    }

    fn has_steps(self) -> bool {
        matches!(self, Target::Reparse | Target::Server)
    }
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let targets = match &args.targets[..] {
        [] => Target::value_variants(),
        some => some,
    };
    let mut is_good = true;
    for &target in targets {
        let program = build(ws, target)?;
        is_good &= campaign(ws, args, target, &program)?;
    }
    Ok(if is_good { Outcome::Passed } else { Outcome::Failed })
}

fn folder(ws: &Workspace) -> PathBuf {
    ws.target().join("fuzz")
}

/// Compiles a target.
fn build(ws: &Workspace, target: Target) -> anyhow::Result<PathBuf> {
    let (triple, name) = (process::host()?, target.name());
    let mut cargo = ws.cargo();
    cargo.args(["build", "--release", "--target", &triple, "--bin", &name]);
    if target == Target::Server {
        cargo.args(["--features", "server"]);
    }
    cargo.arg("--manifest-path").arg(ws.path("tests/fuzz/Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", folder(ws)).env("RUSTFLAGS", FLAGS.join(" "));
    let status = cargo.status().context("cannot start cargo")?;
    anyhow::ensure!(status.success(), "the target `{name}` does not compile");
    Ok(folder(ws).join(triple).join("release").join(name))
}

/// Runs the pieces of a target; whether no input fails.
fn campaign(ws: &Workspace, args: &Args, target: Target, program: &Path) -> anyhow::Result<bool> {
    let name = target.name();
    let inputs = folder(ws).join("inputs").join(&name);
    let failing = folder(ws).join("failing").join(&name);
    for dir in [&inputs, &failing] {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    }
    write_samples(ws, target, &inputs)?;
    let of_name = args.proof.as_ref().map(|it| format!("{it}-{name}"));
    let known = match &of_name {
        Some(it) => Record::read(ws, it)?.filter(|it| it.seed == Some(args.seed)),
        None => None,
    };
    let mut record = known.unwrap_or_else(|| Record {
        name: of_name.clone().unwrap_or_default(),
        claim: target.claim().to_owned(),
        method: "libFuzzer, led by executed edges and compared values, from the committed samples"
            .to_owned(),
        number: 0,
        failures: 0,
        details: json!({ "pieces": 0 }),
        seed: Some(args.seed),
        duration: Duration::ZERO,
    });
    record.failures = still_failing(program, &failing)?;
    let begun = Instant::now();
    // Seconds that are left; none without a limit.
    let left = || args.seconds.map(|it| it.saturating_sub(begun.elapsed().as_secs()));
    while record.failures == 0 && (record.number as u64) < args.runs && left() != Some(0) {
        let pieces = record.details["pieces"].as_u64().unwrap_or(0);
        let runs = target.piece().min(args.runs - record.number as u64);
        let started = Instant::now();
        let told = piece(program, &inputs, &failing, runs, args.seed + pieces, left())?;
        record.number += told.executed;
        record.failures = still_failing(program, &failing)?;
        record.duration += started.elapsed();
        record.details =
            json!({ "pieces": pieces + 1, "edges": told.edges, "kept inputs": told.kept });
        if of_name.is_some() {
            record.write(ws)?;
        }
        let (number, failures) = (record.number, record.failures);
        say(format_args!("{name}: {number} inputs, {} edges, {failures} failures", told.edges));
    }
    if record.failures > 0 {
        say(format_args!("{name}: inputs that fail are in {}", failing.display()));
    }
    Ok(record.failures == 0)
}

/// The number of inputs that failed once and do so still; the others are forgotten.
fn still_failing(program: &Path, failing: &Path) -> anyhow::Result<usize> {
    let mut number = 0;
    for entry in std::fs::read_dir(failing)? {
        let path = entry?.path();
        let mut command = Command::new(program);
        command.arg("-timeout=60").arg(&path).stdout(Stdio::null()).stderr(Stdio::null());
        if command.status().context("cannot start the target")?.success() {
            std::fs::remove_file(&path)?;
        } else {
            number += 1;
        }
    }
    Ok(number)
}

fn piece(
    program: &Path,
    inputs: &Path,
    failing: &Path,
    runs: u64,
    seed: u64,
    seconds: Option<u64>,
) -> anyhow::Result<Told> {
    let mut command = Command::new(program);
    command.args(seconds.map(|it| format!("-max_total_time={it}")));
    command
        .arg(format!("-runs={runs}"))
        .arg(format!("-seed={seed}"))
        .arg(format!("-max_len={LONGEST}"))
        .arg(format!("-artifact_prefix={}/", failing.display()))
        .args(["-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1"])
        .arg(inputs);
    let out = command.output().context("cannot start the target")?;
    let text = String::from_utf8_lossy(&out.stderr);
    if !out.status.success() {
        let from = text.find("panicked at").map_or(0, |at| text[..at].rfind('\n').unwrap_or(0));
        say(format_args!("{}", text[from..].chars().take(4_000).collect::<String>()));
    }
    Told::of(&text).with_context(|| format!("the target does not tell its counts: {text}"))
}

/// The counts that libFuzzer prints.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    executed: usize,
    edges: usize,
    kept: usize,
}

impl Told {
    fn of(text: &str) -> Option<Told> {
        let number = |line: &str, name: &str| {
            let rest = line.split_once(name)?.1.trim_start();
            rest.split([' ', '/']).next()?.trim().parse::<usize>().ok()
        };
        let last = |name: &str| text.lines().rev().find_map(|it| number(it, name));
        Some(Told {
            executed: last("stat::number_of_executed_units:")?,
            edges: last(" cov:").unwrap_or(0),
            kept: last(" corp:").unwrap_or(0),
        })
    }
}

/// Writes the samples of the languages of a target as inputs.
fn write_samples(ws: &Workspace, target: Target, inputs: &Path) -> anyhow::Result<()> {
    let mut rng = Rng::new(1);
    for file in ws.tracked_files()? {
        let of_language = |it: &&Language| Language::of_path(Path::new(&file)) == Some(**it);
        if !SAMPLES.iter().any(|it| file.starts_with(&format!("{it}/"))) {
            continue;
        }
        let Some(language) = target.languages().iter().find(of_language) else { continue };
        let text = std::fs::read(ws.path(&file)).with_context(|| format!("cannot read {file}"))?;
        let mut input = Vec::new();
        if target.has_steps() {
            let number = Language::ALL.iter().position(|it| it == language).unwrap_or(0);
            // As many steps as the header has room for.
            input.extend([number as u8, 3]);
            input.extend((2..HEADER).map(|_| rng.below(256) as u8));
        }
        let room = LONGEST - input.len();
        input.extend(&text[..text.len().min(room)]);
        let name = format!("sample-{}", file.replace('/', "-"));
        std::fs::write(inputs.join(name), input)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_target_prints_is_counted() {
        let text = "\
#2\tINITED cov: 5901 ft: 5902 corp: 1/1b exec/s: 0 rss: 63Mb
#51200\tNEW    cov: 8020 ft: 30211 corp: 912/740Kb lim: 4096 exec/s: 900 rss: 300Mb L: 7/4096 MS: 1 ChangeBit-
stat::number_of_executed_units: 52000
stat::average_exec_per_sec:     812
";
        assert_eq!(Told::of(text), Some(Told { executed: 52_000, edges: 8_020, kept: 912 }));
        assert_eq!(Told::of("error: no such file"), None);
    }
}
