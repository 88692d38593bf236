//! Guards of functions with dynamic shapes, before and after the pass `simplify`.
//!
//! Counted: `if`s, block predicates, the comparisons in their conditions, and guards right inside of another one. Where
//! the pass changed a function, both forms are run on small shapes, whole launches with all their blocks and threads,
//! and every byte of every argument is compared. Where fixed extents make that too much work, both run the same sample
//! of their iterations and blocks, with all threads of these, and the report notes it. Runs with an event or an error
//! in the original are left out: the pass may remove those. A sample may read an element that an omitted iteration
//! would have written; these reads give a fixed pattern, in both forms equally often. O(function) beside the pass and
//! the runs.

use ir::effects::EffectTable;
use std::fmt;

use interp::{Argument, Event, EventKind, OnError, Options, Outcome, RunErrorKind};
use ir::{BinaryOp, Body, ExprId, ExprKind, OpId, OpKind, ValueKind};
use transform::passes::Pass;

use crate::conformance::inputs;
use crate::conformance::report::Report;

/// Extents of shape variables, by position: one element, around sizes of blocks and vectors, all alike and all
/// different.
const SHAPES: [&[i64]; 8] =
    [&[1], &[2], &[5, 3, 6, 4, 7, 2], &[1, 3], &[3, 1], &[17, 2], &[2, 33], &[9, 8, 1]];
/// Evaluated nodes of one run.
const MAX_STEPS: u64 = 3_000_000;
/// Iterations of a loop and blocks of a dimension, the last one among them: all, or where that is too much work the
/// first of these that is not.
const SAMPLES: [Option<u32>; 5] = [None, Some(8), Some(4), Some(2), Some(1)];

/// Guards, comparisons in them, and guards that hold nothing but another guard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Guards {
    pub(super) guards: usize,
    pub(super) comparisons: usize,
    pub(super) stacked: usize,
}

/// The verdict of the runs of both forms of a function.
#[derive(Clone, Debug)]
enum Runs {
    /// The pass changed nothing.
    Unchanged,
    /// Equal on this many shapes, in whole runs or on some in samples of their iterations.
    Same { shapes: usize, is_whole: bool },
    /// No shape gives a run without event, and why the last one does not.
    None(String),
    /// On these shapes they differ.
    Differ(String),
}

/// Of one function, or of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    name: String,
    functions: usize,
    pub(super) before: Guards,
    pub(super) after: Guards,
    runs: Option<Runs>,
    same: usize,
    /// Of [`Counts::same`], those of which some run was a sample.
    sampled: usize,
    differ: usize,
    not_run: usize,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Counts) {
        self.functions += other.functions;
        for (sum, it) in [(&mut self.before, other.before), (&mut self.after, other.after)] {
            sum.guards += it.guards;
            sum.comparisons += it.comparisons;
            sum.stacked += it.stacked;
        }
        match other.runs {
            Some(Runs::Same { is_whole, .. }) => {
                self.same += 1;
                self.sampled += usize::from(!is_whole);
            }
            Some(Runs::Differ(_)) => self.differ += 1,
            Some(Runs::None(_)) => self.not_run += 1,
            Some(Runs::Unchanged) | None => {}
        }
    }

    /// Functions that do the same on all shapes that were run.
    pub(super) fn same(&self) -> usize {
        self.same
    }

    /// Functions that were run.
    pub(super) fn run(&self) -> usize {
        self.same + self.differ
    }

    pub(super) fn sums(&self) -> String {
        let (change, run) = (self.change(), self.run());
        format!(
            "{} functions; {change}; changed and run {run}, the same {} ({} in samples of their iterations); \
             changed and not run {}",
            self.functions, self.same, self.sampled, self.not_run
        )
    }

    /// Lists the function where the report wants it.
    pub(super) fn write(&self, report: &mut Report) {
        if self.before != self.after {
            report.list(4, "guards of dynamic shapes before and after", self.to_string());
        }
        if self.after.stacked > 0 {
            report.list(5, "guards right inside of another guard are left", self.to_string());
        }
        match &self.runs {
            Some(Runs::Differ(why)) => {
                report.list(3, "other results after the pass", format!("{}: {why}", self.name));
            }
            Some(Runs::None(why)) => {
                let title = "changed functions of dynamic shapes that are not run";
                report.list(7, title, format!("{}: {why}", self.name));
            }
            Some(Runs::Unchanged | Runs::Same { .. }) | None => {}
        }
    }

    fn change(&self) -> String {
        let (old, new) = (self.before, self.after);
        format!(
            "guards {} -> {}, comparisons in them {} -> {}, guards right inside of another one {} -> {}",
            old.guards, new.guards, old.comparisons, new.comparisons, old.stacked, new.stacked
        )
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.change())?;
        match &self.runs {
            Some(Runs::Same { shapes, is_whole }) => {
                let of = if *is_whole { "" } else { ", in samples of the iterations" };
                write!(f, "; the same on {shapes} shapes{of}")
            }
            Some(Runs::None(_)) => write!(f, "; not run"),
            _ => Ok(()),
        }
    }
}

/// Returns true if an extent of a parameter is a variable.
pub(super) fn is_dynamic(body: &Body) -> bool {
    let is_symbol = |it: ir::ValueId| {
        matches!(body.values[it].kind, ValueKind::Symbol) || body.values[it].is_size
    };
    body.values.ids().any(is_symbol)
}

/// The guards of a function before and after.
pub(super) fn count(name: &str, body: &Body) -> Counts {
    let after = Pass::Simplify.run(body, EffectTable::builtin());
    Counts {
        name: name.to_owned(),
        functions: 1,
        before: guards(body),
        after: guards(&after),
        runs: Some(runs(body, &after)),
        ..Counts::default()
    }
}

fn runs(before: &Body, after: &Body) -> Runs {
    if before == after {
        return Runs::Unchanged;
    }
    let (mut shapes, mut is_whole) = (0, true);
    let mut reason = String::new();
    for shape in SHAPES {
        let inputs = match inputs::make_sized(before, shape) {
            Ok(inputs) => inputs,
            Err(why) => return Runs::None(why),
        };
        let arguments: Vec<Argument> = inputs.iter().map(inputs::Input::argument).collect();
        for max_trips in SAMPLES {
            let options = Options {
                max_steps: MAX_STEPS,
                max_trips,
                on_error: OnError::Event,
                ..Options::default()
            };
            let run = |body| interp::run(body, arguments.clone(), &options);
            let is_sampled =
                |it: &&Event| max_trips.is_some() && it.kind == EventKind::UninitializedRead;
            let old = match run(before) {
                Ok(old) => match old.events.iter().find(|it| !is_sampled(it)) {
                    None => old,
                    Some(event) => {
                        reason = format!("{}: {}", event.kind.name(), event.detail);
                        break;
                    }
                },
                Err(error) => {
                    let is_limit = error.kind == RunErrorKind::StepLimit;
                    reason = error.message;
                    if is_limit {
                        continue;
                    }
                    break;
                }
            };
            match run(after) {
                Ok(new) if counts(&new) == counts(&old) && bytes(&new) == bytes(&old) => {
                    shapes += 1
                }
                Ok(_) => return Runs::Differ(format!("shape variables {shape:?}")),
                Err(error) => return Runs::Differ(format!("shape variables {shape:?}: {error}")),
            }
            is_whole &= max_trips.is_none();
            break;
        }
    }
    if shapes == 0 { Runs::None(reason) } else { Runs::Same { shapes, is_whole } }
}

/// The events of a run, and how often each came.
fn counts(outcome: &Outcome) -> Vec<(EventKind, u64)> {
    outcome.events.iter().map(|it| (it.kind, it.count)).collect()
}

/// Returns the results of a run, as bytes.
fn bytes(outcome: &Outcome) -> Vec<Vec<u8>> {
    let of = |argument: &Argument| match argument {
        Argument::Array(array) => array.data.clone(),
        Argument::Int(value) => value.to_le_bytes().to_vec(),
        Argument::Float(value) => value.to_bits().to_le_bytes().to_vec(),
    };
    outcome.arguments.iter().chain(&outcome.returned).map(of).collect()
}

fn guards(body: &Body) -> Guards {
    let mut found = Guards::default();
    for op in body.ops_preorder() {
        let operation = &body.ops[op];
        let condition = match operation.kind {
            OpKind::If => operation.operands.first(),
            OpKind::SBlock(block) if body.sblocks[block].has_predicate => operation.operands.last(),
            _ => None,
        };
        if let Some(&condition) = condition {
            found.guards += 1;
            found.comparisons += comparisons(body, condition);
        }
        found.stacked += usize::from(holds_a_guard_only(body, op));
    }
    found
}

/// Returns true if an `if` without `else` holds nothing but another one.
fn holds_a_guard_only(body: &Body, op: OpId) -> bool {
    let only = |op: OpId| {
        let operation = &body.ops[op];
        let is_guard = operation.kind == OpKind::If && operation.regions.len() == 1;
        let region = *operation.regions.first().filter(|_| is_guard)?;
        match body.blocks[body.regions[region].blocks[0]].ops[..] {
            [inner] => Some(inner),
            _ => None,
        }
    };
    only(op).is_some_and(|it| body.ops[it].kind == OpKind::If && body.ops[it].regions.len() == 1)
}

fn comparisons(body: &Body, condition: ExprId) -> usize {
    let mut found = 0;
    let mut stack = vec![condition];
    while let Some(at) = stack.pop() {
        let kind = body.expr(at).kind;
        found +=
            usize::from(matches!(kind, ExprKind::Binary(op, ..) if BinaryOp::is_comparison(op)));
        body.each_child(kind, &mut |it| stack.push(it));
    }
    found
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

    #[test]
    fn a_function_is_run_as_a_whole_if_it_can_be() {
        let found = runs(&body(1, "i < n"), &body(1, "i + 1 <= n"));
        assert!(matches!(found, Runs::Same { shapes: 8, is_whole: true }), "{found:?}");
    }

    #[test]
    fn a_large_function_is_run_in_samples() {
        let found = runs(&body(64, "i < n"), &body(64, "i + 1 <= n"));
        assert!(matches!(found, Runs::Same { shapes: 8, is_whole: false }), "{found:?}");
    }

    #[test]
    fn a_wrong_guard_shows_in_samples_too() {
        let found = runs(&body(64, "i < n"), &body(64, "i <= n"));
        assert!(matches!(found, Runs::Differ(_)), "{found:?}");
    }
}
