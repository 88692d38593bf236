//! The forms of lines that were read: their texts without the names of values, and without the number of the location
//! at their end.
//!
//! In: the text of a line. Out: the number of its form, if it is kept. A form is kept when it is met again. O(bytes).

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use crate::{SyntaxKind, mlir::lexer};

/// Longer lines are read as they are.
pub(in crate::mlir) const MOST_BYTES: usize = 1024;

/// Bytes that are not just a part of a line.
const IS_SPECIAL: [bool; 256] = set(b"%\"/^#\n\r");

/// Bytes that end a string, or make it one that is not looked into.
const IS_ODD: [bool; 256] = set(b"\"\\\n\r");

const fn set(bytes: &[u8]) -> [bool; 256] {
    let mut set = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        set[bytes[at] as usize] = true;
        at += 1;
    }
    set
}

/// Places where a form that was met once is remembered.
const N_SEEN: usize = 4096;

/// Forms that are kept.
const MOST_FORMS: usize = 1 << 13;

/// The forms of the lines that were read.
pub(in crate::mlir) struct Lines {
    /// By the text of a line, in which names of values are `%` and a location is `#loc`.
    forms: FxHashMap<Box<[u8]>, Form>,
    /// Hashes of texts that were met.
    seen: Vec<u32>,
    /// The text of the line that is looked at.
    text: Vec<u8>,
}

/// The form of lines.
#[derive(Clone, Copy)]
pub(in crate::mlir) struct Form {
    /// Numbers are given in the order in which forms are kept.
    pub(in crate::mlir) number: u16,
    /// The kind of its last token.
    pub(in crate::mlir) last: SyntaxKind,
    /// The kinds of text behind lines with this form that were read: bits.
    pub(in crate::mlir) behind: u8,
    /// True if the grammar reads lines with this form.
    pub(in crate::mlir) is_refused: bool,
}

/// A line that was looked at.
#[derive(Clone, Copy)]
pub(in crate::mlir) struct Line {
    /// Where it ends, without blanks.
    pub(in crate::mlir) end: usize,
    pub(in crate::mlir) known: Option<Form>,
    /// True if it is worth keeping: its form was met before.
    pub(in crate::mlir) is_met: bool,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines { forms: FxHashMap::default(), seen: vec![0; N_SEEN], text: Vec::new() }
    }
}

impl Lines {
    /// Looks at the line that begins with a token; none if it is not one that may repeat.
    pub(in crate::mlir) fn look_at(&mut self, text: &[u8], start: usize) -> Option<Line> {
        let end = self.read(text, start)?;
        let known = self.forms.get(&self.text[..]).copied();
        let is_met = known.is_some() || self.was_seen();
        Some(Line { end, known, is_met })
    }

    /// Writes the text of a line without names of values and numbers of locations; its end, without blanks.
    pub(in crate::mlir) fn read(&mut self, text: &[u8], start: usize) -> Option<usize> {
        self.text.clear();
        // No line has more bytes.
        let text = &text[..text.len().min(start + MOST_BYTES)];
        let mut at = start;
        loop {
            let plain = text[at..].iter().position(|it| IS_SPECIAL[usize::from(*it)])?;
            self.text.extend_from_slice(&text[at..at + plain]);
            at += plain;
            let end = match text[at] {
                b'%' => {
                    self.text.push(b'%');
                    let name = at + 1;
                    at = lexer::suffix_end(text, name);
                    if at == name {
                        return None;
                    }
                    continue;
                }
                b'"' => {
                    let inside = text[at + 1..].iter().position(|it| IS_ODD[usize::from(*it)])?;
                    let end = at + 1 + inside;
                    (text[end] == b'"').then_some(end + 1)?
                }
                b'/' if text.get(at + 1) != Some(&b'/') => at + 1,
                // Locations have numbers of their own.
                b'#' if self.text.ends_with(b" loc(") => {
                    let name = text.get(at..).and_then(|it| it.strip_prefix(b"#loc"))?;
                    let n_digits = name.iter().take_while(|it| it.is_ascii_digit()).count();
                    self.text.extend_from_slice(b"#loc");
                    at += 4 + n_digits;
                    // So that they are behind all names.
                    matches!(text.get(at..at + 2), Some(b")\n" | b")\r")).then_some(at + 1)?
                }
                b'#' => at + 1,
                b'\n' | b'\r' => break,
                // Comments, successors.
                _ => return None,
            };
            self.text.extend_from_slice(&text[at..end]);
            at = end;
        }
        let n_blank = self.text.iter().rev().take_while(|it| matches!(it, b' ' | b'\t')).count();
        self.text.truncate(self.text.len() - n_blank);
        Some(at - n_blank)
    }

    /// Returns true if the text was met before, in all likelihood; remembers it.
    fn was_seen(&mut self) -> bool {
        let mut hasher = FxHasher::default();
        self.text.hash(&mut hasher);
        let hash = hasher.finish();
        let place = &mut self.seen[hash as usize % N_SEEN];
        let hash = (hash >> 32) as u32 | 1;
        std::mem::replace(place, hash) == hash
    }

    /// Keeps the form of the line whose text was read last.
    pub(in crate::mlir) fn keep(&mut self, last: SyntaxKind, behind: u8) {
        let number = self.forms.len();
        match self.forms.get_mut(&self.text[..]) {
            Some(form) => form.behind |= behind,
            None if number < MOST_FORMS => {
                let form = Form { number: number as u16, last, behind, is_refused: false };
                self.forms.insert(self.text.as_slice().into(), form);
            }
            None => {}
        }
    }

    /// Lines with the form of the line whose text was read last are always read by the grammar.
    pub(in crate::mlir) fn refuse(&mut self) {
        self.keep(SyntaxKind::ERROR, 0);
        if let Some(form) = self.forms.get_mut(&self.text[..]) {
            form.is_refused = true;
        }
    }
}
