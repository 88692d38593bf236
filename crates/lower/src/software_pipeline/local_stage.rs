//! Copies to shared memory in two statements: to memory of the thread first, which can wait for the data, then from
//! there (TVM's ManifestSharedMemoryLocalStage).
//!
//! In: the scope of a statement that a block in it asked to be two ([`super::STATEMENT`] of value 1): loops, and in
//! them conditions, around one store. Out: two scopes, and the memory between them, with one element for each turn of
//! the loops. The value reads nothing that the store writes, so that all values can be computed before the first store.
//! None if the statement is of another form. Linear.

use ir::{
    AllocKind, BinaryOp, BlockId, Body, Buffer, BufferId, BufferOrigin, DataType, ExprId, ExprKind,
    ForKind, MemoryScope, OpId, OpKind, ValueId,
};

use super::statements::scope;
use crate::{
    Origins,
    copy::{Copier, can_copy},
    edit::{each_node, folded, loop_block, loop_var},
    lists::{constant, new_list, take_list},
    named_memory::root,
};

/// The loops around the one store of a statement.
struct Nest {
    store: OpId,
    /// Variables with their first values and numbers, outermost first.
    loops: Vec<(ValueId, ExprId, i64)>,
}

/// See the module.
pub(super) fn split(body: &mut Body, statement: OpId, origins: &mut Origins) -> Option<Vec<OpId>> {
    let nest = nest(body, statement)?;
    let OpKind::Store { buffer: shared, .. } = body.ops[nest.store].kind else { return None };
    let value = body.ops[nest.store].operands[0];
    if !is_apart(body, value, shared) || !can_copy(body, statement) {
        return None;
    }
    let list = new_list(body);
    let local = allocate(body, &nest, shared, list);
    let mut indices = Vec::new();
    for &(var, min, _) in &nest.loops {
        let var = body.value_expr(var);
        indices.push(match constant(body, min) {
            Some(0) => var,
            _ => folded(body, BinaryOp::Sub, var, min),
        });
    }
    if indices.is_empty() {
        indices.push(body.int(0, DataType::INT32));
    }
    // The copy has the original's value, and the memory of the thread as its target.
    let saved = body.ops[nest.store].clone();
    let mut operands = vec![value];
    operands.extend(&indices);
    body.ops[nest.store].kind = OpKind::Store { buffer: local, predicated: false };
    body.ops[nest.store].operands = operands.into();
    let fetch = new_list(body);
    let ops = body.blocks[loop_block(body, statement)].ops.clone();
    Copier::default().append(body, &ops, fetch, origins);
    let fetched = take_list(body, fetch);
    scope(body, list, &fetched);
    body.ops[nest.store] = saved;
    body.ops[nest.store].operands[0] = body.load(local, &indices, None);
    body.ops[statement].operands[1] = body.int(0, DataType::INT32);
    let mut ops = take_list(body, list);
    ops.push(statement);
    Some(ops)
}

fn nest(body: &Body, statement: OpId) -> Option<Nest> {
    let mut loops = Vec::new();
    let mut at = statement;
    loop {
        let [only] = body.blocks[loop_block(body, at)].ops[..] else { return None };
        let data = &body.ops[only];
        match data.kind {
            OpKind::For(ForKind::Serial | ForKind::Vectorized | ForKind::Unrolled)
                if data.operands.len() == 2 =>
            {
                let extent = constant(body, data.operands[1]).filter(|it| *it > 0)?;
                loops.push((loop_var(body, only), data.operands[0], extent));
            }
            OpKind::If if data.regions.len() == 1 => {}
            OpKind::Store { buffer, predicated: false } => {
                let is_shared = body.buffers[buffer].scope.is_plain_shared();
                return is_shared.then_some(Nest { store: only, loops });
            }
            _ => return None,
        }
        at = only;
    }
}

/// Returns true if a value is one of other memory.
fn is_apart(body: &Body, value: ExprId, shared: BufferId) -> bool {
    let flags = body.expr(value).flags;
    let mut is_apart = !flags.has_impure && !flags.has_unknown;
    each_node(body, value, &mut |at| {
        is_apart &= match body.expr(at).kind {
            ExprKind::Load { buffer, .. } => root(body, buffer) != root(body, shared),
            ExprKind::Buffer(_) | ExprKind::BufferField(..) | ExprKind::Region(..) => false,
            _ => true,
        };
    });
    is_apart
}

/// Memory of the thread for one iteration.
fn allocate(body: &mut Body, nest: &Nest, shared: BufferId, list: BlockId) -> BufferId {
    let mut shape = Vec::new();
    for &(var, _, extent) in &nest.loops {
        let dtype = body.values[var].ty.prim().unwrap_or(DataType::INT32);
        shape.push(body.int(extent.into(), dtype));
    }
    if shape.is_empty() {
        shape.push(body.int(1, DataType::INT32));
    }
    let name = format!("{}_local", body.name(body.buffers[shared].name));
    let data = Buffer {
        name: body.intern(&name),
        dtype: body.buffers[shared].dtype,
        shape,
        strides: None,
        elem_offset: None,
        scope: MemoryScope::Local,
        origin: BufferOrigin::Alloc,
        attrs: Body::no_attrs(),
    };
    let local = body.buffers.push(data);
    let operands: Vec<ExprId> = body.buffers[local].operands().collect();
    body.push_op(list, OpKind::Alloc { buffer: local, kind: AllocKind::Flat }, &operands);
    local
}
