//! Attributes. Text that only dialects understand is kept as balanced tokens. What only dialects understand is kept as
//! balanced tokens.

use super::{flat_brackets, list, opaque, type_};
use crate::{SyntaxKind::*, mlir::parser::Parser};

/// An attribute of any kind.
pub(in crate::mlir) fn attr(p: &mut Parser<'_>) -> bool {
    let kind = p.current.kind;
    match kind {
        STRING if !p.blocked() => {
            p.enter(MLIR_STRING_ATTR);
            p.bump();
            let read = typed(p);
            p.exit();
            read
        }
        INT | FLOAT | MINUS => {
            p.enter(MLIR_NUMBER_ATTR);
            p.eat(MINUS);
            let read = (p.eat(INT) || p.eat(FLOAT)) && typed(p);
            p.exit();
            read
        }
        L_BRACK => nested(p, array),
        L_BRACE => attr_dict(p),
        SYMBOL_ID => symbol_ref(p),
        ATTR_ID => hash(p),
        IDENT => word(p),
        TYPE_ID | L_PAREN => type_(p),
        _ => false,
    }
}

/// `: T`, if it is there.
fn typed(p: &mut Parser<'_>) -> bool {
    !p.eat(COLON) || type_(p)
}

/// Runs `f` inside one more nest; keeps the whole group unread where that is too deep.
fn nested(p: &mut Parser<'_>, f: fn(&mut Parser<'_>) -> bool) -> bool {
    match p.nest(f) {
        Some(read) => read,
        None => {
            opaque::too_deep(p);
            true
        }
    }
}

fn array(p: &mut Parser<'_>) -> bool {
    p.enter(MLIR_ARRAY_ATTR);
    let read = list(p, R_BRACK, attr);
    p.exit();
    read
}

/// `{name = value, unit}`
pub(in crate::mlir) fn attr_dict(p: &mut Parser<'_>) -> bool {
    nested(p, |p| {
        p.enter(MLIR_ATTR_DICT);
        let read = list(p, R_BRACE, attr_entry);
        p.exit();
        read
    })
}

fn attr_entry(p: &mut Parser<'_>) -> bool {
    if !matches!(p.current.kind, IDENT | STRING) || p.blocked() {
        return false;
    }
    p.enter(MLIR_ATTR_ENTRY);
    p.bump();
    let read = !p.eat(EQ) || attr(p);
    p.exit();
    read
}

/// `<{name = value}>`
pub(in crate::mlir) fn properties(p: &mut Parser<'_>) -> bool {
    p.enter(MLIR_PROPERTIES);
    p.bump();
    let read = p.at(L_BRACE) && attr_dict(p) && p.eat(GT);
    p.exit();
    read
}

/// A number without type.
pub(in crate::mlir) fn number(p: &mut Parser<'_>) -> bool {
    if !matches!(p.current.kind, INT | FLOAT | MINUS) {
        return false;
    }
    p.enter(MLIR_NUMBER_ATTR);
    p.eat(MINUS);
    let read = p.eat(INT) || p.eat(FLOAT);
    p.exit();
    read
}

/// `@a::@b`
pub(in crate::mlir) fn symbol_ref(p: &mut Parser<'_>) -> bool {
    if !p.at(SYMBOL_ID) {
        return false;
    }
    p.enter(MLIR_SYMBOL_REF);
    p.bump();
    while p.at(COLON2) && p.peek() == SYMBOL_ID {
        p.bump();
        p.bump();
    }
    p.exit();
    true
}

/// `#map`, `#gpu.address_space<workgroup>`, perhaps with its type.
fn hash(p: &mut Parser<'_>) -> bool {
    p.enter(MLIR_HASH_ATTR);
    p.bump();
    let read = (!p.adjacent(LT) || params(p)) && typed(p);
    p.exit();
    read
}

/// `<…>`
pub(in crate::mlir) fn params(p: &mut Parser<'_>) -> bool {
    p.enter(MLIR_PARAMS);
    let read = opaque::angle_body(p, false);
    p.exit();
    read
}

/// Parses a constant, an attribute of the language, a location, or a type that begins with a word.
fn word(p: &mut Parser<'_>) -> bool {
    if p.blocked() {
        return false;
    }
    match p.text_of(p.current) {
        "loc" => {
            p.enter(MLIR_LOCATION);
            p.bump();
            let read = p.at(L_PAREN) && opaque::balanced(p);
            p.exit();
            read
        }
        "true" | "false" | "unit" | "dense" | "sparse" | "dense_resource" | "array"
        | "affine_map" | "affine_set" | "strided" | "distinct" | "opaque" => {
            p.enter(MLIR_BUILTIN_ATTR);
            p.bump();
            let read = (!p.at(L_BRACK) || flat_brackets(p, MLIR_INDEX_LIST))
                && (!p.at(LT) || params(p))
                && typed(p);
            p.exit();
            read
        }
        _ => type_(p),
    }
}

/// An affine map or set with its operands: `#map(%a)[%b]`.
pub(in crate::mlir) fn map_operands(p: &mut Parser<'_>) -> bool {
    p.enter(MLIR_MAP_OPERANDS);
    let read = match p.current.kind {
        ATTR_ID => {
            p.enter(MLIR_HASH_ATTR);
            p.bump();
            p.exit();
            true
        }
        _ => p.at(IDENT) && attr(p),
    };
    let read = read && (!p.at(L_PAREN) || flat_brackets(p, MLIR_OPERAND_TUPLE));
    let read = read && (!p.at(L_BRACK) || flat_brackets(p, MLIR_INDEX_LIST));
    p.exit();
    read
}
