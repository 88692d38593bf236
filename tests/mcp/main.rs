//! `tir-analyzer mcp`: as bytes over pipes, and as the protocol's reference client sees it.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use tests::{binary, samples};

/// A session over pipes.
struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    n_requests: u64,
}

impl Session {
    /// Starts the server on a folder, and greets it.
    fn start(root: &Path) -> Session {
        let mut child = binary::command()
            .args(["mcp", "--root"])
            .arg(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("it has an output"));
        let mut session = Session { child, stdin, stdout, n_requests: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = session.request("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "tir-analyzer");
        session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        session
    }

    fn send(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("the session is open");
        writeln!(stdin, "{message}").and_then(|()| stdin.flush()).expect("the server reads");
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.n_requests += 1;
        let id = self.n_requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let mut line = String::new();
            let n = self.stdout.read_line(&mut line).expect("the server answers");
            assert_ne!(n, 0, "the server is gone");
            let message: Value = serde_json::from_str(&line).expect("each line is a message");
            if message["id"] == id {
                return message;
            }
        }
    }

    /// Calls a tool: its text, and whether it is an error.
    fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.request("tools/call", params);
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().expect("an answer is a text");
        (text.to_owned(), result["isError"] == true)
    }

    fn end(mut self) {
        drop(self.stdin.take());
        assert!(self.child.wait().expect("the server ends").success());
    }
}

/// A folder with a kernel, beside a file that is nobody's business.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let root = dir.path().join("root");
    std::fs::create_dir(&root).expect("a folder can be made");
    let text = samples::text("lowered_cuda", "te_softmax_softmax");
    std::fs::write(root.join("softmax.py"), text).expect("a file can be written");
    std::fs::write(dir.path().join("secret.py"), "secret = 1\n").expect("a file can be written");
    dir
}

#[test]
fn tools_only_read_and_say_so() {
    let dir = folder();
    let mut session = Session::start(&dir.path().join("root"));
    let tools = session.request("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().expect("there are tools");
    let names: Vec<&str> = tools.iter().filter_map(|it| it["name"].as_str()).collect();
    let expected =
        ["check", "explain", "facts", "simplify", "opt", "preview", "run", "device_code"];
    assert_eq!(names, expected);
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    let before = std::fs::read(dir.path().join("root/softmax.py")).expect("the file is there");
    for (tool, arguments) in [
        ("check", json!({})),
        ("opt", json!({ "path": "softmax.py" })),
        ("preview", json!({ "path": "softmax.py" })),
        ("device_code", json!({ "path": "softmax.py", "target": "opencl" })),
    ] {
        let (text, is_error) = session.call(tool, arguments);
        assert!(!is_error && !text.is_empty(), "{tool}: {text}");
    }
    session.end();
    let entries = std::fs::read_dir(dir.path().join("root")).expect("the folder is there");
    assert_eq!(entries.count(), 1, "a tool wrote into the folder");
    assert_eq!(std::fs::read(dir.path().join("root/softmax.py")).ok(), Some(before));
}

#[test]
fn answers_are_those_of_the_command_line() {
    let dir = folder();
    let root = dir.path().join("root");
    let mut session = Session::start(&root);
    let (text, _) = session.call("check", json!({ "path": "softmax.py", "limit": 3 }));
    let output = binary::command()
        .args(["check", "--format=json", "--limit=3", "softmax.py"])
        .current_dir(&root)
        .output()
        .expect("the command runs");
    assert_eq!(text, String::from_utf8_lossy(&output.stdout));
    let arguments = json!({ "expr": "(4 * i + j) % 4", "given": ["0 <= j", "j < 4"] });
    let (text, _) = session.call("simplify", arguments);
    let answer: Value = serde_json::from_str(&text).expect("the answer is JSON");
    assert_eq!(answer["after"], "j");
    let code = session.call("device_code", json!({ "path": "softmax.py" })).0;
    assert!(code.contains("__global__"), "{code}");
    session.end();
}

#[test]
fn mistakes_are_told_and_end_nothing() {
    let dir = folder();
    let mut session = Session::start(&dir.path().join("root"));
    let (text, is_error) = session.call("check", json!({ "path": "../secret.py" }));
    assert!(is_error && text.contains("is outside of"), "{text}");
    let (text, is_error) = session.call("check", json!({ "path": "softmax.py", "levle": "error" }));
    assert!(is_error && text.contains("did you mean `level`?"), "{text}");
    let (text, is_error) = session.call("run", json!({ "path": "softmax.py", "max_steps": 10 }));
    assert!(is_error && text.contains("stopped after 10 steps"), "{text}");
    let arguments = json!({ "path": "softmax.py", "inputs": ["../secret.npy"] });
    assert!(session.call("run", arguments).1);
    let answer = session.request("tools/call", json!({ "name": "write" }));
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("there is no tool `write`"), "{answer}");
    let (text, is_error) = session.call("explain", json!({ "what": "may-trap" }));
    assert!(!is_error && text.contains("may-trap"), "{text}");
    session.end();
}

/// The client that the protocol's authors keep.
#[test]
#[ignore = "needs the reference client of MCP"]
fn mcp_client_of_reference() {
    let Some(python) = std::env::var_os("TIR_ANALYZER_MCP") else {
        panic!("TIR_ANALYZER_MCP names a Python with the package `mcp`")
    };
    let dir = folder();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/mcp/client.py");
    let output = Command::new(python)
        .arg(script)
        .arg(binary::path())
        .arg(dir.path().join("root"))
        .output()
        .expect("Python runs");
    let answer = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{answer}\n{complaint}");
    assert_eq!(answer.trim(), "8 tools, 0 findings of level error, j, refused");
}
