//! Statements without errors.

use expect_test::{Expect, expect};

use super::*;

#[track_caller]
fn check(text: &str, expect: Expect) {
    let parse = check_lossless(text);
    assert_eq!(count(&parse, is_error), 0, "{}", dump(text, &parse, true));
    expect.assert_eq(&short(text, &parse));
}

#[test]
fn assignments() {
    check(
        "a = b = c, d\na: T.int32 = 1\na: int\na[i] += 1\na //= b\n",
        expect![[r#"
        (ASSIGN_STMT (NAME_EXPR (NAME_REF a)) = (NAME_EXPR (NAME_REF b)) = (TUPLE_EXPR (NAME_EXPR (NAME_REF c)) , (NAME_EXPR (NAME_REF d))))
        (ANN_ASSIGN_STMT (NAME_EXPR (NAME_REF a)) : (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF int32)) = (LITERAL 1))
        (ANN_ASSIGN_STMT (NAME_EXPR (NAME_REF a)) : (NAME_EXPR (NAME_REF int)))
        (AUG_ASSIGN_STMT (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF a)) [ (NAME_EXPR (NAME_REF i)) ]) (AUG_OP +=) (LITERAL 1))
        (AUG_ASSIGN_STMT (NAME_EXPR (NAME_REF a)) (AUG_OP //=) (NAME_EXPR (NAME_REF b)))
    "#]],
    );
}

#[test]
fn simple_keyword_statements() {
    check(
        "return\nreturn a, b\nraise\nraise E(x) from e\nassert a, 'm'\ndel a, b\nglobal a, b\nnonlocal c\npass\nbreak\ncontinue\n",
        expect![[r#"
            (RETURN_STMT return)
            (RETURN_STMT return (TUPLE_EXPR (NAME_EXPR (NAME_REF a)) , (NAME_EXPR (NAME_REF b))))
            (RAISE_STMT raise)
            (RAISE_STMT raise (CALL_EXPR (NAME_EXPR (NAME_REF E)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF x))) ))) from (NAME_EXPR (NAME_REF e)))
            (ASSERT_STMT assert (NAME_EXPR (NAME_REF a)) , (STRING_EXPR 'm'))
            (DEL_STMT del (TUPLE_EXPR (NAME_EXPR (NAME_REF a)) , (NAME_EXPR (NAME_REF b))))
            (GLOBAL_STMT global (NAME a) , (NAME b))
            (NONLOCAL_STMT nonlocal (NAME c))
            (PASS_STMT pass)
            (BREAK_STMT break)
            (CONTINUE_STMT continue)
        "#]],
    );
}

#[test]
fn imports() {
    check(
        "import a.b as c, d\nfrom tvm.script import tir as T\nfrom . import (a, b as c,)\nfrom ...x import *\n",
        expect![[r#"
            (IMPORT_STMT import (IMPORT_ALIAS (DOTTED_NAME (NAME_REF a) . (NAME_REF b)) as (NAME c)) , (IMPORT_ALIAS (DOTTED_NAME (NAME_REF d))))
            (FROM_IMPORT_STMT from (DOTTED_NAME (NAME_REF tvm) . (NAME_REF script)) import (IMPORT_ALIAS (DOTTED_NAME (NAME_REF tir)) as (NAME T)))
            (FROM_IMPORT_STMT from . import ( (IMPORT_ALIAS (DOTTED_NAME (NAME_REF a))) , (IMPORT_ALIAS (DOTTED_NAME (NAME_REF b)) as (NAME c)) , ))
            (FROM_IMPORT_STMT from ... (DOTTED_NAME (NAME_REF x)) import *)
        "#]],
    );
}

#[test]
fn soft_keywords_are_names_elsewhere() {
    check(
        "match = 1\nmatch(x)\nmatch.x\ntype(x)\ntype = 2\ncase = 3\nmatch[a:b]\n",
        expect![[r#"
        (ASSIGN_STMT (NAME_EXPR (NAME_REF match)) = (LITERAL 1))
        (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF match)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF x))) ))))
        (EXPR_STMT (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF match)) . (NAME_REF x)))
        (EXPR_STMT (CALL_EXPR (NAME_EXPR (NAME_REF type)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF x))) ))))
        (ASSIGN_STMT (NAME_EXPR (NAME_REF type)) = (LITERAL 2))
        (ASSIGN_STMT (NAME_EXPR (NAME_REF case)) = (LITERAL 3))
        (EXPR_STMT (SUBSCRIPT_EXPR (NAME_EXPR (NAME_REF match)) [ (SLICE_EXPR (NAME_EXPR (NAME_REF a)) : (NAME_EXPR (NAME_REF b))) ]))
    "#]],
    );
}

#[test]
fn type_aliases_and_parameters() {
    check(
        "type A[T: int = 1, *S, **P] = B\ndef f[T](x: T) -> T: ...\nclass C[T](B): ...\n",
        expect![[r#"
            (TYPE_ALIAS_STMT type (NAME A) (TYPE_PARAM_LIST [ (TYPE_PARAM (NAME T) : (NAME_EXPR (NAME_REF int)) = (LITERAL 1)) , (TYPE_PARAM * (NAME S)) , (TYPE_PARAM ** (NAME P)) ]) = (NAME_EXPR (NAME_REF B)))
            (FUNCTION_DEF def (NAME f) (TYPE_PARAM_LIST [ (TYPE_PARAM (NAME T)) ]) (PARAM_LIST ( (PARAM (NAME x) : (NAME_EXPR (NAME_REF T))) )) -> (NAME_EXPR (NAME_REF T)) : (BLOCK (EXPR_STMT (LITERAL ...))))
            (CLASS_DEF class (NAME C) (TYPE_PARAM_LIST [ (TYPE_PARAM (NAME T)) ]) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF B))) )) : (BLOCK (EXPR_STMT (LITERAL ...))))
        "#]],
    );
}

#[test]
fn if_elif_else() {
    check(
        "if a:\n  b\nelif c:\n  d\nelse:\n  e\n",
        expect![[r#"
        (IF_STMT if (NAME_EXPR (NAME_REF a)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF b)))) (ELIF_CLAUSE elif (NAME_EXPR (NAME_REF c)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF d))))) (ELSE_CLAUSE else : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF e))))))
    "#]],
    );
}

#[test]
fn loops_with_else() {
    check(
        "for i, j in T.grid(2, 3):\n  a\nelse:\n  b\nwhile x: y\n",
        expect![[r#"
        (FOR_STMT for (TUPLE_EXPR (NAME_EXPR (NAME_REF i)) , (NAME_EXPR (NAME_REF j))) in (CALL_EXPR (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF grid)) (ARG_LIST ( (ARG (LITERAL 2)) , (ARG (LITERAL 3)) ))) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF a)))) (ELSE_CLAUSE else : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF b))))))
        (WHILE_STMT while (NAME_EXPR (NAME_REF x)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF y)))))
    "#]],
    );
}

#[test]
fn with_items() {
    check(
        "with T.block('b') as [i, j], x:\n  a\nwith (a as b, c,):\n  d\nwith (a, b):\n  d\nwith (a).b as c:\n  d\n",
        expect![[r#"
            (WITH_STMT with (WITH_ITEM (CALL_EXPR (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF block)) (ARG_LIST ( (ARG (STRING_EXPR 'b')) ))) as (LIST_EXPR [ (NAME_EXPR (NAME_REF i)) , (NAME_EXPR (NAME_REF j)) ])) , (WITH_ITEM (NAME_EXPR (NAME_REF x))) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF a)))))
            (WITH_STMT with ( (WITH_ITEM (NAME_EXPR (NAME_REF a)) as (NAME_EXPR (NAME_REF b))) , (WITH_ITEM (NAME_EXPR (NAME_REF c))) , ) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF d)))))
            (WITH_STMT with ( (WITH_ITEM (NAME_EXPR (NAME_REF a))) , (WITH_ITEM (NAME_EXPR (NAME_REF b))) ) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF d)))))
            (WITH_STMT with (WITH_ITEM (ATTRIBUTE_EXPR (PAREN_EXPR ( (NAME_EXPR (NAME_REF a)) )) . (NAME_REF b)) as (NAME_EXPR (NAME_REF c))) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF d)))))
        "#]],
    );
}

#[test]
fn try_clauses() {
    check(
        "try:\n  a\nexcept* (E, F) as e:\n  b\nexcept:\n  c\nelse:\n  d\nfinally:\n  e\n",
        expect![[r#"
            (TRY_STMT try : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF a)))) (EXCEPT_CLAUSE except * (TUPLE_EXPR ( (NAME_EXPR (NAME_REF E)) , (NAME_EXPR (NAME_REF F)) )) as (NAME e) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF b))))) (EXCEPT_CLAUSE except : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF c))))) (ELSE_CLAUSE else : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF d))))) (FINALLY_CLAUSE finally : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF e))))))
        "#]],
    );
}

#[test]
fn match_and_patterns() {
    check(
        "match x, y:\n  case 1 | 2 as n if n: pass\n  case P(a, b=c), [d, *e], {'k': v, **r}:\n    pass\n  case (A() as q, _): ...\nmatch (x):\n  case -1: ...\n",
        expect![[r#"
            (MATCH_STMT match (TUPLE_EXPR (NAME_EXPR (NAME_REF x)) , (NAME_EXPR (NAME_REF y))) : (CASE_CLAUSE case (AS_PATTERN (BINARY_EXPR (LITERAL 1) (BINARY_OP |) (LITERAL 2)) as (NAME n)) (CASE_GUARD if (NAME_EXPR (NAME_REF n))) : (BLOCK (PASS_STMT pass))) (CASE_CLAUSE case (TUPLE_EXPR (CALL_EXPR (NAME_EXPR (NAME_REF P)) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF a))) , (ARG (NAME_REF b) = (NAME_EXPR (NAME_REF c))) ))) , (LIST_EXPR [ (NAME_EXPR (NAME_REF d)) , (STAR_EXPR * (NAME_EXPR (NAME_REF e))) ]) , (DICT_EXPR { (DICT_ITEM (STRING_EXPR 'k') : (NAME_EXPR (NAME_REF v))) , (DICT_ITEM ** (NAME_EXPR (NAME_REF r))) })) : (BLOCK (PASS_STMT pass))) (CASE_CLAUSE case (TUPLE_EXPR ( (AS_PATTERN (CALL_EXPR (NAME_EXPR (NAME_REF A)) (ARG_LIST ( ))) as (NAME q)) , (NAME_EXPR (NAME_REF _)) )) : (BLOCK (EXPR_STMT (LITERAL ...)))))
            (MATCH_STMT match (PAREN_EXPR ( (NAME_EXPR (NAME_REF x)) )) : (CASE_CLAUSE case (UNARY_EXPR (UNARY_OP -) (LITERAL 1)) : (BLOCK (EXPR_STMT (LITERAL ...)))))
        "#]],
    );
}

#[test]
fn functions_with_every_kind_of_parameter() {
    check(
        "@I.ir_module(check=True)\n@d\nclass M(B, k=1):\n  @T.prim_func\n  def f(a: T.handle, /, b=1, *, c, **k) -> None:\n    T.evaluate(0)\nasync def g(*a: *A): pass\n",
        expect![[r#"
            (CLASS_DEF (DECORATOR @ (CALL_EXPR (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF I)) . (NAME_REF ir_module)) (ARG_LIST ( (ARG (NAME_REF check) = (LITERAL True)) )))) (DECORATOR @ (NAME_EXPR (NAME_REF d))) class (NAME M) (ARG_LIST ( (ARG (NAME_EXPR (NAME_REF B))) , (ARG (NAME_REF k) = (LITERAL 1)) )) : (BLOCK (FUNCTION_DEF (DECORATOR @ (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF prim_func))) def (NAME f) (PARAM_LIST ( (PARAM (NAME a) : (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF handle))) , (PARAM /) , (PARAM (NAME b) = (LITERAL 1)) , (PARAM *) , (PARAM (NAME c)) , (PARAM ** (NAME k)) )) -> (LITERAL None) : (BLOCK (EXPR_STMT (CALL_EXPR (ATTRIBUTE_EXPR (NAME_EXPR (NAME_REF T)) . (NAME_REF evaluate)) (ARG_LIST ( (ARG (LITERAL 0)) ))))))))
            (FUNCTION_DEF async def (NAME g) (PARAM_LIST ( (PARAM * (NAME a) : (STAR_EXPR * (NAME_EXPR (NAME_REF A)))) )) : (BLOCK (PASS_STMT pass)))
        "#]],
    );
}

#[test]
fn several_statements_on_a_line() {
    check(
        "a; b ;\nif x: c; d\n",
        expect![[r#"
        (EXPR_STMT (NAME_EXPR (NAME_REF a)) ;)
        (EXPR_STMT (NAME_EXPR (NAME_REF b)) ;)
        (IF_STMT if (NAME_EXPR (NAME_REF x)) : (BLOCK (EXPR_STMT (NAME_EXPR (NAME_REF c)) ;) (EXPR_STMT (NAME_EXPR (NAME_REF d)))))
    "#]],
    );
}

#[test]
fn async_statements() {
    check(
        "async def f():\n  async for x in y: ...\n  async with a as b: ...\n",
        expect![[r#"
        (FUNCTION_DEF async def (NAME f) (PARAM_LIST ( )) : (BLOCK (FOR_STMT async for (NAME_EXPR (NAME_REF x)) in (NAME_EXPR (NAME_REF y)) : (BLOCK (EXPR_STMT (LITERAL ...)))) (WITH_STMT async with (WITH_ITEM (NAME_EXPR (NAME_REF a)) as (NAME_EXPR (NAME_REF b))) : (BLOCK (EXPR_STMT (LITERAL ...))))))
    "#]],
    );
}
