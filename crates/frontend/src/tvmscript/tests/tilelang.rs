//! Kernels as people write them in TileLang: how they are found, and the IR that they are.

use expect_test::{Expect, expect};

use super::{dedent, file, lowered, printed};
use crate::tvmscript::{Context, lower};

const HEAD: &str = "import tilelang\nimport tilelang.language as T\n";

/// Lowers `body` as the body of a launch of 4 × 2 blocks, over two matrices.
#[track_caller]
pub(super) fn check(body: &str, expect: Expect) {
    let text = format!(
        "{HEAD}\n@T.prim_func\ndef f(A: T.Tensor((64, 32), \"float16\"), B: T.Tensor((64,), \"int32\"), n: T.int32):\n    with T.Kernel(4, 2, threads=256) as (bx, by):\n{body}"
    );
    let printed = printed(&text);
    let inside = printed.split_once("\"tl.launch_threads\"").map_or(&*printed, |(_, body)| body);
    let inside = inside.split_once('\n').map_or("", |(_, body)| body);
    let before = printed.lines().take_while(|line| !line.starts_with('@'));
    let diagnostics: String = before.map(|line| format!("{line}\n")).collect();
    let inside = (0..4).fold(inside.to_owned(), |text, _| dedent(&text));
    expect.assert_eq(&(diagnostics + &inside));
}

/// The functions of a text: path, name, and whether it is an eager kernel.
fn found(text: &str) -> Vec<String> {
    let file = file(text);
    let words = |it: &crate::tvmscript::FunctionItem| {
        let source = &it.source;
        let eager = if source.is_eager { " eager" } else { "" };
        format!("{:?} {:?}{eager} {}/{}", source.kind, source.dialect, source.key.path, source.name)
    };
    file.functions.iter().map(words).collect()
}

/// The only function of a text in an instance that a call in the text makes.
fn instance(text: &str, number: usize) -> String {
    let file = file(text);
    let instances =
        file.asked_instances(&file.factories(Context::default()), Context::default()).called;
    let instance = &instances[number];
    let item = &file.functions[0];
    let lowered = lower(&item.source, &file.environment_in(item, Some(instance)));
    assert_eq!(lowered.diagnostics, []);
    assert_eq!(ir::verify::verify(&lowered.body), []);
    format!("# {instance}\n{}", ir::print::tvmscript(&lowered.body, 0))
}

/// As `instance`, of the function of this name, with the codes of what is told of it.
fn instance_of(text: &str, number: usize, name: &str) -> String {
    let file = file(text);
    let instances =
        file.asked_instances(&file.factories(Context::default()), Context::default()).called;
    let item = file.functions.iter().find(|it| &*it.source.name == name).expect("the function");
    let lowered = lower(&item.source, &file.environment_in(item, Some(&instances[number])));
    assert_eq!(ir::verify::verify(&lowered.body), []);
    let told: String = lowered.diagnostics.iter().map(|it| format!("# {}\n", it.code)).collect();
    format!("# {}\n{told}{}", instances[number], ir::print::tvmscript(&lowered.body, 0))
}

#[test]
fn kernels_are_found_however_the_language_is_named() {
    let text = "import tilelang
import tilelang as tl
import tilelang.language as T
from tilelang import jit, language as L
from tilelang.cuda.language import prim_func

@tl.jit(out_idx=[-1])
def lazy(n):
    @L.prim_func
    def main(A: L.Tensor((n,), \"float32\")):
        with L.Kernel(n):
            A[0] = 1.0
    return main

@jit
def eager(A, n: int = 4):
    A: T.Tensor((n,), T.float32)
    with T.Kernel(n) as bx:
        A[bx] = 1.0

@tilelang.jit
def other(n):
    return lazy(n)

class Op:
    @T.macro
    def part(A):
        A[0] = 1.0

    def make(self):
        @tilelang.language.prim_func
        def main(A: T.Tensor((4,), \"float32\")):
            A[0] = 1.0
        return main

@prim_func
def plain(A: T.Tensor((4,), \"float32\")):
    A[0] = 1.0
";
    expect![[r#"
        [
            "PrimFunc TileLang lazy/main",
            "PrimFunc TileLang eager eager/eager",
            "Macro TileLang Op/part",
            "PrimFunc TileLang Op.make/main",
            "PrimFunc TileLang /plain",
        ]
    "#]]
    .assert_debug_eq(&found(text));
}

#[test]
fn a_launch_is_loops_over_blocks_around_a_block_of_statements() {
    let text = format!(
        "{HEAD}
@T.prim_func
def f(A: T.Tensor((64, 32), \"float16\"), S: T.StridedTensor((4, 4), (8, 1), \"float32\"), p: T.ptr, n: T.int32):
    with T.Kernel(T.ceildiv(64, 16), n, threads=(32, 4)) as (bx, by):
        tx, ty, _ = T.get_thread_bindings()
        A[bx * 16 + tx, by] = A[tx, T.get_block_binding(1)] + ty
"
    );
    expect![[r#"
        @T.prim_func
        def f(A: T.Buffer((64, 32), "float16"), S: T.Buffer((4, 4), "float32", strides=(8, 1)), p: T.handle, n: T.int32):
            for bx in T.thread_binding(4, thread="blockIdx.x"):
                for by in T.thread_binding(n, thread="blockIdx.y"):
                    tx: T.int32 = T.launch_thread_idx(0)
                    ty: T.int32 = T.launch_thread_idx(1)
                    tz: T.int32 = T.launch_thread_idx(2)
                    with T.sblock("tilelang_root"):
                        T.sblock_attr({"tl.launch_threads": [32, 4, 1]})
                        A[bx * 16 + tx, by] = A[tx, by] + T.Cast("float16", ty)
    "#]]
    .assert_eq(&printed(&text));
}

#[test]
fn names_of_a_launch_are_counted_where_its_parameters_are_known() {
    let launch = |arguments: &str| {
        let text = format!(
            "{HEAD}\n@T.prim_func\ndef f(A: T.Tensor((64,), \"float16\")):\n    with T.Kernel({arguments}) as (bx, by):\n        A[bx] = by\n"
        );
        let printed = printed(&text);
        printed.lines().take_while(|line| !line.starts_with('@')).collect::<Vec<_>>().join("\n")
    };
    expect!["malformed-form: 2 names for a grid of 1"].assert_eq(&launch("4, threads=32"));
    expect!["unsupported-construct: this depends on a value that is not known here, and is kept by its text"].assert_eq(&launch("4, is_npu=True"));
}

/// There is no kernel where Python raises.
#[test]
fn arms_that_raise_are_left_to_python() {
    let of = |statements: &str| {
        let text = format!(
            "{HEAD}\ndef make(policy):\n    @T.prim_func\n    def f(A: T.Tensor((64,), \"float32\")):\n        with T.Kernel(4, threads=64) as bx:\n{statements}    return f\n"
        );
        printed(&text)
    };
    let choice = "            if policy == 1:
                A[bx] = 1.0
            elif policy == 2:
                A[bx] = 2.0
            else:
                raise ValueError(f\"no such policy: {policy}\")
";
    expect![[r#"
        unresolved-capture: the value of `policy` is not known here
        @T.prim_func
        def f(A: T.Buffer((64,), "float32")):
            for bx in T.thread_binding(4, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [64, 1, 1]})
                    if policy == 1:
                        A[bx] = T.float32(1.0)
                    else:
                        A[bx] = T.float32(2.0)
    "#]]
    .assert_eq(&of(choice));
    let check = "            if policy < 1:
                raise ValueError(policy)
            A[bx] = 1.0
";
    expect![[r#"
        unresolved-capture: the value of `policy` is not known here
        @T.prim_func
        def f(A: T.Buffer((64,), "float32")):
            for bx in T.thread_binding(4, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [64, 1, 1]})
                    A[bx] = T.float32(1.0)
    "#]]
    .assert_eq(&of(check));
    let more = "            if policy < 1:
                print(policy)
                raise ValueError(policy)
            A[bx] = 1.0
";
    expect![[r#"
        unresolved-capture: the value of `policy` is not known here
        unsupported-construct: this depends on a value that is not known here, and is kept by its text
        @T.prim_func
        def f(A: T.Buffer((64,), "float32")):
            for bx in T.thread_binding(4, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [64, 1, 1]})
                    if policy < 1:
                        print(policy)
                        raise ValueError(policy)
                    A[bx] = T.float32(1.0)
    "#]].assert_eq(&of(more));
}

#[test]
fn old_names_of_types_are_types() {
    let text = format!(
        "{HEAD}\n@T.prim_func\ndef f(A: T.Tensor((64,), \"e4m3_float8\"), B: T.Tensor((64,), \"e5m2_float8\"), C: T.Tensor((64,), \"e9m9_float8\")):\n    with T.Kernel(4, threads=64) as bx:\n        S = T.alloc_shared((64,), \"e4m3fnuz_float8\")\n        A[bx] = T.cast(B[bx], \"e4m3_float8\")\n        S[bx] = A[bx]\n"
    );
    expect![[r#"
        malformed-form: a data type is needed here
        @T.prim_func
        def f(A: T.Buffer((64,), "e4m3_float8"), B: T.Buffer((64,), "e5m2_float8"), C: T.handle):
            for bx in T.thread_binding(4, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [64, 1, 1]})
                    S = T.sblock_alloc_buffer((64,), "e4m3fnuz_float8", scope="shared.dyn")
                    A[bx] = T.cast(B[bx], "e4m3_float8")
                    S[bx] = A[bx]
    "#]]
    .assert_eq(&printed(&text));
}

#[test]
fn tiles_have_the_extents_of_the_other_side() {
    check(
        "        S = T.alloc_shared((16, 32), \"float16\")
        F = T.alloc_fragment([16], \"float32\")
        T.copy(A[bx * 16, 0], S)
        T.copy(A[bx * 16 : (bx + 1) * 16, :], S, disable_tma=True)
        T.copy(S[:, 3], F)
        T.copy(F, B[bx * 16])
        T.copy(B[n], B[n + 1])
        T.fill(S[0:4, 8], 1.0)
        T.clear(F)
",
        expect![[r#"
            S = T.sblock_alloc_buffer((16, 32), "float16", scope="shared.dyn")
            F = T.sblock_alloc_buffer((16,), scope="local.fragment")
            T.copy(T.region(A[bx * 16, 0], 1, 16, 32), T.region(S[0, 0], 2, 16, 32))
            T.copy(T.region(A[bx * 16, 0], 1, 16, 32), T.region(S[0, 0], 2, 16, 32), disable_tma=True)
            T.copy(T.region(S[0, 3], 1, 16, 1), T.region(F[0], 2, 16))
            T.copy(T.region(F[0], 1, 16), T.region(B[bx * 16], 2, 16))
            B[n + 1] = B[n]
            T.fill(T.region(S[0, 8], 2, 4, 1), T.float32(1.0))
            T.fill(T.region(F[0], 2, 16), 0)
        "#]],
    );
}

#[test]
fn operations_have_the_operands_that_tilelang_prints() {
    check(
        "        S = T.alloc_shared((32, 16), \"float16\")
        C = T.alloc_fragment((16, 16), \"float32\")
        R = T.alloc_fragment((16,), \"float32\")
        T.gemm(S, S, C, transpose_A=True, policy=T.GemmWarpPolicy.FullRow)
        T.gemm(S, S, C, True, clear_accum=bx == 0, k_pack=2)
        T.reduce_max(C, R, dim=-1)
        T.reduce_sum(C, R, 0, clear=False)
        T.cumsum(R, dim=0, reverse=True)
        T.atomic_add(B[bx], 1)
        T.atomic_add(A[0, 0], S)
        T.sync_threads()
        T.use_swizzle(10)
        B[0] = T.reinterpret(R[0], T.int32) + T.clamp(B[1], 0, 7)
        R[1] = T.clamp(R[0], -448.0, 448.0)
",
        expect![[r#"
            S = T.sblock_alloc_buffer((32, 16), "float16", scope="shared.dyn")
            C = T.sblock_alloc_buffer((16, 16), scope="local.fragment")
            R_1 = T.sblock_alloc_buffer((16,), scope="local.fragment")
            T.gemm(T.region(S[0, 0], 1, 32, 16), T.region(S[0, 0], 1, 32, 16), T.region(C[0, 0], 3, 16, 16), T.bool(True), T.bool(False), 16, 16, 32, 1, T.bool(False), 0, 0, 0)
            T.gemm(T.region(S[0, 0], 1, 32, 16), T.region(S[0, 0], 1, 32, 16), T.region(C[0, 0], 3, 16, 16), T.bool(True), T.bool(False), 16, 16, 32, 0, bx == 0, 0, 0, 0, k_pack=2)
            T.reduce(T.region(C[0, 0], 1, 16, 16), T.region(R_1[0], 2, 16), "max", 1, T.bool(True))
            T.reduce(T.region(C[0, 0], 1, 16, 16), T.region(R_1[0], 2, 16), "sum", 0, T.bool(False))
            T.cumsum(T.region(R_1[0], 1, 16), T.region(R_1[0], 2, 16), 0, T.bool(True))
            T.atomic_add_elem_op(T.address_of(B[bx]), 1)
            T.atomicadd(T.region(S[0, 0], 1, 32, 16), T.region(A[0, 0], 2, 32, 16))
            T.tvm_storage_sync("shared")
            B[0] = T.reinterpret("int32", R_1[0]) + T.min(T.max(B[1], 0), 7)
            R_1[1] = T.clamp(R_1[0], T.float32(-448.0), T.float32(448.0))
        "#]],
    );
}

#[test]
fn a_variable_is_stored_to_and_a_name_is_bound_anew() {
    check(
        "        count = T.alloc_var(\"int32\", 1)
        limit = T.alloc_var(T.int32)
        x = B[bx] + 1
        x = x * 2
        count = x
        count += 1
        count, limit = limit, count
        B[0], B[1] = B[1], B[0]
        total = 0
        for i in T.serial(4):
            total = total + 2
            if B[i] > total:
                break
        B[2] = count + limit + total
        while count < 8:
            count = count * 2
",
        expect![[r#"
            count = T.sblock_alloc_buffer((1,), "int32", scope="local.var")
            count[0] = 1
            limit = T.sblock_alloc_buffer((1,), "int32", scope="local.var")
            x: T.int32 = B[bx] + 1
            x_1: T.int32 = x * 2
            count[0] = x_1
            count[0] = count[0] + 1
            _tmp: T.int32 = limit[0]
            _tmp_1: T.int32 = count[0]
            count[0] = _tmp
            limit[0] = _tmp_1
            _tmp_2: T.int32 = B[1]
            _tmp_3: T.int32 = B[0]
            B[0] = _tmp_2
            B[1] = _tmp_3
            for i in range(4):
                if B[i] > 2:
                    break
            B[2] = count[0] + limit[0] + 2
            while count[0] < 8:
                count[0] = count[0] * 2
        "#]],
    );
}

#[test]
fn loops_keep_what_their_compiler_is_told() {
    check(
        "        for i, j in T.Parallel(16, 32, coalesced_width=2):
            A[i, j] = A[i, j] * 2.0
        for k in T.Pipelined(8, num_stages=3):
            B[k] = k
        for k in T.Pipelined(8, num_stages=0):
            B[k] = k
        for k in T.Pipelined(2, 8, order=[0, 1], stage=[0, 1]):
            B[k] = k
        for k in T.serial(0, 8, 2):
            B[k] = k
        for k in T.unroll(4, explicit=True):
            B[k] = k
        for k in range(n):
            B[k] = k
",
        expect![[r#"
            for i in T.parallel(16, annotations={"coalesced_width": 2}):
                for j in T.parallel(32):
                    A[i, j] = T.Cast("float16", T.Cast("float32", A[i, j]) * T.float32(2.0))
            for k in T.serial(8, annotations={"num_stages": 3}):
                B[k] = k
            for k in range(8):
                B[k] = k
            for k in T.serial(2, 8, annotations={"order": [0, 1], "stage": [0, 1]}):
                B[k] = k
            for _tmp in range(4):
                k: T.int32 = _tmp * 2
                B[k] = k
            for k in T.unroll(4, annotations={"pragma_unroll_explicit": True}):
                B[k] = k
            for k in range(n):
                B[k] = k
        "#]],
    );
}

#[test]
fn what_python_folds_it_decides() {
    check(
        "        if T.ceildiv(96, 32) % 2 != 0:
            B[0] = 1
        if T.ceildiv(64, 32) % 2 != 0:
            B[1] = 1
        if T.ceildiv(n, 32) != 0:
            B[2] = 1
",
        expect![[r#"
            B[0] = 1
            if (n + 32 - 1) // 32 != 0:
                B[2] = 1
        "#]],
    );
}

#[test]
fn an_accumulator_that_is_cleared_is_only_written() {
    check(
        "        S = T.alloc_shared((16, 16), \"float16\")
        C = T.alloc_fragment((16, 16), \"float32\")
        T.gemm(S, S, C, clear_accum=True)
",
        expect![[r#"
            S = T.sblock_alloc_buffer((16, 16), "float16", scope="shared.dyn")
            C = T.sblock_alloc_buffer((16, 16), scope="local.fragment")
            T.gemm(T.region(S[0, 0], 1, 16, 16), T.region(S[0, 0], 1, 16, 16), T.region(C[0, 0], 2, 16, 16), T.bool(False), T.bool(False), 16, 16, 16, 0, T.bool(True), 0, 0, 0)
        "#]],
    );
}

#[test]
fn a_type_that_a_call_gives_is_no_extent() {
    let text = format!(
        "{HEAD}\n@tilelang.jit\ndef f(n, dtype):\n    @T.prim_func\n    def main(A: T.Tensor[(n), dtype]):\n        with T.Kernel(n) as bx:\n            A[bx] = 1\n    return main\n\nf(8, \"int32\")\n"
    );
    assert!(instance(&text, 0).contains("A: T.Buffer((8,), \"int32\")"));
}

#[test]
fn warp_groups_and_barriers() {
    check(
        "        ready = T.alloc_barrier(128)
        free = T.alloc_barrier([128] * 3)
        S = T.alloc_shared((16, 32), \"float16\")
        with T.ws(1):
            for k in T.serial(8):
                T.barrier_wait(free[k % 3], (k // 3) & 1)
                T.tma_copy(A[k, 0], S, barrier=ready)
                T.mbarrier_arrive(ready)
        with T.ws(0):
            T.mbarrier_wait_parity(ready, n & 1)
",
        expect![[r#"
            ready = T.sblock_alloc_buffer((1,), "uint64", scope="shared.barrier", barrier_init=128)
            free = T.sblock_alloc_buffer((3,), "uint64", scope="shared.barrier", barrier_init=[128, 128, 128])
            S = T.sblock_alloc_buffer((16, 32), "float16", scope="shared.dyn")
            if tx >= 128 and tx < 256:
                T.attr(0, "warp_specialize", 1)
                for k in range(8):
                    T.mbarrier_wait_parity(free[k % 3], k // 3 & 1)
                    T.tma_copy(T.region(A[k, 0], 1, 16, 32), T.region(S[0, 0], 2, 16, 32), barrier=ready[0])
                    T.ptx_arrive_barrier(ready[0])
            if tx >= 0 and tx < 128:
                T.attr(0, "warp_specialize", 1)
                T.mbarrier_wait_parity(ready[0], n & 1)
        "#]],
    );
}

#[test]
fn macros_give_values_and_take_references() {
    let text = format!(
        "{HEAD}
@T.macro
def twice(x):
    y = x * 2
    return y + 1

@T.macro
def bump(x: T.Ref, by):
    x = x + by

@T.prim_func
def f(B: T.Tensor((64,), \"int32\")):
    with T.Kernel(4, threads=32) as bx:
        n = T.alloc_var(\"int32\", 0)
        bump(n, B[bx])
        B[bx] = twice(n)
"
    );
    expect![[r#"
        @T.prim_func
        def f(B: T.Buffer((64,), "int32")):
            for bx in T.thread_binding(4, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
                    n = T.sblock_alloc_buffer((1,), "int32", scope="local.var")
                    n[0] = 0
                    by: T.int32 = B[bx]
                    n[0] = n[0] + by
                    x: T.int32 = n[0]
                    y: T.int32 = x * 2
                    B[bx] = y + 1
    "#]]
    .assert_eq(&printed(&text));
}

#[test]
fn what_python_decides_is_not_an_error() {
    let text = format!(
        "{HEAD}
def make(block, dtype, is_causal, helper):
    threads = block // 2
    M = T.dynamic(\"M\")

    @T.prim_func
    def f(A: T.Tensor((M, block), dtype)):
        with T.Kernel(T.ceildiv(M, block), threads=threads) as bx:
            assert dtype in [\"float16\", \"float32\"]
            S = T.alloc_shared((block, block), dtype)
            if is_causal:
                last = bx
            else:
                last = T.ceildiv(M, block)
            T.copy(A[bx * block, 0], S)
            with helper.range(\"phase\"):
                for i, j in T.Parallel(block, block):
                    S[i, j] = T.if_then_else(bx * block + i < M, S[i, j], -T.infinity(dtype))
            T.copy(S, A[last, 0])
    return f
"
    );
    expect![[r#"
        unresolved-capture: the values of `block`, `dtype`, `threads` and `is_causal` are not known here
        unsupported-construct: this depends on a value that is not known here, and is kept by its text
        @T.prim_func
        def f(A: T.Buffer((M, block), dtype)):
            for bx in T.thread_binding((M + block - 1) // block, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [threads, 1, 1]})
                    S = T.sblock_alloc_buffer((block, block), dtype, scope="shared.dyn")
                    if is_causal:
                        pass
                    else:
                        last = T.bind((M + block - 1) // block)
                    T.copy(T.region(A[bx * block, 0], 1, block, block), T.region(S[0, 0], 2, block, block))
                    with helper.range("phase"):
                        for i in T.parallel(block):
                            for j in T.parallel(block):
                                S[i, j] = T.if_then_else(bx * block + i < M, S[i, j], -T.infinity(dtype))
                    T.copy(T.region(S[0, 0], 1, block, block), T.region(A[last, 0], 2, block, block))
    "#]].assert_eq(&printed(&text));
}

#[test]
fn an_eager_kernel_is_its_own_factory() {
    let text = format!(
        "{HEAD}
@tilelang.jit
def add(A, B, block: int = 128, dtype: T.dtype = T.float32):
    M, N = T.const(\"M, N\")
    A: T.Tensor[[M, N], dtype]
    B: T.Tensor((M, N), dtype)
    C = T.empty((M, N), dtype)
    with T.Kernel(T.ceildiv(N, block), M, threads=block) as (bx, by):
        for i in T.Parallel(block):
            C[by, bx * block + i] = A[by, bx * block + i] + B[by, bx * block + i]
    return C


def main(x, y):
    add(x, y, block=64)
    add.compile(M=16, N=256, dtype=T.float16)
"
    );
    let general = lowered(&text).1;
    assert!(general.diagnostics.iter().all(|it| it.severity == crate::tvmscript::Severity::Hint));
    expect![[r##"
        # add(block=64, dtype="float32")
        @T.prim_func
        def add(A: T.Buffer(("M", "N"), "float32"), B: T.Buffer((M, N), "float32"), C: T.Buffer((M, N), "float32")):
            M = T.int32(is_size_var=True)
            N = T.int32(is_size_var=True)
            for bx in T.thread_binding((N + 64 - 1) // 64, thread="blockIdx.x"):
                for by in T.thread_binding(M, thread="blockIdx.y"):
                    tx: T.int32 = T.launch_thread_idx(0)
                    ty: T.int32 = T.launch_thread_idx(1)
                    tz: T.int32 = T.launch_thread_idx(2)
                    with T.sblock("tilelang_root"):
                        T.sblock_attr({"tl.launch_threads": [64, 1, 1]})
                        for i in T.parallel(64):
                            C[by, bx * 64 + i] = A[by, bx * 64 + i] + B[by, bx * 64 + i]
    "##]].assert_eq(&instance(&text, 0));
    expect![[r##"
        # add(block=128, dtype="float16", M=16, N=256)
        @T.prim_func
        def add(A: T.Buffer((16, 256), "float16"), B: T.Buffer((16, 256), "float16"), C: T.Buffer((16, 256), "float16")):
            for bx in T.thread_binding(2, thread="blockIdx.x"):
                for by in T.thread_binding(16, thread="blockIdx.y"):
                    tx: T.int32 = T.launch_thread_idx(0)
                    ty: T.int32 = T.launch_thread_idx(1)
                    tz: T.int32 = T.launch_thread_idx(2)
                    with T.sblock("tilelang_root"):
                        T.sblock_attr({"tl.launch_threads": [128, 1, 1]})
                        for i in T.parallel(128):
                            C[by, bx * 128 + i] = A[by, bx * 128 + i] + B[by, bx * 128 + i]
    "##]].assert_eq(&instance(&text, 1));
}

#[test]
fn a_lazy_kernel_has_the_instances_of_its_factory() {
    let text = format!(
        "{HEAD}
@tilelang.jit(out_idx=[-1])
def scale(N, block, dtype=T.float16, twice=False):
    factor = 2 if twice else 1

    @T.prim_func
    def main(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block), threads=block) as bx:
            for i in T.Parallel(block):
                if twice and dtype == T.float32:
                    B[bx * block + i] = A[bx * block + i] * factor
                else:
                    B[bx * block + i] = A[bx * block + i]
    return main

kernel = scale(1024, 128, T.float32, twice=True)
"
    );
    expect![[r##"
        # scale(N=1024, block=128, dtype="float32", twice=True)
        @T.prim_func
        def main(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
            for bx in T.thread_binding(8, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [128, 1, 1]})
                    for i in T.parallel(128):
                        B[bx * 128 + i] = A[bx * 128 + i] * T.float32(2.0)
    "##]]
    .assert_eq(&instance(&text, 0));
}

#[test]
fn a_parameter_without_a_value_gets_the_one_that_its_factory_makes() {
    let text = format!(
        "{HEAD}
def make(n, scale=None, other=None):
    if scale is None:
        scale = n * 2
    if other is None:
        other = other or n
    twice = scale * 2

    @T.prim_func
    def main(A: T.Tensor((n,), \"int32\")):
        A[0] = twice
        A[1] = other
    return main

make(8)
make(8, 3)
"
    );
    let file = file(&text);
    let instances =
        file.asked_instances(&file.factories(Context::default()), Context::default()).called;
    let mut printed = String::new();
    for instance in &instances {
        let item = &file.functions[0];
        let lowered = lower(&item.source, &file.environment_in(item, Some(instance)));
        let text = ir::print::tvmscript(&lowered.body, 0);
        let stores = text.lines().filter(|it| it.contains("A["));
        printed.push_str(&format!("# {instance}\n{}\n", stores.collect::<Vec<_>>().join("\n")));
    }
    expect![[r#"
        # make(n=8, scale=None, other=None)
            A[0] = 32
            A[1] = 8
        # make(n=8, scale=3, other=None)
            A[0] = 6
            A[1] = 8
    "#]]
    .assert_eq(&printed);
}

#[test]
fn frames_of_an_if_are_an_if() {
    check(
        "        with T.If(n > 4):
            with T.Then():
                B[bx] = 1
            with T.Else():
                B[bx] = 2
        with T.If(n > 8), T.Then():
            B[bx] = 3
",
        expect![[r#"
            if n > 4:
                B[bx] = 1
            else:
                B[bx] = 2
            if n > 8:
                B[bx] = 3
        "#]],
    );
}

#[test]
fn what_python_does_around_statements_or_to_a_dictionary_is_not_known() {
    check(
        "        layouts = {}
        layouts[B] = n
        if layouts:
            T.annotate_layout(layouts)
        for i in T.serial(4, 0, -1):
            B[i] = 0
        for i in range(4, 0, -1):
            B[i] = 0
        with trace.range(\"part\"):
            B[bx] = 1
",
        expect![[r#"
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            layouts[B] = n
            if layouts:
                T.evaluate(0)
            for _tmp in range(4):
                i: T.int32 = 4 + _tmp * -1
                B[i] = 0
            for _tmp in range(4):
                i: T.int32 = 4 + _tmp * -1
                B[i] = 0
            with trace.range("part"):
                B[bx] = 1
        "#]],
    );
}

#[test]
fn a_number_is_of_the_type_of_its_variable() {
    check(
        "        wide = T.alloc_var(T.float64, init=1e300)
        narrow = T.alloc_var(T.float32, init=1e300)
",
        expect![[r#"
            invalid-constant: 1e300 does not fit in float32
            wide = T.sblock_alloc_buffer((1,), "float64", scope="local.var")
            wide[0] = T.float64(1e300)
            narrow = T.alloc_var(T.float32, init=1e300)
        "#]],
    );
}

#[test]
fn functions_in_no_table_are_told_once() {
    check(
        "        T.not_known(bx)
        T.not_known(by)
        T.another(by)
",
        expect![[r#"
            unknown-intrinsic: `T.not_known` and `T.another` are in no table: they may do anything
            T.tl.not_known(bx)
            T.tl.not_known(by)
            T.tl.another(by)
        "#]],
    );
}

#[test]
fn a_type_that_is_called_without_a_value_is_a_variable() {
    let text = format!(
        "{HEAD}\n@T.prim_func\ndef f(a: T.handle):\n    n = T.int64()\n    dtype = T.float32\n    A = T.match_buffer(a, (n * 32,), dtype)\n    A[T.min(T.int64(0), n)] = T.float32(0)\n"
    );
    expect![[r#"
        @T.prim_func
        def f(a: T.handle):
            n = T.int64()
            A = T.match_buffer(a, (n * T.int64(32),))
            A[T.min(T.int64(0), n)] = T.float32(0.0)
    "#]]
    .assert_eq(&printed(&text));
}

/// The instances of the factories of a file: those that calls make, then those of configurations alone.
fn tuned(factory: &str, rest: &str) -> String {
    let text = format!(
        "import itertools\nimport tilelang\nimport tilelang.language as T\nfrom tilelang.autotuner import autotune\n\n\n{factory}\n@tilelang.jit\ndef make(n, block=8, stages=1):\n    @T.prim_func\n    def main(A: T.Tensor((n,), \"int32\")):\n        with T.Kernel(n // block) as bx:\n            A[bx] = stages\n    return main\n\n{rest}"
    );
    let file = file(&text);
    let factories = file.factories(Context::default());
    let mut found = file.asked_instances(&factories, Context::default()).called;
    found.extend(file.tuned_instances(&factories, &found));
    found.iter().map(|it| format!("{it}\n")).collect()
}

#[test]
fn a_default_value_is_the_type_of_a_tensor() {
    let text = format!(
        "{HEAD}\n@T.prim_func(generator=True)\ndef f(A=T.Tensor((128,), T.float32), B=T.Tensor((128,), T.float32)):\n    with T.Kernel(128) as (tx,):\n        T.copy(A[tx], B[tx])\n"
    );
    expect![[r#"
        @T.prim_func(generator=True)
        def f(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
            for tx in T.thread_binding(128, thread="blockIdx.x"):
                tx_1: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [128, 1, 1]})
                    B[tx] = A[tx]
    "#]]
    .assert_eq(&printed(&text));
}

#[test]
fn a_tensor_that_is_returned_says_nothing_of_the_kernel() {
    let text = format!(
        "{HEAD}\n@T.prim_func\ndef f(A: T.Tensor((128,), T.float32)) -> T.Tensor((128,), T.float32):\n    pass\n"
    );
    expect![[r#"
        @T.prim_func
        def f(A: T.Buffer((128,), "float32")):
            T.evaluate(0)
    "#]]
    .assert_eq(&printed(&text));
}

#[test]
fn each_configuration_of_a_tuner_is_an_instance() {
    let check = |factory: &str, rest: &str, expected: Expect| {
        expected.assert_eq(&tuned(factory, rest));
    };
    let listed = "@autotune(configs=[{\"block\": 8}, {\"block\": 16, \"stages\": 2, \"pass_configs\": {}}], warmup=3)";
    check(
        listed,
        "make(64)\n",
        expect![[r#"
        make(n=64, block=8, stages=1)
        make(n=64, block=16, stages=2)
    "#]],
    );
    // What a call gives stays.
    check(
        listed,
        "make(64, block=4)\n",
        expect![[r#"
        make(n=64, block=4, stages=1)
        make(n=64, block=4, stages=2)
    "#]],
    );
    check(
        listed,
        "make(unknown)\n",
        expect![[r#"
        make(block=8, stages=1)
        make(block=16, stages=2)
    "#]],
    );
    let product = "def configs():\n    iters = dict(block=[8, 16], stages=[1, 2])\n    return [dict(zip(iters, it)) for it in itertools.product(*iters.values())]\n\n\n";
    check(
        &format!("{product}@tilelang.autotune(configs=configs())"),
        "make(64)\n",
        expect![[r#"
        make(n=64, block=8, stages=1)
        make(n=64, block=8, stages=2)
        make(n=64, block=16, stages=1)
        make(n=64, block=16, stages=2)
    "#]],
    );
    // A function is given the arguments of the call.
    let made = "def configs(n, **rest):\n    return [{\"block\": n // 4}, {\"block\": n // 8}]\n\n\n@tilelang.autotune(configs=configs)";
    check(
        made,
        "make(64)\n",
        expect![[r#"
        make(n=64, block=16, stages=1)
        make(n=64, block=8, stages=1)
    "#]],
    );
    check(made, "make(unknown)\n", expect![[""]]);
    // Of a tuner that is not TileLang's, and of configurations that are not known, nothing is said.
    check(
        "@triton.autotune(configs=[{\"block\": 8}])",
        "make(64)\n",
        expect![[r#"
        make(n=64, block=8, stages=1)
    "#]],
    );
    check(
        "@autotune(configs=unknown())",
        "make(64)\n",
        expect![[r#"
        make(n=64, block=8, stages=1)
    "#]],
    );
    check("@autotune(configs=[{\"other\": 8}])", "make(64)\n", expect![[""]]);
    // They are bounded.
    let many = tuned("@autotune(configs=[{\"block\": it} for it in range(1, 1000)])", "make(64)\n");
    assert_eq!(many.lines().count(), 64);
}

#[test]
fn waves_of_blocks_walk_the_tiles_of_a_domain() {
    check(
        "        for i, j in T.Persistent([T.ceildiv(64, 16), 20], 3, bx):
            A[i, j] = 0.0
        for t in T.Persistent([100], wave_size=128, index=bx, group_size=16):
            B[t] = 1
        for at in T.Persistent([n, 4], 8, bx, 2):
            A[at[0], at[1]] = 0.0
        for i, j in T.Persistent([4], 8, bx):
            B[0] = 2
",
        expect![[r#"
            malformed-form: 2 loop variables for 1 loops
            for w in range(32):
                j: T.int32 = T.Div(T.Div(w * 3 + bx, 8), 4) * 8 + T.truncmod(w * 3 + bx, 8)
                i: T.int32 = T.truncmod(T.Div(w * 3 + bx, 8), 4)
                if w * 3 + bx < 96:
                    if T.Div(T.Div(w * 3 + bx, 8), 4) * 8 + T.truncmod(w * 3 + bx, 8) < 20:
                        A[i, j] = T.float16(0.0)
            for w in range(1):
                t: T.int32 = T.Div(w * 128 + bx, 16) * 16 + T.truncmod(w * 128 + bx, 16)
                if T.Div(w * 128 + bx, 16) * 16 + T.truncmod(w * 128 + bx, 16) < 100:
                    B[t] = 1
            for w in range((2 * n * 2 + 8 - 1) // 8):
                at: T.int32 = T.Div(T.Div(w * 8 + bx, 2), n) * 2 + T.truncmod(w * 8 + bx, 2)
                at_1: T.int32 = T.truncmod(T.Div(w * 8 + bx, 2), n)
                if T.Div(T.Div(w * 8 + bx, 2), n) * 2 + T.truncmod(w * 8 + bx, 2) < 4:
                    A[at_1, at] = T.float16(0.0)
            for i, j in T.Persistent([4], 8, bx):
                B[0] = 2
        "#]],
    );
}

#[test]
fn a_condition_on_a_thread_by_its_call_is_one_of_the_kernel() {
    check(
        "        if T.get_thread_binding() < 32:
            B[0] = 1
        if T.get_block_binding(1) == 0 and T.get_thread_binding(0) == 0:
            B[1] = 2
        if 8 % 2 != 0:
            B[2] = 3
",
        expect![[r#"
            if tx < 32:
                B[0] = 1
            if by == 0 and tx == 0:
                B[1] = 2
        "#]],
    );
}

#[test]
fn a_macro_that_a_helper_makes_is_expanded_with_the_names_of_the_helper() {
    let text = format!(
        "{HEAD}
def make(n, fast=True):
    def plain(step, last=1):
        size = n // step

        @T.macro
        def body(X, Y):
            for i in T.serial(size):
                Y[i] = X[i] + last

        return body

    def other():
        from somewhere import group

        name = group(n)[\"name\"]
        assert name is not None, \"no name\"

        @T.macro
        def body(X, Y):
            T.call_extern(name, X[0], dtype=\"float32\")
            Y[0] = X[0]

        return body

    @T.prim_func
    def main(A: T.Tensor((n,), \"float32\"), B: T.Tensor((n,), \"float32\")):
        with T.Kernel(1, threads=32) as bx:
            if fast:
                plain(4, last=2)(A, B)
            else:
                other()(A, B)

    return main

make(16)
make(16, fast=False)
"
    );
    expect![[r##"
        # make(n=16, fast=True)
        @T.prim_func
        def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
            for bx in T.thread_binding(1, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
                    for i in range(4):
                        B[i] = A[i] + T.float32(2.0)
    "##]]
    .assert_eq(&instance_of(&text, 0, "main"));
    expect![[r##"
        # make(n=16, fast=False)
        @T.prim_func
        def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
            for bx in T.thread_binding(1, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
                    T.call_extern("float32", other().name, A[0])
                    B[0] = A[0]
    "##]]
    .assert_eq(&instance_of(&text, 1, "main"));
}

#[test]
fn a_name_that_arms_of_an_if_bind_has_the_value_of_the_arm_that_is_taken() {
    let text = format!(
        "{HEAD}
def make(heads):
    if heads > 64:
        assert heads % 64 == 0
        blocks, rows = heads // 64, 64
    elif heads == 3:
        blocks, rows = 1, 3
    else:
        blocks = 2
        rows = heads

    @T.prim_func
    def main(A: T.Tensor((rows,), \"float32\")):
        with T.Kernel(blocks, threads=32) as bx:
            A[bx] = 1.0

    return main

make(128)
make(3)
make(8)
"
    );
    let heads: Vec<String> = (0..3)
        .map(|number| {
            let text = instance_of(&text, number, "main");
            let lines = text.lines().filter(|it| it.contains("def ") || it.contains("for "));
            lines.map(|it| format!("{it}\n")).collect()
        })
        .collect();
    expect![[r#"
        def main(A: T.Buffer((64,), "float32")):
            for bx in T.thread_binding(2, thread="blockIdx.x"):
        def main(A: T.Buffer((3,), "float32")):
            for bx in T.thread_binding(1, thread="blockIdx.x"):
        def main(A: T.Buffer((8,), "float32")):
            for bx in T.thread_binding(2, thread="blockIdx.x"):
    "#]]
    .assert_eq(&heads.concat());
}

#[test]
fn a_name_that_is_bound_once_more_than_in_the_arms_of_one_if_has_its_last_value() {
    for (extra, rows) in [
        ("rows = 7", "7"),
        ("for rows in range(2):\n        pass", "1"),
        ("if heads:\n        rows += 1", "65"),
        ("if unknown:\n        rows += 1", "rows"),
        ("(rows := 7)", "rows"),
    ] {
        let text = format!(
            "{HEAD}
def make(heads):
    if heads > 64:
        rows = 64
    else:
        rows = heads
    {extra}

    @T.prim_func
    def main(A: T.Tensor((rows,), \"float32\")):
        with T.Kernel(1, threads=32) as bx:
            A[bx] = 1.0

    return main

make(128)
"
        );
        let shape = format!("T.Buffer(({rows},)");
        assert!(instance_of(&text, 0, "main").contains(&shape), "{extra}");
    }
}

#[test]
fn a_dictionary_of_types_is_asked_by_names_of_types() {
    let text = format!(
        "{HEAD}
@tilelang.jit
def kernel(A, dtype):
    size = {{T.float32: 4, T.float16: 2}}[dtype]
    A: T.Tensor((64,), dtype)
    with T.Kernel(1, threads=size) as bx:
        A[bx] = {{\"float32\": 3, \"float16\": 5}}[dtype]

kernel(None, T.float16)
kernel(None, \"float32\")
"
    );
    let heads: Vec<String> = (0..2)
        .map(|number| {
            let text = instance_of(&text, number, "kernel");
            let lines =
                text.lines().filter(|it| it.contains("launch_threads") || it.contains("A["));
            lines.map(|it| format!("{}\n", it.trim())).collect()
        })
        .collect();
    expect![[r#"
        T.sblock_attr({"tl.launch_threads": [2, 1, 1]})
        A[bx] = T.float16(5.0)
        T.sblock_attr({"tl.launch_threads": [4, 1, 1]})
        A[bx] = T.float32(3.0)
    "#]]
    .assert_eq(&heads.concat());
}

#[test]
fn functions_of_tilelang_on_numbers_are_worked_out_before_there_is_a_kernel() {
    let text = format!(
        "{HEAD}
def make(n, block=64):
    wide = T.ceildiv(n, block)
    least = T.min(n, block)
    whole = tilelang.next_power_of_2(n) + tilelang.cdiv(n, 64)

    @T.prim_func
    def main(A: T.Tensor((wide, least, whole), \"float32\")):
        with T.Kernel(wide, threads=32) as bx:
            A[bx, 0, T.cdiv(n, 3)] = 1.0

    return main

make(100)
"
    );
    expect![[r##"
        # make(n=100, block=64)
        @T.prim_func
        def main(A: T.Buffer((2, 64, 130), "float32")):
            for bx in T.thread_binding(2, thread="blockIdx.x"):
                tx: T.int32 = T.launch_thread_idx(0)
                ty: T.int32 = T.launch_thread_idx(1)
                tz: T.int32 = T.launch_thread_idx(2)
                with T.sblock("tilelang_root"):
                    T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
                    A[bx, 0, 34] = T.float32(1.0)
    "##]]
    .assert_eq(&instance_of(&text, 0, "main"));
}

#[test]
fn an_argument_whose_value_is_none_is_left_out() {
    let text = "\
import tilelang
import tilelang.language as T

def make(n, lanes=None):
    @T.prim_func
    def f(A: T.Tensor((n,), T.int32)):
        with T.Kernel(1, threads=n) as _:
            tx = T.get_thread_binding()
            A[tx] = T.get_lane_idx(lanes)
    return f

make(32, None)
";
    let printed = instance(text, 0);
    assert!(printed.contains("A[tx] = T.get_lane_idx()"), "{printed}");
}
