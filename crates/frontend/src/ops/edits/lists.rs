//! Lists in the text of operations: values, types, arguments, with their elements.
//!
//! In: a text and where a list is. Out: the places of its elements. A list with a comment in it does not count: the
//! comment cannot be assigned to an element. Linear in the list.

use syntax::{TextRange, TextSize};

/// A list in a text, by offsets.
pub(super) struct List {
    /// Without the blanks around them.
    pub(super) elements: Vec<(usize, usize)>,
    /// The end of the text between the brackets.
    pub(super) end: usize,
}

/// A range of a text.
pub(super) fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32))
}

impl List {
    /// Returns the list between two offsets.
    pub(super) fn between(text: &str, start: usize, end: usize) -> Option<List> {
        let mut commas = Vec::new();
        let closed = outside_of_brackets(text, start, end, &mut |at, byte| {
            if byte == b',' {
                commas.push(at);
            }
        })?;
        if closed.is_some() {
            return None;
        }
        Some(List::of(text, start, end, &commas))
    }

    /// Returns the list in the brackets that open at an offset.
    pub(super) fn inside(text: &str, open: usize) -> Option<List> {
        let mut commas = Vec::new();
        let end = outside_of_brackets(text, open + 1, text.len(), &mut |at, byte| {
            if byte == b',' {
                commas.push(at);
            }
        })?;
        Some(List::of(text, open + 1, end?, &commas))
    }

    fn of(text: &str, start: usize, end: usize, commas: &[usize]) -> List {
        let mut elements = Vec::new();
        let mut from = start;
        for &to in commas.iter().chain([&end]) {
            let part = &text[from..to];
            let begin = from + (part.len() - part.trim_start().len());
            elements.push((begin, (from + part.trim_end().len()).max(begin)));
            from = to + 1;
        }
        if text[start..end].trim().is_empty() {
            elements.clear();
        }
        List { elements, end }
    }

    /// Returns the ranges to remove so that some of the elements are deleted, with the commas beside them.
    pub(super) fn removals(&self, goes: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
        let all = &self.elements;
        let mut res = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let first = at;
            while at < all.len() && goes(at) {
                at += 1;
            }
            if first == at {
                at += 1;
                continue;
            }
            res.push(match (all.get(at), first.checked_sub(1)) {
                (Some(next), _) => (all[first].0, next.0),
                (None, Some(last)) => (all[last].1, all[at - 1].1),
                (None, None) => (all[first].0, all[at - 1].1),
            });
        }
        res
    }
}

/// The colons between two offsets that are in no brackets.
pub(super) fn colons(text: &str, start: usize, end: usize) -> Option<Vec<usize>> {
    let mut res = Vec::new();
    outside_of_brackets(text, start, end, &mut |at, byte| {
        if byte == b':' {
            res.push(at);
        }
    })?;
    Some(res)
}

/// The `(` right before an offset.
pub(super) fn open_before(text: &str, at: usize) -> Option<usize> {
    text[..at].trim_end().strip_suffix('(').map(str::len)
}

/// The list of `-> (i32, i32)`, which begins at an offset.
pub(super) fn arrow_list(text: &str, at: usize) -> Option<List> {
    let behind = text[at..].trim_start().strip_prefix("->")?.trim_start();
    let list = behind.starts_with('(').then_some(text.len() - behind.len())?;
    List::inside(text, list)
}

/// The end of an operation without its location.
pub(super) fn before_location(text: &str, start: usize, end: usize) -> usize {
    let cut = text[start..end].rfind(" loc(").map_or(end, |it| start + it);
    start + text[start..cut].trim_end().len()
}

/// Walks over text outside brackets, up to an offset or to a bracket that closes an earlier one, and returns its place.
/// None if there is a comment or brackets do not pair.
fn outside_of_brackets(
    text: &str,
    start: usize,
    end: usize,
    visit: &mut dyn FnMut(usize, u8),
) -> Option<Option<usize>> {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let mut at = start;
    while at < end {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < end && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => return None,
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b'<' => open.push(b'>'),
            // The end of an arrow.
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            closing @ (b')' | b']' | b'}' | b'>') => match open.pop() {
                Some(expected) if expected == closing => {}
                None => return Some(Some(at)),
                Some(_) => return None,
            },
            byte if open.is_empty() => visit(at, byte),
            _ => {}
        }
        at += 1;
    }
    open.is_empty().then_some(None)
}
