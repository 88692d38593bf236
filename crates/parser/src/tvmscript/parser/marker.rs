//! Markers: nodes that are open, and nodes that are complete.

use super::Parser;
use crate::{SyntaxKind, event::StartIdx};

/// Finds markers that a grammar function forgot, in builds with debug assertions.
struct Bomb(bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        debug_assert!(
            !self.0 || std::thread::panicking(),
            "a marker was neither completed nor abandoned"
        );
    }
}

/// An open node.
#[must_use]
pub(in crate::tvmscript) struct Marker {
    start: StartIdx,
    bomb: Bomb,
}

impl Marker {
    pub(super) fn new(start: StartIdx) -> Self {
        Self { start, bomb: Bomb(true) }
    }

    /// Ends the node after the last consumed token.
    pub(in crate::tvmscript) fn complete(
        mut self,
        p: &mut Parser<'_>,
        kind: SyntaxKind,
    ) -> CompletedMarker {
        self.bomb.0 = false;
        p.events.finish(self.start, kind);
        CompletedMarker { start: self.start, kind }
    }

    /// Takes the node back; its content stays.
    pub(in crate::tvmscript) fn abandon(mut self, p: &mut Parser<'_>) {
        self.bomb.0 = false;
        p.events.abandon(self.start);
    }
}

/// A node that is complete, around which another may be opened.
#[derive(Clone, Copy)]
pub(in crate::tvmscript) struct CompletedMarker {
    start: StartIdx,
    kind: SyntaxKind,
}

impl CompletedMarker {
    /// Opens a node around this one.
    pub(in crate::tvmscript) fn precede(self, p: &mut Parser<'_>) -> Marker {
        Marker::new(p.events.start_around(self.start))
    }

    pub(in crate::tvmscript) fn kind(self) -> SyntaxKind {
        self.kind
    }
}
