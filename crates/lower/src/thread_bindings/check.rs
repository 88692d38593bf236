//! The conditions under which loops over threads become launches, and the threads that execute statements outside of
//! those loops.
//!
//! In: a body, a kernel of it. Out: refusals by name; for statements outside of the loops of some tags, these tags.
//! Linear in the operations of a kernel and the nodes of each; a loop in one of the same tag costs the operations of
//! the outer one.

use ir::{
    Body, BufferId, BufferOrigin, Callee, Dim, ExprId, ExprKind, ExprListId, ForKind, Intrinsic,
    OpId, OpKind, RegionId, ThreadTag, ValueId, ViewRoot, effects::EffectTable, walk::WalkEvent,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Kernel, nest};
use crate::{
    LowerRefusal,
    edit::{each_node, loop_var, mentions},
    reasons,
};

/// A launch holds no loops over threads that are still to be bound.
pub(super) fn no_loops_over_threads(body: &Body, launch: OpId) -> Result<(), LowerRefusal> {
    let is_loop = |op: &OpId| matches!(body.ops[*op].kind, OpKind::For(ForKind::ThreadBinding(_)));
    match nest(body, launch).find(is_loop) {
        Some(op) => {
            let what = "a loop over threads inside of a launch";
            Err(LowerRefusal::new(reasons::THREAD_BINDING_LOOP, what).at(op))
        }
        None => Ok(()),
    }
}

/// Memory of threads and blocks is used in one kernel, and not around it.
pub(super) fn one_kernel_each(body: &Body, kernels: &[OpId]) -> Result<(), LowerRefusal> {
    let mut user: FxHashMap<BufferId, OpId> = FxHashMap::default();
    let mut inside: FxHashSet<OpId> = FxHashSet::default();
    let refusal = |op: OpId| {
        let what = "memory of blocks or threads is used outside of its kernel";
        Err(LowerRefusal::new(reasons::KERNEL_MEMORY_OUTSIDE, what).at(op))
    };
    let mut declared: FxHashSet<BufferId> = FxHashSet::default();
    for &kernel in kernels {
        for op in nest(body, kernel) {
            inside.insert(op);
            if let OpKind::Alloc { buffer, .. } = body.ops[op].kind {
                declared.insert(buffer);
            }
            for buffer in buffers_of(body, op) {
                if is_kernel_memory(body, buffer) && *user.entry(buffer).or_insert(kernel) != kernel
                {
                    return refusal(op);
                }
            }
        }
    }
    for op in body.ops_preorder().filter(|it| !inside.contains(it)) {
        let is_used = |it: &BufferId| user.contains_key(it) && !declared.contains(it);
        if !matches!(body.ops[op].kind, OpKind::Alloc { .. })
            && buffers_of(body, op).iter().any(is_used)
        {
            return refusal(op);
        }
    }
    Ok(())
}

/// Returns true if a buffer is memory of a block or of a thread, with an allocation of its own.
pub(super) fn is_kernel_memory(body: &Body, buffer: BufferId) -> bool {
    let data = &body.buffers[buffer];
    data.origin == BufferOrigin::Alloc && !data.scope.is_global()
}

/// The buffers that an operation names.
fn buffers_of(body: &Body, op: OpId) -> Vec<BufferId> {
    let mut found = Vec::new();
    match body.ops[op].kind {
        OpKind::Store { buffer, .. } => found.push(buffer),
        OpKind::DeclBuffer { buffer } => match &body.buffers[buffer].origin {
            BufferOrigin::View { source, .. } => found.push(*source),
            BufferOrigin::MatchRegion(region) => found.push(region.buffer),
            _ => {}
        },
        _ => {}
    }
    for &operand in &body.ops[op].operands {
        each_node(body, operand, &mut |at| match body.expr(at).kind {
            ExprKind::Load { buffer, .. }
            | ExprKind::Region(buffer, _)
            | ExprKind::Buffer(buffer)
            | ExprKind::BufferField(buffer, _) => found.push(buffer),
            _ => {}
        });
    }
    found
}

/// The buffers that are named below a region.
pub(super) fn buffers_below(body: &Body, region: RegionId) -> FxHashSet<BufferId> {
    let ops = body.walk(region).filter_map(|event| match event {
        WalkEvent::Enter(op) => Some(op),
        _ => None,
    });
    ops.flat_map(|op| buffers_of(body, op)).collect()
}

/// A loop inside one of the same tag does the same in every iteration of the outer one, and may do it once.
pub(super) fn rebound(
    body: &Body,
    kernel: &Kernel,
    effects: &EffectTable,
) -> Result<(), LowerRefusal> {
    let mut open: Vec<Vec<OpId>> = vec![Vec::new(); kernel.axes.len()];
    for event in body.ops[kernel.op].regions.iter().flat_map(|&it| body.walk(it)) {
        let (WalkEvent::Enter(op) | WalkEvent::Leave(op)) = event else { continue };
        let Some(&axis) = kernel.axis_of.get(&op) else { continue };
        if matches!(event, WalkEvent::Leave(_)) {
            open[axis].pop();
            continue;
        }
        let own = kernel.axis_of.get(&kernel.op) == Some(&axis);
        for &outer in open[axis].iter().chain(own.then_some(&kernel.op)) {
            if !is_independent(body, outer, op, effects) {
                let what = "a loop over threads depends on one of the same tag around it";
                return Err(LowerRefusal::new(reasons::THREAD_REBOUND, what).at(op));
            }
        }
        open[axis].push(op);
    }
    Ok(())
}

fn is_independent(body: &Body, outer: OpId, inner: OpId, effects: &EffectTable) -> bool {
    let mut depend: FxHashSet<ValueId> = FxHashSet::from_iter([loop_var(body, outer)]);
    for op in nest(body, outer) {
        let data = &body.ops[op];
        let is_dependent = op != outer
            && data.operands.iter().any(|&it| mentions(body, it, &|value| depend.contains(&value)));
        if is_dependent {
            depend.extend(data.results.iter().copied());
            if let OpKind::For(_) = data.kind {
                depend.insert(loop_var(body, op));
            }
        }
    }
    let is_free = |op: OpId| {
        let operands = &body.ops[op].operands;
        !operands.iter().any(|&it| mentions(body, it, &|value| depend.contains(&value)))
    };
    let mut around = body.parent_op(inner);
    while let Some(op) = around.filter(|&it| it != outer) {
        if !is_free(op) {
            return false;
        }
        around = body.parent_op(op);
    }
    nest(body, inner).all(is_free) && may_be_repeated(body, inner, effects)
}

/// Returns true if a loop reads none of the memory that it writes, except its own.
fn may_be_repeated(body: &Body, op: OpId, effects: &EffectTable) -> bool {
    let (mut own, mut read, mut written) =
        (FxHashSet::default(), FxHashSet::default(), FxHashSet::default());
    for op in nest(body, op) {
        match body.ops[op].kind {
            OpKind::Alloc { buffer, .. } => {
                own.insert(buffer);
            }
            OpKind::Store { buffer, .. } => {
                written.insert(buffer);
            }
            OpKind::Evaluate if effect(body, op, effects) >= Effect::OfWarp => return false,
            _ => {}
        }
        for &operand in &body.ops[op].operands {
            each_node(body, operand, &mut |at| match body.expr(at).kind {
                ExprKind::Load { buffer, .. } | ExprKind::Region(buffer, _) => {
                    read.insert(buffer);
                }
                _ => {}
            });
        }
    }
    written.intersection(&read).all(|it| own.contains(it))
}

/// The effect of a call as a statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Effect {
    None,
    /// All threads take part in it.
    Together,
    /// The threads of a warp do it together, on fragments or registers that they have.
    OfWarp,
    Other,
}

fn effect(body: &Body, op: OpId, effects: &EffectTable) -> Effect {
    let mut worst = Effect::None;
    for &operand in &body.ops[op].operands {
        each_node(body, operand, &mut |at| {
            let call = body.expr(at).kind;
            let ExprKind::Call { callee, .. } = call else { return };
            if effects.call(body, call).is_pure_value() {
                return;
            }
            let here = match callee {
                Callee::Intrinsic(
                    _,
                    Intrinsic::ThreadAllreduce | Intrinsic::StorageSync | Intrinsic::CommReducer,
                ) => Effect::Together,
                _ if is_of_warp(body, at) => Effect::OfWarp,
                _ => Effect::Other,
            };
            worst = worst.max(here);
        });
    }
    worst
}

/// Returns true for an operation of a warp on fragments or registers of matrices, or a part of one.
fn is_of_warp(body: &Body, call: ExprId) -> bool {
    use barriers::instructions::Instruction;
    let is_part = matches!(
        body.expr(call).kind,
        ExprKind::Call { callee: Callee::Intrinsic(_, Intrinsic::AccessPtr), .. }
    );
    is_part
        || matches!(
            barriers::instructions::instruction(body, call),
            Some(
                Instruction::LoadFragment(_)
                    | Instruction::StoreFragment(_)
                    | Instruction::FillFragment { .. }
                    | Instruction::MultiplyFragments { .. }
                    | Instruction::Fill { .. }
                    | Instruction::LoadMatrix { .. }
                    | Instruction::Mma(_)
                    | Instruction::Store { .. }
            )
        )
}

/// Statements outside of the loops of some tags that are to be done once: they, and the numbers of these axes.
pub(super) fn outside_of_threads(
    body: &Body,
    kernel: &Kernel,
    effects: &EffectTable,
) -> Result<FxHashMap<OpId, Vec<usize>>, LowerRefusal> {
    let is_single =
        |axis: usize| matches!(body.expr(kernel.axes[axis].extent).kind, ExprKind::Int(1));
    let mut open = vec![0usize; kernel.axes.len()];
    if let Some(&axis) = kernel.axis_of.get(&kernel.op) {
        open[axis] += 1;
    }
    let mut guarded = FxHashMap::default();
    for event in body.ops[kernel.op].regions.iter().flat_map(|&it| body.walk(it)) {
        let op = match event {
            WalkEvent::Enter(op) => op,
            WalkEvent::Leave(op) => {
                if let Some(&axis) = kernel.axis_of.get(&op) {
                    open[axis] -= 1;
                }
                continue;
            }
            _ => continue,
        };
        if let Some(&axis) = kernel.axis_of.get(&op) {
            open[axis] += 1;
        }
        let missing = || (0..open.len()).filter(|&it| open[it] == 0 && !is_single(it));
        if missing().next().is_none() {
            continue;
        }
        let refusal =
            |what: &str| Err(LowerRefusal::new(reasons::CODE_OUTSIDE_THREADS, what).at(op));
        match body.ops[op].kind {
            OpKind::Store { buffer, .. } => match root(body, buffer) {
                Some(root) if is_private(body, root) => {}
                Some(_) => {
                    guarded.insert(op, missing().collect());
                }
                None => return refusal("a store to unknown memory stands outside of threads"),
            },
            OpKind::Evaluate => {
                let is_of_lanes =
                    |axis: usize| kernel.axes[axis].tag == ThreadTag::ThreadIdx(Dim::X);
                // Every warp does it, as it would inside of a loop over its lanes.
                let is_done = match effect(body, op, effects) {
                    Effect::None | Effect::Together => true,
                    Effect::OfWarp => missing().all(is_of_lanes),
                    Effect::Other => false,
                };
                if !is_done {
                    return refusal("a call with an effect stands outside of threads");
                }
            }
            OpKind::Opaque(_) | OpKind::Named(_) | OpKind::Return => {
                return refusal("a statement of unknown effect stands outside of threads");
            }
            _ => {}
        }
    }
    Ok(guarded)
}

/// Returns true if each thread has its own.
fn is_private(body: &Body, root: BufferId) -> bool {
    body.buffers[root].is_cell() || body.buffers[root].scope.is_local()
}

/// The buffer that a buffer is a view of; none for memory at a computed pointer.
fn root(body: &Body, buffer: BufferId) -> Option<BufferId> {
    match body.view_root(buffer) {
        ViewRoot::Buffer(root) => Some(root),
        ViewRoot::Pointer(root, pointer) => {
            matches!(body.expr(pointer).kind, ExprKind::Value(_)).then_some(root)
        }
    }
}

/// Reads of global memory that the kernel writes are of the element that the same thread wrote.
pub(super) fn global_exchange(body: &Body, region: RegionId) -> Result<(), LowerRefusal> {
    let mut written: FxHashMap<BufferId, FxHashSet<Vec<ExprId>>> = FxHashMap::default();
    let mut read: Vec<(OpId, BufferId, ExprListId)> = Vec::new();
    let ops = || {
        body.walk(region).filter_map(|event| match event {
            WalkEvent::Enter(op) => Some(op),
            _ => None,
        })
    };
    let is_global = |buffer: BufferId| {
        root(body, buffer)
            .is_none_or(|it| !body.buffers[it].is_cell() && body.buffers[it].scope.is_global())
    };
    for op in ops() {
        let data = &body.ops[op];
        if let OpKind::Store { buffer, predicated } = data.kind
            && is_global(buffer)
        {
            let end = data.operands.len() - usize::from(predicated);
            let indices = data.operands[1..end].to_vec();
            written.entry(root(body, buffer).unwrap_or(buffer)).or_default().insert(indices);
        }
        for &operand in &data.operands {
            each_node(body, operand, &mut |at| {
                if let ExprKind::Load { buffer, indices, .. } | ExprKind::Region(buffer, indices) =
                    body.expr(at).kind
                    && is_global(buffer)
                {
                    read.push((op, root(body, buffer).unwrap_or(buffer), indices));
                }
            });
        }
    }
    for (op, buffer, indices) in read {
        if written.get(&buffer).is_some_and(|it| !it.contains(body.items(indices))) {
            let name = body.name(body.buffers[buffer].name);
            let what = format!("threads of one kernel write and read `{name}` at different places");
            return Err(LowerRefusal::new(reasons::GLOBAL_EXCHANGE, what).at(op));
        }
    }
    Ok(())
}
