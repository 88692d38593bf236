//! The table of the executed calls: their names and kinds.
//!
//! One list: coverage reports it, calls of C's library are looked up in it, and a test compares it with the executed
//! calls. The effect of each call is implemented in the module of its kind.

/// The place where a call is executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A value of its operands (`intrinsics`), which C's library has under the same name.
    OfC,
    /// A value of its operands (`intrinsics`).
    Value,
    /// The value of its only operand (`calls`).
    Transparent,
    /// By its name among the operands (`calls`, `library`).
    Named,
    /// A choice between its operands, a pointer, or a read or write through one (`calls`).
    Pointer,
    /// The values of the other threads of a warp (`warp`).
    Warp,
    /// A matrix instruction of a warp (`matrix`, `fragments`).
    Matrix,
    /// An asynchronous copy, or a wait for some (`async_copy`).
    Async,
    /// A statement on parts of buffers (`tiles`).
    Tile,
    /// A statement of a block of threads on parts of buffers (`tilelang`).
    TileLang,
    /// A statement of its own: barriers, reductions, jumps (`exec`).
    Statement,
}

const CALLS: &[(Kind, &[&str])] = &[
    (
        Kind::OfC,
        &[
            "exp",
            "exp2",
            "exp10",
            "log",
            "log2",
            "log10",
            "log1p",
            "sqrt",
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "erf",
            "floor",
            "ceil",
            "trunc",
            "nearbyint",
            "fabs",
            "pow",
            "fmod",
            "atan2",
            "hypot",
            "copysign",
            "fma",
            "ldexp",
        ],
    ),
    (
        Kind::Value,
        &[
            "reinterpret",
            "rsqrt",
            "sigmoid",
            "round",
            "nextafter",
            "isnan",
            "isinf",
            "isfinite",
            "popcount",
            "clz",
            "q_multiply_shift",
            "dp4a",
            "vectorlow",
            "vectorhigh",
            "vectorcombine",
            "cuda.fdividef",
            "cuda.ffs_u32",
            "cuda.float_as_uint",
            "cuda.uint_as_float",
            "cuda.half2float",
            "tl.__cos",
            "tl.__exp",
            "tl.__exp10",
            "tl.__log",
            "tl.__log10",
            "tl.__log2",
            "tl.__sin",
            "tl.__tan",
            "tl.clamp",
            "tl.fast_rcp",
            "cuda.bfloat162float",
        ],
    ),
    (Kind::Transparent, &["likely", "ignore_loop_partition", "tvm_thread_invariant"]),
    (
        Kind::Named,
        &["call_pure_extern", "call_extern", "call_llvm_pure_intrin", "call_llvm_intrin"],
    ),
    (
        Kind::Pointer,
        &[
            "address_of",
            "tvm_access_ptr",
            "handle_add_byte_offset",
            "isnullptr",
            "atomic_add",
            "cuda.atomic_add",
            "tl.access_ptr",
            "tl.atomic_add_elem_op",
            "tl.atomic_add_ret_elem_op",
            "tl.atomic_max_elem_op",
            "tl.atomic_max_ret_elem_op",
            "tl.atomic_min_elem_op",
            "tl.atomic_min_ret_elem_op",
            "tl.atomic_or_elem_op",
            "cuda.atomic_cas",
            "cuda.ldg",
        ],
    ),
    (
        Kind::Warp,
        &[
            "tvm_warp_shuffle",
            "tvm_warp_shuffle_up",
            "tvm_warp_shuffle_down",
            "tvm_warp_shuffle_xor",
            "tvm_warp_activemask",
            "cuda.__shfl_sync",
            "cuda.__shfl_up_sync",
            "cuda.__shfl_down_sync",
            "cuda.__shfl_xor_sync",
            "cuda.__activemask",
            "cuda.any_sync",
            "cuda.ballot_sync",
            "cuda.reduce_add_sync_u32",
            "cuda.reduce_min_sync_u32",
        ],
    ),
    (
        Kind::Matrix,
        &[
            "ptx_legacy.mma",
            "ptx_mma",
            "ptx_legacy.ldmatrix",
            "ptx_ldmatrix",
            "cuda.mma_fill_legacy",
            "cuda.mma_store_legacy",
            "tvm_load_matrix_sync",
            "tvm_fill_fragment",
            "tvm_mma_sync",
            "tvm_store_matrix_sync",
        ],
    ),
    (
        Kind::Async,
        &[
            "s_tir.cp_async_raw",
            "ptx_cp_async",
            "ptx.cp.async_.ca.shared.global_",
            "ptx.cp.async_.cg.shared.global_",
            "ptx.cp.async_.commit_group",
            "ptx_commit_group",
            "ptx.cp.async_.wait_group",
            "ptx_wait_group",
            "ptx.cp.async_.wait_all",
        ],
    ),
    (
        Kind::Tile,
        &[
            "tile.copy",
            "tile.cast",
            "tile.permute_layout",
            "tile.fill",
            "tile.memset",
            "tile.zero",
            "tile.add",
            "tile.sub",
            "tile.mul",
            "tile.fdiv",
            "tile.maximum",
            "tile.minimum",
            "tile.fma",
            "tile.sqrt",
            "tile.exp",
            "tile.exp2",
            "tile.log2",
            "tile.reciprocal",
            "tile.silu",
            "tile.sum",
            "tile.max",
            "tile.min",
            "tile.gemm",
        ],
    ),
    (
        Kind::TileLang,
        &[
            "tl.copy",
            "tl.async_copy",
            "tl.tma_copy",
            "tl.im2col",
            "tl.c2d_im2col",
            "tl.transpose",
            "tl.fill",
            "tl.gemm",
            "tl.wgmma_gemm",
            "tl.tcgen05_gemm",
            "tl.reduce",
            "tl.cumsum",
            "tl.cummax",
            "tl.atomicadd",
            "tl.atomicmax",
            "tl.atomicmin",
        ],
    ),
    (
        Kind::Statement,
        &[
            "tvm_storage_sync",
            "cuda.cta_sync",
            "cuda.warp_sync",
            "tvm_thread_allreduce",
            "assume",
            "ptx_arrive_barrier",
            "ptx_arrive_barrier_expect_tx",
            "ptx_init_barrier_thread_count",
            "tl.launch_thread_idx",
            "tl.mbarrier_wait_parity",
        ],
    ),
];

/// The calls that are executed, by name.
pub fn known_calls() -> impl Iterator<Item = &'static str> {
    CALLS.iter().flat_map(|(_, names)| names.iter().copied())
}

/// Returns true if calls of this name are executed, in at least one form.
pub(super) fn is_executed(name: &str) -> bool {
    known_calls().any(|it| it == name)
}

/// The name of a function of C's mathematics library that is an intrinsic here.
pub(super) fn of_c(name: &str) -> Option<&'static str> {
    let names = CALLS.iter().find(|(kind, _)| *kind == Kind::OfC)?.1;
    names.iter().copied().find(|it| *it == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{async_copy, intrinsics, matrix, ops::Val};
    use ir::{DataType, Intrinsic, Lanes};

    fn of(kind: Kind) -> impl Iterator<Item = &'static str> {
        CALLS.iter().filter(move |it| it.0 == kind).flat_map(|it| it.1.iter().copied())
    }

    #[test]
    fn every_value_is_computed() {
        let [int, float] = [Val::Int(1, false), Val::Float(1.0)];
        let vector = Val::Vector(vec![int.clone(); 4].into());
        let operands = [
            vec![float.clone()],
            vec![float.clone(); 2],
            vec![float.clone(); 3],
            vec![int.clone()],
            vec![int.clone(); 4],
            vec![float, int.clone()],
            vec![vector.clone()],
            vec![vector.clone(), vector.clone()],
            vec![vector.clone(), vector, int],
        ];
        for name in of(Kind::OfC).chain(of(Kind::Value)) {
            let is_known = operands.iter().any(|operands| {
                let types: Vec<Option<DataType>> = operands
                    .iter()
                    .map(|it| match it {
                        Val::Float(_) => Some(DataType::FLOAT32),
                        Val::Vector(_) => {
                            Some(DataType { lanes: Lanes::Fixed(4), ..DataType::INT32 })
                        }
                        _ => Some(DataType::INT32),
                    })
                    .collect();
                intrinsics::call(name, DataType::FLOAT32, operands, &types, &mut |_| Ok(()))
                    .is_some()
            });
            assert!(is_known, "{name} is in the table and not executed");
        }
    }

    #[test]
    fn every_transparent_call_is_one_to_the_evaluator() {
        assert!(of(Kind::Transparent).all(|it| Intrinsic::of_name(it).is_transparent()));
    }

    #[test]
    fn every_instruction_of_a_warp_and_copy_is_known() {
        assert!(of(Kind::Matrix).all(matrix::is_collective));
        assert!(of(Kind::Async).all(async_copy::is_async));
    }

    #[test]
    fn every_tile_primitive_is_one_to_the_executor() {
        assert!(of(Kind::Tile).all(|it| Intrinsic::of_name(it).is_tile()));
        assert!(of(Kind::TileLang).all(|it| Intrinsic::of_name(it).is_tilelang_tile()));
    }

    #[test]
    fn names_are_listed_once() {
        let mut names: Vec<&str> = known_calls().collect();
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n);
    }
}
