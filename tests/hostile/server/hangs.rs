//! Computations that do not end: neither edits, nor other requests, nor the end of the session wait for them.
//!
//! A build for development has a request without end, `tir-analyzer/hang`: one that looks whether it is to stop, as
//! passes do, or one that does not, as a mistake of ours would. What hangs may do so for ten minutes ([`LONG`]), and
//! nothing that is waited for here comes before it ends if it waits for that: the patience of the client
//! ([`tests::lsp::PATIENCE`]), which is shorter, only ends what hangs.

use std::time::Duration;

use serde_json::{Value, json};
use tests::{
    binary,
    lsp::{Server, code, usual_capabilities},
};

use super::{assert_answers, kernel};

/// The milliseconds that a computation may take where none is to be stopped for that.
const LONG: u32 = 600_000;

/// A server whose computations may take so many milliseconds. Only a build for development has requests that hang:
/// tests that need them are ignored in others.
fn server(limit: u32) -> (Server, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = binary::command();
    command.arg("server").env("TIR_ANALYZER_LIMIT_MS", limit.to_string());
    let mut server = Server::spawn_program(command, dir.path());
    server.initialize(usual_capabilities(), dir.path()).expect("the server is ready");
    let id = server.send("tir-analyzer/hang", json!({ "looks": true }));
    server.cancel(id);
    let error = server.wait_for(id).expect_err("it never has a result");
    assert_ne!(error.code, code::METHOD_NOT_FOUND, "the binary is no build for development");
    (server, dir)
}

fn hang(server: &mut Server, looks: bool) -> i64 {
    let id = server.send("tir-analyzer/hang", json!({ "looks": looks }));
    // It has begun before what comes next.
    std::thread::sleep(Duration::from_millis(50));
    id
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn edits_do_not_wait_for_who_does_not_look() {
    let (mut server, _dir) = server(LONG);
    let mut document = kernel();
    server.open(&document);
    assert_answers(&mut server, &document);
    let id = hang(&mut server, false);
    for round in 0..20 {
        let change = document.replace(0, 0, &format!("# {round}\n"));
        server.change(change);
    }
    assert_answers(&mut server, &document);
    let error = server.wait_for(id).unwrap_err();
    assert_eq!(error.code, code::REQUEST_FAILED);
    assert_eq!(error.message, "tir-analyzer/hang does not stop; it is left alone");
    assert_eq!(server.shutdown().code(), Some(0));
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn who_looks_is_stopped_by_an_edit_and_by_the_client() {
    let (mut server, _dir) = server(LONG);
    let mut document = kernel();
    server.open(&document);
    let id = hang(&mut server, true);
    let change = document.replace(0, 0, "# edited\n");
    server.change(change);
    assert_eq!(server.wait_for(id).unwrap_err().code, code::CONTENT_MODIFIED);
    let id = hang(&mut server, true);
    server.cancel(id);
    assert_eq!(server.wait_for(id).unwrap_err().code, code::REQUEST_CANCELLED);
    assert_answers(&mut server, &document);
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn long_computation_is_stopped_and_reported() {
    let (mut server, _dir) = server(300);
    let id = hang(&mut server, true);
    let error = server.wait_for(id).unwrap_err();
    let told = "tir-analyzer/hang took longer than 0.3 s and was stopped";
    assert_eq!((error.code, error.message.as_str()), (code::REQUEST_FAILED, told));
    assert_eq!(server.notification("window/showMessage")["message"], told);
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn lost_threads_are_replaced() {
    let (mut server, _dir) = server(300);
    let document = kernel();
    // More than there are threads for requests.
    let ids: Vec<i64> = (0..5).map(|_| hang(&mut server, false)).collect();
    server.open(&document);
    for id in ids {
        assert_eq!(server.wait_for(id).unwrap_err().code, code::REQUEST_FAILED);
    }
    assert_answers(&mut server, &document);
    assert_eq!(server.shutdown().code(), Some(0));
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn server_without_threads_to_give_ends() {
    let (mut server, _dir) = server(100);
    for _ in 0..12 {
        hang(&mut server, false);
    }
    assert_eq!(server.wait_for_exit().code(), Some(1));
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "needs a build for development")]
fn end_of_the_session_does_not_wait() {
    type End = fn(&mut Server);
    let ends: [(&str, Option<i32>, End); 4] = [
        ("end of input", Some(1), |server| server.close_input()),
        ("end of input inside of a request", Some(1), |server| {
            server.send_bytes(b"Content-Length: 1000\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":");
            server.close_input();
        }),
        ("exit", Some(1), |server| server.notify("exit", Value::Null)),
        ("shutdown and exit", Some(0), |server| {
            server.request("shutdown", Value::Null).expect("an answer");
            server.notify("exit", Value::Null);
        }),
    ];
    for (name, expected, end) in ends {
        let (mut server, _dir) = server(LONG);
        server.open(&kernel());
        for _ in 0..4 {
            hang(&mut server, false);
        }
        end(&mut server);
        assert_eq!(server.wait_for_exit().code(), expected, "{name}");
    }
}
