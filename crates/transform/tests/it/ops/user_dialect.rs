//! Rows of a user say of regions and terminators what the built-in rows say of `scf`, `linalg` and the like.

use expect_test::{Expect, expect};
use ir::{
    effects::{EffectRow, EffectRows, EffectTable},
    plan::Preset,
};

use super::{check_with_effects, options};

/// Rows of `my.when`, which has two arms, of what ends them, and of a sum of floats.
fn effects(of_when: &[&str]) -> EffectTable {
    let names = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<String>>();
    let when = EffectRow {
        ops: names(&["my.when"]),
        effect: Some("unknown".to_owned()),
        may_trap: Some("body".to_owned()),
        flags: names(of_when),
        ..EffectRow::default()
    };
    let end = EffectRow {
        ops: names(&["my.end"]),
        flags: names(&["terminator", "region-end"]),
        ..EffectRow::default()
    };
    let rows = EffectRows { mlir: vec![when, end], ..EffectRows::default() };
    EffectTable::builtin().overlay(&rows).unwrap()
}

#[track_caller]
fn check(of_when: &[&str], input: &str, expect: Expect) {
    check_with_effects(&effects(of_when), options(Preset::Default), input, &expect);
}

const ARMS: &str = r#"
"func.func"() <{sym_name = "f", function_type = (i1, i32) -> ()}> ({
^bb0(%c: i1, %a: i32):
  "my.when"(%c) ({
    %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
    "test.use"(%0) : (i32) -> ()
    "my.end"() : () -> ()
  }, {
    %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
    "test.use"(%1) : (i32) -> ()
    "my.end"() : () -> ()
  }) : (i1) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#;

#[test]
fn a_choice_of_a_user_shares_what_both_arms_compute() {
    check(
        &["recursive", "choice"],
        ARMS,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = (i1, i32) -> ()}> ({
        ^bb0(%c: i1, %a: i32):
          %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          "my.when"(%c) ({
            "test.use"(%0) : (i32) -> ()
            "my.end"() : () -> ()
          }, {
            "test.use"(%0) : (i32) -> ()
            "my.end"() : () -> ()
          }) : (i1) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
        equal-in-branches: %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
        equal-in-branches: %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
    "#]],
    );
}

#[test]
fn without_the_flag_each_arm_computes_its_own() {
    check(
        &["recursive"],
        ARMS,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = (i1, i32) -> ()}> ({
        ^bb0(%c: i1, %a: i32):
          "my.when"(%c) ({
            %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
            "test.use"(%0) : (i32) -> ()
            "my.end"() : () -> ()
          }, {
            %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
            "test.use"(%1) : (i32) -> ()
            "my.end"() : () -> ()
          }) : (i1) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
    "#]],
    );
}

const AFTER: &str = r#"
"func.func"() <{sym_name = "f", function_type = (i1, i32) -> ()}> ({
^bb0(%c: i1, %a: i32):
  "my.when"(%c) ({
    %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
    "test.use"(%0) : (i32) -> ()
    "my.end"() : () -> ()
  }) : (i1) -> ()
  %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
  "test.use"(%1) : (i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#;

#[test]
fn what_follows_structured_control_flow_of_a_user_moves_before_it() {
    check(
        &["recursive", "structured"],
        AFTER,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = (i1, i32) -> ()}> ({
        ^bb0(%c: i1, %a: i32):
          %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          "my.when"(%c) ({
            "test.use"(%1) : (i32) -> ()
            "my.end"() : () -> ()
          }) : (i1) -> ()
          "test.use"(%1) : (i32) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
        equal-in-branches: %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
        equal-in-branches: %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
    "#]],
    );
}

#[test]
fn what_follows_any_other_region_stays() {
    check(
        &["recursive"],
        AFTER,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = (i1, i32) -> ()}> ({
        ^bb0(%c: i1, %a: i32):
          "my.when"(%c) ({
            %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
            "test.use"(%0) : (i32) -> ()
            "my.end"() : () -> ()
          }) : (i1) -> ()
          %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
          "test.use"(%1) : (i32) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
    "#]],
    );
}

const LOAD: &str = r#"
"func.func"() <{sym_name = "f", function_type = (i1, memref<i32>, i32) -> ()}> ({
^bb0(%c: i1, %m: memref<i32>, %a: i32):
  %0 = "memref.load"(%m) : (memref<i32>) -> i32
  "my.when"(%c) ({
    %1 = "memref.load"(%m) : (memref<i32>) -> i32
    "memref.store"(%1, %m) : (i32, memref<i32>) -> ()
    "my.end"() : () -> ()
  }) : (i1) -> ()
  "test.use"(%0) : (i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#;

#[test]
fn memory_is_the_same_at_the_start_of_a_region_that_runs_once() {
    check(
        &["recursive", "runs-once"],
        LOAD,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = (i1, memref<i32>, i32) -> ()}> ({
        ^bb0(%c: i1, %m: memref<i32>, %a: i32):
          %0 = "memref.load"(%m) : (memref<i32>) -> i32
          "my.when"(%c) ({
            "memref.store"(%0, %m) : (i32, memref<i32>) -> ()
            "my.end"() : () -> ()
          }) : (i1) -> ()
          "test.use"(%0) : (i32) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
        load-across-blocks: %1 = "memref.load"(%m) : (memref<i32>) -> i32
    "#]],
    );
}

#[test]
fn memory_may_have_changed_at_the_start_of_a_region_that_runs_again() {
    check(
        &["recursive"],
        LOAD,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = (i1, memref<i32>, i32) -> ()}> ({
        ^bb0(%c: i1, %m: memref<i32>, %a: i32):
          %0 = "memref.load"(%m) : (memref<i32>) -> i32
          "my.when"(%c) ({
            %1 = "memref.load"(%m) : (memref<i32>) -> i32
            "memref.store"(%1, %m) : (i32, memref<i32>) -> ()
            "my.end"() : () -> ()
          }) : (i1) -> ()
          "test.use"(%0) : (i32) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
    "#]],
    );
}
