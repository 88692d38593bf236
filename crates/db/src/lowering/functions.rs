//! Functions of statements, lowered.
//!
//! Few functions are kept as they were read, those that were asked about last: for a whole file the words are kept that
//! are told of each. The others are read again on demand.

use std::sync::Arc;

use pipeline::expressions;

use super::{Lowered, SharedBody};
use crate::{
    Db,
    environment::DbEnvironment,
    unit::{Source, Unit},
};

/// The function, lowered.
#[salsa::tracked(returns(ref), no_eq, lru = 128)]
pub(super) fn lowered<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Lowered {
    match unit.source(db) {
        Source::Function(source) => {
            db.counters().lowered(source.green.text_len().into());
            Lowered::Expressions(Arc::new(expressions::lower(source, &DbEnvironment { db, unit })))
        }
        Source::Operations(_) => Lowered::Nothing,
    }
}

/// Its body.
#[salsa::tracked(returns(ref), lru = 128)]
pub(super) fn body<'db>(db: &'db dyn Db, unit: Unit<'db>) -> SharedBody {
    SharedBody(lowered(db, unit).clone())
}

/// Sets how many results the queries here keep; see [`crate::forgetting`].
pub(super) fn keep(db: &mut dyn Db, n: usize) {
    lowered::set_lru_capacity(db, n);
    body::set_lru_capacity(db, n);
}
