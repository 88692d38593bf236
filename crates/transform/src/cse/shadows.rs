//! Virtual occurrences that share the text of real ones.
//!
//! `0 < x * y < n` has one `x * y` in the text and two in the body. Replacing the text changes both, so a plan must
//! replace both, or it would differ from its edit. In: occurrences and the source view. Out: [`Shadows`]: for a virtual
//! occurrence the real one that it is a copy of, node by node. Linear in the occurrences.

use ir::{Body, ExprId, ExprKind, OccurrenceId, Occurrences, OpKind, arena::Id, plan::SourceView};
use rustc_hash::FxHashMap;

use super::Work;

/// Pairs a copy with its original, node by node: equal expressions have equal trees.
fn pair(
    occurrences: &Occurrences,
    source: &SourceView<'_>,
    copy: OccurrenceId,
    original: OccurrenceId,
    pairs: &mut Vec<(OccurrenceId, OccurrenceId)>,
) {
    for offset in 0..occurrences[copy].end.index() - copy.index() {
        let copy = OccurrenceId::new(copy.index() + offset);
        let original = OccurrenceId::new(original.index() + offset);
        if !(source.is_real)(copy) && (source.is_real)(original) {
            pairs.push((copy, original));
        }
    }
}

/// In `A[i] += v` the load of `A[i]` is made from the text of the assignment's target: the operands of the store that
/// have its indices.
fn assigned_place(
    body: &Body,
    occurrences: &Occurrences,
    load: OccurrenceId,
) -> Option<std::ops::Range<usize>> {
    let here = occurrences[load];
    let ExprKind::Load { buffer, indices, predicate: None } = body.expr(here.expr).kind else {
        return None;
    };
    let op = &body.ops[here.op];
    let indices = body.items(indices);
    let is_target = op.kind == OpKind::Store { buffer, predicated: false }
        && op.operands[1..] == *indices
        && here.operand == 0;
    is_target.then_some(1..1 + indices.len())
}

/// The copies of real occurrences.
#[derive(Default)]
pub(super) struct Shadows {
    /// Sorted by copy: the copy, and its original.
    pairs: Vec<(OccurrenceId, OccurrenceId)>,
    /// The same, sorted by original.
    by_original: Vec<(OccurrenceId, OccurrenceId)>,
}

impl Shadows {
    /// Finds them. A virtual occurrence whose text and expression are those of a real one is its copy, with all in it.
    pub(super) fn collect(
        body: &Body,
        occurrences: &Occurrences,
        source: Option<&SourceView<'_>>,
        work: &mut Work,
    ) -> Shadows {
        let Some(source) = source else { return Shadows::default() };
        let is_node = |expr: ExprId| !body.expr(expr).is_leaf();
        let mut originals: FxHashMap<(ExprId, (u32, u32)), OccurrenceId> = FxHashMap::default();
        let any_virtual =
            occurrences.iter().any(|(id, it)| is_node(it.expr) && !(source.is_real)(id));
        if !any_virtual {
            return Shadows::default();
        }
        for (id, it) in occurrences.iter() {
            if is_node(it.expr) && (source.is_real)(id) {
                originals.entry((it.expr, (source.range)(id))).or_insert(id);
            }
        }
        work.visited += 2 * occurrences.len() as u64;
        work.hashed += (originals.len() * size_of::<(ExprId, (u32, u32))>()) as u64;
        let mut pairs = Vec::new();
        let mut at = OccurrenceId::new(0);
        while at.index() < occurrences.len() {
            let here = occurrences[at];
            if !is_node(here.expr) || (source.is_real)(at) {
                at = OccurrenceId::new(at.index() + 1);
                continue;
            }
            if let Some(&original) = originals.get(&(here.expr, (source.range)(at))) {
                pair(occurrences, source, at, original, &mut pairs);
            } else if let Some(target) = assigned_place(body, occurrences, at) {
                let mut index = OccurrenceId::new(at.index() + 1);
                for operand in target {
                    if let Some(original) = occurrences.of_operand(here.op, operand) {
                        pair(occurrences, source, index, original, &mut pairs);
                    }
                    index = occurrences[index].end;
                }
            } else {
                at = OccurrenceId::new(at.index() + 1);
                continue;
            }
            at = here.end;
        }
        let mut by_original = pairs.clone();
        by_original.sort_unstable_by_key(|&(copy, original)| (original, copy));
        Shadows { pairs, by_original }
    }

    /// Returns true if an occurrence is a copy.
    pub(super) fn contains(&self, occurrence: OccurrenceId) -> bool {
        self.pairs.binary_search_by_key(&occurrence, |it| it.0).is_ok()
    }

    /// The copies of the given occurrences, in order.
    pub(super) fn of(&self, occurrences: &[OccurrenceId]) -> Vec<OccurrenceId> {
        if self.pairs.is_empty() {
            return Vec::new();
        }
        let mut copies = Vec::new();
        for &original in occurrences {
            let start = self.by_original.partition_point(|it| it.1 < original);
            let here = self.by_original[start..].iter().take_while(|it| it.1 == original);
            copies.extend(here.map(|it| it.0));
        }
        copies.sort_unstable();
        copies
    }
}
