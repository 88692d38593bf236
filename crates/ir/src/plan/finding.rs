//! Findings: what the facts of a body say beside common subexpressions, why, and what could be done about it.
//!
//! A planner in `transform::findings` makes them from a body; they are plain data, so that the diagnostic, the quick fix, the
//! explanation and JSON say the same, and the fix of the text (`frontend`) and that of the body (`transform`) do the same.
//!
//! Terms. A finding's *place* is what it is about; its *related* places say what the reason rests on. A *fix* is a list of
//! primitive edits that are done together or not at all. It *rests on* operations that must stay for it to be right: of two stores
//! of one value, each is superfluous because of the other, and removing both would be wrong.

use crate::{Body, ExprId, OccurrenceId, OpId, ValueId};

pub mod docs;

names! {
    /// What a finding says. Names are kebab-case and stable; [`docs`] has a page for each.
    FindingKind {
        /// A condition that is always true or never.
        ConstantCondition = "constant-condition";
        /// A load of what was copied from somewhere that still holds it.
        CopyPropagation = "copy-propagation";
        /// A binding or a mutable scalar whose value nothing uses.
        DeadBinding = "dead-binding";
        /// A store that nothing can read.
        DeadStore = "dead-store";
        /// A value in a loop that is the same in every iteration.
        LoopInvariant = "loop-invariant";
        /// Threads exchange shared memory with no barrier between.
        MissingBarrier = "missing-barrier";
        /// Without `noalias`, writes of one parameter may change another.
        MissingNoalias = "missing-noalias";
        /// A load of memory that nothing has written.
        ReadBeforeWrite = "read-before-write";
        /// A condition that an enclosing one already decides.
        RedundantCondition = "redundant-condition";
        /// A load of a value that a name or an earlier store still holds.
        RedundantLoad = "redundant-load";
        /// A barrier across which threads exchange nothing.
        SuperfluousBarrier = "superfluous-barrier";
        /// Statements that cannot be executed.
        Unreachable = "unreachable";
    }
}

impl FindingKind {
    /// The kind of a name.
    pub fn from_name(name: &str) -> Option<FindingKind> {
        FindingKind::ALL.iter().copied().find(|it| it.name() == name)
    }

    /// Whether what it is about could go without a change of what the function does: editors show it faded.
    pub fn is_unnecessary(self) -> bool {
        use FindingKind::{DeadBinding, DeadStore, Unreachable};
        matches!(self, DeadBinding | DeadStore | Unreachable)
    }

    /// Whether its fixes are done unasked, by `fix` and by fixing all of a file: those that only remove, and change nothing that
    /// anybody could want to keep.
    pub fn is_fixed_by_default(self) -> bool {
        use FindingKind::{DeadBinding, DeadStore, RedundantCondition};
        matches!(self, DeadBinding | DeadStore | RedundantCondition)
    }
}

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct FindingKinds(u16);

impl FindingKinds {
    /// All of them.
    pub const ALL: FindingKinds = FindingKinds((1 << FindingKind::ALL.len()) - 1);

    /// None of them.
    pub const NONE: FindingKinds = FindingKinds(0);

    /// Whether a kind is in it.
    pub fn contains(self, kind: FindingKind) -> bool {
        self.0 & (1 << kind as u16) != 0
    }

    /// Adds a kind.
    pub fn insert(&mut self, kind: FindingKind) {
        self.0 |= 1 << kind as u16;
    }

    /// The kinds, sorted by name.
    pub fn iter(self) -> impl Iterator<Item = FindingKind> {
        FindingKind::ALL.iter().copied().filter(move |it| self.contains(*it))
    }
}

impl FromIterator<FindingKind> for FindingKinds {
    fn from_iter<T: IntoIterator<Item = FindingKind>>(kinds: T) -> FindingKinds {
        let mut set = FindingKinds::NONE;
        kinds.into_iter().for_each(|it| set.insert(it));
        set
    }
}

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

/// One finding.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// What it says.
    pub kind: FindingKind,
    /// What it is about.
    pub place: Place,
    /// Why.
    pub reason: Reason,
    /// What the reason rests on, the most important first.
    pub related: Vec<Related>,
    /// What to do about it, if it can be done mechanically.
    pub fix: Option<FindingFix>,
}

/// A place that a reason rests on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Related {
    /// Where.
    pub place: Place,
    /// What it has to do with the finding.
    pub role: Role,
}

/// What a related place has to do with a finding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// It writes the same memory before anything reads it.
    Overwrites,
    /// It uses the value, and is superfluous itself.
    DeadUse,
    /// It computes the same value earlier.
    SameValue,
    /// It stored the value that is read.
    Stored,
    /// It made the copy.
    Copy,
    /// It holds the value.
    Holder,
    /// It makes the memory, which holds no values yet.
    Allocation,
    /// It may write what matters, but not on every path.
    MayWrite,
    /// Its condition decides.
    Decides,
    /// The guard around another, which could have both conditions.
    Around,
    /// An earlier guard with the same condition.
    SameCondition,
    /// Nothing after it is executed.
    Ends,
    /// The loop that computes it again and again.
    Loop,
    /// A parameter that may share memory with another.
    MayAlias,
    /// It could be shared.
    Shareable,
    /// Another thread writes the shared memory here.
    WritesShared,
    /// Another thread reads the shared memory here.
    ReadsShared,
}

/// Why a finding holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Nothing uses the value.
    NeverUsed,
    /// Only what is superfluous itself uses the value.
    UsedByDeadOnly,
    /// Everything that it writes is written again before it is read ([`Role::Overwrites`]).
    Overwritten,
    /// Nothing reads the memory any more.
    NeverRead,
    /// The memory holds this very value already ([`Role::Stored`], [`Role::SameValue`]).
    StoredAlready,
    /// The value was read before, and nothing wrote the memory since ([`Role::SameValue`], [`Role::Holder`]).
    LoadedBefore,
    /// The value was stored before, and nothing wrote the memory since ([`Role::Stored`]).
    StoredBefore,
    /// It is a copy of something that still holds the value ([`Role::Copy`]).
    CopyOf {
        /// What it is a copy of.
        source: ExprId,
    },
    /// Nothing writes the memory before it is read ([`Role::Allocation`]).
    NeverWritten,
    /// On some path nothing writes the memory before it is read ([`Role::Allocation`], [`Role::MayWrite`]).
    MaybeNotWritten,
    /// The condition always has this value: by constants and ranges, or by an enclosing condition ([`Role::Decides`]).
    Always {
        /// The value.
        value: bool,
    },
    /// An operation before it ends the list ([`Role::Ends`]).
    AfterEnd,
    /// The condition of its arm is never true ([`Role::Decides`]).
    ArmNotTaken,
    /// The loop around it runs no iteration ([`Role::Loop`]).
    NoIteration,
    /// Nothing in it changes while the loop runs ([`Role::Loop`]).
    Invariant {
        /// Operations that one evaluation costs (`SEMANTICS.md` has the table).
        cost: u32,
    },
    /// With `noalias` more could be shared ([`Role::Shareable`]).
    WouldShare {
        /// Groups of equal values that could be shared then and cannot now.
        groups: u32,
        /// Evaluations that this would save (static count).
        saved: u32,
    },
    /// Parameters may overlap, which no fact about memory can rule out ([`Role::MayAlias`]).
    MayOverlap,
    /// It touches shared memory that another thread writes or reads, and nothing orders the two ([`Role::WritesShared`], [`Role::ReadsShared`]).
    Unordered {
        /// It reads what the other one writes; else it writes what the other one reads.
        reads: bool,
    },
    /// No thread depends across it on what another one does.
    OrdersNothing,
}

/// Edits that are done together.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FindingFix {
    /// What is done. Edits do not contradict each other; equal ones may stand in several fixes.
    pub edits: Vec<FixEdit>,
    /// Operations that must stay for the fix to be right. Those that define what its edits mention count by themselves.
    pub rests_on: Vec<OpId>,
}

/// One primitive edit.
#[derive(Clone, PartialEq, Debug)]
pub enum FixEdit {
    /// An operation goes, with all that is in it. A block that would be empty gets `T.evaluate(0)`.
    RemoveOp(OpId),
    /// An operation is replaced by what is in one of its regions; its condition is not evaluated any more.
    KeepRegion {
        /// The operation.
        op: OpId,
        /// Which of its regions.
        region: u32,
    },
    /// An occurrence becomes something else of the same type.
    Replace {
        /// The occurrence; no other edit touches what is in it.
        occurrence: OccurrenceId,
        /// What it becomes.
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
        /// What becomes the name; mostly `value` too.
        replaces: Vec<OccurrenceId>,
    },
    /// The function gets the attribute by which its parameters do not overlap.
    AddNoalias,
}

/// What takes the place of an occurrence.
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

impl Finding {
    /// Whether its fix is one that only informs ([`super::only_informs`]): it gives a value a name.
    pub fn only_informs(&self, body: &Body) -> bool {
        let names = |it: &FindingFix| it.edits.iter().any(|it| matches!(it, FixEdit::Bind { .. }));
        self.fix.as_ref().is_some_and(names) && super::only_informs(body)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_and_documented() {
        assert!(FindingKind::ALL.is_sorted_by_key(|it| it.name()));
        for &kind in FindingKind::ALL {
            assert_eq!(FindingKind::from_name(kind.name()), Some(kind));
            assert_eq!(docs::of(kind).name, kind.name());
        }
        assert_eq!(FindingKinds::ALL.iter().count(), FindingKind::ALL.len());
    }
}
