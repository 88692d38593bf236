//! Results of the passes are proved.

use ir::effects::EffectTable;
use transform::passes::Pass;

use super::*;

/// The body after passes is proved equal; how.
fn check(text: &str, passes: &[Pass], solver: &mut dyn Solver) {
    let before = body(text);
    let after =
        passes.iter().fold(before.clone(), |body, pass| pass.run(&body, EffectTable::builtin()));
    assert_ne!(before, after, "the passes do nothing");
    let said = verdict(&before, &after, solver);
    assert_eq!(said, "proved", "\n{}", ir::print::tvmscript(&after, 0));
}

const SUMS: &str = r#"
@T.prim_func
def sums(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
    T.func_attr({"tirx.noalias": True})
    for i in range(16):
        if i * 3 + 1 < n:
            B[i * 3 + 1] = A[i * 3 + 1] * A[i * 3 + 1] + T.exp(A[i * 3 + 1])
"#;

#[test]
fn shared_values_are_equal_as_terms() {
    check(SUMS, &[Pass::Cse], &mut Nobody);
}

#[test]
fn a_load_is_shared_where_its_memory_has_one_version() {
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    T.func_attr({"tirx.noalias": True})
    for i in range(64):
        B[i] = A[i] * 3 + A[i]
        A[i] = A[i] * 3
"#,
        &[Pass::Cse],
        &mut Nobody,
    );
}

#[test]
fn indices_and_guards_that_ranges_decide() {
    if !has_z3() {
        return;
    }
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    for i in range(64):
        if i // 4 * 4 + i % 4 < 64:
            B[i // 4 * 4 + i % 4] = A[i] + T.float32(1)
"#,
        &[Pass::Simplify],
        &mut Z3,
    );
}

#[test]
fn a_loop_of_one_iteration_goes() {
    if !has_z3() {
        return;
    }
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32):
    for k in range(1):
        for i in range(64):
            if n > 3 and i < n:
                A[i + k] = A[i + k] * T.float32(2)
"#,
        &[Pass::Simplify, Pass::Cse],
        &mut Z3,
    );
}

#[test]
fn a_guard_that_leaves_a_loop() {
    if !has_z3() {
        return;
    }
    check(
        r#"
@T.prim_func
def f(A: T.Buffer((64,), "float32"), n: T.int32):
    for i in range(64):
        if n > 3:
            A[i] = A[i] * T.float32(2)
"#,
        &[Pass::Simplify],
        &mut Z3,
    );
}
