//! Comments inside removed text: the operation is removed, a user's comment stays.
//!
//! In: a range of a text of MLIR that goes, and the ranges in it that are written elsewhere, comments included. Out:
//! the text that takes its place: each comment on a line of its own. O(length of the range).

use syntax::{TextRange, TextSize, first_line_end};

use super::{is_blank, line_start};

/// Returns the text that replaces a range; `None` if there is no comment in it.
pub(super) fn kept(text: &str, range: TextRange, moved: &[TextRange]) -> Option<String> {
    let goes = |it: &TextRange| !moved.iter().any(|moved| moved.contains_range(*it));
    let comments: Vec<&str> =
        comments(text, range).into_iter().filter(goes).map(|it| text[it].trim_end()).collect();
    if comments.is_empty() {
        return None;
    }
    let before = &text[TextRange::new(line_start(text, range.start()), range.start())];
    let indent = &before[..before.len() - before.trim_start().len()];
    let separator = format!("{}{indent}", first_line_end(text));
    let mut res = comments.join(&separator);
    let rest = &text[usize::from(range.end())..];
    let rest = rest.split(['\n', '\r']).next().unwrap_or(rest);
    if !is_blank(rest) {
        // What follows would become part of the comment.
        res.push_str(&separator);
    }
    Some(res)
}

/// The comments in a range that begins and ends between tokens.
fn comments(text: &str, range: TextRange) -> Vec<TextRange> {
    let (bytes, end) = (text.as_bytes(), usize::from(range.end()));
    let mut at = usize::from(range.start());
    let mut res = Vec::new();
    while at < end {
        match bytes[at] {
            b'"' => at = string_end(&bytes[..end], at),
            b'/' if bytes[at..end].starts_with(b"//") => {
                let len = bytes[at..end].iter().position(|it| matches!(it, b'\n' | b'\r'));
                let stop = len.map_or(end, |len| at + len);
                res.push(TextRange::new(TextSize::new(at as u32), TextSize::new(stop as u32)));
                at = stop;
            }
            _ => at += 1,
        }
    }
    res
}

/// Behind a string, which ends with its line at the latest.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\n' | b'\r' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}
