//! Values, block arguments, successors, and lists of them.

use super::{attr, attr_dict, list, type_};
use crate::{
    SyntaxKind::{self, *},
    mlir::parser::Parser,
};

/// `%0` or `%0#1`.
pub(in crate::mlir) fn value_use(p: &mut Parser<'_>) -> bool {
    if !p.at(VALUE_ID) || p.blocked() {
        return false;
    }
    p.enter(MLIR_VALUE_USE);
    p.bump();
    if p.adjacent(RESULT_NO) {
        p.bump();
    }
    p.exit();
    true
}

/// `%0` or `%0:2`.
pub(in crate::mlir) fn value_def(p: &mut Parser<'_>) -> bool {
    if !p.at(VALUE_ID) {
        return false;
    }
    p.enter(MLIR_VALUE_DEF);
    p.bump();
    if p.at(COLON) && p.peek() == INT {
        p.bump();
        p.bump();
    }
    p.exit();
    true
}

/// `%a, %b`, with at least `one` if that is asked for.
pub(in crate::mlir) fn operands(p: &mut Parser<'_>, one: bool) -> bool {
    if !value_use(p) {
        return !one;
    }
    while p.at(COMMA) && p.peek() == VALUE_ID {
        p.bump();
        if !value_use(p) {
            return false;
        }
    }
    true
}

/// `(%a, %b : T, U)` or `(%a : T, %b : U)`.
pub(in crate::mlir) fn operand_group(p: &mut Parser<'_>) -> bool {
    if !p.at(L_PAREN) {
        return false;
    }
    p.enter(MLIR_OPERAND_GROUP);
    let read = list(p, R_PAREN, |p| match p.current.kind {
        VALUE_ID => value_use(p) && (!p.eat(COLON) || type_(p)),
        COLON => {
            p.bump();
            type_(p)
        }
        _ => type_(p),
    });
    p.exit();
    read
}

/// `^bb1` or `^bb1(%a : T)`.
pub(in crate::mlir) fn successor(p: &mut Parser<'_>) -> bool {
    if !p.at(BLOCK_ID) {
        return false;
    }
    p.enter(MLIR_SUCCESSOR);
    p.bump();
    let read = !p.at(L_PAREN) || operand_group(p);
    p.exit();
    read
}

/// `(%a: T {attributes} loc(…), …)`; types alone in a declaration, names alone for some loops.
pub(in crate::mlir) fn block_args(p: &mut Parser<'_>) -> bool {
    if !p.at(L_PAREN) {
        return false;
    }
    p.enter(MLIR_BLOCK_ARGS);
    let read = list(p, R_PAREN, block_arg);
    p.exit();
    read
}

fn block_arg(p: &mut Parser<'_>) -> bool {
    p.enter(MLIR_BLOCK_ARG);
    let read = match p.current.kind {
        VALUE_ID => value_def(p) && (!p.eat(COLON) || type_(p)),
        DOT3 => p.eat(DOT3),
        _ => type_(p),
    };
    let read = read && (!p.at(L_BRACE) || attr_dict(p));
    let read = read && (!p.at_word("loc") || attr(p));
    p.exit();
    read
}

/// `(%a = %b, …)`
pub(in crate::mlir) fn assign_list(p: &mut Parser<'_>) -> bool {
    if !p.at(L_PAREN) {
        return false;
    }
    p.enter(MLIR_ASSIGN_LIST);
    let read = list(p, R_PAREN, |p| {
        p.enter(MLIR_ASSIGN);
        let read = value_def(p) && p.eat(EQ) && value_use(p);
        p.exit();
        read
    });
    p.exit();
    read
}

/// Everything from the bracket that is the current token to its partner, values as nodes: indices, sizes, affine
/// expressions.
pub(in crate::mlir) fn flat_brackets(p: &mut Parser<'_>, kind: SyntaxKind) -> bool {
    p.enter(kind);
    let read = super::opaque::balanced(p);
    p.exit();
    read
}
