//! Guards of loops that were fused over dynamic shapes and split over the threads of a launch.

use ir::{ExprId, print::expr_text};

use super::super::{Missing, Simplifier};
use crate::{ContextId, Overflow, tests::support::Bench};

/// The inside of a launch of `(total + 511) // 512` blocks of 512 threads.
struct Launch {
    simplifier: Simplifier<'static>,
    ctx: ContextId,
    exprs: Vec<ExprId>,
}

fn launch(total: &str, exprs: &[&str]) -> Launch {
    let mut bench = Bench::new(&[
        "d0: size int32",
        "d1: size int32",
        "d2: size int32",
        "d3: size int32",
        "bx: int32",
        "tx: int32",
        "n: int32",
    ]);
    let blocks = bench.expr(&format!("({total} + 511) // 512"));
    let threads = bench.expr("512");
    let exprs: Vec<ExprId> = exprs.iter().map(|it| bench.expr(it)).collect();
    let (bx, tx) = (bench.variable("bx"), bench.variable("tx"));
    let mut simplifier = Simplifier::new(&bench.body);
    let analyzer = simplifier.analyzer();
    let root = analyzer.root();
    let ctx = analyzer.thread(root, bx, blocks);
    let ctx = analyzer.thread(ctx, tx, threads);
    Launch { simplifier, ctx, exprs }
}

#[track_caller]
fn check(total: &str, guard: &str, expected: &str) {
    let mut it = launch(total, &[guard, expected]);
    let result = it.simplifier.simplify(it.ctx, it.exprs[0], Overflow::Excluded);
    let text = |expr| expr_text(it.simplifier.body(), expr);
    assert_eq!(text(result), text(it.exprs[1]));
}

fn missing(total: &str, guard: &str) -> Vec<Missing> {
    let mut it = launch(total, &[guard]);
    it.simplifier.missing(it.ctx, it.exprs[0], Overflow::Excluded)
}

const P: &str = "d0 * d1 * d2";

#[test]
fn products_of_the_extents_have_one_form() {
    check(P, "d2 * (d1 * d0)", P);
    check(P, "d2 * (d0 * d1)", P);
    check(P, "(d0 * d1) * d2", P);
}

#[test]
fn a_guard_on_a_quotient_is_one_on_the_index() {
    let index = "bx * 512 + tx";
    check(P, &format!("({index}) // d2 // d1 < d0"), &format!("{index} < {P}"));
    check(P, &format!("({index}) // d2 < d0 * d1"), &format!("{index} < {P}"));
    check(P, &format!("({index}) // (d2 * d1) < d0"), &format!("{index} < {P}"));
    check(P, &format!("({index}) // d2 % d1 < d1"), "true");
    check(P, &format!("{index} < d2 * (d0 * d1)"), &format!("{index} < {P}"));
}

#[test]
fn the_second_of_equal_guards_is_decided() {
    let index = "bx * 512 + tx";
    let mut it = launch(
        P,
        &[
            &format!("({index}) // d2 // d1 < d0"),
            &format!("({index}) // d2 < d0 * d1"),
            &format!("{index} < d2 * d1 * d0"),
        ],
    );
    let ctx = it.simplifier.analyzer().assume(it.ctx, it.exprs[0], true);
    for &guard in &it.exprs[1..].to_vec() {
        let result = it.simplifier.simplify(ctx, guard, Overflow::Excluded);
        assert_eq!(expr_text(it.simplifier.body(), result), "T.bool(True)");
    }
}

#[test]
fn without_a_launch_over_the_product_its_overflow_is_what_is_missing() {
    // Nothing says that `d0 * d1` fits.
    let all = missing("n", "bx // d1 < d0");
    assert!(!all.is_empty());
}
