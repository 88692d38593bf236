//! One cause, one report: what another diagnostic of the function says already is left out.
//!
//! - Equal words at one place are told once: a text that stands for several statements, a guard for each of its loops.
//! - Equal simplifications are told at the first of their places; the others are related. So are guards that join one
//!   guard before them.
//! - A statement that goes takes along what is in it: no simplification inside it is told.
//! - A store that is dead is not also a statement that does nothing, a loop whose body is never executed not also one
//!   that does nothing, and a condition that is known not also one that joins the guard around it.
//! - A name that an error says is defined twice is not also unused.
//!
//! O(n log n) in the diagnostics of a function.

use std::{cmp::Reverse, collections::hash_map::Entry, hash::BuildHasher as _};

use frontend::tvmscript::diagnostics::REDEFINITION;
use ir::plan::{finding::Role, simplify::SimplificationKind};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use syntax::{Diagnostic, TextRange};
use transform::findings::FindingKind;

/// Related places of one finding.
pub(super) const MAX_RELATED: usize = 8;

/// Removes findings that repeat another one, or an error.
pub(super) fn told_once(all: &mut Vec<Diagnostic>) {
    let errors = all.iter().filter(|it| it.code == REDEFINITION);
    let redefined: FxHashSet<TextRange> =
        errors.flat_map(|it| it.related.iter().map(|(range, _)| *range)).collect();
    let mut told: FxHashSet<(&'static str, TextRange, u64)> = FxHashSet::default();
    all.retain(|it| {
        let is_error_of_its_own = it.code != FindingKind::DeadBinding.name();
        (is_error_of_its_own || !redefined.contains(&it.range))
            && told.insert((it.code, it.range, words(it)))
    });
}

/// The words of a diagnostic as a number: a file has 10,000 of them, and copies of their texts weigh more than the
/// file.
fn words(it: &Diagnostic) -> u64 {
    FxBuildHasher.hash_one(&it.message)
}

/// Adds simplifications to the findings of a function, in words and with their kinds. `removed` are the places of those
/// that remove the statement there. They are added one by one: a file has 10,000 of them.
pub(super) fn add_simplifications(
    res: &mut Vec<Diagnostic>,
    removed: impl Iterator<Item = TextRange>,
    all: impl Iterator<Item = (SimplificationKind, Diagnostic)>,
) {
    let said: FxHashSet<(SimplificationKind, TextRange)> =
        res.iter().flat_map(said_by_a_finding).collect();
    let removed = outermost(removed);
    let is_inside = |range: TextRange| {
        let behind = removed.partition_point(|it| it.start() <= range.start());
        let around = behind.checked_sub(1).map(|index| removed[index]);
        around.is_some_and(|it| it != range && it.contains_range(range))
    };
    let mut first: FxHashMap<(&'static str, u64, Option<TextRange>), usize> = FxHashMap::default();
    for (kind, it) in all {
        if said.contains(&(kind, it.range)) || is_inside(it.range) {
            continue;
        }
        let place = match kind {
            SimplificationKind::Simplifiable => None,
            SimplificationKind::MergeableGuards => it.related.first().map(|(range, _)| *range),
            _ => Some(it.range),
        };
        match first.entry((it.code, words(&it), place)) {
            Entry::Vacant(entry) => {
                entry.insert(res.len());
                res.push(it);
            }
            Entry::Occupied(entry) => join(&mut res[*entry.get()], it),
        }
    }
}

/// The simplifications that a finding tells already, with their places.
fn said_by_a_finding(it: &Diagnostic) -> Vec<(SimplificationKind, TextRange)> {
    let is = |kind: FindingKind| it.code == kind.name();
    if is(FindingKind::DeadStore) {
        return vec![(SimplificationKind::NoOp, it.range)];
    }
    if is(FindingKind::ConstantCondition) || is(FindingKind::RedundantCondition) {
        return vec![(SimplificationKind::MergeableGuards, it.range)];
    }
    if is(FindingKind::Unreachable) {
        let loops = it.related.iter().filter(|(_, role)| role == Role::LOOP.0);
        return loops.map(|(range, _)| (SimplificationKind::EmptyLoop, *range)).collect();
    }
    Vec::new()
}

/// Adds the places of an equal simplification to the one that is told.
fn join(told: &mut Diagnostic, it: Diagnostic) {
    told.n_fixes += it.n_fixes;
    let place = (it.range != told.range).then(|| (it.range, "and here".to_owned()));
    let more = place.into_iter().chain(it.related);
    let room = MAX_RELATED.saturating_sub(told.related.len());
    let more: Vec<_> = more.filter(|it| !told.related.contains(it)).take(room).collect();
    told.related.extend(more);
}

/// The ranges that are in no other one, in the order of the text. Of two ranges that meet, one contains the other.
fn outermost(all: impl Iterator<Item = TextRange>) -> Vec<TextRange> {
    let mut all: Vec<TextRange> = all.collect();
    all.sort_by_key(|it| (it.start(), Reverse(it.end())));
    let mut res: Vec<TextRange> = Vec::new();
    for range in all {
        if res.last().is_none_or(|it| !it.contains_range(range)) {
            res.push(range);
        }
    }
    res
}
