//! Annotations: comment rows below a line with the expectations at the columns of their carets.
//!
//! ```text
//! A[i] = x * y + 1
//!     #  ^^^^^ cse_v1, 3 times
//! ```
//!
//! A row is a comment that begins with carets. An annotation in the first column, where the `#` stands, is written
//! `#<^^^`. It belongs to the nearest line above that is no row. The rows stay in the text: they are comments of the
//! language.

use text_size::{TextRange, TextSize};

/// A range of a text with the label of a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotation {
    /// The start of the range.
    pub start: usize,
    /// The end of the range.
    pub end: usize,
    /// The text behind the carets.
    pub label: String,
}

impl Annotation {
    /// The range.
    pub fn range(&self) -> TextRange {
        let size = |at: usize| TextSize::try_from(at).expect("a fixture is short");
        TextRange::new(size(self.start), size(self.end))
    }
}

/// The annotations of a text, sorted.
pub fn annotations(text: &str) -> Vec<Annotation> {
    let mut res = Vec::new();
    let (mut offset, mut target) = (0, "");
    let mut target_at = 0;
    for line in text.split_inclusive('\n') {
        match row(line) {
            Some((start, end, label)) => {
                let (start, end) = (byte_of_column(target, start), byte_of_column(target, end));
                res.push(Annotation {
                    start: target_at + start,
                    end: target_at + end,
                    label: label.to_owned(),
                });
            }
            None => (target, target_at) = (line, offset),
        }
        offset += line.len();
    }
    res.sort();
    res
}

/// The columns (in characters) of a row's carets, and its label.
fn row(line: &str) -> Option<(usize, usize, &str)> {
    let comment = line.trim_start().strip_prefix('#')?.trim_start();
    let (at_zero, comment) = match comment.strip_prefix('<') {
        Some(rest) => (true, rest),
        None => (false, comment),
    };
    let label = comment.trim_start_matches('^');
    let carets = comment.len() - label.len();
    if carets == 0 {
        return None;
    }
    let start = if at_zero { 0 } else { line[..line.len() - comment.len()].chars().count() };
    Some((start, start + carets, label.trim()))
}

fn byte_of_column(line: &str, column: usize) -> usize {
    let text = line.trim_end_matches(['\n', '\r']);
    text.char_indices().nth(column).map_or(text.len(), |(at, _)| at)
}

/// The text without rows, with rows for the given annotations: tests compare and update it.
pub fn render_annotations(text: &str, found: &[Annotation]) -> String {
    let mut res = String::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let end = offset + line.len();
        if row(line).is_none() {
            res.push_str(line);
            for annotation in found.iter().filter(|it| (offset..end).contains(&it.start)) {
                if !res.ends_with('\n') {
                    res.push('\n');
                }
                let column = line[..annotation.start - offset].chars().count();
                let carets = text[annotation.start..annotation.end.min(end)].chars().count().max(1);
                let lead = match column {
                    0 => "#<".to_owned(),
                    _ => "#".to_owned() + &" ".repeat(column - 1),
                };
                res.push_str(&format!("{lead}{} {}\n", "^".repeat(carets), annotation.label));
            }
        }
        offset = end;
    }
    res
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_point_at_the_line_above() {
        let text = "a = x * y\n  # ^^^^^ product\n  # ^ x\n#<^ a\nb = 1\n# plain comment\n";
        let found = annotations(text);
        let shown: Vec<_> = found.iter().map(|it| (&text[it.range()], it.label.as_str())).collect();
        assert_eq!(shown, [("a", "a"), ("x", "x"), ("x * y", "product")]);
        let rendered = render_annotations(text, &found);
        assert_eq!(
            rendered,
            "a = x * y\n#<^ a\n#   ^ x\n#   ^^^^^ product\nb = 1\n# plain comment\n"
        );
        assert_eq!(annotations(&rendered), found);
    }
}
