//! Typed views: the queries of the frontend about statements and expressions.

use expect_test::{Expect, expect};

use crate::{
    AstNode,
    ast::{self, HasText as _, LiteralValue, StringValue},
    parse,
};

fn first<N: AstNode>(text: &str) -> N {
    parse(text).syntax().descendants().find_map(N::cast).expect("the text has such a node")
}

fn text<N: AstNode>(node: Option<N>) -> String {
    node.map_or("-".to_owned(), |it| it.syntax().text())
}

fn texts<N: AstNode>(nodes: impl Iterator<Item = N>) -> String {
    nodes.map(|it| it.syntax().text()).collect::<Vec<_>>().join(" | ")
}

#[track_caller]
fn check(found: impl ToString, expected: Expect) {
    expected.assert_eq(&found.to_string());
}

#[test]
fn the_pieces_of_a_function() {
    let f: ast::FunctionDef = first(
        "@T.prim_func(private=True)\n@x\ndef f(a: T.handle, *args, b: int = 1, **kw) -> T.int32:\n    \"doc\"\n    return a\n",
    );
    check(text(f.name()), expect!["f"]);
    let decorators: Vec<_> =
        f.decorators().filter_map(|it| it.dotted_path()).map(|it| it.to_string()).collect();
    check(decorators.join(" "), expect!["T.prim_func x"]);
    assert!(
        f.decorators()
            .next()
            .and_then(|it| it.call())
            .and_then(|it| it.keyword_arg("private"))
            .is_some()
    );
    let show = |p: ast::Param| {
        format!("{:?} {} {} {}", p.kind(), text(p.name()), text(p.annotation()), text(p.default()))
    };
    check(
        f.params().map(show).collect::<Vec<_>>().join("\n"),
        expect![[r#"
            Plain a T.handle -
            Star args - -
            Plain b int 1
            DoubleStar kw - -"#]],
    );
    check(text(f.return_type()), expect!["T.int32"]);
    check(f.docstring().and_then(|it| it.text_value()).unwrap_or_default(), expect!["doc"]);
    check(f.body().count(), expect!["2"]);
}

#[test]
fn a_lone_star_is_no_parameter() {
    let f: ast::FunctionDef = first("def f(a, /, b, *, c): pass\n");
    check(texts(f.params()), expect!["a | b | c"]);
    check(f.param_list().map_or(0, |it| it.params().count()), expect!["5"]);
}

#[test]
fn assignments() {
    let assign: ast::AssignStmt = first("a = b[0] = c, d = e, f\n");
    check(texts(assign.targets()), expect!["a | b[0] | c, d"]);
    check(text(assign.value()), expect!["e, f"]);
    assert!(assign.single_target().is_none());
    let broken: ast::AssignStmt = first("a = \n");
    check(texts(broken.targets()) + " = " + &text(broken.value()), expect!["a = -"]);
    let annotated: ast::AnnAssignStmt = first("x: T.let[T.int32] = y\n");
    check(text(annotated.target()), expect!["x"]);
    check(text(annotated.annotation()), expect!["T.let[T.int32]"]);
    check(text(annotated.value()), expect!["y"]);
    let bare: ast::AnnAssignStmt = first("x: int\n");
    check(text(bare.annotation()) + " " + &text(bare.value()), expect!["int -"]);
    let augmented: ast::AugAssignStmt = first("x //= 2\n");
    check(format!("{:?}", augmented.op()), expect!["Some(FloorDiv)"]);
}

#[test]
fn operators_are_values() {
    let ops = ["+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^"];
    for op in ops {
        let binary: ast::BinaryExpr = first(&format!("a {op} b\n"));
        assert_eq!(binary.op().map(ast::ArithOp::as_str), Some(op));
        assert_eq!(text(binary.lhs()) + &text(binary.rhs()), "ab");
    }
    let compare: ast::CompareExpr = first("0 < x <= n not in y is not z\n");
    let links: Vec<_> = compare
        .links()
        .map(|(op, rhs)| format!("{:?} {}", op.op().expect("it is whole"), text(rhs)))
        .collect();
    check(text(compare.first()) + " " + &links.join(" "), expect!["0 Lt x Le n NotIn y IsNot z"]);
    let unary: ast::UnaryExpr = first("not -x\n");
    check(format!("{:?} {}", unary.op(), text(unary.operand())), expect!["Some(Not) -x"]);
    let and: ast::BoolExpr = first("a and b and c\n");
    check(format!("{:?} {}", and.op(), texts(and.exprs())), expect!["Some(And) a | b | c"]);
    let conditional: ast::ConditionalExpr = first("a if b else c\n");
    check(
        [conditional.then_value(), conditional.condition(), conditional.else_value()]
            .map(text)
            .join(" "),
        expect!["a b c"],
    );
}

#[test]
fn calls_and_names() {
    let call: ast::CallExpr = first("T.axis.spatial(n, i, dtype='x', *r, **k)\n");
    check(call.dotted_callee().expect("it is dotted"), expect!["T.axis.spatial"]);
    assert!(call.dotted_callee().is_some_and(|it| it.is("T.axis.spatial") && it.root() == "T"));
    check(texts(call.positional_args()), expect!["n | i"]);
    check(text(call.keyword_arg("dtype")), expect!["'x'"]);
    let kinds: Vec<_> = call.args().map(|it| format!("{:?}", it.kind())).collect();
    check(kinds.join(" "), expect!["Positional Positional Keyword Star DoubleStar"]);
    let call: ast::CallExpr = first("f(x)(y)\n");
    assert!(call.dotted_callee().is_none());
    let name: ast::NameExpr = first("abc\n");
    assert_eq!(name.text().as_deref(), Some("abc"));
}

#[test]
fn subscripts_and_slices() {
    let subscript: ast::SubscriptExpr = first("A[i, 0:n, ::2, :]\n");
    check(texts(subscript.indices()), expect!["i | 0:n | ::2 | :"]);
    let bounds: Vec<_> = subscript
        .indices()
        .filter_map(|it| ast::SliceExpr::cast(it.syntax().clone()))
        .map(|it| [it.lower(), it.upper(), it.step()].map(text).join(","))
        .collect();
    check(bounds.join(" "), expect!["0,n,- -,-,2 -,-,-"]);
    check(texts(first::<ast::SubscriptExpr>("A[(i, j)]\n").indices()), expect!["(i, j)"]);
    check(texts(first::<ast::SubscriptExpr>("A[i]\n").indices()), expect!["i"]);
}

#[test]
fn statements_with_blocks() {
    let with: ast::WithStmt = first("with T.sblock('a') as b, c:\n    pass\n");
    let items: Vec<_> =
        with.items().map(|(context, target)| text(context) + " " + &text(target)).collect();
    check(items.join("; "), expect!["T.sblock('a') b; c -"]);
    let for_: ast::ForStmt = first("for i, j in T.grid(2, 3): x\nelse:\n    y\n");
    check(
        texts(for_.targets()) + " in " + &text(for_.iterable()),
        expect!["i | j in T.grid(2, 3)"],
    );
    let stmt: ast::Stmt = first("if a:\n    b\nelif c:\n    d\nelse:\n    e\n");
    check(texts(stmt.blocks().flat_map(|it| it.stmts())).replace('\n', ""), expect!["b | d | e"]);
}

#[test]
fn imports() {
    let import: ast::FromImportStmt = first("from ...a.b import c as d, e\n");
    check(import.level(), expect!["3"]);
    check(import.dotted_name().and_then(|it| it.path()).expect("it is there"), expect!["a.b"]);
    let names: Vec<_> =
        import.import_aliases().filter_map(|it| it.bound_name()).map(|it| it.to_string()).collect();
    check(names.join(" "), expect!["d e"]);
    assert!(first::<ast::FromImportStmt>("from a import *\n").is_star());
}

#[test]
fn numbers() {
    let value = |text: &str| first::<ast::Literal>(text).value();
    let int = |n: u128| Some(LiteralValue::Int(ast::IntValue::Small(n)));
    assert_eq!(value("1_000"), int(1000));
    assert_eq!(value("0xFf"), int(255));
    assert_eq!(value("0b_101"), int(5));
    assert_eq!(value("0O17"), int(15));
    assert_eq!(value("340282366920938463463374607431768211455"), int(u128::MAX));
    match value("340282366920938463463374607431768211456") {
        Some(LiteralValue::Int(big @ ast::IntValue::Big(_))) => {
            assert_eq!(big.to_string(), "340282366920938463463374607431768211456");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(value("1_0.5e-1"), Some(LiteralValue::Float(1.05)));
    assert_eq!(value("2j"), Some(LiteralValue::Imaginary(2.0)));
    assert_eq!(value("True"), Some(LiteralValue::Bool(true)));
    assert_eq!(value("None"), Some(LiteralValue::None));
    assert_eq!(value("..."), Some(LiteralValue::Ellipsis));
}

#[test]
fn strings() {
    let value = |text: &str| first::<ast::StringExpr>(text).value();
    let text = |it: &str| Some(StringValue::Text(it.to_owned()));
    assert_eq!(value(r#""a\n\x41\u00e9\101\N{DASH}""#), None);
    assert_eq!(value(r#""a\n\x41\u00e9\101\q""#), text("a\nAéA\\q"));
    assert_eq!(value(r#"'a' "b" '''c'''"#), text("abc"));
    assert_eq!(value("'a\\\nb'"), text("ab"));
    assert_eq!(value(r#"r"\n\"""#), text(r#"\n\""#));
    assert_eq!(value("'''a\r\nb'c'''"), text("a\nb'c"));
    assert_eq!(value(r#"b"\xff\0""#), Some(StringValue::Bytes(vec![0xff, 0])));
    assert_eq!(value("f'{x}'"), Some(StringValue::Formatted));
    assert_eq!(value("'open"), None);
    assert_eq!(value("'a' b'b'"), None);
    assert_eq!(value("''"), text(""));
    assert_eq!(value("''''''"), text(""));
}
