//! The signature of what is called at a place: its parameters, and which of them is being written.

mod expressions;
mod operations;

use std::ops::Range;

use db::{RootDatabase, SourceFile};
use syntax::{Form, TextSize};

pub(crate) use self::operations::written_operation;

/// A signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignatureHelp {
    /// All of it: `T.max(a, b)`.
    pub label: String,
    /// Where the parameters are in the label, in bytes.
    pub parameters: Vec<Range<usize>>,
    /// The number of the one that is being written.
    pub active: Option<usize>,
    /// More about it.
    pub documentation: Option<String>,
}

/// The signature of the innermost call around an offset.
pub(crate) fn signature_help(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<SignatureHelp> {
    match db::form(db, file) {
        Form::Expressions => expressions::signature_help(db, file, offset),
        Form::Operations => operations::signature_help(db, file, offset),
    }
}
