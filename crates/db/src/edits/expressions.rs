//! From plans of a function of TVMScript to edits that were read back.
//!
//! Only requests for an edit call this: reading back costs as much as reading.

use frontend::tvmscript::{
    CheckedEdits, Edited, ReadBack, Selection, checked_cse_edits, checked_finding_edits,
    checked_simplify_edits,
};
use ir::plan::finding::FindingFix;
use transform::{cse, findings::apply_fixes, simplify};

use crate::{
    Db,
    environment::DbEnvironment,
    finding::simplifications,
    lowering::{Lowered, body, lowered, occurrences},
    planning::cse_plan,
    unit::{Source, Unit},
};

/// The edits that share the values of [`cse_plan`], or of one group of it, in one piece.
pub fn cse_edits<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    selection: Selection,
    reading: ReadBack,
) -> CheckedEdits {
    let (body, occurrences) = (body(db, unit), occurrences(db, unit));
    edited(db, (unit, reading), |it| {
        let rewritten = |plan: &_| cse::rewrite(body, occurrences, plan);
        checked_cse_edits(it, cse_plan(db, unit), selection, &rewritten)
    })
}

/// The edits that do fixes that are right together.
pub fn finding_edits<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    fixes: &[&FindingFix],
    reading: ReadBack,
) -> CheckedEdits {
    let (body, occurrences) = (body(db, unit), occurrences(db, unit));
    edited(db, (unit, reading), |it| {
        let rewritten =
            |fixes: &[&FindingFix]| apply_fixes(body, occurrences, fixes.iter().copied());
        checked_finding_edits(it, fixes, &rewritten)
    })
}

/// The edits that do wanted items of [`simplifications`].
pub fn simplification_edits<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    wanted: impl Fn(usize) -> bool,
    reading: ReadBack,
) -> CheckedEdits {
    let (body, occurrences) = (body(db, unit), occurrences(db, unit));
    let plan = simplifications(db, unit);
    edited(db, (unit, reading), |it| {
        let rewritten =
            |is_done: &[bool]| simplify::rewrite_items(body, occurrences, plan, |at| is_done[at]);
        checked_simplify_edits(it, plan, &wanted, &rewritten)
    })
}

/// Runs `edits` on a function as it was read; there are none of a unit of operations.
fn edited<'db>(
    db: &'db dyn Db,
    (unit, reading): (Unit<'db>, ReadBack),
    edits: impl FnOnce(Edited<'_>) -> CheckedEdits,
) -> CheckedEdits {
    let Source::Function(source) = unit.source(db) else { return CheckedEdits::default() };
    let Lowered::Expressions(lowered) = lowered(db, unit) else { return CheckedEdits::default() };
    edits(Edited { source, environment: &DbEnvironment { db, unit }, lowered, reading })
}
