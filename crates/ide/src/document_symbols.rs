//! The outline of a file: what it defines, under what holds it.

mod expressions;
mod operations;

use db::{Db, RootDatabase, SourceFile, Unit};
use syntax::{Form, TextRange};

/// The kind of a symbol.
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

/// A symbol with its children.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DocumentSymbol {
    /// Name, which can be seen.
    pub name: String,
    /// More about it.
    pub detail: Option<String>,
    /// The kind.
    pub kind: SymbolKind,
    /// All of it.
    pub range: TextRange,
    /// Its name.
    pub selection_range: TextRange,
    /// The nested symbols.
    pub children: Vec<DocumentSymbol>,
}

/// Computes the outline of a function of statements; those of operations follow from the tree.
pub(crate) fn warm(db: &dyn Db, unit: Unit<'_>) {
    if unit.form(db) == Form::Expressions {
        expressions::inner_symbols(db, unit);
    }
}

/// The outline of a file.
pub(crate) fn document_symbols(db: &RootDatabase, file: SourceFile) -> Vec<DocumentSymbol> {
    match db::form(db, file) {
        Form::Expressions => expressions::document_symbols(db, file),
        Form::Operations => operations::document_symbols(db, file),
    }
}
