//! The plan of a unit: what is computed several times in it or for nothing, and what is done about it.

use std::sync::{Arc, LazyLock};

use ir::{
    guard::Stage,
    plan::{CsePlan, Preset, ops::OpPlan},
};
use pipeline::expressions::Planner;
use syntax::Form;

use crate::{
    Db, analyses::analyses, lowering::body, panicked::Guarded, source_facts::text_facts, unit::Unit,
};

/// A plan.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Of a function of statements: common subexpressions.
    Expressions(Arc<CsePlan>),
    /// Of a unit of operations: equal and dead ones.
    Operations(Arc<OpPlan>),
    /// Of what means nothing, or met a mistake of ours.
    Nothing,
}

/// The common subexpressions of what has none.
static NO_PLAN: LazyLock<CsePlan> = LazyLock::new(|| CsePlan::none(Preset::Default));

/// Returns the plan for redundant and dead computations of a unit. Depends on the meaning of the unit and on its text
/// facts, not on positions.
pub fn plan<'db>(db: &'db dyn Db, unit: Unit<'db>) -> &'db Guarded<Plan> {
    match unit.form(db) {
        Form::Expressions => functions::plan(db, unit),
        Form::Operations => operations::plan(db, unit),
    }
}

// Nothing in these may ask for the source: it changes with every comment.
mod functions {
    use super::*;

    /// The plan of a function of statements: few are kept, as are their bodies.
    #[salsa::tracked(returns(ref), no_eq, lru = 128)]
    pub(super) fn plan<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Guarded<Plan> {
        // The body first: whether it changed is asked before anything is made of it.
        let work = || match body(db, unit).is_something() {
            true => Plan::Expressions(of_expressions(db, unit)),
            false => Plan::Nothing,
        };
        Guarded::run(Stage::Planning, unit.name(db), work, || Plan::Nothing)
    }

    pub(super) fn keep(db: &mut dyn Db, n: usize) {
        plan::set_lru_capacity(db, n);
    }
}

mod operations {
    use super::*;

    /// The plan of a unit of operations: hints are made of it when they are asked for.
    #[salsa::tracked(returns(ref), no_eq, lru = 0)]
    pub(super) fn plan<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Guarded<Plan> {
        let work = || of_operations(db, unit);
        Guarded::run(Stage::Planning, unit.name(db), work, || Plan::Nothing)
    }

    pub(super) fn keep(db: &mut dyn Db, n: usize) {
        plan::set_lru_capacity(db, n);
    }
}

fn of_expressions<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Arc<CsePlan> {
    let analyses = analyses(db, unit);
    let options = unit.configuration(db).options(db).cse;
    db.counters().planned(analyses.occurrences.len());
    text_facts(db, unit)
        .with_view(|view| Planner { analyses: &analyses, view }.sharing(&options))
        .into()
}

fn of_operations<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Plan {
    let body = body(db, unit);
    if !body.is_something() {
        return Plan::Nothing;
    }
    let configuration = unit.configuration(db);
    let options = configuration.options(db).ops;
    db.counters().planned(body.ops.len());
    let effects = &configuration.dialects(db).effects;
    Plan::Operations(Arc::new(pipeline::operations::plan(body, effects, &options)))
}

/// The common subexpressions of a function of statements; none of a unit of operations.
pub fn cse_plan<'db>(db: &'db dyn Db, unit: Unit<'db>) -> &'db CsePlan {
    match &**plan(db, unit) {
        Plan::Expressions(it) => it,
        Plan::Operations(_) | Plan::Nothing => &NO_PLAN,
    }
}

/// The equal and dead operations of a unit of operations; none where there is no plan.
pub fn op_plan<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Option<&'db OpPlan> {
    match &**plan(db, unit) {
        Plan::Operations(it) => Some(it),
        Plan::Expressions(_) | Plan::Nothing => None,
    }
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(crate) fn keep(db: &mut dyn Db, n: usize) {
    functions::keep(db, n);
    operations::keep(db, n);
}
