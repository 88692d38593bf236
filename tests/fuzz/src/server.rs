//! The language server in this process, which an input sends messages to: a file is opened, changed, asked about and
//! closed.
//!
//! A panic anywhere ends the run, also one that the server would answer with an error. Each request is answered, and
//! what is answered about an edited file is what is answered about the same text, opened anew.

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use syntax::{ColumnEncoding, LineIndex, TextSize};

use crate::script::{self, Script, Step};

/// A server that says nothing for so long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Requests about a place.
const PLACED: &[&str] = &[
    "hover",
    "completion",
    "signatureHelp",
    "definition",
    "references",
    "documentHighlight",
    "prepareRename",
    "rename",
    "prepareCallHierarchy",
    "selectionRange",
    "codeAction",
    "inlayHint",
];

/// Requests about a document.
const WHOLE: &[&str] = &[
    "documentSymbol",
    "documentLink",
    "foldingRange",
    "formatting",
    "codeLens",
    "semanticTokens/full",
    "diagnostic",
];

/// Requests whose answers say nothing of how the text came to be.
const COMPARED: &[&str] = &["documentSymbol", "foldingRange", "diagnostic"];

/// The end of a stream that the server reads.
struct Input {
    messages: Receiver<Vec<u8>>,
    left: Vec<u8>,
}

impl Read for Input {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            match self.messages.recv() {
                Ok(it) => self.left = it,
                Err(_) => return Ok(0),
            }
        }
        let number = out.len().min(self.left.len());
        out[..number].copy_from_slice(&self.left[..number]);
        self.left.drain(..number);
        Ok(number)
    }
}

/// The end of a stream that it writes.
struct Output {
    messages: Sender<Value>,
    pending: Vec<u8>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.pending.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let end = self.pending.windows(4).position(|it| it == b"\r\n\r\n").expect("a header ends");
        let body = self.pending.split_off(end + 4);
        self.pending.clear();
        let message = serde_json::from_slice(&body).expect("messages are JSON");
        self.messages.send(message).map_err(io::Error::other)
    }
}

/// The client.
struct Client {
    to: Sender<Vec<u8>>,
    from: Receiver<Value>,
    asked: i64,
}

impl Client {
    fn start() -> Client {
        let (to, messages) = channel();
        let input = BufReader::new(Input { messages, left: Vec::new() });
        let (messages, from) = channel();
        let output = Output { messages, pending: Vec::new() };
        std::thread::spawn(move || tir_analyzer::server::serve_streams(input, output));
        let mut client = Client { to, from, asked: 0 };
        let capabilities = json!({
            "general": { "positionEncodings": ["utf-8"] },
            "textDocument": {
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                "diagnostic": {},
            },
        });
        let id = client.ask("initialize", json!({ "capabilities": capabilities }));
        client.answer(id);
        client.tell("initialized", json!({}));
        client
    }

    fn raw(&self, body: &[u8]) {
        let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        frame.extend(body);
        self.to.send(frame).expect("the server reads");
    }

    fn tell(&self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.raw(message.to_string().as_bytes());
    }

    fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.asked += 1;
        let id = self.asked;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.raw(message.to_string().as_bytes());
        id
    }

    /// Waits for an answer.
    fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.from.recv_timeout(PATIENCE).expect("the server answers");
            assert_ne!(message["error"]["code"], -32603, "{message}");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn close(&self) {
        self.tell("textDocument/didClose", json!({ "textDocument": document() }));
    }

    fn open(&self, script: &Script, text: &str) {
        let language = script.language.support().id;
        let document =
            json!({ "uri": "file:///fuzz/input", "languageId": language, "version": 0, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn compared(&mut self) -> Vec<Value> {
        let ask = |method: &&str| {
            let params = json!({ "textDocument": document() });
            let id = self.ask(&format!("textDocument/{method}"), params);
            self.answer(id)
        };
        let mut answers: Vec<Value> = COMPARED.iter().map(ask).collect();
        for answer in &mut answers {
            let fields = answer.as_object_mut().expect("an answer is an object");
            fields.remove("id");
        }
        answers
    }
}

fn document() -> Value {
    json!({ "uri": "file:///fuzz/input" })
}

/// Sends the messages of an input.
pub fn session(bytes: &[u8]) {
    static CLIENT: OnceLock<Mutex<Client>> = OnceLock::new();
    let Some((script, text)) = Script::of(bytes) else { return };
    let client = CLIENT.get_or_init(|| Mutex::new(Client::start()));
    let mut client = client.lock().unwrap_or_else(PoisonError::into_inner);
    let mut text = text.into_owned();
    client.open(&script, &text);
    let mut waiting = Vec::new();
    for (version, step) in script.steps.iter().enumerate() {
        take(&mut client, *step, &mut text, version + 1, &mut waiting);
    }
    // Ids are in the order of the questions, answers are not.
    let last = client.ask("textDocument/documentSymbol", json!({ "textDocument": document() }));
    let mut left: Vec<i64> = waiting.into_iter().chain([last]).collect();
    while !left.is_empty() {
        let message = client.from.recv_timeout(PATIENCE).expect("the server answers");
        assert_ne!(message["error"]["code"], -32603, "{message}");
        left.retain(|it| message["id"] != *it);
    }
    let edited = client.compared();
    client.close();
    client.open(&script, &text);
    let fresh = client.compared();
    client.close();
    assert_eq!(edited, fresh, "an edited text is answered in another way than\n{text}");
}

/// Does one step: an edit, a question, or bytes that are perhaps no message.
fn take(client: &mut Client, step: Step, text: &mut String, version: usize, waiting: &mut Vec<i64>) {
    let [.., kind, which] = step.0;
    match kind % 8 {
        0..=2 => {
            let edit = script::edit(&step, text);
            let lines = LineIndex::new(text);
            let at = |offset: TextSize| {
                let place = lines.line_col(offset, ColumnEncoding::Utf8);
                json!({ "line": place.line, "character": place.col })
            };
            let range = json!({ "start": at(edit.range.start()), "end": at(edit.range.end()) });
            client.tell(
                "textDocument/didChange",
                json!({
                    "textDocument": { "uri": "file:///fuzz/input", "version": version },
                    "contentChanges": [{ "range": range, "text": edit.text }],
                }),
            );
            edit.apply(text);
        }
        3..=5 => {
            let lines = LineIndex::new(text);
            let offset = TextSize::try_from(step.place(text)).expect("inputs are small");
            let place = lines.line_col(offset, ColumnEncoding::Utf8);
            let place = json!({ "line": place.line, "character": place.col });
            let range = json!({ "start": { "line": 0, "character": 0 }, "end": place });
            let method = PLACED[usize::from(which) % PLACED.len()];
            let params = json!({
                "textDocument": document(),
                "position": place,
                "positions": [place],
                "range": range,
                "newName": if which % 2 == 0 { "other" } else { "a b" },
                "context": { "includeDeclaration": true, "diagnostics": [] },
            });
            waiting.push(client.ask(&format!("textDocument/{method}"), params));
        }
        6 => {
            let method = WHOLE[usize::from(which) % WHOLE.len()];
            let params = json!({
                "textDocument": document(),
                "options": { "tabSize": 2, "insertSpaces": true },
            });
            waiting.push(client.ask(&format!("textDocument/{method}"), params));
        }
        _ => {
            let from = step.place(text);
            let part = &text.as_bytes()[from..];
            client.raw(&part[..part.len().min(usize::from(which))]);
        }
    }
}
