//! Asynchronous stages: copies, and the waits for them.

use expect_test::{Expect, expect};
use lower::LowerOptions;

use super::{COPY, PARAMS, check_until, pipeline};

/// The statements that a device with asynchronous copies gets.
#[track_caller]
fn check_async(params: &str, statements_in: &str, expected: Expect) {
    let options = LowerOptions { has_async_copies: true, ..LowerOptions::default() };
    check_until(params, statements_in, "neutral_operands", &options, expected);
}

/// [`pipeline`] with asynchronous copies in these stages.
fn asynchronous(bounds: &str, lists: [&str; 3], statements: &str) -> String {
    let [stages, orders, asynchronous] = lists;
    let orders = format!("{orders}, \"software_pipeline_async_stages\": {asynchronous}");
    pipeline(bounds, stages, &orders, statements)
}

const PLAIN_COPY: &str = "
B = T.sblock_alloc_buffer((16,), scope=\"shared\")
with T.sblock():
    B[tx] = A[tx, i]
with T.sblock():
    C[tx, i] = B[15 - tx] + T.float32(1)
";

#[test]
fn asynchronous_stage_waits_for_its_copies() {
    check_async(
        PARAMS,
        &asynchronous("16", ["[0, 1]", "[0, 1]", "[0]"], PLAIN_COPY),
        expect![[r#"
        A_1 = A.view(256)
        C_1 = C.view(256)
        with T.launch_thread("threadIdx.x", 16) as threadIdx_x:
            B = T.alloc_shared((32,))
            T.s_tir.cp_async_raw("float32", B.data, threadIdx_x, A_1.data, threadIdx_x * 16, 4)
            T.ptx.cp.async_.commit_group()
            for i in range(15):
                T.s_tir.cp_async_raw("float32", B.data, (i + 1) % 2 * 16 + threadIdx_x, A_1.data, threadIdx_x * 16 + (i + 1), 4)
                T.ptx.cp.async_.commit_group()
                T.ptx.cp.async_.wait_group(1)
                C_1[threadIdx_x * 16 + i] = B[i % 2 * 16 + (15 - threadIdx_x)] + T.float32(1.0)
            T.ptx.cp.async_.wait_group(0)
            C_1[threadIdx_x * 16 + 15] = B[15 - threadIdx_x + 16] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn copies_of_several_iterations_are_under_way() {
    check_async(
        PARAMS,
        &asynchronous("16", ["[0, 3]", "[0, 1]", "[0]"], PLAIN_COPY),
        expect![[r#"
        A_1 = A.view(256)
        C_1 = C.view(256)
        with T.launch_thread("threadIdx.x", 16) as threadIdx_x:
            B = T.alloc_shared((64,))
            T.s_tir.cp_async_raw("float32", B.data, threadIdx_x, A_1.data, threadIdx_x * 16, 4)
            T.ptx.cp.async_.commit_group()
            T.s_tir.cp_async_raw("float32", B.data, threadIdx_x + 16, A_1.data, threadIdx_x * 16 + 1, 4)
            T.ptx.cp.async_.commit_group()
            T.s_tir.cp_async_raw("float32", B.data, threadIdx_x + 32, A_1.data, threadIdx_x * 16 + 2, 4)
            T.ptx.cp.async_.commit_group()
            for i in range(13):
                T.s_tir.cp_async_raw("float32", B.data, (i + 3) % 4 * 16 + threadIdx_x, A_1.data, threadIdx_x * 16 + (i + 3), 4)
                T.ptx.cp.async_.commit_group()
                T.ptx.cp.async_.wait_group(3)
                C_1[threadIdx_x * 16 + i] = B[i % 4 * 16 + (15 - threadIdx_x)] + T.float32(1.0)
            T.ptx.cp.async_.wait_group(2)
            C_1[threadIdx_x * 16 + 13] = B[15 - threadIdx_x + 16] + T.float32(1.0)
            T.ptx.cp.async_.wait_group(1)
            C_1[threadIdx_x * 16 + 14] = B[15 - threadIdx_x + 32] + T.float32(1.0)
            T.ptx.cp.async_.wait_group(0)
            C_1[threadIdx_x * 16 + 15] = B[15 - threadIdx_x + 48] + T.float32(1.0)
    "#]],
    );
    check_async(
        PARAMS,
        &asynchronous("2", ["[0, 3]", "[0, 1]", "[0]"], PLAIN_COPY),
        expect![[r#"
        A_1 = A.view(256)
        C_1 = C.view(256)
        with T.launch_thread("threadIdx.x", 16) as threadIdx_x:
            B = T.alloc_shared((64,))
            T.s_tir.cp_async_raw("float32", B.data, threadIdx_x, A_1.data, threadIdx_x * 16, 4)
            T.ptx.cp.async_.commit_group()
            T.s_tir.cp_async_raw("float32", B.data, threadIdx_x + 16, A_1.data, threadIdx_x * 16 + 1, 4)
            T.ptx.cp.async_.commit_group()
            T.ptx.cp.async_.commit_group()
            T.ptx.cp.async_.wait_group(2)
            C_1[threadIdx_x * 16] = B[15 - threadIdx_x] + T.float32(1.0)
            T.ptx.cp.async_.wait_group(1)
            C_1[threadIdx_x * 16 + 1] = B[15 - threadIdx_x + 16] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn groups_are_counted_by_time_where_the_extent_is_not_known() {
    check_async(
        "A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16, 16), \"float32\"), n: T.int32",
        &asynchronous("n", ["[0, 2]", "[0, 1]", "[0]"], PLAIN_COPY),
        expect![[r#"
            A_1 = A.view(256)
            C_1 = C.view(256)
            with T.launch_thread("threadIdx.x", 16) as threadIdx_x:
                B = T.alloc_shared((48,))
                if 0 < n:
                    T.s_tir.cp_async_raw("float32", B.data, threadIdx_x, A_1.data, threadIdx_x * 16, 4)
                T.ptx.cp.async_.commit_group()
                if 1 < n:
                    T.s_tir.cp_async_raw("float32", B.data, threadIdx_x + 16, A_1.data, threadIdx_x * 16 + 1, 4)
                T.ptx.cp.async_.commit_group()
                for i in range(T.max(n, 2) - 2):
                    T.s_tir.cp_async_raw("float32", B.data, (i + 2) % 3 * 16 + threadIdx_x, A_1.data, threadIdx_x * 16 + (i + 2), 4)
                    T.ptx.cp.async_.commit_group()
                    T.ptx.cp.async_.wait_group(2)
                    C_1[threadIdx_x * 16 + i] = B[i % 3 * 16 + (15 - threadIdx_x)] + T.float32(1.0)
                if 1 < n:
                    T.ptx.cp.async_.wait_group(1)
                    C_1[threadIdx_x * 16 + (n - 2)] = B[(n + 1) % 3 * 16 + (15 - threadIdx_x)] + T.float32(1.0)
                if 0 < n:
                    T.ptx.cp.async_.wait_group(0)
                    C_1[threadIdx_x * 16 + (n - 1)] = B[(n + 2) % 3 * 16 + (15 - threadIdx_x)] + T.float32(1.0)
        "#]],
    );
}

#[test]
fn copies_on_both_sides_of_their_reader_are_two_groups() {
    check_async(
        "A: T.Buffer((16, 16), \"float32\"), D: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16, 16), \"float32\")",
        &asynchronous(
            "16",
            ["[0, 0, 3]", "[0, 2, 1]", "[0]"],
            "
B = T.sblock_alloc_buffer((16,), scope=\"shared\")
E = T.sblock_alloc_buffer((16,), scope=\"shared\")
with T.sblock():
    B[tx] = A[tx, i]
with T.sblock():
    E[tx] = D[tx, i]
with T.sblock():
    C[tx, i] = B[15 - tx] + E[tx]
",
        ),
        expect![[r#"
            A_1 = A.view(256)
            D_1 = D.view(256)
            C_1 = C.view(256)
            with T.launch_thread("threadIdx.x", 16) as threadIdx_x:
                B = T.alloc_shared((64,))
                E = T.alloc_shared((64,))
                T.s_tir.cp_async_raw("float32", B.data, threadIdx_x, A_1.data, threadIdx_x * 16, 4)
                T.ptx.cp.async_.commit_group()
                T.s_tir.cp_async_raw("float32", E.data, threadIdx_x, D_1.data, threadIdx_x * 16, 4)
                T.ptx.cp.async_.commit_group()
                T.s_tir.cp_async_raw("float32", B.data, threadIdx_x + 16, A_1.data, threadIdx_x * 16 + 1, 4)
                T.ptx.cp.async_.commit_group()
                T.s_tir.cp_async_raw("float32", E.data, threadIdx_x + 16, D_1.data, threadIdx_x * 16 + 1, 4)
                T.ptx.cp.async_.commit_group()
                T.s_tir.cp_async_raw("float32", B.data, threadIdx_x + 32, A_1.data, threadIdx_x * 16 + 2, 4)
                T.ptx.cp.async_.commit_group()
                T.s_tir.cp_async_raw("float32", E.data, threadIdx_x + 32, D_1.data, threadIdx_x * 16 + 2, 4)
                T.ptx.cp.async_.commit_group()
                for i in range(13):
                    T.s_tir.cp_async_raw("float32", B.data, (i + 3) % 4 * 16 + threadIdx_x, A_1.data, threadIdx_x * 16 + (i + 3), 4)
                    T.ptx.cp.async_.commit_group()
                    T.ptx.cp.async_.wait_group(5)
                    C_1[threadIdx_x * 16 + i] = B[i % 4 * 16 + (15 - threadIdx_x)] + E[i % 4 * 16 + threadIdx_x]
                    T.s_tir.cp_async_raw("float32", E.data, (i + 3) % 4 * 16 + threadIdx_x, D_1.data, threadIdx_x * 16 + (i + 3), 4)
                    T.ptx.cp.async_.commit_group()
                T.ptx.cp.async_.wait_group(4)
                C_1[threadIdx_x * 16 + 13] = B[15 - threadIdx_x + 16] + E[threadIdx_x + 16]
                T.ptx.cp.async_.wait_group(2)
                C_1[threadIdx_x * 16 + 14] = B[15 - threadIdx_x + 32] + E[threadIdx_x + 32]
                T.ptx.cp.async_.wait_group(0)
                C_1[threadIdx_x * 16 + 15] = B[15 - threadIdx_x + 48] + E[threadIdx_x + 48]
        "#]],
    );
}

#[test]
fn neighbours_are_one_copy() {
    check_async(
        "A: T.Buffer((64, 64), \"float16\"), C: T.Buffer((64, 64), \"float16\")",
        &asynchronous(
            "64",
            ["[0, 1]", "[0, 1]", "[0]"],
            "
B = T.sblock_alloc_buffer((128,), \"float16\", scope=\"shared\")
with T.sblock():
    for v in T.vectorized(8):
        B[tx * 8 + v] = T.if_then_else(tx < 8, A[i, tx * 8 + v], T.float16(0))
with T.sblock():
    for v in T.vectorized(4):
        C[i, tx * 4 + v] = B[60 - tx * 4 + v]
",
        ),
        expect![[r#"
            A_1 = A.view(4096)
            C_1 = C.view(4096)
            with T.launch_thread("threadIdx.x", 16) as threadIdx_x:
                B = T.alloc_shared((256,), "float16")
                T.s_tir.cp_async_raw("float16", B.data, threadIdx_x * 8, A_1.data, threadIdx_x * 8, 16, threadIdx_x < 8)
                T.ptx.cp.async_.commit_group()
                for i in range(63):
                    T.s_tir.cp_async_raw("float16", B.data, (i + 1) % 2 * 128 + threadIdx_x * 8, A_1.data, (i + 1) * 64 + threadIdx_x * 8, 16, threadIdx_x < 8)
                    T.ptx.cp.async_.commit_group()
                    T.ptx.cp.async_.wait_group(1)
                    C_1[T.Ramp(i * 64 + threadIdx_x * 4, 1, 4)] = B[T.Ramp(i % 2 * 128 + (60 - threadIdx_x * 4), 1, 4)]
                T.ptx.cp.async_.wait_group(0)
                C_1[T.Ramp(threadIdx_x * 4 + 4032, 1, 4)] = B[T.Ramp(0 - threadIdx_x * 4 + 188, 1, 4)]
        "#]],
    );
}

#[test]
fn what_is_computed_is_not_copied() {
    check_async(
        PARAMS,
        &asynchronous("16", ["[0, 1]", "[0, 1]", "[0]"], COPY),
        expect![[r#"
        A_1 = A.view(256)
        C_1 = C.view(256)
        with T.launch_thread("threadIdx.x", 16) as threadIdx_x:
            B = T.alloc_shared((32,))
            B[threadIdx_x] = A_1[threadIdx_x * 16] * T.float32(2.0)
            for i in range(15):
                B[(i + 1) % 2 * 16 + threadIdx_x] = A_1[threadIdx_x * 16 + (i + 1)] * T.float32(2.0)
                C_1[threadIdx_x * 16 + i] = B[i % 2 * 16 + threadIdx_x] + T.float32(1.0)
            C_1[threadIdx_x * 16 + 15] = B[threadIdx_x + 16] + T.float32(1.0)
    "#]],
    );
}
