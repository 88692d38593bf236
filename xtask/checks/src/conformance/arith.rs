//! The procedures of `arith` in number: questions with their answers, against all values of narrow types.
//!
//! The campaign is a test of `arith` in release mode, with a number of cases and a seed: it fails at the first answer
//! that does not hold, with the seed.

use std::process::Stdio;
use std::time::Instant;

use anyhow::Context as _;
use serde_json::json;

use crate::conformance::fuzz::Size;
use crate::proof::Record;
use crate::workspace::{Workspace, say};

/// Runs the campaign; whether every answer held.
pub(crate) fn run(ws: &Workspace, size: Size, proof: Option<&str>) -> anyhow::Result<bool> {
    let started = Instant::now();
    let mut cargo = ws.cargo();
    cargo.args(["test", "--release", "--package", "arith", "--lib", "--"]);
    cargo.args(["answers_hold_for_every_value_of_narrow_types", "--nocapture"]);
    cargo.env("TIR_ARITH_CAMPAIGN", size.functions().to_string());
    cargo.env("TIR_ARITH_SEED", size.seed.to_string());
    let out = cargo.stderr(Stdio::inherit()).output().context("cannot start cargo")?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    if !out.status.success() {
        say(format_args!("{}", text.trim_end()));
        return Ok(false);
    }
    let line = text.lines().find_map(|it| it.split_once("campaign: ")).map(|it| it.1);
    let counts: Vec<u64> =
        line.unwrap_or_default().split(' ').filter_map(|it| it.parse().ok()).collect();
    let [questions, answered, evaluations] = counts[..] else {
        anyhow::bail!("the campaign does not tell its counts: {text}");
    };
    say(format_args!(
        "{questions} distinct questions, {answered} answers that say something, {evaluations} evaluations: all hold"
    ));
    let Some(name) = proof else { return Ok(true) };
    let record = Record {
        name: name.to_owned(),
        claim: "bounds, congruences, decisions, absence of traps and of overflow, and results of \
                the simplifier hold in their contexts"
            .to_owned(),
        method: "evaluation on all values of integers of 8 and 4 bits".to_owned(),
        number: questions as usize,
        failures: 0,
        details: json!({
            "cases": size.functions(),
            "answers": answered,
            "evaluations": evaluations,
        }),
        seed: Some(size.seed),
        duration: started.elapsed(),
    };
    record.write(ws)?;
    Ok(true)
}
