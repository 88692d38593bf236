//! Obstacles between two loads of one address.

use ir::{OccurrenceId, OpId, arena::Id};

use super::{
    MemoryVersions, Origin, WriteKind,
    events::{Write, before},
    reach::Place,
};
use crate::alias::AliasClass;

/// The first write between two loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Obstacle {
    /// The operation that writes, or whose load counts as new.
    pub op: OpId,
    /// The kind of the write; `None` for a load that is new each time: volatile, polled, or unordered with a write.
    pub kind: Option<WriteKind>,
    /// The loop (or the statement that runs its body again, or by several threads) through whose next round it reaches
    /// the load, when it comes after it.
    pub around: Option<OpId>,
}

/// Writes of other arms that are passed over before giving up.
const FUEL: usize = 64;

impl MemoryVersions<'_> {
    /// Returns `Ok` if an occurrence and its operands would read the same memory contents right before `op`, an
    /// operation that dominates it; otherwise the obstacle between them. For a `while`, the place is before the whole
    /// loop.
    pub fn reads_same(&self, top: OccurrenceId, op: OpId) -> Result<(), Obstacle> {
        let place = Place { scope: self.scopes.of_op(op), at: before(self.scopes.order(op)) };
        for index in top.index()..self.occurrences[top].end.index() {
            let id = OccurrenceId::new(index);
            let Some(class) = self.class_of(id) else { continue };
            let here = self.at_occurrence(id, class);
            if here.origin() != self.change(class, place, &mut 0).origin {
                let fallback = Obstacle { op: self.occurrences[id].op, kind: None, around: None };
                return Err(self.obstacle_to(class, place.at, id).unwrap_or(fallback));
            }
        }
        Ok(())
    }

    /// The first write that may happen between two reads of one class, `from` before `to` in the text. None if
    /// the two read one version, or are no reads of one class.
    pub fn obstacle(&self, from: OccurrenceId, to: OccurrenceId) -> Option<Obstacle> {
        let class = self.class_of(to)?;
        if self.class_of(from)? != class {
            return None;
        }
        let (first, second) = (self.of_load(from)?, self.of_load(to)?);
        if first == second {
            return None;
        }
        let start = self.place_of(self.occurrences[from].op);
        self.obstacle_to(class, start.at, to)
    }

    /// The first write of a class from the place `start` on that reaches a read.
    fn obstacle_to(&self, class: AliasClass, start: u32, to: OccurrenceId) -> Option<Obstacle> {
        let op = self.occurrences[to].op;
        let place = self.place_of(op);
        let between = |it: &Write| it.at < place.at && self.may_precede(place, *it);
        if let Some(write) = self.first_from(class, start, between) {
            return Some(Obstacle { op: write.op, kind: Some(write.kind), around: None });
        }
        let origin = self.of_load(to)?.origin();
        if let Origin::Load(_) = origin {
            return Some(Obstacle { op, kind: None, around: None });
        }
        let around = match origin {
            Origin::LoopEntry(around) => Some(around),
            // Threads, blocks with an `init`, and blocks that several paths lead to.
            Origin::BlockEntry(block) => self.scopes.creator(self.scopes.of_block(block)),
            _ => None,
        };
        if let Some(around) = around {
            let end = before(self.tables.ends[around.index()]) + 1;
            let inside = |it: &Write| it.at <= end;
            let write = self
                .first_from(class, place.at, inside)
                .or_else(|| self.first_from(class, before(self.scopes.order(around)), inside));
            let (op, kind) =
                write.map_or((around, Some(WriteKind::Polled)), |it| (it.op, Some(it.kind)));
            return Some(Obstacle { op, kind, around: Some(around) });
        }
        Some(Obstacle { op, kind: Some(WriteKind::Opaque), around: None })
    }

    fn first_from(
        &self,
        class: AliasClass,
        start: u32,
        fits: impl Fn(&Write) -> bool,
    ) -> Option<Write> {
        let firsts = self.chains(class).map(|chain| {
            let from = chain.done(start);
            chain.writes[from..].iter().take(FUEL).find(|it| fits(it)).copied()
        });
        firsts.into_iter().flatten().min_by_key(|it| it.at)
    }
}
