//! Hover: what is known of what stands at a place.

mod expressions;
mod functions;
mod kept;
mod operations;
mod words;

use codegen::TargetOptions;
use db::{RootDatabase, SourceFile};
use syntax::{Form, TextRange, TextSize};

pub(crate) use self::expressions::type_of;
pub use self::{kept::NOT_THE_SAME, words::effects_text};
pub(crate) use self::{operations::operation_name, words::line_text};

use crate::guarded;

/// The information about a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hover {
    /// The range of the expression or name.
    pub range: TextRange,
    /// The title.
    pub markdown: String,
}

/// Returns the information about the name or expression at an offset.
/// `device` has the limits of the device of CUDA.
pub(crate) fn hover(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    device: &TargetOptions,
) -> Option<Hover> {
    match db::form(db, file) {
        Form::Expressions => expressions::hover(db, file, offset, device),
        Form::Operations => guarded::at(db, file, offset, operations::hover),
    }
}
