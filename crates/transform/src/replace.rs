//! Replaces occurrences by expressions.
//!
//! In: a body, the occurrences it had when they were numbered, and pairs of an occurrence and its replacement, none
//! inside another. Out: the body with the operands rebuilt from the leaves up. An expression that is evaluated where a
//! buffer is made is also written at the buffer, and changes there. Linear in the operands touched; no recursion.

use ir::{
    AttrDict, Body, BufferOrigin, ExprId, OccurrenceId, Occurrences, OpId, OpKind, arena::Id as _,
};
use smallvec::SmallVec;

/// Replaces occurrences; `replaced` is put in order.
pub(crate) fn replace(
    body: &mut Body,
    occurrences: &Occurrences,
    replaced: &mut Vec<(OccurrenceId, ExprId)>,
) {
    replaced.sort_unstable_by_key(|it| it.0);
    replaced.dedup();
    let mut at = 0;
    while at < replaced.len() {
        let op = occurrences[replaced[at].0].op;
        let mut end = at + 1;
        while end < replaced.len() && occurrences[replaced[end].0].op == op {
            end += 1;
        }
        replace_in(body, occurrences, op, &replaced[at..end]);
        at = end;
    }
}

/// Rebuilds the operands of one operation.
fn replace_in(
    body: &mut Body,
    occurrences: &Occurrences,
    op: OpId,
    replaced: &[(OccurrenceId, ExprId)],
) {
    let Some(first) = occurrences.of_op(op).next() else { return };
    let place = |it: OccurrenceId| it.index() - first.index();
    // What becomes of an occurrence that changes, or whose operand does.
    let mut new: Vec<Option<ExprId>> = vec![None; occurrences.of_op(op).len()];
    let old = body.ops[op].operands.clone();
    let mut pending = replaced.iter().rev().peekable();
    for id in occurrences.of_op(op).rev() {
        let here = occurrences[id];
        let is_replaced = pending.next_if(|it| it.0 == id);
        let becomes = match (is_replaced, new[place(id)]) {
            (Some(&(_, with)), _) => with,
            (None, None) => continue,
            (None, Some(expr)) => {
                let slots: SmallVec<[ExprId; 4]> = children_of(occurrences, id)
                    .map(|it| new[place(it)].unwrap_or(occurrences[it].expr))
                    .collect();
                with_children(body, expr, &slots)
            }
        };
        new[place(id)] = Some(becomes);
        match here.parent {
            Some(parent) => new[place(parent)] = Some(occurrences[parent].expr),
            None => body.ops[op].operands[here.operand as usize] = becomes,
        }
    }
    let changes: Vec<(ExprId, ExprId)> =
        old.into_iter().zip(&body.ops[op].operands).map(|(old, &new)| (old, new)).collect();
    update_buffer(body, op, &changes);
}

/// The node with other operands; the node itself if they are the same.
fn with_children(body: &mut Body, expr: ExprId, children: &[ExprId]) -> ExprId {
    let mut index = 0;
    let mut changes = false;
    body.each_child(body.expr(expr).kind, &mut |child| {
        changes |= children[index] != child;
        index += 1;
    });
    if !changes {
        return expr;
    }
    let mut index = 0;
    body.map_children(expr, &mut |_, _| {
        index += 1;
        children[index - 1]
    })
}

/// A buffer's shape is written at its buffer and evaluated by its operation: both change.
pub fn update_buffer(body: &mut Body, op: OpId, changes: &[(ExprId, ExprId)]) {
    let (OpKind::Alloc { buffer, .. } | OpKind::DeclBuffer { buffer }) = body.ops[op].kind else {
        return;
    };
    let operands = body.ops[op].operands.clone();
    let mut operands = operands.iter().copied();
    let mut data = body.buffers[buffer].clone();
    let strides = data.strides.iter_mut().flatten();
    let pointer = match &mut data.origin {
        BufferOrigin::Match { handle } => Some(handle),
        BufferOrigin::Decl { data } => data.as_mut(),
        _ => None,
    };
    for part in data.shape.iter_mut().chain(strides).chain(&mut data.elem_offset).chain(pointer) {
        let Some(operand) = operands.next() else { break };
        *part = operand;
    }
    let mut dict: AttrDict = body.dict(data.attrs).clone();
    if replace_in_attrs(&mut dict, changes) {
        data.attrs = body.attr_dict(dict);
    }
    body.buffers[buffer] = data;
}

/// Replaces whole operands in the arguments that a view was written with.
fn replace_in_attrs(dict: &mut AttrDict, changes: &[(ExprId, ExprId)]) -> bool {
    let mut changed = false;
    for expr in dict.iter_mut().flat_map(|it| it.1.expressions_mut()) {
        if let Some(&(_, new)) = changes.iter().find(|it| it.0 == *expr) {
            changed |= new != *expr;
            *expr = new;
        }
    }
    changed
}

/// The occurrences that are operands of one, in order.
pub(crate) fn children_of(
    occurrences: &Occurrences,
    parent: OccurrenceId,
) -> impl Iterator<Item = OccurrenceId> + '_ {
    let end = occurrences[parent].end;
    let mut at = OccurrenceId::new(parent.index() + 1);
    std::iter::from_fn(move || {
        (at < end).then(|| {
            let child = at;
            at = occurrences[child].end;
            child
        })
    })
}
