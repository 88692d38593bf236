//! The analyses of a unit, shared by all planners and answers.
//!
//! Results are kept beside the body, each analysis from its first use; so hints, findings, simplifications and hovers
//! share it. It is large, and cheap beside the plans that are made of it: it is kept for few functions.

use std::sync::Arc;

use dataflow::analyses::{Analyses, Tables};

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

fn of<'db>(db: &'db dyn Db, unit: Unit<'db>, tables: Arc<Tables>) -> Analyses<'db> {
    let effects = &unit.configuration(db).dialects(db).effects;
    Analyses::kept(body(db, unit), occurrences(db, unit), effects, tables)
}
