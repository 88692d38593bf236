//! Simplification: the plan, its termination, and the rewritten body.

mod corpus;
mod growth;
mod once;
mod statements;
mod text;

use dataflow::analyses::Analyses;
use expect_test::Expect;
use frontend::tvmscript::Lowered;
use ir::effects::EffectTable;
use ir::{
    Body, Occurrences,
    plan::{finding::Place, simplify::SimplifyPlan},
};
use transform::simplify::{SimplifyOptions, plan, rewrite, rewrite_items};

use crate::support::{kernel, lowered, statements};

/// Checks the plan for the statements of a kernel, and the statements after it. Planning again finds nothing; each item
/// alone, with the items that it needs, leaves a valid body.
#[track_caller]
pub(crate) fn check(statements_in: &str, expected: Expect) {
    check_file(&kernel(statements_in), expected);
}

/// As [`check`], of the first function of a file.
#[track_caller]
pub(crate) fn check_file(file: &str, expected: Expect) {
    let (_, text, it) = &lowered(file)[0];
    let occurrences = Occurrences::collect(&it.body);
    let plan = planned(&it.body);
    let after = rewrite(&it.body, &occurrences, &plan);
    ends(&after);
    for item in 0..plan.items.len() {
        let wanted = plan.with_needs(item);
        let _ = rewrite_items(&it.body, &occurrences, &plan, |at| wanted[at]);
    }
    let mut out = describe(text, it, &plan);
    if !plan.is_empty() {
        out.push_str(&statements(&ir::print::tvmscript(&after, 0)));
    }
    expected.assert_eq(&out);
}

pub(crate) fn planned(body: &Body) -> SimplifyPlan {
    let plan = plan(
        &Analyses::of(body, &Occurrences::collect(body), EffectTable::builtin()),
        None,
        &SimplifyOptions::default(),
    );
    assert!(plan.is_complete);
    plan
}

/// Checks that nothing is left to simplify.
#[track_caller]
pub(crate) fn ends(body: &Body) {
    assert_eq!(ir::verify::verify(body), []);
    let again = planned(body);
    assert!(again.is_empty(), "{:?}\n{}", again.items, ir::print::tvmscript(body, 0));
}

/// `# kind "text" -> simpler; because …`
fn describe(text: &str, lowered: &Lowered, plan: &SimplifyPlan) -> String {
    let mut out = String::new();
    for item in &plan.items {
        out.push_str(&format!("# {} {}", item.kind.name(), place(text, lowered, item.place)));
        for related in &item.because {
            let at = place(text, lowered, related.place);
            out.push_str(&format!("; {}: {at}", related.role.0));
        }
        if !item.rules.is_empty() {
            out.push_str(&format!("; by {}", item.rules.join(", ")));
        }
        if item.round > 0 {
            out.push_str(&format!("; round {}", item.round));
        }
        out.push('\n');
    }
    for it in &plan.refusals {
        let place = place(text, lowered, it.place);
        out.push_str(&format!("# not {} {place}: {}\n", it.kind.name(), it.refusal.name()));
    }
    out
}

/// ``3 `x * y` ``
fn place(text: &str, lowered: &Lowered, place: Place) -> String {
    let Some(range) = lowered.source_map.place(place) else { return "function".to_owned() };
    let excerpt = &text[std::ops::Range::<usize>::from(range)];
    let line = text[..usize::from(range.start())].matches('\n').count().saturating_sub(1);
    format!("{line} `{}`", excerpt.lines().next().unwrap_or_default())
}
