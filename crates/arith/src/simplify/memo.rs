//! The simplified nodes at places, memoised.
//!
//! A result is kept under the nearest place in which the same is known of the node ([`crate::memo`]). Before that place
//! is searched for, the last query about the node is tried: most nodes are queried again at the same place. O(1) a
//! question.

use ir::{ExprId, arena::Id as _};

use super::At;
use crate::{
    ContextId,
    memo::{self, Place},
};

/// The last question about a node.
#[derive(Clone, Copy)]
pub(super) struct Known {
    asked: ContextId,
    /// The place where the same is known of the node.
    pub(super) at: At,
    pub(super) result: ExprId,
}

/// Results by node and place.
#[derive(Default)]
pub(super) struct Memo {
    /// By node.
    last: Vec<Option<Known>>,
    /// By reading.
    results: [memo::Memo<ExprId>; 2],
}

impl Memo {
    /// Nothing yet, of as many nodes.
    pub(super) fn with_room(n_exprs: usize) -> Memo {
        Memo { last: vec![None; n_exprs], ..Memo::default() }
    }

    /// Returns the result for a node if the last query about it was at the same place.
    pub(super) fn asked_again(&self, asked: At, expr: ExprId) -> Option<Known> {
        let known = (*self.last.get(expr.index())?)?;
        (known.asked == asked.ctx && known.at.reading == asked.reading).then_some(known)
    }

    /// The result of a node at the nearest place.
    pub(super) fn get(&self, at: At, expr: ExprId) -> Option<ExprId> {
        self.results[at.reading as usize].get(expr.index(), at.ctx).copied()
    }

    /// Records that an unknown node at a place is itself, until [`Memo::finish`] gives its result.
    pub(super) fn begin(&mut self, asked: ContextId, at: At, expr: ExprId) -> Place {
        self.note_last(asked, at, expr, expr);
        self.results[at.reading as usize].insert(expr.index(), at.ctx, expr)
    }

    /// Records the result for a node, and that the result is itself there.
    pub(super) fn finish(
        &mut self,
        asked: ContextId,
        at: At,
        (place, expr): (Place, ExprId),
        result: ExprId,
    ) {
        let results = &mut self.results[at.reading as usize];
        results.set(place, result);
        results.put(result.index(), at.ctx, result);
        self.note_last(asked, at, expr, result);
        self.note_last(at.ctx, at, result, result);
    }

    fn note_last(&mut self, asked: ContextId, at: At, expr: ExprId, result: ExprId) {
        if self.last.len() <= expr.index() {
            // Nodes are made one after another: not one by one.
            self.last.resize((expr.index() + 1).next_multiple_of(64), None);
        }
        self.last[expr.index()] = Some(Known { asked, at, result });
    }
}
