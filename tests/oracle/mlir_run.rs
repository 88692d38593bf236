//! Programs of MLIR, executed before and after every plan: results and memory are equal bit for bit, and no new kind of
//! event.
//!
//! In: the samples under `tests/corpus/mlir`, or with `TIR_ORACLE_ALL=1` every `.mlir` file under `TIR_ORACLE_CORPUS`.
//! Operations that the interpreter does not execute are counted by reason. The results of single operations are in
//! `semantics`.

mod facts;
mod generated;
mod planted;
pub(crate) mod program;
mod semantics;

use std::{collections::BTreeSet, path::Path};

use interp::{
    EventKind, Options, RunErrorKind,
    mlir::{self, Launch, Outcome, Program},
};
use ir::{Body, effects::EffectTable, plan::Preset};
use test_utils::Sample;
use transform::ops::{OpOptions, plan, rewrite};

use crate::{functions::Corpus, inputs::Flavour, tally::Tally};

use self::program::{Document, arguments, documents};

/// How a function that asks for its place in a launch is launched.
pub(crate) const LAUNCH: Launch = Launch { grid: [2, 1, 1], block: [4, 2, 1] };

const PRESETS: [Preset; 2] = [Preset::Mlir19, Preset::Default];

/// Extents that are not said, in turn.
const EXTENTS: [i64; 2] = [5, 16];

const FLAVOURS: [Flavour; 4] =
    [Flavour::Wild, Flavour::SmallInts, Flavour::ZeroInts, Flavour::TamePositiveInts];

/// Kinds of events of a run.
fn kinds(outcome: &Outcome) -> BTreeSet<EventKind> {
    outcome.events.iter().map(|it| it.1.kind).collect()
}

/// Checks that `after` refines `before`; otherwise returns the difference.
pub(crate) fn agrees(before: &Outcome, after: &Outcome) -> Result<(), String> {
    let pairs = before.arguments.iter().zip(&after.arguments);
    if let Some(at) = pairs.into_iter().position(|(a, b)| !a.refines_to(b)) {
        return Err(format!("argument {at} differs"));
    }
    let n = before.returned.len();
    if n != after.returned.len() {
        return Err(format!("{n} results, then {}", after.returned.len()));
    }
    let pairs = before.returned.iter().zip(&after.returned);
    if let Some(at) = pairs.into_iter().position(|(a, b)| !a.refines_to(b)) {
        return Err(format!("result {at} differs"));
    }
    if before.bound != after.bound {
        return Err("bound memory differs".into());
    }
    let more: Vec<EventKind> = kinds(after).difference(&kinds(before)).copied().collect();
    if more.is_empty() { Ok(()) } else { Err(format!("new events {more:?}")) }
}

/// The result of running a function.
enum Ran {
    Compared,
    Skipped(String),
}

/// Runs a function of a program and of its rewritten forms on several arguments.
fn check_function(
    before: &Program<'_>,
    after: &[(Preset, Program<'_>)],
    (number, body): (usize, &Body),
    max_steps: u64,
) -> Result<Ran, String> {
    if !before.has_code(number) {
        return Ok(Ran::Skipped("declared only".into()));
    }
    let options = Options { max_steps, ..Options::default() };
    let (mut compared, mut reason) = (false, String::new());
    for (round, &extent) in EXTENTS.iter().enumerate() {
        for flavour in FLAVOURS {
            let arguments = match arguments(body, extent, flavour, round as u64) {
                Ok(arguments) => arguments,
                Err(why) => return Ok(Ran::Skipped(why)),
            };
            let old = match mlir::run(before, number, arguments.clone(), LAUNCH, &options) {
                Ok(old) => old,
                Err(error) => {
                    match error.kind {
                        RunErrorKind::Program => reason = "stops on every input".into(),
                        // Another input may take fewer.
                        RunErrorKind::StepLimit => reason = error.message,
                        _ => return Ok(Ran::Skipped(format!("not executed: {}", error.message))),
                    }
                    continue;
                }
            };
            compared = true;
            for (preset, program) in after {
                let new = mlir::run(program, number, arguments.clone(), LAUNCH, &options)
                    .map_err(|it| format!("{preset:?}: it stops now: {it}"))?;
                agrees(&old, &new).map_err(|it| format!("{preset:?} {flavour:?}: {it}"))?;
            }
        }
    }
    Ok(if compared { Ran::Compared } else { Ran::Skipped(reason) })
}

fn check_document(
    name: &str,
    document: &Document,
    max_steps: u64,
    tally: &mut Tally,
) -> Vec<String> {
    let mut failures = Vec::new();
    let bodies: Vec<&Body> = document.units.iter().map(|it| &it.body).collect();
    let before = Program::new(bodies.iter().copied());
    let mut changed: BTreeSet<&str> = BTreeSet::new();
    let mut rewritten: Vec<(Preset, Vec<Body>)> = Vec::new();
    for preset in PRESETS {
        let options = OpOptions { preset, allow_unsound: false };
        let of = |body: &&Body| plan(body, EffectTable::builtin(), &options);
        let plans: Vec<_> = bodies.iter().map(of).collect();
        let named = bodies.iter().zip(&plans).filter(|(_, plan)| !plan.is_empty());
        changed.extend(named.map(|(body, _)| &*body.name));
        let bodies = bodies.iter().zip(&plans).map(|(body, plan)| rewrite(body, plan));
        rewritten.push((preset, bodies.collect()));
    }
    let after: Vec<(Preset, Program<'_>)> =
        rewritten.iter().map(|(preset, bodies)| (*preset, Program::new(bodies))).collect();
    let units = document.units.iter().enumerate();
    for (number, unit) in units.filter(|(_, it)| it.is_function) {
        let name = format!("{name}:{}", unit.body.name);
        match check_function(&before, &after, (number, &unit.body), max_steps) {
            Ok(Ran::Compared) if changed.contains(&*unit.body.name) => tally.add("equal", &name),
            Ok(Ran::Compared) => tally.add("executed, nothing to change", &name),
            Ok(Ran::Skipped(why)) => tally.add(why, &name),
            Err(why) => {
                tally.add("differs", &name);
                failures.push(format!("{name}: {why}"));
            }
        }
    }
    failures
}

/// Files that are no answers of a peer and no generic form of another file.
pub(crate) fn inputs(samples: Vec<Sample>) -> Vec<Sample> {
    let names: BTreeSet<String> = samples.iter().map(|it| it.name.clone()).collect();
    let is_input = |name: &str| {
        let pretty = name.strip_suffix(".generic.mlir").map(|it| format!("{it}.mlir"));
        name.ends_with(".mlir")
            && !name.contains(".cse.")
            && pretty.is_none_or(|it| !names.contains(&it))
    };
    samples.into_iter().filter(|it| is_input(&it.name)).collect()
}

#[test]
fn plans_keep_what_functions_of_mlir_compute() {
    let corpus = Corpus::chosen(300_000);
    let folder = if corpus.is_small { corpus.folder.join("mlir") } else { corpus.folder.clone() };
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let kernels = if corpus.is_small { test_utils::mlir_samples_below(&kernels) } else { vec![] };
    for sample in kernels.into_iter().chain(inputs(test_utils::mlir_samples_below(&folder))) {
        for document in documents(&sample.text) {
            failures.extend(check_document(&sample.name, &document, corpus.max_steps, &mut tally));
        }
    }
    tally.print("functions of MLIR");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let n = tally.count("equal") + tally.count("executed, nothing to change");
    let least = if corpus.is_small { 90 } else { 20 };
    assert!(n >= least && tally.count("equal") > 20, "{n} functions were executed");
}
