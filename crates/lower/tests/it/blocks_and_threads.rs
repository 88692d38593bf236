//! Lowering of blocks and loops over threads, pass by pass.

use expect_test::{Expect, expect};
use lower::{LowerOptions, lower_until};

use crate::support::read;

/// The statements of a function after a pass, or why it has none.
#[track_caller]
fn check(pass: &str, signature: &str, statements: &str, expected: Expect) {
    let mut text = format!(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef f({signature}):\n"
    );
    for line in test_utils::trim_indent(statements).lines() {
        text.push_str(if line.is_empty() { "" } else { "    " });
        text.push_str(line);
        text.push('\n');
    }
    let it = &read(&text)[0];
    assert!(it.diagnostics.is_empty(), "{:?}", it.diagnostics);
    let result = match lower_until(&it.body, &LowerOptions::default(), pass) {
        Ok(body) => {
            let text = ir::print::tvmscript(&body, 0);
            let lines = text.lines().skip_while(|it| !it.starts_with("def ")).skip(1);
            lines.map(|it| format!("{}\n", it.strip_prefix("    ").unwrap_or(it))).collect()
        }
        Err(refusal) => format!("{}: {}\n", refusal.reason, refusal.detail),
    };
    expected.assert_eq(&result);
}

const SUM: &str = r#"
    S = T.sblock_alloc_buffer((1,), scope="shared")
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for k in range(4):
                with T.sblock("sum"):
                    r = T.axis.reduce(100, k * 32 + t)
                    T.where(k * 32 + t < 100)
                    with T.init():
                        S[0] = T.float32(START)
                    S[0] = S[0] + A[r]
        for t in T.thread_binding(16, thread="threadIdx.x"):
            with T.sblock("scale"):
                v = T.axis.spatial(32, b * 16 + t)
                B[v] = S[0] * A[v]
"#;

const BUFFERS: &str = "A: T.Buffer((100,), \"float32\"), B: T.Buffer((32,), \"float32\")";

#[test]
fn threads_reduce_their_parts_and_then_together() {
    check(
        "thread_bindings",
        BUFFERS,
        &SUM.replace("START", "0"),
        expect![[r#"
        blockIdx_x = T.launch_thread("blockIdx.x", 2)
        S = T.alloc_shared((1,))
        with T.launch_thread("threadIdx.x", 32) as threadIdx_x:
            in_thread = T.alloc_local((1,))
            cross_thread = T.alloc_local((1,))
            in_thread[0] = T.float32(0.0)
            for k in range(4):
                if k * 32 + threadIdx_x < 100:
                    in_thread[0] = in_thread[0] + A[k * 32 + threadIdx_x]
            with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [T.float32(0.0)]), "reduce_scope", 0):
                T.tvm_thread_allreduce(T.uint32(1), in_thread[0], T.bool(True), cross_thread[0], threadIdx_x)
            if threadIdx_x == 0:
                S[0] = cross_thread[0]
            if threadIdx_x < 16:
                B[blockIdx_x * 16 + threadIdx_x] = S[0] * A[blockIdx_x * 16 + threadIdx_x]
    "#]],
    );
}

#[test]
fn a_sum_that_does_not_start_with_zero_is_not_reduced_by_threads() {
    check(
        "cross_thread_reduction",
        BUFFERS,
        &SUM.replace("START", "1"),
        expect![[r#"
        cross-thread-reduction: a reduction over threads starts with a value that is not neutral
    "#]],
    );
}

#[test]
fn a_reduction_that_may_begin_without_its_first_element_is_refused() {
    let late = SUM.replace("START", "0").replace("T.where(", "T.where(2 < t and ");
    check(
        "cross_thread_reduction",
        BUFFERS,
        &late,
        expect![[r#"
        cross-thread-reduction: a reduction over threads has a predicate that may leave out its beginning
    "#]],
    );
}

#[test]
fn an_extremum_and_its_index_are_reduced_together() {
    check(
        "init_blocks",
        "A: T.Buffer((64,), \"float32\"), I: T.Buffer((1,), \"int32\"), V: T.Buffer((1,), \"float32\")",
        r#"
        for t in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("argmax"):
                r = T.axis.reduce(64, t)
                with T.init():
                    I[0] = -1
                    V[0] = T.float32(-1e30)
                i: T.let[T.int32] = T.Select(V[0] > A[r] or V[0] == A[r] and I[0] < r, I[0], r)
                v: T.let[T.float32] = T.Select(V[0] > A[r], V[0], A[r])
                I[0] = i
                V[0] = v
        "#,
        expect![[r#"
            for t in T.thread_binding(64, thread="threadIdx.x"):
                in_thread = T.alloc_local((1,), "int32")
                in_thread_1 = T.alloc_local((1,))
                cross_thread = T.alloc_local((1,), "int32")
                cross_thread_1 = T.alloc_local((1,))
                in_thread[0] = -1
                in_thread_1[0] = T.float32(-1e30)
                with T.sblock("argmax"):
                    r = T.axis.reduce(64, t)
                    i: T.let[T.int32] = T.Select(in_thread_1[0] > A[r] or in_thread_1[0] == A[r] and in_thread[0] < r, in_thread[0], r)
                    v: T.let[T.float32] = T.Select(in_thread_1[0] > A[r], in_thread_1[0], A[r])
                    in_thread[0] = i
                    in_thread_1[0] = v
                with T.attr(T.comm_reducer(lambda x0, x1, y0, y1: (T.Select(x1 > y1 or x1 == y1 and x0 < y0, x0, y0), T.Select(x1 > y1, x1, y1)), [-1, T.float32(-1e30)]), "reduce_scope", 0):
                    T.tvm_thread_allreduce(T.uint32(2), in_thread[0], in_thread_1[0], T.bool(True), cross_thread[0], cross_thread_1[0], t)
                if t == 0:
                    I_1[0] = cross_thread[0]
                if t == 0:
                    V[0] = cross_thread_1[0]
        "#]],
    );
}

#[test]
fn the_first_of_equal_elements_in_order_is_no_reduction_of_threads() {
    check(
        "cross_thread_reduction",
        "A: T.Buffer((64,), \"float32\"), I: T.Buffer((1,), \"int32\"), V: T.Buffer((1,), \"float32\")",
        r#"
        for t in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock("argmax"):
                r = T.axis.reduce(64, t)
                with T.init():
                    I[0] = -1
                    V[0] = T.float32(-1e30)
                i: T.let[T.int32] = T.Select(V[0] >= A[r], I[0], r)
                v: T.let[T.float32] = T.Select(V[0] >= A[r], V[0], A[r])
                I[0] = i
                V[0] = v
        "#,
        expect![[r#"
            cross-thread-reduction: a reduction over threads combines values in a way that is not known to be free of order
        "#]],
    );
}

#[test]
fn an_accumulation_over_threads_without_initialisation_is_refused() {
    check(
        "cross_thread_reduction",
        BUFFERS,
        r#"
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.sblock("sum"):
                r = T.axis.reduce(32, t)
                B[0] = B[0] + A[r]
        "#,
        expect![[r#"
            cross-thread-reduction: a reduction over threads has no initialisation of its own
        "#]],
    );
}

const NORM_BUFFERS: &str = "A: T.Buffer((128,), \"float32\"), B: T.Buffer((64,), \"float32\")";

/// Squares are kept by each thread and summed up by all of them, as in a root mean square.
const NORM: &str = r#"
        S = T.sblock_alloc_buffer((1,), scope="shared")
        P = T.sblock_alloc_buffer((128,), scope="local")
        for b in T.thread_binding(1, thread="blockIdx.x"):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                for j in range(4):
                    with T.sblock("square"):
                        v = T.axis.spatial(128, t * 4 + j)
                        P[v] = A[v] * A[v]
                for k in range(4):
                    with T.sblock("sum"):
                        r = T.axis.reduce(128, t * 4 + k)
                        with T.init():
                            S[0] = T.float32(0)
                        S[0] = S[0] + P[r]
                BEHIND
            for t in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("scale"):
                    B[t] = A[t] * S[0]
        "#;

#[test]
fn statements_beside_a_reduction_stay_around_it() {
    let text =
        NORM.replace("BEHIND", "with T.sblock(\"last\"):\n                    B[t + 32] = A[t]");
    check(
        "thread_bindings",
        NORM_BUFFERS,
        &text,
        expect![[r#"
        blockIdx_x = T.launch_thread("blockIdx.x", 1)
        S = T.alloc_shared((1,))
        with T.launch_thread("threadIdx.x", 32) as threadIdx_x:
            P = T.alloc_local((128,))
            for j in range(4):
                P[threadIdx_x * 4 + j] = A[threadIdx_x * 4 + j] * A[threadIdx_x * 4 + j]
            in_thread = T.alloc_local((1,))
            cross_thread = T.alloc_local((1,))
            in_thread[0] = T.float32(0.0)
            for k in range(4):
                in_thread[0] = in_thread[0] + P[threadIdx_x * 4 + k]
            with T.attr(T.comm_reducer(lambda x0, y0: x0 + y0, [T.float32(0.0)]), "reduce_scope", 0):
                T.tvm_thread_allreduce(T.uint32(1), in_thread[0], T.bool(True), cross_thread[0], threadIdx_x)
            if threadIdx_x == 0:
                S[0] = cross_thread[0]
            B[threadIdx_x + 32] = A[threadIdx_x]
            B[threadIdx_x] = A[threadIdx_x] * S[0]
    "#]],
    );
}

#[test]
fn a_statement_beside_a_reduction_that_reads_its_result_is_refused() {
    let text =
        NORM.replace("BEHIND", "with T.sblock(\"last\"):\n                    B[t + 32] = S[0]");
    check(
        "cross_thread_reduction",
        NORM_BUFFERS,
        &text,
        expect![[r#"
        cross-thread-reduction: a reduction over threads shares its loops with a statement that names its result
    "#]],
    );
}

#[test]
fn a_thread_that_adds_up_in_its_own_memory_is_no_reduction_over_threads() {
    check(
        "thread_bindings",
        NORM_BUFFERS,
        r#"
        P = T.sblock_alloc_buffer((1,), scope="local")
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.sblock("start"):
                P[0] = T.float32(0)
            for k in range(4):
                with T.sblock("sum"):
                    r = T.axis.reduce(128, t * 4 + k)
                    P[0] = P[0] + A[r]
            with T.sblock("end"):
                B[t] = P[0]
        "#,
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 32)
            P = T.alloc_local((1,))
            P[0] = T.float32(0.0)
            for k in range(4):
                P[0] = P[0] + A[threadIdx_x * 4 + k]
            B[threadIdx_x] = P[0]
        "#]],
    );
}

#[test]
fn blocks_are_opened_and_their_first_iteration_is_asked_for() {
    check(
        "block_iters",
        BUFFERS,
        r#"
        for i, k in T.grid(4, 25):
            with T.sblock("sum"):
                v, r = T.axis.remap("SR", [i, k])
                T.where(i * 25 + k < 90)
                with T.init():
                    B[v] = T.float32(0)
                B[v] = B[v] + A[v * 25 + r]
        "#,
        expect![[r#"
            for i, k in T.grid(4, 25):
                if i * 25 + k < 90:
                    if k == 0:
                        B[i] = T.float32(0.0)
                    B[i] = B[i] + A[i * 25 + k]
        "#]],
    );
}

#[test]
fn a_variable_that_is_read_from_memory_is_bound_once() {
    check(
        "block_iters",
        "A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")",
        r#"
        for i in range(8):
            with T.sblock("swap"):
                v = T.axis.spatial(8, A[i])
                A[v] = v + 1
                B[v] = v
        "#,
        expect![[r#"
            for i in range(8):
                v: T.let[T.int32] = A[i]
                A[v] = v + 1
                B[v] = v
        "#]],
    );
}

#[test]
fn a_part_of_a_buffer_is_the_buffer() {
    check(
        "match_buffers",
        "A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((16,), \"float32\")",
        r#"
        for i, j in T.grid(4, 4):
            with T.sblock("part"):
                v, w = T.axis.remap("SS", [i, j])
                P = T.match_buffer(A[v * 4:v * 4 + 4, w * 4:w * 4 + 4], (4, 4), strides=[T.int32(), 1], offset_factor=1)
                P[1, 2] = B[w] + P[0, 0]
        "#,
        expect![[r#"
            for i, j in T.grid(4, 4):
                A[i * 4 + 1, j * 4 + 2] = B[j] + A[T.Add(i * 4, 0), T.Add(j * 4, 0)]
        "#]],
    );
}

/// A tile of shared memory is filled, and each warp loads the fragments of it that it needs.
const FRAGMENTS: &str = r#"
        S = T.sblock_alloc_buffer((64, 64), "float16", scope="shared")
        F = T.sblock_alloc_buffer((64, 64), "float16", scope="wmma.matrix_a")
        for b in T.thread_binding(2, thread="blockIdx.x"):
            for w in T.thread_binding(2, thread="threadIdx.y"):
                for t in T.thread_binding(32, thread="threadIdx.x"):
                    for i in range(16):
                        with T.sblock("fill"):
                            v = T.axis.spatial(64, b * 32 + w * 16 + i)
                            u = T.axis.spatial(64, t)
                            T.reads(X[v, u])
                            T.writes(S[v, u])
                            T.sblock_attr({"buffer_dim_align": [[0, 0, 16, 8]]})
                            S[v, u] = X[v, u]
                    for k in range(2):
                        with T.sblock("load"):
                            v = T.axis.spatial(4, b * 2 + w)
                            u = T.axis.spatial(4, k)
                            A = T.match_buffer(S[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("A_s0", "A_s1"), scope="shared", offset_factor=16)
                            C = T.match_buffer(F[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("C_s0", "C_s1"), scope="wmma.matrix_a", offset_factor=16)
                            T.tvm_load_matrix_sync(C.data, 16, 16, 16, C.elem_offset // C.strides[0] // 16 * (C.strides[0] // 16) + C.elem_offset % C.strides[0] // 16, T.tvm_access_ptr(T.type_annotation("float16"), A.data, A.elem_offset, A.strides[0] * 16, 1), A.strides[0], "row_major")
                            T.evaluate(T.address_of(A[1, 2]))
"#;

#[test]
fn a_part_that_is_used_by_its_pointer_stays_until_memory_has_its_extents() {
    let params = "X: T.Buffer((64, 64), \"float16\")";
    check(
        "match_buffers",
        params,
        FRAGMENTS,
        expect![[r#"
        A_s0 = T.int32()
        A_s1 = T.int32()
        C_s0 = T.int32()
        C_s1 = T.int32()
        S = T.alloc_shared((64, 64), "float16", buffer_dim_align=[[0, 16, 8]])
        F = T.alloc_buffer((64, 64), "float16", scope="wmma.matrix_a")
        for b in T.thread_binding(2, thread="blockIdx.x"):
            for w in T.thread_binding(2, thread="threadIdx.y"):
                for t in T.thread_binding(32, thread="threadIdx.x"):
                    for i in range(16):
                        S[b * 32 + w * 16 + i, t] = X[b * 32 + w * 16 + i, t]
                    for k in range(2):
                        A = T.match_buffer(S[(b * 2 + w) * 16:(b * 2 + w) * 16 + 16, k * 16:k * 16 + 16], (16, 16), "float16", strides=(A_s0, A_s1), scope="shared", offset_factor=16)
                        C = T.match_buffer(F[(b * 2 + w) * 16:(b * 2 + w) * 16 + 16, k * 16:k * 16 + 16], (16, 16), "float16", strides=(C_s0, C_s1), scope="wmma.matrix_a", offset_factor=16)
                        T.tvm_load_matrix_sync(C.data, 16, 16, 16, C.elem_offset // C.strides[0] // 16 * (C.strides[0] // 16) + C.elem_offset % C.strides[0] // 16, T.tvm_access_ptr(T.type_annotation("float16"), A.data, A.elem_offset, A.strides[0] * 16, 1), A.strides[0], "row_major")
                        T.address_of(S[(b * 2 + w) * 16 + 1, k * 16 + 2])
    "#]],
    );
    check(
        "compact_buffers",
        params,
        FRAGMENTS,
        expect![[r#"
        A_s0 = T.int32()
        A_s1 = T.int32()
        C_s0 = T.int32()
        C_s1 = T.int32()
        blockIdx_x = T.launch_thread("blockIdx.x", 2)
        S = T.alloc_shared((32, 40), "float16")
        with T.launch_thread("threadIdx.x", 32) as threadIdx_x:
            threadIdx_y = T.launch_thread("threadIdx.y", 2)
            for i in range(16):
                S[threadIdx_y * 16 + i, threadIdx_x] = X[blockIdx_x * 32 + threadIdx_y * 16 + i, threadIdx_x]
            for k in range(2):
                F = T.alloc_buffer((16, 16), "float16", scope="wmma.matrix_a")
                A = T.match_buffer(S[threadIdx_y * 16:threadIdx_y * 16 + 16, k * 16:k * 16 + 16], (16, 16), "float16", strides=(A_s0, A_s1), scope="shared", offset_factor=16)
                C = T.match_buffer(F[0:16, 0:16], (16, 16), "float16", strides=(C_s0, C_s1), scope="wmma.matrix_a", offset_factor=16)
                T.tvm_load_matrix_sync(C.data, 16, 16, 16, C.elem_offset // C.strides[0] // 16 * (C.strides[0] // 16) + C.elem_offset % C.strides[0] // 16, T.tvm_access_ptr(T.type_annotation("float16"), A.data, A.elem_offset, A.strides[0] * 16, 1), A.strides[0], "row_major")
                T.address_of(S[threadIdx_y * 16 + 1, k * 16 + 2])
    "#]],
    );
    check(
        "part_layouts",
        params,
        FRAGMENTS,
        expect![[r#"
            A_s0 = T.int32()
            A_s1 = T.int32()
            C_s0 = T.int32()
            C_s1 = T.int32()
            blockIdx_x = T.launch_thread("blockIdx.x", 2)
            S = T.alloc_shared((32, 40), "float16")
            with T.launch_thread("threadIdx.x", 32) as threadIdx_x:
                threadIdx_y = T.launch_thread("threadIdx.y", 2)
                for i in range(16):
                    S[threadIdx_y * 16 + i, threadIdx_x] = X[blockIdx_x * 32 + threadIdx_y * 16 + i, threadIdx_x]
                for k in range(2):
                    F = T.alloc_buffer((16, 16), "float16", scope="wmma.matrix_a")
                    T.tvm_load_matrix_sync(F.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), S.data, threadIdx_y * 16 * 40 + k * 16, 640, 1), 40, "row_major")
                    T.address_of(S[threadIdx_y * 16 + 1, k * 16 + 2])
        "#]],
    );
    check(
        "flatten_buffers",
        params,
        FRAGMENTS,
        expect![[r#"
            A_s0 = T.int32()
            A_s1 = T.int32()
            C_s0 = T.int32()
            C_s1 = T.int32()
            X_1 = X.view(4096)
            with T.launch_thread("blockIdx.x", 2) as blockIdx_x:
                S = T.alloc_shared((1280,), "float16")
                with T.launch_thread("threadIdx.x", 32) as threadIdx_x:
                    threadIdx_y = T.launch_thread("threadIdx.y", 2)
                    for i in range(16):
                        S[(threadIdx_y * 16 + i) * 40 + threadIdx_x] = X_1[(blockIdx_x * 32 + threadIdx_y * 16 + i) * 64 + threadIdx_x]
                    for k in range(2):
                        F = T.alloc_buffer((16, 16), "float16", scope="wmma.matrix_a")
                        T.tvm_load_matrix_sync(F.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), S.data, threadIdx_y * 16 * 40 + k * 16, 640, 1), 40, "row_major")
                        T.address_of(S[(threadIdx_y * 16 + 1) * 40 + (k * 16 + 2)])
        "#]],
    );
}

#[test]
fn indices_of_a_part_may_have_types_of_their_own() {
    check(
        "match_buffers",
        "A: T.Buffer((16, 16), \"float32\"), n: T.uint32, m: T.int64",
        r#"
        for i, j in T.grid(4, 4):
            with T.sblock("part"):
                v, w = T.axis.remap("SS", [i, j])
                P = T.match_buffer(A[v * 4:v * 4 + 4, w * 4:w * 4 + 4], (4, 4), offset_factor=1)
                P[n, m] = T.float32(0)
        "#,
        expect![[r#"
            for i, j in T.grid(4, 4):
                A[i * 4 + T.Cast("int32", n), T.Cast("int64", j * 4) + m] = T.float32(0.0)
        "#]],
    );
}

#[test]
fn vectors_of_a_part_are_vectors_of_the_buffer() {
    check(
        "match_buffers",
        "A: T.Buffer((16, 64), \"int8\"), B: T.Buffer((16,), \"int8x4\")",
        r#"
        for i, j in T.grid(4, 4):
            with T.sblock("part"):
                v, w = T.axis.remap("SS", [i, j])
                P = T.match_buffer(A[v, w * 4:w * 4 + 4], (4,), "int8", offset_factor=1)
                B[w] = P[0:4]
                P[0:4] = B[w]
        "#,
        expect![[r#"
            for i, j in T.grid(4, 4):
                B[j] = A[i, T.Broadcast(j * 4, 4) + T.Ramp(0, 1, 4)]
                A[i, T.Broadcast(j * 4, 4) + T.Ramp(0, 1, 4)] = B[j]
        "#]],
    );
}

#[test]
fn fewer_threads_are_guarded_and_statements_outside_are_done_once() {
    check(
        "thread_bindings",
        "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")",
        r#"
        S = T.sblock_alloc_buffer((64,), scope="shared")
        L = T.sblock_alloc_buffer((1,), scope="local")
        for b in T.thread_binding(2, thread="blockIdx.x"):
            L[0] = T.float32(1)
            S[32] = T.float32(2)
            for t in T.thread_binding(32, thread="threadIdx.x"):
                S[t] = A[b * 32 + t]
            for t in T.thread_binding(16, thread="threadIdx.x"):
                B[b * 32 + t] = S[32 - t] + L[0]
        "#,
        expect![[r#"
            blockIdx_x = T.launch_thread("blockIdx.x", 2)
            S = T.alloc_shared((64,))
            with T.launch_thread("threadIdx.x", 32) as threadIdx_x:
                L = T.alloc_local((1,))
                L[0] = T.float32(1.0)
                if threadIdx_x == 0:
                    S[32] = T.float32(2.0)
                S[threadIdx_x] = A[blockIdx_x * 32 + threadIdx_x]
                if threadIdx_x < 16:
                    B[blockIdx_x * 32 + threadIdx_x] = S[32 - threadIdx_x] + L[0]
        "#]],
    );
}

#[test]
fn a_loop_in_one_of_the_same_tag_may_not_depend_on_it() {
    check(
        "thread_bindings",
        BUFFERS,
        r#"
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for u in T.thread_binding(32, thread="threadIdx.x"):
                B[u] = A[t]
        "#,
        expect![[r#"
            thread-rebound: a loop over threads depends on one of the same tag around it
        "#]],
    );
}

#[test]
fn threads_do_not_talk_through_global_memory() {
    check(
        "thread_bindings",
        "A: T.Buffer((32,), \"float32\"), B: T.Buffer((32,), \"float32\")",
        r#"
        for b in T.thread_binding(1, thread="blockIdx.x"):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                A[t] = B[t]
            for t in T.thread_binding(32, thread="threadIdx.x"):
                B[t] = A[31 - t]
        "#,
        expect![[r#"
            global-exchange: threads of one kernel write and read `A` at different places
        "#]],
    );
}

/// Each of four steps needs `WIDTH` elements, 16 further than the one before.
const STEPS: &str = r#"
    S = T.sblock_alloc_buffer((96,), scope="shared")
    L = T.sblock_alloc_buffer((64,), scope="local")
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for k in range(4):
                for u in T.thread_binding(32, thread="threadIdx.x"):
                    with T.sblock("copy"):
                        v = T.axis.spatial(96, k * 16 + u)
                        T.where(u < WIDTH)
                        S[v] = A[v]
                for j in range(2):
                    L[t * 2 + j] = S[k * 16 + j] + S[k * 16 + WIDTH - 1]
                    B[k, b * 64 + t * 2 + j] = L[t * 2 + j]
"#;

const STEP_BUFFERS: &str = "A: T.Buffer((96,), \"float32\"), B: T.Buffer((4, 128), \"float32\")";

#[test]
fn memory_is_what_one_iteration_needs() {
    check(
        "compact_buffers",
        STEP_BUFFERS,
        &STEPS.replace("WIDTH", "16"),
        expect![[r#"
        blockIdx_x = T.launch_thread("blockIdx.x", 2)
        threadIdx_x = T.launch_thread("threadIdx.x", 32)
        L = T.alloc_local((2,))
        for k in range(4):
            S = T.alloc_shared((16,))
            if threadIdx_x < 16:
                S[threadIdx_x] = A[k * 16 + threadIdx_x]
            for j in range(2):
                L[j] = S[j] + S[15]
                B[k, blockIdx_x * 64 + threadIdx_x * 2 + j] = L[j]
    "#]],
    );
}

#[test]
fn memory_that_iterations_share_stays_outside_of_their_loop() {
    check(
        "compact_buffers",
        STEP_BUFFERS,
        &STEPS.replace("WIDTH", "18"),
        expect![[r#"
        blockIdx_x = T.launch_thread("blockIdx.x", 2)
        S = T.alloc_shared((66,))
        with T.launch_thread("threadIdx.x", 32) as threadIdx_x:
            L = T.alloc_local((2,))
            for k in range(4):
                if threadIdx_x < 18:
                    S[k * 16 + threadIdx_x] = A[k * 16 + threadIdx_x]
                for j in range(2):
                    L[j] = S[k * 16 + j] + S[k * 16 + 17]
                    B[k, blockIdx_x * 64 + threadIdx_x * 2 + j] = L[j]
    "#]],
    );
}

#[test]
fn rows_are_padded_as_asked() {
    check(
        "compact_buffers",
        "A: T.Buffer((64, 64), \"float32\"), B: T.Buffer((64, 64), \"float32\")",
        r#"
        S = T.sblock_alloc_buffer((64, 64), scope="shared")
        for b in T.thread_binding(2, thread="blockIdx.x"):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                for j in range(16):
                    with T.sblock("copy"):
                        v = T.axis.spatial(64, b * 32 + t)
                        w = T.axis.spatial(64, j)
                        T.reads(A[v, w])
                        T.writes(S[v, w])
                        T.sblock_attr({"buffer_dim_align": [[0, 0, 32, 8]]})
                        S[v, w] = A[v, w]
                for j in range(16):
                    B[b * 32 + t, j] = S[b * 32 + 31 - t, j]
        "#,
        expect![[r#"
            blockIdx_x = T.launch_thread("blockIdx.x", 2)
            S = T.alloc_shared((32, 40))
            with T.launch_thread("threadIdx.x", 32) as threadIdx_x:
                for j in range(16):
                    S[threadIdx_x, j] = A[blockIdx_x * 32 + threadIdx_x, j]
                for j in range(16):
                    B[blockIdx_x * 32 + threadIdx_x, j] = S[31 - threadIdx_x, j]
        "#]],
    );
}

#[test]
fn where_a_result_lies_is_not_computed() {
    check(
        "compact_buffers",
        "A: T.Buffer((4, 8), \"float32\"), B: T.Buffer((4, 8), \"float32\"), n: T.int64",
        r#"
        S = T.sblock_alloc_buffer((2, n), scope="shared")
        for b in T.thread_binding(n * T.int64(2), thread="blockIdx.x"):
            for i in T.serial(1, annotations={"pragma_unroll_explicit": 1}):
                for t in T.thread_binding(8, thread="threadIdx.x"):
                    if t == 0:
                        S[b % (n * T.int64(2)) // n + i, b % n] = A[0, t]
            for t in T.thread_binding(8, thread="threadIdx.x"):
                B[1, t] = S[b % (n * T.int64(2)) // n, b % n]
        "#,
        expect![[r#"
            blockIdx_x = T.launch_thread("blockIdx.x", n * T.int64(2))
            S = T.alloc_shared((1, T.int64(1)))
            with T.launch_thread("threadIdx.x", 8) as threadIdx_x:
                with T.attr(0, "pragma_unroll_explicit", 1):
                    if threadIdx_x == 0:
                        S[T.int64(0), T.int64(0)] = A[0, threadIdx_x]
                B[1, threadIdx_x] = S[T.int64(0), T.int64(0)]
        "#]],
    );
}

#[test]
fn rounds_of_library_code_are_constants() {
    check(
        "whole_logarithms",
        "A: T.Buffer((64,), \"int32\"), n: T.float64",
        r#"
        A[0] = 2 << T.Cast("int32", T.ceil(T.log2(T.float64(512.0))))
        A[1] = T.Cast("int32", T.ceil(T.log2(T.float64(513.0))))
        A[2] = T.Cast("int32", T.ceil(T.log2(T.float64(0.3))))
        A[3] = T.Cast("int32", T.ceil(T.log2(n)))
        "#,
        expect![[r#"
            A[0] = T.shift_left(2, 9)
            A[1] = 10
            A[2] = T.Cast("int32", T.ceil(T.log2(T.float64(0.3))))
            A[3] = T.Cast("int32", T.ceil(T.log2(n)))
        "#]],
    );
}

const WARP: &str = r#"
    tx = T.launch_thread("threadIdx.x", THREADS)
    c = T.alloc_buffer((512,), "float32", scope="warp")
    for i in range(2):
        T.cuda.mma_fill_legacy(8, c.data, i * 256, dtype="float32")
        T.ptx_legacy.mma("m16n8k16", "row", "col", "fp16", "fp16", "fp32", A.data, 0, B.data, 0, c.data, OFFSET, T.bool(False), dtype="float32")
"#;

#[test]
fn memory_of_a_warp_is_memory_of_its_threads() {
    let check = |threads: &str, offset: &str, expected: Expect| {
        let text = WARP.replace("THREADS", threads).replace("OFFSET", offset);
        check(
            "warp_memory",
            "A: T.Buffer((64,), \"float16\"), B: T.Buffer((64,), \"float16\")",
            &text,
            expected,
        );
    };
    check(
        "32",
        "i * 256 + tx * 8 + 4",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 32)
            c = T.alloc_local((16,))
            for i in range(2):
                T.cuda.mma_fill_legacy(8, c.data, i * 8, dtype="float32")
                T.ptx_legacy.mma("m16n8k16", "row", "col", "fp16", "fp16", "fp32", A.data, 0, B.data, 0, c.data, i * 8 + 4, T.bool(False), dtype="float32")
        "#]],
    );
    check(
        "32",
        "i * 256 + (tx + 1) % 32 * 8",
        expect![[r#"
        warp-memory: memory of a warp is never used by a thread's own part
    "#]],
    );
    check(
        "32",
        "tx * 8 + i * 8",
        expect![[r#"
        warp-memory: memory of a warp is used at an offset that is not shown to be a thread's own
    "#]],
    );
    check(
        "32",
        "i * 256 + tx * 8 + 8",
        expect![[r#"
        warp-memory: memory of a warp is used at an offset that is not shown to be a thread's own
    "#]],
    );
    check(
        "64",
        "i * 256 + tx * 8",
        expect![[r#"
        warp-memory: memory of a warp in a block whose `threadIdx.x` has not 32 threads
    "#]],
    );
}
