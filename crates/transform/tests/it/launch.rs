//! Values that the host computes for kernels: the logarithm in every kernel of a GPU sort.

use expect_test::{Expect, expect};
use transform::cse::CseOptions;

use crate::support::planned;

/// The host asks how many rounds there are, each kernel too.
const SORT: &str = "from tvm.script import tirx as T

@T.prim_func
def sort(A: T.Buffer((1024,), \"float32\"), B: T.Buffer((2,), \"float32\"), N: T.int32):
    B[0] = T.ceil(T.log2(T.cast(N, \"float32\")))
    with T.launch_thread(\"blockIdx.x\", 16) as bx:
        with T.launch_thread(\"threadIdx.x\", 64) as tx:
            if T.cast(tx, \"float32\") < T.ceil(T.log2(T.cast(N, \"float32\"))):
                A[bx * 64 + tx] = T.float32(0)
    with T.launch_thread(\"blockIdx.x\", 16) as bx:
        A[bx] = T.ceil(T.log2(T.cast(N, \"float32\"))) + T.cast(N, \"float32\")
";

#[track_caller]
fn check(share_intrinsics_across_launch: bool, expected: Expect) {
    let options = CseOptions { share_intrinsics_across_launch, ..CseOptions::default() };
    expected.assert_eq(&planned(SORT, &options));
}

#[test]
fn a_float_intrinsic_stays_on_its_side_of_a_launch_unless_asked() {
    check(
        false,
        expect![[r#"
        cse_v1: T.let[T.float32] = T.Cast("float32", N)
        B[0] = T.ceil(T.log2(cse_v1))
        with T.launch_thread("blockIdx.x", 16) as bx:
            tx = T.launch_thread("threadIdx.x", 64)
            if T.Cast("float32", tx) < T.ceil(T.log2(cse_v1)):
                A[bx * 64 + tx] = T.float32(0.0)
        with T.launch_thread("blockIdx.x", 16) as bx:
            A[bx] = T.ceil(T.log2(cse_v1)) + cse_v1
        ---
        T.ceil(T.log2(T.Cast("float32", N))): 3 times, cost 18, launch-bound
        T.log2(T.Cast("float32", N)): 3 times, cost 17, launch-bound
        T.Cast("float32", N): 4 times, cost 1, bind cse_v1
    "#]],
    );
    check(
        true,
        expect![[r#"
        cse_v1: T.let[T.float32] = T.Cast("float32", N)
        cse_v2: T.let[T.float32] = T.ceil(T.log2(cse_v1))
        B[0] = cse_v2
        with T.launch_thread("blockIdx.x", 16) as bx:
            tx = T.launch_thread("threadIdx.x", 64)
            if T.Cast("float32", tx) < cse_v2:
                A[bx * 64 + tx] = T.float32(0.0)
        with T.launch_thread("blockIdx.x", 16) as bx:
            A[bx] = cse_v2 + cse_v1
        ---
        T.ceil(T.log2(T.Cast("float32", N))): 3 times, cost 18, bind cse_v2
        T.log2(T.Cast("float32", N)): 3 times, cost 17, covered by [cse_v2]
        T.Cast("float32", N): 4 times, cost 1, bind cse_v1
    "#]],
    );
}

#[test]
fn a_named_thread_index_is_known_in_its_launches_only() {
    let text = "from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((128,), \"float32\"), B: T.Buffer((128,), \"float32\"), n: T.int32):
    T.func_attr({\"tirx.noalias\": True})
    tx = T.env_thread(\"threadIdx.x\")
    with T.launch_thread(tx, 32):
        B[(n * 3 + tx) * 2] = A[n * 3 + tx]
    with T.launch_thread(tx, 32):
        B[(n * 3 + tx) * 2 + 1] = A[n * 3 + tx]
    for i in range(4):
        with T.launch_thread(tx, 32):
            B[i + (tx + 7) // 3] = A[i + (tx + 7) // 3]
";
    let expected = expect![[r#"
        T.func_attr({"tirx.noalias": True})
        tx = T.env_thread("threadIdx.x")
        with T.launch_thread(tx, 32):
            cse_v1: T.let[T.int32] = n * 3 + tx
            B[cse_v1 * 2] = A[cse_v1]
        with T.launch_thread(tx, 32):
            cse_v2: T.let[T.int32] = n * 3 + tx
            B[cse_v2 * 2 + 1] = A[cse_v2]
        for i in range(4):
            T.launch_thread(tx, 32)
            cse_v3: T.let[T.int32] = i + (tx + 7) // 3
            B[cse_v3] = A[cse_v3]
        ---
        A[n * 3 + tx]: 2 times, cost 6, launch-bound
        n * 3 + tx: 2 times, cost 2, bind cse_v1
        n * 3: 4 times, cost 1, launch-bound
        (n * 3 + tx) * 2: 2 times, cost 3, launch-bound
        n * 3 + tx: 2 times, cost 2, bind cse_v2
        i + (tx + 7) // 3: 2 times, cost 6, bind cse_v3
        (tx + 7) // 3: 2 times, cost 5, covered by [cse_v3]
        tx + 7: 2 times, cost 1, covered by [cse_v3]
    "#]];
    expected.assert_eq(&planned(text, &CseOptions::default()));
    // TVM puts both above the launches.
    let options = CseOptions { preset: ir::plan::Preset::Tvm, ..CseOptions::default() };
    let refused = expect![[r#"
        T.func_attr({"tirx.noalias": True})
        tx = T.env_thread("threadIdx.x")
        with T.launch_thread(tx, 32):
            B[(n * 3 + tx) * 2] = A[n * 3 + tx]
        with T.launch_thread(tx, 32):
            B[(n * 3 + tx) * 2 + 1] = A[n * 3 + tx]
        for i in range(4):
            T.launch_thread(tx, 32)
            cse_v3: T.let[T.int32] = i + (tx + 7) // 3
            B[cse_v3] = A[cse_v3]
        ---
        n * 3 + tx: 4 times, cost 2, no-binding-site
        n * 3: 4 times, cost 1, covered by []
        (n * 3 + tx) * 2: 2 times, cost 3, no-binding-site
        i + (tx + 7) // 3: 2 times, cost 6, bind cse_v3
        (tx + 7) // 3: 2 times, cost 5, covered by [cse_v3]
        tx + 7: 2 times, cost 1, covered by [cse_v3]
    "#]];
    refused.assert_eq(&planned(text, &options));
}
