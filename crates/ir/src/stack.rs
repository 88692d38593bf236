//! A native stack that grows, for recursion over what nests as deep as the input.

/// Bytes that a step of a recursion may need, also without optimisation.
const RED_ZONE: usize = 128 * 1024;

/// Bytes of a new piece of the stack.
const SEGMENT: usize = 2 * 1024 * 1024;

/// Runs a step of a recursion with room on the stack. Constant time; where the room ends, a new piece of stack is
/// taken.
pub fn with_room<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(RED_ZONE, SEGMENT, step)
}
