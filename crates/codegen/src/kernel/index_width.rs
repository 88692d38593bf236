//! `index-bits=32`: the indices of a kernel must be shown to fit 32 bits.
//!
//! In: a kernel after lowering, which made indices narrow where that is shown. Out: a refusal that names the first
//! buffer with an index that is still wider. Linear in the kernel; a shared expression is looked at once.

use ir::{Body, BufferId, ExprId, ExprKind, OpKind};
use rustc_hash::FxHashSet;

use crate::{
    kernel::{Kernel, Refusal, Result, split::nest},
    reasons,
};

/// Refuses a kernel whose indices are wider than 32 bits.
pub(crate) fn check(body: &Body, kernel: &Kernel) -> Result<()> {
    let mut seen = FxHashSet::default();
    let mut stack = Vec::new();
    for op in nest(body, kernel.op) {
        let at = |it: Refusal| it.at(op);
        let operation = &body.ops[op];
        if let OpKind::Store { buffer, .. } = operation.kind {
            let indices = operation.operands.iter().skip(1);
            indices.copied().try_for_each(|it| is_narrow(body, buffer, it)).map_err(at)?;
        }
        stack.extend(operation.operands.iter().copied());
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr) {
                continue;
            }
            let kind = body.expr(expr).kind;
            if let ExprKind::Load { buffer, indices, .. } = kind {
                let indices = body.items(indices).iter();
                indices.copied().try_for_each(|it| is_narrow(body, buffer, it)).map_err(at)?;
            }
            body.each_child(kind, &mut |child| stack.push(child));
        }
    }
    Ok(())
}

fn is_narrow(body: &Body, buffer: BufferId, index: ExprId) -> Result<()> {
    let is_constant = matches!(body.expr(index).kind, ExprKind::Int(_));
    match body.ty(index).prim().filter(|it| it.bits > 32 && !is_constant) {
        None => Ok(()),
        Some(dtype) => {
            let name = body.name(body.buffers[buffer].name);
            let text = format!("an index of `{name}` is `{dtype}` and not shown to fit 32 bits");
            Err(Refusal::new(reasons::INDEX_WIDTH, text))
        }
    }
}
