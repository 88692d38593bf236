//! One writer for the C family: CUDA C++ and OpenCL C differ by a [`dialect::Dialect`] only.
//!
//! In: a kernel of a [`KernelSet`]. Out: canonical source text with slots for names ([`crate::artifact::names`]). A
//! construct that a dialect cannot express exactly is refused with a reason, never approximated. Linear in the printed
//! size.
//!
//! Registers. `float16` and `bfloat16` values are kept as `float` and rounded after each operation: for `+ - * /` and
//! `sqrt` of operands with these few digits the result is that of the narrow operation itself (`SEMANTICS: F1`, `F10`).
//! Vectors are written lane by lane; a statement reads all its lanes before it writes one (`SEMANTICS: P3`).

pub(crate) mod constants;
pub(crate) mod dialect;
mod expr;
mod half;
mod helpers;
mod host;
mod instructions;
mod intrinsics;
mod memory;
mod stmt;
mod types;
mod wide;
mod writer;

pub(crate) use intrinsics::spelling;
pub(crate) use stmt::is_hint;

use crate::{
    backend::DeviceCode,
    kernel::{Kernel, KernelSet, Result},
};

/// Writes one kernel.
pub(crate) fn emit(
    set: &KernelSet,
    kernel: &Kernel,
    dialect: &dyn dialect::Dialect,
) -> Result<DeviceCode> {
    writer::Writer::new(set, kernel, dialect).kernel()
}
