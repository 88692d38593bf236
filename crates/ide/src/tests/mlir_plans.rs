//! Plans of MLIR in the editor: hints, actions, diagnostics.

use expect_test::{Expect, expect};
use syntax::{Edit, TextSize};

use super::FILE;
use crate::{
    ActionKind, Analysis, AnalysisHost, Config, DiagnosticsConfig, Group, InlayHintsConfig,
    Language, OpOptions, Preset, Settings, TextRange,
};

const TEXT: &str = "\
func.func @f(%a: i32, %b: i32) -> i32 {
  %0 = \"arith.addi\"(%a, %b) : (i32, i32) -> i32
  %1 = \"arith.addi\"(%a, %b) : (i32, i32) -> i32  // again
  %2 = \"arith.muli\"(%1, %1) : (i32, i32) -> i32
  %3 = \"arith.muli\"(%0, %1) : (i32, i32) -> i32
  %dead = \"arith.subi\"(%a, %b) : (i32, i32) -> i32
  %deader = \"arith.subi\"(%dead, %b) : (i32, i32) -> i32
  \"my.op\"(%2) : (i32) -> ()
  %4 = \"arith.addi\"(%2, %3) : (i32, i32) -> i32
  \"func.return\"(%4) : (i32) -> ()
}
func.func @g(%a: i32) -> i32 {
  %0 = \"arith.addi\"(%a, %a) : (i32, i32) -> i32
  %1 = \"arith.addi\"(%a, %a) : (i32, i32) -> i32
  %2 = \"arith.addi\"(%0, %1) : (i32, i32) -> i32
  \"func.return\"(%2) : (i32) -> ()
}
";

fn analysis(text: &str) -> Analysis {
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(Language::Mlir, text));
    host.analysis()
}

fn line(text: &str, offset: syntax::TextSize) -> usize {
    text[..usize::from(offset)].matches('\n').count() + 1
}

/// A text with its hints in it.
fn hinted(given: &str) -> String {
    let hints = analysis(given).inlay_hints(FILE, None, &InlayHintsConfig::default()).unwrap();
    let mut text = given.to_owned();
    for hint in hints.iter().rev() {
        let label = hint.label.iter().map(|it| match it.target.filter(|_| it.names_line) {
            Some(target) => format!("{} (line {})", it.text, line(given, target.start())),
            None => it.text.clone(),
        });
        text.insert_str(hint.offset.into(), &format!("‹{}›", label.collect::<String>()));
    }
    text
}

#[test]
fn preset_that_is_chosen_makes_the_hints() {
    // Neither sum dominates the other one: `mlir-opt -cse` leaves both.
    let text = "\
func.func @f(%c: i1, %a: i32) -> i32 {
  %r = scf.if %c -> (i32) {
    %0 = arith.addi %a, %a : i32
    scf.yield %0 : i32
  } else {
    %1 = arith.addi %a, %a : i32
    scf.yield %1 : i32
  }
  return %r : i32
}
";
    let n_hints = |preset| {
        let mut host = AnalysisHost::new();
        let ops = OpOptions { preset, allow_unsound: false };
        let config = Config { ops, ..Config::default() };
        host.set_settings(Group::default(), Settings { config, ..Settings::default() });
        host.open_file(FILE, syntax::parse_as(Language::Mlir, text));
        host.analysis().inlay_hints(FILE, None, &InlayHintsConfig::default()).unwrap().len()
    };
    let by_default = n_hints(Preset::Default);
    assert!(by_default > 0);
    assert_eq!(n_hints(Preset::Mlir19), 0);
    // A preset of another language leaves these files to the default.
    assert_eq!(n_hints(Preset::Tvm), by_default);
}

#[test]
fn a_hint_says_before_what_an_operation_could_stand() {
    let text = "\
func.func @f(%c: i1, %a: i32) -> i32 {
  %r = scf.if %c -> (i32) {
    %0 = arith.addi %a, %a : i32
    scf.yield %0 : i32
  } else {
    %1 = arith.addi %a, %a : i32
    %2 = arith.muli %1, %a : i32
    scf.yield %2 : i32
  }
  return %r : i32
}
";
    expect![[r#"
        func.func @f(%c: i1, %a: i32) -> i32 {
          %r = scf.if %c -> (i32) {
            %0 = arith.addi %a, %a : i32‹could stand before scf.if (line 2)›
            scf.yield %0 : i32
          } else {
            %1 = arith.addi %a, %a : i32‹= %0 (line 3)›
            %2 = arith.muli %1, %a : i32
            scf.yield %2 : i32
          }
          return %r : i32
        }
    "#]]
    .assert_eq(&hinted(text));
}

#[test]
fn hints_name_the_equal_operation_and_its_line() {
    let hints = analysis(TEXT).inlay_hints(FILE, None, &InlayHintsConfig::default()).unwrap();
    let text = hinted(TEXT);
    expect![[r#"
        func.func @f(%a: i32, %b: i32) -> i32 {
          %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
          %1 = "arith.addi"(%a, %b) : (i32, i32) -> i32‹= %0 (line 2)›  // again
          %2 = "arith.muli"(%1, %1) : (i32, i32) -> i32
          %3 = "arith.muli"(%0, %1) : (i32, i32) -> i32‹= %2 (line 4)›
          %dead = "arith.subi"(%a, %b) : (i32, i32) -> i32‹not needed›
          %deader = "arith.subi"(%dead, %b) : (i32, i32) -> i32‹not needed›
          "my.op"(%2) : (i32) -> ()
          %4 = "arith.addi"(%2, %3) : (i32, i32) -> i32
          "func.return"(%4) : (i32) -> ()
        }
        func.func @g(%a: i32) -> i32 {
          %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32‹= %0 (line 13)›
          %2 = "arith.addi"(%0, %1) : (i32, i32) -> i32
          "func.return"(%2) : (i32) -> ()
        }
    "#]]
    .assert_eq(&text);
    let tooltips: Vec<&str> = hints.iter().filter_map(|it| it.tooltip.as_deref()).collect();
    expect![[r#"
        common-operation: `arith.addi` computes the same value as `%0`.
        common-operation: `arith.muli` computes the same value as `%2`.
        dead-operation-chain: nothing needs this `arith.subi`. `mlir-opt -cse` does not do it: it deletes unused operations when it reaches them, and its users were still there.
        dead-operation: nothing needs this `arith.subi`.
        common-operation: `arith.addi` computes the same value as `%0`."#]].assert_eq(&tooltips.join("\n"));
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        edit.apply(&mut text);
    }
    text
}

/// The titles of the actions at a place.
fn actions(text: &str, needle: &str) -> Vec<crate::CodeAction> {
    let at = text.find(needle).unwrap() as u32;
    let range = TextRange::empty(at.into());
    let of_places = |it| !matches!(it, ActionKind::FixAll | ActionKind::FixRule(_));
    analysis(text).code_actions(FILE, range, &of_places).unwrap()
}

#[track_caller]
fn check_actions(needle: &str, expected: Expect) {
    let titles: Vec<String> = actions(TEXT, needle).into_iter().map(|it| it.title).collect();
    expected.assert_eq(&titles.join("\n"));
}

#[test]
fn actions_do_one_thing_or_all_of_a_function() {
    check_actions(
        "arith.addi\"(%a, %b) : (i32, i32) -> i32  // again",
        expect![[r#"
            Use `%0` instead of `%1`
            Do all 4 simplifications in `@f`
            Remove all equal and unneeded operations of this file"#]],
    );
    check_actions(
        "arith.subi\"(%a",
        expect![[r#"
            Delete `arith.subi`, which nothing needs (with 1 other change)
            Do all 4 simplifications in `@f`
            Remove all equal and unneeded operations of this file"#]],
    );
    check_actions("my.op\"", expect![""]);
    check_actions(
        "@g",
        expect![[r#"
            Do all 1 simplification in `@g`
            Remove all equal and unneeded operations of this file"#]],
    );
    let one = actions(TEXT, "arith.addi\"(%a, %b) : (i32, i32) -> i32  // again");
    expect![[r#"
        func.func @f(%a: i32, %b: i32) -> i32 {
          %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
          // again
          %2 = "arith.muli"(%0, %0) : (i32, i32) -> i32
          %3 = "arith.muli"(%0, %0) : (i32, i32) -> i32
          %dead = "arith.subi"(%a, %b) : (i32, i32) -> i32
          %deader = "arith.subi"(%dead, %b) : (i32, i32) -> i32
          "my.op"(%2) : (i32) -> ()
          %4 = "arith.addi"(%2, %3) : (i32, i32) -> i32
          "func.return"(%4) : (i32) -> ()
        }
        func.func @g(%a: i32) -> i32 {
          %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          %2 = "arith.addi"(%0, %1) : (i32, i32) -> i32
          "func.return"(%2) : (i32) -> ()
        }
    "#]]
    .assert_eq(&apply(TEXT, &one[0].edits));
    let chain = actions(TEXT, "arith.subi\"(%a");
    expect![[r#"
        func.func @f(%a: i32, %b: i32) -> i32 {
          %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
          %1 = "arith.addi"(%a, %b) : (i32, i32) -> i32  // again
          %2 = "arith.muli"(%1, %1) : (i32, i32) -> i32
          %3 = "arith.muli"(%0, %1) : (i32, i32) -> i32
          "my.op"(%2) : (i32) -> ()
          %4 = "arith.addi"(%2, %3) : (i32, i32) -> i32
          "func.return"(%4) : (i32) -> ()
        }
        func.func @g(%a: i32) -> i32 {
          %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          %2 = "arith.addi"(%0, %1) : (i32, i32) -> i32
          "func.return"(%2) : (i32) -> ()
        }
    "#]]
    .assert_eq(&apply(TEXT, &chain[0].edits));
}

#[test]
fn fix_all_leaves_nothing_for_a_second_time() {
    let mut text = TEXT.to_owned();
    let whole = TextRange::empty(0.into());
    for round in 0.. {
        let only = |it: ActionKind| it == ActionKind::FixAll;
        let actions = analysis(&text).code_actions(FILE, whole, &only).unwrap();
        let Some(action) = actions.first() else { break };
        assert!(round < 4, "{text}");
        text = apply(&text, &action.edits);
    }
    expect![[r#"
        func.func @f(%a: i32, %b: i32) -> i32 {
          %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
          // again
          %2 = "arith.muli"(%0, %0) : (i32, i32) -> i32
          "my.op"(%2) : (i32) -> ()
          %4 = "arith.addi"(%2, %2) : (i32, i32) -> i32
          "func.return"(%4) : (i32) -> ()
        }
        func.func @g(%a: i32) -> i32 {
          %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          %2 = "arith.addi"(%0, %0) : (i32, i32) -> i32
          "func.return"(%2) : (i32) -> ()
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn fixes_of_a_rule_are_done_with_what_they_need() {
    let of_rule = |rule: &'static str| {
        let only = |it: ActionKind| it == ActionKind::FixRule(rule);
        let whole = TextRange::empty(0.into());
        let actions = analysis(TEXT).code_actions(FILE, whole, &only).unwrap();
        let titles = actions.iter().map(|it| it.title.as_str()).collect::<Vec<_>>().join(", ");
        let text = actions.first().map_or(TEXT.to_owned(), |it| apply(TEXT, &it.edits));
        format!("{titles}: {} of {} lines\n", text.lines().count(), TEXT.lines().count())
    };
    let all =
        ["common-operation", "dead-operation", "commuted-operation", "dead-store"].map(of_rule);
    expect![[r#"
        Fix all `common-operation` of this file: 15 of 17 lines
        Fix all `dead-operation` of this file: 16 of 17 lines
        : 17 of 17 lines
        : 17 of 17 lines
    "#]]
    .assert_eq(&all.concat());
}

#[test]
fn each_action_alone_leaves_what_can_be_read() {
    for at in 0..TEXT.len() as u32 {
        let range = TextRange::empty(at.into());
        let found = analysis(TEXT).code_actions(FILE, range, &|_| true).unwrap();
        for action in found {
            let text = apply(TEXT, &action.edits);
            let config = DiagnosticsConfig { common_subexpressions: false, ..Default::default() };
            let errors = analysis(&text).diagnostics(FILE, &config).unwrap();
            let errors: Vec<_> =
                errors.iter().filter(|it| it.severity == crate::Severity::Error).collect();
            assert!(errors.is_empty(), "{}: {errors:?}\n{text}", action.title);
        }
    }
}

#[track_caller]
fn check_diagnostics(config: &DiagnosticsConfig, text: &str, expected: Expect) {
    let found = analysis(text).diagnostics(FILE, config).unwrap();
    let shown: Vec<String> = found
        .iter()
        .filter(|it| it.code != "unknown-operation")
        .map(|it| {
            format!(
                "{} {:?} {}: {}",
                line(text, it.range.start()),
                it.severity,
                it.code,
                it.message
            )
        })
        .collect();
    expected.assert_eq(&shown.join("\n"));
}

#[test]
fn diagnostics_tell_what_lowering_and_plans_say() {
    let text = "func.func @f(%a: i32) {\n  %0 = \"my.op\"(%b) : (i32) -> i32\n  \
                %1 = \"arith.addi\"(%a, %a) : (i32, i32) -> i32\n  \"cf.br\"()[^x] : () -> ()\n}\n";
    check_diagnostics(
        &DiagnosticsConfig::default(),
        text,
        expect![[r#"
        2 Error undefined-value: `%b` is not defined here
        3 Hint dead-operation: nothing needs this `arith.addi`
        4 Error undefined-block: there is no block `^x` in this region"#]],
    );
    let beside = DiagnosticsConfig { operations: false, ..Default::default() };
    check_diagnostics(
        &beside,
        text,
        expect!["3 Hint dead-operation: nothing needs this `arith.addi`"],
    );
}

#[test]
fn symbols_of_a_table_have_different_names() {
    let text = "\
func.func private @f()
module @f {
  func.func private @f()
  gpu.module @k {
    func.func private @f()
  }
  \"func.func\"() <{function_type = () -> (), sym_name = \"f\"}> ({
    return
  }) : () -> ()
  \"my.table\"() ({
    func.func private @f()
    func.func private @f()
  }) : () -> ()
  memref.global @\"f\" : memref<4xf32>
  my.table @g {
    my.symbol @g
    func.func private @g()
    func.func private @g()
  }
}
// -----
func.func private @f()
";
    check_diagnostics(
        &DiagnosticsConfig::default(),
        text,
        expect![[r#"
        2 Error symbol-redefinition: `@f` is already defined here
        7 Error symbol-redefinition: `@f` is already defined here
        14 Error symbol-redefinition: `@f` is already defined here"#]],
    );
    let found = analysis(text).diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    let again = found.iter().filter(|it| it.code == "symbol-redefinition");
    let first: Vec<usize> = again.map(|it| line(text, it.related[0].0.start())).collect();
    assert_eq!(first, [1, 3, 3]);
    let off = DiagnosticsConfig { operations: false, ..Default::default() };
    check_diagnostics(&off, text, expect![[""]]);
}

#[test]
fn values_of_one_name_are_told_apart_by_their_lines() {
    let text = "\
func.func @f(%a: i32, %b: i32, %c: i1) -> i32 {
  %r = scf.if %c -> (i32) {
    %p = arith.muli %a, %b : i32
    scf.yield %p : i32
  } else {
    %p = arith.muli %a, %b : i32
    %q = arith.addi %p, %a : i32
    scf.yield %q : i32
  }
  return %r : i32
}
";
    let titles = |needle: &str| {
        let titles: Vec<String> = actions(text, needle).into_iter().map(|it| it.title).collect();
        titles.join("\n")
    };
    let second = "%p = arith.muli %a, %b : i32\n    %q";
    expect![[r#"
        Use `%p` (line 3) instead (with 1 other change)
        Do all 2 simplifications in `@f`"#]]
    .assert_eq(&titles(second));
    let found = analysis(text).diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    let helps: Vec<&str> = found.iter().filter_map(|it| it.help.as_deref()).collect();
    expect![[r#"
        Move `%p` before `scf.if`
        Use the `%p` above instead"#]]
    .assert_eq(&helps.join("\n"));
}

#[test]
fn first_diagnostics_are_the_same_with_and_without_a_limit() {
    let mut text = String::from("func.func @f(%a: i32) -> i32 {\n");
    for i in 0..400 {
        text.push_str(&format!("  %{i} = arith.addi %a, %a : i32\n"));
    }
    text.push_str("  return %399 : i32\n}\n");
    let ask = |limit| {
        let config = DiagnosticsConfig { limit, ..DiagnosticsConfig::default() };
        analysis(&text).diagnostics(FILE, &config).unwrap()
    };
    let all = ask(usize::MAX);
    assert!(all.len() > 390, "{}", all.len());
    assert_eq!(ask(5), all[..5]);
    assert_eq!(ask(300), all[..300]);
}

#[test]
fn hover_at_a_redundant_operation_says_what_it_equals_and_where_that_is() {
    let text = "func.func @f(%a: i32, %b: i32, %n: index) -> (i32, i32) {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %b, %a : i32
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %a) -> (i32, i32) {
    %p = arith.muli %x, %1 : i32
    %q = arith.muli %y, %0 : i32
    scf.yield %p, %q : i32, i32
  }
  return %r#0, %r#1 : i32, i32
}
";
    let hover = |what: &str, inside: usize| {
        let at = text.find(what).unwrap() + inside;
        let offset = TextSize::new(at as u32);
        let hover = analysis(text).hover(FILE, offset).unwrap();
        let markdown = hover.map(|it| it.markdown).unwrap_or_default();
        markdown.split("\n\n").filter(|it| it.contains("= `")).collect::<Vec<_>>().join("\n")
    };
    expect!["**= `%0` (line 2)**"].assert_eq(&hover("arith.addi %b", 0));
    expect!["**= `%0` (line 2)**"].assert_eq(&hover("%1 =", 1));
    expect!["**= `%x` (line 4)**"].assert_eq(&hover("%y =", 1));
    expect!["**= `%p` (line 5)**"].assert_eq(&hover("%q =", 1));
}

#[test]
fn actions_are_read_back_when_they_are_asked_for_alone() {
    let text = "func.func @f(%a: i32, %b: i32) {\n  %0 = arith.addi %a, %b : i32\n  \
                %1 = arith.addi %a, %b : i32\n  %2 = arith.addi %a, %b : i32\n  \
                \"my.use\"(%0, %1, %2) : (i32, i32, i32) -> ()\n  return\n}\n";
    let analysis = analysis(text);
    let whole = TextRange::up_to(syntax::TextSize::of(text));
    let all = analysis.code_actions(FILE, whole, &|_| true).unwrap();
    let titles = analysis.code_action_titles(FILE, whole, &|_| true).unwrap();
    assert_eq!(all.len(), titles.len());
    let n_put_off = titles.iter().filter(|it| it.is_put_off).count();
    assert_eq!(n_put_off, 2, "each of the two equal operations: {titles:#?}");
    for (at, (with, without)) in all.iter().zip(&titles).enumerate() {
        assert_eq!((with.kind, &with.title), (without.kind, &without.title));
        let is_same = |it: &&crate::CodeAction| (it.kind, &it.title) == (with.kind, &with.title);
        let number = all[..at].iter().filter(is_same).count();
        let alone = analysis.code_action(FILE, whole, (with.kind, &with.title, number)).unwrap();
        let edits = alone.as_ref().map(|it| &it.edits);
        assert_eq!(edits, Some(&with.edits), "{}", with.title);
    }
}

#[test]
fn passes_are_shown_as_edits_of_the_text() {
    let view = |at: &str, passes: &[crate::Pass]| {
        let offset = TextSize::from(TEXT.find(at).unwrap() as u32);
        analysis(TEXT).view_passes(FILE, offset, passes).unwrap()
    };
    let preview = view("func.func @g", &[crate::Pass::Simplify, crate::Pass::Cse]).unwrap();
    let stages = preview.stages.iter();
    let shown: String = stages
        .map(|it| format!("{} {} {:?}\n{}\n", it.pass, it.is_changed, it.notes, it.text))
        .collect();
    expect![[r#"
        g
        simplify false ["pass `simplify` is for TVMScript"]
        func.func @g(%a: i32) -> i32 {
          %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          %2 = "arith.addi"(%0, %1) : (i32, i32) -> i32
          "func.return"(%2) : (i32) -> ()
        }
        cse true ["`arith.addi` computes the same value as `%0`"]
        func.func @g(%a: i32) -> i32 {
          %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          %2 = "arith.addi"(%0, %0) : (i32, i32) -> i32
          "func.return"(%2) : (i32) -> ()
        }
    "#]]
    .assert_eq(&format!("{}\n{shown}", preview.function));
}

#[test]
fn an_alias_is_defined_once_in_a_document() {
    let text = "\
#a = 1 : i32
!a = i32
#b = 2 : i32
#a = 1 : i32
!a = i64
// -----
#a = 2 : i32
";
    check_diagnostics(
        &DiagnosticsConfig::default(),
        text,
        expect![[r#"
        4 Error alias-redefinition: `#a` is already defined
        5 Error alias-redefinition: `!a` is already defined"#]],
    );
}

#[test]
fn names_in_attributes_stand_for_something() {
    let text = "\
#map = affine_map<(d0, d1)[s0] -> (d0 floordiv 2 + s0, d2)>
#set = affine_set<(i)[n] : (i >= 0, n - i - 1 >= 0, k == 0)>
#a = #gone
!t = !other
func.func @f(%m: memref<4xf32, #layout>, %i: index) attributes {k = #nope, k = 1} {
  %0 = \"t.x\"(%i) <{p = #p}> {a = [#map, #x], d = {\"x\" = 1, x}} : (index) -> tensor<4xf32, #e>
  %1 = affine.apply affine_map<(d0) -> (d0 mod d7)>(%i)
  %2 = affine.apply #here(%i)
  \"t.y\"() {a = #d<x #y>, b = #d.z<#w>, c = \"#q\", d = !d.t<!u>} : () -> ()
  foo.bar %i {a = #unknown, a = 1} : !index
  return
} loc(#loc1)
// -----
#here = affine_map<(d0) -> (d0)>
";
    let config = DiagnosticsConfig { common_subexpressions: false, ..DiagnosticsConfig::default() };
    check_diagnostics(
        &config,
        text,
        expect![[r#"
        1 Error undefined-affine-name: `d2` is neither a dimension nor a symbol of this `affine_map`
        2 Error undefined-affine-name: `k` is neither a dimension nor a symbol of this `affine_set`
        3 Error undefined-alias: `#gone` is not defined in this document
        4 Error undefined-alias: `!other` is not defined in this document
        5 Error undefined-alias: `#layout` is not defined in this document
        5 Error undefined-alias: `#nope` is not defined in this document
        5 Error duplicate-key: the key `k` is here twice
        6 Error undefined-alias: `#p` is not defined in this document
        6 Error undefined-alias: `#x` is not defined in this document
        6 Error duplicate-key: the key `x` is here twice
        6 Error undefined-alias: `#e` is not defined in this document
        7 Error undefined-affine-name: `d7` is neither a dimension nor a symbol of this `affine_map`
        8 Error undefined-alias: `#here` is not defined in this document"#]],
    );
}

#[test]
fn documents_of_a_text_that_is_run_as_a_whole_see_each_others_names() {
    let documents = "!t = tensor<4xf32>\nfunc.func @f(%a: !t) {\n  return\n}\n// -----\n\
                     func.func @g(%a: !t) {\n  func.call @f(%a) : (!t) -> ()\n  return\n}\n";
    let config = DiagnosticsConfig { common_subexpressions: false, ..DiagnosticsConfig::default() };
    check_diagnostics(&config, &format!("// RUN: own-opt %s\n{documents}"), expect![[r#""#]]);
    let split = format!("// RUN: own-opt -split-input-file %s\n{documents}");
    check_diagnostics(
        &config,
        &split,
        expect![[r#"
        7 Error undefined-alias: `!t` is not defined in this document
        8 Error undefined-symbol: nothing defines or declares `@f`
        8 Error undefined-alias: `!t` is not defined in this document"#]],
    );
}

#[test]
fn a_nul_is_a_blank() {
    let text = "\0func.func @f() {\0\n  return\0\n}\0\n\0";
    check_diagnostics(&DiagnosticsConfig::default(), text, expect![[""]]);
}

#[test]
fn single_request_gets_the_same_answer() {
    let many: String = (0..300)
        .map(|it| TEXT.replace("@f", &format!("@f{it}")).replace("@g", &format!("@g{}", it % 200)))
        .collect();
    let config = DiagnosticsConfig { read_back: true, ..DiagnosticsConfig::default() };
    let of_snapshot = analysis(&many).diagnostics(FILE, &config).unwrap();
    let mut host = AnalysisHost::new();
    host.open_file(FILE, syntax::parse_as(Language::Mlir, &many));
    assert_eq!(host.diagnostics_once(FILE, &config), of_snapshot);
    // And again, when all is forgotten.
    assert_eq!(host.diagnostics_once(FILE, &config), of_snapshot);
    assert!(of_snapshot.iter().any(|it| it.code == "symbol-redefinition"));
}

#[test]
fn a_value_of_a_pack_is_named_as_its_uses_are_written() {
    // Both results have one name where they are defined.
    let text = "\
func.func @f(%n: index, %a: i32, %b: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %a) -> (i32, i32) {
    %0 = arith.addi %p, %b : i32
    %1 = arith.addi %q, %b : i32
    scf.yield %0, %1 : i32, i32
  }
  %s = arith.addi %r#0, %r#1 : i32
  return %r#0, %s : i32, i32
}
";
    check_diagnostics(
        &DiagnosticsConfig::default(),
        text,
        expect![[r#"
            4 Hint equal-carried-values: the result `%r#1` is always `%r#0`
            4 Hint equal-carried-values: the block argument `%q` is always `%p`
            4 Hint unneeded-carried-value: nothing needs the argument `%q`
            6 Hint common-operation: `arith.addi` computes the same value as `%0`"#]],
    );
}

/// The texts that the actions of missing facts at a place lead to.
#[track_caller]
fn check_stated(text: &str, needle: &str, expected: Expect) {
    let found = actions(text, needle).into_iter().filter(|it| it.title.contains(", so that "));
    let shown = found.map(|it| format!("{}\n{}", it.title, apply(text, &it.edits)));
    expected.assert_eq(&shown.collect::<Vec<_>>().join("----\n"));
}

#[test]
fn the_fact_that_keeps_a_guard_can_be_assumed_or_asserted() {
    let text = "\
func.func @f(%m: index, %n: index, %a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %in = arith.cmpi slt, %i, %n : index
    scf.if %in {
      %0 = memref.load %a[%i] : memref<?xf32>
      \"my.use\"(%0) : (f32) -> ()
    }
  }
  return
}
";
    check_stated(
        text,
        "%in =",
        expect![[r#"
        Assume `%m <= %n`, so that `%in` is always true
        func.func @f(%m: index, %n: index, %a: memref<?xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %fact = arith.cmpi sle, %m, %n : index
          "llvm.intr.assume"(%fact) : (i1) -> ()
          scf.for %i = %c0 to %m step %c1 {
            %in = arith.cmpi slt, %i, %n : index
            scf.if %in {
              %0 = memref.load %a[%i] : memref<?xf32>
              "my.use"(%0) : (f32) -> ()
            }
          }
          return
        }
        ----
        Assert `%m <= %n`, so that `%in` is always true
        func.func @f(%m: index, %n: index, %a: memref<?xf32>) {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %fact = arith.cmpi sle, %m, %n : index
          cf.assert %fact, "%m <= %n"
          scf.for %i = %c0 to %m step %c1 {
            %in = arith.cmpi slt, %i, %n : index
            scf.if %in {
              %0 = memref.load %a[%i] : memref<?xf32>
              "my.use"(%0) : (f32) -> ()
            }
          }
          return
        }
    "#]],
    );
}

#[test]
fn the_fact_that_makes_a_mask_uniform_is_an_attribute_in_triton() {
    let text = "\
tt.func @k(%p: !tt.ptr<f32>, %n: i32 {tt.pointee = 1 : i32}, %m: i32) {
  %c64_i32 = arith.constant 64 : i32
  %id = tt.get_program_id x : i32
  %start = arith.muli %id, %c64_i32 : i32
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %all = tt.splat %start : i32 -> tensor<64xi32>
  %at = arith.addi %all, %range : tensor<64xi32>
  %end = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %at, %end : tensor<64xi32>
  \"my.use\"(%mask) : (tensor<64xi1>) -> ()
  tt.return
}
";
    check_stated(
        text,
        "%mask =",
        expect![[r#"
        State `%n mod 64 == 0`, so that `%mask` is the same in all 64 elements
        tt.func @k(%p: !tt.ptr<f32>, %n: i32 {tt.divisibility = 64 : i32, tt.pointee = 1 : i32}, %m: i32) {
          %c64_i32 = arith.constant 64 : i32
          %id = tt.get_program_id x : i32
          %start = arith.muli %id, %c64_i32 : i32
          %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
          %all = tt.splat %start : i32 -> tensor<64xi32>
          %at = arith.addi %all, %range : tensor<64xi32>
          %end = tt.splat %n : i32 -> tensor<64xi32>
          %mask = arith.cmpi slt, %at, %end : tensor<64xi32>
          "my.use"(%mask) : (tensor<64xi1>) -> ()
          tt.return
        }
        ----
        Assume `%n mod 64 == 0`, so that `%mask` is the same in all 64 elements
        tt.func @k(%p: !tt.ptr<f32>, %n: i32 {tt.pointee = 1 : i32}, %m: i32) {
          %c64_i32 = arith.constant 64 : i32
          %id = tt.get_program_id x : i32
          %start = arith.muli %id, %c64_i32 : i32
          %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
          %all = tt.splat %start : i32 -> tensor<64xi32>
          %at = arith.addi %all, %range : tensor<64xi32>
          %end = tt.splat %n : i32 -> tensor<64xi32>
          %fact = arith.constant 63 : i32
          %fact_1 = arith.andi %n, %fact : i32
          %fact_2 = arith.constant 0 : i32
          %fact_3 = arith.cmpi eq, %fact_1, %fact_2 : i32
          "llvm.intr.assume"(%fact_3) : (i1) -> ()
          %mask = arith.cmpi slt, %at, %end : tensor<64xi32>
          "my.use"(%mask) : (tensor<64xi1>) -> ()
          tt.return
        }
    "#]],
    );
}

#[test]
fn symbols_that_nothing_defines_are_told_where_mlir_refuses_them() {
    let config =
        &DiagnosticsConfig { common_subexpressions: false, ..DiagnosticsConfig::default() };
    check_diagnostics(
        config,
        "\
module {
  func.func private @declared()
  func.func @f(%a: !llvm.ptr) -> memref<2xf32> {
    call @declared() : () -> ()
    call @later() : () -> ()
    func.call @missing() : () -> ()
    func.call @missing() {x = @other} : () -> ()
    llvm.call %a() {x = @other} : !llvm.ptr, () -> ()
    \"func.call\"() <{callee = @generic}> : () -> ()
    %0 = memref.get_global @global : memref<2xf32>
    return %0 : memref<2xf32>
  }
  func.func @later() {
    return
  }
}
// -----
func.func @f() {
  call @missing() : () -> ()
  return
}
\"my.table\"() ({}) : () -> ()
// -----
func.func @f() {
  call @missing() : () -> ()
  \"my.def\"() {sym_name = \"missing\"} : () -> ()
  return
}
",
        expect![[r#"
            6 Error undefined-symbol: nothing defines or declares `@missing`
            7 Error undefined-symbol: nothing defines or declares `@missing`
            10 Error undefined-symbol: nothing defines or declares `@global`"#]],
    );
    // Functions of a dump stand without their module.
    check_diagnostics(
        config,
        "// -----// IR Dump After CSE (cse) //----- //\nfunc.func @f() {\n  call @g() : () -> ()\n  return\n}\n",
        expect![[r#""#]],
    );
    // Another file is read with this one.
    check_diagnostics(
        config,
        "// RUN: cat %S/types.mlir %s | own-opt | FileCheck %s\nfunc.func @f(%a: !t) {\n  call @g(%a) : (!t) -> ()\n  return\n}\n",
        expect![[r#""#]],
    );
}

#[test]
fn operations_from_before_2022_are_told_once_a_file() {
    let text = "\
!t = type tensor<4xf32>
func @f(%a: f32, %n: index) -> f32 {
  %c = constant 1.0 : f32
  scf.for %i = %n to %n step %n {
    %0 = addf %a, %c : f32
  }
  br ^bb1(%c : f32)
^bb1(%x: f32):
  return %x : f32
}
";
    let found = analysis(text).diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    let shown: Vec<String> = found
        .iter()
        .map(|it| {
            format!(
                "{}: {}\n{}",
                line(text, it.range.start()),
                it.message,
                it.help.as_deref().unwrap_or_default()
            )
        })
        .collect();
    expect![[r#"
        5: 2 operations of the dialect `std` are not known (`std.addf`, `std.br`): nothing is merged with them or moved over them
        before 2022 these were written without their dialect; now they are operations of `arith`, `cf`, `func`, `math`, `memref` and `tensor`"#]].assert_eq(&shown.join("\n"));
}

#[test]
fn dominance_and_types_are_told_once() {
    check_diagnostics(
        &DiagnosticsConfig { common_subexpressions: false, ..DiagnosticsConfig::default() },
        "\
func.func @f(%c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  %x = arith.constant 1 : i32
  cf.br ^b
^b:
  %y = arith.addi %x, %x : i32
  %z = arith.addi %x, %y : i32
  %w = arith.addi %c, %c : i64
  return
}
",
        expect![[r#"
            7 Error use-before-definition: the definition of `%x` does not come before this use on every path, nor before 2 others
            9 Error type-mismatch: `%c` has the type `i1`, but is used as `i64`"#]],
    );
}

#[test]
fn a_fact_that_a_loop_contradicts_is_neither_told_nor_offered() {
    let text = "\
func.func @f(%a: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  scf.for %i = %c0 to %c512 step %c1 {
    %r = arith.divui %i, %c64 : index
    memref.store %r, %a[%i] : memref<?xindex>
  }
  return
}
";
    check_stated(text, "%r =", expect![[r#""#]]);
    assert_eq!(missing(text), [""; 0]);
    let of_threads = "\
gpu.module @m {
  gpu.func @k(%a: memref<?xindex>) kernel {
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x upper_bound 128
    %r = arith.divui %t, %c64 : index
    memref.store %r, %a[%t] : memref<?xindex>
    gpu.return
  }
}
";
    assert_eq!(missing(of_threads), [""; 0]);
    // Nobody knows how many threads there are.
    assert_eq!(missing(&of_threads.replace(" upper_bound 128", "")), ["ui64(%t) < 64"]);
    let of_argument = "\
func.func @f(%n: index) -> index {
  %c64 = arith.constant 64 : index
  %r = arith.divui %n, %c64 : index
  return %r : index
}
";
    assert_eq!(missing(of_argument), ["ui64(%n) < 64"]);
}

/// The facts that are missing about `%r`.
fn missing(text: &str) -> Vec<String> {
    let at = TextSize::try_from(text.find("%r =").unwrap()).unwrap();
    let stated = arith::operations::StatedFacts::default();
    let facts = analysis(text).value_facts(FILE, at, &stated).unwrap().unwrap();
    facts.missing.into_iter().map(|it| it.fact).collect()
}
