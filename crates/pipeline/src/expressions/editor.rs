//! Plans of a function of statements as edits of its text, which were read back.

use frontend::tvmscript::{
    CheckedEdits, Edited, ReadBack, Selection, checked_cse_edits, checked_finding_edits,
    checked_simplify_edits,
};
use ir::{
    Body, Occurrences,
    plan::{CsePlan, finding::FindingFix, simplify::SimplifyPlan},
};
use transform::{
    cse,
    findings::{Finding, apply_fixes, compatible},
    simplify,
};

use super::Function;

/// The editor of a function.
#[derive(Clone, Copy)]
pub struct Editor<'a> {
    /// The function.
    pub function: Function<'a>,
    /// Its text.
    pub text: &'a str,
    /// The occurrences of its body.
    pub occurrences: &'a Occurrences,
    /// The time at which an edited text is read again.
    pub reading: ReadBack,
}

impl<'a> Editor<'a> {
    fn body(&self) -> &'a Body {
        &self.function.lowered.body
    }

    fn edited(&self) -> Edited<'a> {
        let Editor { function, text, occurrences, reading } = *self;
        let Function { source, environment, lowered } = function;
        Edited { source, environment, lowered, text, occurrences, reading }
    }

    /// Returns the edits that share the values of a plan, or of one group of it, in one piece.
    pub fn share(&self, plan: &CsePlan, selection: Selection) -> CheckedEdits {
        let rewritten = |plan: &CsePlan| cse::rewrite(self.body(), self.occurrences, plan);
        checked_cse_edits(self.edited(), plan, selection, &rewritten)
    }

    /// Returns the edits that do the fixes of findings: of those that are right together, the first `limit`.
    pub fn fix<'f>(
        &self,
        findings: impl IntoIterator<Item = &'f Finding>,
        limit: usize,
    ) -> CheckedEdits {
        let chosen = compatible(self.body(), self.occurrences, findings);
        let fixes = chosen.into_iter().filter_map(|it| it.fix.as_ref()).take(limit);
        self.apply(&fixes.collect::<Vec<_>>())
    }

    /// Returns the edits that do fixes which are right together.
    pub fn apply(&self, fixes: &[&FindingFix]) -> CheckedEdits {
        let rewritten = |fixes: &[&FindingFix]| {
            apply_fixes(self.body(), self.occurrences, fixes.iter().copied())
        };
        checked_finding_edits(self.edited(), fixes, &rewritten)
    }

    /// Returns the edits that do the wanted items of a plan, by their numbers.
    pub fn simplify(&self, plan: &SimplifyPlan, wanted: impl Fn(usize) -> bool) -> CheckedEdits {
        let rewritten = |is_done: &[bool]| {
            simplify::rewrite_items(self.body(), self.occurrences, plan, |at| is_done[at])
        };
        checked_simplify_edits(self.edited(), plan, wanted, &rewritten)
    }
}
