//! Findings as an editor gets them: diagnostics with tags and related places, quick fixes, inlining, settings.

use serde_json::{Value, json};
use tests::document::Document;
use tests::lsp::Server;

use crate::server_with;

const UNUSED: &str = "from tvm.script import tirx as T\n\n\n@T.prim_func\n\
    def f(A: T.Buffer((64,), \"int32\"), n: T.int32):\n    \
    a: T.let[T.int32] = n * 4  # why\n    b: T.let[T.int32] = a + 1\n    c: T.let[T.int32] = n + 2\n    A[0] = c\n";

fn document() -> Document {
    Document::new("file:///sample/unused.py", UNUSED)
}

fn diagnostics(server: &mut Server, document: &Document) -> Vec<Value> {
    let params = json!({ "textDocument": document.identifier() });
    let report = server.request("textDocument/diagnostic", params).expect("diagnostics");
    report["items"].as_array().cloned().unwrap_or_default()
}

fn actions(server: &mut Server, document: &Document, at: &str, kind: &str) -> Vec<Value> {
    let start = document.find(at);
    let mut params = document.over(start, start + 1);
    params["context"] = json!({ "diagnostics": [], "only": [kind] });
    let found = server.request("textDocument/codeAction", params).expect("code actions");
    found.as_array().cloned().unwrap_or_default()
}

/// The text after an action, whose edit comes when it is asked for.
fn after(server: &mut Server, document: &Document, action: &Value) -> String {
    let mut document = Document::new(document.uri(), document.text());
    let mut action = action.clone();
    if action["edit"].is_null() {
        action = server.request("codeAction/resolve", action).expect("the action can be resolved");
    }
    let edit = &action["edit"];
    let edits = match edit["documentChanges"].as_array() {
        Some(changes) => changes[0]["edits"].clone(),
        None => edit["changes"][document.uri()].clone(),
    };
    document.apply(&edits);
    document.text().to_owned()
}

#[test]
fn unused_names_are_faded_related_and_removed() {
    let document = document();
    let (mut server, _dir) = server_with(&document);
    let found = diagnostics(&mut server, &document);
    let dead: Vec<&Value> = found.iter().filter(|it| it["code"] == "dead-binding").collect();
    assert_eq!(dead.len(), 2, "{found:#?}");
    assert_eq!(dead[0]["tags"], json!([1]), "{found:#?}");
    assert_eq!(dead[0]["severity"], 4, "{found:#?}");
    let used_by = &dead[0]["relatedInformation"][0]["location"]["range"]["start"];
    assert_eq!(document.offset(used_by), document.find("b: T.let"));
    let fixes = actions(&mut server, &document, "b: T.let", "quickfix");
    let remove = fixes.iter().find(|it| it["title"] == "Remove `b`").expect("a fix removes it");
    assert!(!after(&mut server, &document, remove).contains("b: T.let"));
    let all =
        fixes.iter().find(|it| it["title"].as_str().is_some_and(|it| it.starts_with("Fix all 2")));
    let text = after(&mut server, &document, all.expect("a fix removes both"));
    assert!(text.contains("    # why\n    c: T.let"), "{text}");
    let ignore = fixes.iter().find(|it| it["title"] == "Ignore `dead-binding` here");
    let text = after(&mut server, &document, ignore.expect("it can be ignored"));
    assert!(text.contains("b: T.let[T.int32] = a + 1  # tir: allow(dead-binding)"), "{text}");
}

#[test]
fn names_are_inlined() {
    let document = document();
    let (mut server, _dir) = server_with(&document);
    let found = actions(&mut server, &document, "c: T.let", "refactor.inline");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["kind"], "refactor.inline");
    let text = after(&mut server, &document, &found[0]);
    assert!(text.ends_with("    A[0] = n + 2\n"), "{text}");
}

#[test]
fn levels_follow_the_settings() {
    let document = document();
    let (mut server, _dir) = server_with(&document);
    let settings = json!({ "findings": { "deadBinding": "warning" } });
    server.set_configuration(settings.clone());
    server.notify("workspace/didChangeConfiguration", json!({ "settings": settings }));
    let has = |found: &[Value], severity: u32| {
        found.iter().any(|it| it["code"] == "dead-binding" && it["severity"] == severity)
    };
    // The server asks for its settings in its own time, and gives up what it is asked meanwhile.
    let mut last = None;
    for _ in 0..50 {
        let params = json!({ "textDocument": document.identifier() });
        if let Ok(report) = server.request("textDocument/diagnostic", params) {
            let found = report["items"].as_array().cloned().unwrap_or_default();
            if has(&found, 2) {
                return;
            }
            last = Some(found);
        }
    }
    panic!("{last:#?}");
}
