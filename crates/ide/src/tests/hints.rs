//! Inlay hints.

use expect_test::{Expect, expect};

use super::{FILE, analysis, body_of, function};
use crate::{InlayHint, InlayHintsConfig, Worth};

fn label(hint: &InlayHint) -> String {
    hint.label.iter().map(|it| it.text.as_str()).collect()
}

/// The body of a function with its hints in `‹›`.
#[track_caller]
fn check_with(config: &InlayHintsConfig, body: &str, expected: Expect) {
    let mut text = function(body);
    let hints = analysis(&text).inlay_hints(FILE, None, config).unwrap();
    for hint in hints.iter().rev() {
        text.insert_str(hint.offset.into(), &format!("‹{}›", label(hint)));
    }
    expected.assert_eq(&body_of(&text));
}

#[track_caller]
fn check(body: &str, expected: Expect) {
    check_with(&InlayHintsConfig::default(), body, expected);
}

const ALL: InlayHintsConfig = InlayHintsConfig {
    all: true,
    tiles: true,
    worth: Worth::ALL,
    tooltips: true,
    limit: usize::MAX,
};

#[test]
fn every_line_that_computes_a_shared_value_has_a_hint() {
    check(
        "
        A[i * 4 + j] = 1
        B[i * 4 + j] = 2
        C[j] = 3
        ",
        expect![[r#"
            A[i * 4 + j‹cse_v1 ×2›] = 1
            B[i * 4 + j‹cse_v1 ×2›] = 2
            C[j] = 3
        "#]],
    );
}

#[test]
fn line_has_one_hint_of_the_group_that_saves_most() {
    let body = "
        A[i * 4 + j] = i * 4 + j + (n - 1)
        B[n - 1] = 2
        ";
    check(
        body,
        expect![[r#"
        A[i * 4 + j‹cse_v2 ×2›] = i * 4 + j + (n - 1)
        B[n - 1‹cse_v1 ×2›] = 2
    "#]],
    );
    check_with(
        &ALL,
        body,
        expect![[r#"
        A[i * 4 + j‹cse_v2 ×2›] = i * 4 + j‹cse_v2 ×2› + (n - 1‹cse_v1 ×2›)
        B[n - 1‹cse_v1 ×2›] = 2
    "#]],
    );
}

#[test]
fn user_binding_is_reused_by_name() {
    check(
        "
        x: T.let = i * 4 + j
        A[i * 4 + j] = x
        ",
        expect![[r#"
            x: T.let = i * 4 + j
            A[i * 4 + j‹= x ×2›] = x
        "#]],
    );
}

#[test]
fn refusals_are_shown_on_demand_only() {
    let body = "
        if n != 0:
            A[i // n] = 1
        if n != 0:
            B[i // n] = 2
        ";
    check(
        body,
        expect![[r#"
        if n != 0:
            A[i // n] = 1
        if n != 0:
            B[i // n] = 2
    "#]],
    );
    check_with(
        &ALL,
        body,
        expect![[r#"
        if n != 0‹predicate ×2›:
            A[i // n‹may-trap ×2›] = 1
        if n != 0‹predicate ×2›:
            B[i // n‹may-trap ×2›] = 2
    "#]],
    );
}

#[test]
fn broken_statement_leaves_the_hints_of_others() {
    check(
        "
        A[i * 4 + j] = 1
        C[i * 4 +
        B[i * 4 + j] = 2
        ",
        expect![[r#"
            A[i * 4 + j‹cse_v1 ×2›] = 1
            C[i * 4 +
            B[i * 4 + j‹cse_v1 ×2›] = 2
        "#]],
    );
}

#[test]
fn unknown_statement_leaves_the_hints_of_others() {
    check_with(
        &ALL,
        "
        A[i * 4 + j] = 1
        with something(i) as x:
            C[j] = 1
        B[i * 4 + j] = 2
        something(j)
        C[i * 4 + j] = 2
        ",
        expect![[r#"
            A[i * 4 + j] = 1
            with something(i) as x:
                C[j] = 1
            B[i * 4 + j‹cse_v1 ×2›] = 2
            something(j)
            C[i * 4 + j‹cse_v1 ×2›] = 2
        "#]],
    );
}

#[test]
fn hints_come_by_range_and_up_to_a_limit() {
    let text = function("A[i * 4 + j] = 1\nB[i * 4 + j] = 2\nC[i * 4 + j] = 3");
    let analysis = analysis(&text);
    let line = text.find("B[i").unwrap() as u32;
    let range = crate::TextRange::new(line.into(), (line + 14).into());
    let config = InlayHintsConfig::default();
    assert_eq!(analysis.inlay_hints(FILE, Some(range), &config).unwrap().len(), 1);
    let config = InlayHintsConfig { limit: 2, ..config };
    assert_eq!(analysis.inlay_hints(FILE, None, &config).unwrap().len(), 2);
}

#[test]
fn parts_lead_to_the_other_occurrences_and_the_tooltip_says_why() {
    let text = function("A[i * 4 + j] = 1\nB[i * 4 + j] = 2\nC[i * 4 + j] = 3");
    let hints = analysis(&text).inlay_hints(FILE, None, &InlayHintsConfig::default()).unwrap();
    let lines = |hint: &InlayHint| -> Vec<usize> {
        let first = text[..text.find("A[i").unwrap()].lines().count();
        let targets = hint.label.iter().filter_map(|it| it.target);
        targets.map(|it| text[..usize::from(it.start())].lines().count() - first).collect()
    };
    assert_eq!(hints.iter().map(lines).collect::<Vec<_>>(), [[1, 1], [0, 2], [0, 0]]);
    expect![[r#"
        `i * 4 + j` is computed 3 times: here, 1 line above, 1 line below.

        Computed once as `cse_v1` before `A[i * 4 + j] = 1`, it saves 2 evaluations of 2 operations each."#]].assert_eq(hints[1].tooltip.as_deref().unwrap());
}

#[test]
fn plain_python_has_no_hints() {
    let hints = analysis("x = a * 2 + a * 2\n").inlay_hints(FILE, None, &ALL).unwrap();
    assert_eq!(hints, []);
}

#[test]
fn scheduled_function_says_what_a_fix_may_cost() {
    let text = "\
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((128, 128), \"int32\"), B: T.Buffer((128, 128), \"int32\")):
    for i, j in T.grid(128, 128):
        with T.sblock(\"b\"):
            vi, vj = T.axis.remap(\"SS\", [i, j])
            T.reads(A[vi, vj])
            T.writes(B[vi, vj])
            B[vi, vj] = vi * 4 + vj + A[vi, (vi * 4 + vj) % 128]
";
    let hints = analysis(text).inlay_hints(FILE, None, &InlayHintsConfig::default()).unwrap();
    let tooltips: Vec<&str> = hints.iter().filter_map(|it| it.tooltip.as_deref()).collect();
    expect![[r#"
        `vi * 4 + vj` is computed 2 times: 2 times here.

        Computed once as `cse_v1` before `B[vi, vj] = vi * 4 + vj + A[vi, (vi * 4 + vj) % 128]`, it saves 1 evaluation of 2 operations each.

        The function has blocks that can still be scheduled; a new binding can make `compute_inline` or `fuse` fail, so fixing all leaves it alone."#]].assert_eq(&tooltips.join("\n----\n"));
}

#[test]
fn the_values_of_a_function_that_save_most_are_shown() {
    let statements: String = (0..7)
        .map(|n| format!("A[{n}] = (i + {n}) * (j + {n}) + {n}\nB[{n}] = (i + {n}) * (j + {n})\n"))
        .collect();
    let body = format!("{statements}A[9] = i // j\nB[9] = i // j");
    let text = function(&body);
    let config = |most, least| InlayHintsConfig {
        worth: Worth { most, per_lines: 0, least },
        ..InlayHintsConfig::default()
    };
    let names = |config: &InlayHintsConfig| {
        let hints = analysis(&text).inlay_hints(FILE, None, config).unwrap();
        let mut names: Vec<String> = hints.iter().map(|it| it.label[0].text.clone()).collect();
        names.dedup();
        names.len()
    };
    assert_eq!(names(&InlayHintsConfig::default()), 5);
    assert_eq!(names(&config(1, 0)), 1);
    assert!(names(&config(usize::MAX, 0)) >= 8);
    assert_eq!(names(&config(usize::MAX, 1000)), 0);
}
