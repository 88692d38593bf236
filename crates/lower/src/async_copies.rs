//! Copies of asynchronous pipeline stages become instructions of the copy engine (as TVM's InjectPTXAsyncCopy).
//!
//! In: scopes of copies (`software_pipeline`), with commits and waits around. Out: no such scope; a store to shared
//! memory in one, of what a load from global memory gives, is one asynchronous copy of 4, 8 or 16 bytes, if both
//! addresses are shown to be as aligned as that; under a condition, `if_then_else` with zero, one with a predicate.
//! Each other store stays one: a group that has no copies is done at once (`SEMANTICS: Y4`). Commits and waits go where
//! the function has no copies. Linear, and the facts at each copy.

use arith::Analyzer;
use barriers::instructions::{Instruction, instruction};
use ir::{
    Attr, Body, BufferField, BufferId, BufferOrigin, DataType, ExprId, ExprKind, Lanes, OpId,
    OpKind, Type, ValueKind, ViewRoot, walk::WalkEvent,
};

use super::{
    LowerOptions, LowerRefusal, Origins,
    contexts::around,
    edit::{loop_block, rebuild_blocks},
    lists::{constant, take_list},
    software_pipeline::COPY,
};

/// The names of the calls.
const CALL_COPY: &str = "s_tir.cp_async_raw";
const CALL_COMMIT: &str = "ptx.cp.async_.commit_group";
const CALL_WAIT: &str = "ptx.cp.async_.wait_group";

/// The widest copy, and the least alignment of memory that it needs.
const WIDEST: i64 = 16;

/// See the module.
pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    _: &mut Origins,
) -> Result<(), LowerRefusal> {
    if !body.ops_preorder().any(|it| is_scope(body, it)) {
        return Ok(());
    }
    let mut has_copies = false;
    for store in stores(body) {
        if let Some(call) = copy(body, store, options) {
            has_copies = true;
            body.ops[store].kind = OpKind::Evaluate;
            body.ops[store].operands = [call].into_iter().collect();
        }
    }
    has_copies |=
        body.ops_preorder().any(|it| matches!(called(body, it), Some(Instruction::Copy(_))));
    rebuild_blocks(body, body.root, &mut |body, _, op, new| {
        if is_scope(body, op) {
            let block = loop_block(body, op);
            new.extend(take_list(body, block));
        } else if has_copies || !is_of_queue(body, op) {
            new.push(op);
        }
    });
    Ok(())
}

fn is_scope(body: &Body, op: OpId) -> bool {
    matches!(body.ops[op].kind, OpKind::Attr(key) if body.name(key) == COPY)
}

fn called(body: &Body, op: OpId) -> Option<Instruction<'_>> {
    let is_call = body.ops[op].kind == OpKind::Evaluate;
    instruction(body, *body.ops[op].operands.first().filter(|_| is_call)?)
}

fn is_of_queue(body: &Body, op: OpId) -> bool {
    matches!(called(body, op), Some(Instruction::Commit | Instruction::Wait(_)))
}

/// The stores in scopes of copies.
fn stores(body: &Body) -> Vec<OpId> {
    let (mut depth, mut found) = (0usize, Vec::new());
    for event in body.walk(body.root) {
        match event {
            WalkEvent::Enter(op) => {
                depth += usize::from(is_scope(body, op));
                if depth > 0 && matches!(body.ops[op].kind, OpKind::Store { .. }) {
                    found.push(op);
                }
            }
            WalkEvent::Leave(op) => depth -= usize::from(is_scope(body, op)),
            _ => {}
        }
    }
    found
}

/// The statement that closes a group of copies.
pub(super) fn commit(body: &mut Body) -> ExprId {
    call(body, CALL_COMMIT, &[], DataType::INT32)
}

/// The statement that waits for all but the newest groups.
pub(super) fn wait(body: &mut Body, newest: i64) -> ExprId {
    let newest = body.int(newest.into(), DataType::INT32);
    call(body, CALL_WAIT, &[newest], DataType::INT32)
}

fn call(body: &mut Body, name: &str, args: &[ExprId], dtype: DataType) -> ExprId {
    let callee = body.operator(name);
    body.call(callee, args, Body::no_attrs(), Type::Prim(dtype), true)
}

/// The asynchronous copy that does what a store does.
fn copy(body: &mut Body, store: OpId, options: &LowerOptions) -> Option<ExprId> {
    let OpKind::Store { buffer: to, predicated: false } = body.ops[store].kind else { return None };
    let &[value, to_index] = &body.ops[store].operands[..] else { return None };
    let (load, predicate) = match body.expr(value).kind {
        ExprKind::IfThenElse(condition, load, other) => {
            let is_plain = body.dtype(condition).is_some_and(|it| it.is_scalar());
            (load, Some(Some(condition).filter(|_| is_plain && is_zero(body, other))?))
        }
        _ => (value, None),
    };
    let ExprKind::Load { buffer: from, indices, predicate: None } = body.expr(load).kind else {
        return None;
    };
    let &[from_index] = body.items(indices) else { return None };
    let [into, out_of] = [to, from].map(|it| (body.buffers[it].scope, body.buffers[it].dtype));
    let is_pair = into.0.is_plain_shared() && out_of.0.is_global() && into.1 == out_of.1;
    let (to_at, to_lanes) = neighbours(body, to_index)?;
    let (from_at, from_lanes) = neighbours(body, from_index)?;
    let bytes = to_lanes.checked_mul(i64::try_from(into.1.bytes()).ok()?)?;
    let is_size = matches!(bytes, 4 | 8 | 16) && into.1.is_scalar() && into.1.bits >= 8;
    if !is_pair || !is_size || to_lanes != from_lanes {
        return None;
    }
    if !is_aligned(body, to) || !is_aligned(body, from) {
        return None;
    }
    let mut analyzer = Analyzer::with_effects(body, &options.effects);
    let context = around(&mut analyzer, body, store);
    let mut is_whole = |at: ExprId| {
        let modular = analyzer.modular(context, at);
        to_lanes == 1 || modular.remainder(to_lanes.into()) == Some(0)
    };
    if !is_whole(to_at) || !is_whole(from_at) {
        return None;
    }
    let element = body.string(&body.dtype_name(into.1));
    let pointer = |body: &mut Body, buffer: BufferId| {
        let data = &body.buffers[buffer];
        let ty = Type::Pointer { element: data.dtype, scope: data.scope };
        body.buffer_field(buffer, BufferField::Data, ty)
    };
    let (to, from) = (pointer(body, to), pointer(body, from));
    let bytes = body.int(bytes.into(), DataType::INT32);
    let mut args = vec![element, to, to_at, from, from_at, bytes];
    args.extend(predicate);
    Some(call(body, CALL_COPY, &args, into.1))
}

fn is_zero(body: &Body, value: ExprId) -> bool {
    match body.expr(value).kind {
        ExprKind::Int(value) => value == 0,
        ExprKind::Float(bits) => bits == 0,
        ExprKind::Broadcast { value, .. } => match body.expr(value).kind {
            ExprKind::Int(value) => value == 0,
            ExprKind::Float(bits) => bits == 0,
            _ => false,
        },
        _ => false,
    }
}

/// The first index of neighbours, and their number.
fn neighbours(body: &Body, index: ExprId) -> Option<(ExprId, i64)> {
    match body.expr(index).kind {
        ExprKind::Ramp { base, stride, .. } => {
            let Lanes::Fixed(lanes) = body.dtype(index)?.lanes else { return None };
            (constant(body, stride) == Some(1)).then_some((base, lanes.into()))
        }
        _ => body.dtype(index)?.is_scalar().then_some((index, 1)),
    }
}

/// Returns true if the memory of a buffer begins where the widest copy may.
fn is_aligned(body: &Body, buffer: BufferId) -> bool {
    let begins = |it: BufferId| {
        let data = &body.buffers[it];
        data.strides.is_none() && data.elem_offset.is_none() && !body.has_free_offset(data)
    };
    let ViewRoot::Buffer(root) = body.view_root(buffer) else { return false };
    let claims = body.dict(body.buffers[root].attrs).iter().find(|it| &*it.0 == "align");
    let is_claimed = match claims.map(|it| &it.1) {
        None | Some(Attr::Int(0 | -1, _)) => true,
        Some(Attr::Int(bytes, _)) => bytes % WIDEST == 0,
        Some(_) => false,
    };
    let is_plain = match body.buffers[root].origin {
        BufferOrigin::Param | BufferOrigin::Alloc => true,
        BufferOrigin::Match { handle } => match body.expr(handle).kind {
            ExprKind::Value(value) => matches!(body.values[value].kind, ValueKind::Param(_)),
            _ => false,
        },
        _ => false,
    };
    is_plain && is_claimed && begins(root) && begins(buffer)
}
