//! Indices as sums of variables.
//!
//! In: an integer. Out: how much it grows with a variable, or the variable that it is a multiple of; none where its
//! form does not show that. Names are looked through. O(nodes).

use ir::{BinaryOp, Body, BufferId, ExprId, ExprKind, Type, ValueId, ValueKind};

use super::{
    extents::number,
    witness::{Key, Names, definition},
};

/// By how much an integer grows where a variable grows by one.
pub(super) fn coefficient(body: &Body, expr: ExprId, var: ValueId) -> Option<i128> {
    let of = |it: ExprId| ir::stack::with_room(|| coefficient(body, it, var));
    match body.expr(expr).kind {
        ExprKind::Value(value) if value == var => Some(1),
        ExprKind::Value(value) => match definition(body, value) {
            Some(definition) => of(definition),
            None => Some(0),
        },
        ExprKind::Binary(BinaryOp::Add, a, b) => of(a)?.checked_add(of(b)?),
        ExprKind::Binary(BinaryOp::Sub, a, b) => of(a)?.checked_sub(of(b)?),
        ExprKind::Binary(BinaryOp::Mul, a, b) => match (number(body, a), number(body, b)) {
            (Some(by), _) => of(b)?.checked_mul(i128::from(by)),
            (_, Some(by)) => of(a)?.checked_mul(i128::from(by)),
            _ => is_free_of(body, expr, var).then_some(0),
        },
        _ => is_free_of(body, expr, var).then_some(0),
    }
}

fn is_free_of(body: &Body, expr: ExprId, var: ValueId) -> bool {
    let mut names = Names::default();
    names.add(body, expr);
    !names.has(Key::Loop(var))
}

/// The variable and the number that an integer is the product of.
pub(super) fn multiple(body: &Body, expr: ExprId) -> Option<(ValueId, i64)> {
    match body.expr(expr).kind {
        ExprKind::Value(value) => match definition(body, value) {
            Some(definition) => ir::stack::with_room(|| multiple(body, definition)),
            None => Some((value, 1)),
        },
        ExprKind::Binary(BinaryOp::Mul, a, b) => {
            let (expr, by) = match (number(body, a), number(body, b)) {
                (Some(by), None) => (b, by),
                (None, Some(by)) => (a, by),
                _ => return None,
            };
            let (value, factor) = ir::stack::with_room(|| multiple(body, expr))?;
            Some((value, factor.checked_mul(by)?))
        }
        _ => None,
    }
}

/// Returns true if an integer is `size / by`, rounded up.
pub(super) fn is_rounded_up(body: &Body, expr: ExprId, size: ValueId, by: i64) -> bool {
    let ExprKind::Binary(BinaryOp::FloorDiv | BinaryOp::Div, sum, divisor) = body.expr(expr).kind
    else {
        return false;
    };
    let mut rest = (sum, 0i64);
    loop {
        let (expr, more) = match body.expr(rest.0).kind {
            ExprKind::Binary(BinaryOp::Add, a, b) => match (number(body, a), number(body, b)) {
                (None, Some(it)) => (a, it),
                (Some(it), None) => (b, it),
                _ => return false,
            },
            ExprKind::Binary(BinaryOp::Sub, a, b) => match number(body, b) {
                Some(it) => (a, it.wrapping_neg()),
                None => return false,
            },
            _ => break,
        };
        rest = (expr, rest.1.wrapping_add(more));
    }
    number(body, divisor) == Some(by)
        && rest.1 == by - 1
        && matches!(body.expr(rest.0).kind, ExprKind::Value(it) if it == size)
}

/// The size that a call gives (`T.dynamic`), if an extent is one.
pub(super) fn size(body: &Body, extent: ExprId) -> Option<ValueId> {
    let ExprKind::Value(value) = body.expr(extent).kind else { return None };
    let data = &body.values[value];
    let is_integer = matches!(data.ty, Type::Prim(it) if it.is_integer() && it.is_scalar());
    (data.kind == ValueKind::Captured && data.is_size && is_integer).then_some(value)
}

/// How far two neighbours of a loop lie from each other in a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stride {
    /// So many elements.
    Elements(i128),
    /// A number of rows, whose length is not known.
    Rows,
}

/// The distance of the elements of two iterations of the loop over a variable; none if that is not known, or is not the
/// same for all.
pub(super) fn stride(
    body: &Body,
    buffer: BufferId,
    indices: &[ExprId],
    var: ValueId,
) -> Option<Stride> {
    let data = &body.buffers[buffer];
    let (mut all, mut row) = (0i128, Some(1i128));
    for (&index, &extent) in indices.iter().zip(&data.shape).rev() {
        let by = coefficient(body, index, var)?;
        match row {
            _ if by == 0 => {}
            Some(row) => all = all.checked_add(by.checked_mul(row)?)?,
            None if all == 0 => return Some(Stride::Rows),
            None => return None,
        }
        row = row.zip(number(body, extent)).and_then(|it| it.0.checked_mul(i128::from(it.1)));
    }
    Some(Stride::Elements(all))
}
