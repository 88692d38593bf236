//! Lists of operations: files, chunks, regions, blocks.

use super::{
    attr, block_args, opaque,
    operation::{operation, operation_or_line},
    type_,
};
use crate::{SyntaxKind::*, mlir::parser::Parser};

/// `MLIR_FILE`: chunks between split markers. A chunk without any text is no node.
pub(in crate::mlir) fn file(p: &mut Parser<'_>) {
    p.enter_before_trivia(MLIR_FILE);
    loop {
        if p.has_trivia() || !p.at_end() {
            p.enter_before_trivia(MLIR_CHUNK);
            chunk_items(p, |_| false);
            p.record_trivia();
            p.exit();
        }
        if !p.eat(SPLIT_MARKER) {
            break;
        }
    }
    p.exit();
}

/// How a list ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The place where the caller wanted it to.
    Stopped,
    /// Before a token that no list goes over, or the end of the text.
    Here,
}

/// The operations, aliases and metadata of a chunk, up to its end or to where `stop` returns true.
pub(in crate::mlir) fn chunk_items(
    p: &mut Parser<'_>,
    mut stop: impl FnMut(&mut Parser<'_>) -> bool,
) -> Ended {
    loop {
        if p.at_end() {
            return Ended::Here;
        }
        if stop(p) {
            return Ended::Stopped;
        }
        p.flush_if_many();
        let kind = p.current.kind;
        match kind {
            ATTR_ID if p.peek() == EQ => alias(p, MLIR_ATTR_ALIAS_DEF),
            TYPE_ID if p.peek() == EQ => alias(p, MLIR_TYPE_ALIAS_DEF),
            METADATA_OPEN => metadata(p),
            VALUE_ID | STRING | IDENT => operation(p),
            _ => opaque::stray(p),
        }
    }
}

/// `#map = …` or `!t = …`; before 2022 `!t = type …`.
fn alias(p: &mut Parser<'_>, kind: crate::SyntaxKind) {
    p.enter(kind);
    p.bump();
    p.bump();
    if kind == MLIR_TYPE_ALIAS_DEF && p.at_word("type") {
        p.bump();
    }
    let read = if kind == MLIR_TYPE_ALIAS_DEF { type_(p) } else { attr(p) };
    if !read {
        opaque::error_rest(p);
    }
    p.exit();
}

/// `{-# … #-}`: all tokens up to its end, which braces inside do not change.
fn metadata(p: &mut Parser<'_>) {
    p.enter(MLIR_FILE_METADATA);
    while !p.at_end() && !p.at(METADATA_CLOSE) {
        p.bump();
    }
    p.expect(METADATA_CLOSE);
    p.exit();
}

/// `MLIR_REGION`, whose `{` is the current token. A region that is nested too deep is skipped to its `}`.
pub(in crate::mlir) fn region(p: &mut Parser<'_>) -> bool {
    p.enter(MLIR_REGION);
    let around = (p.default_dialect, p.n_outer_brackets, p.op_start);
    let closed = p.nest(|p| {
        p.enter_region();
        p.n_outer_brackets = p.brackets.len();
        p.op_start = None;
        p.bump();
        blocks(p);
        p.leave_region();
        (p.default_dialect, p.n_outer_brackets, p.op_start) = around;
        p.eat(R_BRACE)
    });
    if closed.is_none() {
        opaque::too_deep(p);
    } else if closed == Some(false) {
        p.missing();
        p.forget_last();
    }
    p.exit();
    true
}

fn blocks(p: &mut Parser<'_>) {
    while p.has_trivia() || !ends_region(p) {
        p.enter_before_trivia(MLIR_BLOCK);
        if p.at(BLOCK_ID) {
            block_label(p);
        }
        operations(p, |_| false);
        p.record_trivia();
        p.exit();
        if ends_region(p) {
            return;
        }
    }
}

fn ends_region(p: &mut Parser<'_>) -> bool {
    p.at(R_BRACE) || p.at_end() || function_in_function(p)
}

/// `^bb1(%a: T):`
fn block_label(p: &mut Parser<'_>) {
    p.enter(MLIR_BLOCK_LABEL);
    p.bump();
    let mut read = !p.at(L_PAREN) || block_args(p);
    read = read && p.eat(COLON);
    if !read {
        p.missing();
        while !p.blocked() && !p.at_end() && !matches!(p.current.kind, R_BRACE | COLON) {
            if p.at(BLOCK_ID) && matches!(p.peek(), COLON | L_PAREN) {
                break;
            }
            p.bump();
        }
        p.eat(COLON);
    }
    p.exit();
}

/// The operations of a block, up to its end or to where `stop` returns true.
pub(in crate::mlir) fn operations(
    p: &mut Parser<'_>,
    mut stop: impl FnMut(&mut Parser<'_>) -> bool,
) -> Ended {
    loop {
        if matches!(p.current.kind, R_BRACE | BLOCK_ID) || p.at_end() {
            return Ended::Here;
        }
        if stop(p) {
            return Ended::Stopped;
        }
        if function_in_function(p) {
            return Ended::Here;
        }
        p.flush_if_many();
        let kind = p.current.kind;
        match kind {
            VALUE_ID | STRING | IDENT => operation_or_line(p),
            _ => opaque::stray_in_region(p),
        }
    }
}

/// A function cannot stand in a function: a `}` is missing before it. It can in a symbol table, which an operation that
/// the table does not have may be.
fn function_in_function(p: &mut Parser<'_>) -> bool {
    p.in_function
        && !p.in_unknown
        && p.current.newline
        && matches!(p.current.kind, IDENT | STRING)
        && p.op_info().is_function
        && p.op_starts_at(p.current)
}
