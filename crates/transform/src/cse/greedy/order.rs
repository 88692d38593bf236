//! The order in which values are visited: a value before its parts.
//!
//! In: the facts and the lists. Out: the classes of several occurrences, the largest first. A value is as large as its
//! largest form, in which variables count as their definitions, so that a form that names a part does not come after
//! the part. O(nodes + n log n).

use ir::{Body, ExprId, ExprKind, OpKind, ValueKind, arena::Id};

use super::lists::Lists;
use crate::cse::{
    Work,
    facts::Facts,
    values::{Class, Values},
};

/// The classes of several occurrences, those with the largest expressions first.
pub(super) fn largest_first(
    facts: &Facts<'_>,
    values: &Values<'_>,
    lists: &Lists,
    sizes: &[u32],
    work: &mut Work,
) -> Vec<Class> {
    let mut sorted = Vec::new();
    for class in 0..values.len() as Class {
        ir::interrupt::check();
        let list = lists.of(class);
        if list.len() < 2 {
            continue;
        }
        work.visited += list.len() as u64;
        let size = list.iter().map(|&it| {
            let expr = facts.occurrences[it].expr;
            (sizes[expr.index()], facts.body.expr(expr).size, expr)
        });
        sorted.extend(size.max().map(|it| (it, class)));
    }
    work.visited += sizes.len() as u64;
    work.compared += (sorted.len() * size_of::<((u32, u32, ExprId), Class)>()) as u64;
    sorted.sort_unstable();
    sorted.into_iter().rev().map(|it| it.1).collect()
}

/// Returns the expression that a variable is bound to.
fn definition(body: &Body, expr: ExprId) -> Option<ExprId> {
    let ExprKind::Value(value) = body.expr(expr).kind else { return None };
    let ValueKind::Result(op, _) = body.values[value].kind else { return None };
    let data = &body.ops[op];
    (data.kind == OpKind::Bind).then(|| data.operands.first().copied()).flatten()
}

/// The size of each node with its variables written out, saturating.
pub(super) fn written_out(body: &Body) -> Vec<u32> {
    const OPEN: u32 = u32::MAX;
    let mut sizes = vec![0; body.n_exprs()];
    let mut stack: Vec<ExprId> = Vec::new();
    for (expr, _) in body.exprs() {
        stack.push(expr);
        while let Some(&at) = stack.last() {
            let is_open = sizes[at.index()] == OPEN;
            if sizes[at.index()] != 0 && !is_open {
                stack.pop();
                continue;
            }
            let mark = stack.len();
            let mut size = 1u32;
            let mut add = |below: ExprId| match sizes[below.index()] {
                0 if !is_open => stack.push(below),
                // A variable bound to itself is an error of the program (B5).
                0 | OPEN => {}
                below => size = size.saturating_add(below),
            };
            match definition(body, at) {
                Some(definition) => add(definition),
                None => body.each_child(body.expr(at).kind, &mut add),
            }
            sizes[at.index()] = if stack.len() > mark { OPEN } else { size.min(OPEN - 1) };
            if stack.len() == mark {
                stack.pop();
            }
        }
    }
    sizes
}
