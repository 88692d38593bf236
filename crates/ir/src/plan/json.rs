//! Plans as JSON, for editors, scripts and `explain --format json`.
//!
//! In: a plan, its body, and a function that gives places in the text. Out: a JSON object with the name of its schema
//! and its version ([`PLAN_VERSION`]). Fields are only added within a version. Expressions are given as text, places in
//! the form that the caller's function returns (offsets, lines and columns with a path); the output contains no id of
//! the body.
//!
//! ```json
//! { "schema": "tir-analyzer.cse-plan", "version": 2, "preset": "default", "function": "f", "informational": false,
//!   "groups": [{ "expression": "x * y", "type": "int32", "occurrences": [ … ], "cost": 1, "saved": 1, "equivalence": "syntactic",
//!                "decision": { "kind": "bind", "binding": 0 } }],
//!   "bindings": [{ "name": "cse_v1", "group": 0, "before": …, "replaces": [ … ], "uses": [] }] }
//! ```
//!
//! A binding that is a `T.Let` inside an expression has `within`: the place that it is around, or `value_of`, the
//! binding in whose value it is.
//!
//! Kinds of decisions: `bind` (`binding`), `reuse` (`variable`, `bound_by`, `replaces`), `covered` (`by`), `insert`
//! (`cell`), `refuse` (`reason`, which [`super::docs`] explains, and its place).
//!
//! `cells` has the partial redundancies, done or not: `name`, `group`, `value`, `before`, `replaces`, and `stores`,
//! each with `before` (the operation that computes it anyway) or `branch` and `arm` (`then`, `else`) at whose end it is
//! inserted.

use rustc_hash::FxHashSet;
use serde_json::{Map, Value, json};

use super::{
    CellPlace, CellStore, CseBinding, CseCell, CseGroup, CsePlan, Decision, Equivalence,
    PLAN_VERSION, Part, Refusal, Within,
};
use crate::{Body, ExprId, OccurrenceId, OpId, print::expr_text};

/// Name of the schema.
pub const SCHEMA: &str = "tir-analyzer.cse-plan";

/// Larger expressions (in nodes) are given by their place only: `null` as text.
pub const TEXT_LIMIT: u32 = 256;

/// Something of a plan that has a place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// An occurrence.
    Occurrence(OccurrenceId),
    /// An operation.
    Operation(OpId),
}

/// The plan as JSON. `place` gives the form of a place; `null` where there is none.
pub fn to_json(body: &Body, plan: &CsePlan, place: &dyn Fn(Place) -> Value) -> Value {
    let writer = Writer { body, place };
    json!({
        "schema": SCHEMA,
        "version": PLAN_VERSION,
        "preset": plan.preset.name(),
        "function": &*body.name,
        "informational": plan.informational,
        "groups": plan.groups.iter().map(|it| writer.group(it)).collect::<Vec<_>>(),
        "bindings": plan.bindings.iter().map(|it| writer.binding(it)).collect::<Vec<_>>(),
        "cells": plan.cells.iter().map(|it| writer.cell(it)).collect::<Vec<_>>(),
    })
}

fn equivalence_name(equivalence: Equivalence) -> &'static str {
    match equivalence {
        Equivalence::Syntactic => "syntactic",
        Equivalence::Commutative => "commutative",
        Equivalence::Associative => "associative",
        Equivalence::Arithmetic => "arithmetic",
    }
}

struct Writer<'a> {
    body: &'a Body,
    place: &'a dyn Fn(Place) -> Value,
}

impl Writer<'_> {
    fn group(&self, group: &CseGroup) -> Value {
        json!({
            "expression": self.text(group.expr),
            "type": self.body.dtype(group.expr).map(|it| it.to_string()),
            "occurrences": self.occurrences(&group.occurrences),
            "cost": group.cost,
            "saved": group.saved,
            "equivalence": equivalence_name(group.equivalence),
            "host_rounding": group.host_rounding,
            "exposed_to": group.exposed_to.map(|it| it.name()),
            "decision": self.decision(&group.decision),
        })
    }

    fn decision(&self, decision: &Decision) -> Value {
        match decision {
            Decision::Bind(binding) => json!({ "kind": "bind", "binding": binding }),
            Decision::Reuse(reuse) => json!({
                "kind": "reuse",
                "variable": reuse.name(self.body),
                "bound_by": (self.place)(Place::Operation(reuse.bound_by)),
                "replaces": self.occurrences(&reuse.replaces),
            }),
            Decision::Insert(cell) => json!({ "kind": "insert", "cell": cell }),
            Decision::Covered { by } => json!({ "kind": "covered", "by": by }),
            Decision::Refuse(refusal) => self.refusal(*refusal),
        }
    }

    fn refusal(&self, refusal: Refusal) -> Value {
        let mut object = Map::new();
        object.insert("kind".to_owned(), json!("refuse"));
        object.insert("reason".to_owned(), json!(refusal.name()));
        match refusal {
            Refusal::MayTrap { culprit, guarded } => {
                object.insert("culprit".to_owned(), json!(self.text(culprit)));
                object.insert("guarded".to_owned(), (self.place)(Place::Occurrence(guarded)));
            }
            Refusal::NoBindingSite { before } => {
                object.insert("before".to_owned(), (self.place)(Place::Operation(before)));
            }
            Refusal::Memory { write, what, around } => {
                object.insert("what".to_owned(), json!(what.name()));
                object.insert("write".to_owned(), (self.place)(Place::Operation(write)));
                if let Some(around) = around {
                    object.insert("loop".to_owned(), (self.place)(Place::Operation(around)));
                }
            }
            Refusal::PartialRedundancy { cell, obstacle } => {
                object.insert("cell".to_owned(), json!(cell));
                object.insert("obstacle".to_owned(), json!(obstacle.name()));
            }
            Refusal::Overflow { value } => {
                object.insert("value".to_owned(), (self.place)(Place::Occurrence(value)));
            }
            Refusal::Simplifies { to } => {
                object.insert("to".to_owned(), json!(self.text(to)));
            }
            Refusal::Folds { beside } => {
                object.insert("beside".to_owned(), json!(self.text(beside)));
            }
            Refusal::ImpureCall { callee } => {
                object.insert("callee".to_owned(), json!(self.body.name(callee)));
            }
            _ => {}
        }
        Value::Object(object)
    }

    fn binding(&self, binding: &CseBinding) -> Value {
        let mut value = self.statement(binding);
        if let (Some(within), Some(object)) = (binding.within, value.as_object_mut()) {
            let within = match within {
                Within::Occurrence(it) => (self.place)(Place::Occurrence(it)),
                Within::Value(of) => json!({ "value_of": of }),
            };
            object.insert("within".to_owned(), within);
        }
        value
    }

    fn statement(&self, binding: &CseBinding) -> Value {
        json!({
            "name": &*binding.name,
            "group": binding.group,
            "value": self.text(binding.expr),
            "before": (self.place)(Place::Operation(binding.before)),
            "replaces": self.occurrences(&binding.replaces),
            "uses": numbers(&binding.uses),
            "reuses": numbers(&binding.reuses),
        })
    }

    fn cell(&self, cell: &CseCell) -> Value {
        json!({
            "name": &*cell.name,
            "group": cell.group,
            "value": self.text(cell.expr),
            "before": (self.place)(Place::Operation(cell.before)),
            "stores": cell.stores.iter().map(|it| self.store(it)).collect::<Vec<_>>(),
            "replaces": self.occurrences(&cell.replaces),
        })
    }

    fn store(&self, store: &CellStore) -> Value {
        let (uses, reuses) = (numbers(&store.uses), numbers(&store.reuses));
        match store.at {
            CellPlace::Before(op) => json!({
                "before": (self.place)(Place::Operation(op)),
                "uses": uses,
                "reuses": reuses,
            }),
            CellPlace::EndOfArm { branch, arm } => json!({
                "branch": (self.place)(Place::Operation(branch)),
                "arm": if arm == 0 { "then" } else { "else" },
                "uses": uses,
                "reuses": reuses,
            }),
        }
    }

    /// The text of an expression; `None` for a large one, which its place identifies: the groups of a long chain would
    /// repeat it once for each of its parts.
    fn text(&self, expr: ExprId) -> Option<String> {
        (self.body.expr(expr).size <= TEXT_LIMIT).then(|| expr_text(self.body, expr))
    }

    fn occurrences(&self, occurrences: &[OccurrenceId]) -> Vec<Value> {
        occurrences.iter().map(|&it| (self.place)(Place::Occurrence(it))).collect()
    }
}

/// Returns the numbers of the parts, each once.
fn numbers(parts: &[Part]) -> Vec<usize> {
    let mut seen = FxHashSet::default();
    parts.iter().map(|it| it.of).filter(|&it| seen.insert(it)).collect()
}
