//! MLIR: the complete generic form, and pretty forms by the rows of dialects, tolerant of errors.
//!
//! [`parse`] gives the steps of a `MLIR_FILE`; [`parse_into`] gives them away while it reads, one function at a time,
//! so that no more than a function's header and 16 K steps are ever kept; [`reparse`] reads a list of operations again
//! after an edit, as [`parse`] would read it inside the whole, or refuses. An operation whose pretty form is not in the
//! table is a `MLIR_OPAQUE_OP`: its values, symbols, successors and regions are nodes all the same.

mod default_dialect;
mod formats;
mod grammar;
pub(crate) mod lexer;
pub(crate) mod parser;
mod reparse;
mod shapes;
#[cfg(test)]
mod tests;

pub(crate) use self::grammar::Ended;
pub use self::{
    default_dialect::{default_dialect, name_in},
    grammar::read_line,
    lexer::{HEAD, is_whole, name_end},
    reparse::{List, Refused, Stop, Stretch, reparse},
    shapes::{ShapeError, Shapes},
};

use self::{lexer::Dialect, parser::Parser};
use crate::Step;

/// The limit on the nesting of regions, types and attributes, together. Deeper text is kept, unread, in a node of kind
/// `TOO_DEEP`.
pub const MAX_DEPTH: u32 = 12_000;

/// A part of what a [`Sink`] gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// A step.
    Step(Step),
    /// An operation on a line that repeats: it is written as an earlier one is, but for names of values and the number
    /// of a location at its end. Its steps are those that [`read_line`] gives.
    Line {
        /// Its length in bytes.
        len: u16,
        /// The number of its form: lines of one parse with one number are the same but for these.
        form: u16,
    },
}

impl Piece {
    /// Returns the step, if it is one.
    pub fn step(self) -> Option<Step> {
        match self {
            Piece::Step(step) => Some(step),
            Piece::Line { .. } => None,
        }
    }

    /// Returns the number of bytes of the text that are read with it.
    pub fn n_bytes(self) -> u32 {
        match self {
            Piece::Step(Step::Token { len, .. }) => len,
            Piece::Step(Step::Enter(_) | Step::Exit) => 0,
            Piece::Line { len, .. } => len.into(),
        }
    }
}

/// A receiver of the steps of a parse in progress.
///
/// All steps together are those of [`parse`], but for lines that repeat, if it takes these. Between two calls every
/// token is complete, and every node that is open stays open.
pub trait Sink {
    /// The next pieces.
    fn pieces(&mut self, pieces: &[Piece]);

    /// Returns true if lines that repeat may be given as one [`Piece::Line`] each, instead of their steps.
    fn takes_lines(&self) -> bool {
        false
    }

    /// The steps of a function begin: its `Enter` is the next step, at this offset of the text.
    fn function_begins(&mut self, offset: usize) {
        let _ = offset;
    }

    /// The steps of the function that began last are complete; its text ends at this offset.
    fn function_ends(&mut self, offset: usize) {
        let _ = offset;
    }
}

/// Parses a whole file. The root of the steps is a `MLIR_FILE`.
///
/// `text` must be shorter than 4 GiB.
pub fn parse(text: &str) -> Vec<Step> {
    parse_with(text, Shapes::builtin())
}

/// [`parse`] with another table of pretty forms.
pub fn parse_with(text: &str, shapes: &Shapes) -> Vec<Step> {
    let mut p = Parser::new(text, 0, Dialect::Mlir, shapes);
    p.set_whole(lexer::is_whole(text));
    p.reserve(text.len());
    grammar::file(&mut p);
    p.finish_steps()
}

/// Parses a whole file and gives its steps to `sink`, in pieces that begin and end between operations.
pub fn parse_into(text: &str, shapes: &Shapes, sink: &mut dyn Sink) {
    parse_from(text, lexer::is_whole(text), shapes, sink);
}

/// The same, of the text of a document, or of a function of one: nothing in a region divides it.
pub fn parse_document_into(text: &str, shapes: &Shapes, sink: &mut dyn Sink) {
    parse_from(text, true, shapes, sink);
}

fn parse_from(text: &str, is_whole: bool, shapes: &Shapes, sink: &mut dyn Sink) {
    let mut p = Parser::new(text, 0, Dialect::Mlir, shapes);
    p.set_whole(is_whole);
    p.set_sink(sink);
    grammar::file(&mut p);
    p.finish_steps();
}
