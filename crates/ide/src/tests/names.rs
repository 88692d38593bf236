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
fn names_that_something_unread_mentions_are_left() {
    let unread = |body: &str| {
        let name = body[..body.find("$0").expect("a cursor")].chars().next_back().expect("a name");
        let refusal = format!("`{name}` is also mentioned where the text is not understood");
        let (text, offset) = with_cursor(&function(body));
        let renamed = analysis(&text).rename(FILE, offset, "Q").unwrap();
        assert_eq!(renamed, Err(refusal), "{body}");
    };
    for body in [
        "A$0[i] = j\nT.annotate_safe_value({A: 0.0})",
        "@T.macro\ndef mac(k):\n    A[k] = 1\nA$0[i] = j",
        "flag = T.meta_var(True)\nif flag:\n    A$0[i] = j\nelse:\n    A[i] = i",
        "B[i] = A$0[j]\nA[i] = undefined_name + A[j]",
        "B[i] = A$0[j]\nA[i] = A[i, j]",
        "B[i$0] = 0\nfor k in range(foo(i)):\n    A[k] = 1",
        "assert A$0[i] == 0, f\"not {A[i]}\"",
        "assert A[i$0] == 0, f\"not {i:>3}\"",
        "A[i$0] = 0\nA[0, i], A[1, i] = i, j",
        "A$0[i] = 0\ndel A",
    ] {
        unread(body);
    }
    // Keywords, attributes and other strings are no names.
    check_rename(
        "x: T.let = i\nA[x$0] = T.call_extern(\"int32\", \"x\", x=x)",
        "y",
        expect![[r#"
            y: T.let = i
            A[y] = T.call_extern("int32", "x", x=y)
        "#]],
    );
    check_rename("A[i$0] = T.min(i, j)", "T", expect!["the function already uses the name `T`"]);
    check_rename(
        "for k in range(8):\n    A[k$0] = 0\nfor l in range(8):\n    A[l] = 1",
        "range",
        expect!["the function already uses the name `range`"],
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
