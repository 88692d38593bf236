//! The name that is being typed, told by the text of its line: it need not be a token yet.

use syntax::{TextRange, TextSize};

use super::CompletionKind;

/// The name that is being typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Typed<'a> {
    /// Told by the sigil; [`CompletionKind::Operation`] without one.
    pub(super) wanted: CompletionKind,
    /// The name so far, with its sigil.
    pub(super) prefix: &'a str,
    /// Its place in the text.
    pub(super) range: TextRange,
}

/// The name that ends at an offset of a text, which is no comment. O(line).
pub(super) fn typed(text: &str, offset: TextSize) -> Option<Typed<'_>> {
    let before = text.get(..usize::from(offset))?;
    let line = &before[before.rfind('\n').map_or(0, |it| it + 1)..];
    if comment_starts(line) {
        return None;
    }
    let is_of_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '.' | '-');
    let name = &line[line.trim_end_matches(is_of_name).len()..];
    let rest = &line[..line.len() - name.len()];
    let sigil = rest.chars().next_back();
    let wanted = match sigil {
        Some('%') => Some(CompletionKind::Value),
        Some('^') => Some(CompletionKind::Block),
        Some('@') => Some(CompletionKind::Symbol),
        // `%0#1` is a value.
        Some('#')
            if rest
                .rfind('%')
                .is_some_and(|at| rest[at + 1..].trim_end_matches('#').chars().all(is_of_name)) =>
        {
            None
        }
        Some('#') => Some(CompletionKind::Attribute),
        Some('!') => Some(CompletionKind::Type),
        _ => None,
    };
    let (wanted, len) = match wanted {
        Some(wanted) => (wanted, name.len() + 1),
        None => {
            let rest = rest.strip_suffix('"').unwrap_or(rest);
            is_start_of_operation(rest.trim()).then_some((CompletionKind::Operation, name.len()))?
        }
    };
    let start = before.len() - len;
    let range = TextRange::new((start as u32).into(), offset);
    Some(Typed { wanted, prefix: &before[start..], range })
}

/// Returns true if a comment begins in a line, outside of strings.
fn comment_starts(line: &str) -> bool {
    let mut in_string = false;
    let mut bytes = line.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if in_string => drop(bytes.next()),
            b'"' => in_string = !in_string,
            b'/' if !in_string && bytes.peek() == Some(&b'/') => return true,
            _ => {}
        }
    }
    false
}

/// Returns true if an operation's name follows a text of its line: nothing, results and `=`, a brace, or a label.
fn is_start_of_operation(before: &str) -> bool {
    match before.chars().next_back() {
        None => true,
        Some('=') => before.starts_with(['%', '(']),
        Some('{') => true,
        Some(':') => before.starts_with('^'),
        _ => false,
    }
}
