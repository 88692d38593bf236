//! The effects of operations: the curated effects table and TVM's own operator registry.
//!
//! In: the name of a call or operation as the text has it (`T.exp`, `arith.addi`, `pd_op.add`). Out: an [`OpEffects`],
//! by which planners decide what may be merged, moved, evaluated early or deleted (SEMANTICS.md, X1), a [`TvmOp`], by
//! which the TVMScript printer and the presets follow TVM, or a [`PaddleOp`], by which the preset `pir` follows Paddle.
//!
//! The table is `effects.toml` beside this crate's manifest, with the rows of TileLang's operators and of dialects; the
//! build script makes static tables of it. A name without a row gets the default of its namespace: reads and writes
//! everything, may trap, is convergent, is not deterministic. Users add rows of their own with
//! [`EffectTable::overlay`].
//!
//! * **Row**: one behaviour, shared by the names and patterns that list it.
//! * **Operand use**: the row's statement about one operand: a number, an address for arithmetic, memory that is read
//!   or written. A call is asked for with its operands ([`EffectTable::call`]): a row that has no effect does not hold
//!   for a call that is given a pointer of which the row does not speak.
//! * **Pattern**: a name with one `*`. An exact name beats a pattern, more literal characters beat fewer, and a
//!   trailing `.*` also matches the bare name.
//! * **Normal form** of a `tir` name: without `T.`, `tir.`, `tirx.`, `prim.`, and with each run of `.` and `_` as one
//!   `.`, so that every spelling that TVM has had of a name meets its row.
//!
//! A lookup hashes the name once; if no row has it, one binary search over the patterns' prefixes follows. It does not
//! allocate for names of up to 64 bytes.

mod calls;
mod model;
pub mod names;
mod nodes;
mod operands;
mod paddle;
mod patterns;
mod product;
mod rows;
#[cfg(test)]
mod source;
mod table;
#[cfg(test)]
mod tests;
mod tilelang_ops;
mod tvm_ops;

pub use calls::{Element, access_mask, has_keyword_operands, is_list};
pub use model::{
    Applies, Asynchrony, Basis, Flags, MemoryEffect, MemorySet, Merge, Namespace, OpEffects, Trap,
    TrapKind,
};
pub use nodes::{OPERATOR_COST, binary, is_register, unary};
pub use operands::{Operand, OperandName, OperandUse, OperandUses};
pub use paddle::{PaddleOp, is_paddle_annotation, paddle_op};
pub use rows::{EffectError, EffectRow, EffectRows};
pub use table::{EffectTable, Match, MatchKind};
pub use tilelang_ops::{TileLangOp, TileLangResult, tilelang_op, tilelang_ops};
pub use tvm_ops::{CallEffectKind, DtypePosition, TvmOp, tvm_op, tvm_ops, tvm_ops_printed_as};

/// The row of a TIR call or expression node in the built-in table: `T.exp`, `tirx.exp`, `ptx_mma`, `Add`. Whether it
/// holds for a call depends on the operands: [`EffectTable::call`].
///
/// ```
/// use ir::effects::{self, Trap};
/// assert!(effects::tir("T.exp").is_pure_value());
/// assert!(!effects::tir("FloorDiv").is_speculatable());
/// assert_eq!(effects::tir("T.my_own_intrinsic").may_trap, Trap::Yes);
/// ```
pub fn tir(name: &str) -> &'static OpEffects {
    EffectTable::builtin().tir(name)
}

/// Returns true if a TIR call evaluates an operand itself, so that the operand stands for its text
/// ([`OperandUse::Text`]).
pub fn is_text(name: &str, operand: Operand<'_>) -> bool {
    tir(name).operands.of(operand) == Some(OperandUse::Text)
}

/// The effects of an MLIR operation by the built-in table: `arith.addi`.
pub fn mlir(name: &str) -> &'static OpEffects {
    EffectTable::builtin().mlir(name)
}

/// The effects of a Paddle PIR operation by the built-in table: `pd_op.add`.
pub fn pir(name: &str) -> &'static OpEffects {
    EffectTable::builtin().pir(name)
}
