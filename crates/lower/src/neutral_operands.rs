//! Integer arithmetic with neutral operands, or with constants alone, that earlier passes left is folded.
//!
//! In: a body after the other passes, which put constants in the places of variables: `(bx + 0) * 512`, `0 * 32 + tx`.
//! Out: the same without these (`bx * 512`, `tx`). Only constants are dropped, or operands multiplied by 0 and free of
//! effects; a division by 0 and a constant that its type cannot hold stay (`SEMANTICS: I1`, `E8`). Floats stay:
//! `x + 0.0` is not `x` where `x` is `-0.0`. This asks nothing of the analyzer, so it costs little: one look at each
//! node, and a rebuild only if there is such a node. Linear.

use ir::{
    BinaryOp, Body, DataType, ExprId, ExprKind,
    arena::Id as _,
    fold::{Folded, fold},
};

use super::{LowerOptions, LowerRefusal, Origins, lists::rebuild_operands};

pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    if !(0..body.n_exprs()).any(|it| comes_to(body, ExprId::new(it)).is_some()) {
        return Ok(());
    }
    rebuild_operands(body, &mut folded);
    Ok(())
}

fn folded(body: &mut Body, expr: ExprId) -> ExprId {
    match comes_to(body, expr) {
        Some(Value::Operand(it)) => it,
        Some(Value::Constant(value, dtype)) => body.int(value.into(), dtype),
        None => expr,
    }
}

/// The simplified form of an operation.
enum Value {
    Operand(ExprId),
    Constant(i64, DataType),
}

fn comes_to(body: &Body, expr: ExprId) -> Option<Value> {
    use BinaryOp::{Add, Div, FloorDiv, FloorMod, Max, Min, Mod, Mul, Sub};
    let ExprKind::Binary(op, lhs, rhs) = body.expr(expr).kind else { return None };
    let is_constant = |it: ExprId| matches!(body.expr(it).kind, ExprKind::Int(_));
    if !is_constant(lhs) && !is_constant(rhs) {
        return None;
    }
    let dtype = body.dtype(expr).filter(|it| it.is_int() && it.is_scalar() && it.bits >= 32)?;
    let is_free = |it: ExprId| {
        let flags = body.expr(it).flags;
        !(flags.has_impure || flags.has_unknown || flags.has_captured)
    };
    if !matches!(op, Add | Sub | Mul | Div | FloorDiv | Mod | FloorMod | Min | Max) {
        return None;
    }
    match fold(body, op, lhs, rhs, dtype) {
        Folded::Left if is_free(rhs) => Some(Value::Operand(lhs)),
        Folded::Right if is_free(lhs) => Some(Value::Operand(rhs)),
        Folded::Int(value, _) if is_free(lhs) && is_free(rhs) => {
            let value = i64::try_from(value).ok()?;
            let fits = dtype.bits > 32 || i32::try_from(value).is_ok();
            fits.then_some(Value::Constant(value, dtype))
        }
        _ => None,
    }
}
