//! Operations and the forms in which they are read.

use expect_test::{Expect, expect};

use super::*;
use crate::mlir::lexer::Markers;

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&short(text, &parse(text)));
}

#[test]
fn the_generic_form_is_read_whole() {
    check(
        "%0:2, %c = \"a.b\"(%x, %y#1)[^bb1, ^bb2] <{p = 1 : i64}> ({\n}, {\n^bb0(%i: i32 loc(\"f\":1:2)):\n  \"a.c\"() : () -> ()\n}) {q, \"r\" = @s::@t} : (i32, !t) -> (i32, f32, (i1) -> i1) loc(#loc1)",
        expect![[
            r#"(GENERIC_OP (RESULT_LIST (VALUE_DEF %0 : 2) , (VALUE_DEF %c) =) "a.b" ( (VALUE_USE %x) , (VALUE_USE %y #1) ) (SUCCESSOR_LIST [ (SUCCESSOR ^bb1) , (SUCCESSOR ^bb2) ]) (PROPERTIES < (ATTR_DICT { (ATTR_ENTRY p = (NUMBER_ATTR 1 : (TYPE i64))) }) >) (REGION_LIST ( (REGION { (BLOCK) }) , (REGION { (BLOCK (BLOCK_LABEL ^bb0 (BLOCK_ARGS ( (BLOCK_ARG (VALUE_DEF %i) : (TYPE i32) (LOCATION loc ( "f" : 1 : 2 ))) )) :) (GENERIC_OP "a.c" ( ) : (FUNCTION_TYPE (TYPE_LIST ( )) -> (TYPE_LIST ( ))))) }) )) (ATTR_DICT { (ATTR_ENTRY q) , (ATTR_ENTRY "r" = (SYMBOL_REF @s :: @t)) }) : (FUNCTION_TYPE (TYPE_LIST ( (TYPE i32) , (TYPE !t) )) -> (TYPE_LIST ( (TYPE i32) , (TYPE f32) , (FUNCTION_TYPE (TYPE_LIST ( (TYPE i1) )) -> (TYPE i1)) ))) (LOCATION loc ( #loc1 )))"#
        ]],
    );
}

#[test]
fn shapes_decide_what_is_a_type_a_value_or_a_word() {
    check(
        "%0 = arith.addi %a, %b overflow<nsw> {x} : i32\n%1 = arith.cmpi slt, %a, %b : vector<4xi32>\n%2 = arith.constant -1.0 : f32\n%3 = arith.index_cast %a : i32 to index\n\
         memref.store %v, %m[%i, %j + 1] : memref<4x?xf32, #map>\ncf.cond_br %c, ^a(%x : i32), ^b\nreturn %a, %b : i32, f32\n",
        expect![[r#"
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %0) =) arith.addi (VALUE_USE %a) , (VALUE_USE %b) (FLAG overflow (PARAMS < nsw >)) (ATTR_DICT { (ATTR_ENTRY x) }) : (TYPE i32))
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %1) =) arith.cmpi slt , (VALUE_USE %a) , (VALUE_USE %b) : (TYPE vector < 4x i32 >))
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %2) =) arith.constant (NUMBER_ATTR - 1.0 : (TYPE f32)))
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %3) =) arith.index_cast (VALUE_USE %a) : (TYPE i32) to (TYPE index))
            (CUSTOM_OP memref.store (VALUE_USE %v) , (VALUE_USE %m) (INDEX_LIST [ (VALUE_USE %i) , (VALUE_USE %j) + 1 ]) : (TYPE memref < 4x?x f32 , #map >))
            (CUSTOM_OP cf.cond_br (VALUE_USE %c) , (SUCCESSOR ^a (OPERAND_GROUP ( (VALUE_USE %x) : (TYPE i32) ))) , (SUCCESSOR ^b))
            (CUSTOM_OP return (VALUE_USE %a) , (VALUE_USE %b) : (TYPE i32) , (TYPE f32))"#]],
    );
}

#[test]
fn region_operations_are_read() {
    check(
        "%r = scf.for %i = %a to %b step %c iter_args(%s = %t) -> (f32) : i32 {\n  scf.yield %s : f32\n} {x}\nscf.if %c {\n} else {\n}\n\
         affine.for %i = max #m(%n)[%k] to 10 step 2 {\n}\nfunc.func private @f(%a: i32 {x}, %b: f32) -> (i32 {y}) attributes {z} {\n^bb1:\n}\nfunc.func @g(i32, ...)\n",
        expect![[r#"
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %r) =) scf.for (VALUE_DEF %i) = (VALUE_USE %a) to (VALUE_USE %b) step (VALUE_USE %c) iter_args (ASSIGN_LIST ( (ASSIGN (VALUE_DEF %s) = (VALUE_USE %t)) )) -> (TYPE_LIST ( (TYPE f32) )) : (TYPE i32) (REGION { (BLOCK (CUSTOM_OP scf.yield (VALUE_USE %s) : (TYPE f32))) }) (ATTR_DICT { (ATTR_ENTRY x) }))
            (CUSTOM_OP scf.if (VALUE_USE %c) (REGION { (BLOCK) }) else (REGION { (BLOCK) }))
            (CUSTOM_OP affine.for (VALUE_DEF %i) = max (MAP_OPERANDS (HASH_ATTR #m) (OPERAND_TUPLE ( (VALUE_USE %n) )) (INDEX_LIST [ (VALUE_USE %k) ])) to (NUMBER_ATTR 10) step (NUMBER_ATTR 2) (REGION { (BLOCK) }))
            (CUSTOM_OP func.func (FLAG private) (SYMBOL_DEF @f) (BLOCK_ARGS ( (BLOCK_ARG (VALUE_DEF %a) : (TYPE i32) (ATTR_DICT { (ATTR_ENTRY x) })) , (BLOCK_ARG (VALUE_DEF %b) : (TYPE f32)) )) -> (TYPE_LIST ( (TYPE i32) (ATTR_DICT { (ATTR_ENTRY y) }) )) attributes (ATTR_DICT { (ATTR_ENTRY z) }) (REGION { (BLOCK (BLOCK_LABEL ^bb1 :)) }))
            (CUSTOM_OP func.func (SYMBOL_DEF @g) (BLOCK_ARGS ( (BLOCK_ARG (TYPE i32)) , (BLOCK_ARG ...) )))"#]],
    );
}

#[test]
fn unknown_pretty_forms_keep_values_symbols_successors_and_regions() {
    check(
        "%0 = own.op @f(%a, %b#1) with(%c as %d: i32) <{x}> {attr = 1} : tensor<0x4xf32> ^bb1(%a : i32) {\n  %1 = own.op\n} {unit} loc(unknown)\nown.next\n",
        expect![[r#"
            (OPAQUE_OP (RESULT_LIST (VALUE_DEF %0) =) own.op (SYMBOL_REF @f) ( (VALUE_USE %a) , (VALUE_USE %b #1) ) with ( (VALUE_USE %c) as (POSSIBLE_DEF %d) : i32 ) < { x } > { attr = 1 } : tensor < 0x4x f32 > (SUCCESSOR ^bb1 (OPERAND_GROUP ( (VALUE_USE %a) : (TYPE i32) ))) (REGION { (BLOCK (OPAQUE_OP (RESULT_LIST (VALUE_DEF %1) =) own.op)) }) { unit } (LOCATION loc ( unknown )))
            (OPAQUE_OP own.next)"#]],
    );
}

#[test]
fn the_braces_of_an_unknown_form_are_a_region_only_before_an_operation_or_a_label() {
    check(
        "a.b {x.y}\na.b {x.y = 1, z}\na.b {%0}\na.b {\n  c.d\n}\na.b { c.d %0 }\na.b {\n^bb0:\n}\na.b { %0 = c.d }\na.b {\n  \"c.d\"() : () -> ()\n}\n",
        expect![[r#"
            (OPAQUE_OP a.b { x.y })
            (OPAQUE_OP a.b { x.y = 1 , z })
            (OPAQUE_OP a.b { (VALUE_USE %0) })
            (OPAQUE_OP a.b (REGION { (BLOCK (OPAQUE_OP c.d)) }))
            (OPAQUE_OP a.b (REGION { (BLOCK (OPAQUE_OP c.d (VALUE_USE %0))) }))
            (OPAQUE_OP a.b (REGION { (BLOCK (BLOCK_LABEL ^bb0 :)) }))
            (OPAQUE_OP a.b (REGION { (BLOCK (OPAQUE_OP (RESULT_LIST (VALUE_DEF %0) =) c.d)) }))
            (OPAQUE_OP a.b (REGION { (BLOCK (GENERIC_OP "c.d" ( ) : (FUNCTION_TYPE (TYPE_LIST ( )) -> (TYPE_LIST ( ))))) }))"#]],
    );
}

#[test]
fn aliases_metadata_and_chunks_are_read() {
    check(
        "#map = affine_map<(d0)[s0] -> (d0 * 2 - s0)>\n#set = affine_set<(d0) : (d0 >= 0)>\n!t = !a.b<c -> d, \"e>\">\n#loc = loc(fused[\"x\":1:2, #loc1])\n#a = dense<[[1, 2]]> : tensor<1x2xi8>\n#b = distinct[0]<42>\n\
         // -----\n{-#\n  dialect_resources: { builtin: { a: \"0x00\" } }\n#-}\n// -----\n",
        expect![[r#"
            (ATTR_ALIAS_DEF #map = (BUILTIN_ATTR affine_map (PARAMS < ( d0 ) [ s0 ] -> ( d0 * 2 - s0 ) >)))
            (ATTR_ALIAS_DEF #set = (BUILTIN_ATTR affine_set (PARAMS < ( d0 ) : ( d0 > = 0 ) >)))
            (TYPE_ALIAS_DEF !t = (TYPE !a.b < c -> d , "e>" >))
            (ATTR_ALIAS_DEF #loc = (LOCATION loc ( fused [ "x" : 1 : 2 , #loc1 ] )))
            (ATTR_ALIAS_DEF #a = (BUILTIN_ATTR dense (PARAMS < [ [ 1 , 2 ] ] >) : (TYPE tensor < 1x2x i8 >)))
            (ATTR_ALIAS_DEF #b = (BUILTIN_ATTR distinct (INDEX_LIST [ 0 ]) (PARAMS < 42 >))) // -----
            (FILE_METADATA {-# dialect_resources : { builtin : { a : "0x00" } } #-}) // -----"#]],
    );
}

#[test]
fn a_marker_in_a_region_is_a_comment_of_a_text_that_is_run_as_a_whole() {
    let n_chunks = |head: &str| {
        let text = format!("{head}own.a {{\n  own.b\n// -----\n  own.b\n}}\n// -----\nown.c\n");
        let steps = parse(&text);
        (count(&steps, &[MLIR_CHUNK]), count(&steps, ERRORS))
    };
    for whole in ["// RUN: own-opt %s\n", "\u{feff}\r\n // Text.\r\n//RUN: own-opt %s\r\n"] {
        assert_eq!(n_chunks(whole), (2, 0), "{whole}");
    }
    for split in ["", "// RUN: own-opt -split-input-file %s\n", "// Text.\n", "own.b // RUN: x\n"] {
        assert_eq!(n_chunks(split).0, 3, "{split}");
    }
}

#[test]
fn parts_for_split_file_are_documents() {
    check(
        "// RUN: x\n//--- a/one.mlir\n#m = 1\nown.a {\n//--- two.mlir \r\n#m = 2\n",
        expect![[r#"
            //--- a/one.mlir
            (ATTR_ALIAS_DEF #m = (NUMBER_ATTR 1))
            (OPAQUE_OP own.a { (MISSING)) //--- two.mlir 
            (ATTR_ALIAS_DEF #m = (NUMBER_ATTR 2))"#]],
    );
    // What is not MLIR is not read.
    check(
        "//--- a.c\nint f() { return }\n// -----\n//--- b.py\nif x:\n//--- c.mlir\nown.c\n//--- d.txt",
        expect![[r#"
        //--- a.c
        int f() { return }
        // -----
        //--- b.py
        if x:
        //--- c.mlir
        (OPAQUE_OP own.c) //--- d.txt"#]],
    );
    // Headings are comments.
    check(
        "//--- Loops\n//--- e.g.\n//--- a.mlir ---\n //--- a.mlir\n//---a.mlir\n//--- 1.2\n//--- (a.c)\nown.a //--- b.c\nown.d\n",
        expect![[r#"
            (OPAQUE_OP own.a)
            (OPAQUE_OP own.d)"#]],
    );
}

#[test]
fn dimensions_are_one_token_and_zero_is_no_hexadecimal() {
    let text = "!a = tensor<0x4x?xf32>\n!b = vector<4x[8]xi1>\n!c = memref<*xf32>\n!d = !x.y<tensor<2x3x!t>>\n#e = dense<0x4F> : tensor<f32>\n";
    let mut offset = 0;
    let mut dims = Vec::new();
    for step in parse(text) {
        if let Step::Token { kind, len } = step {
            if kind == DIM_LIST {
                dims.push(&text[offset..offset + len as usize]);
            }
            offset += len as usize;
        }
    }
    assert_eq!(dims, ["0x4x?x", "4x[8]x", "*x", "2x3x"]);
}

#[test]
fn tokens_are_those_of_mlir() {
    let text = "%a-b->%0#1 ^bb1 @\"x y\"::@z.w $ #-} 1e5 1.5e-3 0xFG \"a\\\"b\" \"open\né !t ? {-#";
    let mut offset = 0;
    let mut out = String::new();
    let mut pos = 0;
    while pos < text.len() {
        pos = lexer::trivia(text.as_bytes(), pos, Markers::Anywhere).end;
        let (kind, end) = lexer::token(text.as_bytes(), pos, Dialect::Mlir, Markers::Anywhere);
        let _ = writeln!(out, "{kind:?} {}", &text[pos..end]);
        pos = end;
        offset = end;
    }
    assert_eq!(offset, text.len());
    expect![[r#"
        VALUE_ID %a-b
        ARROW ->
        VALUE_ID %0
        RESULT_NO #1
        BLOCK_ID ^bb1
        SYMBOL_ID @"x y"
        COLON2 ::
        SYMBOL_ID @z.w
        ERROR $
        METADATA_CLOSE #-}
        INT 1
        IDENT e5
        FLOAT 1.5e-3
        INT 0xF
        IDENT G
        STRING "a\"b"
        STRING "open
        ERROR é
        TYPE_ID !t
        QUESTION ?
        METADATA_OPEN {-#
    "#]]
    .assert_eq(&out);
}

#[test]
fn an_error_ends_with_its_operation() {
    check(
        "%0 = arith.addi %a %b : i32\n%1 = arith.addi %a,\n%2 = arith.addi %a, %b : i32 oops(%z)\n%3 =\n%4\nscf.for %i = %a to {\n  a.b\n}\n) foo\nreturn\n",
        expect![[r#"
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %0) =) arith.addi (VALUE_USE %a) (ERROR_NODE (VALUE_USE %b) : i32))
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %1) =) arith.addi (VALUE_USE %a) , (MISSING))
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %2) =) arith.addi (VALUE_USE %a) , (VALUE_USE %b) : (TYPE i32) (ERROR_NODE oops ( (VALUE_USE %z) )))
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %3) =) (ERROR_NODE (VALUE_USE %4)))
            (CUSTOM_OP scf.for (VALUE_DEF %i) = (VALUE_USE %a) to (ERROR_NODE (REGION { (BLOCK (OPAQUE_OP a.b)) })))
            (ERROR_NODE ) foo)
            (CUSTOM_OP return)"#]],
    );
}

#[test]
fn open_constructs_end_before_a_function_and_with_their_chunk() {
    check(
        "func.func @f() {\n  scf.if %c {\n    %0 = a.b(\nfunc.func @g() {\n  return\n}\n// -----\nfunc.func @h() {\n",
        expect![[r#"
            (CUSTOM_OP func.func (SYMBOL_DEF @f) (BLOCK_ARGS ( )) (REGION { (BLOCK (CUSTOM_OP scf.if (VALUE_USE %c) (REGION { (BLOCK (OPAQUE_OP (RESULT_LIST (VALUE_DEF %0) =) a.b ( (MISSING))) (MISSING)))) (MISSING)))
            (CUSTOM_OP func.func (SYMBOL_DEF @g) (BLOCK_ARGS ( )) (REGION { (BLOCK (CUSTOM_OP return)) })) // -----
            (CUSTOM_OP func.func (SYMBOL_DEF @h) (BLOCK_ARGS ( )) (REGION { (BLOCK) (MISSING)))"#]],
    );
}
