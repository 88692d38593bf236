//! One writer for the C family: CUDA C++ and OpenCL C differ by a [`dialect::Dialect`] only.
//!
//! In: a kernel of a [`KernelSet`]. Out: canonical source text with slots for names ([`crate::names`]). What a dialect
//! cannot say exactly is refused with a reason, never approximated. Linear in the printed size.
//!
//! Registers. `float16` and `bfloat16` values are kept as `float` and rounded after each operation: for `+ - * /` and
//! `sqrt` of operands with these few digits the result is that of the narrow operation itself (`SEMANTICS: F1`, `F10`).
//! Vectors are written lane by lane; a statement reads all its lanes before it writes one (`SEMANTICS: P3`).

pub(crate) mod constants;
pub(crate) mod dialect;
mod expr;
mod helpers;
mod host;
mod instructions;
mod intrinsics;
mod memory;
mod stmt;
mod types;
mod writer;

pub(crate) use instructions::is_fragment;
pub(crate) use stmt::is_hint;

use crate::{
    bound::BoundLine,
    kernel::{Kernel, KernelSet, Result},
};

/// Canonical source of one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceCode {
    /// Text with slots.
    pub text: String,
    /// Wanted names of the slots that code generation made.
    pub made: Vec<String>,
    /// Bytes of shared memory that the source itself declares.
    pub static_shared: u64,
    /// Bytes of shared memory that the launch has to give.
    pub dynamic_shared: u64,
    /// Lines of the text, from 1, and the operation that each begins.
    pub lines: Vec<(u32, ir::OpId)>,
    /// Lines that compute what `cse` bound.
    pub(crate) shared: Vec<BoundLine>,
    /// The words of the binary, where the language has one; the text then only shows what is in it.
    pub binary: Vec<u32>,
    /// Where arguments are bound, where they have no order of their own.
    pub bindings: Option<crate::manifest::Bindings>,
    /// What a device must offer beyond the language.
    pub features: Vec<Feature>,
    /// What the host must check before a launch.
    pub checks: Vec<crate::host::HostExpr>,
}

/// What a device must offer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Feature {
    /// As manifests write it.
    pub name: String,
    /// The first operation that asks for it, if one does.
    pub op: Option<ir::OpId>,
}

/// Writes one kernel.
pub(crate) fn emit(
    set: &KernelSet,
    kernel: &Kernel,
    dialect: &dyn dialect::Dialect,
) -> Result<DeviceCode> {
    writer::Writer::new(set, kernel, dialect).kernel()
}
