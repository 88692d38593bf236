//! Simplifications as editors see them: diagnostics with the rules that lead to the simpler form, quick fixes.

use expect_test::expect;

use syntax::TextEdit;

use super::{FILE, analysis, findings::check, function, with_cursor};
use crate::{ActionKind, DiagnosticsConfig, TextRange};

#[test]
fn simpler_expression_is_named_with_its_rules_and_can_be_written() {
    check(
        "
        for k in range(8):
            A[(k * 4 + $0j) // 4] = T.min(n, n + 1)
        ",
        expect![[r#"
            # Hint simplifiable `(k * 4 + j) // 4`: `(k * 4 + j) // 4` is `k + j // 4` here (floordiv-multiple)
            # Hint simplifiable `T.min(n, n + 1)`: `T.min(n, n + 1)` is `n` here (min-operand)
            # fix: Write `k + j // 4`
            # fix: Simplify all of `f` (2 steps)
            # fix: Ignore `simplifiable` here
            for k in range(8):
                A[k + j // 4] = T.min(n, n + 1)
        "#]],
    );
}

#[test]
fn one_guard_in_another_is_no_news() {
    check(
        "
        if$0 i < n:
            if j < n:
                A[i] = j
        ",
        expect![""],
    );
}

#[test]
fn a_guard_stays_in_a_loop_with_annotations() {
    check(
        "
        for k in T.serial(8, annotations={\"nki_dim\": \"P\"}):
            if$0 i < n:
                A[k] = j
        ",
        expect![[r#""#]],
    );
}

#[test]
fn of_the_loops_of_one_header_those_of_one_iteration_are_named() {
    check(
        "
        for k, l in T.grid(8, 1):
            A[k +$0 l] = j
        ",
        expect![[r#"
            # Hint single-iteration-loop `for k, l in T.grid(8, 1):
                    A[k + l] = j`: the loop over `l` runs one iteration
            # Hint simplifiable `k + l`: `k + l` is `k` here (neutral-operand)
            # fix: Write `k`
            # fix: Replace the loop by its body
            # fix: Simplify all of `f` (2 steps)
            # fix: Ignore `simplifiable` here
            # fix: Ignore `single-iteration-loop` here
            for k, l in T.grid(8, 1):
                A[k] = j
        "#]],
    );
}

#[test]
fn a_known_condition_is_not_also_a_guard_to_merge() {
    check(
        "
        for k in range(16):
            if k < n:
                if k <$0 n:
                    A[k] = j
        ",
        expect![[r#"
            # Hint redundant-condition `k < n`: `k < n` is always true here
            #     this decides it
            # fix: Keep only the code that is executed
            # fix: Assume `15 < n`, so that `k < n` is simpler
            # fix: Assert `15 < n`, so that `k < n` is simpler
            # fix: Ignore `redundant-condition` here
            for k in range(16):
                if k < n:
                    A[k] = j
        "#]],
    );
}

#[test]
fn a_loop_that_never_runs_is_told_once() {
    check(
        "
        for k in range(0):
            A[$0k] = j
        A[1] = j
        ",
        expect![[r#"
            # Information unreachable (faded) `A[k] = j`: this is never executed: the loop around it runs no iteration
            #     this loop
            # fix: Remove the code that is never executed
            # fix: Remove the loop
            # fix: Ignore `unreachable` here
            A[1] = j
        "#]],
    );
}

#[test]
fn the_only_statement_may_do_nothing() {
    check(
        "
        L = T.alloc_local((1,), \"int32\")
        T.evaluate(0)$0
        ",
        expect![[r#"
            # Hint dead-binding (faded) `L`: `L` is never used
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
                    A[i + k] = j`: the loop over `k` runs one iteration
            # Hint simplifiable `i + k`: `i + k` is `i` here (neutral-operand)
            # fix: Replace the loop by its body
            # fix: Simplify all of `f` (2 steps)
            # fix: Ignore `single-iteration-loop` here
            # kept
            A[i] = j
        "#]],
    );
}

#[test]
fn allowed_code_stays_when_all_is_simplified() {
    let (text, offset) = with_cursor(&function(
        "
        A[i + j -$0 j] = T.min(n, n + 1)
        B[i] = T.min(n, n + 1)  # tir: allow(simplifiable)
        ",
    ));
    let wants = |it| it == ActionKind::QuickFix;
    let actions = analysis(&text).code_actions(FILE, TextRange::empty(offset), &wants).unwrap();
    let all = actions.iter().find(|it| it.title.starts_with("Simplify all")).expect("an action");
    let after = TextEdit::from_edits(all.edits.clone()).expect("no overlap").apply(&text);
    assert!(after.contains("A[i] = n\n"), "{after}");
    assert!(after.contains("B[i] = T.min(n, n + 1)  # tir"), "{after}");
}

#[test]
fn fix_that_reads_back_differently_is_not_offered() {
    let (text, offset) = with_cursor(&function(
        "
        A[0] = T.Cast(\"int32\", (T.$0Select(T.bool(False), T.float32(1), T.float32(3)) - T.float32(3)) * T.Cast(\"float32\", n))
        ",
    ));
    let wants = |it| it == ActionKind::QuickFix;
    let actions = analysis(&text).code_actions(FILE, TextRange::empty(offset), &wants).unwrap();
    let said: Vec<String> =
        actions.iter().map(|it| format!("{}: {:?}", it.title, it.disabled)).collect();
    expect![[r#"
        Write `T.float32(3.0)`: Some("the edited text would mean something else, or lose a comment (reads-back-differently)")
        Ignore `simplifiable` here: None"#]]
    .assert_eq(&said.join("\n"));
}

#[test]
fn what_holds_for_the_value_of_a_name_alone_is_not_told() {
    let text = "from tvm.script import tirx as T

N = 64
ONE = 1

@T.prim_func
def f(A: T.Buffer((8192,), \"int32\"), i: T.int32):
    A[i * N * 2] = 1
    A[i * 8 * 2] = 2
    for j in range(ONE):
        A[j] = 3
    if N > 32:
        A[1] = 4
";
    let found = analysis(text).diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    let found: Vec<&str> = found.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(found, ["`i * 8 * 2` is `i * 16` here (sum-of-products)"]);
}

#[test]
fn a_statement_that_goes_is_told_without_what_is_in_it() {
    check(
        "
        for k in range(n):$0
            for l in range(4):
                if k < j:
                    T.evaluate(k + (l - l))
        A[0] = A[0]
        for k in range(n):
            for l in range(4):
                if i < j:
                    A[k + l] = k
        if T.bool(False):
            A[1] = j
        ",
        expect![[r#"
            # Hint empty-loop `for k in range(n):
                    for l in range(4):
                        if k < j:
                            T.evaluate(k + (l - l))`: this loop does nothing
            # Hint dead-store (faded) `A[0] = A[0]`: the memory holds this value already
            # Hint invariant-guard `i < j`: this condition is the same in every iteration of the loop
            #     this loop
            #     this loop
            # Hint redundant-guard `T.bool(False)`: this is never executed
            # fix: Remove the loop
            # fix: Simplify all of `f` (8 steps)
            # fix: Ignore `empty-loop` here
            A[0] = A[0]
            for k in range(n):
                for l in range(4):
                    if i < j:
                        A[k + l] = k
            if T.bool(False):
                A[1] = j
        "#]],
    );
}
