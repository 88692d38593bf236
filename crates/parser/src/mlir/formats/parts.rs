//! The parts of assembly formats whose kind only the text tells: attributes in all their spellings, bodies of types
//! without their names, text that only code reads.
//!
//! Each function gives whether it read its part completely; what may be empty is complete where its first token is not
//! there.

use crate::{
    SyntaxKind::*,
    mlir::{
        grammar::{
            attr, flat_brackets, number, operands, params, region, region_follows, successor,
            symbol_ref, text_until, type_, value_use,
        },
        parser::Parser,
        shapes::Stop,
    },
};

/// A variable of unknown kind, as the next token says.
pub(super) fn part(p: &mut Parser<'_>, is_single: bool, is_typed: bool, is_unit: bool) -> bool {
    match p.current.kind {
        VALUE_ID if is_unit => true,
        VALUE_ID if is_single => value_use(p),
        VALUE_ID => operands(p, false),
        BLOCK_ID => successors(p),
        L_BRACE => !region_follows(p) || regions(p),
        _ => !begins_attr(p) || any_attr(p, is_typed),
    }
}

/// Returns true if a variable of unknown kind begins here.
pub(super) fn begins_part(p: &mut Parser<'_>) -> bool {
    match p.current.kind {
        VALUE_ID => !p.blocked(),
        BLOCK_ID => !p.current.newline,
        L_BRACE => region_follows(p),
        _ => begins_attr(p),
    }
}

/// Returns true if an attribute begins here, in any spelling but that of a dictionary.
pub(super) fn begins_attr(p: &mut Parser<'_>) -> bool {
    let begins = match p.current.kind {
        L_BRACK | SYMBOL_ID | TYPE_ID | STRING | INT | FLOAT | MINUS => true,
        ATTR_ID => !(p.current.newline && p.peek() == EQ),
        LT => p.peek() != L_BRACE,
        IDENT => !(p.at_word("loc") && p.peek() == L_PAREN),
        _ => false,
    };
    begins && !p.blocked()
}

/// An attribute, a word of an enumeration, or the body `<…>` of one.
pub(super) fn any_attr(p: &mut Parser<'_>, is_typed: bool) -> bool {
    if p.blocked() {
        return false;
    }
    match p.current.kind {
        LT => params(p),
        IDENT => word(p, is_typed),
        STRING if !is_typed => {
            p.enter(MLIR_STRING_ATTR);
            p.bump();
            p.exit();
            true
        }
        INT | FLOAT | MINUS if !is_typed => number(p),
        ATTR_ID if !is_typed => {
            p.enter(MLIR_HASH_ATTR);
            p.bump();
            let read = !p.adjacent(LT) || params(p);
            p.exit();
            read
        }
        SYMBOL_ID => symbol_ref(p),
        _ => attr(p),
    }
}

/// An attribute that begins with a word: one of the language, a type, or words of an enumeration.
fn word(p: &mut Parser<'_>, is_typed: bool) -> bool {
    let text = p.text_of(p.current);
    match text {
        "dense" | "sparse" | "dense_resource" => attr(p),
        "true" | "false" | "unit" | "array" | "affine_map" | "affine_set" | "strided"
        | "distinct" => {
            if is_typed {
                return attr(p);
            }
            p.enter(MLIR_BUILTIN_ATTR);
            p.bump();
            let read = (!p.at(L_BRACK) || flat_brackets(p, MLIR_INDEX_LIST))
                && (!p.adjacent(LT) || params(p));
            p.exit();
            read
        }
        _ if is_builtin_type(text) => type_(p),
        _ => loop {
            p.bump();
            if p.adjacent(LT) && !params(p) {
                return false;
            }
            // `nsw|nuw`
            if !p.at(PIPE) {
                return true;
            }
            p.bump();
            if !p.at(IDENT) {
                return false;
            }
        },
    }
}

/// Returns true for the name of a type of the language.
fn is_builtin_type(text: &str) -> bool {
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let integer = ["si", "ui", "i"].iter().find_map(|it| text.strip_prefix(it));
    matches!(text, "index" | "none" | "tensor" | "vector" | "memref" | "tuple" | "complex" | "bf16")
        || integer.is_some_and(is_number)
        || text.starts_with('f') && text[1..].starts_with(|it: char| it.is_ascii_digit())
}

/// Returns true if a type begins here.
pub(super) fn begins_type(p: &mut Parser<'_>) -> bool {
    let begins = match p.current.kind {
        TYPE_ID | L_PAREN => true,
        IDENT => !(p.at_word("loc") && p.peek() == L_PAREN),
        LT => p.peek() != L_BRACE,
        _ => false,
    };
    begins && !p.blocked()
}

/// A type, or its body `<…>` alone.
pub(super) fn any_type(p: &mut Parser<'_>) -> bool {
    begins_type(p) && if p.at(LT) { params(p) } else { type_(p) }
}

/// Types with commas between them.
pub(super) fn any_types(p: &mut Parser<'_>) -> bool {
    if !begins_type(p) {
        return true;
    }
    loop {
        if !any_type(p) {
            return false;
        }
        if !p.at(COMMA) {
            return true;
        }
        p.bump();
    }
}

/// Regions, perhaps with commas between them.
pub(super) fn regions(p: &mut Parser<'_>) -> bool {
    while p.at(L_BRACE) {
        if !region(p) {
            return false;
        }
        if !p.eat(COMMA) {
            break;
        }
    }
    true
}

/// Successors with commas between them.
pub(super) fn successors(p: &mut Parser<'_>) -> bool {
    while p.at(BLOCK_ID) {
        if !successor(p) {
            return false;
        }
        if !(p.at(COMMA) && p.peek() == BLOCK_ID) {
            break;
        }
        p.bump();
    }
    true
}

/// Returns true if text that only code reads ends here.
pub(super) fn stops(p: &mut Parser<'_>, until: &[Stop]) -> bool {
    until.iter().any(|it| match it {
        Stop::Mark(mark) => p.at(*mark),
        Stop::Word(word) => p.at_word(word),
        Stop::End | Stop::Other => false,
    })
}

/// Text that only code reads, flat, with the values in it. Successors and regions are not guessed.
pub(super) fn custom(p: &mut Parser<'_>, until: &[Stop]) -> bool {
    if p.at_end() || p.blocked() || stops(p, until) {
        return true;
    }
    p.enter(MLIR_INDEX_LIST);
    let read = text_until(p, |p| stops(p, until));
    p.exit();
    read
}
