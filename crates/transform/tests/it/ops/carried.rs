//! Dead loop-carried values and block arguments: they are removed from all lists, in pretty and in generic forms.

use expect_test::{Expect, expect};
use frontend::{mlir::UnitKind, ops};
use ir::{effects::EffectTable, plan::Preset};
use transform::ops::plan;

use super::{check_with, options, units};

fn function(body: &str) -> String {
    format!(
        "func.func @f(%a: i32, %b: i32, %d: i1, %n: index) -> (i32, i32) {{\n{}}}\n",
        body.strip_prefix('\n').unwrap_or(body)
    )
}

#[track_caller]
fn check(body: &str, expect: Expect) {
    check_with(options(Preset::Default), &function(body), &expect);
}

#[test]
fn operation_moved_out_of_an_inner_choice_moves_out_of_the_outer_one() {
    check(
        r#"
  %c = "my.condition"() : () -> i1
  %r = scf.if %c -> (i32) {
    %s = scf.if %d -> (i32) {
      %0 = arith.addi %a, %b : i32
      %1 = arith.muli %0, %a : i32
      scf.yield %1 : i32
    } else {
      "my.write"() : () -> ()
      %2 = arith.addi %a, %b : i32
      scf.yield %2 : i32
    }
    scf.yield %s : i32
  } else {
    %3 = arith.addi %a, %b : i32
    %4 = arith.andi %3, %b : i32
    scf.yield %4 : i32
  }
  return %r, %r : i32, i32
"#,
        expect![[r#"
            func.func @f(%a: i32, %b: i32, %d: i1, %n: index) -> (i32, i32) {
              %c = "my.condition"() : () -> i1
              %0 = arith.addi %a, %b : i32
              %r = scf.if %c -> (i32) {
                %s = scf.if %d -> (i32) {
                  %1 = arith.muli %0, %a : i32
                  scf.yield %1 : i32
                } else {
                  "my.write"() : () -> ()
                  scf.yield %0 : i32
                }
                scf.yield %s : i32
              } else {
                %4 = arith.andi %0, %b : i32
                scf.yield %4 : i32
              }
              return %r, %r : i32, i32
            }
            ----
            equal-in-branches: %0 = arith.addi %a, %b : i32
            equal-in-branches: %2 = arith.addi %a, %b : i32
            equal-in-branches: %3 = arith.addi %a, %b : i32
        "#]],
    );
}

#[test]
fn a_value_that_a_loop_carries_for_nothing_is_left_out() {
    check(
        r#"
  %r:3 = scf.for %i = %n to %n step %n iter_args(%x = %a, %y = %b, %z = %a) -> (i32, i32, i32) {
    %p = arith.muli %x, %b : i32
    %q = arith.addi %y, %b : i32  // only for the next one
    %s = arith.muli %z, %p : i32
    scf.yield %p, %q, %s : i32, i32, i32
  }
  %t:2 = scf.for %i = %n to %n step %n iter_args(%x = %r#0, %y = %r#2) -> (i32, i32) {
    %p = arith.muli %x, %b : i32
    scf.yield %p, %y : i32, i32
  }
  %last = arith.constant 1 : i32
  scf.for %i = %n to %n step %n iter_args(%x = %last) -> (i32) {
    "my.write"() : () -> ()
    scf.yield %x : i32
  }
  return %t#0, %r#2 : i32, i32
"#,
        expect![[r#"
            func.func @f(%a: i32, %b: i32, %d: i1, %n: index) -> (i32, i32) {
              %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a, %z = %a) -> (i32, i32) {
                %p = arith.muli %x, %b : i32
                // only for the next one
                %s = arith.muli %z, %p : i32
                scf.yield %p, %s : i32, i32
              }
              %t = scf.for %i = %n to %n step %n iter_args(%x = %r#0) -> (i32) {
                %p = arith.muli %x, %b : i32
                scf.yield %p : i32
              }
              scf.for %i = %n to %n step %n {
                "my.write"() : () -> ()
                scf.yield
              }
              return %t, %r#1 : i32, i32
            }
            ----
            unneeded-carried-value: %q = arith.addi %y, %b : i32
            unneeded-carried-value: scf.yield %p, %q, %s : i32, i32, i32
            equal-carried-values: scf.yield %p, %y : i32, i32
            unneeded-carried-value: scf.yield %p, %y : i32, i32
            unneeded-carried-value: %last = arith.constant 1 : i32
            equal-carried-values: scf.yield %x : i32
            unneeded-carried-value: scf.yield %x : i32
        "#]],
    );
}

#[test]
fn the_generic_form_is_left_without_it_too() {
    check(
        r#"
  %r:2 = "scf.for"(%n, %n, %n, %a, %b) ({
  ^bb0(%i: index, %x: i32, %y: i32):
    %p = "arith.muli"(%x, %b) : (i32, i32) -> i32
    // This stays.
    "scf.yield"(%p, %y) : (i32, i32) -> ()
  }) {note = "(a, b)"} : (index, index, index, i32, i32) -> (i32, i32) loc("x":1:2)
  %only = "scf.for"(%n, %n, %n, %a) ({
  ^bb0(%i: index, %x: i32):
    "my.write"() : () -> ()
    "scf.yield"(%x) : (i32) -> ()
  }) : (index, index, index, i32) -> (i32)
  "cf.cond_br"(%d, %a, %b, %a)[^one, ^two] <{operandSegmentSizes = array<i32: 1, 2, 1>}> : (i1, i32, i32, i32) -> ()
^one(%u: i32, %v: i32):
  "cf.br"(%u)[^two] : (i32) -> ()
^two(%w: i32):
  "func.return"(%r#0, %r#0) : (i32, i32) -> ()
"#,
        expect![[r#"
            func.func @f(%a: i32, %b: i32, %d: i1, %n: index) -> (i32, i32) {
              %r = "scf.for"(%n, %n, %n, %a) ({
              ^bb0(%i: index, %x: i32):
                %p = "arith.muli"(%x, %b) : (i32, i32) -> i32
                // This stays.
                "scf.yield"(%p) : (i32) -> ()
              }) {note = "(a, b)"} : (index, index, index, i32) -> (i32) loc("x":1:2)
              "scf.for"(%n, %n, %n) ({
              ^bb0(%i: index):
                "my.write"() : () -> ()
                "scf.yield"() : () -> ()
              }) : (index, index, index) -> ()
              "cf.cond_br"(%d)[^one, ^two] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
            ^one:
              "cf.br"()[^two] : () -> ()
            ^two:
              "func.return"(%r, %r) : (i32, i32) -> ()
            }
            ----
            equal-carried-values: "scf.yield"(%p, %y) : (i32, i32) -> ()
            unneeded-carried-value: "scf.yield"(%p, %y) : (i32, i32) -> ()
            equal-carried-values: "scf.yield"(%x) : (i32) -> ()
            unneeded-carried-value: "scf.yield"(%x) : (i32) -> ()
            equal-block-arguments: "cf.br"(%u)[^two] : (i32) -> ()
            unneeded-block-argument: "cf.br"(%u)[^two] : (i32) -> ()
            unneeded-block-argument: "cf.br"(%u)[^two] : (i32) -> ()
            unneeded-block-argument: "func.return"(%r#0, %r#0) : (i32, i32) -> ()
        "#]],
    );
}

#[test]
fn arguments_of_blocks_that_nothing_needs_are_left_out() {
    check(
        r#"
  cf.br ^loop(%a, %b, %a : i32, i32, i32)
^loop(%x: i32, %y: i32, %z: i32):
  %next = arith.addi %y, %b : i32
  "my.write"(%z) : (i32) -> ()
  cf.cond_br %d, ^loop(%x, %next, %z : i32, i32, i32), ^end(%x : i32)
^end(%last: i32):
  return %a, %b : i32, i32
"#,
        expect![[r#"
            func.func @f(%a: i32, %b: i32, %d: i1, %n: index) -> (i32, i32) {
              cf.br ^loop
            ^loop:
              "my.write"(%a) : (i32) -> ()
              cf.cond_br %d, ^loop, ^end
            ^end:
              return %a, %b : i32, i32
            }
            ----
            unneeded-block-argument: %next = arith.addi %y, %b : i32
            equal-block-arguments: cf.cond_br %d, ^loop(%x, %next, %z : i32, i32, i32), ^end(%x : i32)
            equal-block-arguments: cf.cond_br %d, ^loop(%x, %next, %z : i32, i32, i32), ^end(%x : i32)
            equal-block-arguments: cf.cond_br %d, ^loop(%x, %next, %z : i32, i32, i32), ^end(%x : i32)
            unneeded-block-argument: cf.cond_br %d, ^loop(%x, %next, %z : i32, i32, i32), ^end(%x : i32)
            unneeded-block-argument: cf.cond_br %d, ^loop(%x, %next, %z : i32, i32, i32), ^end(%x : i32)
            unneeded-block-argument: cf.cond_br %d, ^loop(%x, %next, %z : i32, i32, i32), ^end(%x : i32)
            unneeded-block-argument: return %a, %b : i32, i32
        "#]],
    );
}

#[test]
fn one_of_several_arguments_is_left_out_and_what_moved_for_it() {
    check(
        r#"
  cf.br ^head(%n, %a : index, i32)
^head(%i: index, %x: i32):
  cf.cond_br %d, ^body, ^exit
^body:
  "my.write"(%i) : (index) -> ()
  %k = arith.constant true
  %r = scf.if %k -> (i32) {
    %p = arith.addi %a, %b : i32
    scf.yield %p : i32
  } else {
    "my.write"() : () -> ()
    %q = arith.addi %a, %b : i32
    scf.yield %q : i32
  }
  %next = arith.addi %x, %r : i32
  cf.br ^head(%i, %next : index, i32)
^exit:
  return %a, %b : i32, i32
"#,
        expect![[r#"
            func.func @f(%a: i32, %b: i32, %d: i1, %n: index) -> (i32, i32) {
              cf.br ^head
            ^head:
              cf.cond_br %d, ^body, ^exit
            ^body:
              "my.write"(%n) : (index) -> ()
              %k = arith.constant true
              %p = arith.addi %a, %b : i32
              %r = scf.if %k -> (i32) {
                scf.yield %p : i32
              } else {
                "my.write"() : () -> ()
                scf.yield %p : i32
              }
              cf.br ^head
            ^exit:
              return %a, %b : i32, i32
            }
            ----
            equal-block-arguments: cf.cond_br %d, ^body, ^exit
            unneeded-block-argument: cf.cond_br %d, ^body, ^exit
            unneeded-block-argument: cf.cond_br %d, ^body, ^exit
            equal-carried-values: %r = scf.if %k -> (i32) {
            equal-in-branches: %p = arith.addi %a, %b : i32
            equal-in-branches: %q = arith.addi %a, %b : i32
            unneeded-block-argument: %next = arith.addi %x, %r : i32
        "#]],
    );
}

#[test]
fn moved_operation_stands_between_deleted_lines() {
    check(
        r#"
  %k = arith.cmpi slt, %a, %b : i32
  %r = scf.if %k -> (i32) {
    %p = arith.addi %a, %b : i32
    scf.yield %p : i32
  } else {
    %q = arith.addi %a, %b : i32
    scf.yield %q : i32
  }
  return %r, %r : i32, i32
"#,
        expect![[r#"
            func.func @f(%a: i32, %b: i32, %d: i1, %n: index) -> (i32, i32) {
              %p = arith.addi %a, %b : i32
              return %p, %p : i32, i32
            }
            ----
            dead-operation-chain: %k = arith.cmpi slt, %a, %b : i32
            equal-carried-values: %r = scf.if %k -> (i32) {
            dead-operation-chain: %r = scf.if %k -> (i32) {
            equal-in-branches: %p = arith.addi %a, %b : i32
        "#]],
    );
}

#[test]
fn operation_moved_out_of_a_deleted_one_uses_the_merged_value() {
    check(
        r#"
  %r = scf.if %d -> (i32) {
    %0 = arith.addi %a, %b : i32
    %1 = arith.addi %a, %b : i32
    %2 = arith.muli %1, %b : i32
    scf.yield %2 : i32
  } else {
    %3 = arith.addi %a, %b : i32
    %4 = arith.muli %3, %b : i32
    scf.yield %4 : i32
  }
  return %r, %r : i32, i32
"#,
        expect![[r#"
            func.func @f(%a: i32, %b: i32, %d: i1, %n: index) -> (i32, i32) {
              %1 = arith.addi %a, %b : i32
              %2 = arith.muli %1, %b : i32
              return %2, %2 : i32, i32
            }
            ----
            equal-carried-values: %r = scf.if %d -> (i32) {
            dead-operation-chain: %r = scf.if %d -> (i32) {
            equal-in-branches: %1 = arith.addi %a, %b : i32
            equal-in-branches: %2 = arith.muli %1, %b : i32
        "#]],
    );
}

/// Only the text: the rewriter leaves out actions without editable text.
#[track_caller]
fn check_edits(body: &str, expect: Expect) {
    let text = function(body);
    let mut units = units(&text).into_iter();
    let unit = units.find(|it| it.kind == UnitKind::Function).expect("a function").lowered;
    let plan = plan(&unit.body, EffectTable::builtin(), &options(Preset::Default));
    let edits = ops::edits(&text, &unit.source_map, &unit.body, &plan);
    expect.assert_eq(&edits.apply(&text));
}

#[test]
fn a_list_with_a_comment_stays_and_what_it_needs() {
    check_edits(
        r#"
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a,
      // why
      %y = %b) -> (i32, i32) {
    %p = arith.muli %x, %b : i32
    %q = arith.addi %y, %b : i32
    scf.yield %p, %q : i32, i32
  }
  return %r#0, %r#0 : i32, i32
"#,
        expect![[r#"
            func.func @f(%a: i32, %b: i32, %d: i1, %n: index) -> (i32, i32) {
              %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %a,
                  // why
                  %y = %b) -> (i32, i32) {
                %p = arith.muli %x, %b : i32
                %q = arith.addi %y, %b : i32
                scf.yield %p, %q : i32, i32
              }
              return %r#0, %r#0 : i32, i32
            }
        "#]],
    );
}
