//! Names that the text mentions in parts that are not lowered.
//!
//! In: a function's text, its definitions and all mentions that lowering knows. Out: the defined names that are also
//! mentioned elsewhere: in an arm of a compile-time `if` that is not taken, in a nested macro, in a field of an
//! f-string. Other strings and comments mention nothing; neither does what follows a dot, nor a keyword of a call. One
//! pass over the text beside the mentions, which are in its order.

use rustc_hash::FxHashSet;
use syntax::TextRange;

use super::{Definition, DefinitionId, DefinitionKind};

/// The hidden names, sorted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Hidden {
    /// Of bindings, scalars and buffers that the body makes.
    pub(crate) locals: Vec<Box<str>>,
    /// Of parameters, indices and symbols.
    pub(crate) others: Vec<Box<str>>,
}

/// The hidden names of a function. `mentions` are sorted by their starts.
pub(crate) fn hidden_names(
    text: &str,
    definitions: &[Definition],
    mentions: &[(TextRange, DefinitionId)],
) -> Hidden {
    use DefinitionKind::{Binding, Buffer, Cell, Index, Param, Symbol};
    let named = |of: fn(DefinitionKind) -> bool| -> FxHashSet<&str> {
        definitions.iter().filter(|it| of(it.kind)).map(|it| &*it.name).collect()
    };
    let locals = named(|it| matches!(it, Binding | Cell | Buffer));
    let others = named(|it| matches!(it, Param | Index | Symbol));
    let mut hidden = Hidden::default();
    if locals.is_empty() && others.is_empty() {
        return hidden;
    }
    let places: FxHashSet<u32> = definitions.iter().map(|it| it.range.start().into()).collect();
    let mut next = 0;
    each_word(text, &mut |at, word| {
        while mentions.get(next).is_some_and(|it| u32::from(it.0.start()) < at as u32) {
            next += 1;
        }
        let is_known = mentions.get(next).is_some_and(|it| u32::from(it.0.start()) == at as u32);
        let (is_local, is_other) = (locals.contains(word), others.contains(word));
        if !is_known && (is_local || is_other) && !places.contains(&(at as u32)) {
            if is_local {
                hidden.locals.push(word.into());
            }
            if is_other {
                hidden.others.push(word.into());
            }
        }
    });
    for names in [&mut hidden.locals, &mut hidden.others] {
        names.sort_unstable();
        names.dedup();
    }
    hidden
}

/// Returns true if a text of a function has a word that may be a name, wherever it stands. Linear in the text.
pub fn has_word(text: &str, name: &str) -> bool {
    let mut found = false;
    each_word(text, &mut |_, word| found |= word == name);
    found
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
fn each_word<'a>(text: &'a str, visit: &mut dyn FnMut(usize, &'a str)) {
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
                let word = &text[start..at];
                // Quotes right behind a word make it a prefix (`f""`).
                if behind == Some(Class::Quote) {
                    let end = end_of_string(text, at);
                    if word.contains(['f', 'F', 't', 'T']) {
                        each_field(&text[at..end], &mut |from, field| {
                            each_word(field, &mut |inner, word| visit(at + from + inner, word));
                        });
                    }
                    at = end;
                } else if first == Class::Word && !after_dot && !is_keyword(text, start, at) {
                    visit(start, word);
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

/// Returns true if a word is the keyword of an argument: `f(n=1)`.
fn is_keyword(text: &str, start: usize, end: usize) -> bool {
    let behind = text[end..].trim_start();
    let is_assigned = behind.starts_with('=') && !behind.starts_with("==");
    is_assigned && text[..start].trim_end().ends_with(['(', ','])
}

/// Calls `visit` with every expression in the fields of an f-string, and its offset: of `{a + 1!r:>{b}}` with `a + 1`
/// and `b`. The string is given with its quotes.
fn each_field<'a>(text: &'a str, visit: &mut dyn FnMut(usize, &'a str)) {
    let bytes = text.as_bytes();
    // Of each field around: where its expression begins, and the brackets that are open in it; none in a format.
    let mut fields: Vec<Option<(usize, u32)>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let is_end = |depth: u32| match bytes[at] {
            b'}' => depth == 0,
            b':' => depth == 0,
            b'!' => depth == 0 && bytes.get(at + 1) != Some(&b'='),
            _ => false,
        };
        match (fields.last_mut(), bytes[at]) {
            (None, b'{') if bytes.get(at + 1) == Some(&b'{') => at += 1,
            (None | Some(None), b'{') => fields.push(Some((at + 1, 0))),
            (Some(None), b'}') => drop(fields.pop()),
            (Some(field @ Some(_)), it) => {
                let (from, depth) = field.unwrap_or_default();
                if is_end(depth) {
                    visit(from, &text[from..at]);
                    *field = None;
                    if it == b'}' {
                        fields.pop();
                    }
                } else {
                    let depth = match it {
                        b'(' | b'[' | b'{' => depth + 1,
                        b')' | b']' | b'}' => depth.saturating_sub(1),
                        _ => depth,
                    };
                    *field = Some((from, depth));
                }
            }
            _ => {}
        }
        at += 1;
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
        let text = "a.b = f\"c\" + 'd\\'e' # g\n1e5 . h\nµ_1(\"\"\"i\"j\"\"\", k=l, m==n)";
        each_word(text, &mut |at, it| found.push((at, it)));
        assert_eq!(found, [(0, "a"), (32, "µ_1"), (50, "l"), (53, "m"), (56, "n")]);
    }

    #[test]
    fn fields_of_strings_mention_names() {
        let fields = |text: &str| {
            let mut found = Vec::new();
            each_word(text, &mut |at, it| {
                assert!(text[at..].starts_with(it));
                found.push(it.to_owned());
            });
            found.join(" ")
        };
        assert_eq!(fields("f'x {a} {{b}} {c[d] + e.f!r:>{g}d} h'"), "a c d e g");
        assert_eq!(
            fields("rF\"\"\"{a != b}{ {'k': v}['k'] }{x:{w}.{p}f}\"\"\" + u\"{no}\""),
            "a b v x w p"
        );
        assert_eq!(fields("f'{a'"), "");
    }
}
