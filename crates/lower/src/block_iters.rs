//! Blocks are opened: iteration variables are replaced by their values, `T.where` becomes an `if`.
//!
//! In: blocks of one region. Out: no block; their statements stand where they stood. A variable is replaced by its
//! binding where that is a value of its variables and small, else it is bound to a name in front (`SEMANTICS: L9`:
//! bound once at entry). Reads, writes and annotations are dropped, except `buffer_dim_align`, which is recorded at the
//! buffer for `compact_buffers`. Linear in the operations.

use ir::{
    AllocKind, Attr, BlockId, Body, ExprId, OpId, OpKind, SBlockId, ValueId, ValueKind,
    substitution::Substitution,
};

use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{adopt_region, map_op, rebuild_blocks},
};
use crate::reasons;

/// The attribute of a block, and here of a buffer, that asks for padding.
pub(super) const DIM_ALIGN: &str = "buffer_dim_align";

/// Nodes of the largest binding that is written at each use.
const LARGEST_BINDING: u32 = 256;

pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    let mut replaced = Substitution::default();
    let ops: Vec<OpId> = body.ops_preorder().collect();
    for &op in &ops {
        let OpKind::SBlock(block) = body.ops[op].kind else {
            map_op(body, op, &mut |body, expr| replaced.apply(body, expr));
            if let OpKind::Alloc { buffer, kind: AllocKind::SBlock } = body.ops[op].kind {
                body.ops[op].kind = OpKind::Alloc { buffer, kind: AllocKind::Flat };
            }
            continue;
        };
        if body.ops[op].regions.len() != 1 {
            let what = "a block still has an initialisation of its own";
            return Err(LowerRefusal::new(reasons::UNLOWERED_BLOCK, what).at(op));
        }
        note_alignment(body, op, block);
        bind(body, op, block, &mut replaced);
    }
    rebuild_blocks(body, body.root, &mut open);
    Ok(())
}

/// Replaces iteration variables by their values; remaining ones are marked by staying in the payload.
fn bind(body: &mut Body, op: OpId, block: SBlockId, replaced: &mut Substitution) {
    let iters = body.sblocks[block].iter_vars.clone();
    let written: Vec<ExprId> = body.ops[op].operands[..iters.len()].to_vec();
    let bindings: Vec<ExprId> = written.iter().map(|&it| replaced.apply(body, it)).collect();
    let mut named = Vec::new();
    let mut operands = Vec::new();
    for (iter, binding) in iters.into_iter().zip(bindings) {
        let node = body.expr(binding);
        let is_plain = !node.flags.has_load && !node.flags.has_impure && !node.flags.has_unknown;
        if is_plain && node.size <= LARGEST_BINDING && node.ty == body.values[iter.value].ty {
            replaced.add(iter.value, binding);
        } else {
            named.push(iter);
            operands.push(binding);
        }
    }
    if body.sblocks[block].has_predicate
        && let Some(&predicate) = body.ops[op].operands.last()
    {
        operands.push(replaced.apply(body, predicate));
    }
    body.ops[op].operands = operands.into();
    body.sblocks[block].iter_vars = named;
}

/// Replaces a block by bindings of its variables and its statements, under its predicate.
fn open(body: &mut Body, into: BlockId, op: OpId, new: &mut Vec<OpId>) {
    let OpKind::SBlock(block) = body.ops[op].kind else { return new.push(op) };
    let region = body.ops[op].regions[0];
    let inner = body.entry(region);
    let named: Vec<ValueId> = body.sblocks[block].iter_vars.iter().map(|it| it.value).collect();
    for (at, &value) in named.iter().enumerate() {
        let operand = body.ops[op].operands[at];
        let bind = body.push_op(into, OpKind::Bind, &[operand]);
        body.ops[bind].results.push(value);
        body.values[value].kind = ValueKind::Result(bind, 0);
        new.push(bind);
    }
    body.blocks[inner].args.clear();
    if body.sblocks[block].has_predicate
        && let Some(&predicate) = body.ops[op].operands.last()
    {
        let branch = body.push_op(into, OpKind::If, &[predicate]);
        adopt_region(body, branch, region);
        new.push(branch);
    } else {
        new.extend(std::mem::take(&mut body.blocks[inner].ops));
    }
}

/// Puts `T.sblock_attr({"buffer_dim_align": [[which, axis, factor, offset]]})` down at the buffers.
fn note_alignment(body: &mut Body, op: OpId, block: SBlockId) {
    let Some(Attr::List(entries)) = entry(body, op) else { return };
    for alignment in entries {
        let Attr::List(numbers) = &alignment else { continue };
        let (Some(Attr::Int(which, _)), Some(writes)) =
            (numbers.first(), &body.sblocks[block].writes)
        else {
            continue;
        };
        let Some(buffer) = usize::try_from(*which).ok().and_then(|it| writes.get(it)) else {
            continue;
        };
        let buffer = buffer.buffer;
        let mut dict = body.dict(body.buffers[buffer].attrs).clone();
        let value = Attr::List(numbers[1..].to_vec());
        match dict.iter_mut().find(|it| &*it.0 == DIM_ALIGN) {
            Some((_, Attr::List(known))) if !known.contains(&value) => known.push(value),
            Some(_) => {}
            None => dict.push((DIM_ALIGN.into(), Attr::List(vec![value]))),
        }
        body.buffers[buffer].attrs = body.attr_dict(dict);
    }
}

fn entry(body: &Body, op: OpId) -> Option<Attr> {
    let dict = body.dict(body.ops[op].attrs);
    dict.iter().find(|it| &*it.0 == DIM_ALIGN).map(|it| it.1.clone())
}
