//! Planted mistakes: each pair differs by one that rewrites make.

use super::*;

/// A function and the same text with one replacement: an input shows that they differ. Which one depends on what the
/// solver proposes.
fn check(text: &str, from: &str, to: &str) {
    assert_eq!(text.matches(from).count(), 1, "one place to change");
    let (before, after) = (body(text), body(&text.replace(from, to)));
    let is_there = has_z3();
    let solver: &mut dyn Solver = if is_there { &mut Z3 } else { &mut Nobody };
    let said = verdict(&before, &after, solver);
    assert_ne!(said, "proved");
    assert!(!is_there || said.starts_with("refuted: "), "{said}");
}

const AXPY: &str = r#"
@T.prim_func
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
    T.func_attr({"tirx.noalias": True})
    for i in range(64):
        if i < n:
            B[i] = A[i] + B[i] + T.float32(0.3)
"#;

#[test]
fn the_order_of_a_float_sum() {
    check(AXPY, "A[i] + B[i] + T.float32(0.3)", "A[i] + (B[i] + T.float32(0.3))");
}

#[test]
fn a_missing_guard() {
    check(AXPY, "if i < n:", "if i < 64:");
}

#[test]
fn an_index_off_by_one() {
    check(AXPY, "B[i] = A[i]", "B[i] = A[(i + 1) % 64]");
}

#[test]
fn an_access_out_of_bounds() {
    check(AXPY, "B[i] = A[i]", "B[i] = A[i + 1]");
}

const ALIASING: &str = r#"
@T.prim_func
def f(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    x: T.let[T.int32] = A[0]
    B[0] = x + 1
    B[1] = A[0] + x
"#;

#[test]
fn a_load_over_a_store_that_may_alias() {
    check(ALIASING, "A[0] + x", "x + x");
}

#[test]
fn a_store_over_a_load() {
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "int32"), i: T.int32, j: T.int32):
    x: T.let[T.int32] = A[i]
    A[j] = T.int32(7)
    A[0] = x
"#,
        "    x: T.let[T.int32] = A[i]\n    A[j] = T.int32(7)\n",
        "    A[j] = T.int32(7)\n    x: T.let[T.int32] = A[i]\n",
    );
}

#[test]
fn a_truncation() {
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "int64"), n: T.int64):
    A[0] = n * T.int64(2)
"#,
        "n * T.int64(2)",
        "T.int64(T.int8(n * T.int64(2)))",
    );
}

#[test]
fn a_division_above_its_guard() {
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "int32"), n: T.int32):
    if n != 0:
        A[0] = 100 // n
"#,
        "    if n != 0:\n        A[0] = 100 // n\n",
        "    x: T.let[T.int32] = 100 // n\n    if n != 0:\n        A[0] = x\n",
    );
}

#[test]
fn a_quotient_of_the_other_rounding() {
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "int8"), B: T.Buffer((8,), "int8")):
    for i in range(8):
        B[i] = A[i] // T.int8(2)
"#,
        "A[i] // T.int8(2)",
        "T.truncdiv(A[i], T.int8(2))",
    );
}

#[test]
fn an_overflow_that_was_not_there() {
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "int32"), n: T.int32):
    if n > 2000000000:
        A[0] = n // 2 + n // 2
"#,
        "n // 2 + n // 2",
        "(n + n) // 2",
    );
}

#[test]
fn a_statement_out_of_its_loop() {
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((8,), "int32"), n: T.int32):
    for i in range(n):
        A[0] = A[0] + 1
"#,
        "    for i in range(n):\n        A[0] = A[0] + 1\n",
        "    A[0] = A[0] + 1\n",
    );
}

#[test]
fn one_iteration_less() {
    check(AXPY, "range(64)", "range(63)");
}
