//! The grammar of a printed program: one function a construct, named after the node that it makes.

use crate::{
    SyntaxKind::{self, *},
    mlir::{Ended, parser::Parser},
};

/// `PIR_FILE`: programs, one after the other.
pub(super) fn file(p: &mut Parser<'_>) {
    p.enter_before_trivia(PIR_FILE);
    while !p.at_end() {
        if p.at(L_BRACE) {
            block(p);
        } else {
            error_lines(p, |kind| kind == L_BRACE);
        }
    }
    p.record_trivia();
    p.exit();
}

/// `{ operations }`. One that nests too deep is kept unread.
fn block(p: &mut Parser<'_>) {
    let read = p.nest(|p| {
        p.enter(PIR_BLOCK);
        p.bump();
        if p.at(CARET) {
            block_args(p);
        }
        operations(p, |_| false);
        p.expect(R_BRACE);
        p.exit();
    });
    if read.is_none() {
        p.enter(TOO_DEEP);
        let mut open = 0u32;
        while !p.at_end() {
            match p.current.kind {
                L_BRACE => open += 1,
                R_BRACE => open = open.saturating_sub(1),
                _ => {}
            }
            p.bump();
            if open == 0 {
                break;
            }
        }
        p.exit();
    }
}

/// The operations of a block, up to its end or to where `stop` returns true.
pub(crate) fn operations(
    p: &mut Parser<'_>,
    mut stop: impl FnMut(&mut Parser<'_>) -> bool,
) -> Ended {
    loop {
        if p.at_end() || p.at(R_BRACE) {
            return Ended::Here;
        }
        if stop(p) {
            return Ended::Stopped;
        }
        if p.at(L_PAREN) {
            operation(p);
        } else {
            error_lines(p, |kind| matches!(kind, L_PAREN | R_BRACE));
        }
    }
}

/// Parses stray text, up to the next line with which a construct `begins`.
fn error_lines(p: &mut Parser<'_>, begins: impl Fn(SyntaxKind) -> bool) {
    p.enter(ERROR_NODE);
    loop {
        p.bump();
        if p.at_end() || p.current.newline && begins(p.current.kind) {
            break;
        }
    }
    p.exit();
}

fn ends_line(p: &Parser<'_>) -> bool {
    p.at_end() || p.current.newline || p.at(R_BRACE)
}

/// `^%arg_0 {…}, %arg_1 {…}`
fn block_args(p: &mut Parser<'_>) {
    p.enter(PIR_BLOCK_ARGS);
    p.bump();
    loop {
        p.enter(PIR_BLOCK_ARG);
        value(p, PIR_VALUE_DEF);
        if p.at(L_BRACE) && !p.current.newline {
            attr_map(p);
        }
        p.exit();
        if p.current.newline || !p.eat(COMMA) {
            break;
        }
    }
    p.exit();
}

fn value(p: &mut Parser<'_>, kind: SyntaxKind) -> bool {
    let found = p.at(VALUE_ID);
    if found {
        p.enter(kind);
        p.bump();
        p.exit();
    } else {
        p.missing();
    }
    found
}

fn operation(p: &mut Parser<'_>) {
    p.enter(PIR_OP);
    let goes_on = |p: &mut Parser<'_>| !p.at_end() && !p.current.newline && !block_follows(p);
    if !operation_parts(p) && goes_on(p) {
        p.enter(ERROR_NODE);
        while goes_on(p) {
            p.bump();
        }
        p.exit();
    }
    while block_follows(p) || p.at_word("else") {
        if p.at_word("else") {
            p.bump();
        }
        if !p.at(L_BRACE) {
            p.missing();
            break;
        }
        block(p);
    }
    p.exit();
}

/// All but the blocks. `false`: something is wrong here.
fn operation_parts(p: &mut Parser<'_>) -> bool {
    parens(p, PIR_RESULT_LIST, |p| value(p, PIR_VALUE_DEF));
    if !p.expect(EQ) || !p.expect(STRING) {
        return false;
    }
    if !p.at(L_PAREN) {
        p.missing();
        return false;
    }
    let mut read = parens(p, PIR_OPERAND_LIST, operand);
    if read && p.at(L_BRACE) && !block_follows(p) {
        read = attr_map(p);
    }
    if read && !p.current.newline && p.eat(COLON) {
        read = p.at(L_PAREN) && parens(p, PIR_TYPE_LIST, type_);
    }
    if read && !p.current.newline && p.eat(ARROW) && !ends_line(p) && !p.at(L_BRACE) {
        read = result_types(p);
    }
    read && (p.current.newline || p.at_end() || matches!(p.current.kind, L_BRACE | R_BRACE))
}

/// Returns true if the `{` here opens a block, not attributes.
fn block_follows(p: &mut Parser<'_>) -> bool {
    if !p.at(L_BRACE) {
        return false;
    }
    let first = p.token_from(p.current.end);
    matches!(first.kind, CARET | L_PAREN) || first.newline
}

/// `(item, …)`, on one line.
fn parens(
    p: &mut Parser<'_>,
    kind: SyntaxKind,
    mut item: impl FnMut(&mut Parser<'_>) -> bool,
) -> bool {
    p.enter(kind);
    p.bump();
    let mut read = true;
    if !p.at(R_PAREN) {
        loop {
            read = !p.current.newline && item(p);
            if !read || !p.eat(COMMA) {
                break;
            }
        }
    }
    read = read && p.expect(R_PAREN);
    p.exit();
    read
}

/// `%0`, `cond=%0`, or `<<NULL VALUE>>`.
fn operand(p: &mut Parser<'_>) -> bool {
    p.enter(PIR_OPERAND);
    if p.at(IDENT) && p.peek() == EQ {
        p.bump();
        p.bump();
    }
    let read = p.eat(PIR_NULL) || value(p, PIR_VALUE_USE);
    p.exit();
    read
}

/// `{key:value,…}`, on one line.
fn attr_map(p: &mut Parser<'_>) -> bool {
    p.enter(PIR_ATTR_MAP);
    p.bump();
    let mut read = true;
    while read && !p.at(R_BRACE) && !p.current.newline && !p.at_end() {
        read = attr_entry(p);
        if !p.eat(COMMA) {
            break;
        }
    }
    read = read && p.expect(R_BRACE);
    p.exit();
    read
}

fn attr_entry(p: &mut Parser<'_>) -> bool {
    p.enter(PIR_ATTR_ENTRY);
    let named = p.eat(IDENT) || p.eat(STRING);
    let read = named && p.eat(COLON);
    if read {
        flat(p, PIR_ATTR_VALUE);
    } else {
        p.missing();
    }
    p.exit();
    read
}

/// A type, as tokens.
fn type_(p: &mut Parser<'_>) -> bool {
    let found = matches!(p.current.kind, IDENT | PIR_NULL | TYPE_ID);
    if found {
        flat(p, PIR_TYPE);
    } else {
        p.missing();
    }
    found
}

fn result_types(p: &mut Parser<'_>) -> bool {
    p.enter(PIR_RESULT_TYPES);
    let mut read = type_(p);
    while read && !p.current.newline && p.eat(COMMA) {
        read = type_(p);
    }
    p.exit();
    read
}

/// Tokens up to a comma or a closing bracket outside of brackets, a `{` there, or the end of the line.
fn flat(p: &mut Parser<'_>, kind: SyntaxKind) {
    p.enter(kind);
    let mut open = 0u32;
    while !p.at_end() && !p.current.newline {
        match p.current.kind {
            COMMA | L_BRACE | R_PAREN | R_BRACK | R_BRACE | GT if open == 0 => break,
            L_PAREN | L_BRACK | L_BRACE | LT => open += 1,
            R_PAREN | R_BRACK | R_BRACE | GT => open -= 1,
            _ => {}
        }
        p.bump();
    }
    p.exit();
}
