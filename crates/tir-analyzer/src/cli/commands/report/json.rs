//! The overview for programs.
//!
//! ```json
//! { "schema": "tir-analyzer.report", "version": 1, "files": 2, "functions": 3, "symbolicExtent": 64,
//!   "savings": [{ "path": "a.py", "line": 6, "column": 7, "function": "main", "expression": "n * 4", "name": "cse_v1",
//!                 "decision": "bind", "informational": false, "cost": 1, "evaluations": 2, "estimated": false,
//!                 "operations": 2, "share": 0.4 }],
//!   "byFunction": [{ "path": "a.py", "line": 5, "column": 5, "function": "main", "operations": 5, "share": 0.4,
//!                    "estimated": false, "values": 1 }],
//!   "sameFunctions": [{ "places": [{ "path": "a.py", "line": 5, "column": 5, "function": "main" }] }],
//!   "sameExpressions": [{ "expression": "n * 4 + 1", "nodes": 5, "places": [ … ] }],
//!   "refused": [{ "reason": "may-trap", "groups": 1 }] }
//! ```
//!
//! `byFunction` is sorted by `share`, the part of the operations of a call that can be saved; `savings` in its order,
//! the largest of a function first; the others by weight, then by place. `operations` is `cost` × `evaluations`: of one
//! call of the function, with every extent that is no constant taken as `symbolicExtent`; `estimated` is true where
//! that was needed. Fields are only added within a version.

use serde_json::{Value, json};

use super::{FunctionSavings, Overview, Saving, Spot, executions::SYMBOLIC};

/// Raised when a field changes its meaning or goes.
const VERSION: u32 = 1;

pub(super) fn report(overview: &Overview, limit: usize) -> String {
    let functions = overview.functions.iter().take(limit);
    let expressions = overview.expressions.iter().take(limit);
    let value = json!({
        "schema": "tir-analyzer.report",
        "version": VERSION,
        "files": overview.n_files,
        "functions": overview.n_functions,
        "symbolicExtent": SYMBOLIC,
        "savings": savings(overview).take(limit).collect::<Vec<_>>(),
        "byFunction": overview.savings.iter().take(limit).map(function).collect::<Vec<_>>(),
        "sameFunctions": functions.map(|it| json!({ "places": places(&it.places) })).collect::<Vec<_>>(),
        "sameExpressions": expressions
            .map(|it| json!({ "expression": it.what, "nodes": it.size, "places": places(&it.places) }))
            .collect::<Vec<_>>(),
        "refused": overview.refused.iter()
            .map(|(reason, n)| json!({ "reason": reason, "groups": n }))
            .collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn savings(overview: &Overview) -> impl Iterator<Item = Value> {
    let all = overview.savings.iter();
    all.flat_map(|of| of.savings.iter().map(|it| saving(it, of.share_of(it.total()))))
}

fn function(it: &FunctionSavings) -> Value {
    let mut value = place(&it.at);
    value["operations"] = json!(it.total);
    value["share"] = json!(it.share());
    value["estimated"] = json!(it.is_estimated());
    value["values"] = json!(it.savings.len());
    value
}

fn saving(it: &Saving, share: f64) -> Value {
    let mut value = place(&it.at);
    let more = json!({
        "expression": it.expression,
        "name": it.name,
        "decision": if it.is_reuse { "reuse" } else { "bind" },
        "informational": it.is_informational,
        "cost": it.cost,
        "evaluations": it.evaluations,
        "estimated": it.is_estimated,
        "operations": it.total(),
        "share": share,
    });
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
    value
}

fn places(all: &[Spot]) -> Vec<Value> {
    all.iter().map(place).collect()
}

fn place(at: &Spot) -> Value {
    json!({ "path": at.path, "line": at.line, "column": at.column, "function": at.function })
}
