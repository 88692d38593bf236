//! Findings that the user allows stay as they are: by comment, by attribute, for a line and for a function.

use expect_test::{Expect, expect};
use frontend::tvmscript::Selection;
use transform::cse::CseOptions;

use crate::support::{describe, edited, kernel, lowered, plan_of_text, rewritten, statements};

/// The text after the edits, and the groups that are refused.
#[track_caller]
fn check(text: &str, expected: Expect) {
    let (item, function, it) = &lowered(text)[0];
    let plan = plan_of_text(it, &CseOptions::default());
    let (new, _) = edited(text, item, function, it, &plan, Selection::All);
    let mut shown = statements(&new);
    for line in describe(&it.body, &plan).lines().filter(|it| it.contains("allowed")) {
        shown.push_str(&format!("# {line}\n"));
    }
    expected.assert_eq(&shown);
}

#[test]
fn allowed_line_is_neither_counted_nor_changed() {
    check(
        &kernel(
            "
            A[0] = x * y
            A[1] = x * y  # tir: allow(common-subexpression)
            A[2] = x * y
            A[3] = x + y
            A[4] = x + y  # tir: allow(common-subexpression)
            ",
        ),
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            A[0] = cse_v1
            A[1] = x * y  # tir: allow(common-subexpression)
            A[2] = cse_v1
            A[3] = x + y
            A[4] = x + y  # tir: allow(common-subexpression)
        "#]],
    );
}

#[test]
fn allowed_function_keeps_all() {
    let text = kernel("A[0] = x * y\nA[1] = x * y");
    check(
        &text.replace("@T.prim_func", "# tir: allow(common-subexpression)\n@T.prim_func"),
        expect![[r#"
            A[0] = x * y
            A[1] = x * y
            # x * y: 2 times, cost 1, allowed
        "#]],
    );
    let with_attribute = kernel(
        "T.func_attr({\"tir.allow\": \"common-subexpression\"})\nA[0] = x * y\nA[1] = x * y",
    );
    check(
        &with_attribute,
        expect![[r#"
        T.func_attr({"tir.allow": "common-subexpression"})
        A[0] = x * y
        A[1] = x * y
        # x * y: 2 times, cost 1, allowed
    "#]],
    );
    assert!(!rewritten(&with_attribute, &CseOptions::default()).contains("cse_v"));
}
