//! Accesses to buffers: what they add to its indices (the offset of the buffer from its memory), and whether there are
//! any.

use ir::{Body, BufferId, BufferOrigin, ExprId, ViewStep};

use crate::kernel::{Refusal, Result};
use crate::reasons;

/// The offset of a buffer: its own, or that of the buffer it is a view of. Refused for a view of another type whose
/// source has one. A declaration by a data pointer begins where the memory does. Linear in the chain of views.
pub(crate) fn offset(body: &Body, buffer: BufferId) -> Result<Option<ExprId>> {
    for at in views(body, buffer) {
        if let Some(offset) = body.buffers[at].elem_offset {
            if body.buffers[at].dtype != body.buffers[buffer].dtype {
                let text = "a view of another type has an offset";
                return Err(Refusal::new(reasons::BUFFER_VIEW, text));
            }
            return Ok(Some(offset));
        }
    }
    Ok(None)
}

/// Returns true if the offset of a buffer is that of its root: it is the root, or a chain of views.
pub(crate) fn inherits_offset(body: &Body, buffer: BufferId) -> bool {
    let mut last = buffer;
    for at in views(body, buffer) {
        if body.buffers[at].elem_offset.is_some() {
            return false;
        }
        last = at;
    }
    matches!(body.buffers[last].origin, BufferOrigin::Param | BufferOrigin::Match { .. })
}

/// A buffer and those that it is a view of, which share their offset.
fn views(body: &Body, buffer: BufferId) -> impl Iterator<Item = BufferId> + '_ {
    let source = |at: &BufferId| match body.view_step(*at) {
        ViewStep::View(source, _) => Some(source),
        _ => None,
    };
    // A chain of views is no longer than there are buffers.
    std::iter::successors(Some(buffer), source).take(body.buffers.len() + 1)
}

/// Returns true if the scope of a buffer is one of fragments.
pub(crate) fn is_fragment(body: &Body, buffer: BufferId) -> bool {
    body.buffers[buffer].scope.is_fragment()
}
