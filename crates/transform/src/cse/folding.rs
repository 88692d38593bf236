//! Operands that TVM drops as it reads them, beside values that it folds for some values of captured names.
//!
//! `(x % k) * (8 // y)` is 0 for `k = 1`, and no division is left. With a name for `x % k` TVM does not see the zero,
//! so the division runs, and may fail (`SEMANTICS: S5`, `G3`).
//!
//! In: an occurrence. Out: an operand around it that is dropped so and may fail. O(operators around that may be
//! constants): few, and none without a captured name.

use dataflow::flow::may_fold_away;
use ir::{
    BinaryOp, ExprId, ExprKind, OccurrenceId, Type,
    effects::{Trap, TrapKind},
    role::may_become_constant,
};

use super::{facts::Facts, sharing::Sharing};

/// The operand that may fail, which is certain to be evaluated if the occurrence has a name, and is not without one.
pub(super) fn dropped_beside(facts: &Facts<'_>, occurrence: OccurrenceId) -> Option<ExprId> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let mut at = occurrence;
    while may_become_constant(body, occurrences[at].expr) {
        let parent = occurrences[at].parent?;
        let index = occurrences.index_in(parent, at);
        let dropped = match body.expr(occurrences[parent].expr).kind {
            ExprKind::Binary(op, a, b) => beside(facts, op, [a, b], index),
            // A division of a type that is not known is a call.
            ExprKind::Call { args, .. } if index == 0 => match *body.items(args) {
                [_, divisor] if divides(facts, occurrences[parent].expr, divisor) => Some(divisor),
                _ => None,
            },
            _ => None,
        };
        if dropped.is_some() {
            return dropped;
        }
        at = parent;
    }
    None
}

/// The operand beside that of an index, if it may be dropped and may fail.
fn beside(facts: &Facts<'_>, op: BinaryOp, operands: [ExprId; 2], index: usize) -> Option<ExprId> {
    let other = 1 - index.min(1);
    let dropped = operands[other];
    // The right side of `and` and `or` is evaluated where the left one asks for it, folded or not.
    let is_lazy = matches!(op, BinaryOp::And | BinaryOp::Or) && index == 0;
    // `0 // y` is dropped with its own failure.
    let fails =
        || may_fail(facts, dropped) || op.is_division() && may_be_no_divisor(facts, dropped);
    (!is_lazy && may_fold_away(facts.body, op, operands, other) && fails()).then_some(dropped)
}

/// Returns true if a call is a division that may fail.
fn divides(facts: &Facts<'_>, call: ExprId, divisor: ExprId) -> bool {
    facts.effects.own_trap(facts.body, call) == Trap::Cond(TrapKind::Division)
        && (may_fail(facts, divisor) || may_be_no_divisor(facts, divisor))
}

/// Returns true if a division by it may fail: by what is no literal other than 0 and -1.
fn may_be_no_divisor(facts: &Facts<'_>, mut divisor: ExprId) -> bool {
    // What TVM brings operands of unknown type to holds their values (`SEMANTICS: G3`).
    while let ExprKind::Cast(inner) = facts.body.expr(divisor).kind
        && facts.body.ty(divisor) == Type::Unknown
    {
        divisor = inner;
    }
    !matches!(facts.body.expr(divisor).kind, ExprKind::Int(it) if it != 0 && it != -1)
}

/// Returns true if an operand may trap, read what is not there, call something, or overflow.
fn may_fail(facts: &Facts<'_>, expr: ExprId) -> bool {
    let flags = facts.body.expr(expr).flags;
    facts.culprit(expr).is_some()
        || flags.has_load
        || flags.has_call
        || facts.sharing(expr).intersects(Sharing::SUM)
}
