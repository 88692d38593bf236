//! Many messages at once: order of changes, cancellation, other documents.

use serde_json::json;
use tests::document::Document;
use tests::lsp::{Server, code};

use crate::{assert_lives, hints, label, server, server_with, softmax};

/// Answers that an edit or a cancellation may replace a result by.
const INTERRUPTED: [i64; 2] = [code::REQUEST_CANCELLED, code::CONTENT_MODIFIED];

#[test]
fn requests_see_all_changes_before_them() {
    let mut document = softmax();
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    // One hint more must not be beyond those of its function.
    std::fs::write(dir.path().join("tir-analyzer.toml"), "[hints]\nper-function = 100\n").unwrap();
    let mut server = Server::start(dir.path());
    server.open(&document);
    let before = hints(&mut server, &document);
    let line = "                T_softmax_norm_1[threadIdx_x * T.int64(77)] = A_1[threadIdx_x * T.int64(77)]\n";
    let at = document.find("                in_thread_T_softmax_expsum_shared[0] = T.float32(0.0)");
    for (index, c) in line.char_indices() {
        let change = document.replace(at + index, at + index, &c.to_string());
        server.change(change);
    }
    let after = hints(&mut server, &document);
    assert_eq!(after.len(), before.len() + 1, "{after:#?}");
}

#[test]
fn cancelled_request_is_answered_and_the_server_goes_on() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let ids: Vec<i64> =
        (0..20).map(|_| server.send("textDocument/inlayHint", document.over_all())).collect();
    ids.iter().for_each(|&id| server.cancel(id));
    for id in ids {
        if let Err(error) = server.wait_for(id) {
            assert!(INTERRUPTED.contains(&error.code), "{error:?}");
        }
    }
    server.cancel(777);
    assert!(!hints(&mut server, &document).is_empty());
}

#[test]
fn requests_overtaken_by_changes_are_answered() {
    let mut document = softmax();
    let (mut server, _dir) = server_with(&document);
    let at = document.find("        with T.launch_thread(\"blockIdx.x\", n)");
    let mut ids = Vec::new();
    for round in 0..30 {
        ids.push(server.send("textDocument/inlayHint", document.over_all()));
        let change = document.replace(at, at, &format!("        # {round}\n"));
        server.change(change);
    }
    for id in ids {
        if let Err(error) = server.wait_for(id) {
            assert!(INTERRUPTED.contains(&error.code), "{error:?}");
        }
    }
    assert!(!hints(&mut server, &document).is_empty());
}

#[test]
fn documents_do_not_mix() {
    let first = softmax();
    let (mut server, _dir) = server_with(&first);
    let alone: Vec<String> = hints(&mut server, &first).iter().map(label).collect();
    let mut second = Document::new("file:///sample/other.py", first.text());
    server.open(&second);
    let change = second.replace(0, second.text().len(), "x = 1\n");
    server.change(change);
    assert_eq!(hints(&mut server, &second).len(), 0);
    assert_eq!(hints(&mut server, &first).iter().map(label).collect::<Vec<_>>(), alone);
    server.notify("textDocument/didClose", json!({ "textDocument": second.identifier() }));
    assert_eq!(hints(&mut server, &first).iter().map(label).collect::<Vec<_>>(), alone);
}

#[test]
fn document_may_be_closed_and_opened_again_with_another_text() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    server.notify("textDocument/didClose", json!({ "textDocument": document.identifier() }));
    let other = Document::new(document.uri(), "x = 1\n");
    server.open(&other);
    assert_eq!(hints(&mut server, &other).len(), 0);
    server.notify("textDocument/didClose", json!({ "textDocument": document.identifier() }));
    assert_lives(&mut server);
}

#[test]
fn unusual_uris_are_told_apart() {
    let (mut server, _dir) = server();
    for uri in
        ["untitled:Untitled-1", "file:///a%20b/%C3%A4.py", "vscode-notebook-cell:/x.ipynb#W0sZ"]
    {
        let document = Document::new(uri, softmax().text());
        server.open(&document);
        assert!(!hints(&mut server, &document).is_empty(), "no hints for {uri}");
    }
}
