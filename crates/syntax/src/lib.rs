//! Lossless syntax trees of TVMScript, MLIR and Paddle PIR files. See the README of this crate.

pub mod ast;
mod bounded;
mod builder;
mod changed_run;
mod diagnostic;
mod difference;
mod dump;
mod errors;
mod format;
mod green;
mod green_part;
mod head;
mod keeper;
mod language;
mod line_index;
mod packed_edits;
mod parse;
mod reparse;
mod symbol;
mod syntax_node;
mod text_edit;
mod units;
mod unshared;

#[cfg(test)]
mod tests;

pub use parser::{
    SyntaxKind, T,
    mlir::{ShapeError, Shapes},
};
pub use rowan::{Direction, TextLen, TextRange, TextSize, TokenAtOffset, WalkEvent};

pub use crate::{
    ast::AstNode,
    bounded::{Bounded, Listed, MAX_LISTED, MORE_DIAGNOSTICS},
    changed_run::{ChangedRun, changed_run},
    diagnostic::{Diagnostic, Severity, SourcePlace},
    difference::{Change, changed_nodes},
    dump::dump,
    errors::{SyntaxError, SyntaxErrorKind, syntax_errors, syntax_errors_after},
    format::{FormatError, format_mlir},
    green::{Green, GreenStep, LeafStep},
    green_part::GreenPart,
    head::{is_joined, is_one_document},
    language::{Form, Format, Language, LanguageSupport},
    line_index::{ColumnEncoding, LineCol, LineIndex},
    packed_edits::PackedEdits,
    parse::{MAX_TEXT_LEN, Parse, error_share, parse, parse_as, parse_with},
    reparse::{Reparsed, reparse},
    symbol::{escaped, is_bare_name, symbol_name, symbol_text, unescape},
    syntax_node::{
        Preorder, PreorderWithTokens, SyntaxElement, SyntaxElementChildren, SyntaxNode,
        SyntaxNodeChildren, SyntaxToken, SyntaxTokens, TokenText,
    },
    text_edit::{Edit, Overlap, TextEdit, first_line_end},
    units::{FrameItem, UnitItem, UnitKind, UnitSource, Units, symbol_of, units, units_after},
};
