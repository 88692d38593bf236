//! The outline of a file: what it defines, under what holds it.

mod expressions;
mod operations;

use db::{RootDatabase, SourceFile};
use syntax::{Form, TextRange};

/// What a symbol is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolKind {
    /// A class with functions.
    Module,
    /// A function.
    Function,
    /// A schedulable block.
    Block,
    /// A buffer.
    Buffer,
    /// A symbol that is neither a module nor a function.
    Global,
}

/// A symbol with what is in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DocumentSymbol {
    /// Name.
    pub name: String,
    /// More about it.
    pub detail: Option<String>,
    /// What it is.
    pub kind: SymbolKind,
    /// All of it.
    pub range: TextRange,
    /// Its name.
    pub selection_range: TextRange,
    /// What is in it.
    pub children: Vec<DocumentSymbol>,
}

/// The outline of a file.
pub(crate) fn document_symbols(db: &RootDatabase, file: SourceFile) -> Vec<DocumentSymbol> {
    match db::form(db, file) {
        Form::Expressions => expressions::document_symbols(db, file),
        Form::Operations => operations::document_symbols(db, file),
    }
}
