//! Features of MLIR and PIR. As for TVMScript, what is asked of a unit is computed relative to it, in a query, and shifted to its place
//! when somebody asks; here that place may have holes, as a frame is its document without the bodies of functions.

pub(crate) mod actions;
pub(crate) mod diagnostics;
pub(crate) mod folds;
pub(crate) mod hints;
pub(crate) mod hover;
mod marks;
pub(crate) mod names;
pub(crate) mod outline;
mod plan_words;
pub(crate) mod preview;
pub(crate) mod rename;
pub(crate) mod tokens;
pub(crate) mod unknown;

use std::ops::Range;

use db::{Db, OpUnit, PlacedUnit, RootDatabase, SourceFile};
use ir::guard::Panicked;
use syntax::TextRange;

use crate::guarded::{item, try_item};

/// Something of each unit that a range touches. A panic costs what is of that unit.
pub(crate) fn of_units<'db, T>(
    db: &'db RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
    mut make: impl FnMut(PlacedUnit<'db>) -> T,
) -> impl Iterator<Item = T> {
    let is_in =
        move |it: &PlacedUnit<'db>| range.is_none_or(|range| it.range.intersect(range).is_some());
    let units = db::placed_units(db, file).filter(is_in);
    units.filter_map(move |at| item(at.unit.name(db), || make(at)))
}

/// As [`of_units`] for some of all units, by their numbers in the order of the text, for those who tell panics themselves.
pub(crate) fn try_units<'db, T>(
    db: &'db RootDatabase,
    file: SourceFile,
    numbers: Range<usize>,
    mut make: impl FnMut(PlacedUnit<'db>) -> T,
) -> impl Iterator<Item = (PlacedUnit<'db>, Result<T, Panicked>)> {
    db::placed_units(db, file)
        .skip(numbers.start)
        .take(numbers.len())
        .map(move |at| (at, try_item(at.unit.name(db), || make(at))))
}

/// How many units a file has. O(units).
pub(crate) fn n_units(db: &RootDatabase, file: SourceFile) -> usize {
    db::placed_units(db, file).count()
}

/// Computes what is shown of a unit unasked.
pub(crate) fn warm(db: &dyn Db, unit: OpUnit<'_>) {
    diagnostics::unit_diagnostics(db, unit);
    hints::hint_places(db, unit);
}
