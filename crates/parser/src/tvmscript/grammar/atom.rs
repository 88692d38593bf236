//! Atoms, and what follows them without an operator: attributes, calls, subscripts.

use super::{list::*, *};

/// An atom with its `.name`, `(…)` and `[…]`.
pub(super) fn postfix(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let mut lhs = atom(p)?;
    loop {
        lhs = match p.current() {
            T![.] => {
                let m = lhs.precede(p);
                p.bump();
                name(p, NAME_REF);
                m.complete(p, ATTRIBUTE_EXPR)
            }
            T!['('] => {
                let m = lhs.precede(p);
                arg_list(p);
                m.complete(p, CALL_EXPR)
            }
            T!['['] => subscript(p, lhs),
            _ => return Some(lhs),
        };
    }
}

fn atom(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    match p.current() {
        IDENT => {
            let m = p.start();
            name(p, NAME_REF);
            Some(m.complete(p, NAME_EXPR))
        }
        INT | FLOAT | IMAGINARY | T![True] | T![False] | T![None] | T![...] => {
            let m = p.start();
            p.bump();
            Some(m.complete(p, LITERAL))
        }
        STRING => {
            let m = p.start();
            while p.eat(STRING) {}
            Some(m.complete(p, STRING_EXPR))
        }
        T!['('] => bracketed(p, T![')'], paren_body),
        T!['['] => bracketed(p, T![']'], |p| {
            let list = elements(p, T![']'], expr::item);
            if list.comprehension { LIST_COMP } else { LIST_EXPR }
        }),
        T!['{'] => bracketed(p, T!['}'], brace_body),
        _ => None,
    }
}

fn paren_body(p: &mut Parser<'_>) -> SyntaxKind {
    let list = elements(p, T![')'], expr::item);
    match list {
        Elements { comprehension: true, .. } => GENERATOR_EXPR,
        Elements { comma: false, first: Some(_), .. } => PAREN_EXPR,
        _ => TUPLE_EXPR,
    }
}

fn brace_body(p: &mut Parser<'_>) -> SyntaxKind {
    let list = elements(p, T!['}'], brace_item);
    match (list.first, list.comprehension) {
        (Some(DICT_ITEM), true) => DICT_COMP,
        (Some(DICT_ITEM) | None, _) => DICT_EXPR,
        (_, true) => SET_COMP,
        _ => SET_EXPR,
    }
}

fn brace_item(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    if p.at(T![**]) {
        let m = p.start();
        p.bump();
        expr::expr(p);
        return Some(m.complete(p, DICT_ITEM));
    }
    let key = expr::item(p)?;
    if !p.at(T![:]) {
        return Some(key);
    }
    let m = key.precede(p);
    p.bump();
    expr::expr(p);
    Some(m.complete(p, DICT_ITEM))
}

fn subscript(p: &mut Parser<'_>, base: CompletedMarker) -> CompletedMarker {
    let m = base.precede(p);
    let read = p.nest(|p| {
        p.open();
        index(p);
        p.close(T![']']);
    });
    if read.is_none() {
        p.skip(TOO_DEEP, true, |_| false);
    }
    m.complete(p, SUBSCRIPT_EXPR)
}

fn index(p: &mut Parser<'_>) {
    let first = index_item(p);
    if !p.at(T![']']) && !p.at(T![,]) {
        p.skip(ERROR_NODE, false, |kind| kind == T![,]);
    }
    if p.at(T![,]) {
        let m = match first {
            Some(first) => first.precede(p),
            None => p.start(),
        };
        elements(p, T![']'], index_item);
        m.complete(p, TUPLE_EXPR);
    }
}

/// An expression or a slice.
fn index_item(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let lower = expr::item(p);
    if !p.at(T![:]) {
        return lower;
    }
    let m = match lower {
        Some(lower) => lower.precede(p),
        None => p.start(),
    };
    p.bump();
    expr::expr(p);
    if p.eat(T![:]) {
        expr::expr(p);
    }
    Some(m.complete(p, SLICE_EXPR))
}
