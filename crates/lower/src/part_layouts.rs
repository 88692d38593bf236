//! Pointers, strides and offsets of matched parts of buffers.
//!
//! In: declarations of parts whose pointer, strides or offset are used (`match_buffers`), of buffers that have their
//! last extents. Out: no declarations of parts; a part's pointer is that of the buffer, its strides are those of the
//! buffer, and its offset is where its first element is in the buffer (TVM's `LowerMatchBuffer`). What is computed from
//! constants alone then is a constant. Linear in the operations and in the nodes of each.

use ir::{
    BinaryOp, Body, BufferField, BufferId, BufferOrigin, DataType, ExprId, ExprKind, OpId,
    RegionDim, ValueId,
};
use rustc_hash::FxHashMap;

use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{folded, map_expr, map_op, rebuild_blocks, same_type},
    match_buffers::part_of,
};

pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    let ops: Vec<OpId> = body.ops_preorder().collect();
    if !ops.iter().any(|&op| part_of(body, op).is_some()) {
        return Ok(());
    }
    let mut layouts = Layouts::default();
    for &op in &ops {
        let mut memo = FxHashMap::default();
        map_op(body, op, &mut |body, expr| {
            map_expr(body, expr, &mut memo, &mut |body, at| layouts.value(body, at))
        });
        if let Some(part) = part_of(body, op) {
            layouts.add(body, part);
        }
    }
    rebuild_blocks(body, body.root, &mut |body, _, op, new| {
        if part_of(body, op).is_none() {
            new.push(op);
        }
    });
    Ok(())
}

/// The place of a part in its buffer.
struct Layout {
    of: BufferId,
    offset: ExprId,
    strides: Vec<ExprId>,
}

#[derive(Default)]
struct Layouts {
    of: FxHashMap<BufferId, Layout>,
    /// Variables that layouts give their values, and those.
    variables: FxHashMap<ValueId, ExprId>,
}

impl Layouts {
    fn add(&mut self, body: &mut Body, part: BufferId) {
        let data = body.buffers[part].clone();
        let BufferOrigin::MatchRegion(region) = &data.origin else { return };
        let whole = body.buffers[region.buffer].clone();
        let all = match &whole.strides {
            Some(strides) if !strides.is_empty() => strides.clone(),
            _ => compact_strides(body, &whole.shape),
        };
        let mut offset = whole.elem_offset.unwrap_or_else(|| body.int(0, DataType::INT32));
        for (dim, &stride) in region.dims.iter().zip(&all) {
            let (RegionDim::Point(at) | RegionDim::Slice { lower: Some(at), .. }) = *dim else {
                continue;
            };
            let (at, stride) = same_type(body, at, stride);
            let term = folded(body, BinaryOp::Mul, at, stride);
            let (sum, term) = same_type(body, offset, term);
            offset = folded(body, BinaryOp::Add, sum, term);
        }
        let strides = all[all.len().saturating_sub(data.shape.len())..].to_vec();
        for (&name, &stride) in data.strides.iter().flatten().zip(&strides) {
            self.give(body, name, stride);
        }
        if let Some(name) = data.elem_offset {
            self.give(body, name, offset);
        }
        self.of.insert(part, Layout { of: region.buffer, offset, strides });
    }

    fn give(&mut self, body: &mut Body, name: ExprId, value: ExprId) {
        if let ExprKind::Value(variable) = body.expr(name).kind {
            let value = match body.dtype(name) {
                Some(dtype) => body.cast(value, dtype),
                None => value,
            };
            self.variables.insert(variable, value);
        }
    }

    /// A variable or field of a layout as its value.
    fn value(&self, body: &mut Body, expr: ExprId) -> ExprId {
        let node = body.expr(expr);
        match node.kind {
            ExprKind::Value(value) => self.variables.get(&value).copied().unwrap_or(expr),
            ExprKind::Binary(op, a, b) => folded(body, op, a, b),
            ExprKind::BufferField(part, field) => {
                let Some(layout) = self.of.get(&part) else { return expr };
                let value = match field {
                    BufferField::Data => {
                        return body.buffer_field(layout.of, BufferField::Data, node.ty);
                    }
                    BufferField::ElemOffset => Some(layout.offset),
                    BufferField::Stride(at) => layout.strides.get(at as usize).copied(),
                    BufferField::Shape(at) => body.buffers[part].shape.get(at as usize).copied(),
                };
                match (value, node.ty) {
                    (Some(value), ir::Type::Prim(dtype)) => body.cast(value, dtype),
                    _ => expr,
                }
            }
            _ => expr,
        }
    }
}

/// Elements between neighbours along each dimension, without gaps.
fn compact_strides(body: &mut Body, shape: &[ExprId]) -> Vec<ExprId> {
    let one = body.int(1, DataType::INT32);
    let mut strides = vec![one; shape.len()];
    for dim in (0..shape.len().saturating_sub(1)).rev() {
        let (lhs, rhs) = same_type(body, shape[dim + 1], strides[dim + 1]);
        strides[dim] = folded(body, BinaryOp::Mul, lhs, rhs);
    }
    strides
}
