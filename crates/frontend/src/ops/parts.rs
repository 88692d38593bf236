//! Equality of the interned parts of two bodies: names, dictionaries of attributes, types. Each pair of ids is compared
//! once, in O(its text); from then on in O(1).

use ir::{AttrDictId, Body, NameId, Type};
use rustc_hash::FxHashMap;

/// The parts of two bodies that were found equal.
pub(super) struct EqualParts<'a> {
    a: &'a Body,
    b: &'a Body,
    names: FxHashMap<NameId, NameId>,
    dictionaries: FxHashMap<AttrDictId, AttrDictId>,
}

impl<'a> EqualParts<'a> {
    /// None was compared yet.
    pub(super) fn of(a: &'a Body, b: &'a Body) -> EqualParts<'a> {
        EqualParts { a, b, names: FxHashMap::default(), dictionaries: FxHashMap::default() }
    }

    /// Returns true if two names have the same text.
    pub(super) fn names(&mut self, a: NameId, b: NameId) -> bool {
        self.names.get(&a) == Some(&b)
            || self.a.name(a) == self.b.name(b) && {
                self.names.insert(a, b);
                true
            }
    }

    /// Returns true if two dictionaries have the same attributes.
    pub(super) fn dictionaries(&mut self, a: AttrDictId, b: AttrDictId) -> bool {
        self.dictionaries.get(&a) == Some(&b)
            || self.a.dict(a) == self.b.dict(b) && {
                self.dictionaries.insert(a, b);
                true
            }
    }

    /// Returns true if two types are the same name; those that nobody knows count as the same.
    pub(super) fn types(&mut self, a: Type, b: Type) -> bool {
        match (a, b) {
            (Type::Named(a), Type::Named(b)) => self.names(a, b),
            (Type::Unknown, Type::Unknown) => true,
            _ => false,
        }
    }
}
