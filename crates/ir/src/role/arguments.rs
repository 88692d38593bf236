//! Arguments of calls that TVM needs as constants, or that define threads.
//!
//! In: the name of a call, and which argument. The rows are where the sources of TVM 0.27 take an `IntImm` out of an
//! argument, in code generators and passes. Instructions that are named by their assembly (`ptx`) have operands in the
//! text of the instruction, for which no register can stand; which ones is in a table of a thousand rows over there, so
//! all that is neither a pointer nor right behind one (its offset) stays.

use super::Role;
use crate::{
    Body, DataType, ExprId, Intrinsic, Type,
    effects::names::{NameBuffer, normal_tir},
};

/// The place where constants stand.
enum Which {
    /// At these places.
    At(&'static [usize]),
    /// At this place and after it.
    From(usize),
}

/// Names in normal form, sorted.
const CONSTANTS: &[(&str, Which)] = &[
    ("call.llvm.intrin", Which::At(&[0, 1])),
    ("call.llvm.pure.intrin", Which::At(&[0, 1])),
    ("call.spirv.pure.glsl450", Which::At(&[0])),
    ("end.profile.intrinsic", Which::At(&[0])),
    ("large.uint.imm", Which::From(0)),
    ("mma.fill", Which::At(&[0])),
    ("mma.store", Which::At(&[0, 1])),
    ("prefetch", Which::From(1)),
    ("print.buffer", Which::At(&[2, 3, 4])),
    ("ptx.legacy.ldmatrix", Which::At(&[0, 1])),
    ("ptx.legacy.mma", Which::At(&[12])),
    ("start.profile.intrinsic", Which::At(&[0])),
    ("texture2d.load", Which::At(&[4])),
    ("texture2d.store", Which::At(&[4])),
    ("tvm.access.ptr", Which::At(&[4])),
    ("tvm.fill.fragment", Which::At(&[1, 2, 3])),
    ("tvm.load.matrix.sync", Which::At(&[1, 2, 3])),
    ("tvm.stack.alloca", Which::At(&[1])),
    ("tvm.storage.sync", Which::From(0)),
    ("tvm.store.matrix.sync", Which::At(&[1, 2, 3])),
    ("tvm.struct.get", Which::At(&[1, 2])),
    ("tvm.struct.set", Which::At(&[1, 2])),
    ("tvm.thread.allreduce", Which::At(&[0])),
];

/// Name spaces of instructions whose operands may be part of their text.
const ASSEMBLY: [&str; 2] = ["nki.", "ptx."];

/// The role of an argument of a call to an operator of TVM, given by its name and what that is known as.
pub(super) fn of(
    body: &Body,
    (written, known): (&str, Intrinsic),
    args: &[ExprId],
    index: usize,
) -> Role {
    let mut buffer = NameBuffer::new();
    let name = normal_tir(written, &mut buffer);
    match known {
        it if it.is_scope_index() => return Role::Scope,
        Intrinsic::Assume => return Role::Annotation,
        // Of a known type it is no call (`ExprKind::Cast`).
        Intrinsic::Cast => return Role::Converted,
        _ => {}
    }
    let is_constant = match CONSTANTS.binary_search_by_key(&name, |it| it.0) {
        Ok(at) => match CONSTANTS[at].1 {
            Which::At(places) => places.contains(&index),
            Which::From(first) => index >= first,
        },
        Err(_) => is_in_text(body, name, args, index),
    };
    match is_constant {
        true => Role::Constant,
        false if asks_for_type(written, name, index) => Role::Converted,
        false => Role::Value,
    }
}

/// Returns true if TVM asks an operand for its type: the value that a shuffle moves, and all operands of operators
/// behind a dot (`T.cuda.…`).
fn asks_for_type(written: &str, name: &str, index: usize) -> bool {
    written.contains('.') || name.starts_with("tvm.warp.shuffle") && index == 1
}

/// Returns true if an operand may be part of the text of an instruction.
fn is_in_text(body: &Body, name: &str, args: &[ExprId], index: usize) -> bool {
    let is_assembly =
        ASSEMBLY.iter().any(|it| name.starts_with(it)) && !name.starts_with("ptx.legacy.");
    if !is_assembly {
        return false;
    }
    let is_pointer = |at: usize| body.ty(args[at]) == Type::from(DataType::HANDLE);
    let is_offset = index > 0 && is_pointer(index - 1);
    // Of a copy the last one is how many bytes.
    let is_size = name.starts_with("ptx.cp.async") && index + 1 == args.len();
    !is_pointer(index) && (is_size || !is_offset)
}

#[cfg(test)]
mod tests {
    use super::CONSTANTS;

    #[test]
    fn tables_are_sorted_and_in_normal_form() {
        assert!(CONSTANTS.is_sorted_by_key(|it| it.0));
        let mut buffer = super::NameBuffer::new();
        for name in CONSTANTS.iter().map(|it| it.0) {
            assert_eq!(super::normal_tir(name, &mut buffer), name);
        }
    }
}
