//! A function as it is written, for edits of its text.
//!
//! Whoever makes many edits of one function has its text and its occurrences already; both cost as much as the function
//! is long.

use ir::Occurrences;
use syntax::Green;

use super::Lowered;

/// A function with its tree, its text and its occurrences.
#[derive(Clone, Copy)]
pub struct WrittenFunction<'a> {
    /// The tree.
    pub green: &'a Green,
    /// The text of the tree.
    pub text: &'a str,
    /// The result of lowering it.
    pub lowered: &'a Lowered,
    /// The occurrences of its body.
    pub occurrences: &'a Occurrences,
}
