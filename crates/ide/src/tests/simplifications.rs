//! Simplifications as editors see them: diagnostics with the rules that lead to the simpler form, quick fixes.

use expect_test::expect;

use super::findings::check;

#[test]
fn simpler_expression_is_named_with_its_rules_and_can_be_written() {
    check(
        "
        for k in range(8):
            A[(k * 4 + $0j) // 4] = T.min(n, n + 1)
        ",
        expect![[r#"
            # Hint simplifiable `(k * 4 + j) // 4`: `(k * 4 + j) // 4` is `k + j // 4` here (floordiv-multiple)
            # Hint simplifiable `T.min(n, n + 1)`: `T.min(n, n + 1)` is `n` here (decided, min-operand)
            # fix: Write `k + j // 4`
            # fix: Simplify all of `f` (2 steps)
            # fix: Ignore `simplifiable` here
            for k in range(8):
                A[k + j // 4] = T.min(n, n + 1)
        "#]],
    );
}

#[test]
fn guards_that_are_one_can_be_merged() {
    check(
        "
        if$0 i < n:
            if j < n:
                A[i] = j
        ",
        expect![[r#"
            # Hint mergeable-guards `if j < n:
                        A[i] = j`: these guards can be one
            #     this decides it
        "#]],
    );
}

#[test]
fn loop_of_one_iteration_can_be_replaced_by_its_body() {
    check(
        "
        for$0 k in range(1):
            # kept
            A[i + k] = j
        ",
        expect![[r#"
            # Hint single-iteration-loop `for k in range(1):
                    # kept
                    A[i + k] = j`: this loop runs one iteration
            # Hint simplifiable `i + k`: `i + k` is `i` here (neutral-operand)
            # fix: Replace the loop by its body
            # fix: Simplify all of `f` (2 steps)
            # fix: Ignore `single-iteration-loop` here
            # kept
            A[i] = j
        "#]],
    );
}
