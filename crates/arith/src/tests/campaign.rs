//! A campaign: what the procedures answer, against all values of the variables of narrow types.
//!
//! Variables have 8 bits and 4 bits, so that a claim is tried on everything that it speaks of: it is proved for its
//! type. Asked are bounds, congruences, decisions, traps, overflow and the results of the simplifier, each under both
//! readings of overflow, of random expressions in random contexts. A question that was asked before is not counted.
//! `cargo xtask conformance arith` runs it with a number and a seed; the usual run does a few cases.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use ir::{ExprId, print::expr_text};
use rustc_hash::FxHashSet;
use test_utils::Rng;

use super::{
    against_values::{Case, describe, every_assignment, random_case_of, reaches},
    support::{Events, eval},
};
use crate::{Analyzer, Overflow, simplify::Simplifier};

const SETS: &[&[&str]] = &[
    &["a: int8"],
    &["a: uint8"],
    &["a: int8", "b: int4"],
    &["a: uint8", "b: int4"],
    &["a: int8", "b: uint4"],
    &["a: int4", "b: uint4", "c: int4"],
];
/// Both of 8 bits: 65,536 combinations, so only now and then.
const WIDE: &[&[&str]] = &[&["a: int8", "b: int8"], &["a: int8", "b: uint8"]];
/// Cases of the usual run.
const FEW: u64 = 2;
/// Conditions and integers asked about in one context.
const QUERIES: usize = 10;

/// A value and its events for one assignment that reaches the context.
struct Run<'a> {
    values: &'a [i128],
    before: Events,
}

#[derive(Default)]
struct Counts {
    /// Hashes of questions.
    asked: FxHashSet<u64>,
    /// Questions with an answer that says something.
    answered: u64,
    evaluations: u64,
}

impl Counts {
    /// Counts a question; returns true if it is a new one.
    fn ask(&mut self, context: &str, expr: &str, question: &str, overflow: Overflow) -> bool {
        let mut hasher = DefaultHasher::new();
        (context, expr, question, format!("{overflow:?}")).hash(&mut hasher);
        self.asked.insert(hasher.finish())
    }
}

fn check_case(seed: u64, is_wide: bool, counts: &mut Counts) {
    let mut rng = Rng::new(seed);
    let sets = if is_wide && rng.one_in(16) { WIDE } else { SETS };
    let case = random_case_of(&mut rng, sets, QUERIES);
    let all = every_assignment(&case.bench);
    let body = &case.bench.body;
    let mut analyzer = Analyzer::new(body);
    let ctx = case.context(&mut analyzer);
    let mut runs = Vec::new();
    for values in &all {
        if let Some(before) = reaches(&analyzer, ctx, values) {
            runs.push(Run { values, before });
        }
    }
    // Of a variable its type is a part of the question.
    let types = format!(
        "{:?}",
        case.bench.variables.iter().map(|it| body.values[it.1].ty).collect::<Vec<_>>()
    );
    let context = types + &describe(&analyzer, ctx);
    for &query in &case.queries {
        check_facts(seed, &case, &mut analyzer, query, &runs, &context, counts);
    }
    check_results(seed, &case, &runs, &context, counts);
}

/// Bounds, congruences, decisions, traps and overflow.
fn check_facts(
    seed: u64,
    case: &Case,
    analyzer: &mut Analyzer<'_>,
    query: ExprId,
    runs: &[Run<'_>],
    context: &str,
    counts: &mut Counts,
) {
    let body = &case.bench.body;
    let text = expr_text(body, query);
    let ctx = case.context(analyzer);
    for overflow in [Overflow::Wraps, Overflow::Excluded] {
        let is_bool = body.ty(query).is_bool();
        let facts = analyzer.facts_with(overflow, ctx, query);
        let decision = if is_bool { analyzer.decide_with(overflow, ctx, query) } else { None };
        let cannot_trap = analyzer.cannot_trap(ctx, query);
        let no_overflow = analyzer.no_overflow(ctx, query);
        let mut questions = vec!["bound", "modular", "cannot_trap", "no_overflow"];
        questions.extend(is_bool.then_some("decide"));
        let mut is_new = false;
        for question in questions {
            is_new |= counts.ask(context, &text, question, overflow);
        }
        if !is_new {
            continue;
        }
        counts.answered += u64::from(decision.is_some())
            + u64::from(cannot_trap)
            + u64::from(no_overflow)
            + u64::from(!facts.modular.is_everything());
        for Run { values, before } in runs {
            let mut events = *before;
            let value = eval(body, values, query, &mut events);
            counts.evaluations += 1;
            if overflow == Overflow::Excluded && events.wide_overflow {
                continue;
            }
            let mut own = Events { is_shallow: true, ..Events::default() };
            eval(body, values, query, &mut own);
            let about =
                || format!("seed {seed}, {overflow:?}, {text} of {values:?}: {value:?}\n{context}");
            let is_fine = value.is_some() && !own.shift && !own.used;
            assert!(!cannot_trap || is_fine, "trap: {}", about());
            assert!(!no_overflow || !own.overflow, "overflow: {}", about());
            let Some(value) = value else { continue };
            assert!(facts.interval.contains(value), "bound {:?}: {}", facts.interval, about());
            assert!(facts.modular.contains(value), "congruence {}: {}", facts.modular, about());
            assert!(decision.is_none_or(|it| it == (value != 0)), "decision: {}", about());
        }
    }
}

/// The results of the simplifier.
fn check_results(seed: u64, case: &Case, runs: &[Run<'_>], context: &str, counts: &mut Counts) {
    let mut simplifier = Simplifier::new(&case.bench.body);
    let ctx = case.context(simplifier.analyzer());
    for &query in &case.queries {
        for overflow in [Overflow::Wraps, Overflow::Excluded] {
            let result = simplifier.simplify(ctx, query, overflow);
            let text = expr_text(&case.bench.body, query);
            if !counts.ask(context, &text, "simplify", overflow) || result == query {
                continue;
            }
            counts.answered += 1;
            let body = simplifier.body();
            for Run { values, before } in runs {
                let mut old = *before;
                let Some(value) = eval(body, values, query, &mut old) else { continue };
                counts.evaluations += 1;
                if overflow == Overflow::Excluded && old.wide_overflow {
                    continue;
                }
                let mut events = Events { is_shallow: true, ..Events::default() };
                eval(body, values, query, &mut events);
                let mut own = Events { is_shallow: true, ..Events::default() };
                let new = eval(body, values, result, &mut own);
                let about = || {
                    let new_text = expr_text(body, result);
                    format!(
                        "seed {seed}, {overflow:?}: {text} => {new_text} of {values:?}\n{context}"
                    )
                };
                assert_eq!(new, Some(value), "{}", about());
                assert!(events.shift || !own.shift, "shift: {}", about());
            }
        }
    }
}

/// `TIR_ARITH_CAMPAIGN=3000` cases from the seed `TIR_ARITH_SEED` on.
#[test]
#[expect(clippy::print_stdout, reason = "the figures of a campaign, which its command reads")]
fn answers_hold_for_every_value_of_narrow_types() {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let first = number("TIR_ARITH_SEED").unwrap_or(0);
    let asked = number("TIR_ARITH_CAMPAIGN");
    let mut counts = Counts::default();
    for seed in first..first + asked.unwrap_or(FEW) {
        check_case(seed, asked.is_some(), &mut counts);
    }
    let (questions, answered) = (counts.asked.len(), counts.answered);
    assert!(answered > 0, "nothing is answered");
    if asked.is_some() {
        println!("campaign: {questions} {answered} {}", counts.evaluations);
    }
}
