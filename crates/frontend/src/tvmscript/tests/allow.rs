//! Allowances of comments and attributes, and the comment that an editor inserts.

use expect_test::{Expect, expect};
use syntax::TextSize;

use crate::tvmscript::allow;

/// Marks every line of the function where the rule `r` is allowed for code that begins there.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let (item, lowered) = super::lowered(text);
    let source = item.source.green.text();
    let mut out = String::new();
    let mut offset = 0;
    for line in source.split_inclusive('\n') {
        let first = offset + (line.len() - line.trim_start().len());
        let at = syntax::TextRange::empty(TextSize::from(first as u32));
        let mark = if lowered.source_map.allowances().at("r", at) { "+ " } else { "  " };
        out.push_str(&format!("{}\n", format!("{mark}{line}").trim_end()));
        offset += line.len();
    }
    expect.assert_eq(&out);
}

/// Allows `r` at the first `@@` of the text (which is taken out), and checks that it is allowed there then.
#[track_caller]
fn check_edit(text: &str, expect: Expect) {
    let at = text.find("@@").expect("a place");
    let text = text.replacen("@@", "", 1);
    let (item, _) = super::lowered(&text);
    let start = usize::from(item.range.start());
    let edit = allow::comment(&item.source.green, TextSize::from((at - start) as u32), "r");
    let mut after = text;
    let edit = edit.expect("there is a place for a comment");
    let range = std::ops::Range::<usize>::from(edit.range + item.range.start());
    after.replace_range(range, &edit.text);
    expect.assert_eq(&after);
    let (_, lowered) = super::lowered(&after);
    let place = syntax::TextRange::empty(TextSize::from((at - start) as u32));
    assert!(lowered.source_map.allowances().at("r", place), "{after}");
}

#[test]
fn end_of_a_line_allows_its_statement() {
    check(
        "\
@T.prim_func
def f(x: T.int32, A: T.Buffer((16,), \"int32\")):
    A[0] = x  # why: tir: allow(q, r)
    A[1] = T.max(  # tir: allow(r)
        x,
        2)
    A[2] = T.max(
        x,
        # tir: allow(r)
        2)
    A[3] = x; A[4] = x  # tir: allow(r)
    A[5] = x  # tir: allow(other)
    A[6] = x  # tir: allow r
",
        expect![[r#"
              @T.prim_func
              def f(x: T.int32, A: T.Buffer((16,), "int32")):
            +     A[0] = x  # why: tir: allow(q, r)
            +     A[1] = T.max(  # tir: allow(r)
            +         x,
            +         2)
            +     A[2] = T.max(
            +         x,
            +         # tir: allow(r)
            +         2)
            +     A[3] = x; A[4] = x  # tir: allow(r)
                  A[5] = x  # tir: allow(other)
                  A[6] = x  # tir: allow r
        "#]],
    );
}

#[test]
fn header_is_allowed_without_its_body_and_a_line_above_with_it() {
    check(
        "\
@T.prim_func
def f(x: T.int32, A: T.Buffer((16,), \"int32\")):
    A[0] = x
    for i in range(x):  # tir: allow(r)
        A[i] = x
    # tir: allow(r)

    for i in range(x):
        if i < x:
            A[i] = x
        else:
            A[i] = 1
    if x > 0:
        A[0] = x
    else:  # tir: allow(r)
        A[1] = x
        # tir: allow(r)
    for i in range(x): A[i] = x  # tir: allow(r)
",
        expect![[r#"
              @T.prim_func
              def f(x: T.int32, A: T.Buffer((16,), "int32")):
                  A[0] = x
            +     for i in range(x):  # tir: allow(r)
                      A[i] = x
                  # tir: allow(r)

            +     for i in range(x):
            +         if i < x:
            +             A[i] = x
            +         else:
            +             A[i] = 1
                  if x > 0:
                      A[0] = x
            +     else:  # tir: allow(r)
                      A[1] = x
                      # tir: allow(r)
            +     for i in range(x): A[i] = x  # tir: allow(r)
        "#]],
    );
}

#[test]
fn function_is_allowed_from_above_in_front_of_its_statements_and_by_attribute() {
    for text in [
        "# tir: allow(r)\n# more\n@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x)\n",
        "x = 1\n\n# tir: allow(q)\n# tir: allow(r)\n@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x)\n",
        "@T.prim_func  # tir: allow(r)\ndef f(x: T.int32):\n    T.evaluate(x)\n",
        "@T.prim_func\n# tir: allow(r)\ndef f(x: T.int32):\n    T.evaluate(x)\n",
        "@T.prim_func\ndef f(  # tir: allow(r)\n    x: T.int32):\n    T.evaluate(x)\n",
        "@T.prim_func\ndef f(x: T.int32):  # tir: allow(r)\n    T.evaluate(x)\n",
        "@T.prim_func\ndef f(x: T.int32):\n    # tir: allow(r)\n\n    T.evaluate(x)\n",
        "class M:\n    # tir: allow(r)\n    @T.prim_func\n    def f(x: T.int32):\n        T.evaluate(x)\n",
        "@T.prim_func\ndef f(x: T.int32):\n    T.func_attr({\"tir.allow\": \"q, r\"})\n    T.evaluate(x)\n",
        "@T.prim_func\ndef f(x: T.int32):\n    T.func_attr({\"tir.allow\": [\"q\", \"r\"]})\n    T.evaluate(x)\n",
    ] {
        let (_, lowered) = super::lowered(text);
        assert!(lowered.source_map.allowances().everywhere("r"), "{text}");
        assert!(!lowered.source_map.allowances().everywhere("s"), "{text}");
    }
}

#[test]
fn comments_apart_from_the_function_are_not_about_it() {
    for text in [
        "# tir: allow(r)\n\n@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x)\n",
        "# tir: allow(r)\nx = 1\n@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x)\n",
        "@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(x)\n# tir: allow(r)\n",
        "@T.prim_func\ndef f(x: T.int32):\n    T.evaluate(T.call_extern(\"int32\", \"# tir: allow(r)\"))\n",
    ] {
        let (_, lowered) = super::lowered(text);
        assert!(lowered.source_map.allowances().is_empty(), "{text}");
    }
}

#[test]
fn inserted_comment_allows_what_it_is_for() {
    check_edit(
        "@T.prim_func\ndef f(x: T.int32, A: T.Buffer((4,), \"int32\")):\n    A[0] = @@x\n    A[1] = x\n",
        expect![[r#"
            @T.prim_func
            def f(x: T.int32, A: T.Buffer((4,), "int32")):
                A[0] = x  # tir: allow(r)
                A[1] = x
        "#]],
    );
    check_edit(
        "@T.prim_func\ndef f(x: T.int32, A: T.Buffer((4,), \"int32\")):\n    A[0] = x\n    A[1] = T.max(@@x,  # a\n        2)  # b\n",
        expect![[r#"
            @T.prim_func
            def f(x: T.int32, A: T.Buffer((4,), "int32")):
                A[0] = x
                A[1] = T.max(x,  # a
                    2)  # b  # tir: allow(r)
        "#]],
    );
    check_edit(
        "@T.prim_func\ndef f(x: T.int32, A: T.Buffer((4,), \"int32\")):\n    A[0] = x\n    for i in range(@@x):  # tir: allow(q)\n        A[i] = x\n",
        expect![[r#"
            @T.prim_func
            def f(x: T.int32, A: T.Buffer((4,), "int32")):
                A[0] = x
                for i in range(x):  # tir: allow(q, r)
                    A[i] = x
        "#]],
    );
    check_edit(
        "@T.prim_func\ndef f(x: T.int32, A: T.Buffer((4,), \"int32\")):\n    A[0] = @@x; A[1] = x",
        expect![[r#"
            @T.prim_func
            def f(x: T.int32, A: T.Buffer((4,), "int32")):
                A[0] = x; A[1] = x  # tir: allow(r)"#]],
    );
    check_edit(
        "@T.prim_func\ndef f(x: T.int32, A: T.Buffer((4,), \"int32\")):\n    if @@x > 0: A[0] = x\n    A[1] = x\n",
        expect![[r#"
            @T.prim_func
            def f(x: T.int32, A: T.Buffer((4,), "int32")):
                if x > 0: A[0] = x  # tir: allow(r)
                A[1] = x
        "#]],
    );
}

#[test]
fn an_unused_name_is_allowed_as_for_linters() {
    let text = "\
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((8,), \"int32\"), x: T.int32):
    y: T.let[T.int32] = x + 1  # noqa: E501, F841
    z: T.let[T.int32] = x + 2
    A[0] = x
";
    let (item, lowered) = super::lowered(text);
    let start = usize::from(item.range.start());
    let at = |needle: &str| {
        let start = text.find(needle).unwrap() - start;
        syntax::TextRange::empty(syntax::TextSize::new(start as u32))
    };
    let allowed = lowered.source_map.allowances();
    assert!(allowed.at("dead-binding", at("y: ")));
    assert!(!allowed.at("dead-store", at("y: ")));
    assert!(!allowed.at("dead-binding", at("z: ")));
}
