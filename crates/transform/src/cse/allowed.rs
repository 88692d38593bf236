//! Findings that the user allows: groups that a comment suppresses, or all groups of a function with the attribute.
//!
//! In: a plan made with a view in which allowed occurrences have no text. Out: the same plan with [`Refusal::Allowed`]
//! where that is the reason. Linear in the occurrences of the groups.

use ir::{
    Body,
    plan::{COMMON_SUBEXPRESSION, CsePlan, Decision, Refusal, SourceView, allow},
};

pub(super) fn name(plan: &mut CsePlan, body: &Body, source: Option<&SourceView<'_>>) {
    let whole = allow::by_attribute(body, COMMON_SUBEXPRESSION.name);
    if whole {
        plan.bindings.clear();
    }
    for group in &mut plan.groups {
        let is_applied = !matches!(group.decision, Decision::Refuse(_));
        let lacks_text = group.decision == Decision::Refuse(Refusal::VirtualOnly);
        let is_allowed =
            || source.is_some_and(|view| group.occurrences.iter().any(|&it| (view.is_allowed)(it)));
        if (whole && is_applied) || (lacks_text && is_allowed()) {
            group.decision = Decision::Refuse(Refusal::Allowed);
            group.saved = 0;
        }
    }
}
