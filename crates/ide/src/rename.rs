//! Rename: every mention of the name at a place, or a sentence why not.

mod expressions;
mod operations;

use db::{RootDatabase, SourceFile};
use syntax::{Edit, Form, TextRange, TextSize};

/// The name at an offset, if it can be renamed.
pub(crate) fn prepare_rename(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Result<TextRange, String> {
    match db::form(db, file) {
        Form::Expressions => expressions::prepare(db, file, offset),
        Form::Operations => operations::prepare(db, file, offset),
    }
}

/// The edits that give the name at an offset a new spelling.
pub(crate) fn rename(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    new_name: &str,
) -> Result<Vec<Edit>, String> {
    match db::form(db, file) {
        Form::Expressions => expressions::rename(db, file, offset, new_name),
        Form::Operations => operations::rename(db, file, offset, new_name),
    }
}
