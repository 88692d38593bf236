//! Loops with stages, before and after.

mod asynchronous;

use barriers::refusal::LowerRefusal;
use expect_test::{Expect, expect};
use lower::{LowerOptions, lower_until};

use crate::support::{read, statements};

const PARAMS: &str = "A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16, 16), \"float32\")";

/// The statements after the pass.
#[track_caller]
fn check(statements_in: &str, expected: Expect) {
    check_with(PARAMS, statements_in, expected);
}

#[track_caller]
fn check_with(params: &str, statements_in: &str, expected: Expect) {
    check_until(params, statements_in, "software_pipeline", &LowerOptions::default(), expected);
}

#[track_caller]
fn check_until(
    params: &str,
    statements_in: &str,
    pass: &str,
    options: &LowerOptions,
    expected: Expect,
) {
    let mut text =
        format!("from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef f({params}):\n");
    for line in test_utils::trim_indent(statements_in).lines() {
        text.push_str(if line.is_empty() { "" } else { "    " });
        text.push_str(line);
        text.push('\n');
    }
    let it = &read(&text)[0];
    assert!(it.diagnostics.is_empty(), "{:?}", it.diagnostics);
    let after = match lower_until(&it.body, options, pass) {
        Ok(body) => {
            assert_eq!(ir::verify::verify(&body), []);
            statements(&ir::print::tvmscript(&body, 0))
        }
        Err(LowerRefusal { reason, detail, op }) => {
            format!("{reason}: {detail}, at an operation: {}\n", op.is_some())
        }
    };
    expected.assert_eq(&after);
}

/// A loop over `i` with these bounds and lists in a block of 16 threads.
fn pipeline(bounds: &str, stages: &str, orders: &str, statements: &str) -> String {
    let mut text = format!(
        "for tx in T.thread_binding(16, thread=\"threadIdx.x\"):\n    \
         for i in T.serial({bounds}, annotations={{\"software_pipeline_stage\": {stages}, \
         \"software_pipeline_order\": {orders}}}):\n        with T.sblock():\n"
    );
    for line in statements.trim().lines() {
        text.push_str(&format!("            {}\n", line.trim_end()));
    }
    text
}

const COPY: &str = "
B = T.sblock_alloc_buffer((16, 1), scope=\"shared\")
with T.sblock():
    B[tx, 0] = A[tx, i] * T.float32(2)
with T.sblock():
    C[tx, i] = B[tx, 0] + T.float32(1)
";

#[test]
fn copy_and_computation_overlap() {
    check(
        &pipeline("16", "[0, 1]", "[0, 1]", COPY),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((2, 16, 1))
        B[0, threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
        for i in range(15):
            B[(i + 1) % 2, threadIdx_x, 0] = A[threadIdx_x, i + 1] * T.float32(2.0)
            C[threadIdx_x, i] = B[i % 2, threadIdx_x, 0] + T.float32(1.0)
        C[threadIdx_x, 15] = B[1, threadIdx_x, 0] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn one_iteration_is_written_out() {
    check(
        &pipeline("1", "[0, 1]", "[0, 1]", COPY),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((2, 16, 1))
        B[0, threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
        C[threadIdx_x, 0] = B[0, threadIdx_x, 0] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn two_iterations_need_no_loop() {
    check(
        &pipeline("2", "[0, 1]", "[0, 1]", COPY),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((2, 16, 1))
        B[0, threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
        B[1, threadIdx_x, 0] = A[threadIdx_x, 1] * T.float32(2.0)
        C[threadIdx_x, 0] = B[0, threadIdx_x, 0] + T.float32(1.0)
        C[threadIdx_x, 1] = B[1, threadIdx_x, 0] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn loop_shorter_than_its_stages_runs_nothing_twice() {
    check(
        &pipeline("2", "[0, 3]", "[0, 1]", COPY),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((4, 16, 1))
        B[0, threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
        B[1, threadIdx_x, 0] = A[threadIdx_x, 1] * T.float32(2.0)
        C[threadIdx_x, 0] = B[0, threadIdx_x, 0] + T.float32(1.0)
        C[threadIdx_x, 1] = B[1, threadIdx_x, 0] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn loop_without_iterations_is_gone() {
    check(
        &pipeline("0", "[0, 1]", "[0, 1]", COPY),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((2, 16, 1))
    "#]],
    );
}

#[test]
fn stages_count_from_the_first_one() {
    check(
        &pipeline("16", "[3, 4]", "[0, 1]", COPY),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((2, 16, 1))
        B[0, threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
        for i in range(15):
            B[(i + 1) % 2, threadIdx_x, 0] = A[threadIdx_x, i + 1] * T.float32(2.0)
            C[threadIdx_x, i] = B[i % 2, threadIdx_x, 0] + T.float32(1.0)
        C[threadIdx_x, 15] = B[1, threadIdx_x, 0] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn loop_that_starts_elsewhere_counts_versions_from_its_start() {
    check(
        &pipeline("3, 16", "[0, 2]", "[0, 1]", COPY),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((3, 16, 1))
        B[0, threadIdx_x, 0] = A[threadIdx_x, 3] * T.float32(2.0)
        B[1, threadIdx_x, 0] = A[threadIdx_x, 4] * T.float32(2.0)
        for i in range(3, 14):
            B[(i + 2) % 3, threadIdx_x, 0] = A[threadIdx_x, i + 2] * T.float32(2.0)
            C[threadIdx_x, i] = B[i % 3, threadIdx_x, 0] + T.float32(1.0)
        C[threadIdx_x, 14] = B[2, threadIdx_x, 0] + T.float32(1.0)
        C[threadIdx_x, 15] = B[0, threadIdx_x, 0] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn what_may_not_run_is_guarded() {
    check_with(
        "A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16, 16), \"float32\"), n: T.int32",
        &pipeline("n", "[0, 2]", "[0, 1]", COPY),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            B = T.alloc_shared((3, 16, 1))
            if 0 < n:
                B[0, threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
            if 1 < n:
                B[1, threadIdx_x, 0] = A[threadIdx_x, 1] * T.float32(2.0)
            for i in range(T.max(n, 2) - 2):
                B[(i + 2) % 3, threadIdx_x, 0] = A[threadIdx_x, i + 2] * T.float32(2.0)
                C[threadIdx_x, i] = B[i % 3, threadIdx_x, 0] + T.float32(1.0)
            if 1 < n:
                C[threadIdx_x, n - 2] = B[(n + 1) % 3, threadIdx_x, 0] + T.float32(1.0)
            if 0 < n:
                C[threadIdx_x, n - 1] = B[(n + 2) % 3, threadIdx_x, 0] + T.float32(1.0)
        "#]],
    );
}

#[test]
fn extent_that_is_long_enough_needs_no_guard() {
    check_with(
        "a: T.handle, C: T.Buffer((16, 16), \"float32\")",
        &format!(
            "n = T.int32()\nA = T.match_buffer(a, (16, n * 4 + 1))\n{}",
            pipeline("n * 4 + 1", "[0, 1]", "[0, 1]", COPY)
        ),
        expect![[r#"
            n = T.int32()
            A = T.match_buffer(a, (16, n * 4 + 1))
            with T.launch_thread("threadIdx.x", 16) as threadIdx_x:
                B = T.alloc_shared((2, 16, 1))
                if 0 < n * 4 + 1:
                    B[0, threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
                for i in range(T.max(n * 4 + 1, 1) - 1):
                    B[(i + 1) % 2, threadIdx_x, 0] = A[threadIdx_x, i + 1] * T.float32(2.0)
                    C[threadIdx_x, i] = B[i % 2, threadIdx_x, 0] + T.float32(1.0)
                if 0 < n * 4 + 1:
                    C[threadIdx_x, n * 4 + 1 - 1] = B[(n * 4 + 1 + 1) % 2, threadIdx_x, 0] + T.float32(1.0)
        "#]],
    );
}

#[test]
fn extent_from_memory_is_read_once() {
    check_with(
        "A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16, 16), \"float32\"), N: T.Buffer((1,), \"int32\")",
        &pipeline("N[0]", "[0, 1]", "[0, 1]", COPY),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            extent: T.let[T.int32] = N[0]
            B = T.alloc_shared((2, 16, 1))
            if 0 < extent:
                B[0, threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
            for i in range(T.max(extent, 1) - 1):
                B[(i + 1) % 2, threadIdx_x, 0] = A[threadIdx_x, i + 1] * T.float32(2.0)
                C[threadIdx_x, i] = B[i % 2, threadIdx_x, 0] + T.float32(1.0)
            if 0 < extent:
                C[threadIdx_x, extent - 1] = B[(extent + 1) % 2, threadIdx_x, 0] + T.float32(1.0)
        "#]],
    );
}

#[test]
fn three_stages() {
    check(
        &pipeline(
            "16",
            "[0, 1, 2]",
            "[0, 1, 2]",
            "
B = T.sblock_alloc_buffer((16, 1), scope=\"shared\")
D = T.sblock_alloc_buffer((16, 1), scope=\"shared\")
with T.sblock():
    B[tx, 0] = A[tx, i] * T.float32(2)
with T.sblock():
    D[tx, 0] = B[tx, 0] + T.float32(2)
with T.sblock():
    C[tx, i] = D[tx, 0] + T.float32(1)
",
        ),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            B = T.alloc_shared((2, 16, 1))
            D = T.alloc_shared((2, 16, 1))
            B[0, threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
            B[1, threadIdx_x, 0] = A[threadIdx_x, 1] * T.float32(2.0)
            D[0, threadIdx_x, 0] = B[0, threadIdx_x, 0] + T.float32(2.0)
            for i in range(14):
                B[i % 2, threadIdx_x, 0] = A[threadIdx_x, i + 2] * T.float32(2.0)
                D[(i + 1) % 2, threadIdx_x, 0] = B[(i + 1) % 2, threadIdx_x, 0] + T.float32(2.0)
                C[threadIdx_x, i] = D[i % 2, threadIdx_x, 0] + T.float32(1.0)
            D[1, threadIdx_x, 0] = B[1, threadIdx_x, 0] + T.float32(2.0)
            C[threadIdx_x, 14] = D[0, threadIdx_x, 0] + T.float32(1.0)
            C[threadIdx_x, 15] = D[1, threadIdx_x, 0] + T.float32(1.0)
        "#]],
    );
}

#[test]
fn reader_that_comes_first_in_the_order_needs_no_second_version() {
    check(
        &pipeline("16", "[0, 1]", "[1, 0]", COPY),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((16, 1))
        B[threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
        for i in range(15):
            C[threadIdx_x, i] = B[threadIdx_x, 0] + T.float32(1.0)
            B[threadIdx_x, 0] = A[threadIdx_x, i + 1] * T.float32(2.0)
        C[threadIdx_x, 15] = B[threadIdx_x, 0] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn versions_are_asked_for_by_a_block() {
    check(
        &pipeline(
            "16",
            "[0, 0]",
            "[0, 1]",
            "
B = T.sblock_alloc_buffer((16, 1), scope=\"shared\")
with T.sblock():
    T.writes(B[tx, 0])
    T.sblock_attr({\"double_buffer_scope\": 0})
    B[tx, 0] = A[tx, i] * T.float32(2)
with T.sblock():
    C[tx, i] = B[tx, 0] + T.float32(1)
",
        ),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            B = T.alloc_shared((2, 16, 1))
            for i in range(16):
                B[i % 2, threadIdx_x, 0] = A[threadIdx_x, i] * T.float32(2.0)
                C[threadIdx_x, i] = B[i % 2, threadIdx_x, 0] + T.float32(1.0)
        "#]],
    );
}

#[test]
fn pipeline_in_a_pipeline_is_three_statements() {
    check(
        &pipeline(
            "16",
            "[0, 1, 1, 1]",
            "[0, 1, 2, 3]",
            "
S = T.sblock_alloc_buffer((16, 4), scope=\"shared\")
for j in range(4):
    S[tx, j] = A[tx, i + j]
for j in T.serial(4, annotations={\"software_pipeline_stage\": [0, 1], \"software_pipeline_order\": [0, 1]}):
    with T.sblock():
        B = T.sblock_alloc_buffer((16, 1), scope=\"shared\")
        with T.sblock():
            B[tx, 0] = S[tx, j] * T.float32(2)
        with T.sblock():
            C[tx, i] = B[tx, 0] + T.float32(1)
",
        ),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            S = T.alloc_shared((2, 16, 4))
            B = T.alloc_shared((2, 16, 1))
            for j in range(4):
                S[0, threadIdx_x, j] = A[threadIdx_x, T.Add(0, j)]
            for i in range(15):
                for j in range(4):
                    S[(i + 1) % 2, threadIdx_x, j] = A[threadIdx_x, i + 1 + j]
                B[0, threadIdx_x, 0] = S[i % 2, threadIdx_x, 0] * T.float32(2.0)
                for j in range(3):
                    B[(j + 1) % 2, threadIdx_x, 0] = S[i % 2, threadIdx_x, j + 1] * T.float32(2.0)
                    C[threadIdx_x, i] = B[j % 2, threadIdx_x, 0] + T.float32(1.0)
                C[threadIdx_x, i] = B[1, threadIdx_x, 0] + T.float32(1.0)
            B[0, threadIdx_x, 0] = S[1, threadIdx_x, 0] * T.float32(2.0)
            for j in range(3):
                B[(j + 1) % 2, threadIdx_x, 0] = S[1, threadIdx_x, j + 1] * T.float32(2.0)
                C[threadIdx_x, 15] = B[j % 2, threadIdx_x, 0] + T.float32(1.0)
            C[threadIdx_x, 15] = B[1, threadIdx_x, 0] + T.float32(1.0)
        "#]],
    );
}

#[test]
fn accumulator_has_one_version() {
    check(
        &pipeline(
            "16",
            "[0, 1]",
            "[0, 1]",
            "
B = T.sblock_alloc_buffer((16, 1), scope=\"shared\")
with T.sblock():
    B[tx, 0] = A[tx, i]
with T.sblock():
    C[tx, 0] = C[tx, 0] + B[tx, 0]
",
        ),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            B = T.alloc_shared((2, 16, 1))
            B[0, threadIdx_x, 0] = A[threadIdx_x, 0]
            for i in range(15):
                B[(i + 1) % 2, threadIdx_x, 0] = A[threadIdx_x, i + 1]
                C[threadIdx_x, 0] = C[threadIdx_x, 0] + B[i % 2, threadIdx_x, 0]
            C[threadIdx_x, 0] = C[threadIdx_x, 0] + B[1, threadIdx_x, 0]
        "#]],
    );
}

const OUTSIDE: &str = "
for tx in T.thread_binding(16, thread=\"threadIdx.x\"):
    with T.sblock():
        B = T.sblock_alloc_buffer((16, 1), scope=\"shared\")
        for i in T.serial(16, annotations={\"software_pipeline_stage\": [0, 1], \"software_pipeline_order\": ORDER}):
            with T.sblock():
                with T.sblock():
                    B[tx, 0] = A[tx, i] * T.float32(2)
                with T.sblock():
                    C[tx, i] = B[tx, 0] + T.float32(1)
        C[tx, 0] = B[tx, 0]
";

#[test]
fn memory_that_is_used_after_the_loop_has_one_version() {
    // A later iteration would overwrite what an earlier one has still to read.
    check(
        &OUTSIDE.replace("ORDER", "[0, 1]"),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((16, 1))
        for i in T.serial(16, annotations={"not_pipelined": "an iteration may need what a later one would overwrite before"}):
            B[threadIdx_x, 0] = A[threadIdx_x, i] * T.float32(2.0)
            C[threadIdx_x, i] = B[threadIdx_x, 0] + T.float32(1.0)
        C[threadIdx_x, 0] = B[threadIdx_x, 0]
    "#]],
    );
    check(
        &OUTSIDE.replace("ORDER", "[1, 0]"),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((16, 1))
        B[threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
        for i in range(15):
            C[threadIdx_x, i] = B[threadIdx_x, 0] + T.float32(1.0)
            B[threadIdx_x, 0] = A[threadIdx_x, i + 1] * T.float32(2.0)
        C[threadIdx_x, 15] = B[threadIdx_x, 0] + T.float32(1.0)
        C[threadIdx_x, 0] = B[threadIdx_x, 0]
    "#]],
    );
}

#[test]
fn elements_of_other_iterations_are_apart() {
    let lists = "
for tx in T.thread_binding(16, thread=\"threadIdx.x\"):
    for i in T.serial(8, annotations={\"software_pipeline_stage\": [0, 1], \"software_pipeline_order\": [0, 1]}):
        with T.sblock():
            with T.sblock():
                C[tx, i] = A[tx, i] * T.float32(2)
            with T.sblock():
                C[tx, i + DISTANCE] = C[tx, i] + T.float32(1)
";
    check(
        &lists.replace("DISTANCE", "8"),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        C[threadIdx_x, 0] = A[threadIdx_x, 0] * T.float32(2.0)
        for i in range(7):
            C[threadIdx_x, i + 1] = A[threadIdx_x, i + 1] * T.float32(2.0)
            C[threadIdx_x, i + 8] = C[threadIdx_x, i] + T.float32(1.0)
        C[threadIdx_x, T.Add(7, 8)] = C[threadIdx_x, 7] + T.float32(1.0)
    "#]],
    );
    check(
        &lists.replace("DISTANCE", "1"),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        for i in T.serial(8, annotations={"not_pipelined": "an iteration may need what a later one would overwrite before"}):
            C[threadIdx_x, i] = A[threadIdx_x, i] * T.float32(2.0)
            C[threadIdx_x, i + 1] = C[threadIdx_x, i] + T.float32(1.0)
    "#]],
    );
}

#[test]
fn memory_with_another_name_stays() {
    check(
        &pipeline(
            "16",
            "[0, 1]",
            "[0, 1]",
            "
B = T.sblock_alloc_buffer((16,), scope=\"shared\")
with T.sblock():
    B[tx] = A[tx, i]
with T.sblock():
    D = T.decl_buffer((4, 4), data=B.data, scope=\"shared\")
    C[tx, i] = D[tx // 4, tx % 4]
",
        ),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            for i in T.serial(16, annotations={"not_pipelined": "memory of several versions has another name"}):
                B = T.alloc_shared((16,))
                B[threadIdx_x] = A[threadIdx_x, i]
                D = T.decl_buffer((4, 4), data=B.data, scope="shared")
                C[threadIdx_x, i] = D[threadIdx_x // 4, threadIdx_x % 4]
        "#]],
    );
}

#[test]
fn barriers_keep_their_place() {
    check(
        &pipeline(
            "16",
            "[0, 0, 1]",
            "[0, 1, 2]",
            "
B = T.sblock_alloc_buffer((16,), scope=\"shared\")
with T.sblock():
    B[tx] = A[tx, i]
T.evaluate(T.tvm_storage_sync(\"shared\"))
with T.sblock():
    C[tx, i] = B[15 - tx]
",
        ),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            for i in T.serial(16, annotations={"not_pipelined": "a statement has a call or barrier that may access any memory"}):
                B = T.alloc_shared((16,))
                B[threadIdx_x] = A[threadIdx_x, i]
                T.tvm_storage_sync("shared")
                C[threadIdx_x, i] = B[15 - threadIdx_x]
        "#]],
    );
}

#[test]
fn pointers_have_versions_too() {
    check_with(
        "A: T.Buffer((256, 256), \"float16\"), C: T.Buffer((16, 16), \"float32\")",
        "
        with T.sblock():
            S = T.sblock_alloc_buffer((256,), \"float16\", scope=\"shared\")
            F = T.sblock_alloc_buffer((256,), \"float16\", scope=\"wmma.matrix_a\")
            G = T.sblock_alloc_buffer((256,), \"float32\", scope=\"wmma.accumulator\")
            for tx in T.thread_binding(32, thread=\"threadIdx.x\"):
                for i in T.serial(16, annotations={\"software_pipeline_stage\": [0, 1, 2], \"software_pipeline_order\": [0, 1, 2]}):
                    with T.sblock():
                        for j in range(8):
                            S[tx * 8 + j] = A[i, tx * 8 + j]
                        T.evaluate(T.tvm_load_matrix_sync(F.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation(\"float16\"), S.data, 0, 256, 1), 16, \"row_major\"))
                        T.evaluate(T.tvm_mma_sync(G.data, 0, F.data, 0, F.data, 0, G.data, 0))
        ",
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 32)
            G = T.alloc_buffer((256,), scope="wmma.accumulator")
            F = T.alloc_buffer((2, 256), "float16", scope="wmma.matrix_a")
            S = T.alloc_shared((2, 256), "float16")
            for j in range(8):
                S[0, threadIdx_x * 8 + j] = A[0, threadIdx_x * 8 + j]
            for j in range(8):
                S[1, threadIdx_x * 8 + j] = A[1, threadIdx_x * 8 + j]
            T.tvm_load_matrix_sync(F.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), S.data, T.Mul(0, 256), 256, 1), 16, "row_major")
            for i in range(14):
                for j in range(8):
                    S[i % 2, threadIdx_x * 8 + j] = A[i + 2, threadIdx_x * 8 + j]
                T.tvm_load_matrix_sync(F.data, 16, 16, 16, (i + 1) % 2, T.tvm_access_ptr(T.type_annotation("float16"), S.data, (i + 1) % 2 * 256, 256, 1), 16, "row_major")
                T.tvm_mma_sync(G.data, 0, F.data, i % 2, F.data, i % 2, G.data, 0)
            T.tvm_load_matrix_sync(F.data, 16, 16, 16, 1, T.tvm_access_ptr(T.type_annotation("float16"), S.data, T.Mul(1, 256), 256, 1), 16, "row_major")
            T.tvm_mma_sync(G.data, 0, F.data, 0, F.data, 0, G.data, 0)
            T.tvm_mma_sync(G.data, 0, F.data, 1, F.data, 1, G.data, 0)
        "#]],
    );
}

#[test]
fn annotations_that_do_not_fit_are_refused() {
    check(
        &pipeline("16", "[0, 1, 1]", "[0, 1, 2]", COPY),
        expect![[r#"
        software-pipeline: a software pipeline of 2 statements has 3 stages, at an operation: true
    "#]],
    );
    check(
        &pipeline("16", "[0, 1]", "[1, 1]", COPY),
        expect![[r#"
        software-pipeline: the orders of a software pipeline are no permutation: [1, 1], at an operation: true
    "#]],
    );
    check(
        &pipeline("16", "[0, 0]", "[1, 0]", COPY),
        expect![[r#"
        software-pipeline: a statement of a software pipeline comes before another one that writes what it reads, at an operation: true
    "#]],
    );
    check(
        &pipeline("16", "[1, 0]", "[0, 1]", COPY),
        expect![[r#"
        software-pipeline: a statement of a software pipeline comes before another one that writes what it reads, at an operation: true
    "#]],
    );
    check(
        &pipeline("16", "[-1, 0]", "[0, 1]", COPY),
        expect![[r#"
        software-pipeline: a software pipeline has a negative stage, at an operation: true
    "#]],
    );
    let text = pipeline("16", "[0, 1]", "[0, 1]", COPY);
    check(
        &text.replace(", \"software_pipeline_order\": [0, 1]", ""),
        expect![[r#"
        software-pipeline: a software pipeline has no list of orders, at an operation: true
    "#]],
    );
}

#[test]
fn loop_that_something_leaves_stays() {
    check(
        &pipeline(
            "16",
            "[0, 1]",
            "[0, 1]",
            "
if A[0, i] > T.float32(1):
    break
C[tx, i] = A[tx, i]
",
        ),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            for i in T.serial(16, annotations={"not_pipelined": "something leaves it, or cannot be copied"}):
                if A[0, i] > T.float32(1.0):
                    break
                C[threadIdx_x, i] = A[threadIdx_x, i]
        "#]],
    );
}

#[test]
fn copy_to_shared_memory_is_two_statements_where_a_block_asks() {
    check(
        &pipeline(
            "4",
            "[0, 0, 1]",
            "[0, 2, 1]",
            "
B = T.sblock_alloc_buffer((64,), scope=\"shared\")
for j in range(2):
    for v in T.vectorized(2):
        with T.sblock():
            T.where(tx < 15)
            T.sblock_attr({\"tirx.manifest_shared_memory_local_stage\": 1})
            B[j * 32 + tx * 2 + v] = A[tx, i * 4 + j * 2 + v]
with T.sblock():
    C[tx, i] = B[tx]
",
        ),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            B = T.alloc_shared((62,))
            B_local = T.alloc_local((2, 2))
            for j in range(2):
                for v in T.vectorized(2):
                    if threadIdx_x < 15:
                        B_local[j, v] = A[threadIdx_x, T.Mul(0, 4) + j * 2 + v]
            for j in range(2):
                for v in T.vectorized(2):
                    if threadIdx_x < 15:
                        B[j * 32 + threadIdx_x * 2 + v] = B_local[j, v]
            for i in range(3):
                for j in range(2):
                    for v in T.vectorized(2):
                        if threadIdx_x < 15:
                            B_local[j, v] = A[threadIdx_x, (i + 1) * 4 + j * 2 + v]
                C[threadIdx_x, i] = B[threadIdx_x]
                for j in range(2):
                    for v in T.vectorized(2):
                        if threadIdx_x < 15:
                            B[j * 32 + threadIdx_x * 2 + v] = B_local[j, v]
            C[threadIdx_x, 3] = B[threadIdx_x]
        "#]],
    );
}

#[test]
fn iterations_that_are_alike_have_memory_of_their_own() {
    let text = "
for tx in T.thread_binding(16, thread=\"threadIdx.x\"):
    with T.sblock():
        B = T.sblock_alloc_buffer((16,), scope=\"shared\")
        for i in T.serial(4, annotations={\"software_pipeline_stage\": [0, 1], \"software_pipeline_order\": [0, 1]}):
            with T.sblock():
                B[tx] = A[tx, i]
            with T.sblock():
                C[tx, i] = VALUE
";
    check(
        &text.replace("VALUE", "B[15 - tx]"),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        B = T.alloc_shared((2, 16))
        B[0, threadIdx_x] = A[threadIdx_x, 0]
        for i in range(3):
            B[(i + 1) % 2, threadIdx_x] = A[threadIdx_x, i + 1]
            C[threadIdx_x, i] = B[i % 2, 15 - threadIdx_x]
        C[threadIdx_x, 3] = B[1, 15 - threadIdx_x]
    "#]],
    );
    // The first iteration does not tell what the others read.
    check(
        &text.replace("VALUE", "T.if_then_else(i > 1, B[15 - tx], T.float32(0))"),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            B = T.alloc_shared((16,))
            for i in T.serial(4, annotations={"not_pipelined": "an iteration may need what a later one would overwrite before"}):
                B[threadIdx_x] = A[threadIdx_x, i]
                C[threadIdx_x, i] = T.if_then_else(i > 1, B[15 - threadIdx_x], T.float32(0.0))
        "#]],
    );
    check(
        &text.replace("B[tx] =", "B[(tx + i) % 16] =").replace("VALUE", "B[tx]"),
        expect![[r#"
            threadIdx_x = T.launch_thread("threadIdx.x", 16)
            B = T.alloc_shared((16,))
            for i in T.serial(4, annotations={"not_pipelined": "an iteration may need what a later one would overwrite before"}):
                B[(threadIdx_x + i) % 16] = A[threadIdx_x, i]
                C[threadIdx_x, i] = B[threadIdx_x]
        "#]],
    );
}

#[test]
fn parts_that_do_not_meet_need_no_further_version() {
    // The inner prologue of the next iteration fills the version that the inner epilogue of this one does not read.
    let inner = "
S = T.sblock_alloc_buffer((16, 4), scope=\"shared\")
for j in range(4):
    S[tx, j] = A[tx, i + j]
for j in T.serial(4, annotations={\"software_pipeline_stage\": [0, 1], \"software_pipeline_order\": [0, 1]}):
    with T.sblock():
        B = T.sblock_alloc_buffer((1,), scope=\"local\")
        with T.sblock():
            B[0] = S[tx, j] * T.float32(2)
        with T.sblock():
            C[tx, i] = C[tx, i] + B[0]
";
    check(
        &pipeline("16", "[0, 0, 1, 1]", "[0, 2, 1, 3]", inner),
        expect![[r#"
        threadIdx_x = T.launch_thread("threadIdx.x", 16)
        S = T.alloc_shared((2, 16, 4))
        B = T.alloc_local((2, 1))
        for j in range(4):
            S[0, threadIdx_x, j] = A[threadIdx_x, T.Add(0, j)]
        B[0, 0] = S[0, threadIdx_x, 0] * T.float32(2.0)
        for i in range(15):
            for j in range(4):
                S[(i + 1) % 2, threadIdx_x, j] = A[threadIdx_x, i + 1 + j]
            for j in range(3):
                B[(j + 1) % 2, 0] = S[i % 2, threadIdx_x, j + 1] * T.float32(2.0)
                C[threadIdx_x, i] = C[threadIdx_x, i] + B[j % 2, 0]
            B[0, 0] = S[(i + 1) % 2, threadIdx_x, 0] * T.float32(2.0)
            C[threadIdx_x, i] = C[threadIdx_x, i] + B[1, 0]
        for j in range(3):
            B[(j + 1) % 2, 0] = S[1, threadIdx_x, j + 1] * T.float32(2.0)
            C[threadIdx_x, 15] = C[threadIdx_x, 15] + B[j % 2, 0]
        C[threadIdx_x, 15] = C[threadIdx_x, 15] + B[1, 0]
    "#]],
    );
}
