//! The occurrences that have the form that a variable was made from.
//!
//! In the run the variables of lets are variables, in the body they are numbers of binders ([`crate::cse::binders`]):
//! an occurrence with the same text about the same variables has another node in another let. O(occurrences) once, if
//! anything was made inside of a let, and O(nodes with free bound variables) a question.

use ir::{Body, ExprId, ExprKind, OccurrenceId, arena::Id};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::{pool::tag_of, run::Made};
use crate::cse::{binders, facts::Facts};

/// Answers the question.
pub(super) struct Forms<'a> {
    facts: &'a Facts<'a>,
    /// By occurrence: the binders around it; none where no value has free bound variables.
    depths: Option<Vec<u32>>,
}

impl<'a> Forms<'a> {
    pub(super) fn new(facts: &'a Facts<'a>, made: &[Made]) -> Forms<'a> {
        let is_open = |it: &Made| facts.body.expr(it.origin).flags.open_binders > 0;
        let is_needed = made.iter().any(is_open);
        let depths = is_needed.then(|| binders::depths(facts.body, facts.occurrences));
        Forms { facts, depths }
    }

    /// Returns true if the occurrence, which has the value, is written like the binding's value.
    pub(super) fn is_written(&self, made: &Made, occurrence: OccurrenceId) -> bool {
        let expr = self.facts.occurrences[occurrence].expr;
        let depth = self.depths.as_ref().map_or(made.depth, |it| it[occurrence.index()]);
        are_same(self.facts.body, (made.origin, made.depth), (expr, depth))
    }

    /// Returns true if an occurrence of the binding's node, in the expression that its let encloses, has the value:
    /// free bound variables belong to other lets elsewhere.
    pub(super) fn has_value(&self, made: &Made, occurrence: OccurrenceId) -> bool {
        let is_open = self.facts.body.expr(made.origin).flags.open_binders > 0;
        !is_open || self.depths.as_ref().is_none_or(|it| it[occurrence.index()] == made.depth)
    }
}

/// Returns true if two nodes, each with the number of binders around it, are the same text about the same variables.
fn are_same(body: &Body, (a, at_a): (ExprId, u32), (b, at_b): (ExprId, u32)) -> bool {
    let mut seen = FxHashSet::default();
    let mut stack = vec![(a, b, 0)];
    while let Some((a, b, inside)) = stack.pop() {
        let (one, other) = (body.expr(a), body.expr(b));
        let is_closed = one.flags.open_binders.max(other.flags.open_binders) <= inside;
        let is_same = match (one.kind, other.kind) {
            _ if is_closed || at_a == at_b => a == b,
            (ExprKind::Bound(i), ExprKind::Bound(j)) => i.min(j) >= inside && i + at_b == j + at_a,
            _ => one.ty == other.ty && tag_of(body, a) == tag_of(body, b),
        };
        if !is_same {
            return false;
        }
        if a == b && (is_closed || at_a == at_b) || !seen.insert((a, b, inside)) {
            continue;
        }
        let (of_a, of_b) = (operands(body, a), operands(body, b));
        stack.extend(of_a.iter().zip(&of_b).map(|(a, b)| (a.0, b.0, inside + a.1)));
    }
    true
}

/// The operands of a node, each with the binders that the node puts around it.
fn operands(body: &Body, expr: ExprId) -> SmallVec<[(ExprId, u32); 4]> {
    let kind = body.expr(expr).kind;
    let mut found = SmallVec::new();
    body.each_child(kind, &mut |child| {
        found.push((child, binders::added(kind, found.is_empty())));
    });
    found
}
