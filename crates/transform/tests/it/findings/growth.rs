//! Work grows with the body, counted: conditions inside of conditions, thousands of levels deep.

use dataflow::analyses::Analyses;
use ir::{Occurrences, effects::EffectTable, interrupt::counted};
use transform::findings::{FindingOptions, compatible, findings};

use crate::support::{kernel, lowered};

/// Steps of finding what is wrong with a value, and of choosing what to do about it; and how much that is.
fn work(value: &str) -> (usize, u64) {
    let file = kernel(&format!("A[0] = {value}"));
    let (_, _, it) = &lowered(&file)[0];
    let occurrences = Occurrences::collect(&it.body);
    counted(|| {
        let analyses = Analyses::of(&it.body, &occurrences, EffectTable::builtin());
        let found = findings(&analyses, None, &FindingOptions::default());
        compatible(&it.body, &occurrences, &found).len()
    })
}

/// Twice the levels are at most a little more than twice the work: what decides is looked for up to 256 contexts
/// further out, which not all of the levels have.
#[track_caller]
fn check(n: usize, level: fn(String, usize) -> String) {
    let nest = |n: usize| (0..n).fold("0".to_owned(), level);
    let ((chosen, small), (_, large)) = (work(&nest(n)), work(&nest(2 * n)));
    assert!(chosen > 0, "nothing is found");
    assert!(large <= 2 * small + small / 2, "{small} then {large}");
}

#[test]
fn conditions_that_the_outermost_decides() {
    check(1_000, |inner, i| format!("T.if_then_else(x > {i}, {inner}, {i})"));
}

#[test]
fn conditions_that_the_next_one_decides() {
    check(1_000, |inner, i| format!("T.if_then_else(x > {}, {inner}, {i})", i / 2));
}

#[test]
fn conditions_beside_other_values() {
    check(1_000, |inner, i| format!("T.if_then_else(x > {i}, {inner} + y, A[{i}]) + A[x]"));
}
