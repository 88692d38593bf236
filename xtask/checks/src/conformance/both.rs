//! Two forms of one function, run on the same inputs: they must leave the same bytes.
//!
//! Whole launches with all their blocks and threads are run, on each of the shapes given. Where fixed extents make that
//! too much work, both run the same sample of their iterations and blocks, with all threads of these. Runs with an
//! event or an error in the original are left out: a pass may remove those. A sample may read an element that an
//! omitted iteration would have written; such a read gives a fixed pattern, in both forms, and a pass may remove some.
//! NaN is equal to NaN of any payload (`SEMANTICS: F8`).

use interp::{Argument, Event, EventKind, OnError, Options, Outcome, RunErrorKind};
use ir::{Body, ExprKind, ValueKind};

use crate::conformance::{agreement, inputs};

/// Extents of shape variables, by position: one element, around sizes of blocks and vectors, all alike and all
/// different.
const SHAPES: [&[i64]; 8] =
    [&[1], &[2], &[5, 3, 6, 4, 7, 2], &[1, 3], &[3, 1], &[17, 2], &[2, 33], &[9, 8, 1]];
/// Iterations of a loop and blocks of a dimension, the last one among them: all, or where that is too much work the
/// first of these that is not.
const SAMPLES: [Option<u32>; 5] = [None, Some(8), Some(4), Some(2), Some(1)];

/// Bytes of all buffers of a function that is run.
const MAX_BYTES: i64 = 64 << 20;

/// The verdict of the runs of both forms of a function.
#[derive(Clone, Debug)]
pub(super) enum Runs {
    /// The forms are one.
    Unchanged,
    /// Equal on this many shapes, in whole runs or on some in samples of their iterations.
    Same { shapes: usize, is_whole: bool },
    /// No shape gives a run without event, and why the last one does not.
    None(String),
    /// On these shapes they differ.
    Differ(String),
}

/// Returns true if an extent of a parameter is a variable.
pub(super) fn is_dynamic(body: &Body) -> bool {
    let is_symbol = |it: ir::ValueId| {
        matches!(body.values[it].kind, ValueKind::Symbol) || body.values[it].is_size
    };
    body.values.ids().any(is_symbol)
}

/// The shapes that a function is to be run on: one if there is nothing to choose.
pub(super) fn shapes(body: &Body) -> &'static [&'static [i64]] {
    if is_dynamic(body) { &SHAPES } else { &SHAPES[..1] }
}

/// Runs both forms, each run evaluating no more than so many nodes.
pub(super) fn runs(before: &Body, after: &Body, shapes: &[&[i64]], max_steps: u64) -> Runs {
    if before == after {
        return Runs::Unchanged;
    }
    if bytes(before) > MAX_BYTES {
        return Runs::None("too much memory".to_owned());
    }
    let (mut same, mut is_whole) = (0, true);
    let mut reason = String::new();
    for shape in shapes {
        let inputs = match inputs::make_sized(before, shape) {
            Ok(inputs) => inputs,
            Err(why) => return Runs::None(why),
        };
        let arguments: Vec<Argument> = inputs.iter().map(inputs::Input::argument).collect();
        for max_trips in SAMPLES {
            match once([before, after], &arguments, max_trips, max_steps) {
                Once::Same => {
                    same += 1;
                    is_whole &= max_trips.is_none();
                    break;
                }
                Once::TooMuch(why) => reason = why,
                Once::Original(why) => {
                    reason = why;
                    break;
                }
                Once::Differ(why) if is_dynamic(before) => {
                    return Runs::Differ(format!("shape variables {shape:?}: {why}"));
                }
                Once::Differ(why) => return Runs::Differ(why),
            }
        }
    }
    if same == 0 { Runs::None(reason) } else { Runs::Same { shapes: same, is_whole } }
}

/// The bytes of all buffers of known shapes. Extents that are variables get small values.
fn bytes(body: &Body) -> i64 {
    let constant = |it: &ir::ExprId| match body.expr(*it).kind {
        ExprKind::Int(it) => it.max(0),
        _ => 1,
    };
    let of = |it: ir::BufferId| {
        let buffer = &body.buffers[it];
        let bytes = buffer.dtype.bytes() as i64;
        buffer.shape.iter().map(constant).fold(bytes, i64::saturating_mul)
    };
    body.buffers.ids().map(of).fold(0, i64::saturating_add)
}

/// The verdict of one run of each form.
enum Once {
    Same,
    /// The original takes more steps than it may.
    TooMuch(String),
    /// The original does not end well.
    Original(String),
    Differ(String),
}

fn once(
    [before, after]: [&Body; 2],
    arguments: &[Argument],
    max_trips: Option<u32>,
    max_steps: u64,
) -> Once {
    let options = Options { max_steps, max_trips, on_error: OnError::Event, ..Options::default() };
    let run = |body| interp::run(body, arguments.to_vec(), &options);
    let is_sampled = |it: &&Event| max_trips.is_some() && it.kind == EventKind::UninitializedRead;
    let old = match run(before) {
        Ok(old) => old,
        Err(error) if error.kind == RunErrorKind::StepLimit => {
            return Once::TooMuch(error.message);
        }
        Err(error) => return Once::Original(error.message),
    };
    if let Some(event) = old.events.iter().find(|it| !is_sampled(it)) {
        return Once::Original(format!("{}: {}", event.kind.name(), event.detail));
    }
    let new = match run(after) {
        Ok(new) => new,
        Err(error) => return Once::Differ(error.to_string()),
    };
    let Some(why) = more_events(&old, &new).or_else(|| difference(&old, &new)) else {
        return Once::Same;
    };
    // Where threads race, each order of them is right (`SEMANTICS: P2`). To find races takes time.
    let options = Options { find_races: true, ..options };
    let races = interp::run(before, arguments.to_vec(), &options);
    match races.map(|it| it.events.into_iter().find(|it| it.kind == EventKind::Race)) {
        Ok(Some(race)) => Once::Original(format!("{}: {}", race.kind.name(), race.detail)),
        _ => Once::Differ(why),
    }
}

/// The first kind of event that the second run has more often.
fn more_events(old: &Outcome, new: &Outcome) -> Option<String> {
    let of_kind = |outcome: &Outcome, kind: EventKind| -> u64 {
        outcome.events.iter().filter(|it| it.kind == kind).map(|it| it.count).sum()
    };
    let found = new.events.iter().find(|it| of_kind(new, it.kind) > of_kind(old, it.kind))?;
    Some(format!("{}: {}", found.kind.name(), found.detail))
}

/// The first difference of what two runs leave.
fn difference(old: &Outcome, new: &Outcome) -> Option<String> {
    let all = |it: &Outcome| it.arguments.iter().chain(&it.returned).cloned().collect::<Vec<_>>();
    let (old, new) = (all(old), all(new));
    if old.len() != new.len() {
        return Some("another number of results".to_owned());
    }
    let mut pairs = old.iter().zip(&new).enumerate();
    pairs.find_map(|(at, (old, new))| Some(format!("argument {at}: {}", of_argument(old, new)?)))
}

fn of_argument(old: &Argument, new: &Argument) -> Option<String> {
    match (old, new) {
        (Argument::Array(old), Argument::Array(new)) => {
            if old.data == new.data {
                return None;
            }
            // Formats that have no value as a number are compared by their bytes.
            let has_numbers = old.get_f64(0).is_some();
            agreement::bit_difference(old, new)
                .or_else(|| (!has_numbers).then(|| "other bytes".to_owned()))
        }
        (Argument::Int(old), Argument::Int(new)) if old == new => None,
        (Argument::Float(old), Argument::Float(new))
            if old.to_bits() == new.to_bits() || old.is_nan() && new.is_nan() =>
        {
            None
        }
        _ => Some(format!("{old:?} / {new:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::ours;

    /// Copies the first elements of an array, as many as the condition allows.
    fn body(iterations: u32, condition: &str) -> Body {
        let text = format!(
            "\
from typing import TypeVar
from tvm.script import tirx as T

n = TypeVar(\"n\")

@T.prim_func(s_tir=True)
def f(A: T.Buffer((n,)), B: T.Buffer((64,)), C: T.Buffer((64,))):
    for i in range({iterations}):
        if {condition}:
            for j in range(262144):
                C[i] = B[i]
"
        );
        ours::read(&text).functions.remove(0).lowered.body
    }

    fn compared(one: &Body, other: &Body) -> Runs {
        runs(one, other, &SHAPES, 3_000_000)
    }

    #[test]
    fn a_function_is_run_as_a_whole_if_it_can_be() {
        let found = compared(&body(1, "i < n"), &body(1, "i + 1 <= n"));
        assert!(matches!(found, Runs::Same { shapes: 8, is_whole: true }), "{found:?}");
    }

    #[test]
    fn a_large_function_is_run_in_samples() {
        let found = compared(&body(64, "i < n"), &body(64, "i + 1 <= n"));
        assert!(matches!(found, Runs::Same { shapes: 8, is_whole: false }), "{found:?}");
    }

    #[test]
    fn a_wrong_guard_shows_in_samples_too() {
        let found = compared(&body(64, "i < n"), &body(64, "i <= n"));
        assert!(matches!(found, Runs::Differ(_)), "{found:?}");
    }

    #[test]
    fn threads_that_race_have_no_result_to_compare() {
        let kernel = |statements: &str| {
            let text = format!(
                "\
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((1,), \"int32\")):
    tx = T.launch_thread(\"threadIdx.x\", 4)
{statements}"
            );
            ours::read(&text).functions.remove(0).lowered.body
        };
        let one =
            kernel("    if tx < 2:\n        A[0] = A[0] + 1\n    else:\n        A[0] = A[0] + 2\n");
        let other = kernel(
            "    y: T.let[T.int32] = A[0]\n    if tx < 2:\n        A[0] = y + 1\n    else:\n        A[0] = y + 2\n",
        );
        let found = compared(&one, &other);
        assert!(matches!(&found, Runs::None(why) if why.starts_with("race")), "{found:?}");
    }
}
