//! Diagnostics, hovers, explanations, device code.

use expect_test::{Expect, expect};

use super::{FILE, analysis, function, with_cursor};
use crate::{DiagnosticsConfig, Severity, Target};

#[track_caller]
fn check_diagnostics(text: &str, expected: Expect) {
    let found = analysis(text).diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    let mut out = String::new();
    for it in &found {
        let excerpt = &text[std::ops::Range::<usize>::from(it.range)];
        out.push_str(&format!("{:?} {} `{excerpt}`: {}\n", it.severity, it.code, it.message));
        out.extend(it.help.iter().map(|help| format!("    {help}\n")));
        out.extend(it.related.iter().map(|(_, message)| format!("    {message}\n")));
    }
    expected.assert_eq(&out);
}

#[test]
fn unknown_names_and_shared_values_are_reported() {
    check_diagnostics(
        &function("A[i * 4 + j] = nowhere\nB[i * 4 + j] = 2"),
        expect![[r#"
            Error undefined-name `nowhere`: `nowhere` is not defined here
        "#]],
    );
}

#[test]
fn allowed_rules_are_not_reported() {
    check_diagnostics(
        &function("A[0] = nowhere  # tir: allow(undefined-name)\nB[0] = nowhere_else"),
        expect![[r#"
            Error undefined-name `nowhere_else`: `nowhere_else` is not defined here
        "#]],
    );
}

#[test]
fn functions_of_a_module_have_different_names() {
    let function = |indent: &str, name: &str| {
        format!(
            "{indent}@T.prim_func\n{indent}def {name}(n: T.int32):\n{indent}    T.evaluate(n)\n"
        )
    };
    let module = |name: &str, functions: &[&str]| {
        let functions: String = functions.iter().map(|it| function("    ", it)).collect();
        format!("@I.ir_module\nclass {name}:\n{functions}\n")
    };
    let head = "from tvm.script import ir as I, tirx as T\n\n";
    check_diagnostics(
        &(head.to_owned() + &module("A", &["f", "g", "f"]) + &module("B", &["f"])),
        expect![[r#"
            Error redefinition `f`: `f` is already defined in this module
                it is defined here first
        "#]],
    );
    // At the top, Python lets the second replace the first.
    check_diagnostics(&(head.to_owned() + &function("", "f") + &function("", "f")), expect![[""]]);
}

#[test]
fn nothing_is_said_of_graph_functions() {
    let text = "from tvm.script import ir as I, relax as R\n\n\n@I.ir_module\nclass Module:\n    @R.function\n    \
                def main(x: R.Tensor((4,), \"float32\")) -> R.Tensor((4,), \"float32\"):\n        \
                with R.dataflow():\n            y = R.nowhere(x, x)\n            R.output(y)\n        return y\n";
    check_diagnostics(text, expect![[""]]);
}

#[test]
fn text_that_cannot_be_read_is_reported_by_what_is_wrong_with_it() {
    check_diagnostics(
        &function("A[0 = 1\nA[1] =\nA[2] = 1 +\nA[3] = 'abc"),
        expect![[r#"
        Error unclosed-bracket `[`: `[` is never closed
        Error missing-part ``: expected a value
        Error missing-part ``: expected an operand
        Error unterminated-string `'`: this string is not closed on its line
            close it with the quote that opens it
    "#]],
    );
}

#[test]
fn nothing_outside_of_functions_is_reported() {
    check_diagnostics("from tvm.script import tirx as T\nx = = 1\nundefined + 1\n", expect![[""]]);
}

#[test]
fn worst_are_kept_when_there_are_too_many() {
    let text = function("A[i * 4 + j] = 1\nB[i * 4 + j] = 2\nC[0] = nowhere");
    let config = DiagnosticsConfig { limit: 1, ..DiagnosticsConfig::default() };
    let found = analysis(&text).diagnostics(FILE, &config).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Error, "{found:?}");
}

#[track_caller]
fn check_hover(body: &str, expected: Expect) {
    let (text, offset) = with_cursor(&function(body));
    let hover = analysis(&text).hover(FILE, offset).unwrap();
    expected.assert_eq(&hover.map_or_else(|| "nothing".to_owned(), |it| it.markdown));
}

#[test]
fn hover_of_an_index_says_bounds_congruence_and_canonical_form() {
    check_hover(
        "for k in range(8):\n    A[(2 *$0 k + 1) * 2] = 1",
        expect![[r#"
            `2 * k`: int32 · computed once

            bounds: `0 <= value <= 14`

            congruence: `2*k`

            known from `0 <= k < 8`

            canonical form: `k * 2` (sum-of-products)"#]],
    );
    check_hover(
        "for k in range(8):\n    A[k *$0 4 - k] = 1",
        expect![[r#"
            `k * 4`: int32 · computed once

            bounds: `0 <= value <= 28`

            congruence: `4*k`

            known from `0 <= k < 8`"#]],
    );
}

#[test]
fn hover_of_an_expression_says_value_and_decision() {
    check_hover(
        "A[i * 4 +$0 j] = 1\nB[i * 4 + j] = 2",
        expect![[r#"
            `i * 4 + j`: int32 · computed 2 times

            Computed once as `cse_v1` before `A[i * 4 + j] = 1`, it saves 1 evaluation of 2 operations each."#]],
    );
}

#[test]
fn hover_of_a_name_says_what_it_is() {
    check_hover(
        "A$0[i] = 1",
        expect![[r#"
            ```python
            A: T.Buffer((128,), "int32")
            ```
            parameter"#]],
    );
}

#[test]
fn explanation_names_the_refusal() {
    let body = "if n != 0:\n    A[i $0// n] = 1\nif n != 0:\n    B[i // n] = 2";
    let (text, offset) = with_cursor(&function(body));
    let explanation = analysis(&text).explain(FILE, offset).unwrap().unwrap();
    assert_eq!(explanation.decision, "may-trap");
    expect!["Not shared (`may-trap`): it may trap (nothing shows that `n` is not 0), and `i // n` is computed under a condition only; `T.assume(n > 0)` or an assert would show it."].assert_eq(&explanation.reasons.join("\n"));
    // The variable of a loop takes all values of its range.
    let text = function(
        "for k in range(8):\n    if k != 0:\n        A[n // k] = 1\n    if k != 0:\n        B[n // k] = 2",
    );
    let offset = syntax::TextSize::try_from(text.find("n // k").unwrap()).unwrap();
    let explanation = analysis(&text).explain(FILE, offset).unwrap().unwrap();
    expect!["Not shared (`may-trap`): it may trap (nothing shows that `k` is not 0), and `n // k` is computed under a condition only."].assert_eq(&explanation.reasons.join("\n"));
}

#[test]
fn explanation_of_what_is_computed_once() {
    let (text, offset) = with_cursor(&function("A[i $0+ 17] = 1"));
    let explanation = analysis(&text).explain(FILE, offset).unwrap().unwrap();
    assert_eq!((explanation.decision, explanation.text.as_str()), ("single", "i + 17"));
}

#[test]
fn device_code_says_why_a_loop_is_no_pipeline() {
    let (text, at) = with_cursor(
        "\
from tvm.script import tir as T


@T.prim_func
def f(A: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16, 17), \"float32\")):
    for tx in T.thread_binding(16, thread=\"threadIdx.x\"):
        for i in T.serial(16, annotations={
            \"software_pipeline_stage\": [0, 1], \"software_pipeline_order\": [0, 1]
        }):
            C[tx, i] = A[tx, i] * T.float32(2)
            C[tx, i + 1] = $0C[tx, i] + T.float32(1)
",
    );
    let options = crate::TargetOptions::default();
    let view = analysis(&text).view_device_code(FILE, at, Target::Cuda, &options);
    let view = view.unwrap().unwrap().text;
    let told: Vec<_> = view.lines().filter(|it| it.contains("//")).map(str::trim).collect();
    expect![[r#"
        [
            "// not pipelined: an iteration may need what a later one would overwrite before",
        ]
    "#]]
    .assert_debug_eq(&told);
}

#[test]
fn device_code_of_a_kernel_and_of_none() {
    let kernel = "\
from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((128,), \"int32\")):
    with T.launch_thread(\"blockIdx.x\", 4) as b:
        t = T.launch_thread(\"threadIdx.x\", 32)
        A[b * 32 + t] = b * 32 + t
";
    let at = (kernel.find("A[b").unwrap() as u32).into();
    let options = crate::TargetOptions::default();
    let view =
        |target| analysis(kernel).view_device_code(FILE, at, target, &options).unwrap().unwrap();
    assert!(view(Target::Cuda).text.contains("__global__"), "{}", view(Target::Cuda).text);
    assert!(view(Target::OpenCl).text.contains("__kernel"), "{}", view(Target::OpenCl).text);
    let few = crate::TargetOptions { max_threads: Some(16), ..options.clone() };
    let refused = analysis(kernel).view_device_code(FILE, at, Target::Cuda, &few).unwrap().unwrap();
    assert_eq!(refused.notes, ["block-size: a block has 32 threads; `max-threads` allows 16"]);
    let launch = (kernel.find("with T.launch").unwrap() as u32).into();
    assert_eq!(refused.lines, [(0, launch)]);
    let help = refused.text.lines().nth(1);
    assert!(help.is_some_and(|it| it.starts_with("//   Split the loop")), "{}", refused.text);
    let (host, offset) = with_cursor(&function("A[0$0] = 1"));
    let view =
        analysis(&host).view_device_code(FILE, offset, Target::Cuda, &options).unwrap().unwrap();
    expect![[r#"
        // `f` launches no threads: it has no kernel
    "#]]
    .assert_eq(&view.text);
    let nowhere =
        analysis(kernel).view_device_code(FILE, 0.into(), Target::Cuda, &options).unwrap();
    assert_eq!(nowhere, None);
}

#[test]
fn lines_of_device_code_lead_to_what_was_unrolled_and_reduced() {
    let kernel = "\
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), \"float32\"), B: T.Buffer((1,), \"float32\")):
    for t in T.thread_binding(32, thread=\"threadIdx.x\"):
        for i in T.unroll(2):
            with T.sblock(\"sum\"):
                k = T.axis.reduce(64, i * 32 + t)
                with T.init():
                    B[0] = T.float32(0)
                B[0] = B[0] + A[k]
";
    let at = (kernel.find("B[0]").unwrap() as u32).into();
    let options = crate::TargetOptions::default();
    let view = analysis(kernel).view_device_code(FILE, at, Target::Cuda, &options).unwrap();
    let view = view.unwrap();
    let lead = |needle: &str| -> Vec<&str> {
        let mut found = Vec::new();
        for (number, _) in view.text.lines().enumerate().filter(|it| it.1.contains(needle)) {
            let place = view.lines.iter().rev().find(|it| it.0 as usize <= number);
            let start = usize::from(place.unwrap().1);
            found.push(kernel[start..].lines().next().unwrap().trim());
        }
        found
    };
    assert_eq!(lead("+ A["), ["B[0] = B[0] + A[k]"; 2], "{}", view.text);
    assert_eq!(lead("__shfl_down_sync")[0], "with T.sblock(\"sum\"):", "{}", view.text);
}

#[test]
fn the_same_expression_and_function_are_found_in_other_files() {
    let text = function("A[i * 4 + j * 2] = 1\nA[i * 4 + j * 2] = 2");
    let renamed = text.replace("A[", "Z[").replace("(A:", "(Z:").replace("def f", "def g");
    let mut host = crate::AnalysisHost::new();
    host.set_text(crate::FileId(0), crate::Language::TvmScript, text.clone().into());
    host.set_text(
        crate::FileId(1),
        crate::Language::TvmScript,
        format!("# moved\n{renamed}").into(),
    );
    let places = |host: &crate::AnalysisHost, needle: &str| {
        let offset = (text.find(needle).unwrap() as u32).into();
        let found = host.analysis().elsewhere(crate::FileId(0), offset).unwrap();
        let place =
            |it: &crate::Elsewhere| (it.file.0, u32::from(it.range.start()), it.is_function);
        found.iter().map(place).collect::<Vec<_>>()
    };
    let of_expression = places(&host, "i * 4");
    assert_eq!(of_expression.len(), 2, "{of_expression:?}");
    assert!(of_expression.iter().all(|it| it.0 == 1 && !it.2), "{of_expression:?}");
    let of_function = places(&host, "f(");
    assert_eq!(of_function.len(), 1);
    assert!(of_function[0].2);
    // An edit above moves places; one inside takes them away.
    host.set_text(
        crate::FileId(1),
        crate::Language::TvmScript,
        format!("# moved\n\n\n{renamed}").into(),
    );
    assert_eq!(places(&host, "i * 4")[0].1, of_expression[0].1 + 2);
    host.set_text(
        crate::FileId(1),
        crate::Language::TvmScript,
        renamed.replace("* 4", "* 5").into(),
    );
    assert_eq!(places(&host, "i * 4"), []);
    assert_eq!(places(&host, "f("), []);
    host.close_file(crate::FileId(1));
    assert_eq!(places(&host, "i * 4"), []);
}

/// The files in which the same function is, for one at a place of the first.
fn same_function(language: crate::Language, texts: &[String], needle: &str) -> Vec<u32> {
    let mut host = crate::AnalysisHost::new();
    for (file, text) in (0..).zip(texts) {
        host.set_text(crate::FileId(file), language, text.as_str().into());
    }
    let offset = (texts[0].find(needle).unwrap() as u32).into();
    let found = host.analysis().elsewhere(crate::FileId(0), offset).unwrap();
    assert!(found.iter().all(|it| it.is_function), "{found:?}");
    found.iter().map(|it| it.file.0).collect()
}

const MLIR_FUNCTION: &str = "\
func.func @f(%a: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^one, ^two(%a : i32)
^one:
  %0 = arith.addi %a, %a : i32
  cf.br ^two(%0 : i32)
^two(%1: i32):
  return %1 : i32
}
";

#[test]
fn the_same_function_of_mlir_is_found_in_other_files_up_to_names() {
    let text = MLIR_FUNCTION.to_owned();
    let renamed = text.replace("@f", "@other").replace("%a", "%x").replace("^two", "^end");
    let other = text.replace("addi", "muli");
    let moved = text.replace("^one, ^two(%a : i32)", "^two(%a : i32), ^one");
    let declared = "func.func private @f(i32, i1) -> i32\n".to_owned();
    let in_module = format!("module {{\n{renamed}}}\n");
    let files = [text, renamed, other, moved, declared, in_module];
    assert_eq!(same_function(crate::Language::Mlir, &files, "@f"), [1, 5]);
}

#[test]
fn the_same_program_of_pir_is_found_in_other_files_up_to_names() {
    let text = "{\n  (%0) = \"pd_op.data\" () {name:\"x\"} : () -> builtin.tensor<2xf32>\n  \
                (%1) = \"pd_op.relu\" (%0) {} : (builtin.tensor<2xf32>) -> builtin.tensor<2xf32>\n}\n";
    let renamed = text.replace("%1", "%7");
    let other = text.replace("relu", "tanh");
    let files = [text.to_owned(), renamed, other];
    assert_eq!(same_function(crate::Language::Pir, &files, "{"), [1]);
}

#[test]
fn closed_files_of_each_language_have_what_open_ones_have() {
    let pir = "{\n  (%0) = \"pd_op.data\" () {name:\"x\"} : () -> builtin.tensor<2xf32>\n}\n";
    let texts = [
        (crate::Language::TvmScript, function("A[i * 4 + j * 2] = 1"), "f("),
        (crate::Language::Mlir, format!("#m = 1 : i32\n{MLIR_FUNCTION}"), "@f"),
        (crate::Language::Pir, pir.to_owned(), "{"),
    ];
    for (language, text, needle) in texts {
        let mut host = crate::AnalysisHost::new();
        host.set_text(crate::FileId(0), language, text.as_str().into());
        let closed = crate::ClosedFile::read(crate::FileId(9), language, &text, &mut || true);
        host.workspace_index().replace(crate::FileId(9), closed.unwrap());
        let offset = (text.find(needle).unwrap() as u32).into();
        let found = host.analysis().elsewhere(crate::FileId(0), offset).unwrap();
        let [found] = &found[..] else { panic!("{language:?}: {found:?}") };
        assert_eq!((found.file.0, found.is_function), (9, true), "{language:?}");
        let stopped = crate::ClosedFile::read(crate::FileId(9), language, &text, &mut || false);
        assert!(stopped.is_none());
        host.workspace_index().remove(crate::FileId(9));
        assert_eq!(host.analysis().elsewhere(crate::FileId(0), offset), Ok(Vec::new()));
    }
}
