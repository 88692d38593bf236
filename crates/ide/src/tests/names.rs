//! Highlight and rename in TVMScript.

use expect_test::{Expect, expect};

use super::{FILE, analysis, body_of, function, with_cursor};
use crate::{Access, TextSize};

/// The body with written mentions in `⟦⟧` and read ones in `⟨⟩`.
#[track_caller]
fn check_highlights(body: &str, expected: Expect) {
    let (text, offset) = with_cursor(&function(body));
    let found = analysis(&text).highlights(FILE, offset).unwrap();
    let mut marked = text;
    for it in found.iter().rev() {
        let (open, close) =
            if it.access == Access::Write { ("⟦", "⟧") } else { ("⟨", "⟩") };
        marked.insert_str(it.range.end().into(), close);
        marked.insert_str(it.range.start().into(), open);
    }
    expected.assert_eq(&body_of(&marked));
}

#[test]
fn mentions_are_told_apart_by_what_they_do() {
    check_highlights(
        "x: T.let = i + 1\nfor k in range(4):\n    A[k] = x$0 + B[x]",
        expect![[r#"
        ⟦x⟧: T.let = i + 1
        for k in range(4):
            A[k] = ⟨x⟩ + B[⟨x⟩]
    "#]],
    );
    check_highlights(
        "B$0[i] = 1\nA[i] = B[i + 1]",
        expect![[r#"
        ⟦B⟧[i] = 1
        A[i] = ⟨B⟩[i + 1]
    "#]],
    );
    check_highlights(
        "T$0.evaluate(0)",
        expect![[r#"
        T.evaluate(0)
    "#]],
    );
}

/// The body after a rename, or why there is none.
#[track_caller]
fn check_rename(body: &str, new_name: &str, expected: Expect) {
    let (mut text, offset) = with_cursor(&function(body));
    let analysis = analysis(&text);
    match analysis.rename(FILE, offset, new_name).unwrap() {
        Ok(edits) => {
            for edit in edits.iter().rev() {
                edit.apply(&mut text);
            }
            expected.assert_eq(&body_of(&text));
        }
        Err(why) => expected.assert_eq(&why),
    }
}

#[test]
fn every_mention_of_a_name_changes() {
    check_rename(
        "for k in range(4):\n    A[k$0] = k + B[k]",
        "lane",
        expect![[r#"
        for lane in range(4):
            A[lane] = lane + B[lane]
    "#]],
    );
    check_rename(
        "x: T.let = i\nA[x] = x$0",
        "x",
        expect![[r#"
        x: T.let = i
        A[x] = x
    "#]],
    );
}

#[test]
fn names_that_collide_are_refused() {
    check_rename(
        "x: T.let = i\nA[x$0] = j",
        "j",
        expect!["the function already uses the name `j`"],
    );
    check_rename(
        "x: T.let = i\nA[x$0] = j",
        "T",
        expect!["the function already uses the name `T`"],
    );
    check_rename("x: T.let = i\nA[x$0] = j", "for", expect!["`for` is a word of Python"]);
    check_rename("x: T.let = i\nA[x$0] = j", "2x", expect!["`2x` is not a name in Python"]);
    check_rename(
        "T$0.evaluate(i)",
        "S",
        expect!["there is no name of a TVMScript function at this place"],
    );
    check_rename(
        "A[i] = 1$0",
        "S",
        expect!["there is no name of a TVMScript function at this place"],
    );
}

#[test]
fn name_that_can_be_renamed_is_told_before() {
    let (text, offset) = with_cursor(&function("for k in range(4):\n    A[k$0] = k"));
    let range = analysis(&text).prepare_rename(FILE, offset).unwrap().unwrap();
    assert_eq!(range.end(), offset);
    assert_eq!(range.len(), TextSize::of("k"));
    assert!(analysis(&text).prepare_rename(FILE, 0.into()).unwrap().is_err());
}
