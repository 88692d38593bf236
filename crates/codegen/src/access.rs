//! What an access to a buffer adds to its indices: the offset of the buffer from its memory.

use ir::{Body, BufferId, BufferOrigin, ExprId};

use crate::kernel::{Refusal, Result};

/// The offset of a buffer: its own, or that of the buffer it is a view of. Refused for a view of another type whose
/// source has one. Linear in the chain of views.
pub(crate) fn offset(body: &Body, buffer: BufferId) -> Result<Option<ExprId>> {
    let mut at = buffer;
    // A chain of views is no longer than there are buffers.
    for _ in 0..=body.buffers.len() {
        let data = &body.buffers[at];
        match (data.elem_offset, &data.origin) {
            (Some(offset), _) => return Ok(Some(offset)),
            (None, BufferOrigin::View { source, .. }) => {
                let same = body.buffers[*source].dtype == data.dtype;
                at = *source;
                if !same && body.buffers[at].elem_offset.is_some() {
                    let text = "a view of another type has an offset";
                    return Err(Refusal::new("buffer-view", text));
                }
            }
            (None, _) => return Ok(None),
        }
    }
    Ok(None)
}

/// Whether the offset of a buffer is that of its root: itself, or a chain of views.
pub(crate) fn inherits_offset(body: &Body, buffer: BufferId) -> bool {
    let mut at = buffer;
    for _ in 0..=body.buffers.len() {
        let data = &body.buffers[at];
        match data.origin {
            _ if data.elem_offset.is_some() => return false,
            BufferOrigin::View { source, .. } => at = source,
            BufferOrigin::Param | BufferOrigin::Match { .. } => return true,
            _ => return false,
        }
    }
    false
}
