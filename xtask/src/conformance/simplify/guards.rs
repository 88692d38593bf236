//! Guards of functions with dynamic shapes, before and after the pass `simplify`.
//!
//! Counted: `if`s, block predicates, and the comparisons in their conditions. O(function) beside the pass.

use std::fmt;

use ir::{BinaryOp, Body, ExprId, ExprKind, OpKind, ValueKind};
use transform::passes::Pass;

/// Guards, and comparisons in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Guards {
    pub(super) guards: usize,
    pub(super) comparisons: usize,
}

/// Of one function, or of all.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    name: String,
    functions: usize,
    pub(super) before: Guards,
    pub(super) after: Guards,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Counts) {
        self.functions += other.functions;
        for (sum, it) in [(&mut self.before, other.before), (&mut self.after, other.after)] {
            sum.guards += it.guards;
            sum.comparisons += it.comparisons;
        }
    }

    pub(super) fn sums(&self) -> String {
        format!("{} functions; {}", self.functions, self.change())
    }

    fn change(&self) -> String {
        format!(
            "guards {} -> {}, comparisons in them {} -> {}",
            self.before.guards, self.after.guards, self.before.comparisons, self.after.comparisons
        )
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.change())
    }
}

/// Whether an extent of a parameter is a variable.
pub(super) fn is_dynamic(body: &Body) -> bool {
    let is_symbol = |it: ir::ValueId| {
        matches!(body.values[it].kind, ValueKind::Symbol) || body.values[it].is_size
    };
    body.values.ids().any(is_symbol)
}

/// The guards of a function before and after.
pub(super) fn count(name: &str, body: &Body) -> Counts {
    let after = Pass::Simplify.run(body);
    Counts { name: name.to_owned(), functions: 1, before: guards(body), after: guards(&after) }
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
    }
    found
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
