//! Program points: where a fact holds.
//!
//! A point is before or after an operation (with all that is in its regions), or at an occurrence: right before that
//! node is evaluated, when its own operands have been (`SEMANTICS: E1`, left to right). Facts of a forward analysis
//! tell of the paths to a point, those of a backward analysis of the paths from it; the point is the same one.

use ir::{OccurrenceId, OpId};

/// A place between two steps of execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Point {
    /// Before an operation evaluates anything. Of a `while`: before its condition is evaluated the first time.
    Before(OpId),
    /// After an operation and all in its regions.
    After(OpId),
    /// Right before this node is evaluated, in any iteration for the condition of a `while`.
    At(OccurrenceId),
}
