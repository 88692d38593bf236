//! Closed files of the workspace: hovers list the same expression in files that are not open.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::document::Document;
use tests::lsp::{PATIENCE, Server, uri_of, usual_capabilities};

/// A module with one function that stores an expression to all elements.
fn module(name: &str, expression: &str) -> String {
    format!(
        "from tvm.script import tirx as T\n\n\n@T.prim_func\ndef {name}(A: T.Buffer((64,), \"int32\"), x: T.int32, \
         y: T.int32):\n    for i in range(64):\n        A[i] = {expression}\n"
    )
}

const SHARED: &str = "(x * y + i) * (x - y) + x * 3";

/// Returns the hover on the expression.
fn hover(server: &mut Server, document: &Document) -> String {
    let at = document.find("* (x - y)");
    let answer = server.request("textDocument/hover", document.at(at)).expect("a hover");
    answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

/// Asks again until the hover is as it should be: files are read in the background.
#[track_caller]
fn wait_until(server: &mut Server, document: &Document, is_right: impl Fn(&str) -> bool) -> String {
    let start = Instant::now();
    loop {
        let text = hover(server, document);
        if is_right(&text) {
            return text;
        }
        assert!(start.elapsed() < PATIENCE, "{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn changed(path: &Path, kind: u32) -> Value {
    json!({ "changes": [{ "uri": uri_of(path), "type": kind }] })
}

#[test]
fn imported_values_follow_the_files_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let (kernel, sizes) = (dir.path().join("ops/kernel.py"), dir.path().join("sizes.py"));
    std::fs::create_dir(kernel.parent().unwrap()).unwrap();
    std::fs::write(&sizes, "N = 16\n").unwrap();
    let text = "from tvm.script import tirx as T\nfrom sizes import N\n\n\n@T.prim_func\n\
                def f(A: T.Buffer((64,), \"int32\")):\n    A[0] = N\n";
    let mut server = Server::start(dir.path());
    let document = Document::new(uri_of(&kernel), text);
    server.open(&document);
    let at = document.at(document.find("A[0] = N") + "A[0] = ".len());
    let value = |server: &mut Server| {
        let answer = server.request("textDocument/hover", at.clone()).expect("a hover");
        answer["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    assert!(value(&mut server).contains("`N = 16`, imported from `sizes.py`"));
    std::fs::write(&sizes, "N = 24\n").unwrap();
    server.notify("workspace/didChangeWatchedFiles", changed(&sizes, 2));
    assert!(value(&mut server).contains("`N = 24`, imported from `sizes.py`"));
    std::fs::remove_file(&sizes).unwrap();
    server.notify("workspace/didChangeWatchedFiles", changed(&sizes, 3));
    assert!(!value(&mut server).contains("imported from"));
}

#[test]
fn closed_files_are_elsewhere_too() {
    let dir = tempfile::tempdir().unwrap();
    let (open, closed) = (dir.path().join("open.py"), dir.path().join("sub dir/closed.py"));
    std::fs::create_dir(closed.parent().unwrap()).unwrap();
    std::fs::write(&open, module("here", SHARED)).unwrap();
    std::fs::write(dir.path().join("ignored.py"), module("ignored", SHARED)).unwrap();
    std::fs::write(dir.path().join(".gitignore"), "ignored.py\n").unwrap();
    std::fs::write(&closed, module("other", SHARED)).unwrap();
    let mut server = Server::start(dir.path());
    let document = Document::new(uri_of(&open), module("here", SHARED));
    server.open(&document);
    let text = wait_until(&mut server, &document, |it| it.contains("closed.py"));
    let link = format!("- [closed.py:7]({}#L7) in `other`", uri_of(&closed));
    assert!(text.contains(&link), "{text}");
    assert!(!text.contains("open.py"), "the open file is told by its document only: {text}");
    assert!(!text.contains("ignored.py"), "{text}");

    // It changes: two lines further down now.
    std::fs::write(&closed, format!("\n\n{}", module("moved", SHARED))).unwrap();
    server.notify("workspace/didChangeWatchedFiles", changed(&closed, 2));
    wait_until(&mut server, &document, |it| it.contains("closed.py:9](") && it.contains("`moved`"));

    // Opened, its document says where it is; closed again, the disk does.
    let mut other = Document::new(uri_of(&closed), module("edited", SHARED));
    server.open(&other);
    let text = hover(&mut server, &document);
    assert!(text.contains("closed.py:7](") && !text.contains("closed.py:9]("), "{text}");
    let change = other.replace_once(SHARED, "x");
    server.change(change);
    let text = hover(&mut server, &document);
    assert!(!text.contains("closed.py"), "{text}");
    server.notify("textDocument/didClose", json!({ "textDocument": other.identifier() }));
    wait_until(&mut server, &document, |it| it.contains("closed.py:9]("));

    // It goes.
    std::fs::remove_file(&closed).unwrap();
    server.notify("workspace/didChangeWatchedFiles", changed(&closed, 3));
    wait_until(&mut server, &document, |it| !it.contains("closed.py"));
    assert_eq!(server.shutdown().code(), Some(0));
}

#[test]
fn settings_say_whether_and_how_much_is_read() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.py", module("first", SHARED)),
        ("b.py", format!("{}# {}\n", module("large", SHARED), "x".repeat(5_000))),
        ("c.py", module("second", SHARED)),
        ("d.py", module("third", SHARED)),
    ] {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    std::fs::write(
        dir.path().join("tir-analyzer.toml"),
        "[elsewhere]\nmax-files = 2\nmax-file-size = 2000\n",
    )
    .unwrap();
    let mut server = Server::spawn(dir.path());
    let mut capabilities = usual_capabilities();
    capabilities["workspace"]["configuration"] = json!(false);
    server.initialize(capabilities, dir.path()).unwrap();
    let document = Document::new("file:///elsewhere/here.py", module("here", SHARED));
    server.open(&document);
    let text = wait_until(&mut server, &document, |it| it.contains("a.py") && it.contains("c.py"));
    assert!(!text.contains("b.py") && !text.contains("d.py"), "{text}");
    let off = json!({ "settings": { "elsewhere": { "enable": false } } });
    server.notify("workspace/didChangeConfiguration", off);
    wait_until(&mut server, &document, |it| !it.contains(".py:"));
}

#[test]
fn places_in_a_large_workspace_are_read_once_a_hover_asks() {
    let dir = tempfile::tempdir().unwrap();
    let filler = format!("# {}\n", "x".repeat(900_000));
    for at in 0..5 {
        let text = format!("{}{filler}", module(&format!("kernel_{at}"), SHARED));
        std::fs::write(dir.path().join(format!("large_{at}.py")), text).unwrap();
    }
    let mut server = Server::start(dir.path());
    let document = Document::new("file:///elsewhere/here.py", module("here", SHARED));
    server.open(&document);
    let start = Instant::now();
    // Symbols need nobody to ask.
    loop {
        let found = server.request("workspace/symbol", json!({ "query": "kernel_" })).unwrap();
        if found.as_array().map(Vec::len) == Some(5) {
            break;
        }
        assert!(start.elapsed() < PATIENCE, "{found}");
        std::thread::sleep(Duration::from_millis(20));
    }
    wait_until(&mut server, &document, |it| it.contains("large_0.py") && it.contains("large_4.py"));
}
