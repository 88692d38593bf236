//! Memory that is no longer used is reused for later allocations.
//!
//! In: a body without blocks. Out: an allocation goes if an earlier one of the same list, of equal scope, type and
//! size, is used for the last time before it is used for the first time; accesses name the earlier one. A use in a loop
//! counts for all of the outermost loop that is inside of the list, since the next iteration may use it again; so does
//! one in a parallel loop, whose iterations run at once, and for global memory one in a launch. The contents of new
//! memory are arbitrary (`SEMANTICS: M3`, `M9`), so a program cannot see the difference.
//!
//! Memory of a thread (`local`) and of the host's (`global`) is shared so. Threads of a block are not all at one place:
//! if shared memory served again, a barrier would have to stand between, which `codegen::sync` places where it sees
//! both uses of one buffer. A barrier costs time, so that is done only in kernels that need more than
//! [`LowerOptions::max_shared`] bytes.
//!
//! A buffer whose address is kept somewhere stays (`M8`). Linear but for the number of allocations of one kind in one
//! list.

use ir::{
    Body, BufferField, BufferId, BufferOrigin, Callee, DataType, ExprId, ExprKind, Intrinsic,
    MemoryScope, OpId, OpKind, walk::WalkEvent,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    LowerOptions, LowerRefusal, Origins,
    lists::{constant, rebuild_operands},
    named_memory::{root, touches},
};

/// See the module.
pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    _: &mut Origins,
) -> Result<(), LowerRefusal> {
    let lives = lives(body, options);
    let shared = share(&lives);
    if !shared.is_empty() {
        rename(body, &shared);
    }
    Ok(())
}

/// An allocation that may share its memory.
struct Life {
    op: OpId,
    buffer: BufferId,
    kind: Kind,
    /// First and last position that uses it; none if nothing does.
    uses: Option<(u32, u32)>,
}

/// The properties that must be equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kind {
    block: ir::BlockId,
    scope: MemoryScope,
    dtype: DataType,
    elements: i64,
    attrs: ir::AttrDictId,
}

/// The allocations that may share, in program order, with where they are used.
fn lives(body: &Body, options: &LowerOptions) -> Vec<Life> {
    let kept = kept(body);
    let crowded = crowded(body, options.max_shared);
    let mut lives: Vec<Life> = Vec::new();
    let mut at: FxHashMap<BufferId, (usize, usize)> = FxHashMap::default();
    let mut open: Vec<OpId> = Vec::new();
    let mut starts: FxHashMap<OpId, u32> = FxHashMap::default();
    // Uses in a loop, which end where it ends.
    let mut pending: FxHashMap<OpId, Vec<usize>> = FxHashMap::default();
    let mut position = 0u32;
    for event in body.walk(body.root) {
        position += 1;
        match event {
            WalkEvent::Enter(op) => {
                starts.insert(op, position);
                let mut touched = Vec::new();
                touches(body, op, &mut |buffer| touched.push(buffer));
                for buffer in touched {
                    let Some(&(life, depth)) = at.get(&root(body, buffer)) else { continue };
                    let is_global = lives[life].kind.scope.is_global();
                    let around = open[depth..].iter().copied();
                    let repeats = |it: &OpId| match body.ops[*it].kind {
                        OpKind::For(_) | OpKind::While => true,
                        OpKind::LaunchThread { .. } => is_global,
                        _ => false,
                    };
                    let mut first = position;
                    if let Some(whole) = around.chain([op]).find(repeats) {
                        first = starts[&whole];
                        pending.entry(whole).or_default().push(life);
                    }
                    extend(&mut lives[life], first, position);
                }
                if let Some(life) = life(body, op, &kept, &crowded) {
                    at.insert(life.buffer, (lives.len(), open.len()));
                    lives.push(life);
                }
                open.push(op);
            }
            WalkEvent::Leave(op) => {
                open.pop();
                for life in pending.remove(&op).unwrap_or_default() {
                    extend(&mut lives[life], position, position);
                }
            }
            _ => {}
        }
    }
    lives
}

fn extend(life: &mut Life, first: u32, last: u32) {
    let (start, end) = life.uses.unwrap_or((first, last));
    life.uses = Some((start.min(first), end.max(last)));
}

/// An allocation that may share its memory with others of its kind.
fn life(
    body: &Body,
    op: OpId,
    kept: &FxHashSet<BufferId>,
    crowded: &FxHashSet<OpId>,
) -> Option<Life> {
    let data = &body.ops[op];
    let OpKind::Alloc { buffer, .. } = data.kind else { return None };
    let it = &body.buffers[buffer];
    let is_plain = it.origin == BufferOrigin::Alloc
        && it.strides.is_none()
        && it.elem_offset.is_none_or(|it| constant(body, it) == Some(0))
        && data.regions.is_empty()
        && !kept.contains(&buffer);
    let scope = it.scope;
    let may_share =
        scope.is_local() || scope.is_global() || scope.is_plain_shared() && crowded.contains(&op);
    if !is_plain || !may_share {
        return None;
    }
    let elements = elements(body, buffer)?;
    let kind = Kind { block: data.parent, scope, dtype: it.dtype, elements, attrs: it.attrs };
    Some(Life { op, buffer, kind, uses: None })
}

/// The number of elements of a buffer, if all extents are constants.
pub(super) fn elements(body: &Body, buffer: BufferId) -> Option<i64> {
    let extents = body.buffers[buffer].shape.iter().map(|&it| constant(body, it));
    extents.into_iter().try_fold(1i64, |product, it| product.checked_mul(it?))
}

/// Shared allocations of kernels that have more of them than a device takes.
fn crowded(body: &Body, most: u32) -> FxHashSet<OpId> {
    let mut by_kernel: FxHashMap<Option<OpId>, (i64, Vec<OpId>)> = FxHashMap::default();
    let mut kernel: Option<OpId> = None;
    for event in body.walk(body.root) {
        match event {
            WalkEvent::Enter(op) => match body.ops[op].kind {
                OpKind::LaunchThread { .. } => kernel = kernel.or(Some(op)),
                OpKind::Alloc { buffer, .. } if body.buffers[buffer].scope.is_shared() => {
                    let bytes = body.buffers[buffer].dtype.bytes() as i64;
                    let bytes = elements(body, buffer).map_or(0, |it| it.saturating_mul(bytes));
                    let known = by_kernel.entry(kernel).or_default();
                    known.0 = known.0.saturating_add(bytes);
                    known.1.push(op);
                }
                _ => {}
            },
            WalkEvent::Leave(op) if kernel == Some(op) => kernel = None,
            _ => {}
        }
    }
    let crowded = by_kernel.into_values().filter(|it| it.0 > i64::from(most));
    crowded.flat_map(|it| it.1).collect()
}

/// Buffers whose address or whole is used elsewhere.
pub(super) fn kept(body: &Body) -> FxHashSet<BufferId> {
    let mut kept = FxHashSet::default();
    for op in body.ops_preorder() {
        let data = &body.ops[op];
        let is_view = matches!(data.kind, OpKind::DeclBuffer { .. });
        let mut stack: Vec<(ExprId, bool)> =
            data.operands.iter().map(|&it| (it, is_view)).collect();
        while let Some((at, is_pointer)) = stack.pop() {
            let kind = body.expr(at).kind;
            match kind {
                ExprKind::BufferField(buffer, BufferField::Data) if !is_pointer => {
                    kept.insert(root(body, buffer));
                }
                ExprKind::Buffer(buffer) | ExprKind::Region(buffer, _) => {
                    kept.insert(root(body, buffer));
                }
                ExprKind::Call { callee: Callee::Intrinsic(_, it), args, .. }
                    if it.makes_address() || it == Intrinsic::ElementPtr =>
                {
                    for &arg in body.items(args) {
                        if let ExprKind::Load { buffer, .. } = body.expr(arg).kind {
                            kept.insert(root(body, buffer));
                        }
                    }
                }
                _ => {}
            }
            body.each_child(kind, &mut |child| stack.push((child, false)));
        }
    }
    for (_, data) in body.buffers.iter() {
        if let BufferOrigin::MatchRegion(region) = &data.origin {
            kept.insert(root(body, region.buffer));
        }
    }
    kept
}

/// Returns, for each allocation that is dropped, the buffer that replaces it and the operation of that buffer.
fn share(lives: &[Life]) -> FxHashMap<BufferId, (BufferId, OpId)> {
    let mut shared = FxHashMap::default();
    let mut order: Vec<usize> = (0..lives.len()).filter(|&it| lives[it].uses.is_some()).collect();
    order.sort_by_key(|&it| lives[it].uses);
    // Memory that is there, and where it is used last.
    let mut pool: Vec<(usize, u32)> = Vec::new();
    for at in order {
        let Some((first, last)) = lives[at].uses else { continue };
        let free =
            pool.iter_mut().find(|(it, end)| lives[*it].kind == lives[at].kind && *end < first);
        match free {
            Some((it, end)) => {
                *end = last;
                shared.insert(lives[at].buffer, (lives[*it].buffer, lives[at].op));
            }
            None => pool.push((at, last)),
        }
    }
    shared
}

fn rename(body: &mut Body, shared: &FxHashMap<BufferId, (BufferId, OpId)>) {
    let of = |buffer: BufferId| shared.get(&buffer).map_or(buffer, |it| it.0);
    rebuild_operands(body, &mut |body, at| {
        let node = body.expr(at);
        let kind = match node.kind {
            ExprKind::Load { buffer, indices, predicate } => {
                ExprKind::Load { buffer: of(buffer), indices, predicate }
            }
            ExprKind::BufferField(buffer, field) => ExprKind::BufferField(of(buffer), field),
            _ => return at,
        };
        body.make(kind, node.ty)
    });
    let mut gone: Vec<OpId> = shared.values().map(|it| it.1).collect();
    gone.sort_unstable();
    for op in gone {
        let block = body.ops[op].parent;
        body.blocks[block].ops.retain(|it| *it != op);
    }
    let ops: Vec<OpId> = body.ops_preorder().collect();
    for op in ops {
        match body.ops[op].kind {
            OpKind::Store { buffer, predicated } => {
                body.ops[op].kind = OpKind::Store { buffer: of(buffer), predicated };
            }
            OpKind::DeclBuffer { buffer } => {
                if let BufferOrigin::View { source, .. } = &mut body.buffers[buffer].origin {
                    *source = of(*source);
                }
            }
            _ => {}
        }
    }
}
