//! The pairs of functions that TVM's tests of its passes have, before and after, as an oracle of ours.
//!
//! In: folders of TVM's tests. They run in TVM (`pairs_worker.py`), which tells every function that a test gives to
//! `StmtSimplify`, `RemoveNoOp` or `CommonSubexprElim`, and the function that the test expects; where it compares
//! nothing, TVM's result. A row of a test of the simplifier, an expression under a condition, is one too. Ours is made
//! of the text before by the pass of the same purpose: `simplify` and the fixes of findings, or `cse`. Compared are
//! the statements and the cost of their operands that are left ([`Work`]): *equal* is the same function, *as good*
//! another one with as much work, *better* has less of it. One that has more is *worse*, and is named with both
//! results' work; those of `pairs_known.txt` are *stated*, there with the cause. Nothing of the tests is kept but
//! TVM's answers on disk.

use std::collections::BTreeSet;
use std::path::PathBuf;

use dataflow::analyses::Analyses;
use frontend::tvmscript::Severity;
use ir::effects::EffectTable;
use ir::plan::Preset;
use ir::{Body, Occurrences};
use serde_json::{Value, json};
use transform::cse::{self, CseOptions};
use transform::passes::Pass;

use crate::conformance::corpus;
use crate::conformance::peer::{Keep, Peer};
use crate::conformance::read::text;
use crate::conformance::report::{Report, Target};
use crate::conformance::reread::{self, started};
use crate::conformance::simplify::statements::Work;
use crate::conformance::{ours, parallel};
use crate::skip::Skip;
use crate::workspace::Workspace;

/// Columns of the report.
const KINDS: &[&str] = &["equal", "as good", "better", "stated", "worse", "not read"];
/// Tests of which our result has more work, by file and name, each below its cause.
const KNOWN: &str = include_str!("pairs_known.txt");
/// The pairs that TVM's three files of tests have at least.
const LEAST_PAIRS: usize = 60;

/// Asks for the pairs, runs our passes, and reports.
pub(crate) fn compare(
    ws: &Workspace,
    folders: &[PathBuf],
    filter: Option<&str>,
    options: &reread::Options,
) -> anyhow::Result<Result<Report, Skip>> {
    let (packages, peer) = match started(ws, || Peer::tvm_pairs(ws, options.processes)) {
        Ok(started) => started,
        Err(skip) => return Ok(Err(skip)),
    };
    let files = corpus::in_folders(folders, filter, is_about_passes)?;
    let requests: Vec<Value> = files
        .iter()
        .map(|(_, file)| {
            json!({
                "op": "pairs", "path": file.path, "text": file.text, "limit": options.limit, "packages": packages,
            })
        })
        .collect();
    let answers = peer.ask_all(&requests, Keep::OnDisk);
    let mut report = Report::new("Pairs of TVM's tests of passes, and our results", KINDS);
    report.note(format!("TVM {}", peer.version));
    let known = reread::known(KNOWN);
    for ((_, file), answer) in files.iter().zip(&answers) {
        match answer {
            Ok(answer) => {
                let pairs = answer["pairs"].as_array().map_or(&[][..], Vec::as_slice);
                for (pair, judged) in pairs.iter().zip(parallel(pairs, judge)) {
                    count(&mut report, &file.label(), pair, judged, &known);
                }
            }
            Err(error) => {
                report.list(3, "files without an answer", format!("{}: {error}", file.label()));
            }
        }
    }
    let good = ["equal", "as good", "better", "stated"].map(|it| report.total(it)).iter().sum();
    let all = good + report.total("worse");
    let what = "pairs of which our result has no more work left, or is stated to have more";
    report.target(Target { what, least: 100.0 }, good, all);
    report.at_least("pairs", all, LEAST_PAIRS);
    Ok(Ok(report))
}

fn is_about_passes(text: &str) -> bool {
    ["StmtSimplify(", "RemoveNoOp(", "CommonSubexprElim(", "rewrite_simplify("]
        .iter()
        .any(|it| text.contains(it))
}

/// The verdict on a pair: our work, and what the test expects.
enum Judged {
    Equal,
    Compared { ours: Work, expected: Work },
    NotRead(String),
}

fn judge(pair: &Value) -> Judged {
    let expected = pair["expected"].as_str().unwrap_or_else(|| text(pair, "theirs"));
    let (before, expected) = match (body_of(text(pair, "before")), body_of(expected)) {
        (Ok(before), Ok(expected)) => (before, expected),
        (Err(why), _) | (_, Err(why)) => return Judged::NotRead(why),
    };
    let expected_work = Work::of(&expected);
    let mut best: Option<Work> = None;
    for ours in results(&before, text(pair, "pass")) {
        if is_same(&ours, &expected) {
            return Judged::Equal;
        }
        let work = Work::of(&ours);
        if best.is_none_or(|best| work.all() < best.all()) {
            best = Some(work);
        }
    }
    Judged::Compared { ours: best.unwrap_or_else(|| Work::of(&before)), expected: expected_work }
}

/// The function of a text.
fn body_of(text: &str) -> Result<Body, String> {
    let mut reading = ours::read(text);
    if reading.functions.len() != 1 {
        return Err(format!("{} functions", reading.functions.len()));
    }
    let lowered = reading.functions.remove(0).lowered;
    match lowered.diagnostics.iter().find(|it| it.severity == Severity::Error) {
        Some(fault) => Err(fault.message.clone()),
        None => Ok(lowered.body),
    }
}

fn is_same(one: &Body, other: &Body) -> bool {
    let name = |it: &Body| ir::print::tvmscript(it, 0);
    let prints = ir::fingerprint::of_function(one).zip(ir::fingerprint::of_function(other));
    prints.is_some_and(|(one, other)| one == other) || name(one) == name(other)
}

/// Our results of the purpose of a pass.
fn results(before: &Body, pass: &str) -> Vec<Body> {
    let effects = EffectTable::builtin();
    if pass == "CommonSubexprElim" {
        return vec![shared(before, Preset::Default), shared(before, Preset::Tvm)];
    }
    let simple = Pass::Simplify.run(before, effects);
    let mut all = simple.clone();
    for pass in Pass::all().filter(|it| matches!(it, Pass::Fix(_))) {
        all = pass.run(&all, effects);
    }
    vec![simple, Pass::Simplify.run(&all, effects)]
}

fn shared(before: &Body, preset: Preset) -> Body {
    let occurrences = Occurrences::collect(before);
    let options = CseOptions { preset, ..CseOptions::default() };
    let analyses = Analyses::of(before, &occurrences, EffectTable::builtin());
    cse::rewrite(before, &occurrences, &cse::plan(&analyses, None, &options))
}

fn count(report: &mut Report, label: &str, pair: &Value, judged: Judged, known: &BTreeSet<&str>) {
    let group = text(pair, "pass");
    let options: Vec<&str> =
        pair["options"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let with = if options.is_empty() { String::new() } else { format!(", {}", options.join(", ")) };
    let place = format!("{label} {}: {}{with}", text(pair, "of"), text(pair, "name"));
    match judged {
        Judged::Equal => report.count(group, "equal"),
        Judged::NotRead(why) => {
            report.count(group, "not read");
            report.list(2, "not read", format!("{place}: {why}"));
        }
        Judged::Compared { ours, expected } => {
            let shown = format!("{place}: ours {ours}; expected {expected}");
            let kind = match ours.all().cmp(&expected.all()) {
                std::cmp::Ordering::Less => "better",
                std::cmp::Ordering::Equal => "as good",
                std::cmp::Ordering::Greater => {
                    let is_stated = known.contains(&*format!("{label} {}", text(pair, "of")));
                    let (at, title, kind) = match is_stated {
                        true => (1, "worse, and stated to be", "stated"),
                        false => (0, "worse", "worse"),
                    };
                    report.list(at, title, shown);
                    kind
                }
            };
            report.count(group, kind);
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    /// A function with these statements.
    fn function(statements: &str) -> String {
        format!(
            "# from tvm.script import tirx as T\n\n@T.prim_func(private=True, s_tir=True)\n\
             def main(A: T.Buffer((16,), \"int32\"), x: T.int32):\n    {statements}\n"
        )
    }

    fn pair(of: &str, pass: &str, before: &str, expected: Option<&str>, theirs: &str) -> Value {
        json!({
            "id": 0, "of": of, "pass": pass, "options": [], "name": "main", "before": function(before),
            "expected": expected.map(function), "theirs": function(theirs),
        })
    }

    #[test]
    fn pairs_are_sorted_by_the_work_that_is_left() {
        let pairs = [
            pair("equal", "StmtSimplify", "A[0] = x + 1 - 1", Some("A[0] = x"), "A[0] = 1"),
            pair("theirs", "StmtSimplify", "A[0] = x + 1 - 1", None, "A[0] = x"),
            pair("better", "StmtSimplify", "A[0] = x * 2 + x", Some("A[0] = x * 2 + x"), ""),
            pair("worse", "RemoveNoOp", "A[0] = x * x", Some("A[0] = x"), ""),
            pair("stated", "RemoveNoOp", "A[0] = x * x", Some("A[0] = x"), ""),
            pair(
                "shared",
                "CommonSubexprElim",
                "A[0] = x * x + 1\n    A[1] = x * x + 2",
                Some("y: T.let[T.int32] = x * x\n    A[0] = y + 1\n    A[1] = y + 2"),
                "",
            ),
            pair("unread", "StmtSimplify", "A[0] = z", Some("A[0] = z"), ""),
        ];
        let known = reread::known("# why\nf stated\n");
        let mut report = Report::new("pairs", KINDS);
        for pair in &pairs {
            count(&mut report, "f", pair, judge(pair), &known);
        }
        expect![[r#"
            pairs

                                   equal    as good     better     stated      worse   not read
            CommonSubexprElim          1          0          0          0          0          0
            RemoveNoOp                 0          0          0          1          1          0
            StmtSimplify               2          0          1          0          0          1
            total                      3          0          1          1          1          1

            worse (1):
              f worse: main: ours 1 statements, cost 1; expected 1 statements, cost 0

            worse, and stated to be (1):
              f stated: main: ours 1 statements, cost 1; expected 1 statements, cost 0

            not read (1):
              f unread: main: `z` is not defined here
        "#]]
        .assert_eq(&report.text());
    }
}
