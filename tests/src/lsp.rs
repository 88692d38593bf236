//! A client that speaks LSP with the server over pipes, as an editor does.
//!
//! A thread reads the server's messages into a queue; the test takes them out while it waits for an answer.
//! Requests of the server are answered as a plain editor would; its notifications are kept until asked for.
//! Every wait ends after [`PATIENCE`], so that a silent server fails a test instead of hanging it.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::binary;
use crate::document::Document;

/// The time that a test waits for one message, on a busy machine and with a slow build.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The error of a response.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseError {
    /// A code of JSON-RPC or LSP.
    pub code: i64,
    /// For people.
    pub message: String,
}

/// Codes of errors that tests look for.
pub mod code {
    /// The bytes are not JSON.
    pub const PARSE_ERROR: i64 = -32700;
    /// The JSON is no message.
    pub const INVALID_REQUEST: i64 = -32600;
    /// Nobody knows the method.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// The parameters are not those of the method.
    pub const INVALID_PARAMS: i64 = -32602;
    /// The server failed.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// It is understood, and cannot be done.
    pub const REQUEST_FAILED: i64 = -32803;
    /// Asked before `initialize`.
    pub const SERVER_NOT_INITIALIZED: i64 = -32002;
    /// The text changed meanwhile.
    pub const CONTENT_MODIFIED: i64 = -32801;
    /// The client cancelled.
    pub const REQUEST_CANCELLED: i64 = -32800;
}

/// A running server.
#[derive(Debug)]
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    last_id: i64,
    responses: BTreeMap<i64, Result<Value, ResponseError>>,
    unclaimed: VecDeque<Value>,
    notifications: VecDeque<Value>,
    requests_seen: Vec<String>,
    registrations: Vec<Value>,
    configuration: Value,
}

impl Server {
    /// Starts `tir-analyzer server`, without any message.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn spawn(dir: &Path) -> Server {
        let mut command = binary::command();
        command.arg("server");
        Server::spawn_program(command, dir)
    }

    /// Starts any language server, without any message.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn spawn_program(mut command: Command, dir: &Path) -> Server {
        let mut child = command
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let stdout = child.stdout.take().expect("its output is a pipe");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            while let Some(message) = read_message(&mut reader) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Server {
            stdin: child.stdin.take(),
            child,
            messages,
            last_id: 0,
            responses: BTreeMap::new(),
            unclaimed: VecDeque::new(),
            notifications: VecDeque::new(),
            requests_seen: Vec::new(),
            registrations: Vec::new(),
            configuration: Value::Null,
        }
    }

    /// Starts a server and makes it ready, with the capabilities of a usual editor.
    pub fn start(dir: &Path) -> Server {
        let mut server = Server::spawn(dir);
        server.initialize(usual_capabilities(), dir).expect("the server is ready");
        server
    }

    /// The handshake: `initialize` and `initialized`. Returns the server's capabilities.
    ///
    /// # Errors
    ///
    /// The error of the server.
    pub fn initialize(&mut self, capabilities: Value, root: &Path) -> Result<Value, ResponseError> {
        let uri = uri_of(root);
        let result = self.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": uri,
                "capabilities": capabilities,
                "workspaceFolders": [{ "uri": uri, "name": "tests" }],
            }),
        )?;
        self.notify("initialized", json!({}));
        Ok(result)
    }

    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Sets the answer to `workspace/configuration` from now on, for the section `tir-analyzer`.
    pub fn set_configuration(&mut self, configuration: Value) {
        self.configuration = configuration;
    }

    /// Opens a document.
    pub fn open(&mut self, document: &Document) {
        self.notify("textDocument/didOpen", document.open_params());
    }

    /// Sends a change that [`Document::replace`] or its like described.
    pub fn change(&mut self, params: Value) {
        self.notify("textDocument/didChange", params);
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.write(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and gives its id.
    pub fn send(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        self.write(
            &json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params }),
        );
        self.last_id
    }

    /// Cancels a request.
    pub fn cancel(&mut self, id: i64) {
        self.notify("$/cancelRequest", json!({ "id": id }));
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    ///
    /// The error of the server.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        let id = self.send(method, params);
        self.wait_for(id)
    }

    /// Waits for the answer of a request.
    ///
    /// # Errors
    ///
    /// The error of the server.
    ///
    /// # Panics
    ///
    /// If none comes.
    #[track_caller]
    pub fn wait_for(&mut self, id: i64) -> Result<Value, ResponseError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(response) = self.responses.remove(&id) {
                return response;
            }
            assert!(self.receive(deadline), "no answer to request {id}");
        }
    }

    /// The next notification of a method, from those that came already or will.
    ///
    /// # Panics
    /// If none comes.
    #[track_caller]
    pub fn notification(&mut self, method: &str) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.notifications.iter().position(|message| message["method"] == method);
            if let Some(mut message) = found.and_then(|index| self.notifications.remove(index)) {
                return message["params"].take();
            }
            assert!(self.receive(deadline), "no notification {method}");
        }
    }

    /// Waits for the diagnostics that a server sends of this version of a document.
    ///
    /// # Panics
    /// If they do not come.
    #[track_caller]
    pub fn published_diagnostics(&mut self, version: i64) -> Value {
        loop {
            let params = self.notification("textDocument/publishDiagnostics");
            if params["version"].as_i64().is_none_or(|it| it >= version) {
                return params;
            }
        }
    }

    /// The next response without a request that we know: with the id `null`, or one of a raw message.
    ///
    /// # Panics
    /// If none comes.
    #[track_caller]
    pub fn unclaimed_response(&mut self) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(message) = self.unclaimed.pop_front() {
                return message;
            }
            assert!(self.receive(deadline), "no response");
        }
    }

    /// Methods of the requests that the server made, in order.
    pub fn requests_seen(&self) -> &[String] {
        &self.requests_seen
    }

    /// Registrations that the server asked for, in order.
    pub fn registrations(&self) -> &[Value] {
        &self.registrations
    }

    /// The notifications that came and that nobody waited for, in order.
    pub fn notifications(&self) -> Vec<&Value> {
        self.notifications.iter().collect()
    }

    /// Waits until the server has made a request.
    ///
    /// # Panics
    /// If none comes.
    #[track_caller]
    pub fn wait_for_request(&mut self, method: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.requests_seen.iter().any(|it| it == method) {
            assert!(self.receive(deadline), "no request {method}");
        }
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the server reads");
    }

    /// Sends a body with a right header, whatever the body is.
    pub fn send_body(&mut self, body: &str) {
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Ends the session in the proper order and gives the exit status.
    ///
    /// # Panics
    /// If the server does not end.
    pub fn shutdown(mut self) -> ExitStatus {
        self.request("shutdown", Value::Null).expect("shutdown succeeds");
        self.notify("exit", Value::Null);
        self.wait_for_exit()
    }

    /// Closes its input without a word, as a crashed editor does, and gives the exit status.
    pub fn hang_up(mut self) -> ExitStatus {
        self.stdin = None;
        self.wait_for_exit()
    }

    /// Closes its input without a word and lives on.
    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end of the process.
    ///
    /// # Panics
    /// If it does not end.
    pub fn wait_for_exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("the server is our child") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the server does not end");
    }

    fn write(&mut self, message: &Value) {
        self.send_body(&message.to_string());
    }

    /// Takes one message in; false if none came in time or the server is gone.
    fn receive(&mut self, deadline: Instant) -> bool {
        let patience = deadline.saturating_duration_since(Instant::now());
        match self.messages.recv_timeout(patience) {
            Ok(message) => self.sort_in(message),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
        }
        true
    }

    fn sort_in(&mut self, mut message: Value) {
        let is_request = message.get("method").is_some() && message.get("id").is_some();
        if is_request {
            self.answer(&message);
        } else if message.get("method").is_some() {
            self.notifications.push_back(message);
        } else if let Some(id) = message["id"].as_i64().filter(|id| (1..=self.last_id).contains(id))
        {
            self.responses.insert(id, result_of(&mut message));
        } else {
            self.unclaimed.push_back(message);
        }
    }

    /// Answers as a plain editor: its configuration where that is asked for, else nothing to report.
    fn answer(&mut self, request: &Value) {
        let method = request["method"].as_str().unwrap_or_default().to_owned();
        let result = match method.as_str() {
            "workspace/configuration" => {
                let count = request["params"]["items"].as_array().map_or(0, Vec::len);
                Value::Array(vec![self.configuration.clone(); count])
            }
            _ => Value::Null,
        };
        if method == "client/registerCapability" {
            let registered = request["params"]["registrations"].as_array();
            self.registrations.extend(registered.into_iter().flatten().cloned());
        }
        self.requests_seen.push(method);
        // A server that is already gone needs no answer.
        let body = json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string();
        if let Some(stdin) = self.stdin.as_mut() {
            let _ = write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len())
                .and_then(|()| stdin.flush());
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test that failed half-way leaves a server behind; one that ended is not harmed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn result_of(message: &mut Value) -> Result<Value, ResponseError> {
    match message.get("error") {
        Some(error) => Err(ResponseError {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
        }),
        None => Ok(message["result"].take()),
    }
}

/// Returns the capabilities of a present-day editor.
pub fn usual_capabilities() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "window": { "workDoneProgress": true },
        "workspace": {
            "configuration": true,
            "workspaceFolders": true,
            "inlayHint": { "refreshSupport": true },
            "diagnostics": { "refreshSupport": true },
            "workspaceEdit": { "documentChanges": true, "resourceOperations": ["create", "rename", "delete"] },
        },
        "textDocument": {
            "codeAction": {
                "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [
                    "quickfix", "refactor", "refactor.extract", "source", "source.fixAll",
                ] } },
                "resolveSupport": { "properties": ["edit"] },
                "dataSupport": true,
            },
            "diagnostic": { "dynamicRegistration": false },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "inlayHint": {},
        },
    })
}

/// The `file:` URI of a path.
pub fn uri_of(path: &Path) -> String {
    let path = std::path::absolute(path).expect("a path can be made absolute");
    let mut uri = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(byte as char)
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Reads one message; nothing at the end of the stream.
fn read_message(reader: &mut BufReader<impl Read>) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            header => match header.split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().ok()
                }
                _ => {}
            },
        }
    }
    let mut body = vec![0; length?];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_one_by_one() {
        let bytes =
            b"Content-Length: 8\r\n\r\n{\"a\": 1}Content-Type: x\r\ncontent-length: 2\r\n\r\n{}";
        let mut reader = BufReader::new(&bytes[..]);
        assert_eq!(read_message(&mut reader), Some(json!({ "a": 1 })));
        assert_eq!(read_message(&mut reader), Some(json!({})));
        assert_eq!(read_message(&mut reader), None);
    }

    #[test]
    fn uri_escapes_what_a_path_may_hold() {
        assert!(uri_of(Path::new("a b%ä.py")).ends_with("/a%20b%25%C3%A4.py"));
    }
}
