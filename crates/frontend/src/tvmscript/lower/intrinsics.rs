//! Result types of TVM's operators, as TVM's Python front end gives them.

use ir::{
    DataType,
    effects::{EffectTable, MatchKind, Namespace},
};

/// How the type of a call follows from its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ResultType {
    /// The type of an argument.
    Arg(usize),
    /// Always this.
    Fixed(DataType),
    /// An untyped pointer.
    Handle,
    /// Named by the first argument: `T.reinterpret("float32", x)`.
    First,
    /// Named by the last argument: `T.tvm_struct_get(p, 0, 1, "int32")`.
    Last,
    /// A pointer to the elements of the buffer accessed by the first argument.
    Address,
    /// A pointer of the type annotation in the first argument, in the scope of the second.
    AccessPtr,
    /// No value.
    Void,
    /// Not known.
    Unknown,
}

/// The result type of `T.name`.
pub(super) fn result_type(name: &str) -> ResultType {
    use ResultType as R;
    match name {
        // TVM's front end says `int32` and cannot read the vector form that its own printer writes.
        "q_multiply_shift"
        | "exp"
        | "exp2"
        | "exp10"
        | "log"
        | "log2"
        | "log10"
        | "log1p"
        | "sqrt"
        | "rsqrt"
        | "sin"
        | "cos"
        | "tan"
        | "sinh"
        | "cosh"
        | "tanh"
        | "asin"
        | "acos"
        | "atan"
        | "asinh"
        | "acosh"
        | "atanh"
        | "erf"
        | "sigmoid"
        | "floor"
        | "ceil"
        | "trunc"
        | "round"
        | "nearbyint"
        | "fabs"
        | "fma"
        | "popcount"
        | "atan2"
        | "nextafter"
        | "hypot"
        | "copysign"
        | "ldexp"
        | "fmod"
        | "likely"
        | "selector"
        | "tvm_thread_invariant"
        | "pow"
        | "power"
        | "webgpu.subgroup_shuffle"
        | "webgpu.subgroup_shuffle_up"
        | "webgpu.subgroup_shuffle_down"
        | "logaddexp" => R::Arg(0),
        "tvm_warp_shuffle"
        | "tvm_warp_shuffle_up"
        | "tvm_warp_shuffle_down"
        | "tvm_warp_shuffle_xor" => R::Arg(1),
        "isnan"
        | "isnullptr"
        | "assume"
        | "filter"
        | "ignore_loop_partition"
        | "isfinite"
        | "isinf" => R::Fixed(DataType::BOOL),
        "call_packed"
        | "call_cpacked"
        | "call_packed_lowered"
        | "call_cpacked_lowered"
        | "tvm_call_packed"
        | "tvm_call_cpacked"
        | "tvm_call_packed_lowered"
        | "tvm_call_cpacked_lowered"
        | "call_ffi_kernel"
        | "tvm_struct_set"
        | "undef"
        | "dp4a"
        | "q_multiply_shift_per_axis"
        | "vscale"
        | "clz"
        | "anylist_resetitem"
        | "anylist_setitem_call_packed"
        | "anylist_setitem_call_cpacked"
        | "TVMBackendFreeWorkspace"
        | "cluster_id"
        | "cta_id"
        | "cta_id_in_cluster"
        | "cta_id_in_pair"
        | "lane_id"
        | "scope_id"
        | "thread_id"
        | "thread_id_in_wg"
        | "warp_id"
        | "warp_id_in_wg"
        | "warpgroup_id"
        | "tvm_context_id" => R::Fixed(DataType::INT32),
        "tvm_warp_activemask" | "cuda.elect_sync" => R::Fixed(DataType::uint(32)),
        "tvm_stack_make_shape"
        | "tvm_stack_make_array"
        | "tvm_stack_alloca"
        | "lookup_param"
        | "handle_add_byte_offset"
        | "TVMBackendAllocWorkspace"
        | "anylist_getitem"
        | "ptr_byte_offset"
        | "comm_reducer"
        | "index_map"
        | "iter_var"
        | "Range"
        | "target"
        | "Tuple"
        | "tvm_static_handle"
        | "tensormap_encode_tiled"
        | "buffer_data" => R::Handle,
        "address_of" => R::Address,
        "tvm_access_ptr" => R::AccessPtr,
        "call_extern"
        | "call_pure_extern"
        | "call_llvm_intrin"
        | "call_llvm_pure_intrin"
        | "call_intrin"
        | "reinterpret"
        | "type_annotation"
        | "vectorlow"
        | "vectorhigh"
        | "vectorcombine"
        | "get_active_lane_mask"
        | "masked_load" => R::First,
        "tvm_struct_get" => R::Last,
        "tvm_storage_sync"
        | "tvm_thread_allreduce"
        | "tvm_kernel_replace_point"
        | "tvm_global_barrier_kinit"
        | "tvm_throw_last_error"
        | "masked_store"
        | "tvm_load_matrix_sync"
        | "tvm_mma_sync"
        | "tvm_bmma_sync"
        | "tvm_fill_fragment"
        | "tvm_store_matrix_sync"
        | "start_profile_intrinsic"
        | "end_profile_intrinsic"
        | "tvm_tuple"
        | "print_buffer"
        | "thread_return"
        | "break_loop"
        | "continue_loop"
        | "ret" => R::Void,
        _ => by_registry(name),
    }
}

fn by_registry(name: &str) -> ResultType {
    use ir::effects::{DtypePosition, TileLangResult, tilelang_op, tvm_op};
    if let Some(op) = tilelang_op(name).filter(|it| *it.name == *name) {
        return match op.result {
            TileLangResult::Operand(index) => ResultType::Arg(index),
            TileLangResult::Named => ResultType::First,
            TileLangResult::Fixed(dtype) if dtype == DataType::VOID => ResultType::Void,
            TileLangResult::Fixed(dtype) => ResultType::Fixed(dtype),
            TileLangResult::Unknown => ResultType::Unknown,
        };
    }
    let Some(op) = tvm_op(name) else { return ResultType::Unknown };
    match op.dtype {
        DtypePosition::First => ResultType::First,
        DtypePosition::Last => ResultType::Last,
        DtypePosition::None => op.result.map_or(ResultType::Unknown, ResultType::Fixed),
    }
}

/// Returns true if any table knows the operator.
pub(super) fn is_known(name: &str, effects: &EffectTable) -> bool {
    // What an instruction of a computed name does is not known, but that it is one.
    name.starts_with("ptx[")
        || result_type(name) != ResultType::Unknown
        || ir::effects::tvm_op(name).is_some()
        || is_listed(name, effects)
}

/// Returns true if the effects table has a row for it, beyond the defaults.
fn is_listed(name: &str, effects: &EffectTable) -> bool {
    effects.explain(Namespace::Tir, name).kind != MatchKind::Default
}
