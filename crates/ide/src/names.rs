//! The name at a place and all its mentions: what definition, references and highlight ask for in every language.

pub(crate) mod expressions;
pub(crate) mod marks;
pub(crate) mod operations;

use db::{RootDatabase, SourceFile};
use syntax::{Form, TextRange, TextSize};

/// A mention of a name, in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Mention {
    pub(crate) range: TextRange,
    pub(crate) is_definition: bool,
    /// True if it defines the name, or gives it a new value.
    pub(crate) is_write: bool,
}

/// A name with its mentions, in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Named {
    /// The mention at the place.
    pub(crate) range: TextRange,
    /// Returns the place where it is defined.
    pub(crate) definition: Option<TextRange>,
    /// All mentions.
    pub(crate) mentions: Vec<Mention>,
}

/// The name at an offset of a file.
pub(crate) fn named_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<Named> {
    match db::form(db, file) {
        Form::Expressions => expressions::named_at(db, file, offset),
        Form::Operations => operations::named_at(db, file, offset).map(|it| it.named),
    }
}
