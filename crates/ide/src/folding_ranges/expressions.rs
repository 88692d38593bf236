//! The folds of a function of statements: the function, and the statements in it that contain others.

use db::{Db, FunctionText, Unit, function_text};
use syntax::TextRange;

use super::Fold;

/// Returns the folds of a function, relative to its start, in text order.
#[salsa::tracked(returns(ref), no_eq)]
pub(super) fn folds<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<Fold> {
    let body = db::body(db, unit);
    let map = db::source_map(db, unit);
    let text = function_text(db, unit);
    // The decorators stay visible.
    let whole = TextRange::new(unit.name_range(db).start(), unit.green(db).text_len());
    let with_regions = body.ops.iter().filter(|(_, op)| !op.regions.is_empty());
    let mut folds: Vec<TextRange> = with_regions
        .map(|(id, _)| map.op_range(id))
        .chain([whole])
        .filter_map(|range| several_lines(text, range))
        .collect();
    folds.sort_by_key(|it| (it.start(), std::cmp::Reverse(it.end())));
    // `T.grid` is several loops with one text.
    folds.dedup();
    let fold = |range| Fold { range, keeps_last_line: false, is_comment: false };
    folds.into_iter().map(fold).collect()
}

/// A range without the white space at its end, if it has more than one line.
fn several_lines(text: &FunctionText, range: TextRange) -> Option<TextRange> {
    let slice = text.text.get(std::ops::Range::<usize>::from(range))?.trim_end();
    let end = range.start() + syntax::TextSize::of(slice);
    slice.contains(['\n', '\r']).then(|| TextRange::new(range.start(), end))
}
