//! Warming a document that has just been opened, and showing how far that and the reading of the workspace are.
//!
//! Opening a large file computes nothing but its tree; the plans of its functions are made in the background, so that
//! the first edit finds them made. An edit interrupts this; it continues afterwards, and reuses the finished part. Who
//! cancels what is shown ends it: the functions of the document are analysed when something asks about them, and no
//! more files of the workspace are read.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use lsp_types as lsp;
use serde_json::json;

use crate::server::{
    event::Event,
    outbox::Key,
    state::{Asked, State},
    thread_pool::{Delivery, Job, TooLong},
};

/// Documents shorter than this are not worth a message.
const MIN_SHOWN: usize = 64 * 1024;

/// Functions are warmed in steps of this many, with a message after each.
const STEP: usize = 16;

/// Warming waits for a pause in typing of this length: a key should find no work to wait for.
const PAUSE: Duration = Duration::from_millis(400);

/// Starts to warm a document.
pub(crate) fn warm(state: &mut State, uri: &lsp::Uri) {
    let Some(document) = state.documents.get(uri) else { return };
    let is_shown =
        usize::from(document.lines.text_len()) >= MIN_SHOWN && state.client.shows_progress;
    if is_shown && !state.progress.contains_key(uri) {
        begin(state, uri);
    }
    state.not_to_warm.remove(uri);
    go_on(state, uri);
}

/// Ends the work that is shown under a token of ours; what has ended already, or is none of ours, is left.
pub(crate) fn cancel(state: &mut State, token: &str) {
    if state.indexing.as_deref() == Some(token) {
        state.workspace.stop();
        return;
    }
    let shown = state.progress.iter().find(|(_, shown)| *shown == token);
    let Some(uri) = shown.map(|(uri, _)| uri.clone()) else { return };
    if let Some(running) = state.warming.remove(&uri) {
        running.cancel();
    }
    state.to_warm.retain(|it| *it != uri);
    end(state, &uri);
    state.not_to_warm.insert(uri);
}

/// Puts off the warming of a document that an edit interrupted.
pub(crate) fn put_off(state: &mut State, uri: lsp::Uri) {
    if !state.to_warm.contains(&uri) && !state.not_to_warm.contains(&uri) {
        state.to_warm.push(uri);
    }
}

/// Somebody types: warming waits.
pub(crate) fn pause(state: &mut State) {
    state.warm_at = Instant::now() + PAUSE;
}

/// Continues the postponed work.
pub(crate) fn resume(state: &mut State) {
    for uri in std::mem::take(&mut state.to_warm) {
        go_on(state, &uri);
    }
}

/// Goes on with a document, after so many of its functions.
pub(crate) fn warmed(state: &mut State, uri: &lsp::Uri, done: usize, total: usize) {
    report(state, uri, done, total);
    if done < total && state.not_to_warm.contains(uri) {
        state.warming.remove(uri);
    } else if done < total {
        step(state, uri, done);
    } else {
        complete(state, uri);
    }
}

/// An answer about a document has a part of what it should have. The log says so, once a version; the rest is made in
/// the background, and the client is asked to ask again.
pub(crate) fn answered_in_part(state: &mut State, uri: lsp::Uri, version: i32, told: String) {
    let is_current = state.documents.get(&uri).is_some_and(|it| it.version == version);
    let is_told = state.partial.get(&uri).is_some_and(|it| it.0 == version);
    if is_current && !is_told {
        state.log(told);
        state.not_to_warm.remove(&uri);
        go_on(state, &uri);
        state.partial.insert(uri, (version, false));
    }
}

/// All of a document was made in advance: what was answered in part can be answered as a whole.
fn complete(state: &mut State, uri: &lsp::Uri) {
    state.warming.remove(uri);
    if let Some((_, is_complete)) = state.partial.get_mut(uri)
        && !std::mem::replace(is_complete, true)
    {
        state.refresh();
    }
}

/// Warms the remaining functions, in steps: each is a job, after which others have their turn.
fn go_on(state: &mut State, uri: &lsp::Uri) {
    step(state, uri, 0);
}

fn step(state: &mut State, uri: &lsp::Uri, start: usize) {
    let Some(file) = state.documents.get(uri).map(|it| it.file) else { return };
    let (analysis, events, uri) = (state.host().analysis(), state.events.clone(), uri.clone());
    let token = analysis.cancellation_token();
    state.warming.insert(uri.clone(), token.clone());
    let name = format!("analysing {uri}");
    let run = Box::new(move |too_long: &TooLong| -> Delivery {
        let run = AssertUnwindSafe(|| {
            let total = analysis.n_functions(file)?;
            let end = (start + STEP).min(total);
            analysis.warm(file, start..end)?;
            Ok::<_, ide::Cancelled>((end, total))
        });
        let event = match catch_unwind(run) {
            Ok(Ok((done, total))) => Event::Warmed { uri, done, total },
            Ok(Err(_)) if !too_long.is_set() => Event::WarmingStopped { uri },
            // A function that panics, or takes too long, is met again when somebody asks about it.
            Ok(Err(_)) | Err(_) => Event::Warmed { uri, done: usize::MAX, total: usize::MAX },
        };
        drop(analysis);
        Box::new(move || drop(events.send(event)))
    });
    state.pool.background(Job { name, id: None, token, patience: None, run });
}

/// Says how far the warming of a document is; ends it when all is done.
fn report(state: &mut State, uri: &lsp::Uri, done: usize, total: usize) {
    if done >= total {
        return end(state, uri);
    }
    if let Some(token) = state.progress.get(uri) {
        let percentage = (done * 100 / total.max(1)) as u32;
        let value = json!({
            "kind": "report",
            "message": format!("{done}/{total} functions"),
            "percentage": percentage,
        });
        send(state, token, value);
    }
}

fn begin(state: &mut State, uri: &lsp::Uri) {
    let name = uri.as_ref().rsplit('/').next().unwrap_or_default();
    let value = json!({
        "kind": "begin",
        "title": "tir-analyzer",
        "message": name,
        "percentage": 0,
        "cancellable": true,
    });
    let token = create(state, "warm", value);
    state.progress.insert(uri.clone(), token);
}

/// Begins to show progress, under a token that no other work of this server has had: a client may still hold what was
/// said about an earlier one.
fn create(state: &mut State, work: &str, begin: serde_json::Value) -> String {
    state.n_progress += 1;
    let token = format!("tir-analyzer/{work}/{}", state.n_progress);
    let params =
        lsp::WorkDoneProgressCreateParams { token: lsp::ProgressToken::String(token.clone()) };
    state.ask("window/workDoneProgress/create", &params, Asked::Nothing);
    // What is said later of it does not take the place of this.
    state.notify("$/progress", &params_of(&token, begin));
    token
}

/// Says how far the reading of the workspace is. The number of all files is not known, so there is no percentage.
pub(crate) fn indexing(state: &mut State, n_files: usize, is_done: bool) {
    if !state.client.shows_progress {
        return;
    }
    if is_done {
        if let Some(token) = state.indexing.take() {
            send(state, &token, json!({ "kind": "end" }));
        }
        return;
    }
    let message = format!("workspace: {n_files} files");
    match state.indexing.clone() {
        Some(token) => send(state, &token, json!({ "kind": "report", "message": message })),
        None => {
            let value = json!({
                "kind": "begin",
                "title": "tir-analyzer",
                "message": message,
                "cancellable": true,
            });
            state.indexing = Some(create(state, "index", value));
        }
    }
}

/// Ends the warming of a document that is closed.
pub(crate) fn forget(state: &mut State, uri: &lsp::Uri) {
    state.warming.remove(uri);
    state.not_to_warm.remove(uri);
    end(state, uri);
}

/// Ends the progress of a document, if any is shown.
fn end(state: &mut State, uri: &lsp::Uri) {
    if let Some(token) = state.progress.remove(uri) {
        send(state, &token, json!({ "kind": "end" }));
    }
}

fn send(state: &State, token: &str, value: serde_json::Value) {
    state.notify_last(Key::Progress(token.to_owned()), "$/progress", &params_of(token, value));
}

fn params_of(token: &str, value: serde_json::Value) -> lsp::ProgressParams {
    lsp::ProgressParams { token: lsp::ProgressToken::String(token.to_owned()), value }
}
