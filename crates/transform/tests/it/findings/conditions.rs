//! Conditions that are known where they stand.

use expect_test::{Expect, expect};
use transform::findings::FindingKind;

#[track_caller]
fn check_redundant(statements: &str, expected: Expect) {
    super::check(FindingKind::RedundantCondition, statements, expected);
}

#[track_caller]
fn check_constant(statements: &str, expected: Expect) {
    super::check(FindingKind::ConstantCondition, statements, expected);
}

#[test]
fn enclosing_condition_decides() {
    check_redundant(
        "
        for i in range(64):
            if i < x:
                if i < x + 1:
                    A[i] = 1
        ",
        expect![[r#"
            # redundant-condition at 3 `i < x + 1`: _ is always true here; this decides it: 2 `i < x`
            for i in range(64):
                if i < x:
                    A[i] = 1
        "#]],
    );
}

#[test]
fn one_side_of_a_conjunction_is_known() {
    check_redundant(
        "
        if x > 3 and y > x:
            if y > 2 and x < 100:
                A[x] = y
        ",
        expect![[r#"
            # redundant-condition at 2 `y > 2`: _ is always true here; this decides it: 1 `y > x`
            if x > 3 and y > x:
                if x < 100:
                    A[x] = y
        "#]],
    );
}

#[test]
fn arm_of_a_conditional_expression_knows_its_condition() {
    check_redundant(
        "
        A[0] = T.if_then_else(x > 3, T.if_then_else(x > 1, x, y), 0)
        ",
        expect![[r#"
            # redundant-condition at 1 `x > 1`: _ is always true here; this decides it: 1 `x > 3`
            A[0] = T.if_then_else(x > 3, x, 0)
        "#]],
    );
}

#[test]
fn an_element_under_a_condition_does_not_become_a_place() {
    check_redundant(
        "if x > 3:\n    T.evaluate(unknown(T.if_then_else(x > 3, A[0], 0)))\n    T.evaluate(T.ptx_st_x(T.if_then_else(x > 3, A[0], 0)))\n    A[1] = T.if_then_else(x > 3, A[0], 0)",
        expect![[r#"
            # redundant-condition at 3 `x > 3`: _ is always true here; this decides it: 1 `x > 3`; no fix
            # redundant-condition at 4 `x > 3`: _ is always true here; this decides it: 1 `x > 3`
            if x > 3:
                T.evaluate(unknown(T.if_then_else(x > 3, A[0], 0)))
                T.evaluate(T.ptx_st_x(T.if_then_else(x > 3, A[0], 0)))
                A[1] = A[0]
        "#]],
    );
}

#[test]
fn assertion_and_early_return_decide_what_follows() {
    check_redundant(
        r#"
        assert x % 4 == 0, "aligned"
        if x % 2 == 1:
            A[0] = 1
        else:
            A[0] = 2
        "#,
        expect![[r##"
            # redundant-condition at 2 `x % 2 == 1`: _ is always false here; this decides it: 1 `x % 4 == 0`
            assert x % 4 == 0, "aligned"
            A[0] = 2
        "##]],
    );
}

#[test]
fn never_true_condition_loses_its_statement() {
    check_redundant(
        "
        if x < y:
            A[0] = 1
            if y <= x:
                A[1] = 1
        ",
        expect![[r#"
            # redundant-condition at 3 `y <= x`: _ is always false here; this decides it: 1 `x < y`
            if x < y:
                A[0] = 1
        "#]],
    );
}

#[test]
fn condition_on_a_load_is_unknown_later() {
    check_redundant(
        "
        if A[0] > 0:
            A[0] = 0
            if A[0] > 0:
                A[1] = 1
        ",
        expect![[""]],
    );
}

#[test]
fn left_side_and_select_decide_nothing() {
    check_redundant(
        "
        A[0] = T.Select(x > 3, T.Select(x > 1, x, y), 0)
        if x > 5 and x > 2:
            A[1] = 1
        ",
        expect![[""]],
    );
}

#[test]
fn ranges_of_loops_decide() {
    check_constant(
        "
        for i in range(16):
            if i < 32:
                A[i] = 1
            if i == 16:
                A[i] = 2
            else:
                A[i] = 3
        ",
        expect![[r#"
            # constant-condition at 2 `i < 32`: _ is always true; this decides it: 1 `for i in range(16):`
            # constant-condition at 4 `i == 16`: _ is always false; this decides it: 1 `for i in range(16):`
            for i in range(16):
                A[i] = 1
                A[i] = 3
        "#]],
    );
}

#[test]
fn constants_written_as_conditions_are_meant() {
    check_constant(
        "
        while True:
            A[0] = 1
            if x > 0:
                break
        ",
        expect![[""]],
    );
}

#[test]
fn whole_condition_is_told_not_its_parts() {
    check_constant(
        "
        for i in range(16):
            if i < 32 and i >= 0:
                A[i] = T.if_then_else(0 <= i and i < x, 1, 2)
        ",
        expect![[r#"
            # constant-condition at 2 `i < 32 and i >= 0`: _ is always true; this decides it: 1 `for i in range(16):`
            # constant-condition at 3 `0 <= i`: _ is always true; this decides it: 1 `for i in range(16):`
            for i in range(16):
                A[i] = T.if_then_else(0 <= i and i < x, 1, 2)
        "#]],
    );
}

#[test]
fn arm_with_names_that_are_used_elsewhere_stays_where_it_is() {
    check_constant(
        "
        for i in range(16):
            if i < 32:
                z: T.let[T.int32] = i * x
                A[i] = z
            z: T.let[T.int32] = i * y
            A[i + 1] = z
        ",
        expect![[r#"
            # constant-condition at 2 `i < 32`: _ is always true; this decides it: 1 `for i in range(16):`; no fix
        "#]],
    );
}
