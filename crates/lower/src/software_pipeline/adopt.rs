//! Memory that each iteration of a pipeline makes for itself, wherever it is allocated.
//!
//! In: a loop. Out: the same, with allocations from around it in its body if no iteration reads what another one left.
//! That is so if all iterations are alike: which elements are accessed, in which order and under which conditions
//! depends neither on the loop nor on memory. As memory is new before the first iteration (`SEMANTICS: M9`), the first
//! one reads only what it wrote itself, and so do all others. `allocation_sites` has moved what iterations access apart
//! from each other. Linear in the nodes of the loop, for each allocation.

use ir::{BlockId, Body, BufferId, BufferOrigin, ExprId, ExprKind, OpId, OpKind, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::versions::{Use, uses};
use crate::{
    allocation_sites::kernel_memory,
    edit::{append, each_node, loop_block, loop_var, mentions},
    lists::ops_in,
    named_memory::root,
};

/// See the module.
pub(super) fn adopt(body: &mut Body, op: OpId) {
    let inside: Vec<OpId> = ops_in(body, op).collect();
    let set: FxHashSet<OpId> = inside.iter().copied().collect();
    let block = loop_block(body, op);
    for (alloc, buffer) in kernel_memory(body) {
        let home = body.ops[alloc].parent;
        if !set.contains(&alloc)
            && is_used_only_in(body, buffer, &set)
            && let Some(varying) = varying(body, op, home, &inside)
            && are_alike(body, op, &inside, buffer, &varying)
        {
            body.blocks[home].ops.retain(|it| *it != alloc);
            let rest = std::mem::take(&mut body.blocks[block].ops);
            append(body, block, &[alloc]);
            append(body, block, &rest);
        }
    }
}

/// Returns true if all that names a buffer is in some operations, and nothing shows its memory by another name.
fn is_used_only_in(body: &Body, buffer: BufferId, inside: &FxHashSet<OpId>) -> bool {
    let mut is_used = false;
    for op in body.ops_preorder() {
        match body.ops[op].kind {
            OpKind::DeclBuffer { buffer: it } if root(body, it) == buffer => return false,
            OpKind::Alloc { buffer: it, .. } if it == buffer => continue,
            _ => {}
        }
        let uses = names(body, op, buffer);
        is_used |= uses;
        if uses && !inside.contains(&op) {
            return false;
        }
    }
    is_used && body.buffers[buffer].origin == BufferOrigin::Alloc
}

fn names(body: &Body, op: OpId, buffer: BufferId) -> bool {
    let mut found = matches!(body.ops[op].kind, OpKind::Store { buffer: it, .. } if it == buffer);
    for &operand in &body.ops[op].operands {
        found |= mentions_buffer(body, operand, buffer);
    }
    found
}

fn mentions_buffer(body: &Body, expr: ExprId, buffer: BufferId) -> bool {
    let mut found = false;
    each_node(body, expr, &mut |at| {
        found |= match body.expr(at).kind {
            ExprKind::Load { buffer: it, .. }
            | ExprKind::BufferField(it, _)
            | ExprKind::Buffer(it)
            | ExprKind::Region(it, _) => it == buffer,
            _ => false,
        };
    });
    found
}

/// The variables that may have another value in another iteration, of the loop and of those around it up to a block;
/// none if the block is not around it, or something leaves an iteration early. Threads keep their indices.
fn varying(body: &Body, op: OpId, home: BlockId, inside: &[OpId]) -> Option<FxHashSet<ValueId>> {
    let mut around = Vec::new();
    let mut at = op;
    while body.ops[at].parent != home {
        around.push(body.ops[at].parent);
        at = body.parent_op(at)?;
    }
    let mut varying = FxHashSet::default();
    for block in around.into_iter().rev() {
        let of = body.regions[body.blocks[block].parent].parent;
        if of.is_some_and(|it| !matches!(body.ops[it].kind, OpKind::LaunchThread { .. })) {
            varying.extend(body.blocks[block].args.iter().copied());
        }
        for &it in &body.blocks[block].ops {
            define(body, it, &mut varying);
        }
    }
    varying.insert(loop_var(body, op));
    for &it in inside {
        let data = &body.ops[it];
        match data.kind {
            OpKind::While | OpKind::Break | OpKind::Continue | OpKind::Return => return None,
            OpKind::For(_) if data.operands.iter().any(|it| varies(body, *it, &varying)) => {
                varying.insert(loop_var(body, it));
            }
            _ => define(body, it, &mut varying),
        }
    }
    Some(varying)
}

/// Adds what an operation defines.
fn define(body: &Body, op: OpId, varying: &mut FxHashSet<ValueId>) {
    let data = &body.ops[op];
    let is_same = match data.kind {
        OpKind::EnvThread(_) => true,
        OpKind::Bind => !varies(body, data.operands[0], varying),
        _ => false,
    };
    if !is_same {
        varying.extend(data.results.iter().copied());
    }
}

/// Returns true if an expression may have another value in another iteration.
fn varies(body: &Body, expr: ExprId, varying: &FxHashSet<ValueId>) -> bool {
    let flags = body.expr(expr).flags;
    flags.has_load
        || flags.has_impure
        || flags.has_unknown
        || mentions(body, expr, &|it| varying.contains(&it))
}

/// Returns true if all iterations access a buffer in the same way.
fn are_alike(
    body: &Body,
    op: OpId,
    inside: &[OpId],
    buffer: BufferId,
    varying: &FxHashSet<ValueId>,
) -> bool {
    let varies = |it: ExprId| varies(body, it, varying);
    let mut is_around: FxHashMap<OpId, bool> = FxHashMap::default();
    is_around.insert(op, true);
    for &it in inside {
        let data = &body.ops[it];
        let is_reached = body.parent_op(it).and_then(|it| is_around.get(&it)) == Some(&true);
        let is_same = match data.kind {
            OpKind::For(_) | OpKind::If => !data.operands.iter().any(|it| varies(*it)),
            OpKind::Attr(_) | OpKind::AttrDict => true,
            _ => data.regions.is_empty(),
        };
        is_around.insert(it, is_reached && is_same);
        if !names(body, it, buffer) {
            continue;
        }
        let is_known = is_reached
            && match data.kind {
                OpKind::Store { buffer: of, predicated } if of == buffer => {
                    !predicated && !data.operands[1..].iter().any(|it| varies(*it))
                }
                OpKind::Store { .. } | OpKind::Evaluate | OpKind::Bind => true,
                _ => false,
            };
        if !is_known || !data.operands.iter().all(|it| accesses(body, *it, buffer, &varies)) {
            return false;
        }
    }
    true
}

/// Returns true if an expression accesses a buffer in the same way in all iterations.
fn accesses(body: &Body, expr: ExprId, buffer: BufferId, varies: &dyn Fn(ExprId) -> bool) -> bool {
    let Some(uses) = uses(body, expr, buffer) else { return false };
    let is_same = |it: &Use| match *it {
        Use::Load(load) => match body.expr(load).kind {
            ExprKind::Load { indices, predicate, .. } => {
                predicate.is_none() && !body.items(indices).iter().any(|it| varies(*it))
            }
            _ => false,
        },
        Use::Offset { at, .. } => !varies(at),
    };
    let mut is_alike = uses.iter().all(is_same);
    // What is evaluated may depend on a value.
    each_node(body, expr, &mut |at| {
        is_alike &= match body.expr(at).kind {
            ExprKind::IfThenElse(condition, ..) => {
                !varies(condition) || !mentions_buffer(body, at, buffer)
            }
            ExprKind::Binary(op, a, _) => !op.is_logical() || !varies(a),
            _ => true,
        };
    });
    is_alike
}
