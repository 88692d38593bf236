//! Generated functions in number: the oracle's tests in release mode, with a number and a seed.
//!
//! A campaign with a record runs in pieces. Each piece is added to the record when it has ended, and the next one begins
//! behind it, so that what was ended goes on where it was.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::ValueEnum as _;
use serde_json::Value;

use crate::proof::Record;
use crate::workspace::{Workspace, say};

/// Functions of one piece of a campaign with a record.
const PIECE: u64 = 5_000;

/// The number of functions, their kind, and the first seed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Size {
    /// The number of functions that are generated, of each kind of them; by default 100,000, and 2,000 for `answers`.
    #[arg(long, value_name = "N")]
    functions: Option<u64>,
    /// The seed of the first one.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The kind of functions that `fuzz` makes; all kinds without it.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
}

/// Kinds of generated functions: each has a test of the oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// With the common features.
    Usual,
    /// With elements that are stored to again and again.
    Overwrites,
    /// With names whose values are not known.
    Unknowns,
    /// With calls of every operator that are given pointers.
    Calls,
    /// With vectors of `T.vscale()` lanes.
    Scalable,
    /// With nests of schedulable blocks.
    Blocks,
}

impl Size {
    /// The number of functions.
    pub(crate) fn functions(self) -> u64 {
        self.functions.unwrap_or(100_000)
    }

    /// The number of functions, where each is asked many questions.
    pub(crate) fn few_functions(self) -> u64 {
        self.functions.unwrap_or(2_000)
    }
}

impl Kind {
    fn test(self) -> &'static str {
        match self {
            Kind::Usual => "generated_functions_keep_what_they_compute",
            Kind::Overwrites => "functions_that_write_over_stores_keep_what_they_compute",
            Kind::Unknowns => "functions_with_unknown_names_keep_what_they_compute",
            Kind::Calls => "functions_that_call_operators_keep_what_they_compute",
            Kind::Scalable => "functions_on_scalable_vectors_keep_what_they_compute",
            Kind::Blocks => "functions_to_be_scheduled_keep_what_they_compute",
        }
    }
}

/// Runs the oracle over generated functions, and leaves records of that name; whether none of them failed.
pub(crate) fn run(ws: &Workspace, size: Size, proof: Option<&str>) -> anyhow::Result<bool> {
    let Some(name) = proof else {
        let tests = size.kind.map_or("keep_what_they_compute", Kind::test);
        return Ok(oracle(ws, tests, size.seed, size.functions()).status()?.success());
    };
    let mut is_good = true;
    for kind in size.kind.map_or_else(|| Kind::value_variants().to_vec(), |it| vec![it]) {
        is_good &= campaign(ws, size, kind, name)?;
    }
    Ok(is_good)
}

fn oracle(ws: &Workspace, tests: &str, seed: u64, functions: u64) -> std::process::Command {
    let mut cargo = ws.cargo();
    cargo.args(["test", "--release", "--package", "tests", "--test", "oracle", "--"]);
    cargo.args([tests, "--nocapture", "--test-threads=1"]);
    cargo.env("TIR_ORACLE_FUNCTIONS", functions.to_string());
    cargo.env("TIR_ORACLE_SEED", seed.to_string());
    cargo
}

/// Runs the pieces that the record of a kind does not have yet.
fn campaign(ws: &Workspace, size: Size, kind: Kind, name: &str) -> anyhow::Result<bool> {
    let value = kind.to_possible_value().context("a kind has a name")?;
    let name = format!("{name}-{}", value.get_name());
    let fresh = || {
        Record {
        name: name.clone(),
        claim: "every plan of a function keeps what it computes, as a rewrite and as an edit of its text"
            .to_owned(),
        method: format!("the interpreter, on generated functions ({})", value.get_name()),
        number: 0,
        failures: 0,
        details: Value::Object(serde_json::Map::new()),
        seed: Some(size.seed),
        duration: Duration::ZERO,
    }
    };
    let known = Record::read(ws, &name)?.filter(|it| it.seed == Some(size.seed));
    let mut record = known.unwrap_or_else(fresh);
    while (record.number as u64) < size.functions() {
        let done = record.number as u64;
        let functions = PIECE.min(size.functions() - done);
        let started = Instant::now();
        let mut oracle = oracle(ws, kind.test(), size.seed + done, functions);
        let out = oracle.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        let told = Told::of(&text)
            .with_context(|| format!("the campaign does not tell its counts: {text}"))?;
        if !out.status.success() {
            say(format_args!("{}", text.trim_end()));
        }
        record.number += functions as usize;
        record.failures += told.failures;
        record.duration += started.elapsed();
        for (what, number) in told.counts {
            let counts = record.details.as_object_mut().context("counts have names")?;
            let before = counts.get(&what).and_then(Value::as_u64).unwrap_or(0);
            counts.insert(what, (before + number).into());
        }
        record.write(ws)?;
        say(format_args!("{name}: {} functions, {} failures", record.number, record.failures));
    }
    Ok(record.failures == 0)
}

/// The counts that the oracle's test prints of its functions.
#[derive(Debug, Default)]
struct Told {
    /// By outcome, in its words.
    counts: BTreeMap<String, u64>,
    failures: usize,
}

impl Told {
    /// Reads the lines behind `N functions from seed S`: a number and an outcome each; nothing without them.
    fn of(text: &str) -> Option<Told> {
        let mut lines = text.lines().skip_while(|it| !it.contains(" functions from seed "));
        lines.next()?;
        let mut told = Told::default();
        for line in lines {
            let Some((number, what)) = line.trim_start().split_once("  ") else { break };
            let Ok(number) = number.parse::<u64>() else { break };
            if what.starts_with("FAIL ") {
                told.failures += number as usize;
            } else {
                told.counts.insert(what.to_owned(), number);
            }
        }
        Some(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn what_the_oracle_prints_is_counted() {
        let told = Told::of(
            "running 1 test\n40 functions from seed 1 in 2.5 s\n         38  functions compared\n         \
             97  runs\n          2  FAIL results differ: 7 19\n\nfailures:\n   5  not one of them\n",
        );
        expect![[r#"
            Some(
                Told {
                    counts: {
                        "functions compared": 38,
                        "runs": 97,
                    },
                    failures: 2,
                },
            )
        "#]]
        .assert_debug_eq(&told);
        assert!(Told::of("error: could not compile\n").is_none());
    }
}
