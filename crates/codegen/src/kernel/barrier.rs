//! Statements that consist of a call: a barrier of a block, an instruction that only some devices have, or nothing.
//!
//! In: the expression of an `evaluate`. Out: whether it is a barrier; anything else that would do something is refused
//! by name.

use ir::{Body, Callee, ExprId, ExprKind, Intrinsic, MemoryScope, OpKind};

use crate::kernel::{Refusal, Result};
use crate::reasons;

/// Returns true if an evaluated expression is a barrier for the threads of a block; if not, it has no effect.
///
/// # Errors
///
/// A barrier of another scope (threads of a warp run together where TVM asks for that one; TVM emits nothing, we
/// refuse), any other call, and unused values.
pub(crate) fn is_barrier(body: &Body, expr: ExprId) -> Result<bool> {
    match body.expr(expr).kind {
        ExprKind::Int(_) | ExprKind::Float(_) => Ok(false),
        ExprKind::Call { callee: Callee::Intrinsic(name, it), args, .. } => {
            let scope = body.items(args).first().and_then(|&it| match body.expr(it).kind {
                ExprKind::Str(scope) => Some(body.scope_of(scope)),
                _ => None,
            });
            match it {
                Intrinsic::StorageSync if scope.is_some_and(MemoryScope::is_plain_shared) => {
                    Ok(true)
                }
                Intrinsic::StorageSync => {
                    let scope = body.scope_name(scope.unwrap_or(MemoryScope::Unknown));
                    Err(Refusal::new(
                        reasons::BARRIER_SCOPE,
                        format!("a barrier of scope `{scope}`"),
                    ))
                }
                _ => {
                    let detail = format!("`T.{}` is not lowered", body.name(name));
                    Err(Refusal::new(reasons::INTRINSIC, detail))
                }
            }
        }
        _ => Err(Refusal::new(reasons::INTRINSIC, "a value is computed and thrown away")),
    }
}

/// Refuses instructions of NVIDIA's GPUs, which only the target `cuda` has. Linear in the operations.
///
/// # Errors
/// The first such statement, by its name.
pub(crate) fn check_instructions(body: &Body) -> Result<()> {
    for op in body.ops_preorder() {
        let operation = &body.ops[op];
        if operation.kind == OpKind::Evaluate
            && let ExprKind::Call { callee: Callee::Intrinsic(name, _), .. } =
                body.expr(operation.operands[0]).kind
            && is_nvidia(body.name(name))
        {
            let name = body.name(name);
            let detail = format!("`T.{name}` is an instruction of NVIDIA's GPUs");
            return Err(Refusal::new(reasons::NVIDIA_ONLY, detail).at(op));
        }
    }
    Ok(())
}

/// Returns true if a call is made for tensor cores or the copy engine of NVIDIA's GPUs.
fn is_nvidia(name: &str) -> bool {
    let names = [
        "tvm_load_matrix_sync",
        "tvm_store_matrix_sync",
        "tvm_fill_fragment",
        "tvm_mma_sync",
        "tvm_bmma_sync",
    ];
    let prefixes = ["ptx", "cuda.mma_", "mma_fill", "mma_store", "s_tir.cp_async"];
    names.contains(&name) || prefixes.iter().any(|it| name.starts_with(it))
}
