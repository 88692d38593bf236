//! The presets `mlir`: the merges of the reference compiler, and the refused ones.

use expect_test::{Expect, expect};
use ir::plan::Preset;
use transform::ops::OpOptions;

use super::{check_with, options};

#[track_caller]
fn check(input: &str, expect: Expect) {
    check_with(options(Preset::Mlir19), input, &expect);
}

#[track_caller]
fn check_24(input: &str, expect: Expect) {
    check_with(options(Preset::Mlir24), input, &expect);
}

#[track_caller]
fn check_unsound(input: &str, expect: Expect) {
    check_with(OpOptions { preset: Preset::Mlir19, allow_unsound: true }, input, &expect);
}

#[test]
fn comments_stay_and_lines_go() {
    check(
        r#"
"func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
^bb0(%a: i32):
  // first
  %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
  %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32   // a remark
  // second
  %2 = "arith.addi"(%a, %a) : (i32, i32) -> i32 loc("x":1:2)
  "test.use"(%0, %1, %2) : (i32, i32, i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#,
        expect![[r#"

            "func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
            ^bb0(%a: i32):
              // first
              %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
              // a remark
              // second
              "test.use"(%0, %0, %0) : (i32, i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            common-operation: %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
            common-operation: %2 = "arith.addi"(%a, %a) : (i32, i32) -> i32 loc("x":1:2)
        "#]],
    );
}

#[test]
fn the_last_operation_of_a_module_goes_if_nothing_needs_it() {
    check(
        r#"
module {
  %a = arith.constant 1 : i64
  "test.use"(%a) : (i64) -> ()
  %b = arith.constant 2 : i64
}
module {
  %c = arith.constant 3 : i64
}
"#,
        expect![[r#"

            module {
              %a = arith.constant 1 : i64
              "test.use"(%a) : (i64) -> ()
            }
            module {
            }
            ----
            dead-operation: %b = arith.constant 2 : i64
            dead-operation: %c = arith.constant 3 : i64
        "#]],
    );
}

#[test]
fn results_of_packs_are_renamed_with_their_numbers() {
    check(
        r#"
"func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
^bb0(%a: i32):
  %0:2 = "arith.mului_extended"(%a, %a) : (i32, i32) -> (i32, i32)
  %x, %y = "arith.mului_extended"(%a, %a) : (i32, i32) -> (i32, i32)
  "test.use"(%0#1, %x, %y) : (i32, i32, i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#,
        expect![[r#"

            "func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
            ^bb0(%a: i32):
              %0:2 = "arith.mului_extended"(%a, %a) : (i32, i32) -> (i32, i32)
              "test.use"(%0#1, %0#0, %0#1) : (i32, i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            common-operation: %x, %y = "arith.mului_extended"(%a, %a) : (i32, i32) -> (i32, i32)
        "#]],
    );
}

#[test]
fn clock_reads_are_not_merged() {
    let input = r#"
"func.func"() <{sym_name = "f", function_type = () -> ()}> ({
  %0 = "nvvm.read.ptx.sreg.clock"() : () -> i32
  %1 = "nvvm.read.ptx.sreg.clock"() : () -> i32
  "test.use"(%0, %1) : (i32, i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#;
    check(
        input,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
          %0 = "nvvm.read.ptx.sreg.clock"() : () -> i32
          %1 = "nvvm.read.ptx.sreg.clock"() : () -> i32
          "test.use"(%0, %1) : (i32, i32) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
        refused, not-deterministic: %1 = "nvvm.read.ptx.sreg.clock"() : () -> i32
    "#]],
    );
    check_unsound(
        input,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
          %0 = "nvvm.read.ptx.sreg.clock"() : () -> i32
          "test.use"(%0, %0) : (i32, i32) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
        common-operation: %1 = "nvvm.read.ptx.sreg.clock"() : () -> i32
    "#]],
    );
}

#[test]
fn shuffles_are_merged_in_one_block_only() {
    check(
        r#"
"func.func"() <{sym_name = "f", function_type = (f32, i32, i1) -> ()}> ({
^bb0(%v: f32, %w: i32, %c: i1):
  %0, %p = "gpu.shuffle"(%v, %w, %w) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
  %1, %q = "gpu.shuffle"(%v, %w, %w) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
  "test.use"(%0, %1) : (f32, f32) -> ()
  "scf.if"(%c) ({
    %2, %r = "gpu.shuffle"(%v, %w, %w) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
    "test.use"(%2) : (f32) -> ()
    "scf.yield"() : () -> ()
  }, {
  }) : (i1) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#,
        expect![[r#"

            "func.func"() <{sym_name = "f", function_type = (f32, i32, i1) -> ()}> ({
            ^bb0(%v: f32, %w: i32, %c: i1):
              %0, %p = "gpu.shuffle"(%v, %w, %w) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
              "test.use"(%0, %0) : (f32, f32) -> ()
              "scf.if"(%c) ({
                %2, %r = "gpu.shuffle"(%v, %w, %w) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
                "test.use"(%2) : (f32) -> ()
                "scf.yield"() : () -> ()
              }, {
              }) : (i1) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
            common-operation: %1, %q = "gpu.shuffle"(%v, %w, %w) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
            refused, convergent: %2, %r = "gpu.shuffle"(%v, %w, %w) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
        "#]],
    );
}

#[test]
fn operation_merged_inside_still_counts_for_llvm_19() {
    let input = r#"
"func.func"() <{sym_name = "f", function_type = (i32, i1) -> ()}> ({
^bb0(%a: i32, %c: i1):
  %0 = "scf.if"(%c) ({
    %x = "arith.muli"(%a, %a) : (i32, i32) -> i32
    "scf.yield"(%x) : (i32) -> ()
  }, {
    "scf.yield"(%a) : (i32) -> ()
  }) : (i1) -> i32
  %1 = "scf.if"(%c) ({
    %x = "arith.muli"(%a, %a) : (i32, i32) -> i32
    %y = "arith.muli"(%a, %a) : (i32, i32) -> i32
    "scf.yield"(%y) : (i32) -> ()
  }, {
    "scf.yield"(%a) : (i32) -> ()
  }) : (i1) -> i32
  "test.use"(%0, %1) : (i32, i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#;
    check(
        input,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = (i32, i1) -> ()}> ({
        ^bb0(%a: i32, %c: i1):
          %0 = "scf.if"(%c) ({
            %x = "arith.muli"(%a, %a) : (i32, i32) -> i32
            "scf.yield"(%x) : (i32) -> ()
          }, {
            "scf.yield"(%a) : (i32) -> ()
          }) : (i1) -> i32
          %1 = "scf.if"(%c) ({
            %y = "arith.muli"(%a, %a) : (i32, i32) -> i32
            "scf.yield"(%y) : (i32) -> ()
          }, {
            "scf.yield"(%a) : (i32) -> ()
          }) : (i1) -> i32
          "test.use"(%0, %1) : (i32, i32) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
        dead-operation: %x = "arith.muli"(%a, %a) : (i32, i32) -> i32
    "#]],
    );
    check_24(
        input,
        expect![[r#"

        "func.func"() <{sym_name = "f", function_type = (i32, i1) -> ()}> ({
        ^bb0(%a: i32, %c: i1):
          %0 = "scf.if"(%c) ({
            %x = "arith.muli"(%a, %a) : (i32, i32) -> i32
            "scf.yield"(%x) : (i32) -> ()
          }, {
            "scf.yield"(%a) : (i32) -> ()
          }) : (i1) -> i32
          "test.use"(%0, %0) : (i32, i32) -> ()
          "func.return"() : () -> ()
        }) : () -> ()
        ----
        common-operation: %1 = "scf.if"(%c) ({
        dead-operation: %x = "arith.muli"(%a, %a) : (i32, i32) -> i32
    "#]],
    );
}

#[test]
fn unreachable_blocks_and_what_is_there_stay() {
    check(
        r#"
"func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
^bb0(%a: i32):
  "func.return"() : () -> ()
^bb1:
  %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
  %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
  "test.use"(%0, %1) : (i32, i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#,
        expect![[r#"

            "func.func"() <{sym_name = "f", function_type = (i32) -> ()}> ({
            ^bb0(%a: i32):
              "func.return"() : () -> ()
            ^bb1:
              %0 = "arith.addi"(%a, %a) : (i32, i32) -> i32
              %1 = "arith.addi"(%a, %a) : (i32, i32) -> i32
              "test.use"(%0, %1) : (i32, i32) -> ()
              "func.return"() : () -> ()
            }) : () -> ()
            ----
        "#]],
    );
}

#[test]
fn uses_before_the_operation_in_a_module_stay() {
    check(
        r#"
"builtin.module"() ({
  %0 = "arith.addi"(%2, %1) : (i32, i32) -> i32
  %1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
  %2 = "arith.constant"() <{value = 1 : i32}> : () -> i32
  "test.use"(%2, %0) : (i32, i32) -> ()
}) : () -> ()
"#,
        expect![[r#"

            "builtin.module"() ({
              %0 = "arith.addi"(%2, %1) : (i32, i32) -> i32
              %1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
              %2 = "arith.constant"() <{value = 1 : i32}> : () -> i32
              "test.use"(%1, %0) : (i32, i32) -> ()
            }) : () -> ()
            ----
            common-operation: %2 = "arith.constant"() <{value = 1 : i32}> : () -> i32
        "#]],
    );
}

#[test]
fn a_loop_of_openmp_goes_with_its_wrapper_or_not_at_all() {
    let input = r#"
func.func @f(%l: index, %u: index, %p: !llvm.ptr) {
  omp.wsloop schedule(static) nowait {
    omp.loop_nest (%i) : index = (%l) to (%u) step (%u) {
      omp.yield
    }
    omp.terminator
  }
  omp.wsloop {
    "omp.loop_nest"(%l, %u, %u) ({
    ^bb0(%i: index):
      omp.yield
    }) : (index, index, index) -> ()
    omp.terminator
  }
  omp.wsloop unknown(@clause %p -> %q : !llvm.ptr) {
    omp.loop_nest (%i) : index = (%l) to (%u) step (%u) {
      omp.yield
    }
    omp.terminator
  }
  omp.distribute unknown(@clause %p -> %q : !llvm.ptr) {
    omp.parallel {
      omp.wsloop {
        omp.loop_nest (%i) : index = (%l) to (%u) step (%u) {
          omp.yield
        }
        omp.terminator
      }
      omp.terminator
    }
    omp.terminator
  }
  return
}
"#;
    check_unsound(
        input,
        expect![[r#"

            func.func @f(%l: index, %u: index, %p: !llvm.ptr) {
              omp.wsloop unknown(@clause %p -> %q : !llvm.ptr) {
                omp.loop_nest (%i) : index = (%l) to (%u) step (%u) {
                  omp.yield
                }
                omp.terminator
              }
              omp.distribute unknown(@clause %p -> %q : !llvm.ptr) {
                omp.parallel {
                  omp.wsloop {
                    omp.loop_nest (%i) : index = (%l) to (%u) step (%u) {
                      omp.yield
                    }
                    omp.terminator
                  }
                  omp.terminator
                }
                omp.terminator
              }
              return
            }
            ----
            dead-operation: omp.wsloop schedule(static) nowait {
            dead-operation: omp.loop_nest (%i) : index = (%l) to (%u) step (%u) {
            dead-operation: omp.wsloop {
            dead-operation: "omp.loop_nest"(%l, %u, %u) ({
        "#]],
    );
    check(
        input,
        expect![[r#"

            func.func @f(%l: index, %u: index, %p: !llvm.ptr) {
              omp.wsloop unknown(@clause %p -> %q : !llvm.ptr) {
                omp.loop_nest (%i) : index = (%l) to (%u) step (%u) {
                  omp.yield
                }
                omp.terminator
              }
              omp.distribute unknown(@clause %p -> %q : !llvm.ptr) {
                omp.parallel {
                  omp.wsloop {
                    omp.loop_nest (%i) : index = (%l) to (%u) step (%u) {
                      omp.yield
                    }
                    omp.terminator
                  }
                  omp.terminator
                }
                omp.terminator
              }
              return
            }
            ----
            dead-operation: omp.wsloop schedule(static) nowait {
            dead-operation: omp.loop_nest (%i) : index = (%l) to (%u) step (%u) {
            dead-operation: omp.wsloop {
            dead-operation: "omp.loop_nest"(%l, %u, %u) ({
        "#]],
    );
}

#[test]
fn the_end_of_a_region_stays_where_a_pattern_calls_it_pure() {
    let options = OpOptions { preset: Preset::Mlir24, allow_unsound: true };
    let input = r#"
func.func @f(%t: tensor<8xi32>) -> tensor<8xi32> {
  %0 = iree_linalg_ext.sort dimension(0) outs(%t : tensor<8xi32>) {
  ^bb0(%a: i32, %b: i32):
    %1 = arith.cmpi sgt, %a, %b : i32
    iree_linalg_ext.yield %1 : i1
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
"#;
    check_with(
        options,
        input,
        &expect![[r#"

        func.func @f(%t: tensor<8xi32>) -> tensor<8xi32> {
          %0 = iree_linalg_ext.sort dimension(0) outs(%t : tensor<8xi32>) {
          ^bb0(%a: i32, %b: i32):
            %1 = arith.cmpi sgt, %a, %b : i32
            iree_linalg_ext.yield %1 : i1
          } -> tensor<8xi32>
          return %0 : tensor<8xi32>
        }
        ----
    "#]],
    );
}

#[test]
fn what_llvm_19_states_of_no_region_stays_with_it() {
    let input = r#"
func.func @f(%r: !mpi.retval) {
  omp.master {
    omp.terminator
  }
  %0 = mpi.error_class %r : !mpi.retval
  return
}
"#;
    check_unsound(
        input,
        expect![[r#"

        func.func @f(%r: !mpi.retval) {
          omp.master {
            omp.terminator
          }
          %0 = mpi.error_class %r : !mpi.retval
          return
        }
        ----
    "#]],
    );
    let options = OpOptions { preset: Preset::Mlir24, allow_unsound: true };
    check_with(
        options,
        input,
        &expect![[r#"

        func.func @f(%r: !mpi.retval) {
          return
        }
        ----
        dead-operation: omp.master {
        dead-operation: %0 = mpi.error_class %r : !mpi.retval
    "#]],
    );
}

#[test]
fn forms_of_llvm_19_that_state_no_result_are_compared_by_their_text() {
    check_unsound(
        r#"
func.func @f(%p: !spirv.ptr<!spirv.array<4xf32>, Function>, %a: i32, %b: i32) {
  %0 = spirv.AccessChain %p[%a] : !spirv.ptr<!spirv.array<4xf32>, Function>, i32
  %1 = spirv.AccessChain %p[%a] : !spirv.ptr<!spirv.array<4xf32>, Function>, i32
  %2 = spirv.AccessChain %p[%b] : !spirv.ptr<!spirv.array<4xf32>, Function>, i32
  "test.use"(%0, %1, %2) : (!spirv.ptr<f32, Function>, !spirv.ptr<f32, Function>, !spirv.ptr<f32, Function>) -> ()
  return
}
"#,
        expect![[r#"

            func.func @f(%p: !spirv.ptr<!spirv.array<4xf32>, Function>, %a: i32, %b: i32) {
              %0 = spirv.AccessChain %p[%a] : !spirv.ptr<!spirv.array<4xf32>, Function>, i32
              %2 = spirv.AccessChain %p[%b] : !spirv.ptr<!spirv.array<4xf32>, Function>, i32
              "test.use"(%0, %0, %2) : (!spirv.ptr<f32, Function>, !spirv.ptr<f32, Function>, !spirv.ptr<f32, Function>) -> ()
              return
            }
            ----
            common-operation: %1 = spirv.AccessChain %p[%a] : !spirv.ptr<!spirv.array<4xf32>, Function>, i32
        "#]],
    );
}

#[test]
fn an_assembly_with_side_effects_stays() {
    check_unsound(
        r#"
llvm.func @f(%a: i32) {
  llvm.inline_asm "a", "r" %a : (i32) -> ()
  llvm.inline_asm has_side_effects "b", "r" %a : (i32) -> ()
  llvm.inline_asm has_side_effects is_align_stack "c", "r" %a : (i32) -> ()
  llvm.return
}
"#,
        expect![[r#"

            llvm.func @f(%a: i32) {
              llvm.inline_asm has_side_effects "b", "r" %a : (i32) -> ()
              llvm.inline_asm has_side_effects is_align_stack "c", "r" %a : (i32) -> ()
              llvm.return
            }
            ----
            dead-operation: llvm.inline_asm "a", "r" %a : (i32) -> ()
        "#]],
    );
}

#[test]
fn a_region_of_transforms_does_what_is_in_it() {
    check_unsound(
        r#"
transform.named_sequence @f(%root: !transform.any_op) {
  transform.with_pdl_patterns %root : !transform.any_op {
  ^bb0(%a: !transform.any_op):
    "transform.unheard_of"(%a) : (!transform.any_op) -> ()
  }
  transform.with_pdl_patterns %root : !transform.any_op {
  ^bb0(%a: !transform.any_op):
    pdl.pattern @p : benefit(1) {
      %t = pdl.types
      %op = pdl.operation "a.b" -> (%t : !pdl.range<type>)
      pdl.rewrite %op with "c"
    }
    transform.sequence %a : !transform.any_op failures(propagate) {
    ^bb1(%b: !transform.any_op):
      %f = transform.pdl_match @p in %b : (!transform.any_op) -> !transform.any_op
    }
  }
  transform.sequence %root : !transform.any_op failures(propagate) {
  ^bb0(%a: !transform.any_op):
    "transform.unheard_of"(%a) : (!transform.any_op) -> ()
  }
  transform.sequence %root : !transform.any_op failures(propagate) {
  ^bb0(%a: !transform.any_op):
  }
  transform.yield
}
"#,
        expect![[r#"

            transform.named_sequence @f(%root: !transform.any_op) {
              transform.with_pdl_patterns %root : !transform.any_op {
              ^bb0(%a: !transform.any_op):
                "transform.unheard_of"(%a) : (!transform.any_op) -> ()
              }
              transform.sequence %root : !transform.any_op failures(propagate) {
              ^bb0(%a: !transform.any_op):
                "transform.unheard_of"(%a) : (!transform.any_op) -> ()
              }
              transform.yield
            }
            ----
            dead-operation: transform.with_pdl_patterns %root : !transform.any_op {
            dead-operation: transform.sequence %a : !transform.any_op failures(propagate) {
            dead-operation: %f = transform.pdl_match @p in %b : (!transform.any_op) -> !transform.any_op
            dead-operation: transform.sequence %root : !transform.any_op failures(propagate) {
        "#]],
    );
}

#[test]
fn a_choice_of_tosa_without_effects_goes() {
    check(
        r#"
func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>, %c: tensor<i1>) {
  %0 = tosa.cond_if %c -> (tensor<?xf32>) {
    tosa.yield %a : tensor<2xf32>
  } else {
    tosa.yield %b : tensor<3xf32>
  }
  return
}
"#,
        expect![[r#"

            func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>, %c: tensor<i1>) {
              return
            }
            ----
            dead-operation: %0 = tosa.cond_if %c -> (tensor<?xf32>) {
        "#]],
    );
}
