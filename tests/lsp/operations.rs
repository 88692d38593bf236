//! Files of MLIR through the real server: all that an editor asks of them.

use std::path::Path;

use serde_json::{Value, json};
use tests::document::Document;
use tests::lsp::{Server, uri_of};

use crate::{hints, label, server_with};

const TEXT: &str = "\
// A unit test
// of the protocol.
#map = affine_map<(d0) -> (d0)>
module {
  func.func @f(%a: i32, %b: i32) -> i32 {
    %0 = \"arith.addi\"(%a, %b) : (i32, i32) -> i32
    %1 = \"arith.addi\"(%a, %b) : (i32, i32) -> i32
    %2 = my.op %0, %1 {map = #map} : i32
    return %2 : i32
  }
  func.func @g(%a: i32) -> i32 {
    %0 = call @f(%a, %a) : (i32, i32) -> i32
    return %0 : i32
  }
}
";

fn document() -> Document {
    Document::new("file:///sample/unit.mlir", TEXT)
}

/// The texts of a list of ranges, or of locations.
fn texts(document: &Document, found: &Value) -> Vec<String> {
    let places = found.as_array().cloned().unwrap_or_default();
    let text = |it: &Value| {
        let (start, end) = (&it["range"]["start"], &it["range"]["end"]);
        document.text()[document.offset(start)..document.offset(end)].to_owned()
    };
    places.iter().map(text).collect()
}

#[track_caller]
fn ask(server: &mut Server, method: &str, params: Value) -> Value {
    server.request(method, params).expect("an answer")
}

/// The numbers of the tokens of a document, and the name of the answer.
fn tokens(server: &mut Server, document: &Document) -> (Vec<u64>, String) {
    let params = json!({ "textDocument": document.identifier() });
    let answer = ask(server, "textDocument/semanticTokens/full", params);
    let data = answer["data"].as_array().expect("numbers").iter().filter_map(Value::as_u64);
    (data.collect(), answer["resultId"].as_str().expect("a name").to_owned())
}

#[test]
fn equal_operation_is_hinted_fixed_and_gone() {
    let mut document = document();
    let (mut server, _dir) = server_with(&document);
    let found = hints(&mut server, &document);
    let labels: Vec<String> = found.iter().map(label).collect();
    assert_eq!(labels, ["= %0 (line 6)"]);
    let at = document.find("%1 = ");
    let mut params = document.over(at, at);
    params["context"] = json!({ "diagnostics": [] });
    let actions = ask(&mut server, "textDocument/codeAction", params);
    assert_eq!(actions[0]["edit"], Value::Null, "it is read back when it is chosen");
    let chosen = ask(&mut server, "codeAction/resolve", actions[0].clone());
    let edit = &chosen["edit"];
    let edits = match edit["documentChanges"].as_array() {
        Some(changes) => changes[0]["edits"].clone(),
        None => edit["changes"][document.uri()].clone(),
    };
    document.apply(&edits);
    assert!(!document.text().contains("%1 ="), "{}", document.text());
    assert!(document.text().contains("my.op %0, %0"), "{}", document.text());
    let change = document.change_all_params();
    server.change(change);
    assert_eq!(hints(&mut server, &document), Vec::<Value>::new());
}

#[test]
fn names_lead_to_their_definitions_and_change_together() {
    let mut document = document();
    let (mut server, _dir) = server_with(&document);
    let at = document.find("%1 {map");
    let highlights = ask(&mut server, "textDocument/documentHighlight", document.at(at + 1));
    assert_eq!(texts(&document, &highlights), ["%1", "%1"]);
    assert_eq!(highlights[0]["kind"], 3, "the first one defines it: {highlights}");
    let definition = ask(&mut server, "textDocument/definition", document.at(at + 1));
    assert_eq!(
        definition["range"],
        document.over(document.find("%1 = "), document.find("%1 = ") + 2)["range"]
    );
    let call = document.find("@f(%a, %a)");
    let hover = ask(&mut server, "textDocument/hover", document.at(call + 1)).to_string();
    assert!(hover.contains("func.func @f(%a: i32, %b: i32) -> i32"), "{hover}");
    let range = ask(&mut server, "textDocument/prepareRename", document.at(call + 1));
    assert_eq!(range, document.over(call, call + 2)["range"]);
    let mut params = document.at(call + 1);
    params["newName"] = json!("callee");
    let edit = ask(&mut server, "textDocument/rename", params.clone());
    let edits = match edit["documentChanges"].as_array() {
        Some(changes) => changes[0]["edits"].clone(),
        None => edit["changes"][document.uri()].clone(),
    };
    document.apply(&edits);
    assert!(document.text().contains("func.func @callee("), "{}", document.text());
    assert!(document.text().contains("call @callee("), "{}", document.text());
    params["newName"] = json!("g");
    let refused = server.request("textDocument/rename", params).expect_err("the name is taken");
    assert!(format!("{refused:?}").contains("already used"), "{refused:?}");
}

/// A document of a file with a text.
fn on_disk(path: &Path, text: &str) -> Document {
    std::fs::write(path, text).unwrap();
    Document::new(uri_of(path), text)
}

#[test]
fn a_symbol_is_renamed_in_the_files_of_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let library = on_disk(&path("lib.mlir"), "func.func @f() {\n  return\n}\n");
    let user = "func.func private @f()\nfunc.func @main() {\n  call @f() : () -> ()\n  return\n}\n";
    let mut open = on_disk(&path("open.mlir"), "module {}\n");
    let closed = on_disk(&path("closed.mlir"), user);
    let _other = on_disk(&path("other.mlir"), "func.func @g() {\n  return\n}\n");
    let mut server = Server::start(dir.path());
    server.open(&library);
    server.open(&open);
    // What the editor has counts, not what is on the disk.
    let change = open.replace_once("module {}\n", user);
    server.change(change);
    let mut params = library.at(library.find("@f") + 1);
    params["newName"] = json!("g");
    let refused = server.request("textDocument/rename", params.clone()).expect_err("a collision");
    assert!(format!("{refused:?}").contains("`other.mlir` defines `@g`"), "{refused:?}");
    params["newName"] = json!("callee");
    let edit = ask(&mut server, "textDocument/rename", params);
    let changes = edit["documentChanges"].as_array().expect("edits with versions");
    let mut seen = Vec::new();
    for mut document in [library, open, closed] {
        let is_its = |it: &&Value| it["textDocument"]["uri"] == document.uri();
        let change = changes.iter().find(is_its).expect("each file that means it changes");
        seen.push(change["textDocument"]["version"].clone());
        document.apply(&change["edits"].clone());
        assert!(!document.text().contains("@f"), "{}", document.text());
        assert!(document.text().contains("@callee()"), "{}", document.text());
    }
    assert_eq!(changes.len(), 3);
    assert_eq!(seen, [json!(1), json!(2), Value::Null]);
}

#[test]
fn a_symbol_has_its_places_and_callers_in_the_files_of_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let library = on_disk(&path("a.mlir"), "func.func @f() {\n  return\n}\n");
    let user = "func.func private @f()\nfunc.func @main() {\n  call @f() : () -> ()\n  return\n}\n";
    let user = on_disk(&path("b.mlir"), user);
    let call = "func.func @g() {\n  call @f() : () -> ()\n  return\n}\n";
    let closed = on_disk(&path("c.mlir"), call);
    let mut server = Server::start(dir.path());
    server.open(&library);
    server.open(&user);
    let mut params = library.at(library.find("@f") + 1);
    params["context"] = json!({ "includeDeclaration": false });
    let found = ask(&mut server, "textDocument/references", params);
    let places: Vec<(&str, u64)> = found
        .as_array()
        .expect("places")
        .iter()
        .map(|it| (it["uri"].as_str().unwrap(), it["range"]["start"]["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [(user.uri(), 2), (closed.uri(), 1)]);
    // A declaration leads to the definition.
    let at = user.at(user.text().rfind("@f").unwrap() + 1);
    let found = ask(&mut server, "textDocument/definition", at);
    assert_eq!(found["uri"], library.uri());
    let at = library.at(library.find("@f") + 1);
    let items = ask(&mut server, "textDocument/prepareCallHierarchy", at);
    let item = json!({ "item": items[0].clone() });
    let calls = ask(&mut server, "callHierarchy/incomingCalls", item);
    let names: Vec<&str> = calls
        .as_array()
        .expect("calls")
        .iter()
        .filter_map(|it| it["from"]["name"].as_str())
        .collect();
    assert_eq!(names, ["main", "g"]);
}

#[test]
fn comments_that_state_errors_are_kept_right() {
    let text = "\
func.func @f() {
  // expected-error @+1 {{use of undeclared SSA value name}}
  %0 = arith.constant 1 : i32
  \"my.use\"(%x) : (i32) -> ()
  \"my.odd\"() : () -> ()
  return
}
";
    let mut document = Document::new("file:///sample/expected.mlir", text);
    let (mut server, _dir) = server_with(&document);
    let titled = |server: &mut Server, document: &Document, at: usize, shown: Value| {
        let mut params = document.over(at, at);
        params["context"] = json!({ "diagnostics": shown });
        let actions = ask(server, "textDocument/codeAction", params);
        let all = actions.as_array().cloned().unwrap_or_default();
        let is_ours = |it: &Value| it["title"].as_str().is_some_and(|it| it.contains("expected-"));
        all.into_iter().find(is_ours)
    };
    let at = document.find("\"my.use\"");
    let action = titled(&mut server, &document, at, json!([])).expect("an action");
    assert_eq!(action["title"], "Point `expected-error` at this error: `@+2`");
    // What mlir-lsp-server has told.
    let at = document.find("\"my.odd\"");
    let told = json!([{
        "range": document.over(at, at + 3)["range"],
        "severity": 1,
        "source": "mlir",
        "message": "use of undeclared SSA value name, or so",
    }]);
    assert!(titled(&mut server, &document, at, told).is_none(), "the comment is taken");
    document.apply(&action["edit"]["documentChanges"][0]["edits"].clone());
    assert!(document.text().contains("@+2 {{use"), "{}", document.text());
}

#[test]
fn locations_link_to_the_files_that_are_there() {
    let text = "\
#loc = loc(\"kernel.py\":3:4)
func.func @f() {
  \"a.b\"() : () -> () loc(callsite(#loc at \"main.py\":5:6))
  return loc(\"../up/kernel.py\":7:1 to :9)
}
";
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("ir")).unwrap();
    std::fs::create_dir(dir.path().join("up")).unwrap();
    for path in ["kernel.py", "ir/kernel.py", "up/kernel.py"] {
        std::fs::write(dir.path().join(path), "").unwrap();
    }
    let document = Document::new(uri_of(&dir.path().join("ir/k.mlir")), text);
    let mut server = Server::start(dir.path());
    server.open(&document);
    let of_document = json!({ "textDocument": document.identifier() });
    let links = ask(&mut server, "textDocument/documentLink", of_document);
    let target = |path: &str, place: &str| format!("{}#{place}", uri_of(&dir.path().join(path)));
    let targets: Vec<&Value> = links.as_array().unwrap().iter().map(|it| &it["target"]).collect();
    assert_eq!(targets, [&target("ir/kernel.py", "L3,4"), &target("ir/../up/kernel.py", "L7,1")]);
    assert_eq!(texts(&document, &links), ["\"kernel.py\":3:4", "\"../up/kernel.py\":7:1"]);
}

#[test]
fn outline_folds_and_selections_follow_the_tree() {
    let document = document();
    let (mut server, _dir) = server_with(&document);
    let of_document = json!({ "textDocument": document.identifier() });
    let symbols = ask(&mut server, "textDocument/documentSymbol", of_document.clone());
    assert_eq!(symbols[0]["name"], "module");
    assert_eq!(symbols[0]["children"][1]["name"], "g");
    let folds = ask(&mut server, "textDocument/foldingRange", of_document.clone());
    let lines: Vec<(u64, u64)> = folds
        .as_array()
        .expect("folds")
        .iter()
        .map(|it| (it["startLine"].as_u64().unwrap(), it["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(lines, [(0, 1), (3, 13), (4, 8), (10, 12)]);
    let mut params = of_document;
    params["positions"] = json!([document.position(document.find("%1 = \"arith.addi\"(%a, %b)"))]);
    let mut range = ask(&mut server, "textDocument/selectionRange", params)[0].clone();
    let mut n = 0;
    while !range.is_null() {
        range = range["parent"].take();
        n += 1;
    }
    assert!(n > 5, "{n} ranges");
}

/// The tokens after an edit, asked for as the difference: one edit of a few numbers, which makes the whole answer of
/// the one before.
#[track_caller]
fn check_difference(server: &mut Server, document: &mut Document, old: &str, new: &str) {
    let (mut data, name) = tokens(server, document);
    assert_eq!(data.len() % 5, 0);
    let change = document.replace_once(old, new);
    server.change(change);
    let mut params = json!({ "textDocument": document.identifier() });
    params["previousResultId"] = json!(name);
    let delta = ask(server, "textDocument/semanticTokens/full/delta", params);
    let edits = delta["edits"].as_array().expect("edits");
    assert_eq!(edits.len(), 1, "{delta}");
    for edit in edits {
        let start = edit["start"].as_u64().unwrap() as usize;
        let end = start + edit["deleteCount"].as_u64().unwrap() as usize;
        let new = edit["data"].as_array().cloned().unwrap_or_default();
        assert!(new.len() <= 20, "{delta}");
        data.splice(start..end, new.iter().filter_map(Value::as_u64));
    }
    assert_eq!(data, tokens(server, document).0);
}

#[test]
fn tokens_of_tvmscript_after_an_edit_are_the_difference() {
    let text = "from tvm.script import tirx as T\n\n\n@T.prim_func\ndef f(A: T.Buffer((8,), \"int32\"), n: T.int32):\n    \
                A[0] = n\n    A[1] = n * 2\n    A[2] = n\n";
    let mut document = Document::new("file:///sample/unit.py", text);
    let (mut server, _dir) = server_with(&document);
    check_difference(&mut server, &mut document, "n * 2", "n * 2 + n");
}

#[test]
fn tokens_after_an_edit_are_the_difference() {
    let mut document = document();
    let (mut server, _dir) = server_with(&document);
    check_difference(&mut server, &mut document, "my.op %0", "my.op %a, %0");
    let line = document.find("my.op");
    let range =
        ask(&mut server, "textDocument/semanticTokens/range", document.over(line, line + 5));
    assert_eq!(range["data"].as_array().map(Vec::len), Some(5), "one token: {range}");
}

#[test]
fn errors_are_told_unless_another_server_does() {
    let document = Document::new("file:///a.mlir", "func.func @f() {\n  my.op %x\n  return\n}\n");
    let codes = |settings: &str| {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::write(dir.path().join("tir-analyzer.toml"), settings).expect("it can be written");
        let mut server = Server::start(dir.path());
        server.open(&document);
        let params = json!({ "textDocument": document.identifier() });
        let report = ask(&mut server, "textDocument/diagnostic", params);
        let items = report["items"].as_array().cloned().unwrap_or_default();
        items
            .iter()
            .map(|it| it["code"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(codes("").contains(&"undefined-value".to_owned()), "{:?}", codes(""));
    assert_eq!(codes("[mlir]\ndiagnostics = false\n"), [] as [&str; 0]);
}

#[test]
fn users_rows_make_an_operation_known() {
    let text = "func.func @f(%a: i32) -> i32 {\n  %0 = \"my.twice\"(%a) : (i32) -> i32\n  \
                %1 = \"my.twice\"(%a) : (i32) -> i32\n  my.op %0, %1\n  return %0 : i32\n}\n";
    let document = Document::new("file:///a.mlir", text);
    let labels = |settings: &str| {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        std::fs::write(dir.path().join("tir-analyzer.toml"), settings).expect("it can be written");
        let mut server = Server::start(dir.path());
        server.open(&document);
        hints(&mut server, &document).iter().map(label).collect::<Vec<_>>()
    };
    assert_eq!(labels(""), [] as [&str; 0]);
    let row = "[[effects.mlir]]\nops = [\"my.twice\"]\n";
    assert_eq!(labels(row), ["= %0 (line 2)"]);
}

/// Returns the effect of the action that declares `my.op`: the kinds of its changes, the file that they are in, and its
/// text after them.
fn declared(
    server: &mut Server,
    document: &Document,
    before: &str,
) -> (Vec<&'static str>, String, String) {
    let start = document.position(document.text().find("my.op").expect("the operation"));
    let params = json!({
        "textDocument": document.identifier(),
        "range": { "start": start, "end": start },
        "context": { "diagnostics": [] },
    });
    let actions = ask(server, "textDocument/codeAction", params);
    let found = actions.as_array().into_iter().flatten().find(|it| {
        it["title"]
            .as_str()
            .is_some_and(|it| it.starts_with("Declare `my.op` in tir-analyzer.toml"))
    });
    let changes = found.expect("the action")["edit"]["documentChanges"].clone();
    let changes = changes.as_array().cloned().unwrap_or_default();
    let kind = |it: &Value| if it["kind"] == "create" { "create" } else { "edit" };
    let edit = changes.last().expect("an edit");
    let uri = edit["textDocument"]["uri"].as_str().unwrap_or_default().to_owned();
    let mut after = Document::new("file:///settings", before);
    after.apply(&edit["edits"]);
    (changes.iter().map(kind).collect(), uri, after.text().to_owned())
}

#[test]
fn unknown_operation_is_declared_in_the_settings() {
    let document = document();
    let (mut server, dir) = server_with(&document);
    let row = "[[effects.mlir]]\nops = [\"my.op\"]\n";
    let (kinds, uri, text) = declared(&mut server, &document, "");
    assert_eq!((kinds, text.as_str()), (vec!["create", "edit"], row));
    assert!(uri.ends_with("/tir-analyzer.toml"), "{uri}");
    for before in ["[hints]\nenable = true\n", "[hints]\nenable = true # é"] {
        std::fs::write(dir.path().join("tir-analyzer.toml"), before).expect("a file");
        let (kinds, _, text) = declared(&mut server, &document, before);
        assert_eq!(kinds, ["edit"]);
        assert_eq!(text, format!("{}\n\n{row}", before.trim_end()));
    }
}

/// Neovim's capabilities for edits: it creates files, and omits that it takes the form of edits that can do so.
#[test]
fn client_that_only_says_that_it_makes_files_gets_the_row() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = tests::lsp::usual_capabilities();
    capabilities["workspace"]["workspaceEdit"] = json!({ "resourceOperations": ["create"] });
    server.initialize(capabilities, dir.path()).expect("the server is ready");
    let document = document();
    server.open(&document);
    assert_eq!(declared(&mut server, &document, "").0, ["create", "edit"]);
}

/// A file that is there needs no such form.
#[test]
fn row_for_a_file_that_is_there_is_a_plain_edit_where_no_other_is_taken() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("tir-analyzer.toml"), "").expect("a file");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = tests::lsp::usual_capabilities();
    capabilities["workspace"]["workspaceEdit"] = json!({});
    server.initialize(capabilities, dir.path()).expect("the server is ready");
    let document = document();
    server.open(&document);
    let start = document.position(document.text().find("my.op").expect("the operation"));
    let params = json!({
        "textDocument": document.identifier(),
        "range": { "start": start, "end": start },
        "context": { "diagnostics": [] },
    });
    let actions = ask(&mut server, "textDocument/codeAction", params);
    let edits: Vec<&str> = actions
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|it| it["edit"]["changes"].as_object()?.values().next())
        .filter_map(|it| it[0]["newText"].as_str())
        .filter(|it| it.starts_with("[[effects.mlir]]"))
        .collect();
    assert_eq!(edits, ["[[effects.mlir]]\nops = [\"my.op\"]\n"]);
}

#[test]
fn names_are_completed_while_they_are_typed() {
    let mut document = document();
    let (mut server, _dir) = server_with(&document);
    let at = document.find("my.op %0");
    server.notify("textDocument/didChange", document.replace_once("my.op %0", "arith.addi %"));
    let params = document.at(at + "arith.addi %".len());
    let answer = ask(&mut server, "textDocument/completion", params);
    let items = answer["items"].as_array().expect("items");
    let labels: Vec<&str> = items.iter().filter_map(|it| it["label"].as_str()).collect();
    assert_eq!(labels, ["%1", "%0", "%a", "%b"]);
    let edit = &items[0]["textEdit"];
    assert_eq!(edit["newText"], "%1");
    let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
    assert_eq!(&document.text()[document.offset(start)..document.offset(end)], "%");
    let params = document.at(at + "arith.addi".len());
    let answer = ask(&mut server, "textDocument/completion", params);
    let found = answer["items"].as_array().expect("items");
    assert!(found.iter().all(|it| it["label"].as_str().is_some_and(|it| it.starts_with("arith."))));
}
