//! Passes by their names, as command lines and artifact keys have them.
//!
//! In: a body. Out: the body after a pass. `simplify` simplifies until nothing is left, `cse` binds common
//! subexpressions; every kind of finding with a fix is a pass that does all its fixes which are right together.

use dataflow::analyses::Analyses;
use ir::{Body, Occurrences, effects::EffectTable};
use rules::Fix;

use crate::{
    broken::{Broken, kept},
    cse::{self, CseOptions},
    findings::{self, FindingKind, FindingKinds, FindingOptions},
    simplify::{self, SimplifyOptions},
};

/// One pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pass {
    /// Common subexpression elimination.
    Cse,
    /// Simplification of expressions and statements.
    Simplify,
    /// The fixes of one kind of finding.
    Fix(FindingKind),
}

impl Pass {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Pass::Cse => "cse",
            Pass::Simplify => "simplify",
            Pass::Fix(kind) => kind.name(),
        }
    }

    /// The pass of a name.
    pub fn from_name(name: &str) -> Option<Pass> {
        Pass::all().find(|it| it.name() == name)
    }

    /// All passes. Informational findings are excluded: `noalias` is a promise that only a user can make.
    pub fn all() -> impl Iterator<Item = Pass> {
        let kinds = FindingKind::ALL.iter().copied();
        let is_for_people = |it: &FindingKind| matches!(it.rule().fix, Fix::Informs | Fix::Promise);
        let fixes = kinds.filter(move |it| !is_for_people(it)).map(Pass::Fix);
        [Pass::Cse, Pass::Simplify].into_iter().chain(fixes)
    }

    /// The body after the pass, if it keeps the rules of the IR.
    pub fn checked(self, body: &Body, effects: &EffectTable) -> Result<Body, Broken> {
        kept(self.name(), body, self.run(body, effects))
    }

    /// The body after the pass.
    pub fn run(self, body: &Body, effects: &EffectTable) -> Body {
        let occurrences = Occurrences::collect(body);
        let analyses = &Analyses::of(body, &occurrences, effects);
        match self {
            Pass::Cse => {
                let plan = cse::plan(analyses, None, &CseOptions::default());
                cse::rewrite(body, &occurrences, &plan)
            }
            Pass::Simplify => {
                let options = SimplifyOptions::default();
                let plan = simplify::plan(analyses, None, &options);
                simplify::rewrite(body, &occurrences, &plan)
            }
            Pass::Fix(kind) => {
                let mut kinds = FindingKinds::NONE;
                kinds.insert(kind);
                let options = FindingOptions { kinds, ..FindingOptions::default() };
                let found = findings::findings(analyses, None, &options);
                let chosen = findings::compatible(body, &occurrences, &found);
                findings::apply(body, &occurrences, chosen)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pass_is_found_by_its_name() {
        for pass in Pass::all() {
            assert_eq!(Pass::from_name(pass.name()), Some(pass));
        }
        assert_eq!(Pass::from_name("missing-noalias"), None);
    }
}
