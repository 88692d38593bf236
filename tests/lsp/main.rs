//! The protocol, as an editor sees it: the real server over pipes, right and wrong messages, in any order.

mod calls;
mod edits;
mod encodings;
mod features;
mod findings;
mod handshake;
mod malformed;
mod manners;
mod notebooks;
mod operations;
mod order;
mod settings;
#[cfg(unix)]
mod tilelang;
mod workspace;

use serde_json::Value;
use tempfile::TempDir;
use tests::document::Document;
use tests::lsp::Server;
use tests::samples;

/// A ready server, in an empty folder of its own.
fn server() -> (Server, TempDir) {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    (Server::start(dir.path()), dir)
}

/// A ready server with one document open.
fn server_with(document: &Document) -> (Server, TempDir) {
    let (mut server, dir) = server();
    server.open(document);
    (server, dir)
}

/// A kernel with several common subexpressions and dynamic shapes.
fn softmax() -> Document {
    Document::new("file:///sample/softmax_dyn.py", samples::text("lowered_cuda", "te_softmax_dyn"))
}

/// The hints of the whole document.
#[track_caller]
fn hints(server: &mut Server, document: &Document) -> Vec<Value> {
    match server.request("textDocument/inlayHint", document.over_all()) {
        Ok(Value::Array(hints)) => hints,
        Ok(Value::Null) => Vec::new(),
        other => panic!("hints are {other:?}"),
    }
}

/// The text of a hint's label.
fn label(hint: &Value) -> String {
    match &hint["label"] {
        Value::Array(parts) => parts.iter().filter_map(|part| part["value"].as_str()).collect(),
        other => other.as_str().unwrap_or_default().to_owned(),
    }
}

/// Fails unless the server still answers rightly.
#[track_caller]
fn assert_lives(server: &mut Server) {
    let document = softmax();
    server.open(&document);
    assert!(!hints(server, &document).is_empty(), "the server lives but has lost its wits");
}
