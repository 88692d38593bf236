//! Reaching definitions of memory: the write that a place sees.
//!
//! For one chain: the last place before it, dominating it, after which memory may be another. That is a write, the end
//! of a statement that holds one, or the start of a loop that has one. No table of joins is made: the nearest writes of
//! the chain before and after the place, their common scopes with it and the loops around these say which of them it
//! is. O(log writes + log depth), and as often again as a neighbouring arm of an enclosing `if` hides the nearest
//! write, at most [`FUEL`] times; then the start of the arm counts as a change, which is never wrong.

use ir::{OpId, OpKind, arena::Id};

use super::{
    MemoryVersions, Origin,
    events::{Chain, Write, after, before},
};
use crate::scopes::ScopeId;

/// Arms looked past in one question.
const FUEL: u32 = 32;

/// A place in the program: code of `scope` with this number among the places of a walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) scope: ScopeId,
    pub(super) at: u32,
}

/// A change of memory: the place after which it holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) at: u32,
    pub(super) origin: Origin,
}

impl Change {
    const ENTRY: Change = Change { at: 0, origin: Origin::Entry };

    /// The later of two changes that both dominate one place. Of two at one place, the more exact one.
    pub(super) fn later(self, other: Change) -> Change {
        let rank = |it: Change| (it.at, !matches!(it.origin, Origin::After(_)));
        if rank(other) > rank(self) { other } else { self }
    }
}

/// The place where a write stands to a place.
enum Relation {
    /// In a scope around the place.
    Around,
    /// In another arm of this `if` around the place: one of the two runs.
    OtherArm(OpId),
    /// In another region of the operation that made this scope around the place.
    OtherRegion(ScopeId),
    /// Inside this operation of a scope around the place.
    Inside(OpId, ScopeId),
}

impl MemoryVersions<'_> {
    /// The last change of a chain before a place. With `polls`, also that of memory that others may write at any time.
    pub(super) fn reaching(
        &self,
        chain: &Chain,
        place: Place,
        polls: bool,
        work: &mut u64,
    ) -> Change {
        let mut place = place;
        for _ in 0..FUEL {
            *work += 1;
            let done = chain.done(place.at);
            let last = done.checked_sub(1).map(|it| chain.writes[it]);
            let next = chain.writes.get(done).copied();
            let mut entry = self.entry(place.scope, polls);
            for write in [last, next].into_iter().flatten() {
                let common = self.scopes.common(place.scope, write.scope);
                entry = entry.max(self.tables.loop_of[common.index()]);
                if let Relation::OtherRegion(scope) = self.relation(place, write) {
                    entry = entry.max(Some(scope));
                }
            }
            let entry = entry.map_or(Change::ENTRY, |it| self.start_of(it));
            let Some(last) = last else { return entry };
            let change = match self.relation(place, last) {
                Relation::Around => Change { at: last.at, origin: Origin::Write(last.op) },
                Relation::OtherRegion(_) => return entry,
                Relation::Inside(op, scope) => self.change_after(op, scope, last),
                Relation::OtherArm(op) => {
                    if entry.at > before(self.scopes.order(op)) {
                        return entry;
                    }
                    place =
                        Place { scope: self.scopes.of_op(op), at: before(self.scopes.order(op)) };
                    continue;
                }
            };
            return entry.later(change);
        }
        self.start_of(place.scope)
    }

    /// The innermost scope around (or at) this one at whose start memory counts as changed, whatever is written.
    fn entry(&self, scope: ScopeId, polls: bool) -> Option<ScopeId> {
        let joined = self.tables.joined[scope.index()];
        if polls { joined.max(self.tables.polled[scope.index()]) } else { joined }
    }

    pub(super) fn start_of(&self, scope: ScopeId) -> Change {
        let at = before(self.scopes.start(scope));
        let origin = match self.scopes.creator(scope) {
            Some(op) if matches!(self.body.ops[op].kind, OpKind::For(_) | OpKind::While) => {
                Origin::LoopEntry(op)
            }
            _ => Origin::BlockEntry(self.scopes.block(scope)),
        };
        Change { at, origin }
    }

    /// The change that a write inside `op` makes after it: the write itself if nothing but plain nesting is between.
    fn change_after(&self, op: OpId, below: ScopeId, write: Write) -> Change {
        let straight = self.tables.straight[write.scope.index()];
        if straight < below {
            return Change { at: write.at, origin: Origin::Write(write.op) };
        }
        Change { at: after(self.tables.ends[op.index()]), origin: Origin::After(op) }
    }

    fn relation(&self, place: Place, write: Write) -> Relation {
        let scopes = self.scopes;
        let common = scopes.common(place.scope, write.scope);
        let Some(below) = scopes.child_towards(common, write.scope) else {
            return Relation::Around;
        };
        let holder = scopes.creator(below).expect("only the scope of the function has no creator");
        let Some(own) = scopes.child_towards(common, place.scope) else {
            return Relation::Inside(holder, below);
        };
        if scopes.creator(own) != Some(holder) {
            return Relation::Inside(holder, below);
        }
        match self.body.ops[holder].kind {
            OpKind::If => Relation::OtherArm(holder),
            _ => Relation::OtherRegion(own),
        }
    }

    /// Returns true if a write is on some path to the place, so not in another arm of an `if` around both.
    pub(super) fn may_precede(&self, place: Place, write: Write) -> bool {
        !matches!(self.relation(place, write), Relation::OtherArm(_))
    }

    /// Returns true if an asynchronous copy into the chain may be in flight at a place (`SEMANTICS: Y3`).
    pub(super) fn in_flight(&self, chain: &Chain, place: Place, work: &mut u64) -> bool {
        if chain.copies.is_empty() {
            return false;
        }
        *work += 1;
        let done = chain.copies.partition_point(|it| it.0 < place.at);
        let waits = &self.tables.events.waits;
        let past = waits.partition_point(|it| it.0 < place.at);
        // A wait of a scope around the place is done whenever the place is reached.
        let wait = waits[past.saturating_sub(8)..past]
            .iter()
            .rev()
            .find(|it| self.scopes.is_ancestor(it.1, place.scope));
        if done > 0 && wait.is_none_or(|it| it.0 < chain.copies[done - 1].0) {
            return true;
        }
        // A copy of the iteration before, not waited for in this one.
        let Some(&(_, next)) = chain.copies.get(done) else { return false };
        let around = self.tables.loop_of[self.scopes.common(place.scope, next).index()];
        around.is_some_and(|around| wait.is_none_or(|it| !self.scopes.is_ancestor(around, it.1)))
    }
}
