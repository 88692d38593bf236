//! The catalogue: every name that a message may carry, with its documentation.
//!
//! Each name is declared where it is produced ([`rules`]); the tables are joined here. `explain` prints them, SARIF
//! lists them. Sorted by name. What is reported has a page with an example besides: [`pages`].

pub(crate) mod pages;

use std::sync::OnceLock;

use frontend::tvmscript::diagnostics;
use ide::{FindingKind, OpFindingKind};
use ir::plan::{
    COMMON_SUBEXPRESSION, REFUSALS,
    ops::{OpActionKind, OpRefusalKind},
    simplify::{SimplificationKind, SimplifyRefusal},
};
use rules::{Rule, Topic};
use syntax::SyntaxErrorKind;

use crate::suggest::near;

/// All names, sorted. Several producers may share a declaration: it is there once.
pub(crate) fn all() -> &'static [&'static Rule] {
    static ALL: OnceLock<Vec<&'static Rule>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all: Vec<&Rule> = vec![&COMMON_SUBEXPRESSION];
        all.extend(diagnostics::ALL);
        all.extend(frontend::ops::ALL);
        all.extend(SyntaxErrorKind::ALL.iter().map(|it| it.rule()));
        all.extend(REFUSALS);
        all.extend(OpActionKind::ALL.iter().map(|it| it.rule()));
        all.extend(OpRefusalKind::ALL.iter().map(|it| it.rule()));
        all.extend(FindingKind::ALL.iter().map(|it| it.rule()));
        all.extend(OpFindingKind::ALL.iter().map(|it| it.rule()));
        all.extend(SimplificationKind::ALL.iter().map(|it| it.rule()));
        all.extend(SimplifyRefusal::ALL.iter().map(|it| it.rule()));
        all.extend(arith::rules::declared());
        all.extend(arith::simplify::STAGES);
        all.extend(codegen::reasons::all().map(|it| it.rule()));
        all.sort_by_key(|it| it.name);
        all.dedup();
        all
    })
}

/// The rule of a name; else names that are written much like it, the most alike first.
pub(crate) fn find(name: &str) -> Result<&'static Rule, Vec<&'static str>> {
    let all = all();
    if let Ok(at) = all.binary_search_by_key(&name, |it| it.name) {
        return Ok(all[at]);
    }
    // What is reported is asked about more often than a step of the simplifier.
    let is_step = |it: &&&Rule| it.topic == Topic::Simplification;
    let reported = near(name, all.iter().filter(|it| !is_step(it)).map(|it| it.name));
    if !reported.is_empty() {
        return Err(reported);
    }
    Err(near(name, all.iter().filter(is_step).map(|it| it.name)))
}

#[cfg(test)]
mod tests {
    use rules::Severity;

    use super::*;

    #[test]
    fn every_reason_and_rule_is_there_once() {
        let all = all();
        assert!(all.is_sorted_by(|a, b| a.name < b.name));
        for rule in all {
            assert!(!rule.summary.ends_with('.') && !rule.docs.trim().is_empty(), "{}", rule.name);
        }
        for rule in diagnostics::ALL {
            assert!(find(rule.name).is_ok());
        }
        assert!(find("too-deep").is_ok_and(|it| it.level == Some(Severity::Error)));
    }

    #[test]
    fn near_names_are_offered() {
        assert_eq!(find("maytrap").unwrap_err()[0], "may-trap");
        assert_eq!(find("common-sub").unwrap_err()[0], "common-subexpression");
        assert!(find("qqqqqqqq").unwrap_err().is_empty());
    }
}
