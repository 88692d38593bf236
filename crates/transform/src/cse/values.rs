//! Which occurrences have one value.
//!
//! In: the facts. Out: [`Values`], the *class* of each occurrence: occurrences of one class have equal values wherever they are
//! evaluated, as far as their variables are visible. Presets that follow a peer compare structure alone: there the class of an occurrence
//! is its expression. A convergent call has a value of its own in each block, and in each stretch of it between branches
//! (`SEMANTICS: P8`). O(occurrences).

use ir::{ExprId, OccurrenceId, Occurrences, arena::Id};
use rustc_hash::FxHashMap;

use super::{facts::Facts, sharing::Sharing};

/// A class of occurrences, dense.
pub(super) type Class = u32;

/// The classes of a body's occurrences.
pub(super) struct Values<'a> {
    occurrences: &'a Occurrences,
    /// By occurrence; empty if the class is the expression.
    class: Vec<Class>,
    n_classes: usize,
}

impl<'a> Values<'a> {
    /// One class an expression.
    pub(super) fn of_structure(facts: &Facts<'a>) -> Values<'a> {
        let occurrences = facts.occurrences;
        Values { occurrences, class: Vec::new(), n_classes: facts.body.n_exprs() }
    }

    /// One class a value.
    pub(super) fn number(facts: &Facts<'a>) -> Values<'a> {
        let mut values = Values::of_structure(facts);
        if (0..facts.body.n_exprs())
            .any(|it| facts.sharing(ExprId::new(it)).has(Sharing::CONVERGENT))
        {
            values.keep_convergent_apart(facts);
        }
        values
    }

    /// Gives convergent values a class a block and stretch; one that is evaluated only sometimes has a class of its own.
    fn keep_convergent_apart(&mut self, facts: &Facts<'_>) {
        let mut classes: FxHashMap<_, Class> = FxHashMap::default();
        let mut class = Vec::with_capacity(facts.occurrences.len());
        for (id, it) in facts.occurrences.iter() {
            let old = self.class(id);
            if !facts.sharing(it.expr).has(Sharing::CONVERGENT) {
                class.push(old);
                continue;
            }
            let next = (self.n_classes + classes.len()) as Class;
            let alone = facts.is_lazy(id, None).then_some(id);
            class.push(*classes.entry((old, facts.stretch(it.op), alone)).or_insert(next));
        }
        self.n_classes += classes.len();
        self.class = class;
    }

    /// Number of classes.
    pub(super) fn len(&self) -> usize {
        self.n_classes
    }
    /// The class of an occurrence.
    pub(super) fn class(&self, occurrence: OccurrenceId) -> Class {
        if self.class.is_empty() {
            self.occurrences[occurrence].expr.index() as u32
        } else {
            self.class[occurrence.index()]
        }
    }
}
