//! Statements that are never executed.

use expect_test::{Expect, expect};
use transform::findings::FindingKind;

#[track_caller]
fn check(statements: &str, expected: Expect) {
    super::check(FindingKind::Unreachable, statements, expected);
}

#[test]
fn arm_whose_condition_is_never_true() {
    check(
        "
        for i in range(16):
            if i < 16:
                A[i] = 1
            else:
                A[i] = 2
                A[i + 1] = 2
        ",
        expect![[r#"
            # unreachable at 5 `A[i] = 2`: this is never executed: its condition is never true; this decides it: 2 `i < 16`
            for i in range(16):
                A[i] = 1
        "#]],
    );
}

#[test]
fn threads_that_an_attribute_adds_are_beyond_the_launch() {
    check(
        "
        v = T.launch_thread(\"threadIdx.x\", 128)
        T.attr([128, 128], \"kWarpSpecializationScope\", 0)
        if v >= 128:
            A[0] = 1
        ",
        expect![[r##""##]],
    );
}

#[test]
fn loop_without_iterations() {
    check(
        "
        for i in range(0):
            A[i] = 1
        if x < 0:
            for i in range(x):
                A[i] = 2
        ",
        expect![[r#"
            # unreachable at 2 `A[i] = 1`: this is never executed: the loop around it runs no iteration; this loop: 1 `for i in range(0):`
            # unreachable at 5 `A[i] = 2`: this is never executed: the loop around it runs no iteration; this loop: 4 `for i in range(x):`
            if x < 0:
                T.evaluate(0)
        "#]],
    );
}

#[test]
fn statements_after_an_end_are_unreachable() {
    check(
        "
        for i in range(x):
            if A[i] > 0:
                break
                A[i] = 1
            A[i] = 2
            continue
            A[i] = 3
            A[i] = 4
        ",
        expect![[r#"
            # unreachable at 4 `A[i] = 1`: this is never executed: the statement before it does not continue; nothing after this is executed: 3 `break`
            # unreachable at 7 `A[i] = 3`: this is never executed: the statement before it does not continue; nothing after this is executed: 6 `continue`
            for i in range(x):
                if A[i] > 0:
                    break
                A[i] = 2
                continue
        "#]],
    );
}

#[test]
fn statements_after_an_if_without_continuing_arms_are_unreachable() {
    check(
        "
        for i in range(x):
            if A[i] > 0:
                break
            else:
                continue
            A[i] = 1
        ",
        expect![[r#"
            # unreachable at 6 `A[i] = 1`: this is never executed: the statement before it does not continue; nothing after this is executed: 2 `if A[i] > 0:`
            for i in range(x):
                if A[i] > 0:
                    break
                else:
                    continue
        "#]],
    );
}

#[test]
fn inside_of_what_is_unreachable_nothing_more_is_told() {
    check(
        "
        if x > 0:
            if x < 0:
                for i in range(0):
                    A[i] = 1
                if x == 0:
                    A[0] = 1
        ",
        expect![[r#"
            # unreachable at 3 `for i in range(0):`: this is never executed: its condition is never true; this decides it: 2 `x < 0`
            if x > 0:
                T.evaluate(0)
        "#]],
    );
}
