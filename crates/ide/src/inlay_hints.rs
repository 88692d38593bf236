//! Inlay hints: values that could be computed once, at the places where they are computed.
//!
//! ```text
//! C[i * 4 + j] = A[i * 4 + j]‹ cse_v1 ×2›
//! ```
//!
//! A hint stands behind an occurrence that a plan replaces: the name of the value and how often it is computed. Its two
//! parts lead to the first other occurrence and to the next one. Another stands behind the name of a tile that a kernel
//! allocates: its type, and what it takes of the block's memory. The hints of a function are made in one query,
//! relative to the function; asking for a file adds offsets, and the tooltips of the hints that it gives.

mod expressions;
mod operations;

use db::{Db, RootDatabase, SourceFile, Unit};
use syntax::{Form, TextRange, TextSize};

use crate::{diagnostic::Worth, pace::Pace};

/// The hints to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InlayHintsConfig {
    /// All hints, those of refused groups too. Otherwise one a line, of the group that saves most.
    pub all: bool,
    /// Hints of tiles, where a kernel allocates them: the share of the block that each takes.
    pub tiles: bool,
    /// Which values are worth a hint, unless all are shown. In MLIR and PIR all are.
    pub worth: Worth,
    /// Tooltips at once. Without them, a caller asks again for the hint whose tooltip somebody wants to read.
    pub tooltips: bool,
    /// At most this many.
    pub limit: usize,
}

impl Default for InlayHintsConfig {
    fn default() -> InlayHintsConfig {
        InlayHintsConfig {
            all: false,
            tiles: true,
            worth: Worth::default(),
            tooltips: true,
            limit: usize::MAX,
        }
    }
}

/// A hint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InlayHint {
    /// It stands before the character at this offset.
    pub offset: TextSize,
    /// The title.
    pub label: Vec<LabelPart>,
    /// The tooltip (Markdown), if it was asked for.
    pub tooltip: Option<String>,
}

/// A part of a label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LabelPart {
    /// Text.
    pub text: String,
    /// The place where it leads.
    pub target: Option<TextRange>,
    /// True if ` (line N)` of the target follows: lines are not known here.
    pub names_line: bool,
}

/// The hints of a file, or of a part of it, in the order of the text.
pub(crate) fn inlay_hints(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
    config: &InlayHintsConfig,
    pace: &Pace<'_>,
) -> Vec<InlayHint> {
    match db::form(db, file) {
        Form::Expressions => expressions::inlay_hints(db, file, range, config, pace),
        Form::Operations => operations::inlay_hints(db, file, range, config, pace),
    }
}

/// Computes what the hints of a unit need.
pub(crate) fn warm(db: &dyn Db, unit: Unit<'_>) {
    match unit.form(db) {
        Form::Expressions => {
            expressions::function_hints(db, unit);
        }
        Form::Operations => {
            db::op_plan(db, unit);
        }
    }
}
