//! Virtual occurrences that share the text of a real one.
//!
//! `0 < x * y < n` has one `x * y` in the text and two in the body. Replacing the text changes both, so a plan must replace both
//! or it would not say what the edit does. Linear in the occurrences of the groups.

use ir::{ExprId, OccurrenceId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{Facts, flag};

/// The shadows of the given groups of real occurrences.
pub(super) fn collect<'g>(
    facts: &Facts<'_>,
    groups: impl Iterator<Item = &'g [OccurrenceId]>,
) -> FxHashSet<OccurrenceId> {
    let Some(source) = &facts.source else { return FxHashSet::default() };
    let mut texts: FxHashSet<(ExprId, (u32, u32))> = FxHashSet::default();
    for &occurrence in groups.flatten() {
        texts.insert((facts.occurrences[occurrence].expr, (source.range)(occurrence)));
    }
    facts
        .occurrences
        .iter()
        .filter(|&(id, it)| {
            !facts.has(id, flag::REAL)
                && facts.has(id, flag::REPLACEABLE)
                && facts.is_candidate(it.expr)
                && texts.contains(&(it.expr, (source.range)(id)))
        })
        .map(|(id, _)| id)
        .collect()
}

/// By expression, the shadows of [`collect`], in order.
pub(super) fn by_expr(
    facts: &Facts<'_>,
    shadows: &FxHashSet<OccurrenceId>,
) -> FxHashMap<ExprId, Vec<OccurrenceId>> {
    let mut lists: FxHashMap<ExprId, Vec<OccurrenceId>> = FxHashMap::default();
    if !shadows.is_empty() {
        for (id, it) in facts.occurrences.iter() {
            if shadows.contains(&id) {
                lists.entry(it.expr).or_default().push(id);
            }
        }
    }
    lists
}

/// The shadows of one group.
pub(super) fn of(
    facts: &Facts<'_>,
    occurrences: &[OccurrenceId],
    lists: &FxHashMap<ExprId, Vec<OccurrenceId>>,
) -> Vec<OccurrenceId> {
    let Some(source) = &facts.source else { return Vec::new() };
    let Some(&first) = occurrences.first() else { return Vec::new() };
    let Some(list) = lists.get(&facts.occurrences[first].expr) else { return Vec::new() };
    let texts: FxHashSet<(u32, u32)> = occurrences.iter().map(|&it| (source.range)(it)).collect();
    list.iter().copied().filter(|&it| texts.contains(&(source.range)(it))).collect()
}
