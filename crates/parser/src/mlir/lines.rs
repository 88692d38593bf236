//! Lines that repeat: operations that are written on one line each, as an earlier one is but for the names of values.
//!
//! In: the text from an operation on, and the operations that were read so far. Out: the number of its *form*, if a line
//! with this form was read before and this one is certainly read as that was. Printed IR says little that is new: of a
//! function of a million operations nearly all lines have one of a few hundred forms. Such a line is not read by the
//! grammar; a sink gets it as one [`Piece::Line`].
//!
//! How an operation is read depends on its text, but for names of values, and on the tokens behind it that the grammar
//! looks at. So a form is kept only of a line that is the same when it is read alone, and it holds for lines behind
//! which there is the same kind of text. O(bytes) a line.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use super::{
    MAX_DEPTH, Piece,
    grammar::operation,
    lexer::{self, Dialect},
    parser::{Parser, Token},
    shapes::Shapes,
};
use crate::{
    Step,
    SyntaxKind::{self, *},
};

/// Longer lines are read as they are.
const MOST_BYTES: usize = 1024;

/// Bytes that are not just a part of a line.
const IS_SPECIAL: [bool; 256] = set(b"%\"/^\n\r");

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

/// Kinds of text behind a line: bits.
mod behind {
    /// `}`
    pub(super) const BRACE: u8 = 1;
    /// `%x =`
    pub(super) const RESULT: u8 = 2;
    /// The name of an operation.
    pub(super) const NAME: u8 = 4;
    /// The same in quotes.
    pub(super) const QUOTED: u8 = 8;
}

/// The forms of the lines that were read.
pub(super) struct Lines {
    /// By the text of a line, in which names of values are `%`.
    forms: FxHashMap<Box<[u8]>, Form>,
    /// Hashes of texts that were met.
    seen: Vec<u32>,
    /// The text of the line that is looked at.
    text: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Form {
    number: u16,
    /// The kind of its last token.
    last: SyntaxKind,
    /// What stood behind lines with this form that were read: bits of [`behind`].
    behind: u8,
}

/// A line that was looked at.
#[derive(Clone, Copy)]
pub(super) struct Line {
    end: usize,
    known: Option<Form>,
    /// True if it is worth keeping: its form was met before.
    is_met: bool,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines { forms: FxHashMap::default(), seen: vec![0; N_SEEN], text: Vec::new() }
    }
}

impl Lines {
    /// Looks at the line that begins with a token; none if it is not one that may repeat.
    fn look_at(&mut self, text: &[u8], start: usize) -> Option<Line> {
        let end = self.read(text, start)?;
        let known = self.forms.get(&self.text[..]).copied();
        let is_met = known.is_some() || self.was_seen();
        Some(Line { end, known, is_met })
    }

    /// Writes the text of a line without names; its end, without blanks.
    fn read(&mut self, text: &[u8], start: usize) -> Option<usize> {
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
                    at = lexer::suffix_end(text, at + 1);
                    continue;
                }
                b'"' => {
                    let inside = text[at + 1..].iter().position(|it| IS_ODD[usize::from(*it)])?;
                    let end = at + 1 + inside;
                    (text[end] == b'"').then_some(end + 1)?
                }
                b'/' if text.get(at + 1) != Some(&b'/') => at + 1,
                b'\n' | b'\r' => break,
                // Comments and successors.
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

    fn keep(&mut self, last: SyntaxKind, behind: u8) {
        let number = self.forms.len();
        match self.forms.get_mut(&self.text[..]) {
            Some(form) => form.behind |= behind,
            None if number < MOST_FORMS => {
                let form = Form { number: number as u16, last, behind };
                self.forms.insert(self.text.as_slice().into(), form);
            }
            None => {}
        }
    }
}

/// An operation of a block, which begins with the current token: a line that repeats, or what the grammar reads.
pub(super) fn operation_or_line(p: &mut Parser<'_>) {
    let Some(line) = look_at(p) else { return operation(p) };
    if let Some(form) = line.known
        && repeats(p, line.end, form)
    {
        return;
    }
    let start = p.current.start;
    let before = p.n_steps() + usize::from(p.has_trivia());
    let is_plain = !p.has_mixed_trivia();
    operation(p);
    if line.is_met && is_plain && p.recorded() == line.end {
        keep(p, start, line.end, before);
    }
}

fn look_at(p: &mut Parser<'_>) -> Option<Line> {
    let start = p.current.start;
    let may_repeat = p.current.newline
        && p.default_dialect.is_empty()
        && p.depth() < MAX_DEPTH - MOST_BYTES as u32;
    let text = p.text();
    let lines = p.lines.as_mut().filter(|_| may_repeat)?;
    lines.look_at(text.as_bytes(), start)
}

/// Reads a line with a known form; false if what stands behind it may change how it is read.
fn repeats(p: &mut Parser<'_>, end: usize, form: Form) -> bool {
    let next = p.token_from(end);
    if behind(p, next, form.last) & form.behind == 0 {
        return false;
    }
    p.record_trivia();
    let len = (end - p.recorded()) as u16;
    p.push_line(Piece::Line { len, form: form.number }, end, form.last, next);
    true
}

/// The kind of text that begins with a token: a bit of [`behind`], or 0. `last` is the kind of the token before it.
fn behind(p: &mut Parser<'_>, next: Token, last: SyntaxKind) -> u8 {
    match next.kind {
        _ if !next.newline => 0,
        R_BRACE => behind::BRACE,
        VALUE_ID if p.token_from(next.end).kind == EQ => behind::RESULT,
        IDENT if !matches!(last, COMMA | L_BRACE) && p.op_starts_at(next) => behind::NAME,
        STRING if p.op_starts_at(next) => behind::QUOTED,
        _ => 0,
    }
}

/// Keeps the form of a line that was read, by steps from a place on, if it is read so alone.
fn keep(p: &mut Parser<'_>, start: usize, end: usize, before: usize) {
    let (next, last) = (p.current, p.last());
    let behind = behind(p, next, last);
    let text = p.text();
    let mut alone = Vec::new();
    let is_same = behind != 0
        && read_line(text, start, end, p.shapes, &mut alone)
        && p.steps_from(before) == Some(&alone[..])
        && alone.iter().all(may_repeat);
    if is_same
        && let Some(lines) = &mut p.lines
        && lines.read(text.as_bytes(), start) == Some(end)
    {
        lines.keep(last, behind);
    }
}

/// Regions are read as they are, and so is what is not understood.
fn may_repeat(piece: &Piece) -> bool {
    let Piece::Step(Step::Enter(kind)) = piece else { return true };
    !matches!(
        kind,
        MLIR_OPAQUE_OP
            | MLIR_REGION
            | MLIR_SUCCESSOR
            | MLIR_SYMBOL_DEF
            | MLIR_POSSIBLE_DEF
            | MLIR_UNREAD
            | MLIR_MISSING
            | ERROR_NODE
            | TOO_DEEP
    )
}

/// The end of the name of a value that begins at `start`, without a number of a result.
pub fn name_end(text: &str, start: usize) -> usize {
    lexer::suffix_end(text.as_bytes(), start + 1)
}

/// Reads an operation that is a line of a region; `steps` are the pieces that [`parse`](super::parse) makes of it. False if
/// it is not one operation.
pub fn read_line(
    text: &str,
    start: usize,
    end: usize,
    shapes: &Shapes,
    steps: &mut Vec<Piece>,
) -> bool {
    let Some(text) = text.get(..end) else { return false };
    steps.clear();
    let mut p = Parser::stretch(text, start, Dialect::Mlir, shapes, false, 1);
    p.in_function = true;
    if !matches!(p.current.kind, VALUE_ID | STRING | IDENT) || p.op_info().is_function {
        return false;
    }
    p.put_steps(std::mem::take(steps));
    operation(&mut p);
    let is_read = p.at_end() && p.recorded() == end;
    *steps = p.finish();
    is_read
}
