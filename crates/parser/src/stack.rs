//! A native stack that grows, for a grammar that nests as deep as the text.

/// Bytes that the grammar needs between two looks at the stack, also without optimisation.
const RED_ZONE: usize = 256 * 1024;

/// Bytes of a new piece of the stack.
const SEGMENT: usize = 2 * 1024 * 1024;

/// Runs a step of the grammar with room on the stack.
pub(crate) fn with_room<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, step)
}
