//! Semantic tokens: the kinds of the names in a text.
//!
//! Of functions of statements, the names that they define: Python itself is left to the Python tools. Of operations,
//! all tokens. Made unit by unit, relative to it; a file is put together when somebody asks.

mod expressions;
mod operations;

use db::{Db, RootDatabase, SourceFile, Unit};
use syntax::{Form, TextRange};

/// The kind of a token.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TokenKind {
    /// The name of an operation.
    Operation,
    /// A value, or an immutable binding.
    Value,
    /// A mutable scalar.
    Cell,
    /// A parameter of a function, an argument of a block.
    Parameter,
    /// A loop variable or thread index.
    Index,
    /// A buffer.
    Buffer,
    /// A shape variable.
    ShapeVariable,
    /// The label of a block.
    Label,
    /// A symbol: a function, a module, a global.
    Symbol,
    /// A type.
    Type,
    /// An attribute alias, or an attribute of a dialect.
    Alias,
    /// A compile-time name.
    Meta,
    /// The name of an attribute or operand.
    Property,
    /// A word of the language or of an operation.
    Keyword,
    /// A string.
    String,
    /// A number.
    Number,
    /// A comment.
    Comment,
}

/// A token that means something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticToken {
    /// The place; never over several lines.
    pub range: TextRange,
    /// The kind.
    pub kind: TokenKind,
    /// True if the token defines the name.
    pub is_definition: bool,
}

/// Computes the tokens of a function of statements; those of operations follow from the tree.
pub(crate) fn warm(db: &dyn Db, unit: Unit<'_>) {
    if unit.form(db) == Form::Expressions {
        expressions::function_tokens(db, unit);
    }
}

/// The tokens of a file, or those that touch a range; in text order, none over another.
pub(crate) fn semantic_tokens(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
) -> Vec<SemanticToken> {
    let mut res = match db::form(db, file) {
        Form::Expressions => expressions::semantic_tokens(db, file, range),
        Form::Operations => operations::semantic_tokens(db, file, range),
    };
    res.retain(|it| range.is_none_or(|range| it.range.intersect(range).is_some()));
    res
}
