//! The preset `tvm-2022`: the tests of the pass and further vectors, worked by hand from its rules.

use expect_test::{Expect, expect};
use ir::plan::{Equivalence, Preset};
use transform::cse::CseOptions;

use crate::support::rewritten;

fn options(identify: bool) -> CseOptions {
    CseOptions {
        preset: Preset::Tvm2022,
        allow_unsound: true,
        equivalence: if identify { Equivalence::Arithmetic } else { Equivalence::Syntactic },
        ..CseOptions::default()
    }
}

/// A function of whole numbers and a buffer `M`.
pub(crate) fn function(params: &str, statements: &str) -> String {
    let mut text = String::from("from tvm.script import tirx as T\n\n@T.prim_func\ndef f(\n");
    for name in params.split_whitespace() {
        text.push_str(&format!("    {name}: T.int32,\n"));
    }
    text.push_str("    M: T.Buffer((4096,), \"int32\"),\n    B: T.Buffer((4096,), \"int32\"),\n");
    text.push_str("):\n");
    for line in test_utils::trim_indent(statements).lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

#[track_caller]
fn check(params: &str, statements: &str, expected: Expect) {
    expected.assert_eq(&rewritten(&function(params, statements), &options(false)));
}

#[track_caller]
fn check_identified(params: &str, statements: &str, expected: Expect) {
    expected.assert_eq(&rewritten(&function(params, statements), &options(true)));
}

#[track_caller]
fn check_unchanged(params: &str, statements: &str) {
    crate::support::check_unchanged(&function(params, statements), &options(false));
}

// ---- the tests of the pass ----

#[test]
fn values_wait_for_their_variables() {
    check(
        "i1 i2 z3",
        "
        z1: T.let[T.int32] = 1
        z2: T.let[T.int32] = 2
        M[i1] = z1 + z2
        x: T.let[T.int32] = 1
        y: T.let[T.int32] = 1
        a: T.let[T.int32] = (x + y) + (z1 + z2)
        b: T.let[T.int32] = (x + y) + z3
        M[i2] = a + b
        ",
        expect![[r#"
            z1: T.let[T.int32] = 1
            z2: T.let[T.int32] = 2
            cse_v1: T.let[T.int32] = z1 + z2
            M[i1] = cse_v1
            x: T.let[T.int32] = 1
            y: T.let[T.int32] = 1
            cse_v2: T.let[T.int32] = x + y
            a: T.let[T.int32] = cse_v2 + cse_v1
            b: T.let[T.int32] = cse_v2 + z3
            M[i2] = a + b
        "#]],
    );
}

#[test]
fn repetition_inside_a_branch_is_bound_in_it() {
    check(
        "i1 i2 i3 y z",
        "
        b: T.let[T.int32] = 1
        if b == 1:
            M[i1] = y + z
            M[i2] = y + z
        else:
            M[i3] = y
        ",
        expect![[r#"
            b: T.let[T.int32] = 1
            if b == 1:
                cse_v1: T.let[T.int32] = y + z
                M[i1] = cse_v1
                M[i2] = cse_v1
            else:
                M[i3] = y
        "#]],
    );
}

#[test]
fn repetition_in_both_branches_is_bound_above() {
    check(
        "i1 i2 i3 y z",
        "
        b: T.let[T.int32] = 1
        if b == 1:
            M[i1] = y + z
            M[i2] = y
        else:
            M[i3] = y + z
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = y + z
            b: T.let[T.int32] = 1
            if b == 1:
                M[i1] = cse_v1
                M[i2] = y
            else:
                M[i3] = cse_v1
        "#]],
    );
}

#[test]
fn values_cascade() {
    check(
        "i1 i2 i3 x y z",
        "M[i1] = (x + y) + z\nM[i2] = (x + y) + z\nM[i3] = x + y",
        expect![[r#"
            cse_v2: T.let[T.int32] = x + y
            cse_v1: T.let[T.int32] = cse_v2 + z
            M[i1] = cse_v1
            M[i2] = cse_v1
            M[i3] = cse_v2
        "#]],
    );
}

#[test]
fn nothing_is_normalized() {
    check_identified(
        "x y z",
        "a: T.let[T.int32] = x + (y + z)\nT.evaluate(a)",
        expect![[r#"
        a: T.let[T.int32] = x + (y + z)
        T.evaluate(a)
    "#]],
    );
}

#[test]
fn equivalent_by_distributivity() {
    check_identified(
        "i1 i2 x y z",
        "B[i1] = (y + z) * x\nB[i2] = x * y + x * z",
        expect![[r#"
        cse_v1: T.let[T.int32] = (y + z) * x
        B[i1] = cse_v1
        B[i2] = cse_v1
    "#]],
    );
}

#[test]
fn equivalent_by_associativity() {
    check_identified(
        "i1 i2 x y z",
        "B[i1] = (x + y) + z\nB[i2] = x + (y + z)",
        expect![[r#"
        cse_v1: T.let[T.int32] = x + y + z
        B[i1] = cse_v1
        B[i2] = cse_v1
    "#]],
    );
}

#[test]
fn numbers_follow_the_order_of_creation() {
    let terms: Vec<String> = (1..=10).map(|it| format!("(x + {it})")).collect();
    let sum = format!("x + {} + {}", terms.join(" + "), terms.join(" + "));
    check(
        "x",
        &format!("result: T.let[T.int32] = {sum}\nT.evaluate(result)"),
        expect![[r#"
        cse_v10: T.let[T.int32] = x + 1
        cse_v9: T.let[T.int32] = x + 2
        cse_v8: T.let[T.int32] = x + 3
        cse_v7: T.let[T.int32] = x + 4
        cse_v6: T.let[T.int32] = x + 5
        cse_v5: T.let[T.int32] = x + 6
        cse_v4: T.let[T.int32] = x + 7
        cse_v3: T.let[T.int32] = x + 8
        cse_v2: T.let[T.int32] = x + 9
        cse_v1: T.let[T.int32] = x + 10
        result: T.let[T.int32] = x + cse_v10 + cse_v9 + cse_v8 + cse_v7 + cse_v6 + cse_v5 + cse_v4 + cse_v3 + cse_v2 + cse_v1 + cse_v10 + cse_v9 + cse_v8 + cse_v7 + cse_v6 + cse_v5 + cse_v4 + cse_v3 + cse_v2 + cse_v1
        T.evaluate(result)
    "#]],
    );
}

// ---- the user's own bindings ----

#[test]
fn binding_in_sight_of_another_use_gets_a_name_itself() {
    check(
        "i x y",
        "a: T.let[T.int32] = x + y\nM[i] = x + y\nM[0] = a",
        expect![[r#"
        cse_v1: T.let[T.int32] = x + y
        a: T.let[T.int32] = cse_v1
        M[i] = cse_v1
        M[0] = a
    "#]],
    );
}

#[test]
fn binding_of_the_user_serves_what_a_loop_hides() {
    check(
        "n x y",
        "a: T.let[T.int32] = x + y\nM[0] = a\nfor i in range(n):\n    M[i] = x + y",
        expect![[r#"
            a: T.let[T.int32] = x + y
            M[0] = a
            for i in range(n):
                M[i] = a
        "#]],
    );
}

#[test]
fn binding_of_the_user_serves_where_a_variable_is_never_known() {
    check(
        "x",
        "
        with T.launch_thread(\"threadIdx.x\", 32) as tid:
            a: T.let[T.int32] = tid * 4
            M[0] = tid * 4
            M[1] = tid * 4 + x
            M[2] = a
        ",
        expect![[r#"
            tid = T.launch_thread("threadIdx.x", 32)
            a: T.let[T.int32] = tid * 4
            M[0] = a
            M[1] = a + x
            M[2] = a
        "#]],
    );
    check_unchanged(
        "x",
        "
        with T.launch_thread(\"threadIdx.x\", 32) as tid:
            M[0] = tid * 4
            M[1] = tid * 4 + x
        ",
    );
}

#[test]
fn outermost_binding_serves() {
    check(
        "n x y",
        "
        a: T.let[T.int32] = x + y
        b: T.let[T.int32] = 2
        M[0] = a + b
        for i in range(n):
            c: T.let[T.int32] = x + y
            for j in range(n):
                M[j] = (x + y) + c
        ",
        expect![[r#"
            a: T.let[T.int32] = x + y
            b: T.let[T.int32] = 2
            M[0] = a + b
            for i in range(n):
                c: T.let[T.int32] = a
                for j in range(n):
                    M[j] = a + c
        "#]],
    );
}

// ---- further vectors ----

#[test]
fn equal_sizes_keep_the_order_they_are_met_in() {
    check(
        "t x y z",
        "M[0] = x + y\nM[1] = z + t\nM[2] = x + y\nM[3] = z + t",
        expect![[r#"
        cse_v2: T.let[T.int32] = z + t
        cse_v1: T.let[T.int32] = x + y
        M[0] = cse_v1
        M[1] = cse_v2
        M[2] = cse_v1
        M[3] = cse_v2
    "#]],
    );
}

#[test]
fn condition_gets_a_let() {
    check(
        "i t x y z",
        "if x + y > z and x + y < t:\n    M[i] = 0",
        expect![[r#"
        cse_v1 = T.int32()
        if T.Let(cse_v1 > z and cse_v1 < t, where={cse_v1: x + y}):
            M[i] = 0
    "#]],
    );
}

#[test]
fn expressions_do_not_cascade_and_statements_do() {
    check(
        "x y z",
        "if ((x + y) + z) * ((x + y) + z) > x + y:\n    M[0] = 0",
        expect![[r#"
        cse_v1 = T.int32()
        if T.Let(cse_v1 * cse_v1 > x + y, where={cse_v1: x + y + z}):
            M[0] = 0
    "#]],
    );
    check(
        "x y z",
        "T.evaluate(((x + y) + z) * ((x + y) + z) > x + y)",
        expect![[r#"
        cse_v2: T.let[T.int32] = x + y
        cse_v1: T.let[T.int32] = cse_v2 + z
        T.evaluate(cse_v1 * cse_v1 > cse_v2)
    "#]],
    );
}

#[test]
fn value_of_a_let_in_an_expression_gets_a_let_itself() {
    check(
        "t x y z",
        "if (x + y) * (x + y) > z and (x + y) * (x + y) < t:\n    M[0] = 0",
        expect![[r#"
            cse_v1 = T.int32()
            if T.Let(cse_v1 > z and cse_v1 < t, where={cse_v1: (x + y) * (x + y)}):
                M[0] = 0
        "#]],
    );
}

#[test]
fn body_of_a_let_is_visited() {
    check(
        "x y",
        "T.evaluate(T.Let(a * a + a * a, where={a: x + y}))",
        expect![[r#"
        a = T.int32()
        cse_v1 = T.int32()
        T.evaluate(T.Let(T.Let(cse_v1 + cse_v1, where={cse_v1: a * a}), where={a: x + y}))
    "#]],
    );
}

#[test]
fn loops_bind_inside_and_nothing_is_hoisted() {
    check(
        "n x y",
        "for i in range(n):\n    M[i] = x * y\n    M[i + 1] = x * y",
        expect![[r#"
        for i in range(n):
            cse_v1: T.let[T.int32] = x * y
            M[i] = cse_v1
            M[i + 1] = cse_v1
    "#]],
    );
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
fn computation_of_one_part_is_hidden_outside() {
    for (params, statements) in [
        ("c x y", "M[0] = x * y\nif c > 0:\n    M[1] = x * y"),
        ("n x y", "M[0] = x * y\nfor i in range(n):\n    M[i] = x * y"),
        ("n x y", "for i in range(n):\n    M[i] = x * y\nfor i in range(n):\n    M[i] = x * y"),
        ("c d x y", "if c > 0:\n    M[1] = x * y\nif d > 0:\n    M[1] = x * y"),
        ("n x y", "while x * y > n:\n    M[0] = x * y"),
        ("x y", "M[0] = x + y\nM[1] = y + x"),
        ("i x y z", "if x + y > z:\n    M[i] = x + y"),
    ] {
        check_unchanged(params, statements);
    }
}

#[test]
fn swapped_operands_are_equivalent_when_asked() {
    check_identified(
        "x y",
        "M[0] = x + y\nM[1] = y + x",
        expect![[r#"
        cse_v1: T.let[T.int32] = x + y
        M[0] = cse_v1
        M[1] = cse_v1
    "#]],
    );
}

#[test]
fn every_canonical_form_is_equivalent_when_asked() {
    check_identified(
        "x y z",
        "
        M[0] = x + x + x + T.max(y, z)
        M[1] = T.max(z, y) + 3 * x
        M[2] = T.Cast(\"int32\", x - y > z)
        M[3] = T.Cast(\"int32\", z < x - y)
        ",
        expect![[r#"
            cse_v2: T.let[T.int32] = T.Cast("int32", x - y > z)
            cse_v1: T.let[T.int32] = x + x + x + T.max(y, z)
            M[0] = cse_v1
            M[1] = cse_v1
            M[2] = cse_v2
            M[3] = cse_v2
        "#]],
    );
}

#[test]
fn other_form_that_may_overflow_is_refused_by_default() {
    let text = function("x y z", "M[0] = (x + y) + z\nM[1] = x + (y + z)");
    let sound = CseOptions { allow_unsound: false, ..options(true) };
    assert!(!rewritten(&text, &sound).contains("cse_v"));
}

#[test]
fn replacement_goes_where_counting_does_not() {
    check(
        "c x y",
        "M[0] = x * y\nM[1] = x * y\nif c > 0:\n    M[2] = x * y",
        expect![[r#"
        cse_v1: T.let[T.int32] = x * y
        M[0] = cse_v1
        M[1] = cse_v1
        if c > 0:
            M[2] = cse_v1
    "#]],
    );
}

#[test]
fn names_in_use_are_skipped() {
    check(
        "cse_v1 x y",
        "M[0] = (x + y) + cse_v1\nM[1] = x + y",
        expect![[r#"
        cse_v2: T.let[T.int32] = x + y
        M[0] = cse_v2 + cse_v1
        M[1] = cse_v2
    "#]],
    );
}

#[test]
fn indices_and_one_expression_are_looked_into() {
    check(
        "i j",
        "M[i * 16 + j] = B[i * 16 + j]",
        expect![[r#"
        cse_v1: T.let[T.int32] = i * 16 + j
        M[cse_v1] = B[cse_v1]
    "#]],
    );
    check(
        "x y",
        "M[0] = (x + y) * (x + y)",
        expect![[r#"
        cse_v1: T.let[T.int32] = x + y
        M[0] = cse_v1 * cse_v1
    "#]],
    );
}

#[test]
fn three_sizes_are_taken_one_after_the_other() {
    check(
        "t u x y z",
        "
        M[0] = (x + y) * (z + t)
        M[1] = (x + y) * (z + t)
        M[2] = z + t
        M[3] = (x + y) + u
        ",
        expect![[r#"
            cse_v3: T.let[T.int32] = x + y
            cse_v2: T.let[T.int32] = z + t
            cse_v1: T.let[T.int32] = cse_v3 * cse_v2
            M[0] = cse_v1
            M[1] = cse_v1
            M[2] = cse_v2
            M[3] = cse_v3 + u
        "#]],
    );
}

#[test]
fn speculation_is_reproduced_and_refused_by_default() {
    let statements = "
        M[0] = T.if_then_else(y > 0, x // y, 1)
        M[1] = T.if_then_else(y > 0, x // y, 2)
    ";
    check(
        "x y",
        statements,
        expect![[r#"
        cse_v2: T.let[T.int32] = x // y
        cse_v1: T.let[T.bool] = y > 0
        M[0] = T.if_then_else(cse_v1, cse_v2, 1)
        M[1] = T.if_then_else(cse_v1, cse_v2, 2)
    "#]],
    );
    let sound = CseOptions { allow_unsound: false, ..options(false) };
    let expected = expect![[r#"
        cse_v1: T.let[T.bool] = y > 0
        M[0] = T.if_then_else(cse_v1, x // y, 1)
        M[1] = T.if_then_else(cse_v1, x // y, 2)
    "#]];
    expected.assert_eq(&rewritten(&function("x y", statements), &sound));
}

#[test]
fn parts_of_addresses_are_shared() {
    check(
        "i j",
        "
        M[i * 256 + j * 16 + 0] = B[i * 256 + j * 16 + 4096]
        M[i * 256 + j * 16 + 1] = B[i * 256 + j * 16 + 4097]
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = i * 256 + j * 16
            M[cse_v1] = B[cse_v1 + 4096]
            M[cse_v1 + 1] = B[cse_v1 + 4097]
        "#]],
    );
}

#[test]
fn statements_without_effect_are_left_out() {
    check(
        "x",
        "T.evaluate(0)\nM[2] = x",
        expect![[r#"
        M[2] = x
    "#]],
    );
    check(
        "x",
        "T.evaluate(0)\nT.evaluate(0)",
        expect![[r#"
        T.evaluate(0)
    "#]],
    );
}

#[test]
fn value_made_early_is_part_of_one_made_later() {
    // The larger value is met once outside of a third one, so it is found when the smaller one has a name.
    check(
        "u w x y",
        "
        M[0] = x * y * w + u
        M[1] = x * y * w + u
        M[2] = x * y * w
        M[3] = x * y
        ",
        expect![[r#"
            cse_v2: T.let[T.int32] = x * y
            cse_v3: T.let[T.int32] = cse_v2 * w
            cse_v1: T.let[T.int32] = cse_v3 + u
            M[0] = cse_v1
            M[1] = cse_v1
            M[2] = cse_v3
            M[3] = cse_v2
        "#]],
    );
}

#[test]
fn squares_of_squares_are_taken_out_one_by_one() {
    check(
        "x y",
        "M[0] = ((x + y) * (x + y)) * ((x + y) * (x + y))",
        expect![[r#"
        cse_v2: T.let[T.int32] = x + y
        cse_v1: T.let[T.int32] = cse_v2 * cse_v2
        M[0] = cse_v1 * cse_v1
    "#]],
    );
}

#[test]
fn value_of_a_let_may_be_its_body() {
    check(
        "x",
        "
        for i in T.serial(x * x, x * x):
            M[0] = T.Let(x * x, where={y: x * x})
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * x
            for i in range(cse_v1, cse_v1 + (0)):
                y = T.int32()
                M[0] = T.Let(cse_v1, where={y: cse_v1})
        "#]],
    );
    check(
        "x y",
        "M[0] = T.Let(x * y, where={z: x * y})",
        expect![[r#"
        cse_v1: T.let[T.int32] = x * y
        z = T.int32()
        M[0] = T.Let(cse_v1, where={z: cse_v1})
    "#]],
    );
    check(
        "x y",
        "M[0] = T.Let(T.Let(x * y, where={z: x * y}), where={w: 0})",
        expect![[r#"
        cse_v1: T.let[T.int32] = x * y
        w = T.int32()
        z = T.int32()
        M[0] = T.Let(T.Let(cse_v1, where={z: cse_v1}), where={w: 0})
    "#]],
    );
    check(
        "x y",
        "M[0] = T.Let(T.Let(-w, where={z: -w}), where={w: x})",
        expect![[r#"
        w = T.int32()
        cse_v1 = T.int32()
        z = T.int32()
        M[0] = T.Let(T.Let(T.Let(cse_v1, where={z: cse_v1}), where={cse_v1: w * -1}), where={w: x})
    "#]],
    );
    check(
        "x y",
        "
        for i in T.unroll(T.Let(x * y, where={z: x * y})):
            M[0] = i
        ",
        expect![[r#"
            cse_v1 = T.int32()
            z = T.int32()
            for i in T.unroll(T.Let(T.Let(cse_v1, where={z: cse_v1}), where={cse_v1: x * y})):
                M[0] = i
        "#]],
    );
}

#[test]
fn value_in_a_let_is_bound_outside_of_it() {
    check(
        "x y",
        "M[0] = T.Let(T.Let((v + 1) * (v + 1), where={w: y}), where={v: x})",
        expect![[r#"
            v = T.int32()
            cse_v1 = T.int32()
            w = T.int32()
            M[0] = T.Let(T.Let(T.Let(cse_v1 * cse_v1, where={w: y}), where={cse_v1: v + 1}), where={v: x})
        "#]],
    );
    check(
        "x y",
        "M[0] = T.Let(T.Let(v + 1, where={w: y}) * (v + 1), where={v: x})",
        expect![[r#"
            v = T.int32()
            cse_v1 = T.int32()
            w = T.int32()
            M[0] = T.Let(T.Let(T.Let(cse_v1, where={w: y}) * cse_v1, where={cse_v1: v + 1}), where={v: x})
        "#]],
    );
    // The value of one in the value of another, both further in than they are bound.
    check(
        "x y",
        "M[0] = T.Let(T.Let((v + 1) * 2 + (v + 1) + (v + 1) * 2, where={w: y}), where={v: x})",
        expect![[r#"
            v = T.int32()
            cse_v1 = T.int32()
            w = T.int32()
            M[0] = T.Let(T.Let(T.Let(cse_v1 + (v + 1) + cse_v1, where={w: y}), where={cse_v1: (v + 1) * 2}), where={v: x})
        "#]],
    );
    check(
        "x y",
        "M[0] = T.Let(T.Let(T.Let((v + w) * u, where={u: v + w}), where={w: y}), where={v: x})",
        expect![[r#"
            v = T.int32()
            w = T.int32()
            cse_v1 = T.int32()
            u = T.int32()
            M[0] = T.Let(T.Let(T.Let(T.Let(cse_v1 * u, where={u: cse_v1}), where={cse_v1: v + w}), where={w: y}), where={v: x})
        "#]],
    );
}

/// A division by another variable may be the same node: numbers of binders are no names.
#[test]
fn value_in_a_let_is_not_that_of_another_let() {
    let text = function(
        "x y",
        "
        M[0] = T.Let(T.if_then_else(x > 0, x // v + x // v, 0) + T.Let(x // w, where={w: 1}), where={v: y})
        M[1] = T.Let(T.Let(v + 1, where={w: y}) + T.Let(w + 1, where={w: v}), where={v: x})
        ",
    );
    let sound = CseOptions { allow_unsound: false, ..options(false) };
    crate::support::check_unchanged(&text, &sound);
}

#[test]
fn variable_of_the_user_ends_with_its_scope() {
    // The second branch knows from the first one what the variable stands for.
    check(
        "x y",
        "
        if x > 0:
            z: T.let[T.int32] = x * y
            if x > 1:
                M[0] = x * y
            if x > 2:
                M[1] = x * y
            M[2] = 0
        if x > 3:
            M[3] = x * y
        ",
        expect![[r#"
            if x > 0:
                z: T.let[T.int32] = x * y
                if x > 1:
                    M[0] = z
                if x > 2:
                    M[1] = z
                M[2] = 0
            if x > 3:
                M[3] = x * y
        "#]],
    );
}

#[test]
fn let_in_an_extent_is_declared_before_its_own_loop() {
    // TVM reads no `T.grid` whose later extents name variables that are declared nowhere.
    check(
        "x y",
        "
        for i, j in T.grid(x, (x + y) * (x + y)):
            M[i] = j
        ",
        expect![[r#"
            for i in range(x):
                cse_v1 = T.int32()
                for j in range(T.Let(cse_v1 * cse_v1, where={cse_v1: x + y})):
                    M[i] = j
        "#]],
    );
}

#[test]
fn equal_lets_have_variables_of_their_own() {
    // TVM refuses a variable that two lets bind.
    check(
        "x y",
        "
        v = T.int32()
        w = T.int32()
        if T.Let(v * v, where={v: x}) > T.Let(w * w, where={w: x}) + y:
            z = T.int32()
            M[0] = T.Let(z * z, where={z: x})
        ",
        expect![[r#"
            v = T.int32()
            v_1 = T.int32()
            if T.Let(v * v, where={v: x}) > T.Let(v_1 * v_1, where={v_1: x}) + y:
                v_2 = T.int32()
                M[0] = T.Let(v_2 * v_2, where={v_2: x})
        "#]],
    );
}
