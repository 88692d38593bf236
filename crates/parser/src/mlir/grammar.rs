//! The grammar: one function a construct, named after the node that it makes.
//!
//! A function that can fail gives whether it read its construct completely. It always exits the nodes that it has
//! entered, so that its caller only decides how to continue: an operation keeps the rest of its text in an
//! `ERROR_NODE`.

mod attr;
mod list;
mod opaque;
mod operation;
mod types;
mod value;

use super::parser::Parser;
use crate::SyntaxKind::{self, *};

pub(crate) use self::list::Ended;
pub use self::operation::read_line;
pub(super) use self::{
    attr::{attr, attr_dict, map_operands, number, params, properties, symbol_ref},
    list::{chunk_items, file, operations, region},
    opaque::{region_follows, text_until},
    types::{function_type, result_types, type_, types},
    value::{
        assign_list, block_args, flat_brackets, operand_group, operands, successor, value_def,
        value_use,
    },
};

/// Reads `item (',' item)*` up to `close`, which is consumed; `open` is the current token.
fn list(
    p: &mut Parser<'_>,
    close: SyntaxKind,
    mut item: impl FnMut(&mut Parser<'_>) -> bool,
) -> bool {
    p.bump();
    if p.eat(close) {
        return true;
    }
    loop {
        if !item(p) {
            return false;
        }
        if !p.eat(COMMA) {
            return p.eat(close);
        }
    }
}
