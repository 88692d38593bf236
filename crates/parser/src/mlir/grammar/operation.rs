//! One operation, in its generic or its pretty form.

mod lines;

pub(super) use self::lines::operation_or_line;
pub use self::lines::read_line;

use super::{
    attr_dict, function_type, list, opaque, operands, properties, region, successor, value_def,
};
use crate::{
    SyntaxKind::*,
    mlir::{
        formats,
        parser::{Entered, Mark, Parser},
        shapes::OpInfo,
    },
};

/// A `MLIR_GENERIC_OP`, `MLIR_CUSTOM_OP` or `MLIR_OPAQUE_OP`. The current token is a value, a string or a word.
pub(super) fn operation(p: &mut Parser<'_>) {
    let around = (p.op_start, p.op_name);
    p.operation_begins();
    let unit = !p.in_function && p.op_info().is_function;
    if unit {
        p.function_begins();
    }
    let entered = p.enter(MLIR_CUSTOM_OP);
    let named = !p.at(VALUE_ID) || result_list(p);
    if named {
        named_operation(p, entered);
    } else {
        opaque::error_rest(p);
    }
    p.exit();
    if unit {
        p.function_ends();
    }
    (p.op_start, p.op_name) = around;
}

/// `%a, %b:2 =`
fn result_list(p: &mut Parser<'_>) -> bool {
    p.enter(MLIR_RESULT_LIST);
    loop {
        if !p.at(VALUE_ID) {
            break;
        }
        value_def(p);
        if !p.eat(COMMA) {
            break;
        }
    }
    let read = p.eat(EQ);
    p.exit();
    read && matches!(p.current.kind, STRING | IDENT)
}

fn named_operation(p: &mut Parser<'_>, entered: Entered) {
    let info = p.op_info();
    let outer = (p.in_function, p.in_unknown);
    if info.is_function || info.is_module {
        (p.in_function, p.in_unknown) = (info.is_function, false);
    } else if !info.is_known && (p.at(STRING) || has_dialect(p)) {
        p.in_unknown = true;
    }
    if p.at(IDENT) {
        p.op_name = p.text_of(p.current);
    }
    match (p.current.kind, info.shape) {
        (STRING, _) => {
            p.set_kind(entered, MLIR_GENERIC_OP);
            p.bump();
            if !generic(p) {
                opaque::error_rest(p);
            }
        }
        (_, Some(shape)) => {
            let is_settled = is_settled(p);
            p.bump();
            let behind_name = p.mark();
            let is_read = formats::follow(p, shape);
            match is_settled {
                true if is_read => {}
                true => opaque::error_rest(p),
                false if is_read && opaque::ends_here(p) => {}
                false => misfit(p, entered, behind_name, info),
            }
        }
        (_, None) => unknown(p, entered, info),
    }
    after_operation(p);
    (p.in_function, p.in_unknown) = outer;
}

/// Dialects whose pretty forms are the same in all versions, and known in full: a text that does not fit is wrong.
const SETTLED: &[&str] = &["arith", "builtin", "cf", "complex", "func", "index", "math"];

/// The same of operations of other dialects.
const SETTLED_OPERATIONS: &[&str] = &[
    "memref.alloc",
    "memref.dealloc",
    "memref.load",
    "memref.store",
    "scf.condition",
    "scf.for",
    "scf.if",
    "scf.while",
    "scf.yield",
];

fn is_settled(p: &Parser<'_>) -> bool {
    match p.op_name.split_once('.') {
        Some((dialect, _)) => SETTLED.contains(&dialect) || SETTLED_OPERATIONS.contains(&p.op_name),
        None => p.default_dialect.is_empty(),
    }
}

/// A form that is not the one of the table: of another version, or one that the table does not describe in full. It is
/// read as that of an unknown operation.
fn misfit(p: &mut Parser<'_>, entered: Entered, behind_name: Mark, info: OpInfo) {
    if p.rewind(behind_name) {
        p.set_kind(entered, MLIR_OPAQUE_OP);
        opaque::form(p, info.is_function);
    } else {
        opaque::unread_rest(p);
    }
}

/// Returns true if the name of an operation says its dialect, or the region does.
fn has_dialect(p: &Parser<'_>) -> bool {
    p.text_of(p.current).contains('.') || !p.default_dialect.is_empty()
}

/// A word without a dialect is no operation where the region does not give it one, and what follows it may be anything.
fn unknown(p: &mut Parser<'_>, entered: Entered, info: OpInfo) {
    if has_dialect(p) || info.is_bare {
        p.set_kind(entered, MLIR_OPAQUE_OP);
        p.bump();
        opaque::form(p, info.is_function);
    } else {
        opaque::error_rest(p);
    }
}

/// The location, and the remaining text before the next operation.
fn after_operation(p: &mut Parser<'_>) {
    if p.at_word("loc") && p.peek() == L_PAREN {
        super::attr(p);
    }
    let ends = matches!(p.current.kind, R_BRACE | BLOCK_ID | METADATA_OPEN) || p.at_end();
    if !ends && !p.current.newline && !p.op_starts_at(p.current) {
        opaque::error_rest(p);
    }
}

/// Parses the text after the name in the generic form.
fn generic(p: &mut Parser<'_>) -> bool {
    if !p.eat(L_PAREN) || !operands(p, false) || !p.eat(R_PAREN) {
        return false;
    }
    if p.at(L_BRACK) {
        p.enter(MLIR_SUCCESSOR_LIST);
        let read = list(p, R_BRACK, successor);
        p.exit();
        if !read {
            return false;
        }
    }
    if p.at(LT) && !properties(p) {
        return false;
    }
    if p.at(L_PAREN) {
        p.enter(MLIR_REGION_LIST);
        let read = list(p, R_PAREN, |p| p.at(L_BRACE) && region(p));
        p.exit();
        if !read {
            return false;
        }
    }
    (!p.at(L_BRACE) || attr_dict(p)) && p.eat(COLON) && function_type(p)
}
