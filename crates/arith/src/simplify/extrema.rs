//! Chains of `min` or of `max` of integers, as one operator on a list of operands.
//!
//! An operand that another one is never beyond goes; the others stand in the order of operands. A chain of more than
//! [`MOST_OPERANDS`] is taken apart no further: O(operands^2) questions a node, at most.

use ir::{BinaryOp, ExprId, ExprKind};

use super::{At, Rewrite, Simplifier, order};

/// Operands that are compared by their difference.
const MOST_COMPARED: usize = 3;
/// Operands of one chain.
const MOST_OPERANDS: usize = 8;

impl Simplifier<'_> {
    /// The chain without operands that never count.
    pub(super) fn extremum(&mut self, at: At, expr: ExprId) -> Option<Rewrite> {
        let node = self.body().expr(expr);
        let ExprKind::Binary(op @ (BinaryOp::Min | BinaryOp::Max), ..) = node.kind else {
            return None;
        };
        if !node.ty.prim().is_some_and(|it| it.is_integer() && it.is_scalar()) {
            return None;
        }
        let mut operands = self.extremum_operands(op, expr);
        let n_operands = operands.len();
        let is_short = n_operands <= MOST_COMPARED;
        let mut place = 0;
        while place < operands.len() {
            let others = operands.iter().enumerate().filter(|it| it.0 != place);
            let others: Vec<ExprId> = others.map(|it| *it.1).collect();
            if others.iter().any(|&it| self.is_beyond(at, op, it, operands[place], is_short)) {
                operands.remove(place);
            } else {
                place += 1;
            }
        }
        let rule = match (operands.len() < n_operands, op) {
            (false, _) => "operand-order",
            (_, BinaryOp::Min) => "min-operand",
            _ => "max-operand",
        };
        operands.sort_by(|&a, &b| order::compare(self.body(), a, b));
        let mut operands = operands.into_iter();
        let first = operands.next()?;
        Some((operands.fold(first, |total, it| self.binary(op, total, it)), rule))
    }

    fn extremum_operands(&self, op: BinaryOp, expr: ExprId) -> Vec<ExprId> {
        let mut operands = vec![expr];
        let mut place = 0;
        while place < operands.len() {
            match self.body().expr(operands[place]).kind {
                ExprKind::Binary(it, a, b) if it == op && operands.len() < MOST_OPERANDS => {
                    operands.splice(place..=place, [a, b]);
                }
                _ => place += 1,
            }
        }
        operands
    }

    /// Returns true if `one` is never beyond `other`, so that the other does not count.
    fn is_beyond(
        &mut self,
        at: At,
        op: BinaryOp,
        one: ExprId,
        other: ExprId,
        is_short: bool,
    ) -> bool {
        let (low, high) = if op == BinaryOp::Min { (one, other) } else { (other, one) };
        if self.holds(at, BinaryOp::Le, low, high) {
            return true;
        }
        if self.analyzer.sampled().is_refuted(at.ctx, BinaryOp::Le, low, high) {
            return false;
        }
        let is_sum = |it: &Self, expr| it.addends(expr).is_some();
        if !is_short || !is_sum(self, low) && !is_sum(self, high) {
            return false;
        }
        // The difference may tell.
        let cond = self.binary(BinaryOp::Le, low, high);
        let simple = self.simplified(at, cond);
        self.as_bool(simple) == Some(true)
    }
}
