//! The parameters of TileLang's forms that are read by hand.

use super::parameters::{NAMED, Parameters, REST, forms};

/// The parameters of TileLang's forms that are read by hand.
pub(super) fn parameters(form: &str) -> Option<Parameters> {
    let name = form.strip_prefix("tl.")?;
    own_parameters(name).or_else(|| reduction(name).map(|_| &["buffer", "out", "dim", "clear"][..]))
}

forms! {
    /// As [`parameters`], but for reductions that have a name of their own.
    fn own_parameters, TILES {
        "Kernel" | "ClusterKernel" => &[REST, NAMED, "threads", "prelude", "cluster_dims"],
        "Parallel" => &[REST],
        "Persistent" => &["domain", "wave_size", "index", "group_size"],
        "Pipelined" => &["start", "stop", "num_stages", "order", "stage", "sync", "group", "annotations"],
        "serial" => &["start", "stop", "step", NAMED, "annotations"],
        "unroll" => &["start", "stop", "step", NAMED, "explicit", "unroll_factor", "annotations"],
        "alloc_shared" | "alloc_local" | "alloc_fragment" | "alloc_global" | "alloc_tmem" => &["shape", "dtype", "scope"],
        "alloc_reducer" => &["shape", "dtype", "op", "replication"],
        "Tensor" | "FragmentBuffer" | "SharedBuffer" | "LocalBuffer" => &["shape", "dtype", "data", "scope"],
        "StridedTensor" => &["shape", "strides", "dtype", "scope"],
        "view" => &["src", "shape", "dtype"],
        "reshape" => &["src", "shape"],
        "make_tensor" | "make_tensor_from_addr" => &["ptr", "shape", "dtype", "strides"],
        "copy" | "async_copy" | "tma_copy" | "copy_cluster" | "transpose" => &["src", "dst"],
        "fill" => &["buffer", "value"],
        "clear" => &["buffer"],
        "gemm" | "wgmma_gemm" | "tcgen05_gemm" => &["A", "B", "C", "transpose_A", "transpose_B", "policy", "clear_accum"],
        "reduce" => &["buffer", "out", "reduce_type", "dim", "clear"],
        "cumsum" | "cummax" => &["src", "dst", "dim", "reverse"],
        "atomic_add" | "atomic_max" | "atomic_min" => &["dst", "value", "memory_order", "return_prev"],
        "reinterpret" | "cast" => &["value", "dtype"],
        "clamp" => &["dst", "min_val", "max_val"],
        "index_to_coordinates" => &["index", "shape"],
        "get_thread_binding" | "get_block_binding" | "get_thread_extent" | "get_block_extent" => &["dim"],
        "get_thread_extents" | "get_block_extents" => &[],
        "shfl_xor" | "shfl_down" | "shfl_up" => &["value", "delta", "width", "mask"],
        "shfl_sync" => &["value", "srcLane", "width", "mask"],
        "any_sync" | "all_sync" | "ballot_sync" => &["predicate", "mask"],
        "match_any_sync" | "match_all_sync" => &["value", "mask"],
        "shuffle_elect" => &["thread_extent"],
        "inc_max_nreg" | "dec_max_nreg" => &["reg_count"],
        "annotate_producer_reg_dealloc" | "annotate_consumer_reg_alloc" => &["reg_count"],
        "disable_warp_group_reg_alloc" => &[],
        "cp_async_barrier_noinc" => &["barrier"],
        "tma_store_wait" => &["count", "read"],
        "atomic_addx2" | "atomic_addx4" => &["dst", "value", "return_prev"],
        "atomic_load" => &["src", "memory_order"],
        "atomic_store" => &["dst", "src", "memory_order"],
        "atomic_or" => &["dst", "value", "memory_order"],
        "ieee_add" | "ieee_sub" | "ieee_mul" | "ieee_fdiv" => &["x", "y", "rounding_mode"],
        "ieee_frcp" | "ieee_fsqrt" => &["x", "rounding_mode"],
        "ieee_fmaf" => &["x", "y", "z", "rounding_mode"],
        "align_up" => &["x", "y"],
        "access_ptr" => &["base", "access_type", REST],
        "__ldg" => &["load_or_buf", "index"],
        "barrier_wait" | "mbarrier_wait_parity" => &["mbarrier", "parity"],
        "barrier_arrive" | "mbarrier_arrive" => &["mbarrier", "cta_id"],
        "mbarrier_expect_tx" | "mbarrier_arrive_expect_tx" => &["mbarrier", "tx"],
    }
}

/// The reductions that have a name of their own.
pub(super) const REDUCTIONS: &[&str] = &[
    "reduce_sum",
    "reduce_max",
    "reduce_min",
    "reduce_abssum",
    "reduce_absmax",
    "reduce_bitand",
    "reduce_bitor",
    "reduce_bitxor",
];

/// The combination of a reduction by its name.
pub(super) fn reduction(name: &str) -> Option<&'static str> {
    Some(match name {
        "reduce_sum" => "sum",
        "reduce_max" => "max",
        "reduce_min" => "min",
        "reduce_abssum" => "abssum",
        "reduce_absmax" => "absmax",
        "reduce_bitand" => "bitand",
        "reduce_bitor" => "bitor",
        "reduce_bitxor" => "bitxor",
        _ => return None,
    })
}
