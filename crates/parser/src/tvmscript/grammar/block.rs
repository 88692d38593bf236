//! Lines, statement lists and blocks: where indentation decides.

use super::{statement::*, *};

/// The root.
pub(crate) fn source_file(p: &mut Parser<'_>) {
    let m = p.start_before_trivia();
    statement_list(p, 0);
    p.record_trivia();
    m.complete(p, SOURCE_FILE);
}

/// Lines of column `indent` and deeper; ends before the first that is less deep.
fn statement_list(p: &mut Parser<'_>, indent: u32) {
    while !p.at(EOF) && p.col() >= indent {
        line(p, indent);
    }
}

/// Lines as in a list of column `indent`, up to the first that ends at the offset `end` or behind it.
pub(crate) fn statements_until(p: &mut Parser<'_>, indent: u32, end: usize) {
    while p.recorded_end() < end && !p.at(EOF) && p.col() >= indent {
        line(p, indent);
    }
}

/// One line of a list of column `indent`, which is not left of it.
pub(super) fn line(p: &mut Parser<'_>, indent: u32) {
    if p.col() > indent {
        unexpected_indent(p, indent);
    } else {
        statement(p);
        inline_statements(p);
    }
}

/// Lines deeper than their list, as a block of their own.
fn unexpected_indent(p: &mut Parser<'_>, indent: u32) {
    let m = p.start();
    let block = p.start();
    body(p, indent);
    block.complete(p, BLOCK);
    m.complete(p, UNEXPECTED_INDENT);
}

/// The statements behind `header:`. `header_col` is the column of the line on which its statement begins.
pub(crate) fn block(p: &mut Parser<'_>, header_col: u32) {
    let m = p.start_before_trivia();
    if p.at(NEWLINE) {
        p.bump();
        if !p.at(EOF) && p.col() > header_col {
            body(p, header_col);
        } else {
            p.record_block_comments(header_col + 1);
        }
    } else if p.at(EOF) {
        p.record_trivia();
    } else if p.nest(inline_statements).is_none() {
        too_deep(p, header_col);
    }
    m.complete(p, BLOCK);
}

/// The lines of a block, all deeper than `outer`: the first determines the column. Comments behind the last statement
/// that are as deep belong to the block.
fn body(p: &mut Parser<'_>, outer: u32) {
    let indent = p.col();
    if p.nest(|p| statement_list(p, indent)).is_none() {
        too_deep(p, outer);
    }
    p.record_block_comments(indent);
}

/// All tokens up to a line that is not deeper than `outer`.
pub(super) fn too_deep(p: &mut Parser<'_>, outer: u32) {
    let m = p.start();
    while !p.at(EOF) && (!p.at_line_start() || p.col() > outer) {
        p.bump();
    }
    m.complete(p, TOO_DEEP);
}

/// The statements on the rest of a line, if any. Compound ones do not belong there.
fn inline_statements(p: &mut Parser<'_>) {
    while !p.at(EOF) && !p.at_line_start() {
        if at_compound(p) {
            let m = p.start();
            statement(p);
            m.complete(p, ERROR_NODE);
        } else {
            statement(p);
        }
    }
}
