//! The rewritten operands of a part: loop indices for thread indices, and each thread's own place in memory.

use ir::{
    AllocKind, BinaryOp, BlockId, Body, DataType, ExprId, ExprKind, ForKind, OpId, OpKind, ValueId,
};
use rustc_hash::FxHashMap;

use super::{Env, Rewriter, plan::Axis};
use crate::{
    edit::{map_expr, map_op},
    lists::constant,
};

impl Rewriter<'_> {
    pub(super) fn op(&self, body: &mut Body, op: OpId, env: &mut Env) {
        map_op(body, op, &mut |body, expr| self.expr(body, expr, env));
        if self.plan.opened.contains(&op) {
            body.ops[op].regions = [].into_iter().collect();
            if let OpKind::Alloc { buffer, .. } = body.ops[op].kind {
                body.ops[op].kind = OpKind::Alloc { buffer, kind: AllocKind::Flat };
            }
        }
        if let OpKind::Store { buffer, .. } = body.ops[op].kind
            && let Some(&elements) = self.places.get(&buffer)
        {
            let index = body.ops[op].operands[1];
            body.ops[op].operands[1] = self.own_place(body, index, elements, env.thread);
        }
    }

    pub(super) fn expr(&self, body: &mut Body, expr: ExprId, env: &mut Env) -> ExprId {
        let (values, thread) = (&env.values, env.thread);
        map_expr(body, expr, &mut env.memo, &mut |body, at| {
            let node = body.expr(at);
            match node.kind {
                ExprKind::Value(value) => values.get(&value).copied().unwrap_or(at),
                ExprKind::Load { buffer, indices, predicate } => {
                    let Some(&elements) = self.places.get(&buffer) else { return at };
                    let Some(&index) = body.items(indices).first() else { return at };
                    let index = self.own_place(body, index, elements, thread);
                    let indices = body.list(&[index]);
                    body.make(ExprKind::Load { buffer, indices, predicate }, node.ty)
                }
                _ => at,
            }
        })
    }

    /// An index of memory that has a place for each thread.
    fn own_place(&self, body: &mut Body, index: ExprId, elements: i64, thread: ExprId) -> ExprId {
        let dtype = body.dtype(index).unwrap_or(self.dtype);
        let elements = body.int(elements.into(), self.dtype);
        let first = times(body, thread, elements);
        let first = body.cast(first, dtype.element());
        match body.expr(index).kind {
            ExprKind::Int(0) => first,
            ExprKind::Ramp { base, stride, lanes } => {
                let base = body.binary(BinaryOp::Add, first, base);
                body.make(ExprKind::Ramp { base, stride, lanes }, dtype.into())
            }
            _ if dtype.is_scalar() => body.binary(BinaryOp::Add, first, index),
            _ => {
                let lanes = dtype.bytes() / dtype.element().bytes().max(1);
                let lanes = body.int(lanes as i128, DataType::INT32);
                let value = ExprKind::Broadcast { value: first, lanes };
                let first = body.make(value, dtype.into());
                body.binary(BinaryOp::Add, first, index)
            }
        }
    }
}

/// A loop over an axis at the end of a block; the block that it repeats.
pub(super) fn open_loop(
    body: &mut Body,
    axis: &Axis,
    into: BlockId,
    values: &mut FxHashMap<ValueId, ExprId>,
) -> BlockId {
    let (zero, extent) = (body.int(0, axis.dtype), as_type(body, axis.extent, axis.dtype));
    let op = body.push_op(into, OpKind::For(ForKind::Serial), &[zero, extent]);
    let region = body.push_region(op);
    let inner = body.entry(region);
    let name = body.name(body.values[axis.vars[0]].name).to_owned();
    let var = body.new_block_arg(inner, &name, axis.dtype.into());
    let index = body.value_expr(var);
    for &old in &axis.vars {
        let dtype = body.values[old].ty.prim().unwrap_or(axis.dtype);
        values.insert(old, body.cast(index, dtype));
    }
    inner
}

/// The first index of a launch, as the type of its variable.
pub(super) fn zero_of(body: &mut Body, value: ValueId) -> ExprId {
    let dtype = body.values[value].ty.prim().unwrap_or(DataType::INT32);
    body.int(0, dtype)
}

/// A number as another integer type.
pub(super) fn as_type(body: &mut Body, expr: ExprId, dtype: DataType) -> ExprId {
    match constant(body, expr) {
        Some(value) => body.int(value.into(), dtype),
        None => body.cast(expr, dtype),
    }
}

/// A product; constants are multiplied.
pub(super) fn times(body: &mut Body, a: ExprId, b: ExprId) -> ExprId {
    match (constant(body, a), constant(body, b), body.dtype(a)) {
        (Some(1), _, _) => b,
        (_, Some(1), _) => a,
        (Some(x), Some(y), Some(dtype)) => body.int(i128::from(x) * i128::from(y), dtype),
        _ => body.binary(BinaryOp::Mul, a, b),
    }
}
