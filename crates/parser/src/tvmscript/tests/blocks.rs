//! The extents of blocks, and the owners of comments, blank lines and newlines.

use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&dump(text, &check_lossless(text), true));
}

#[test]
fn a_block_begins_behind_the_colon_and_ends_with_its_last_line() {
    check(
        "if a:  # c\n\n    b\n\nd\n",
        expect![[r##"
        SOURCE_FILE
          IF_STMT
            IF_KW "if"
            WHITESPACE " "
            NAME_EXPR
              NAME_REF
                IDENT "a"
            COLON ":"
            BLOCK
              WHITESPACE "  "
              COMMENT "# c"
              NEWLINE "\n"
              NEWLINE "\n"
              WHITESPACE "    "
              EXPR_STMT
                NAME_EXPR
                  NAME_REF
                    IDENT "b"
                NEWLINE "\n"
          NEWLINE "\n"
          EXPR_STMT
            NAME_EXPR
              NAME_REF
                IDENT "d"
            NEWLINE "\n"
    "##]],
    );
}

#[test]
fn a_trailing_comment_belongs_to_the_block_that_is_not_deeper() {
    check(
        "if a:\n  if b:\n    c\n    # of c\n\n  # of the if b\n    # still\n# of the file\nd\n",
        expect![[r##"
            SOURCE_FILE
              IF_STMT
                IF_KW "if"
                WHITESPACE " "
                NAME_EXPR
                  NAME_REF
                    IDENT "a"
                COLON ":"
                BLOCK
                  NEWLINE "\n"
                  WHITESPACE "  "
                  IF_STMT
                    IF_KW "if"
                    WHITESPACE " "
                    NAME_EXPR
                      NAME_REF
                        IDENT "b"
                    COLON ":"
                    BLOCK
                      NEWLINE "\n"
                      WHITESPACE "    "
                      EXPR_STMT
                        NAME_EXPR
                          NAME_REF
                            IDENT "c"
                        NEWLINE "\n"
                      WHITESPACE "    "
                      COMMENT "# of c"
                      NEWLINE "\n"
                  NEWLINE "\n"
                  WHITESPACE "  "
                  COMMENT "# of the if b"
                  NEWLINE "\n"
                  WHITESPACE "    "
                  COMMENT "# still"
                  NEWLINE "\n"
              COMMENT "# of the file"
              NEWLINE "\n"
              EXPR_STMT
                NAME_EXPR
                  NAME_REF
                    IDENT "d"
                NEWLINE "\n"
        "##]],
    );
}

#[test]
fn a_block_of_comments_only_is_empty() {
    check(
        "if a:\n  # later\nb\n",
        expect![[r##"
        SOURCE_FILE
          IF_STMT
            IF_KW "if"
            WHITESPACE " "
            NAME_EXPR
              NAME_REF
                IDENT "a"
            COLON ":"
            BLOCK
              NEWLINE "\n"
              WHITESPACE "  "
              COMMENT "# later"
              NEWLINE "\n"
          EXPR_STMT
            NAME_EXPR
              NAME_REF
                IDENT "b"
            NEWLINE "\n"
    "##]],
    );
}

#[test]
fn a_block_on_the_header_line() {
    check(
        "if a: b; c # d\ne\n",
        expect![[r##"
        SOURCE_FILE
          IF_STMT
            IF_KW "if"
            WHITESPACE " "
            NAME_EXPR
              NAME_REF
                IDENT "a"
            COLON ":"
            BLOCK
              WHITESPACE " "
              EXPR_STMT
                NAME_EXPR
                  NAME_REF
                    IDENT "b"
                SEMICOLON ";"
              WHITESPACE " "
              EXPR_STMT
                NAME_EXPR
                  NAME_REF
                    IDENT "c"
                WHITESPACE " "
                COMMENT "# d"
                NEWLINE "\n"
          EXPR_STMT
            NAME_EXPR
              NAME_REF
                IDENT "e"
            NEWLINE "\n"
    "##]],
    );
}

#[test]
fn tabs_count_to_the_next_multiple_of_eight() {
    check(
        "if a:\n\tb\n        c\n",
        expect![[r#"
        SOURCE_FILE
          IF_STMT
            IF_KW "if"
            WHITESPACE " "
            NAME_EXPR
              NAME_REF
                IDENT "a"
            COLON ":"
            BLOCK
              NEWLINE "\n"
              WHITESPACE "\t"
              EXPR_STMT
                NAME_EXPR
                  NAME_REF
                    IDENT "b"
                NEWLINE "\n"
              WHITESPACE "        "
              EXPR_STMT
                NAME_EXPR
                  NAME_REF
                    IDENT "c"
                NEWLINE "\n"
    "#]],
    );
}

#[test]
fn no_final_newline() {
    check(
        "if a:\n  b  # c",
        expect![[r##"
        SOURCE_FILE
          IF_STMT
            IF_KW "if"
            WHITESPACE " "
            NAME_EXPR
              NAME_REF
                IDENT "a"
            COLON ":"
            BLOCK
              NEWLINE "\n"
              WHITESPACE "  "
              EXPR_STMT
                NAME_EXPR
                  NAME_REF
                    IDENT "b"
                WHITESPACE "  "
                COMMENT "# c"
    "##]],
    );
}

#[test]
fn byte_order_mark_form_feed_and_line_continuations() {
    check(
        "\u{feff}a\n\x0cb = \\\n  c\n",
        expect![[r#"
        SOURCE_FILE
          BOM "\u{feff}"
          EXPR_STMT
            NAME_EXPR
              NAME_REF
                IDENT "a"
            NEWLINE "\n"
          WHITESPACE "\u{c}"
          ASSIGN_STMT
            NAME_EXPR
              NAME_REF
                IDENT "b"
            WHITESPACE " "
            EQ "="
            WHITESPACE " "
            LINE_CONTINUATION "\\\n"
            WHITESPACE "  "
            NAME_EXPR
              NAME_REF
                IDENT "c"
            NEWLINE "\n"
    "#]],
    );
}

#[test]
fn empty_and_blank_texts() {
    check(
        "",
        expect![[r#"
        SOURCE_FILE
    "#]],
    );
    check(
        "\n  \n# c",
        expect![[r##"
        SOURCE_FILE
          NEWLINE "\n"
          WHITESPACE "  "
          NEWLINE "\n"
          COMMENT "# c"
    "##]],
    );
}
