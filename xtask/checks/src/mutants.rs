//! `cargo xtask mutants`: the code is changed in small ways, and the tests of its crate must notice.
//!
//! cargo-mutants, which the command installs, lists the changes of a crate and tries them in a copy of the workspace:
//! an operator by another one, a condition by its opposite, an arm or a result left out. A sample of them is chosen
//! with a seed. A change that no test notices is a survivor: it becomes a test, or is listed in `mutants_known.txt`
//! with the reason why the program computes the same with it. What was noticed is not tried again by the next run of
//! the sample.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::Context as _;
use serde_json::{Value, json};
use test_utils::Rng;

use crate::Outcome;
use crate::process;
use crate::proof::Record;
use crate::workspace::{Workspace, say};

/// The version that is installed.
const VERSION: &str = "27.1.0";
/// The packages that are looked at.
const PACKAGES: &[&str] = &["arith", "dataflow", "transform"];
/// The files that are changed: the procedures that other parts take for proofs.
const FILES: &[&str] = &[
    "crates/arith/src/**/*.rs",
    "crates/dataflow/src/**/*.rs",
    "crates/transform/src/cse.rs",
    "crates/transform/src/cse/**/*.rs",
    "crates/transform/src/simplify.rs",
    "crates/transform/src/simplify/**/*.rs",
];
/// Survivors that change nothing that a caller sees: the name without line and column, a tabulator, and the reason.
const KNOWN: &str = include_str!("mutants_known.txt");

/// Change the code in small ways, and see that tests notice.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask mutants                                   80 changes of `arith`, `dataflow`, `cse` and `simplify`
  cargo xtask mutants --sample 200 --seed 2 --proof mutants   ended and begun again, it goes on")]
pub(crate) struct Args {
    /// The number of changes that are tried.
    #[arg(long, default_value_t = 80, value_name = "N")]
    sample: usize,
    /// The seed of the choice.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only changes of files whose path contains this.
    #[arg(long, value_name = "SUBSTR")]
    filter: Option<String>,
    /// Seconds for the tests of one change.
    #[arg(long, default_value_t = 300, value_name = "SECONDS")]
    timeout: u64,
    /// Leave a record of this name for the page that `cargo xtask proof` makes.
    #[arg(long, value_name = "NAME")]
    proof: Option<String>,
}

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let tool = find(ws)?;
    let started = Instant::now();
    let filter = args.filter.as_deref().unwrap_or_default();
    let all = listed(ws, &tool)?;
    let n_all = all.len();
    let sample = sample(all, filter, args.sample, args.seed);
    say(format_args!("{} of {n_all} changes", sample.len()));
    let folder = ws.target().join("mutants");
    std::fs::create_dir_all(&folder)?;
    let wanted: Vec<String> = sample.iter().map(|it| format!("^{}$", escaped(it))).collect();
    let mut command = mutants(ws, &tool);
    command.args(["--iterate", "--no-shuffle", "--colors", "never"]);
    command.arg("--timeout").arg(args.timeout.to_string()).arg("--output").arg(&folder);
    command.arg("--re").arg(wanted.join("|"));
    // Unit tests are the crate's own; tests of documentation take longer to compile than they say.
    command.args(["--", "--lib"]);
    // Exit codes say what the files say too.
    command.status().context("cannot start cargo-mutants")?;
    let verdicts = Verdicts::read(&folder.join("mutants.out"), &sample)?;
    for survivor in &verdicts.survivors {
        say(format_args!("no test notices: {survivor}"));
    }
    let viable = verdicts.caught + verdicts.timeouts + verdicts.same + verdicts.survivors.len();
    say(format_args!(
        "{} noticed, {} not in time, {} change nothing, {} survive, {} do not compile",
        verdicts.caught,
        verdicts.timeouts,
        verdicts.same,
        verdicts.survivors.len(),
        verdicts.unviable
    ));
    if let Some(name) = &args.proof {
        let record = Record {
            name: name.clone(),
            claim: "a small change of the procedures of arith, dataflow, cse or simplify fails a test of \
                    the crate"
                .to_owned(),
            method: format!("cargo-mutants {VERSION}, a sample of {n_all} changes"),
            number: viable,
            failures: verdicts.survivors.len(),
            details: json!({
                "noticed": verdicts.caught,
                "tests without end": verdicts.timeouts,
                "the same program": verdicts.same,
                "do not compile": verdicts.unviable,
            }),
            seed: Some(args.seed),
            duration: started.elapsed(),
        };
        record.write(ws)?;
    }
    Ok(if verdicts.survivors.is_empty() { Outcome::Passed } else { Outcome::Failed })
}

/// Finds cargo-mutants, or installs it.
fn find(ws: &Workspace) -> anyhow::Result<PathBuf> {
    let root = ws.peers().join("cargo-mutants");
    let tool = root.join("bin").join("cargo-mutants");
    if !tool.exists() {
        let mut cargo = ws.cargo();
        cargo.args(["install", "cargo-mutants", "--version", VERSION, "--locked", "--debug"]);
        cargo.arg("--root").arg(root);
        let status = cargo.status().context("cannot start cargo")?;
        anyhow::ensure!(status.success(), "cargo-mutants cannot be installed");
    }
    Ok(tool)
}

/// The command about the changes of the files that are looked at.
fn mutants(ws: &Workspace, tool: &Path) -> Command {
    let mut command = Command::new(tool);
    command.current_dir(ws.path("")).arg("mutants");
    command.args(PACKAGES.iter().flat_map(|it| ["--package", it]));
    command.args(FILES.iter().flat_map(|it| ["--file", it]));
    command
}

/// The names of all changes.
fn listed(ws: &Workspace, tool: &Path) -> anyhow::Result<Vec<String>> {
    let mut command = mutants(ws, tool);
    let list: Value =
        serde_json::from_str(&process::run_quiet(command.args(["--list", "--json"]))?)?;
    let all = list.as_array().context("cargo-mutants lists its changes")?;
    Ok(all.iter().filter_map(|it| Some(it["name"].as_str()?.to_owned())).collect())
}

/// As many as wanted, by chance; a larger sample with the same seed holds the smaller one.
fn sample(mut all: Vec<String>, filter: &str, number: usize, seed: u64) -> Vec<String> {
    Rng::new(seed).shuffle(&mut all);
    all.retain(|it| it.contains(filter));
    all.truncate(number);
    all
}

/// A name as a regular expression.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && c != ' ' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A name without line and column, which other changes move.
fn unplaced(name: &str) -> String {
    let mut parts = name.splitn(4, ':');
    let file = parts.next().unwrap_or_default();
    format!("{file}:{}", parts.nth(2).unwrap_or_default())
}

/// The fate of a sample.
#[derive(Debug, Default, PartialEq, Eq)]
struct Verdicts {
    caught: usize,
    timeouts: usize,
    unviable: usize,
    same: usize,
    survivors: Vec<String>,
}

impl Verdicts {
    fn read(folder: &Path, sample: &[String]) -> anyhow::Result<Verdicts> {
        let names = |file: &str| -> BTreeSet<String> {
            let text = std::fs::read_to_string(folder.join(file)).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        };
        anyhow::ensure!(folder.join("caught.txt").exists(), "cargo-mutants has tried nothing");
        let (caught, timeouts) = (names("caught.txt"), names("timeout.txt"));
        let (missed, unviable) = (names("missed.txt"), names("unviable.txt"));
        // Those of earlier runs: whether they compile is not kept apart.
        let before = names("previously_caught.txt");
        let known: BTreeSet<&str> =
            KNOWN.lines().filter_map(|it| Some(it.split_once('\t')?.0)).collect();
        let mut verdicts = Verdicts::default();
        for name in sample {
            if missed.contains(name) {
                if known.contains(unplaced(name).as_str()) {
                    verdicts.same += 1;
                } else {
                    verdicts.survivors.push(name.clone());
                }
            } else if timeouts.contains(name) {
                verdicts.timeouts += 1;
            } else if unviable.contains(name) {
                verdicts.unviable += 1;
            } else if caught.contains(name) || before.contains(name) {
                verdicts.caught += 1;
            }
        }
        Ok(verdicts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_grow_and_names_are_matched_as_they_are() {
        let all: Vec<String> =
            (0..100).map(|it| format!("a.rs:{it}:1: replace + with * in f")).collect();
        let few = sample(all.clone(), "a.rs", 5, 1);
        assert_eq!(few[..], sample(all.clone(), "a.rs", 9, 1)[..5]);
        assert_ne!(few, sample(all, "a.rs", 5, 2));
        assert_eq!(escaped("a.rs:1: replace + with é"), r"a\.rs\:1\: replace \+ with é");
        assert_eq!(
            unplaced("a.rs:1:2: replace + with - in S::f"),
            "a.rs: replace + with - in S::f"
        );
    }

    #[test]
    fn verdicts_of_a_sample_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
        write("caught.txt", "a.rs:1:1: one\n");
        write("missed.txt", "a.rs:2:1: two\na.rs:9:1: of another sample\n");
        write("previously_caught.txt", "a.rs:3:1: three\n");
        write("unviable.txt", "a.rs:4:1: four\n");
        let sample = ["one", "two", "three", "four", "not tried"];
        let sample: Vec<String> =
            sample.iter().enumerate().map(|(at, it)| format!("a.rs:{}:1: {it}", at + 1)).collect();
        let expected = Verdicts {
            caught: 2,
            unviable: 1,
            survivors: vec!["a.rs:2:1: two".to_owned()],
            ..Verdicts::default()
        };
        assert_eq!(Verdicts::read(folder.path(), &sample).unwrap(), expected);
    }
}
