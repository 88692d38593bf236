//! Pretty texts and their generic texts give the same bodies.

use std::collections::BTreeMap;

use test_utils::{Sample, ir_samples};

use super::*;
use crate::mlir::{differences, lower_file_without_names};

fn units(text: &str) -> Vec<Unit> {
    let mut res = Vec::new();
    lower_file(text, Shapes::builtin(), &mut |unit| res.push(unit));
    res
}

#[test]
fn bodies_without_names_are_the_same_programs() {
    let samples = ir_samples();
    let broken = "func.func @f(%a: i32) {\n  %b = arith.addi %x, %a : i32\n  cf.br ^bb7(%b#1 : i32)\n^bb1:\n  %b = test.op\n}\n";
    let texts = samples.iter().filter(|it| it.name.ends_with(".mlir")).map(|it| &*it.text);
    for text in texts.chain([broken]) {
        let mut without = Vec::new();
        lower_file_without_names(text, Shapes::builtin(), &mut |unit| without.push(unit));
        let with = units(text);
        assert_eq!(with.len(), without.len());
        for (with, without) in with.iter().zip(&without) {
            assert_eq!((with.kind, with.offset), (without.kind, without.offset));
            let (with, without) = (&with.lowered, &without.lowered);
            assert_eq!(with.diagnostics, without.diagnostics);
            assert!(differences(&with.body, &without.body).is_empty());
            for op in with.body.ops.ids() {
                let (a, b) = (&with.source_map, &without.source_map);
                assert_eq!((a.op(op), a.op_name(op)), (b.op(op), b.op_name(op)));
                assert!(a.uses_of(op).eq(b.uses_of(op)));
            }
            for value in with.body.values.ids() {
                let (a, b) = (&with.source_map, &without.source_map);
                assert_eq!(a.definition(value), b.definition(value));
            }
        }
    }
}

/// Pairs of a pretty text and its generic text.
fn pairs() -> Vec<(Sample, Sample)> {
    let samples = ir_samples();
    let by_name: BTreeMap<&str, &Sample> = samples.iter().map(|it| (&*it.name, it)).collect();
    let pair = |sample: &Sample| {
        let generic = sample.name.strip_suffix(".mlir")?.to_owned() + ".generic.mlir";
        Some((sample.clone(), (*by_name.get(&*generic)?).clone()))
    };
    samples.iter().filter_map(pair).collect()
}

#[test]
fn a_pretty_text_gives_the_body_of_its_generic_text() {
    let mut found: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let pairs = pairs();
    assert!(pairs.len() > 30, "{} pairs", pairs.len());
    for (pretty, generic) in &pairs {
        let (left, right) = (units(&pretty.text), units(&generic.text));
        assert_eq!(left.len(), right.len(), "{}", pretty.name);
        for (a, b) in left.iter().zip(&right) {
            assert_eq!(a.lowered.body.name, b.lowered.body.name, "{}", pretty.name);
            assert_eq!(a.lowered.body.attrs, b.lowered.body.attrs, "{}", pretty.name);
            for it in differences(&a.lowered.body, &b.lowered.body) {
                let is_known = it.part == "shape" && pretty.name.ends_with("forms.mlir");
                if is_known || it.is_of_forms() {
                    continue;
                }
                let key = it.what();
                let text = format!("{}: {} / {}", pretty.name, it.left, it.right);
                found.entry(key).or_insert((0, text)).0 += 1;
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn valid_files_have_no_errors_and_valid_bodies() {
    for sample in ir_samples().iter().filter(|it| it.name.ends_with(".mlir")) {
        for unit in units(&sample.text) {
            let errors: Vec<_> = (unit.lowered.diagnostics.iter())
                .filter(|it| it.severity != crate::ops::Severity::Hint)
                .collect();
            assert!(errors.is_empty(), "{}: {errors:#?}", sample.name);
            let errors = ir::verify::verify(&unit.lowered.body);
            assert!(errors.is_empty(), "{}: {errors:#?}", sample.name);
        }
    }
}

#[test]
fn a_tree_gives_what_a_stream_gives() {
    use syntax::ast::{AstNode, mlir::File};
    for sample in ir_samples().iter().filter(|it| it.name.ends_with(".mlir")) {
        let streamed = units(&sample.text);
        let parse = syntax::parse_as(syntax::Language::Mlir, &sample.text);
        let file: File = parse.mlir().expect("a file of MLIR");
        let functions = file.functions();
        let chunks: Vec<_> = file.chunks().collect();
        let aliases: Vec<_> = chunks.iter().map(crate::mlir::aliases).collect();
        let lowered = |node: &syntax::SyntaxNode, chunk: usize, frame: bool| {
            let green = syntax::Green::of(node);
            let text = green.text();
            match frame {
                true => crate::mlir::lower_frame(&green, &text, &aliases[chunk], Shapes::builtin()),
                false => {
                    crate::mlir::lower_function(&green, &text, &aliases[chunk], Shapes::builtin())
                }
            }
        };
        let mut of_tree = Vec::new();
        for (chunk, node) in chunks.iter().enumerate() {
            for function in functions.iter().filter(|it| it.chunk == chunk) {
                of_tree.push(lowered(function.operation.syntax(), chunk, false));
            }
            of_tree.push(lowered(node.syntax(), chunk, true));
        }
        assert_eq!(of_tree.len(), streamed.len(), "{}", sample.name);
        for (a, b) in of_tree.iter().zip(&streamed) {
            assert_eq!(a.body, b.lowered.body, "{}", sample.name);
            assert_eq!(a.source_map, b.lowered.source_map, "{}", sample.name);
        }
    }
}

/// Found by executing both forms.
#[test]
fn defaults_come_first_and_attributions_are_counted() {
    let pairs = [
        (
            "func.func @f(%k: index, %a: i32, %b: i32) {
               %0 = scf.index_switch %k -> i32 case 2 { scf.yield %a : i32 } default { scf.yield %b : i32 }
               return
             }",
            r#""func.func"() <{function_type = (index, i32, i32) -> (), sym_name = "f"}> ({
             ^bb0(%k: index, %a: i32, %b: i32):
               %0 = "scf.index_switch"(%k) <{cases = array<i64: 2>}> ({
                 "scf.yield"(%b) : (i32) -> ()
               }, {
                 "scf.yield"(%a) : (i32) -> ()
               }) : (index) -> i32
               "func.return"() : () -> ()
             }) : () -> ()"#,
        ),
        (
            "func.func @f(%c: index) {
               gpu.launch blocks(%bx, %by, %bz) in (%gx = %c, %gy = %c, %gz = %c)
                          threads(%tx, %ty, %tz) in (%sx = %c, %sy = %c, %sz = %c)
                          workgroup(%w : memref<4xf32, 3>) private(%p : memref<1xf32, 5>) {
                 gpu.terminator
               }
               return
             }",
            r#""func.func"() <{function_type = (index) -> (), sym_name = "f"}> ({
             ^bb0(%c: index):
               "gpu.launch"(%c, %c, %c, %c, %c, %c) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> ({
               ^bb0(%0: index, %1: index, %2: index, %3: index, %4: index, %5: index, %6: index, %7: index, %8: index, %9: index, %10: index, %11: index, %w: memref<4xf32, 3>, %p: memref<1xf32, 5>):
                 "gpu.terminator"() : () -> ()
               }) {workgroup_attributions = 1 : i64} : (index, index, index, index, index, index) -> ()
               "func.return"() : () -> ()
             }) : () -> ()"#,
        ),
    ];
    for (pretty, generic) in pairs {
        let (left, right) = (units(pretty), units(generic));
        let bodies = left.iter().zip(&right).map(|(a, b)| (&a.lowered.body, &b.lowered.body));
        for (pretty, generic) in bodies {
            assert_eq!(ir::print::generic(pretty), ir::print::generic(generic));
        }
    }
}

#[test]
fn an_alias_of_a_dictionary_says_what_the_dictionary_says() {
    let text = |dictionary: &str| {
        format!(
            "#map = affine_map<(d0) -> (d0)>\n#trait = {{indexing_maps = [#map], iterator_types = [\"parallel\"]}}\n\
             func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{\n  \
             %r = linalg.generic {dictionary} outs(%a : tensor<4xf32>) {{\n  ^bb0(%x: f32):\n    \
             linalg.yield %x : f32\n  }} -> tensor<4xf32>\n  return %r : tensor<4xf32>\n}}\n"
        )
    };
    let alias = units(&text("#trait"));
    let written = units(&text("{indexing_maps = [#map], iterator_types = [\"parallel\"]}"));
    for (alias, written) in alias.iter().zip(&written) {
        assert_eq!(differences(&alias.lowered.body, &written.lowered.body), []);
    }
}
