//! Whatever is edited in whatever order: the server answers as one that has only seen the last text.

use serde_json::{Value, json};
use tests::document::Document;
use tests::lsp::Server;
use tests::samples;

use crate::server;

/// The requests after the edits.
const QUESTIONS: &[&str] = &[
    "textDocument/inlayHint",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/diagnostic",
];

/// Pieces that edits insert: whole statements, half ones, and text that upsets a parser.
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
    " + threadIdx_x * 3",
    "\n        T.evaluate(0)\n",
    "\n    @T.prim_func\n    def main(a: T.handle):\n        T.evaluate(a)\n",
    "\nif True:\n",
    "é𝔸",
    "\t",
    "\r\n",
    "T.launch_thread(\"threadIdx.x\", 32)",
];

/// Numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn edit(&mut self, document: &mut Document) -> Value {
        let start = self.place(document.text());
        let mut end = (start + self.below(40)).min(document.text().len());
        while !document.text().is_char_boundary(end) {
            end += 1;
        }
        match self.below(3) {
            0 => document.replace(start, end, ""),
            1 => document.replace(start, start, PIECES[self.below(PIECES.len())]),
            _ => document.replace(start, end, PIECES[self.below(PIECES.len())]),
        }
    }
}

/// All answers about a document, without the ids of results.
fn answers(server: &mut Server, document: &Document) -> Vec<Value> {
    QUESTIONS
        .iter()
        .map(|method| {
            let mut answer = server.request(method, document.over_all()).expect("an answer");
            if let Some(report) = answer.as_object_mut() {
                report.remove("resultId");
            }
            answer
        })
        .collect()
}

#[track_caller]
fn check_session(stage: &str, name: &str, seed: u64, edits: usize) {
    let mut random = Random(seed);
    let original = samples::text(stage, name);
    let mut document = Document::new(format!("file:///sample/{name}.py"), original.clone());
    let (mut old, _dir) = server();
    old.open(&document);
    for round in 0..edits {
        let change = random.edit(&mut document);
        old.change(change);
        if round % 10 == 9 {
            let (mut fresh, _dir) = server();
            fresh.open(&document);
            let (ours, theirs) = (answers(&mut old, &document), answers(&mut fresh, &document));
            assert_eq!(
                json!(ours),
                json!(theirs),
                "after {round} edits with seed {seed} of {}",
                document.text()
            );
        }
    }
    // Taking everything back must give everything back.
    let change = document.replace(0, document.text().len(), &original);
    old.change(change);
    let (mut fresh, _dir) = server();
    fresh.open(&document);
    assert_eq!(answers(&mut old, &document), answers(&mut fresh, &document));
}

#[test]
fn edited_kernel_is_as_good_as_a_fresh_one() {
    for seed in 0..3 {
        check_session("lowered_cuda", "te_softmax_dyn", seed, 40);
    }
}

#[test]
fn edited_scheduled_kernel_is_as_good_as_a_fresh_one() {
    check_session("scheduled_cuda", "te_batch_matmul", 7, 40);
}

#[test]
fn edited_module_of_many_functions_is_as_good_as_a_fresh_one() {
    check_session("lowered_cpu", "model_mobilenet", 11, 40);
}

#[test]
fn document_sent_as_a_whole_is_as_good_as_a_fresh_one() {
    let mut document = crate::softmax();
    let (mut old, _dir) = server();
    old.open(&document);
    document.replace_once("softmax_dyn(", "softmax_other(");
    let change = document.change_all_params();
    old.change(change);
    let (mut fresh, _dir) = server();
    fresh.open(&document);
    assert_eq!(answers(&mut old, &document), answers(&mut fresh, &document));
}
