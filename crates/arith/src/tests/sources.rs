//! Sources of facts, and missing facts.

use super::by_hand::Question;
use crate::{Lacking, Overflow, Source};

const SHAPES: &[&str] =
    &["b: int32", "t: int32", "d0: size int32", "d1: size int32", "d2: int32", "n: size int32"];

#[track_caller]
fn check_sources(context: &[&str], query: &str, expected: &str) {
    let question = Question::new(SHAPES, context, query);
    let text = question.ask(|it, ctx, query| {
        let origins = it.sources(Overflow::Excluded, ctx, query);
        let lines = origins.iter().map(|origin| {
            let place = match origin.source {
                Source::Size(value) => {
                    format!("{} is a size", it.body().name(it.body().values[value].name))
                }
                Source::Shape(_) => "shape".to_owned(),
                Source::Loop(_) => "loop".to_owned(),
                Source::Launch(_) => "launch".to_owned(),
                Source::Condition(_) => "condition".to_owned(),
                Source::Definition(_) => "definition".to_owned(),
            };
            format!("{place}: {} from {}", origin.after.interval, origin.before.interval)
        });
        lines.collect::<Vec<_>>().join("\n")
    });
    assert_eq!(text, expected, "{query}");
}

#[track_caller]
fn check_lacking(context: &[&str], query: &str, expected: &str) {
    let question = Question::new(SHAPES, context, query);
    let text = question.ask(|it, ctx, query| {
        let Some((truth, facts)) = it.lacking(Overflow::Excluded, ctx, query) else {
            return "nothing".to_owned();
        };
        let facts = facts.iter().map(|fact| match *fact {
            Lacking::AtLeast(expr, least) => {
                format!("{} >= {least}", ir::print::expr_text(it.body(), expr))
            }
            Lacking::NoOverflow => "no overflow".to_owned(),
        });
        format!("{truth} if {}", facts.collect::<Vec<_>>().join(", "))
    });
    assert_eq!(text, expected, "{query}");
}

#[test]
fn every_place_that_says_something_is_named() {
    check_sources(
        &["b in 0, (d0 * d1 + 511) // 512", "d1 < 100", "t > 4"],
        "d1",
        &[
            "d1 is a size: [0, 2147483647] from [-2147483648, 2147483647]",
            "loop: [1, 2147483647] from [0, 2147483647]",
            "condition: [1, 99] from [1, 2147483647]",
        ]
        .join("\n"),
    );
    check_sources(&["t > 4"], "d2", "");
}

#[test]
fn missing_signs_are_named() {
    let guard = "b * 512 + t < d0 * d1 * d2";
    check_lacking(
        &["b in 0, n", "t in 0, 512", guard],
        "(b * 512 + t) // d2 // d1 < d0",
        // Then the product is positive, and so are its factors.
        "true if d2 >= 0",
    );
    check_lacking(&["b in 0, d0", "t in 0, d2"], "b * d2 + t < d0 * d2", "nothing");
    check_lacking(&["t < d1"], "t * d2 <= d1 * d2", "true if d2 >= 0");
    check_lacking(&["t < n"], "t < d1", "nothing");
}

#[track_caller]
fn check_refuted(context: &[&str], fact: &str, expected: bool) {
    let question = Question::new(SHAPES, context, fact);
    let is_refuted = question.ask(|it, ctx, fact| {
        let attained = it.attained(ctx);
        it.is_refuted(Overflow::Excluded, ctx, fact, &attained)
    });
    assert_eq!(is_refuted, expected, "{fact}");
}

#[test]
fn a_fact_that_some_run_contradicts_is_refuted() {
    // A loop takes all values of its range, also those beyond a parameter.
    check_refuted(&["b in 0, 512"], "b < 64", true);
    check_refuted(&["b in 0, 512", "b < n"], "b < 64", true);
    check_refuted(&["b in 0, 512", "b < 64"], "b < 100", false);
    check_refuted(&["b in 0, 512", "b >= 64"], "b < 0", true);
    check_refuted(&["b in 0, 512", "t in 0, 4"], "b * 4 + t < 2000", true);
    check_refuted(&["b in 0, 512", "t in 0, 4"], "b * 4 + t < 2048", false);
    check_refuted(&["b in 0, 505"], "b % 8 == 0", true);
    check_refuted(&["b in 0, n"], "b > 0", true);
    // A parameter has one value.
    check_refuted(&["n >= 100"], "n < 64", true);
    check_refuted(&["n >= 10"], "n < 64", false);
    check_refuted(&["b in 0, 512"], "b < n", false);
    check_refuted(&["b in 0, 512", "n < 100"], "b < n", true);
    check_refuted(&["b in 0, n"], "b < 64", false);
}
