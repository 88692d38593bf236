//! Clients that do not read, and clients that are gone.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tests::{binary, metrics::Metrics};

use super::kernel;

/// Ends of processes are waited for so long.
const SOON: Duration = Duration::from_secs(20);

fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

/// A server whose output is not read, with the messages that make it ready.
fn start(process: Value) -> (Child, Vec<u8>) {
    let command =
        binary::command().arg("server").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let initialize = json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": { "processId": process, "capabilities": {}, "rootUri": null },
    });
    let initialized = json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} });
    let mut messages = frame(&initialize);
    messages.extend(frame(&initialized));
    let open = kernel().open_params();
    messages.extend(frame(
        &json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": open }),
    ));
    (command.expect("the server starts"), messages)
}

#[track_caller]
fn assert_ends(child: &mut Child) {
    let begin = Instant::now();
    while begin.elapsed() < SOON {
        if child.try_wait().expect("it is our child").is_some() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let _ = child.wait();
    panic!("the server does not end");
}

/// Requests with large answers, without end; counts those that the server took.
fn flood(child: &mut Child, messages: Vec<u8>, taken: Arc<AtomicU64>) -> thread::JoinHandle<()> {
    let mut input = child.stdin.take().expect("its input is a pipe");
    thread::spawn(move || {
        let _ = input.write_all(&messages);
        for id in 1..200_000 {
            let request = json!({
                "jsonrpc": "2.0", "id": id, "method": "textDocument/inlayHint",
                "params": kernel().over_all(),
            });
            if input.write_all(&frame(&request)).is_err() {
                return;
            }
            taken.store(id, Ordering::Relaxed);
        }
    })
}

/// Waits until the server takes nothing more; how many requests it took.
fn until_it_stops(taken: &AtomicU64) -> u64 {
    let begin = Instant::now();
    let mut before = 0;
    loop {
        thread::sleep(Duration::from_secs(2));
        let now = taken.load(Ordering::Relaxed);
        if now == before && now > 0 || begin.elapsed() > 4 * SOON {
            return now;
        }
        before = now;
    }
}

#[test]
fn client_that_does_not_read_is_not_written_for() {
    let (mut child, messages) = start(Value::Null);
    let taken = Arc::new(AtomicU64::new(0));
    let flooding = flood(&mut child, messages, taken.clone());
    let n = until_it_stops(&taken);
    assert!(n < 199_999, "the server takes whatever comes");
    if let Some(figures) = Metrics::of(child.id()) {
        assert!(figures.anonymous < 150_000, "{figures:?} after {n} requests");
    }
    // Nothing is lost: once the client reads, everything is answered.
    let mut output = BufReader::new(child.stdout.take().expect("its output is a pipe"));
    let mut n_answers = 0;
    while n_answers < n {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(output.read_line(&mut line).expect("a header"), 0, "after {n_answers}");
            match line.trim_end() {
                "" => break,
                line => length = line.rsplit(' ').next().expect("a number").parse().expect("it"),
            }
        }
        let mut body = vec![0; length];
        output.read_exact(&mut body).expect("a message");
        let message: Value = serde_json::from_slice(&body).expect("JSON");
        n_answers += u64::from(message["id"].as_u64().is_some_and(|it| it > 0));
    }
    child.kill().expect("it lives");
    child.wait().expect("it is our child");
    flooding.join().expect("no panic");
}

#[test]
fn client_that_does_not_read_and_goes_takes_the_server_along() {
    let (mut child, messages) = start(Value::Null);
    let mut input = child.stdin.take().expect("its input is a pipe");
    input.write_all(&messages).expect("the server reads");
    // Blocks when the server takes no more, and fails when it ends.
    let writing = thread::spawn(move || drop(input.write_all(&requests(20_000))));
    thread::sleep(Duration::from_secs(3));
    drop(child.stdout.take());
    assert_ends(&mut child);
    writing.join().expect("no panic");
}

#[cfg(unix)]
#[test]
fn server_ends_with_the_process_of_its_client() {
    // The streams stay open: they are held here.
    let mut client = Command::new("sleep").arg("600").spawn().expect("there is `sleep`");
    let (mut child, messages) = start(client.id().into());
    let mut input = child.stdin.take().expect("its input is a pipe");
    input.write_all(&messages).expect("the server reads");
    thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().expect("it is our child").is_none(), "its client lives");
    client.kill().expect("it lives");
    // Nobody has buried it: it is a zombie.
    assert_ends(&mut child);
    client.wait().expect("it is our child");
    drop(input);
}

#[cfg(unix)]
#[test]
fn server_ends_with_its_input_while_its_output_is_open_and_full() {
    let (mut child, messages) = start(Value::Null);
    let output = child.stdout.take();
    // Another process writes, and is killed in the middle.
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(&requests(20_000)).expect("room");
    let mut writer = Command::new("cat")
        .arg("-")
        .arg(file.path())
        .stdin(Stdio::piped())
        .stdout(child.stdin.take().expect("its input is a pipe"))
        .spawn()
        .expect("there is `cat`");
    let mut first = writer.stdin.take().expect("its input is a pipe");
    first.write_all(&messages).expect("the messages are taken");
    drop(first);
    thread::sleep(Duration::from_secs(3));
    assert!(child.try_wait().expect("it is our child").is_none(), "its client lives");
    writer.kill().expect("it lives");
    writer.wait().expect("it is our child");
    assert_ends(&mut child);
    drop(output);
}

/// This number of requests with large answers.
fn requests(n: usize) -> Vec<u8> {
    let request = json!({
        "jsonrpc": "2.0", "id": 1, "method": "textDocument/inlayHint", "params": kernel().over_all(),
    });
    frame(&request).repeat(n)
}
