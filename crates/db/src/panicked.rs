//! What a panic in one function costs: its answer, and nothing else of the file.
//!
//! Queries about one function or unit work under [`ir::guard`]. Where one panics, its answer is that there is nothing, and what happened stands
//! beside it, to be told as a diagnostic. A cancelled query unwinds as before.

use ir::guard::{Panicked, Stage, guarded};

use crate::{
    Db,
    file::Function,
    finding::{findings, simplifications},
    op_lowering::op_plan,
    plan::cse_plan,
    units::OpUnit,
};

/// An answer about one function, and the panic that ended the work on it.
#[derive(Clone, PartialEq, Debug)]
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
    /// Runs a query's work on a function; `nothing` is the answer if it panics.
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

    /// What ended the work.
    pub fn panicked(&self) -> Option<&Panicked> {
        self.panicked.as_ref()
    }
}

/// The mistakes of ours that planning a function met, simplifying it too if that is wanted.
pub fn panics<'db>(
    db: &'db dyn Db,
    function: Function<'db>,
    with_simplifications: bool,
) -> impl Iterator<Item = &'db Panicked> {
    let shared = cse_plan(db, function).panicked();
    let found = findings(db, function).panicked();
    let simpler = with_simplifications.then(|| simplifications(db, function).panicked());
    shared.into_iter().chain(found).chain(simpler.flatten())
}

/// The mistakes of ours that planning a unit met.
pub fn op_panics<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Option<&'db Panicked> {
    op_plan(db, unit).panicked()
}
