//! Parts of findings that the text, the body and plans of simplification share: places, related places and fixes.
//!
//! The findings themselves are made by the planners of `transform::findings`. Their fixes are plain data, so that the
//! fix of the text (`frontend`) and that of the body (`transform`) do the same.
//!
//! Terms. A finding's *place* is what it is about; its *related* places say what it rests on. A *fix* is a list of
//! primitive edits that are done together or not at all. It *rests on* operations that must stay for it to be right: of
//! two stores of one value, each is superfluous because of the other, and removing both would be wrong.

use crate::{BufferId, OccurrenceId, OpId, ValueId};

/// Something that has a place in the text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// An operation, with all that is in it.
    Op(OpId),
    /// An occurrence.
    Occurrence(OccurrenceId),
    /// A variable, where it is defined.
    Value(ValueId),
    /// A buffer, where it is defined.
    Buffer(crate::BufferId),
    /// The function, at its name.
    Function,
}

/// A place that a finding rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Related {
    /// The place.
    pub place: Place,
    /// The relation of the place to the finding.
    pub role: Role,
}

/// The relation of a related place to a finding, in a few words. A planner declares its own; those that several give
/// are here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Role(pub &'static str);

impl Role {
    /// Its condition decides.
    pub const DECIDES: Role = Role("this decides it");
    /// The loop that computes it again and again.
    pub const LOOP: Role = Role("this loop");
    /// It computes the same value.
    pub const SAME_VALUE: Role = Role("the same value is computed here");
    /// It reads the same memory, and the finding holds for it as well.
    pub const READ_TOO: Role = Role("read here, too");
    /// It stored the value that is read.
    pub const STORED: Role = Role("stored here");
}

/// Edits that are done together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FindingFix {
    /// The edits. They do not contradict each other; equal edits may occur in several fixes.
    pub edits: Vec<FixEdit>,
    /// Operations that must stay for the fix to be right. Findings that define names in its edits count by themselves.
    pub rests_on: Vec<OpId>,
}

/// One primitive edit.
#[derive(Clone, PartialEq, Debug)]
pub enum FixEdit {
    /// An operation goes, with all that is in it. A block that would be empty gets `T.evaluate(0)`.
    RemoveOp(OpId),
    /// An operation is replaced by the contents of one of its regions; its condition is no longer evaluated.
    KeepRegion {
        /// The operation.
        op: OpId,
        /// The index of its region.
        region: u32,
    },
    /// An occurrence becomes something else of the same type.
    Replace {
        /// The occurrence; no other edit touches its inside.
        occurrence: OccurrenceId,
        /// The replacement.
        with: Replacement,
    },
    /// A value gets a name.
    Bind {
        /// Its name, colliding with nothing.
        name: Box<str>,
        /// The occurrence that is its value.
        value: OccurrenceId,
        /// The binding stands right before this operation.
        before: OpId,
        /// The occurrences that become the name; mostly `value` too.
        replaces: Vec<OccurrenceId>,
    },
    /// A tile of TileLang is filled with a value.
    Fill {
        /// All of this buffer, which has a name of its own.
        buffer: BufferId,
        /// The value.
        with: Start,
        /// The statement stands right before this operation.
        before: OpId,
    },
    /// The kernel assumes that a size is a multiple of a number.
    Assume {
        /// The size.
        value: ValueId,
        /// The number.
        divisor: i64,
        /// The statement stands right before this operation.
        before: OpId,
    },
    /// The function gets the attribute by which its parameters do not overlap.
    AddNoalias,
}

/// The value that an accumulator begins with: it changes no result of what is combined with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Of sums and products of matrices.
    Zero,
    /// Of a greatest value of floats.
    Lowest,
    /// Of a least value of floats.
    Highest,
}

/// The replacement of an occurrence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replacement {
    /// A variable that is visible there.
    Value(ValueId),
    /// A copy of another occurrence, which may be inside the one replaced: `a` for `a and b`. All that it names must be
    /// visible and mean the same at the new place.
    Copy(OccurrenceId),
    /// A truth value.
    Bool(bool),
}

impl FindingFix {
    /// A fix of one edit.
    pub fn of(edit: FixEdit) -> FindingFix {
        FindingFix { edits: vec![edit], rests_on: Vec::new() }
    }

    /// The fix, which also rests on these operations.
    #[must_use]
    pub fn resting_on(mut self, ops: impl IntoIterator<Item = OpId>) -> FindingFix {
        self.rests_on.extend(ops);
        self
    }
}
