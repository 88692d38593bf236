//! Folding: functions, and what in them holds several lines.

mod expressions;
mod operations;

use db::{Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use syntax::{Form, TextRange};

use crate::units::of_units;

/// Something that folds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// Its first and last line hold the ends.
    pub range: TextRange,
    /// True if the last line stays visible, such as the one with a closing brace.
    pub keeps_last_line: bool,
    /// True if the fold is a group of comments.
    pub is_comment: bool,
}

/// Computes the folds of a function of statements; those of operations follow from the tree.
pub(crate) fn warm(db: &dyn Db, unit: Unit<'_>) {
    if unit.form(db) == Form::Expressions {
        expressions::folds(db, unit);
    }
}

/// Returns the folds of a file.
pub(crate) fn folding_ranges(db: &RootDatabase, file: SourceFile) -> Vec<Fold> {
    let of_unit = |at: PlacedUnit<'_>| -> Vec<Fold> {
        let folds = match at.unit.form(db) {
            Form::Expressions => expressions::folds(db, at.unit),
            Form::Operations => operations::folds(db, at.unit),
        };
        let folds = folds.iter().map(|it| Fold { range: at.to_file(it.range), ..*it });
        folds.filter(|it| !at.is_of_function(it.range.start())).collect()
    };
    of_units(db, file, None, of_unit).flatten().collect()
}
