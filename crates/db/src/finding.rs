//! The findings of a function, and what can be simplified in it.

use std::sync::Arc;

use crate::{
    Db, body, environment::DbEnvironment, file::Function, input::Configuration, lowered,
    occurrences, text_facts,
};
use frontend::tvmscript::{CheckedEdits, Edited, checked_simplify_edits};
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

/// The edits of a function's text that do wanted items of [`simplifications`], read back. Not kept: only who asks for an edit pays for it.
pub fn simplification_edits<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
    wanted: impl Fn(usize) -> bool,
) -> CheckedEdits {
    let (body, occurrences) = (body(db, function), occurrences(db, function));
    let plan = simplifications(db, function);
    let (file, scope) = (function.file(db), function.scope(db));
    let edited = Edited {
        source: function.source(db),
        environment: &DbEnvironment { db, file, scope },
        lowered: lowered(db, function),
        plan,
        rewritten: &|is_done| simplify::rewrite_items(body, occurrences, plan, |it| is_done[it]),
    };
    checked_simplify_edits(edited, wanted)
}
