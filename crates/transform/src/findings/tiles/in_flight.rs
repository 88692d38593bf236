//! Tiles that an asynchronous copy has not filled yet, or has not read yet.
//!
//! In: the facts. Out: a finding for each `T.async_copy` or `T.tma_copy` behind which, with no wait between, a
//! statement uses the tile that it fills, or overwrites the tile that it stores. TileLang adds no wait to these two
//! (its `language/copy_op.py`). The statements behind a copy are looked at as far as each is known to be no wait: those
//! of its list, those behind a condition around it that holds for values that occur, and those that come first in the
//! next iteration of a loop that nothing plans. Of a part of a tile only uses of the same part, or of all of it, count.
//! O(statements · copies).

use ir::{
    Body, BufferId, BufferOrigin, Callee, ExprId, ExprKind, ForKind, Intrinsic, OpId, OpKind,
    plan::finding::{Place, Related, Role},
};
use rules::{Rule, Severity};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around,
    extents::{number, part},
    told,
    witness::search,
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
        let Some(copy) = begun(body, op) else { continue };
        for (next, is_next_iteration) in behind(facts, op, copy.dims.is_none()) {
            match used(facts, next, &copy) {
                Use::Nothing => {}
                Use::Unknown => break,
                Use::Of => {
                    let place = Place::Op(next);
                    let name = body.name(body.buffers[copy.tile].name);
                    let when = if is_next_iteration { " of the iteration before" } else { "" };
                    let text = match copy.flight {
                        Flight::Fills => format!(
                            " uses `{name}` while an asynchronous copy to it{when} may still run"
                        ),
                        Flight::Reads => format!(
                            " overwrites `{name}` while an asynchronous store of it{when} may still read it"
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

/// A copy in flight.
struct Copy<'a> {
    tile: BufferId,
    /// The part of the tile; none for all of it.
    dims: Option<&'a [ExprId]>,
    flight: Flight,
}

/// The statements that certainly come behind a copy, and whether they are those of the next iteration; they may wait.
fn behind(facts: &FindingFacts<'_>, copy: OpId, wraps: bool) -> Vec<(OpId, bool)> {
    let body = facts.body;
    let mut all = Vec::new();
    let mut at = copy;
    loop {
        let ops = &body.blocks[body.ops[at].parent].ops;
        all.extend(ops.iter().skip_while(|&&it| it != at).skip(1).map(|&it| (it, false)));
        let Some(parent) = body.parent_op(at) else { return all };
        let data = &body.ops[parent];
        match data.kind {
            OpKind::If if is_reached(facts, copy) => at = parent,
            OpKind::For(ForKind::Serial | ForKind::Unrolled)
                if wraps
                    && body.dict(data.attrs).is_empty()
                    && data
                        .operands
                        .get(1)
                        .and_then(|&it| number(body, it))
                        .is_some_and(|it| it > 1) =>
            {
                all.extend(ops.iter().take_while(|&&it| it != at).map(|&it| (it, true)));
                return all;
            }
            _ => return all,
        }
    }
}

/// Returns true if an operation is reached for values that occur.
fn is_reached(facts: &FindingFacts<'_>, op: OpId) -> bool {
    around::of_op(facts, op).is_some_and(|it| search(facts.body, &it, &[], &mut |_| true).is_some())
}

/// The tile of shared memory that a statement begins to copy.
fn begun(body: &Body, op: OpId) -> Option<Copy<'_>> {
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
    let (tile, of, flight) = match (is_tile(source), is_tile(target)) {
        (false, true) => (target, to, Flight::Fills),
        (true, false) if body.buffers[target].scope.is_global() => (source, from, Flight::Reads),
        _ => return None,
    };
    if is_whole(body, of) {
        return Some(Copy { tile, dims: None, flight });
    }
    let dims = dims(body, of)?;
    Some(Copy { tile, dims: Some(dims), flight })
}

/// The dimensions of a part, if their values do not change.
fn dims(body: &Body, operand: ExprId) -> Option<&[ExprId]> {
    let ExprKind::Region(_, dims) = body.expr(operand).kind else { return None };
    let dims = body.items(dims);
    let is_fixed = |it: &ExprId| {
        let flags = body.expr(*it).flags;
        !flags.has_load && !flags.has_unknown
    };
    dims.iter().all(is_fixed).then_some(dims)
}

/// Returns true if an operand is all of its buffer.
fn is_whole(body: &Body, operand: ExprId) -> bool {
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

fn used(facts: &FindingFacts<'_>, op: OpId, copy: &Copy<'_>) -> Use {
    let (body, tile, flight) = (facts.body, copy.tile, copy.flight);
    let is_all = copy.dims.is_none();
    let mut is_used = false;
    let mut stack = vec![op];
    while let Some(op) = stack.pop() {
        let data = &body.ops[op];
        match data.kind {
            OpKind::Evaluate | OpKind::Bind => {}
            OpKind::Store { buffer, .. } => is_used |= buffer == tile && is_all,
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
                    is_used |= buffer == tile && is_all && flight == Flight::Fills;
                }
                ExprKind::Region(buffer, _) | ExprKind::Buffer(buffer) if buffer == tile => {
                    match of_operand(facts, id, flight) {
                        Some(it) => is_used |= it && meets(body, copy, facts.occurrences[id].expr),
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

/// Returns true if an operand certainly has elements of a copy.
fn meets(body: &Body, copy: &Copy<'_>, operand: ExprId) -> bool {
    copy.dims.is_none() || is_whole(body, operand) || dims(body, operand) == copy.dims
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
