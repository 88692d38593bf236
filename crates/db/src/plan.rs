//! The plan of a function.

use std::sync::Arc;

use ir::{guard::Stage, plan::CsePlan};
use transform::cse;

use crate::{Db, analyses, file::Function, input::Configuration, panicked::Guarded, text_facts};

/// What is computed several times in a function, and what is done about it. Depends on what the function means and on
/// what its text allows, not on where anything stands.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub fn cse_plan<'db>(db: &'db dyn Db, function: Function<'db>) -> Guarded<Arc<CsePlan>> {
    let analyses = analyses(db, function);
    let options = Configuration::get(db).options(db).cse;
    db.counters().planned(analyses.occurrences.len());
    let work = || {
        text_facts(db, function)
            .with_view(|view| Arc::new(cse::plan(&analyses, Some(view), &options)))
    };
    let nothing = || Arc::new(CsePlan::none(options.preset));
    Guarded::run(Stage::Planning, function.name(db), work, nothing)
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    cse_plan::set_lru_capacity(db, n);
}
