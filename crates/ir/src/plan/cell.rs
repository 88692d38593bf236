//! Partial redundancies: values that only some paths to their uses have computed, and the insertions that make them
//! available on all.
//!
//! A name is bound once, so it cannot stand for a value that is computed at two places, of which each path passes one.
//! A scalar of the `tirx` dialect can: every path stores the value in it, and the uses read it. A [`CseCell`] holds the
//! place of its declaration, the places of its stores (where the value is computed anyway, and where code has to be
//! *inserted*), and the occurrences that become it. Plain data, as all of a plan.

use super::Part;
use crate::{ExprId, OccurrenceId, OpId};

/// An index into [`super::CsePlan::cells`].
pub type CellIdx = usize;

/// A scalar that holds a partially redundant value.
#[derive(Clone, PartialEq, Debug)]
pub struct CseCell {
    /// Name, colliding with nothing.
    pub name: Box<str>,
    /// The group's index in [`super::CsePlan::groups`].
    pub group: usize,
    /// The value, as in the original body.
    pub expr: ExprId,
    /// It is declared right before this operation.
    pub before: OpId,
    /// The place where it is stored, in program order.
    pub stores: Vec<CellStore>,
    /// The occurrences that become the scalar: those that are computed into it, and the uses after them.
    pub replaces: Vec<OccurrenceId>,
}

/// A place where a scalar gets its value.
#[derive(Clone, PartialEq, Debug)]
pub struct CellStore {
    /// The place.
    pub at: CellPlace,
    /// Parts of the value that are other bindings' variables there, as in [`super::CseBinding::uses`].
    pub uses: Vec<Part>,
    /// Likewise the user's own variables, as in [`super::CseBinding::reuses`].
    pub reuses: Vec<Part>,
}

/// The place where a scalar is stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CellPlace {
    /// Right before an operation that computes the value.
    Before(OpId),
    /// At the end of an arm of an `if`, which is made if there is none: the computation is inserted there.
    EndOfArm {
        /// The `if`.
        branch: OpId,
        /// The arm: 0 if the condition holds, else 1.
        arm: u32,
    },
}

impl CellPlace {
    /// Returns true if the program does not compute the value there yet.
    pub fn is_inserted(self) -> bool {
        matches!(self, CellPlace::EndOfArm { .. })
    }
}

/// The reason why a partially redundant value stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum PartialObstacle {
    /// Only the missing request.
    OnRequest,
    /// Some path through an insertion does not compute the value now.
    NotAnticipated,
    /// There is no scalar that could hold it there: in the legacy dialect, and inside vectorised loops.
    NoScalar,
    /// The text has no place for one of the stores.
    NoPlace,
    /// The value is part of another one that gets a name first; the next run handles the rest.
    Overlaps,
}

impl PartialObstacle {
    /// Kebab-case name.
    pub fn name(self) -> &'static str {
        match self {
            PartialObstacle::OnRequest => "on-request",
            PartialObstacle::NotAnticipated => "not-anticipated",
            PartialObstacle::NoScalar => "no-scalar",
            PartialObstacle::NoPlace => "no-place",
            PartialObstacle::Overlaps => "overlaps",
        }
    }
}
