//! Elements and parts outside of a tile.
//!
//! In: the facts. Out: a finding for each access of memory of a block or thread with an index that is not below the
//! extent, for values that occur. TileLang guards accesses of global memory (its `LegalizeSafeMemoryAccess`) and copies
//! at the tail, and counts negative indices from the end; it guards no tile. O(accesses), and a bounded search for each
//! that bounds do not show to be inside.

use arith::Overflow;
use ir::{
    Body, BufferId, BufferOrigin, Callee, ExprId, ExprKind, Intrinsic, OccurrenceId, OpKind,
    arena::Id as _,
    plan::finding::{Place, Related, Role},
};

use super::{
    super::{Finding, FindingFacts, FindingKind, FindingRule, Sentence, Word, edit_title},
    around::{self, Around},
    extents::number,
    told,
    witness::{Values, evaluate, search, words},
};
use crate::ops::findings::OUT_OF_BOUNDS as RULE;

/// An access outside of a tile.
pub(in super::super) const OUT_OF_BOUNDS: FindingRule =
    FindingRule { rule: RULE, plan, title: edit_title, is_unnecessary: false };

/// Its shape is here.
const SHAPE: Role = Role("its extents are given here");

/// An index of an access: it must not be more than `most`.
struct Index {
    dim: usize,
    expr: ExprId,
    at: Option<OccurrenceId>,
    most: i128,
    is_end: bool,
}

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    if super::launches(body).next().is_none() || around::has_jumps(body, occurrences) {
        return;
    }
    for op in body.ops_preorder() {
        if let OpKind::Store { buffer, predicated: false } = body.ops[op].kind {
            let indices = &body.ops[op].operands[1..];
            let places = (1..=indices.len()).map(|it| occurrences.of_operand(op, it));
            let indices = of_access(body, buffer, indices, places);
            let around = || around::of_op(facts, op);
            check(facts, buffer, Place::Op(op), &indices, &around, found);
        }
        for id in occurrences.of_op(op) {
            let Some((buffer, indices)) = accessed(facts, id) else { continue };
            let mut next = OccurrenceId::new(id.index() + 1);
            let places = indices.iter().map(|_| {
                let at = next;
                next = occurrences[at].end;
                Some(at)
            });
            let indices = of_access(body, buffer, indices, places);
            let around = || around::of_occurrence(facts, id);
            check(facts, buffer, Place::Occurrence(id), &indices, &around, found);
        }
    }
}

/// The buffer and the indices of an occurrence that TileLang does not guard.
fn accessed<'a>(facts: &FindingFacts<'a>, id: OccurrenceId) -> Option<(BufferId, &'a [ExprId])> {
    use Intrinsic as I;
    let (body, occurrences) = (facts.body, facts.occurrences);
    let callee =
        occurrences[id].parent.and_then(|parent| match body.expr(occurrences[parent].expr).kind {
            ExprKind::Call { callee: Callee::Intrinsic(_, it), .. } => Some(it),
            _ => None,
        });
    match body.expr(occurrences[id].expr).kind {
        ExprKind::Load { buffer, indices, predicate: None } => {
            // One past the end is an address.
            // A result of a reduction over threads only names the memory that TVM makes for it.
            let is_value = !callee.is_some_and(|it| it.makes_address() || it == I::ThreadAllreduce);
            is_value.then(|| (buffer, body.items(indices)))
        }
        ExprKind::Region(buffer, dims) => {
            let is_bare = matches!(
                callee,
                Some(I::TlFill | I::TlGemm | I::TlReduce | I::TlCumSum | I::TlCumMax)
            );
            is_bare.then(|| (buffer, body.items(dims)))
        }
        _ => None,
    }
}

/// The indices of an access of memory of a block or thread, with their limits.
fn of_access(
    body: &Body,
    buffer: BufferId,
    indices: &[ExprId],
    places: impl Iterator<Item = Option<OccurrenceId>>,
) -> Vec<Index> {
    let data = &body.buffers[buffer];
    if data.scope.is_global()
        || data.origin != BufferOrigin::Alloc
        || body.has_unknown_rank(buffer)
        || indices.len() != data.shape.len()
    {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (dim, ((&index, &extent), at)) in indices.iter().zip(&data.shape).zip(places).enumerate() {
        let Some(extent) = number(body, extent).map(i128::from) else { continue };
        match body.expr(index).kind {
            ExprKind::Slice { upper: Some(expr), step: None, .. } => {
                all.push(Index { dim, expr, at: None, most: extent, is_end: true });
            }
            ExprKind::Slice { .. } | ExprKind::Ramp { .. } => {}
            _ => all.push(Index { dim, expr: index, at, most: extent - 1, is_end: false }),
        }
    }
    all
}

fn check(
    facts: &FindingFacts<'_>,
    buffer: BufferId,
    place: Place,
    indices: &[Index],
    around: &dyn Fn() -> Option<Around>,
    found: &mut Vec<Finding>,
) {
    let body = facts.body;
    let mut known = None;
    for index in indices {
        if is_inside(facts, index) {
            continue;
        }
        if known.is_none() {
            known = Some(around());
        }
        let Some(Some(around)) = &known else { return };
        let mut value = 0;
        let mut happens = |values: &Values| match evaluate(body, values, index.expr) {
            Some(it) if it > index.most => {
                value = it;
                true
            }
            _ => false,
        };
        let Some(values) = search(body, around, &[index.expr], &mut happens) else { continue };
        let name = body.name(body.buffers[buffer].name);
        let (what, extent) = match index.is_end {
            true => ("ends at", index.most),
            false => ("is", index.most + 1),
        };
        let for_which = words(body, &values, &[index.expr]);
        let text = format!(
            " is outside of `{name}`: dimension {} has extent {extent}, and the index {what} {value}{for_which}",
            index.dim
        );
        let message = Sentence::of([place.into(), Word::Text(text.into())]);
        let mut finding = told(FindingKind::OutOfBounds, place, message);
        finding.related.push(Related { place: Place::Buffer(buffer), role: SHAPE });
        found.push(finding);
        return;
    }
}

/// Returns true if bounds show that an index is inside.
fn is_inside(facts: &FindingFacts<'_>, index: &Index) -> bool {
    if let Some(it) = number(facts.body, index.expr) {
        return i128::from(it) <= index.most;
    }
    let Some(at) = index.at else { return false };
    let context = facts.conditions().at(&facts.flow(), at);
    let bounds = facts.analyzer().facts_with(Overflow::Excluded, context, index.expr);
    bounds.interval.max <= index.most
}
