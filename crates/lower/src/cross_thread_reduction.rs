//! Reductions over threads: each thread reduces its part, then the threads combine their parts.
//!
//! In: blocks whose reduction variables are bound to `threadIdx` loops. Out, in the place of the loops around such a
//! block:
//!
//! ```text
//! loops over threads (and those that all results share):
//!   part[0] = start
//!   loops that reduce:  block without initialisation, on part[0] instead of the result
//!   T.attr(T.comm_reducer(…), "reduce_scope", 0):  T.tvm_thread_allreduce(n, part[0]…, True, all[0]…, threads…)
//!   if first thread and there was something to reduce:  result[…] = all[0]
//! ```
//!
//! Other statements in the loops stay before or behind that, as long as they name no result and all loops that reduce
//! in a thread are inside of those over threads. A result in local memory is written by each thread, for all of them
//! have it. A block without initialisation that writes local memory alone is no such reduction. Only the order in which
//! parts are combined may change (`reducer` lists the operators). Everything else is proved first, or refused by name:
//! that the source initialises exactly once and first, and where it computes anything at all. Meaning is threads
//! running together: a run of the loops one after the other is no longer the same. Linear in the operations, and in the
//! facts asked for.

mod enumerate;
mod plan;
mod reducer;

use ir::{
    AllocKind, BinaryOp, BlockId, Body, Buffer, BufferId, BufferOrigin, DataType, ExprId,
    Intrinsic, MemoryScope, OpId, OpKind, Type, arena::Id as _,
};
use rustc_hash::FxHashMap;

use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::{adopt_region, append, loop_block, loop_var, map_expr, map_op},
};
use crate::reasons;
use plan::{Reduction, plan};
use reducer::{Component, comm_reducer};

pub(super) fn run(
    body: &mut Body,
    options: &LowerOptions,
    origins: &mut Origins,
) -> Result<(), LowerRefusal> {
    for reduction in plan(body, &options.effects)? {
        let first = body.ops.len();
        rewrite(body, &reduction);
        // What combines the parts stands for the block.
        origins.extend((first..body.ops.len()).map(|it| (OpId::new(it), reduction.block)));
    }
    Ok(())
}

fn refusal(what: &str) -> LowerRefusal {
    LowerRefusal::new(reasons::CROSS_THREAD_REDUCTION, format!("a reduction over threads {what}"))
}

/// Local memory of one element for each result.
fn cells(body: &mut Body, block: BlockId, name: &str, of: &[Component]) -> Vec<BufferId> {
    let mut cells = Vec::new();
    for component in of {
        let one = body.int(1, DataType::INT32);
        let name = body.intern(name);
        let buffer = body.buffers.push(Buffer {
            name,
            dtype: component.dtype,
            shape: vec![one],
            strides: None,
            elem_offset: None,
            scope: MemoryScope::Local,
            origin: BufferOrigin::Alloc,
            attrs: Body::no_attrs(),
        });
        body.push_op(block, OpKind::Alloc { buffer, kind: AllocKind::Flat }, &[one]);
        cells.push(buffer);
    }
    cells
}

fn rewrite(body: &mut Body, reduction: &Reduction) {
    let Reduction { block: op, shell, serial, components, is_in_place, .. } = reduction;
    let outermost = reduction.outermost;
    let (outer, innermost) = (body.ops[outermost].parent, loop_block(body, shell[shell.len() - 1]));
    let place = body.blocks[outer].ops.iter().position(|it| *it == outermost);
    let nested = *serial.first().unwrap_or(op);
    let mut behind = Vec::new();
    if *is_in_place && let Some(at) = body.blocks[innermost].ops.iter().position(|it| *it == nested)
    {
        behind = body.blocks[innermost].ops.split_off(at);
    } else {
        body.blocks[innermost].ops.clear();
    }

    let parts = cells(body, innermost, "in_thread", components);
    let wholes = cells(body, innermost, "cross_thread", components);
    let zero = body.int(0, DataType::INT32);
    for (component, &buffer) in components.iter().zip(&parts) {
        let kind = OpKind::Store { buffer, predicated: false };
        body.push_op(innermost, kind, &[component.start, zero]);
    }
    on_parts(body, *op, components, &parts);
    match is_in_place {
        true => append(body, innermost, &[nested]),
        false => nest(body, innermost, serial, *op),
    }
    combine(body, innermost, reduction, &parts, &wholes);
    write_back(body, innermost, reduction, &wholes);
    if *is_in_place {
        append(body, innermost, behind.get(1..).unwrap_or_default());
        return;
    }

    for pair in shell.windows(2) {
        let block = loop_block(body, pair[0]);
        body.blocks[block].ops.clear();
        append(body, block, &pair[1..]);
    }
    if let Some(place) = place {
        body.blocks[outer].ops[place] = shell[0];
        body.ops[shell[0]].parent = outer;
    }
}

/// Makes the block accumulate in the cells, without initialisation.
fn on_parts(body: &mut Body, op: OpId, components: &[Component], parts: &[BufferId]) {
    body.ops[op].regions.truncate(1);
    if let OpKind::SBlock(block) = body.ops[op].kind {
        (body.sblocks[block].reads, body.sblocks[block].writes) = (None, None);
    }
    let of = |buffer: BufferId| components.iter().position(|it| it.buffer == buffer);
    let zero = body.int(0, DataType::INT32);
    let main = body.entry(body.ops[op].regions[0]);
    let mut memo = FxHashMap::default();
    for inner in body.blocks[main].ops.clone() {
        map_op(body, inner, &mut |body, expr| {
            map_expr(body, expr, &mut memo, &mut |body, at| match body.expr(at).kind {
                ir::ExprKind::Load { buffer, .. } => match of(buffer) {
                    Some(k) => body.load(parts[k], &[zero], None),
                    None => at,
                },
                _ => at,
            })
        });
        if let OpKind::Store { buffer, predicated } = body.ops[inner].kind
            && let Some(k) = of(buffer)
        {
            body.ops[inner].kind = OpKind::Store { buffer: parts[k], predicated };
            body.ops[inner].operands.truncate(1);
            body.ops[inner].operands.push(zero);
        }
    }
}

/// Puts the block into its serial loops, and these at the end of `into`.
fn nest(body: &mut Body, into: BlockId, serial: &[OpId], op: OpId) {
    let mut at = into;
    for &inner in serial {
        append(body, at, &[inner]);
        at = loop_block(body, inner);
        body.blocks[at].ops.clear();
    }
    append(body, at, &[op]);
}

fn combine(
    body: &mut Body,
    into: BlockId,
    reduction: &Reduction,
    parts: &[BufferId],
    wholes: &[BufferId],
) {
    let zero = body.int(0, DataType::INT32);
    let reducer = comm_reducer(body, &reduction.components);
    let key = body.intern("reduce_scope");
    let scope = body.push_op(into, OpKind::Attr(key), &[reducer, zero]);
    let region = body.push_region(scope);
    let inner = body.entry(region);
    let n = body.int(parts.len() as i128, DataType::uint(32));
    let mut args = vec![n];
    args.extend(parts.iter().map(|&it| body.load(it, &[zero], None)));
    args.push(body.int(1, DataType::BOOL));
    args.extend(wholes.iter().map(|&it| body.load(it, &[zero], None)));
    for &thread in &reduction.threads {
        let var = loop_var(body, thread);
        args.push(body.value_expr(var));
    }
    let callee = body.intrinsic(Intrinsic::ThreadAllreduce);
    let ty: Type = DataType::HANDLE.into();
    let call = body.call(callee, &args, Body::no_attrs(), ty, true);
    body.push_op(inner, OpKind::Evaluate, &[call]);
}

fn write_back(body: &mut Body, into: BlockId, reduction: &Reduction, wholes: &[BufferId]) {
    let zero = body.int(0, DataType::INT32);
    for (component, &whole) in reduction.components.iter().zip(wholes) {
        let mut condition = reduction.runs;
        let is_local = body.buffers[component.buffer].scope.is_local();
        for &thread in reduction.threads.iter().filter(|_| !is_local) {
            let var = loop_var(body, thread);
            let var = body.value_expr(var);
            let dtype = body.dtype(var).unwrap_or(DataType::INT32);
            let first = body.int(0, dtype);
            let is_first = body.binary(BinaryOp::Eq, var, first);
            condition = Some(match condition {
                Some(rest) => body.binary(BinaryOp::And, is_first, rest),
                None => is_first,
            });
        }
        let at = match condition {
            Some(condition) => {
                let branch = body.push_op(into, OpKind::If, &[condition]);
                let region = body.new_region(None);
                adopt_region(body, branch, region);
                body.entry(region)
            }
            None => into,
        };
        let value = body.load(whole, &[zero], None);
        let mut operands: Vec<ExprId> = vec![value];
        operands.extend(&reduction.places[&component.buffer]);
        let kind = OpKind::Store { buffer: component.buffer, predicated: false };
        body.push_op(at, kind, &operands);
    }
}
