//! Tokens.

use std::fmt::Write;

use expect_test::{Expect, expect};

use crate::tvmscript::lex;

#[track_caller]
fn check(text: &str, expect: Expect) {
    let lexed = lex(text);
    let mut out = String::new();
    let mut end = 0;
    for idx in 0..lexed.len() {
        let range = lexed.range(idx);
        assert_eq!(range.start, end);
        end = range.end;
        let _ = writeln!(
            out,
            "{:?} {:?}",
            lexed.kind(idx),
            &text[range.start as usize..range.end as usize]
        );
    }
    assert_eq!(end as usize, text.len());
    expect.assert_eq(&out);
}

#[test]
fn numbers_of_every_form() {
    check(
        "1_000 0x1F 0b_1 0o7 1. .5e-3 1e5 2j 012",
        expect![[r#"
        INT "1_000"
        WHITESPACE " "
        INT "0x1F"
        WHITESPACE " "
        INT "0b_1"
        WHITESPACE " "
        INT "0o7"
        WHITESPACE " "
        FLOAT "1."
        WHITESPACE " "
        FLOAT ".5e-3"
        WHITESPACE " "
        FLOAT "1e5"
        WHITESPACE " "
        IMAGINARY "2j"
        WHITESPACE " "
        INT "012"
    "#]],
    );
}

#[test]
fn text_right_after_a_number_is_a_token_of_its_own() {
    check(
        "1if 0xfor 1e 1__0 1..real",
        expect![[r#"
        INT "1"
        IF_KW "if"
        WHITESPACE " "
        INT "0xf"
        OR_KW "or"
        WHITESPACE " "
        INT "1"
        IDENT "e"
        WHITESPACE " "
        INT "1"
        IDENT "__0"
        WHITESPACE " "
        FLOAT "1."
        DOT "."
        IDENT "real"
    "#]],
    );
}

#[test]
fn strings_with_prefixes() {
    check(
        r#"'a' "b\"c" r'\' rb'x' BR"y" u'z' ff'no' '''t'q''t''' """m"""#,
        expect![[r#"
        STRING "'a'"
        WHITESPACE " "
        STRING "\"b\\\"c\""
        WHITESPACE " "
        STRING "r'\\' rb'"
        IDENT "x"
        STRING "' BR\"y\" u'"
        IDENT "z"
        STRING "' ff'"
        IDENT "no"
        STRING "' '"
        STRING "''"
        STRING "t'q'"
        STRING "'t'"
        STRING "''"
        WHITESPACE " "
        STRING "\"\"\"m\"\""
    "#]],
    );
}

#[test]
fn an_unclosed_string_ends_with_its_line() {
    check(
        "'abc\nx \"d\\\ne\nf",
        expect![[r#"
        STRING "'abc"
        NEWLINE "\n"
        IDENT "x"
        WHITESPACE " "
        STRING "\"d\\\ne"
        NEWLINE "\n"
        IDENT "f"
    "#]],
    );
}

#[test]
fn an_unclosed_triple_quote_ends_with_the_text() {
    check(
        "x '''a\nb\n",
        expect![[r#"
        IDENT "x"
        WHITESPACE " "
        STRING "'''a\nb\n"
    "#]],
    );
}

#[test]
fn f_strings_are_opaque_also_with_quotes_inside() {
    check(
        r#"f"{x["a"]!r:>{w}} {{ {'}'}" rf'\{y}' F"""{"x"}""" f'{f'{1}'}'"#,
        expect![[r#"
        STRING "f\"{x[\"a\"]!r:>{w}} {{ {'}'}\""
        WHITESPACE " "
        STRING "rf'\\{y}'"
        WHITESPACE " "
        STRING "F\"\"\"{\"x\"}\"\"\""
        WHITESPACE " "
        STRING "f'{f'{1}'}'"
    "#]],
    );
}

#[test]
fn a_broken_f_string_ends_at_the_next_quote() {
    check(
        "f\"{x\" + y\nf'{a'} b'\n",
        expect![[r#"
        STRING "f\"{x\""
        WHITESPACE " "
        PLUS "+"
        WHITESPACE " "
        IDENT "y"
        NEWLINE "\n"
        STRING "f'{a'"
        R_BRACE "}"
        WHITESPACE " "
        STRING "b'"
        NEWLINE "\n"
    "#]],
    );
}

#[test]
fn every_kind_of_line_end_and_blank() {
    check(
        "\u{feff}a\r\nb\rc\n\t\x0c d \\\r\n e # c\r\n",
        expect![[r##"
        BOM "\u{feff}"
        IDENT "a"
        NEWLINE "\r\n"
        IDENT "b"
        NEWLINE "\r"
        IDENT "c"
        NEWLINE "\n"
        WHITESPACE "\t\u{c} "
        IDENT "d"
        WHITESPACE " "
        LINE_CONTINUATION "\\\r\n"
        WHITESPACE " "
        IDENT "e"
        WHITESPACE " "
        COMMENT "# c"
        NEWLINE "\r\n"
    "##]],
    );
}

#[test]
fn longest_punctuation_wins() {
    check(
        "**= ** *= //= // <<= << <= >>= -> ... . := : != == @=",
        expect![[r#"
        STAR2_EQ "**="
        WHITESPACE " "
        STAR2 "**"
        WHITESPACE " "
        STAR_EQ "*="
        WHITESPACE " "
        SLASH2_EQ "//="
        WHITESPACE " "
        SLASH2 "//"
        WHITESPACE " "
        LT2_EQ "<<="
        WHITESPACE " "
        LT2 "<<"
        WHITESPACE " "
        LE "<="
        WHITESPACE " "
        GT2_EQ ">>="
        WHITESPACE " "
        ARROW "->"
        WHITESPACE " "
        DOT3 "..."
        WHITESPACE " "
        DOT "."
        WHITESPACE " "
        COLON_EQ ":="
        WHITESPACE " "
        COLON ":"
        WHITESPACE " "
        NEQ "!="
        WHITESPACE " "
        EQ2 "=="
        WHITESPACE " "
        AT_EQ "@="
    "#]],
    );
}

#[test]
fn keywords_and_identifiers() {
    check(
        "if iff None none match lambda_ größe 变量 _",
        expect![[r#"
        IF_KW "if"
        WHITESPACE " "
        IDENT "iff"
        WHITESPACE " "
        NONE_KW "None"
        WHITESPACE " "
        IDENT "none"
        WHITESPACE " "
        IDENT "match"
        WHITESPACE " "
        IDENT "lambda_"
        WHITESPACE " "
        IDENT "größe"
        WHITESPACE " "
        IDENT "变量"
        WHITESPACE " "
        IDENT "_"
    "#]],
    );
}

#[test]
fn bytes_that_begin_no_token() {
    check(
        "a $$? ! \\ \0\0 € \u{feff}b",
        expect![[r#"
        IDENT "a"
        WHITESPACE " "
        ERROR "$$?"
        WHITESPACE " "
        ERROR "!"
        WHITESPACE " "
        ERROR "\\"
        WHITESPACE " "
        ERROR "\0\0"
        WHITESPACE " "
        ERROR "€"
        WHITESPACE " "
        ERROR "\u{feff}"
        IDENT "b"
    "#]],
    );
}
