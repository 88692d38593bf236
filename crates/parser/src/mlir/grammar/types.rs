//! Types: a name and its body as flat tokens; function types as nodes.

use super::{attr_dict, list, opaque};
use crate::{SyntaxKind::*, mlir::parser::Parser};

/// `MLIR_TYPE`, or `MLIR_FUNCTION_TYPE` at a `(`.
pub(in crate::mlir) fn type_(p: &mut Parser<'_>) -> bool {
    match p.current.kind {
        TYPE_ID => {}
        // Only operations have dots in their names.
        IDENT if !p.text_of(p.current).contains('.') => {}
        L_PAREN => return function_type(p),
        _ => return false,
    }
    p.enter(MLIR_TYPE);
    let shaped = opaque::is_shaped(p);
    p.bump();
    let read = if opaque::body_follows(p, shaped) { opaque::angle_body(p, shaped) } else { true };
    p.exit();
    read
}

/// Returns true if a type begins here.
pub(super) fn at_type(p: &mut Parser<'_>) -> bool {
    matches!(p.current.kind, TYPE_ID | L_PAREN | IDENT)
}

/// `T, U`, with at least `one` if that is asked for.
pub(in crate::mlir) fn types(p: &mut Parser<'_>, one: bool) -> bool {
    if !at_type(p) || p.blocked() {
        return !one;
    }
    if !type_(p) {
        return false;
    }
    while p.at(COMMA) {
        p.bump();
        if p.blocked() || !type_(p) {
            return false;
        }
    }
    true
}

/// `(T, U) -> V` or `(T) -> (U, V)`.
pub(in crate::mlir) fn function_type(p: &mut Parser<'_>) -> bool {
    if !p.at(L_PAREN) {
        return false;
    }
    p.enter(MLIR_FUNCTION_TYPE);
    let read = p.nest(|p| type_list(p) && p.eat(ARROW) && result_types(p));
    if read.is_none() {
        opaque::too_deep(p);
    }
    p.exit();
    read.unwrap_or(true)
}

/// `MLIR_TYPE_LIST`: `(T, U {attributes})`.
fn type_list(p: &mut Parser<'_>) -> bool {
    p.enter(MLIR_TYPE_LIST);
    let read = list(p, R_PAREN, |p| type_(p) && (!p.at(L_BRACE) || attr_dict(p)));
    p.exit();
    read
}

/// Parses the types after an arrow: one type, or several in parentheses.
pub(in crate::mlir) fn result_types(p: &mut Parser<'_>) -> bool {
    if p.at(L_PAREN) { type_list(p) } else { !p.blocked() && type_(p) }
}
