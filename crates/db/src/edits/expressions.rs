//! From plans of a function of TVMScript to edits that were read back.
//!
//! Only requests for an edit call this: reading back costs as much as reading.

use dataflow::analyses::Analyses;
use frontend::tvmscript::{CheckedEdits, FunctionSource, ReadBack, Selection};
use ir::{
    Occurrences,
    plan::{CsePlan, finding::FindingFix, simplify::SimplifyPlan},
};
use pipeline::expressions::{self, Editor, Function, Planner};
use syntax::TextEdit;
use transform::findings::Finding;

use crate::{
    Db,
    environment::DbEnvironment,
    finding::simplifications,
    function_texts::function_text,
    lowering::{Lowered, lowered, occurrences},
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
    edited(db, (unit, reading), |it| it.share(cse_plan(db, unit), selection))
}

/// The edits that do the fixes of findings that are right together.
pub fn finding_edits<'db, 'f>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    wanted: impl IntoIterator<Item = &'f Finding>,
    reading: ReadBack,
) -> CheckedEdits {
    edited(db, (unit, reading), |it| it.fix(wanted, usize::MAX))
}

/// The edits that do one fix.
pub fn fix_edits<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    fix: &FindingFix,
    reading: ReadBack,
) -> CheckedEdits {
    edited(db, (unit, reading), |it| it.apply(&[fix]))
}

/// The edits that do wanted items of [`simplifications`].
pub fn simplification_edits<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    wanted: impl Fn(usize) -> bool,
    reading: ReadBack,
) -> CheckedEdits {
    edited(db, (unit, reading), |it| it.simplify(simplifications(db, unit), wanted))
}

/// Returns the plan of [`cse_plan`] for a function after an edit of its text, read with its own names; none if the edit
/// reaches its header or has an error. For questions about an edit that nobody has made: nothing of it is kept.
pub fn plan_after<'db>(db: &'db dyn Db, unit: Unit<'db>, edit: &TextEdit) -> Option<CsePlan> {
    let options = unit.configuration(db).options(db).cse;
    after(db, unit, edit, |it| it.sharing(&options))
}

/// Returns the plan of [`simplifications`] for a function after an edit, as [`plan_after`] does.
pub fn simplifications_after<'db>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    edit: &TextEdit,
) -> Option<SimplifyPlan> {
    after(db, unit, edit, |it| it.simplifications())
}

/// Asks the planner about a function after an edit.
fn after<'db, R>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    edit: &TextEdit,
    ask: impl FnOnce(Planner<'_>) -> R,
) -> Option<R> {
    let Source::Function(source) = unit.source(db) else { return None };
    let source = source.edited(edit)?;
    read_again(db, unit, &source, |function, analyses| function.with_planner(analyses, ask))
}

/// Asks about a function as an edit leaves it, read with its own names; none if it has an error.
pub(super) fn read_again<'db, R>(
    db: &'db dyn Db,
    unit: Unit<'db>,
    source: &FunctionSource,
    ask: impl FnOnce(Function<'_>, &Analyses<'_>) -> R,
) -> Option<R> {
    let environment = DbEnvironment { db, unit };
    let lowered = expressions::lower(source, &environment);
    if expressions::first_error(&lowered).is_some() {
        return None;
    }
    let occurrences = Occurrences::collect(&lowered.body);
    let function = Function { source, environment: &environment, lowered: &lowered };
    Some(ask(function, &function.analyses(&occurrences)))
}

/// Runs `edits` on a function as it was read; there are none of a unit of operations.
pub(super) fn edited<'db, R: Default>(
    db: &'db dyn Db,
    (unit, reading): (Unit<'db>, ReadBack),
    edits: impl FnOnce(Editor<'_>) -> R,
) -> R {
    let Source::Function(source) = unit.source(db) else { return R::default() };
    let Lowered::Expressions(lowered) = lowered(db, unit) else { return R::default() };
    let function = Function { source, environment: &DbEnvironment { db, unit }, lowered };
    let text = &function_text(db, unit).text;
    edits(Editor { function, text, occurrences: occurrences(db, unit), reading })
}
