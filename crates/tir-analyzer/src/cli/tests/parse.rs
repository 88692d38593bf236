//! `parse`.

use expect_test::expect;

use super::Project;

#[test]
fn tree_is_printed() {
    Project::new(&[("a.py", "x = 1\n")]).run("parse a.py").check(expect![[r#"
        SOURCE_FILE@0..6
          ASSIGN_STMT@0..6
            NAME_EXPR@0..1
              NAME_REF@0..1
                IDENT@0..1 "x"
            WHITESPACE@1..2 " "
            EQ@2..3 "="
            WHITESPACE@3..4 " "
            LITERAL@4..5
              INT@4..5 "1"
            NEWLINE@5..6 "\n"
        --- exit code 0
    "#]]);
}

#[test]
fn text_is_the_file_byte_for_byte() {
    let bytes = b"\xef\xbb\xbfx = '\xff\xfe' # \xe2\x82\r\n\ty\r\x00";
    let project = Project::new(&[]);
    project.write("a.py", bytes);
    assert_eq!(project.run("parse --text a.py").out, bytes);
    assert_eq!(project.run_with("parse --text --stdin", bytes).out, bytes);
}

#[test]
fn missing_file_is_an_error() {
    let outcome = Project::new(&[]).run("parse a.py");
    assert_eq!(outcome.code, 2);
    assert!(outcome.err().starts_with("error: cannot read a.py: "), "{}", outcome.err());
}
