//! Work grows with the size of the simplified expression, counted.

use ir::{BinaryOp, ExprId, UnaryOp};

use super::super::Simplifier;
use crate::{Overflow, tests::support::Bench};

const N: usize = 2_000;

/// Checks that the work and the new nodes grow by about as much as `n`.
#[track_caller]
fn check_linear(expr: impl Fn(&mut Bench, usize) -> Vec<ExprId>) {
    let work = |n: usize| {
        let mut bench = Bench::new(&["x: int32", "y: int32", "n: size int32", "p: bool"]);
        let exprs = expr(&mut bench, n);
        let mut simplifier = Simplifier::new(&bench.body);
        let root = simplifier.analyzer().root();
        for expr in exprs {
            simplifier.simplify(root, expr, Overflow::Excluded);
        }
        let work = simplifier.work();
        let facts = simplifier.analyzer().work();
        let made = (simplifier.body().n_exprs() - bench.body.n_exprs()) as u64;
        work.nodes
            + work.steps
            + work.matches
            + work.questions
            + made
            + facts.nodes
            + facts.contexts
            + facts.proof_steps
    };
    let (small, large) = (work(N / 4), work(N));
    assert!(large <= 5 * small + 100, "{small} for a quarter, {large} for all");
}

fn chain(bench: &mut Bench, op: BinaryOp, n: usize, of: impl Fn(usize) -> String) -> Vec<ExprId> {
    let mut prefixes = vec![bench.expr(&of(0))];
    for i in 1..n {
        let next = bench.expr(&of(i));
        let last = *prefixes.last().expect("not empty");
        prefixes.push(bench.body.binary(op, last, next));
    }
    prefixes
}

#[test]
fn sums_of_many_terms() {
    check_linear(|bench, n| {
        let all = chain(bench, BinaryOp::Add, n, |i| format!("(x + {i}) % 7 * y"));
        vec![all[n - 1]]
    });
}

#[test]
fn sums_of_many_terms_the_other_way_round() {
    check_linear(|bench, n| {
        let all = chain(bench, BinaryOp::Add, n, |i| format!("x // {}", n + 1 - i));
        vec![all[n - 1]]
    });
}

#[test]
fn prefixes_of_a_sum() {
    check_linear(|bench, n| chain(bench, BinaryOp::Add, n, |i| format!("x % {} * y", i + 2)));
}

#[test]
fn conjunctions_of_many_conditions() {
    check_linear(|bench, n| {
        let all = chain(bench, BinaryOp::And, n, |i| format!("x * 3 + y != {i}"));
        vec![all[n - 1]]
    });
}

#[test]
fn extrema_of_many_operands() {
    check_linear(|bench, n| {
        let all = chain(bench, BinaryOp::Min, n, |i| format!("x * {i} % 5"));
        vec![all[n - 1]]
    });
}

#[test]
fn a_condition_in_each_of_many_nested_branches() {
    check_linear(|bench, n| {
        let x = bench.expr("x");
        let mut expr = x;
        for i in 0..n {
            let cond = bench.expr(&format!("x * 2 + y < {i}"));
            let arm = bench.expr(&format!("y + {i}"));
            expr = crate::tests::support::if_then_else(&mut bench.body, cond, arm, expr);
        }
        vec![expr]
    });
}

#[test]
fn deep_nests_need_no_native_stack() {
    const DEEP: usize = 10_000;
    let mut bench = Bench::new(&["x: int32", "y: int32", "p: bool"]);
    let (x, y) = (bench.expr("x"), bench.expr("y"));
    let mut nests = [bench.expr("x + y"), x, bench.expr("x < y"), bench.expr("p"), x, x];
    for i in 0..DEEP {
        let next = bench.body.int(i as i128 % 7 + 2, ir::DataType::INT32);
        let quotient = bench.body.binary(BinaryOp::FloorMod, nests[0], next);
        nests[0] = bench.body.binary(BinaryOp::Sub, y, quotient);
        nests[1] = bench.body.binary(BinaryOp::Max, y, nests[1]);
        nests[1] = bench.body.binary(BinaryOp::Min, next, nests[1]);
        nests[2] = bench.body.unary(UnaryOp::Not, nests[2]);
        let cond = bench.body.binary(BinaryOp::Eq, y, next);
        let both = bench.body.binary(BinaryOp::Or, cond, nests[3]);
        nests[3] = bench.body.binary(BinaryOp::And, cond, both);
        nests[4] = bench.body.select(cond, nests[4], next);
        nests[5] = crate::tests::support::if_then_else(&mut bench.body, cond, next, nests[5]);
    }
    let mut simplifier = Simplifier::new(&bench.body);
    let root = simplifier.analyzer().root();
    for nest in nests {
        simplifier.simplify(root, nest, Overflow::Excluded);
    }
}
