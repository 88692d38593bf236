//! Findings as editors see them: diagnostics with related places, quick fixes.

use expect_test::{Expect, expect};
use syntax::TextEdit;

use super::{FILE, analysis, body_of, function, with_cursor};
use crate::{ActionKind, DiagnosticsConfig, FindingKind, FindingLevels, Severity, TextRange};

/// Checks the findings in the statements, except common subexpressions; at the cursor the quick fixes, and the
/// statements after the first of them.
#[track_caller]
pub(super) fn check(body: &str, expected: Expect) {
    let (text, offset) = with_cursor(&function(body));
    let analysis = analysis(&text);
    let config = DiagnosticsConfig { common_subexpressions: false, ..Default::default() };
    let mut out = String::new();
    for it in analysis.diagnostics(FILE, &config).unwrap() {
        let excerpt = &text[std::ops::Range::<usize>::from(it.range)];
        let faded = if it.is_unnecessary { " (faded)" } else { "" };
        out.push_str(&format!(
            "# {:?} {}{faded} `{excerpt}`: {}\n",
            it.severity, it.code, it.message
        ));
        out.extend(it.related.iter().map(|(_, message)| format!("#     {message}\n")));
    }
    let wants = |it| it == ActionKind::QuickFix;
    let actions = analysis.code_actions(FILE, TextRange::empty(offset), &wants).unwrap();
    out.extend(actions.iter().map(|it| format!("# fix: {}\n", it.title)));
    if let Some(first) = actions.first() {
        let edits = TextEdit::from_edits(first.edits.clone()).expect("edits do not overlap");
        out.push_str(&body_of(&edits.apply(&text)));
    }
    expected.assert_eq(&out);
}

#[test]
fn unused_name_is_faded_and_can_be_removed() {
    check(
        "
        a: T.let[T.int32] = i * j
        b$0: T.let[T.int32] = a + 1
        c: T.let[T.int32] = n + 1
        A[0] = n
        ",
        expect![[r#"
            # Hint dead-binding (faded) `a`: `a` is used only by values that are never used
            #     used here, for something that is never used
            # Hint dead-binding (faded) `b`: `b` is never used
            # Hint dead-binding (faded) `c`: `c` is never used
            # fix: Remove `b`
            # fix: Fix all 3 `dead-binding` of `f`
            # fix: Ignore `dead-binding` here
            a: T.let[T.int32] = i * j
            c: T.let[T.int32] = n + 1
            A[0] = n
        "#]],
    );
}

#[test]
fn comment_allows_it() {
    check("# tir: allow(dead-binding)\na$0: T.let[T.int32] = i * j\nA[0] = n", expect![[r#""#]]);
}

#[test]
fn kinds_that_are_off_are_not_reported() {
    let text = function("a: T.let[T.int32] = i * j\nA[0] = n");
    let severities = |levels: FindingLevels| -> Vec<Severity> {
        let config = DiagnosticsConfig { levels, ..Default::default() };
        let found = analysis(&text).diagnostics(FILE, &config).unwrap();
        found.iter().map(|it| it.severity).collect()
    };
    let mut levels = FindingLevels::default();
    assert_eq!(severities(levels), [Severity::Hint]);
    levels.set(FindingKind::DeadBinding, Some(Severity::Warning));
    assert_eq!(severities(levels), [Severity::Warning]);
    levels.set(FindingKind::DeadBinding, None);
    assert_eq!(severities(levels), []);
}

/// The actions of a kind at the cursor with why they cannot be done, and the statements after the first that can.
#[track_caller]
fn check_actions(body: &str, kind: ActionKind, expected: Expect) {
    let (text, offset) = with_cursor(&function(body));
    let wants = |it| it == kind;
    let actions = analysis(&text).code_actions(FILE, TextRange::empty(offset), &wants).unwrap();
    let mut out = String::new();
    for it in &actions {
        let why = it.disabled.as_ref().map(|it| format!(" (not: {it})")).unwrap_or_default();
        out.push_str(&format!("# {}{why}\n", it.title));
    }
    if let Some(first) = actions.iter().rfind(|it| it.disabled.is_none()) {
        let edits = TextEdit::from_edits(first.edits.clone()).expect("edits do not overlap");
        out.push_str(&body_of(&edits.apply(&text)));
    }
    expected.assert_eq(&out);
}

#[test]
fn name_is_inlined_here_and_everywhere() {
    let kind = ActionKind::Inline;
    check_actions(
        "a: T.let[T.int32] = i + j  # sum\nA[a$0] = n * a\nB[0] = a",
        kind,
        expect![[r#"
            # Inline `a` here
            # Inline `a` at all 3 uses
            # sum
            A[i + j] = n * (i + j)
            B[0] = i + j
        "#]],
    );
    check_actions(
        "a$0: T.let[T.int32] = i + j\nA[0] = n * a",
        kind,
        expect![[r#"
            # Inline `a`
            A[0] = n * (i + j)
        "#]],
    );
}

#[test]
fn what_would_be_read_otherwise_is_not_inlined() {
    for body in [
        // Python refuses to read a division by zero.
        "a$0: T.let[T.int32] = 0\nB[0] = n // a",
        // The element may be meant as a place there.
        "a$0: T.let[T.int32] = A[0]\nT.call_extern(\"int32\", \"f\", a)",
    ] {
        check_actions(
            body,
            ActionKind::Inline,
            expect![[r#"
                # Inline `a` (not: its value would be read otherwise at a use: as a place, as a number of Python, or as a divisor that is zero)
            "#]],
        );
    }
}

#[test]
fn value_with_a_write_between_is_not_inlined() {
    let kind = ActionKind::Inline;
    check_actions(
        "a: T.let[T.int32] = A[0]\nB[0] = a\nA[0] = 1\nB[1] = a$0",
        kind,
        expect![[r#"
            # Inline `a` here (not: memory that its value reads may be written by `B[0] = a`)
            # Inline `a` at all 2 uses (not: memory that its value reads may be written by `B[0] = a`)
        "#]],
    );
    check_actions(
        "a: T.let[T.int32] = A[0]\nB[0] = a$0\nA[0] = 1",
        kind,
        expect![[r#"
            # Inline `a`
            B[0] = A[0]
            A[0] = 1
        "#]],
    );
    check_actions(
        "a: T.let[T.int32] = T.call_extern(\"int32\", \"f\")\nB[0] = a$0",
        kind,
        expect![[r#"
            # Inline `a` (not: its value has a call that may have an effect or give another value each time)
        "#]],
    );
}

#[test]
fn rule_is_ignored_by_a_comment() {
    check_actions(
        "a$0: T.let[T.int32] = i + j\nA[0] = n",
        ActionKind::QuickFix,
        expect![[r#"
        # Remove `a`
        # Ignore `dead-binding` here
        a: T.let[T.int32] = i + j  # tir: allow(dead-binding)
        A[0] = n
    "#]],
    );
}

#[test]
fn fixing_all_removes_what_is_superfluous_first() {
    check_actions(
        "$0a: T.let[T.int32] = i * 4\nA[i * 4] = i * 4",
        ActionKind::FixAll,
        expect![[r#"
            # Fix all that is safe to fix in this file
            cse_v1: T.let[T.int32] = i * 4
            A[cse_v1] = cse_v1
        "#]],
    );
}

#[test]
fn a_missing_fact_is_named_and_can_be_written() {
    check_actions(
        "if n != 0:\n    A[i $0// n] = 1\nif n != 0:\n    B[i // n] = 2",
        ActionKind::QuickFix,
        expect![[r##"
            # Assume `n > 0`, so that `i // n` is computed once
            # Assert `n > 0`, so that `i // n` is computed once
            assert n > 0, "n > 0"
            if n != 0:
                A[i // n] = 1
            if n != 0:
                B[i // n] = 2
        "##]],
    );
}

#[test]
fn facts_that_decide_guards_and_divisions_are_named_and_can_be_written() {
    // Of the loop: its last iteration.
    check_actions(
        "for k in range(n):\n    if k $0< j:\n        A[k] = k",
        ActionKind::QuickFix,
        expect![[r##"
            # Assume `n <= j`, so that `k < j` is simpler
            # Assert `n <= j`, so that `k < j` is simpler
            assert n <= j, "n <= j"
            for k in range(n):
                if k < j:
                    A[k] = k
        "##]],
    );
    check_actions(
        "A[j] = (i * n + j % n) $0// n",
        ActionKind::QuickFix,
        expect![[r##"
        # Assume `n >= 0`, so that `(i * n + j % n) // n` is simpler
        # Assert `n >= 0`, so that `(i * n + j % n) // n` is simpler
        assert n >= 0, "n >= 0"
        A[j] = (i * n + j % n) // n
    "##]],
    );
    // Lanes of which some are beyond the end are computed one by one.
    check_actions(
        "for k in range(j):\n    for v in T.vectorized(4):\n        if k * 4 + v $0< n:\n            A[v] = k",
        ActionKind::QuickFix,
        expect![[r##"
            # Assume `j * 4 <= n`, so that `k * 4 + v < n` is simpler
            # Assert `j * 4 <= n`, so that `k * 4 + v < n` is simpler
            # Assume `n % 4 == 0`, so that `k * 4 + v < n` is the same for each `v`
            # Assert `n % 4 == 0`, so that `k * 4 + v < n` is the same for each `v`
            assert n % 4 == 0, "n % 4 == 0"
            for k in range(j):
                for v in T.vectorized(4):
                    if k * 4 + v < n:
                        A[v] = k
        "##]],
    );
    // Nothing of the kind decides it.
    check_actions("if i $0< j:\n    A[j] = i", ActionKind::QuickFix, expect![[r##""##]]);
}

#[test]
fn a_text_that_stands_for_several_loads_is_told_once_and_so_is_a_name_that_is_defined_twice() {
    check(
        "
        L$0 = T.alloc_local((4,), \"bool\")
        if tvm.tirx.all(*[L[k] for k in range(2)]):
            A[0] = n
        x: T.let[T.int32] = i * j
        x: T.let[T.int32] = i + j
        A[1] = x
        ",
        expect![[r#"
            # Warning read-before-write `[L[k] for k in range(2)]`: `[L[k] for k in range(2)]` is read, and nothing has written it
            #     made here, without a value
            # Error redefinition `x`: `x` is already defined in this scope
            #     first defined here
        "#]],
    );
}

#[test]
fn facts_that_some_run_contradicts_are_not_offered() {
    let check = |body: &str| check_actions(body, ActionKind::QuickFix, expect![[r#""#]]);
    // A loop takes all values of its range.
    check("for k in range(512):\n    A[k] = B[k $0% 64]");
    check("for k in range(512):\n    if k >= 64:\n        A[k] = B[k $0% 64]");
    check("for k in range(512):\n    if k < n:\n        A[k] = B[k $0% 64]");
    check("for k in T.thread_binding(512, thread=\"threadIdx.x\"):\n    A[k] = B[k $0% 64]");
    check("tx = T.launch_thread(\"threadIdx.x\", 512)\nA[tx] = B[tx $0% 64]");
    check(
        "for k in range(512):\n    with T.sblock():\n        v = T.axis.spatial(512, k)\n        A[v] = B[v $0% 64]",
    );
    check("if n >= 100:\n    A[0] = B[n $0% 64]");
    // The fact would stand before the condition.
    check(
        "for k in range(512):\n    if k != 0:\n        A[i $0// k] = 1\n    if k != 0:\n        B[i // k] = 2",
    );
    // It may be true of all calls.
    check_actions(
        "if n >= 10:\n    A[0] = B[n $0% 64]",
        ActionKind::QuickFix,
        expect![[r##"
        # Assume `n < 64`, so that `n % 64` is simpler
        # Assert `n < 64`, so that `n % 64` is simpler
        assert n < 64, "n < 64"
        if n >= 10:
            A[0] = B[n % 64]
    "##]],
    );
}
