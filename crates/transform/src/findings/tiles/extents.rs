//! The extents of the operands of tile operations.
//!
//! In: an operand. Out: its buffer and, for each dimension, where it begins and how far it goes; an extent is a number
//! or not known. O(dimensions).

use ir::{BinaryOp, Body, BufferId, ExprId, ExprKind};

/// An operand that is (a part of) a buffer.
pub(super) struct Part {
    pub(super) buffer: BufferId,
    /// By dimension: none that is not known.
    pub(super) extents: Vec<Option<i64>>,
}

impl Part {
    /// The extents that are not one, if all are known.
    pub(super) fn lengths(&self) -> Option<Vec<i64>> {
        let all: Option<Vec<i64>> = self.extents.iter().copied().collect();
        Some(all?.into_iter().filter(|&it| it != 1).collect())
    }
}

/// Returns true for a fragment of TileLang, which a layout spreads over the threads.
pub(super) fn is_fragment(body: &Body, buffer: BufferId) -> bool {
    body.scope_name(body.buffers[buffer].scope) == "local.fragment"
}

/// A number.
pub(super) fn number(body: &Body, expr: ExprId) -> Option<i64> {
    match body.expr(expr).kind {
        ExprKind::Int(it) => Some(it),
        _ => None,
    }
}

/// The part of a buffer that an operand is.
pub(super) fn part(body: &Body, operand: ExprId) -> Option<Part> {
    match body.expr(operand).kind {
        ExprKind::Buffer(buffer) if !body.has_unknown_rank(buffer) => {
            let shape = &body.buffers[buffer].shape;
            Some(Part { buffer, extents: shape.iter().map(|&it| number(body, it)).collect() })
        }
        ExprKind::Region(buffer, dims) if !body.has_unknown_rank(buffer) => {
            let shape = &body.buffers[buffer].shape;
            let dims = body.items(dims);
            if dims.len() != shape.len() {
                return None;
            }
            let extent = |(&dim, &all): (&ExprId, &ExprId)| match body.expr(dim).kind {
                ExprKind::Slice { step: Some(_), .. } => None,
                ExprKind::Slice { lower: None, upper: None, .. } => number(body, all),
                ExprKind::Slice { lower: None, upper: Some(it), .. } => number(body, it),
                ExprKind::Slice { lower: Some(lower), upper: Some(upper), .. } => {
                    difference(body, lower, upper)
                }
                ExprKind::Slice { .. } => None,
                _ => Some(1),
            };
            Some(Part { buffer, extents: dims.iter().zip(shape).map(extent).collect() })
        }
        _ => None,
    }
}

/// Where a part of a dimension begins, and how far it goes, if that is known.
pub(super) fn slice(body: &Body, dim: ExprId) -> Option<(ExprId, i64)> {
    match body.expr(dim).kind {
        ExprKind::Slice { lower: Some(lower), upper: Some(upper), step: None } => {
            Some((lower, difference(body, lower, upper)?))
        }
        _ => None,
    }
}

/// How much one expression is more than another, if they differ by a number.
fn difference(body: &Body, lower: ExprId, upper: ExprId) -> Option<i64> {
    let ((a, low), (b, high)) = (split(body, lower), split(body, upper));
    (a == b).then(|| high.checked_sub(low)).flatten()
}

/// An expression as something plus a number.
fn split(body: &Body, expr: ExprId) -> (Option<ExprId>, i64) {
    match body.expr(expr).kind {
        ExprKind::Int(it) => (None, it),
        ExprKind::Binary(BinaryOp::Add, a, b) => match (number(body, a), number(body, b)) {
            (None, Some(it)) => (Some(a), it),
            (Some(it), None) => (Some(b), it),
            _ => (Some(expr), 0),
        },
        _ => (Some(expr), 0),
    }
}
