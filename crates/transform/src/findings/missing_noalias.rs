//! Missing `noalias`: what could be shared if parameters were known not to overlap.
//!
//! Without the attribute a store to one buffer parameter may change every other (`SEMANTICS: M4`). In: a function without it. Out: one
//! finding if values are read again only for that reason: the common subexpressions are planned as if the attribute were there, and what
//! that would save is told. Most functions are settled before any planning: they store to no parameter, or read nothing twice from one.
//! Large functions are not planned again; there only the chance is told. At most one plan besides the one that is there, else O(occurrences).

use dataflow::analyses::Analyses;
use ir::{
    Attr, BufferId, BufferOrigin, ExprKind, OccurrenceId, OpKind, noalias_key,
    plan::{
        CsePlan,
        finding::{Finding, FindingFix, FindingKind, FixEdit, Place, Reason, Related, Role},
    },
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::FindingFacts;
use crate::cse::{self, CseOptions};

/// Functions with more occurrences are not planned again.
const MAX_OCCURRENCES: usize = 10_000;

/// Values that are named in the finding.
const MAX_NAMED: usize = 8;

pub(super) fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let keys = ["tirx.noalias", "tir.noalias"];
    if keys.iter().any(|it| facts.body.func_attr(it).is_some()) || !may_matter(facts) {
        return;
    }
    let (reason, related) = if facts.occurrences.len() > MAX_OCCURRENCES {
        (Reason::MayOverlap, Vec::new())
    } else {
        match gain(facts) {
            Some(it) => it,
            None => return,
        }
    };
    found.push(Finding {
        kind: FindingKind::MissingNoalias,
        place: Place::Function,
        reason,
        related,
        fix: Some(FindingFix::of(FixEdit::AddNoalias)),
    });
}

/// Whether something is read twice from a parameter, and another parameter is stored to.
fn may_matter(facts: &FindingFacts<'_>) -> bool {
    let body = facts.body;
    let is_param = |it: BufferId| {
        matches!(body.buffers[it].origin, BufferOrigin::Param | BufferOrigin::Match { .. })
    };
    let mut stored: FxHashSet<BufferId> = FxHashSet::default();
    for op in body.ops_preorder() {
        if let OpKind::Store { buffer, .. } = body.ops[op].kind {
            stored.insert(buffer);
        }
    }
    stored.retain(|&it| is_param(it));
    if stored.is_empty() {
        return false;
    }
    let mut seen = FxHashSet::default();
    facts.occurrences.iter().any(|(_, it)| match body.expr(it.expr).kind {
        ExprKind::Load { buffer, .. } if is_param(buffer) => {
            let is_stored_elsewhere = stored.len() > 1 || !stored.contains(&buffer);
            !seen.insert(it.expr) && is_stored_elsewhere
        }
        _ => false,
    })
}

/// What the attribute would save, and where; none if nothing.
fn gain(facts: &FindingFacts<'_>) -> Option<(Reason, Vec<Related>)> {
    let without = (facts.shared)();
    let mut body = facts.body.clone();
    body.attrs.push((noalias_key(body.dialect).into(), Attr::Bool(true)));
    let analyses = Analyses::of(&body, facts.occurrences, facts.effects);
    let with = cse::plan(&analyses, facts.source, &CseOptions::default());
    let saved = total(&with).saturating_sub(total(&without));
    if saved == 0 {
        return None;
    }
    let before: FxHashMap<OccurrenceId, u32> =
        applied(&without).map(|it| (it.occurrences[0], it.saved)).collect();
    let gained: Vec<OccurrenceId> = applied(&with)
        .filter(|it| before.get(&it.occurrences[0]).is_none_or(|saved| it.saved > *saved))
        .map(|it| it.occurrences[0])
        .collect();
    let related = gained
        .iter()
        .take(MAX_NAMED)
        .map(|&it| Related { place: Place::Occurrence(it), role: Role::Shareable });
    let groups = u32::try_from(gained.len()).unwrap_or(u32::MAX).max(1);
    Some((Reason::WouldShare { groups, saved }, related.collect()))
}

fn applied(plan: &CsePlan) -> impl Iterator<Item = &ir::plan::CseGroup> {
    plan.groups.iter().filter(|it| it.decision.is_applied() && !it.occurrences.is_empty())
}

fn total(plan: &CsePlan) -> u32 {
    applied(plan).fold(0u32, |sum, it| sum.saturating_add(it.saved))
}
