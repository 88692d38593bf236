//! Generated functions, judged by TVM: TVM reads the results of our plans wherever it reads the originals.
//!
//! In: a number of programs of each kind that TVM can read. Each is planned, fixed and printed as it is written,
//! unknown names included; then names get values, and TVM is asked to read the function before and after. Calls with
//! pointers are left out: few of their random operands are valid for an operator of TVM.

use dataflow::analyses::Analyses;
use frontend::tvmscript::{
    FunctionItem, FunctionKind, Lowered, Selection, WrittenFunction, functions, lower,
    unchecked::{cse_edits, finding_edits},
};
use ir::effects::EffectTable;
use ir::{Occurrences, plan::Preset};
use serde_json::{Value, json};
use test_utils::{Features, Program};
use transform::{
    cse::{self, CseOptions},
    findings::{self, FindingKind, FindingKinds, FindingOptions},
};

use crate::conformance::parallel;
use crate::conformance::peer::{Answer, Keep, Peer};
use crate::conformance::report::{Report, Target};
use crate::skip::Skip;
use crate::workspace::Workspace;

/// Columns of the report.
const KINDS: &[&str] = &["read", "refused", "unread", "unchanged"];
/// The number of functions of each kind that the test command asks about.
pub(crate) const FEW: u64 = 25;

const FEATURES: [(&str, Features<'static>); 4] = [
    ("usual", Features::Usual),
    ("unknown names", Features::Unknowns),
    ("scalable vectors", Features::Scalable),
    ("blocks", Features::Blocks),
];

/// A function in each of its texts; the first is the original.
struct Texts {
    group: &'static str,
    seed: u64,
    texts: Vec<(&'static str, String)>,
}

/// Asks TVM about so many functions of each kind.
pub(crate) fn compare(ws: &Workspace, n: u64, first: u64) -> Result<Report, Skip> {
    let peer = Peer::tvm(ws)?;
    let mut report = Report::new("Generated functions after our plans: read by TVM", KINDS);
    report.note(format!("TVM {}", peer.version));
    let programs: Vec<(&str, Features<'static>, u64)> = FEATURES
        .iter()
        .flat_map(|&(name, features)| (first..first + n).map(move |seed| (name, features, seed)))
        .collect();
    let all: Vec<Texts> = parallel(&programs, |&(group, features, seed)| Texts {
        group,
        seed,
        texts: texts(&Program::with(features, seed)),
    });
    let requests: Vec<Value> = all
        .iter()
        .flat_map(|it| &it.texts)
        .map(|(_, text)| json!({ "op": "read", "text": text }))
        .collect();
    let answers = peer.ask_all(&requests, Keep::Nothing);
    let mut answers = &answers[..];
    for function in &all {
        let (of_function, rest) = answers.split_at(function.texts.len());
        count(&mut report, function, of_function);
        answers = rest;
    }
    let (read, refused) = (report.total("read"), report.total("refused"));
    let what = "texts that TVM reads, of functions that it reads";
    report.target(Target { what, least: 100.0 }, read, read + refused);
    Ok(report)
}

fn count(report: &mut Report, function: &Texts, answers: &[Answer]) {
    let group = function.group;
    let [original, answers @ ..] = answers else { return };
    if let Some(why) = error(original) {
        report.count(group, "unread");
        let cause = why.split(" / ").next().unwrap_or(why);
        let cause: String = cause.chars().filter(|it| !it.is_ascii_digit()).take(80).collect();
        report.tally(0, "functions that TVM does not read", cause, 1);
        return;
    }
    if answers.is_empty() {
        report.count(group, "unchanged");
    }
    for ((name, text), answer) in function.texts[1..].iter().zip(answers) {
        match error(answer) {
            None => report.count(group, "read"),
            Some(why) => {
                report.count(group, "refused");
                let line = format!("{group}, seed {}, {name}: {why}\n{text}", function.seed);
                report.list(1, "refused", line);
            }
        }
    }
}

/// Returns the reason why TVM does not read the function of an answer.
fn error(answer: &Answer) -> Option<&str> {
    match answer {
        Err(error) => Some(error),
        Ok(answer) => match &answer["functions"][0] {
            Value::Null => Some("no function"),
            function => function["error"].as_str(),
        },
    }
}

/// The function as it is written, and each other text of it after our plans.
fn texts(program: &Program) -> Vec<(&'static str, String)> {
    let text = program.text();
    let parse = syntax::parse(&text);
    let file = functions(&parse);
    let Some(item) = file.functions.iter().find(|it| it.source.kind == FunctionKind::PrimFunc)
    else {
        return Vec::new();
    };
    let lowered = lower(&item.source, &file.environment(item));
    let range = usize::from(item.range.start())..usize::from(item.range.end());
    let function = &text[range];
    let instances = program.instances();
    // TVM reads no imports.
    let as_file = |text: &str| {
        let text = instances.get(1).map_or_else(|| text.to_owned(), |it| it.inlined(text));
        format!("# from tvm.script import tirx as T\n\n{text}\n")
    };
    let mut texts = vec![("original", as_file(function))];
    for (name, other) in changed(item, &lowered, function) {
        let other = as_file(&other);
        if texts.iter().all(|it| it.1 != other) {
            texts.push((name, other));
        }
    }
    texts
}

/// Returns the texts of a function after each of our plans.
fn changed(item: &FunctionItem, lowered: &Lowered, text: &str) -> Vec<(&'static str, String)> {
    let (body, map) = (&lowered.body, &lowered.source_map);
    let occurrences = Occurrences::collect(body);
    let green = &item.source.green;
    let written = WrittenFunction { green, text, lowered, occurrences: &occurrences };
    let mut texts = Vec::new();
    for (name, preset) in
        [("default", Preset::Default), ("tvm", Preset::Tvm), ("tvm-2022", Preset::Tvm2022)]
    {
        let options = CseOptions { preset, ..CseOptions::default() };
        let plan = map.with_view(|view| {
            cse::plan(
                &Analyses::of(body, &occurrences, EffectTable::builtin()),
                Some(view),
                &options,
            )
        });
        texts.push((name, cse_edits(written, &plan, Selection::All).apply(text)));
    }
    let kinds = FindingKind::ALL.iter().copied().filter(|it| *it != FindingKind::MissingNoalias);
    let options = FindingOptions { kinds: FindingKinds::from_iter(kinds), loop_invariant_cost: 1 };
    let found = map.with_view(|view| {
        findings::findings(
            &Analyses::of(body, &occurrences, EffectTable::builtin()),
            Some(view),
            &options,
        )
    });
    let fixes = findings::compatible(body, &occurrences, &found);
    let fixes = fixes.into_iter().filter_map(|it| it.fix.as_ref());
    texts.push(("fixes", finding_edits(written, fixes).edit.apply(text)));
    let indent = text.lines().find(|it| it.trim_start().starts_with("def f(")).unwrap_or_default();
    let indent = indent.len() - indent.trim_start().len();
    texts.push(("printed", ir::print::tvmscript(body, indent).trim_start().to_owned()));
    texts
}
