//! The findings of a function, and what can be simplified in it.

use std::sync::Arc;

use crate::{Db, body, file::Function, input::Configuration, occurrences, text_facts};
use ir::plan::{finding::Finding, simplify::SimplifyPlan};
use transform::simplify::{self, SimplifyOptions};

/// What the facts of a function tell beside common subexpressions, of the kinds that the options want. Depends on what the function
/// means and on what its text allows, not on where anything stands.
#[salsa::tracked(returns(ref), no_eq)]
pub fn findings<'db>(db: &'db dyn Db, function: Function<'db>) -> Arc<[Finding]> {
    let (body, occurrences) = (body(db, function), occurrences(db, function));
    let options = Configuration::get(db).options(db).findings;
    text_facts(db, function).with_view(|view| {
        transform::findings::findings(body, occurrences, Some(view), &options).into()
    })
}

/// What can be simplified in a function. Depends on what [`findings`] depends on.
#[salsa::tracked(returns(ref), no_eq)]
pub fn simplifications<'db>(db: &'db dyn Db, function: Function<'db>) -> Arc<SimplifyPlan> {
    let (body, occurrences) = (body(db, function), occurrences(db, function));
    text_facts(db, function).with_view(|view| {
        simplify::plan(body, occurrences, Some(view), &SimplifyOptions::default()).into()
    })
}
