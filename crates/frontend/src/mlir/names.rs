//! Names of values and blocks while a unit is read: the definition that a use sees, and uses before their definition.
//!
//! A value's name is visible in its region and the regions below, up to an operation that is isolated from above. Each
//! name has one binding at a time; leaving a region undoes its bindings (an undo log). A use without a visible
//! definition waits in a list of its name; a definition takes those waiting uses that stand in its own region.
//! Amortised O(1) a use and a definition.

use ir::{BlockId, NameId, OpId, ValueId, arena::Id};
use rustc_hash::FxHashMap;

/// Nothing bound; no value.
pub(super) const NONE: u32 = u32::MAX;

/// The place where a waiting use is to be put in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// The operand with this number.
    Operand(u32),
    /// An argument of a successor.
    Argument(u32, u32),
}

/// A use before its definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) op: OpId,
    pub(super) slot: Slot,
    pub(super) name: NameId,
    /// `#n`
    pub(super) number: u32,
    pub(super) place: (u32, u32),
    /// The one before of this name.
    next: u32,
    isolation: u32,
    pub(super) done: bool,
    /// True if it may be no use at all, as what it stands in is not understood.
    pub(super) is_perhaps: bool,
}

/// A region that is open.
struct Scope {
    undo: u32,
    waiting: u32,
    labels: u32,
    isolated: bool,
    /// The number of outer bindings that it hides.
    hides: u32,
}

/// The label of a block. In order: of equal names the first block comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Label {
    pub(super) name: NameId,
    pub(super) block: BlockId,
    /// The place where it stands in the text.
    pub(super) start: u32,
}

/// The names of a unit.
#[derive(Default)]
pub(super) struct Names {
    /// By name: the first value of the pack, or [`NONE`]. Small: there is one for each name of a unit.
    bindings: Vec<u32>,
    /// The values before this one are hidden: they were made outside of an isolated region.
    hides: u32,
    /// The number of values of the packs of more than one, by the first.
    packs: FxHashMap<u32, u32>,
    /// The names that were bound, in this order.
    undo: Vec<NameId>,
    /// The hidden binding of each, by its place in `undo`; most names are bound once.
    hidden: Vec<(u32, u32)>,
    scopes: Vec<Scope>,
    isolation: u32,
    waiting: Vec<Waiting>,
    /// The last waiting use of a name.
    waits: FxHashMap<NameId, u32>,
    labels: Vec<Label>,
}

/// The meaning of a name at a use.
pub(super) enum Found {
    Value(ValueId),
    /// The pack has no such number.
    OutOfPack,
    Nothing,
}

impl Names {
    fn binding(&mut self, name: NameId) -> &mut u32 {
        let at = name.index();
        if self.bindings.len() <= at {
            self.bindings.resize(at + 1, NONE);
        }
        &mut self.bindings[at]
    }

    pub(super) fn lookup(&mut self, name: NameId, number: u32) -> Found {
        let first = *self.binding(name);
        if first == NONE || first < self.hides {
            return Found::Nothing;
        }
        let is_in_pack = number == 0 || self.packs.get(&first).is_some_and(|&count| number < count);
        match is_in_pack {
            true => Found::Value(ValueId::new((first + number) as usize)),
            false => Found::OutOfPack,
        }
    }

    /// Binds a name to a pack of values. Gives the value that already had the name, and hands the uses that waited for
    /// it to `resolve`.
    pub(super) fn define(
        &mut self,
        name: NameId,
        first: ValueId,
        count: u32,
        mut resolve: impl FnMut(&Waiting, Option<ValueId>),
    ) -> Option<ValueId> {
        let isolation = self.isolation;
        let opened = self.scopes.last().map_or(0, |it| it.waiting);
        let old = *self.binding(name);
        if old != NONE {
            self.hidden.push((self.undo.len() as u32, old));
        }
        self.undo.push(name);
        if count > 1 {
            self.packs.insert(first.index() as u32, count);
        }
        if let Some(last) = self.waits.get_mut(&name) {
            let mut waiting = *last;
            while waiting != NONE && waiting >= opened {
                let use_ = &mut self.waiting[waiting as usize];
                if use_.isolation == isolation {
                    use_.done = true;
                    let value = (use_.number < count)
                        .then(|| ValueId::new(first.index() + use_.number as usize));
                    resolve(use_, value);
                }
                waiting = use_.next;
            }
            *last = waiting;
        }
        *self.binding(name) = first.index() as u32;
        let visible = old != NONE && old >= self.hides;
        visible.then(|| ValueId::new(old as usize))
    }

    /// Remembers a use without a definition.
    pub(super) fn wait(
        &mut self,
        op: OpId,
        slot: Slot,
        name: NameId,
        number: u32,
        place: (u32, u32),
        is_perhaps: bool,
    ) {
        let at = self.waiting.len() as u32;
        let isolation = self.isolation;
        let next = self.waits.insert(name, at).unwrap_or(NONE);
        let done = false;
        self.waiting.push(Waiting {
            op,
            slot,
            name,
            number,
            place,
            next,
            isolation,
            done,
            is_perhaps,
        });
    }

    /// Returns true if a name was used before its definition.
    pub(super) fn has_waited(&self) -> bool {
        self.n_waited() > 0
    }

    /// The number of uses before their definition.
    pub(super) fn n_waited(&self) -> usize {
        self.waiting.len()
    }

    /// Ends the waiting of the uses of which `is_resolved` says that they have their value now.
    pub(super) fn resolve_waiting(&mut self, mut is_resolved: impl FnMut(&Waiting) -> bool) {
        for it in self.waiting.iter_mut().filter(|it| !it.done) {
            it.done = is_resolved(it);
        }
    }

    /// The uses that nothing has defined.
    pub(super) fn undefined(&self) -> impl Iterator<Item = &Waiting> {
        self.waiting.iter().filter(|it| !it.done)
    }

    /// A region begins, at the value with this number.
    pub(super) fn open_region(&mut self, isolated: bool, n_values: usize) {
        self.scopes.push(Scope {
            undo: self.undo.len() as u32,
            waiting: self.waiting.len() as u32,
            labels: self.labels.len() as u32,
            isolated,
            hides: self.hides,
        });
        if isolated {
            self.hides = n_values as u32;
        }
        self.isolation += u32::from(isolated);
    }

    /// Names a block of the open region.
    pub(super) fn label(&mut self, label: Label) {
        self.labels.push(label);
    }

    /// Ends the open region; its labels are given to `labels` first, sorted: of equal names the first block comes
    /// first.
    pub(super) fn close_region(&mut self, labels: impl FnOnce(&[Label])) {
        let Some(scope) = self.scopes.pop() else { return };
        let own = &mut self.labels[scope.labels as usize..];
        own.sort_unstable();
        labels(own);
        self.hides = scope.hides;
        self.labels.truncate(scope.labels as usize);
        while self.undo.len() > scope.undo as usize {
            let Some(name) = self.undo.pop() else { break };
            let at = self.undo.len() as u32;
            let before = self.hidden.pop_if(|it| it.0 == at).map_or(NONE, |it| it.1);
            *self.binding(name) = before;
        }
        self.isolation -= u32::from(scope.isolated);
    }
}
