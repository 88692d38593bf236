//! Buffers of several dimensions become buffers of one, and their indices the number of the element.
//!
//! In: a body without blocks. Out: an allocation or declaration with one extent (one a group of dimensions, where
//! `axis_separators` make groups), and for a parameter a view of it right after it is bound, since the caller's buffer
//! keeps its shape (as FlattenBuffer). The address of every access stays the same (`SEMANTICS: M2`, `M7`).
//!
//! Indices are computed in their own type where the number of elements is a constant that fits it, in 64 bits
//! otherwise, so that no overflow is added (`I1`); `narrow_indices` makes them narrow again where that is shown right.
//! An access that was out of bounds may be in bounds afterwards, never the other way round (`M1`: errors may go). Where
//! the caller chooses the offset of a parameter (`offset_factor=`), it is in the index.
//!
//! A buffer stays as it is if it is used as a whole, by a view that reads its shape, or if its strides are not
//! constants: code generation writes such addresses itself. Linear.

mod index;
mod uses;

use ir::{
    Attr, BlockId, Body, Buffer, BufferField, BufferId, BufferOrigin, DataType, ExprId, ExprKind,
    MemoryScope, OccurrenceId, Occurrences, OpId, OpKind, Type, arena::Id as _,
};

use self::{
    index::{rewrite_accesses, times},
    uses::Uses,
};
use super::{
    LowerOptions, LowerRefusal, Origins,
    lists::{WIDE, constant},
};
use crate::reasons;

/// See the module.
pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    if let Some(op) = body.ops_preorder().find(|&it| matches!(body.ops[it].kind, OpKind::SBlock(_)))
    {
        let detail = "a block that is still to be scheduled";
        return Err(LowerRefusal::new(reasons::UNLOWERED_BLOCK, detail).at(op));
    }
    let occurrences = Occurrences::collect(body);
    if let Some(op) = body.ops_preorder().find(|&it| has_inner_vector(body, &occurrences, it)) {
        let detail = "an access has a vector as an index that is not its last one";
        return Err(LowerRefusal::new(reasons::INNER_VECTOR_INDEX, detail).at(op));
    }
    let plans = plan(body);
    if plans.iter().all(Option::is_none) {
        return Ok(());
    }
    let flat = declare(body, &plans);
    rewrite_accesses(body, &flat);
    Ok(())
}

/// Returns true if an access of an operation has a vector as an index other than its last one. TVM has no type for such
/// an access.
fn has_inner_vector(body: &Body, occurrences: &Occurrences, op: OpId) -> bool {
    let is_inner = |indices: &[ExprId]| {
        let inner = indices.split_last().map_or(&[][..], |it| it.1);
        inner.iter().any(|&it| !body.dtype(it).is_none_or(DataType::is_scalar))
    };
    let operation = &body.ops[op];
    let of_store = match operation.kind {
        OpKind::Store { predicated, .. } => {
            let end = operation.operands.len() - usize::from(predicated);
            is_inner(&operation.operands[1..end])
        }
        _ => false,
    };
    let is_load = |it: OccurrenceId| match body.expr(occurrences[it].expr).kind {
        ExprKind::Load { indices, .. } => is_inner(body.items(indices)),
        _ => false,
    };
    of_store || occurrences.of_op(op).any(is_load)
}

/// How a buffer is flattened.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Plan {
    /// The first dimension of each group.
    groups: Vec<usize>,
    /// By dimension: constant strides; none for compact ones.
    strides: Option<Vec<i64>>,
    /// True if the number of elements is a constant that fits 32 bits.
    is_small: bool,
    /// True if the caller's offset is added to the index.
    adds_offset: bool,
}

/// A flattened buffer, and the one that takes its place in accesses.
struct Flat {
    plan: Plan,
    to: BufferId,
    /// By dimension: strides as constants and their symbolic factors.
    strides: Vec<(i64, Vec<ExprId>)>,
}

/// Plans the change of each buffer.
fn plan(body: &Body) -> Vec<Option<Plan>> {
    let uses = Uses::of(body);
    let mut plans = Vec::new();
    for (id, data) in body.buffers.iter() {
        let plan = (uses.is_accessed[id.index()] && !uses.is_whole[id.index()])
            .then(|| plan_of(body, data, uses.has_fields[id.index()]))
            .flatten();
        plans.push(plan);
    }
    plans
}

fn plan_of(body: &Body, data: &Buffer, has_fields: bool) -> Option<Plan> {
    let rank = data.shape.len();
    let is_outside = matches!(data.origin, BufferOrigin::Param | BufferOrigin::Match { .. });
    let scope = data.scope;
    let is_plain_memory = scope.is_global()
        || scope.is_plain_shared()
        || matches!(scope, MemoryScope::Local | MemoryScope::Warp);
    let stays = match &data.origin {
        BufferOrigin::Cell | BufferOrigin::MatchRegion(_) => true,
        BufferOrigin::View { method, .. } => {
            body.name(*method) != "view" || !body.dict(data.attrs).is_empty()
        }
        BufferOrigin::Decl { data } => data.is_none(),
        BufferOrigin::Param | BufferOrigin::Match { .. } | BufferOrigin::Alloc => false,
    };
    if stays || !is_plain_memory || (has_fields && !is_outside) {
        return None;
    }
    let strides = match &data.strides {
        None => None,
        Some(it) if is_outside || it.len() != rank => return None,
        Some(it) => Some(it.iter().map(|&it| constant(body, it)).collect::<Option<Vec<i64>>>()?),
    };
    let extents: Option<Vec<i64>> = data.shape.iter().map(|&it| constant(body, it)).collect();
    if strides.is_some() && extents.is_none() {
        return None;
    }
    let groups = groups(body, data)?;
    let adds_offset = is_outside && body.has_free_offset(data);
    let does_nothing = rank == groups.len() && rank > 0 && strides.is_none() && !adds_offset;
    if does_nothing || (adds_offset && groups.len() != 1) {
        return None;
    }
    let sizes = match (&extents, &strides) {
        (Some(extents), Some(strides)) => spans(extents, strides).iter().try_fold(1i64, product),
        (Some(extents), None) => extents.iter().try_fold(1i64, product),
        _ => None,
    };
    let is_small = !adds_offset && sizes.is_some_and(|it| it <= i64::from(i32::MAX));
    Some(Plan { groups, strides, is_small, adds_offset })
}

fn product(so_far: i64, by: &i64) -> Option<i64> {
    so_far.checked_mul(*by)
}

/// Returns the part of each dimension in the number of the last element; the last dimension adds 1.
fn spans(extents: &[i64], strides: &[i64]) -> Vec<i64> {
    let last = extents.iter().zip(strides).try_fold(1i64, |sum, (&extent, &stride)| {
        sum.checked_add(extent.saturating_sub(1).max(0).checked_mul(stride)?)
    });
    vec![last.unwrap_or(i64::MAX)]
}

/// The first dimension of each group; none if the separators are no increasing list of dimensions.
fn groups(body: &Body, data: &Buffer) -> Option<Vec<usize>> {
    let mut groups = vec![0];
    let separators = body.dict(data.attrs).iter().find(|it| &*it.0 == "axis_separators");
    let Some((_, separators)) = separators else { return Some(groups) };
    let Attr::List(items) = separators else { return None };
    for item in items {
        let at = match item {
            Attr::Int(at, _) => usize::try_from(*at).ok()?,
            Attr::Expr(expr) => usize::try_from(constant(body, *expr)?).ok()?,
            _ => return None,
        };
        if at <= *groups.last()? || at >= data.shape.len() {
            return None;
        }
        groups.push(at);
    }
    Some(groups)
}

/// Gives the buffers their new shapes; parameters get views.
fn declare(body: &mut Body, plans: &[Option<Plan>]) -> Vec<Option<Flat>> {
    let mut flat: Vec<Option<Flat>> = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
        let id = BufferId::new(at);
        flat.push(plan.as_ref().map(|plan| Flat {
            plan: plan.clone(),
            to: id,
            strides: strides(body, &body.buffers[id], plan),
        }));
    }
    let entry = body.entry(body.root);
    let mut n_first = 0;
    for param in body.params.clone() {
        let Some(buffer) = param.buffer else { continue };
        let Some(it) = &mut flat[buffer.index()] else { continue };
        let op = view(body, entry, buffer, it);
        body.blocks[entry].ops.insert(n_first, op);
        n_first += 1;
    }
    let ops: Vec<OpId> = body.ops_preorder().collect();
    for op in ops {
        let (OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer }) = body.ops[op].kind
        else {
            continue;
        };
        // Views made here are not in the table.
        let Some(Some(it)) = flat.get_mut(buffer.index()) else { continue };
        if matches!(body.buffers[buffer].origin, BufferOrigin::Match { .. }) {
            let block = body.ops[op].parent;
            let new = view(body, block, buffer, it);
            let at = body.blocks[block].ops.iter().position(|&it| it == op);
            let at = at.map_or(body.blocks[block].ops.len(), |it| it + 1);
            body.blocks[block].ops.insert(at, new);
        } else {
            reshape(body, op, buffer, it);
        }
    }
    flat
}

/// By dimension: the constant and the extents that its index is multiplied with.
fn strides(body: &Body, data: &Buffer, plan: &Plan) -> Vec<(i64, Vec<ExprId>)> {
    if let Some(strides) = &plan.strides {
        return strides.iter().map(|&it| (it, Vec::new())).collect();
    }
    let rank = data.shape.len();
    let mut strides = vec![(1i64, Vec::new()); rank];
    for dim in (0..rank.saturating_sub(1)).rev() {
        if plan.groups.contains(&(dim + 1)) {
            continue;
        }
        let (mut factor, mut others) = strides[dim + 1].clone();
        let extent = data.shape[dim + 1];
        match constant(body, extent).and_then(|it| factor.checked_mul(it)) {
            Some(product) => factor = product,
            None => others.insert(0, extent),
        }
        strides[dim] = (factor, others);
    }
    strides
}

/// The extents of the groups.
fn shape(body: &mut Body, buffer: BufferId, it: &Flat) -> Vec<ExprId> {
    let data = body.buffers[buffer].clone();
    if let Some(strides) = &it.plan.strides {
        let extents: Vec<i64> =
            data.shape.iter().map(|&it| constant(body, it).unwrap_or(0)).collect();
        let mut ends = it.plan.groups[1..].to_vec();
        ends.push(extents.len());
        let sizes = it.plan.groups.iter().zip(ends).map(|(&from, to)| {
            if extents[from..to].contains(&0) {
                0
            } else {
                spans(&extents[from..to], &strides[from..to])[0]
            }
        });
        let sizes: Vec<i64> = sizes.collect();
        return sizes.into_iter().map(|size| size_of(body, size)).collect();
    }
    let mut shape = Vec::new();
    for &from in &it.plan.groups {
        let Some(&first) = data.shape.get(from) else {
            shape.push(size_of(body, 1));
            continue;
        };
        let (factor, others) = it.strides[from].clone();
        if others.is_empty()
            && let Some(size) = constant(body, first).and_then(|it| factor.checked_mul(it))
        {
            shape.push(size_of(body, size));
        } else {
            shape.push(times(body, first, factor, &others, Some(WIDE)));
        }
    }
    shape
}

/// A number of elements.
fn size_of(body: &mut Body, size: i64) -> ExprId {
    let dtype = if i32::try_from(size).is_ok() { DataType::INT32 } else { WIDE };
    body.int(size.into(), dtype)
}

/// A flat view of a buffer of the caller, in no list yet.
fn view(body: &mut Body, block: BlockId, buffer: BufferId, it: &mut Flat) -> OpId {
    let shape = shape(body, buffer, it);
    let data = body.buffers[buffer].clone();
    let origin = if it.plan.adds_offset {
        let ty = Type::Pointer { element: data.dtype, scope: data.scope };
        let pointer = body.buffer_field(buffer, BufferField::Data, ty);
        BufferOrigin::Decl { data: Some(pointer) }
    } else {
        BufferOrigin::View { source: buffer, method: body.intern("view") }
    };
    let flat =
        Buffer { shape, strides: None, elem_offset: None, origin, attrs: Body::no_attrs(), ..data };
    let operands: Vec<ExprId> = flat.operands().collect();
    it.to = body.buffers.push(flat);
    let op = body.push_op(block, OpKind::DeclBuffer { buffer: it.to }, &operands);
    body.blocks[block].ops.pop();
    op
}

/// Gives a buffer of this function its flat shape.
fn reshape(body: &mut Body, op: OpId, buffer: BufferId, it: &Flat) {
    let shape = shape(body, buffer, it);
    let mut dict = body.dict(body.buffers[buffer].attrs).clone();
    for (key, value) in &mut dict {
        if &**key == "axis_separators" {
            *value = Attr::List(
                (1..it.plan.groups.len()).map(|it| Attr::Int(it as i64, None)).collect(),
            );
        }
    }
    // A layout is one of the dimensions that there were.
    dict.retain(|(key, _)| &**key != "layout");
    let attrs = body.attr_dict(dict);
    let data = &mut body.buffers[buffer];
    data.shape = shape;
    data.strides = None;
    data.attrs = attrs;
    let operands: Vec<ExprId> = data.operands().collect();
    body.ops[op].operands = operands.into();
}
