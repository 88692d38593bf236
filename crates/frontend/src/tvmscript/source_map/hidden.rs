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
    each_word(text, &mut |at, word| {
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
        assert_eq!(found, [(0, "a"), (32, "µ_1")]);
    }
}
