//! Replacing expressions by names.
//!
//! In: a text and the range of an expression in it. Out: the edit that puts a name there. The parentheses that only
//! group the expression are removed with it; a word that touched them is kept apart.

use syntax::{Edit, TextRange};

/// Puts a name in the place of a range and of the parentheses around it, apart from words that touch it.
pub(in crate::tvmscript) fn name_edit(text: &str, range: TextRange, name: &str) -> Edit {
    let (range, was_wrapped) = without_parentheses(text, range);
    if !was_wrapped {
        return Edit::replace(range, name);
    }
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let before = text[..usize::from(range.start())].chars().next_back();
    let after = text[usize::from(range.end())..].chars().next();
    let left = if before.is_some_and(is_word) { " " } else { "" };
    let right = if after.is_some_and(is_word) { " " } else { "" };
    Edit::replace(range, format!("{left}{name}{right}"))
}

/// The range with the parentheses right around it that only group it: not those of a call, a tuple or a subscript.
/// Whether there were any.
pub(in crate::tvmscript) fn without_parentheses(text: &str, range: TextRange) -> (TextRange, bool) {
    let bytes = text.as_bytes();
    let (mut start, mut end) = (usize::from(range.start()), usize::from(range.end()));
    let mut wrapped = false;
    while start > 0 && bytes[start - 1] == b'(' && bytes.get(end) == Some(&b')') {
        if !is_grouping(text, start - 1) {
            break;
        }
        start -= 1;
        end += 1;
        wrapped = true;
    }
    (TextRange::new((start as u32).into(), (end as u32).into()), wrapped)
}

/// Returns true if the parenthesis at an offset groups: there is no callee before it.
fn is_grouping(text: &str, offset: usize) -> bool {
    let before = text[..offset].trim_end_matches([' ', '\t']);
    let word_start = before
        .char_indices()
        .rev()
        .find(|(_, it)| !(it.is_alphanumeric() || *it == '_'))
        .map_or(0, |(at, it)| at + it.len_utf8());
    match &before[word_start..] {
        "" => !before.ends_with([')', ']', '"', '\'', '}']),
        word => KEYWORDS.contains(&word),
    }
}

/// Words before a parenthesis that is no call.
const KEYWORDS: [&str; 14] = [
    "and", "assert", "await", "elif", "else", "if", "in", "is", "lambda", "not", "or", "return",
    "while", "yield",
];

/// Returns true if a text may stand anywhere without parentheses: a name, a number, a call, an element, or a bracketed
/// expression.
pub(in crate::tvmscript) fn is_atom(text: &str) -> bool {
    let mut depth = 0u32;
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '_' | '.' | '"' | '\'');
    let mut quote = None;
    for it in text.chars() {
        match (quote, it) {
            (Some(open), it) if it == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(it),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, it) if depth == 0 && !is_part(it) => return false,
            _ => {}
        }
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::is_atom;

    #[test]
    fn atoms_need_no_parentheses() {
        for text in ["x", "1.5", "A[i + 1, j]", "T.max(a, b)", "(a + b)", "A[f(\")\") + 1].x"] {
            assert!(is_atom(text), "{text}");
        }
        for text in ["a + b", "-x", "not x", "a if b else c", "", "A[i] + 1"] {
            assert!(!is_atom(text), "{text}");
        }
    }
}
