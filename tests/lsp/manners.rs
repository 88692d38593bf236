//! Things that an editor is not bothered with: a layout for languages that have none, progress in the place of other
//! progress, silence while much is computed, old answers after settings have changed.

use serde_json::{Value, json};
use tests::binary;
use tests::document::Document;
use tests::lsp::{Server, uri_of, usual_capabilities};

use crate::{hints, softmax};

/// A document that is worth progress.
fn large(name: &str) -> Document {
    let text = softmax().text().repeat(2);
    let copies = (64 * 1024) / text.len() + 1;
    Document::new(format!("file:///sample/{name}.py"), text.repeat(copies))
}

#[test]
fn layout_is_registered_for_the_languages_that_have_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = usual_capabilities();
    for it in ["formatting", "rangeFormatting"] {
        capabilities["textDocument"][it] = json!({ "dynamicRegistration": true });
    }
    let able = server.initialize(capabilities, dir.path()).expect("the server is ready");
    assert_eq!(able["capabilities"]["documentFormattingProvider"], Value::Null);
    assert_eq!(able["capabilities"]["documentRangeFormattingProvider"], Value::Null);
    server.wait_for_request("client/registerCapability");
    let of = |it: &str| {
        let found = server.registrations().iter().find(|row| row["method"] == it);
        found.map(|it| it["registerOptions"]["documentSelector"].clone())
    };
    assert_eq!(
        of("textDocument/formatting"),
        Some(json!([{ "language": "mlir" }, { "language": "ttir" }, { "language": "ttgir" }]))
    );
    assert_eq!(of("textDocument/rangeFormatting"), of("textDocument/formatting"));
}

#[test]
fn tokens_of_progress_are_never_used_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::spawn(dir.path());
    let mut capabilities = usual_capabilities();
    capabilities["window"]["workDoneProgress"] = json!(true);
    server.initialize(capabilities, dir.path()).expect("the server is ready");
    let mut tokens = Vec::new();
    for name in ["a", "b", "c"] {
        let document = large(name);
        server.open(&document);
        tokens.push(progress(&mut server, "begin")["token"].to_string());
        server.notify("textDocument/didClose", json!({ "textDocument": document.identifier() }));
    }
    let n = tokens.len();
    tokens.sort();
    tokens.dedup();
    assert_eq!(tokens.len(), n, "{tokens:?}");
}

/// The next progress of a kind.
fn progress(server: &mut Server, kind: &str) -> Value {
    loop {
        let params = server.notification("$/progress");
        if params["value"]["kind"] == kind {
            return params;
        }
    }
}

#[test]
fn progress_that_is_cancelled_ends_at_once_and_answers_stay_right() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut server = Server::spawn(dir.path());
    server.initialize(usual_capabilities(), dir.path()).expect("the server is ready");
    // Far more than is analysed until the cancellation comes.
    let text = softmax().text().repeat(200);
    let document = Document::new("file:///sample/long.py", text);
    server.open(&document);
    let begin = progress(&mut server, "begin");
    assert_eq!(begin["value"]["cancellable"], true);
    server.notify("window/workDoneProgress/cancel", json!({ "token": begin["token"] }));
    assert_eq!(progress(&mut server, "end")["token"], begin["token"]);
    let mut params = document.over_all();
    params["range"]["end"] = json!({ "line": 80, "character": 0 });
    assert!(
        !server
            .request("textDocument/inlayHint", params)
            .expect("hints")
            .as_array()
            .expect("a list")
            .is_empty()
    );
    // None of it is shown after its end, and a token of nobody cancels nothing.
    let told = |it: &&Value| it["method"] == "$/progress";
    assert_eq!(server.notifications().into_iter().filter(told).count(), 0);
    for token in [json!("tir-analyzer/warm/77"), json!(7)] {
        server.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    }
    server.notify("textDocument/didClose", json!({ "textDocument": document.identifier() }));
    server.open(&document);
    assert_ne!(progress(&mut server, "begin")["token"], begin["token"]);
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn answer_without_time_is_given_in_part_with_one_line_and_asked_again() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = binary::command();
    command.arg("server").env("TIR_ANALYZER_BUDGET_MS", "0");
    let mut server = Server::spawn_program(command, dir.path());
    server.initialize(usual_capabilities(), dir.path()).expect("the server is ready");
    let document = softmax();
    server.open(&document);
    assert_eq!(hints(&mut server, &document), Vec::<Value>::new());
    let line = server.notification("window/logMessage")["message"].to_string();
    assert!(line.contains("hints of file:///sample/softmax_dyn.py: "), "{line}");
    assert!(line.contains(" left out after 0 s; the rest follows"), "{line}");
    server.wait_for_request("workspace/inlayHint/refresh");
    // It would be told, and asked again, without an end.
    assert_eq!(hints(&mut server, &document), Vec::<Value>::new());
    assert_eq!(hints(&mut server, &document), Vec::<Value>::new());
    let told = |it: &&Value| it["method"] == "window/logMessage";
    assert_eq!(server.notifications().into_iter().filter(told).count(), 0);
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn diagnostics_that_are_shown_stay_until_all_are_known() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = binary::command();
    command.arg("server").env("TIR_ANALYZER_BUDGET_MS", "0");
    let mut server = Server::spawn_program(command, dir.path());
    server.initialize(usual_capabilities(), dir.path()).expect("the server is ready");
    let document = softmax();
    server.open(&document);
    let mut ask = |shown: Option<&str>| {
        let mut params = document.over_all();
        params["previousResultId"] = json!(shown);
        server.request("textDocument/diagnostic", params).expect("diagnostics")
    };
    let kept = json!({ "kind": "unchanged", "resultId": "whole" });
    assert_eq!(ask(Some("whole")), kept);
    // A part that is shown is no reason to keep it, and neither is nothing.
    for shown in [Some("part-of-it"), None] {
        let part = ask(shown);
        assert_eq!(part["kind"], "full");
        assert!(part["resultId"].as_str().is_some_and(|it| it.starts_with("part-")), "{part}");
    }
    // All is made by now; a part is better than what was before, as nothing will follow.
    server.wait_for_request("workspace/diagnostic/refresh");
    let mut params = document.over_all();
    params["previousResultId"] = json!("whole");
    let last = server.request("textDocument/diagnostic", params).expect("diagnostics");
    assert_eq!(last["kind"], "full", "{last}");
}

/// A server whose requests of a method never end, and wait for no longer than that is noticed.
fn hanging(method: &str) -> (Server, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = binary::command();
    command.arg("server").env("TIR_ANALYZER_BUDGET_MS", "1").env("TIR_ANALYZER_HANG", method);
    let mut server = Server::spawn_program(command, dir.path());
    server.initialize(usual_capabilities(), dir.path()).expect("the server is ready");
    (server, dir)
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn one_long_function_is_answered_in_part_too_and_its_work_goes_on() {
    for (method, what) in [
        ("textDocument/inlayHint", "hints"),
        ("textDocument/diagnostic", "diagnostics"),
        ("textDocument/semanticTokens/full", "tokens"),
        ("textDocument/codeAction", "actions"),
        ("textDocument/codeLens", "lenses"),
        ("textDocument/completion", "completions"),
        ("textDocument/hover", "the hover"),
    ] {
        let (mut server, _dir) = hanging(method);
        let mut document = softmax();
        server.open(&document);
        let mut params = document.over_all();
        params["position"] = json!({ "line": 20, "character": 20 });
        params["context"] = json!({ "diagnostics": [], "triggerKind": 1 });
        let answer = server.request(method, params.clone()).expect("a part of an answer");
        let found = match method {
            "textDocument/diagnostic" | "textDocument/completion" => &answer["items"],
            "textDocument/hover" => &answer["contents"]["value"],
            _ => &answer,
        };
        let nothing =
            [json!([]), Value::Null, json!("*tir-analyzer is still at work on this function.*")];
        assert!(nothing.contains(found), "{method}: {answer}");
        // Who opened a menu waits longer, and is told why it is empty.
        let is_menu = method == "textDocument/codeAction";
        if is_menu {
            let note = server.notification("window/showMessage")["message"].to_string();
            assert!(note.contains("ask for its actions again"), "{note}");
        }
        let line = server.notification("window/logMessage")["message"].to_string();
        let after = if is_menu { "0.005" } else { "0.001" };
        let told = format!("{what} of file:///sample/softmax_dyn.py: not ready after {after} s");
        assert!(line.contains(&told), "{line}");
        // The work ends with the text that it is about; the next text has its own.
        let change = document.replace(0, 0, "# edited\n");
        server.change(change);
        let again = server.request(method, params).expect("a part of an answer");
        assert_eq!(again, answer);
        if method == "textDocument/diagnostic" {
            let change = document.replace(0, 0, "# edited\n");
            server.change(change);
            // What is on the screen stays there.
            let mut params = document.over_all();
            params["previousResultId"] = json!("shown");
            let kept = server.request(method, params).expect("a part of an answer");
            assert_eq!(kept, json!({ "kind": "unchanged", "resultId": "shown" }));
        }
        assert_eq!(server.shutdown().code(), Some(0));
    }
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn others_do_not_wait_for_what_was_answered_in_part() {
    let (mut server, _dir) = hanging("textDocument/hover");
    // More than there are threads for requests.
    for number in 0..6 {
        let document = Document::new(format!("file:///sample/{number}.py"), softmax().text());
        server.open(&document);
        let params = json!({
            "textDocument": document.identifier(), "position": { "line": 20, "character": 20 },
        });
        server.request("textDocument/hover", params).expect("a part of an answer");
    }
    let document = softmax();
    server.open(&document);
    let params = json!({ "textDocument": document.identifier() });
    let symbols = server.request("textDocument/documentSymbol", params).expect("symbols");
    assert!(symbols.as_array().is_some_and(|it| !it.is_empty()), "{symbols}");
}

#[test]
fn a_new_file_of_a_dialect_counts_at_once() {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("a.mlir");
    let text = "func.func @f(%a: i32) -> i32 {\n  %0 = \"toy.op\"(%a) : (i32) -> i32\n  \
                %1 = \"toy.op\"(%a) : (i32) -> i32\n  %2 = arith.addi %0, %1 : i32\n  \
                return %2 : i32\n}\n";
    std::fs::write(dir.path().join("tir-analyzer.toml"), "").expect("it can be written");
    let document = Document::new(uri_of(&path), text);
    let mut server = Server::spawn(dir.path());
    let mut capabilities = usual_capabilities();
    capabilities["workspace"]["didChangeWatchedFiles"] = json!({ "dynamicRegistration": true });
    capabilities["workspace"]["semanticTokens"] = json!({ "refreshSupport": true });
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    server.initialize(capabilities, dir.path()).expect("the server is ready");
    server.open(&document);
    assert_eq!(hints(&mut server, &document).len(), 0, "nothing is known of the operation");
    let watched = |it: &Value| it.to_string().contains("**/dialects/*.toml");
    assert!(server.registrations().iter().any(watched), "{:#?}", server.registrations());

    let definitions = "dialect = \"toy\"\nsource = \"toy 1.0\"\n\n[[operations]]\nops = [\"op\"]\n\
                       operands = [\"a\"]\nresults = [\"b\"]\ntraits = [\"Pure\"]\neffects = [\"none\"]\n";
    let file = dir.path().join("dialects/toy.toml");
    std::fs::create_dir(dir.path().join("dialects")).expect("it can be made");
    std::fs::write(&file, definitions).expect("it can be written");
    let change = json!({ "uri": uri_of(&file), "type": 1 });
    server.notify("workspace/didChangeWatchedFiles", json!({ "changes": [change] }));
    assert!(!hints(&mut server, &document).is_empty());
    for it in ["inlayHint", "codeLens", "diagnostic", "semanticTokens"] {
        server.wait_for_request(&format!("workspace/{it}/refresh"));
    }
}
