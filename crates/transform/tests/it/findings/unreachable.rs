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
            # unreachable ArmNotTaken at 5 `A[i] = 2`; Decides 2 `i < 16`
            for i in range(16):
                A[i] = 1
        "#]],
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
            # unreachable NoIteration at 2 `A[i] = 1`; Loop 1 `for i in range(0):`
            # unreachable NoIteration at 5 `A[i] = 2`; Loop 4 `for i in range(x):`
            if x < 0:
                T.evaluate(0)
        "#]],
    );
}

#[test]
fn what_follows_an_end() {
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
            # unreachable AfterEnd at 4 `A[i] = 1`; Ends 3 `break`
            # unreachable AfterEnd at 7 `A[i] = 3`; Ends 6 `continue`
            for i in range(x):
                if A[i] > 0:
                    break
                A[i] = 2
                continue
        "#]],
    );
}

#[test]
fn what_follows_an_if_of_which_no_arm_goes_on() {
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
            # unreachable AfterEnd at 6 `A[i] = 1`; Ends 2 `if A[i] > 0:`
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
            # unreachable ArmNotTaken at 3 `for i in range(0):`; Decides 2 `x < 0`
            if x > 0:
                T.evaluate(0)
        "#]],
    );
}
