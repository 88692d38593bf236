//! Each statement for all virtual threads, instead of all statements for each.
//!
//! In: a loop over virtual threads. Out: its contents in its place; a statement that depends on the virtual thread is
//! in a loop over them, one that does not is done once (TVM's `InjectVirtualThread`): data that all of them need is
//! fetched once. Memory of a virtual thread that depends on it gets a place for each. Linear in the operations.

use ir::{
    AllocKind, BinaryOp, BlockId, Body, BufferField, BufferId, DataType, ExprId, ExprKind, ForKind,
    OpId, OpKind, ValueId, substitution::Substitution,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::touched::{Touched, is_open};
use crate::{
    edit::{append, each_node, folded, loop_block, loop_var, map_expr, map_op},
    lists::{constant, ops_in},
    named_memory::root,
};

/// Spreads a loop over virtual threads; none of it if that is not possible.
pub(super) fn run(body: &mut Body, op: OpId, extent: i64) -> bool {
    let var = loop_var(body, op);
    let touched = Touched::of(body, op, var);
    let Some(private) = private(body, op, &touched) else { return false };
    let block = loop_block(body, op);
    let mut spread = Spread { touched, var, extent, wrapped: Vec::new(), once: Vec::new() };
    spread.block(body, block);
    // Memory that is allocated inside of a loop over virtual threads is each one's already.
    let kept: FxHashSet<OpId> = spread.once.iter().copied().collect();
    let expanded: FxHashMap<BufferId, i64> = private
        .iter()
        .filter(|(alloc, buffer, _)| kept.contains(alloc) && spread.touched.has_memory(*buffer))
        .map(|&(_, buffer, size)| (buffer, size))
        .collect();
    for &(alloc, buffer, size) in &private {
        if expanded.contains_key(&buffer) {
            let dtype = body.dtype(body.buffers[buffer].shape[0]).unwrap_or(DataType::INT32);
            let all = body.int(i128::from(size * extent), dtype);
            body.buffers[buffer].shape = vec![all];
            body.ops[alloc].operands = body.buffers[buffer].operands().collect();
        }
    }
    for (of, index) in std::mem::take(&mut spread.wrapped) {
        rewrite(body, of, var, index, &expanded);
    }
    let around = body.ops[op].parent;
    let contents = std::mem::take(&mut body.blocks[block].ops);
    contents.iter().for_each(|&it| body.ops[it].parent = around);
    if let Some(at) = body.blocks[around].ops.iter().position(|it| *it == op) {
        body.blocks[around].ops.splice(at..=at, contents);
    }
    true
}

/// The memory that is allocated in a loop, with its elements; none if something stands in the way: a jump, a scalar
/// that depends, memory that depends and is no list of elements that are accessed one by one.
fn private(body: &Body, op: OpId, touched: &Touched) -> Option<Vec<(OpId, BufferId, i64)>> {
    if touched.memory().any(|it| body.buffers[it].is_cell()) {
        return None;
    }
    let mut found = Vec::new();
    let is_plain = |buffer: BufferId, indices: &[ExprId]| {
        !touched.has_memory(root(body, buffer))
            || matches!(indices, [at] if body.dtype(*at).is_some_and(DataType::is_scalar))
    };
    for inner in ops_in(body, op) {
        let data = &body.ops[inner];
        match data.kind {
            OpKind::Break | OpKind::Continue | OpKind::Return => return None,
            OpKind::Alloc { buffer, kind } if touched.has_memory(buffer) => {
                let it = &body.buffers[buffer];
                let [extent] = it.shape[..] else { return None };
                let is_list = kind == AllocKind::Flat
                    && it.strides.is_none()
                    && it.elem_offset.is_none()
                    && data.regions.is_empty();
                found.push((inner, buffer, constant(body, extent).filter(|_| is_list)?));
            }
            OpKind::Alloc { .. } if !data.regions.is_empty() => return None,
            OpKind::DeclBuffer { buffer } if touched.has_memory(root(body, buffer)) => return None,
            OpKind::Store { buffer, predicated } => {
                let end = data.operands.len() - usize::from(predicated);
                if predicated || !is_plain(buffer, &data.operands[1..end]) {
                    return None;
                }
            }
            _ => {}
        }
        let mut is_known = true;
        for &operand in &data.operands {
            each_node(body, operand, &mut |at| {
                is_known &= match body.expr(at).kind {
                    ExprKind::Load { buffer, indices, .. } => is_plain(buffer, body.items(indices)),
                    ExprKind::Region(buffer, _)
                    | ExprKind::Buffer(buffer)
                    | ExprKind::BufferField(buffer, BufferField::Data) => {
                        !touched.has_memory(root(body, buffer))
                    }
                    _ => true,
                };
            });
        }
        if !is_known {
            return None;
        }
    }
    Some(found)
}

struct Spread {
    touched: Touched,
    var: ValueId,
    extent: i64,
    /// Statements that are done for each virtual thread, with its index.
    wrapped: Vec<(Vec<OpId>, ValueId)>,
    /// Operations that are done once.
    once: Vec<OpId>,
}

impl Spread {
    fn block(&mut self, body: &mut Body, block: BlockId) {
        let mut new = Vec::new();
        let mut group = Vec::new();
        let mut is_rest = false;
        for op in std::mem::take(&mut body.blocks[block].ops) {
            if is_rest || self.touched.depends(body, op) {
                // What follows a variable uses it where it is.
                is_rest |= !body.ops[op].results.is_empty();
                group.push(op);
                continue;
            }
            self.close(body, block, &mut group, &mut new);
            self.once.push(op);
            new.push(op);
            if is_open(body, op) {
                let regions = &body.ops[op].regions;
                let blocks = regions.iter().flat_map(|&it| &body.regions[it].blocks);
                for inner in blocks.copied().collect::<Vec<BlockId>>() {
                    ir::stack::with_room(|| self.block(body, inner));
                }
            }
        }
        self.close(body, block, &mut group, &mut new);
        body.blocks[block].ops.clear();
        append(body, block, &new);
    }

    /// Puts statements into a loop over virtual threads.
    fn close(
        &mut self,
        body: &mut Body,
        block: BlockId,
        group: &mut Vec<OpId>,
        new: &mut Vec<OpId>,
    ) {
        if group.is_empty() {
            return;
        }
        let data = body.values[self.var];
        let name = body.name(data.name).to_owned();
        let dtype = data.ty.prim().unwrap_or(DataType::INT32);
        let (zero, extent) = (body.int(0, dtype), body.int(i128::from(self.extent), dtype));
        let of_all = body.push_op(block, OpKind::For(ForKind::Unrolled), &[zero, extent]);
        let region = body.push_region(of_all);
        let inner = body.entry(region);
        let index = body.new_block_arg(inner, &name, data.ty);
        let group = std::mem::take(group);
        append(body, inner, &group);
        self.wrapped.push((group, index));
        new.push(of_all);
    }
}

/// Gives statements the index of their virtual thread, and its places in memory.
fn rewrite(
    body: &mut Body,
    group: Vec<OpId>,
    var: ValueId,
    index: ValueId,
    expanded: &FxHashMap<BufferId, i64>,
) {
    let all: Vec<OpId> =
        group.iter().flat_map(|&it| std::iter::once(it).chain(ops_in(body, it))).collect();
    let with = body.value_expr(index);
    let mut substitution = Substitution::default();
    substitution.add(var, with);
    let mut memo = FxHashMap::default();
    for op in all {
        map_op(body, op, &mut |body, expr| {
            let expr = substitution.apply(body, expr);
            map_expr(body, expr, &mut memo, &mut |body, at| {
                let ExprKind::Load { buffer, indices, predicate: None } = body.expr(at).kind else {
                    return at;
                };
                let (Some(&size), &[first]) = (expanded.get(&buffer), body.items(indices)) else {
                    return at;
                };
                let place = placed(body, first, index, size);
                body.load(buffer, &[place], None)
            })
        });
        if let OpKind::Store { buffer, .. } = body.ops[op].kind
            && let Some(&size) = expanded.get(&buffer)
        {
            let first = body.ops[op].operands[1];
            body.ops[op].operands[1] = placed(body, first, index, size);
        }
    }
}

/// The place of an element among those of all virtual threads.
fn placed(body: &mut Body, first: ExprId, index: ValueId, size: i64) -> ExprId {
    let dtype = body.dtype(first).unwrap_or(DataType::INT32);
    let (index, size) = (body.value_expr(index), body.int(i128::from(size), dtype));
    let index = body.cast(index, dtype);
    let start = folded(body, BinaryOp::Mul, index, size);
    folded(body, BinaryOp::Add, start, first)
}
