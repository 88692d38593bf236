//! The writes of a body, by what they may change.
//!
//! A *chain* is a list of writes in the order of a walk of the scope tree. Every class has one for the writes that name
//! it; three more hold what changes many classes at once, so that a barrier is one entry, not one a class: the
//! [`Reach`] of a class says which of the three also concerns it.

use ir::{
    Body, Callee, ExprKind, OccurrenceId, Occurrences, OpId, OpKind,
    arena::Id,
    effects::{Asynchrony, EffectTable, Flags, MemoryEffect, MemorySet, OpEffects},
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::WriteKind;
use crate::{
    alias::{AliasClass, AliasClasses, Reach, is_address_of},
    scopes::{ScopeId, ScopeTree},
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
/// The place right after the operation of this order did what it does itself.
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
    /// How many of its writes are done when the program is at a place.
    pub(super) fn done(&self, at: u32) -> usize {
        self.writes.partition_point(|it| it.at < at)
    }
}

/// The writes among the operands of one operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandWrites {
    /// The first call that writes.
    pub(super) first: OccurrenceId,
    /// Whether there are more: then nothing orders them (`SEMANTICS: E1`).
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

/// What one call or statement may write.
#[derive(Default)]
struct Targets {
    classes: SmallVec<[AliasClass; 4]>,
    reaches: [bool; 3],
}

impl Targets {
    fn all_but_private() -> Targets {
        Targets { reaches: [false, true, true], ..Targets::default() }
    }
    fn everything() -> Targets {
        Targets { reaches: [true; 3], ..Targets::default() }
    }
}

struct Collector<'a> {
    body: &'a Body,
    occurrences: &'a Occurrences,
    scopes: &'a ScopeTree,
    effects: &'a EffectTable,
    aliases: &'a AliasClasses,
    events: Events,
    /// Operations in a scope whose stores are asynchronous.
    is_async: Vec<bool>,
}

impl Events {
    pub(super) fn collect(
        body: &Body,
        occurrences: &Occurrences,
        scopes: &ScopeTree,
        effects: &EffectTable,
        aliases: &AliasClasses,
        ends: &[u32],
    ) -> Events {
        let events =
            Events { chains: vec![Chain::default(); aliases.len() + 3], ..Events::default() };
        let is_async = async_scopes(body);
        let mut this = Collector { body, occurrences, scopes, effects, aliases, events, is_async };
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
        let data = &self.body.ops[op];
        match (data.kind, data.regions.first()) {
            (OpKind::While, Some(&region)) => self.scopes.of_block(self.body.entry(region)),
            _ => self.scopes.of_op(op),
        }
    }

    fn write(&mut self, op: OpId, scope: ScopeId, kind: WriteKind, targets: &Targets) {
        let at = after(self.scopes.order(op));
        let write = Write { at, scope, op, kind };
        self.events.work += 1 + targets.classes.len() as u64;
        for class in &targets.classes {
            self.events.chains[class.index()].push(write);
        }
        let is_copy = kind == WriteKind::AsyncCopy;
        for (index, _) in targets.reaches.iter().enumerate().filter(|it| *it.1) {
            let chain = &mut self.events.chains[self.aliases.len() + index];
            chain.push(write);
            if is_copy && targets.classes.is_empty() {
                chain.copies.push((at, scope));
            }
        }
        if is_copy {
            for class in &targets.classes {
                self.events.chains[class.index()].copies.push((at, scope));
            }
        }
    }

    /// The writes among the operands of an operation.
    fn operands(&mut self, op: OpId) {
        let body = self.body;
        let scope = self.scope(op);
        let mut next = None;
        for id in self.occurrences.of_op(op) {
            if next.is_some_and(|it| id < it) {
                continue;
            }
            self.events.work += 1;
            let node = body.expr(self.occurrences[id].expr);
            let flags = node.flags;
            if !flags.has_call && !flags.has_unknown && !flags.has_load {
                next = Some(self.occurrences[id].end);
                continue;
            }
            let (kind, targets) = match node.kind {
                ExprKind::Load { buffer, .. } | ExprKind::Region(buffer, _) => {
                    if self.aliases.reach(self.aliases.class(buffer)) == Reach::Visible {
                        self.events.visible_loads.push(before(self.scopes.order(op)));
                    }
                    continue;
                }
                ExprKind::Opaque { .. } => (WriteKind::Opaque, Targets::everything()),
                ExprKind::Call { callee, .. } => match self.call(callee, id) {
                    Some(it) => it,
                    None => continue,
                },
                _ => continue,
            };
            if kind == WriteKind::Barrier && self.is_wait(node.kind) {
                self.events.waits.push((after(self.scopes.order(op)), scope));
            }
            self.events
                .in_operands
                .entry(op)
                .and_modify(|it| it.many = true)
                .or_insert(OperandWrites { first: id, many: false });
            self.write(op, scope, kind, &targets);
        }
    }

    fn is_wait(&self, kind: ExprKind) -> bool {
        let ExprKind::Call { callee, .. } = kind else { return false };
        self.effects.callee(self.body, callee).asynchrony == Asynchrony::Wait
    }

    /// What a call may write; none if it writes nothing.
    fn call(&self, callee: Callee, id: OccurrenceId) -> Option<(WriteKind, Targets)> {
        let effects = self.effects.callee(self.body, callee);
        // Control goes elsewhere; no memory is written.
        if effects.flags.contains(Flags::TERMINATOR) {
            return None;
        }
        if !effects.may_write() && !effects.is_barrier() {
            let is_async = effects.asynchrony != Asynchrony::None;
            return is_async.then(|| (WriteKind::Call, Targets::all_but_private()));
        }
        let mut targets = Targets::default();
        let knows_arguments =
            arguments(self.body, self.occurrences, self.aliases, id, &mut targets.classes);
        let is_copy = effects.asynchrony == Asynchrony::Copy;
        let kind = match effects {
            _ if effects.is_barrier() => WriteKind::Barrier,
            _ if is_copy => WriteKind::AsyncCopy,
            _ => WriteKind::Call,
        };
        if reaches_more(effects, knows_arguments) || is_copy || kind == WriteKind::Barrier {
            targets.reaches = [false, true, true];
        }
        Some((kind, targets))
    }

    /// What an operation itself writes after its operands are evaluated.
    fn own(&mut self, op: OpId) {
        let body = self.body;
        let scope = self.scopes.of_op(op);
        let one = |class| Targets { classes: SmallVec::from_slice(&[class]), ..Targets::default() };
        match body.ops[op].kind {
            OpKind::Store { buffer, .. } => {
                let is_async = self.is_async.get(op.index()).is_some_and(|it| *it);
                let kind = if is_async { WriteKind::AsyncCopy } else { WriteKind::Store };
                self.write(op, scope, kind, &one(self.aliases.class(buffer)));
            }
            OpKind::Alloc { buffer, .. } => {
                self.write(op, scope, WriteKind::Allocation, &one(self.aliases.class(buffer)));
            }
            OpKind::Opaque(_) | OpKind::Named(_) => {
                self.write(op, scope, WriteKind::Opaque, &Targets::everything());
            }
            OpKind::Attr(key) if body.name(key).starts_with("async_wait") => {
                self.events.waits.push((after(self.scopes.order(op)), scope));
                self.write(op, scope, WriteKind::Barrier, &Targets::all_but_private());
            }
            _ => {}
        }
    }

    /// A `while` that reads visible memory may wait for another thread to write (`SEMANTICS: Y5`): after it, everything
    /// visible may be another.
    fn polls(&mut self, ends: &[u32]) {
        for op in self.body.ops_preorder() {
            if self.body.ops[op].kind != OpKind::While || !self.scopes.contains(op) {
                continue;
            }
            let start = before(self.scopes.order(op));
            let end = before(ends[op.index()]);
            let loads = &self.events.visible_loads;
            let first = loads.partition_point(|&it| it < start);
            if loads.get(first).is_some_and(|&it| it <= end) {
                let scope = self.scopes.of_op(op);
                let targets =
                    Targets { reaches: [false, false, true], classes: SmallVec::default() };
                self.write(op, scope, WriteKind::Polled, &targets);
            }
        }
        let chain = shared_chain(self.aliases, Reach::Visible);
        self.events.chains[chain].writes.sort_by_key(|it| it.at);
    }
}

/// Collects the classes that the arguments of a call are addresses or elements of. False if one may be of anything, or there
/// is none.
pub(super) fn arguments(
    body: &Body,
    occurrences: &Occurrences,
    aliases: &AliasClasses,
    call: OccurrenceId,
    classes: &mut SmallVec<[AliasClass; 4]>,
) -> bool {
    let mut known = true;
    let end = occurrences[call].end;
    let mut at = OccurrenceId::new(call.index() + 1);
    while at < end {
        let class = match body.expr(occurrences[at].expr).kind {
            ExprKind::Load { buffer, .. } => Some(aliases.class(buffer)),
            _ => aliases.of_address(occurrences[at].expr),
        };
        if let Some(class) = class {
            known &= class != aliases.world();
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        at = occurrences[at].end;
    }
    known && !classes.is_empty()
}

/// Whether a call may touch more than its arguments name.
pub(super) fn reaches_more(effects: &OpEffects, knows_arguments: bool) -> bool {
    let named = effects.memory.contains(MemorySet::ARGUMENT) && knows_arguments;
    let wide = MemorySet::GLOBAL.union(MemorySet::SHARED);
    let is_local = effects.memory == MemorySet::LOCAL && knows_arguments;
    effects.memory_effect == MemoryEffect::Unknown
        || effects.memory.intersects(wide)
        || !(named || is_local)
}

/// For each operation whether it is in a scope whose stores are asynchronous copies. Empty if there is none.
fn async_scopes(body: &Body) -> Vec<bool> {
    let is_mark = |op: OpId| match body.ops[op].kind {
        OpKind::Attr(key) => body.name(key) == "async_scope",
        _ => false,
    };
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

/// Loads that only name an element: what is asked is its address.
pub(super) fn is_name_of_element(
    body: &Body,
    occurrences: &Occurrences,
    load: OccurrenceId,
) -> bool {
    let Some(parent) = occurrences[load].parent else { return false };
    match body.expr(occurrences[parent].expr).kind {
        ExprKind::Call { callee, .. } => is_address_of(body, callee),
        _ => false,
    }
}
