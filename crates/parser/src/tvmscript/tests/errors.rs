//! Errors stay local: the lines around them are read as if nothing had happened.

use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&short(text, &check_lossless(text)));
}

#[test]
fn an_open_bracket_ends_before_a_statement_keyword_at_any_column() {
    check(
        "for i in range(4:\n    with T.block('b'):\n        a\nreturn f(\n",
        expect![[r#"
        (FOR_STMT for (NAME_EXPR (NAME_REF i)) in (CALL_EXPR (NAME_EXPR (NAME_REF range)) (ARG_LIST ( (ARG (LITERAL 4)) (ERROR_NODE :))) (BLOCK (WITH_STMT with (WITH_ITEM (CALL_EXPR (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF block)) (ARG_LIST ( (ARG (STRING_EXPR 'b')) )))) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF a)))))))
        (RETURN_STMT return (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ()))
    "#]],
    );
}

#[test]
fn an_open_bracket_ends_before_an_assignment_that_is_not_deeper() {
    check(
        "def f():\n  x = g(a,\n  y = 1\n  z = [1\n  A[i] = 2\n  w = (\n  A[i, j] += 3\n",
        expect![[r#"
            (FUNCTION_DEF def (NAME f) (PARAM_LIST ( )) : (BLOCK (ASSIGN_STMT (NAME_EXPR (NAME_REF x)) = (CALL_EXPR (NAME_EXPR (NAME_REF g)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF a))) ,))) (ASSIGN_STMT (NAME_EXPR (NAME_REF y)) = (LITERAL 1)) (ASSIGN_STMT (NAME_EXPR (NAME_REF z)) = (LIST_EXPR [ (LITERAL 1))) (ASSIGN_STMT (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF A)) [ (NAME_EXPR (NAME_REF i)) ]) = (LITERAL 2)) (ASSIGN_STMT (NAME_EXPR (NAME_REF w)) = (TUPLE_EXPR ()) (AUG_ASSIGN_STMT (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF A)) [ (TUPLE_EXPR (NAME_EXPR (NAME_REF i)) , (NAME_EXPR (NAME_REF j))) ]) (AUG_OP +=) (LITERAL 3))))
        "#]],
    );
}

#[test]
fn an_open_bracket_ends_before_a_name_that_cannot_continue_it() {
    check(
        "T.reads(A[i]\nT.writes(B[i])\n",
        expect![[r#"
        (EXPR_STMT (CALL_EXPR (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF reads)) (ARG_LIST ( (ARG (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF A)) [ (NAME_EXPR (NAME_REF i)) ])))))
        (EXPR_STMT (CALL_EXPR (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF writes)) (ARG_LIST ( (ARG (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF B)) [ (NAME_EXPR (NAME_REF i)) ])) ))))
    "#]],
    );
}

#[test]
fn an_open_bracket_ends_before_a_decorator() {
    check(
        "x = f(a,\n@T.prim_func\ndef g(): ...\n",
        expect![[r#"
        (ASSIGN_STMT (NAME_EXPR (NAME_REF x)) = (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF a))) ,)))
        (FUNCTION_DEF (DECORATOR @ (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF prim_func))) def (NAME g) (PARAM_LIST ( )) : (BLOCK (EXPR_STMT (LITERAL ...))))
    "#]],
    );
}

#[test]
fn valid_continuation_lines_may_stand_left() {
    let text = "def f():\n    x = g(a,\n  b, c=1,\nd=(e\nfor e in h), **k)\n    if any(y\n    for y in z):\n        pass\n    m = (a\n@ b)\n    n = g(\nk = 1,\nl = h(2))\n";
    assert_eq!(count(&check_lossless(text), is_error), 0);
}

#[test]
fn half_typed_headers_keep_their_blocks() {
    check(
        "for i in\n  a\nfor\n  b\nif x\n  c\ndef f(a\n  d\nwith\n  e\n",
        expect![[r#"
        (FOR_STMT for (NAME_EXPR (NAME_REF i)) in (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF a)))))
        (FOR_STMT for (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF b)))))
        (IF_STMT if (NAME_EXPR (NAME_REF x)) (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF c)))))
        (FUNCTION_DEF def (NAME f) (PARAM_LIST ( (PARAM (NAME a)) (ERROR_NODE d)) (BLOCK))
        (WITH_STMT with (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF e)))))
    "#]],
    );
}

#[test]
fn missing_operands() {
    check(
        "a +\nb = \nc.\nd[\ne(f,\nnot\nx = 1 if y\n",
        expect![[r#"
        (EXPR_STMT (BINARY_EXPR (NAME_EXPR (NAME_REF a)) (BINARY_OP +)))
        (ASSIGN_STMT (NAME_EXPR (NAME_REF b)) =)
        (EXPR_STMT (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF c)) .))
        (EXPR_STMT (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF d)) [ (CALL_EXPR (NAME_EXPR (NAME_REF e)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF f))) , (ARG (UNARY_EXPR (UNARY_OP not)))))))
        (ASSIGN_STMT (NAME_EXPR (NAME_REF x)) = (CONDITIONAL_EXPR (LITERAL 1) if (NAME_EXPR (NAME_REF y))))
    "#]],
    );
}

#[test]
fn tokens_that_fit_nowhere() {
    check(
        "a b c\n= 1\n)\nf(a b, c]d)\nx $ y\nprint 'a' % (b,\n  c)\n;\n",
        expect![[r#"
        (EXPR_STMT (NAME_EXPR (NAME_REF a)) (ERROR_NODE b c))
        (ERROR_NODE = 1)
        (ERROR_NODE ))
        (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF a))) (ERROR_NODE b) , (ARG (NAME_EXPR (NAME_REF c))) (ERROR_NODE ] d) ))))
        (EXPR_STMT (NAME_EXPR (NAME_REF x)) (ERROR_NODE $ y))
        (EXPR_STMT (NAME_EXPR (NAME_REF print)) (ERROR_NODE 'a' % ( b , c )))
        (ERROR_NODE ;)
    "#]],
    );
}

#[test]
fn wrong_brackets() {
    check(
        "f(a]\ng[b)\n{a: b]\nh((c)\nd\n",
        expect![[r#"
        (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF a))) (ERROR_NODE ]))))
        (EXPR_STMT (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF g)) [ (NAME_EXPR (NAME_REF b)) (ERROR_NODE ) { a : b) ]))
        (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF h)) (ARG_LIST ( (ARG (PAREN_EXPR ( (NAME_EXPR (NAME_REF c)) ))))))
        (EXPR_STMT (NAME_EXPR (NAME_REF d)))
    "#]],
    );
}

#[test]
fn unexpected_indentation_keeps_its_statements() {
    check(
        "a\n    b\n  c\nd\n",
        expect![[r#"
        (EXPR_STMT (NAME_EXPR (NAME_REF a)))
        (UNEXPECTED_INDENT (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF b)))))
        (UNEXPECTED_INDENT (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF c)))))
        (EXPR_STMT (NAME_EXPR (NAME_REF d)))
    "#]],
    );
}

#[test]
fn a_line_between_two_levels_is_unexpected_in_the_outer_one() {
    check(
        "if a:\n    b\n  c\nd\n",
        expect![[r#"
        (IF_STMT if (NAME_EXPR (NAME_REF a)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF b)))))
        (UNEXPECTED_INDENT (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF c)))))
        (EXPR_STMT (NAME_EXPR (NAME_REF d)))
    "#]],
    );
}

#[test]
fn clauses_without_their_statement() {
    check(
        "else:\n  a\nelif b:\n  c\nexcept E:\n  d\nfinally:\n  e\n",
        expect![[r#"
        (ERROR_NODE (ELSE_CLAUSE else : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF a))))))
        (ERROR_NODE (ELIF_CLAUSE elif (NAME_EXPR (NAME_REF b)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF c))))))
        (ERROR_NODE (EXCEPT_CLAUSE except (NAME_EXPR (NAME_REF E)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF d))))))
        (ERROR_NODE (FINALLY_CLAUSE finally : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF e))))))
    "#]],
    );
}

#[test]
fn decorators_without_a_definition() {
    check(
        "@a\nb\n@c\n",
        expect![[r#"
        (ERROR_NODE (DECORATOR @ (NAME_EXPR (NAME_REF a))))
        (EXPR_STMT (NAME_EXPR (NAME_REF b)))
        (ERROR_NODE (DECORATOR @ (NAME_EXPR (NAME_REF c))))
    "#]],
    );
}

#[test]
fn compound_statements_behind_others_on_a_line() {
    check(
        "a; if b: c\nif d: for e in f: g\n",
        expect![[r#"
        (EXPR_STMT (NAME_EXPR (NAME_REF a)) ;)
        (ERROR_NODE (IF_STMT if (NAME_EXPR (NAME_REF b)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF c))))))
        (IF_STMT if (NAME_EXPR (NAME_REF d)) : (BLOCK (ERROR_NODE (FOR_STMT for (NAME_EXPR (NAME_REF e)) in (NAME_EXPR (NAME_REF f)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF g))))))))
    "#]],
    );
}

#[test]
fn lines_of_a_match_that_are_no_clauses() {
    check(
        "match x:\n  a\n  case 1: b\n    c\nd\n",
        expect![[r#"
        (MATCH_STMT match (NAME_EXPR (NAME_REF x)) : (ERROR_NODE (EXPR_STMT (NAME_EXPR (NAME_REF a)))) (CASE_CLAUSE case (LITERAL 1) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF b))))) (ERROR_NODE (UNEXPECTED_INDENT (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF c)))))))
        (EXPR_STMT (NAME_EXPR (NAME_REF d)))
    "#]],
    );
}

#[test]
fn missing_commas_and_elements() {
    check(
        "f(a,,b)\nx[,]\n[a b]\n{a: , b}\nf(k=)\ndef g(a b, =1): ...\n",
        expect![[r#"
        (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF a))) , , (ARG (NAME_EXPR (NAME_REF b))) ))))
        (EXPR_STMT (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF x)) [ (TUPLE_EXPR ,) ]))
        (EXPR_STMT (LIST_EXPR [ (NAME_EXPR (NAME_REF a)) (ERROR_NODE b) ]))
        (EXPR_STMT (DICT_EXPR { (DICT_ITEM (NAME_EXPR (NAME_REF a)) :) , (NAME_EXPR (NAME_REF b)) }))
        (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ( (ARG (NAME_REF k) =) ))))
        (FUNCTION_DEF def (NAME g) (PARAM_LIST ( (PARAM (NAME a)) (ERROR_NODE b) , (PARAM = (LITERAL 1)) )) : (BLOCK (EXPR_STMT (LITERAL ...))))
    "#]],
    );
}

#[test]
fn decisions_do_not_look_behind_the_end_of_their_statement() {
    check(
        "with (a\nx = 1\n): b\nmatch (a\nx = 1\n): b\nf(async\nfor x in y:\n  z\n",
        expect![[r#"
            (WITH_STMT with (WITH_ITEM (PAREN_EXPR ( (NAME_EXPR (NAME_REF a)))) (BLOCK))
            (ASSIGN_STMT (NAME_EXPR (NAME_REF x)) = (LITERAL 1))
            (ERROR_NODE ) : b)
            (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF match)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF a))))))
            (ASSIGN_STMT (NAME_EXPR (NAME_REF x)) = (LITERAL 1))
            (ERROR_NODE ) : b)
            (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF f)) (ARG_LIST ( (ERROR_NODE async))))
            (FOR_STMT for (NAME_EXPR (NAME_REF x)) in (NAME_EXPR (NAME_REF y)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF z)))))
        "#]],
    );
}
