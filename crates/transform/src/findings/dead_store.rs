//! Dead stores: what they write is not read.
//!
//! In: the facts. Out: a finding for each store
//!
//! * whose element is written over on every path, before anything may read the memory ([`Reason::Overwritten`]): by a later store of
//!   the same list, or as [`dataflow::overwritten`] says across branches and loops;
//! * to memory of this function that nothing reads afterwards ([`Reason::NeverRead`]): parameters are read by the caller (`M4`),
//!   memory that escapes by whoever has its address (`M8`), shared memory by other threads, so there nothing may read it at all;
//! * of what the element holds already ([`Reason::StoredAlready`]).
//!
//! What may leave the list, and a barrier, count as reads (`L6`, `X3`, `Y1`). Volatile memory is left alone (`M10`), scalars that
//! nothing reads are dead bindings. The fix removes the store if its operands may go (`E8`). O((stores + operands) · log n).

use dataflow::{
    alias::{AliasClass, AliasClasses, Reach},
    memory::{MemoryReads, MemoryVersions, Origin, WriteKind},
    overwritten::Overwritten,
    scopes::ScopeId,
};
use ir::{
    BlockId, Body, BufferId, BufferOrigin, ExprId, ExprKind, OpId, OpKind,
    arena::Id as _,
    plan::finding::{Finding, FindingFix, FindingKind, FixEdit, Place, Reason, Related, Role},
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    FindingFacts,
    stored::{same_reads, vectorized},
};

pub(super) fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let stores: Vec<(OpId, BufferId)> = facts
        .body
        .ops_preorder()
        .filter_map(|op| match facts.body.ops[op].kind {
            OpKind::Store { buffer, .. } => Some((op, buffer)),
            _ => None,
        })
        .collect();
    if stores.is_empty() {
        return;
    }
    let memory = &facts.memory();
    let planner = Planner {
        facts,
        aliases: facts.aliases(),
        reads: MemoryReads::build(
            facts.body,
            facts.occurrences,
            facts.scopes(),
            facts.effects,
            facts.aliases(),
        ),
        home: homes(facts),
        in_vector: vectorized(facts.scopes()),
        next: next_stores(facts.body, &stores),
        overwritten: overwritten(facts, &stores),
        memory,
    };
    let deletable = facts.deletable();
    for &(store, buffer) in &stores {
        let class = planner.aliases.class(buffer);
        if planner.aliases.is_volatile(class) || planner.is_asynchronous(store, class) {
            continue;
        }
        if let Some((reason, related)) = planner.why_dead(store, buffer, class) {
            let may_go = facts.body.ops[store].operands.iter().all(|&it| deletable.may_go(it));
            let rests_on = related.and_then(|it| planner.last_writer(it));
            found.push(finding(store, reason, related, rests_on, may_go));
        }
    }
}

fn finding(
    store: OpId,
    reason: Reason,
    related: Option<Related>,
    rests_on: Option<OpId>,
    may_go: bool,
) -> Finding {
    Finding {
        kind: FindingKind::DeadStore,
        place: Place::Op(store),
        reason,
        related: related.into_iter().collect(),
        fix: may_go.then(|| FindingFix::of(FixEdit::RemoveOp(store)).resting_on(rests_on)),
    }
}

/// How many overwritten stores in a row are looked through.
const MOST_WRITERS: usize = 16;

struct Planner<'f, 'a> {
    facts: &'f FindingFacts<'a>,
    aliases: &'f AliasClasses,
    memory: &'f MemoryVersions<'a>,
    reads: MemoryReads,
    /// By class: the scope of its allocation.
    home: Vec<Option<ScopeId>>,
    in_vector: Vec<bool>,
    /// The next store to the same element in the same list.
    next: FxHashMap<OpId, OpId>,
    /// Stores that others overwrite on every path, and one of those.
    overwritten: FxHashMap<OpId, OpId>,
}

impl Planner<'_, '_> {
    fn why_dead(
        &self,
        store: OpId,
        buffer: BufferId,
        class: AliasClass,
    ) -> Option<(Reason, Option<Related>)> {
        if self.is_never_read(store, buffer, class) {
            return Some((Reason::NeverRead, None));
        }
        let next = self.overwriter(store, class);
        if let Some(next) = next.or_else(|| self.overwritten.get(&store).copied()) {
            let related = Related { place: Place::Op(next), role: Role::Overwrites };
            return Some((Reason::Overwritten, Some(related)));
        }
        let before = self.stored_already(store, buffer, class)?;
        let related = before.map(|it| Related { place: Place::Op(it), role: Role::Stored });
        Some((Reason::StoredAlready, related))
    }

    /// The store that a finding rests on. One that is overwritten itself may go too: then the next one counts.
    fn last_writer(&self, related: Related) -> Option<OpId> {
        let Place::Op(mut store) = related.place else { return None };
        if related.role != Role::Overwrites {
            return Some(store);
        }
        // Round a loop there may be no last one.
        for _ in 0..MOST_WRITERS {
            match self.overwritten.get(&store) {
                Some(&next) => store = next,
                None => break,
            }
        }
        Some(store)
    }

    /// Whether nothing reads the memory after the store, as long as it is this memory.
    fn is_never_read(&self, store: OpId, buffer: BufferId, class: AliasClass) -> bool {
        if self.aliases.outlives(class) || self.aliases.escapes(class) {
            return false;
        }
        if !self.reads.any(class) {
            return self.facts.body.buffers[buffer].origin != BufferOrigin::Cell;
        }
        // Another thread may be anywhere.
        if self.aliases.reach(class) != Reach::Private {
            return false;
        }
        let Some(home) = self.home[class.index()] else { return false };
        let scopes = self.facts.scopes();
        let scope = scopes.of_op(store);
        // The next iteration of a loop around it, in which the memory is the same, may read it.
        let repeated = scopes
            .child_towards(home, scope)
            .filter(|&it| self.memory.loop_around(scope).is_some_and(|around| around >= it))
            .and_then(|it| scopes.creator(it));
        let in_loop =
            repeated.is_some_and(|it| self.reads.within(class, self.memory.orders_of(it)));
        !in_loop
            && !self.reads.within(class, scopes.order(store) + 1..self.facts.body.ops.len() as u32)
    }

    /// The store after it that writes all that it writes, before anything reads it.
    fn overwriter(&self, store: OpId, class: AliasClass) -> Option<OpId> {
        let next = *self.next.get(&store)?;
        let certainty = self.facts.certainty();
        let same_list = certainty.segment(store) == certainty.segment(next);
        let is_read = self.reads.between(self.facts.scopes(), class, store, next);
        (same_list && !is_read && self.same_indices(store, next)).then_some(next)
    }

    /// Whether the indices of two stores, the same expressions, have the same values. The second has no predicate.
    fn same_indices(&self, a: OpId, b: OpId) -> bool {
        let (body, occurrences) = (self.facts.body, self.facts.occurrences);
        (1..body.ops[b].operands.len()).all(|operand| {
            let pair = (occurrences.of_operand(a, operand), occurrences.of_operand(b, operand));
            let (Some(a), Some(b)) = pair else { return false };
            same_reads(body, occurrences, self.memory, a, b)
        })
    }

    /// Whether the element holds the value already: it is what was loaded from it, or an earlier store (given then) wrote it.
    fn stored_already(
        &self,
        store: OpId,
        buffer: BufferId,
        class: AliasClass,
    ) -> Option<Option<OpId>> {
        let (body, occurrences) = (self.facts.body, self.facts.occurrences);
        let data = &body.ops[store];
        let scope = self.facts.scopes().of_op(store);
        if data.kind != (OpKind::Store { buffer, predicated: false })
            || self.in_vector[scope.index()]
            || self.memory.is_written_by_operands(store, class)
        {
            return None;
        }
        let value = occurrences.of_operand(store, 0)?;
        if let ExprKind::Load { buffer: source, indices, predicate: None } =
            body.expr(data.operands[0]).kind
        {
            let itself = source == buffer
                && *body.items(indices) == data.operands[1..]
                && !body.expr(data.operands[0]).flags.has_call
                && !is_unwritten(body, self.memory, value);
            if itself {
                return Some(None);
            }
        }
        let Origin::Write(before) = self.memory.before(store, class).origin() else { return None };
        let earlier = &body.ops[before];
        let same = earlier.kind == data.kind
            && earlier.operands == data.operands
            && same_reads(
                body,
                occurrences,
                self.memory,
                occurrences.of_operand(before, 0)?,
                value,
            )
            && self.same_indices(before, store);
        same.then_some(Some(before))
    }

    /// Whether a store is the start of an asynchronous copy.
    fn is_asynchronous(&self, store: OpId, class: AliasClass) -> bool {
        self.memory.kind_of_store(store, class) == Some(WriteKind::AsyncCopy)
    }
}

fn is_unwritten(body: &Body, memory: &MemoryVersions<'_>, load: ir::OccurrenceId) -> bool {
    match memory.of_load(load).map(|it| it.origin()) {
        Some(Origin::Write(op)) => matches!(body.ops[op].kind, OpKind::Alloc { .. }),
        Some(Origin::Load(_)) | None => true,
        _ => false,
    }
}

/// The stores that are overwritten on every path. One store alone never is.
fn overwritten(facts: &FindingFacts<'_>, stores: &[(OpId, BufferId)]) -> FxHashMap<OpId, OpId> {
    if stores.len() < 2 {
        return FxHashMap::default();
    }
    Overwritten::build(&facts.flow(), facts.aliases()).stores().iter().copied().collect()
}

/// For each class the scope of its allocation, if there is one alone.
fn homes(facts: &FindingFacts<'_>) -> Vec<Option<ScopeId>> {
    let aliases = facts.aliases();
    let mut homes: Vec<Option<ScopeId>> = vec![None; aliases.len()];
    let mut several = vec![false; aliases.len()];
    for op in facts.body.ops_preorder() {
        let OpKind::Alloc { buffer, .. } = facts.body.ops[op].kind else { continue };
        let class = aliases.class(buffer).index();
        several[class] |= homes[class].is_some();
        homes[class] = Some(facts.scopes().of_op(op));
    }
    homes.iter().zip(several).map(|(home, several)| home.filter(|_| !several)).collect()
}

/// For each store the next one of its list with the same buffer and indices, which writes at least what it writes.
fn next_stores(body: &Body, stores: &[(OpId, BufferId)]) -> FxHashMap<OpId, OpId> {
    type Element = (BlockId, BufferId, SmallVec<[ExprId; 2]>);
    let mut last: FxHashMap<Element, OpId> = FxHashMap::default();
    let mut next = FxHashMap::default();
    for &(op, buffer) in stores {
        let data = &body.ops[op];
        let OpKind::Store { predicated, .. } = data.kind else { continue };
        let end = data.operands.len() - usize::from(predicated);
        let indices: SmallVec<[ExprId; 2]> = data.operands[1..end].into();
        let element = (data.parent, buffer, indices);
        if predicated {
            last.insert(element, op);
            continue;
        }
        if let Some(before) = last.insert(element, op) {
            next.insert(before, op);
        }
    }
    next
}
