//! Definitions, references, symbols, folds.

use expect_test::{Expect, expect};

use super::{FILE, analysis, definition, function, with_cursor};
use crate::{DocumentSymbol, TextRange};

fn line_of(text: &str, range: TextRange) -> String {
    let at = usize::from(range.start());
    let line = text[..at].matches('\n').count() + 1;
    format!("{line}: {}", &text[std::ops::Range::<usize>::from(range)])
}

#[track_caller]
fn check_definition(body: &str, expected: Expect) {
    let (text, offset) = with_cursor(&function(body));
    let analysis = analysis(&text);
    let definition = definition(&analysis, offset);
    let references = analysis.references(FILE, offset, true).unwrap().unwrap_or_default();
    let mut out = format!("{:?}\n", definition.map(|it| line_of(&text, it)));
    out.extend(references.iter().map(|it| format!("{}\n", line_of(&text, *it))));
    expected.assert_eq(&out);
}

#[test]
fn loop_variable_leads_to_its_loop() {
    check_definition(
        "for k in range(8):\n    A[k$0] = k + 1",
        expect![[r#"
        Some("6: k")
        6: k
        7: k
        7: k
    "#]],
    );
}

#[test]
fn parameter_leads_to_the_header() {
    check_definition(
        "A[n$0] = 1",
        expect![[r#"
        Some("5: n")
        5: n
        6: n
    "#]],
    );
}

#[test]
fn names_of_python_lead_to_their_import_and_have_no_references() {
    check_definition(
        "T$0.evaluate(0)",
        expect![[r#"
        Some("1: T")
    "#]],
    );
}

#[test]
fn outside_of_functions_there_is_nothing() {
    let (text, offset) = with_cursor("from tvm.script import tirx as T\nx$0 = 1\n");
    assert_eq!(definition(&analysis(&text), offset), None);
    assert_eq!(analysis(&text).hover(FILE, offset).unwrap(), None);
}

const MODULE: &str = "\
from tvm.script import ir as I
from tvm.script import tirx as T


class Other:
    pass


@I.ir_module
class Module:
    @T.prim_func
    def first(A: T.Buffer((8,), \"int32\")):
        B = T.alloc_buffer((8,), \"int32\")
        for i in range(8):
            if i > 3:
                A[i] = 1

    @T.prim_func
    def second(A: T.Buffer((8,), \"int32\")):
        for i, j in T.grid(2, 4):
            with T.sblock(\"update\"):
                A[i * 4 + j] = 1
";

fn render(text: &str, symbols: &[DocumentSymbol], depth: usize, out: &mut String) {
    for it in symbols {
        let place = line_of(text, it.selection_range);
        let place = place.lines().next().unwrap_or_default();
        out.push_str(&format!("{}{:?} {} ({place})\n", "  ".repeat(depth), it.kind, it.name));
        render(text, &it.children, depth + 1, out);
    }
}

#[test]
fn outline_has_functions_under_their_module() {
    let symbols = analysis(MODULE).document_symbols(FILE).unwrap();
    let mut out = String::new();
    render(MODULE, &symbols, 0, &mut out);
    expect![[r#"
        Module Module (10: Module)
          Function first (12: first)
            Buffer B (13: B)
          Function second (19: second)
            Block update (21: with T.sblock("update"):)
    "#]]
    .assert_eq(&out);
}

#[test]
fn outline_of_tilelang_has_what_the_text_has() {
    let text = "\
import tilelang.language as T


@T.macro
def fill(A):
    S = T.alloc_shared((8,), \"float32\")
    T.copy(A[0], S)


def make():
    @T.prim_func
    def f(A: T.Tensor((8,), \"float32\")):
        with T.Kernel(4, threads=32) as bx:
            R = T.alloc_fragment((8,), \"float32\")
            fill(A)
            fill(A)
            T.clear(R)

    return f
";
    let symbols = analysis(text).document_symbols(FILE).unwrap();
    let mut out = String::new();
    render(text, &symbols, 0, &mut out);
    expect![[r#"
        Function fill (5: fill)
        Function f (12: f)
          Buffer R (14: R)
    "#]]
    .assert_eq(&out);
}

#[test]
fn functions_and_statements_fold() {
    let line = |offset: crate::TextSize| MODULE[..usize::from(offset)].matches('\n').count() + 1;
    let folds = analysis(MODULE).folding_ranges(FILE).unwrap();
    let lines: Vec<(usize, usize)> =
        folds.iter().map(|it| (line(it.range.start()), line(it.range.end()))).collect();
    expect!["[(12, 16), (14, 16), (15, 16), (19, 22), (20, 22), (21, 22)]"]
        .assert_eq(&format!("{lines:?}"));
}

#[test]
fn coordinates_of_persistent_tiles_lead_to_their_names() {
    let (text, offset) = with_cursor(
        "\
import tilelang.language as T


@T.prim_func
def f(A: T.Tensor((64, 64), \"float32\")):
    with T.Kernel(4, threads=32) as block:
        for bx, by in T.Persistent([8, 8], 4, block):
            A[bx$0 * 8, by * 8] = T.float32(bx)
",
    );
    let analysis = analysis(&text);
    let shown = |it: TextRange| line_of(&text, it);
    let definition = definition(&analysis, offset).map(shown);
    let references = analysis.references(FILE, offset, true).unwrap().unwrap_or_default();
    let references: Vec<_> = references.into_iter().map(shown).collect();
    expect![[r#"Some("7: bx") ["7: bx", "8: bx", "8: bx"]"#]]
        .assert_eq(&format!("{definition:?} {references:?}"));
}
