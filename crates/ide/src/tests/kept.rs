//! The memory for a file with many functions: all is kept that is told of each, and few as they were read.

use super::{FILE, host};
use crate::{
    ActionKind, AnalysisHost, CodeAction, Diagnostic, DiagnosticsConfig, DocumentSymbol, Fold,
    InlayHint, InlayHintsConfig, Language, SemanticToken, TextRange,
};

/// More than are kept as they were read.
const N: usize = 300;

fn file(factor: usize) -> String {
    let function = |it: usize| {
        let factor = if it == 0 { factor } else { 7 };
        format!(
            r#"    @T.prim_func
    def f{it}(A: T.Buffer((128,), "int32"), B: T.Buffer((128,), "int32"), i: T.int32):
        A[i] = B[i * {factor} + {it}] + B[i * {factor} + {it}]
        if i * 2 == i * 2 + 1:
            A[i] = i + 0
"#
        )
    };
    let functions: String = (0..N).map(function).collect();
    format!(
        "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n{functions}"
    )
}

type Answers = (
    Vec<InlayHint>,
    Vec<Diagnostic>,
    Vec<SemanticToken>,
    Vec<DocumentSymbol>,
    Vec<Fold>,
    Vec<CodeAction>,
);

/// The answers that editors want about a whole file after each key.
fn answers(host: &AnalysisHost) -> Answers {
    let analysis = host.analysis();
    // Clients ask for the tooltip of a hint that the mouse is on.
    let hints = InlayHintsConfig { tooltips: false, ..InlayHintsConfig::default() };
    let wants = |it| !matches!(it, ActionKind::FixRule(_));
    let titles = analysis.code_action_titles(FILE, TextRange::default(), &wants);
    (
        analysis.inlay_hints(FILE, None, &hints).unwrap(),
        analysis.diagnostics(FILE, &DiagnosticsConfig::default()).unwrap(),
        analysis.semantic_tokens(FILE, None).unwrap(),
        analysis.document_symbols(FILE).unwrap(),
        analysis.folding_ranges(FILE).unwrap(),
        titles.unwrap(),
    )
}

#[test]
fn questions_about_a_file_read_the_edited_function_only() {
    let mut host = host(&file(5));
    let before = answers(&host);
    assert!(before.0.len() >= N && before.1.len() >= N && before.5.len() == 1);
    host.let_go();
    for factor in [9, 11] {
        host.start_query_log();
        host.set_text(FILE, Language::TvmScript, file(factor).as_str().into());
        let after = answers(&host);
        let log = host.take_query_log();
        let of = |query: &str| log.iter().filter(|it| it.starts_with(query)).collect::<Vec<_>>();
        assert_eq!(of("lowered("), ["lowered(f0)"]);
        assert_eq!(of("plan("), ["plan(f0)"]);
        assert_eq!(of("findings("), ["findings(f0)"]);
        assert_eq!(after, answers(&super::host(&file(factor))));
        host.let_go();
    }
    // What was let go is read again by who asks.
    host.start_query_log();
    let all = InlayHintsConfig { tooltips: true, ..InlayHintsConfig::default() };
    let with_tooltips = host.analysis().inlay_hints(FILE, None, &all).unwrap();
    assert_eq!(
        with_tooltips,
        super::host(&file(11)).analysis().inlay_hints(FILE, None, &all).unwrap()
    );
    let log = host.take_query_log();
    let n_lowered = log.iter().filter(|it| it.starts_with("lowered(")).count();
    assert!((N / 2..N).contains(&n_lowered), "{n_lowered}");
}

#[test]
fn what_was_made_in_advance_is_all_that_is_asked() {
    let mut host = host(&file(5));
    for first in (0..N).step_by(16) {
        host.analysis().warm(FILE, first..N.min(first + 16)).unwrap();
        host.let_go();
    }
    host.start_query_log();
    let analysis = host.analysis();
    let hints = InlayHintsConfig { tooltips: false, ..InlayHintsConfig::default() };
    analysis.inlay_hints(FILE, None, &hints).unwrap();
    analysis.diagnostics(FILE, &DiagnosticsConfig::default()).unwrap();
    analysis.semantic_tokens(FILE, None).unwrap();
    analysis.document_symbols(FILE).unwrap();
    analysis.folding_ranges(FILE).unwrap();
    let log = host.take_query_log();
    let read = log.iter().filter(|it| it.starts_with("lowered(") || it.starts_with("plan("));
    assert_eq!(read.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn nothing_is_let_go_while_somebody_asks() {
    let mut host = host(&file(5));
    let analysis = host.analysis();
    let before = analysis.inlay_hints(FILE, None, &InlayHintsConfig::default());
    host.let_go();
    assert_eq!(analysis.inlay_hints(FILE, None, &InlayHintsConfig::default()), before);
}
