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
            unknown-operation 92..99: what `d.two` does is not known: nothing is merged with it or moved over it
            use-before-definition 104..106: the definition of `%b` does not come before this use on every path
            unknown-operation 185..192: what `d.one` does is not known: nothing is merged with it or moved over it
            use-before-definition 229..231: the definition of `%c` does not come before this use on every path
            unknown-operation 339..349: what `d.region` does is not known: nothing is merged with it or moved over it
            unknown-operation 359..365: what `d.in` does is not known: nothing is merged with it or moved over it
            unknown-operation 463..468: what `d.c` does is not known: nothing is merged with it or moved over it
            Frame 

            ^b0() of r0
              func.func() {function_type = (i32) -> i32, sym_name = "f"}
        "#]],
    );
}
