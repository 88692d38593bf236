//! Beginning and end of a session.

use serde_json::{Value, json};
use tests::lsp::{Server, code, usual_capabilities};

use crate::{server, softmax};

#[test]
fn server_says_what_it_can_do() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::spawn(dir.path());
    let result = server.initialize(usual_capabilities(), dir.path()).unwrap();
    let able = &result["capabilities"];
    for name in [
        "inlayHintProvider",
        "codeActionProvider",
        "diagnosticProvider",
        "hoverProvider",
        "documentSymbolProvider",
        "documentLinkProvider",
        "foldingRangeProvider",
        "codeLensProvider",
        "definitionProvider",
        "referencesProvider",
        "documentFormattingProvider",
        "documentRangeFormattingProvider",
    ] {
        assert!(able[name].is_object() || able[name] == true, "{name} is missing: {able:#}");
    }
    let sync = &able["textDocumentSync"];
    assert!(*sync == 2 || sync["change"] == 2, "changes are incremental: {sync}");
    assert_eq!(result["serverInfo"]["name"], "tir-analyzer");
}

#[test]
fn request_before_initialize_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::spawn(dir.path());
    let error = server.request("textDocument/hover", softmax().at(0)).unwrap_err();
    assert_eq!(error.code, code::SERVER_NOT_INITIALIZED);
    server.initialize(usual_capabilities(), dir.path()).unwrap();
}

#[test]
fn session_ends_in_order() {
    let (server, _dir) = server();
    assert_eq!(server.shutdown().code(), Some(0));
}

#[test]
fn exit_without_shutdown_is_told_by_the_exit_code() {
    let (mut server, _dir) = server();
    server.notify("exit", Value::Null);
    assert_eq!(server.wait_for_exit().code(), Some(1));
}

#[test]
fn server_ends_when_the_editor_is_gone() {
    let (server, _dir) = server();
    server.hang_up();
}

#[test]
fn request_after_shutdown_is_refused() {
    let (mut server, _dir) = server();
    server.request("shutdown", Value::Null).unwrap();
    let error = server.request("textDocument/hover", softmax().at(0)).unwrap_err();
    assert_eq!(error.code, code::INVALID_REQUEST);
    server.notify("exit", Value::Null);
    assert_eq!(server.wait_for_exit().code(), Some(0));
}

#[test]
fn client_that_can_do_nothing_is_served() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::spawn(dir.path());
    server.initialize(json!({}), dir.path()).unwrap();
    server.open(&softmax());
    // Such a client cannot ask for diagnostics: they are pushed.
    let pushed = server.notification("textDocument/publishDiagnostics");
    assert_eq!(pushed["uri"], softmax().uri());
    assert!(
        !server.requests_seen().iter().any(|method| method.ends_with("/refresh")),
        "{:?}",
        server.requests_seen()
    );
    assert_eq!(server.shutdown().code(), Some(0));
}
