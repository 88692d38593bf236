//! Barriers that are missing, and barriers that order nothing.
//!
//! In: kernels that have barriers for shared memory. A kernel without any was not through TVM's ThreadSync, which puts
//! them. Out: a finding where threads of different warps certainly read and write one address with no barrier between
//! (`SEMANTICS: P2`), with both accesses; and one for each barrier across which threads exchange nothing: all of these
//! could go together. Both rest on the analysis by which code generation places barriers ([`barriers`]); `evidence`
//! decides which results are certain.
//!
//! A missing barrier is not reported if a barrier stands under a condition or in a loop that may run no iteration, as a
//! path around it would count, or if a call has effects that may make threads wait. A superfluous one is not reported
//! where a barrier may order something else: global memory that a kernel also reads or stores to in a loop with a
//! barrier, parameters that may overlap, calls with effects other than those of [`barriers::instructions`] that store
//! to no memory, other scopes of memory. O(barriers × kernel), for at most [`MOST_BARRIERS`] of them.

use barriers::{
    Kernel, Planner,
    instructions::{Instruction, instruction},
    is_barrier, nest,
};
use dataflow::alias::Space;
use ir::{
    BufferId, ExprKind, Intrinsic, OpId, OpKind, ThreadTag, ValueId,
    plan::finding::{Place, Related, Role},
};
use rules::{Fix, Rule, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Finding, FindingFacts, FindingKind, FindingRule, edit_title, sentence};

/// Threads exchange shared memory with no barrier between.
pub(super) const MISSING: FindingRule = FindingRule {
    rule: Rule::reported(
        "missing-barrier",
        Severity::Warning,
        "threads exchange shared memory with no barrier between",
        "\
A thread reads memory that another thread of the block wrote, or writes memory that another one reads, and no \
`T.tvm_storage_sync(\"shared\")` stands
between. Which comes first is chance.

```python
S[tx] = A[tx]
B[tx] = S[127 - tx]       # written by another thread
```

It is reported only in kernels that have barriers already: TVM puts them itself (ThreadSync) into those that have \
none yet, and so does `build`.
And only where it is certain: both accesses are executed, by threads of different warps, at one address. Put the \
barrier before the later access.
",
    )
    .with_fix(Fix::Informs),
    plan: plan_missing,
    title: edit_title,
    is_unnecessary: false,
};

/// A barrier across which threads exchange nothing.
pub(super) const SUPERFLUOUS: FindingRule = FindingRule {
    rule: Rule::reported(
        "superfluous-barrier",
        Severity::Hint,
        "a barrier across which threads exchange nothing",
        "\
Without this `T.tvm_storage_sync`, and without the others that are reported, every thread still sees what it depends \
on: it reads only
shared memory that it wrote itself, or another barrier stands between.

```python
S[tx] = A[tx]
T.tvm_storage_sync(\"shared\")
B[tx] = S[tx]             # each thread reads its own element
```

A barrier stops all threads of a block until the last one is there. Nothing is reported where one may order \
something else: global memory
that the kernel reads and writes, calls with effects, parameters that may overlap.
",
    )
    .with_fix(Fix::Informs),
    plan: plan_superfluous,
    title: edit_title,
    is_unnecessary: false,
};

/// Another thread writes the shared memory here.
const WRITES_SHARED: Role = Role("another thread writes it here");
/// Another thread reads the shared memory here.
const READS_SHARED: Role = Role("another thread reads it here");

/// Barriers of a kernel beyond which none is asked whether it could go.
const MOST_BARRIERS: usize = 32;

/// Threads of a block beyond which they are not enumerated.
const MAX_THREADS: i64 = 1024;

fn plan_missing(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    for kernel in kernels(facts) {
        let planner = Planner::new(facts.body, &kernel, facts.effects);
        let is_passed = |it: &OpId| is_passed(facts, &kernel, *it);
        if !planner.barriers().iter().all(is_passed) || may_wait(facts, &kernel) {
            continue;
        }
        let Ok(plan) = planner.plan() else { continue };
        for hazard in plan.hazards.iter().filter(|it| it.is_certain) {
            let role = if hazard.reads { WRITES_SHARED } else { READS_SHARED };
            let (does, does_there) =
                if hazard.reads { ("reads", "writes") } else { ("writes", "reads") };
            found.push(Finding {
                kind: FindingKind::MissingBarrier,
                is_shown: false,
                place: Place::Op(hazard.second),
                message: sentence![
                    "this ",
                    does,
                    " shared memory that another thread ",
                    does_there,
                    ", with no barrier between",
                ],
                related: vec![Related { place: Place::Op(hazard.first), role }],
                fix: None,
            });
        }
    }
}

fn plan_superfluous(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    for kernel in kernels(facts) {
        let barriers = Planner::new(facts.body, &kernel, facts.effects).barriers();
        if barriers.len() > MOST_BARRIERS || orders_more(facts, &kernel) {
            continue;
        }
        // Where one is missing, or cannot be placed, the program is not understood well enough.
        let is_complete = |without: FxHashSet<OpId>| {
            let plan = Planner::new(facts.body, &kernel, facts.effects).plan_without(without);
            plan.is_ok_and(|it| it.before.is_empty() && it.at_end.is_empty())
        };
        if !is_complete(FxHashSet::default()) {
            continue;
        }
        let mut gone = FxHashSet::default();
        for op in barriers {
            gone.insert(op);
            if !is_complete(gone.clone()) {
                gone.remove(&op);
                continue;
            }
            found.push(Finding {
                kind: FindingKind::SuperfluousBarrier,
                is_shown: false,
                place: Place::Op(op),
                message: sentence![
                    "no thread depends across this barrier on an access of another one"
                ],
                related: Vec::new(),
                fix: None,
            });
        }
    }
}

/// The outermost launches that have a barrier, with the facts that the analysis needs about them.
fn kernels(facts: &FindingFacts<'_>) -> Vec<Kernel> {
    let body = facts.body;
    if Intrinsic::StorageSync.name().is_none_or(|it| body.lookup_name(it).is_none()) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut end_of_last: FxHashSet<OpId> = FxHashSet::default();
    for op in body.ops_preorder() {
        if !matches!(body.ops[op].kind, OpKind::LaunchThread { .. }) || end_of_last.contains(&op) {
            continue;
        }
        let inside: Vec<OpId> = nest(body, op).collect();
        let has_barrier = inside.iter().any(|&it| is_barrier(body, it));
        let is_lowered = inside.iter().all(|&it| {
            !matches!(body.ops[it].kind, OpKind::SBlock(_) | OpKind::Opaque(_))
                && !matches!(body.ops[it].kind, OpKind::For(ir::ForKind::ThreadBinding(_)))
        });
        if has_barrier && is_lowered {
            found.extend(kernel(facts, op, &inside));
        }
        end_of_last.extend(inside);
    }
    found
}

/// None if the block is too large to enumerate its threads, or its size is not known.
fn kernel(facts: &FindingFacts<'_>, op: OpId, inside: &[OpId]) -> Option<Kernel> {
    let body = facts.body;
    let mut block = [1i64; 3];
    let mut thread_vars: FxHashMap<ValueId, usize> = FxHashMap::default();
    for &it in inside {
        let OpKind::LaunchThread { tag, var } = body.ops[it].kind else { continue };
        let axis = match tag {
            ThreadTag::ThreadIdx(dim) => dim as usize,
            ThreadTag::BlockIdx(_) => continue,
            ThreadTag::ClusterCtaIdx(_) | ThreadTag::VThread(_) | ThreadTag::Other(_) => {
                return None;
            }
        };
        let ExprKind::Int(extent) = body.expr(body.ops[it].operands[0]).kind else { return None };
        if thread_vars.values().any(|it| *it == axis) && block[axis] != extent {
            return None;
        }
        block[axis] = extent;
        thread_vars.insert(var, axis);
    }
    let threads = block.iter().try_fold(1i64, |product, it| product.checked_mul(*it))?;
    if !(2..=MAX_THREADS).contains(&threads) {
        return None;
    }
    let aliases = facts.aliases();
    let stored: FxHashSet<_> = inside
        .iter()
        .filter_map(|&it| match body.ops[it].kind {
            OpKind::Store { buffer, .. } => Some(aliases.class(buffer)),
            _ => None,
        })
        .collect();
    let mut roots = FxHashMap::default();
    let mut shared = Vec::new();
    let mut is_constant = Vec::new();
    for buffer in body.buffers.ids() {
        let class = aliases.class(buffer);
        let space = aliases.space(class);
        let n_known = roots.len() as u32;
        let root = *roots.entry(aliases.root(buffer)).or_insert(n_known);
        shared.push((space == Space::Shared).then_some(root));
        is_constant.push(
            space == Space::Global && !stored.contains(&class) && !aliases.is_volatile(class),
        );
    }
    Some(Kernel { op, block: Some(block), thread_vars, shared, is_constant })
}

/// Returns true if every path passes a barrier: all loops around it are certain to run.
fn is_passed(facts: &FindingFacts<'_>, kernel: &Kernel, barrier: OpId) -> bool {
    let body = facts.body;
    let mut at = body.parent_op(barrier);
    while let Some(op) = at.filter(|&it| it != kernel.op) {
        let data = &body.ops[op];
        let runs = match data.kind {
            OpKind::If | OpKind::While => false,
            OpKind::For(_) => {
                matches!(body.expr(data.operands[1]).kind, ExprKind::Int(extent) if extent > 0)
            }
            _ => true,
        };
        if !runs {
            return false;
        }
        at = body.parent_op(op);
    }
    true
}

/// Returns true if threads may wait for each other in another way: by a call that is no barrier of the block.
fn may_wait(facts: &FindingFacts<'_>, kernel: &Kernel) -> bool {
    let body = facts.body;
    nest(body, kernel.op).filter(|&it| !is_barrier(body, it)).any(|op| {
        let data = &body.ops[op];
        if data.kind == OpKind::Evaluate && instruction(body, data.operands[0]).is_some() {
            return false;
        }
        data.operands.iter().any(|&it| {
            let flags = body.expr(it).flags;
            flags.has_impure || flags.has_unknown
        })
    })
}

/// Returns true if a barrier of the kernel may order more than shared memory.
fn orders_more(facts: &FindingFacts<'_>, kernel: &Kernel) -> bool {
    let (body, aliases) = (facts.body, facts.aliases());
    if !aliases.has_noalias() {
        return true;
    }
    let mut synced: FxHashSet<OpId> = FxHashSet::default();
    let mut loaded: FxHashSet<BufferId> = FxHashSet::default();
    let mut stores: Vec<(OpId, BufferId)> = Vec::new();
    for op in nest(body, kernel.op) {
        let data = &body.ops[op];
        if is_barrier(body, op) {
            let mut at = body.parent_op(op);
            while let Some(around) = at.filter(|&it| it != kernel.op) {
                if matches!(body.ops[around].kind, OpKind::For(_) | OpKind::While) {
                    synced.insert(around);
                }
                at = body.parent_op(around);
            }
            continue;
        }
        if let OpKind::Store { buffer, .. } = data.kind {
            stores.push((op, buffer));
        }
        let is_known = matches!(
            data.kind,
            OpKind::Store { .. }
                | OpKind::Bind
                | OpKind::Alloc { .. }
                | OpKind::DeclBuffer { .. }
                | OpKind::LaunchThread { .. }
                | OpKind::If
                | OpKind::For(_)
                | OpKind::While
        );
        if data.kind == OpKind::Evaluate
            && let Some(known) = instruction(body, data.operands[0])
        {
            if matches!(known, Instruction::Store { .. } | Instruction::StoreFragment(_)) {
                return true;
            }
            let mut stack = vec![data.operands[0]];
            while let Some(at) = stack.pop() {
                match body.expr(at).kind {
                    ExprKind::Load { buffer, .. } | ExprKind::BufferField(buffer, _) => {
                        loaded.insert(buffer);
                    }
                    _ => {}
                }
                body.each_child(body.expr(at).kind, &mut |child| stack.push(child));
            }
            continue;
        }
        let mut has_effects = !is_known;
        for &operand in &data.operands {
            let mut stack = vec![operand];
            while let Some(at) = stack.pop() {
                let node = body.expr(at);
                has_effects |= node.flags.has_impure || node.flags.has_unknown;
                if let ExprKind::Load { buffer, .. } = node.kind {
                    loaded.insert(buffer);
                }
                body.each_child(node.kind, &mut |child| stack.push(child));
            }
        }
        if has_effects {
            return true;
        }
    }
    let space = |buffer: BufferId| aliases.space(aliases.class(buffer));
    let all = loaded.iter().copied().chain(stores.iter().map(|it| it.1));
    let is_plain = |it: BufferId| {
        matches!(space(it), Space::Global | Space::Shared | Space::Local)
            && aliases.class(it) != aliases.world()
            && !aliases.is_volatile(aliases.class(it))
    };
    if !all.clone().all(is_plain) {
        return true;
    }
    let mut seen = FxHashSet::default();
    stores.iter().filter(|it| space(it.1) == Space::Global).any(|&(op, buffer)| {
        let class = aliases.class(buffer);
        let is_read = loaded.iter().any(|&it| aliases.class(it) == class);
        let mut is_repeated = !seen.insert(class);
        let mut at = body.parent_op(op);
        while let Some(around) = at {
            is_repeated |= synced.contains(&around);
            at = body.parent_op(around);
        }
        is_read || is_repeated
    })
}
