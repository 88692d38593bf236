//! Loads with a known stored value.
//!
//! In: the facts. Out: [`Stored`]: loads with the one store that wrote their value: the same element of the same
//! buffer, and no write of the memory since, on any path (`SEMANTICS: M11`). A load that is meant as a place does not
//! count; masked accesses and the inside of a vectorised loop are left out (`S8`, `P3`: other lanes may store to the
//! same element after it). O(loads · log n + size of the indices compared).

use dataflow::{
    memory::{MemoryVersions, Origin, VersionId},
    scopes::{ScopeKind, ScopeTree},
};
use ir::{
    Body, BufferId, ExprKind, ForKind, OccurrenceId, Occurrences, OpId, OpKind, arena::Id as _,
    role,
};

use super::FindingFacts;

/// A load, and the store whose value it reads.
#[derive(Clone, Copy)]
pub(super) struct Stored {
    pub(super) load: OccurrenceId,
    pub(super) buffer: BufferId,
    pub(super) store: OpId,
    /// The occurrence of the value in the store.
    pub(super) value: OccurrenceId,
}

/// The loads of a body in value position, each with its version, in program order.
pub(super) fn loads<'a>(
    facts: &'a FindingFacts<'_>,
    memory: &'a MemoryVersions<'a>,
) -> impl Iterator<Item = (OccurrenceId, BufferId, VersionId)> + 'a {
    facts.occurrences.iter().filter_map(move |(id, it)| {
        let ExprKind::Load { buffer, .. } = facts.body.expr(it.expr).kind else { return None };
        let is_name = role::is_place(facts.body, facts.occurrences, facts.effects, id);
        (!is_name).then_some(())?;
        Some((id, buffer, memory.of_load(id)?))
    })
}

/// The loads with a known stored value, where the store's names are visible too.
pub(super) fn stored(facts: &FindingFacts<'_>, memory: &MemoryVersions<'_>) -> Vec<Stored> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let in_vector = vectorized(facts.scopes());
    loads(facts, memory)
        .filter_map(|(load, buffer, version)| {
            let Origin::Write(store) = version.origin() else { return None };
            let op = occurrences[load].op;
            let is_element = body.ops[store].kind == OpKind::Store { buffer, predicated: false };
            let scope = facts.scopes().of_op(op);
            let same = is_element
                && sees_names_of(body, facts.scopes(), store, op)
                && !in_vector[scope.index()]
                && same_element(body, occurrences, memory, load, store);
            let value = occurrences.of_operand(store, 0)?;
            same.then_some(Stored { load, buffer, store, value })
        })
        .collect()
}

/// Returns true if the names that are visible at `first` are also visible at the later `then`, on the same side of a
/// launch.
pub(super) fn sees_names_of(body: &Body, scopes: &ScopeTree, first: OpId, then: OpId) -> bool {
    let (from, to) = (scopes.of_op(first), scopes.of_op(then));
    scopes.is_ancestor(from, to)
        && scopes.kernel(from) == scopes.kernel(to)
        && scopes.is_in_block_of(body, first, then)
}

/// Returns true if a load and a store of one buffer name the same element.
fn same_element(
    body: &Body,
    occurrences: &Occurrences,
    memory: &MemoryVersions<'_>,
    load: OccurrenceId,
    store: OpId,
) -> bool {
    let ExprKind::Load { indices, predicate: None, .. } = body.expr(occurrences[load].expr).kind
    else {
        return false;
    };
    if body.items(indices) != &body.ops[store].operands[1..] {
        return false;
    }
    let mut at = OccurrenceId::new(load.index() + 1);
    (0..body.items(indices).len()).all(|index| {
        let stored = occurrences.of_operand(store, index + 1);
        let same = stored.is_some_and(|it| same_reads(body, occurrences, memory, it, at));
        at = occurrences[at].end;
        same
    })
}

/// Nodes of expressions that are compared load by load.
pub(super) const MAX_SIZE: u32 = 1024;

/// Returns true if two occurrences of one expression have one value: all their loads read one memory version, and they
/// have no call whose value may differ.
pub(super) fn same_reads(
    body: &Body,
    occurrences: &Occurrences,
    memory: &MemoryVersions<'_>,
    a: OccurrenceId,
    b: OccurrenceId,
) -> bool {
    if occurrences[a].expr != occurrences[b].expr {
        return false;
    }
    let node = body.expr(occurrences[a].expr);
    let flags = node.flags;
    // Loads inside loads inside loads would each look at all further in.
    if node.size > MAX_SIZE {
        return false;
    }
    if flags.has_call || flags.has_impure || flags.has_unknown || flags.open_binders > 0 {
        return false;
    }
    !flags.has_load
        || (0..occurrences[a].end.index() - a.index()).all(|offset| {
            let (a, b) =
                (OccurrenceId::new(a.index() + offset), OccurrenceId::new(b.index() + offset));
            memory.of_load(a) == memory.of_load(b)
        })
}

/// For each scope whether it is inside a vectorised loop.
pub(super) fn vectorized(scopes: &ScopeTree) -> Vec<bool> {
    let mut inside = Vec::with_capacity(scopes.len());
    for scope in scopes.ids() {
        let above = scopes.parent(scope).is_some_and(|it| inside[it.index()]);
        inside.push(above || scopes.kind(scope) == ScopeKind::Loop(ForKind::Vectorized));
    }
    inside
}

/// Returns true if another expression of the same value may replace an occurrence: the occurrence has text of its own,
/// or there is no text, and its form carries no meaning.
pub(super) fn may_be_replaced(facts: &FindingFacts<'_>, occurrence: OccurrenceId) -> bool {
    facts.source.is_none_or(|it| (it.is_real)(occurrence))
        && facts.roles().role(occurrence).takes_name()
}
