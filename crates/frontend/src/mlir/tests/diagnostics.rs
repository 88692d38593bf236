//! The diagnostics of wrong and unknown code.

use super::*;
use crate::ops::Severity;

#[track_caller]
fn check_diagnostics(text: &str, expect: Expect) {
    let mut out = String::new();
    lower_file(text, Shapes::builtin(), &mut |unit: Unit| {
        for it in &unit.lowered.diagnostics {
            let start = unit.offset + usize::from(it.range.start());
            let end = unit.offset + usize::from(it.range.end());
            out.push_str(&format!("{} `{}`: {}\n", it.code, &text[start..end], it.message));
        }
    });
    expect.assert_eq(&out);
}

#[test]
fn names_blocks_and_counts_are_checked() {
    check_diagnostics(
        r#"
func.func @f(%a: i32, %c: i1) -> i32 {
  %0 = arith.addi %a, %missing : i32
  %0 = arith.addi %a, %a : i32
  scf.if %c {
    %a = arith.constant 1 : i32
    %inner = arith.constant 1 : i32
  }
  %1 = arith.addi %inner, %late : i32
  %late = arith.constant 1 : i32
  %2:2 = "arith.addi"(%a) : (i32, i32) -> i32
  %3 = arith.addi %2#5, %a : i32
  cf.cond_br %c, ^left, ^nowhere
^left:
  %x = arith.constant 1 : i32
  cf.br ^right
^right:
  return %x : i32
}
"#,
        expect![[r#"
            undefined-value `%missing`: `%missing` is not defined here
            value-redefinition `%0`: `%0` is already defined
            value-redefinition `%a`: `%a` is already defined
            undefined-value `%inner`: `%inner` is not defined here
            use-before-definition `%late`: the definition of `%late` does not come before this use on every path
            count-mismatch `"arith.addi"`: 1 operand, but 2 operand types
            count-mismatch `"arith.addi"`: 2 named results, but 1 result type
            count-mismatch `%2#5`: `%2` has fewer results than this number
            undefined-block `^nowhere`: there is no block `^nowhere` in this region
        "#]],
    );
}

#[test]
fn harmless_definitions_are_not_reported() {
    check_diagnostics(
        r#"
func.func @f(%c: i1) {
  cf.br ^last
^unreachable:
  %y = arith.addi %y, %z : i32
  cf.br ^last
^last:
  %z = arith.constant 1 : i32
  return
}
module {
  "d.use"(%later) : (i32) -> ()
  %later = "d.define"() : () -> i32
}
"#,
        expect![[r#"
            unknown-operation `"d.use"`: the effects of `d.use` are unknown: nothing is merged with it or moved over it
            unknown-operation `"d.define"`: the effects of `d.define` are unknown: nothing is merged with it or moved over it
        "#]],
    );
}

#[test]
fn a_join_does_not_see_what_one_arm_defines() {
    check_diagnostics(
        r#"
func.func @f(%c: i1) -> i32 {
  cf.cond_br %c, ^a, ^b
^a:
  %x = arith.constant 1 : i32
  cf.br ^b
^b:
  return %x : i32
}
"#,
        expect![[r#"
            use-before-definition `%x`: the definition of `%x` does not come before this use on every path
        "#]],
    );
}

#[test]
fn a_form_that_is_not_known_may_hold_the_next_operation() {
    // `cond_br` belongs to what comes before it, as far as is known: it does not use what that one defines too early.
    check_diagnostics(
        r#"
func.func @f(%a: i32) {
  %b = own.conv %a
  cond_br %b, ^bb1, ^bb2
^bb1:
  return
^bb2:
  %c = own.get %a : i32 over
    own.block : {
      own.use %c : i32
    }
  return
}
"#,
        expect![[r#"
            unknown-operation `own.conv`: the effects of `own.conv` are unknown: nothing is merged with it or moved over it
            unknown-operation `own.get`: the effects of `own.get` are unknown: nothing is merged with it or moved over it
            unknown-operation `own.use`: the effects of `own.use` are unknown: nothing is merged with it or moved over it
        "#]],
    );
}

#[test]
fn broken_operations_are_opaque_and_keep_their_values() {
    check(
        "func.func @f(%a: i32) {\n  %0 = arith.addi %a, : i32\n  %1 = own.op %0, (%b: i32) {\n    own.inner %b\n  }\n  } ] junk\n  return\n}\n",
        expect![[r#"
            Function f

            ^b0(%a: i32) of r0
              %0: Unknown = ?arith.addi(%a)
              %1: Unknown = ?own.op(%0) r1
              ^b1(%b: Unknown) of r1
                ?own.inner(%b)
            unknown-operation 59..65: the effects of `own.op` are unknown: nothing is merged with it or moved over it
            unknown-operation 86..95: the effects of `own.inner` are unknown: nothing is merged with it or moved over it
            Frame 

            ^b0() of r0
              ?func.func()
              func.return()
              ?()
        "#]],
    );
}

#[test]
fn values_that_do_not_dominate_their_uses_are_told_once() {
    check_diagnostics(
        r#"
func.func @argument() {
  cf.br ^next(%x : i32)
^next(%x: i32):
  return
}
func.func @twice(%c: i1) {
  cf.cond_br %c, ^left, ^right
^left:
  %x = arith.constant 1 : i32
  cf.br ^right
^right:
  %y = arith.addi %x, %x : i32
  return
}
func.func @inside_of_itself(%c: i1) {
  %x = scf.if %c -> (i32) {
    scf.yield %x : i32
  } else {
    scf.yield %c : i1
  }
  return
}
func.func @in_unknown(%c: i1) {
  "t.order"() ({
    scf.if %c {
      "t.use"(%inner) : (i32) -> ()
      %inner = "t.def"() : () -> i32
    }
    "t.use"(%nobody_knows) : (i32) -> ()
    %nobody_knows = "t.def"() : () -> i32
  }) : () -> ()
  "t.blocks"() ({
    "t.use"(%z) : (i32) -> ()
    "t.br"()[^second] : () -> ()
  ^second:
    %z = "t.def"() : () -> i32
    "t.end"() : () -> ()
  }) : () -> ()
  return
}
func.func @same_label() {
  cf.br ^a
^a:
  cf.br ^a
^a:
  return
}
"#,
        expect![[r#"
            use-before-definition `%x`: the definition of `%x` does not come before this use on every path
            use-before-definition `%x`: the definition of `%x` does not come before this use on every path, nor before another one
            use-before-definition `%x`: the definition of `%x` does not come before this use on every path
            unknown-operation `"t.order"`: the effects of `t.order` are unknown: nothing is merged with it or moved over it
            unknown-operation `"t.use"`: the effects of `t.use` are unknown: nothing is merged with it or moved over it
            use-before-definition `%inner`: the definition of `%inner` does not come before this use on every path
            unknown-operation `"t.def"`: the effects of `t.def` are unknown: nothing is merged with it or moved over it
            unknown-operation `"t.blocks"`: the effects of `t.blocks` are unknown: nothing is merged with it or moved over it
            use-before-definition `%z`: the definition of `%z` does not come before this use on every path
            unknown-operation `"t.br"`: the effects of `t.br` are unknown: nothing is merged with it or moved over it
            unknown-operation `"t.end"`: the effects of `t.end` are unknown: nothing is merged with it or moved over it
            block-redefinition `^a`: there is a block `^a` in this region already
        "#]],
    );
}

/// Unknown forms define names in unknown ways: names that their regions may have from them are not reported as missing,
/// and possible redefinitions are not reported. All else is.
#[test]
fn forms_that_are_not_known_may_define_names_for_their_regions() {
    check_diagnostics(
        r#"
func.func @f(%a: index, %b: index) {
  mine.for %i = %a to %b {
    "mine.use"(%i) : (index) -> ()
    mine.nest (%j, %k) : index = (%a, %i) to (%b, %b) {
      "mine.use"(%i, %j, %k) : (index, index, index) -> ()
    } finally %l {
      "mine.use"(%j, %l, %missing) : (index, index, index) -> ()
    }
    "mine.use"(%j) : (index) -> ()
  }
  mine.for %i = %a to %b {
    %c = arith.addi %i, %i : index
    %c = arith.addi %i, %i : index
  }
  mine.target map(%a -> %x, %b -> %y) {
  ^bb0(%x: index, %y: index):
    "mine.use"(%x, %y) : (index, index) -> ()
  }
  mine.isolated (%a) {
    %a = arith.constant 1 : index
    scf.execute_region {
      %b = arith.constant 1 : index
      %a = arith.constant 1 : index
      scf.yield
    }
  }
  mine.for %e = %a to %b {
  }
  mine.without %nothing
  %i = arith.addi %a, %b : index
  return
}
"#,
        expect![[r#"
            unknown-operation `mine.for`: the effects of `mine.for` are unknown: nothing is merged with it or moved over it
            unknown-operation `"mine.use"`: the effects of `mine.use` are unknown: nothing is merged with it or moved over it
            unknown-operation `mine.nest`: the effects of `mine.nest` are unknown: nothing is merged with it or moved over it
            undefined-value `%missing`: `%missing` is not defined here
            undefined-value `%j`: `%j` is not defined here
            value-redefinition `%c`: `%c` is already defined
            unknown-operation `mine.target`: the effects of `mine.target` are unknown: nothing is merged with it or moved over it
            unknown-operation `mine.isolated`: the effects of `mine.isolated` are unknown: nothing is merged with it or moved over it
            value-redefinition `%a`: `%a` is already defined
            unknown-operation `mine.without`: the effects of `mine.without` are unknown: nothing is merged with it or moved over it
            undefined-value `%nothing`: `%nothing` is not defined here
        "#]],
    );
}

/// A name that is used before it is defined in a region without an order is used: its definition stays.
#[test]
fn possible_definition_is_a_use_where_one_is_possible() {
    let text = "\"mine.graph\"() ({\n  mine.region %late {\n    \"mine.use\"(%late) : (i32) -> ()\n  }\n  %late = arith.constant 1 : i32\n}) : () -> ()\n";
    check_diagnostics(
        text,
        expect![[r#"
        unknown-operation `"mine.graph"`: the effects of `mine.graph` are unknown: nothing is merged with it or moved over it
        unknown-operation `mine.region`: the effects of `mine.region` are unknown: nothing is merged with it or moved over it
        unknown-operation `"mine.use"`: the effects of `mine.use` are unknown: nothing is merged with it or moved over it
    "#]],
    );
}

#[test]
fn packs_of_more_values_than_are_read_are_told_with_their_number() {
    check_diagnostics(
        "func.func @f() {\n  %0:2000000 = \"test.op\"() : () -> (i32)\n  return\n}\n",
        expect![[r#"
            count-mismatch `2000000`: the packs of one part have more than 1048576 values
            count-mismatch `"test.op"`: 1048576 named results, but 1 result type
            unknown-operation `"test.op"`: the effects of `test.op` are unknown: nothing is merged with it or moved over it
        "#]],
    );
}

/// Pretty forms of other dialects state types in ways of their own, and types but scalars are written in many ways.
#[test]
fn the_type_of_a_use_is_that_of_the_definition() {
    check_diagnostics(
        r#"
!t = i32
func.func @f(%a: i32, %b: f32, %v: vector<4xf32>, %m: memref<4xf32>, %i: !t) -> f32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.extsi %a : i16 to i64
  %2 = arith.mulf %v, %b : vector<4xf32>
  %3 = arith.addi %a, %i : i32
  %4 = arith.addi %0, %1 : i32
  func.call @g(%a, %b) : (i32, f64) -> ()
  "func.call"(%m) <{callee = @h}> : (memref<4xf32, affine_map<(d0) -> (d0)>>) -> ()
  "func.call"(%m) <{callee = @h}> : (f32) -> ()
  %5 = arith.select %b, %a, %a : i32
  // What the operation gives depends on the version of MLIR.
  %6:2 = affine.delinearize_index %v into (4, 8) : vector<4xf32>, vector<4xf32>
  "t.u"(%6#0) : (vector<4xf32>) -> ()
  // A test of a float is a bool.
  %7 = math.isnan %b : f32
  %8 = arith.ori %7, %7 : i1
  return %a : f32
}
"#,
        expect![[r#"
            type-mismatch `%b`: `%b` has the type `f32`, but is used as `i32`
            type-mismatch `%b`: `%b` has the type `f32`, but is used as `vector<4xf32>`
            type-mismatch `%1`: `%1` has the type `i64`, but is used as `i32`
            type-mismatch `%b`: `%b` has the type `f32`, but is used as `f64`
            type-mismatch `%m`: `%m` has the type `memref<4xf32>`, but is used as `f32`
            unknown-operation `"t.u"`: the effects of `t.u` are unknown: nothing is merged with it or moved over it
            type-mismatch `%a`: `%a` has the type `i32`, but is used as `f32`
        "#]],
    );
}

/// The smallest inputs of false errors that people have met.
#[test]
fn what_is_not_known_is_no_error() {
    let texts = [
        "func.func @f(%n: tensor<i64>) {\n  %r = stablehlo.while(%i = %n) : tensor<i64>\n  cond {\n    a.b %i\n  } do {\n    a.b %i\n  }\n  return\n}\n",
        "func.func @f(%l: index) {\n  omp.wsloop {\n    omp.loop_nest (%i, %j) : index = (%l, %l) to (%l, %l) step (%l, %l) {\n      \"t.u\"(%i, %j) : (index, index) -> ()\n      omp.yield\n    }\n  }\n  return\n}\n",
        "#map = affine_map<(d0) -> (d0)>\n#trait = {indexing_maps = [#map], iterator_types = [\"parallel\"]}\nfunc.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %r = linalg.generic #trait outs(%a : tensor<4xf32>) {\n  ^bb0(%x: f32):\n    linalg.yield %x : f32\n  } -> tensor<4xf32>\n  return %r : tensor<4xf32>\n}\n",
        "pdl.pattern @p : benefit(1) {\n  %0 = operand\n  %root = operation \"foo.op\"(%0 : !pdl.value)\n  rewrite %root with \"rewriter\"\n}\n",
        "module {\n  pdl_interp.func @m(%root : !pdl.operation) {\n    pdl_interp.record_match @r::@s(%root : !pdl.operation) : benefit(1), loc([%root]) -> ^end\n  ^end:\n    pdl_interp.finalize\n  }\n}\n",
        "func.func @f(%a: !llvm.ptr, %c: tensor<i1>, %x: tensor<f32>) -> index {\n  llvm.intr.lifetime.start 4, %a : !llvm.ptr\n  %0 = gpu.subgroup_id : index\n  %2 = tosa.cond_if %c -> (tensor<f32>) { tosa.yield %x : tensor<f32> }\n  return %0 : index\n}\n",
        "func.func @f() -> vector<3x2xf32> {\n  %1 = arith.constant dense<3.0> : vector <3x2xf32>\n  return %1 : vector<3x2xf32>\n}\n",
        "\"foo.op\"() {foo = #foo.complexattr<abcd<[f]$$[32]>>} : () -> ()\n",
        // Names of results, and of a declaration's parameters.
        "func.func @f(%v: i32, %c: index) {\n  %0 = s.clone %v : i32\n  %1 = s.fill %v, %0[%c to %c] : i32 -> %tied as !s.r<*>{%c}\n  return\n}\n",
        "s.func private @f(%arg0[%arg1 for %arg2]: !s.r, %arg3: index) -> %arg0\n",
        "firrtl.module @Foo(\n  in %A: !d<@C()>,\n  in %a: !u<1> domains [%A]\n) {\n  // Nothing.\n}\n",
        // Dictionaries whose last entry is a name, and nothing where operands might be.
        "func.func @f(%a: i32) {\n  o.while(%i = %a) : i32\n   attributes {\n    e.period = 4,\n    e.binomial\n  } cond {\n    a.b %i\n  }\n  %0 = c.concat :\n  return\n}\n",
        "hw.module @C(in %a: i1 loc(\"\")) {\n  hw.output\n} loc(callsite(\n    \"foo\"(\"f.x\":10:8)\n    at \"baz\"(\"b.x\":30:8)))\n",
        "hw.module @D(in %a: i1) {\n  %0 = comb.add %a, %a : i1 loc(callsite(\n  \"foo\"(\"f.x\":10:8)\n  at callsite(\"bar\"(\"b.x\":20:8)\n  at \"baz\"(\"b.x\":30:8))))\n  hw.output\n}\n",
        "module attributes {\n  gpu.container_module\n} {\n  func.func private @f() attributes {\n    hal.import.static\n  }\n}\n",
        "shape.function_library @lib {\n  func @same(%arg: !shape.v) -> !shape.shape {\n    %0 = shape_of %arg : !shape.v -> !shape.shape\n    return %0 : !shape.shape\n  }\n} mapping {\n  a.b = @same\n}\n",
    ];
    for text in texts {
        let parse = syntax::parse_as(syntax::Language::Mlir, text);
        assert_eq!(parse.errors(), [], "{text}");
        lower_file(text, Shapes::builtin(), &mut |unit: Unit| {
            let errors = unit.lowered.diagnostics.iter();
            let errors: Vec<_> = errors.filter(|it| it.severity == Severity::Error).collect();
            assert!(errors.is_empty(), "{text}: {errors:?}");
        });
    }
}

#[test]
fn names_of_operations_that_see_nothing_from_outside_may_be_names_of_outside() {
    check_diagnostics(
        r#"
func.func @f(%a: tensor<9xi32>, %n: index) {
  %0 = flow.dispatch.workgroups[%n](%a) : (tensor<9xi32>) -> tensor<i32> =
      (%a: !own.in<9xi32>, %out: !own.out<i32>) {
    "arith.use"(%a, %out) : (!own.in<9xi32>, !own.out<i32>) -> ()
    flow.return
  }
  return
}
"#,
        expect![[r#"
            unknown-operation `"arith.use"`: the effects of `arith.use` are unknown: nothing is merged with it or moved over it
        "#]],
    );
}

#[test]
fn containers_and_constants_whose_forms_code_reads_are_read() {
    check_diagnostics(
        r#"
module {
  hal.executable private @ex {
    hal.executable.variant public @v target(<"cuda", "x">) objects([#a]) attributes {b} {
      builtin.module {
      }
    }
  }
  hal.executable.source public @source {
  }
  stream.executable private @s {
  }
  flow.executable private @e {
  }
  spirv.module @m Physical64 OpenCL requires #spirv.vce<v1.0, [Kernel], []> attributes {a = 1 : i32} {
    spirv.GlobalVariable @w built_in("WorkgroupId") : !spirv.ptr<vector<3xi64>, Input>
    spirv.GlobalVariable @b bind(0, 1) {x = 1 : i32} : !spirv.ptr<vector<3xi64>, Input>
    spirv.GlobalVariable @c : !spirv.ptr<i32, Workgroup>
    spirv.func @f() "None" {
      spirv.Return
    }
    spirv.EntryPoint "Kernel" @f, @w
    spirv.ExecutionMode @f "LocalSize", 64, 1, 1
    spirv.ExecutionMode @f "ContractionOff"
  }
  spirv.module Logical GLSL450 {
  }
  transform.named_sequence @main(%a: !transform.any_op {transform.readonly}) {
    transform.yield
  }
  ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
  ml_program.global private @extern : tensor<i64>
  util.global private mutable @a = 4 : i32
  util.global private @d {x} : tensor<4xf32>
  util.global @n = #flow.parameter.named<"opt"::"t"> : tensor<2xi4>
  util.global private @i : i32 = 4 : i32
  util.initializer attributes {x} {
    util.return
  }
}
func.func @f() -> tensor<f32> {
  rocdl.sched.barrier none
  rocdl.sched.barrier 0
  ttg.barrier local|global_read
  ttg.barrier local
  %0 = util.unfoldable_constant dense<5.0> : tensor<f32>
  %1 = sdy.constant dense<5.0> : tensor<f32>
  check.expect_eq_const %1, dense<5.0> : tensor<f32>
  check.expect_almost_eq_const %1, dense<5.0> : tensor<f32>
  %2 = torch.aten.tanh %0
    : tensor<f32> -> tensor<f32>
  %3:2 = torch.aten.max.dim %2, %1, %0 {a = 1} : tensor<f32>, tensor<f32>, tensor<f32> -> tensor<f32>, tensor<f32>
  return %3#1 : tensor<f32>
}
"#,
        expect![[r#""#]],
    );
}

#[test]
fn names_that_a_form_defines_before_its_region_are_those_of_the_region() {
    check_diagnostics(
        r#"
emitc.include <"a.h">
emitc.include "b.h"
func.func @f(%a: !async.value<f32>, %t: !async.token, %m: memref<8xf32>, %n: memref<1xi32>, %i: index, %l: i64) {
  %t0, %r0 = async.execute [%t] (%a as %b: !async.value<f32>) -> !async.value<f32> attributes {x} {
    %0 = arith.addf %b, %b : f32
    async.yield %0 : f32
  }
  %t1 = async.execute {
    async.yield
  }
  memref.dma_start %m[%i], %m[%i], %i, %n[%i], %i, %i : memref<8xf32>, memref<8xf32>, memref<1xi32>
  affine.dma_start %m[%i + 1], %m[%i], %n[%i], %i : memref<8xf32>, memref<8xf32>, memref<1xi32>
  affine.dma_wait %n[%i], %i : memref<1xi32>
  omp.canonical_loop %k : i64 in range(%l) {
    %0 = arith.addi %k, %k : i64
    omp.terminator
  }
  %1 = util.assume.int %i<umin = 10, umax = 100> : index
  %2:2 = util.assume.int %i[<umin = 1>, <umax = 2>], %l<udiv = 64> : index, i64
  %3 = flow.dispatch.region[%i] -> (tensor<?x4xf32>{%i}) {
    %0 = tensor.empty(%i) : tensor<?x4xf32>
    flow.return %0 : tensor<?x4xf32>
  } count(%w: index) -> (index, index, index) {
    flow.return %w, %w, %w : index, index, index
  }
  return
}
async.func @g() -> !async.token {
  return
}
llvm.func @h(%a: i32) attributes {personality = @p} {
  %0 = llvm.invoke @h(%a) to ^bb1 unwind ^bb2 : (i32) -> i32
^bb1:
  llvm.return
^bb2:
  %1 = llvm.landingpad cleanup (catch %0 : i32) : !llvm.struct<(ptr, i32)>
  llvm.return
}
hal.executable.source public @source {
  hal.executable.export public @a ordinal(0) layout(#l) count(%d: !hal.device, %n: index) -> (index, index, index) {
    hal.return %n, %n, %n : index, index, index
  } attributes {x = 1 : index}
  hal.executable.export public @b layout(#l)
  hal.executable.condition(%d: !hal.device) -> i1 {
    %0 = arith.constant true
    hal.return %0 : i1
  }
  hal.executable.constant.block(%d: !hal.device) -> (i32, i32) as ("a", "b") {
    %0 = arith.constant 1 : i32
    hal.return %0, %0 : i32, i32
  }
  hal.executable.constant.block() -> i32 as "a" {
    %0 = arith.constant 1 : i32
    hal.return %0 : i32
  }
}
func.func @w(%t: tensor<?x4xf32>, %i: index, %a: i32, %b: i32) -> tensor<4x?xf32> {
  %0 = flow.dispatch.workgroups[%i](%t, %i) : (tensor<?x4xf32>{%i}, index) -> (tensor<4x?xf32>{%i}) attributes {x} =
      (%x: !flow.dispatch.tensor<readonly:tensor<?x4xf32>>, %n: index, %y: !flow.dispatch.tensor<writeonly:tensor<4x?xf32>>) {
    %1 = arith.addi %n, %n : index
    flow.return
  } count(%k: index) -> (index, index, index) {
    flow.return %k, %k, %k : index, index, index
  }
  %2 = flow.dispatch.workgroups(%t) : (tensor<?x4xf32>{%i}) -> %t{%i} = (%x: !flow.dispatch.tensor<readwrite:tensor<?x4xf32>>) {
    flow.return
  }
  ttg.warp_specialize(%a, %b) attributes {x}
  default {
    %1 = arith.muli %a, %b : i32
    ttg.warp_yield
  }
  partition0(%x: i32, %y: i32) num_warps(4) {
    %1 = arith.muli %x, %y : i32
    ttg.warp_return
  } : (i32, i32) -> ()
  nvws.warp_group
  partition0 num_warps(4) {
    nvws.warp_group.return
  }
  partition1 num_warps(8) {
    nvws.warp_group.return
  }
  check.expect_eq(%t, %t) : tensor<?x4xf32>
  check.expect_almost_eq(%t, %t, atol 1.0e-3) : tensor<?x4xf32>
  return %0 : tensor<4x?xf32>
}
"#,
        expect![[r#""#]],
    );
}

#[test]
fn list_of_assignments_goes_on_at_the_next_line() {
    check_diagnostics(
        r#"
func.func @f(%a: i64, %b: f32, %c0: index, %c1: index) -> f32 {
  %0:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%x =
    %a, %y = %b) -> (i64, f32) {
    scf.yield %x, %y : i64, f32
  }
  return %0#1 : f32
}
"#,
        expect![[r#""#]],
    );
}

#[test]
fn name_behind_the_arrow_of_a_form_that_calls_code_may_be_no_value() {
    check_diagnostics(
        r#"
func.func @f(%v: i32, %r: !stream.resource<*>, %n: index, %m: index) {
  %0 = stream.async.fill %v, %r[%n to %m for %m] : i32 -> %tied as !stream.resource<*>{%n}
  %1 = stream.async.fill %v, %missing[%n to %m for %m] : i32 -> !stream.resource<*>{%n}
  return
}
"#,
        expect![[r#"
            undefined-value `%missing`: `%missing` is not defined here
        "#]],
    );
}

#[test]
fn a_form_that_nobody_defines_may_bind_names() {
    check(
        "func.func @f(%m: memref<4x4xf32>) {\n  %0 = own.tile vars(%i, %k) %m[at(%m[%i, %k]), (%j)] : memref<4x4xf32>\n  arith.addi %q, %q ! : i32\n  return\n}\n",
        expect![[r#"
            Function f
            {function_type = (memref<4x4xf32>) -> (), sym_name = "f"}
            ^b0(%m: memref<4x4xf32>) of r0
              %0: Unknown = ?own.tile(, , %m, %m, , , %j)
              ?arith.addi(%q, %q)
              func.return()
            unknown-operation 43..51: the effects of `own.tile` are unknown: nothing is merged with it or moved over it
            undefined-value 85..87: `%j` is not defined here
            undefined-value 121..123: `%q` is not defined here
            undefined-value 125..127: `%q` is not defined here
            Frame 

            ^b0() of r0
              func.func() {function_type = (memref<4x4xf32>) -> (), sym_name = "f"}
        "#]],
    );
}
