//! The findings of a function, and what can be simplified in it.

use std::sync::Arc;

use crate::{
    Db, Options, analyses, cse_plan, file::Function, input::Configuration, panicked::Guarded,
    text_facts,
};
use ir::{guard::Stage, plan::simplify::SimplifyPlan};
use transform::{
    cse::{self, CseOptions},
    findings::{Finding, findings_beside},
    simplify::{self, SimplifyOptions},
};

/// What the facts of a function tell beside common subexpressions, of the kinds that the options want. Depends on what the function
/// means and on what its text allows, not on where anything stands.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub fn findings<'db>(db: &'db dyn Db, function: Function<'db>) -> Guarded<Arc<[Finding]>> {
    let analyses = analyses(db, function);
    let Options { cse, findings, .. } = Configuration::get(db).options(db);
    let work = || {
        text_facts(db, function).with_view(|view| {
            // The plan that is there, if it is of the kind that is asked for.
            let shared = || match cse == CseOptions::default() {
                true if cse_plan(db, function).panicked().is_none() => {
                    Arc::clone(cse_plan(db, function))
                }
                _ => Arc::new(cse::plan(&analyses, Some(view), &CseOptions::default())),
            };
            findings_beside(&analyses, Some(view), &findings, &shared).into()
        })
    };
    Guarded::run(Stage::Planning, function.name(db), work, Arc::default)
}

/// What can be simplified in a function. Depends on what [`findings`] depends on.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub fn simplifications<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
) -> Guarded<Arc<SimplifyPlan>> {
    let analyses = analyses(db, function);
    let work = || {
        text_facts(db, function).with_view(|view| {
            simplify::plan(&analyses, Some(view), &SimplifyOptions::default()).into()
        })
    };
    let nothing = || Arc::new(SimplifyPlan::none(analyses.body.dialect));
    Guarded::run(Stage::Planning, function.name(db), work, nothing)
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    findings::set_lru_capacity(db, n);
    simplifications::set_lru_capacity(db, n);
}
