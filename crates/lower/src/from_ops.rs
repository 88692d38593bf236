//! Operations to statements: kernels of MLIR become functions that code generation writes.
//!
//! In: the functions of a document as the front end gives them, and the frame around them. Out: for each
//! `gpu.func … kernel` and each `gpu.launch`, in program order, a function of statements and expressions that is one
//! launch, or the reason why not. An unsupported construct is refused by its name, never left out.
//!
//! - **Parameters** are those of the kernel, in their order; of a `gpu.launch`, the values that its region uses from
//!   outside and that are not constant. A memref is a buffer of its shape; an unknown extent of its type (`?`) is a
//!   symbol that the call binds.
//! - **Sizes** of the launch are constants where all `gpu.launch_func` of the kernel agree, or `known_block_size` gives
//!   them; else they are parameters behind the others (`grid_x` … `block_z`). A kernel that nothing launches and that
//!   has no size is refused.
//! - **Values**: one that is used once, where it is computed, becomes part of the expression; others are bound, loads
//!   always, since a later write must not be seen. A loop-carried value, or a result of a condition, is an element of
//!   local memory. Types and rounding: `values`.
//! - Blocks with branches between (`cf`) are refused: there is no statement for them.
//!
//! Linear in the operations. Nesting is bounded by memory, not by the native stack.

use ir::{
    Body, OpId,
    guard::{Stage, guarded},
};

use crate::LowerRefusal;
use crate::reasons;

mod control;
mod convert;
mod launches;
mod memory;
mod text;
mod values;

#[cfg(test)]
mod tests;

/// A kernel of a document.
#[derive(Clone, Debug)]
pub struct KernelOf {
    /// The number of the function that it stands in.
    pub function: usize,
    /// Its name, with those of the modules around it.
    pub name: String,
    /// The `gpu.launch` that it is of; none if it is all of the function.
    pub op: Option<OpId>,
    /// The kernel, or why there is none; the operation of the refusal is one of the function.
    pub kernel: Result<FromOps, LowerRefusal>,
}

/// A function of statements, made of operations.
#[derive(Clone, Debug)]
pub struct FromOps {
    /// The function: one launch.
    pub body: Body,
    /// Of each operation, the one of the function that it was made of.
    pub origins: Vec<(OpId, OpId)>,
    /// Blocks and threads in x, y, z; `None` for a parameter.
    pub sizes: [Option<i64>; 6],
}

/// The kernels of a document: its functions in their order, and the frame around them.
pub fn kernels(functions: &[&Body], frame: Option<&Body>) -> Vec<KernelOf> {
    launches::find(functions, frame).iter().map(one).collect()
}

/// Those of [`kernels`] that stand in the function of this number; the others are only looked at for how they launch
/// them.
pub fn kernels_of(functions: &[&Body], frame: Option<&Body>, function: usize) -> Vec<KernelOf> {
    let launches = launches::find(functions, frame);
    launches.iter().filter(|it| it.function == function).map(one).collect()
}

/// Returns true if a function is a kernel, or contains some. Linear in its operations.
pub fn has_kernels(body: &Body) -> bool {
    launches::are_in(body)
}

fn one(launch: &launches::Launch<'_>) -> KernelOf {
    let convert = || convert::convert(launch);
    // A panic costs the kernel.
    let convert = || {
        guarded(Stage::Reading, &launch.name, convert)
            .unwrap_or_else(|it| Err(LowerRefusal::new(reasons::INTERNAL, it.report())))
    };
    let kernel = launch.refused.clone().map_or_else(convert, Err);
    KernelOf { function: launch.function, name: launch.name.clone(), op: launch.op, kernel }
}
