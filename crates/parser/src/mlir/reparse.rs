//! Reads a part of a list of operations again, as [`super::parse`] reads it inside the whole file, or refuses.
//!
//! Between two operations of a list the parser's state is the depth, whether a function is around, and whether a
//! newline stands before the next token. So the operations from one boundary to another are read by the same functions
//! that read the file; the result holds if they end exactly at that other boundary.

use std::ops::Range;

use super::{
    Shapes,
    grammar::{self, Ended},
    lexer::Dialect,
    parser::Parser,
};
use crate::{Step, SyntaxKind::*, pir};

/// The list that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// The items of a chunk.
    Chunk,
    /// The operations of a block.
    Block {
        /// True if the nearest enclosing function, module or operation that the table does not have is a function.
        in_function: bool,
    },
    /// The operations of a block of a PIR program.
    PirBlock,
}

/// The construct at the end of the part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The next item of the list.
    Item,
    /// The end of the list.
    End,
}

/// The reason why a part cannot be read by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It does not end where it must.
    Differs,
    /// More of the text behind it is needed to tell.
    NeedsMore,
}

/// A stretch of a text.
#[derive(Debug, Clone, Copy)]
pub struct Stretch<'t> {
    /// Its text; the character before the part belongs to it, unless the part begins the file.
    pub text: &'t str,
    /// True if the file continues after it.
    pub more: bool,
    /// True if the file is one document ([`super::is_whole`]).
    pub is_whole: bool,
}

/// Reads `range` of a stretch: items of a list inside `depth` regions, from the end of an item or the beginning of the
/// list on. Gives the steps of a node of the list's kind.
///
/// # Errors
///
/// If the part does not end where it must, or that cannot be decided yet.
pub fn reparse(
    stretch: Stretch<'_>,
    range: Range<usize>,
    list: List,
    depth: u32,
    stop: Stop,
    shapes: &Shapes,
) -> Result<Vec<Step>, Refused> {
    let dialect = if list == List::PirBlock { Dialect::Pir } else { Dialect::Mlir };
    let mut p = Parser::stretch(stretch.text, range.start, dialect, shapes, stretch.more, depth);
    p.set_whole(stretch.is_whole);
    let until = |p: &mut Parser<'_>| p.current.start >= range.end;
    let ended = match list {
        List::Chunk => {
            p.enter_before_trivia(MLIR_CHUNK);
            grammar::chunk_items(&mut p, until)
        }
        List::Block { in_function } => {
            p.enter_before_trivia(MLIR_BLOCK);
            p.in_function = in_function;
            grammar::operations(&mut p, until)
        }
        List::PirBlock => {
            p.enter_before_trivia(PIR_BLOCK);
            pir::operations(&mut p, until)
        }
    };
    if p.starved() {
        return Err(Refused::NeedsMore);
    }
    let wanted = match stop {
        Stop::Item => Ended::Stopped,
        Stop::End => Ended::Here,
    };
    p.record_trivia();
    if ended != wanted || p.recorded() != range.end {
        return Err(Refused::Differs);
    }
    p.exit();
    Ok(p.finish_steps())
}
