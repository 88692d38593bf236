//! What the front ends of languages made of operations (MLIR, PIR) share: the map back to the text, diagnostics, and edits from plans.

mod checked;
pub mod diagnostics;
mod edits;
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

pub(crate) use self::source_map::MapRun;

use ir::{Body, Dialect, guard::Panicked};
use syntax::TextRange;

use crate::tvmscript::diagnostics::internal_error;

/// A unit of a file (a function, or what is around functions) in the IR.
#[derive(Clone, Debug, PartialEq)]
pub struct Lowered {
    /// The unit.
    pub body: Body,
    /// Where its parts are in the text, relative to the unit's start.
    pub source_map: OpSourceMap,
    /// What is wrong with it, in text order.
    pub diagnostics: Vec<Diagnostic>,
}

impl Lowered {
    /// A unit that could not be read for a mistake of ours: it has nothing in it, and a diagnostic says so where it begins.
    pub fn not_read(panicked: &Panicked, dialect: Dialect) -> Lowered {
        let place = TextRange::empty(0.into());
        Lowered {
            body: Body::new(&panicked.function, dialect),
            source_map: OpSourceMap::default(),
            diagnostics: vec![internal_error(panicked, place)],
        }
    }
}
