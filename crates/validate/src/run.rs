//! The interpreter as the judge: both functions on the same inputs.
//!
//! It confirms what the solver refutes, and is what is left where a function is outside of what is modelled. A run
//! counts if the function before has no error on the input, and nothing in it has more than one right value.

use interp::{
    Argument, EventKind, Outcome, Overlap, RunErrorKind, Symbols, run_overlapping, run_with,
};
use ir::{Body, ValueId, effects::EffectTable};

use crate::inputs;

/// Inputs that are tried.
const ATTEMPTS: usize = 12;
/// Steps of the interpreter for a run.
const MOST_STEPS: u64 = 1_000_000;
/// Runs that take more, after which no other input is tried.
const MOST_LONG: usize = 2;

/// The runs of a pair of functions.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// Inputs on which both did the same.
    pub n_same: usize,
    /// The first input on which they did not.
    pub difference: Option<Difference>,
    /// Why there was no input at all, if there was none.
    pub obstacle: Option<String>,
}

/// An input that shows that two functions differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The arguments: each by its name and its value, or its shape and first elements.
    pub inputs: Vec<(String, String)>,
    /// The difference there.
    pub what: String,
}

/// Runs both functions on some inputs, first on those that the solver proposes.
pub fn run(before: &Body, after: &Body, effects: &EffectTable, proposed: &[(ValueId, i64)]) -> Run {
    let mut run = Run { n_same: 0, difference: None, obstacle: None };
    let proposals: &[&[(ValueId, i64)]] =
        if proposed.is_empty() { &[&[]] } else { &[proposed, &[]] };
    let mut n_long = 0;
    for proposal in proposals {
        for attempt in 0..ATTEMPTS {
            if n_long > MOST_LONG {
                return run;
            }
            match one(before, after, effects, attempt, proposal) {
                Ok(None) => run.n_same += 1,
                Ok(Some(difference)) => {
                    run.difference = Some(difference);
                    return run;
                }
                Err(why) => {
                    if why.is_final {
                        run.obstacle = Some(why.message);
                        return run;
                    }
                    n_long += usize::from(why.is_long);
                    run.obstacle.get_or_insert(why.message);
                }
            }
        }
    }
    if run.n_same > 0 {
        run.obstacle = None;
    }
    run
}

struct Obstacle {
    message: String,
    /// Other inputs would not help.
    is_final: bool,
    /// It took too many steps.
    is_long: bool,
}

fn one(
    before: &Body,
    after: &Body,
    effects: &EffectTable,
    attempt: usize,
    proposed: &[(ValueId, i64)],
) -> Result<Option<Difference>, Obstacle> {
    let obstacle = |message: String| Obstacle { message, is_final: false, is_long: false };
    let (arguments, symbols) = inputs::make(before, attempt, proposed).map_err(obstacle)?;
    let overlaps = overlaps(before, &arguments, attempt);
    let one = |body: &Body, symbols: &Symbols, max_steps: u64| {
        let options = interp::Options { max_steps, ..interp::Options::default() };
        if overlaps.is_empty() {
            return run_with(body, effects, arguments.clone(), symbols, &options);
        }
        run_overlapping(body, arguments.clone(), &overlaps, &options)
    };
    let first = one(before, &symbols, MOST_STEPS).map_err(|it| Obstacle {
        is_final: it.kind == RunErrorKind::Unsupported,
        is_long: it.kind == RunErrorKind::StepLimit,
        message: it.message,
    })?;
    if first.overflows() || first.events.iter().any(|it| has_no_value(it.kind)) {
        return Err(obstacle("its inputs make it err".to_owned()));
    }
    let describe = |what: String| {
        let mut inputs = described(before, &arguments);
        for it in &overlaps {
            let shared = format!("the memory of `{}`", name(before, it.with));
            inputs[it.argument].1 = shared;
        }
        Difference { inputs, what }
    };
    // The function after may do more in a step, and the run before may have ended just below the limit.
    let second = match one(after, &symbols, MOST_STEPS * 4) {
        Ok(second) => second,
        Err(error) if error.kind == RunErrorKind::Unsupported => {
            return Err(obstacle(error.message));
        }
        Err(error) => return Ok(Some(describe(format!("the function after fails: {error}")))),
    };
    Ok(difference(before, &first, &second).map(describe))
}

/// Parameters without `noalias` may be one memory (`M4`): in every other attempt the first two arrays of one size are.
fn overlaps(body: &Body, arguments: &[Argument], attempt: usize) -> Vec<Overlap> {
    if attempt.is_multiple_of(2) || body.func_attr(ir::noalias_key(body.dialect)).is_some() {
        return Vec::new();
    }
    let mut first: Option<(usize, &interp::Array)> = None;
    for (argument, it) in arguments.iter().enumerate() {
        let Argument::Array(array) = it else { continue };
        match first {
            Some((with, of)) if of.data.len() == array.data.len() => {
                return vec![Overlap { argument, with, offset: 0 }];
            }
            Some(_) => {}
            None => first = Some((argument, array)),
        }
    }
    Vec::new()
}

/// Events after which two right functions may differ.
fn has_no_value(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Overflow
            | EventKind::ShiftOutOfRange
            | EventKind::CountOfZero
            | EventKind::ConversionOutOfRange
            | EventKind::UninitializedRead
    )
}

fn difference(body: &Body, first: &Outcome, second: &Outcome) -> Option<String> {
    if let Some(event) =
        second.events.iter().find(|it| !first.events.iter().any(|old| old.kind == it.kind))
    {
        return Some(format!("the function after has an error: {}", event.kind.message()));
    }
    if bits(&first.returned) != bits(&second.returned) {
        return Some(format!(
            "it returns {:?} before and {:?} after",
            first.returned, second.returned
        ));
    }
    for (index, (a, b)) in first.arguments.iter().zip(&second.arguments).enumerate() {
        let (Argument::Array(a), Argument::Array(b)) = (a, b) else { continue };
        if a.data == b.data {
            continue;
        }
        let size = a.dtype.bytes().max(1);
        let at = a.data.chunks(size).zip(b.data.chunks(size)).position(|(a, b)| a != b)?;
        let value = |array: &interp::Array| {
            array.get_f64(at).map_or_else(|| "other bits".to_owned(), |it| it.to_string())
        };
        let (old, new) = (value(a), value(b));
        return Some(format!(
            "`{}[{}]` is {old} before and {new} after",
            name(body, index),
            position(&a.shape, at)
        ));
    }
    None
}

fn bits(value: &Option<Argument>) -> Option<Vec<u64>> {
    match value.as_ref()? {
        Argument::Int(it) => Some(vec![*it as u64]),
        Argument::Float(it) => Some(vec![it.to_bits()]),
        Argument::Array(it) => Some(it.data.iter().map(|&it| it.into()).collect()),
    }
}

/// The indices of an element of a row-major array.
fn position(shape: &[i64], mut at: usize) -> String {
    let mut indices = Vec::new();
    for &extent in shape.iter().rev() {
        let extent = extent.max(1) as usize;
        indices.push((at % extent).to_string());
        at /= extent;
    }
    indices.reverse();
    indices.join(", ")
}

fn name(body: &Body, index: usize) -> &str {
    match interp::buffer_of(body, index) {
        Some(buffer) => body.name(body.buffers[buffer].name),
        None => body.name(body.values[body.params[index].value].name),
    }
}

/// The most elements that are shown.
const SHOWN: usize = 16;

fn described(body: &Body, arguments: &[Argument]) -> Vec<(String, String)> {
    let describe = |argument: &Argument| match argument {
        Argument::Int(value) => value.to_string(),
        Argument::Float(value) => value.to_string(),
        Argument::Array(array) => {
            let mut elements: Vec<String> = (0..array.len().min(SHOWN))
                .map(|at| array.get_f64(at).map_or_else(|| "?".to_owned(), |it| it.to_string()))
                .collect();
            if array.len() > SHOWN {
                elements.push("…".to_owned());
            }
            let shape: Vec<String> = array.shape.iter().map(ToString::to_string).collect();
            format!("{}[{}] = [{}]", array.dtype, shape.join(", "), elements.join(", "))
        }
    };
    let named = |(index, it): (usize, &Argument)| (name(body, index).to_owned(), describe(it));
    arguments.iter().enumerate().map(named).collect()
}
