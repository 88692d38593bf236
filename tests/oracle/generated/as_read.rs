//! The body that reading the text of another one gives: where a name was inserted, the reader may fold an operator that
//! it kept before, and where a statement was put beside `pass`, it leaves that out.

use std::collections::BTreeMap;

use ir::{
    BinaryOp, Body, ExprId, ExprKind, Occurrences, OpId, OpKind,
    fold::{self, Folded},
};

/// The body with `T.min` and `T.max` of a variable and itself folded, as the reader does, and `pass` only where nothing
/// else stands. Buffers have no such extents here.
pub(super) fn as_read(body: &Body) -> Body {
    let mut new = body.clone();
    for block in body.blocks.ids() {
        let (idle, others): (Vec<OpId>, Vec<OpId>) =
            body.blocks[block].ops.iter().partition(|it| is_idle(body, **it));
        if !idle.is_empty() && !others.is_empty() {
            new.blocks[block].ops = others;
        }
    }
    let mut known = BTreeMap::new();
    let ops: Vec<_> = new.ops_preorder().collect();
    for op in ops {
        for at in 0..new.ops[op].operands.len() {
            let operand = new.ops[op].operands[at];
            new.ops[op].operands[at] = folded(&mut new, &mut known, operand);
        }
    }
    new
}

/// Returns true if it is the lowering of `pass`.
fn is_idle(body: &Body, op: OpId) -> bool {
    let operation = &body.ops[op];
    operation.kind == OpKind::Evaluate && body.expr(operation.operands[0]).is_constant()
}

fn folded(body: &mut Body, known: &mut BTreeMap<ExprId, ExprId>, expr: ExprId) -> ExprId {
    if let Some(&done) = known.get(&expr) {
        return done;
    }
    let new = body.map_children(expr, &mut |body, it| folded(body, known, it));
    let new = match body.expr(new).kind {
        ExprKind::Binary(op @ (BinaryOp::Min | BinaryOp::Max), a, b) => {
            let dtype = body.dtype(a);
            match dtype.map(|it| fold::fold(body, op, a, b, it)) {
                Some(Folded::Left) => a,
                _ => new,
            }
        }
        _ => new,
    };
    known.insert(expr, new);
    new
}

/// Returns true if a body has an operator on constants that reading its text would fold: `~4` is `-5`.
pub(super) fn folds_constants(body: &Body) -> bool {
    let is_constant = |it| body.expr(it).is_constant();
    Occurrences::collect(body).iter().any(|(_, it)| match body.expr(it.expr).kind {
        ExprKind::Binary(_, left, right) => is_constant(left) && is_constant(right),
        ExprKind::Unary(_, operand) | ExprKind::Cast(operand) => is_constant(operand),
        _ => false,
    })
}
