//! Forms that the table does not have, or has otherwise: read without a structure, and no error.

use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&short(text, &parse(text)));
}

#[test]
fn a_form_that_its_row_does_not_describe_is_read_as_an_unknown_one() {
    check(
        "%0 = gpu.subgroup_id : index\nllvm.intr.lifetime.start 4, %a : !llvm.ptr\n%2 = tosa.cond_if %c -> (tensor<f32>) {\n  tosa.yield %x : tensor<f32>\n}\n",
        expect![[r#"
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %0) =) gpu.subgroup_id : (TYPE index))
            (OPAQUE_OP llvm.intr.lifetime.start 4 , (VALUE_USE %a) : !llvm.ptr)
            (CUSTOM_OP (RESULT_LIST (VALUE_DEF %2) =) tosa.cond_if (VALUE_USE %c) -> (TYPE_LIST ( (TYPE tensor < f32 >) )) (REGION { (BLOCK (CUSTOM_OP tosa.yield (VALUE_USE %x) : (TYPE tensor < f32 >))) }))"#]],
    );
}

#[test]
fn a_region_is_read_once_and_what_follows_it_stays_unread() {
    check(
        "scf.execute_region {\n  scf.yield\n} => %token\n  with %a\nscf.yield\n",
        expect![[r#"
            (CUSTOM_OP scf.execute_region (REGION { (BLOCK (CUSTOM_OP scf.yield)) }) (UNREAD = > (VALUE_USE %token) with (VALUE_USE %a)))
            (CUSTOM_OP scf.yield)"#]],
    );
}

#[test]
fn an_end_that_no_form_has_is_an_error() {
    check(
        "tensor.extract %m[%i],\ntensor.extract %m[%i :\nown.op %a =\n",
        expect![[r#"
        (OPAQUE_OP tensor.extract (VALUE_USE %m) [ (VALUE_USE %i) ] , (MISSING))
        (OPAQUE_OP tensor.extract (VALUE_USE %m) [ (VALUE_USE %i) : (MISSING))
        (OPAQUE_OP own.op (VALUE_USE %a) = (MISSING))"#]],
    );
}

#[test]
fn forms_that_are_the_same_in_all_versions_are_checked() {
    check(
        "%0 = arith.addi %a %b : i32\ncf.br ^bb1, ^bb2\n",
        expect![[r#"
        (CUSTOM_OP (RESULT_LIST (VALUE_DEF %0) =) arith.addi (VALUE_USE %a) (ERROR_NODE (VALUE_USE %b) : i32))
        (CUSTOM_OP cf.br (SUCCESSOR ^bb1) (ERROR_NODE , (SUCCESSOR ^bb2)))"#]],
    );
}

#[test]
fn an_alias_may_stand_for_a_dictionary() {
    check(
        "%r = linalg.generic #trait outs(%a : tensor<4xf32>) {\n^bb0(%x: f32):\n  linalg.yield %x : f32\n} -> tensor<4xf32>\n",
        expect![
            "(CUSTOM_OP (RESULT_LIST (VALUE_DEF %r) =) linalg.generic (HASH_ATTR #trait) outs (OPERAND_GROUP ( (VALUE_USE %a) : (TYPE tensor < 4x f32 >) )) (REGION { (BLOCK (BLOCK_LABEL ^bb0 (BLOCK_ARGS ( (BLOCK_ARG (VALUE_DEF %x) : (TYPE f32)) )) :) (CUSTOM_OP linalg.yield (VALUE_USE %x) : (TYPE f32))) }) -> (TYPE tensor < 4x f32 >))"
        ],
    );
}

#[test]
fn regions_may_give_their_operations_a_dialect() {
    check(
        "pdl.pattern @p : benefit(1) {\n  %0 = operand\n  %root = operation \"foo.op\"(%0 : !pdl.value)\n  rewrite %root {\n    erase %root\n  }\n}\n",
        expect![[
            r#"(CUSTOM_OP pdl.pattern (SYMBOL_REF @p) : benefit ( (NUMBER_ATTR 1) ) (REGION { (BLOCK (CUSTOM_OP (RESULT_LIST (VALUE_DEF %0) =) operand) (CUSTOM_OP (RESULT_LIST (VALUE_DEF %root) =) operation (STRING_ATTR "foo.op") ( (VALUE_USE %0) : (TYPE !pdl.value) )) (CUSTOM_OP rewrite (VALUE_USE %root) (REGION { (BLOCK (CUSTOM_OP erase (VALUE_USE %root))) }))) }))"#
        ]],
    );
    check(
        "mine.func @f(%a: i32)\n    attributes {x} {\n  sync %a\n    with %a\n  return %a : i32\n}\n",
        expect![
            "(OPAQUE_OP mine.func (SYMBOL_REF @f) ( (POSSIBLE_DEF %a) : i32 ) attributes { x } (REGION { (BLOCK (OPAQUE_OP sync (VALUE_USE %a) with (VALUE_USE %a)) (OPAQUE_OP return (VALUE_USE %a) : i32)) }))"
        ],
    );
    // Not in functions, nor in loops.
    check(
        "func.func @f() {\n  sync %a\n}\n",
        expect![
            "(CUSTOM_OP func.func (SYMBOL_DEF @f) (BLOCK_ARGS ( )) (REGION { (BLOCK (CUSTOM_OP (ERROR_NODE sync (VALUE_USE %a)))) }))"
        ],
    );
}

#[test]
fn a_location_ends_an_operation_only_at_its_end() {
    check(
        "a.record @s(%r : !t) : benefit(1), loc([%r]) -> ^end\na.next loc(callsite(\"f\" at \"g\"))\na.last\n",
        expect![[r#"
            (OPAQUE_OP a.record (SYMBOL_REF @s) ( (POSSIBLE_DEF %r) : !t ) : benefit ( 1 ) , loc ( [ (VALUE_USE %r) ] ) -> (SUCCESSOR ^end))
            (OPAQUE_OP a.next (LOCATION loc ( callsite ( "f" at "g" ) )))
            (OPAQUE_OP a.last)"#]],
    );
}

#[test]
fn a_location_without_its_end_is_looked_at_up_to_the_next_operation() {
    let open = "own.a loc(\"x\" =\n";
    let text = format!("own.m {{\n  {open}  own.b {{\n  }}\n  own.c\n}}\n)\nown.d\n");
    assert_eq!(short(&text, &parse(&text)).matches("(LOCATION loc ( \"x\"").count(), 1);
    let without = text.replace("\n)", "");
    assert_eq!(short(&without, &parse(&without)).matches("(LOCATION loc ( \"x\"").count(), 1);
}

#[test]
fn a_blank_may_stand_before_the_body_of_a_type() {
    check(
        "%1 = arith.constant dense<3.0> : vector <3x2xf32>\n",
        expect![
            "(CUSTOM_OP (RESULT_LIST (VALUE_DEF %1) =) arith.constant (BUILTIN_ATTR dense (PARAMS < 3.0 >) : (TYPE vector < 3x2x f32 >)))"
        ],
    );
}

#[test]
fn bodies_of_dialects_have_any_character() {
    check(
        "\"a.b\"() {foo = #foo.attr<abcd<[f]$$[32]>>} : () -> ()\n",
        expect![[
            r#"(GENERIC_OP "a.b" ( ) (ATTR_DICT { (ATTR_ENTRY foo = (HASH_ATTR #foo.attr (PARAMS < abcd < [ f ] $ $ [ 32 ] > >))) }) : (FUNCTION_TYPE (TYPE_LIST ( )) -> (TYPE_LIST ( ))))"#
        ]],
    );
}

#[test]
fn an_operation_without_operands_opens_a_region() {
    let text = "own.split()\nfirst {\n  own.make : () -> i32\n  own.yield\n}\nsecond() {\n  own.make : () -> i32\n} : () -> ()\nown.last\n";
    let tree = short(text, &parse(text));
    assert_eq!(tree.matches("(REGION").count(), 2, "{tree}");
    assert!(!tree.contains("MISSING") && !tree.contains("ERROR"), "{tree}");
}

#[test]
fn an_operation_with_a_word_behind_its_name_opens_a_region() {
    let text = "own.table @t {\n  level depth = 3\n  stop\n}\nown.last {\n  size [n = 0] to 4\n  rate 6\n}\n";
    let tree = short(text, &parse(text));
    assert_eq!(tree.matches("(REGION").count(), 2, "{tree}");
    assert!(!tree.contains("MISSING") && !tree.contains("ERROR"), "{tree}");
}

#[test]
fn a_line_that_begins_an_operation_shows_that_a_brace_opens_a_region() {
    check(
        "own.a {\n  own.number : 6\n  %a = own.next\n}\nown.b {\n  own.c : 1\n  ^bb1(%x: i32):\n}\n",
        expect![[r#"
            (OPAQUE_OP own.a (REGION { (BLOCK (OPAQUE_OP own.number : 6) (OPAQUE_OP (RESULT_LIST (VALUE_DEF %a) =) own.next)) }))
            (OPAQUE_OP own.b (REGION { (BLOCK (OPAQUE_OP own.c : 1)) (BLOCK (BLOCK_LABEL ^bb1 (BLOCK_ARGS ( (BLOCK_ARG (VALUE_DEF %x) : (TYPE i32)) )) :)) }))"#]],
    );
    // In any dialect, and in braces that are in doubt themselves.
    check(
        "scf.own {\n  own.number : 6\n  own.a : {\n    own.b : {\n      own.c\n    }\n    own.d\n  }\n}\n",
        expect![
            "(OPAQUE_OP scf.own (REGION { (BLOCK (OPAQUE_OP own.number : 6) (OPAQUE_OP own.a : (REGION { (BLOCK (OPAQUE_OP own.b : (REGION { (BLOCK (OPAQUE_OP own.c)) })) (OPAQUE_OP own.d)) }))) }))"
        ],
    );
}

#[test]
fn dictionaries_of_unknown_operations_are_no_regions() {
    let dictionaries = [
        "{}",
        "{a}",
        "{a, b}",
        "{a = 1, b}",
        "{\n    a = 1,\n    b.c\n  }",
        "{\n    a,\n    b = [\n      1,\n      2],\n    c.d = 4\n  }",
        "{a : 1, b : {c : 2}}",
        "{\n    a : 1,\n    b.c : i32,\n    d\n  }",
        "{\n    \"a\" : 1,\n    \"b\" : [2]\n  }",
        "{tensor<4xf32>, none}",
        "{@f, @g}",
        "{%a, %b}",
        "{1, 2}",
    ];
    for dictionary in dictionaries {
        let text = format!("own.f @f {{\n  own.op {dictionary} : i32\n  own.last\n}}\n");
        let tree = short(&text, &parse(&text));
        assert_eq!(tree.matches("(REGION").count(), 1, "{tree}");
        assert!(!tree.contains("MISSING") && !tree.contains("ERROR"), "{tree}");
    }
    // One without its end: the next operation is no part of it.
    check(
        "own.a {b = 1\nown.c %x\n",
        expect![[r#"
            (OPAQUE_OP own.a { b = 1 (MISSING))
            (OPAQUE_OP own.c (VALUE_USE %x))"#]],
    );
}

#[test]
fn a_word_behind_a_comma_begins_no_operation() {
    check(
        "own.f @f {\n  key %x,\n  other %y\n  last\n}\n",
        expect![[
            r#"(OPAQUE_OP own.f (SYMBOL_REF @f) (REGION { (BLOCK (OPAQUE_OP key (VALUE_USE %x) , other (VALUE_USE %y)) (OPAQUE_OP last)) }))"#
        ]],
    );
}

#[test]
fn an_unknown_operation_in_a_function_may_hold_functions() {
    check(
        "func.func @f() {\n  \"own.scope\"() ({\n    func.func @g() {\n      return\n    }\n  }) : () -> ()\n  return\n}\n",
        expect![[
            r#"(CUSTOM_OP func.func (SYMBOL_DEF @f) (BLOCK_ARGS ( )) (REGION { (BLOCK (GENERIC_OP "own.scope" ( ) (REGION_LIST ( (REGION { (BLOCK (CUSTOM_OP func.func (SYMBOL_DEF @g) (BLOCK_ARGS ( )) (REGION { (BLOCK (CUSTOM_OP return)) }))) }) )) : (FUNCTION_TYPE (TYPE_LIST ( )) -> (TYPE_LIST ( )))) (CUSTOM_OP return)) }))"#
        ]],
    );
    // Known operations hold none: a brace is missing.
    check(
        "func.func @f() {\n  scf.if %c {\n    func.func @g() {\n  }\n",
        expect![[r#"
            (CUSTOM_OP func.func (SYMBOL_DEF @f) (BLOCK_ARGS ( )) (REGION { (BLOCK (CUSTOM_OP scf.if (VALUE_USE %c) (REGION { (BLOCK) (MISSING)))) (MISSING)))
            (CUSTOM_OP func.func (SYMBOL_DEF @g) (BLOCK_ARGS ( )) (REGION { (BLOCK) }))"#]],
    );
}

#[test]
fn a_list_of_assignments_goes_on_at_the_next_line() {
    check(
        "own.launch args(%a = %x, %b = %y,\n  %c = %z) {\n  own.use %c\n}\n",
        expect![
            "(OPAQUE_OP own.launch args ( (POSSIBLE_DEF %a) = (VALUE_USE %x) , (POSSIBLE_DEF %b) = (VALUE_USE %y) , (POSSIBLE_DEF %c) = (VALUE_USE %z) ) (REGION { (BLOCK (OPAQUE_OP own.use (VALUE_USE %c))) }))"
        ],
    );
    // Outside of brackets it is somebody's mistake.
    check(
        "own.a\n%c = %z\nown.b\n",
        expect![[r#"
        (OPAQUE_OP own.a)
        (CUSTOM_OP (RESULT_LIST (VALUE_DEF %c) =) (ERROR_NODE (VALUE_USE %z)))
        (OPAQUE_OP own.b)"#]],
    );
}

#[test]
fn a_name_before_a_colon_begins_an_operation_where_one_may_stand() {
    check(
        "%a = own.get %x : i32\nown.block : {\n  own.use %a : i32\n}\n",
        expect![[r#"
            (OPAQUE_OP (RESULT_LIST (VALUE_DEF %a) =) own.get (VALUE_USE %x) : i32)
            (OPAQUE_OP own.block : (REGION { (BLOCK (OPAQUE_OP own.use (VALUE_USE %a) : i32)) }))"#]],
    );
    // A word of the form, and an entry of a dictionary.
    check(
        "own.get %x\n    own.kind : i32\nown.set {\nown.key : i32, b}\n",
        expect![[r#"
        (OPAQUE_OP own.get (VALUE_USE %x) own.kind : i32)
        (OPAQUE_OP own.set { own.key : i32 , b })"#]],
    );
}

#[test]
fn a_clause_is_no_operation() {
    check(
        "gpu.launch blocks(%x) in (%g = %n)\n  module(@m) function(@k) {\n  gpu.terminator\n}\n",
        expect![
            "(OPAQUE_OP gpu.launch blocks ( (VALUE_USE %x) ) in ( (POSSIBLE_DEF %g) = (VALUE_USE %n) ) module ( (SYMBOL_REF @m) ) function ( (SYMBOL_REF @k) ) (REGION { (BLOCK (CUSTOM_OP gpu.terminator)) }))"
        ],
    );
}

#[test]
fn an_operation_with_attributes_may_stand_for_a_body() {
    check(
        "%r = linalg.map { arith.addi {f = #a.b<c>} } ins(%a : tensor<4xi32>) outs(%o : tensor<4xi32>)\n\
         own.map { arith.addi {f} }\n",
        expect![[r#"
            (OPAQUE_OP (RESULT_LIST (VALUE_DEF %r) =) linalg.map { arith.addi { f = #a.b < c > } } ins ( (POSSIBLE_DEF %a) : tensor < 4x i32 > ) outs ( (POSSIBLE_DEF %o) : tensor < 4x i32 > ))
            (OPAQUE_OP own.map (REGION { (BLOCK (CUSTOM_OP arith.addi (ERROR_NODE { f }))) }))"#]],
    );
}

#[test]
fn a_name_in_quotes_may_be_a_part_of_the_form_above() {
    check(
        "  %0 = own.run(%c, %d)\n    \"own.make\"() {shape = [2, 2]} : 1\n  own.run(%c)\n    \"own.next\"() : () -> ()\n",
        expect![[r#"
            (OPAQUE_OP (RESULT_LIST (VALUE_DEF %0) =) own.run ( (VALUE_USE %c) , (VALUE_USE %d) ) "own.make" ( ) { shape = [ 2 , 2 ] } : 1)
            (OPAQUE_OP own.run ( (VALUE_USE %c) ))
            (GENERIC_OP "own.next" ( ) : (FUNCTION_TYPE (TYPE_LIST ( )) -> (TYPE_LIST ( ))))"#]],
    );
}

#[test]
fn functions_from_before_2022_have_operations_without_a_dialect() {
    check(
        "func @f(%a: f32, %n: index) -> f32 {\n  %c = constant 0.0 : f32\n  scf.for %i = %n to %n step %n {\n    %0 = addf %a, %c : f32\n    %1 = call @g(%0) : (f32) -> f32\n  }\n  br ^bb1(%c : f32)\n^bb1(%x: f32):\n  return %x : f32\n}\nfunc.func @g() {\n  %0 = addf %a, %c : f32\n}\n",
        expect![[r#"
            (CUSTOM_OP func (SYMBOL_DEF @f) (BLOCK_ARGS ( (BLOCK_ARG (VALUE_DEF %a) : (TYPE f32)) , (BLOCK_ARG (VALUE_DEF %n) : (TYPE index)) )) -> (TYPE f32) (REGION { (BLOCK (OPAQUE_OP (RESULT_LIST (VALUE_DEF %c) =) constant 0.0 : f32) (CUSTOM_OP scf.for (VALUE_DEF %i) = (VALUE_USE %n) to (VALUE_USE %n) step (VALUE_USE %n) (REGION { (BLOCK (OPAQUE_OP (RESULT_LIST (VALUE_DEF %0) =) addf (VALUE_USE %a) , (VALUE_USE %c) : f32) (CUSTOM_OP (RESULT_LIST (VALUE_DEF %1) =) call (SYMBOL_REF @g) ( (VALUE_USE %0) ) : (FUNCTION_TYPE (TYPE_LIST ( (TYPE f32) )) -> (TYPE f32)))) })) (OPAQUE_OP br (SUCCESSOR ^bb1 (OPERAND_GROUP ( (VALUE_USE %c) : (TYPE f32) ))))) (BLOCK (BLOCK_LABEL ^bb1 (BLOCK_ARGS ( (BLOCK_ARG (VALUE_DEF %x) : (TYPE f32)) )) :) (CUSTOM_OP return (VALUE_USE %x) : (TYPE f32))) }))
            (CUSTOM_OP func.func (SYMBOL_DEF @g) (BLOCK_ARGS ( )) (REGION { (BLOCK (CUSTOM_OP (RESULT_LIST (VALUE_DEF %0) =) (ERROR_NODE addf (VALUE_USE %a) , (VALUE_USE %c) : f32))) }))"#]],
    );
}

#[test]
fn brackets_of_unknown_forms_need_no_partner() {
    check(
        "own.f {\n  own.range [%a, %b)\n  %r = own.choose (%a : f32) -> f32\n    0) (%x, %y) {\n      own.yield %x : f32\n    }\n  own.yield %r\n}\n",
        expect![
            "(OPAQUE_OP own.f (REGION { (BLOCK (OPAQUE_OP own.range [ (VALUE_USE %a) , (VALUE_USE %b) )) (OPAQUE_OP (RESULT_LIST (VALUE_DEF %r) =) own.choose ( (POSSIBLE_DEF %a) : f32 ) -> f32 0 ) ( (VALUE_USE %x) , (VALUE_USE %y) ) (REGION { (BLOCK (OPAQUE_OP own.yield (VALUE_USE %x) : f32)) })) (OPAQUE_OP own.yield (VALUE_USE %r))) }))"
        ],
    );
}

#[test]
fn an_alias_from_before_2022_says_that_it_is_a_type() {
    check(
        "!t = type tensor<4xf32>\n",
        expect!["(TYPE_ALIAS_DEF !t = type (TYPE tensor < 4x f32 >))"],
    );
}
