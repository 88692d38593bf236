//! The language server: `tir-analyzer server`, over standard input and output.
//!
//! ```text
//!  stdin ─ reader ─► main loop ─ snapshot ─► pool ─┐
//!                     │  owns the state            ├─ frames ─► writer ─ stdout
//!                     └────────────────────────────┘
//! ```
//!
//! One thread, the main loop, takes all messages in order and alone changes the state. Requests run on a pool, each on
//! a snapshot; an edit that comes in meanwhile makes them unwind, and they answer that the content was modified.

mod client;
mod dispatch;
mod documents;
mod figures;
mod handlers;
mod lsp;
mod progress;
mod snapshot;
mod state;
mod thread_pool;
mod transport;
mod workspace;

use std::{io, process::ExitCode, thread};

use crossbeam_channel::{Receiver, Sender, at, never, select, unbounded};
use lsp_server::{ErrorCode, Message, Request};
use lsp_types as types;
use serde_json::json;

use crate::{
    config::ConfigPatch,
    server::{
        client::Client,
        state::{Event, State},
        transport::{Frame, Incoming},
    },
};

/// Serves one client over standard input and output. Gives the exit code that the protocol asks for: success only after
/// `shutdown` and `exit`.
pub fn run() -> anyhow::Result<ExitCode> {
    let (incoming_sender, incoming) = unbounded();
    let (frames, frames_receiver) = unbounded();
    // Blocked in reading when the server ends: it is not joined.
    thread::Builder::new().name("reader".to_owned()).spawn(move || {
        // An input that breaks ends the same way as one that ends.
        let _ = transport::read_messages(io::stdin().lock(), &incoming_sender);
    })?;
    let writer = thread::Builder::new()
        .name("writer".to_owned())
        .spawn(move || transport::write_messages(io::stdout().lock(), &frames_receiver))?;
    let is_clean = serve(&incoming, &frames)?;
    drop(frames);
    // A client that is gone does not read the last answers.
    let _ = writer.join();
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Takes messages until `exit` or the end of the input. Whether `shutdown` came before.
fn serve(incoming: &Receiver<Incoming>, frames: &Sender<Frame>) -> io::Result<bool> {
    let Some(request) = wait_for_initialize(incoming, frames) else { return Ok(false) };
    let (event_sender, events) = unbounded();
    let Some(mut state) = initialize(request, frames, event_sender)? else {
        // What follows a broken `initialize` is refused like what comes before it.
        return serve(incoming, frames);
    };
    loop {
        let put_off = match state.to_warm.as_slice() {
            [] => never(),
            _ => at(state.warm_at),
        };
        select! {
            recv(incoming) -> message => match message {
                Ok(message) => {
                    if handle(&mut state, message) {
                        return Ok(state.is_shut_down);
                    }
                }
                Err(_) => return Ok(false),
            },
            recv(events) -> event => {
                // The state holds a sender, so the channel is open.
                if let Ok(event) = event {
                    handle_event(&mut state, event);
                }
            }
            recv(put_off) -> _ => progress::resume(&mut state),
        }
    }
}

/// Refuses everything until `initialize` comes; none if the connection ends before.
fn wait_for_initialize(incoming: &Receiver<Incoming>, frames: &Sender<Frame>) -> Option<Request> {
    for message in incoming {
        match message {
            Incoming::Message(Message::Request(request)) if request.method == "initialize" => {
                return Some(request);
            }
            Incoming::Message(Message::Request(request)) => {
                let message = "the server is not initialized";
                let code = ErrorCode::ServerNotInitialized;
                let _ = frames.send(transport::error(Some(&request.id), code, message, None));
            }
            Incoming::Message(Message::Notification(it)) if it.method == "exit" => return None,
            Incoming::Message(_) => {}
            Incoming::Malformed(it) => {
                let _ = frames.send(transport::error(it.id.as_ref(), it.code, &it.message, None));
            }
        }
    }
    None
}

fn initialize(
    request: Request,
    frames: &Sender<Frame>,
    events: Sender<Event>,
) -> io::Result<Option<State>> {
    let params: types::InitializeParams = match serde_json::from_value(request.params) {
        Ok(params) => params,
        Err(error) => {
            let message = format!("invalid parameters of initialize: {error}");
            let code = ErrorCode::InvalidParams;
            let _ = frames.send(transport::error(Some(&request.id), code, &message, None));
            return Ok(None);
        }
    };
    let client = Client::new(&params);
    let result = types::InitializeResult {
        capabilities: client.server_capabilities(),
        server_info: Some(types::ServerInfo {
            name: "tir-analyzer".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    };
    let _ = frames.send(transport::result(&request.id, &result));
    let options = params.initialization_options.clone().unwrap_or_default();
    let (patch, problem) = match ConfigPatch::from_json(&options) {
        Ok(patch) => (patch, None),
        Err(error) => (ConfigPatch::default(), Some(format!("{error:#}"))),
    };
    let state = State::new(client, client::roots(&params), patch, frames.clone(), events)?;
    state.warn_of_unknown(&state.sources.initialization, "initializationOptions");
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
        Event::Answered(id) => state.pending.forget(&id),
        Event::Warmed { uri, done, total } => progress::report(state, &uri, done, total),
        Event::WarmingStopped { uri } => progress::put_off(state, uri),
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
        let mut watchers = vec![json!({
            "globPattern": format!("**/{}", crate::config::CONFIG_FILE),
        })];
        if state.config.elsewhere_enable {
            watchers.push(json!({ "globPattern": "**/*.py" }));
        }
        registrations.push(json!({
            "id": "configuration-file",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        }));
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
