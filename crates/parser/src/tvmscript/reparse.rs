//! Reading a part of a text as it would be read inside the whole.
//!
//! Both functions run the grammar of a fresh parse from a place where its state is known (a column, a
//! depth, no open bracket) and check that it stops exactly where it must. So the steps that they give are
//! those of the fresh parse, by construction; where that cannot be known they refuse, and the caller
//! tries the next larger part. They read the part and the lookahead of the grammar, no more: a caller may
//! give a stretch of the file, and a longer one if the lookahead goes beyond it.

use std::ops::Range;

use super::{grammar, parser::Parser};
use crate::{Parse, SyntaxKind::*};

/// A stretch of a file that holds the part to be read and something behind it.
#[derive(Debug, Clone, Copy)]
pub struct Stretch<'t> {
    /// The text. A stretch that begins inside the file begins at least one byte before the part.
    pub text: &'t str,
    /// True if the file continues after the stretch. Then the stretch must end with a newline of the file that no
    /// backslash escapes.
    pub more: bool,
}

impl<'t> From<&'t str> for Stretch<'t> {
    /// A whole file.
    fn from(text: &'t str) -> Self {
        Stretch { text, more: false }
    }
}

/// The reason why a part is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// It does not read by itself.
    Differs,
    /// The stretch is too short to tell.
    NeedsMore,
}

/// Reads the `BLOCK` that covers `range` of `text`, without the file around it.
///
/// - `range` begins right behind the `:` of the header and ends where the block must end: the old end, shifted by the
///   insertions of an edit inside.
/// - `header_col` is the column of the line on which the header's statement begins ([`super::indent_at`]).
/// - `depth` is the number of `BLOCK` and `MATCH_STMT` nodes around this one.
///
/// Refused unless the block begins on a line of its own and ends at `range.end`. The text before
/// `range.start` must be unchanged, and in the old tree the token `:` must be the direct sibling before the
/// block: a header without it may have an open bracket, which the lines of the block would end.
pub fn reparse_block_in(
    stretch: Stretch<'_>,
    range: Range<usize>,
    header_col: u32,
    depth: u32,
) -> Result<Parse, Refused> {
    let mut p = part(stretch, &range, depth)?;
    p.start_inside_line(header_col);
    if !p.at(NEWLINE) {
        return Err(refusal(&p));
    }
    grammar::block(&mut p, header_col);
    if p.overran() || p.recorded_end() != range.end {
        return Err(refusal(&p));
    }
    Ok(p.finish())
}

/// [`reparse_block_in`] for a whole file.
pub fn reparse_block(
    text: &str,
    range: Range<usize>,
    header_col: u32,
    depth: u32,
) -> Option<Parse> {
    reparse_block_in(text.into(), range, header_col, depth).ok()
}

/// Reads the statements that cover `range` of `text`, children of one block (or of the file) whose statements stand at
/// column `indent` (0, or the column of the block's first statement); `depth` counts the `BLOCK` and `MATCH_STMT` nodes
/// around them. The steps have a `BLOCK` as root, to be replaced by its children.
///
/// `range` begins right behind a statement and ends at the end of one; both end with a newline, or with the text, in
/// the old text as in this one (a `;` would not do: the next statement has no line of its own). The text before the
/// range must be unchanged, *and so must be the first line of the range that holds a statement*: the statement before
/// looks that far ahead (`else`, comments, unclosed brackets). A caller therefore begins one statement, which ends with
/// a newline, before the edited one.
///
/// A part of the file's own list (column 0) that ends with the file takes the trivia at the end too.
pub fn reparse_statements_in(
    stretch: Stretch<'_>,
    range: Range<usize>,
    indent: u32,
    depth: u32,
) -> Result<Parse, Refused> {
    let mut p = part(stretch, &range, depth)?;
    if range.start != 0 && !matches!(stretch.text.as_bytes()[range.start - 1], b'\n' | b'\r') {
        return Err(Refused::Differs);
    }
    p.start_line();
    let root = p.start_before_trivia();
    grammar::statements_until(&mut p, indent, range.end);
    if indent == 0 && p.at(EOF) && !p.overran() {
        p.record_trivia();
    }
    root.complete(&mut p, BLOCK);
    if p.overran() || p.recorded_end() != range.end {
        return Err(refusal(&p));
    }
    Ok(p.finish())
}

/// [`reparse_statements_in`] for a whole file.
pub fn reparse_statements(
    text: &str,
    range: Range<usize>,
    indent: u32,
    depth: u32,
) -> Option<Parse> {
    reparse_statements_in(text.into(), range, indent, depth).ok()
}

fn part<'t>(stretch: Stretch<'t>, range: &Range<usize>, depth: u32) -> Result<Parser<'t>, Refused> {
    if stretch.text.get(range.clone()).is_none() {
        return Err(Refused::Differs);
    }
    let mut p = Parser::part(stretch.text, range.start, range.end, depth);
    if stretch.more {
        p.expect_more();
    }
    Ok(p)
}

fn refusal(p: &Parser<'_>) -> Refused {
    if p.starved() { Refused::NeedsMore } else { Refused::Differs }
}
