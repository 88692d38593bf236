//! After any edits, answers are those of a fresh analysis of the same text.

use syntax::Edit;
use test_utils::{Rng, sample_files};

use super::{FILE, host};
use crate::{
    Analysis, Diagnostic, DiagnosticsConfig, DocumentSymbol, Fold, InlayHint, InlayHintsConfig,
    TextRange,
};

/// Files longer than this are left to the tests of the server.
const MAX_LEN: usize = 30_000;

const PIECES: &[&str] = &[
    "\n",
    "    ",
    "x",
    "(",
    ")",
    "[",
    "]",
    "\"",
    "'''",
    "#",
    ":",
    "+ 1",
    "i * 4",
    "\n        T.evaluate(0)\n",
    "\n@T.prim_func\ndef main(a: T.handle):\n    T.evaluate(a)\n",
    "\nif True:\n",
    "é",
    "\r\n",
    "for i in range(4):",
    "x = 16\n",
    "\nN = 4\n",
];

type Answers = (Vec<InlayHint>, Vec<Diagnostic>, Vec<DocumentSymbol>, Vec<Fold>);

fn answers(analysis: &Analysis) -> Answers {
    let config = InlayHintsConfig { all: true, ..InlayHintsConfig::default() };
    (
        analysis.inlay_hints(FILE, None, &config).unwrap(),
        analysis.diagnostics(FILE, &DiagnosticsConfig::default()).unwrap(),
        analysis.document_symbols(FILE).unwrap(),
        analysis.folding_ranges(FILE).unwrap(),
    )
}

fn random_edit(rng: &mut Rng, text: &str) -> Edit {
    let boundary = |at: usize| text.floor_char_boundary(at);
    let start = boundary(rng.below(text.len() + 1));
    let most = if rng.one_in(8) { 400 } else { 6 };
    let end = boundary((start + rng.below(most)).min(text.len()));
    let range = TextRange::new((start as u32).into(), (end.max(start) as u32).into());
    Edit::replace(range, if rng.one_in(3) { "" } else { *rng.pick(PIECES) })
}

#[test]
fn edited_files_answer_like_fresh_ones() {
    let samples: Vec<_> = sample_files().into_iter().filter(|it| it.text.len() < MAX_LEN).collect();
    assert!(!samples.is_empty());
    let mut rng = Rng::new(11);
    for sample in samples.iter().step_by(3) {
        let mut text = sample.text.clone();
        let mut parse = syntax::parse(&text);
        let mut edited = host(&text);
        answers(&edited.analysis());
        for round in 0..12 {
            let edit = random_edit(&mut rng, &text);
            edit.apply(&mut text);
            parse = parse.reparse(&edit).parse;
            edited.open_file(FILE, parse.clone());
            if round % 3 == 2 {
                let (old, fresh) = (answers(&edited.analysis()), answers(&host(&text).analysis()));
                assert_eq!(old, fresh, "{} after {edit:?}:\n{text}", sample.name);
            } else {
                answers(&edited.analysis());
            }
        }
    }
}

const MLIR_PIECES: &[&str] = &[
    "\n",
    " ",
    "(",
    ")",
    "{",
    "}",
    "%0",
    "%a",
    "^bb1",
    "@f",
    "#map",
    ": i32",
    "\n%x = \"arith.addi\"(%0, %0) : (i32, i32) -> i32\n",
    "\nfunc.func @f(%a: i32) {\n  return\n}\n",
    "\n// -----\n",
    "// c\n",
    "#map = affine_map<(d0) -> (d0)>\n",
    "module {\n",
    "() = \"pd_op.x\" (%0) {} : (tensor<f32>) -> \n",
];

#[test]
fn edited_files_of_operations_answer_like_fresh_ones() {
    let samples = test_utils::ir_samples();
    let short = samples.iter().filter(|it| it.text.len() < 6_000).step_by(5);
    let mut rng = Rng::new(12);
    let ask = |analysis: &Analysis| (answers(analysis), analysis.semantic_tokens(FILE, None));
    for sample in short {
        let language = crate::Language::of_file(sample.name.as_ref(), &sample.text);
        let fresh = |text: &str| {
            let mut host = crate::AnalysisHost::new();
            host.open_file(FILE, syntax::parse_as(language, text));
            host
        };
        let mut text = sample.text.clone();
        let mut parse = syntax::parse_as(language, &text);
        let mut edited = fresh(&text);
        ask(&edited.analysis()).1.unwrap();
        for round in 0..12 {
            let mut edit = random_edit(&mut rng, &text);
            if !edit.text.is_empty() {
                edit.text = (*rng.pick(MLIR_PIECES)).to_owned();
            }
            edit.apply(&mut text);
            parse = parse.reparse(&edit).parse;
            edited.open_file(FILE, parse.clone());
            let new = ask(&edited.analysis());
            if round % 3 == 2 {
                assert!(new == ask(&fresh(&text).analysis()), "{}: {edit:?}:\n{text}", sample.name);
            }
        }
    }
}

/// Edits that make and take errors in attributes, in a function that is large enough to be looked at in parts, and
/// elsewhere in its document.
#[test]
fn errors_in_attributes_are_those_of_the_text_as_it_is() {
    let mut text = "#map = affine_map<(d0) -> (d0)>\nfunc.func @f(%i: index) {\n".to_owned();
    for n in 0..60 {
        text += &format!("  %{n} = affine.apply #map(%i) {{k = {n} : i32, l = [1, 2]}}\n");
    }
    text += "  return\n}\n";
    let edits = [
        ("k = 30", "l = 30"),
        ("apply #map(%i) {k = 31", "apply #gone(%i) {k = 31"),
        ("l = 30", "k = 30"),
        ("#map = ", "#mop = "),
        ("#gone(", "#mop("),
        ("k = 7 ", "k = #mop, m = 7 "),
        ("#mop = affine", "#map = affine"),
        ("{k = 12 : i32, l = [1, 2]}", "{a = affine_map<(d0) -> (d1)>}"),
        ("  return", "  foo.bar %i {a = 1, a = #no}\n  return"),
        ("foo.bar %i", "\"foo.bar\"(%i)"),
        ("-> (d1)", "-> (d0)"),
    ];
    let mut parse = syntax::parse_as(crate::Language::Mlir, &text);
    let mut edited = crate::AnalysisHost::new();
    edited.open_file(FILE, parse.clone());
    let diagnostics = |host: &crate::AnalysisHost| {
        host.analysis().diagnostics(FILE, &DiagnosticsConfig::default()).unwrap()
    };
    diagnostics(&edited);
    let mut n_told = Vec::new();
    for (from, to) in edits {
        let at = text.find(from).unwrap();
        let range = TextRange::at((at as u32).into(), (from.len() as u32).into());
        let edit = Edit::replace(range, to);
        edit.apply(&mut text);
        parse = parse.reparse(&edit).parse;
        edited.open_file(FILE, parse.clone());
        let mut fresh = crate::AnalysisHost::new();
        fresh.open_file(FILE, syntax::parse_as(crate::Language::Mlir, &text));
        let told = diagnostics(&edited);
        assert_eq!(told, diagnostics(&fresh), "after {from:?} became {to:?}");
        let is_of_attribute = |it: &&Diagnostic| {
            ["duplicate-key", "undefined-alias", "undefined-affine-name"].contains(&it.code)
        };
        n_told.push(told.iter().filter(is_of_attribute).count());
    }
    assert_eq!(n_told, [1, 2, 1, 60, 59, 59, 2, 3, 3, 5, 4]);
}
