//! Barriers of kernels: inserts them where [`barriers`] finds that a thread depends on the access of another one.

use barriers::{Plan, Planner, in_place};
use ir::{BlockId, Body, OpId, OpKind, Type, arena::Id as _, effects::EffectTable};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    kernel::{
        Axis, Kernel, Refusal, Result, Root, Space,
        split::{root_of, space},
    },
    reasons,
};

/// Threads of a block beyond which they are not enumerated.
const MAX_THREADS: i64 = 1024;

/// Inserts the missing barriers of all `kernels`; the number of barriers inserted.
pub(crate) fn insert_barriers(
    body: &mut Body,
    kernels: &[Kernel],
    effects: &EffectTable,
) -> Result<usize> {
    let mut before: FxHashSet<OpId> = FxHashSet::default();
    let mut at_end: FxHashSet<BlockId> = FxHashSet::default();
    for kernel in kernels {
        if !kernel.roots.iter().any(|it| matches!(it.space, Space::Shared | Space::SharedDyn)) {
            continue;
        }
        if kernel.block_threads() == Some(1) {
            continue;
        }
        let mut plan = plan(body, kernel, effects)?;
        if !plan.exchanges.is_empty() {
            in_place::divide(body, &plan.exchanges);
            plan = self::plan(body, kernel, effects)?;
        }
        if let Some(&store) = plan.exchanges.first() {
            let what = "a statement reads shared memory that other threads write in it: no barrier can stand in between";
            return Err(Refusal::new(reasons::EXCHANGE_IN_ONE_STATEMENT, what).at(store));
        }
        before.extend(plan.before);
        at_end.extend(plan.at_end);
    }
    let blocks: Vec<BlockId> = body.blocks.ids().collect();
    for block in blocks {
        let ops = std::mem::take(&mut body.blocks[block].ops);
        for op in ops {
            if before.contains(&op) {
                push_barrier(body, block);
            }
            body.blocks[block].ops.push(op);
        }
        if at_end.contains(&block) {
            push_barrier(body, block);
        }
    }
    Ok(before.len() + at_end.len())
}

fn plan(body: &Body, kernel: &Kernel, effects: &EffectTable) -> Result<Plan> {
    let facts = facts(body, kernel);
    Planner::new(body, &facts, effects).plan().map_err(Refusal::of_lowering)
}

/// Returns true if all threads of a block reach an operation together, equally often.
pub(crate) fn is_convergent(body: &Body, kernel: &Kernel, op: OpId, effects: &EffectTable) -> bool {
    let facts = facts(body, kernel);
    Planner::new(body, &facts, effects).is_convergent(op)
}

/// Returns the facts that the analysis needs about a kernel. Uses of unsupported memory were refused when the kernel
/// was made.
fn facts(body: &Body, kernel: &Kernel) -> barriers::Kernel {
    let mut block = [1; 3];
    let mut is_fixed = kernel.block_threads().is_some_and(|it| it <= MAX_THREADS);
    for dim in kernel.launch.iter().filter(|it| it.axis.is_thread()) {
        block[dim.axis.dim()] = dim.fixed().unwrap_or(0);
        is_fixed &= dim.fixed().is_some();
    }
    let axes = kernel.thread_vars.iter().filter_map(|(&var, axis)| Some((var, (*axis)?)));
    let threads = axes.filter(|it| it.1.is_thread());
    let thread_vars: FxHashMap<_, _> = threads.map(|(var, axis)| (var, Axis::dim(axis))).collect();
    let mut shared = Vec::new();
    let mut is_constant = Vec::new();
    for buffer in body.buffers.ids() {
        let root = root_of(body, buffer).ok();
        let used = root.and_then(|it| kernel.root_use(it));
        is_constant.push(used.is_some_and(|it| it.space == Space::Global && !it.written));
        shared.push(match root {
            Some(Root::Alloc(owner))
                if matches!(space(body, owner), Ok(Space::Shared | Space::SharedDyn)) =>
            {
                Some(owner.index() as u32)
            }
            _ => None,
        });
    }
    barriers::Kernel {
        op: kernel.op,
        block: is_fixed.then_some(block),
        thread_vars,
        shared,
        is_constant,
    }
}

fn push_barrier(body: &mut Body, block: BlockId) {
    let callee = body.intrinsic(ir::Intrinsic::StorageSync);
    let scope = body.string("shared");
    let ty = Type::Prim(ir::DataType::INT32);
    let call = body.call(callee, &[scope], Body::no_attrs(), ty, true);
    body.push_op(block, OpKind::Evaluate, &[call]);
}
