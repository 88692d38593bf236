//! Notebooks: a cell is asked about by itself, and sees those before it.

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::lsp::{Server, usual_capabilities};

use crate::label;

const NOTEBOOK: &str = "file:///sample/a.ipynb";

const IMPORTS: &str = "%pip install tvm\nfrom tvm.script import tirx as S";

const KERNEL: &str = "\
@S.prim_func
def f(A: S.Buffer((64,), \"float32\"), B: S.Buffer((64,), \"float32\")):
    for i in range(64):
        B[i] = S.exp(A[i] * A[i]) + S.exp(A[i] * A[i])
";

/// The name of a cell.
fn cell(number: usize) -> String {
    format!("vscode-notebook-cell:/sample/a.ipynb#W{number}")
}

fn item(number: usize, text: &str) -> Value {
    json!({ "uri": cell(number), "languageId": "python", "version": 1, "text": text })
}

/// A server with a notebook of these cells.
fn notebook(capabilities: Value, texts: &[&str]) -> (Server, TempDir, Value) {
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::spawn(dir.path());
    let able = server.initialize(capabilities, dir.path()).expect("the server is ready");
    let cells = (0..texts.len()).map(|it| json!({ "kind": 2, "document": cell(it) }));
    let cells: Vec<Value> = cells.collect();
    let texts: Vec<Value> = texts.iter().enumerate().map(|(at, it)| item(at, it)).collect();
    server.notify(
        "notebookDocument/didOpen",
        json!({
            "notebookDocument": {
                "uri": NOTEBOOK, "notebookType": "jupyter-notebook", "version": 1, "cells": cells,
            },
            "cellTextDocuments": texts,
        }),
    );
    (server, dir, able)
}

fn with_notebooks() -> Value {
    let mut capabilities = usual_capabilities();
    capabilities["notebookDocument"] = json!({ "synchronization": {} });
    capabilities
}

/// Asks about all of a cell.
fn ask(server: &mut Server, method: &str, number: usize) -> Value {
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({
        "textDocument": { "uri": cell(number) },
        "range": range,
        "context": { "diagnostics": [] },
    });
    server.request(method, params).expect("an answer")
}

/// Line and text of each hint of a cell.
fn hints(server: &mut Server, number: usize) -> Vec<String> {
    let hints = ask(server, "textDocument/inlayHint", number);
    let hints = hints.as_array().cloned().unwrap_or_default();
    hints.iter().map(|it| format!("{}: {}", it["position"]["line"], label(it))).collect()
}

/// The first diagnostics of the cell with the kernel that are so many.
fn published(server: &mut Server, n_items: usize) -> Value {
    loop {
        let params = server.notification("textDocument/publishDiagnostics");
        let items = params["diagnostics"].as_array().map_or(0, Vec::len);
        if params["uri"] == cell(1) && items == n_items {
            return params;
        }
    }
}

fn change(server: &mut Server, cells: Value) {
    let document = json!({ "uri": NOTEBOOK, "version": 2 });
    let params = json!({ "notebookDocument": document, "change": { "cells": cells } });
    server.notify("notebookDocument/didChange", params);
}

#[test]
fn a_cell_sees_those_before_it() {
    let (mut server, _dir, able) = notebook(with_notebooks(), &[IMPORTS, KERNEL]);
    let cells = &able["capabilities"]["notebookDocumentSync"]["notebookSelector"][0]["cells"];
    assert_eq!(*cells, json!([{ "language": "python" }]));
    let found = hints(&mut server, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("3: "), "{found:?}");
    assert_eq!(hints(&mut server, 0), Vec::<String>::new());

    let report = ask(&mut server, "textDocument/diagnostic", 1);
    assert_eq!(report["items"][0]["range"]["start"]["line"], 3, "{report}");
    assert_eq!(ask(&mut server, "textDocument/diagnostic", 0)["items"], json!([]));

    let at = json!({ "line": 3, "character": 18 });
    let document = json!({ "uri": cell(1) });
    let params = json!({ "textDocument": document, "position": at });
    let hover = server.request("textDocument/hover", params).expect("an answer");
    assert_eq!(hover["range"]["start"]["line"], 3, "{hover}");
    let tokens = ask(&mut server, "textDocument/semanticTokens/full", 1);
    assert_eq!(tokens["data"][0], 1, "the first name is that of the function: {tokens}");
}

#[test]
fn hint_of_a_cell_gets_its_tooltip_there() {
    let mut capabilities = with_notebooks();
    capabilities["textDocument"]["inlayHint"] =
        json!({ "resolveSupport": { "properties": ["tooltip"] } });
    let (mut server, _dir, _) = notebook(capabilities, &[IMPORTS, KERNEL]);
    let found = ask(&mut server, "textDocument/inlayHint", 1);
    assert_eq!(found[0]["tooltip"], Value::Null, "{found}");
    let read = server.request("inlayHint/resolve", found[0].clone()).expect("a hint");
    assert!(read["tooltip"]["value"].as_str().is_some_and(|it| it.contains("computed")), "{read}");
    assert_eq!(read["position"], found[0]["position"]);
}

#[test]
fn changes_of_one_cell_move_the_others() {
    let (mut server, _dir, _) = notebook(with_notebooks(), &[IMPORTS, KERNEL]);
    let start = json!({ "line": 0, "character": 0 });
    let insert = json!({ "range": { "start": start, "end": start }, "text": "import os\n\n" });
    let document = json!({ "uri": cell(0), "version": 2 });
    change(&mut server, json!({ "textContent": [{ "document": document, "changes": [insert] }] }));
    assert_eq!(hints(&mut server, 1).len(), 1);

    let new = json!({ "kind": 2, "document": cell(2) });
    let array = json!({ "start": 0, "deleteCount": 0, "cells": [new] });
    let structure = json!({ "array": array, "didOpen": [item(2, "a = 1\nb = 2\n")] });
    change(&mut server, json!({ "structure": structure }));
    let found = hints(&mut server, 1);
    assert!(found.len() == 1 && found[0].starts_with("3: "), "{found:?}");

    let array = json!({ "start": 1, "deleteCount": 1 });
    let gone = json!({ "array": array, "didClose": [{ "uri": cell(0) }] });
    change(&mut server, json!({ "structure": gone }));
    assert_eq!(hints(&mut server, 1), Vec::<String>::new(), "nothing says what `S` is");
}

#[test]
fn edits_are_those_of_the_cell() {
    let (mut server, _dir, _) = notebook(with_notebooks(), &[IMPORTS, KERNEL]);
    let at = json!({ "line": 3, "character": 18 });
    let params = json!({
        "textDocument": { "uri": cell(1) },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [] },
    });
    let actions = server.request("textDocument/codeAction", params).expect("an answer");
    let action = actions.as_array().and_then(|it| it.first()).cloned().expect("an action");
    let action = server.request("codeAction/resolve", action).expect("an answer");
    let edits = &action["edit"]["documentChanges"];
    assert_eq!(edits[0]["textDocument"], json!({ "uri": cell(1), "version": null }), "{action}");
    let lines = edits[0]["edits"].as_array().expect("edits").iter();
    let lines: Vec<&Value> = lines.map(|it| &it["range"]["start"]["line"]).collect();
    assert!(lines.iter().all(|it| **it == 3), "{lines:?}");
}

#[test]
fn a_client_that_does_not_ask_gets_the_diagnostics_of_each_cell() {
    let mut capabilities = with_notebooks();
    capabilities["textDocument"].as_object_mut().expect("an object").remove("diagnostic");
    let (mut server, _dir, _) = notebook(capabilities, &[IMPORTS, KERNEL]);
    assert_eq!(published(&mut server, 1)["diagnostics"][0]["range"]["start"]["line"], 3);
    server.notify(
        "notebookDocument/didClose",
        json!({ "notebookDocument": { "uri": NOTEBOOK }, "cellTextDocuments": [] }),
    );
    assert_eq!(published(&mut server, 0)["diagnostics"], json!([]));
}
