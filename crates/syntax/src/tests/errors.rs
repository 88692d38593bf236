//! Errors are derived from the tree: kind, place, and a way out.

use expect_test::{Expect, expect};

use crate::parse;

fn render(text: &str) -> String {
    let mut res = String::new();
    for error in parse(text).errors() {
        let at = &text[error.range];
        let (start, end) = (u32::from(error.range.start()), u32::from(error.range.end()));
        res += &format!("{start}..{end} {at:?} {}: {}\n", error.kind.name(), error.message);
        if let Some(help) = error.help {
            res += &format!("  {help}\n");
        }
    }
    res
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&render(text));
}

#[test]
fn good_code_has_none() {
    check(
        "@T.prim_func\ndef f(a: T.handle, *, b=1, **kw) -> None:\n    x[i, 0:n] = a if b else -c ** 2\n    for i, j in T.grid(1, 2):\n        pass\n",
        expect![""],
    );
    check(
        "lambda x, *y: 0\n{**a, 1: 2}\nf(*a, **b, c=1)\nprint(x, end='')\nasync def f(): await g\n",
        expect![""],
    );
    check("match x:\n    case [1, *_] if y: pass\n", expect![""]);
    check(
        "try:\n    pass\nexcept E as e:\n    raise X from e\nfinally:\n    del a, b\n",
        expect![""],
    );
    check(
        "def f(a, /, b): return\nx: int\nx, = y\nfrom .a import (b, c,)\nimport a.b as c\n",
        expect![""],
    );
    check(
        "x[1:2, ::3, :]\nyield\nx = yield y\nglobal a, b\nassert a, 'b'\n0x_ff + 1_000 + 00 + 1e3j\n",
        expect![""],
    );
}

#[test]
fn missing_parts_are_named() {
    check(
        "x =\n",
        expect![[r#"
        3..3 "" missing-part: expected a value
    "#]],
    );
    check(
        "x = a +\n",
        expect![[r#"
        7..7 "" missing-part: expected an operand
    "#]],
    );
    check(
        "for i range(3):\n    pass\n",
        expect![[r#"
        6..14 "range(3)" missing-part: expected `in`, found `range(3)`
    "#]],
    );
    check(
        "for i in:\n    pass\n",
        expect![[r#"
        8..8 "" missing-part: expected the iterable of the loop
    "#]],
    );
    check(
        "if x\n    pass\n",
        expect![[r#"
        4..4 "" missing-part: expected `:`
          a `:` stands between the header and its block
    "#]],
    );
    check(
        "if x:\n",
        expect![[r#"
        5..5 "" missing-part: expected an indented block
          a block needs a statement: `pass` does nothing
    "#]],
    );
    check(
        "def f:\n    pass\n",
        expect![[r#"
        6..6 "" missing-part: expected `(` and the parameters
    "#]],
    );
    check(
        "a.\n",
        expect![[r#"
        2..2 "" missing-part: expected the name of an attribute
    "#]],
    );
    check(
        "a[]\n",
        expect![[r#"
        2..2 "" missing-part: expected an index
    "#]],
    );
    check(
        "f(a=)\n",
        expect![[r#"
        4..4 "" missing-part: expected a value
    "#]],
    );
    check(
        "try:\n    pass\n",
        expect![[r#"
            14..14 "" missing-part: expected `except` or `finally` after the block
        "#]],
    );
    check(
        "a if b\n",
        expect![[r#"
        6..6 "" missing-part: expected `else` and the other value
    "#]],
    );
    check(
        "import\n",
        expect![[r#"
        6..6 "" missing-part: expected the name of a module
    "#]],
    );
    check(
        "from a\n",
        expect![[r#"
        6..6 "" missing-part: expected `import`
    "#]],
    );
}

#[test]
fn unclosed_things_are_marked_where_they_open() {
    check(
        "f(a, b\nx = 1\n",
        expect![[r#"
        1..2 "(" unclosed-bracket: `(` is never closed
    "#]],
    );
    check(
        "x = [1, 2\ndef f():\n    pass\n",
        expect![[r#"
        4..5 "[" unclosed-bracket: `[` is never closed
    "#]],
    );
    // What is missing or unexpected then follows from that.
    check(
        "for i in range(16:\n    a[i] = b\nx[i = 1\n",
        expect![[r#"
            14..15 "(" unclosed-bracket: `(` is never closed
            33..34 "[" unclosed-bracket: `[` is never closed
        "#]],
    );
    check(
        "def f(a: int, b: g(1):\n    pass\nif (a:\n    pass\nelse\n    pass\n",
        expect![[r#"
            5..6 "(" unclosed-bracket: `(` is never closed
            35..36 "(" unclosed-bracket: `(` is never closed
            52..52 "" missing-part: expected `:`
              a `:` stands between the header and its block
        "#]],
    );
    check(
        "x = 'abc\ny = 1\n",
        expect![[r#"
        4..5 "'" unterminated-string: this string is not closed on its line
          close it with the quote that opens it
    "#]],
    );
    check(
        "x = '''abc\ny = 1\n",
        expect![[r#"
        4..7 "'''" unterminated-string: this string is not closed: it takes the rest of the file
          close it with the same three quotes
    "#]],
    );
}

#[test]
fn text_that_fits_nowhere_is_quoted() {
    check(
        "x = 1 2\n",
        expect![[r#"
        6..7 "2" unexpected-text: expected the end of the statement, found `2`
          a statement ends with its line, or with `;`
    "#]],
    );
    check(
        "f(a b)\n",
        expect![[r#"
        4..5 "b" unexpected-text: expected `,` or a closing bracket, found `b`
    "#]],
    );
    check(
        "x = (1))\n",
        expect![[r#"
        7..8 ")" unexpected-text: `)` closes nothing
    "#]],
    );
    check(
        "else:\n    pass\n",
        expect![[r#"
        0..4 "else" unexpected-text: `else` without `if`, `for`, `while` or `try` before it
          it must begin in the same column as the statement that it belongs to
    "#]],
    );
    check(
        "  x = 1\n",
        expect![[r#"
        2..7 "x = 1" unexpected-indent: this line is indented deeper than the block that it stands in
          indent it like the statement before it
    "#]],
    );
    check(
        "@a\nx = 1\n",
        expect![[r#"
        0..2 "@a" unexpected-text: this decorator decorates nothing
          a `def` or `class` must follow, in the same column
    "#]],
    );
    check(
        "x = a ? b : c\n",
        expect![[r#"
            6..13 "? b : c" unexpected-text: expected the end of the statement, found `? b : c`
              a conditional is written `a if c else b`
        "#]],
    );
    check(
        "if !a:\n    pass\n",
        expect![[r#"
            3..5 "!a" missing-part: expected a condition, found `!a`
              Python's word is `not`
        "#]],
    );
    check(
        "if a = b:\n    pass\n",
        expect![[r#"
        5..8 "= b" unexpected-text: unexpected `= b`
          to compare, write `==`
    "#]],
    );
    check(
        "x = 012 + 1__0 + 0xg\n",
        expect![[r#"
        4..7 "012" malformed-number: `012` is not a number
          a number does not begin with 0; octal ones begin with `0o`
        11..20 "__0 + 0xg" unexpected-text: expected the end of the statement, found `__0 + 0xg`
          a statement ends with its line, or with `;`
    "#]],
    );
    check(
        "x; if a: b\n",
        expect![[r#"
        3..10 "if a: b" unexpected-text: a statement with a block cannot follow another on its line
          begin a new line before it
    "#]],
    );
    check(
        "match x:\n    y\n",
        expect![[r#"
        13..14 "y" unexpected-text: expected `case`
    "#]],
    );
}
