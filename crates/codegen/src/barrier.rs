//! What a statement that only calls does on a device: a barrier of a block, or nothing.
//!
//! In: the expression of an `evaluate`. Out: whether it is a barrier; anything else that would do something is refused by name.

use ir::{Body, Callee, ExprId, ExprKind};

use crate::kernel::{Refusal, Result};

/// Whether an evaluated expression is a barrier for the threads of a block; if not, it does nothing.
///
/// # Errors
/// A barrier of another scope (threads of a warp run together where TVM asks for that one; it emits nothing, we refuse), any other call, and
/// values that are thrown away.
pub(crate) fn is_barrier(body: &Body, expr: ExprId) -> Result<bool> {
    match body.expr(expr).kind {
        ExprKind::Int(_) | ExprKind::Float(_) => Ok(false),
        ExprKind::Call { callee: Callee::Intrinsic(name), args, .. } => {
            let scope = body.items(args).first().and_then(|&it| match body.expr(it).kind {
                ExprKind::Str(scope) => Some(body.name(scope)),
                _ => None,
            });
            match (body.name(name), scope) {
                ("tvm_storage_sync", Some("shared" | "shared.dyn")) => Ok(true),
                ("tvm_storage_sync", scope) => Err(Refusal::new(
                    "barrier-scope",
                    format!("a barrier of scope `{}`", scope.unwrap_or("?")),
                )),
                (name, _) => Err(Refusal::new("intrinsic", format!("`T.{name}` is not lowered"))),
            }
        }
        _ => Err(Refusal::new("intrinsic", "a value is computed and thrown away")),
    }
}
