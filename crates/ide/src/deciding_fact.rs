//! The fact that shows that an operator on integers does not trap, as a person would write it.

use ir::{BinaryOp, Body, ExprId, ExprKind, Type, print::expr_text};

/// Expressions of more nodes make no fact that a person would write.
const MAX_NODES: u32 = 16;

/// The fact that shows that an operator does not trap; none if it is not about integers alone.
pub(crate) fn fact(body: &Body, culprit: ExprId) -> Option<String> {
    let (about, fact) = match body.expr(culprit).kind {
        ExprKind::Binary(op, _, divisor) if op.is_division() => {
            (divisor, format!("{} > 0", operand(body, divisor)?))
        }
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, _, amount) => {
            let Type::Prim(dtype) = body.ty(culprit) else { return None };
            let text = operand(body, amount)?;
            (amount, format!("0 <= {text} and {text} < {}", dtype.bits))
        }
        _ => return None,
    };
    let node = body.expr(about);
    (!node.flags.has_load && !node.flags.has_call && !node.flags.has_unknown).then_some(fact)
}

/// The text of an operand of a comparison.
fn operand(body: &Body, expr: ExprId) -> Option<String> {
    (body.expr(expr).size <= MAX_NODES).then(|| expr_text(body, expr))
}
