//! Requests: from the method's name to a handler on a thread of the pool, and from its outcome to an answer.
//!
//! The table is [`request`]: a type of the protocol and the function that answers it, which so has its parameters and
//! gives its result. Every request is answered exactly once ([`crate::server::pending`]). A handler that panics answers
//! InternalError; the server lives on.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::Sender;
use lsp_server::{ErrorCode, RequestId};
use lsp_types as lsp;
use serde::Serialize;

use crate::server::{
    event::Event,
    handlers::{
        actions, calls, choose, completion, hints, layout, links, names, request as handlers,
        symbols, tilelang,
    },
    lsp::ext,
    notebooks::CellPlace,
    outbox::Outbox,
    panics,
    pending::Answer,
    snapshot::{Failure, Snapshot},
    state::{State, budget},
    thread_pool::{Delivery, Job, TooLong},
    transport::{self, Frame},
};

/// The limit on requests that wait for their answers; others are refused.
const MAX_PENDING: usize = 4096;

/// Answers a request, now or later.
pub(crate) fn request(state: &mut State, mut request: lsp_server::Request) {
    let cell = state.notebooks.enter(&mut request);
    let mut dispatcher = Dispatcher { state, request: Some(request), cell };
    dispatcher
        .at_once::<lsp::ShutdownRequest>(|state, id| {
            state.is_shut_down = true;
            transport::result(id, &())
        })
        .at_once::<lsp::InitializeRequest>(|_, id| {
            let message = "the server is initialized already";
            transport::error(Some(id), ErrorCode::InvalidRequest, message, None)
        })
        .on::<lsp::InlayHintRequest, _>(hints::inlay_hints)
        .on::<lsp::InlayHintResolveRequest, _>(hints::resolve)
        .on::<lsp::CodeActionRequest, _>(actions::code_actions)
        .on::<lsp::CodeActionResolveRequest, _>(actions::resolve)
        .on::<lsp::DocumentDiagnosticRequest, _>(handlers::diagnostics)
        .on::<lsp::HoverRequest, _>(handlers::hover)
        .on::<lsp::CompletionRequest, _>(completion::completion)
        .on::<lsp::SignatureHelpRequest, _>(calls::signature_help)
        .on::<lsp::CallHierarchyPrepareRequest, _>(calls::prepare)
        .on::<lsp::CallHierarchyIncomingCallsRequest, _>(calls::incoming)
        .on::<lsp::CallHierarchyOutgoingCallsRequest, _>(calls::outgoing)
        .on::<lsp::WorkspaceSymbolRequest, _>(symbols::workspace_symbols)
        .on::<lsp::DocumentSymbolRequest, _>(handlers::document_symbols)
        .on::<lsp::DocumentLinkRequest, _>(links::document_links)
        .on::<lsp::FoldingRangeRequest, _>(handlers::folding_ranges)
        .on::<lsp::DocumentFormattingRequest, _>(layout::formatting)
        .on::<lsp::DocumentRangeFormattingRequest, _>(layout::range_formatting)
        .on::<lsp::CodeLensRequest, _>(handlers::code_lenses)
        .on::<lsp::DefinitionRequest, _>(handlers::goto_definition)
        .on::<lsp::ReferencesRequest, _>(handlers::references)
        .on::<lsp::DocumentHighlightRequest, _>(names::highlights)
        .on::<lsp::PrepareRenameRequest, _>(names::prepare_rename)
        .on::<lsp::RenameRequest, _>(names::rename)
        .on::<lsp::SelectionRangeRequest, _>(names::selection_ranges)
        .on::<lsp::SemanticTokensRequest, _>(names::semantic_tokens)
        .on::<lsp::SemanticTokensDeltaRequest, _>(names::semantic_tokens_delta)
        .on::<lsp::SemanticTokensRangeRequest, _>(names::semantic_tokens_range)
        .change::<ext::ChooseInstance>(choose::choose_instance)
        .on::<ext::ViewDeviceCode, _>(handlers::view_device_code)
        .on::<ext::ViewPasses, _>(handlers::view_passes)
        .outside::<ext::ViewTileLang, _>(tilelang::lowering, tilelang::view);
    #[cfg(debug_assertions)]
    dispatcher.on::<ext::Panic, _>(handlers::panic).on::<ext::Hang, _>(handlers::hang);
    dispatcher.finish();
}

/// A request on its way to its handler; none once it has found it.
struct Dispatcher<'a> {
    state: &'a mut State,
    request: Option<lsp_server::Request>,
    /// The cell of a notebook that it is about, in whose places the answer is.
    cell: Option<CellPlace>,
}

impl Dispatcher<'_> {
    /// The request, if it is one of this type.
    fn take<R: lsp::Request>(&mut self) -> Option<lsp_server::Request> {
        self.request.take_if(|it| it.method == R::METHOD.as_str())
    }

    /// Answers requests of a type on the main loop.
    fn at_once<R: lsp::Request>(
        &mut self,
        answer: fn(&mut State, &RequestId) -> Frame,
    ) -> &mut Self {
        if let Some(request) = self.take::<R>() {
            let frame = answer(self.state, &request.id);
            self.state.send(frame);
        }
        self
    }

    /// Answers requests of a type on the main loop that change what is shown.
    fn change<R: lsp::Request>(
        &mut self,
        change: fn(&mut State, R::Params) -> Result<R::Result, Failure>,
    ) -> &mut Self {
        let Some(lsp_server::Request { id, method, params }) = self.take::<R>() else {
            return self;
        };
        let answer = match params_of::<R>(&method, params) {
            Err(message) => transport::error(Some(&id), ErrorCode::InvalidParams, &message, None),
            Ok(params) => match change(self.state, params) {
                Ok(result) => transport::result(&id, &result),
                Err(failure) => refusal(&id, &method, &failure),
            },
        };
        self.state.send(answer);
        self
    }

    /// Answers requests of a type on the pool. A handler may give what becomes the result: a list where there may be
    /// none.
    fn on<R, T>(&mut self, handler: fn(&Snapshot, R::Params) -> Result<T, Failure>) -> &mut Self
    where
        R: lsp::Request,
        T: Into<R::Result> + 'static,
    {
        if let Some(request) = self.take::<R>() {
            let handler = move |snapshot: Snapshot, params, _: &ide::CancellationToken| {
                handler(&snapshot, params).map(Into::into)
            };
            spawn::<R>(self.state, request, self.cell.take(), handler);
        }
        self
    }

    /// Answers requests of a type on the pool by something that takes long and needs the state for its beginning alone:
    /// edits do not wait for it, and it ends by its token.
    fn outside<R, W>(
        &mut self,
        prepare: fn(&Snapshot, R::Params) -> Result<W, Failure>,
        work: fn(W, &ide::CancellationToken) -> Result<R::Result, Failure>,
    ) -> &mut Self
    where
        R: lsp::Request,
        W: 'static,
    {
        if let Some(request) = self.take::<R>() {
            let handler = move |snapshot: Snapshot, params, token: &ide::CancellationToken| {
                let prepared = prepare(&snapshot, params)?;
                drop(snapshot);
                work(prepared, token)
            };
            spawn::<R>(self.state, request, self.cell.take(), handler);
        }
        self
    }

    /// Refuses what no handler answered.
    fn finish(self) {
        if let Some(request) = self.request {
            let message = format!("unknown method {}", request.method);
            let code = ErrorCode::MethodNotFound;
            self.state.send(transport::error(Some(&request.id), code, &message, None));
        }
    }
}

/// The parameters of a request, or a message about them.
fn params_of<R: lsp::Request>(
    method: &str,
    params: serde_json::Value,
) -> Result<R::Params, String> {
    serde_json::from_value(params).map_err(|it| format!("invalid parameters of {method}: {it}"))
}

/// Runs a handler on the pool.
fn spawn<R: lsp::Request>(
    state: &mut State,
    request: lsp_server::Request,
    cell: Option<CellPlace>,
    handler: impl FnOnce(Snapshot, R::Params, &ide::CancellationToken) -> Result<R::Result, Failure>
    + Send
    + 'static,
) {
    let lsp_server::Request { id, method, params } = request;
    let mut in_part = state.in_part(&method, &params);
    if let Some((part, cell)) = in_part.as_mut().zip(cell.as_ref()) {
        part.result = cell.leave(&method, &part.result);
    }
    let params = match params_of::<R>(&method, params) {
        Ok(params) => params,
        Err(message) => {
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
    let patience = in_part.as_ref().map(|it| it.patience(budget()));
    let claim = state.pending.add(id.clone(), token.clone(), in_part, state.workspace.busy());
    let (outbox, events) = (state.outbox.clone(), state.events.clone());
    let (name, of_request) = (method.clone(), Some(id.clone()));
    let stop = token.clone();
    #[cfg(debug_assertions)]
    let hanging = method.clone();
    let run = Box::new(move |_: &TooLong| -> Delivery {
        let handler = |snapshot: Snapshot| {
            #[cfg(debug_assertions)]
            hang_for_tests(&snapshot, &hanging)?;
            handler(snapshot, params, &stop)
        };
        let frame = match run(&id, &method, snapshot, cell.as_ref(), &stop, handler) {
            Ok(frame) => frame,
            Err(panic) => {
                let message = format!("{method} panicked: {panic}");
                transport::error(Some(&id), ErrorCode::InternalError, &message, None)
            }
        };
        Box::new(move || answer(id, frame, &claim, &outbox, &events))
    });
    state.pool.request(Job { name, id: of_request, token, patience, run });
}

/// Requests of the method that `TIR_ANALYZER_HANG` names have no end, for tests.
#[cfg(debug_assertions)]
fn hang_for_tests(snapshot: &Snapshot, method: &str) -> Result<(), Failure> {
    if std::env::var_os("TIR_ANALYZER_HANG").is_some_and(|it| it == method) {
        snapshot.analysis.hang(true)?;
    }
    Ok(())
}

/// The answer of a handler. The snapshot is dropped before: the receiver of the answer may write at once. Nobody reads
/// one that was cancelled: it is not written to its end.
fn run<R: Serialize>(
    id: &RequestId,
    method: &str,
    snapshot: Snapshot,
    cell: Option<&CellPlace>,
    stop: &ide::CancellationToken,
    handler: impl FnOnce(Snapshot) -> Result<R, Failure>,
) -> Result<Frame, String> {
    let run = || {
        let written = handler(snapshot).and_then(|result| {
            let stops = || stop.is_cancelled();
            let frame = match cell {
                None => transport::result_until(id, &result, &stops),
                Some(cell) => transport::result_until(id, &cell.leave(method, &result), &stops),
            };
            frame.ok_or(Failure::Cancelled)
        });
        written.unwrap_or_else(|failure| refusal(id, method, &failure))
    };
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| panics::message(&*panic))
}

fn refusal(id: &RequestId, method: &str, failure: &Failure) -> Frame {
    // The protocol has an answer of its own for diagnostics, which makes the client ask again.
    let is_diagnostics =
        method == <lsp::DocumentDiagnosticRequest as lsp::Request>::METHOD.as_str();
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

fn answer(id: RequestId, frame: Frame, claim: &Answer, outbox: &Outbox, events: &Sender<Event>) {
    if claim.claim() {
        outbox.answer(frame);
    }
    // A closed channel means that the server is ending.
    let _ = events.send(Event::Answered(id));
}
