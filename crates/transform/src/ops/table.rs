//! The operations that are known where a walk is: a hash table whose scopes close.
//!
//! Nothing is taken out of the table when a scope closes. A later entry under the same key replaces one that is no
//! longer visible, so every operation costs one insertion, and closing a scope costs nothing.

use ir::OpId;

/// A scope, by its number in the order of opening.
pub(super) type ScopeIdx = u32;

/// A known operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) op: OpId,
    /// Half of it: a body may have a million known operations.
    pub(super) hash: u32,
    pub(super) scope: ScopeIdx,
    /// Of memory, when the operation was met.
    pub(super) epoch: u32,
}

impl Known {
    pub(super) fn new(op: OpId, hash: u64, scope: ScopeIdx, epoch: u32) -> Known {
        Known { op, hash: shorten(hash), scope, epoch }
    }
}

fn shorten(hash: u64) -> u32 {
    (hash ^ (hash >> 32)) as u32
}

/// Operations by their hashes, with open addressing: nothing is ever taken out.
#[derive(Default)]
pub(super) struct Entries {
    known: Vec<Known>,
    /// Numbers of `known` plus one; 0 is free. A power of two, of which at most five eighths are taken.
    slots: Vec<u32>,
}

impl Entries {
    /// Room for so many: a list that grows is copied, and memory that is not written to is not there.
    fn with_capacity(n: usize) -> Entries {
        Entries { known: Vec::with_capacity(n), slots: Vec::new() }
    }

    fn find(&self, hash: u32, mut is_it: impl FnMut(&Known) -> bool) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at] as usize;
            let known = self.known.get(slot.checked_sub(1)?)?;
            if known.hash == hash && is_it(known) {
                return Some(slot - 1);
            }
            at = (at + 1) & mask;
        }
    }

    fn insert(&mut self, new: Known) {
        if (self.known.len() + 1) * 8 > self.slots.len() * 5 {
            let n = (self.slots.len() * 2).max(64);
            // The old ones go first.
            self.slots = Vec::new();
            self.slots = vec![0; n];
            for at in 0..self.known.len() {
                self.place(at);
            }
        }
        self.known.push(new);
        self.place(self.known.len() - 1);
    }

    fn place(&mut self, number: usize) {
        let mask = self.slots.len() - 1;
        let mut at = self.known[number].hash as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = number as u32 + 1;
    }
}

/// Known operations, and which scopes are open.
#[derive(Default)]
pub(super) struct Table {
    entries: Entries,
    is_open: Vec<bool>,
}

impl Table {
    /// A table for the operations of a body of so many.
    pub(super) fn with_capacity(n_ops: usize) -> Table {
        Table { entries: Entries::with_capacity(n_ops), is_open: Vec::new() }
    }

    /// Opens a scope.
    pub(super) fn open(&mut self) -> ScopeIdx {
        self.is_open.push(true);
        (self.is_open.len() - 1) as ScopeIdx
    }

    pub(super) fn close(&mut self, scope: ScopeIdx) {
        self.is_open[scope as usize] = false;
    }

    /// Takes the known operations away, for regions that must not see them. Scopes stay.
    pub(super) fn take(&mut self) -> Entries {
        std::mem::take(&mut self.entries)
    }

    pub(super) fn put(&mut self, entries: Entries) {
        self.entries = entries;
    }

    /// Returns true if a scope is open.
    pub(super) fn is_open(&self, scope: ScopeIdx) -> bool {
        self.is_open[scope as usize]
    }

    /// The operations that are known under the key: one that is visible, and the last that is not.
    pub(super) fn look_up(
        &self,
        hash: u64,
        mut is_equal: impl FnMut(&Known) -> bool,
    ) -> (Option<Known>, Option<Known>) {
        let mut closed = None;
        let open = self.entries.find(shorten(hash), |it| {
            let is_open = self.is_open[it.scope as usize];
            if !is_open && is_equal(it) {
                closed = Some(*it);
            }
            is_open && is_equal(it)
        });
        (open.map(|at| self.entries.known[at]), closed)
    }

    /// The operation that is known under the key and visible.
    pub(super) fn find(&self, hash: u64, is_equal: impl FnMut(&Known) -> bool) -> Option<Known> {
        self.look_up(hash, is_equal).0
    }

    /// Makes an operation known, in the place of one that is no longer visible if there is one.
    pub(super) fn insert(&mut self, new: Known, instead_of: Option<Known>) {
        match instead_of {
            Some(old) => self.replace(old.op, new),
            None => self.entries.insert(new),
        }
    }

    /// As [`Table::find`], or makes the operation known. One that is equal and no longer visible is replaced.
    pub(super) fn find_or_insert(
        &mut self,
        new: Known,
        is_equal: impl FnMut(&Known) -> bool,
    ) -> Option<Known> {
        let Some(at) = self.entries.find(new.hash, is_equal) else {
            self.entries.insert(new);
            return None;
        };
        let found = self.entries.known[at];
        if self.is_open[found.scope as usize] {
            return Some(found);
        }
        self.entries.known[at] = new;
        None
    }

    /// Puts an operation in the place of one that is known under the same hash.
    pub(super) fn replace(&mut self, old: OpId, new: Known) {
        if let Some(at) = self.entries.find(new.hash, |it| it.op == old) {
            self.entries.known[at] = new;
        }
    }
}
