//! Settings by folder: each document has those of the nearest file above it, as the command line has.

use std::path::Path;

use serde_json::{Value, json};
use tests::document::Document;
use tests::lsp::{Server, uri_of};

const SHARED: &str = "from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), i: T.int32):
    A[i * 4 + 1] = i * 4 + 1
    B[i * 4 + 1] = i * 4 + 1
";

const UNKNOWN: &str = "func.func @f(%a: i32) -> i32 {
  %0 = \"my.op\"(%a) : (i32) -> i32
  %1 = \"my.op\"(%a) : (i32) -> i32
  %2 = arith.addi %0, %1 : i32
  return %2 : i32
}
";

const OFF: &str = "[hints]\nenable = false\n";

const PURE: &str = "[[effects.mlir]]\nops = [\"my.op\"]\n";

/// A document on disk.
fn on_disk(root: &Path, name: &str, text: &str) -> Document {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
    std::fs::write(&path, text).expect("it can be written");
    Document::new(uri_of(&path), text.to_owned())
}

fn n_hints(server: &mut Server, document: &Document) -> usize {
    let params = document.over(0, document.text().len());
    let hints = server.request("textDocument/inlayHint", params).expect("hints");
    hints.as_array().map_or(0, Vec::len)
}

/// Tells the server that a settings file is another one.
fn write_settings(server: &mut Server, path: &Path, text: Option<&str>) {
    match text {
        Some(text) => std::fs::write(path, text).expect("it can be written"),
        None => std::fs::remove_file(path).expect("it can be removed"),
    }
    let change = json!({ "uri": uri_of(path), "type": 2 });
    server.notify("workspace/didChangeWatchedFiles", json!({ "changes": [change] }));
}

#[test]
fn the_nearest_file_counts_for_each_document() {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let outer = on_disk(dir.path(), "a.py", SHARED);
    let inner = on_disk(dir.path(), "quiet/deep/a.py", SHARED);
    std::fs::write(dir.path().join("quiet/tir-analyzer.toml"), OFF).expect("it can be written");
    let mut server = Server::start(dir.path());
    server.open(&outer);
    server.open(&inner);
    let hints = n_hints(&mut server, &outer);
    assert!(hints > 0);
    assert_eq!(n_hints(&mut server, &inner), 0, "the settings in between");

    // One that is nearer, and one that goes.
    let nearest = dir.path().join("quiet/deep/tir-analyzer.toml");
    write_settings(&mut server, &nearest, Some(""));
    assert_eq!(n_hints(&mut server, &inner), hints);
    write_settings(&mut server, &nearest, None);
    assert_eq!(n_hints(&mut server, &inner), 0);
    write_settings(&mut server, &dir.path().join("quiet/tir-analyzer.toml"), None);
    assert_eq!(n_hints(&mut server, &inner), hints);
    assert_eq!(n_hints(&mut server, &outer), hints);
}

#[test]
fn two_folders_know_different_operations() {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let plain = on_disk(dir.path(), "plain/a.mlir", UNKNOWN);
    let known = on_disk(dir.path(), "known/a.mlir", UNKNOWN);
    std::fs::write(dir.path().join("known/tir-analyzer.toml"), PURE).expect("it can be written");
    std::fs::write(dir.path().join("plain/tir-analyzer.toml"), "").expect("it can be written");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = tests::lsp::usual_capabilities();
    capabilities["workspace"]["workspaceFolders"] = json!(true);
    server.initialize(capabilities, &dir.path().join("plain")).expect("the server is ready");
    let added = json!([{ "uri": uri_of(&dir.path().join("known")), "name": "known" }]);
    let event = json!({ "event": { "added": added, "removed": [] } });
    server.notify("workspace/didChangeWorkspaceFolders", event);
    server.open(&plain);
    server.open(&known);
    assert_eq!(n_hints(&mut server, &plain), 0, "nothing is known of the operation");
    assert!(n_hints(&mut server, &known) > 0);
    let symbols = json!({ "textDocument": known.identifier() });
    assert_ne!(server.request("textDocument/documentSymbol", symbols), Ok(Value::Null));
    write_settings(&mut server, &dir.path().join("known/tir-analyzer.toml"), Some(""));
    assert_eq!(n_hints(&mut server, &known), 0);
}

#[test]
fn a_broken_file_leaves_the_last_settings_in_force() {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let document = on_disk(dir.path(), "a.py", SHARED);
    let settings = dir.path().join("tir-analyzer.toml");
    std::fs::write(&settings, OFF).expect("it can be written");
    let mut server = Server::start(dir.path());
    server.open(&document);
    assert_eq!(n_hints(&mut server, &document), 0);
    write_settings(&mut server, &settings, Some("[hints\n"));
    let message = server.notification("window/showMessage");
    let message = message["message"].as_str().expect("a text");
    assert!(message.contains("tir-analyzer.toml"), "{message}");
    assert_eq!(n_hints(&mut server, &document), 0);
    write_settings(&mut server, &settings, Some(""));
    assert!(n_hints(&mut server, &document) > 0);
}
