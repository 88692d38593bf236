//! Decoding: from an operation to its executable form.

use super::{
    affine, arith,
    attrs::{Decoded, OpView},
    cast, control,
    frames::{Nest, Next},
    gpu, hal, linalg,
    machine::{Machine, Run},
    math, memref, scf, tensor,
    value::Value,
    vector,
};
use ir::{Body, OpId, OpKind};

/// The executable form of an operation.
pub(super) enum Code {
    /// One result.
    Compute(Box<dyn Fn(&mut Machine<'_>, &[Value]) -> Run<Value>>),
    /// Any number of results.
    Many(Box<dyn Fn(&mut Machine<'_>, &[Value]) -> Run<Vec<Value>>>),
    /// Regions.
    Nest(Box<dyn Fn(&mut Machine<'_>, &[Value]) -> Run<(Box<dyn Nest>, Next)>>),
    /// Regions that combine the operands with the interim values of the operation around; then that operation
    /// continues.
    Reduce(Box<dyn Fn(&mut Machine<'_>, &[Value]) -> Run<(Box<dyn Nest>, Next)>>),
    /// The end of a region.
    End,
    /// The number of the successor.
    Branch(Box<dyn Fn(&mut Machine<'_>, &[Value]) -> Run<usize>>),
    /// A call of the function with this name.
    Call(String),
    /// A call of the first operand.
    CallIndirect,
    /// The end of a function.
    Return,
    /// Threads.
    Launch(gpu::Shape),
    /// Waits for all threads of the block.
    Barrier,
    /// Waits for the operands of all threads of the block.
    Collective,
    /// Nothing here, and why.
    Unsupported(String),
}

/// One result.
pub(super) fn compute(run: impl Fn(&mut Machine<'_>, &[Value]) -> Run<Value> + 'static) -> Code {
    Code::Compute(Box::new(run))
}

/// Any number of results.
pub(super) fn many(run: impl Fn(&mut Machine<'_>, &[Value]) -> Run<Vec<Value>> + 'static) -> Code {
    Code::Many(Box::new(run))
}

/// Regions.
pub(super) fn nest<N: Nest + 'static>(
    begin: impl Fn(&mut Machine<'_>, &[Value]) -> Run<(N, Next)> + 'static,
) -> Code {
    Code::Nest(Box::new(move |machine, operands| {
        let (nest, next) = begin(machine, operands)?;
        Ok((Box::new(nest), next))
    }))
}

/// Reads an operation.
pub(super) fn decode(body: &Body, op: OpId) -> Code {
    let full = match body.ops[op].kind {
        OpKind::Named(name) | OpKind::Opaque(name) => body.name(name),
        _ => return Code::Unsupported("an operation of another language".to_owned()),
    };
    if matches!(body.ops[op].kind, OpKind::Opaque(_)) {
        return Code::Unsupported(format!("{full} in a form that is not known"));
    }
    let (dialect, name) = full.split_once('.').unwrap_or(("", full));
    let view = OpView { body, op, name };
    let decoded: Decoded<Option<Code>> = match dialect {
        "arith" | "index" => arith::decode(&view, dialect),
        "math" => math::decode(&view),
        "func" | "cf" | "ub" | "builtin" => control::decode(&view, dialect),
        "scf" => scf::decode(&view),
        "memref" | "bufferization" => memref::decode(&view),
        "affine" => affine::decode(&view),
        "vector" => vector::decode(&view),
        "gpu" => gpu::decode(&view),
        "linalg" => linalg::decode(&view),
        "tensor" => tensor::decode(&view),
        "hal" | "iree_codegen" | "amdgpu" => hal::decode(&view, dialect),
        _ => Ok(None),
    };
    match decoded {
        Ok(Some(code)) => code,
        Ok(None) => Code::Unsupported(full.to_owned()),
        Err(why) => Code::Unsupported(format!("{full}: {why}")),
    }
}

impl OpView<'_> {
    /// Checks that the operation has at least this many operands; readers of operands rely on it.
    pub(super) fn need(&self, n: usize) -> Decoded<()> {
        if self.n_operands() >= n { Ok(()) } else { Err("too few operands".to_owned()) }
    }
}

/// A conversion that another dialect writes too.
pub(super) use cast::decode as conversion;
