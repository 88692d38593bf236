//! `cargo xtask prove-rules`: proves every rewrite rule of `arith`, or reports the wrong ones.
//!
//! A rule becomes a claim, a claim becomes questions to z3 (unbounded integers, 32 and 64 bits, with and without
//! wrapping, floats), one for each kind of number that the rule is for. Rules that z3 does not decide in time are tried
//! on all values of narrow types, and marked so. A refuted rule is shown with the values, at its line.

mod claim;
mod exhaustive;
mod prove;
mod report;
mod smt;
mod term;
#[cfg(test)]
mod tests;
pub(crate) mod z3;

use std::time::Duration;

use anyhow::Context as _;
use arith::rules;

use crate::Outcome;
use crate::conformance::parallel;
use crate::prove_rules::claim::Claim;
use crate::prove_rules::prove::Prover;
use crate::prove_rules::report::Report;
use crate::skip::Skip;
use crate::tally::Tally;
use crate::workspace::{Workspace, complain, say};

/// Prove the rewrite rules of the simplifier with z3, which the command installs where it may.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  cargo xtask prove-rules                              every rule, as a table
  cargo xtask prove-rules --rule floordiv              rules whose names contain this
  cargo xtask prove-rules --rule min-self --script     what z3 is asked
  cargo xtask prove-rules --timeout 120 --json
  cargo xtask prove-rules --list-undecided             after rules have changed")]
pub(crate) struct Args {
    /// Only rules whose names contain this.
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,
    /// Seconds for one rule on one kind of numbers.
    #[arg(long, default_value_t = 8, value_name = "SECONDS")]
    timeout: u64,
    /// One JSON object a rule.
    #[arg(long)]
    json: bool,
    /// Print the questions to z3 without asking them.
    #[arg(long)]
    script: bool,
    /// List the questions that z3 does not decide: the tests do not ask them again.
    #[arg(long, conflicts_with = "rule")]
    list_undecided: bool,
}

/// The list, in a checkout.
const LIST: &str = "xtask/checks/src/prove_rules/undecided.txt";

pub(crate) fn run(args: &Args, ws: &Workspace) -> anyhow::Result<Outcome> {
    let wanted =
        |claim: &Claim| args.rule.as_ref().is_none_or(|it| claim.name.contains(it.as_str()));
    let claims: Vec<Claim> = rules::all().iter().map(Claim::of).filter(wanted).collect();
    anyhow::ensure!(!claims.is_empty(), "no rule has such a name");
    if args.script {
        print_scripts(&claims);
        return Ok(Outcome::Passed);
    }
    let prover = match prover(ws, Duration::from_secs(args.timeout)) {
        Ok(prover) => prover,
        Err(skip) => {
            complain(format_args!("{skip}"));
            return Ok(Outcome::Failed);
        }
    };
    let report = prove(&claims, &prover)?;
    let text = if args.json { report.json() } else { report.text() };
    say(format_args!("{}", text.trim_end()));
    if args.list_undecided {
        let path = ws.path(LIST);
        let cannot = || format!("cannot write {}", path.display());
        std::fs::write(&path, prover.undecided()).with_context(cannot)?;
    }
    Ok(if report.failed() == 0 { Outcome::Passed } else { Outcome::Failed })
}

/// Runs the proofs of `cargo xtask test`: all rules, one check each.
pub(crate) fn check(ws: &Workspace, tally: &mut Tally) -> anyhow::Result<()> {
    let claims: Vec<Claim> = rules::all().iter().map(Claim::of).collect();
    match prover(ws, Duration::from_secs(8)).map(Prover::without_undecided) {
        Ok(prover) => {
            let report = prove(&claims, &prover)?;
            say(format_args!("{}", report.summary()));
            report.failures().for_each(|line| say(format_args!("{line}")));
            tally.pass(claims.len() - report.failed());
            tally.fail(report.failed());
        }
        Err(skip) => tally.skip(skip),
    }
    Ok(())
}

fn prover(ws: &Workspace, limit: Duration) -> Result<Prover, Skip> {
    Ok(Prover::new(limit, z3::find()?, ws.target().join("prove-rules")))
}

fn prove(claims: &[Claim], prover: &Prover) -> anyhow::Result<Report> {
    let proofs = parallel(claims, |claim| prover.prove(claim));
    let mut report = Report::new(prover.version.clone());
    for (claim, proofs) in claims.iter().zip(proofs) {
        report.add(claim, proofs?);
    }
    Ok(report)
}

fn print_scripts(claims: &[Claim]) {
    for claim in claims {
        for machine in claim.machines() {
            for &is_strict in claim.modes() {
                let script = smt::script(smt::Question {
                    claim,
                    machine,
                    is_strict,
                    encoding: smt::encodings(claim, machine)[0],
                    holds_of_integers: false,
                    signs: None,
                });
                say(format_args!("; {} on {machine}\n{script}(check-sat)\n(reset)", claim.name));
            }
        }
    }
}
