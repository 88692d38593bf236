//! MLIR and PIR: samples, typed nodes, functions, errors.

use expect_test::{Expect, expect};
use test_utils::ir_samples;

use crate::{
    AstNode as _, Language, Parse, SyntaxKind,
    ast::mlir::{Attr, Operation},
    error_share, parse_as,
};

fn parse_sample(name: &str, text: &str) -> Parse {
    parse_as(Language::of_path(name.as_ref()).expect("the name says the language"), text)
}

#[test]
fn every_sample_is_kept_and_read() {
    for sample in ir_samples() {
        let parse = parse_sample(&sample.name, &sample.text);
        assert_eq!(parse.text(), sample.text, "{}", sample.name);
        assert_eq!(parse.errors(), [], "{}", sample.name);
        assert_eq!(error_share(&parse), 0.0, "{}", sample.name);
    }
}

#[test]
fn every_prefix_of_a_sample_is_kept() {
    for sample in ir_samples().iter().step_by(7) {
        let step = sample.text.len() / 40 + 1;
        for end in (0..sample.text.len()).step_by(step) {
            let text = &sample.text[..sample.text.floor_char_boundary(end)];
            let parse = parse_sample(&sample.name, text);
            assert_eq!(parse.text(), text);
            parse.errors();
        }
    }
}

fn operations(parse: &Parse) -> Vec<Operation> {
    parse.syntax().descendants().filter_map(Operation::cast).collect()
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    let parse = parse_as(Language::Mlir, text);
    assert_eq!(parse.text(), text);
    let mut out = String::new();
    for it in operations(&parse) {
        let name = it.name().map(|it| it.full().to_owned()).unwrap_or_default();
        let texts = |nodes: Vec<String>| nodes.join(" ");
        let results = texts(it.results().map(|it| it.syntax().text()).collect());
        let operands = texts(it.operands().iter().map(|it| it.syntax().text()).collect());
        let successors = texts(it.successors().iter().map(|it| it.syntax().text()).collect());
        out += &format!(
            "{name}: [{results}] <- [{operands}] ^[{successors}] {} regions, {} types{}\n",
            it.regions().len(),
            it.types().count(),
            if it.has_error() { ", error" } else { "" }
        );
    }
    expected.assert_eq(&out);
}

#[test]
fn the_parts_of_an_operation_are_known_in_every_form() {
    check(
        "%0:2 = \"a.b\"(%x, %y#1)[^bb1] <{p = 1}> ({\n  %1 = arith.addi %x, %x : i32\n}) {q} : (i32, i32) -> (i32, i32)\n\
         scf.for %i = %a to %b step %c iter_args(%s = %t) -> (f32) {\n  memref.store %s, %m[%i, %j] : memref<4x4xf32>\n}\n\
         cf.cond_br %c, ^bb1(%x : i32), ^bb2\n\
         own.op %x with(%y as %z: i32) [%w#0] : i32 {\n  return %z : i32\n}\n",
        expect![[r#"
            a.b: [%0:2] <- [%x %y#1] ^[^bb1] 1 regions, 0 types
            arith.addi: [%1] <- [%x %x] ^[] 0 regions, 1 types
            scf.for: [] <- [%a %b %c %t] ^[] 1 regions, 0 types
            memref.store: [] <- [%s %m %i %j] ^[] 0 regions, 1 types
            cf.cond_br: [] <- [%c] ^[^bb1(%x : i32) ^bb2] 0 regions, 0 types
            own.op: [] <- [%x %y %w#0] ^[] 1 regions, 0 types
            func.return: [] <- [%z] ^[] 0 regions, 0 types
        "#]],
    );
}

#[test]
fn functions_are_found_below_modules_and_in_every_chunk() {
    let text = "func.func @a() {\n  return\n}\n// -----\nmodule @m {\n  gpu.module @k {\n    gpu.func @b() kernel {\n      gpu.return\n    }\n  }\n  \
                \"llvm.func\"() ({\n  }) {sym_name = \"c\"} : () -> ()\n}\nfunc.func private @d()\n";
    let parse = parse_as(Language::Mlir, text);
    let functions = parse.mlir().expect("it is MLIR").functions();
    let show: Vec<String> = functions
        .iter()
        .map(|it| {
            let name = it.operation.symbol().map(|it| it.syntax().text()).unwrap_or_default();
            let path: Vec<&str> = it.path.iter().map(|it| it.as_str()).collect();
            format!("{} {:?} {name}", it.chunk, path)
        })
        .collect();
    assert_eq!(show, ["0 [] @a", "1 [\"@m\", \"@k\"] @b", "1 [\"@m\"] ", "1 [] @d"]);
}

#[test]
fn aliases_and_attributes_are_typed() {
    let parse =
        parse_as(Language::Mlir, "#map = affine_map<(d0) -> (d0 * 2)>\n!t = tensor<4xf32>\n");
    let chunk = parse.mlir().and_then(|it| it.chunks().next()).expect("there is text");
    let alias = chunk.attr_alias_defs().next().expect("an alias");
    assert_eq!(alias.attr_id_token().map(|it| it.text().to_owned()).as_deref(), Some("#map"));
    assert!(matches!(alias.attr(), Some(Attr::BuiltinAttr(_))));
    let alias = chunk.type_alias_defs().next().expect("an alias");
    assert_eq!(alias.ty().map(|it| it.syntax().text()).as_deref(), Some("tensor<4xf32>"));
}

#[test]
fn the_operations_of_a_program_of_paddle_are_typed() {
    let text = "{\n    (%1) = \"pd_op.dropout\" (%0, <<NULL VALUE>>, cond=%9) {p:0.5,mode:\"x\"} : (tensor<f32>, <<NULL TYPE>>, tensor<i1>) -> tensor<2x-1xf32>\n}\n";
    let parse = parse_as(Language::Pir, text);
    let block = parse.pir().and_then(|it| it.blocks().next()).expect("a program");
    let op = block.ops().next().expect("an operation");
    assert_eq!(op.name().as_deref(), Some("pd_op.dropout"));
    assert_eq!(op.operand_list().map(|it| it.operands().count()), Some(3));
    assert_eq!(op.attr_map().map(|it| it.attr_entries().count()), Some(2));
    assert_eq!(op.type_list().map(|it| it.types().count()), Some(3));
    assert_eq!(op.result_types().map(|it| it.types().count()), Some(1));
    assert_eq!(parse.errors(), []);
}

#[track_caller]
fn check_errors(language: Language, text: &str, expected: Expect) {
    let parse = parse_as(language, text);
    assert_eq!(parse.text(), text);
    let errors = parse.errors();
    let show =
        |it: &crate::SyntaxError| format!("{:?} {}: {}\n", it.range, it.kind.name(), it.message);
    expected.assert_eq(&errors.iter().map(show).collect::<String>());
}

#[test]
fn an_error_shows_how_the_operation_is_written() {
    check_errors(
        Language::Mlir,
        "func.func @f() {\n  %0 = arith.addi %a %b : i32\n  %1 = arith.addi %a,\n  %2 = arith.mulf %a, %b : f32 oops\n  foo\n  return\n",
        expect![[r#"
            15..16 missing-part: this `{` is never closed
            38..46 unexpected-text: `%b : i32` does not fit: `arith.addi` is written `arith.addi %a, %b : type`
            68..68 missing-part: something is missing: `arith.addi` is written `arith.addi %a, %b : type`
            100..104 unexpected-text: `oops` does not fit: `arith.mulf` is written `arith.mulf %a, %b : type`
        "#]],
    );
    check_errors(
        Language::Pir,
        "{\n    (%0) = \"pd_op.full\" ( {\n    (%1) = \"a.b\" () {x:1} : () -> tensor<f32>\n",
        expect![[r#"
            0..1 missing-part: this `{` is never closed
            28..28 missing-part: something is missing here
            28..29 missing-part: this `{` is never closed
        "#]],
    );
}

#[test]
fn a_function_cannot_stand_in_a_function_so_a_brace_is_missing_before_it() {
    let text =
        "module {\nfunc.func @f() {\n  scf.if %c {\n    a.b\nfunc.func @g() {\n  return\n}\n}\n";
    let parse = parse_as(Language::Mlir, text);
    let functions = parse.mlir().expect("it is MLIR").functions();
    assert_eq!(functions.len(), 2);
    assert_eq!(parse.errors().len(), 2);
    assert!(parse.syntax().descendants().all(|it| it.kind() != SyntaxKind::ERROR_NODE));
}
