//! Every rewrite gives the same results, bit for bit, and no new kind of event.

use dataflow::analyses::Analyses;
use ir::effects::EffectTable;
use std::collections::BTreeSet;

use frontend::tvmscript::{Selection, unchecked::cse_edits};
use interp::{Argument, EventKind, Options, Outcome, RunError, RunErrorKind};
use ir::{Body, Occurrences, plan::CsePlan, verify::verify};
use test_utils::Rng;
use transform::{
    cse::{self, CseOptions},
    simplify::{self, SimplifyOptions},
};

use crate::{
    functions::{Corpus, Function, STAGES, functions_of_file},
    inputs::{self, Flavour},
    plans::options,
    tally::Tally,
    work,
};

/// A body made by a pass, and its name.
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) body: Body,
    /// True if it assumes that no sum overflows (`SEMANTICS: I1`): runs with that event are not compared.
    pub(crate) excludes_overflow: bool,
}

/// The body of the text that the edits of a plan make. Edits that are not possible make no text.
fn edited(function: &Function) -> Result<Option<Variant>, String> {
    let lowered = &function.lowered;
    let occurrences = Occurrences::collect(&lowered.body);
    let options = CseOptions::default();
    let plan = lowered.source_map.with_view(|view| {
        cse::plan(
            &Analyses::of(&lowered.body, &occurrences, EffectTable::builtin()),
            Some(view),
            &options,
        )
    });
    let edit = cse_edits(function.written(&occurrences), &plan, Selection::All);
    if edit.is_empty() {
        return Ok(None);
    }
    let text = edit.apply(function.text());
    let Some(again) = function.reread(&text) else { return Err("the edited text is lost".into()) };
    let n_before = lowered.diagnostics.len();
    if again.lowered.diagnostics.len() > n_before {
        return Err(format!("the edited text has errors: {:?}", again.lowered.diagnostics));
    }
    Ok(Some(Variant { name: "edited text", body: again.lowered.body, excludes_overflow: false }))
}

/// The bodies after each plan that differs from the ones before.
fn variants(body: &Body) -> Vec<Variant> {
    let occurrences = Occurrences::collect(body);
    let mut plans: Vec<CsePlan> = Vec::new();
    let mut variants = Vec::new();
    for (name, options) in options() {
        let plan =
            cse::plan(&Analyses::of(body, &occurrences, EffectTable::builtin()), None, &options);
        if !plan.is_empty() && !plans.contains(&plan) {
            variants.push(Variant {
                name,
                body: cse::rewrite(body, &occurrences, &plan),
                excludes_overflow: false,
            });
            plans.push(plan);
        }
    }
    let plan = simplify::plan(
        &Analyses::of(body, &occurrences, EffectTable::builtin()),
        None,
        &SimplifyOptions::default(),
    );
    if !plan.is_empty() {
        let body = simplify::rewrite(body, &occurrences, &plan);
        variants.push(Variant { name: "simplify", body, excludes_overflow: true });
    }
    variants
}

/// Kinds of events of a run.
fn kinds(outcome: &Outcome) -> BTreeSet<EventKind> {
    outcome.events.iter().map(|it| it.kind).collect()
}

/// The bits of results: floats of arguments are compared as they lie in memory, returned ones by their bits. All NaNs
/// of an array of floats are one: a product with 1 that goes no longer makes a NaN the one of results
/// (`SEMANTICS: F8`).
fn bits(outcome: &Outcome) -> Vec<Vec<u8>> {
    let of = |argument: &Argument| match argument {
        Argument::Array(array) if array.dtype.is_float() => {
            let mut data = array.data.clone();
            let elements = data.chunks_mut(array.dtype.element().bytes());
            let nans = elements.zip(array.to_f64s()).filter(|it| it.1.is_nan());
            nans.for_each(|it| it.0.fill(u8::MAX));
            data
        }
        Argument::Array(array) => array.data.clone(),
        Argument::Int(value) => value.to_le_bytes().to_vec(),
        Argument::Float(value) => value.to_bits().to_le_bytes().to_vec(),
    };
    outcome.arguments.iter().chain(&outcome.returned).map(of).collect()
}

/// Checks that `after` refines `before`; otherwise returns the difference.
pub(crate) fn agrees(
    before: &Result<Outcome, RunError>,
    after: &Result<Outcome, RunError>,
) -> Result<(), String> {
    match (before, after) {
        (Ok(before), Ok(after)) => {
            let (old, new) = (bits(before), bits(after));
            if let Some(at) = old.iter().zip(&new).position(|(old, new)| old != new) {
                let byte = old[at].iter().zip(&new[at]).position(|(old, new)| old != new);
                return Err(format!("argument {at} differs at byte {byte:?}"));
            }
            let more: Vec<EventKind> = kinds(after).difference(&kinds(before)).copied().collect();
            if more.is_empty() { Ok(()) } else { Err(format!("new events {more:?}")) }
        }
        (Ok(_), Err(error)) => Err(format!("it stops now: {error}")),
        (Err(_), _) => Ok(()),
    }
}

enum Ran {
    /// Some runs of the original ended well; whether they were of all iterations.
    Compared {
        is_whole: bool,
    },
    Skipped(String),
}

/// Iterations a loop and blocks a dimension, where a function is too large to run as a whole.
const SAMPLE: u32 = 3;

/// Runs a function and its variants on several arguments.
fn check_function(
    function: &Function,
    corpus: &Corpus,
    tally: &mut Tally,
    seed: u64,
) -> Result<Ran, String> {
    let body = &function.lowered.body;
    let mut variants = variants(body);
    tally.note("plans that change something", variants.len() as u64);
    variants.extend(edited(function)?);
    for variant in &variants {
        let errors = verify(&variant.body);
        if !errors.is_empty() {
            return Err(format!("{}: invalid: {errors:?}", variant.name));
        }
    }
    if variants.is_empty() {
        return Ok(Ran::Skipped("nothing in common".into()));
    }
    let (mut n_compared, mut is_whole) = (0, true);
    let mut reason = String::new();
    for round in 0..inputs::SYMBOL_VALUES.len() {
        let symbols = inputs::symbols(body, round);
        if round > 0 && symbols.is_empty() {
            break;
        }
        let mut options = Options { max_steps: corpus.max_steps, ..Options::default() };
        if work::estimate(body, &symbols, u32::MAX) > corpus.max_steps {
            options.max_trips = Some(SAMPLE);
            is_whole = false;
        }
        if work::estimate(body, &symbols, options.max_trips.unwrap_or(u32::MAX)) > corpus.max_steps
        {
            options.max_trips = Some(1);
        }
        let input = Input { symbols, seed: seed + round as u64, options };
        match check_round(body, &variants, corpus, tally, &input)? {
            Ok(n) => n_compared += n,
            Err(why) => reason = why,
        }
    }
    Ok(if n_compared > 0 { Ran::Compared { is_whole } } else { Ran::Skipped(reason) })
}

/// The inputs of a round of runs.
struct Input {
    symbols: work::Symbols,
    seed: u64,
    options: Options,
}

type Round = Result<usize, String>;

fn check_round(
    body: &Body,
    variants: &[Variant],
    corpus: &Corpus,
    tally: &mut Tally,
    input: &Input,
) -> Result<Round, String> {
    let mut n_compared = 0;
    let mut reason = String::new();
    for flavour in [Flavour::Wild, Flavour::WildNonZero, Flavour::SmallInts, Flavour::ZeroInts] {
        let mut rng = Rng::new(input.seed ^ flavour as u64);
        let arguments = match inputs::arguments(body, &input.symbols, flavour, &mut rng) {
            Ok(arguments) => arguments,
            Err(why) => return Ok(Err(why)),
        };
        for strict_logic in [false, true] {
            let options = Options { strict_logic, ..input.options };
            let before = tally.run(body, arguments.clone(), &options);
            if let Err(error) = &before {
                reason = skip_reason(error);
                if error.kind != RunErrorKind::Program {
                    return Ok(Err(reason));
                }
                break;
            }
            let options = Options { max_steps: corpus.max_steps * 2, ..options };
            let overflows = before.as_ref().is_ok_and(Outcome::overflows);
            for variant in variants.iter().filter(|it| !(overflows && it.excludes_overflow)) {
                let after = tally.run(&variant.body, arguments.clone(), &options);
                agrees(&before, &after).map_err(|why| {
                    let mode = if strict_logic { ", strict" } else { "" };
                    format!("{} ({flavour:?}{mode}): {why}", variant.name)
                })?;
            }
            n_compared += 1;
            if corpus.is_small {
                break;
            }
        }
        if corpus.is_small && n_compared > 0 {
            break;
        }
    }
    Ok(if n_compared > 0 { Ok(n_compared) } else { Err(reason) })
}

/// A reason without the values of one run.
pub(crate) fn skip_reason(error: &RunError) -> String {
    let text: String =
        error.message.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).collect();
    match error.kind {
        RunErrorKind::StepLimit => "too large (steps)".into(),
        RunErrorKind::Program => "no input without an error was found".into(),
        kind => format!("{kind:?}: {text}"),
    }
}

#[test]
fn cse_and_simplify_keep_what_functions_compute() {
    let corpus = Corpus::chosen(600_000);
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for stage in STAGES {
        for path in corpus.files(stage) {
            for (at, function) in functions_of_file(stage, &path).iter().enumerate() {
                match check_function(function, &corpus, &mut tally, 1000 + at as u64) {
                    Ok(Ran::Compared { is_whole }) => {
                        tally.add("agree", &function.name);
                        let how = if is_whole { "whole" } else { "a sample of their iterations" };
                        tally.add(format!("agree: {how}"), &function.name);
                    }
                    Ok(Ran::Skipped(why)) => tally.add(format!("skipped: {why}"), &function.name),
                    Err(why) => {
                        tally.add("DIFFER", &function.name);
                        failures.push(format!("{}: {why}", function.name));
                    }
                }
            }
        }
    }
    tally.print("functions before and after CSE and simplification");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    if corpus.is_small {
        assert!(tally.count("agree") >= 100, "only {} functions ran", tally.count("agree"));
    }
}
