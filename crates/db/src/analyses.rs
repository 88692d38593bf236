//! The analyses of a function: what every planner and every answer about it asks.
//!
//! What is worked out is kept beside the body, each analysis from when somebody first asks for it; so hints, findings, simplifications
//! and what is told on hover share it. It is large, and cheap beside the plans that are made of it: of few functions it is kept.

use std::sync::Arc;

use dataflow::analyses::{Analyses, Tables};

use crate::{Db, body, file::Function, input::Configuration, occurrences};

/// Where the analyses of a function are kept. Depends on what they are about, and is filled as they are asked for.
#[salsa::tracked(returns(ref), no_eq, lru = 32)]
fn analysis_tables<'db>(db: &'db dyn Db, function: Function<'db>) -> Arc<Tables> {
    // A body, occurrences or effects that change leave what was worked out behind.
    let _ = of(db, function, Arc::default());
    Arc::default()
}

/// The analyses of a function, each worked out when it is first asked for.
pub fn analyses<'db>(db: &'db dyn Db, function: Function<'db>) -> Analyses<'db> {
    of(db, function, analysis_tables(db, function).clone())
}

fn of<'db>(db: &'db dyn Db, function: Function<'db>, tables: Arc<Tables>) -> Analyses<'db> {
    let effects = &Configuration::get(db).dialects(db).effects;
    Analyses::kept(body(db, function), occurrences(db, function), effects, tables)
}
