//! The function at an offset, and the way between its positions and the file's.

use std::ops::Range;

use db::{Function, Placed, RootDatabase, SourceFile};
use ir::guard::Panicked;
use syntax::{Language, TextRange, TextSize};

use crate::guarded::{item, try_item};

/// A function and where it starts.
#[derive(Clone, Copy)]
pub(crate) struct FunctionAt<'db> {
    pub(crate) function: Function<'db>,
    pub(crate) start: TextSize,
}

impl<'db> From<Placed<'db>> for FunctionAt<'db> {
    fn from(placed: Placed<'db>) -> FunctionAt<'db> {
        FunctionAt { function: placed.function, start: placed.start }
    }
}

impl FunctionAt<'_> {
    /// A range of the function as a range of the file.
    pub(crate) fn to_file(self, range: TextRange) -> TextRange {
        range + self.start
    }
}

/// The innermost function around an offset, and the offset in it.
pub(crate) fn function_at(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Option<(FunctionAt<'_>, TextSize)> {
    let placed = db::placed_functions(db, file)
        .filter(|it| it.start <= offset && offset <= it.end)
        .min_by_key(|it| it.end - it.start)?;
    Some((placed.into(), offset - placed.start))
}

/// The name of the function or unit at an offset; empty where there is none.
pub(crate) fn name_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> &str {
    match db::language(db, file) {
        Language::TvmScript => {
            function_at(db, file, offset).map_or("", |it| it.0.function.name(db))
        }
        Language::Mlir | Language::Pir => {
            db::unit_at(db, file, offset).map_or("", |it| it.unit.name(db))
        }
    }
}

/// Something of each function that a range touches. A panic costs what is of that function.
pub(crate) fn of_functions<'db, T>(
    db: &'db RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
    mut make: impl FnMut(FunctionAt<'db>) -> T,
) -> impl Iterator<Item = T> {
    functions_in(db, file, range).filter_map(move |at| item(at.function.name(db), || make(at)))
}

/// As [`of_functions`] for some of all functions, by their numbers in the order of the text, for those who tell panics themselves.
pub(crate) fn try_functions<'db, T>(
    db: &'db RootDatabase,
    file: SourceFile,
    numbers: Range<usize>,
    mut make: impl FnMut(FunctionAt<'db>) -> T,
) -> impl Iterator<Item = (FunctionAt<'db>, Result<T, Panicked>)> {
    functions_in(db, file, None)
        .skip(numbers.start)
        .take(numbers.len())
        .map(move |at| (at, try_item(at.function.name(db), || make(at))))
}

/// How many functions a file has. O(functions).
pub(crate) fn n_functions(db: &RootDatabase, file: SourceFile) -> usize {
    functions_in(db, file, None).count()
}

fn functions_in(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
) -> impl Iterator<Item = FunctionAt<'_>> {
    db::placed_functions(db, file)
        .filter(move |it| {
            range.is_none_or(|range| it.start <= range.end() && range.start() <= it.end)
        })
        .map(FunctionAt::from)
}
