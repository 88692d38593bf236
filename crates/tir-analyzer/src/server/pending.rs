//! Requests that are not answered yet.
//!
//! Every request is answered exactly once: by its handler's thread, or by a cancellation, whichever
//! [claims](Answer::claim) it first.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use lsp_server::{ErrorCode, RequestId};
use rustc_hash::FxHashMap;

use crate::server::{
    transport::{self, Frame},
    workspace::Busy,
};

/// The right to answer a request, of which there is one.
#[derive(Clone, Default)]
pub(crate) struct Answer(Arc<AtomicBool>);

impl Answer {
    /// Takes the right. Gives whether it was there.
    pub(crate) fn claim(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// A request that is not answered yet.
struct Pending {
    answer: Answer,
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
    /// Adds a request, whose work the token stops. Gives the right to answer it.
    pub(crate) fn add(
        &mut self,
        id: RequestId,
        token: ide::CancellationToken,
        busy: Busy,
    ) -> Answer {
        let answer = Answer::default();
        self.by_id.insert(id, Pending { answer: answer.clone(), token, _busy: busy });
        answer
    }

    /// Forgets an answered request.
    pub(crate) fn forget(&mut self, id: &RequestId) {
        self.by_id.remove(id);
    }

    /// The number of requests.
    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Answers a request in the place of its handler, which takes too long.
    pub(crate) fn give_up(&mut self, id: &RequestId, message: &str) -> Option<Frame> {
        let pending = self.by_id.remove(id)?;
        let frame = || transport::error(Some(id), ErrorCode::RequestFailed, message, None);
        pending.answer.claim().then(frame)
    }

    /// Gives a request up: stops its work and answers, unless it is answered.
    pub(crate) fn cancel(&mut self, id: &RequestId) -> Option<Frame> {
        let pending = self.by_id.remove(id)?;
        pending.token.cancel();
        let message = "cancelled by the client";
        let frame = || transport::error(Some(id), ErrorCode::RequestCanceled, message, None);
        pending.answer.claim().then(frame)
    }
}
