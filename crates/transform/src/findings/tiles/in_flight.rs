//! Tiles that an asynchronous copy has not filled yet, or has not read yet.
//!
//! In: the facts. Out: a finding for each `T.async_copy` or `T.tma_copy` behind which, with no wait between, a
//! statement uses the tile that it fills, or overwrites the tile that it stores. TileLang adds no wait to these two
//! (its `language/copy_op.py`). Only statements of one list are looked at, as far as each is known to be no wait, and
//! only tiles that are copied as a whole: in other places threads may have waited. O(statements · copies).

use ir::{
    Body, BufferId, BufferOrigin, Callee, ExprKind, ForKind, Intrinsic, OpId, OpKind,
    plan::finding::{Place, Related, Role},
};
use rules::{Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around,
    extents::part,
    told,
};
use crate::tile_memory::buffer;

/// A tile is used before an asynchronous copy of it is done.
pub(in super::super) const COPY_IN_FLIGHT: FindingRule = FindingRule {
    rule: Rule::reported(
        "copy-in-flight",
        Severity::Error,
        "a tile is used before its asynchronous copy is done",
        "\
`T.async_copy` and `T.tma_copy` only begin a copy: nothing waits for its end but the kernel itself. Here the tile is \
used in the next statements, with no wait between, so that its elements may be those of before.

```python
T.tma_copy(A[0, 0], A_shared, barrier=ready)
T.gemm(A_shared, B_shared, C_local)          # not there yet
T.mbarrier_wait_parity(ready, 0)
```

Wait first: for the barrier (`T.mbarrier_wait_parity`, `T.barrier_wait`), for the group of `T.async_copy` \
(`T.ptx_wait_group`), or for a store (`T.tma_store_wait`) before its tile is overwritten. `T.copy` waits by itself.
",
    ),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// The copy stands here.
const COPY: Role = Role("the copy begins here");

/// The part that a tile has in a copy in flight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flight {
    Fills,
    Reads,
}

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let body = facts.body;
    if super::launches(body).next().is_none() || around::has_jumps(body, facts.occurrences) {
        return;
    }
    for op in body.ops_preorder() {
        let Some((tile, flight)) = begun(body, op) else { continue };
        let block = &body.blocks[body.ops[op].parent];
        let behind = block.ops.iter().skip_while(|&&it| it != op).skip(1);
        for &next in behind {
            match used(facts, next, tile, flight) {
                Use::Nothing => {}
                Use::Unknown => break,
                Use::Of => {
                    let place = Place::Op(next);
                    let name = body.name(body.buffers[tile].name);
                    let text = match flight {
                        Flight::Fills => {
                            format!(" uses `{name}` while an asynchronous copy to it may still run")
                        }
                        Flight::Reads => format!(
                            " overwrites `{name}` while an asynchronous store of it may still read it"
                        ),
                    };
                    let message = Sentence::of([place.into(), Word::Text(text.into())]);
                    let mut finding = told(FindingKind::CopyInFlight, place, message);
                    finding.related.push(Related { place: Place::Op(op), role: COPY });
                    found.push(finding);
                    break;
                }
            }
        }
    }
}

/// The tile of shared memory that a statement begins to copy as a whole.
fn begun(body: &Body, op: OpId) -> Option<(BufferId, Flight)> {
    if body.ops[op].kind != OpKind::Evaluate {
        return None;
    }
    let call = *body.ops[op].operands.first()?;
    let ExprKind::Call { callee: Callee::Intrinsic(_, it), args, attrs, .. } = body.expr(call).kind
    else {
        return None;
    };
    // Schedules of warps place the statements that they name by annotations, and add the waits.
    let is_scheduled = body.dict(attrs).iter().any(|it| &*it.0 == "annotations");
    if is_scheduled || !matches!(it, Intrinsic::TlAsyncCopy | Intrinsic::TlTmaCopy) {
        return None;
    }
    let &[from, to, ..] = body.items(args) else { return None };
    let (source, target) = (buffer(body, from)?, buffer(body, to)?);
    let is_tile = |it: BufferId| {
        body.buffers[it].scope.is_plain_shared() && body.buffers[it].origin == BufferOrigin::Alloc
    };
    match (is_tile(source), is_tile(target)) {
        (false, true) if is_whole(body, to) => Some((target, Flight::Fills)),
        (true, false) if is_whole(body, from) && body.buffers[target].scope.is_global() => {
            Some((source, Flight::Reads))
        }
        _ => None,
    }
}

/// Returns true if an operand is all of its buffer.
fn is_whole(body: &Body, operand: ir::ExprId) -> bool {
    let Some(it) = part(body, operand) else { return false };
    let shape = &body.buffers[it.buffer].shape;
    it.extents.iter().zip(shape).all(
        |(extent, &all)| matches!(body.expr(all).kind, ExprKind::Int(all) if *extent == Some(all)),
    )
}

/// The use that a statement makes of a tile.
enum Use {
    Nothing,
    /// It may wait, or nobody knows.
    Unknown,
    Of,
}

fn used(facts: &FindingFacts<'_>, op: OpId, tile: BufferId, flight: Flight) -> Use {
    let body = facts.body;
    let mut is_used = false;
    let mut stack = vec![op];
    while let Some(op) = stack.pop() {
        let data = &body.ops[op];
        match data.kind {
            OpKind::Evaluate | OpKind::Bind => {}
            OpKind::Store { buffer, .. } => is_used |= buffer == tile,
            // A loop that is certain to be entered.
            OpKind::For(ForKind::Serial | ForKind::Parallel | ForKind::Unrolled)
                if matches!(data.operands.get(1).map(|&it| body.expr(it).kind),
                    Some(ExprKind::Int(it)) if it > 0) =>
            {
                for &region in &data.regions {
                    stack.extend(&body.blocks[body.entry(region)].ops);
                }
            }
            _ => return Use::Unknown,
        }
        for id in facts.occurrences.of_op(op) {
            match body.expr(facts.occurrences[id].expr).kind {
                ExprKind::Load { buffer, .. } => {
                    is_used |= buffer == tile && flight == Flight::Fills;
                }
                ExprKind::Region(buffer, _) | ExprKind::Buffer(buffer) if buffer == tile => {
                    match of_operand(facts, id, flight) {
                        Some(it) => is_used |= it,
                        None => return Use::Unknown,
                    }
                }
                kind @ ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } => {
                    let is_value = || {
                        let row = facts.effects.call(body, kind);
                        row.memory_effect == ir::effects::MemoryEffect::None
                    };
                    if !it.is_tilelang_tile() && !is_value() {
                        return Use::Unknown;
                    }
                }
                ExprKind::Call { .. } | ExprKind::Opaque { .. } => return Use::Unknown,
                _ => {}
            }
        }
    }
    if is_used { Use::Of } else { Use::Nothing }
}

/// Returns true if the tile operation around an occurrence of the tile collides with the copy; none if that cannot be
/// said.
fn of_operand(facts: &FindingFacts<'_>, id: ir::OccurrenceId, flight: Flight) -> Option<bool> {
    let (body, occurrences) = (facts.body, facts.occurrences);
    let parent = occurrences[id].parent?;
    let call = occurrences[parent].expr;
    let ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } = body.expr(call).kind else {
        return None;
    };
    // Copies of one queue are done one behind the other.
    if matches!(it, Intrinsic::TlAsyncCopy | Intrinsic::TlTmaCopy) || !it.is_tilelang_tile() {
        return None;
    }
    let index = occurrences.index_in(parent, id);
    let reads = ir::tile_access::certain_reads(body, call).contains(&index);
    let writes = ir::tile_access::overwritten(body, call) == Some(index);
    match flight {
        Flight::Fills => (reads || writes).then_some(true),
        Flight::Reads if writes => Some(true),
        Flight::Reads => reads.then_some(false),
    }
}
