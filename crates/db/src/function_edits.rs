//! From plans of a function of TVMScript to edits that were read back.
//!
//! The counterpart of [`crate::op_edits`]. Only who asks for an edit gets here: reading back costs as much as reading.

use frontend::tvmscript::{
    CheckedEdits, Edited, Reading, Selection, checked_cse_edits, checked_finding_edits,
    checked_simplify_edits,
};
use ir::plan::finding::FindingFix;
use transform::{cse, findings::apply_fixes, simplify};

use crate::{
    Db, body, cse_plan, environment::DbEnvironment, file::Function, finding::simplifications,
    lowered, occurrences,
};

/// The edits that share the values of [`cse_plan`], or of one group of it, in one piece.
pub fn cse_edits<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
    selection: Selection,
    reading: Reading,
) -> CheckedEdits {
    let (body, occurrences) = (body(db, function), occurrences(db, function));
    edited(db, (function, reading), |it| {
        let rewritten = |plan: &_| cse::rewrite(body, occurrences, plan);
        checked_cse_edits(it, cse_plan(db, function), selection, &rewritten)
    })
}

/// The edits that do fixes that are right together.
pub fn finding_edits<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
    fixes: &[&FindingFix],
    reading: Reading,
) -> CheckedEdits {
    let (body, occurrences) = (body(db, function), occurrences(db, function));
    edited(db, (function, reading), |it| {
        let rewritten =
            |fixes: &[&FindingFix]| apply_fixes(body, occurrences, fixes.iter().copied());
        checked_finding_edits(it, fixes, &rewritten)
    })
}

/// The edits that do wanted items of [`simplifications`].
pub fn simplification_edits<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
    wanted: impl Fn(usize) -> bool,
    reading: Reading,
) -> CheckedEdits {
    let (body, occurrences) = (body(db, function), occurrences(db, function));
    let plan = simplifications(db, function);
    edited(db, (function, reading), |it| {
        let rewritten =
            |is_done: &[bool]| simplify::rewrite_items(body, occurrences, plan, |at| is_done[at]);
        checked_simplify_edits(it, plan, &wanted, &rewritten)
    })
}

/// Runs `edits` on a function as it was read.
fn edited<'db>(
    db: &'db dyn Db,
    (function, reading): (Function<'db>, Reading),
    edits: impl FnOnce(Edited<'_>) -> CheckedEdits,
) -> CheckedEdits {
    let (file, scope) = (function.file(db), function.scope(db));
    let environment = DbEnvironment { db, file, scope };
    let (source, lowered) = (function.source(db), lowered(db, function));
    edits(Edited { source, environment: &environment, lowered, reading })
}
