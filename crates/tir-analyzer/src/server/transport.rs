//! Messages over a pair of byte streams.
//!
//! The reader thread cuts the input into frames, the writer thread writes finished frames; both sides speak through
//! channels. The shapes of messages are `lsp-server`'s; reading is done here, because a malformed message must be
//! *answered* (JSON-RPC's -32700 and -32600), where that crate's transport ends the connection.

use std::io::{self, BufRead, Read, Write};

use crossbeam_channel::Sender;
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::server::outbox::Outbox;

/// The incoming messages.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message(Message),
    /// Something else, with the answer that it gets.
    Malformed(Refusal),
}

/// The answer to an invalid message.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The id, if one could be read.
    pub(crate) id: Option<RequestId>,
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

/// The body of a message that goes out.
pub(crate) type Frame = Vec<u8>;

/// A header line longer than this is none.
const MAX_HEADER: u64 = 64 * 1024;
/// No message is longer than this.
const MAX_BODY: u64 = 1 << 31;

/// Reads messages until the input ends or breaks.
pub(crate) fn read_messages(mut input: impl BufRead, out: &Sender<Incoming>) -> io::Result<()> {
    loop {
        let incoming = match read_frame(&mut input)? {
            Framing::End => return Ok(()),
            Framing::Broken(message) => Incoming::Malformed(parse_error(message)),
            Framing::Body(body) => parse_message(&body),
        };
        let is_exit = matches!(
            &incoming,
            Incoming::Message(Message::Notification(it)) if it.method == "exit"
        );
        if out.send(incoming).is_err() || is_exit {
            return Ok(());
        }
    }
}

/// Writes messages until there are no more.
pub(crate) fn write_messages(mut output: impl Write, outbox: &Outbox) -> io::Result<()> {
    while let Some(body) = outbox.take() {
        let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        message.extend(body);
        output.write_all(&message)?;
        output.flush()?;
    }
    Ok(())
}

enum Framing {
    Body(Vec<u8>),
    Broken(String),
    End,
}

fn read_frame(input: &mut impl BufRead) -> io::Result<Framing> {
    let mut length: Option<u64> = None;
    let mut is_empty = true;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(Framing::End);
        }
        let line = String::from_utf8_lossy(&line).trim().to_ascii_lowercase();
        if line.is_empty() {
            if is_empty {
                continue;
            }
            break;
        }
        is_empty = false;
        // What a broken frame left behind may stand before the name.
        if let Some((_, value)) = line.rsplit_once("content-length:") {
            length = value.trim().parse().ok();
        }
    }
    let Some(length) = length else {
        return Ok(Framing::Broken("a message without a valid Content-Length".to_owned()));
    };
    if length > MAX_BODY {
        return Ok(Framing::Broken(format!("a message of {length} bytes is too long")));
    }
    let mut body = Vec::new();
    if input.take(length).read_to_end(&mut body)? < length as usize {
        return Ok(Framing::End);
    }
    Ok(Framing::Body(body))
}

fn parse_message(body: &[u8]) -> Incoming {
    match serde_json::from_slice::<Value>(body) {
        Err(error) => Incoming::Malformed(parse_error(format!("not JSON: {error}"))),
        Ok(Value::Object(message)) => classify(message),
        Ok(_) => Incoming::Malformed(invalid(None, "a message is a JSON object")),
    }
}

fn classify(mut message: Map<String, Value>) -> Incoming {
    let raw_id = message.get("id");
    let has_id = raw_id.is_some();
    let id = raw_id.and_then(read_id);
    if message.get("jsonrpc").is_some_and(|it| it != "2.0") {
        return Incoming::Malformed(invalid(id, "`jsonrpc` must be \"2.0\""));
    }
    let params = message.remove("params").unwrap_or_default();
    if !matches!(params, Value::Null | Value::Object(_) | Value::Array(_)) {
        return Incoming::Malformed(invalid(id, "`params` must be an object or an array"));
    }
    match (message.remove("method"), id) {
        (Some(Value::String(method)), Some(id)) => {
            Incoming::Message(Message::Request(Request { id, method, params }))
        }
        (Some(Value::String(method)), None) if !has_id => {
            Incoming::Message(Message::Notification(Notification { method, params }))
        }
        (None, Some(id)) if message.contains_key("result") || message.contains_key("error") => {
            let error = message.remove("error").and_then(|it| serde_json::from_value(it).ok());
            let result = message.remove("result");
            Incoming::Message(Message::Response(Response { id, result, error }))
        }
        (Some(Value::String(_)), None) => {
            Incoming::Malformed(invalid(None, "`id` must be a string or a 32-bit integer"))
        }
        (_, id) => Incoming::Malformed(invalid(id, "neither a request nor a response")),
    }
}

fn read_id(value: &Value) -> Option<RequestId> {
    match value {
        Value::String(text) => Some(text.clone().into()),
        Value::Number(number) => Some(i32::try_from(number.as_i64()?).ok()?.into()),
        _ => None,
    }
}

fn parse_error(message: String) -> Refusal {
    Refusal { id: None, code: ErrorCode::ParseError, message }
}

fn invalid(id: Option<RequestId>, message: &str) -> Refusal {
    Refusal { id, code: ErrorCode::InvalidRequest, message: message.to_owned() }
}

#[derive(Serialize)]
struct Ok<'a, T> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: &'a T,
}

#[derive(Serialize)]
struct Failed<'a> {
    jsonrpc: &'static str,
    id: Option<&'a RequestId>,
    error: ErrorObject<'a>,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    code: i32,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

#[derive(Serialize)]
struct Call<'a, T> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i32>,
    method: &'a str,
    params: &'a T,
}

fn to_frame(message: &impl Serialize) -> Frame {
    serde_json::to_vec(message).expect("messages have string keys and no failing serializers")
}

/// The answer to a request.
pub(crate) fn result(id: &RequestId, result: &impl Serialize) -> Frame {
    to_frame(&Ok { jsonrpc: "2.0", id, result })
}

/// The answer to a request, unless it `stops` meanwhile: a large one has many megabytes.
pub(crate) fn result_until(
    id: &RequestId,
    result: &impl Serialize,
    stops: &dyn Fn() -> bool,
) -> Option<Frame> {
    let mut written = Written { frame: Frame::new(), looked: 0, stops };
    match serde_json::to_writer(&mut written, &Ok { jsonrpc: "2.0", id, result }) {
        Result::Ok(()) => Some(written.frame),
        Err(error) if error.is_io() => None,
        Err(error) => panic!("messages have string keys and no failing serializers: {error}"),
    }
}

/// The bytes between two looks whether writing stops.
const LOOK_BYTES: usize = 16 * 1024;

/// A message that is being written, until it stops.
struct Written<'a> {
    frame: Frame,
    looked: usize,
    stops: &'a dyn Fn() -> bool,
}

impl Write for Written<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.frame.extend_from_slice(bytes);
        if self.frame.len() - self.looked >= LOOK_BYTES {
            self.looked = self.frame.len();
            if (self.stops)() {
                return Err(io::ErrorKind::Other.into());
            }
        }
        Result::Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Result::Ok(())
    }
}

/// The error answer to a request; without an id, to something whose id could not be read.
pub(crate) fn error(
    id: Option<&RequestId>,
    code: ErrorCode,
    message: &str,
    data: Option<Value>,
) -> Frame {
    let error = ErrorObject { code: code as i32, message, data };
    to_frame(&Failed { jsonrpc: "2.0", id, error })
}

/// A notification to the client.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Frame {
    to_frame(&Call { jsonrpc: "2.0", id: None, method, params })
}

/// A request to the client.
pub(crate) fn request(id: i32, method: &str, params: &impl Serialize) -> Frame {
    to_frame(&Call { jsonrpc: "2.0", id: Some(id), method, params })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[track_caller]
    fn check(input: &str, expected: Expect) {
        let (sender, receiver) = crossbeam_channel::unbounded();
        read_messages(input.as_bytes(), &sender).unwrap();
        drop(sender);
        let seen: Vec<String> = receiver
            .iter()
            .map(|it| match it {
                Incoming::Message(Message::Request(it)) => {
                    format!("request {} {}", it.id, it.method)
                }
                Incoming::Message(Message::Notification(it)) => {
                    format!("notification {}", it.method)
                }
                Incoming::Message(Message::Response(it)) => format!("response {}", it.id),
                Incoming::Malformed(it) => {
                    format!(
                        "{} {:?} {}",
                        it.code as i32,
                        it.id.map(|it| it.to_string()),
                        it.message
                    )
                }
            })
            .collect();
        expected.assert_eq(&seen.join("\n"));
    }

    #[test]
    fn messages_of_each_kind() {
        let input = [
            frame(r#"{"jsonrpc":"2.0","id":1,"method":"a","params":null}"#),
            frame(r#"{"jsonrpc":"2.0","id":"x","method":"b"}"#),
            frame(r#"{"jsonrpc":"2.0","method":"c","params":{}}"#),
            frame(r#"{"jsonrpc":"2.0","id":7,"result":null}"#),
        ]
        .concat();
        check(
            &input,
            expect![[r#"
                request 1 a
                request "x" b
                notification c
                response 7"#]],
        );
    }

    #[test]
    fn malformed_bodies_are_refused_and_reading_goes_on() {
        let input = [
            frame("{"),
            frame("[]"),
            frame(r#"{"jsonrpc":"1.0","id":1,"method":"a"}"#),
            frame(r#"{"id":2}"#),
            frame(r#"{"id":3,"method":"a","params":5}"#),
            frame(r#"{"id":1.5,"method":"a"}"#),
            frame(r#"{"id":null,"method":"a"}"#),
            frame("\u{1}\u{2}"),
            frame(r#"{"method":"fine"}"#),
        ]
        .concat();
        check(
            &input,
            expect![[r#"
                -32700 None not JSON: EOF while parsing an object at line 1 column 1
                -32600 None a message is a JSON object
                -32600 Some("1") `jsonrpc` must be "2.0"
                -32600 Some("2") neither a request nor a response
                -32600 Some("3") `params` must be an object or an array
                -32600 None `id` must be a string or a 32-bit integer
                -32600 None `id` must be a string or a 32-bit integer
                -32700 None not JSON: expected value at line 1 column 1
                notification fine"#]],
        );
    }

    #[test]
    fn broken_headers_are_refused_and_the_next_frame_is_found() {
        let input = format!(
            "Content-Length: x\r\n\r\n{{\"method\":\"lost\"}}{}Hello: there\r\n\r\n{}",
            frame(r#"{"method":"found"}"#),
            frame(r#"{"method":"too"}"#),
        );
        check(
            &input,
            expect![[r#"
                -32700 None a message without a valid Content-Length
                notification found
                -32700 None a message without a valid Content-Length
                notification too"#]],
        );
    }

    #[test]
    fn input_that_ends_inside_a_message_ends() {
        check("Content-Length: 100\r\n\r\n{}", expect![""]);
        check("Content-Len", expect![""]);
    }

    #[test]
    fn writing_a_large_answer_ends_when_nobody_wants_it() {
        let numbers: Vec<u32> = (0..1_000_000).collect();
        let id = RequestId::from(1);
        assert_eq!(result_until(&id, &numbers, &|| false), Some(super::result(&id, &numbers)));
        let looks = std::cell::Cell::new(0);
        let third_time = || looks.replace(looks.get() + 1) == 2;
        assert_eq!(result_until(&id, &numbers, &third_time), None);
        assert_eq!(looks.get(), 3, "nothing is written after that");
    }

    #[test]
    fn deep_json_is_refused() {
        let body = "[".repeat(100_000);
        check(
            &frame(&body),
            expect!["-32700 None not JSON: recursion limit exceeded at line 1 column 128"],
        );
    }
}
