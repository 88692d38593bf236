//! From the plan of a unit of MLIR or PIR to edits that were read back.
//!
//! Only requests for a fix call this: reading back costs as much as reading. The effect of a whole plan on a unit is
//! cached, as editors ask for it again and again.

use std::sync::Arc;

use frontend::{
    language,
    ops::{CheckedEdits, Lowered},
};
use ir::plan::ops::OpPlan;
use pipeline::operations::{self, Editor};

use crate::{
    Db,
    document_aliases::mentioned_aliases,
    lowering::{lowered, text},
    planning::op_plan,
    unit::{Source, Unit},
};

/// The edits that do all of a unit's plan. None where there is no plan.
#[salsa::tracked(returns(ref), no_eq, lru = 64)]
pub fn op_fixes<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Option<Arc<CheckedEdits>> {
    let plan = op_plan(db, unit)?;
    Some(Arc::new(op_edits(db, unit, plan)))
}

/// The edits that do a plan about a unit; none of a unit with errors, whose meaning is not known, and none by rules
/// that are not exact about its text.
pub fn op_edits<'db>(db: &'db dyn Db, unit: Unit<'db>, plan: &OpPlan) -> CheckedEdits {
    let Some(lowered) = lowered(db, unit).operations() else { return CheckedEdits::default() };
    let has_no_meaning = || operations::first_error(lowered).is_some();
    if plan.is_empty() || !operations::is_exact(plan.preset) || has_no_meaning() {
        let none = vec![false; plan.actions.len()];
        return CheckedEdits { is_done: none.clone(), differs: none, ..CheckedEdits::default() };
    }
    let text = text(db, unit);
    let reread = |text: &str| reread(db, unit, text);
    let done = Editor { text, lowered, reread: &reread }.try_apply(plan);
    done.unwrap_or_else(|_| CheckedEdits {
        is_done: vec![false; plan.actions.len()],
        differs: vec![true; plan.actions.len()],
        ..CheckedEdits::default()
    })
}

/// An edited text of a unit of operations, read again; none if it is not one unit any more. O(unit).
pub fn reread<'db>(db: &'db dyn Db, unit: Unit<'db>, text: &str) -> Option<Lowered> {
    let Source::Operations(source) = unit.source(db) else { return None };
    let shapes = &unit.configuration(db).dialects(db).shapes;
    let row = language::operations(source.green.language())?;
    let aliases = mentioned_aliases(db, unit, &source.green, text).aliases;
    (row.reread)(source.kind, text, &aliases, shapes)
}

/// Sets how many results the query here keeps; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    op_fixes::set_lru_capacity(db, n);
}
