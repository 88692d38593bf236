//! Requests that are not answered yet.
//!
//! Every request is answered exactly once: by its handler's thread, by a cancellation, or with a part of the answer
//! when it has waited for long enough, whichever [claims](Answer::claim) it first.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use lsp_server::{ErrorCode, RequestId};
use rustc_hash::FxHashMap;

use crate::server::{
    silence::InPart,
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
    /// The answer in its place when it has waited for long enough.
    in_part: Option<InPart>,
    /// True if that is done, and its work goes on.
    is_late: bool,
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
        in_part: Option<InPart>,
        busy: Busy,
    ) -> Answer {
        let answer = Answer::default();
        let pending =
            Pending { answer: answer.clone(), token, in_part, is_late: false, _busy: busy };
        self.by_id.insert(id, pending);
        answer
    }

    /// Takes what a request is answered with that has waited for long enough, unless it is answered. Its work goes on.
    pub(crate) fn in_part(&mut self, id: &RequestId) -> Option<&InPart> {
        let pending = self.by_id.get_mut(id)?;
        let in_part = pending.in_part.as_ref()?;
        pending.is_late = pending.answer.claim();
        pending.is_late.then_some(in_part)
    }

    /// Forgets a request whose work is done. Gives what it was answered with, if that was before.
    pub(crate) fn forget(&mut self, id: &RequestId) -> Option<InPart> {
        let pending = self.by_id.remove(id)?;
        pending.in_part.filter(|_| pending.is_late)
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
