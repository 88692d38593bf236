//! One plan of the preset `default` finds what a second one would: every sample is planned, rewritten and planned again.

use ir::{Body, Occurrences};
use transform::cse::{self, CseOptions};

use crate::{
    functions::{Corpus, STAGES, functions_of_file},
    tally::Tally,
};

/// Whether a plan made after the preset `default` was applied does something; none if there was nothing to apply.
pub(crate) fn finds_more(body: &Body) -> Option<bool> {
    let options = CseOptions::default();
    let occurrences = Occurrences::collect(body);
    let plan = cse::plan(body, &occurrences, None, &options);
    if plan.is_empty() {
        return None;
    }
    let after = cse::rewrite(body, &occurrences, &plan);
    Some(!cse::plan(&after, &Occurrences::collect(&after), None, &options).is_empty())
}

#[test]
fn a_second_plan_finds_nothing_more() {
    let corpus = Corpus::chosen(0);
    let mut tally = Tally::default();
    for stage in STAGES {
        for path in corpus.files(stage) {
            for function in functions_of_file(stage, &path) {
                let what = match finds_more(&function.lowered.body) {
                    None => "nothing in common",
                    Some(false) => "done by one plan",
                    Some(true) => "a second plan finds more",
                };
                tally.add(what, &function.name);
            }
        }
    }
    tally.print("functions planned twice");
    if corpus.is_small {
        assert!(tally.count("done by one plan") > 100);
        assert_eq!(tally.count("a second plan finds more"), 0);
    }
}
