//! Panics in queries: a panic in one function costs its answer, and nothing else of the file.
//!
//! Queries about one unit work under [`ir::guard`]. Where one panics, its answer is that there is nothing, and what
//! happened stands beside it, to be told as a diagnostic. A cancelled query unwinds as before.

use ir::guard::{Panicked, Stage, guarded};

use crate::{Db, finding::findings, planning::plan, unit::Unit};

/// An answer about one function, and the panic that ended the work on it.
#[derive(Clone, Debug)]
pub struct Guarded<T> {
    value: T,
    panicked: Option<Panicked>,
}

impl<T> std::ops::Deref for Guarded<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> Guarded<T> {
    /// Runs a query's work on a unit; `nothing` is the answer if it panics.
    pub(crate) fn run(
        stage: Stage,
        function: &str,
        work: impl FnOnce() -> T,
        nothing: impl FnOnce() -> T,
    ) -> Guarded<T> {
        match guarded(stage, function, work) {
            Ok(value) => Guarded { value, panicked: None },
            Err(panicked) => Guarded { value: nothing(), panicked: Some(panicked) },
        }
    }

    /// Returns the panic that ended the work.
    pub fn panicked(&self) -> Option<&Panicked> {
        self.panicked.as_ref()
    }
}

/// The mistakes of ours that planning a unit met. [`simplifications`](crate::simplifications) has its own.
pub fn panics<'db>(db: &'db dyn Db, unit: Unit<'db>) -> impl Iterator<Item = &'db Panicked> {
    let planned = plan(db, unit).panicked();
    let found = findings(db, unit).panicked();
    planned.into_iter().chain(found)
}
