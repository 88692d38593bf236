//! Messages that no editor should send. Each gets the right error, and the server goes on.

use serde_json::{Value, json};
use tests::lsp::{Server, code};

use crate::{assert_lives, server, server_with, softmax};

/// Sends a body and looks at the error that answers it.
#[track_caller]
fn check_body(server: &mut Server, body: &str, expected_code: i64) {
    server.send_body(body);
    let response = server.unclaimed_response();
    assert_eq!(response["error"]["code"], expected_code, "{body} is answered by {response}");
    assert_lives(server);
}

#[test]
fn body_that_is_no_json_is_a_parse_error() {
    let (mut server, _dir) = server();
    check_body(&mut server, "{\"jsonrpc\": ", code::PARSE_ERROR);
    check_body(&mut server, "", code::PARSE_ERROR);
}

#[test]
fn bytes_that_are_no_text_are_a_parse_error() {
    let (mut server, _dir) = server();
    server.send_bytes(b"Content-Length: 3\r\n\r\n\xff\xfe\x00");
    assert_eq!(server.unclaimed_response()["error"]["code"], code::PARSE_ERROR);
    assert_lives(&mut server);
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    let (mut server, _dir) = server();
    for body in ["{}", "[]", "1", "null", r#"{"jsonrpc":"2.0","id":900,"method":7}"#] {
        check_body(&mut server, body, code::INVALID_REQUEST);
    }
}

#[test]
fn unknown_method_is_refused_and_unknown_notification_ignored() {
    let (mut server, _dir) = server();
    let error = server.request("textDocument/perform", json!({})).unwrap_err();
    assert_eq!(error.code, code::METHOD_NOT_FOUND);
    server.notify("textDocument/didPerform", json!({}));
    server.notify("$/whatever", json!({}));
    assert_lives(&mut server);
}

#[test]
fn wrong_parameters_are_named_as_such() {
    let (mut server, _dir) = server();
    for params in
        [json!({}), json!([1, 2]), Value::Null, json!({ "textDocument": 1, "position": "here" })]
    {
        let error = server.request("textDocument/hover", params).unwrap_err();
        assert_eq!(error.code, code::INVALID_PARAMS, "{}", error.message);
    }
    server.notify("textDocument/didOpen", json!({ "textDocument": "this one" }));
    assert_lives(&mut server);
}

#[test]
fn request_may_be_named_by_a_string() {
    let (mut server, _dir) = server();
    server.send_body(r#"{"jsonrpc":"2.0","id":"seven","method":"no/such/method"}"#);
    let response = server.unclaimed_response();
    assert_eq!(response["id"], "seven");
    assert_eq!(response["error"]["code"], code::METHOD_NOT_FOUND);
}

#[test]
fn document_that_was_never_opened_harms_nothing() {
    let (mut server, _dir) = server();
    let mut document = softmax();
    let change = document.replace_once("softmax_dyn(", "softmax_other(");
    server.change(change);
    server.notify("textDocument/didClose", json!({ "textDocument": document.identifier() }));
    // The answer may be empty or an error; what counts is that there is one.
    let _ = server.request("textDocument/inlayHint", document.over_all());
    assert_lives(&mut server);
}

#[test]
fn places_outside_the_text_harm_nothing() {
    let document = softmax();
    let (mut server, _dir) = server_with(&document);
    let far = json!({ "line": 4_000_000_000u32, "character": 4_000_000_000u32 });
    let start = json!({ "line": 0, "character": 0 });
    let text_document = document.identifier();
    for range in [json!({ "start": start, "end": far }), json!({ "start": far, "end": start })] {
        let _ = server.request(
            "textDocument/inlayHint",
            json!({ "textDocument": text_document, "range": range }),
        );
        let params = json!({ "textDocument": text_document, "range": range, "context": { "diagnostics": [] } });
        let _ = server.request("textDocument/codeAction", params);
    }
    let _ = server
        .request("textDocument/hover", json!({ "textDocument": text_document, "position": far }));
    assert_lives(&mut server);
}

#[test]
fn answer_that_nobody_asked_for_is_ignored() {
    let (mut server, _dir) = server();
    server.send_body(r#"{"jsonrpc":"2.0","id":12345,"result":null}"#);
    assert_lives(&mut server);
}

#[test]
fn odd_headers_are_read() {
    let (mut server, _dir) = server();
    let body = r#"{"jsonrpc":"2.0","id":"x","method":"no/such/method"}"#;
    let header = format!(
        "content-length: {}\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{body}",
        body.len()
    );
    server.send_bytes(header.as_bytes());
    assert_eq!(server.unclaimed_response()["id"], "x");
}

#[test]
fn changes_of_a_document_that_is_not_open_are_told_once() {
    let (mut server, _dir) = server();
    let mut document = softmax();
    for round in 0..1000 {
        let change = document.replace(0, 0, &format!("# {round}\n"));
        server.change(change);
    }
    server.notify("textDocument/didClose", json!({ "textDocument": document.identifier() }));
    assert_lives(&mut server);
    let about = |it: &&Value| it["params"]["message"].to_string().contains("not open");
    let told: Vec<_> = server.notifications().into_iter().filter(about).collect();
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!(told[0]["method"], "window/logMessage");
}
