//! The replacements of vector loops, and the refused ones.

use expect_test::expect;

use super::{check, check_with};

const PASS: &str = "vectorize";

#[test]
fn a_statement_is_one_on_vectors() {
    check(
        PASS,
        "
        for i in range(16):
            for v in T.vectorized(4):
                A[i * 4 + v] = A[v * 2 + x] * v + y
        ",
        expect![[r#"
            for i in range(16):
                A[T.Ramp(i * 4, 1, 4)] = A[T.Ramp(x, 2, 4)] * T.Ramp(0, 1, 4) + T.Broadcast(y, 4)
        "#]],
    );
}

#[test]
fn loads_come_before_stores() {
    check(
        PASS,
        "
        for v in T.vectorized(4):
            A[v + 1] = A[v]
        ",
        expect![[r#"
            A[T.Ramp(1, 1, 4)] = A[T.Ramp(0, 1, 4)]
        "#]],
    );
}

#[test]
fn value_equal_in_all_lanes_stays_scalar() {
    check(
        PASS,
        "
        for i in range(16):
            for v in T.vectorized(4):
                w: T.let[T.int32] = A[(i * 8 + v) // 8]
                u: T.let[T.int32] = A[i + v]
                if w > x:
                    A[i * 4 + v] = T.if_then_else(w < y, u, w)
        ",
        expect![[r#"
            for i in range(16):
                w: T.let[T.int32] = A[i]
                u: T.let[T.int32x4] = A[T.Ramp(i, 1, 4)]
                if w > x:
                    A[T.Ramp(i * 4, 1, 4)] = T.if_then_else(w < y, u, T.Broadcast(w, 4))
        "#]],
    );
}

#[test]
fn a_condition_of_a_lane_is_asked_lane_by_lane() {
    check(
        PASS,
        "
        for i in range(16):
            for v in T.vectorized(4):
                A[i * 4 + v] = 0
                if i * 4 + v < x:
                    A[i * 4 + v] = A[i * 4 + v] + T.if_then_else(v < y, 1, 2)
        ",
        expect![[r#"
            for i in range(16):
                A[T.Ramp(i * 4, 1, 4)] = T.Broadcast(0, 4)
                for v in range(4):
                    if i * 4 + v < x:
                        A[i * 4 + v] = A[i * 4 + v] + T.if_then_else(v < y, 1, 2)
        "#]],
    );
}

#[test]
fn lanes_that_see_each_other_are_refused() {
    check(
        PASS,
        "
        for v in T.vectorized(4):
            if v < x:
                A[v + 1] = A[v]
        ",
        expect![[r#"
            vector-lanes-depend: lanes of a vector loop may touch what another lane writes
        "#]],
    );
}

#[test]
fn a_protected_condition_is_asked_lane_by_lane() {
    check(
        PASS,
        "
        for v in T.vectorized(4):
            A[v] = T.Select(v < x and 8 // (x - v) > 1, 1, 0)
            A[v + 8] = T.Select(v < x and v > y, 1, 0)
        ",
        expect![[r#"
            for v in range(4):
                A[v] = T.Select(v < x and 8 // (x - v) > 1, 1, 0)
            A[T.Ramp(8, 1, 4)] = T.Select(T.Ramp(0, 1, 4) < T.Broadcast(x, 4) and T.Ramp(0, 1, 4) > T.Broadcast(y, 4), T.Broadcast(1, 4), T.Broadcast(0, 4))
        "#]],
    );
}

#[test]
fn an_element_that_all_lanes_write_is_the_last_ones() {
    check(
        PASS,
        "
        for v in T.vectorized(4):
            A[x] = A[x] + v
        ",
        expect![[r#"
            A[x] = A[x] + 3
        "#]],
    );
}

#[test]
fn an_index_that_is_not_the_last_is_taken_lane_by_lane() {
    check_with(
        PASS,
        "A: T.Buffer((8, 8), \"float32\"), B: T.Buffer((8, 8), \"float32\")",
        "
        T.func_attr({\"tirx.noalias\": True})
        for i in range(8):
            for v in T.vectorized(8):
                A[i, v] = T.exp(B[i, v])
                A[i, v] = T.erf(B[i, v])
                B[v, i] = A[i, v]
        ",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            for i in range(8):
                A[i, T.Ramp(0, 1, 8)] = T.exp(B[i, T.Ramp(0, 1, 8)])
                for v in range(8):
                    A[i, v] = T.erf(B[i, v])
                for v in range(8):
                    B[v, i] = A[i, v]
        "#]],
    );
}

#[test]
fn parameters_of_a_kernel_do_not_overlap() {
    check_with(
        PASS,
        "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")",
        "
        tx = T.launch_thread(\"threadIdx.x\", 8)
        for v in T.vectorized(8):
            if v < 5:
                A[tx * 8 + v] = B[tx * 8 + 7 - v]
        ",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 8)
            for v in range(8):
                if v < 5:
                    A[tx * 8 + v] = B[tx * 8 + 7 - v]
        "#]],
    );
}

#[test]
fn memory_and_effects_in_lanes_are_refused() {
    check(
        PASS,
        "
        for v in T.vectorized(4):
            L = T.alloc_local((4,), \"int32\")
            L[0] = v
            A[v] = L[0]
        ",
        expect![[r#"
            vector-statement: memory is allocated in a vector loop
        "#]],
    );
    check(
        PASS,
        "
        for v in T.vectorized(4):
            T.evaluate(T.call_extern(\"int32\", \"f\", v))
        ",
        expect![[r#"
            vector-statement: a call in a vector loop has an effect
        "#]],
    );
}

#[test]
fn a_number_of_lanes_that_is_not_known_is_a_serial_loop() {
    check(
        PASS,
        "
        for v in T.vectorized(x):
            A[v] = A[v] + y
        ",
        expect![[r#"
            for v in range(x):
                A[v] = A[v] + y
        "#]],
    );
}
