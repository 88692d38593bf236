//! Lists: elements with commas between, with and without brackets around.

use super::*;

/// The elements between brackets.
#[derive(Default)]
pub(super) struct Elements {
    /// The kind of the first element.
    pub(super) first: Option<SyntaxKind>,
    pub(super) comma: bool,
    pub(super) comprehension: bool,
}

/// Elements up to the bracket `close`. Text that is neither element nor comma becomes an `ERROR_NODE`.
pub(super) fn elements(
    p: &mut Parser<'_>,
    close: SyntaxKind,
    item: fn(&mut Parser<'_>) -> Option<CompletedMarker>,
) -> Elements {
    let mut res = Elements::default();
    while !p.at(close) && !p.at_end() {
        let read = item(p);
        if !res.comma && res.first.is_none() {
            res.first = read.map(CompletedMarker::kind);
            if read.is_some() && at_comprehension(p) {
                res.comprehension = true;
                comprehension_clauses(p);
            }
        }
        if p.eat(T![,]) {
            res.comma = true;
        } else if !p.at(close)
            && !p.at_end()
            && p.skip(ERROR_NODE, false, |kind| kind == T![,]).is_none()
        {
            break;
        }
    }
    res
}

/// One item, or a `TUPLE_EXPR` without parentheses if a comma follows.
pub(super) fn tuple_or_one(
    p: &mut Parser<'_>,
    item: fn(&mut Parser<'_>) -> Option<CompletedMarker>,
) -> Option<CompletedMarker> {
    let first = item(p)?;
    if !p.at(T![,]) {
        return Some(first);
    }
    let m = first.precede(p);
    while p.eat(T![,]) && item(p).is_some() {}
    Some(m.complete(p, TUPLE_EXPR))
}

pub(super) fn at_comprehension(p: &mut Parser<'_>) -> bool {
    p.at(T![for]) || p.at(T![async]) && p.nth(1) == T![for]
}

/// `for … in …` and `if …`, any number.
pub(super) fn comprehension_clauses(p: &mut Parser<'_>) {
    loop {
        if at_comprehension(p) {
            let m = p.start();
            p.eat(T![async]);
            p.bump();
            expr::targets(p);
            if p.eat(T![in]) {
                expr::disjunction(p);
            }
            m.complete(p, COMP_FOR);
        } else if p.at(T![if]) {
            let m = p.start();
            p.bump();
            expr::disjunction(p);
            m.complete(p, COMP_IF);
        } else {
            return;
        }
    }
}

/// `( … )` of a call or a class.
pub(super) fn arg_list(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    bracketed(p, T![')'], |p| {
        elements(p, T![')'], arg);
        ARG_LIST
    })
}

fn arg(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    let m = p.start();
    if p.at(IDENT) && p.nth(1) == T![=] {
        name(p, NAME_REF);
        p.bump();
        expr::expr(p);
    } else if p.eat(T![**]) {
        expr::expr(p);
    } else {
        match expr::item(p) {
            Some(value) if at_comprehension(p) => {
                let generator = value.precede(p);
                comprehension_clauses(p);
                generator.complete(p, GENERATOR_EXPR);
            }
            Some(_) => {}
            None => {
                m.abandon(p);
                return None;
            }
        }
    }
    Some(m.complete(p, ARG))
}

/// `( … )` of a `def`.
pub(super) fn param_list(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    bracketed(p, T![')'], |p| {
        elements(p, T![')'], |p| param(p, true));
        PARAM_LIST
    })
}

/// The parameters of a `lambda`, up to its `:`.
pub(super) fn lambda_params(p: &mut Parser<'_>) {
    let m = p.start();
    let mut any = false;
    while !p.at(T![:]) {
        let read = param(p, false).is_some();
        if !p.eat(T![,]) && !read {
            break;
        }
        any = true;
    }
    if any {
        m.complete(p, LAMBDA_PARAMS);
    } else {
        m.abandon(p);
    }
}

fn param(p: &mut Parser<'_>, annotated: bool) -> Option<CompletedMarker> {
    if !matches!(p.current(), IDENT | T![*] | T![**] | T![/] | T![:] | T![=]) {
        return None;
    }
    let m = p.start();
    if matches!(p.current(), T![*] | T![**] | T![/]) {
        p.bump();
    }
    name(p, NAME);
    if annotated && p.eat(T![:]) {
        expr::item(p);
    }
    if p.eat(T![=]) {
        expr::expr(p);
    }
    Some(m.complete(p, PARAM))
}

/// `[T: bound = default, *Ts, **P]` after the name of a `def`, `class` or `type`.
pub(super) fn type_param_list(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    bracketed(p, T![']'], |p| {
        elements(p, T![']'], type_param);
        TYPE_PARAM_LIST
    })
}

fn type_param(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    if !matches!(p.current(), IDENT | T![*] | T![**]) {
        return None;
    }
    let m = p.start();
    if !p.at(IDENT) {
        p.bump();
    }
    name(p, NAME);
    if p.eat(T![:]) {
        expr::expr(p);
    }
    if p.eat(T![=]) {
        expr::item(p);
    }
    Some(m.complete(p, TYPE_PARAM))
}
