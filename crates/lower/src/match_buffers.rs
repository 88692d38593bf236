//! Accesses through `T.match_buffer` of a region become accesses of the buffer that the region is part of.
//!
//! In: declarations of parts of buffers. Out: none; `B[i, j]` is `A[first + i, …]`, and `B.elem_offset`, `B.strides`
//! are replaced by their values. Refused: a part whose pointer or layout is asked for, one of another type, and one
//! with steps (`match-buffer`). Linear in the operations and in the nodes of each.

use ir::{
    BinaryOp, Body, BufferField, BufferId, BufferOrigin, DataType, ExprId, ExprKind, OpId, OpKind,
    RegionDim, ValueId,
};
use rustc_hash::FxHashMap;

use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{each_node, map_expr, map_op, rebuild_blocks},
};
use crate::reasons;

pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    let mut parts = Parts::default();
    let ops: Vec<OpId> = body.ops_preorder().collect();
    let is_part = |body: &Body, buffer: BufferId| {
        matches!(body.buffers[buffer].origin, BufferOrigin::MatchRegion(_))
    };
    if !ops.iter().any(
        |&op| matches!(body.ops[op].kind, OpKind::DeclBuffer { buffer } if is_part(body, buffer)),
    ) {
        return Ok(());
    }
    for &op in &ops {
        check_uses(body, op, &parts).map_err(|it| it.at(op))?;
        let mut memo = FxHashMap::default();
        map_op(body, op, &mut |body, expr| {
            map_expr(body, expr, &mut memo, &mut |body, at| access(body, at, &parts))
        });
        match body.ops[op].kind {
            OpKind::DeclBuffer { buffer } if is_part(body, buffer) => {
                let part = Part::of(body, buffer, &parts).map_err(|it| it.at(op))?;
                parts.add_layout(body, buffer, &part);
                parts.of.insert(buffer, part);
            }
            OpKind::Store { buffer, predicated } => {
                if let Some(part) = parts.of.get(&buffer) {
                    let operands = body.ops[op].operands.to_vec();
                    let n_indices = operands.len() - 1 - usize::from(predicated);
                    let mut new = vec![operands[0]];
                    new.extend(part.indices(body, &operands[1..=n_indices]));
                    new.extend(&operands[1 + n_indices..]);
                    body.ops[op].operands = new.into();
                    body.ops[op].kind = OpKind::Store { buffer: part.of, predicated };
                }
            }
            _ => {}
        }
    }
    let gone = |body: &Body, op: OpId| matches!(body.ops[op].kind, OpKind::DeclBuffer { buffer } if is_part(body, buffer));
    rebuild_blocks(body, body.root, &mut |body, _, op, new| {
        if !gone(body, op) {
            new.push(op);
        }
    });
    Ok(())
}

/// Part of a buffer that is no part itself.
struct Part {
    of: BufferId,
    /// The first index of each dimension of the whole.
    first: Vec<ExprId>,
}

#[derive(Default)]
struct Parts {
    of: FxHashMap<BufferId, Part>,
    /// Variables that layouts give their values, and those.
    variables: FxHashMap<ValueId, ExprId>,
}

fn refusal(what: &str) -> LowerRefusal {
    LowerRefusal::new(reasons::MATCH_BUFFER, format!("a matched part of a buffer {what}"))
}

impl Part {
    /// The region has been mapped already, so it is in terms of a buffer that is no part, or of a part that is known.
    fn of(body: &mut Body, buffer: BufferId, parts: &Parts) -> Result<Part, LowerRefusal> {
        let BufferOrigin::MatchRegion(region) = body.buffers[buffer].origin.clone() else {
            return Err(refusal("has no region"));
        };
        let data = body.buffers[buffer].clone();
        let outer = parts.of.get(&region.buffer);
        let of = outer.map_or(region.buffer, |it| it.of);
        if data.dtype != body.buffers[of].dtype || data.shape.len() > region.dims.len() {
            return Err(refusal("has another type or more dimensions"));
        }
        let mut first = Vec::new();
        for dim in &region.dims {
            first.push(match dim {
                RegionDim::Point(at) | RegionDim::Slice { lower: Some(at), step: None, .. } => *at,
                RegionDim::Slice { lower: None, step: None, .. } => body.int(0, DataType::INT32),
                RegionDim::Slice { .. } => return Err(refusal("has a step")),
            });
        }
        if let Some(outer) = outer {
            first = outer.indices(body, &first);
        }
        Ok(Part { of, first })
    }

    /// The indices of the whole for those of the part.
    fn indices(&self, body: &mut Body, of_part: &[ExprId]) -> Vec<ExprId> {
        let n_dropped = self.first.len().saturating_sub(of_part.len());
        let mut indices = self.first[..n_dropped].to_vec();
        for (&first, &at) in self.first[n_dropped..].iter().zip(of_part) {
            let (first, at) = same_type(body, first, at);
            indices.push(match body.expr(first).kind {
                ExprKind::Int(0) => at,
                _ => body.binary(BinaryOp::Add, first, at),
            });
        }
        indices
    }
}

impl Parts {
    /// Strides of a part are those of the whole; its offset is that of its first element.
    fn add_layout(&mut self, body: &mut Body, buffer: BufferId, part: &Part) {
        let data = body.buffers[buffer].clone();
        let whole = body.buffers[part.of].clone();
        let mut named = data.strides.iter().flatten().chain(data.elem_offset.iter());
        if named.all(|&it| !matches!(body.expr(it).kind, ExprKind::Value(_))) {
            return;
        }
        let strides = match &whole.strides {
            Some(strides) if !strides.is_empty() => strides.clone(),
            _ => compact_strides(body, &whole.shape),
        };
        let n_dropped = strides.len() - data.shape.len();
        for (&name, &stride) in data.strides.iter().flatten().zip(&strides[n_dropped..]) {
            self.give(body, name, stride);
        }
        if let Some(name) = data.elem_offset {
            let mut sum = whole.elem_offset.unwrap_or_else(|| body.int(0, DataType::INT32));
            for (&at, &stride) in part.first.iter().zip(&strides) {
                let (at, stride) = same_type(body, at, stride);
                let term = body.binary(BinaryOp::Mul, at, stride);
                let (lhs, rhs) = same_type(body, sum, term);
                sum = body.binary(BinaryOp::Add, lhs, rhs);
            }
            self.give(body, name, sum);
        }
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
}

/// Both in the wider type; lanes are those of the second.
fn same_type(body: &mut Body, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
    match (body.dtype(a), body.dtype(b)) {
        (Some(x), Some(y)) if x != y && x.is_scalar() && y.is_scalar() => {
            let wider = if x.bits >= y.bits { x } else { y };
            (body.cast(a, wider), body.cast(b, wider))
        }
        _ => (a, b),
    }
}

fn compact_strides(body: &mut Body, shape: &[ExprId]) -> Vec<ExprId> {
    let one = body.int(1, DataType::INT32);
    let mut strides = vec![one; shape.len()];
    for dim in (0..shape.len().saturating_sub(1)).rev() {
        let (lhs, rhs) = same_type(body, shape[dim + 1], strides[dim + 1]);
        strides[dim] = match body.expr(rhs).kind {
            ExprKind::Int(1) => lhs,
            _ => body.binary(BinaryOp::Mul, lhs, rhs),
        };
    }
    strides
}

/// A load of a part as a load of the whole; a variable or field of a layout as its value.
fn access(body: &mut Body, expr: ExprId, parts: &Parts) -> ExprId {
    match body.expr(expr).kind {
        ExprKind::Load { buffer, indices, predicate } if parts.of.contains_key(&buffer) => {
            let part = &parts.of[&buffer];
            let indices = body.items(indices).to_vec();
            let indices = part.indices(body, &indices);
            body.load(part.of, &indices, predicate)
        }
        ExprKind::Value(value) => parts.variables.get(&value).copied().unwrap_or(expr),
        _ => expr,
    }
}

/// Refuses uses of a part other than loads, stores and parts of it, and vectors.
fn check_uses(body: &Body, op: OpId, parts: &Parts) -> Result<(), LowerRefusal> {
    let mut result = Ok(());
    for &operand in &body.ops[op].operands {
        each_node(body, operand, &mut |at| match body.expr(at).kind {
            ExprKind::Buffer(it)
            | ExprKind::Region(it, _)
            | ExprKind::BufferField(it, BufferField::Data)
                if parts.of.contains_key(&it) =>
            {
                result = Err(refusal("is used by its pointer"));
            }
            ExprKind::BufferField(it, _) if parts.of.contains_key(&it) => {
                result = Err(refusal("is asked for its layout"));
            }
            _ => {}
        });
    }
    if let OpKind::DeclBuffer { buffer } = body.ops[op].kind
        && let BufferOrigin::View { source, .. } = body.buffers[buffer].origin
        && parts.of.contains_key(&source)
    {
        result = Err(refusal("is seen through a view"));
    }
    result
}
