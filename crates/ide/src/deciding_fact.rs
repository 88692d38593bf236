//! The fact that shows that an operator on integers does not trap, as a person would write it.

use arith::Analyzer;
use ir::{BinaryOp, Body, DataType, ExprId, ExprKind, Type, ValueId, ValueKind, print::expr_text};

/// Expressions of more nodes make no fact that a person would write.
const MAX_NODES: u32 = 16;

/// The fact that shows that an operator does not trap; none if it is not about integers alone, and none about variables
/// of loops and threads alone: they take all values of their ranges, which are known.
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
    let is_of_range = |it: &ValueId| matches!(body.values[*it].kind, ValueKind::BlockArg(..));
    if names(body, [about]).iter().all(is_of_range) {
        return None;
    }
    (!node.flags.has_load && !node.flags.has_call && !node.flags.has_unknown).then_some(fact)
}

/// The text of an operand of a comparison.
fn operand(body: &Body, expr: ExprId) -> Option<String> {
    (body.expr(expr).size <= MAX_NODES).then(|| expr_text(body, expr))
}

/// The same fact as conditions that all hold.
pub(crate) fn conditions(analyzer: &mut Analyzer<'_>, culprit: ExprId) -> Vec<ExprId> {
    match analyzer.body().expr(culprit).kind {
        ExprKind::Binary(op, _, divisor) if op.is_division() => vec![analyzer.grow(|body| {
            let zero = number_beside(body, divisor, 0);
            body.binary(BinaryOp::Gt, divisor, zero)
        })],
        ExprKind::Binary(BinaryOp::Shl | BinaryOp::Shr, value, amount) => analyzer.grow(|body| {
            let n_bits = body.dtype(value).map_or(0, |it| it.bits);
            let [zero, end] = [0, n_bits.into()].map(|it| number_beside(body, amount, it));
            vec![body.binary(BinaryOp::Le, zero, amount), body.binary(BinaryOp::Lt, amount, end)]
        }),
        _ => Vec::new(),
    }
}

/// A number of the type of an expression.
pub(crate) fn number_beside(body: &mut Body, expr: ExprId, number: i64) -> ExprId {
    let dtype = body.dtype(expr).unwrap_or(DataType::INT64);
    body.int(number.into(), dtype)
}

/// The variables in some expressions.
pub(crate) fn names(body: &Body, about: impl IntoIterator<Item = ExprId>) -> Vec<ValueId> {
    let mut names = Vec::new();
    let mut todo: Vec<ExprId> = about.into_iter().collect();
    while let Some(expr) = todo.pop() {
        let kind = body.expr(expr).kind;
        if let ExprKind::Value(value) = kind {
            names.push(value);
        }
        body.each_child(kind, &mut |child| todo.push(child));
    }
    names
}
