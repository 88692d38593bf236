//! Constants that TVM makes while it reads a text: of literals, and of captured values, which are numbers by then.
//!
//! In: an expression. Out: whether it may be such a constant (`SEMANTICS: G3`). As one it is judged where it stands,
//! before anything runs: a divisor that is 0 is refused, and a number that is converted must fit. O(1): what has many
//! nodes may be one.

use crate::{
    BinaryOp, Body, ExprId, ExprKind, Type,
    effects::{EffectTable, Trap, TrapKind},
};

/// Nodes that are looked at.
const MAX_NODES: usize = 64;

/// Returns true if an expression may be a compile-time constant that is unknown here: captured values are in it, and
/// TVM folds it for some values of them (`SEMANTICS: G3`): `k + 1`, `x * k`, `x % k`; not `x + k`, nor a load or a
/// call.
pub fn may_become_constant(body: &Body, expr: ExprId) -> bool {
    body.expr(expr).flags.has_captured && may_be_constant(body, expr)
}

/// The same, of an expression that may be a constant that is known here too.
pub fn may_be_constant(body: &Body, expr: ExprId) -> bool {
    look(body, expr, &mut 0)
}

fn look(body: &Body, expr: ExprId, n_seen: &mut usize) -> bool {
    *n_seen += 1;
    if *n_seen > MAX_NODES {
        return true;
    }
    let node = body.expr(expr);
    let mut of = |it: ExprId| look(body, it, n_seen);
    let is_open = |it: ExprId| body.expr(it).flags.has_captured;
    match node.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Value(value) => body.is_captured(value),
        // A division, or another operator, of values whose type is not known.
        ExprKind::Call { args, .. } if node.ty.is_open() && !node.flags.has_unknown => {
            body.items(args).iter().all(|&it| of(it))
        }
        // TVM keeps a `Select` whatever it is of.
        ExprKind::Load { .. } | ExprKind::Call { .. } | ExprKind::Select(..) => false,
        ExprKind::Binary(op, a, b) => {
            let (left, right) = (of(a), of(b));
            left && right
                || match op {
                    BinaryOp::Mul
                    | BinaryOp::Mod
                    | BinaryOp::FloorMod
                    | BinaryOp::And
                    | BinaryOp::Or => left && is_open(a) || right && is_open(b),
                    BinaryOp::Div | BinaryOp::FloorDiv => left && is_open(a),
                    _ => false,
                }
        }
        kind => {
            let mut all = node.flags.has_captured || !node.is_leaf();
            body.each_child(kind, &mut |it| all &= of(it));
            all
        }
    }
}

/// Returns true if the `index`-th operand of a node is judged while the text is read, should it be a constant: a
/// divisor, and what is converted from or to a type that Python decides.
pub fn is_judged(body: &Body, effects: &EffectTable, parent: ExprId, index: usize) -> bool {
    match body.expr(parent).kind {
        ExprKind::Binary(op, ..) => index == 1 && op.is_division(),
        // A promotion to a type that nobody knows cannot fail.
        ExprKind::Cast(of) => {
            let ty = body.ty(parent);
            ty != Type::Unknown && (ty.is_open() || body.ty(of).is_open())
        }
        ExprKind::Call { .. } => {
            index == 1 && effects.own_trap(body, parent) == Trap::Cond(TrapKind::Division)
        }
        _ => false,
    }
}
