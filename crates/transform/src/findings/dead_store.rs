//! Dead stores: stores whose values nothing reads.
//!
//! In: the facts. Out: a finding for each store
//!
//! * whose element is written over on every path, before anything may read the memory ([`Why::Overwritten`]): by a
//!   later store of the same list, or as [`dataflow::overwritten`] says across branches and loops;
//! * to memory of this function that nothing reads afterwards ([`Why::NeverRead`]), by tile primitives too: parameters
//!   are read by the caller (`M4`), memory that escapes by whoever has its address (`M8`), shared memory by other
//!   threads, so there nothing may read it at all;
//! * of what the element holds already ([`Why::StoredAlready`]), also by indices that are equal by what is known there.
//!
//! A possible exit from the list, and a barrier, count as reads (`L6`, `X3`, `Y1`). Volatile memory is left alone
//! (`M10`), scalars that nothing reads are dead bindings. The fix removes the store if its operands may go (`E8`).
//! O((stores + operands) · log n).

use arith::Overflow;
use dataflow::{
    alias::{AliasClass, AliasClasses, Reach},
    memory::{MemoryReads, MemoryVersions, Origin, WriteKind},
    overwritten::Overwritten,
    scopes::ScopeId,
};
use ir::{
    BlockId, Body, BufferId, BufferOrigin, Callee, ExprId, ExprKind, OpId, OpKind,
    arena::Id as _,
    effects::has_keyword_operands,
    plan::finding::{FindingFix, FixEdit, Place, Related, Role},
};
use rules::{Fix, Rule, Severity};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{
    Finding, FindingFacts, FindingKind, FindingRule, Sentence, sentence,
    stored::{same_reads, vectorized},
};

/// A store that nothing can read.
pub(crate) const DEAD_STORE: FindingRule = FindingRule {
    rule: Rule::reported(
        "dead-store",
        Severity::Hint,
        "a store that nothing can read",
        "\
The elements that are written are written again on every path before anything reads them, or the memory belongs to \
this function and
nothing reads it afterwards. Memory that other threads reach is read, for all that is known, at every barrier.

```python
A[i] = 0.0                # overwritten in both arms
if n > 0:
    A[i] = B[i]
else:
    A[i] = C[i]
```

The fix removes the store. Writes to parameters count as read when the function ends. A value with a call that may \
have an effect
is not removed.

In MLIR: a `memref.store` or `affine.store` whose element the next one of the same block writes again, where nothing \
between may read it. It is told, and has no fix.
",
    )
    .with_fix(Fix::ByDefault),
    plan,
    title,
    is_unnecessary: true,
};

fn title(_: &Body, _: &Finding, _: &FixEdit) -> Sentence {
    sentence!["Remove this store"]
}

/// It writes the same memory before anything reads it.
const OVERWRITES: Role = Role("overwritten here");

/// Why a store is dead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Why {
    /// A related store overwrites its element before anything reads it.
    Overwritten,
    /// Nothing reads the memory any more.
    NeverRead,
    /// The element holds the value already: an earlier store, if one is related, wrote it.
    StoredAlready,
}

/// A dead store.
struct Dead {
    store: OpId,
    why: Why,
    related: Option<Related>,
    /// The store that must stay for it to be dead.
    rests_on: Option<OpId>,
    /// True if its operands may be removed with it.
    may_go: bool,
}

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    found.extend(dead_stores(facts).into_iter().map(finding));
}

/// Stores of what their element holds already, if their operands may go.
pub(super) fn idle(facts: &FindingFacts<'_>) -> Vec<OpId> {
    let dead = dead_stores(facts).into_iter();
    dead.filter(|it| it.why == Why::StoredAlready && it.may_go).map(|it| it.store).collect()
}

fn dead_stores(facts: &FindingFacts<'_>) -> Vec<Dead> {
    let stores: Vec<(OpId, BufferId)> = facts
        .body
        .ops_preorder()
        .filter_map(|op| match facts.body.ops[op].kind {
            OpKind::Store { buffer, .. } => Some((op, buffer)),
            _ => None,
        })
        .collect();
    let tiles = tile_writes(facts.body);
    let mut dead = Vec::new();
    if stores.is_empty() && tiles.is_empty() {
        return dead;
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
        if let Some((why, related)) = planner.why_dead(store, buffer, class) {
            let may_go = facts.body.ops[store].operands.iter().all(|&it| deletable.may_go(it));
            let rests_on = related.and_then(|it| planner.last_writer(it));
            dead.push(Dead { store, why, related, rests_on, may_go });
        }
    }
    for (store, buffer, operands) in tiles {
        let class = planner.aliases.class(buffer);
        if planner.aliases.is_volatile(class) || !planner.is_never_read(store, buffer, class) {
            continue;
        }
        let may_go = operands.iter().all(|&it| deletable.may_go(it));
        let (why, related, rests_on) = (Why::NeverRead, None, None);
        dead.push(Dead { store, why, related, rests_on, may_go });
    }
    dead
}

/// The statements that are tile operations, which write all of a part of a buffer and nothing else: the buffer, and the
/// operands.
fn tile_writes(body: &Body) -> Vec<(OpId, BufferId, &[ExprId])> {
    let is_tile = |op: OpId| {
        let data = &body.ops[op];
        let (OpKind::Evaluate, Some(&call)) = (data.kind, data.operands.first()) else {
            return None;
        };
        match body.expr(call).kind {
            ExprKind::Call { callee: Callee::Intrinsic(_, it), args, attrs, .. } => {
                let args = body.items(args);
                let target = match it.is_tile() {
                    true => (!has_keyword_operands(body, attrs)).then_some(0),
                    false => ir::tile_access::overwritten(body, call),
                };
                match body.expr(*args.get(target?)?).kind {
                    ExprKind::Buffer(buffer)
                    | ExprKind::Region(buffer, _)
                    | ExprKind::Load { buffer, .. } => Some((op, buffer, args)),
                    _ => None,
                }
            }
            _ => None,
        }
    };
    body.ops_preorder().filter_map(is_tile).collect()
}

fn finding(it: Dead) -> Finding {
    let fix = || FindingFix::of(FixEdit::RemoveOp(it.store)).resting_on(it.rests_on);
    Finding {
        kind: FindingKind::DeadStore,
        is_shown: false,
        place: Place::Op(it.store),
        message: match it.why {
            Why::Overwritten => sentence!["this store is overwritten before anything reads it"],
            Why::NeverRead => sentence!["nothing reads the stored value"],
            Why::StoredAlready => sentence!["the memory holds this value already"],
        },
        related: it.related.into_iter().collect(),
        fix: it.may_go.then(fix),
    }
}

/// The limit on consecutive overwritten stores that are looked through.
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
    ) -> Option<(Why, Option<Related>)> {
        if self.is_never_read(store, buffer, class) {
            return Some((Why::NeverRead, None));
        }
        let next = self.overwriter(store, class);
        if let Some(next) = next.or_else(|| self.overwritten.get(&store).copied()) {
            let related = Related { place: Place::Op(next), role: OVERWRITES };
            return Some((Why::Overwritten, Some(related)));
        }
        let before = self.stored_already(store, buffer, class)?;
        let related = before.map(|it| Related { place: Place::Op(it), role: Role::STORED });
        Some((Why::StoredAlready, related))
    }

    /// The store that a finding rests on. One that is overwritten itself may go too: then the next one counts.
    fn last_writer(&self, related: Related) -> Option<OpId> {
        let Place::Op(mut store) = related.place else { return None };
        if related.role != OVERWRITES {
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

    /// Returns true if nothing reads the memory after the store while it is the same memory.
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

    /// Returns true if the indices of two stores, the same expressions, have the same values. The second has no
    /// predicate.
    fn same_indices(&self, a: OpId, b: OpId) -> bool {
        let (body, occurrences) = (self.facts.body, self.facts.occurrences);
        (1..body.ops[b].operands.len()).all(|operand| {
            let pair = (occurrences.of_operand(a, operand), occurrences.of_operand(b, operand));
            let (Some(a), Some(b)) = pair else { return false };
            same_reads(body, occurrences, self.memory, a, b)
        })
    }

    /// Returns `Some` if the element holds the value already: the value was loaded from it, or an earlier store, which
    /// is then given, wrote it.
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
                && !body.expr(data.operands[0]).flags.has_call
                && self.is_same_element(store, body.items(indices))
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

    /// Returns true if these are the indices of a store, as they are written or by what is known before it.
    fn is_same_element(&self, store: OpId, indices: &[ExprId]) -> bool {
        let body = self.facts.body;
        let of_store = &body.ops[store].operands[1..];
        if *indices == *of_store {
            return true;
        }
        // Loads in indices are not compared: memory may change between them.
        let is_value = |it: &ExprId| {
            let flags = body.expr(*it).flags;
            !(flags.has_load || flags.has_call || flags.has_impure || flags.has_unknown)
        };
        if indices.len() != of_store.len() || !indices.iter().chain(of_store).all(is_value) {
            return false;
        }
        let context = self.facts.conditions().before(store);
        let mut analyzer = self.facts.analyzer();
        // An index is used where it stands, so an overflow in it is an event of the program.
        let mut pairs = indices.iter().zip(of_store);
        pairs.all(|(a, b)| a == b || analyzer.are_equal(Overflow::Excluded, context, *a, *b))
    }

    /// Returns true if a store starts an asynchronous copy.
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

/// For each store the next one of its list with the same buffer and indices, which writes at least the same elements.
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
