//! Features of MLIR and PIR. As for TVMScript, what is asked of a unit is computed relative to it, in a query, and shifted to its place
//! when somebody asks; here that place may have holes, as a frame is its document without the bodies of functions.

pub(crate) mod actions;
pub(crate) mod diagnostics;
pub(crate) mod folds;
pub(crate) mod hints;
pub(crate) mod hover;
mod marks;
pub(crate) mod names;
pub(crate) mod outline;
mod plan_words;
pub(crate) mod preview;
pub(crate) mod rename;
pub(crate) mod tokens;
pub(crate) mod unknown;

use db::{Db, OpUnit};

/// Computes what is shown of a unit unasked.
pub(crate) fn warm(db: &dyn Db, unit: OpUnit<'_>) {
    diagnostics::unit_diagnostics(db, unit);
    hints::hint_places(db, unit);
}
