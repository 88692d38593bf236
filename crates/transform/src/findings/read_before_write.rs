//! Reads of memory that nothing has written (`SEMANTICS: M3`).
//!
//! In: the facts. Out: a finding for each load of an allocation (or scalar) where no path from the allocation to the load writes
//! it; and for each load that the first iteration of a loop is certain to evaluate before anything is written, though a later one
//! may find something. What calls are given to write is written by them. O(loads · (log n + loops around the load)).

use dataflow::memory::{MemoryVersions, Origin};
use ir::{
    AllocKind, Body, BufferField, BufferId, BufferOrigin, ExprKind, OccurrenceId, OpId, OpKind,
    arena::Id as _,
    plan::finding::{Finding, FindingKind, Place, Reason, Related, Role},
};

use super::{FindingFacts, stored::loads};

pub(super) fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let memory = facts.memory();
    for (load, buffer, version) in loads(facts, memory) {
        let (allocation, around) = match version.origin() {
            Origin::Write(op) => (Some(op), None),
            Origin::LoopEntry(around) => {
                (first_iteration(facts, memory, load, buffer), Some(around))
            }
            _ => (None, None),
        };
        let Some(op) = allocation else { continue };
        let OpKind::Alloc { buffer: made, kind } = facts.body.ops[op].kind else { continue };
        if kind == AllocKind::Const || shown_by(facts.body, buffer) != Some(made) {
            continue;
        }
        found.push(finding(facts, memory, load, op, around));
    }
}

/// The allocation that a buffer shows, if it says so itself.
fn shown_by(body: &Body, buffer: BufferId) -> Option<BufferId> {
    let mut at = buffer;
    // A chain of views is no longer than there are buffers.
    for _ in 0..=body.buffers.len() {
        at = match &body.buffers[at].origin {
            BufferOrigin::Alloc | BufferOrigin::Cell => return Some(at),
            BufferOrigin::View { source, .. } => *source,
            BufferOrigin::MatchRegion(region) => region.buffer,
            BufferOrigin::Decl { data: Some(pointer) } => match body.expr(*pointer).kind {
                ExprKind::BufferField(source, BufferField::Data) => source,
                _ => return None,
            },
            BufferOrigin::Param | BufferOrigin::Match { .. } | BufferOrigin::Decl { .. } => {
                return None;
            }
        };
    }
    None
}

/// The write before the loops around a load, if each of them is certain to come to it, or to the next loop, in its first iteration
/// with nothing written in between.
fn first_iteration(
    facts: &FindingFacts<'_>,
    memory: &MemoryVersions<'_>,
    load: OccurrenceId,
    buffer: BufferId,
) -> Option<OpId> {
    let class = facts.aliases().class(buffer);
    let mut op = facts.occurrences[load].op;
    let mut version = memory.of_load(load)?;
    if is_lazy(facts, load) {
        return None;
    }
    loop {
        match version.origin() {
            Origin::Write(op) => return Some(op),
            Origin::LoopEntry(around) => {
                let is_condition = around == op && facts.body.ops[op].kind == OpKind::While;
                if !is_condition && !starts_with(facts, around, op) {
                    return None;
                }
                version = memory.before_loop(around, class);
                op = around;
            }
            _ => return None,
        }
    }
}

/// Whether each iteration of a loop is certain to execute `op`, which is in it.
fn starts_with(facts: &FindingFacts<'_>, around: OpId, op: OpId) -> bool {
    let certainty = facts.certainty();
    let Some(&region) = facts.body.ops[around].regions.first() else { return false };
    let inside = facts.scopes().of_block(facts.body.entry(region));
    let scope = facts.scopes().of_op(op);
    facts.scopes().is_ancestor(inside, scope)
        && certainty.reached_from_block_start(op)
        && certainty.reached_from(scope) <= inside
}

/// Whether the operation evaluates an occurrence only sometimes (`SEMANTICS: S2`, `S4`, `S5`).
fn is_lazy(facts: &FindingFacts<'_>, occurrence: OccurrenceId) -> bool {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let mut at = occurrence;
    while let Some(parent) = occurrences[at].parent {
        let mut index = 0;
        let mut child = OccurrenceId::new(parent.index() + 1);
        while child < at {
            child = occurrences[child].end;
            index += 1;
        }
        let is_lazy = match body.expr(occurrences[parent].expr).kind {
            ExprKind::Binary(op, ..) => op.is_logical() && index > 0,
            ExprKind::Select(..) => index > 0,
            ExprKind::Call { callee, .. } => facts.effects.callee(body, callee).is_lazy(index),
            ExprKind::Lambda { .. } => true,
            _ => false,
        };
        if is_lazy {
            return true;
        }
        at = parent;
    }
    false
}

fn finding(
    facts: &FindingFacts<'_>,
    memory: &MemoryVersions<'_>,
    load: OccurrenceId,
    allocation: OpId,
    around: Option<OpId>,
) -> Finding {
    let mut related = vec![Related { place: Place::Op(allocation), role: Role::Allocation }];
    if let Some(around) = around
        && let Some(class) = memory.class_of(load)
    {
        let inside =
            |op: OpId| facts.scopes().order(op) > facts.scopes().order(around) && op != allocation;
        let write = memory.writes(class).find(|it| inside(it.0));
        related.extend(write.map(|it| Related { place: Place::Op(it.0), role: Role::MayWrite }));
    }
    Finding {
        kind: FindingKind::ReadBeforeWrite,
        place: Place::Occurrence(load),
        reason: if around.is_some() { Reason::MaybeNotWritten } else { Reason::NeverWritten },
        related,
        fix: None,
    }
}
