//! The input of a build for a file: its functions, and the places of their operations.
//!
//! In: nothing but plain data. Places are relative to the first line of their function, so that a stored record of a
//! function holds wherever it moves; [`FunctionRecord`](super::record::FunctionRecord) keeps them.

use rules::Reason;
use serde::{Deserialize, Serialize};

use crate::artifact::key::Key;

/// A place in a file.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Debug, Serialize, Deserialize,
)]
pub struct Place {
    /// The line, from 0, relative to the first line of the function.
    pub line: u32,
    /// The character of the line, from 1; 0 if it is not known.
    pub column: u32,
}

/// One function of a file.
pub struct SourceFunction<'a> {
    /// Name of the function.
    pub name: String,
    /// A hash of all inputs of the body: the function's text and its captures.
    pub text: [u8; 32],
    /// The line of the file, from 1, that the function begins at; 0 if its lines are not known.
    pub first_line: u32,
    /// The place where its name stands.
    pub name_at: Place,
    /// The body, or why there is none.
    pub body: Box<dyn Fn() -> Result<SourceBody, Broken> + 'a>,
}

/// A body and the places of its operations.
pub struct SourceBody {
    /// The body.
    pub body: ir::Body,
    /// The places of operations.
    pub places: Vec<(ir::OpId, Place)>,
}

/// The reason why a function has no body.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Broken {
    /// The reason.
    #[serde(with = "crate::reasons::by_name")]
    pub reason: Reason,
    /// Words for a person.
    pub detail: String,
    /// The place, if it is one place.
    pub place: Option<Place>,
}

impl Broken {
    /// A mistake of ours ended the reading.
    pub fn of_panic(panicked: &ir::guard::Panicked) -> Broken {
        Broken { reason: crate::reasons::INTERNAL, detail: panicked.report(), place: None }
    }
}

impl From<ir::Body> for SourceBody {
    fn from(body: ir::Body) -> SourceBody {
        SourceBody { body, places: Vec::new() }
    }
}

/// A hash for [`SourceFunction::text`] of all that a body depends on.
pub fn hash_of(parts: &[&[u8]]) -> [u8; 32] {
    Key::of(parts).0
}
