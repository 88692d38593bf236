//! The statements of a pipeline, as its author counts them.
//!
//! In: loops with annotations, with blocks in them. Out: each statement in a scope of its own ([`super::STATEMENT`]).
//! The statements are the children of the loop, or of the block that is all of it; a block among them that has several
//! statements stands for these (TVM counts in this way, once). A pipeline among them is none of them yet: it becomes
//! three. Allocations and names are no statements. Buffers of two versions (`double_buffer_scope`) are marked, as the
//! blocks that name them will be opened. Linear.

use ir::{Attr, BlockId, Body, DataType, OpId, OpKind};

use super::{DOUBLE, STATEMENT, is_annotated, is_statement};
use crate::{
    edit::{append, loop_block},
    lists::ops_in,
};

/// The attribute of a block whose copy to shared memory is two statements, in the dialects.
const LOCAL_STAGE: [&str; 2] =
    ["tirx.manifest_shared_memory_local_stage", "tir.manifest_shared_memory_local_stage"];

/// See the module.
pub(super) fn mark(body: &mut Body) {
    let ops: Vec<OpId> = body.ops_preorder().collect();
    for &op in &ops {
        if is_annotated(body, op) {
            mark_loop(body, op);
        }
        note_double(body, op);
    }
}

fn mark_loop(body: &mut Body, op: OpId) {
    let mut block = loop_block(body, op);
    if let &[only] = &statements(body, block)[..]
        && let Some(inner) = opened(body, only)
    {
        block = inner;
    }
    for child in statements(body, block) {
        if is_annotated(body, child) || is_statement(body, child) {
            continue;
        }
        match opened(body, child).map(|it| (it, statements(body, it))) {
            Some((inner, several)) if several.len() > 1 => {
                several.into_iter().for_each(|it| enclose(body, inner, it));
            }
            _ => enclose(body, block, child),
        }
    }
}

/// The list of a block without a condition.
fn opened(body: &Body, op: OpId) -> Option<BlockId> {
    let OpKind::SBlock(block) = body.ops[op].kind else { return None };
    let is_plain = !body.sblocks[block].has_predicate && body.ops[op].regions.len() == 1;
    is_plain.then(|| body.entry(body.ops[op].regions[0]))
}

fn statements(body: &Body, block: BlockId) -> Vec<OpId> {
    let ops = body.blocks[block].ops.iter().copied();
    ops.filter(|&it| !is_declaration(body, it)).collect()
}

/// Returns true for what the statements behind it see.
pub(super) fn is_declaration(body: &Body, op: OpId) -> bool {
    let data = &body.ops[op];
    matches!(data.kind, OpKind::Alloc { .. } | OpKind::DeclBuffer { .. } | OpKind::Bind)
        && data.regions.is_empty()
}

/// Puts an operation into a scope in its place.
fn enclose(body: &mut Body, block: BlockId, op: OpId) {
    let is_two = has_local_stage(body, op);
    let scope = scope(body, block, &[op]);
    if is_two {
        body.ops[scope].operands[1] = body.int(1, DataType::INT32);
    }
    body.blocks[block].ops.pop();
    if let Some(at) = body.blocks[block].ops.iter().position(|it| *it == op) {
        body.blocks[block].ops[at] = scope;
    }
}

/// Returns true if a block in a statement asks for memory of the thread between what it reads and shared memory.
fn has_local_stage(body: &Body, op: OpId) -> bool {
    let asks = |op: OpId| {
        let dict = body.dict(body.ops[op].attrs);
        let is_on = |it: &Attr| matches!(it, Attr::Int(1, _) | Attr::Bool(true));
        dict.iter().any(|(key, value)| LOCAL_STAGE.contains(&&**key) && is_on(value))
    };
    let is_block = |op: &OpId| matches!(body.ops[*op].kind, OpKind::SBlock(_));
    std::iter::once(op).chain(ops_in(body, op)).filter(is_block).any(asks)
}

/// A scope at the end of a block.
pub(super) fn scope(body: &mut Body, block: BlockId, ops: &[OpId]) -> OpId {
    let key = body.intern(STATEMENT);
    let zero = body.int(0, DataType::INT32);
    let scope = body.push_op(block, OpKind::Attr(key), &[zero, zero]);
    let region = body.push_region(scope);
    let inner = body.entry(region);
    append(body, inner, ops);
    scope
}

/// Puts `T.sblock_attr({"double_buffer_scope": which})` down at the buffer.
fn note_double(body: &mut Body, op: OpId) {
    let OpKind::SBlock(block) = body.ops[op].kind else { return };
    let Some(&Attr::Int(which, _)) = super::annotation(body, op, DOUBLE) else { return };
    let Some(writes) = &body.sblocks[block].writes else { return };
    let Some(region) = usize::try_from(which).ok().and_then(|it| writes.get(it)) else { return };
    let buffer = region.buffer;
    let mut dict = body.dict(body.buffers[buffer].attrs).clone();
    if dict.iter().all(|it| &*it.0 != DOUBLE) {
        dict.push((DOUBLE.into(), Attr::Bool(true)));
        body.buffers[buffer].attrs = body.attr_dict(dict);
    }
}

/// Takes the marks from buffers.
pub(super) fn forget(body: &mut Body) {
    let buffers: Vec<_> = body.buffers.iter().map(|it| it.0).collect();
    for buffer in buffers {
        let dict = body.dict(body.buffers[buffer].attrs);
        if dict.iter().any(|it| &*it.0 == DOUBLE) {
            let rest = dict.iter().filter(|it| &*it.0 != DOUBLE).cloned().collect();
            body.buffers[buffer].attrs = body.attr_dict(rest);
        }
    }
}
