//! The number of an element: indices times strides.
//!
//! In: buffers as they become, and a body whose accesses name them as they were. Out: the accesses with one index a
//! group of dimensions. The index of a vector is a `Ramp` where it was one. Constants are added and multiplied; all
//! else is left to `simplify`. Linear.

use ir::{
    BinaryOp, Body, BufferField, BufferId, DataType, ExprId, ExprKind, Lanes, OpId, OpKind,
    arena::Id as _,
};

use super::Flat;
use crate::lists::{WIDE, constant, rebuild_operands};

/// Writes all accesses of flattened buffers anew.
pub(super) fn rewrite_accesses(body: &mut Body, flat: &[Option<Flat>]) {
    let of = |buffer: BufferId| flat.get(buffer.index()).and_then(Option::as_ref);
    rebuild_operands(body, &mut |body, at| {
        let ExprKind::Load { buffer, indices, predicate } = body.expr(at).kind else { return at };
        let Some(it) = of(buffer) else { return at };
        let indices = body.items(indices).to_vec();
        let indices = flatten(body, buffer, it, &indices);
        body.load(it.to, &indices, predicate)
    });
    let ops: Vec<OpId> = body.ops_preorder().collect();
    for op in ops {
        let OpKind::Store { buffer, predicated } = body.ops[op].kind else { continue };
        let Some(it) = of(buffer) else { continue };
        let operands = body.ops[op].operands.clone();
        let end = operands.len() - usize::from(predicated);
        let mut new = vec![operands[0]];
        new.extend(flatten(body, buffer, it, &operands[1..end]));
        new.extend(&operands[end..]);
        body.ops[op].operands = new.into();
        body.ops[op].kind = OpKind::Store { buffer: it.to, predicated };
    }
}

/// The indices of the groups.
fn flatten(body: &mut Body, buffer: BufferId, it: &Flat, indices: &[ExprId]) -> Vec<ExprId> {
    let is_wide = !it.plan.is_small
        || indices.iter().any(|&at| body.dtype(at).is_none_or(|it| !it.is_int() || it.bits > 32));
    let dtype = if is_wide { WIDE } else { DataType::INT32 };
    let mut ends = it.plan.groups[1..].to_vec();
    ends.push(indices.len());
    let mut flat = Vec::new();
    for (&from, to) in it.plan.groups.iter().zip(ends) {
        let dims = indices[from..to].iter().copied().zip(it.strides[from..to].iter().cloned());
        let mut terms: Vec<_> = dims.collect();
        if it.plan.adds_offset {
            let offset = body.buffer_field(buffer, BufferField::ElemOffset, DataType::INT32.into());
            terms.push((offset, (1, Vec::new())));
        }
        flat.push(sum(body, &terms, dtype));
    }
    flat
}

/// The sum of indices times strides. The last index may be a vector.
fn sum(body: &mut Body, terms: &[(ExprId, (i64, Vec<ExprId>))], dtype: DataType) -> ExprId {
    let mut scalar: Option<ExprId> = None;
    let mut constants = 0i64;
    let mut vector = None;
    for (index, (factor, others)) in terms {
        if !body.dtype(*index).is_none_or(DataType::is_scalar) {
            vector = Some((*index, *factor, others.clone()));
            continue;
        }
        let term = times(body, *index, *factor, others, Some(dtype));
        match constant(body, term).and_then(|it| it.checked_add(constants)) {
            Some(it) => constants = it,
            None => {
                scalar = Some(match scalar {
                    None => term,
                    Some(sum) => body.binary(BinaryOp::Add, sum, term),
                });
            }
        }
    }
    if constants != 0 || (scalar.is_none() && vector.is_none()) {
        let constants = body.int(constants.into(), dtype);
        scalar = Some(match scalar {
            None => constants,
            Some(sum) => body.binary(BinaryOp::Add, sum, constants),
        });
    }
    match (vector, scalar) {
        (None, Some(scalar)) => scalar,
        (None, None) => body.int(0, dtype),
        (Some((vector, factor, others)), scalar) => {
            add_vector(body, vector, factor, &others, scalar, dtype)
        }
    }
}

/// A vector of indices times a stride, plus the part that is the same in all lanes.
fn add_vector(
    body: &mut Body,
    vector: ExprId,
    factor: i64,
    others: &[ExprId],
    scalar: Option<ExprId>,
    dtype: DataType,
) -> ExprId {
    let lanes = body.dtype(vector).map_or(Lanes::Fixed(1), |it| it.lanes);
    let wide = dtype.with_lanes(lanes);
    if let ExprKind::Ramp { base, stride, lanes } = body.expr(vector).kind {
        let mut base = times(body, base, factor, others, Some(dtype));
        let stride = times(body, stride, factor, others, Some(dtype));
        if let Some(scalar) = scalar {
            base = match constant(body, base) {
                Some(0) => scalar,
                _ => body.binary(BinaryOp::Add, scalar, base),
            };
        }
        return body.make(ExprKind::Ramp { base, stride, lanes }, wide.into());
    }
    let count = match lanes {
        Lanes::Fixed(it) | Lanes::Scalable(it) => body.int(it.into(), DataType::INT32),
    };
    let spread = |body: &mut Body, value: ExprId| {
        body.make(ExprKind::Broadcast { value, lanes: count }, wide.into())
    };
    let mut sum = body.cast(vector, wide);
    if factor != 1 || !others.is_empty() {
        let one = body.int(1, dtype);
        let stride = times(body, one, factor, others, Some(dtype));
        let stride = spread(body, stride);
        sum = body.binary(BinaryOp::Mul, sum, stride);
    }
    if let Some(scalar) = scalar {
        let scalar = spread(body, scalar);
        sum = body.binary(BinaryOp::Add, scalar, sum);
    }
    sum
}

/// `expr * factor * others…`, of a type if one is given.
pub(super) fn times(
    body: &mut Body,
    expr: ExprId,
    factor: i64,
    others: &[ExprId],
    dtype: Option<DataType>,
) -> ExprId {
    let mut product = convert(body, expr, dtype);
    let dtype = body.dtype(product).unwrap_or(WIDE);
    for &other in others {
        let other = convert(body, other, Some(dtype));
        product = body.binary(BinaryOp::Mul, product, other);
    }
    match constant(body, product).and_then(|it| it.checked_mul(factor)) {
        Some(it) => body.int(it.into(), dtype),
        None if factor == 1 => product,
        None => {
            let factor = body.int(factor.into(), dtype);
            body.binary(BinaryOp::Mul, product, factor)
        }
    }
}

fn convert(body: &mut Body, expr: ExprId, dtype: Option<DataType>) -> ExprId {
    let Some(dtype) = dtype else { return expr };
    match constant(body, expr) {
        Some(value) => body.int(value.into(), dtype),
        None => body.cast(expr, dtype),
    }
}
