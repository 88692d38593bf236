//! The writes of a body, by the memory that they may change.
//!
//! A *chain* is a list of writes in the order of a walk of the scope tree. Every class has one for the writes that name
//! it; three more hold writes that change many classes at once, so that a barrier is one entry, not one a class: the
//! [`Reach`] of a class decides which of the three also concerns it. `touch` finds the writes of a step; their kind and
//! place are found here.

use ir::{Body, ExprKind, OccurrenceId, OpId, OpKind, ScopeAttr, arena::Id, effects::Asynchrony};
use rustc_hash::FxHashMap;

use super::WriteKind;
use crate::{
    alias::{AliasClasses, Reach},
    scopes::{ScopeId, ScopeTree},
    touch::{Cell, Part, Steps},
};

/// A write: a place after which memory may be another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    /// Just after this place; see [`before`] and [`after`].
    pub(super) at: u32,
    /// All that follows it in this scope and the scopes below sees it.
    pub(super) scope: ScopeId,
    pub(super) op: OpId,
    pub(super) kind: WriteKind,
}

/// The place where the operands of the operation of this order are evaluated.
pub(super) fn before(order: u32) -> u32 {
    2 * order
}
/// The place right after the operation of this order had its own effect.
pub(super) fn after(order: u32) -> u32 {
    2 * order + 1
}

#[derive(Clone, Default, Debug)]
pub(super) struct Chain {
    pub(super) writes: Vec<Write>,
    /// Starts of asynchronous copies into it: place and scope.
    pub(super) copies: Vec<(u32, ScopeId)>,
}

impl Chain {
    fn push(&mut self, write: Write) {
        if self.writes.last().is_none_or(|it| it.op != write.op) {
            self.writes.push(write);
        }
    }
    /// Returns the number of its writes that are done at a place.
    pub(super) fn done(&self, at: u32) -> usize {
        self.writes.partition_point(|it| it.at < at)
    }
}

/// The writes among the operands of one operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandWrites {
    /// The first call that writes.
    pub(super) first: OccurrenceId,
    /// True if there are several writes: then nothing orders them (`SEMANTICS: E1`).
    pub(super) many: bool,
}

/// All chains of a body.
#[derive(Clone, Default, Debug)]
pub(super) struct Events {
    /// By class; then those of [`Reach::Private`], [`Reach::Escaped`], [`Reach::Visible`].
    pub(super) chains: Vec<Chain>,
    /// Waits for asynchronous copies.
    pub(super) waits: Vec<(u32, ScopeId)>,
    pub(super) in_operands: FxHashMap<OpId, OperandWrites>,
    /// Places of loads of visible memory, sorted.
    visible_loads: Vec<u32>,
    pub(super) work: u64,
}

pub(super) fn shared_chain(aliases: &AliasClasses, reach: Reach) -> usize {
    aliases.len() + reach as usize
}

/// The chain of writes, or reads, of a cell; none if it is no memory of its own.
pub(super) fn chain_of(aliases: &AliasClasses, cell: Cell) -> Option<usize> {
    Some(match cell.part()? {
        Part::Class(class) => class.index(),
        Part::All(reach) => shared_chain(aliases, reach),
    })
}

struct Collector<'a> {
    steps: Steps<'a>,
    scopes: &'a ScopeTree,
    events: Events,
    /// Operations in a scope whose stores are asynchronous.
    is_async: Vec<bool>,
}

impl Events {
    pub(super) fn collect(steps: Steps<'_>, scopes: &ScopeTree, ends: &[u32]) -> Events {
        let chains = vec![Chain::default(); steps.aliases.len() + 3];
        let events = Events { chains, ..Events::default() };
        let body = steps.body;
        let mut this = Collector { steps, scopes, events, is_async: async_scopes(body) };
        for op in body.ops_preorder() {
            this.operands(op);
            this.own(op);
        }
        this.events.visible_loads.sort_unstable();
        this.polls(ends);
        // A walk of the dominator tree may differ from the order of blocks.
        for chain in &mut this.events.chains {
            if !chain.writes.is_sorted_by_key(|it| it.at) {
                chain.writes.sort_by_key(|it| it.at);
                chain.copies.sort_unstable();
            }
        }
        this.events.waits.sort_unstable();
        this.events
    }
}

impl Collector<'_> {
    /// The scope in which the operands of an operation are evaluated: that of a `while` in each iteration.
    fn scope(&self, op: OpId) -> ScopeId {
        let data = &self.steps.body.ops[op];
        match (data.kind, data.regions.first()) {
            (OpKind::While, Some(&region)) => self.scopes.of_block(self.steps.body.entry(region)),
            _ => self.scopes.of_op(op),
        }
    }

    fn write(&mut self, op: OpId, scope: ScopeId, kind: WriteKind, cells: &[Cell]) {
        let at = after(self.scopes.order(op));
        let write = Write { at, scope, op, kind };
        self.events.work += 1 + cells.len() as u64;
        let names_classes = cells.iter().any(|it| matches!(it.part(), Some(Part::Class(_))));
        for &cell in cells {
            let Some(index) = chain_of(self.steps.aliases, cell) else { continue };
            let is_class = matches!(cell.part(), Some(Part::Class(_)));
            let chain = &mut self.events.chains[index];
            chain.push(write);
            // Of a copy into named memory, the rest of what it changes is no target.
            if kind == WriteKind::AsyncCopy && (is_class || !names_classes) {
                chain.copies.push((at, scope));
            }
        }
    }

    /// The writes among the operands of an operation.
    fn operands(&mut self, op: OpId) {
        let Steps { body, occurrences, .. } = self.steps;
        let scope = self.scope(op);
        let mut next = None;
        for id in occurrences.of_op(op) {
            if next.is_some_and(|it| id < it) {
                continue;
            }
            self.events.work += 1;
            let node = body.expr(occurrences[id].expr);
            let flags = node.flags;
            if !flags.has_call && !flags.has_unknown && !flags.has_load {
                next = Some(occurrences[id].end);
                continue;
            }
            let touch = self.steps.occurrence(id);
            if touch.reads.iter().any(|it| self.is_visible(*it)) {
                self.events.visible_loads.push(before(self.scopes.order(op)));
            }
            if touch.writes.is_empty() {
                continue;
            }
            let (kind, is_wait) = self.kind_of(node.kind);
            if is_wait {
                self.events.waits.push((after(self.scopes.order(op)), scope));
            }
            self.events
                .in_operands
                .entry(op)
                .and_modify(|it| it.many = true)
                .or_insert(OperandWrites { first: id, many: false });
            self.write(op, scope, kind, &touch.writes);
        }
    }

    /// Returns true if other threads may write the memory.
    fn is_visible(&self, cell: Cell) -> bool {
        match cell.part() {
            Some(Part::Class(class)) => self.steps.aliases.reach(class) == Reach::Visible,
            Some(Part::All(reach)) => reach == Reach::Visible,
            None => false,
        }
    }

    /// Returns the kind of write of a node that writes, and whether it waits for asynchronous copies.
    fn kind_of(&self, kind: ExprKind) -> (WriteKind, bool) {
        let ExprKind::Call { .. } = kind else { return (WriteKind::Opaque, false) };
        let effects = self.steps.effects.call(self.steps.body, kind);
        if effects.is_barrier() {
            return (WriteKind::Barrier, effects.asynchrony == Asynchrony::Wait);
        }
        let is_copy = effects.may_write() && effects.asynchrony == Asynchrony::Copy;
        (if is_copy { WriteKind::AsyncCopy } else { WriteKind::Call }, false)
    }

    /// The write of an operation itself, after its operands are evaluated.
    fn own(&mut self, op: OpId) {
        let writes = self.steps.operation(op).writes;
        if writes.is_empty() {
            return;
        }
        let scope = self.scopes.of_op(op);
        let kind = match self.steps.body.ops[op].kind {
            OpKind::Store { .. } if self.is_async.get(op.index()).is_some_and(|it| *it) => {
                WriteKind::AsyncCopy
            }
            OpKind::Store { .. } => WriteKind::Store,
            OpKind::Alloc { .. } => WriteKind::Allocation,
            OpKind::Attr(_) => {
                self.events.waits.push((after(self.scopes.order(op)), scope));
                WriteKind::Barrier
            }
            _ => WriteKind::Opaque,
        };
        self.write(op, scope, kind, &writes);
    }

    /// A `while` that reads visible memory may wait for another thread to write (`SEMANTICS: Y5`): after it, everything
    /// visible may be another.
    fn polls(&mut self, ends: &[u32]) {
        for op in self.steps.body.ops_preorder() {
            if self.steps.body.ops[op].kind != OpKind::While || !self.scopes.contains(op) {
                continue;
            }
            let start = before(self.scopes.order(op));
            let end = before(ends[op.index()]);
            let loads = &self.events.visible_loads;
            let first = loads.partition_point(|&it| it < start);
            if loads.get(first).is_some_and(|&it| it <= end) {
                let scope = self.scopes.of_op(op);
                self.write(op, scope, WriteKind::Polled, &[Cell::reach(Reach::Visible)]);
            }
        }
        let chain = shared_chain(self.steps.aliases, Reach::Visible);
        self.events.chains[chain].writes.sort_by_key(|it| it.at);
    }
}

/// For each operation whether it is in a scope whose stores are asynchronous copies. Empty if there is none.
fn async_scopes(body: &Body) -> Vec<bool> {
    let is_mark = |op| body.scope_attr(op) == Some(ScopeAttr::AsyncScope);
    if !body.ops.ids().any(is_mark) {
        return Vec::new();
    }
    let mut is_async = vec![false; body.ops.len()];
    for op in body.ops_preorder() {
        let above = body.parent_op(op);
        is_async[op.index()] = above.is_some_and(|it| is_mark(it) || is_async[it.index()]);
    }
    is_async
}
