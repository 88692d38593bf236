//! The findings of a function, and what can be simplified in it.

use std::sync::Arc;

use crate::{
    Db, body, file::Function, input::Configuration, occurrences, panicked::Guarded, text_facts,
};
use ir::{
    guard::Stage,
    plan::{finding::Finding, simplify::SimplifyPlan},
};
use transform::simplify::{self, SimplifyOptions};

/// What the facts of a function tell beside common subexpressions, of the kinds that the options want. Depends on what the function
/// means and on what its text allows, not on where anything stands.
#[salsa::tracked(returns(ref), no_eq, lru = 512)]
pub fn findings<'db>(db: &'db dyn Db, function: Function<'db>) -> Guarded<Arc<[Finding]>> {
    let (body, occurrences) = (body(db, function), occurrences(db, function));
    let options = Configuration::get(db).options(db).findings;
    let work = || {
        text_facts(db, function).with_view(|view| {
            transform::findings::findings(body, occurrences, Some(view), &options).into()
        })
    };
    Guarded::run(Stage::Planning, function.name(db), work, Arc::default)
}

/// What can be simplified in a function. Depends on what [`findings`] depends on.
#[salsa::tracked(returns(ref), no_eq, lru = 512)]
pub fn simplifications<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
) -> Guarded<Arc<SimplifyPlan>> {
    let (body, occurrences) = (body(db, function), occurrences(db, function));
    let work = || {
        text_facts(db, function).with_view(|view| {
            simplify::plan(body, occurrences, Some(view), &SimplifyOptions::default()).into()
        })
    };
    let nothing = || Arc::new(SimplifyPlan::none(body.dialect));
    Guarded::run(Stage::Planning, function.name(db), work, nothing)
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    findings::set_lru_capacity(db, n);
    simplifications::set_lru_capacity(db, n);
}
