//! Statements without blocks. Each ends with its `;`, its newline, or the text.

use super::{super::lines::is_aug_op, list::*, *};

pub(super) fn simple_stmt(p: &mut Parser<'_>) {
    let m = p.start();
    let kind = match p.current() {
        T![return] => keyword_items(p, RETURN_STMT),
        T![del] => keyword_items(p, DEL_STMT),
        T![raise] => raise_stmt(p),
        T![assert] => assert_stmt(p),
        T![global] => names(p, GLOBAL_STMT),
        T![nonlocal] => names(p, NONLOCAL_STMT),
        T![pass] => keyword(p, PASS_STMT),
        T![break] => keyword(p, BREAK_STMT),
        T![continue] => keyword(p, CONTINUE_STMT),
        T![import] => import_stmt(p),
        T![from] => from_import_stmt(p),
        IDENT if at_type_alias(p) => type_alias_stmt(p),
        _ => expr_stmt(p),
    };
    end_of_statement(p, kind != ERROR_NODE);
    m.complete(p, kind);
}

/// The rest of a statement: unexpected text, then `;` or newline.
fn end_of_statement(p: &mut Parser<'_>, wrap: bool) {
    if wrap {
        p.skip(ERROR_NODE, false, |kind| kind == T![;]);
    }
    p.eat(T![;]);
    if p.at(NEWLINE) {
        p.bump();
    } else if p.at(EOF) {
        p.record_trivia();
    }
}

fn keyword(p: &mut Parser<'_>, kind: SyntaxKind) -> SyntaxKind {
    p.bump();
    kind
}

fn keyword_items(p: &mut Parser<'_>, kind: SyntaxKind) -> SyntaxKind {
    p.bump();
    expr::items(p);
    kind
}

fn raise_stmt(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    if expr::expr(p).is_some() && p.eat(T![from]) {
        expr::expr(p);
    }
    RAISE_STMT
}

fn assert_stmt(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    expr::expr(p);
    if p.eat(T![,]) {
        expr::expr(p);
    }
    ASSERT_STMT
}

fn names(p: &mut Parser<'_>, kind: SyntaxKind) -> SyntaxKind {
    p.bump();
    while name(p, NAME).is_some() && p.eat(T![,]) {}
    kind
}

fn import_stmt(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    while import_alias(p).is_some() && p.eat(T![,]) {}
    IMPORT_STMT
}

fn from_import_stmt(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump();
    while matches!(p.current(), T![.] | T![...]) {
        p.bump();
    }
    dotted_name(p);
    if p.eat(T![import]) {
        match p.current() {
            T![*] => p.bump(),
            T!['('] => {
                p.open();
                elements(p, T![')'], import_alias);
                p.close(T![')']);
            }
            _ => while import_alias(p).is_some() && p.eat(T![,]) {},
        }
    }
    FROM_IMPORT_STMT
}

fn import_alias(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let m = dotted_name(p)?.precede(p);
    if p.eat(T![as]) {
        name(p, NAME);
    }
    Some(m.complete(p, IMPORT_ALIAS))
}

fn dotted_name(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let m = name(p, NAME_REF)?.precede(p);
    while p.eat(T![.]) && name(p, NAME_REF).is_some() {}
    Some(m.complete(p, DOTTED_NAME))
}

/// `type` is a keyword before a name and `=` or `[`.
fn at_type_alias(p: &mut Parser<'_>) -> bool {
    p.at_word("type") && p.nth(1) == IDENT && matches!(p.nth(2), T![=] | T!['['])
}

fn type_alias_stmt(p: &mut Parser<'_>) -> SyntaxKind {
    p.bump_as(T![type]);
    name(p, NAME);
    if p.at(T!['[']) {
        type_param_list(p);
    }
    if p.eat(T![=]) {
        expr::expr(p);
    }
    TYPE_ALIAS_STMT
}

/// Parses a statement that begins with an expression: the token behind it decides. Without one, all of it is an error.
fn expr_stmt(p: &mut Parser<'_>) -> SyntaxKind {
    if expr::items(p).is_none() {
        p.skip_into_open_node(false, |kind| kind == T![;]);
        return ERROR_NODE;
    }
    match p.current() {
        T![=] => {
            while p.eat(T![=]) {
                expr::items(p);
            }
            ASSIGN_STMT
        }
        T![:] => {
            p.bump();
            expr::expr(p);
            if p.eat(T![=]) {
                expr::items(p);
            }
            ANN_ASSIGN_STMT
        }
        op if is_aug_op(op) => {
            let m = p.start();
            p.bump();
            m.complete(p, AUG_OP);
            expr::items(p);
            AUG_ASSIGN_STMT
        }
        _ => EXPR_STMT,
    }
}
