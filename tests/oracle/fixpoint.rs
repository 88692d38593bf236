//! One plan of the preset `default` is complete: every sample is planned, rewritten and planned again, and the second
//! plan is empty.

use dataflow::analyses::Analyses;
use ir::{Body, Occurrences, effects::EffectTable};
use transform::{
    cse::{self, CseOptions},
    ops::{self, OpOptions},
};

use crate::{
    functions::{Corpus, STAGES, functions_of_file},
    mlir_run::{inputs, program::documents},
    tally::Tally,
};

/// Returns true if a plan made after the preset `default` was applied has actions; `None` if there was nothing to
/// apply.
pub(crate) fn finds_more(body: &Body) -> Option<bool> {
    let options = CseOptions::default();
    let occurrences = Occurrences::collect(body);
    let plan = cse::plan(&Analyses::of(body, &occurrences, EffectTable::builtin()), None, &options);
    if plan.is_empty() {
        return None;
    }
    let after = cse::rewrite(body, &occurrences, &plan);
    Some(
        !cse::plan(
            &Analyses::of(&after, &Occurrences::collect(&after), EffectTable::builtin()),
            None,
            &options,
        )
        .is_empty(),
    )
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

#[test]
fn a_second_plan_of_operations_finds_nothing_more() {
    let corpus = Corpus::chosen(0);
    let folder = if corpus.is_small { corpus.folder.join("mlir") } else { corpus.folder.clone() };
    let mut tally = Tally::default();
    let plan = |body: &Body| ops::plan(body, EffectTable::builtin(), &OpOptions::default());
    for sample in inputs(test_utils::mlir_samples_below(&folder)) {
        for unit in documents(&sample.text).iter().flat_map(|it| &it.units) {
            let first = plan(&unit.body);
            let what = match first.is_empty() {
                true => "nothing to do",
                false if plan(&ops::rewrite(&unit.body, &first)).is_empty() => "done by one plan",
                false => "a second plan finds more",
            };
            tally.add(what, &format!("{}:{}", sample.name, unit.body.name));
        }
    }
    tally.print("functions of MLIR planned twice");
    if corpus.is_small {
        assert!(tally.count("done by one plan") > 30);
        assert_eq!(tally.count("a second plan finds more"), 0);
    }
}
