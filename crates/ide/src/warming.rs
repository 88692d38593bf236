//! The parts of a unit that editors show without being asked, computed in advance.

use db::{Db, Unit};

use crate::{diagnostics, document_symbols, folding_ranges, inlay_hints, semantic_tokens};

/// Computes in advance the parts of a unit that are shown without a request. Of a function of statements that is all
/// that editors ask of a whole file: soon it is no longer known how it was read.
pub(crate) fn warm(db: &dyn Db, unit: Unit<'_>) {
    let shown = db::shown(db, unit);
    inlay_hints::warm(db, shown);
    diagnostics::warm(db, shown);
    semantic_tokens::warm(db, unit);
    document_symbols::warm(db, unit);
    folding_ranges::warm(db, unit);
}
