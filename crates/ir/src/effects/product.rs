//! The rows that the product has, as the build script makes them of their texts.
//!
//! Nothing is read or allocated at start. A name is looked up by one hash of it.

use dialects::names::Names;

use super::model::{Namespace, OpEffects};
use super::patterns::{Pattern, RowIndex};

mod generated {
    use std::borrow::Cow;

    use dialects::names::Names;

    use super::{Numbered, Space};
    use crate::effects::{
        model::{
            Applies, Asynchrony, Basis, Flags, MemoryEffect, MemorySet, OpEffects, Trap, TrapKind,
        },
        operands::{OperandName, OperandUse, OperandUses},
        patterns::Pattern,
    };

    include!(concat!(env!("OUT_DIR"), "/effects.rs"));
}

/// Names with the numbers of their rows.
pub(super) struct Numbered {
    names: Names,
    rows: &'static [u16],
}

impl Numbered {
    /// The name as it is kept, and its row.
    pub(super) fn find(&self, name: &str) -> Option<(&'static str, RowIndex)> {
        let number = self.names.number(name)?;
        Some((self.names.name(number), RowIndex::from(self.rows[number])))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, RowIndex)> {
        self.names.iter().zip(self.rows.iter().map(|it| RowIndex::from(*it)))
    }
}

/// The names and patterns of one namespace.
pub(super) struct Space {
    pub(super) exact: Numbered,
    /// In their order.
    pub(super) patterns: &'static [Pattern],
}

/// The version of the rows.
pub(super) const VERSION: u32 = generated::VERSION;

pub(super) fn space(namespace: Namespace) -> &'static Space {
    &generated::SPACES[namespace as usize]
}

/// Exact names of TIR as they are mostly written, with `_` between their parts: no normal form has to be made of them.
pub(super) fn spelled() -> &'static Numbered {
    &generated::SPELLED
}

pub(super) fn row(index: RowIndex) -> &'static OpEffects {
    &generated::ROWS[index as usize]
}

/// The row that follows from the effects that definitions state, by their number in `dialects`.
pub(super) fn stated(number: u16) -> Option<&'static OpEffects> {
    generated::STATED[usize::from(number)].as_ref()
}
