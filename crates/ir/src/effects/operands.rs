//! The uses that operations make of their operands: the part of a row that describes pointers.
//!
//! In: the lists `numbers`, `addresses`, `places`, `reads`, `writes` and `texts` of a row. Out: for the operand at a
//! place, or of a keyword, its [`OperandUse`], or nothing if the row does not speak of it. O(entries of the row).

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

/// The use that an operation makes of an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperandUse {
    /// Takes a number: a pointer here is something that the row does not know.
    Number,
    /// Takes a number or an address and computes with it; the memory there is not touched.
    Address,
    /// Takes the address of an element or a buffer that the operand names; an element is not evaluated.
    Place,
    /// Reads the memory of a pointer, the value of an element.
    Reads,
    /// Writes the memory of a pointer, or the element that the operand names.
    Writes,
    /// Reads and writes.
    Updates,
    /// Evaluates it itself, again after its own writes, as a condition to wait for: the front end keeps its text, and
    /// nothing in it is an evaluation of its own.
    Text,
}

impl OperandUse {
    /// May read the memory of the operand.
    pub fn may_read(self) -> bool {
        matches!(self, OperandUse::Reads | OperandUse::Updates)
    }

    /// May write the memory of the operand: an element given here is a place, not its value.
    pub fn may_write(self) -> bool {
        matches!(self, OperandUse::Writes | OperandUse::Updates)
    }

    fn and(self, other: OperandUse) -> Option<OperandUse> {
        use OperandUse::{Reads, Updates, Writes};
        matches!((self, other), (Reads, Writes) | (Writes, Reads)).then_some(Updates)
    }
}

/// An operand in a row: its place among the positional ones, its keyword, or `*`, all that the row does not name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum OperandName {
    /// By place, from 0.
    Index(u8),
    /// By keyword, or `*`.
    Keyword(Cow<'static, str>),
}

impl fmt::Display for OperandName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperandName::Index(index) => write!(f, "operand {index}"),
            OperandName::Keyword(key) => write!(f, "operand `{key}`"),
        }
    }
}

/// The designation of an operand of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand<'a> {
    /// The positional one at this place.
    At(usize),
    /// The one of this keyword.
    Named(&'a str),
}

/// The uses of the operands that a row names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperandUses {
    /// One entry an operand; few.
    named: Cow<'static, [(OperandName, OperandUse)]>,
    others: Option<OperandUse>,
}

impl OperandUses {
    /// The uses of a row that speaks of no operand.
    pub const NONE: OperandUses = OperandUses::of_static(&[], None);

    pub(super) const fn of_static(
        named: &'static [(OperandName, OperandUse)],
        others: Option<OperandUse>,
    ) -> OperandUses {
        OperandUses { named: Cow::Borrowed(named), others }
    }

    /// The uses of the operands that the row names, and of all others.
    pub(super) fn parts(&self) -> (&[(OperandName, OperandUse)], Option<OperandUse>) {
        (&self.named, self.others)
    }

    /// Returns the use that the row states for an operand.
    pub fn of(&self, operand: Operand<'_>) -> Option<OperandUse> {
        let named = self.named.iter().find(|(name, _)| is_meant(name, operand));
        named.map(|it| it.1).or(self.others)
    }

    /// Returns true if the row names this operand by itself, not as one of the others.
    pub fn names(&self, operand: Operand<'_>) -> bool {
        self.named.iter().any(|(name, _)| is_meant(name, operand))
    }

    /// Returns true if the row describes no operand.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty() && self.others.is_none()
    }

    /// Returns true if some operand is written.
    pub fn any_written(&self) -> bool {
        self.all().any(OperandUse::may_write)
    }

    /// Returns true if the memory behind some operand is accessed.
    pub fn any_reached(&self) -> bool {
        self.all().any(|it| it.may_read() || it.may_write())
    }

    fn all(&self) -> impl Iterator<Item = OperandUse> {
        self.named.iter().map(|it| it.1).chain(self.others)
    }

    /// Adds an entry. Of an operand that is read and written there are two; any other pair contradicts itself and is
    /// given back.
    pub(super) fn add<'a>(
        &mut self,
        name: &'a OperandName,
        used: OperandUse,
    ) -> Result<(), &'a OperandName> {
        let known = match name {
            OperandName::Keyword(key) if key == "*" => &mut self.others,
            _ => match self.named.iter().position(|it| it.0 == *name) {
                Some(at) => {
                    let both = self.named[at].1.and(used).ok_or(name)?;
                    self.named.to_mut()[at].1 = both;
                    return Ok(());
                }
                None => {
                    self.named.to_mut().push((name.clone(), used));
                    return Ok(());
                }
            },
        };
        *known = match *known {
            None => Some(used),
            Some(known) => Some(known.and(used).ok_or(name)?),
        };
        Ok(())
    }

    /// Everything that lookups can answer, for the table's digest.
    pub(super) fn content(&self, out: &mut Vec<u8>) {
        let (named, others) = self.parts();
        for (name, used) in named {
            match name {
                OperandName::Index(index) => out.extend([1, *index]),
                OperandName::Keyword(key) => {
                    out.push(2);
                    out.extend(key.as_bytes());
                }
            }
            out.extend([0xff, *used as u8]);
        }
        out.extend([3, others.map_or(0xff, |it| it as u8)]);
    }
}

fn is_meant(name: &OperandName, operand: Operand<'_>) -> bool {
    match (name, operand) {
        (OperandName::Index(index), Operand::At(at)) => usize::from(*index) == at,
        (OperandName::Keyword(key), Operand::Named(name)) => key == name,
        _ => false,
    }
}
