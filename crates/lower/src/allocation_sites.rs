//! Memory of blocks and threads is allocated in the innermost scope that holds all its uses, and is new in each
//! iteration.
//!
//! In: allocations of shared and local memory. Out: the same, moved into the loops that hold all their uses, so that
//! `compact_buffers` sees the needs of one iteration. A loop is entered only if no value is carried from one iteration
//! to another (`SEMANTICS: M9`: allocated memory is new): it runs once, or its iterations access disjoint elements in
//! some dimension. Linear in the operations; for each allocation and loop the facts of its accesses.

use arith::{Analyzer, Overflow};
use dataflow::analyses::Analyses;
use ir::{
    AllocKind, BinaryOp, BlockId, Body, BufferId, ExprKind, ForKind, MemoryScope, Occurrences,
    OpId, OpKind, effects::EffectTable, substitution::Substitution,
};

use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{append, loop_block, loop_var},
    footprint::{Access, Accesses, Below, Varying, VaryingByScope, distance, span},
    virtual_threads::touched::Touched,
};

pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    _: &mut Origins,
) -> Result<(), LowerRefusal> {
    let allocations = kernel_memory(body);
    if allocations.is_empty() {
        return Ok(());
    }
    let moves = plan(body, &allocations, &options.effects);
    for (op, block) in moves {
        let from = body.ops[op].parent;
        body.blocks[from].ops.retain(|it| *it != op);
        let rest = std::mem::take(&mut body.blocks[block].ops);
        append(body, block, &[op]);
        append(body, block, &rest);
    }
    Ok(())
}

/// Allocations of shared memory, of local memory, of memory of warps and of fragments inside of kernels.
pub(super) fn kernel_memory(body: &Body) -> Vec<(OpId, BufferId)> {
    let mut found = Vec::new();
    let mut launches = 0usize;
    for event in body.walk(body.root) {
        match event {
            ir::walk::WalkEvent::Enter(op) => match body.ops[op].kind {
                OpKind::LaunchThread { .. } => launches += 1,
                OpKind::Alloc { buffer, kind: AllocKind::Flat }
                    if launches > 0
                        && body.ops[op].regions.is_empty()
                        && is_plain(body, buffer) =>
                {
                    found.push((op, buffer));
                }
                _ => {}
            },
            ir::walk::WalkEvent::Leave(op)
                if matches!(body.ops[op].kind, OpKind::LaunchThread { .. }) =>
            {
                launches -= 1;
            }
            _ => {}
        }
    }
    found
}

fn is_plain(body: &Body, buffer: BufferId) -> bool {
    let data = &body.buffers[buffer];
    data.origin == ir::BufferOrigin::Alloc
        && data.strides.as_ref().is_none_or(Vec::is_empty)
        && data.elem_offset.is_none()
        && (data.scope.is_plain_shared()
            || data.scope.is_local()
            || data.scope.is_fragment()
            || data.scope == MemoryScope::Warp)
}

/// Returns the place where each allocation goes, if not where it is.
fn plan(
    body: &Body,
    allocations: &[(OpId, BufferId)],
    effects: &EffectTable,
) -> Vec<(OpId, BlockId)> {
    let occurrences = Occurrences::collect(body);
    let analyses = Analyses::of(body, &occurrences, effects);
    let mut analyzer = Analyzer::growing(body, effects);
    let conditions = analyses.conditions(&mut analyzer);
    let accesses = Accesses::collect(&analyses.flow(), &conditions);
    let varying = VaryingByScope::of(body);
    let mut moves = Vec::new();
    for &(op, buffer) in allocations {
        let Some(accesses) = accesses.of(buffer) else { continue };
        let varying = varying.of_scope(body.buffers[buffer].scope);
        let home = body.ops[op].parent;
        let mut best = home;
        let mut at = home;
        while let Some(inner) = common_child(body, at, accesses) {
            let Some(block) = entered(body, inner) else { break };
            let mut apart = || {
                runs_once(body, inner) || is_apart(&mut analyzer, inner, block, accesses, varying)
            };
            let is_apart = match body.ops[inner].kind {
                OpKind::For(ForKind::ThreadBinding(_)) => {
                    varying.is_none() || is_common(body, inner, buffer) || apart()
                }
                OpKind::For(_) => apart(),
                _ => true,
            };
            if !is_apart {
                break;
            }
            at = block;
            if matches!(body.ops[inner].kind, OpKind::For(_)) {
                best = block;
            }
        }
        if best != home {
            moves.push((op, best));
        }
    }
    moves
}

/// The operation of a block that holds all accesses in its regions.
fn common_child(body: &Body, block: BlockId, accesses: &[Access]) -> Option<OpId> {
    let child_of = |op: OpId| {
        let mut at = Some(op);
        while let Some(op) = at {
            if body.ops[op].parent == block {
                return Some(op);
            }
            at = body.parent_op(op);
        }
        None
    };
    let first = child_of(accesses.first()?.op)?;
    let holds_all = accesses.iter().all(|it| it.op != first && child_of(it.op) == Some(first));
    holds_all.then_some(first)
}

/// The block of an operation that an allocation may be moved into.
fn entered(body: &Body, op: OpId) -> Option<BlockId> {
    let enters = match body.ops[op].kind {
        OpKind::For(ForKind::Serial | ForKind::Unrolled) | OpKind::Attr(_) => true,
        OpKind::For(ForKind::ThreadBinding(tag)) => tag.is_virtual(),
        _ => is_launch(body, op),
    };
    (enters && body.ops[op].regions.len() == 1).then(|| loop_block(body, op))
}

/// A launch is passed through: only the loops in it count.
fn is_launch(body: &Body, op: OpId) -> bool {
    matches!(body.ops[op].kind, OpKind::LaunchThread { .. })
}

/// Returns true if all virtual threads of a loop store the same to memory that threads share, so that each may have its
/// own. Memory of a thread is each one's own anyway.
fn is_common(body: &Body, op: OpId, buffer: BufferId) -> bool {
    !Touched::of(body, op, loop_var(body, op)).has_memory(buffer)
}

fn runs_once(body: &Body, op: OpId) -> bool {
    matches!(body.expr(body.ops[op].operands[1]).kind, ExprKind::Int(1))
}

/// Returns true if iterations of a loop access disjoint elements: in some dimension the accesses of one iteration span
/// at most the distance to the next.
fn is_apart(
    analyzer: &mut Analyzer<'_>,
    op: OpId,
    block: BlockId,
    accesses: &[Access],
    varying: Option<&Varying>,
) -> bool {
    let below = Below::new(analyzer.body(), block, varying);
    let Some(access) = accesses.first() else { return false };
    let var = loop_var(analyzer.body(), op);
    for dim in 0..access.indices.len() {
        let Some(span) = span(analyzer, accesses, dim, &below) else { continue };
        let step = analyzer.grow(|body| {
            let here = body.value_expr(var);
            let dtype = body.dtype(here)?;
            let one = body.int(1, dtype);
            let next = body.binary(BinaryOp::Add, here, one);
            let mut replaced = Substitution::default();
            replaced.add(var, next);
            let next = replaced.apply(body, span.base);
            Some(distance(body, next, span.base))
        });
        let Some(step) = step else { continue };
        let interval = analyzer.facts_with(Overflow::Excluded, access.context, step).interval;
        if interval.as_constant().is_some_and(|it| it.checked_abs() >= Some(span.extent)) {
            return true;
        }
    }
    false
}
