//! Signatures, callers and callees, symbols of the workspace, and names of the script, over the protocol.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::document::Document;
use tests::lsp::{PATIENCE, Server, uri_of};

const OPS: &str = "\
from tvm.script import tirx as T


@T.macro
def add(A, i):
    A[i] = A[i] + 1
";

const KERNEL: &str = "\
from tvm.script import tirx as T
from ops import add


@T.prim_func
def kernel(A: T.Buffer((64,), \"int32\")):
    for i in range(64):
        add(A, i)
        A[i] = T.max(A[i], 3)
";

#[track_caller]
fn ask(server: &mut Server, method: &str, params: Value) -> Value {
    server.request(method, params).expect("an answer")
}

#[test]
fn calls_are_known_in_files_that_are_not_open() {
    let dir = tempfile::tempdir().unwrap();
    let (ops, kernel) = (dir.path().join("ops.py"), dir.path().join("kernel.py"));
    std::fs::write(&ops, OPS).unwrap();
    std::fs::write(&kernel, KERNEL).unwrap();
    let mut server = Server::start(dir.path());
    let document = Document::new(uri_of(&kernel), KERNEL);
    server.open(&document);

    let at = document.at(document.find("A[i], 3)") + "A[i], ".len());
    let help = ask(&mut server, "textDocument/signatureHelp", at);
    assert_eq!(help["signatures"][0]["label"], "T.max(a, b)");
    assert_eq!(help["signatures"][0]["parameters"][1]["label"], json!([9, 10]));
    assert_eq!(help["activeParameter"], 1);

    let at = document.at(document.find("def kernel") + "def ".len());
    let items = ask(&mut server, "textDocument/prepareCallHierarchy", at);
    assert_eq!(items[0]["name"], "kernel");
    let params = json!({ "item": items[0] });
    let callees = ask(&mut server, "callHierarchy/outgoingCalls", params);
    assert_eq!(callees.as_array().map(Vec::len), Some(1), "{callees:#}");
    let to = &callees[0]["to"];
    assert_eq!((&to["name"], &to["uri"]), (&json!("add"), &json!(uri_of(&ops))));
    assert_eq!(to["selectionRange"]["start"], json!({ "line": 4, "character": 4 }));

    let callers = ask(&mut server, "callHierarchy/incomingCalls", json!({ "item": to }));
    assert_eq!(callers[0]["from"]["name"], "kernel", "{callers:#}");
    let start = &callers[0]["fromRanges"][0]["start"];
    assert_eq!(document.offset(start), document.find("add(A, i)"));
}

#[test]
fn symbols_of_the_workspace_are_found_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let (ops, kernel) = (dir.path().join("ops.py"), dir.path().join("kernel.py"));
    std::fs::write(&ops, OPS).unwrap();
    let mut server = Server::start(dir.path());
    server.open(&Document::new(uri_of(&kernel), KERNEL));
    let found = ask(&mut server, "workspace/symbol", json!({ "query": "kern" }));
    assert_eq!(found[0]["name"], "kernel");
    assert_eq!(found[0]["location"]["uri"], uri_of(&kernel));
    let start = Instant::now();
    loop {
        let found = ask(&mut server, "workspace/symbol", json!({ "query": "add" }));
        if found[0]["name"] == "add" {
            assert_eq!(found[0]["location"]["uri"], uri_of(&ops));
            break;
        }
        assert!(start.elapsed() < PATIENCE, "{found}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn members_of_the_script_are_completed_behind_their_dot() {
    let text = KERNEL.replace("T.max(A[i], 3)", "T.if_");
    let document = Document::new("file:///sample/kernel.py", &text);
    let (mut server, _dir) = crate::server_with(&document);
    let at = document.at(document.find("T.if_") + "T.if_".len());
    let answer = ask(&mut server, "textDocument/completion", at);
    assert_eq!(answer["items"][0]["label"], "if_then_else");
    // A mark that begins a name of MLIR is an operator here.
    let mut at = document.at(document.find("T.if_"));
    at["context"] = json!({ "triggerKind": 2, "triggerCharacter": "%" });
    assert_eq!(ask(&mut server, "textDocument/completion", at), Value::Null);
}
