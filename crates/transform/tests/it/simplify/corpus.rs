//! Real programs: planning ends, each item and all of them leave valid bodies, and text and body agree.

use ir::Occurrences;
use test_utils::sample_files;
use transform::simplify::rewrite;

use super::{
    ends, planned,
    text::{agree, planned_text},
};
use crate::support::lowered;

#[test]
fn text_and_body_agree_after_simplifying_real_programs() {
    let (mut n_items, mut n_done) = (0, 0);
    for sample in sample_files() {
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
    assert!(n_done * 10 > n_items * 8, "{n_done} of {n_items}");
}

#[test]
fn simplifying_real_programs_ends() {
    let mut n_items = 0;
    for sample in sample_files() {
        for (_, _, it) in &lowered(&sample.text) {
            let plan = planned(&it.body);
            n_items += plan.items.len();
            ends(&rewrite(&it.body, &Occurrences::collect(&it.body), &plan));
        }
    }
    assert!(n_items > 100, "{n_items}");
}
