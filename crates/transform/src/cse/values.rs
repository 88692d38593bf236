//! Which occurrences have one value.
//!
//! In: the facts. Out: [`Values`], the *class* of each occurrence: occurrences of one class have equal values wherever they are
//! evaluated, as far as their variables are visible. Presets that follow a peer compare structure alone: there the class of an occurrence
//! is its expression. O(occurrences).

use ir::{OccurrenceId, Occurrences, arena::Id};

use super::facts::Facts;

/// A class of occurrences, dense.
pub(super) type Class = u32;

/// The classes of a body's occurrences.
pub(super) struct Values<'a> {
    occurrences: &'a Occurrences,
    n_classes: usize,
}

impl<'a> Values<'a> {
    /// One class an expression.
    pub(super) fn of_structure(facts: &Facts<'a>) -> Values<'a> {
        Values { occurrences: facts.occurrences, n_classes: facts.body.n_exprs() }
    }

    /// Number of classes.
    pub(super) fn len(&self) -> usize {
        self.n_classes
    }
    /// The class of an occurrence.
    pub(super) fn class(&self, occurrence: OccurrenceId) -> Class {
        self.occurrences[occurrence].expr.index() as u32
    }
}
