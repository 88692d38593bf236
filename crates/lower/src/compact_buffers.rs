//! Shared and local memory shrinks to the region that is accessed during its lifetime.
//!
//! In: allocations of shared and local memory, each where it is to be. Out: for each dimension the constant extent of
//! the part that a block (shared) or a thread (local) accesses, and indices counted from its start, simplified. A
//! dimension whose part has no constant extent, or where counting so could overflow, keeps its extent.
//! `buffer_dim_align`, which only speeds up, then pads a dimension so that the one before it begins where it asks: by a
//! longer row, never by strides. Linear in the operations; for each access the facts of its indices.

use arith::{Overflow, simplify::Simplifier};
use dataflow::analyses::Analyses;
use ir::{
    Attr, Body, BufferId, BufferOrigin, DataType, ExprId, ExprKind, Occurrences, OpId, OpKind,
    RegionDim, effects::EffectTable,
};
use rustc_hash::FxHashMap;

use super::{
    LowerOptions, LowerRefusal, Origins,
    allocation_sites::kernel_memory,
    block_iters::DIM_ALIGN,
    edit::{map_expr, map_op},
    footprint::{Access, Accesses, Below, Span, VaryingByScope, distance, span},
    match_buffers::part_of,
};

pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    _: &mut Origins,
) -> Result<(), LowerRefusal> {
    let allocations = kernel_memory(body);
    if !allocations.is_empty() {
        let plan = plan(body, &allocations, &options.effects);
        rewrite(body, plan);
    }
    for &(op, buffer) in &allocations {
        pad(body, op, buffer);
    }
    let buffers: Vec<BufferId> = body.buffers.ids().collect();
    for buffer in buffers {
        forget_alignment(body, buffer);
    }
    Ok(())
}

/// New indices of accesses: by operation, buffer, dimension and old index.
type Indices = FxHashMap<(OpId, BufferId, usize, ExprId), ExprId>;

struct Plan {
    body: Body,
    indices: Indices,
    /// New extents by allocation.
    extents: Vec<(OpId, BufferId, Vec<Option<i128>>)>,
}

fn plan(body: &Body, allocations: &[(OpId, BufferId)], effects: &EffectTable) -> Plan {
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, effects);
    let mut simplifier = Simplifier::with_effects(body, effects);
    let conditions = analyses.conditions(simplifier.analyzer());
    let accesses = Accesses::collect(&analyses.flow(), &conditions);
    let varying = VaryingByScope::of(body);
    let (mut indices, mut extents) = (Indices::default(), Vec::new());
    for &(op, buffer) in allocations {
        let Some(accesses) = accesses.of(buffer) else { continue };
        let varying = varying.of_scope(body.buffers[buffer].scope);
        let below = Below::new(body, body.ops[op].parent, varying);
        let mut shape = Vec::new();
        for (dim, &extent) in body.buffers[buffer].shape.iter().enumerate() {
            let found = span(simplifier.analyzer(), accesses, dim, &below);
            let known = found.filter(|it| is_smaller(body, it, extent)).and_then(|it| {
                let new = new_indices(&mut simplifier, accesses, dim, &it)?;
                let keyed = accesses.iter().zip(new);
                indices.extend(
                    keyed.map(|(access, new)| ((access.op, buffer, dim, access.indices[dim]), new)),
                );
                Some(it.extent)
            });
            shape.push(known);
        }
        if shape.iter().any(Option::is_some) {
            extents.push((op, buffer, shape));
        }
    }
    Plan { body: simplifier.into_body(), indices, extents }
}

/// Returns true if a part is smaller than the whole dimension, or is the first known extent of it.
fn is_smaller(body: &Body, span: &Span, extent: ExprId) -> bool {
    match body.expr(extent).kind {
        ExprKind::Int(extent) => span.extent < extent.into(),
        _ => true,
    }
}

/// `index - base - least` of each access; none if that could overflow where the index did not.
fn new_indices(
    simplifier: &mut Simplifier<'_>,
    accesses: &[Access],
    dim: usize,
    span: &Span,
) -> Option<Vec<ExprId>> {
    let mut new = Vec::new();
    for access in accesses {
        let analyzer = simplifier.analyzer();
        let moved = analyzer.grow(|body| {
            let from_base = distance(body, access.indices[dim], span.base);
            let dtype = body.dtype(from_base)?;
            if span.least == 0 {
                return Some(from_base);
            }
            let least = body.int(span.least, dtype);
            Some(body.binary(ir::BinaryOp::Sub, from_base, least))
        })?;
        // The beginning itself is not computed: only what is left of the difference.
        let short = simplifier.simplify(access.context, moved, Overflow::Excluded);
        if !simplifier.analyzer().adds_no_overflow(access.context, short) {
            return None;
        }
        new.push(short);
    }
    Some(new)
}

fn rewrite(body: &mut Body, plan: Plan) {
    let Plan { body: grown, indices, extents } = plan;
    *body = grown;
    let ops: Vec<OpId> = body.ops_preorder().collect();
    for op in ops {
        let mut memo = FxHashMap::default();
        map_op(body, op, &mut |body, expr| {
            map_expr(body, expr, &mut memo, &mut |body, at| moved_load(body, op, at, &indices))
        });
        if let Some(part) = part_of(body, op)
            && let BufferOrigin::MatchRegion(region) = &mut body.buffers[part].origin
        {
            for (at, dim) in region.dims.iter_mut().enumerate() {
                let (RegionDim::Point(lower) | RegionDim::Slice { lower: Some(lower), .. }) = dim
                else {
                    continue;
                };
                let new = |it: &ExprId| indices.get(&(op, region.buffer, at, *it)).copied();
                if let Some(new) = new(lower) {
                    *lower = new;
                }
                if let RegionDim::Slice { upper: Some(upper), .. } = dim
                    && let Some(new) = new(upper)
                {
                    *upper = new;
                }
            }
        }
        if let OpKind::Store { buffer, predicated: false } = body.ops[op].kind {
            for at in 1..body.ops[op].operands.len() {
                let old = body.ops[op].operands[at];
                if let Some(&new) = indices.get(&(op, buffer, at - 1, old)) {
                    body.ops[op].operands[at] = new;
                }
            }
        }
    }
    for (op, buffer, shape) in extents {
        let mut extents = body.buffers[buffer].shape.clone();
        for (extent, new) in extents.iter_mut().zip(shape) {
            if let Some(new) = new {
                *extent = body.int(new, body.dtype(*extent).unwrap_or(DataType::INT32));
            }
        }
        resize(body, op, buffer, extents);
    }
}

fn moved_load(body: &mut Body, op: OpId, expr: ExprId, indices: &Indices) -> ExprId {
    let ExprKind::Load { buffer, indices: list, predicate: None } = body.expr(expr).kind else {
        return expr;
    };
    let old = body.items(list).to_vec();
    let new: Vec<ExprId> = old
        .iter()
        .enumerate()
        .map(|(dim, &it)| indices.get(&(op, buffer, dim, it)).copied().unwrap_or(it))
        .collect();
    if new == old { expr } else { body.load(buffer, &new, None) }
}

fn resize(body: &mut Body, op: OpId, buffer: BufferId, shape: Vec<ExprId>) {
    body.buffers[buffer].shape = shape;
    body.ops[op].operands = body.buffers[buffer].operands().collect();
}

/// Makes rows longer, so that the stride of a dimension has the rest that is asked for.
fn pad(body: &mut Body, op: OpId, buffer: BufferId) {
    let asked =
        body.dict(body.buffers[buffer].attrs).iter().find(|it| &*it.0 == DIM_ALIGN).cloned();
    let Some((_, Attr::List(asked))) = asked else { return };
    for alignment in asked {
        let Attr::List(numbers) = alignment else { continue };
        let [Attr::Int(axis, _), Attr::Int(factor, _), Attr::Int(offset, _)] = numbers[..] else {
            continue;
        };
        let shape = body.buffers[buffer].shape.clone();
        let Ok(axis) = usize::try_from(axis) else { continue };
        if factor <= 0 || axis + 1 >= shape.len() {
            continue;
        }
        let inner: Option<Vec<i64>> = shape[axis + 1..]
            .iter()
            .map(|&it| match body.expr(it).kind {
                ExprKind::Int(extent) => Some(extent),
                _ => None,
            })
            .collect();
        let Some(inner) = inner else { continue };
        let product = |of: &[i64]| of.iter().try_fold(1i64, |all, &it| all.checked_mul(it));
        let (Some(stride), Some(below)) = (product(&inner), product(&inner[1..])) else { continue };
        let missing = (i128::from(factor) + i128::from(offset) - i128::from(stride))
            .rem_euclid(i128::from(factor));
        let row = i128::from(stride) + missing;
        if missing == 0 || below <= 0 || row % i128::from(below) != 0 {
            continue;
        }
        let mut shape = shape;
        let dtype = body.dtype(shape[axis + 1]).unwrap_or(DataType::INT32);
        shape[axis + 1] = body.int(row / i128::from(below), dtype);
        resize(body, op, buffer, shape);
    }
}

fn forget_alignment(body: &mut Body, buffer: BufferId) {
    let dict = body.dict(body.buffers[buffer].attrs);
    if dict.iter().any(|it| &*it.0 == DIM_ALIGN) {
        let rest = dict.iter().filter(|it| &*it.0 != DIM_ALIGN).cloned().collect();
        body.buffers[buffer].attrs = body.attr_dict(rest);
    }
}
