//! Missing `noalias`: the sharing that would be possible if parameters were known not to overlap.
//!
//! Without the attribute a store to one buffer parameter may change every other (`SEMANTICS: M4`). In: a function
//! without it. Out: one finding if values are read again only for that reason: the common subexpressions are planned as
//! if the attribute were there, and the savings are reported. Most functions are settled before any planning: they
//! store to no parameter, or read nothing twice from one. Large functions are not planned again; for them only the
//! possibility is reported. At most one plan besides the one that is there, else O(occurrences).

use dataflow::analyses::Analyses;
use ir::{
    Attr, BufferId, BufferOrigin, Dialect, ExprKind, OccurrenceId, OpKind, noalias_key,
    plan::{
        CsePlan,
        finding::{FindingFix, FixEdit, Place, Related, Role},
    },
};
use rules::{Fix, Rule, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Finding, FindingFacts, FindingKind, FindingRule, edit_title, sentence};
use crate::cse::{self, CseOptions};

/// Without `noalias`, writes of one parameter may change another.
pub(super) const MISSING_NOALIAS: FindingRule = FindingRule {
    rule: Rule::reported(
        "missing-noalias",
        Severity::Hint,
        "parameters may overlap, so less can be shared",
        "\
Without the attribute `tirx.noalias` (`tir.noalias` before TVM 0.24) two buffer parameters may be the same memory. \
After a store to
one of them, every other one has to be read again.

```python
B[0] = A[0] * 2.0
C[0] = A[0] * 2.0         # B could be A: read and multiplied again
```

If no caller passes overlapping buffers, add the attribute, as the fix does. It is a promise that this \
tool cannot check, so
fixing all leaves it out. TileLang makes this promise for every kernel.
",
    )
    .with_fix(Fix::Promise),
    plan,
    title: edit_title,
    is_unnecessary: false,
};

/// It could be shared.
const SHAREABLE: Role = Role("could be shared");

/// Functions with more occurrences are not planned again.
const MAX_OCCURRENCES: usize = 10_000;

/// Values that are named in the finding.
const MAX_NAMED: usize = 8;

fn plan(facts: &FindingFacts<'_>, found: &mut Vec<Finding>) {
    let keys = ["tirx.noalias", "tir.noalias"];
    // TileLang says of every kernel that it makes that its parameters do not overlap.
    if facts.body.dialect == Dialect::TileLang {
        return;
    }
    if keys.iter().any(|it| facts.body.func_attr(it).is_some()) || !may_matter(facts) {
        return;
    }
    let function = Place::Function;
    let key = noalias_key(facts.body.dialect);
    let (message, related) = if facts.occurrences.len() > MAX_OCCURRENCES {
        let may = "` says they do not";
        (sentence!["parameters of ", function, " may overlap: `", key, may], Vec::new())
    } else {
        let Some(Gain { groups, saved, related }) = gain(facts) else { return };
        let values = if groups == 1 { " more value" } else { " more values" };
        let evaluations = if saved == 1 { " evaluation" } else { " evaluations" };
        let message = sentence![
            "parameters of ",
            function,
            " may overlap: with `",
            key,
            "` ",
            groups,
            values,
            " could be shared, which saves ",
            saved,
            evaluations,
        ];
        (message, related)
    };
    found.push(Finding {
        kind: FindingKind::MissingNoalias,
        is_shown: false,
        place: function,
        message,
        related,
        fix: Some(FindingFix::of(FixEdit::AddNoalias)),
    });
}

/// Returns true if a parameter is read twice and another parameter is stored to.
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

/// The savings that the attribute would allow.
struct Gain {
    /// Groups of equal values that could be shared then and cannot now.
    groups: u32,
    /// Evaluations that this would save (static count).
    saved: u32,
    /// Values that could be shared.
    related: Vec<Related>,
}

/// Returns the savings that the attribute would allow, and their places; `None` if there are none.
fn gain(facts: &FindingFacts<'_>) -> Option<Gain> {
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
        .map(|&it| Related { place: Place::Occurrence(it), role: SHAREABLE });
    let groups = u32::try_from(gained.len()).unwrap_or(u32::MAX).max(1);
    Some(Gain { groups, saved, related: related.collect() })
}

fn applied(plan: &CsePlan) -> impl Iterator<Item = &ir::plan::CseGroup> {
    plan.groups.iter().filter(|it| it.decision.is_applied() && !it.occurrences.is_empty())
}

fn total(plan: &CsePlan) -> u32 {
    applied(plan).fold(0u32, |sum, it| sum.saturating_add(it.saved))
}
