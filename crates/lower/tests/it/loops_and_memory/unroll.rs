//! The loops that are unrolled, and their new form.

use expect_test::expect;

use super::check;

const PASS: &str = "unroll";

#[test]
fn iterations_take_the_place_of_their_loop() {
    check(
        PASS,
        "
        for i in T.unroll(2, 5):
            v: T.let[T.int32] = A[i] + x
            for j in range(2):
                A[i + j] = v
        A[y] = 0
        ",
        expect![[r#"
            v: T.let[T.int32] = A[2] + x
            for j in range(2):
                A[2 + j] = v
            v: T.let[T.int32] = A[3] + x
            for j in range(2):
                A[3 + j] = v
            v: T.let[T.int32] = A[4] + x
            for j in range(2):
                A[4 + j] = v
            A[y] = 0
        "#]],
    );
}

#[test]
fn loops_in_loops_are_unrolled_from_inside() {
    check(
        PASS,
        "
        for i in T.unroll(2):
            if x > i:
                for j in T.unroll(2):
                    A[i * 2 + j] = y
        ",
        expect![[r#"
            if x > 0:
                A[T.Add(T.Mul(0, 2), 0)] = y
                A[T.Mul(0, 2) + 1] = y
            if x > 1:
                A[T.Add(T.Mul(1, 2), 0)] = y
                A[T.Mul(1, 2) + 1] = y
        "#]],
    );
}

#[test]
fn memory_of_an_iteration_is_its_own() {
    check(
        PASS,
        "
        for i in T.unroll(2):
            L = T.alloc_local((4,), \"int32\")
            V = T.decl_buffer((2,), \"int32\", data=L.data)
            L[i] = A[i]
            A[i + 1] = V[0] + T.call_extern(\"int32\", \"clock\", L.data)
        ",
        expect![[r#"
            L = T.alloc_local((4,), "int32")
            V = T.decl_buffer((2,), "int32", data=L.data)
            L[0] = A[0]
            A[T.Add(0, 1)] = V[0] + T.call_extern("int32", "clock", L.data)
            L_1 = T.alloc_local((4,), "int32")
            V_1 = T.decl_buffer((2,), "int32", data=L_1.data)
            L_1[1] = A[1]
            A[T.Add(1, 1)] = V_1[0] + T.call_extern("int32", "clock", L_1.data)
        "#]],
    );
}

#[test]
fn a_loop_that_is_left_early_stays() {
    check(
        PASS,
        "
        for i in T.unroll(2):
            for j in range(4):
                if A[j] > x:
                    break
            if A[i] > y:
                continue
            A[i] = 1
        ",
        expect![[r#"
            for i in T.unroll(2):
                for j in range(4):
                    if A[j] > x:
                        break
                if A[i] > y:
                    continue
                A[i] = 1
        "#]],
    );
}

#[test]
fn a_pragma_unrolls_what_stays_small() {
    check(
        PASS,
        "
        for i in T.serial(16, annotations={\"pragma_auto_unroll_max_step\": 4, \"pragma_unroll_explicit\": 1}):
            for j in range(2):
                for k in range(2):
                    A[i * 4 + j * 2 + k] = x
            for j in range(8):
                A[j] = y
        ",
        expect![[r#"
            for i in range(16):
                A[T.Add(i * 4 + T.Mul(0, 2), 0)] = x
                A[i * 4 + T.Mul(0, 2) + 1] = x
                A[T.Add(i * 4 + T.Mul(1, 2), 0)] = x
                A[i * 4 + T.Mul(1, 2) + 1] = x
                for j in range(8):
                    A[j] = y
        "#]],
    );
}

#[test]
fn a_pragma_may_only_mark() {
    check(
        PASS,
        "
        with T.attr(0, \"pragma_auto_unroll_max_step\", 16):
            T.attr(0, \"pragma_unroll_explicit\", 0)
            for j in range(2):
                A[j] = x
        ",
        expect![[r#"
            for j in T.unroll(2, annotations={"pragma_unroll_explicit": 0}):
                A[j] = x
        "#]],
    );
}

#[test]
fn loop_that_would_become_too_long_stays() {
    check(
        PASS,
        "
        for i in T.unroll(5000):
            A[0] = A[0] + i
        ",
        expect![[r#"
            for i in T.unroll(5000):
                A[0] = A[0] + i
        "#]],
    );
}
