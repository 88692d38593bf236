//! Where the text mentions names.
//!
//! In: a function's text and source map. Out: the mentions of each value and buffer, and the names that are *hidden*: mentioned where
//! the map knows of none, because nothing was made of that text (an arm of a compile-time `if` that is not taken, a nested macro).
//! Strings and comments mention nothing; neither does what follows a dot. One pass over the text.

use ir::{BufferId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::TextRange;

use crate::tvmscript::{DefinitionId, SourceMap};

pub(super) struct Words<'a> {
    mentions: FxHashMap<DefinitionId, Vec<TextRange>>,
    of_value: FxHashMap<ValueId, Vec<DefinitionId>>,
    of_buffer: FxHashMap<BufferId, Vec<DefinitionId>>,
    hidden: FxHashSet<&'a str>,
}

impl<'a> Words<'a> {
    pub(super) fn new(text: &'a str, map: &SourceMap) -> Words<'a> {
        let mut words = Words {
            mentions: FxHashMap::default(),
            of_value: FxHashMap::default(),
            of_buffer: FxHashMap::default(),
            hidden: FxHashSet::default(),
        };
        for (index, definition) in map.definitions().iter().enumerate() {
            let id = DefinitionId(index as u32);
            words.mentions.entry(id).or_default().push(definition.range);
            if let Some(value) = definition.value {
                words.of_value.entry(value).or_default().push(id);
            }
            if let Some(buffer) = definition.buffer {
                words.of_buffer.entry(buffer).or_default().push(id);
            }
        }
        let mut known: FxHashSet<u32> = FxHashSet::default();
        for &(range, id) in map.mentions() {
            known.insert(range.start().into());
            words.mentions.entry(id).or_default().push(range);
        }
        known.extend(map.definitions().iter().map(|it| u32::from(it.range.start())));
        each_word(text, &mut |at, word| {
            if !known.contains(&(at as u32)) {
                words.hidden.insert(word);
            }
        });
        words
    }

    pub(super) fn mentions_of_value(&self, value: ValueId) -> impl Iterator<Item = TextRange> + '_ {
        self.mentions_of(self.of_value.get(&value))
    }

    pub(super) fn mentions_of_buffer(
        &self,
        buffer: BufferId,
    ) -> impl Iterator<Item = TextRange> + '_ {
        self.mentions_of(self.of_buffer.get(&buffer))
    }

    fn mentions_of(
        &self,
        definitions: Option<&Vec<DefinitionId>>,
    ) -> impl Iterator<Item = TextRange> + use<'_> {
        let definitions = definitions.cloned().unwrap_or_default();
        definitions.into_iter().flat_map(|it| self.mentions.get(&it)).flatten().copied()
    }

    /// Whether a name is mentioned where nothing was made of the text.
    pub(super) fn is_hidden(&self, name: &str) -> bool {
        self.hidden.contains(name)
    }
}

/// Calls `visit` with every word of a text that may be a name, and its offset.
fn each_word<'a>(text: &'a str, visit: &mut dyn FnMut(usize, &'a str)) {
    let bytes = text.as_bytes();
    let is_word = |it: u8| it.is_ascii_alphanumeric() || it == b'_' || it >= 0x80;
    let mut at = 0;
    let mut after_dot = false;
    while at < bytes.len() {
        match bytes[at] {
            b'#' => at = text[at..].find('\n').map_or(bytes.len(), |it| at + it),
            b'"' | b'\'' => {
                at = end_of_string(text, at);
                after_dot = false;
            }
            it if is_word(it) => {
                let end = at + bytes[at..].iter().take_while(|it| is_word(**it)).count();
                // Quotes right behind a word make it a prefix (`f""`).
                let is_prefix = matches!(bytes.get(end), Some(b'"' | b'\''));
                if !after_dot && !it.is_ascii_digit() && !is_prefix {
                    visit(at, &text[at..end]);
                }
                at = end;
                after_dot = false;
            }
            it => {
                if !it.is_ascii_whitespace() {
                    after_dot = it == b'.';
                }
                at += 1;
            }
        }
    }
}

/// The offset behind the string that begins with the quote at `start`.
fn end_of_string(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let quote = bytes[start];
    let is_triple = bytes[start..].starts_with(&[quote; 3]);
    let mut at = start + if is_triple { 3 } else { 1 };
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' if !is_triple => return at,
            it if it == quote && !is_triple => return at + 1,
            it if it == quote && bytes[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::each_word;

    #[test]
    fn names_are_told_from_attributes_strings_comments_and_numbers() {
        let mut found = Vec::new();
        each_word("a.b = f\"c\" + 'd\\'e' # g\n1e5 . h\nµ_1(\"\"\"i\"j\"\"\")", &mut |at, it| {
            found.push((at, it));
        });
        assert_eq!(found, [(0, "a"), (34, "µ_1")]);
    }
}
