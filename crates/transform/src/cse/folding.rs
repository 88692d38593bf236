//! Operands that TVM drops as it reads them, beside values that it folds for some values of captured names.
//!
//! `(x % k) * (8 // y)` is 0 for `k = 1`, and no division is left. With a name for `x % k` TVM does not see the zero, so
//! the division runs, and may fail (`SEMANTICS: S5`, `G3`).
//!
//! In: an occurrence. Out: an operand around it that is dropped so and may fail. O(operators around that may be
//! constants): few, and none without a captured name.

use dataflow::flow::{may_become_constant, may_fold_away};
use ir::{BinaryOp, ExprId, ExprKind, OccurrenceId};

use super::{facts::Facts, sharing::Sharing};

/// The operand that may fail, which is certain to be evaluated if the occurrence has a name, and is not without one.
pub(super) fn dropped_beside(facts: &Facts<'_>, occurrence: OccurrenceId) -> Option<ExprId> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let mut at = occurrence;
    while may_become_constant(body, occurrences[at].expr) {
        let parent = occurrences[at].parent?;
        if let ExprKind::Binary(op, a, b) = body.expr(occurrences[parent].expr).kind {
            let index = occurrences.index_in(parent, at);
            let beside = 1 - index.min(1);
            // The right side of `and` and `or` is evaluated where the left one asks for it, folded or not.
            let is_lazy = matches!(op, BinaryOp::And | BinaryOp::Or) && index == 0;
            let dropped = [a, b][beside];
            if !is_lazy && may_fold_away(body, op, [a, b], beside) && may_fail(facts, dropped) {
                return Some(dropped);
            }
        }
        at = parent;
    }
    None
}

/// Returns true if an operand may trap, read what is not there, call something, or overflow.
fn may_fail(facts: &Facts<'_>, expr: ExprId) -> bool {
    let flags = facts.body.expr(expr).flags;
    facts.culprit(expr).is_some()
        || flags.has_load
        || flags.has_call
        || facts.sharing(expr).intersects(Sharing::SUM)
}
