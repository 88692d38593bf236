//! The units of a file: which one is at an offset, and something of each under a guard.

use std::{ops::Range, sync::Arc};

use db::{Content, PlacedUnit, RootDatabase, SourceFile};
use ir::guard::Panicked;
use syntax::{Form, TextRange, TextSize};

use crate::guarded::{item, try_item};

/// The innermost function of statements around an offset, and the offset in it.
pub(crate) fn function_at(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<(PlacedUnit<'_>, TextSize)> {
    let at = db::unit_at(db, file, offset).filter(|it| it.unit.form(db) == Form::Expressions)?;
    Some((at, offset - at.start()))
}

/// As [`function_at`], of what is shown there: the chosen instance, if there is one.
pub(crate) fn shown_function_at(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<(PlacedUnit<'_>, TextSize)> {
    let (at, offset) = function_at(db, file, offset)?;
    Some((at.shown(db), offset))
}

/// A function of Python's text, as another program is told about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelAt {
    /// Its name.
    pub name: String,
    /// Its path: the scopes around it, and its name.
    pub path: String,
    /// The call of its factory that is shown, if one was chosen.
    pub instance: Option<String>,
    /// The text of the file.
    pub text: Arc<str>,
}

/// The function of statements at an offset.
pub(crate) fn kernel_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Option<KernelAt> {
    let unit = shown_function_at(db, file, offset)?.0.unit;
    let text = match file.content(db) {
        Content::Text(_, text) => text.clone(),
        Content::Tree(parse) => parse.text().into(),
    };
    Some(KernelAt {
        name: unit.name(db).to_owned(),
        path: unit.identity(db).path.to_string(),
        instance: unit.instance(db).map(ToString::to_string),
        text,
    })
}

/// Something of each unit that a range touches, in the order of the text. A panic costs the part about that unit.
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

/// Like [`of_units`] for some of all units, by their numbers in the order of the text, for callers that report panics
/// themselves.
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

/// Returns the number of units of a file. O(units).
pub(crate) fn n_units(db: &RootDatabase, file: SourceFile) -> usize {
    db::placed_units(db, file).count()
}
