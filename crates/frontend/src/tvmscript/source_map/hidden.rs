//! Names that the text mentions in parts that are not lowered.
//!
//! In: a function's text, its definitions and all mentions that lowering knows. Out: the defined names that are also
//! mentioned elsewhere: in an arm of a compile-time `if` that is not taken, in a nested macro. Strings and comments
//! mention nothing; neither does what follows a dot. One pass over the text beside the mentions, which are in its
//! order.

use rustc_hash::FxHashSet;
use syntax::TextRange;

use super::{Definition, DefinitionId, DefinitionKind};

/// The hidden names, sorted. `mentions` are sorted by their starts.
pub(crate) fn hidden_names(
    text: &str,
    definitions: &[Definition],
    mentions: &[(TextRange, DefinitionId)],
) -> Vec<Box<str>> {
    let is_local = |it: &&Definition| {
        use DefinitionKind::{Binding, Buffer, Cell};
        matches!(it.kind, Binding | Cell | Buffer)
    };
    let names: FxHashSet<&str> = definitions.iter().filter(is_local).map(|it| &*it.name).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let places: FxHashSet<u32> = definitions.iter().map(|it| it.range.start().into()).collect();
    let mut hidden: Vec<Box<str>> = Vec::new();
    let mut next = 0;
    each_word(text, |at, word| {
        while mentions.get(next).is_some_and(|it| u32::from(it.0.start()) < at as u32) {
            next += 1;
        }
        let is_known = mentions.get(next).is_some_and(|it| u32::from(it.0.start()) == at as u32);
        if !is_known && names.contains(word) && !places.contains(&(at as u32)) {
            hidden.push(word.into());
        }
    });
    hidden.sort_unstable();
    hidden.dedup();
    hidden
}

/// The kind of a byte of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Digit,
    Space,
    Dot,
    Quote,
    Hash,
    Other,
}

/// By byte.
static CLASSES: [Class; 256] = {
    let mut table = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => Class::Word,
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => Class::Space,
            b'.' => Class::Dot,
            b'"' | b'\'' => Class::Quote,
            b'#' => Class::Hash,
            _ => Class::Other,
        };
        byte += 1;
    }
    table
};

/// Calls `visit` with every word of a text that may be a name, and its offset.
fn each_word<'a>(text: &'a str, mut visit: impl FnMut(usize, &'a str)) {
    let bytes = text.as_bytes();
    let class = |at: usize| bytes.get(at).map(|&it| CLASSES[usize::from(it)]);
    let mut at = 0;
    let mut after_dot = false;
    while let Some(first) = class(at) {
        match first {
            Class::Hash => at = text[at..].find('\n').map_or(bytes.len(), |it| at + it),
            Class::Quote => {
                at = end_of_string(text, at);
                after_dot = false;
            }
            Class::Word | Class::Digit => {
                let start = at;
                let behind = loop {
                    at += 1;
                    match class(at) {
                        Some(Class::Word | Class::Digit) => {}
                        other => break other,
                    }
                };
                // Quotes right behind a word make it a prefix (`f""`).
                let is_name = first == Class::Word && behind != Some(Class::Quote);
                if is_name && !after_dot {
                    visit(start, &text[start..at]);
                }
                after_dot = false;
            }
            Class::Space => at += 1,
            Class::Dot | Class::Other => {
                after_dot = first == Class::Dot;
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
        each_word("a.b = f\"c\" + 'd\\'e' # g\n1e5 . h\nµ_1(\"\"\"i\"j\"\"\")", |at, it| {
            found.push((at, it));
        });
        assert_eq!(found, [(0, "a"), (32, "µ_1")]);
    }
}
