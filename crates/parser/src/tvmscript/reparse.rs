//! Reading a part of a text as it would be read inside the whole.
//!
//! Both functions run the grammar of a fresh parse from a place where its state is known (a column, a
//! depth, no open bracket) and check that it stops exactly where it must. So the steps that they give are
//! those of the fresh parse, by construction; where that cannot be known they give `None`, and the caller
//! tries the next larger part. They read the part and the lookahead of the grammar, no more.

use std::ops::Range;

use super::{grammar, parser::Parser};
use crate::{Parse, SyntaxKind::*};

/// Reads the `BLOCK` that covers `range` of `text`, without the file around it.
///
/// - `range` begins right behind the `:` of the header and ends where the block must end: the old end, moved
///   by what an edit inside inserted.
/// - `header_col` is the column of the line on which the header's statement begins ([`super::indent_at`]).
/// - `depth` is the number of `BLOCK` and `MATCH_STMT` nodes around this one.
///
/// `None` unless the block begins on a line of its own and ends at `range.end`. The text before
/// `range.start` must be unchanged, and in the old tree the token `:` must be the direct sibling before the
/// block: a header without it may have an open bracket, which the lines of the block would end.
pub fn reparse_block(
    text: &str,
    range: Range<usize>,
    header_col: u32,
    depth: u32,
) -> Option<Parse> {
    text.get(range.clone())?;
    let mut p = Parser::part(text, range.start, range.end, depth);
    p.start_inside_line(header_col);
    if !p.at(NEWLINE) {
        return None;
    }
    grammar::block(&mut p, header_col);
    (!p.overran() && p.recorded_end() == range.end).then(|| p.finish())
}

/// Reads the statements that cover `range` of `text`, children of one block (or of the file) whose
/// statements stand at column `indent` (0, or the column of the block's first statement); `depth` counts the `BLOCK` and `MATCH_STMT` nodes around them. The
/// steps have a `BLOCK` as root, to be replaced by its children.
///
/// `range` begins right behind a statement and ends at the end of one; both end with a newline, or with the
/// text, in the old text as in this one (a `;` would not do: the next statement has no line of its own).
/// What stands before it must be unchanged, *and so must be its first line that holds a statement*: the
/// statement before looks that far ahead (`else`, comments, unclosed brackets). A caller therefore begins
/// one statement, which ends with a newline, before the edited one.
pub fn reparse_statements(
    text: &str,
    range: Range<usize>,
    indent: u32,
    depth: u32,
) -> Option<Parse> {
    text.get(range.clone())?;
    if range.start != 0 && !matches!(text.as_bytes()[range.start - 1], b'\n' | b'\r') {
        return None;
    }
    let mut p = Parser::part(text, range.start, range.end, depth);
    p.start_line();
    let root = p.start_before_trivia();
    let reached = grammar::statements_until(&mut p, indent, range.end);
    root.complete(&mut p, BLOCK);
    (reached && !p.overran()).then(|| p.finish())
}
