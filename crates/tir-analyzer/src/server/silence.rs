//! Silence is short: the answer to a request whose work takes longer than people like to wait for.
//!
//! A file of many functions is answered in part by the handler itself (`Snapshot::in_time`). One function that takes
//! longer, perhaps because another thread works on it, is met here: the request gets the part that is known, which is
//! nothing or a sentence, its work goes on, and the client is asked to ask again. Diagnostics that the client shows
//! stay where they are. The same question about the same text is answered so once: the second time its work is done, or
//! is waited for.
//!
//! No protocol has a client ask for actions again. Who opened their menu waits longer than a lamp beside the text does,
//! and is told where the menu stays empty.

use std::time::Duration;

use lsp_types as lsp;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};

/// The kind of a request for actions that a person made (`CodeActionTriggerKind`).
const INVOKED: i64 = 1;

/// The text of a hover about a function that is not read yet.
const NOT_YET: &str = "*tir-analyzer is still at work on this function.*";

/// An answer in part.
#[derive(Clone, Debug)]
pub(crate) struct InPart {
    method: String,
    pub(crate) uri: lsp::Uri,
    pub(crate) version: i32,
    /// The thing that is asked for, in the words of a log.
    what: &'static str,
    pub(crate) result: Value,
    /// True if a person asked, and sees nothing more than the answer.
    is_invoked: bool,
}

/// The budgets that a person waits for what was asked for.
const OF_PERSON: u32 = 5;

impl InPart {
    /// The answer in part to a request about a version of a document, if the method has one.
    pub(crate) fn new(method: &str, params: &Value, uri: lsp::Uri, version: i32) -> Option<InPart> {
        // The result that the client shows.
        let shown = params["previousResultId"].as_str();
        let (what, result) = match method {
            "textDocument/inlayHint" => ("hints", json!([])),
            "textDocument/diagnostic" => {
                let part = match shown {
                    Some(shown) => json!({ "kind": "unchanged", "resultId": shown }),
                    None => json!({ "kind": "full", "items": [] }),
                };
                ("diagnostics", part)
            }
            "textDocument/semanticTokens/full"
            | "textDocument/semanticTokens/full/delta"
            | "textDocument/semanticTokens/range" => ("tokens", Value::Null),
            "textDocument/codeAction" => ("actions", json!([])),
            "textDocument/codeLens" => ("lenses", json!([])),
            "textDocument/completion" => {
                ("completions", json!({ "isIncomplete": true, "items": [] }))
            }
            "textDocument/hover" => {
                ("the hover", json!({ "contents": { "kind": "markdown", "value": NOT_YET } }))
            }
            _ => return None,
        };
        let is_invoked = what == "actions" && params["context"]["triggerKind"] == INVOKED;
        Some(InPart { method: method.to_owned(), uri, version, what, result, is_invoked })
    }

    /// The time after which the part is the answer.
    pub(crate) fn patience(&self, budget: Duration) -> Duration {
        budget * if self.is_invoked { OF_PERSON } else { 1 }
    }

    /// The line of the log.
    pub(crate) fn told(&self, budget: Duration) -> String {
        let (InPart { uri, what, .. }, after) = (self, self.patience(budget).as_secs_f32());
        format!("{what} of {uri}: not ready after {after} s; the rest follows")
    }

    /// A message to a person who would see nothing at all.
    pub(crate) fn note(&self) -> Option<String> {
        self.is_invoked.then(|| {
            "tir-analyzer is still at work on this function: ask for its actions again in a moment"
                .to_owned()
        })
    }
}

/// The questions that were answered in part: by document its version, and the methods.
#[derive(Default)]
pub(crate) struct Answered(FxHashMap<lsp::Uri, (i32, FxHashSet<String>)>);

impl Answered {
    /// Returns true if this question was answered in part before.
    pub(crate) fn has(&self, it: &InPart) -> bool {
        let of_document = self.0.get(&it.uri);
        of_document.is_some_and(|(version, all)| *version == it.version && all.contains(&it.method))
    }

    /// Remembers a question. Gives whether it is the first one about this version.
    pub(crate) fn add(&mut self, it: &InPart) -> bool {
        let of_document = self.0.entry(it.uri.clone()).or_default();
        if of_document.0 != it.version {
            *of_document = (it.version, FxHashSet::default());
        }
        of_document.1.insert(it.method.clone()) && of_document.1.len() == 1
    }

    /// Forgets a document.
    pub(crate) fn forget(&mut self, uri: &lsp::Uri) {
        self.0.remove(uri);
    }
}
