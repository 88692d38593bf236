//! Layout of MLIR: rules one by one, and all samples.

use expect_test::{Expect, expect};
use test_utils::ir_samples;

use crate::{Edit, Shapes, TextRange, TextSize, format_mlir};

fn formatted(text: &str) -> String {
    apply(text, &format_mlir(text, Shapes::builtin(), None).expect("laid out"))
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut new = text.to_owned();
    edits.iter().rev().for_each(|it| it.apply(&mut new));
    new
}

#[track_caller]
fn check(text: &str, expect: Expect) {
    let new = formatted(text);
    expect.assert_eq(&new);
    assert_eq!(formatted(&new), new, "formatting what is formatted changes something");
}

#[test]
fn operations_stand_on_lines_and_regions_are_indented() {
    check(
        "func.func @f(%a:i32,%b : i32)->i32 {%0=arith.addi %a,%b:i32  %1 = arith.muli   %0 , %b  : i32
scf.if %c {
scf.yield } else { }
      return %1:i32}
",
        expect![[r#"
            func.func @f(%a: i32, %b: i32) -> i32 {
              %0 = arith.addi %a, %b : i32
              %1 = arith.muli %0, %b : i32
              scf.if %c {
                scf.yield
              } else {}
              return %1 : i32
            }
        "#]],
    );
}

#[test]
fn parts_of_a_text_that_are_not_mlir_stay() {
    check(
        "//--- a.c\nint  f( )  { }\n\n\n//--- b.mlir  \n\n\n  own.a   %x\n//--- c.txt\nx  y\n\n\n",
        expect![[r#"
            //--- a.c
            int  f( )  { }


            //--- b.mlir  

            own.a   %x
            //--- c.txt
            x  y


        "#]],
    );
    for text in ["//--- a.c", "//--- a.c\n", "//--- a.c\nx  ", "//--- a.c\r\nx\r\n//--- b.c\r\n"] {
        assert_eq!(formatted(text), text);
    }
}

#[test]
fn comments_and_blank_lines_stay() {
    check(
        "

// a file
   // of mine


#map=affine_map<(d0)  -> (d0+1)>
func.func @f() {   // opens


  // before
    \"a.b\"() : () -> () // behind
         // last
}
// end
",
        expect![[r#"
            // a file
            // of mine

            #map = affine_map<(d0)  -> (d0+1)>
            func.func @f() {   // opens
              // before
              "a.b"() : () -> () // behind
              // last
            }
            // end
        "#]],
    );
}

#[test]
fn labels_stand_where_the_operation_stands() {
    check(
        "func.func @f(%a: i1) {
      cf.cond_br %a,^bb1( %a : i1 ),^bb2
   ^bb1( %x : i1 ):   // pred: ^bb0
      cf.br ^bb2
     ^bb2:
  return
}",
        expect![[r#"
            func.func @f(%a: i1) {
              cf.cond_br %a, ^bb1(%a : i1), ^bb2
            ^bb1(%x: i1):   // pred: ^bb0
              cf.br ^bb2
            ^bb2:
              return
            }
        "#]],
    );
}

#[test]
fn generic_form() {
    check(
        "%0:2 = \"foo.bar\" ( %a ,%b ) [ ^bb1 , ^bb2 ] < {p=1:i32} > ( {
^bb0(%x:i32):
\"foo.y\"(%x):(i32)->()
} , { } ) {k,l = [1,2]}:(i32,i32)->(i32,i32) loc( \"a\" : 1:2 )
",
        expect![[r#"
            %0:2 = "foo.bar"(%a, %b)[^bb1, ^bb2] <{p = 1 : i32}> ({
            ^bb0(%x: i32):
              "foo.y"(%x) : (i32) -> ()
            }, {}) {k, l = [1, 2]} : (i32, i32) -> (i32, i32) loc( "a" : 1:2 )
        "#]],
    );
}

#[test]
fn lines_that_go_on_are_indented() {
    check(
        "func.func @f(%a: i32,
  %b: i32) {
linalg.generic {
indexing_maps = [#a,
#b],
iterator_types = [\"parallel\"]
}
ins(%a : i32)
// here too
outs(%b : i32) {
linalg.yield %a : i32
}
}
",
        expect![[r#"
            func.func @f(%a: i32,
              %b: i32) {
              linalg.generic {
                indexing_maps = [#a,
                  #b],
                iterator_types = ["parallel"]
              }
                  ins(%a : i32)
                  // here too
                  outs(%b : i32) {
                linalg.yield %a : i32
              }
            }
        "#]],
    );
}

#[test]
fn types_and_unread_parts_are_kept() {
    check(
        "func.func @f(%a: !foo<a  ,b>) {
   foo.op %a ,[ 1,2]   do
   %x = \"a.b\"() {v = dense<[1 ,2]> : tensor<2x  i32>} : () -> (!foo<a  ,b>)
}
",
        expect![[r#"
            func.func @f(%a: !foo<a  ,b>) {
              foo.op %a ,[ 1,2]   do
              %x = "a.b"() {v = dense<[1 ,2]> : tensor<2x  i32>} : () -> (!foo<a  ,b>)
            }
        "#]],
    );
}

#[test]
fn documents_are_divided_by_lines() {
    check(
        "\"a.b\"() : () -> ()

// -----


   \"a.b\"() : () -> ()\r\n",
        expect![[r#"
            "a.b"() : () -> ()

            // -----

            "a.b"() : () -> ()
        "#]],
    );
}

#[test]
fn a_range_touches_its_lines_only() {
    let text = "func.func @f() {\n      a.b\n      a.c\n      a.d\n}\n";
    let at = u32::try_from(text.find("a.c").expect("there")).expect("short");
    let range = TextRange::empty(at.into());
    let edits = format_mlir(text, Shapes::builtin(), Some(range)).expect("laid out");
    expect![[r#"
        func.func @f() {
              a.b
          a.c
              a.d
        }
    "#]]
    .assert_eq(&apply(text, &edits));
}

#[test]
fn a_range_leaves_comments_and_blank_lines_around_it_alone() {
    let text =
        "func.func @f() {\n      // one\n      // two  \n\n\n      // three\n      return\n\n\n}\n";
    let mut start = 0;
    let mut touched = Vec::new();
    for line in text.split('\n') {
        let lines = TextRange::at((start as u32).into(), TextSize::of(line));
        let edits = format_mlir(text, Shapes::builtin(), Some(lines)).expect("laid out");
        assert!(edits.iter().all(|it| lines.contains_range(it.range)), "{line:?} {edits:?}");
        touched.push(edits.len());
        start += line.len() + 1;
    }
    expect!["[0, 1, 2, 0, 0, 1, 1, 0, 0, 0, 0]"].assert_eq(&format!("{touched:?}"));
    // All lines together are the whole text.
    let whole = TextRange::up_to(TextSize::of(text));
    let edits = format_mlir(text, Shapes::builtin(), Some(whole)).expect("laid out");
    assert_eq!(apply(text, &edits), formatted(text));
}

#[test]
fn nests_as_deep_as_the_parser_reads() {
    let deep = "scf.if %c {".repeat(3_000) + &"}".repeat(3_000);
    let new = formatted(&deep);
    assert_eq!(formatted(&new), new);
    // Indentation does not grow with the square of the depth.
    assert!(new.len() < 250 * 6_000, "{}", new.len());
}

#[test]
fn samples_keep_their_tree_and_are_laid_out_once() {
    let mut n = 0;
    for sample in ir_samples().iter().filter(|it| it.name.ends_with(".mlir")) {
        let new = formatted(&sample.text);
        assert_eq!(formatted(&new), new, "{}", sample.name);
        // What mlir-opt prints differs from ours in little but the ends of files.
        n += 1;
    }
    assert!(n > 40);
}

#[test]
fn lines_end_as_they_did() {
    let samples = ir_samples();
    for sample in samples.iter().filter(|it| it.name.ends_with(".mlir")).step_by(3) {
        let laid_out = formatted(&sample.text);
        for end in ["\r\n", "\r"] {
            let text = sample.text.replace('\n', end);
            assert_eq!(formatted(&text), laid_out.replace('\n', end), "{} {end:?}", sample.name);
        }
        // Ends that differ: what is laid out gets one of them, and keeps it.
        for n in [0, 1, 3, 17] {
            let text = sample.text.replacen('\n', "\r\n", n).replace("}\n", "}\r");
            let new = formatted(&text);
            assert_eq!(formatted(&new), new, "{} {n}", sample.name);
        }
    }
}

#[test]
fn string_without_an_end_does_not_grow() {
    // A carriage return at the end of the file would be a part of it.
    let text = "\"a.b\"() : () -> ()\r\"c";
    assert!(format_mlir(text, Shapes::builtin(), None).is_err());
}

#[test]
fn markers_stand_alone_and_keep_their_line_end() {
    check(
        "\"a.b\"() : () -> () // -----\r\n  // -----\r\n\"a.b\"() : () -> ()\r\n// c // -----\r\n",
        expect![[
            "\"a.b\"() : () -> ()\r\n// -----\r\n// -----\r\n\"a.b\"() : () -> ()\r\n// c\r\n// -----\r\n"
        ]],
    );
}

#[test]
fn texts_with_errors_are_laid_out_or_left() {
    for sample in ir_samples().iter().filter(|it| it.name.ends_with(".mlir")).step_by(5) {
        let step = sample.text.len() / 40 + 1;
        for end in (0..sample.text.len()).step_by(step) {
            let Some(text) = sample.text.get(..end) else { continue };
            let Ok(edits) = format_mlir(text, Shapes::builtin(), None) else { continue };
            let new = apply(text, &edits);
            assert_eq!(
                format_mlir(&new, Shapes::builtin(), None),
                Ok(Vec::new()),
                "{}",
                sample.name
            );
        }
    }
}
