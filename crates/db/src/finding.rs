//! The findings and the simplifications of a function.

use std::sync::Arc;

use crate::{
    Db,
    analyses::analyses,
    input::Options,
    lowering::body,
    panicked::Guarded,
    planning::{Plan, plan},
    source_facts::text_facts,
    unit::Unit,
};
use ir::{guard::Stage, plan::simplify::SimplifyPlan};
use pipeline::expressions::Planner;
use transform::{cse::CseOptions, findings::Finding};

/// Returns the findings of a function other than common subexpressions, of the kinds that the options select; none for
/// a unit of operations. Depends on the meaning of the function and on its text facts, not on positions.
#[salsa::tracked(returns(ref), no_eq, lru = 128)]
pub fn findings<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Guarded<Arc<[Finding]>> {
    let Options { cse, findings, .. } = unit.configuration(db).options(db);
    let work = || {
        if body(db, unit).dialect.is_of_operations() {
            return Arc::default();
        }
        let analyses = analyses(db, unit);
        // The plan that is there, if it is of the kind that is asked for.
        let known = || match cse == CseOptions::default() {
            true => match &**plan(db, unit) {
                Plan::Expressions(it) => Some(it.clone()),
                Plan::Operations(_) | Plan::Nothing => None,
            },
            false => None,
        };
        text_facts(db, unit)
            .with_view(|view| Planner { analyses: &analyses, view }.findings(&findings, &known))
            .into()
    };
    Guarded::run(Stage::Planning, unit.name(db), work, Arc::default)
}

/// Returns the simplifications of a function; none for a unit of operations. Depends on the inputs of [`findings`].
#[salsa::tracked(returns(ref), no_eq, lru = 128)]
pub fn simplifications<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Guarded<Arc<SimplifyPlan>> {
    let dialect = body(db, unit).dialect;
    let nothing = || Arc::new(SimplifyPlan::none(dialect));
    let work = || {
        if dialect.is_of_operations() {
            return nothing();
        }
        let analyses = analyses(db, unit);
        text_facts(db, unit)
            .with_view(|view| Planner { analyses: &analyses, view }.simplifications())
            .into()
    };
    Guarded::run(Stage::Planning, unit.name(db), work, nothing)
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    findings::set_lru_capacity(db, n);
    simplifications::set_lru_capacity(db, n);
}
