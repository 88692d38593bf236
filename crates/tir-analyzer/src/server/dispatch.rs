//! Requests: from the method's name to a handler on a thread of the pool, and from its outcome to an answer.
//!
//! Every request is answered exactly once: by its handler's thread, or by a cancellation, whichever *claims* it first.
//! A handler that panics answers InternalError; the server lives on.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crossbeam_channel::Sender;
use lsp_server::{ErrorCode, Request, RequestId};
use rustc_hash::FxHashMap;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::server::{
    handlers::{actions, layout, names, request as handlers},
    lsp::ext,
    outbox::Outbox,
    snapshot::{Failure, Snapshot},
    state::{Event, State},
    thread_pool::{Delivery, Job, TooLong},
    transport::{self, Frame},
    workspace::Busy,
};

/// So many requests wait for their answers at most; others are refused.
const MAX_PENDING: usize = 4096;

/// A request that is not answered yet.
pub(crate) struct Pending {
    is_answered: Arc<AtomicBool>,
    token: ide::CancellationToken,
    /// Background work waits for it.
    _busy: Busy,
}

/// The requests that are not answered yet, by id.
#[derive(Default)]
pub(crate) struct PendingRequests {
    by_id: FxHashMap<RequestId, Pending>,
}

impl PendingRequests {
    /// Forgets an answered request.
    pub(crate) fn forget(&mut self, id: &RequestId) {
        self.by_id.remove(id);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Answers a request in the place of its handler, which takes too long.
    pub(crate) fn give_up(&mut self, id: &RequestId, message: &str) -> Option<Frame> {
        let pending = self.by_id.remove(id)?;
        claim(&pending.is_answered)
            .then(|| transport::error(Some(id), ErrorCode::RequestFailed, message, None))
    }

    /// Gives a request up: stops its work and answers, unless it is answered.
    pub(crate) fn cancel(&mut self, id: &RequestId) -> Option<Frame> {
        let pending = self.by_id.remove(id)?;
        pending.token.cancel();
        claim(&pending.is_answered).then(|| {
            transport::error(Some(id), ErrorCode::RequestCanceled, "cancelled by the client", None)
        })
    }
}

fn claim(is_answered: &AtomicBool) -> bool {
    !is_answered.swap(true, Ordering::AcqRel)
}

/// Answers a request, now or later.
pub(crate) fn request(state: &mut State, request: Request) {
    match request.method.as_str() {
        "shutdown" => {
            state.is_shut_down = true;
            state.send(transport::result(&request.id, &Value::Null));
        }
        "initialize" => {
            let message = "the server is initialized already";
            state.send(transport::error(
                Some(&request.id),
                ErrorCode::InvalidRequest,
                message,
                None,
            ));
        }
        "textDocument/inlayHint" => spawn(state, request, handlers::inlay_hints),
        "textDocument/codeAction" => spawn(state, request, actions::code_actions),
        "codeAction/resolve" => spawn(state, request, actions::resolve),
        "textDocument/diagnostic" => spawn(state, request, handlers::diagnostics),
        "textDocument/hover" => spawn(state, request, handlers::hover),
        "textDocument/documentSymbol" => spawn(state, request, handlers::document_symbols),
        "textDocument/foldingRange" => spawn(state, request, handlers::folding_ranges),
        "textDocument/formatting" => spawn(state, request, layout::formatting),
        "textDocument/rangeFormatting" => spawn(state, request, layout::range_formatting),
        "textDocument/codeLens" => spawn(state, request, handlers::code_lenses),
        "textDocument/definition" => spawn(state, request, handlers::goto_definition),
        "textDocument/references" => spawn(state, request, handlers::references),
        "textDocument/documentHighlight" => spawn(state, request, names::highlights),
        "textDocument/prepareRename" => spawn(state, request, names::prepare_rename),
        "textDocument/rename" => spawn(state, request, names::rename),
        "textDocument/selectionRange" => spawn(state, request, names::selection_ranges),
        "textDocument/semanticTokens/full" => spawn(state, request, names::semantic_tokens),
        "textDocument/semanticTokens/full/delta" => {
            spawn(state, request, names::semantic_tokens_delta)
        }
        "textDocument/semanticTokens/range" => spawn(state, request, names::semantic_tokens_range),
        ext::VIEW_DEVICE_CODE => spawn(state, request, handlers::view_device_code),
        ext::VIEW_PASSES => spawn(state, request, handlers::view_passes),
        #[cfg(debug_assertions)]
        "tir-analyzer/panic" => spawn(state, request, handlers::panic),
        #[cfg(debug_assertions)]
        "tir-analyzer/hang" => spawn(state, request, handlers::hang),
        method => {
            let message = format!("unknown method {method}");
            let code = ErrorCode::MethodNotFound;
            state.send(transport::error(Some(&request.id), code, &message, None));
        }
    }
}

/// Runs a handler on the pool.
fn spawn<P, R>(state: &mut State, request: Request, handler: fn(&Snapshot, P) -> Result<R, Failure>)
where
    P: DeserializeOwned + Send + 'static,
    R: Serialize + 'static,
{
    let Request { id, method, params } = request;
    let params: P = match serde_json::from_value(params) {
        Ok(params) => params,
        Err(error) => {
            let message = format!("invalid parameters of {method}: {error}");
            let code = ErrorCode::InvalidParams;
            return state.send(transport::error(Some(&id), code, &message, None));
        }
    };
    if state.pending.len() >= MAX_PENDING {
        let message = format!("{MAX_PENDING} requests are waiting already");
        let code = ErrorCode::RequestFailed;
        return state.send(transport::error(Some(&id), code, &message, None));
    }
    let snapshot = state.snapshot();
    let token = snapshot.analysis.cancellation_token();
    let is_answered = Arc::new(AtomicBool::new(false));
    let _busy = state.workspace.busy();
    let pending = Pending { is_answered: is_answered.clone(), token: token.clone(), _busy };
    state.pending.by_id.insert(id.clone(), pending);
    let (outbox, events) = (state.outbox.clone(), state.events.clone());
    let (name, of_request) = (method.clone(), Some(id.clone()));
    let run = Box::new(move |_: &TooLong| -> Delivery {
        let frame = match run(&id, &method, snapshot, params, handler) {
            Ok(frame) => frame,
            Err(panic) => {
                let message = format!("{method} panicked: {panic}");
                transport::error(Some(&id), ErrorCode::InternalError, &message, None)
            }
        };
        Box::new(move || answer(id, frame, &is_answered, &outbox, &events))
    });
    state.pool.request(Job { name, id: of_request, token, run });
}

/// The answer of a handler. The snapshot is given up before: whoever gets the answer may write at once.
fn run<P, R: Serialize>(
    id: &RequestId,
    method: &str,
    snapshot: Snapshot,
    params: P,
    handler: fn(&Snapshot, P) -> Result<R, Failure>,
) -> Result<Frame, String> {
    let run = || {
        let result = handler(&snapshot, params);
        drop(snapshot);
        match result {
            Ok(result) => transport::result(id, &result),
            Err(failure) => refusal(id, method, &failure),
        }
    };
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| panic_message(&*panic))
}

fn refusal(id: &RequestId, method: &str, failure: &Failure) -> Frame {
    // The protocol has an answer of its own for diagnostics, which makes the client ask again.
    let is_diagnostics = method == "textDocument/diagnostic";
    if is_diagnostics && matches!(failure, Failure::Cancelled) {
        let data = serde_json::json!({ "retriggerRequest": true });
        return transport::error(
            Some(id),
            ErrorCode::ServerCancelled,
            failure.message(),
            Some(data),
        );
    }
    transport::error(Some(id), failure.code(), failure.message(), None)
}

fn answer(
    id: RequestId,
    frame: Frame,
    is_answered: &AtomicBool,
    outbox: &Outbox,
    events: &Sender<Event>,
) {
    if claim(is_answered) {
        outbox.answer(frame);
    }
    // A closed channel means that the server is ending.
    let _ = events.send(Event::Answered(id));
}

/// The text of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_owned(),
        (_, Some(text)) => text.clone(),
        _ => "unknown panic".to_owned(),
    }
}
