//! Expressions without errors.

use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn check(text: &str, expect: Expect) {
    let parse = check_lossless(text);
    assert_eq!(count(&parse, is_error), 0, "{}", dump(text, &parse, true));
    expect.assert_eq(&short(text, &parse));
}

#[test]
fn binary_operators_bind_as_in_python() {
    check(
        "a + b * c ** -d ** e - f\n-a ** b\na | b ^ c & d << e\n",
        expect![[r#"
        (EXPR_STMT (BINARY_EXPR (BINARY_EXPR (NAME_EXPR (NAME_REF a)) (BINARY_OP +) (BINARY_EXPR (NAME_EXPR (NAME_REF b)) (BINARY_OP *) (BINARY_EXPR (NAME_EXPR (NAME_REF c)) (BINARY_OP **) (UNARY_EXPR (UNARY_OP -) (BINARY_EXPR (NAME_EXPR (NAME_REF d)) (BINARY_OP **) (NAME_EXPR (NAME_REF e))))))) (BINARY_OP -) (NAME_EXPR (NAME_REF f))))
        (EXPR_STMT (UNARY_EXPR (UNARY_OP -) (BINARY_EXPR (NAME_EXPR (NAME_REF a)) (BINARY_OP **) (NAME_EXPR (NAME_REF b)))))
        (EXPR_STMT (BINARY_EXPR (NAME_EXPR (NAME_REF a)) (BINARY_OP |) (BINARY_EXPR (NAME_EXPR (NAME_REF b)) (BINARY_OP ^) (BINARY_EXPR (NAME_EXPR (NAME_REF c)) (BINARY_OP &) (BINARY_EXPR (NAME_EXPR (NAME_REF d)) (BINARY_OP <<) (NAME_EXPR (NAME_REF e)))))))
    "#]],
    );
}

#[test]
fn chains_of_and_or_are_one_node() {
    check(
        "a and b and not c or d\n",
        expect![[r#"
        (EXPR_STMT (BOOL_EXPR (BOOL_EXPR (NAME_EXPR (NAME_REF a)) and (NAME_EXPR (NAME_REF b)) and (UNARY_EXPR (UNARY_OP not) (NAME_EXPR (NAME_REF c)))) or (NAME_EXPR (NAME_REF d))))
    "#]],
    );
}

#[test]
fn comparisons_chain_into_one_node() {
    check(
        "0 <= a < b\na not in b is not c\nnot a in b\n",
        expect![[r#"
        (EXPR_STMT (COMPARE_EXPR (LITERAL 0) (COMPARE_OP <=) (NAME_EXPR (NAME_REF a)) (COMPARE_OP <) (NAME_EXPR (NAME_REF b))))
        (EXPR_STMT (COMPARE_EXPR (NAME_EXPR (NAME_REF a)) (COMPARE_OP not in) (NAME_EXPR (NAME_REF b)) (COMPARE_OP is not) (NAME_EXPR (NAME_REF c))))
        (EXPR_STMT (UNARY_EXPR (UNARY_OP not) (COMPARE_EXPR (NAME_EXPR (NAME_REF a)) (COMPARE_OP in) (NAME_EXPR (NAME_REF b)))))
    "#]],
    );
}

#[test]
fn conditional_and_lambda_lean_right() {
    check(
        "a if b else c if d else e\nlambda x, *y, z=1, **k: x if y else z\nlambda: 0\n",
        expect![[r#"
            (EXPR_STMT (CONDITIONAL_EXPR (NAME_EXPR (NAME_REF a)) if (NAME_EXPR (NAME_REF b)) else (CONDITIONAL_EXPR (NAME_EXPR (NAME_REF c)) if (NAME_EXPR (NAME_REF d)) else (NAME_EXPR (NAME_REF e)))))
            (EXPR_STMT (LAMBDA_EXPR lambda (LAMBDA_PARAMS (PARAM (NAME x)) , (PARAM * (NAME y)) , (PARAM (NAME z) = (LITERAL 1)) , (PARAM ** (NAME k))) : (CONDITIONAL_EXPR (NAME_EXPR (NAME_REF x)) if (NAME_EXPR (NAME_REF y)) else (NAME_EXPR (NAME_REF z)))))
            (EXPR_STMT (LAMBDA_EXPR lambda : (LITERAL 0)))
        "#]],
    );
}

#[test]
fn postfix_chains() {
    check(
        "T.reads(A[i, j:k], B[:], C[::2], D[1:])\nf(*a, k=v, **d)(x)[0].y\n",
        expect![[r#"
        (EXPR_STMT (CALL_EXPR (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF reads)) (ARG_LIST ( (ARG (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF A)) [ (TUPLE_EXPR (NAME_EXPR (NAME_REF i)) , (SLICE_EXPR (NAME_EXPR (NAME_REF j)) : (NAME_EXPR (NAME_REF k)))) ])) , (ARG (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF B)) [ (SLICE_EXPR :) ])) , (ARG (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF C)) [ (SLICE_EXPR : : (LITERAL 2)) ])) , (ARG (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF D)) [ (SLICE_EXPR (LITERAL 1) :) ])) ))))
        (EXPR_STMT (ATTRIBUTE_EXPR (SUBSCRIPT_EXPR (CALL_EXPR (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ( (ARG (STAR_EXPR * (NAME_EXPR (NAME_REF a)))) , (ARG (NAME_REF k) = (NAME_EXPR (NAME_REF v))) , (ARG ** (NAME_EXPR (NAME_REF d))) ))) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF x))) ))) [ (LITERAL 0) ]) . (NAME_REF y)))
    "#]],
    );
}

#[test]
fn tuples_lists_sets_dicts() {
    check(
        "()\n(a)\n(a,)\na, b\n[a, *b]\n{a}\n{}\n{a: b, **c}\n",
        expect![[r#"
        (EXPR_STMT (TUPLE_EXPR ( )))
        (EXPR_STMT (PAREN_EXPR ( (NAME_EXPR (NAME_REF a)) )))
        (EXPR_STMT (TUPLE_EXPR ( (NAME_EXPR (NAME_REF a)) , )))
        (EXPR_STMT (TUPLE_EXPR (NAME_EXPR (NAME_REF a)) , (NAME_EXPR (NAME_REF b))))
        (EXPR_STMT (LIST_EXPR [ (NAME_EXPR (NAME_REF a)) , (STAR_EXPR * (NAME_EXPR (NAME_REF b))) ]))
        (EXPR_STMT (SET_EXPR { (NAME_EXPR (NAME_REF a)) }))
        (EXPR_STMT (DICT_EXPR { }))
        (EXPR_STMT (DICT_EXPR { (DICT_ITEM (NAME_EXPR (NAME_REF a)) : (NAME_EXPR (NAME_REF b))) , (DICT_ITEM ** (NAME_EXPR (NAME_REF c))) }))
    "#]],
    );
}

#[test]
fn comprehensions() {
    check(
        "[x for x in y if x if z]\n{x for x in y}\n{k: v for k, v in y}\n(x async for x in y)\nf(x for x in y)\n",
        expect![[r#"
            (EXPR_STMT (LIST_COMP [ (NAME_EXPR (NAME_REF x)) (COMP_FOR for (NAME_EXPR (NAME_REF x)) in (NAME_EXPR (NAME_REF y))) (COMP_IF if (NAME_EXPR (NAME_REF x))) (COMP_IF if (NAME_EXPR (NAME_REF z))) ]))
            (EXPR_STMT (SET_COMP { (NAME_EXPR (NAME_REF x)) (COMP_FOR for (NAME_EXPR (NAME_REF x)) in (NAME_EXPR (NAME_REF y))) }))
            (EXPR_STMT (DICT_COMP { (DICT_ITEM (NAME_EXPR (NAME_REF k)) : (NAME_EXPR (NAME_REF v))) (COMP_FOR for (TUPLE_EXPR (NAME_EXPR (NAME_REF k)) , (NAME_EXPR (NAME_REF v))) in (NAME_EXPR (NAME_REF y))) }))
            (EXPR_STMT (GENERATOR_EXPR ( (NAME_EXPR (NAME_REF x)) (COMP_FOR async for (NAME_EXPR (NAME_REF x)) in (NAME_EXPR (NAME_REF y))) )))
            (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ( (ARG (GENERATOR_EXPR (NAME_EXPR (NAME_REF x)) (COMP_FOR for (NAME_EXPR (NAME_REF x)) in (NAME_EXPR (NAME_REF y))))) ))))
        "#]],
    );
}

#[test]
fn literals_and_strings() {
    check(
        "1, 1.5, 2j, True, False, None, ..., 'a' \"b\" f'{c}'\n",
        expect![[r#"
        (EXPR_STMT (TUPLE_EXPR (LITERAL 1) , (LITERAL 1.5) , (LITERAL 2j) , (LITERAL True) , (LITERAL False) , (LITERAL None) , (LITERAL ...) , (STRING_EXPR 'a' "b" f'{c}')))
    "#]],
    );
}

#[test]
fn walrus_await_yield_star() {
    check(
        "(x := 1)\nawait f(x)\nx = yield\nyield from y\na, *b = yield c, d\n",
        expect![[r#"
        (EXPR_STMT (PAREN_EXPR ( (WALRUS_EXPR (NAME x) := (LITERAL 1)) )))
        (EXPR_STMT (AWAIT_EXPR await (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF x))) )))))
        (ASSIGN_STMT (NAME_EXPR (NAME_REF x)) = (YIELD_EXPR yield))
        (EXPR_STMT (YIELD_EXPR yield from (NAME_EXPR (NAME_REF y))))
        (ASSIGN_STMT (TUPLE_EXPR (NAME_EXPR (NAME_REF a)) , (STAR_EXPR * (NAME_EXPR (NAME_REF b)))) = (YIELD_EXPR yield (TUPLE_EXPR (NAME_EXPR (NAME_REF c)) , (NAME_EXPR (NAME_REF d)))))
    "#]],
    );
}

#[test]
fn trivia_stands_outside_of_nodes() {
    let text = "f( # c\n  a ,\n\n b)  # d\n";
    expect![[r##"
        SOURCE_FILE
          EXPR_STMT
            CALL_EXPR
              NAME_EXPR
                NAME_REF
                  IDENT "f"
              ARG_LIST
                L_PAREN "("
                WHITESPACE " "
                COMMENT "# c"
                NEWLINE "\n"
                WHITESPACE "  "
                ARG
                  NAME_EXPR
                    NAME_REF
                      IDENT "a"
                WHITESPACE " "
                COMMA ","
                NEWLINE "\n"
                NEWLINE "\n"
                WHITESPACE " "
                ARG
                  NAME_EXPR
                    NAME_REF
                      IDENT "b"
                R_PAREN ")"
            WHITESPACE "  "
            COMMENT "# d"
            NEWLINE "\n"
    "##]]
    .assert_eq(&dump(text, &check_lossless(text), true));
}
