//! Real programs: planning ends, each item and all of them leave valid bodies, and text and body agree.
//!
//! `TIR_SIMPLIFY_CORPUS` names another folder of programs than the samples; its findings are then printed by kind.

use std::{collections::BTreeMap, path::Path};

use ir::{Occurrences, plan::simplify::Simplification};
use test_utils::{Sample, sample_files, samples_below};
use transform::simplify::rewrite;

use super::{
    ends, planned,
    text::{agree, planned_text},
};
use crate::support::lowered;

fn chosen() -> Vec<Sample> {
    match std::env::var_os("TIR_SIMPLIFY_CORPUS") {
        Some(folder) => samples_below(Path::new(&folder)),
        None => sample_files(),
    }
}

#[test]
fn text_and_body_agree_after_simplifying_real_programs() {
    let (mut n_items, mut n_done) = (0, 0);
    for sample in chosen() {
        let text = &sample.text;
        for (item, _, it) in &lowered(text) {
            let plan = planned_text(it);
            n_items += plan.items.len();
            n_done += agree(text, item, it, &plan, |_| true).1;
            let last = plan.items.len().saturating_sub(1);
            for index in [0, last / 2, last] {
                let wanted = plan.with_needs(index);
                if !plan.is_empty() {
                    agree(text, item, it, &plan, |at| wanted[at]);
                }
            }
        }
    }
    report(format_args!("{n_done} of {n_items} done in the text"));
    assert!(n_done * 10 >= n_items * 8, "{n_done} of {n_items}");
}

#[test]
fn simplifying_real_programs_ends() {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    let (mut n_functions, mut n_changed) = (0, 0);
    for sample in chosen() {
        for (_, _, it) in &lowered(&sample.text) {
            let plan = planned(&it.body);
            n_functions += 1;
            n_changed += usize::from(!plan.is_empty());
            plan.items.iter().for_each(|it| *kinds.entry(key(it)).or_default() += 1);
            for refused in &plan.refusals {
                let name = format!("not {}: {}", refused.kind.name(), refused.refusal.name());
                *kinds.entry(name).or_default() += 1;
            }
            ends(&rewrite(&it.body, &Occurrences::collect(&it.body), &plan));
        }
    }
    report(format_args!("{n_changed} of {n_functions} functions change: {kinds:#?}"));
    assert!(n_changed * 20 > n_functions, "{n_changed} of {n_functions}");
}

fn key(item: &Simplification) -> String {
    let round = if item.round > 0 { " (later)" } else { "" };
    format!("{}{round}", item.kind.name())
}

#[expect(clippy::print_stdout, reason = "the report of a test, shown with --nocapture")]
fn report(what: std::fmt::Arguments<'_>) {
    println!("{what}");
}
