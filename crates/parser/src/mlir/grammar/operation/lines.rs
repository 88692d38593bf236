//! Lines that repeat: operations that are written on one line each, as an earlier one is but for the names of values
//! and the number of a location at the end.
//!
//! In: the text from an operation on, and the operations that were read so far. Out: the number of its *form*, if a
//! line with this form was read before and this one is certainly read as that was. Printed IR says little that is new:
//! of a function of a million operations nearly all lines have one of a few hundred forms. Such a line is not read by
//! the grammar; a sink gets it as one [`Piece::Line`].
//!
//! How an operation is read depends on its text, but for these, and on the tokens behind it that the grammar
//! looks at. So a form is kept only of a line that is the same when it is read alone, and it holds for lines behind
//! which there is the same kind of text. O(bytes) a line.

use super::operation;
use crate::{
    Step,
    SyntaxKind::{self, *},
    mlir::{
        MAX_DEPTH, Piece, Shapes,
        lexer::Dialect,
        parser::{Form, Line, MOST_BYTES, Parser, Token},
    },
};

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

/// An operation of a block, which begins with the current token: a line that repeats, or what the grammar reads.
pub(in crate::mlir) fn operation_or_line(p: &mut Parser<'_>) {
    let Some(line) = look_at(p) else { return operation(p) };
    match line.known {
        Some(form) if form.is_refused => return operation(p),
        Some(form) if repeats(p, line.end, form) => return,
        _ => {}
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
    if behind == 0 {
        return;
    }
    let text = p.text();
    let mut alone = Vec::new();
    let may_repeat = p.steps_from(before).is_some_and(|it| it.iter().all(may_repeat))
        && read_line(text, start, end, p.shapes, &mut alone)
        && p.steps_from(before) == Some(&alone[..]);
    if let Some(lines) = &mut p.lines
        && lines.read(text.as_bytes(), start) == Some(end)
    {
        match may_repeat {
            true => lines.keep(last, behind),
            false => lines.refuse(),
        }
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

/// Reads an operation that is a line of a region; `steps` are the pieces that a parse makes of it. False if it is not
/// one operation.
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
