//! Effects that code of other projects states, by the attributes of an operation: loads of globals of IREE, loads and
//! assembly of Triton, loops that need not end.

use expect_test::{Expect, expect};
use ir::{
    effects::EffectTable,
    plan::Preset::{self, Default, Mlir24},
};
use transform::ops::OpOptions;

use super::{check_with, options};

#[track_caller]
fn check(preset: Preset, input: &str, expect: Expect) {
    check_with(options(preset), input, &expect);
}

const GLOBALS: &str = r#"
util.func public @f() -> (i32, i32) {
  %unused = util.global.load @variable : i32
  %a = util.global.load @variable : i32
  %b = util.global.load immutable @constant : i32
  util.call @other() : () -> ()
  %c = util.global.load @variable : i32
  %d = util.global.load immutable @constant : i32
  %x = arith.addi %a, %c : i32
  %y = arith.addi %b, %d : i32
  util.return %x, %y : i32, i32
}
"#;

#[test]
fn loads_of_globals_are_reads_unless_these_are_immutable() {
    check(
        Mlir24,
        GLOBALS,
        expect![[r#"

        util.func public @f() -> (i32, i32) {
          %a = util.global.load @variable : i32
          %b = util.global.load immutable @constant : i32
          util.call @other() : () -> ()
          %c = util.global.load @variable : i32
          %x = arith.addi %a, %c : i32
          %y = arith.addi %b, %b : i32
          util.return %x, %y : i32, i32
        }
        ----
        dead-operation: %unused = util.global.load @variable : i32
        common-operation: %d = util.global.load immutable @constant : i32
    "#]],
    );
    check(
        Default,
        GLOBALS,
        expect![[r#"

        util.func public @f() -> (i32, i32) {
          %a = util.global.load @variable : i32
          %b = util.global.load immutable @constant : i32
          util.call @other() : () -> ()
          %c = util.global.load @variable : i32
          %x = arith.addi %a, %c : i32
          %y = arith.addi %b, %b : i32
          util.return %x, %y : i32, i32
        }
        ----
        dead-operation: %unused = util.global.load @variable : i32
        common-operation: %d = util.global.load immutable @constant : i32
    "#]],
    );
}

#[test]
fn of_a_virtual_machine_too() {
    check(
        Default,
        r#"
vm.func @f() -> i32 {
  %unused = vm.global.load.i32 @g : i32
  %a = vm.global.load.i32 @g : i32
  %b = vm.global.load.i32 @g : i32
  %c = vm.add.i32 %a, %b : i32
  vm.return %c : i32
}
"#,
        expect![[r#"

            vm.func @f() -> i32 {
              %a = vm.global.load.i32 @g : i32
              %c = vm.add.i32 %a, %a : i32
              vm.return %c : i32
            }
            ----
            dead-operation: %unused = vm.global.load.i32 @g : i32
            common-operation: %b = vm.global.load.i32 @g : i32
        "#]],
    );
}

const LOADS: &str = r#"
tt.func public @f(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>) -> tensor<8xf32> {
  %unused = tt.load %p : tensor<8x!tt.ptr<f32>>
  %counts = tt.load %p {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %a = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %b = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  tt.store %p, %b : tensor<8x!tt.ptr<f32>>
  %c = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
  %x = arith.addf %a, %b : tensor<8xf32>
  %y = arith.addf %x, %c : tensor<8xf32>
  tt.return %y : tensor<8xf32>
}
"#;

#[test]
fn loads_of_triton_are_reads_unless_they_are_volatile() {
    check(
        Mlir24,
        LOADS,
        expect![[r#"

        tt.func public @f(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>) -> tensor<8xf32> {
          %counts = tt.load %p {isVolatile = true} : tensor<8x!tt.ptr<f32>>
          %a = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
          tt.store %p, %a : tensor<8x!tt.ptr<f32>>
          %c = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
          %x = arith.addf %a, %a : tensor<8xf32>
          %y = arith.addf %x, %c : tensor<8xf32>
          tt.return %y : tensor<8xf32>
        }
        ----
        dead-operation: %unused = tt.load %p : tensor<8x!tt.ptr<f32>>
        common-operation: %b = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    "#]],
    );
    check(
        Default,
        LOADS,
        expect![[r#"

        tt.func public @f(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>) -> tensor<8xf32> {
          %counts = tt.load %p {isVolatile = true} : tensor<8x!tt.ptr<f32>>
          %a = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
          tt.store %p, %a : tensor<8x!tt.ptr<f32>>
          %c = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
          %x = arith.addf %a, %a : tensor<8xf32>
          %y = arith.addf %x, %c : tensor<8xf32>
          tt.return %y : tensor<8xf32>
        }
        ----
        dead-operation: %unused = tt.load %p : tensor<8x!tt.ptr<f32>>
        common-operation: %b = tt.load %p, %m : tensor<8x!tt.ptr<f32>>
    "#]],
    );
}

const CALLS: &str = r#"
tt.func public @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %unused = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = tt.extern_elementwise %a {libname = "", libpath = "", pure = false, symbol = "g"} : (tensor<8xf32>) -> tensor<8xf32>
  %3 = tt.extern_elementwise %a {libname = "", libpath = "", pure = false, symbol = "g"} : (tensor<8xf32>) -> tensor<8xf32>
  %4 = tt.elementwise_inline_asm "immutable $0" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %a : tensor<8xf32> -> tensor<8xf32>
  %5 = arith.addf %0, %1 : tensor<8xf32>
  %6 = arith.addf %2, %3 : tensor<8xf32>
  %7 = arith.addf %5, %6 : tensor<8xf32>
  tt.return %7 : tensor<8xf32>
}
"#;

#[test]
fn calls_of_triton_have_effects_unless_they_are_pure() {
    check(
        Default,
        CALLS,
        expect![[r#"

        tt.func public @f(%a: tensor<8xf32>) -> tensor<8xf32> {
          %0 = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
          %2 = tt.extern_elementwise %a {libname = "", libpath = "", pure = false, symbol = "g"} : (tensor<8xf32>) -> tensor<8xf32>
          %3 = tt.extern_elementwise %a {libname = "", libpath = "", pure = false, symbol = "g"} : (tensor<8xf32>) -> tensor<8xf32>
          %4 = tt.elementwise_inline_asm "immutable $0" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %a : tensor<8xf32> -> tensor<8xf32>
          %5 = arith.addf %0, %0 : tensor<8xf32>
          %6 = arith.addf %2, %3 : tensor<8xf32>
          %7 = arith.addf %5, %6 : tensor<8xf32>
          tt.return %7 : tensor<8xf32>
        }
        ----
        dead-operation: %unused = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
        common-operation: %1 = tt.extern_elementwise %a {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
    "#]],
    );
}

#[test]
fn forms_with_a_rounding_and_two_types_are_read() {
    check(
        Default,
        r#"
tt.func public @f(%a: tensor<8xf32>, %l: !util.list<?>, %i: index) -> (tensor<8xf8E5M2>, tensor<8xf8E5M2>, tensor<8xf8E5M2>) {
  %0 = tt.fp_to_fp %a, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %1 = tt.fp_to_fp %a, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %2 = tt.fp_to_fp %a, rounding = rtz : tensor<8xf32> -> tensor<8xf8E5M2>
  %unused = util.list.get %l[%i] : !util.list<?> -> i32
  tt.return %0, %1, %2 : tensor<8xf8E5M2>, tensor<8xf8E5M2>, tensor<8xf8E5M2>
}
"#,
        expect![[r#"

            tt.func public @f(%a: tensor<8xf32>, %l: !util.list<?>, %i: index) -> (tensor<8xf8E5M2>, tensor<8xf8E5M2>, tensor<8xf8E5M2>) {
              %0 = tt.fp_to_fp %a, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
              %2 = tt.fp_to_fp %a, rounding = rtz : tensor<8xf32> -> tensor<8xf8E5M2>
              tt.return %0, %0, %2 : tensor<8xf8E5M2>, tensor<8xf8E5M2>, tensor<8xf8E5M2>
            }
            ----
            common-operation: %1 = tt.fp_to_fp %a, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
            dead-operation: %unused = util.list.get %l[%i] : !util.list<?> -> i32
        "#]],
    );
}

/// `SEMANTICS: L10`: plain loads wait for nobody.
#[test]
fn a_loop_that_only_reads_goes_unless_it_need_not_end_or_its_reads_are_ordered() {
    let wait = |load: &str, end: &str| {
        format!(
            "  scf.while : () -> () {{\n    {load}\n    %c = arith.cmpi eq, %v, %z : i32\n    \
             scf.condition(%c)\n  }} do {{\n    scf.yield\n  }}{end}\n"
        )
    };
    let plain = "%v = llvm.load %p : !llvm.ptr -> i32";
    let loops = [
        wait(plain, ""),
        wait(plain, " attributes {mustProgress = true}"),
        wait(plain, " attributes {mustProgress = false}"),
        wait("%v = llvm.load volatile %p : !llvm.ptr -> i32", ""),
        wait("%v = llvm.load %p atomic acquire {alignment = 4 : i64} : !llvm.ptr -> i32", ""),
        wait("gpu.barrier\n    %v = llvm.load %p : !llvm.ptr -> i32", ""),
    ];
    for preset in [Preset::Mlir19, Mlir24, Default] {
        let stays = loops.each_ref().map(|it| {
            let text = format!("func.func @f(%p: !llvm.ptr, %z: i32) {{\n{it}  return\n}}\n");
            let (after, _) = super::optimize(&text, EffectTable::builtin(), &options(preset));
            after.contains("scf.while")
        });
        assert_eq!(stays, [false, false, true, true, true, true], "{preset:?}");
    }
}

/// The regions of these operations are written as only code reads them.
#[test]
fn what_does_no_more_than_its_regions_goes_also_where_its_form_is_not_read() {
    let text = |inner: &str| {
        format!(
            "util.func private @f(%r: !stream.resource<*>, %n: index, %t: !stream.timepoint) {{\n  \
             %c0 = arith.constant 0 : index\n  \
             %0:2 = stream.async.execute await(%t) => with(%r as %s: !stream.resource<*>{{%n}}) -> \
             !stream.resource<*>{{%n}} {{\n    {inner}    \
             stream.yield %s : !stream.resource<*>{{%n}}\n  }} => !stream.timepoint\n  \
             util.return\n}}\n"
        )
    };
    let does = "\"my.effect\"(%s) : (!stream.resource<*>) -> ()\n";
    for preset in [Mlir24, Default] {
        let stays = ["", does].map(|inner| {
            let options = options(preset);
            let (after, _) = super::optimize(&text(inner), EffectTable::builtin(), &options);
            after.contains("stream.async.execute")
        });
        assert_eq!(stays, [false, true], "{preset:?}");
        // This one has no effect by its definition; what it holds counts all the same, but for the peer.
        let stays = [true, false].map(|allow_unsound| {
            ["", "    %b = \"my.effect\"(%x) : (tensor<4xf32>) -> tensor<4xf32>\n"].map(|inner| {
                let text = format!(
                    "util.func private @f(%x: tensor<4xf32>) {{\n  \
                 %0 = flow.dispatch.region -> (tensor<4xf32>) {{\n{inner}    \
                 flow.return %x : tensor<4xf32>\n  }}\n  util.return\n}}\n"
                );
                let options = OpOptions { preset, allow_unsound };
                let (after, _) = super::optimize(&text, EffectTable::builtin(), &options);
                after.contains("flow.dispatch.region")
            })
        });
        let is_peer = preset == Mlir24;
        // Of its terminator it is not known that it leaves no more than the region.
        assert_eq!(stays, [[!is_peer, !is_peer], [true, true]], "{preset:?}");
    }
}

/// Forms of Triton with an operand that may be absent, of structured operations with maps, and of TOSA with attributes.
#[test]
fn memory_of_triton_products_with_maps_and_attributes_of_tosa_go_unused() {
    let memory = "!ttg.memdesc<16xf32, #shared, #smem, mutable>";
    let operations = [
        format!("%0 = ttg.local_alloc : () -> {memory}"),
        format!("%0 = ttg.local_alloc %t : (tensor<16xf32>) -> {memory}"),
        format!("%0 = ttg.local_load %m token %k : {memory} -> tensor<16xf32>"),
        "%0 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %x : tensor<4x4xf32>, \
         tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>"
            .to_owned(),
        "%0 = tosa.concat %t, %t axis(0) : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>"
            .to_owned(),
        "%0 = tosa.maximum %t, %t nan_mode<PROPAGATE> : (tensor<16xf32>, tensor<16xf32>) -> \
         tensor<16xf32>"
            .to_owned(),
    ];
    for preset in [Mlir24, Default] {
        // To the preset `default`, threads arrive together at what Triton does in shared memory.
        let n_kept = if preset == Default { 3 } else { 0 };
        for operation in &operations[n_kept..] {
            let text = format!(
                "tt.func @f(%t: tensor<16xf32>, %m: {memory}, %k: !ttg.async.token, \
                 %x: tensor<4x4xf32>) {{\n  {operation}\n  tt.return\n}}\n"
            );
            let options = OpOptions { preset, allow_unsound: preset == Mlir24 };
            let (after, _) = super::optimize(&text, EffectTable::builtin(), &options);
            assert!(!after.contains("%0"), "{preset:?}: {after}");
        }
    }
}

/// Forms that differ from most of their dialect, or from the current version of it: nothing uses them, so they go.
#[test]
fn forms_of_few_operations_and_of_llvm_19_go_unused() {
    let operations = [
        "%0 = llvm.add %i, %i overflow <nsw> : i64",
        "%0 = llvm.intr.expect %i, %i : i64",
        "%0 = llvm.intr.vector.extract %w[4] : vector<4xf32> from vector<8xf32>",
        "%0 = llvm.intr.experimental.constrained.fptrunc %d towardzero ignore : f64 to f32",
        "%0 = nvgpu.ldmatrix %m[%n, %n] {numTiles = 4 : i32, transpose = false} : memref<?x?xf16, 3> -> vector<4x2xf16>",
        "%0 = vector.warp_execute_on_lane_0(%n)[32] -> (vector<1xf32>) {\n    vector.yield %v : vector<32xf32>\n  }",
        "%0 = spirv.INTEL.JointMatrixMad <Subgroup> %j, %j, %j : !spirv.j, !spirv.j -> !spirv.j",
        "%0 = xegpu.create_nd_tdesc %g[0, 0] : memref<24x32xf32> -> !xegpu.tensor_desc<8x16xf32>",
        "%0 = sparse_tensor.positions %s { level = 0 : index } : tensor<64xf32, #s> to memref<?xindex>",
        "%0 = transform.match.structured %h : (!transform.any_op) -> !transform.any_op {\n  \
         ^bb0(%q: !transform.any_op):\n    transform.match.structured.yield %q : !transform.any_op\n  }",
    ];
    let parameters = "%i: i64, %n: index, %d: f64, %v: vector<32xf32>, %w: vector<8xf32>, \
                      %m: memref<?x?xf16, 3>, %g: memref<24x32xf32>, %j: !spirv.j, \
                      %s: tensor<64xf32, #s>, %h: !transform.any_op";
    for operation in operations {
        let text = format!("func.func @f({parameters}) {{\n  {operation}\n  return\n}}\n");
        let options = OpOptions { preset: ir::plan::Preset::Mlir19, allow_unsound: true };
        let (after, _) = super::optimize(&text, EffectTable::builtin(), &options);
        assert!(!after.contains("%0"), "{after}");
    }
}

/// Two texts that only code reads stand around an optional list; the result is tied to an operand, without its type.
#[test]
fn dispatch_with_a_tied_result_goes_unused() {
    let text = "util.func private @f(%r: !stream.resource<*>, %n: index) {\n  \
                %c0 = arith.constant 0 : index\n  \
                %0 = stream.async.dispatch @ex::@d[%n, %n](%r[%c0 to %n for %n]) : \
                (!stream.resource<*>{%n}) -> %r{%n}\n  \
                util.return\n}\n";
    let options = OpOptions { preset: Mlir24, allow_unsound: true };
    let (after, _) = super::optimize(text, EffectTable::builtin(), &options);
    assert!(!after.contains("stream.async.dispatch"), "{after}");
}

/// A value in a text that only code reads is renamed like any other: the text is not compared with its names.
#[test]
fn values_in_texts_of_code_are_renamed() {
    let dispatches = [
        ("stream.async.dispatch @ex::@d(%r[%a to %b for %a])", "!stream.resource<*>"),
        ("flow.dispatch @ex::@d[%a, %b](%r, %a, %b)", "tensor<4xf32>"),
    ];
    for (call, ty) in dispatches {
        let types = if ty.starts_with('!') { format!("{ty}{{%n}}") } else { ty.to_owned() };
        let inputs = match ty.starts_with('!') {
            true => types.clone(),
            false => format!("{ty}, index, index"),
        };
        let text = format!(
            "util.func public @f(%r: {ty}, %n: index) -> {ty} {{\n  \
             %a = arith.constant 128 : index\n  %b = arith.constant 128 : index\n  \
             %0 = {call} : ({inputs}) -> {types}\n  util.return %0 : {ty}\n}}\n"
        );
        let options = OpOptions { preset: Mlir24, allow_unsound: true };
        let (after, _) = super::optimize(&text, EffectTable::builtin(), &options);
        assert!(!after.contains("%b"), "{after}");
    }
}

/// StableHLO's commutativity is a trait of its own, which the pass of MLIR does not know.
#[test]
fn swapped_operands_of_stablehlo_are_merged_by_default_only() {
    let text = "func.func @f(%a: tensor<f32>, %b: tensor<f32>) -> (tensor<f32>, tensor<f32>) {\n  \
                %0 = stablehlo.add %a, %b : tensor<f32>\n  \
                %1 = stablehlo.add %b, %a : tensor<f32>\n  \
                return %0, %1 : tensor<f32>, tensor<f32>\n}\n";
    for preset in [Mlir24, Default] {
        let (after, _) = super::optimize(text, EffectTable::builtin(), &options(preset));
        assert_eq!(after.contains("%1"), preset == Mlir24, "{after}");
    }
}
