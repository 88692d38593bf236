//! The same operator at several stages of the peer's lowering computes the same values: a check of our reading of
//! both texts, which before-and-after runs of one function cannot give.
//!
//! Integers are equal. Floats are equal within a tolerance, since schedules re-associate sums: the difference is
//! measured against the largest magnitude in the array, in units of the type's precision times the square root of a
//! sum's usual length.

use std::collections::BTreeMap;

use interp::{Argument, Array, EventKind, Options, Outcome, RunErrorKind};
use ir::{Body, DataType};
use test_utils::Rng;

use crate::{
    functions::{Corpus, Function, functions_of_file},
    inputs::{self, Flavour},
    rewrites::skip_reason,
    tally::Tally,
    work,
};

/// The reference stage comes first.
const ORDER: [&str; 5] =
    ["unscheduled", "scheduled_cpu", "scheduled_cuda", "lowered_cpu", "lowered_cuda"];

/// Relative difference that re-association explains.
fn tolerance(dtype: DataType) -> f64 {
    match dtype.bits {
        64 => 1e-11,
        32 => 1e-4,
        16 if dtype.code == ir::TypeCode::BFloat => 6e-2,
        16 => 1e-2,
        _ => 0.13,
    }
}

/// Checks that two results are equal, floats within the effect of another order of sums.
pub(crate) fn close(a: &Array, b: &Array) -> Result<(), String> {
    if !a.dtype.is_float() {
        let at = a.data.iter().zip(&b.data).position(|(a, b)| a != b);
        return at.map_or(Ok(()), |at| Err(format!("byte {at} of {}", a.dtype)));
    }
    let (a_values, b_values) = (a.to_f64s(), b.to_f64s());
    let largest = a_values.iter().filter(|it| it.is_finite()).fold(0.0f64, |m, it| m.max(it.abs()));
    let limit = tolerance(a.dtype.element()) * largest.max(1e-30);
    for (at, (x, y)) in a_values.iter().zip(&b_values).enumerate() {
        let is_same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= limit;
        if !is_same {
            return Err(format!("element {at} of {}: {x} and {y}", a.dtype));
        }
    }
    Ok(())
}

/// Parameters that are the same in both: types and shapes.
fn has_same_signature(a: &Body, b: &Body, round: usize) -> bool {
    let shapes = |body: &Body| {
        let symbols = inputs::symbols(body, round);
        let arguments = inputs::arguments(body, &symbols, Flavour::TameZeroInts, &mut Rng::new(0));
        arguments.map(|it| it.iter().map(shape_of).collect::<Vec<_>>())
    };
    matches!((shapes(a), shapes(b)), (Ok(a), Ok(b)) if a == b)
}

fn shape_of(argument: &Argument) -> (Option<DataType>, Vec<i64>) {
    match argument {
        Argument::Array(array) => (Some(array.dtype), array.shape.clone()),
        _ => (None, Vec::new()),
    }
}

/// The result of comparing one stage with the reference.
enum Compared {
    Agree,
    Differ(String),
    Skipped(String),
}

fn compare_stages(reference: &Body, other: &Body, corpus: &Corpus, tally: &mut Tally) -> Compared {
    let mut reason = String::from("no input");
    let mut has_agreed = false;
    for (round, flavour) in [
        (0, Flavour::TameWideInts),
        (0, Flavour::Tame),
        (2, Flavour::Tame),
        (0, Flavour::TamePositiveInts),
        (0, Flavour::TameZeroInts),
    ] {
        if (corpus.is_small && has_agreed)
            || (round > 0 && inputs::symbols(reference, 0).is_empty())
        {
            continue;
        }
        match compare_on(reference, other, corpus, tally, (round, flavour)) {
            Compared::Agree => has_agreed = true,
            Compared::Differ(why) => return Compared::Differ(format!("{flavour:?}: {why}")),
            Compared::Skipped(why) => reason = why,
        }
    }
    if has_agreed { Compared::Agree } else { Compared::Skipped(reason) }
}

fn compare_on(
    reference: &Body,
    other: &Body,
    corpus: &Corpus,
    tally: &mut Tally,
    (round, flavour): (usize, Flavour),
) -> Compared {
    let symbols = inputs::symbols(reference, round);
    if !has_same_signature(reference, other, round) {
        return Compared::Skipped("another signature".into());
    }
    let estimate = work::estimate(reference, &symbols, u32::MAX).max(work::estimate(
        other,
        &inputs::symbols(other, round),
        u32::MAX,
    ));
    if estimate > corpus.max_steps {
        return Compared::Skipped("too large (estimate)".into());
    }
    let mut rng = Rng::new(7 + round as u64);
    let arguments = match inputs::arguments(reference, &symbols, flavour, &mut rng) {
        Ok(arguments) => arguments,
        Err(why) => return Compared::Skipped(why),
    };
    let options = Options { max_steps: corpus.max_steps, ..Options::default() };
    let before = match tally.run(reference, arguments.clone(), &options) {
        Ok(outcome) => outcome,
        Err(error) => return Compared::Skipped(skip_reason(&error)),
    };
    if let Some(event) = before.events.iter().find(|it| it.kind != EventKind::ConversionOutOfRange)
    {
        return Compared::Skipped(format!("the original is undefined: {:?}", event.kind));
    }
    match tally.run(other, arguments, &options) {
        Err(error) if error.kind == RunErrorKind::Program => {
            Compared::Differ(format!("it stops: {error}"))
        }
        Err(error) => Compared::Skipped(skip_reason(&error)),
        Ok(after) => compare_outcomes(&before, &after),
    }
}

fn compare_outcomes(before: &Outcome, after: &Outcome) -> Compared {
    for (at, pair) in before.arguments.iter().zip(&after.arguments).enumerate() {
        if let (Argument::Array(a), Argument::Array(b)) = pair
            && let Err(why) = close(a, b)
        {
            return Compared::Differ(format!("argument {at}, {why}"));
        }
    }
    Compared::Agree
}

#[test]
fn every_stage_of_an_operator_computes_the_same() {
    let corpus = Corpus::chosen(4_000_000);
    let mut stages: BTreeMap<String, Vec<(&str, Function)>> = BTreeMap::new();
    for stage in ORDER {
        for path in corpus.files(stage) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for function in functions_of_file(stage, &path) {
                let key = format!("{stem}:{}", function.lowered.body.name);
                stages.entry(key).or_default().push((stage, function));
            }
        }
    }
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for functions in stages.values() {
        let [(first, reference), others @ ..] = &functions[..] else { continue };
        for (stage, other) in others {
            let pair = format!("{first} and {stage}");
            match compare_stages(&reference.lowered.body, &other.lowered.body, &corpus, &mut tally)
            {
                Compared::Agree => {
                    tally.add("agree", &other.name);
                    tally.add(format!("agree: {pair}"), &other.name);
                }
                Compared::Differ(why) => {
                    tally.add("DIFFER", &other.name);
                    failures.push(format!("{} ({pair}): {why}", other.name));
                }
                Compared::Skipped(why) => tally.add(format!("skipped: {why}"), &other.name),
            }
        }
    }
    tally.print("pairs of stages");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    if corpus.is_small {
        assert!(tally.count("agree") >= 38, "only {} pairs ran", tally.count("agree"));
    }
}
