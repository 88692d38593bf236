//! Completion: the names that can stand at a place. Of functions of statements, those that Python's own servers do not
//! know as well.

mod context;
mod expressions;
mod operations;
mod scope;

use db::{RootDatabase, SourceFile};
use syntax::{Form, TextRange, TextSize};

/// The most items of one answer; of more, the nearest are given, and the answer is said to be incomplete.
const MAX_ITEMS: usize = 500;

/// The kind of name that an item completes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompletionKind {
    /// A value in scope.
    Value,
    /// A block of the region.
    Block,
    /// A symbol of the document.
    Symbol,
    /// An alias of an attribute.
    Attribute,
    /// An alias of a type, or a type of elements.
    Type,
    /// An operation.
    Operation,
    /// The name of an attribute of an operation.
    Key,
    /// A word of an enumeration.
    Word,
    /// A dialect, or a part of a script, whose operations are offered behind its dot.
    Dialect,
    /// A construct of a script.
    Form,
    /// A buffer in scope.
    Buffer,
    /// A rule that a comment allows.
    Rule,
}

/// A name that can stand at the place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The name as it is written, with its sigil.
    pub label: String,
    /// The kind of name.
    pub kind: CompletionKind,
    /// The type of a value, the text of an alias, the form of an operation.
    pub detail: Option<String>,
    /// The sentence about a name of the script.
    pub documentation: Option<String>,
}

/// The names that can stand at a place, best first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completions {
    /// The text that an item replaces.
    pub replaced: TextRange,
    /// The names.
    pub items: Vec<Completion>,
    /// True if there are more, so that a longer prefix is to be asked about again.
    pub is_incomplete: bool,
}

/// Returns true if the letters of a prefix stand in a name in this order, as editors match them.
fn is_completion(name: &str, prefix: &str) -> bool {
    let mut letters = name.chars().map(|it| it.to_ascii_lowercase());
    prefix.chars().map(|it| it.to_ascii_lowercase()).all(|it| letters.any(|other| other == it))
}

/// The names that can stand at an offset. O(unit) at most, for values in scope.
pub(crate) fn completions(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<Completions> {
    match db::form(db, file) {
        Form::Expressions => expressions::completions(db, file, offset),
        Form::Operations => operations::completions(db, file, offset),
    }
}
