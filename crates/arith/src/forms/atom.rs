//! Atoms: the parts that a linear form does not decompose further.

use ir::{ExprId, arena::Id};

/// An atom of one analyzer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Atom(u32);

/// The kind of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AtomKind {
    /// The node that stands for all that are equal to it.
    Node(ExprId),
    /// The number of a made one.
    Made(u32),
}

impl Atom {
    /// The atom of a node that is its own representative.
    pub(crate) fn node(expr: ExprId) -> Atom {
        Atom(2 * expr.index() as u32)
    }
    pub(super) fn made(number: u32) -> Atom {
        Atom(2 * number + 1)
    }
    pub(crate) fn kind(self) -> AtomKind {
        match self.0 & 1 {
            0 => AtomKind::Node(ExprId::new(self.0 as usize / 2)),
            _ => AtomKind::Made(self.0 / 2),
        }
    }
    pub(crate) fn as_node(self) -> Option<ExprId> {
        match self.kind() {
            AtomKind::Node(expr) => Some(expr),
            AtomKind::Made(_) => None,
        }
    }
}
