//! Virtual threads become iterations of a loop in each thread.
//!
//! In: a body without blocks. Out: no loop or launch is bound to `vthread`. Virtual threads run at once
//! (`SEMANTICS: P6`), and equality is claimed for race-free runs only (`P2`), so that any order will do, as long as
//! none waits for another one in between: a call with an effect in one of them (a barrier, a shuffle) is refused by
//! name, as is a launch of real threads. Where it is possible, each statement is executed for all virtual threads
//! before the next one (`spread`), else all statements for one after the other. Memory that is allocated in one is its
//! own iteration's (`M9`). The loops are to be unrolled. Linear in the operations of each loop, but for `touched`.

mod spread;
pub(super) mod touched;

use ir::{Body, DataType, ForKind, OpId, OpKind, ValueId, ValueKind, substitution::Substitution};

use super::{
    LowerOptions, LowerRefusal, Origins,
    edit::map_op,
    lists::{constant, ops_in},
};
use crate::reasons;

/// See the module.
pub(super) fn run(body: &mut Body, _: &LowerOptions, _: &mut Origins) -> Result<(), LowerRefusal> {
    let mut ops: Vec<OpId> = body.ops_preorder().collect();
    // From the inside out: what is common to the inner ones may be common to the outer ones as well.
    ops.reverse();
    for op in ops {
        let tag = match body.ops[op].kind {
            OpKind::For(ForKind::ThreadBinding(tag)) | OpKind::LaunchThread { tag, .. } => tag,
            _ => continue,
        };
        if tag.is_virtual() {
            one(body, op).map_err(|it| it.at(op))?;
        }
    }
    Ok(())
}

fn one(body: &mut Body, op: OpId) -> Result<(), LowerRefusal> {
    let extent = *body.ops[op].operands.last().expect("a loop or launch has an extent");
    let is_single = constant(body, extent) == Some(1);
    if !is_single {
        check(body, op)?;
    }
    let kind = OpKind::For(if is_single { ForKind::Serial } else { ForKind::Unrolled });
    if let OpKind::LaunchThread { var, .. } = body.ops[op].kind {
        own_variable(body, op, var);
        let dtype = body.values[var].ty.prim().unwrap_or(DataType::INT32);
        let zero = body.int(0, dtype);
        let extent = match constant(body, extent) {
            Some(extent) => body.int(extent.into(), dtype),
            None => body.cast(extent, dtype),
        };
        body.ops[op].operands = [zero, extent].into_iter().collect();
    }
    body.ops[op].kind = kind;
    if let Some(extent) = constant(body, *body.ops[op].operands.last().expect("an extent"))
        && extent > 1
    {
        spread::run(body, op, extent);
    }
    Ok(())
}

/// Checks that each virtual thread can run to its end before the next one starts.
fn check(body: &Body, op: OpId) -> Result<(), LowerRefusal> {
    for inner in ops_in(body, op) {
        let data = &body.ops[inner];
        let binds = match data.kind {
            OpKind::LaunchThread { tag, .. } | OpKind::For(ForKind::ThreadBinding(tag)) => {
                !tag.is_virtual()
            }
            _ => false,
        };
        if binds {
            let detail = "threads are launched inside of virtual threads";
            return Err(LowerRefusal::new(reasons::VTHREAD_AROUND_THREADS, detail).at(inner));
        }
        if data.operands.iter().any(|&it| body.expr(it).flags.has_impure) {
            let detail = "a virtual thread has a call with an effect, which others may wait for";
            return Err(LowerRefusal::new(reasons::VTHREAD_EFFECT, detail).at(inner));
        }
    }
    Ok(())
}

/// Makes the variable of a launch the argument of its block.
fn own_variable(body: &mut Body, op: OpId, var: ValueId) {
    let ValueKind::Result(env, _) = body.values[var].kind else { return };
    let block = body.entry(body.ops[op].regions[0]);
    let data = body.values[var];
    let name = body.name(data.name).to_owned();
    let new = body.new_block_arg(block, &name, data.ty);
    let with = body.value_expr(new);
    let mut substitution = Substitution::default();
    substitution.add(var, with);
    let inside: Vec<OpId> = ops_in(body, op).collect();
    for inner in inside {
        map_op(body, inner, &mut |body, expr| substitution.apply(body, expr));
    }
    let parent = body.ops[env].parent;
    body.blocks[parent].ops.retain(|it| *it != env);
}
