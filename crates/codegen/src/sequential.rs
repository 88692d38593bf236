//! Launches as loops, for languages whose functions run on the host.
//!
//! In: a function that launches threads, split, with its reductions over threads lowered and its barriers placed. Out: the body with a
//! serial loop for each launch, innermost threads innermost. That computes the same where one thread may end before the next begins: no
//! barrier was needed, every axis is launched once in its kernel, and all stores stand inside of all of them (what a thread
//! keeps to itself can then be one memory for all, one after the other). All else is refused by name. Linear.

use ir::{Body, Callee, ExprKind, ForKind, OpId, OpKind, ValueId, ValueKind, walk::WalkEvent};

use crate::{
    kernel::{Kernel, KernelSet, Refusal, Result},
    split::nest,
};

/// Makes every launch of the function a loop.
pub(crate) fn run(set: &mut KernelSet) -> Result<()> {
    for kernel in &set.kernels {
        check_barriers(&set.body, kernel)?;
        let launches = check_launches(&set.body, kernel)?;
        for (op, var) in launches {
            make_loop(&mut set.body, op, var).map_err(|it| it.at(op))?;
        }
    }
    Ok(())
}

/// Refuses an exchange between threads: a barrier that stands there or that was needed.
fn check_barriers(body: &Body, kernel: &Kernel) -> Result<()> {
    for op in nest(body, kernel.op) {
        let OpKind::Evaluate = body.ops[op].kind else { continue };
        let ExprKind::Call { callee: Callee::Intrinsic(name), .. } =
            body.expr(body.ops[op].operands[0]).kind
        else {
            continue;
        };
        if body.name(name) == "tvm_storage_sync" {
            let detail = "threads exchange values, so that none can end before the next begins";
            return Err(Refusal::new("threads-exchange", detail).at(op));
        }
    }
    Ok(())
}

/// The launches of a kernel, outermost first.
fn check_launches(body: &Body, kernel: &Kernel) -> Result<Vec<(OpId, ValueId)>> {
    let mut launches = Vec::new();
    let mut open = 0usize;
    let mut stores = Vec::new();
    let launch = |op: OpId| match body.ops[op].kind {
        OpKind::LaunchThread { var, .. } => Some(var),
        _ => None,
    };
    launches.extend(launch(kernel.op).map(|it| (kernel.op, it)));
    for event in body.ops[kernel.op].regions.iter().flat_map(|&it| body.walk(it)) {
        match event {
            WalkEvent::Enter(op) => match body.ops[op].kind {
                OpKind::LaunchThread { var, .. } => {
                    let axis = kernel.thread_vars.get(&var).copied().flatten();
                    let again = |it: &(OpId, ValueId)| {
                        axis.is_some() && kernel.thread_vars.get(&it.1).copied().flatten() == axis
                    };
                    if launches.iter().any(again) {
                        let detail = "an axis of threads is launched twice in one kernel";
                        return Err(Refusal::new("threads-launched-twice", detail).at(op));
                    }
                    launches.push((op, var));
                    open += 1;
                }
                OpKind::Store { .. } => stores.push((op, open + 1)),
                _ => {}
            },
            WalkEvent::Leave(op) if launch(op).is_some() => open -= 1,
            _ => {}
        }
    }
    match stores.iter().find(|(_, around)| *around < launches.len()) {
        Some(&(op, _)) => {
            let detail = "a store stands outside of a launch that its kernel has";
            Err(Refusal::new("code-outside-threads", detail).at(op))
        }
        None => Ok(launches),
    }
}

/// `launch_thread` becomes `for`.
fn make_loop(body: &mut Body, op: OpId, var: ValueId) -> Result<()> {
    let region = body.ops[op].regions[0];
    let block = body.entry(region);
    if body.blocks[block].args.first() != Some(&var) {
        // The index has a name of its own before the launch, which takes it over.
        let (ValueKind::Result(named, 0), true) =
            (body.values[var].kind, body.blocks[block].args.is_empty())
        else {
            let detail = "a thread index is that of two launches";
            return Err(Refusal::new("threads-launched-twice", detail));
        };
        let parent = body.ops[named].parent;
        body.blocks[parent].ops.retain(|it| *it != named);
        body.values[var].kind = ValueKind::BlockArg(block, 0);
        body.blocks[block].args.push(var);
    }
    let extent = body.ops[op].operands[0];
    let dtype = body
        .dtype(extent)
        .ok_or_else(|| Refusal::new("unknown-type", "the extent of a launch has no type"))?;
    let zero = body.int(0, dtype);
    body.ops[op].operands = [zero, extent].as_slice().into();
    body.ops[op].kind = OpKind::For(ForKind::Serial);
    Ok(())
}
