//! Operands as values.

use ir::{Body, ExprId, ExprKind, ValueId};

/// The value that an operand is.
pub(super) fn value_of(body: &Body, expr: ExprId) -> Option<ValueId> {
    match body.expr(expr).kind {
        ExprKind::Value(value) => Some(value),
        _ => None,
    }
}
