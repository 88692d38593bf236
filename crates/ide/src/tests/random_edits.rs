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
