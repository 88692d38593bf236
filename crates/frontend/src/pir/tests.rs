//! Tests of the reader of PIR.

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use ir::{Body, ExprKind, OpKind, walk::WalkEvent};
use syntax::{Language, parse_as};

use super::*;

/// One operation a line, with its entries in the map.
fn show(text: &str, program: &Program) -> String {
    let Program { range, lowered } = program;
    let text = &text[*range];
    let Lowered { body, source_map, .. } = lowered;
    let mut out = String::new();
    let mut depth = 0;
    for event in body.walk(body.root) {
        match event {
            WalkEvent::Enter(op) => {
                let data = &body.ops[op];
                let kind = match data.kind {
                    OpKind::Named(name) => body.name(name).to_owned(),
                    OpKind::Opaque(name) => format!("opaque {}", body.name(name)),
                    _ => unreachable!("no other kind is made"),
                };
                let results: Vec<String> = data
                    .results
                    .iter()
                    .map(|&it| {
                        format!(
                            "{}: {}",
                            &text[source_map.definition(it)],
                            ty(body, body.values[it].ty)
                        )
                    })
                    .collect();
                let uses: Vec<&str> = source_map.uses_of(op).map(|it| &text[it]).collect();
                assert_eq!(uses.len(), data.operands.len());
                let operands: Vec<String> = data
                    .operands
                    .iter()
                    .zip(uses)
                    .map(|(&it, place)| match body.expr(it).kind {
                        ExprKind::Value(value) => {
                            assert_eq!(place, body.name(body.values[value].name));
                            place.to_owned()
                        }
                        _ => format!("<{place}>"),
                    })
                    .collect();
                let attrs: Vec<String> = body
                    .dict(data.attrs)
                    .iter()
                    .map(|(key, value)| match value {
                        ir::Attr::Text(text) => format!("{key}={text}"),
                        other => format!("{key}={other:?}"),
                    })
                    .collect();
                let _ = writeln!(
                    out,
                    "{:depth$}{} = {kind}({}) {{{}}} lines {}",
                    "",
                    results.join(", "),
                    operands.join(", "),
                    attrs.join(" "),
                    text[source_map.op(op)].lines().count(),
                );
            }
            WalkEvent::EnterRegion(region) => {
                let args: Vec<&str> = body.blocks[body.entry(region)]
                    .args
                    .iter()
                    .map(|&it| &text[source_map.definition(it)])
                    .collect();
                if !args.is_empty() {
                    let _ = writeln!(out, "{:depth$}^{}", "", args.join(", "));
                }
                if region != body.root {
                    depth += 2;
                }
            }
            WalkEvent::LeaveRegion(region) if region != body.root => depth -= 2,
            WalkEvent::LeaveRegion(_) => {}
            WalkEvent::Leave(_) => {}
        }
    }
    for it in &lowered.diagnostics {
        let _ = writeln!(out, "{} `{}`: {}", it.code, &text[it.range], it.message);
    }
    out
}

fn ty(body: &Body, ty: ir::Type) -> String {
    match ty {
        ir::Type::Named(name) => body.name(name).to_owned(),
        _ => "?".to_owned(),
    }
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    let programs = programs(text);
    let shown: Vec<String> = programs.iter().map(|it| show(text, it)).collect();
    expected.assert_eq(&shown.join("----\n"));
    for program in &programs {
        assert!(
            ir::verify::verify(&program.lowered.body).is_empty()
                || !program.lowered.diagnostics.is_empty()
        );
    }
    check_tree(text, &programs);
}

/// The editor reads the same from the tree.
#[track_caller]
fn check_tree(text: &str, programs: &[Program]) {
    let parse = parse_as(Language::Pir, text);
    let file = parse.pir().expect("it is PIR");
    let lowered: Vec<Lowered> =
        file.blocks().map(|it| lower(&Green::of(syntax::ast::AstNode::syntax(&it)))).collect();
    assert_eq!(lowered.len(), programs.len());
    for (tree, program) in lowered.iter().zip(programs) {
        assert_eq!(*tree, program.lowered);
    }
}

#[test]
fn operations_have_operands_attributes_and_types() {
    check(
        "{\n    (%0) = \"pd_op.full\" () {value:1e-05,dtype:float32,place:Place(gpu:0)} : () -> tensor<2x-1xf32>\n\
         \x20   (%1, %2) = \"pd_op.dropout\" (%0, <<NULL VALUE>>) {p:[0.5, \"a b\"]} : (tensor<b>, <<NULL TYPE>>) -> vec[tensor<f32>,tensor<f32>], tensor<i8>\n}\n",
        expect![[r#"
            %0: tensor<2x-1xf32> = pd_op.full() {dtype=float32 place=Place(gpu:0) value=1e-05} lines 1
            %1: vec[tensor<f32>,tensor<f32>], %2: tensor<i8> = pd_op.dropout(%0, <<<NULL VALUE>>>) {p=[0.5,"a b"]} lines 1
        "#]],
    );
}

#[test]
fn sub_blocks_see_outwards_and_end_what_they_define() {
    check(
        "{\n  (%0) = \"pd_op.data\" () {} : () -> tensor<b>\n\
         \x20 (%1) = \"pd_op.if\" (%0) {} -> tensor<f32> {\n    (%2) = \"pd_op.exp\" (%0) {} : (tensor<b>) -> tensor<f32>\n    () = \"cf.yield\" (%2) {} : (tensor<f32>) -> \n  } else {\n    () = \"cf.yield\" (%2) {} : (tensor<f32>) -> \n  }\n\
         \x20 (%3, %4) = \"pd_op.while\" (cond=%0, inputs=%1, %0) { \n  ^%arg_0 {stop_gradient:true}, %arg_1 {}\n    () = \"cf.yield\" (%0, %arg_0, %arg_1) {} : (tensor<b>, tensor<f32>, tensor<b>) -> \n  }\n}",
        expect![[r#"
            %0: tensor<b> = pd_op.data() {} lines 1
            %1: tensor<f32> = pd_op.if(%0) {} lines 6
              %2: tensor<f32> = pd_op.exp(%0) {} lines 1
               = cf.yield(%2) {} lines 1
               = cf.yield(%2) {} lines 1
            %3: ?, %4: ? = pd_op.while(%0, %1, %0) {} lines 4
            ^%arg_0, %arg_1
               = cf.yield(%0, %arg_0, %arg_1) {} lines 1
            use-before-definition `%2`: `%2` is defined in another block or later
        "#]],
    );
}

#[test]
fn malformed_operations_are_reported() {
    check(
        "{\n  (%0) = \"pd_op.add\" (%9, %1) {} : (tensor<b>) -> tensor<f32>\n  (%1) = \"my.op\" (%0) {} : (tensor<b>) -> tensor<f32>, tensor<f32>\n  (%0) = \"my.op\" () {} : () -> tensor<f32>\n}",
        expect![[r#"
            %0: tensor<f32> = pd_op.add(%9, %1) {} lines 1
            %1: tensor<f32> = my.op(%0) {} lines 1
            %0: tensor<f32> = my.op() {} lines 1
            count-mismatch `"pd_op.add"`: `pd_op.add` has 2 operands and 1 operand type
            undefined-value `%9`: `%9` is not defined
            use-before-definition `%1`: `%1` is defined in another block or later
            count-mismatch `"my.op"`: `my.op` has 1 result and 2 result types
            unknown-operation `"my.op"`: the effects of `my.op` are unknown: nothing is merged with it
            value-redefinition `%0`: `%0` is already defined
        "#]],
    );
}

#[test]
fn unreadable_text_is_opaque_and_uses_its_names() {
    check(
        "{\n  (%0) = \"pd_op.data\" () {} : () -> tensor<b>\n  hello %0 %7\n  (%1) = \"pd_op.add\" (%0, ?? %0) {} : (tensor<b>)\n  (%2) = \"pd_op.exp\" (%1) {} : (tensor<b>) -> tensor<b>\n}\n{\n}\n",
        expect![[r#"
            %0: tensor<b> = pd_op.data() {} lines 1
             = opaque unreadable(%0) {} lines 1
            %1: ? = opaque pd_op.add(%0, %0) {} lines 1
            %2: tensor<b> = pd_op.exp(%1) {} lines 1
            ----
        "#]],
    );
}

#[test]
fn no_text_makes_the_reader_fail() {
    let text = "{\n  (%0) = \"pd_op.data\" () {a:[1,2]} : () -> tensor<b>\n  (%1) = \"pd_op.while\" (cond=%0, inputs=%0) { \n  ^%arg_0 {stop_gradient:true}\n    () = \"cf.yield\" (%0, %arg_0) {} : (tensor<b>, tensor<b>) -> \n  }\n}\n";
    for cut in 0..text.len() {
        let parts = [
            text[..cut].to_owned(),
            format!("{}{}", &text[..cut], &text[(cut + 7).min(text.len())..]),
        ];
        for part in parts {
            let programs = programs(&part);
            check_tree(&part, &programs);
        }
    }
}

#[test]
fn deep_nests_are_read_without_recursion() {
    let depth = 20_000;
    let mut text = "{\n (%0) = \"pd_op.data\" () {} : () -> tensor<b>\n".to_owned();
    text.push_str(&"() = \"pd_op.if\" (%0) {} -> {\n".repeat(depth));
    text.push_str(&"}\n".repeat(depth + 1));
    let programs = programs(&text);
    assert_eq!(programs.len(), 1);
    assert!(programs[0].lowered.body.ops.len() > 10_000);
}
