//! The aliases of a document: `#map = …`, `!t = …`, by their names, in canonical text.

use std::{hash::Hasher, sync::Arc};

use rustc_hash::{FxHashMap, FxHasher};

use super::canonical;

/// A longer text stands for itself by its hash: expanding it again and again could take more than linear time. Its
/// users are equal where their aliases are, so nothing becomes wrong, and at worst two equal operations are not
/// recognised.
const MAX_EXPANDED: usize = 2048;

/// An alias that expands others may be so much longer than it is written, and some more: in a chain of them each holds
/// all before it.
const MAX_GROWTH: usize = 16;
const FREE_GROWTH: usize = 256;

/// The aliases that a unit sees.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliases {
    texts: FxHashMap<Box<str>, Arc<str>>,
}

impl Aliases {
    /// Adds a definition: its name with the sigil, and the text behind the `=`. The first of several counts; it may
    /// name those before it. Linear in the text, with the aliases in it expanded.
    pub fn define(&mut self, name: &str, definition: &str) {
        if self.texts.contains_key(name) {
            return;
        }
        if let Some(same) = self.texts.get(definition.trim()).cloned() {
            self.texts.insert(name.into(), same);
            return;
        }
        let text = match name.starts_with('!') {
            true => canonical::type_(definition, self),
            false => canonical::attribute(definition, self),
        };
        let most = (FREE_GROWTH + MAX_GROWTH * definition.len()).min(MAX_EXPANDED);
        let text = if text.len() > most { digest(name, &text) } else { text };
        self.texts.insert(name.into(), text.into());
    }

    /// Adds an alias by its canonical text, as [`Aliases::get`] gives it, which is shared. The first of several counts.
    pub fn add_canonical(&mut self, name: &str, text: &Arc<str>) {
        if !self.texts.contains_key(name) {
            self.texts.insert(name.into(), text.clone());
        }
    }

    /// The canonical text of an alias.
    pub fn get(&self, name: &str) -> Option<&Arc<str>> {
        self.texts.get(name)
    }

    /// Returns true if there are no aliases.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// A short name for a long text: two hashes, from both ends, so that equal names mean equal texts.
fn digest(name: &str, text: &str) -> String {
    let mut forward = FxHasher::default();
    forward.write(text.as_bytes());
    let mut backward = FxHasher::default();
    backward.write_usize(text.len());
    for byte in text.bytes().rev() {
        backward.write_u8(byte);
    }
    let sigil = &name[..1];
    let head: String = text.chars().take(24).filter(|it| it.is_ascii_alphanumeric()).collect();
    format!("{sigil}long.{head}<{:016x}{:016x}>", forward.finish(), backward.finish())
}
