//! Common parts of the front ends for languages made of operations (MLIR, PIR): the map back to the text, diagnostics,
//! and edits from plans.

mod checked;
pub mod diagnostics;
mod edits;
mod parts;
mod same;
mod source_map;

pub use self::{
    checked::{CheckedEdits, Edited, checked_edits},
    diagnostics::{self as codes, ALL, rule},
    edits::edits,
    same::is_same,
    source_map::{OpSourceMap, SuccessorPlace},
};
pub use syntax::{Diagnostic, Severity};

pub(crate) use self::source_map::{MapRun, used_values};

use ir::{Body, Dialect, guard::Panicked};
use syntax::TextRange;

use crate::tvmscript::diagnostics::internal_error;

/// A unit of a file (a function, or the text around functions) in the IR.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// The unit.
    pub body: Body,
    /// The place where its parts are in the text, relative to the unit's start.
    pub source_map: OpSourceMap,
    /// The diagnostics, in text order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Lowered {
    /// A unit that could not be read because of a mistake of ours: it is empty, with a diagnostic at its start.
    pub fn not_read(panicked: &Panicked, dialect: Dialect) -> Lowered {
        let place = TextRange::empty(0.into());
        Lowered {
            body: Body::new(&panicked.function, dialect),
            source_map: OpSourceMap::default(),
            diagnostics: vec![internal_error(panicked, place)],
        }
    }
}
