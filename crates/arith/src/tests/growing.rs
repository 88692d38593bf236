//! An analyzer whose body grows between questions answers as one that saw the whole body from the start.

use ir::{BinaryOp, DataType, ExprId, effects::EffectTable};
use test_utils::Rng;

use super::{
    random::{condition, integer, types_of},
    support::Bench,
};
use crate::{Analyzer, Overflow};

#[test]
fn answers_are_those_of_the_whole_body() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let mut bench = Bench::new(&["a: size int32", "b: int32", "c: int64"]);
        let cond = condition(&mut bench, &mut rng, 1);
        let first: Vec<ExprId> = (0..2)
            .map(|_| {
                let types = types_of(&bench);
                let dtype = *rng.pick(&types);
                integer(&mut bench, &mut rng, dtype, 2)
            })
            .collect();
        let mut growing = Analyzer::growing(&bench.body, EffectTable::builtin());
        let ctx = growing.assume(growing.root(), cond, true);
        for &expr in &first {
            growing.facts_with(Overflow::Excluded, ctx, expr);
            growing.cannot_trap(ctx, expr);
        }
        let mut more = Vec::new();
        for &expr in &first {
            for op in [BinaryOp::Add, BinaryOp::Mul, BinaryOp::FloorDiv, BinaryOp::Lt] {
                let made = growing.grow(|body| {
                    let dtype = body.dtype(expr).unwrap_or(DataType::INT32);
                    let five = body.int(5, dtype);
                    body.binary(op, expr, five)
                });
                growing.facts_with(Overflow::Excluded, ctx, made);
                more.push(made);
            }
        }
        let whole = growing.body().clone();
        assert_eq!(whole.n_exprs(), growing.body().n_exprs());
        let mut fresh = Analyzer::new(&whole);
        let root = fresh.assume(fresh.root(), cond, true);
        for expr in first.into_iter().chain(more) {
            for overflow in [Overflow::Wraps, Overflow::Excluded] {
                assert_eq!(
                    growing.facts_with(overflow, ctx, expr),
                    fresh.facts_with(overflow, root, expr),
                    "seed {seed}: {}",
                    ir::print::expr_text(&whole, expr)
                );
            }
            assert_eq!(growing.cannot_trap(ctx, expr), fresh.cannot_trap(root, expr));
        }
    }
}

#[test]
fn old_nodes_keep_their_numbers_and_new_ones_follow() {
    let mut bench = Bench::new(&["n: int32"]);
    let n = bench.expr("n");
    let mut analyzer = Analyzer::new(&bench.body);
    let before = analyzer.body().n_exprs();
    let sum = analyzer.grow(|body| {
        let one = body.int(1, DataType::INT32);
        body.binary(BinaryOp::Add, n, one)
    });
    assert_eq!(analyzer.body().n_exprs(), before + 2);
    let again = analyzer.grow(|body| {
        let one = body.int(1, DataType::INT32);
        body.binary(BinaryOp::Add, n, one)
    });
    assert_eq!(sum, again, "nodes are hash-consed");
    assert_eq!(analyzer.into_body().n_exprs(), before + 2);
    assert_eq!(bench.body.n_exprs(), before, "a borrowed body stays as it is");
}
