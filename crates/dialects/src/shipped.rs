//! The dialects that are part of the product, in the compact form that the build script makes of their files.
//!
//! Nothing is read or allocated at start: names are one text with a table of hashes over it, everything else is static.
//! Asking for an operation is one hash.

use crate::{names::Names, row::Mark};

mod generated {
    use super::{Definition, Entry, Format, Names, Overlay, Stated};
    include!(concat!(env!("OUT_DIR"), "/shipped.rs"));
}

/// A row of an overlay: what the product says over the definitions, or without any.
#[derive(Debug, Clone, Copy)]
pub struct Overlay {
    /// The name of its file.
    pub file: &'static str,
    /// Full names and patterns.
    pub ops: &'static [&'static str],
    /// The shape in which they are written: a name, or a notation.
    pub shape: Option<&'static str>,
    /// How they take part in the structure of a file.
    pub marks: &'static [Mark],
    /// Their row of the effects table, field by field; empty if there is none.
    pub fields: &'static [(&'static str, &'static str)],
}

/// The form in which operations are written, by their definition.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// In ODS's notation.
    pub text: &'static str,
    /// The parts of the operations by name, in the notation of `Parts::to_text`.
    pub parts: &'static str,
}

/// The effects that definitions state, with the row that follows.
#[derive(Debug, Clone, Copy)]
pub struct Stated {
    /// The effects, with blanks and commas between them.
    pub text: &'static str,
    /// The row of the effects table, field by field; empty if the effects are unknown.
    pub fields: &'static [(&'static str, &'static str)],
}

/// A dialect whose definitions are part of the product.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// Its name.
    pub dialect: &'static str,
    /// Where the definitions come from.
    pub source: &'static str,
    /// The number of its operations.
    pub n_operations: u16,
}

/// An operation by numbers: a line of the compact table.
struct Entry {
    dialect: u16,
    /// One more than the number of its form.
    format: u16,
    /// One more than the number of its parts, if there is no form that has them.
    parts: u16,
    stated: u16,
    traits: u16,
}

/// An operation that is defined.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    /// Its full name.
    pub name: &'static str,
    /// The dialect that defines it.
    pub dialect: &'static Definition,
    /// The number of its form in [`formats`].
    pub format: Option<u16>,
    /// Its parts by name, in the notation of `Parts::to_text`; empty if they are not known.
    pub parts: &'static str,
    /// The number of its effects in [`stated`].
    pub stated: u16,
    /// Its traits, with commas between them.
    pub traits: &'static str,
}

impl Operation {
    /// Returns true if the definition has this trait.
    pub fn has_trait(&self, name: &str) -> bool {
        self.traits.split(", ").any(|it| it == name)
    }
}

/// Returns the operation of this name, if a dialect of the product defines it.
pub fn operation(name: &str) -> Option<Operation> {
    generated::NAMES.number(name).map(numbered)
}

/// All operations that dialects of the product define, by name.
pub fn operations() -> impl Iterator<Item = Operation> {
    (0..generated::ENTRIES.len()).map(numbered)
}

fn numbered(number: usize) -> Operation {
    let entry = &generated::ENTRIES[number];
    let format = entry.format.checked_sub(1);
    let of_format = format.map(|it| generated::FORMATS[usize::from(it)].parts);
    let own = || Some(generated::PARTS[usize::from(entry.parts.checked_sub(1)?)]);
    Operation {
        name: generated::NAMES.name(number),
        dialect: &generated::DEFINITIONS[usize::from(entry.dialect)],
        format,
        parts: of_format.or_else(own).unwrap_or_default(),
        stated: entry.stated,
        traits: generated::TRAITS[usize::from(entry.traits)],
    }
}

/// The dialects that are defined, by name.
pub fn definitions() -> &'static [Definition] {
    generated::DEFINITIONS
}

/// The forms of operations.
pub fn formats() -> &'static [Format] {
    generated::FORMATS
}

/// The effects that definitions state.
pub fn stated() -> &'static [Stated] {
    generated::STATED
}

/// The rows of overlays, in the order of their files.
pub fn overlays() -> &'static [Overlay] {
    generated::OVERLAYS
}

/// The names of shapes with their notations.
pub fn shapes() -> &'static [(&'static str, &'static str)] {
    generated::SHAPES
}

/// A hash of everything that is stated here, equal on all machines.
pub fn digest() -> u128 {
    generated::DIGEST
}
