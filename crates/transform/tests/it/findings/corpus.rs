//! Real programs: fixes of the text and of the body agree, and reach an end.

use dataflow::analyses::Analyses;
use ir::effects::EffectTable;
use test_utils::sample_files;
use transform::findings::Finding;
use transform::findings::{FindingOptions, compatible, findings};

use super::{agree, found};
use crate::support::lowered;

#[test]
fn text_and_body_agree_after_fixes_of_real_programs() {
    let options = FindingOptions { loop_invariant_cost: 1, ..FindingOptions::default() };
    for sample in sample_files() {
        for (item, text, before) in &lowered(&sample.text) {
            let all = found(before, &options);
            agree(&sample.text, item, text, before, &all);
            // Large functions have many findings: some alone.
            let step = all.len().div_ceil(4).max(1);
            for one in all.iter().step_by(step) {
                agree(&sample.text, item, text, before, [one]);
            }
        }
    }
}

#[test]
fn findings_are_the_same_every_time() {
    for sample in sample_files() {
        for (_, _, before) in &lowered(&sample.text) {
            let options = FindingOptions::default();
            assert_eq!(found(before, &options), found(before, &options));
        }
    }
}

#[test]
fn fixing_the_body_reaches_an_end() {
    for sample in sample_files() {
        for (item, _, before) in lowered(&sample.text) {
            let mut body = before.body;
            for round in 0.. {
                assert!(round < 16, "{} {} has no end", sample.name, item.source.name);
                let occurrences = ir::Occurrences::collect(&body);
                let all = findings(
                    &Analyses::of(&body, &occurrences, EffectTable::builtin()),
                    None,
                    &FindingOptions::default(),
                );
                let wanted: Vec<&Finding> =
                    all.iter().filter(|it| it.kind.is_fixed_by_default()).collect();
                let chosen = compatible(&body, &occurrences, wanted);
                if chosen.is_empty() {
                    break;
                }
                body = transform::findings::apply(&body, &occurrences, chosen);
            }
        }
    }
}
