//! Operations of MLIR and PIR that code reasons about, as constants.
//!
//! Every body has these names from the start, under the same ids: an operation is compared with a constant, not with
//! a text. The table below is the only place that spells them; its texts are kept once, not in each body.

use std::{hash::BuildHasher, sync::OnceLock};

use rustc_hash::FxBuildHasher;

use crate::{NameId, arena::Id, interned::Index};

/// Declares the constants with their texts.
macro_rules! known_ops {
    ($($NAME:ident = $text:literal,)*) => {
        /// Numbers of the constants.
        #[allow(non_camel_case_types, reason = "the names are those of the constants")]
        enum Number { $($NAME,)* }

        $(
            #[doc = concat!("`", $text, "`")]
            pub const $NAME: NameId = NameId(Number::$NAME as u32);
        )*

        /// The texts, in the order of their ids.
        const TEXTS: &[&str] = &[$($text,)*];
    };
}

known_ops! {
    AFFINE_FOR = "affine.for",
    AFFINE_IF = "affine.if",
    AFFINE_YIELD = "affine.yield",
    ARITH_ADDF = "arith.addf",
    ARITH_CMPF = "arith.cmpf",
    ARITH_CMPI = "arith.cmpi",
    ARITH_CONSTANT = "arith.constant",
    ARITH_MULF = "arith.mulf",
    BUILTIN_COMBINE = "builtin.combine",
    BUILTIN_CONSTANT_TENSOR = "builtin.constant_tensor",
    BUILTIN_MODULE = "builtin.module",
    BUILTIN_PARAMETER = "builtin.parameter",
    BUILTIN_SET_PARAMETER = "builtin.set_parameter",
    BUILTIN_SET_PERSISTABLE_VALUE = "builtin.set_persistable_value",
    BUILTIN_SHADOW_OUTPUT = "builtin.shadow_output",
    BUILTIN_SLICE = "builtin.slice",
    BUILTIN_SPLIT = "builtin.split",
    CF_BR = "cf.br",
    CF_COND_BR = "cf.cond_br",
    CF_YIELD = "cf.yield",
    FUNC_FUNC = "func.func",
    GPU_LAUNCH = "gpu.launch",
    GPU_LAUNCH_FUNC = "gpu.launch_func",
    GPU_MODULE_END = "gpu.module_end",
    GPU_TERMINATOR = "gpu.terminator",
    INDEX_BOOL_CONSTANT = "index.bool.constant",
    INDEX_CONSTANT = "index.constant",
    LLVM_FCMP = "llvm.fcmp",
    LLVM_ICMP = "llvm.icmp",
    LLVM_INLINE_ASM = "llvm.inline_asm",
    LLVM_LOAD = "llvm.load",
    LLVM_STORE = "llvm.store",
    MEMREF_ALLOC = "memref.alloc",
    MEMREF_ALLOCA = "memref.alloca",
    MEMREF_ALLOCA_SCOPE = "memref.alloca_scope",
    MEMREF_ALLOCA_SCOPE_RETURN = "memref.alloca_scope.return",
    MEMREF_CAST = "memref.cast",
    MEMREF_COLLAPSE_SHAPE = "memref.collapse_shape",
    MEMREF_DIM = "memref.dim",
    MEMREF_EXPAND_SHAPE = "memref.expand_shape",
    MEMREF_MEMORY_SPACE_CAST = "memref.memory_space_cast",
    MEMREF_REINTERPRET_CAST = "memref.reinterpret_cast",
    MEMREF_STORE = "memref.store",
    MEMREF_SUBVIEW = "memref.subview",
    MEMREF_TRANSPOSE = "memref.transpose",
    MEMREF_VIEW = "memref.view",
    PD_OP_ADD = "pd_op.add",
    PD_OP_ASSIGN = "pd_op.assign",
    PD_OP_BITWISE_AND = "pd_op.bitwise_and",
    PD_OP_BITWISE_OR = "pd_op.bitwise_or",
    PD_OP_BITWISE_XOR = "pd_op.bitwise_xor",
    PD_OP_DATA = "pd_op.data",
    PD_OP_EQUAL = "pd_op.equal",
    PD_OP_IF = "pd_op.if",
    PD_OP_LOGICAL_AND = "pd_op.logical_and",
    PD_OP_LOGICAL_OR = "pd_op.logical_or",
    PD_OP_LOGICAL_XOR = "pd_op.logical_xor",
    PD_OP_MAXIMUM = "pd_op.maximum",
    PD_OP_MINIMUM = "pd_op.minimum",
    PD_OP_MULTIPLY = "pd_op.multiply",
    PD_OP_NOT_EQUAL = "pd_op.not_equal",
    PD_OP_WHILE = "pd_op.while",
    ROCDL_RAW_BUFFER_LOAD = "rocdl.raw.buffer.load",
    ROCDL_RAW_PTR_BUFFER_LOAD = "rocdl.raw.ptr.buffer.load",
    SCF_CONDITION = "scf.condition",
    SCF_EXECUTE_REGION = "scf.execute_region",
    SCF_FOR = "scf.for",
    SCF_FORALL_IN_PARALLEL = "scf.forall.in_parallel",
    SCF_IF = "scf.if",
    SCF_INDEX_SWITCH = "scf.index_switch",
    SCF_REDUCE = "scf.reduce",
    SCF_REDUCE_RETURN = "scf.reduce.return",
    SCF_WHILE = "scf.while",
    SCF_YIELD = "scf.yield",
    SPIRV_MLIR_MERGE = "spirv.mlir.merge",
}

/// How many names every body has.
pub(crate) const N: usize = TEXTS.len();

/// The text of a known name.
pub(crate) fn text(id: NameId) -> &'static str {
    TEXTS[id.index()]
}

/// The known name of a text whose hash is that of [`FxBuildHasher`].
pub(crate) fn find(hash: u64, text: &str) -> Option<NameId> {
    static INDEX: OnceLock<Index<NameId>> = OnceLock::new();
    let index = INDEX.get_or_init(|| {
        let mut index = Index::default();
        for (number, text) in TEXTS.iter().enumerate() {
            index.insert(FxBuildHasher.hash_one(text), NameId::new(number));
        }
        index
    });
    index.find(hash, |id| TEXTS[id.index()] == text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, Dialect};

    #[test]
    fn every_body_has_the_names_under_the_same_ids() {
        for dialect in [Dialect::Mlir, Dialect::Pir, Dialect::Tirx] {
            let mut body = Body::new("f", dialect);
            assert_eq!(body.intern("scf.if"), SCF_IF);
            assert_eq!(body.name(SCF_YIELD), "scf.yield");
            let other = body.intern("scf.other");
            assert_eq!((other.index() >= N, body.name(other)), (true, "scf.other"));
        }
    }

    #[test]
    fn texts_are_sorted_and_differ() {
        assert!(TEXTS.is_sorted_by(|a, b| a < b));
    }
}
