//! Actions about comments that state diagnostics of MLIR.

use expect_test::{Expect, expect};

use super::FILE;
use crate::{AnalysisHost, Language, Reported, Severity, TextRange, TextSize};

/// The actions at `$0`, each with the text that it makes.
#[track_caller]
fn check_with(marked: &str, reported: &[(&str, &str)], expected: Expect) {
    let offset = TextSize::from(marked.find("$0").expect("a place") as u32);
    let text = marked.replace("$0", "");
    let mut host = AnalysisHost::new();
    host.set_text(FILE, Language::Mlir, text.as_str().into());
    let report = |(at, message): &(&str, &str)| Reported {
        offset: TextSize::from(text.find(at).expect("a place") as u32),
        severity: Severity::Error,
        message: (*message).to_owned(),
        notes: Vec::new(),
    };
    let reported: Vec<Reported> = reported.iter().map(report).collect();
    let range = TextRange::empty(offset);
    let actions = host.analysis().expectation_actions(FILE, range, &reported, true).unwrap();
    let shown = actions.into_iter().map(|it| {
        let mut new = text.clone();
        it.edits.iter().rev().for_each(|edit| edit.apply(&mut new));
        format!("== {}\n{new}", it.title)
    });
    expected.assert_eq(&shown.collect::<String>());
}

#[track_caller]
fn check(marked: &str, expected: Expect) {
    check_with(marked, &[], expected);
}

#[test]
fn a_comment_that_an_edit_moved_away_is_pointed_at_its_error_again() {
    check(
        "\
func.func @f() {
  // expected-error @+1 {{use of undeclared SSA value name}}
  %0 = arith.constant 1 : i32
  $0\"my.use\"(%x) : (i32) -> ()
  return
}
",
        expect![[r#"
            == Point `expected-error` at this error: `@+2`
            func.func @f() {
              // expected-error @+2 {{use of undeclared SSA value name}}
              %0 = arith.constant 1 : i32
              "my.use"(%x) : (i32) -> ()
              return
            }
        "#]],
    );
    // At the comment too.
    check(
        "\
func.func @f() {
  cf.br ^bb7 // expected-error@-3 $0{{undefined block}}
}
",
        expect![[r#"
            == Point `expected-error` at its own line
            func.func @f() {
              cf.br ^bb7 // expected-error {{undefined block}}
            }
        "#]],
    );
}

#[test]
fn a_comment_with_another_text_gets_the_text_of_its_error() {
    check(
        "\
func.func @f() {
  // expected-error @below {{use of unknown value}}
  $0\"my.use\"(%x) : (i32) -> ()
  return
}
",
        expect![[r#"
            == Update the text of `expected-error`
            func.func @f() {
              // expected-error @below {{use of undeclared SSA value name}}
              "my.use"(%x) : (i32) -> ()
              return
            }
        "#]],
    );
}

#[test]
fn an_error_without_a_comment_gets_one_with_its_notes() {
    check(
        "\
// RUN: mlir-opt %s -verify-diagnostics
func.func @f() {
  // expected-error @+3 {{use of undeclared SSA value name}}
  %y = arith.constant 1 : i32
  $0%y = arith.constant 2 : i32
  \"my.use\"(%x) : (i32) -> ()
  return
}
",
        expect![[r#"
            == Add `expected-error` for this error and its note
            // RUN: mlir-opt %s -verify-diagnostics
            func.func @f() {
              // expected-error @+5 {{use of undeclared SSA value name}}
              // expected-note @below {{previously defined here}}
              %y = arith.constant 1 : i32
              // expected-error @below {{redefinition of SSA value '%y'}}
              %y = arith.constant 2 : i32
              "my.use"(%x) : (i32) -> ()
              return
            }
        "#]],
    );
    // Not in files that are no tests.
    check("func.func @f() {\n  $0\"my.use\"(%x) : (i32) -> ()\n  return\n}\n", expect![""]);
}

#[test]
fn errors_that_are_stated_need_nothing() {
    check(
        "\
func.func @f() {
  // expected-error @below {{undeclared}}
  $0\"my.use\"(%x) : (i32) -> ()
  // expected-error-re @+1 {{use of {{.*}} value}}
  \"my.use\"(%y) : (i32) -> ()
  return
}
// -----
func.func @g() {
  cf.br ^bb7
}
",
        expect![""],
    );
}

#[test]
fn what_another_server_reports_is_stated_by_comments_that_are_there() {
    let text = "\
// expected-error @+1 {{'my.op' op needs two operands}}

$0\"my.op\"() : () -> ()
\"my.other\"() : () -> ()
";
    check_with(
        text,
        &[("\"my.op\"", "'my.op' op needs two operands, not none")],
        expect![[r#"
            == Point `expected-error` at this error: `@+2`
            // expected-error @+2 {{'my.op' op needs two operands}}

            "my.op"() : () -> ()
            "my.other"() : () -> ()
        "#]],
    );
    // Where no comment is there, that server offers one.
    check_with(text, &[("\"my.op\"", "'my.op' op is refused")], expect![""]);
}
