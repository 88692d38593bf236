//! The preset `default`: the merges beyond the reference compilers, and its limits.

use expect_test::{Expect, expect};
use ir::plan::Preset;

use super::{check_with, options};

/// Checks a function of some arguments.
#[track_caller]
fn check(body: &str, expect: Expect) {
    let input = format!(
        "\"func.func\"() <{{sym_name = \"f\", function_type = () -> ()}}> ({{\n\
         ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):\n{}  \"func.return\"() : () -> ()\n}}) : () -> ()\n",
        body.strip_prefix('\n').unwrap_or(body)
    );
    check_with(options(Preset::Default), &input, &expect);
}

#[test]
fn operation_of_both_arms_moves_before_the_choice() {
    check(
        r#"
  "scf.if"(%c) ({
    %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
    %y = "arith.addi"(%x, %a) : (i32, i32) -> i32
    "test.use"(%y) : (i32) -> ()
    "scf.yield"() : () -> ()
  }, {
    %x = "arith.muli"(%b, %a) : (i32, i32) -> i32
    %z = "arith.addi"(%x, %a) : (i32, i32) -> i32
    "test.other"(%z) : (i32) -> ()
    "scf.yield"() : () -> ()
  }) : (i1) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
              %y = "arith.addi"(%x, %a) : (i32, i32) -> i32
              "scf.if"(%c) ({
                "test.use"(%y) : (i32) -> ()
                "scf.yield"() : () -> ()
              }, {
                "test.other"(%y) : (i32) -> ()
                "scf.yield"() : () -> ()
              }) : (i1) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            equal-in-branches: %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
            equal-in-branches: %y = "arith.addi"(%x, %a) : (i32, i32) -> i32
            equal-in-branches: %x = "arith.muli"(%b, %a) : (i32, i32) -> i32
            equal-in-branches: %z = "arith.addi"(%x, %a) : (i32, i32) -> i32
        "#]],
    );
}

#[test]
fn partitions_of_warps_share_with_none_around_them() {
    check_with(
        options(Preset::Default),
        r#"
tt.func @f(%a: i32, %b: i32) {
  %0 = arith.muli %a, %b : i32
  "test.use"(%0) : (i32) -> ()
  ttg.warp_specialize(%a, %b) attributes {x}
  default {
    %1 = arith.muli %a, %b : i32
    "test.use"(%1) : (i32) -> ()
    ttg.warp_yield
  }
  partition0(%x: i32, %y: i32) num_warps(4) {
    %1 = arith.muli %x, %y : i32
    %2 = arith.muli %x, %y : i32
    "test.use"(%1, %2) : (i32, i32) -> ()
    ttg.warp_return
  }
  partition1(%x: i32, %y: i32) num_warps(1) {
    %1 = arith.muli %x, %y : i32
    "test.use"(%1) : (i32) -> ()
    ttg.warp_return
  } : (i32, i32) -> ()
  tt.return
}
"#,
        &expect![[r#"

            tt.func @f(%a: i32, %b: i32) {
              %0 = arith.muli %a, %b : i32
              "test.use"(%0) : (i32) -> ()
              ttg.warp_specialize(%a, %b) attributes {x}
              default {
                %1 = arith.muli %a, %b : i32
                "test.use"(%1) : (i32) -> ()
                ttg.warp_yield
              }
              partition0(%x: i32, %y: i32) num_warps(4) {
                %1 = arith.muli %x, %y : i32
                "test.use"(%1, %1) : (i32, i32) -> ()
                ttg.warp_return
              }
              partition1(%x: i32, %y: i32) num_warps(1) {
                %1 = arith.muli %x, %y : i32
                "test.use"(%1) : (i32) -> ()
                ttg.warp_return
              } : (i32, i32) -> ()
              tt.return
            }
            ----
            common-operation: %2 = arith.muli %x, %y : i32
        "#]],
    );
}

#[test]
fn divisions_do_not_move() {
    check(
        r#"
  "scf.if"(%c) ({
    %x = "arith.divsi"(%a, %b) : (i32, i32) -> i32
    "test.use"(%x) : (i32) -> ()
    "scf.yield"() : () -> ()
  }, {
    %y = "arith.divsi"(%a, %b) : (i32, i32) -> i32
    "test.use"(%y) : (i32) -> ()
    "scf.yield"() : () -> ()
  }) : (i1) -> ()
  %z = "arith.divsi"(%a, %b) : (i32, i32) -> i32
  "test.use"(%z) : (i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              "scf.if"(%c) ({
                %x = "arith.divsi"(%a, %b) : (i32, i32) -> i32
                "test.use"(%x) : (i32) -> ()
                "scf.yield"() : () -> ()
              }, {
                %y = "arith.divsi"(%a, %b) : (i32, i32) -> i32
                "test.use"(%y) : (i32) -> ()
                "scf.yield"() : () -> ()
              }) : (i1) -> ()
              %z = "arith.divsi"(%a, %b) : (i32, i32) -> i32
              "test.use"(%z) : (i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
        "#]],
    );
}

#[test]
fn value_of_a_loop_and_behind_it_moves_before_the_loop() {
    check(
        r#"
  "scf.for"(%i, %i, %i) ({
  ^bb0(%k: index):
    %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
    "test.use"(%x, %k) : (i32, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  %y = "arith.muli"(%a, %b) : (i32, i32) -> i32
  "test.use"(%y) : (i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %y = "arith.muli"(%a, %b) : (i32, i32) -> i32
              "scf.for"(%i, %i, %i) ({
              ^bb0(%k: index):
                "test.use"(%y, %k) : (i32, index) -> ()
                "scf.yield"() : () -> ()
              }) : (index, index, index) -> ()
              "test.use"(%y) : (i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            equal-in-branches: %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
            equal-in-branches: %y = "arith.muli"(%a, %b) : (i32, i32) -> i32
        "#]],
    );
}

#[test]
fn value_that_needs_what_comes_behind_the_region_stays() {
    check(
        r#"
  %s = "scf.if"(%c) ({
    %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
    "test.use"(%x) : (i32) -> ()
    "scf.yield"(%a) : (i32) -> ()
  }, {
    "scf.yield"(%b) : (i32) -> ()
  }) : (i1) -> i32
  %y = "arith.muli"(%s, %b) : (i32, i32) -> i32
  "test.use"(%y) : (i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %s = "scf.if"(%c) ({
                %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
                "test.use"(%x) : (i32) -> ()
                "scf.yield"(%a) : (i32) -> ()
              }, {
                "scf.yield"(%b) : (i32) -> ()
              }) : (i1) -> i32
              %y = "arith.muli"(%s, %b) : (i32, i32) -> i32
              "test.use"(%y) : (i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
        "#]],
    );
}

#[test]
fn loads_see_through_blocks_until_something_is_written() {
    check(
        r#"
  %0 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
  "scf.if"(%c) ({
    %1 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
    "memref.store"(%1, %m, %i) : (f32, memref<8xf32>, index) -> ()
    %2 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
    "test.pure_use"(%2) : (f32) -> ()
    "scf.yield"() : () -> ()
  }, {
    %3 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
    "test.use"(%3) : (f32) -> ()
    "scf.yield"() : () -> ()
  }) : (i1) -> ()
  %4 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
  "test.use"(%0, %4) : (f32, f32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %0 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
              "scf.if"(%c) ({
                "memref.store"(%0, %m, %i) : (f32, memref<8xf32>, index) -> ()
                %2 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
                "test.pure_use"(%2) : (f32) -> ()
                "scf.yield"() : () -> ()
              }, {
                "test.use"(%0) : (f32) -> ()
                "scf.yield"() : () -> ()
              }) : (i1) -> ()
              %4 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
              "test.use"(%0, %4) : (f32, f32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            load-across-blocks: %1 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
            load-across-blocks: %3 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
        "#]],
    );
}

#[test]
fn loop_that_writes_starts_with_other_memory() {
    check(
        r#"
  %0 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
  "scf.for"(%i, %i, %i) ({
  ^bb0(%k: index):
    %1 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
    "memref.store"(%1, %m, %k) : (f32, memref<8xf32>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "test.use"(%0) : (f32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %0 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
              "scf.for"(%i, %i, %i) ({
              ^bb0(%k: index):
                %1 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
                "memref.store"(%1, %m, %k) : (f32, memref<8xf32>, index) -> ()
                "scf.yield"() : () -> ()
              }) : (index, index, index) -> ()
              "test.use"(%0) : (f32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
        "#]],
    );
}

#[test]
fn memory_that_never_leaves_is_written_by_its_own_stores_only() {
    check(
        r#"
  %p = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<8xf32>
  %q = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<8xf32>
  %0 = "memref.load"(%p, %i) : (memref<8xf32>, index) -> f32
  "memref.store"(%0, %q, %i) : (f32, memref<8xf32>, index) -> ()
  "test.unknown"() : () -> ()
  %1 = "memref.load"(%p, %i) : (memref<8xf32>, index) -> f32
  "memref.store"(%1, %p, %i) : (f32, memref<8xf32>, index) -> ()
  %2 = "memref.load"(%p, %i) : (memref<8xf32>, index) -> f32
  "memref.store"(%2, %m, %i) : (f32, memref<8xf32>, index) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %p = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<8xf32>
              %q = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<8xf32>
              %0 = "memref.load"(%p, %i) : (memref<8xf32>, index) -> f32
              "memref.store"(%0, %q, %i) : (f32, memref<8xf32>, index) -> ()
              "test.unknown"() : () -> ()
              "memref.store"(%0, %p, %i) : (f32, memref<8xf32>, index) -> ()
              %2 = "memref.load"(%p, %i) : (memref<8xf32>, index) -> f32
              "memref.store"(%2, %m, %i) : (f32, memref<8xf32>, index) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            common-operation: %1 = "memref.load"(%p, %i) : (memref<8xf32>, index) -> f32
        "#]],
    );
}

#[test]
fn promises_are_kept() {
    check(
        r#"
  %0 = "arith.addi"(%a, %b) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
  %1 = "arith.addi"(%a, %b) : (i32, i32) -> i32
  %2 = "arith.addi"(%b, %a) <{overflowFlags = #arith.overflow<nsw, nuw>}> : (i32, i32) -> i32
  "test.use"(%0, %1, %2) : (i32, i32, i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %0 = "arith.addi"(%a, %b) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
              %1 = "arith.addi"(%a, %b) : (i32, i32) -> i32
              "test.use"(%0, %1, %0) : (i32, i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            weaker-flags: %2 = "arith.addi"(%b, %a) <{overflowFlags = #arith.overflow<nsw, nuw>}> : (i32, i32) -> i32
            refused, different-flags: %1 = "arith.addi"(%a, %b) : (i32, i32) -> i32
        "#]],
    );
}

#[test]
fn sums_that_promise_nothing_stand_for_others() {
    check(
        r#"
  %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
  %1 = "arith.addi"(%0, %a) : (i32, i32) -> i32
  %2 = "arith.addi"(%a, %a) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
  %3 = "arith.addi"(%2, %b) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
  "test.use"(%1, %3) : (i32, i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
              %1 = "arith.addi"(%0, %a) : (i32, i32) -> i32
              "test.use"(%1, %1) : (i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            dead-operation-chain: %2 = "arith.addi"(%a, %a) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
            reassociated-operation: %3 = "arith.addi"(%2, %b) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
        "#]],
    );
}

#[test]
fn sums_with_other_attributes_stay_apart() {
    check(
        r#"
  %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
  %1 = "arith.addi"(%0, %a) {task = 2} : (i32, i32) -> i32
  %2 = "arith.addi"(%a, %a) : (i32, i32) -> i32
  %3 = "arith.addi"(%2, %b) {task = 3} : (i32, i32) -> i32
  %4 = "arith.addi"(%0, %a) {task = 3} : (i32, i32) -> i32
  "test.use"(%1, %3, %4) : (i32, i32, i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
              %1 = "arith.addi"(%0, %a) {task = 2} : (i32, i32) -> i32
              %2 = "arith.addi"(%a, %a) : (i32, i32) -> i32
              %3 = "arith.addi"(%2, %b) {task = 3} : (i32, i32) -> i32
              "test.use"(%1, %3, %3) : (i32, i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            reassociated-operation: %4 = "arith.addi"(%0, %a) {task = 3} : (i32, i32) -> i32
        "#]],
    );
}

#[test]
fn floats_keep_their_order_unless_it_is_given_up() {
    check(
        r#"
  %x = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
  %0 = "arith.addf"(%x, %x) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %1 = "arith.addf"(%0, %x) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
  %2 = "arith.mulf"(%x, %x) <{fastmath = #arith.fastmath<reassoc>}> : (f32, f32) -> f32
  %3 = "arith.mulf"(%2, %1) <{fastmath = #arith.fastmath<reassoc>}> : (f32, f32) -> f32
  %4 = "arith.mulf"(%x, %1) <{fastmath = #arith.fastmath<reassoc>}> : (f32, f32) -> f32
  %5 = "arith.mulf"(%4, %x) <{fastmath = #arith.fastmath<reassoc>}> : (f32, f32) -> f32
  "test.use"(%3, %5) : (f32, f32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %x = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
              %0 = "arith.addf"(%x, %x) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
              %1 = "arith.addf"(%0, %x) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
              %2 = "arith.mulf"(%x, %x) <{fastmath = #arith.fastmath<reassoc>}> : (f32, f32) -> f32
              %3 = "arith.mulf"(%2, %1) <{fastmath = #arith.fastmath<reassoc>}> : (f32, f32) -> f32
              "test.use"(%3, %3) : (f32, f32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            dead-operation-chain: %4 = "arith.mulf"(%x, %1) <{fastmath = #arith.fastmath<reassoc>}> : (f32, f32) -> f32
            reassociated-operation: %5 = "arith.mulf"(%4, %x) <{fastmath = #arith.fastmath<reassoc>}> : (f32, f32) -> f32
        "#]],
    );
}

#[test]
fn operation_without_results_is_written_for_something() {
    check(
        r#"
  %x = "arith.addi"(%a, %b) : (i32, i32) -> i32
  "dc.sink"(%x) : (i32) -> ()
  "enzymexla.store_var"(%a) : (i32) -> ()
  "tessera.optimization"() : () -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %x = "arith.addi"(%a, %b) : (i32, i32) -> i32
              "dc.sink"(%x) : (i32) -> ()
              "enzymexla.store_var"(%a) : (i32) -> ()
              "tessera.optimization"() : () -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
        "#]],
    );
}

#[test]
fn packing_memory_writes_it() {
    check(
        r#"
  %n = "memref.alloc"() : () -> memref<2x4xf32>
  "linalg.pack"(%m, %n) : (memref<8xf32>, memref<2x4xf32>) -> ()
  "linalg.unpack"(%n, %m) : (memref<2x4xf32>, memref<8xf32>) -> ()
  %t = "my.tensor"() : () -> tensor<2x4xf32>
  %s = "my.tensor"() : () -> tensor<8xf32>
  %r = "linalg.unpack"(%t, %s) : (tensor<2x4xf32>, tensor<8xf32>) -> tensor<8xf32>
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %n = "memref.alloc"() : () -> memref<2x4xf32>
              "linalg.pack"(%m, %n) : (memref<8xf32>, memref<2x4xf32>) -> ()
              "linalg.unpack"(%n, %m) : (memref<2x4xf32>, memref<8xf32>) -> ()
              %t = "my.tensor"() : () -> tensor<2x4xf32>
              %s = "my.tensor"() : () -> tensor<8xf32>
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            dead-operation: %r = "linalg.unpack"(%t, %s) : (tensor<2x4xf32>, tensor<8xf32>) -> tensor<8xf32>
        "#]],
    );
}

#[test]
fn dead_chains_go_at_once() {
    check(
        r#"
  %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
  %1 = "arith.addi"(%0, %b) : (i32, i32) -> i32
  %2 = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<8xf32>
  %3 = "memref.load"(%2, %i) : (memref<8xf32>, index) -> f32
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            dead-operation-chain: %0 = "arith.addi"(%a, %b) : (i32, i32) -> i32
            dead-operation: %1 = "arith.addi"(%0, %b) : (i32, i32) -> i32
            dead-operation-chain: %2 = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<8xf32>
            dead-operation: %3 = "memref.load"(%2, %i) : (memref<8xf32>, index) -> f32
        "#]],
    );
}

#[test]
fn arguments_with_equal_incoming_values_are_merged() {
    check(
        r#"
  "cf.cond_br"(%c, %a, %a, %i, %b, %b, %i)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 3, 3>}> : (i1, i32, i32, index, i32, i32, index) -> ()
^bb1(%x: i32, %y: i32, %k: index):
  %s = "arith.addi"(%x, %b) : (i32, i32) -> i32
  %t = "arith.addi"(%y, %b) : (i32, i32) -> i32
  "test.use"(%s, %t, %k) : (i32, i32, index) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              "cf.cond_br"(%c, %a, %b)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
            ^bb1(%x: i32):
              %s = "arith.addi"(%x, %b) : (i32, i32) -> i32
              "test.use"(%s, %s, %i) : (i32, i32, index) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            common-operation: %t = "arith.addi"(%y, %b) : (i32, i32) -> i32
            equal-block-arguments: "func.return"() : () -> ()
            equal-block-arguments: "func.return"() : () -> ()
            unneeded-block-argument: "func.return"() : () -> ()
            unneeded-block-argument: "func.return"() : () -> ()
        "#]],
    );
}

#[test]
fn values_that_go_round_a_loop_alike_are_one() {
    check(
        r#"
  %r:3 = "scf.for"(%i, %i, %i, %a, %a, %b) ({
  ^bb0(%k: index, %x: i32, %y: i32, %z: i32):
    %n = "arith.addi"(%x, %b) : (i32, i32) -> i32
    %p = "arith.addi"(%b, %y) : (i32, i32) -> i32
    "scf.yield"(%n, %p, %z) : (i32, i32, i32) -> ()
  }) : (index, index, index, i32, i32, i32) -> (i32, i32, i32)
  "test.use"(%r#0, %r#1, %r#2) : (i32, i32, i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %r = "scf.for"(%i, %i, %i, %a) ({
              ^bb0(%k: index, %x: i32):
                %n = "arith.addi"(%x, %b) : (i32, i32) -> i32
                "scf.yield"(%n) : (i32) -> ()
              }) : (index, index, index, i32) -> (i32)
              "test.use"(%r, %r, %b) : (i32, i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            equal-carried-values: %r:3 = "scf.for"(%i, %i, %i, %a, %a, %b) ({
            equal-carried-values: %r:3 = "scf.for"(%i, %i, %i, %a, %a, %b) ({
            common-operation: %p = "arith.addi"(%b, %y) : (i32, i32) -> i32
            equal-carried-values: "scf.yield"(%n, %p, %z) : (i32, i32, i32) -> ()
            equal-carried-values: "scf.yield"(%n, %p, %z) : (i32, i32, i32) -> ()
            unneeded-carried-value: "scf.yield"(%n, %p, %z) : (i32, i32, i32) -> ()
            unneeded-carried-value: "scf.yield"(%n, %p, %z) : (i32, i32, i32) -> ()
        "#]],
    );
}

#[test]
fn values_that_begin_or_step_differently_stay_two() {
    check(
        r#"
  %r:2 = "scf.for"(%i, %i, %i, %a, %b) ({
  ^bb0(%k: index, %x: i32, %y: i32):
    %n = "arith.addi"(%x, %b) : (i32, i32) -> i32
    %p = "arith.addi"(%y, %b) : (i32, i32) -> i32
    "scf.yield"(%n, %p) : (i32, i32) -> ()
  }) : (index, index, index, i32, i32) -> (i32, i32)
  %s:2 = "scf.for"(%i, %i, %i, %a, %a) ({
  ^bb0(%k: index, %x: i32, %y: i32):
    %n = "arith.subi"(%x, %b) : (i32, i32) -> i32
    %p = "arith.subi"(%b, %y) : (i32, i32) -> i32
    "scf.yield"(%n, %p) : (i32, i32) -> ()
  }) : (index, index, index, i32, i32) -> (i32, i32)
  "test.use"(%r#0, %r#1, %s#0, %s#1) : (i32, i32, i32, i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %r:2 = "scf.for"(%i, %i, %i, %a, %b) ({
              ^bb0(%k: index, %x: i32, %y: i32):
                %n = "arith.addi"(%x, %b) : (i32, i32) -> i32
                %p = "arith.addi"(%y, %b) : (i32, i32) -> i32
                "scf.yield"(%n, %p) : (i32, i32) -> ()
              }) : (index, index, index, i32, i32) -> (i32, i32)
              %s:2 = "scf.for"(%i, %i, %i, %a, %a) ({
              ^bb0(%k: index, %x: i32, %y: i32):
                %n = "arith.subi"(%x, %b) : (i32, i32) -> i32
                %p = "arith.subi"(%b, %y) : (i32, i32) -> i32
                "scf.yield"(%n, %p) : (i32, i32) -> ()
              }) : (index, index, index, i32, i32) -> (i32, i32)
              "test.use"(%r#0, %r#1, %s#0, %s#1) : (i32, i32, i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
        "#]],
    );
}

#[test]
fn counters_of_blocks_that_step_alike_are_one() {
    check(
        r#"
  "cf.br"(%a, %a)[^bb1] : (i32, i32) -> ()
^bb1(%x: i32, %y: i32):
  %n = "arith.addi"(%x, %b) : (i32, i32) -> i32
  %p = "arith.addi"(%y, %b) : (i32, i32) -> i32
  "cf.cond_br"(%c, %n, %p)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (i1, i32, i32) -> ()
^bb2:
  "test.use"(%x, %y) : (i32, i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              "cf.br"(%a)[^bb1] : (i32) -> ()
            ^bb1(%x: i32):
              %n = "arith.addi"(%x, %b) : (i32, i32) -> i32
              "cf.cond_br"(%c, %n)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i32) -> ()
            ^bb2:
              "test.use"(%x, %x) : (i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            common-operation: %p = "arith.addi"(%y, %b) : (i32, i32) -> i32
            equal-block-arguments: "cf.cond_br"(%c, %n, %p)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (i1, i32, i32) -> ()
            unneeded-block-argument: "cf.cond_br"(%c, %n, %p)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (i1, i32, i32) -> ()
        "#]],
    );
}

#[test]
fn loads_that_are_merged_show_that_carried_values_are_equal() {
    check(
        r#"
  %r:2 = "scf.while"(%a, %a) ({
  ^bb0(%x: i32, %y: i32):
    %d = "test.more"() : () -> i1
    "scf.condition"(%d, %x, %y) : (i1, i32, i32) -> ()
  }, {
  ^bb0(%x: i32, %y: i32):
    %l = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
    %f = "arith.fptosi"(%l) : (f32) -> i32
    %l2 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
    %g = "arith.fptosi"(%l2) : (f32) -> i32
    %n = "arith.muli"(%x, %f) : (i32, i32) -> i32
    %p = "arith.muli"(%y, %g) : (i32, i32) -> i32
    "scf.yield"(%n, %p) : (i32, i32) -> ()
  }) : (i32, i32) -> (i32, i32)
  "test.use"(%r#0, %r#1) : (i32, i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %r:2 = "scf.while"(%a, %a) ({
              ^bb0(%x: i32, %y: i32):
                %d = "test.more"() : () -> i1
                "scf.condition"(%d, %x, %x) : (i1, i32, i32) -> ()
              }, {
              ^bb0(%x: i32, %y: i32):
                %l = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
                %f = "arith.fptosi"(%l) : (f32) -> i32
                %n = "arith.muli"(%x, %f) : (i32, i32) -> i32
                "scf.yield"(%n, %n) : (i32, i32) -> ()
              }) : (i32, i32) -> (i32, i32)
              "test.use"(%r#0, %r#0) : (i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            equal-carried-values: %r:2 = "scf.while"(%a, %a) ({
            equal-carried-values: "scf.condition"(%d, %x, %y) : (i1, i32, i32) -> ()
            common-operation: %l2 = "memref.load"(%m, %i) : (memref<8xf32>, index) -> f32
            common-operation: %g = "arith.fptosi"(%l2) : (f32) -> i32
            common-operation: %p = "arith.muli"(%y, %g) : (i32, i32) -> i32
            equal-carried-values: "scf.yield"(%n, %p) : (i32, i32) -> ()
        "#]],
    );
}

#[test]
fn a_choice_that_hands_on_one_value_is_that_value() {
    check(
        r#"
  %r:2 = "scf.if"(%c) ({
    %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
    "scf.yield"(%x, %b) : (i32, i32) -> ()
  }, {
    %y = "arith.muli"(%b, %a) : (i32, i32) -> i32
    "scf.yield"(%y, %b) : (i32, i32) -> ()
  }) : (i1) -> (i32, i32)
  "test.use"(%r#0, %r#1) : (i32, i32) -> ()
"#,
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
              "test.use"(%x, %b) : (i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            equal-carried-values: %r:2 = "scf.if"(%c) ({
            equal-carried-values: %r:2 = "scf.if"(%c) ({
            dead-operation-chain: %r:2 = "scf.if"(%c) ({
            equal-in-branches: %x = "arith.muli"(%a, %b) : (i32, i32) -> i32
        "#]],
    );
}

/// A wrapper of a loop of OpenMP stays, and is refused by `mlir-opt` without what it wraps.
#[test]
fn what_a_wrapper_of_a_loop_wraps_stays_with_it() {
    check(
        "
  omp.distribute {
    omp.parallel {
      omp.wsloop {
        omp.loop_nest (%j) : index = (%i) to (%i) step (%i) {
          omp.yield
        }
        omp.terminator
      }
      omp.terminator
    }
    omp.terminator
  }
",
        expect![[r#"
            "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
            ^bb0(%a: i32, %b: i32, %c: i1, %m: memref<8xf32>, %i: index):
              omp.distribute {
                omp.parallel {
                  omp.wsloop {
                    omp.loop_nest (%j) : index = (%i) to (%i) step (%i) {
                      omp.yield
                    }
                    omp.terminator
                  }
                  omp.terminator
                }
                omp.terminator
              }
              "func.return"() : () -> ()
            }) : () -> ()
            ----
        "#]],
    );
}
