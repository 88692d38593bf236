//! Folding: functions, and the statements in them that hold others.

use db::{Db, Function, PlacedUnit, RootDatabase, SourceFile};
use syntax::TextRange;

use crate::{
    function_at::{FunctionAt, of_functions},
    ops::{folds::unit_folds, of_units},
    plan_text::{FunctionText, function_text},
};

/// Something that folds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fold {
    /// Its first and last line hold the ends.
    pub range: TextRange,
    /// Whether the last line stays visible, as the one with a closing brace.
    pub keeps_last_line: bool,
    /// Whether it is comments.
    pub is_comment: bool,
}

pub(crate) fn folding_ranges(db: &RootDatabase, file: SourceFile) -> Vec<Fold> {
    let of_unit = |at: PlacedUnit<'_>| -> Vec<Fold> {
        let folds = unit_folds(db, at.unit).iter();
        let folds = folds.map(|it| Fold { range: at.to_file(it.range), ..*it });
        folds.filter(|it| !at.is_of_function(it.range.start())).collect()
    };
    let of_function = |at: FunctionAt<'_>| -> Vec<Fold> {
        let fold =
            |range| Fold { range: at.to_file(range), keeps_last_line: false, is_comment: false };
        function_folds(db, at.function).iter().map(|it| fold(*it)).collect()
    };
    let units = of_units(db, file, None, of_unit);
    units.chain(of_functions(db, file, None, of_function)).flatten().collect()
}

/// What folds in a function, relative to its start, in text order.
#[salsa::tracked(returns(ref), no_eq)]
fn function_folds<'db>(db: &'db dyn Db, function: Function<'db>) -> Vec<TextRange> {
    let body = db::body(db, function);
    let map = db::source_map(db, function);
    let text = function_text(db, function);
    // The decorators stay visible.
    let source = function.source(db);
    let whole = TextRange::new(source.name_range.start(), source.green.text_len());
    let with_regions = body.ops.iter().filter(|(_, op)| !op.regions.is_empty());
    let mut folds: Vec<TextRange> = with_regions
        .map(|(id, _)| map.op_range(id))
        .chain([whole])
        .filter_map(|range| several_lines(text, range))
        .collect();
    folds.sort_by_key(|it| (it.start(), std::cmp::Reverse(it.end())));
    // `T.grid` is several loops with one text.
    folds.dedup();
    folds
}

/// A range without the white space at its end, if it has more than one line.
fn several_lines(text: &FunctionText, range: TextRange) -> Option<TextRange> {
    let slice = text.text.get(std::ops::Range::<usize>::from(range))?.trim_end();
    let end = range.start() + syntax::TextSize::of(slice);
    slice.contains(['\n', '\r']).then(|| TextRange::new(range.start(), end))
}
