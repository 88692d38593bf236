//! Workspaces and clients that ask too much of a server.

mod client;
#[cfg(unix)]
mod files;
mod hangs;

use serde_json::{Value, json};
use tests::{document::Document, lsp::Server, samples};

/// A kernel with several common subexpressions.
fn kernel() -> Document {
    Document::new("file:///sample/softmax_dyn.py", samples::text("lowered_cuda", "te_softmax_dyn"))
}

/// Fails unless the server gives the hints of an open document.
#[track_caller]
fn assert_answers(server: &mut Server, document: &Document) {
    let hints = server.request("textDocument/inlayHint", document.over_all()).expect("hints");
    assert!(hints.as_array().is_some_and(|it| !it.is_empty()), "{hints}");
}

/// Returns the hover at an offset.
fn hover(server: &mut Server, document: &Document, offset: usize) -> String {
    let params: Value = json!({
        "textDocument": { "uri": document.uri() },
        "position": document.position(offset),
    });
    let hover = server.request("textDocument/hover", params).expect("a hover");
    hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
}
