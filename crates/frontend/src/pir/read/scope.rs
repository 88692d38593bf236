//! Names in the blocks of a program: visible from their definition to the end of their block.

use ir::ValueId;
use rustc_hash::{FxHashMap, FxHashSet};

type Place = (u32, u32);

/// The names that are visible, and those that were missed.
#[derive(Default)]
pub(super) struct Scope<'a> {
    visible: FxHashMap<&'a str, (ValueId, Place)>,
    /// The earlier definitions that a block hides, to be restored at its end.
    hidden: Vec<(&'a str, Option<(ValueId, Place)>)>,
    ever: FxHashSet<&'a str>,
    missing: FxHashMap<&'a str, ValueId>,
    unresolved: Vec<(&'a str, Place)>,
}

impl<'a> Scope<'a> {
    /// The state to which [`Scope::leave`] goes back.
    pub(super) fn mark(&self) -> usize {
        self.hidden.len()
    }

    /// Ends the block that began at the mark.
    pub(super) fn leave(&mut self, mark: usize) {
        for (name, before) in self.hidden.drain(mark..).rev() {
            match before {
                Some(before) => self.visible.insert(name, before),
                None => self.visible.remove(name),
            };
        }
    }

    /// Makes a name visible; returns the hidden definition.
    pub(super) fn define(
        &mut self,
        name: &'a str,
        value: ValueId,
        place: Place,
    ) -> Option<(ValueId, Place)> {
        let before = self.visible.insert(name, (value, place));
        self.hidden.push((name, before));
        self.ever.insert(name);
        before
    }

    /// The value of a name and where it is defined.
    pub(super) fn get(&self, name: &str) -> Option<(ValueId, Place)> {
        self.visible.get(name).copied()
    }

    /// The value that stands for an invisible name, one for all its uses; remembers the use.
    pub(super) fn undefined(
        &mut self,
        name: &'a str,
        place: Place,
        make: impl FnOnce() -> ValueId,
    ) -> ValueId {
        self.unresolved.push((name, place));
        *self.missing.entry(name).or_insert_with(make)
    }

    /// Uses of names that were not visible, in the order of the text.
    pub(super) fn unresolved(&self) -> Vec<(&'a str, Place)> {
        self.unresolved.clone()
    }

    /// Returns true if the name is defined anywhere.
    pub(super) fn is_ever_defined(&self, name: &str) -> bool {
        self.ever.contains(name)
    }
}
