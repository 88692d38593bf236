//! The plans for a function of statements.

use std::sync::Arc;

use dataflow::analyses::Analyses;
use ir::plan::{CsePlan, SourceView, simplify::SimplifyPlan};
use transform::{
    cse::{self, CseOptions},
    findings::{Finding, FindingOptions, findings_beside},
    simplify::{self, SimplifyOptions},
};

/// The planner of a function: its analyses, and the facts about its text.
#[derive(Clone, Copy)]
pub struct Planner<'a> {
    /// The analyses.
    pub analyses: &'a Analyses<'a>,
    /// Which places have text, and which names are taken.
    pub view: SourceView<'a>,
}

impl Planner<'_> {
    /// Plans the sharing of values.
    pub fn sharing(&self, options: &CseOptions) -> CsePlan {
        cse::plan(self.analyses, Some(self.view), options)
    }

    /// Returns the findings of the wanted kinds, in program order. `known` gives the plan of [`Planner::sharing`] by
    /// the default options, if there is one already.
    pub fn findings(
        &self,
        options: &FindingOptions,
        known: &dyn Fn() -> Option<Arc<CsePlan>>,
    ) -> Vec<Finding> {
        let anew = || Arc::new(self.sharing(&CseOptions::default()));
        let shared = || known().unwrap_or_else(anew);
        findings_beside(self.analyses, Some(self.view), options, &shared)
    }

    /// Plans simplifications.
    pub fn simplifications(&self) -> SimplifyPlan {
        simplify::plan(self.analyses, Some(self.view), &SimplifyOptions::default())
    }
}
