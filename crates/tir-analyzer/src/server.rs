//! The language server: `tir-analyzer server`, over standard input and output.
//!
//! ```text
//!  stdin ─ reader ─► main loop ─ snapshot ─► pool ─┐
//!                     │  owns the state            ├─ outbox ─► writer ─ stdout
//!                     └────────────────────────────┘
//! ```
//!
//! One thread, the main loop, takes all messages in order and alone changes the state. Requests run on a pool, each on
//! a snapshot; an edit that comes in meanwhile makes them unwind, and they answer that the content was modified.
//!
//! Nothing waits without a bound: a change does not wait for readers (`State::host_mut`), a job runs no longer than its
//! limit (`thread_pool`), the queues are bounded (`outbox`, and the reader stops where the main loop does), and the
//! process ends with its client (`client_process`).

mod client;
mod client_process;
mod definitions;
mod dispatch;
mod documents;
mod event;
mod handlers;
mod lsp;
mod metrics;
mod notebooks;
mod outbox;
mod panics;
mod pending;
mod progress;
mod publish;
mod settings;
mod silence;
mod snapshot;
mod state;
mod thread_pool;
mod transport;
mod workspace;

use std::{
    io, thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, at, bounded, never, select, unbounded};
use lsp_server::{ErrorCode, Message, Request};
use lsp_types as types;
use serde_json::json;
use syntax::{Form, Language};

use crate::{
    config::ConfigPatch,
    server::{
        client::Client, client_process::Pulse, event::Event, outbox::Outbox, state::State,
        transport::Incoming,
    },
};

/// The number of messages that are read before the main loop takes them.
const MAX_INCOMING: usize = 64;

/// Between two looks of the watchdog.
const LOOK: Duration = Duration::from_millis(200);

/// The time that running answers have when the session ends, and then the client for reading them.
const GRACE: Duration = Duration::from_millis(500);

/// The connection to the client.
struct Connection {
    incoming: Receiver<Incoming>,
    outbox: Outbox,
    /// Closed when nothing is written any more.
    written: Receiver<()>,
    pulse: Pulse,
}

/// Serves one client over standard input and output. Gives the exit code that the protocol asks for: success only after
/// `shutdown` and `exit`.
pub fn run() -> anyhow::Result<u8> {
    let pulse = Pulse::default();
    client_process::watch_input(pulse.clone())?;
    serve_over(pulse, || io::stdin().lock(), || io::stdout().lock())
}

/// Serves one client over any two streams, as [`run`] does.
///
/// # Errors
/// A thread cannot be started.
pub fn serve_streams(
    input: impl io::BufRead + Send + 'static,
    output: impl io::Write + Send + 'static,
) -> anyhow::Result<u8> {
    serve_over(Pulse::default(), || input, || output)
}

/// Serves one client. Both streams are opened by the threads that use them.
fn serve_over<R: io::BufRead, W: io::Write>(
    pulse: Pulse,
    input: impl FnOnce() -> R + Send + 'static,
    output: impl FnOnce() -> W + Send + 'static,
) -> anyhow::Result<u8> {
    let (incoming_sender, incoming) = bounded(MAX_INCOMING);
    let (writing, written) = bounded(0);
    let connection = Connection { incoming, outbox: Outbox::default(), written, pulse };
    // Blocked in reading when the server ends: it is not joined.
    thread::Builder::new().name("reader".to_owned()).spawn(move || {
        // An input that breaks ends the same way as one that ends.
        let _ = transport::read_messages(input(), &incoming_sender);
    })?;
    let outbox = connection.outbox.clone();
    thread::Builder::new().name("writer".to_owned()).spawn(move || {
        let _ = transport::write_messages(output(), &outbox);
        // Who waits for room waits for nobody.
        outbox.end();
        drop::<Sender<()>>(writing);
    })?;
    let is_clean = serve(&connection)?;
    connection.outbox.end();
    // A client that is gone does not read the last answers.
    let _ = connection.written.recv_timeout(GRACE);
    Ok(u8::from(!is_clean))
}

/// Takes messages until `exit` or the end of a stream. Whether `shutdown` came before.
fn serve(connection: &Connection) -> io::Result<bool> {
    let (event_sender, events) = unbounded();
    let mut state = loop {
        let Some(request) = wait_for_initialize(connection) else { return Ok(false) };
        // What follows a broken `initialize` is refused like what comes before it.
        if let Some(state) = initialize(request, connection, event_sender.clone())? {
            break state;
        }
    };
    take_messages(&mut state, connection, &events);
    finish(&mut state, &events);
    let is_clean = state.is_shut_down;
    // The process ends: nothing is freed piece by piece.
    std::mem::forget(state);
    Ok(is_clean)
}

fn take_messages(state: &mut State, connection: &Connection, events: &Receiver<Event>) {
    let mut looked = Instant::now();
    loop {
        connection.outbox.wait_for_room();
        let put_off = match state.to_warm.as_slice() {
            [] => never(),
            _ => at(state.warm_at),
        };
        let look = if state.pool.is_busy() { at(looked + LOOK) } else { never() };
        select! {
            recv(connection.incoming) -> message => {
                connection.pulse.beat();
                let Ok(message) = message else { return };
                if handle(state, message) {
                    return;
                }
            }
            recv(events) -> event => {
                // The state holds a sender, so the channel is open.
                if let Ok(event) = event {
                    // Before what it starts: now and then nobody is asking.
                    state.let_go();
                    handle_event(state, event);
                }
            }
            recv(connection.written) -> _ => return,
            recv(put_off) -> _ => progress::resume(state),
            recv(look) -> _ => {
                looked = Instant::now();
                if !state.look_after_jobs() {
                    return;
                }
            }
        }
    }
}

/// Waits a little for the answers that are being computed.
fn finish(state: &mut State, events: &Receiver<Event>) {
    let deadline = Instant::now() + GRACE;
    while state.pending.len() > 0 {
        match events.recv_deadline(deadline) {
            Ok(Event::Answered(id)) => drop(state.pending.forget(&id)),
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

/// Refuses everything until `initialize` comes; none if the connection ends before.
fn wait_for_initialize(connection: &Connection) -> Option<Request> {
    let outbox = &connection.outbox;
    loop {
        outbox.wait_for_room();
        let message = select! {
            recv(connection.incoming) -> message => message.ok()?,
            recv(connection.written) -> _ => return None,
        };
        connection.pulse.beat();
        match message {
            Incoming::Message(Message::Request(request)) if request.method == "initialize" => {
                return Some(request);
            }
            Incoming::Message(Message::Request(request)) => {
                let message = "the server is not initialized";
                let code = ErrorCode::ServerNotInitialized;
                outbox.send(transport::error(Some(&request.id), code, message, None));
            }
            Incoming::Message(Message::Notification(it)) if it.method == "exit" => return None,
            Incoming::Message(_) => {}
            Incoming::Malformed(it) => {
                outbox.send(transport::error(it.id.as_ref(), it.code, &it.message, None));
            }
        }
    }
}

fn initialize(
    request: Request,
    connection: &Connection,
    events: Sender<Event>,
) -> io::Result<Option<State>> {
    let outbox = &connection.outbox;
    let params: types::InitializeParams = match serde_json::from_value(request.params) {
        Ok(params) => params,
        Err(error) => {
            let message = format!("invalid parameters of initialize: {error}");
            let code = ErrorCode::InvalidParams;
            outbox.send(transport::error(Some(&request.id), code, &message, None));
            return Ok(None);
        }
    };
    if let Some(number) = params.process_id {
        client_process::watch_process(number)?;
    }
    let client = Client::new(&params);
    let result = types::InitializeResult {
        capabilities: client.server_capabilities(),
        server_info: Some(types::ServerInfo {
            name: "tir-analyzer".to_owned(),
            version: Some(crate::version::SHORT.to_owned()),
        }),
    };
    outbox.send(transport::result(&request.id, &result));
    let options = params.initialization_options.clone().unwrap_or_default();
    let (patch, problem) = match ConfigPatch::from_json(&options) {
        Ok(patch) => (patch, None),
        Err(error) => (ConfigPatch::default(), Some(format!("initializationOptions: {error}"))),
    };
    let state = State::new(client, client::roots(&params), patch, outbox.clone(), events)?;
    state.warn_of_unknown(&state.settings.initialization, "initializationOptions");
    if let Some(problem) = problem {
        state.show(types::MessageType::Error, problem);
    }
    Ok(Some(state))
}

/// Handles a message. Whether it was the last.
fn handle(state: &mut State, message: Incoming) -> bool {
    match message {
        Incoming::Malformed(it) => {
            state.send(transport::error(it.id.as_ref(), it.code, &it.message, None));
        }
        Incoming::Message(Message::Request(request)) if state.is_shut_down => {
            let message = "the server is shutting down";
            let code = ErrorCode::InvalidRequest;
            state.send(transport::error(Some(&request.id), code, message, None));
        }
        Incoming::Message(Message::Request(request)) => dispatch::request(state, request),
        Incoming::Message(Message::Response(response)) => state.take_response(response),
        Incoming::Message(Message::Notification(it)) => match it.method.as_str() {
            "exit" => return true,
            "initialized" => register(state),
            _ => handlers::notification::notification(state, it),
        },
    }
    false
}

fn handle_event(state: &mut State, event: Event) {
    match event {
        Event::Answered(id) => state.answered(&id),
        Event::Warmed { uri, done, total } => progress::warmed(state, &uri, done, total),
        Event::WarmingStopped { uri } => progress::put_off(state, uri),
        Event::NotPublished { uri, version } => state.not_published(&uri, version),
        Event::LeftOut(message) => state.show(types::MessageType::Warning, message),
        Event::TooLarge(message) => state.log(message),
        Event::Indexing { n_files, is_done } => progress::indexing(state, n_files, is_done),
        Event::Partial { uri, version, told } => {
            progress::answered_in_part(state, uri, version, told)
        }
    }
}

/// Asks for the settings and for news of them.
fn register(state: &mut State) {
    let mut registrations = Vec::new();
    if state.client.registers_configuration {
        let section = crate::config::CONFIG_SECTION;
        registrations.push(json!({
            "id": "settings",
            "method": "workspace/didChangeConfiguration",
            "registerOptions": { "section": section },
        }));
    }
    if state.client.registers_watchers {
        // Files of dialects are settings too.
        let settings = [crate::config::CONFIG_FILE, "dialects/*.toml"];
        let mut watchers: Vec<_> =
            settings.iter().map(|it| json!({ "globPattern": format!("**/{it}") })).collect();
        // What is imported is read in any case.
        let all = state.config().elsewhere_enable;
        let languages = Language::with(|it| all || it.form == Form::Expressions);
        let extensions = languages.iter().flat_map(|it| it.support().extensions);
        watchers.extend(extensions.map(|it| json!({ "globPattern": format!("**/*.{it}") })));
        registrations.push(json!({
            "id": "configuration-file",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        }));
    }
    if state.client.registers_layout {
        let languages = Language::with(|it| it.format.is_some());
        let names = languages.iter().flat_map(|it| it.support().editor_ids);
        let selector: Vec<_> = names.map(|it| json!({ "language": it })).collect();
        for method in ["textDocument/formatting", "textDocument/rangeFormatting"] {
            registrations.push(json!({
                "id": method,
                "method": method,
                "registerOptions": { "documentSelector": selector },
            }));
        }
    }
    if !registrations.is_empty() {
        let params = json!({ "registrations": registrations });
        state.ask("client/registerCapability", &params, state::Asked::Nothing);
    }
    if state.client.has_configuration {
        state.ask_configuration();
    }
    state.index_workspace();
}
