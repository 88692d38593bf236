//! The generic form.

use super::*;

#[test]
fn operations_keep_values_types_and_attributes() {
    check(
        r#"
#map = affine_map<(i, j) -> (j + i * 2)>
"func.func"() <{function_type = (i32) -> (i32), sym_name = "f"}> ({
^bb0(%a: i32):
  %0:2 = "d.two"(%a, %b) <{predicate = 0x2 : i64}> {note, m = #map} : (i32, i32) -> (i32, f32)
  %b = "d.one"(%0#1) : (f32) -> i32
  "cf.cond_br"(%c, %a, %b)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
^bb1(%x: i32):
  "d.region"() ({
    "d.in"(%x) : (i32) -> ()
  }, {
  }) : () -> ()
  "func.return"(%x) : (i32) -> ()
^bb2(%y: i32):
  %c = "d.c"() : () -> i1
  "cf.br"(%y)[^bb1] : (i32) -> ()
}) : () -> ()
"#,
        expect![[r#"
            Function f
            {function_type = (i32) -> i32, sym_name = "f"}
            ^b0(%a: i32) of r0
              %0#0: i32, %0#1: f32 = d.two(%a, %b) {m = affine_map<(d0, d1) -> (d1 + d0 * 2)>, note = unit, predicate = 2 : i64}
              %b: i32 = d.one(%0#1)
              cf.cond_br(%c) ^b1(%a) ^b4(%b)
            ^b1(%x: i32) of r0
              d.region() r1 r2
              func.return(%x)
            ^b4(%y: i32) of r0
              %c: i1 = d.c()
              cf.br() ^b1(%y)
              ^b2() of r1
                d.in(%x)
              ^b3() of r2
            unknown-operation 92..99: the effects of `d.two` are unknown: nothing is merged with it or moved over it
            use-before-definition 104..106: the definition of `%b` does not come before this use on every path
            unknown-operation 185..192: the effects of `d.one` are unknown: nothing is merged with it or moved over it
            use-before-definition 229..231: the definition of `%c` does not come before this use on every path
            unknown-operation 339..349: the effects of `d.region` are unknown: nothing is merged with it or moved over it
            unknown-operation 359..365: the effects of `d.in` are unknown: nothing is merged with it or moved over it
            unknown-operation 463..468: the effects of `d.c` are unknown: nothing is merged with it or moved over it
            Frame 

            ^b0() of r0
              func.func() {function_type = (i32) -> i32, sym_name = "f"}
        "#]],
    );
}

#[test]
fn casts_to_complex_numbers_are_made_as_the_peer_makes_them() {
    let pretty = r#"
func.func @f(%a: i32, %b: memref<4xcomplex<f32>>, %c: memref<4xcomplex<f64>>) {
  linalg.fill ins(%a : i32) outs(%b : memref<4xcomplex<f32>>)
  linalg.copy ins(%b : memref<4xcomplex<f32>>) outs(%c : memref<4xcomplex<f64>>)
  return
}
"#;
    // As mlir-opt 19 prints it.
    let generic = r#"
"func.func"() <{function_type = (i32, memref<4xcomplex<f32>>, memref<4xcomplex<f64>>) -> (), sym_name = "f"}> ({
^bb0(%a: i32, %b: memref<4xcomplex<f32>>, %c: memref<4xcomplex<f64>>):
  "linalg.fill"(%a, %b) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%arg2: i32, %arg3: complex<f32>):
    %0 = "arith.sitofp"(%arg2) : (i32) -> f32
    %1 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %2 = "complex.create"(%0, %1) : (f32, f32) -> complex<f32>
    "linalg.yield"(%2) : (complex<f32>) -> ()
  }) : (i32, memref<4xcomplex<f32>>) -> ()
  "linalg.copy"(%b, %c) <{operandSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%arg2: complex<f32>, %arg3: complex<f64>):
    %0 = "complex.re"(%arg2) <{fastmath = #arith.fastmath<none>}> : (complex<f32>) -> f32
    %1 = "complex.im"(%arg2) <{fastmath = #arith.fastmath<none>}> : (complex<f32>) -> f32
    %2 = "arith.extf"(%0) : (f32) -> f64
    %3 = "arith.extf"(%1) : (f32) -> f64
    %4 = "complex.create"(%2, %3) : (f64, f64) -> complex<f64>
    "linalg.yield"(%4) : (complex<f64>) -> ()
  }) : (memref<4xcomplex<f32>>, memref<4xcomplex<f64>>) -> ()
  "func.return"() : () -> ()
}) : () -> ()
"#;
    let printed = |text: &str| {
        let mut out = String::new();
        lower_file(text, Shapes::builtin(), &mut |unit| {
            if unit.kind == crate::mlir::UnitKind::Function {
                out += &ir::print::generic(&unit.lowered.body);
            }
        });
        out
    };
    assert!(printed(pretty).contains("complex.create"));
    assert_eq!(printed(pretty), printed(generic));
}

/// The names of a `stablehlo.while` are arguments of both regions.
#[test]
fn a_loop_of_stablehlo() {
    let pretty = "func.func @f(%x: tensor<i32>, %n: tensor<f32>) {\n\
                  %r:2 = stablehlo.while(%i = %x, %acc = %n) : tensor<i32>, tensor<f32> attributes {k = 1 : i32}\n\
                  cond {\n%p = \"t.p\"(%i) : (tensor<i32>) -> tensor<i1>\nstablehlo.return %p : tensor<i1>\n}\n\
                  do {\nstablehlo.return %i, %acc : tensor<i32>, tensor<f32>\n}\n\
                  stablehlo.while()\n cond {\n%t = \"t.t\"() : () -> tensor<i1>\n stablehlo.return %t : tensor<i1>\n} do {\nstablehlo.return\n}\nreturn\n}\n";
    let generic = "\"func.func\"() <{function_type = (tensor<i32>, tensor<f32>) -> (), sym_name = \"f\"}> ({\n\
                   ^bb0(%x: tensor<i32>, %n: tensor<f32>):\n\
                   %r:2 = \"stablehlo.while\"(%x, %n) ({\n^bb0(%i: tensor<i32>, %acc: tensor<f32>):\n\
                   %p = \"t.p\"(%i) : (tensor<i32>) -> tensor<i1>\n\"stablehlo.return\"(%p) : (tensor<i1>) -> ()\n}, {\n\
                   ^bb0(%i: tensor<i32>, %acc: tensor<f32>):\n\"stablehlo.return\"(%i, %acc) : (tensor<i32>, tensor<f32>) -> ()\n}) \
                   {k = 1 : i32} : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)\n\
                   \"stablehlo.while\"() ({\n%t = \"t.t\"() : () -> tensor<i1>\n\"stablehlo.return\"(%t) : (tensor<i1>) -> ()\n}, \
                   {\n\"stablehlo.return\"() : () -> ()\n}) : () -> ()\n\
                   \"func.return\"() : () -> ()\n}) : () -> ()\n";
    let bodies = |text: &str| {
        let mut res = Vec::new();
        lower_file(text, Shapes::builtin(), &mut |unit| res.push(unit.lowered.body));
        res
    };
    let (pretty, generic) = (bodies(pretty), bodies(generic));
    assert_eq!(pretty.len(), generic.len());
    for (pretty, generic) in pretty.iter().zip(&generic) {
        assert!(crate::mlir::differences(pretty, generic).is_empty());
    }
    let args: usize = pretty[0].blocks.iter().map(|it| it.1.args.len()).sum();
    assert_eq!(args, 6);
}
