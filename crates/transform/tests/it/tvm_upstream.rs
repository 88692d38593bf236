//! The behaviour that TVM's own tests of today's pass ask for, one test each, rebuilt from their subjects.
//!
//! The texts are ours; the expected ones are the results of the pass, names and order included.

use dataflow::analyses::Analyses;
use expect_test::{Expect, expect};
use ir::effects::EffectTable;

use crate::{
    support::{rewritten, tvm},
    tvm_2022::function,
};

#[track_caller]
fn check(params: &str, statements: &str, expected: Expect) {
    expected.assert_eq(&rewritten(&function(params, statements), &tvm(true)));
}

#[track_caller]
fn check_unchanged(params: &str, statements: &str) {
    crate::support::check_unchanged(&function(params, statements), &tvm(true));
}

#[test]
fn t01_values_of_several_sizes_over_bindings() {
    check(
        "i j k",
        "
        p: T.let[T.int32] = 1
        q: T.let[T.int32] = 2
        M[i] = p + q
        a: T.let[T.int32] = (j + k) + (p + q)
        b: T.let[T.int32] = (j + k) + i
        M[j] = a + b
        ",
        expect![[r#"
            p: T.let[T.int32] = 1
            q: T.let[T.int32] = 2
            cse_v1: T.let[T.int32] = p + q
            M[i] = cse_v1
            cse_v2: T.let[T.int32] = j + k
            a: T.let[T.int32] = cse_v2 + cse_v1
            b: T.let[T.int32] = cse_v2 + i
            M[j] = a + b
        "#]],
    );
}

#[test]
fn t02_repetition_in_one_branch_stays_in_it() {
    check(
        "c x y",
        "
        if c > 0:
            M[0] = x + y
            M[1] = x + y
        else:
            M[2] = x
        ",
        expect![[r#"
            if c > 0:
                cse_v1: T.let[T.int32] = x + y
                M[0] = cse_v1
                M[1] = cse_v1
            else:
                M[2] = x
        "#]],
    );
}

#[test]
fn t03_repetition_in_both_branches_is_bound_before_the_if() {
    check(
        "c x y",
        "
        if c > 0:
            M[0] = x + y
        else:
            M[1] = x + y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x + y
            if c > 0:
                M[0] = cse_v1
            else:
                M[1] = cse_v1
        "#]],
    );
}

#[test]
fn t04_values_cascade() {
    check(
        "x y z",
        "M[0] = (x + y) + z\nM[1] = (x + y) + z\nM[2] = x + y",
        expect![[r#"
        cse_v1: T.let[T.int32] = x + y
        cse_v2: T.let[T.int32] = cse_v1 + z
        M[0] = cse_v2
        M[1] = cse_v2
        M[2] = cse_v1
    "#]],
    );
}

#[test]
fn t05_nothing_twice_is_nothing_changed() {
    check_unchanged("x y z", "M[0] = x + y\nM[1] = y + z\nM[2] = x * z");
}

#[test]
fn t06_result_is_the_same_each_time() {
    let terms: Vec<String> = (1..=20).map(|it| format!("(x + {it})")).collect();
    let text = function("x", &format!("M[0] = {} + {}", terms.join(" + "), terms.join(" * ")));
    let first = rewritten(&text, &tvm(true));
    assert!(first.contains("cse_v20"), "{first}");
    for _ in 0..10 {
        assert_eq!(rewritten(&text, &tvm(true)), first);
    }
}

#[test]
fn t07_repetition_inside_a_loop_is_bound_in_it() {
    check(
        "n x y",
        "for i in range(n):\n    M[i] = x * y\n    B[i] = x * y",
        expect![[r#"
        for i in range(n):
            cse_v1: T.let[T.int32] = x * y
            M[i] = cse_v1
            B[i] = cse_v1
    "#]],
    );
}

#[test]
fn t08_repetition_before_and_inside_a_loop_is_bound_before_both() {
    check(
        "n x y",
        "M[0] = x * y\nfor i in range(n):\n    M[i] = x * y",
        expect![[r#"
        cse_v1: T.let[T.int32] = x * y
        M[0] = cse_v1
        for i in range(n):
            M[i] = cse_v1
    "#]],
    );
}

#[test]
fn t09_loads_are_left_alone() {
    check_unchanged("x", "M[0] = B[x] + 1\nM[1] = B[x] + 1");
}

#[test]
fn t10_nested_branches_bind_in_the_scope_around_the_inner_one() {
    check(
        "c d x y",
        "
        if c > 0:
            if d > 0:
                M[0] = x * y
            else:
                M[1] = x * y
        ",
        expect![[r#"
            if c > 0:
                cse_v1: T.let[T.int32] = x * y
                if d > 0:
                    M[0] = cse_v1
                else:
                    M[1] = cse_v1
        "#]],
    );
}

#[test]
fn t11_independent_values_stand_right_before_their_first_use() {
    check(
        "x y z",
        "M[0] = x + y\nM[1] = x + y\nM[2] = y * z\nM[3] = y * z",
        expect![[r#"
        cse_v1: T.let[T.int32] = x + y
        M[0] = cse_v1
        M[1] = cse_v1
        cse_v2: T.let[T.int32] = y * z
        M[2] = cse_v2
        M[3] = cse_v2
    "#]],
    );
}

#[test]
fn t12_condition_and_branch_share_before_the_if() {
    check(
        "x y",
        "if x + y > 3:\n    M[0] = x + y",
        expect![[r#"
        cse_v1: T.let[T.int32] = x + y
        if cse_v1 > 3:
            M[0] = cse_v1
    "#]],
    );
}

#[test]
fn t13_calls_are_left_alone() {
    check_unchanged(
        "x",
        "M[0] = T.call_extern(\"int32\", \"g\", x)\nM[1] = T.call_extern(\"int32\", \"g\", x)",
    );
}

#[test]
fn t14_nothing_is_bound_that_would_be_used_once() {
    check(
        "x y z",
        "M[0] = (x + y) * z\nM[1] = (x + y) * z",
        expect![[r#"
        cse_v1: T.let[T.int32] = (x + y) * z
        M[0] = cse_v1
        M[1] = cse_v1
    "#]],
    );
}

#[test]
fn t15_extent_and_body_share_before_the_loop() {
    check(
        "x y",
        "for i in range(x * y):\n    M[i] = x * y",
        expect![[r#"
        cse_v1: T.let[T.int32] = x * y
        for i in range(cse_v1):
            M[i] = cse_v1
    "#]],
    );
}

#[test]
fn t16_values_of_the_loop_variable_stay_inside() {
    check(
        "n x",
        "for i in range(n):\n    M[i * x] = B[i * x]",
        expect![[r#"
        for i in range(n):
            cse_v1: T.let[T.int32] = i * x
            M[cse_v1] = B[cse_v1]
    "#]],
    );
}

#[test]
fn t17_nothing_is_normalized() {
    check_unchanged("x y z", "M[0] = x + (y + z)\nM[1] = (x + y) + z\nM[2] = z + y");
}

#[test]
fn t18_body_of_a_let_is_left_alone() {
    check_unchanged("x y", "M[0] = T.Let(a * x + a * x, where={a: y})");
}

#[test]
fn t19_value_of_a_let_is_shared() {
    check(
        "x y",
        "M[0] = T.Let(a + 1, where={a: x * y})\nM[1] = x * y",
        expect![[r#"
        cse_v1: T.let[T.int32] = x * y
        a = T.int32()
        M[0] = T.Let(a + 1, where={a: cse_v1})
        M[1] = cse_v1
    "#]],
    );
}

#[test]
fn t20_nested_lets_are_left_alone() {
    check_unchanged("x y", "M[0] = T.Let(T.Let(a * b + a * b, where={b: a + x}), where={a: y})");
}

#[test]
fn t21_lowered_floor_division_keeps_its_lets() {
    check(
        "x y",
        "
        M[0] = T.Let(T.Select(r >= 0, q, q - 1), where={q: T.Div(x * y, 3), r: T.Mod(x * y, 3)})
        M[1] = x * y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            q = T.int32()
            r = T.int32()
            M[0] = T.Let(T.Let(T.Select(r >= 0, q, q - 1), where={r: T.truncmod(cse_v1, 3)}), where={q: T.Div(cse_v1, 3)})
            M[1] = cse_v1
        "#]],
    );
}

#[test]
fn t22_conditions_are_left_alone_and_their_operands_are_not() {
    check(
        "n x y",
        "
        if x * y < n:
            M[0] = 1
        if x * y < n:
            M[1] = 1
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            if cse_v1 < n:
                M[0] = 1
            if cse_v1 < n:
                M[1] = 1
        "#]],
    );
    check_unchanged("n x", "if x < n:\n    M[0] = 1\nif x < n:\n    M[1] = 1");
}

#[test]
fn t23_and_of_conditions_is_left_alone() {
    check_unchanged(
        "n x y",
        "if x < n and y < n:\n    M[0] = 1\nif x < n and y < n:\n    M[1] = 1",
    );
}

#[test]
fn t24_statements_that_are_alike_define_each_variable_once() {
    let copy = "if x > 0:\n    M[0] = x * y\n    M[1] = x * y\n";
    let text = function("x y", &copy.repeat(2));
    let (_, _, lowered) = &crate::support::lowered(&text)[0];
    let occurrences = ir::Occurrences::collect(&lowered.body);
    let plan = transform::cse::plan(
        &Analyses::of(&lowered.body, &occurrences, EffectTable::builtin()),
        None,
        &tvm(true),
    );
    let body = transform::cse::rewrite(&lowered.body, &occurrences, &plan);
    assert_eq!(ir::verify::verify(&body), []);
    check(
        "x y",
        &copy.repeat(2),
        expect![[r#"
        cse_v1: T.let[T.int32] = x * y
        if x > 0:
            M[0] = cse_v1
            M[1] = cse_v1
        if x > 0:
            M[0] = cse_v1
            M[1] = cse_v1
    "#]],
    );
}
