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
    witness::{Values, evaluate, is_entered, search, words},
};
use crate::ops::findings::OUT_OF_BOUNDS as RULE;

/// An access outside of a tile.
pub(in super::super) const OUT_OF_BOUNDS: FindingRule =
    FindingRule { rule: RULE, plan, title: edit_title, is_unnecessary: false };

/// Its shape is here.
pub(super) const SHAPE: Role = Role("its extents are given here");

/// An index of an access.
pub(super) struct Index {
    pub(super) dim: usize,
    pub(super) expr: ExprId,
    pub(super) at: Option<OccurrenceId>,
    /// The extent of its dimension.
    pub(super) extent: ExprId,
    /// It must not be more than this; none where the extent is not known.
    most: Option<i128>,
    /// It is the end of a part, one past its last element.
    pub(super) is_end: bool,
}

/// An access of memory.
pub(super) struct Access<'a> {
    pub(super) buffer: BufferId,
    /// The index that is written for each dimension.
    pub(super) dims: &'a [ExprId],
    /// The indices that are looked at; none of memory that TileLang guards.
    pub(super) indices: Vec<Index>,
    pub(super) place: Place,
    around: &'a dyn Fn() -> Option<Around>,
}

impl Access<'_> {
    /// The loops and guards around it.
    pub(super) fn around(&self) -> Option<Around> {
        (self.around)()
    }
}

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    each_access(facts, &mut |access| found.extend(check(facts, access)));
}

/// Calls `visit` with each access that TileLang does not guard.
pub(super) fn each_access(facts: &FindingFacts<'_>, visit: &mut dyn FnMut(&Access<'_>)) {
    let (body, occurrences) = (facts.body, facts.occurrences);
    if super::launches(body).next().is_none() || around::has_jumps(body, occurrences) {
        return;
    }
    for op in body.ops_preorder() {
        if let OpKind::Store { buffer, predicated: false } = body.ops[op].kind {
            let dims = &body.ops[op].operands[1..];
            let places = (1..=dims.len()).map(|it| occurrences.of_operand(op, it));
            let indices = of_access(body, buffer, dims, places);
            let around = &|| around::of_op(facts, op);
            visit(&Access { buffer, dims, indices, place: Place::Op(op), around });
        }
        for id in occurrences.of_op(op) {
            let Some((buffer, dims)) = accessed(facts, id) else { continue };
            let mut next = OccurrenceId::new(id.index() + 1);
            let places = dims.iter().map(|_| {
                let at = next;
                next = occurrences[at].end;
                Some(at)
            });
            let indices = of_access(body, buffer, dims, places);
            let around = &|| around::of_occurrence(facts, id);
            visit(&Access { buffer, dims, indices, place: Place::Occurrence(id), around });
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
        let known = number(body, extent).map(i128::from);
        match body.expr(index).kind {
            ExprKind::Slice { upper: Some(expr), step: None, .. } => {
                all.push(Index { dim, expr, at: None, extent, most: known, is_end: true });
            }
            ExprKind::Slice { .. } | ExprKind::Ramp { .. } => {}
            _ => {
                let most = known.map(|it| it - 1);
                all.push(Index { dim, expr: index, at, extent, most, is_end: false });
            }
        }
    }
    all
}

/// The finding about an access with an index that is outside for values that occur.
pub(super) fn check(facts: &FindingFacts<'_>, access: &Access<'_>) -> Option<Finding> {
    let body = facts.body;
    let buffer = access.buffer;
    let mut known = None;
    for index in &access.indices {
        let Some(most) = index.most.filter(|_| !is_inside(facts, index)) else { continue };
        if known.is_none() {
            known = Some(access.around());
        }
        let Some(Some(around)) = &known else { return None };
        let mut value = 0;
        let mut happens = |values: &Values| match evaluate(body, values, index.expr) {
            Some(it) if it > most => {
                value = it;
                true
            }
            _ => false,
        };
        let Some(values) = search(body, around, &[index.expr], &mut happens) else { continue };
        let name = body.name(body.buffers[buffer].name);
        let (what, extent) = match index.is_end {
            true => ("ends at", most),
            false => ("is", most + 1),
        };
        let conditions = around.guards.iter().map(|it| it.0);
        let for_which = words(body, &values, conditions.chain([index.expr]));
        let text = format!(
            " is outside of `{name}`: dimension {} has extent {extent}, and the index {what} {value}{for_which}",
            index.dim
        );
        let message = Sentence::of([access.place.into(), Word::Text(text.into())]);
        let mut finding = told(FindingKind::OutOfBounds, access.place, message);
        finding.is_shown = is_entered(body, around, &values);
        finding.related.push(Related { place: Place::Buffer(buffer), role: SHAPE });
        return Some(finding);
    }
    None
}

/// Returns true if bounds show that an index is inside.
pub(super) fn is_inside(facts: &FindingFacts<'_>, index: &Index) -> bool {
    let Some(most) = index.most else { return false };
    if let Some(it) = number(facts.body, index.expr) {
        return i128::from(it) <= most;
    }
    let Some(at) = index.at else { return false };
    let context = facts.conditions().at(&facts.flow(), at);
    let bounds = facts.analyzer().facts_with(Overflow::Excluded, context, index.expr);
    bounds.interval.max <= most
}
