//! The common support of the tables. Variables: `x y z w u` are int32, `m n` int32 sizes, `a b` int64, `i j k` int32,
//! `d0 d1 d2` int32, `p q` bool, `f g` float32, `v` uint32, `s` int8.

use ir::{DataType, ExprId, print::expr_text};

use super::super::Simplifier;
use crate::{ContextId, Overflow, tests::support::Bench};

const VARIABLES: &[&str] = &[
    "x: int32",
    "y: int32",
    "z: int32",
    "w: int32",
    "u: int32",
    "m: size int32",
    "n: size int32",
    "a: int64",
    "b: int64",
    "i: int32",
    "j: int32",
    "k: int32",
    "d0: int32",
    "d1: int32",
    "d2: int32",
    "p: bool",
    "q: bool",
    "r: bool",
    "f: float32",
    "g: float32",
    "v: uint32",
    "s: int8",
];

pub(super) struct Case {
    pub(super) simplifier: Simplifier<'static>,
    pub(super) ctx: ContextId,
    pub(super) expr: ExprId,
    pub(super) expected: ExprId,
}

pub(super) fn case(given: &[&str], text: &str, expected: &str) -> Case {
    let mut bench = Bench::new(VARIABLES);
    let conditions: Vec<ExprId> = given.iter().map(|it| bench.expr(it)).collect();
    let expr = bench.expr(text);
    let dtype = bench.body.dtype(expr).unwrap_or(DataType::INT32);
    let expected = match expected.parse::<i128>() {
        Ok(value) => bench.body.int(value, dtype),
        Err(_) => bench.expr(expected),
    };
    let mut simplifier = Simplifier::new(&bench.body);
    let mut ctx = simplifier.analyzer().root();
    for cond in conditions {
        ctx = simplifier.analyzer().assume(ctx, cond, true);
    }
    Case { simplifier, ctx, expr, expected }
}

#[track_caller]
fn check_result(case: &mut Case, reading: Overflow) {
    let result = case.simplifier.simplify(case.ctx, case.expr, reading);
    let text = |it| expr_text(case.simplifier.body(), it);
    assert_eq!(text(result), text(case.expected), "of {}", text(case.expr));
    assert_eq!(case.simplifier.simplify(case.ctx, result, reading), result, "again");
}

/// Where the source evaluates the expression and the conditions.
#[track_caller]
pub(super) fn check_under(given: &[&str], text: &str, expected: &str) {
    check_result(&mut case(given, text, expected), Overflow::Excluded);
}

#[track_caller]
pub(super) fn check(text: &str, expected: &str) {
    check_under(&[], text, expected);
}

#[track_caller]
pub(super) fn check_unchanged(text: &str) {
    check_under(&[], text, text);
}

/// Where sums may overflow.
#[track_caller]
pub(super) fn check_wrapping(given: &[&str], text: &str, expected: &str) {
    check_result(&mut case(given, text, expected), Overflow::Wraps);
}
