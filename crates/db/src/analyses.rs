//! The analyses of a unit, shared by all planners and answers.
//!
//! Results are kept beside the body, each analysis from its first use; so hints, findings, simplifications and hovers
//! share it. It is large, and cheap beside the plans that are made of it: it is kept for few functions.

use std::sync::Arc;

use arith::operations::{KeptFacts, OperationFacts};
use dataflow::analyses::{Analyses, Tables};

use ir::{
    Dialect,
    guard::{Stage, guarded},
};

use crate::{
    Db,
    lowering::{body, occurrences},
    unit::Unit,
};

/// Where the analyses of a unit are kept. Depends on what they are about, and is filled as they are asked for.
#[salsa::tracked(returns(ref), no_eq, lru = 32)]
fn analysis_tables<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Arc<Tables> {
    // A body, occurrences or effects that change leave what was worked out behind.
    let _ = of(db, unit, Arc::default());
    Arc::default()
}

/// The analyses of a unit, each worked out when it is first asked for.
pub fn analyses<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Analyses<'db> {
    of(db, unit, analysis_tables(db, unit).clone())
}

/// Bodies of more operations have no facts for questions about single values: editors ask while the mouse moves.
const MOST_OPERATIONS: usize = 20_000;

/// The facts about the integers of a unit.
pub(crate) struct UnitFacts(Option<KeptFacts>);

/// The facts about the integers of a unit of MLIR, with what the settings state, for questions about single values:
/// each works on a copy. Nothing where a mistake of ours was met. O(unit), once for its meaning.
#[salsa::tracked(returns(ref), no_eq, lru = 8)]
fn unit_facts<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Arc<UnitFacts> {
    let body = body(db, unit);
    let is_read = body.dialect == Dialect::Mlir && body.ops.len() <= MOST_OPERATIONS;
    let stated = &unit.configuration(db).dialects(db).facts;
    let work = || OperationFacts::new(body, stated).kept();
    let facts = is_read.then(|| guarded(Stage::Planning, unit.name(db), work).ok()).flatten();
    Arc::new(UnitFacts(facts))
}

/// A copy of the facts about the integers of a unit of MLIR; none of other units, and of very large ones.
pub fn operation_facts<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Option<OperationFacts<'db>> {
    let facts = unit_facts(db, unit).0.as_ref()?;
    Some(facts.of(body(db, unit)))
}

fn of<'db>(db: &'db dyn Db, unit: Unit<'db>, tables: Arc<Tables>) -> Analyses<'db> {
    let effects = &unit.configuration(db).dialects(db).effects;
    Analyses::kept(body(db, unit), occurrences(db, unit), effects, tables)
}
