//! MLIR: from the steps of a parse to a [`Body`](ir::Body), for every operation in its generic or its pretty form.
//!
//! One reader over steps serves the command line ([`lower_file`], no tree, one function at a time) and the editor
//! ([`lower_function`], [`lower_frame`] over a green tree). A file is its *functions* and one *frame* for each document
//! between `// -----` lines: all the rest, in which a function stands as an operation without regions.
//!
//! A pretty operation gives the same operation as its generic form: `forms.txt` defines, for each, the sources of
//! attributes, segment sizes and result types. Properties and attributes are one dictionary; default values are left
//! out of it in both forms, so that texts of several versions of MLIR agree. Linear in the text.

mod aliases;
mod attributes;
mod blocks;
mod canonical;
mod compare;
mod dense;
mod diagnostics;
mod foreseen;
mod forms;
mod guarded;
mod local_names;
mod locations;
mod names;
mod number;
mod operation;
mod pretty;
mod reader;
mod relower;
mod reread;
mod special;
mod stated;
mod structured;
#[cfg(test)]
mod tests;
mod unit;
mod use_types;

use ir::text::{affine, cursor, types};
pub use parser::mlir::{Piece, Shapes, Sink, parse_into};

pub use syntax::UnitKind;

pub use self::{
    aliases::Aliases,
    attributes::attribute_problems,
    compare::{Difference, differences},
    diagnostics::{is_known, unread_operation},
    foreseen::is_foreseen,
    forms::{attribute_keys, enum_words},
    locations::{named_places, source_place},
    relower::{Previous, Traits, relower},
    reread::{reread_frame, reread_function},
    unit::{
        FileReader, FunctionReader, Offload, Outline, Unit, Units, aliases, aliases_of, lower_file,
        lower_file_without_names, lower_frame, lower_function, lower_function_with_traits,
    },
};
