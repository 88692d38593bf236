//! Statements with blocks. `col` is the column of the line on which the statement begins; a clause belongs
//! to it if it begins a line of the same column.

use super::{
    block::{line, too_deep},
    list::*,
    *,
};

/// `:` and the block. Unexpected text before the `:` becomes an error.
fn colon_and_block(p: &mut Parser<'_>, col: u32) {
    if !p.at(T![:]) {
        p.skip(ERROR_NODE, false, |kind| kind == T![:]);
    }
    p.eat(T![:]);
    block(p, col);
}

fn at_clause(p: &Parser<'_>, keyword: SyntaxKind, col: u32) -> bool {
    p.at(keyword) && p.at_line_start() && p.col() == col
}

pub(super) fn if_stmt(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.bump();
    expr::item(p);
    colon_and_block(p, col);
    while at_clause(p, T![elif], col) {
        elif_clause(p, col);
    }
    opt_else_clause(p, col);
    m.complete(p, IF_STMT);
}

pub(super) fn elif_clause(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.bump();
    expr::item(p);
    colon_and_block(p, col);
    m.complete(p, ELIF_CLAUSE);
}

pub(super) fn else_clause(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.bump();
    colon_and_block(p, col);
    m.complete(p, ELSE_CLAUSE);
}

fn opt_else_clause(p: &mut Parser<'_>, col: u32) {
    if at_clause(p, T![else], col) {
        else_clause(p, col);
    }
}

pub(super) fn while_stmt(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.bump();
    expr::item(p);
    colon_and_block(p, col);
    opt_else_clause(p, col);
    m.complete(p, WHILE_STMT);
}

pub(super) fn for_stmt(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.eat(T![async]);
    p.bump();
    expr::targets(p);
    if p.eat(T![in]) {
        expr::items(p);
    }
    colon_and_block(p, col);
    opt_else_clause(p, col);
    m.complete(p, FOR_STMT);
}

pub(super) fn with_stmt(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.eat(T![async]);
    p.bump();
    if p.at(T!['(']) && p.parens_hold_with_items() {
        p.open();
        elements(p, T![')'], with_item);
        p.close(T![')']);
    } else {
        while with_item(p).is_some() && p.eat(T![,]) {}
    }
    colon_and_block(p, col);
    m.complete(p, WITH_STMT);
}

fn with_item(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let m = expr::item(p)?.precede(p);
    if p.eat(T![as]) {
        expr::item(p);
    }
    Some(m.complete(p, WITH_ITEM))
}

pub(super) fn try_stmt(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.bump();
    colon_and_block(p, col);
    while at_clause(p, T![except], col) {
        except_clause(p, col);
    }
    opt_else_clause(p, col);
    if at_clause(p, T![finally], col) {
        finally_clause(p, col);
    }
    m.complete(p, TRY_STMT);
}

pub(super) fn except_clause(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.bump();
    p.eat(T![*]);
    expr::items(p);
    if p.eat(T![as]) {
        name(p, NAME);
    }
    colon_and_block(p, col);
    m.complete(p, EXCEPT_CLAUSE);
}

pub(super) fn finally_clause(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.bump();
    colon_and_block(p, col);
    m.complete(p, FINALLY_CLAUSE);
}

pub(super) fn match_stmt(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.bump_as(T![match]);
    expr::items(p);
    if !p.at(T![:]) {
        p.skip(ERROR_NODE, false, |kind| kind == T![:]);
    }
    p.eat(T![:]);
    p.skip(ERROR_NODE, false, |_| false);
    p.eat(NEWLINE);
    if p.nest(|p| match_body(p, col)).is_none() {
        too_deep(p, col);
    }
    m.complete(p, MATCH_STMT);
}

/// The clauses, at the column of the first; other lines there are errors.
fn match_body(p: &mut Parser<'_>, outer: u32) {
    let indent = p.col();
    while p.at_line_start() && !p.at(EOF) && p.col() > outer && p.col() >= indent {
        if p.col() == indent && p.at_word("case") {
            case_clause(p, indent);
        } else {
            let m = p.start();
            line(p, indent);
            m.complete(p, ERROR_NODE);
        }
    }
}

fn case_clause(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    p.bump_as(T![case]);
    let outer = p.in_pattern();
    p.set_in_pattern(true);
    expr::pattern(p);
    p.set_in_pattern(outer);
    if p.at(T![if]) {
        let guard = p.start();
        p.bump();
        expr::item(p);
        guard.complete(p, CASE_GUARD);
    }
    colon_and_block(p, col);
    m.complete(p, CASE_CLAUSE);
}

pub(super) fn async_stmt(p: &mut Parser<'_>, col: u32) {
    match p.nth(1) {
        T![def] => definition(p, col),
        T![for] => for_stmt(p, col),
        T![with] => with_stmt(p, col),
        _ => simple::simple_stmt(p),
    }
}

/// `def` or `class` with its decorators; decorators alone are an error.
pub(super) fn definition(p: &mut Parser<'_>, col: u32) {
    let m = p.start();
    let mut same_column = true;
    while p.at(T![@]) && same_column {
        decorator(p);
        same_column = p.at_line_start() && p.col() == col;
    }
    let is_async = p.at(T![async]) && p.nth(1) == T![def];
    let kind = match p.current() {
        _ if !same_column => ERROR_NODE,
        T![class] => {
            class_rest(p, col);
            CLASS_DEF
        }
        T![def] | T![async] if is_async || p.at(T![def]) => {
            function_rest(p, col);
            FUNCTION_DEF
        }
        _ => ERROR_NODE,
    };
    m.complete(p, kind);
}

fn decorator(p: &mut Parser<'_>) {
    let m = p.start();
    p.bump();
    expr::item(p);
    p.skip(ERROR_NODE, false, |_| false);
    if p.at(EOF) {
        p.record_trivia();
    }
    p.eat(NEWLINE);
    m.complete(p, DECORATOR);
}

fn class_rest(p: &mut Parser<'_>, col: u32) {
    p.bump();
    name(p, NAME);
    if p.at(T!['[']) {
        type_param_list(p);
    }
    if p.at(T!['(']) {
        arg_list(p);
    }
    colon_and_block(p, col);
}

fn function_rest(p: &mut Parser<'_>, col: u32) {
    p.eat(T![async]);
    p.bump();
    name(p, NAME);
    if p.at(T!['[']) {
        type_param_list(p);
    }
    if p.at(T!['(']) {
        param_list(p);
    }
    if p.eat(T![->]) {
        expr::item(p);
    }
    colon_and_block(p, col);
}
