//! Accesses through `T.match_buffer` of a region become accesses of the buffer that the region is part of.
//!
//! In: declarations of parts of buffers. Out: `B[i, j]` is `A[first + i, …]`. Declarations are left only of parts whose
//! pointer, strides or offset are used: these depend on the extents that memory will have (`part_layouts`). Such a part
//! is of a buffer that is no part. Refused: a part that is handed over as a buffer, one of another type, and one with
//! steps (`match-buffer`). Linear in the operations and in the nodes of each.

use ir::{
    BinaryOp, Body, BufferId, BufferOrigin, BufferRegion, DataType, ExprId, ExprKind, OpId, OpKind,
    RegionDim, ValueId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{each_node, map_expr, map_op, rebuild_blocks, same_type},
};
use crate::reasons;

pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    let ops: Vec<OpId> = body.ops_preorder().collect();
    if !ops.iter().any(|&op| part_of(body, op).is_some()) {
        return Ok(());
    }
    let mut parts = Parts { of: FxHashMap::default(), with_layout: with_layout(body, &ops) };
    for &op in &ops {
        check_uses(body, op, &parts).map_err(|it| it.at(op))?;
        let mut memo = FxHashMap::default();
        map_op(body, op, &mut |body, expr| {
            map_expr(body, expr, &mut memo, &mut |body, at| access(body, at, &parts))
        });
        if let Some(buffer) = part_of(body, op) {
            let part = Part::of(body, buffer, &parts).map_err(|it| it.at(op))?;
            if parts.with_layout.contains(&buffer) {
                let region = BufferRegion { buffer: part.of, dims: part.dims(body, buffer) };
                body.buffers[buffer].origin = BufferOrigin::MatchRegion(region);
            }
            parts.of.insert(buffer, part);
        }
        if let OpKind::Store { buffer, predicated } = body.ops[op].kind
            && let Some(part) = parts.of.get(&buffer)
        {
            let operands = body.ops[op].operands.to_vec();
            let n_indices = operands.len() - 1 - usize::from(predicated);
            let mut new = vec![operands[0]];
            new.extend(part.indices(body, &operands[1..=n_indices]));
            new.extend(&operands[1 + n_indices..]);
            body.ops[op].operands = new.into();
            body.ops[op].kind = OpKind::Store { buffer: part.of, predicated };
        }
    }
    let gone = |body: &Body, op: OpId| {
        part_of(body, op).is_some_and(|it| !parts.with_layout.contains(&it))
    };
    rebuild_blocks(body, body.root, &mut |body, _, op, new| {
        if !gone(body, op) {
            new.push(op);
        }
    });
    Ok(())
}

/// The part that an operation declares.
pub(super) fn part_of(body: &Body, op: OpId) -> Option<BufferId> {
    let OpKind::DeclBuffer { buffer } = body.ops[op].kind else { return None };
    matches!(body.buffers[buffer].origin, BufferOrigin::MatchRegion(_)).then_some(buffer)
}

/// The parts whose pointer, strides or offset are used.
fn with_layout(body: &Body, ops: &[OpId]) -> FxHashSet<BufferId> {
    let mut named: FxHashMap<ValueId, BufferId> = FxHashMap::default();
    let mut found = FxHashSet::default();
    for &op in ops {
        let declared = part_of(body, op);
        if let Some(part) = declared {
            let data = &body.buffers[part];
            let names = data.strides.iter().flatten().chain(data.elem_offset.iter());
            named.extend(names.filter_map(|&it| match body.expr(it).kind {
                ExprKind::Value(value) => Some((value, part)),
                _ => None,
            }));
        }
        for &operand in &body.ops[op].operands {
            each_node(body, operand, &mut |at| match body.expr(at).kind {
                ExprKind::BufferField(part, _) => drop(found.insert(part)),
                ExprKind::Value(value) => {
                    found.extend(named.get(&value).filter(|it| declared != Some(**it)));
                }
                _ => {}
            });
        }
    }
    found
}

/// Part of a buffer that is no part itself.
struct Part {
    of: BufferId,
    /// The first index of each dimension of the whole.
    first: Vec<ExprId>,
}

struct Parts {
    of: FxHashMap<BufferId, Part>,
    with_layout: FxHashSet<BufferId>,
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

    /// The part as a region of the whole, each slice with both ends.
    fn dims(&self, body: &mut Body, part: BufferId) -> Vec<RegionDim> {
        let shape = body.buffers[part].shape.clone();
        let n_dropped = self.first.len().saturating_sub(shape.len());
        let mut dims: Vec<RegionDim> =
            self.first[..n_dropped].iter().copied().map(RegionDim::Point).collect();
        for (&first, &extent) in self.first[n_dropped..].iter().zip(&shape) {
            let (lower, extent) = same_type(body, first, extent);
            let upper = match (body.expr(lower).kind, body.expr(extent).kind) {
                (ExprKind::Int(0), _) => extent,
                _ => body.binary(BinaryOp::Add, lower, extent),
            };
            dims.push(RegionDim::Slice { lower: Some(lower), upper: Some(upper), step: None });
        }
        dims
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

/// A load of a part as a load of the whole.
fn access(body: &mut Body, expr: ExprId, parts: &Parts) -> ExprId {
    match body.expr(expr).kind {
        ExprKind::Load { buffer, indices, predicate } if parts.of.contains_key(&buffer) => {
            let part = &parts.of[&buffer];
            let indices = body.items(indices).to_vec();
            let indices = part.indices(body, &indices);
            body.load(part.of, &indices, predicate)
        }
        _ => expr,
    }
}

/// Refuses uses of a part other than loads, stores and parts of it, and vectors.
fn check_uses(body: &Body, op: OpId, parts: &Parts) -> Result<(), LowerRefusal> {
    let mut result = Ok(());
    for &operand in &body.ops[op].operands {
        each_node(body, operand, &mut |at| match body.expr(at).kind {
            ExprKind::Buffer(it) | ExprKind::Region(it, _) if parts.of.contains_key(&it) => {
                result = Err(refusal("is handed over as a buffer"));
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
