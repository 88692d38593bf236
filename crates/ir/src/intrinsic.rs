//! The operators of TVM that code reasons about.
//!
//! In: the name of an operator. Out: its [`Intrinsic`]. The table below is the only place that compares these names
//! as text: a call is resolved once, where it is made ([`crate::Body::operator`]), and code matches on the variant.
//! All spellings of one operator are one variant, those of TVM's namespaces and of dots for underscores too
//! ([`crate::effects::names`]). Every other operator is [`Intrinsic::Other`]: nothing is known of it but its row in
//! the effects file. O(length of the name).

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::effects::names::{NameBuffer, normal_tir};

/// Declares the variants with their names; the first name is the one that is written.
macro_rules! intrinsics {
    ($($(#[$doc:meta])* $Variant:ident = $first:literal $(| $other:literal)*,)*) => {
        /// An operator of TVM that code reasons about.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Intrinsic {
            $($(#[$doc])* $Variant,)*
            /// An operator that no code reasons about.
            Other,
        }

        /// The written name of each variant, in declaration order.
        const WRITTEN: &[&str] = &[$($first,)*];

        /// Each name with its variant.
        const NAMES: &[(&str, Intrinsic)] =
            &[$(($first, Intrinsic::$Variant), $(($other, Intrinsic::$Variant),)*)*];
    };
}

intrinsics! {
    /// `likely(condition)`: the condition, with a hint that it mostly holds (`SEMANTICS: S9`).
    Likely = "likely",
    /// `ignore_loop_partition(condition)`: the condition, with a hint to one pass.
    IgnoreLoopPartition = "ignore_loop_partition",
    /// `tvm_thread_invariant(value)`: the value, with the promise that all threads have the same.
    ThreadInvariant = "tvm_thread_invariant",
    /// `reinterpret(type, value)`: the bits of the value as another type.
    Reinterpret = "reinterpret",
    /// `cast(value, type)`, `Cast(type, value)` to a type that is not known. Of a known type it is a node.
    Cast = "cast" | "Cast",
    /// `address_of(A[i])`: the address of an element, which is not evaluated.
    AddressOf = "address_of",
    /// `tvm_access_ptr(type, data, offset, extent, mask)`: a pointer, with what is done to the memory behind it.
    AccessPtr = "tvm_access_ptr",
    /// `access_ptr(A[i], …)`: as [`Intrinsic::AccessPtr`], of an element.
    ElementPtr = "access_ptr" | "ptr_to" | "tl.access_ptr",
    /// `handle_add_byte_offset(pointer, bytes)`.
    ByteOffset = "handle_add_byte_offset" | "ptr_byte_offset",
    /// `cta_id([4])`: the index of a block in the grid, whose extents it gives. Of several extents there is one call
    /// each ([`crate::SCOPE_AXIS`]); so for the other indices.
    CtaId = "cta_id",
    /// `cluster_id([4])`: of a cluster in the grid.
    ClusterId = "cluster_id",
    /// `cta_id_in_cluster([2])`: of a block in its cluster.
    CtaIdInCluster = "cta_id_in_cluster",
    /// `cta_id_in_pair()`: of a block in its pair.
    CtaIdInPair = "cta_id_in_pair",
    /// `warpgroup_id([2])`: of a group of four warps in its block.
    WarpgroupId = "warpgroup_id",
    /// `warp_id([4])`: of a warp in its block.
    WarpId = "warp_id",
    /// `warp_id_in_wg([4])`: of a warp in its group.
    WarpIdInGroup = "warp_id_in_wg",
    /// `lane_id([32])`: of a thread in its warp.
    LaneId = "lane_id",
    /// `thread_id([8, 16])`: of a thread in its block.
    ThreadId = "thread_id",
    /// `thread_id_in_wg([128])`: of a thread in its group of warps.
    ThreadIdInGroup = "thread_id_in_wg",
    /// `scope_id(…)`: an index of any scope.
    ScopeId = "scope_id",
    /// `device_entry()`: everything behind it runs on the device.
    DeviceEntry = "device_entry",
    /// `tile.copy(dst, src)`; so for the other tile primitives, which may name a team ([`crate::Team`]).
    TileCopy = "tile.copy",
    /// `tile.cast(dst, src)`.
    TileCast = "tile.cast",
    /// `tile.permute_layout(dst, src)`.
    TilePermuteLayout = "tile.permute_layout",
    /// `tile.fill(dst, value)`.
    TileFill = "tile.fill" | "tile.memset",
    /// `tile.zero(dst)`.
    TileZero = "tile.zero",
    /// `tile.add(dst, a, b)`.
    TileAdd = "tile.add",
    /// `tile.sub(dst, a, b)`.
    TileSub = "tile.sub",
    /// `tile.mul(dst, a, b)`.
    TileMul = "tile.mul",
    /// `tile.fdiv(dst, a, b)`.
    TileDiv = "tile.fdiv",
    /// `tile.maximum(dst, a, b)`.
    TileMaximum = "tile.maximum",
    /// `tile.minimum(dst, a, b)`.
    TileMinimum = "tile.minimum",
    /// `tile.fma(dst, src, scale, bias)`.
    TileFma = "tile.fma",
    /// `tile.sqrt(dst, src)`.
    TileSqrt = "tile.sqrt",
    /// `tile.exp(dst, src)`.
    TileExp = "tile.exp",
    /// `tile.exp2(dst, src)`.
    TileExp2 = "tile.exp2",
    /// `tile.log2(dst, src)`.
    TileLog2 = "tile.log2",
    /// `tile.reciprocal(dst, src)`.
    TileReciprocal = "tile.reciprocal",
    /// `tile.silu(dst, src)`.
    TileSilu = "tile.silu",
    /// `tile.sum(dst, src, axes, accumulate)`.
    TileSum = "tile.sum",
    /// `tile.max(dst, src, axes, accumulate)`.
    TileMax = "tile.max",
    /// `tile.min(dst, src, axes, accumulate)`.
    TileMin = "tile.min",
    /// `tile.gemm(D, A, B, C, …)`.
    TileGemm = "tile.gemm",
    /// `tl.copy(src, dst)` of TileLang; so for its other tile operations, which the threads of a block execute
    /// together.
    TlCopy = "tl.copy",
    /// `tl.async_copy(src, dst)`.
    TlAsyncCopy = "tl.async_copy",
    /// `tl.tma_copy(src, dst, barrier=…)`.
    TlTmaCopy = "tl.tma_copy",
    /// `tl.im2col(src, dst, nhw_step, c_step, kernel, stride, dilation, padding)`.
    TlIm2Col = "tl.im2col" | "tl.c2d_im2col",
    /// `tl.transpose(src, dst)`.
    TlTranspose = "tl.transpose",
    /// `tl.fill(dst, value)`.
    TlFill = "tl.fill",
    /// `tl.gemm(A, B, C, transpose_A, transpose_B, M, N, K, policy, clear, …)`.
    TlGemm = "tl.gemm",
    /// `tl.wgmma_gemm(…)`.
    TlWgmmaGemm = "tl.wgmma_gemm",
    /// `tl.tcgen05_gemm(…)`.
    TlTcgen05Gemm = "tl.tcgen05_gemm",
    /// `tl.reduce(src, dst, kind, dimension, clear)`.
    TlReduce = "tl.reduce",
    /// `tl.cumsum(src, dst, dimension, reverse)`.
    TlCumSum = "tl.cumsum",
    /// `tl.cummax(src, dst, dimension, reverse)`.
    TlCumMax = "tl.cummax",
    /// `tl.atomicadd(src, dst)`.
    TlAtomicAdd = "tl.atomicadd",
    /// `tl.atomicmax(src, dst)`.
    TlAtomicMax = "tl.atomicmax",
    /// `tl.atomicmin(src, dst)`.
    TlAtomicMin = "tl.atomicmin",
    /// `tl.launch_thread_idx(dimension)`: the index of a thread in its block, before the threads are launched.
    LaunchThreadIdx = "tl.launch_thread_idx",
    /// `buffer_offset(A[i])`: where the layout of a buffer puts an element, which is not evaluated.
    BufferOffset = "buffer_offset",
    /// `isnullptr(pointer)`.
    IsNullPtr = "isnullptr",
    /// `type_annotation(type)`: a type as an operand.
    TypeAnnotation = "type_annotation",
    /// `handle(type, scope)`: the type of a pointer as an operand.
    PointerType = "handle",
    /// `tvm_tuple(…)`: a list of operands.
    Tuple = "tvm_tuple",
    /// `assume(condition)`: the condition holds here (`SEMANTICS: X4`).
    Assume = "assume",
    /// `vscale()`: the number of parts of a scalable vector.
    VScale = "vscale",
    /// `tvm_storage_sync(scope)`: a barrier (`SEMANTICS: Y1`).
    StorageSync = "tvm_storage_sync",
    /// `cuda.cta_sync()`: a barrier of a block of threads.
    BlockSync = "cuda.cta_sync",
    /// `cuda.warp_sync()`: a barrier of a warp.
    WarpSync = "cuda.warp_sync",
    /// `cuda.thread_fence()`: orders the memory of one thread.
    ThreadFence = "cuda.thread_fence",
    /// `tvm_thread_allreduce(…)`: a reduction over the threads of a block.
    ThreadAllreduce = "tvm_thread_allreduce",
    /// `comm_reducer(combiner, identity)`: how a reduction combines values.
    CommReducer = "comm_reducer",
    /// `ret(value)`: leaves the function.
    Return = "ret",
    /// `thread_return()`: ends a thread.
    ThreadReturn = "thread_return",
    /// `break_loop()`.
    BreakLoop = "break_loop",
    /// `continue_loop()`.
    ContinueLoop = "continue_loop",
    /// `trap()`: ends the program.
    Trap = "trap",
    /// `tvm_struct_set(…)`: stores into a structure of the runtime.
    StructSet = "tvm_struct_set",
    /// The operators on lists of values of the runtime.
    AnyList = "anylist_getitem"
        | "anylist_resetitem"
        | "anylist_setitem_call_packed"
        | "anylist_setitem_call_cpacked",
    /// `call_extern(type, name, …)`: a function of C.
    CallExtern = "call_extern",
    /// `call_pure_extern(type, name, …)`: a function of C without effect.
    CallPureExtern = "call_pure_extern",
    /// `call_llvm_intrin(type, name, …)`: an instruction of LLVM.
    CallLlvm = "call_llvm_intrin",
    /// `call_llvm_pure_intrin(type, name, …)`: an instruction of LLVM without effect.
    CallPureLlvm = "call_llvm_pure_intrin",
    /// `abs(value)`.
    Abs = "abs",
    /// `fabs(value)`: of floats.
    FAbs = "fabs",
    /// `floor(value)`.
    Floor = "floor",
    /// `ceil(value)`.
    Ceil = "ceil",
    /// `trunc(value)`.
    Trunc = "trunc",
    /// `round(value)`: ties to even (`SEMANTICS: F13`).
    Round = "round",
    /// `nearbyint(value)`: ties to even.
    NearbyInt = "nearbyint",
    /// `isnan(value)`.
    IsNan = "isnan",
    /// `isinf(value)`.
    IsInf = "isinf",
    /// `isfinite(value)`.
    IsFinite = "isfinite",
    /// `copysign(value, sign)`.
    CopySign = "copysign",
    /// `log2(value)`.
    Log2 = "log2",
    /// `popcount(value)`: the number of bits that are set.
    PopCount = "popcount" | "ctpop",
    /// `clz(value)`: the number of leading zeros.
    LeadingZeros = "clz",
}

impl Intrinsic {
    /// The operator of a name, in any spelling.
    pub fn of_name(name: &str) -> Intrinsic {
        static TABLE: OnceLock<FxHashMap<Box<str>, Intrinsic>> = OnceLock::new();
        let mut buffer = NameBuffer::new();
        let table = TABLE.get_or_init(|| {
            NAMES
                .iter()
                .map(|&(name, it)| (normal_tir(name, &mut NameBuffer::new()).into(), it))
                .collect()
        });
        table.get(normal_tir(name, &mut buffer)).copied().unwrap_or(Intrinsic::Other)
    }

    /// The name that TVM writes; none of [`Intrinsic::Other`].
    pub fn name(self) -> Option<&'static str> {
        WRITTEN.get(self as usize).copied()
    }

    /// Each name with its operator.
    pub fn names() -> impl Iterator<Item = (&'static str, Intrinsic)> {
        NAMES.iter().copied()
    }

    /// Hints about a condition: the value is that of the operand, for passes of TVM.
    pub fn is_hint(self) -> bool {
        matches!(self, Intrinsic::Likely | Intrinsic::IgnoreLoopPartition)
    }

    /// Operators of one operand whose value is the operand's.
    pub fn is_transparent(self) -> bool {
        self.is_hint() || self == Intrinsic::ThreadInvariant
    }

    /// Operators that make a pointer to a place and do not evaluate the place.
    pub fn makes_address(self) -> bool {
        matches!(self, Intrinsic::AccessPtr | Intrinsic::AddressOf)
    }

    /// Operators that give the index of a thread, a warp, a block … in its scope, and the extents of the scope.
    pub fn is_scope_index(self) -> bool {
        (Intrinsic::CtaId..=Intrinsic::ScopeId).contains(&self)
    }

    /// Indices of scopes that are the same in all threads of a block.
    pub fn is_block_index(self) -> bool {
        (Intrinsic::CtaId..=Intrinsic::CtaIdInPair).contains(&self)
    }

    /// Tile primitives that complete at once and whose meaning is known.
    pub fn is_tile(self) -> bool {
        (Intrinsic::TileCopy..=Intrinsic::TileGemm).contains(&self)
    }

    /// Tile operations of TileLang, which the threads of a block execute together and whose meaning is known. Some are
    /// asynchronous: what they write is there at the wait.
    pub fn is_tilelang_tile(self) -> bool {
        (Intrinsic::TlCopy..=Intrinsic::TlAtomicMin).contains(&self)
    }

    /// Tile primitives that take their destination for their source where they are given no other.
    pub fn is_tile_in_place(self) -> bool {
        use Intrinsic::{TileExp, TileExp2, TileLog2, TileReciprocal, TileSqrt, TileZero};
        matches!(self, TileExp | TileExp2 | TileLog2 | TileReciprocal | TileSqrt | TileZero)
    }

    /// Operators after which control goes elsewhere.
    pub fn is_jump(self) -> bool {
        use Intrinsic::{BreakLoop, ContinueLoop, Return, ThreadReturn};
        matches!(self, Return | ThreadReturn | BreakLoop | ContinueLoop)
    }

    /// Operators that stand for a type, where an operand is needed.
    pub fn is_type(self) -> bool {
        matches!(self, Intrinsic::TypeAnnotation | Intrinsic::PointerType)
    }

    /// Functions that round a float to a whole number.
    pub fn is_rounding(self) -> bool {
        use Intrinsic::{Ceil, Floor, NearbyInt, Round, Trunc};
        matches!(self, Floor | Ceil | Trunc | Round | NearbyInt)
    }

    /// Calls of functions and instructions that have their name as an operand.
    pub fn calls_by_name(self) -> bool {
        use Intrinsic::{CallExtern, CallLlvm, CallPureExtern, CallPureLlvm};
        matches!(self, CallExtern | CallPureExtern | CallLlvm | CallPureLlvm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_resolved_and_written_back() {
        for (name, it) in Intrinsic::names() {
            assert_eq!(Intrinsic::of_name(name), it);
            let written = it.name().expect("a name");
            assert_eq!(Intrinsic::of_name(written), it);
        }
        assert_eq!(Intrinsic::Other.name(), None);
        assert_eq!(Intrinsic::of_name("exp"), Intrinsic::Other);
    }

    #[test]
    fn spellings_of_the_effects_file_are_one_operator() {
        for name in ["likely", "T.likely", "tirx.likely", "tir.prim.likely", "prim.likely"] {
            assert_eq!(Intrinsic::of_name(name), Intrinsic::Likely, "{name}");
        }
        assert_eq!(Intrinsic::of_name("tvm.storage_sync"), Intrinsic::StorageSync);
        assert_eq!(Intrinsic::of_name("Tx.likely"), Intrinsic::Other);
    }
}
