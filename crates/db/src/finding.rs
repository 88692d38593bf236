//! The findings of a function, and what can be simplified in it.

use std::sync::Arc;

use crate::{
    Db,
    input::Configuration,
    lowering::{body, occurrences},
    panicked::Guarded,
    source_facts::text_facts,
    unit::Unit,
};
use ir::{
    guard::Stage,
    plan::{finding::Finding, simplify::SimplifyPlan},
};
use transform::simplify::{self, SimplifyOptions};

/// What the facts of a function tell beside common subexpressions, of the kinds that the options want; nothing of a unit of operations.
/// Depends on what the function means and on what its text allows, not on where anything stands.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub fn findings<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Guarded<Arc<[Finding]>> {
    let body = body(db, unit);
    let options = Configuration::get(db).options(db).findings;
    let work = || {
        if body.dialect.is_of_operations() {
            return Arc::default();
        }
        let occurrences = occurrences(db, unit);
        text_facts(db, unit).with_view(|view| {
            transform::findings::findings(body, occurrences, Some(view), &options).into()
        })
    };
    Guarded::run(Stage::Planning, unit.name(db), work, Arc::default)
}

/// What can be simplified in a function; nothing in a unit of operations. Depends on what [`findings`] depends on.
#[salsa::tracked(returns(ref), no_eq, lru = 0)]
pub fn simplifications<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Guarded<Arc<SimplifyPlan>> {
    let body = body(db, unit);
    let nothing = || Arc::new(SimplifyPlan::none(body.dialect));
    let work = || {
        if body.dialect.is_of_operations() {
            return nothing();
        }
        let occurrences = occurrences(db, unit);
        text_facts(db, unit).with_view(|view| {
            simplify::plan(body, occurrences, Some(view), &SimplifyOptions::default()).into()
        })
    };
    Guarded::run(Stage::Planning, unit.name(db), work, nothing)
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    findings::set_lru_capacity(db, n);
    simplifications::set_lru_capacity(db, n);
}
