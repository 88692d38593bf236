//! Tests of the grammar of PIR.

use std::{fmt::Write, fs, path::PathBuf};

use expect_test::{Expect, expect};

use super::*;
use crate::SyntaxKind::*;

/// The tree on few lines: a node is `(KIND children)`, a token its text; trivia and the root are left out.
fn short(text: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut offset) = (0, 0);
    for step in parse(text) {
        match step {
            Step::Enter(PIR_FILE) => depth += 1,
            Step::Enter(kind) => {
                depth += 1;
                let line = if kind == PIR_OP && !out.is_empty() { "\n" } else { " " };
                let name = format!("{kind:?}");
                let _ = write!(out, "{line}({}", name.trim_start_matches("PIR_"));
            }
            Step::Exit => {
                if depth > 1 {
                    out.push(')');
                }
                depth -= 1;
            }
            Step::Token { kind, len } => {
                let token = &text[offset..offset + len as usize];
                offset += len as usize;
                if !kind.is_trivia() {
                    let _ = write!(out, " {token}");
                }
            }
        }
    }
    assert_eq!(offset, text.len(), "the tokens cover the text");
    assert_eq!(depth, 0, "what is entered is left");
    out
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&short(text));
}

#[test]
fn operations_of_all_kinds_are_read() {
    check(
        "{\n    (%0) = \"pd_op.full\" () {dtype:float32,place:Place(gpu:0),value:1e-05} : () -> tensor<2x-1xf32>\n\
         \x20   (%1, %2) = \"pd_op.dropout\" (%0, <<NULL VALUE>>) {p:0.5} : (tensor<b>, <<NULL TYPE>>) -> vec[tensor<f32>,tensor<f32>], tensor<i8>\n\
         \x20   (%3) = \"pd_op.if\" (%2) {stop_gradient:[true,false]} -> tensor<f32> {\n        () = \"cf.yield\" (%1) {} : (tensor<f32>) -> \n    } else {\n    }\n\
         \x20   (%4) = \"pd_op.while\" (cond=%3, inputs=%2) {\n    ^%arg_0 {a:true}, %arg_1 {a:true}\n        () = \"cf.yield\" () {} : () -> \n    }\n}\n",
        expect![[r#"
             (BLOCK {
            (OP (RESULT_LIST ( (VALUE_DEF %0) )) = "pd_op.full" (OPERAND_LIST ( )) (ATTR_MAP { (ATTR_ENTRY dtype : (ATTR_VALUE float32)) , (ATTR_ENTRY place : (ATTR_VALUE Place ( gpu : 0 ))) , (ATTR_ENTRY value : (ATTR_VALUE 1e-05)) }) : (TYPE_LIST ( )) -> (RESULT_TYPES (TYPE tensor < 2 x - 1 xf32 >)))
            (OP (RESULT_LIST ( (VALUE_DEF %1) , (VALUE_DEF %2) )) = "pd_op.dropout" (OPERAND_LIST ( (OPERAND (VALUE_USE %0)) , (OPERAND <<NULL VALUE>>) )) (ATTR_MAP { (ATTR_ENTRY p : (ATTR_VALUE 0.5)) }) : (TYPE_LIST ( (TYPE tensor < b >) , (TYPE <<NULL TYPE>>) )) -> (RESULT_TYPES (TYPE vec [ tensor < f32 > , tensor < f32 > ]) , (TYPE tensor < i8 >)))
            (OP (RESULT_LIST ( (VALUE_DEF %3) )) = "pd_op.if" (OPERAND_LIST ( (OPERAND (VALUE_USE %2)) )) (ATTR_MAP { (ATTR_ENTRY stop_gradient : (ATTR_VALUE [ true , false ])) }) -> (RESULT_TYPES (TYPE tensor < f32 >)) (BLOCK {
            (OP (RESULT_LIST ( )) = "cf.yield" (OPERAND_LIST ( (OPERAND (VALUE_USE %1)) )) (ATTR_MAP { }) : (TYPE_LIST ( (TYPE tensor < f32 >) )) ->) }) else (BLOCK { }))
            (OP (RESULT_LIST ( (VALUE_DEF %4) )) = "pd_op.while" (OPERAND_LIST ( (OPERAND cond = (VALUE_USE %3)) , (OPERAND inputs = (VALUE_USE %2)) )) (BLOCK { (BLOCK_ARGS ^ (BLOCK_ARG (VALUE_DEF %arg_0) (ATTR_MAP { (ATTR_ENTRY a : (ATTR_VALUE true)) })) , (BLOCK_ARG (VALUE_DEF %arg_1) (ATTR_MAP { (ATTR_ENTRY a : (ATTR_VALUE true)) })))
            (OP (RESULT_LIST ( )) = "cf.yield" (OPERAND_LIST ( )) (ATTR_MAP { }) : (TYPE_LIST ( )) ->) })) })"#]],
    );
}

#[test]
fn an_error_ends_with_its_line() {
    check(
        "oops\n{\n    (%0) = \"a.b\" (%1 {x:1} : () -> tensor<f32>\n    (%2) =\n    (%3) = \"a.b\" () {x} : () -> tensor<f32>\n    what\n    (%4) = \"a.b\" () {} : () -> tensor<f32>\n",
        expect![[r#"
             (ERROR_NODE oops) (BLOCK {
            (OP (RESULT_LIST ( (VALUE_DEF %0) )) = "a.b" (OPERAND_LIST ( (OPERAND (VALUE_USE %1)) (MISSING)) (ERROR_NODE { x : 1 } : ( ) -> tensor < f32 >))
            (OP (RESULT_LIST ( (VALUE_DEF %2) )) = (MISSING))
            (OP (RESULT_LIST ( (VALUE_DEF %3) )) = "a.b" (OPERAND_LIST ( )) (ATTR_MAP { (ATTR_ENTRY x (MISSING))) (ERROR_NODE } : ( ) -> tensor < f32 >)) (ERROR_NODE what)
            (OP (RESULT_LIST ( (VALUE_DEF %4) )) = "a.b" (OPERAND_LIST ( )) (ATTR_MAP { }) : (TYPE_LIST ( )) -> (RESULT_TYPES (TYPE tensor < f32 >))) (MISSING))"#]],
    );
}

#[test]
fn nothing_is_lost_and_nothing_panics() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/pir");
    let mut seen = 0;
    for entry in fs::read_dir(folder).expect("the samples are there") {
        let text = fs::read_to_string(entry.expect("readable").path()).expect("readable");
        assert!(!short(&text).contains("ERROR_NODE") && !short(&text).contains("(MISSING"));
        for at in (0..text.len()).step_by(7) {
            short(&text[..at]);
            short(&format!("{}{}", &text[..at], &text[(at + 3).min(text.len())..]));
        }
        seen += 1;
    }
    assert!(seen > 5);
}

#[test]
fn nests_of_ten_thousand_are_read_and_deeper_ones_kept() {
    for (levels, too_deep) in [(10_000, false), (14_000, true)] {
        let open = "(%0) = \"pd_op.if\" (%1) {} -> tensor<f32> {\n".repeat(levels);
        let text = format!("{{\n{open}{}}}\n", "}\n".repeat(levels));
        assert_eq!(short(&text).contains("(TOO_DEEP"), too_deep);
        assert!(!short(&text).contains("(MISSING"));
    }
}
