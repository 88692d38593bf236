//! The overview for programs.
//!
//! ```json
//! { "schema": "tir-analyzer.report", "version": 1, "files": 2, "functions": 3, "symbolicExtent": 64,
//!   "savings": [{ "path": "a.py", "line": 6, "column": 7, "function": "main", "expression": "n * 4", "name": "cse_v1",
//!                 "decision": "bind", "informational": false, "cost": 1, "evaluations": 2, "estimated": false, "operations": 2 }],
//!   "sameFunctions": [{ "places": [{ "path": "a.py", "line": 5, "column": 5, "function": "main" }] }],
//!   "sameExpressions": [{ "expression": "n * 4 + 1", "nodes": 5, "places": [ … ] }],
//!   "refused": [{ "reason": "may-trap", "groups": 1 }] }
//! ```
//!
//! Lists are sorted by weight, then by place. `operations` is `cost` × `evaluations`: of one call of the function, with
//! every extent that is no constant taken as `symbolicExtent`; `estimated` is true where that was needed. Fields are
//! only added within a version.

use serde_json::{Value, json};

use super::{Overview, Saving, Spot, executions::SYMBOLIC};

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
        "savings": overview.savings.iter().take(limit).map(saving).collect::<Vec<_>>(),
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

fn saving(it: &Saving) -> Value {
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
