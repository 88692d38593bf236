//! Steps and missing facts.

use ir::print::expr_text;

use super::{super::MissingFact, support::case};
use crate::Overflow;

#[track_caller]
fn check_steps(given: &[&str], text: &str, expected: &[&str]) {
    let mut case = case(given, text, text);
    let steps = case.simplifier.steps(case.ctx, case.expr, Overflow::Excluded);
    let body = case.simplifier.body();
    let text = |it| expr_text(body, it);
    let lines: Vec<String> = steps
        .iter()
        .map(|it| format!("{}: {} => {}", it.rule, text(it.before), text(it.after)))
        .collect();
    assert_eq!(lines, expected);
}

#[track_caller]
fn check_missing(given: &[&str], text: &str, expected: &[&str]) {
    let mut case = case(given, text, text);
    let missing = case.simplifier.missing(case.ctx, case.expr, Overflow::Excluded);
    let body = case.simplifier.body();
    let text = |it| expr_text(body, it);
    let lines: Vec<String> = missing
        .iter()
        .map(|it| match it.fact {
            MissingFact::Holds(cond) => format!("{}: {}", it.rule, text(cond)),
            MissingFact::NoOverflow(expr) => format!("{}: {} fits", it.rule, text(expr)),
            MissingFact::NoEvent(expr) => format!("{}: {} is safe", it.rule, text(expr)),
        })
        .collect();
    assert_eq!(lines, expected);
}

#[test]
fn steps_name_the_rules_in_their_order() {
    check_steps(
        &[],
        "x + 0 - x < y",
        &["neutral-operand: T.Add(x, 0) => x", "sum-of-products: x - x => 0"],
    );
    check_steps(
        &["y > 0 and y < 9 and z > 0 and z < 9"],
        "x // y < z",
        &["floordiv-lt: x // y < z => x < y * z"],
    );
}

#[test]
fn a_decision_says_which_context_decides() {
    let mut case = case(&["y < 3", "x < 5"], "x < 7", "true");
    let steps = case.simplifier.steps(case.ctx, case.expr, Overflow::Excluded);
    assert_eq!(steps.len(), 1);
    assert_eq!(steps[0].because, Some(case.ctx));
}

#[test]
fn the_one_fact_that_is_missing_is_said() {
    check_missing(&["y > 0"], "x // y < z", &["floordiv-lt: y * z fits"]);
    check_missing(
        &["y > -9 and y < 100 and z > 0 and z < 100"],
        "x // y < z",
        &["floordiv-lt: y >= 0"],
    );
    check_missing(&[], "(y * x + z) // x", &["floordiv-symbolic-multiple: x >= 0"]);
}
