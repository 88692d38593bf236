//! Tests of [`super`]: by hand, against evaluation, and of growth.

use ir::{Body, DataType, ExprId, ValueKind, arena::Id};
use rustc_hash::FxHashMap;
use test_utils::Rng;

use super::*;
use crate::tests::{
    random::integer,
    support::{Bench, Events, eval},
};

/// The terms of all nodes of a body. Loads and fresh calls do not occur here.
fn terms_of(body: &Body, level: Equivalence) -> (Terms<'static>, Vec<TermId>) {
    let mut terms = Terms::new(level);
    let mut of: Vec<TermId> = Vec::new();
    for expr in (0..body.n_exprs()).map(ExprId::new) {
        let node = body.expr(expr);
        let mut children = Vec::new();
        body.each_child(node.kind, &mut |child| children.push(of[child.index()]));
        let term = terms.term(body, &node.kind, node.ty, &children, None);
        of.push(term);
    }
    (terms, of)
}

const LEVELS: [Equivalence; 4] = [
    Equivalence::Syntactic,
    Equivalence::Commutative,
    Equivalence::Associative,
    Equivalence::Arithmetic,
];

/// Checks the weakest level at which two expressions are equal.
#[track_caller]
fn check(variables: &[&str], a: &str, b: &str, expected: Option<Equivalence>) {
    let mut bench = Bench::new(variables);
    let (x, y) = (bench.expr(a), bench.expr(b));
    let equal = |level: &Equivalence| {
        let (_, of) = terms_of(&bench.body, *level);
        of[x.index()] == of[y.index()]
    };
    assert_eq!(LEVELS.iter().copied().find(equal), expected, "{a} and {b}");
}

const INTS: &[&str] = &["x: int32", "y: int32", "z: int32"];

#[test]
fn operands_of_commutative_operators_may_be_swapped() {
    let level = Some(Equivalence::Commutative);
    check(INTS, "x + y", "y + x", level);
    check(INTS, "min(x, y) & z", "z & min(y, x)", level);
    check(INTS, "x < y", "y > x", level);
    check(INTS, "x == y", "y == x", level);
    check(&["x: float32", "y: float32"], "x * y", "y * x", level);
    check(&["x: float32", "y: float32"], "x >= y", "y <= x", level);
    check(INTS, "x - y", "y - x", None);
    check(INTS, "x // y", "y // x", None);
    check(&["x: float32", "y: float32"], "min(x, y)", "min(y, x)", None);
    check(&["p: bool", "q: bool"], "p and q", "q and p", None);
    check(&["p: bool", "q: bool"], "p & q", "q & p", level);
}

#[test]
fn integer_operators_are_associative() {
    let level = Some(Equivalence::Associative);
    check(INTS, "(x + y) + z", "y + (z + x)", level);
    check(INTS, "max(x, max(y, z))", "max(max(z, x), y)", level);
    check(INTS, "max(x, max(y, x))", "max(x, y)", level);
    check(INTS, "x ^ (y ^ z)", "(z ^ x) ^ y", level);
    check(&["x: uint8", "y: uint8", "z: uint8"], "(x + y) + z", "(z + y) + x", level);
    let floats = &["x: float32", "y: float32", "z: float32"];
    check(floats, "(x + y) + z", "x + (y + z)", None);
    check(INTS, "x ^ x", "x", None);
}

#[test]
fn sums_of_products_are_canonical() {
    let level = Some(Equivalence::Arithmetic);
    check(INTS, "x + x", "x * 2", level);
    check(INTS, "(x + 1) * (y - 1)", "x * y - x + y - 1", level);
    check(INTS, "x - y", "-(y - x)", level);
    check(INTS, "x - x", "0 * y", level);
    check(INTS, "x * 64 + y * 64", "(y + x) * 64", level);
    check(INTS, "x + 3 - 5", "x - 2", level);
    check(INTS, "(x + y) // 4", "(y + x + z - z) // 4", level);
    check(INTS, "x + 1 == y", "x == y - 1", level);
    check(INTS, "x == y", "y == x", Some(Equivalence::Commutative));
    check(INTS, "not (x < y)", "x >= y", level);
    check(INTS, "not (x == y)", "x - y != 0", level);
    // 2^31 * 2 is 0 modulo 2^32.
    check(INTS, "x * 2147483647 + x * 2147483647 + x + x", "0 * x", level);
}

#[test]
fn terms_equal_only_without_overflow_are_not_equal() {
    check(INTS, "x + 1 < y + 1", "x < y", None);
    check(INTS, "x * 2 // 2", "x", None);
    check(INTS, "int64(x + y)", "int64(x) + int64(y)", None);
    check(&["x: uint32", "y: uint32"], "x - y + y", "x", None);
    check(&["x: int16", "y: int16"], "x + x", "x * 2", None);
    check(&["x: float32", "y: float32"], "x + x", "x * 2", None);
}

#[test]
fn keys_tell_equal_nodes_apart() {
    let mut bench = Bench::new(INTS);
    let x = bench.expr("x");
    let node = bench.body.expr(x);
    let mut terms = Terms::new(Equivalence::Arithmetic);
    let mut of = |key| terms.term(&bench.body, &node.kind, node.ty, &[], key);
    assert_eq!(of(Some(1)), of(Some(1)));
    assert_ne!(of(Some(1)), of(Some(2)));
    assert_ne!(of(None), of(Some(0)));
}

/// Values of all variables of a body.
fn random_values(body: &Body, rng: &mut Rng) -> Vec<i128> {
    let of = |(_, value): (_, &ir::Value)| {
        if value.kind != ValueKind::Symbol {
            return 0;
        }
        let dtype = value.ty.prim().unwrap_or(DataType::INT32);
        let range = crate::Interval::of_type(dtype);
        let wide = match rng.below(4) {
            0 => i128::from(rng.between(-3, 3)),
            1 => range.min + i128::from(rng.between(0, 3)),
            2 => range.max - i128::from(rng.between(0, 3)),
            _ => i128::from(rng.next_u64() as i64),
        };
        let low = dtype.wrap_int(wide);
        if dtype.is_uint() { i128::from(low as u64) } else { i128::from(low) }
    };
    body.values.iter().map(of).collect()
}

/// Adds sums, products and other combinations of the existing values, many of them equal.
fn combine(bench: &mut Bench, rng: &mut Rng, dtype: DataType) {
    let first = bench.variables[0].1;
    let mut pool = vec![bench.body.value_expr(first)];
    pool.extend([-1, 0, 1, 2, 3].map(|it| bench.body.int(it, dtype)));
    pool.extend(
        (0..bench.body.n_exprs())
            .map(ExprId::new)
            .filter(|it| bench.body.dtype(*it) == Some(dtype) && bench.body.expr(*it).size < 4),
    );
    const OPERATORS: &[BinaryOp] = &[
        BinaryOp::Add,
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Max,
        BinaryOp::BitXor,
        BinaryOp::FloorMod,
    ];
    for _ in 0..80 {
        let (a, b) = (*rng.pick(&pool), *rng.pick(&pool));
        let new = bench.body.binary(*rng.pick(OPERATORS), a, b);
        if bench.body.expr(new).size < 16 {
            pool.push(new);
        }
    }
    for _ in 0..40 {
        let (a, b) = (*rng.pick(&pool), *rng.pick(&pool));
        let comparisons = [BinaryOp::Eq, BinaryOp::Lt, BinaryOp::Ge];
        let comparison = bench.body.binary(*rng.pick(&comparisons), a, b);
        bench.body.unary(UnaryOp::Not, comparison);
    }
}

/// Many small expressions over few variables, so that many are equal.
fn check_random(seed: u64, n_equal: &mut usize) {
    let mut rng = Rng::new(seed);
    let sets: &[&[&str]] = &[
        &["a: int32", "b: int32"],
        &["a: int64", "b: int64"],
        &["a: int8", "b: int8"],
        &["a: uint32", "b: int16"],
        &["a: uint64", "b: uint8"],
    ];
    let mut bench = Bench::new(sets[rng.below(sets.len())]);
    let dtype = bench.body.values[bench.variables[0].1].ty.prim().expect("an integer");
    for _ in 0..4 {
        integer(&mut bench, &mut rng, dtype, 2);
    }
    combine(&mut bench, &mut rng, dtype);
    let body = &bench.body;
    let values: Vec<Vec<i128>> = (0..10).map(|_| random_values(body, &mut rng)).collect();
    for level in LEVELS {
        let (_, of) = terms_of(body, level);
        let mut first: FxHashMap<TermId, ExprId> = FxHashMap::default();
        for expr in (0..body.n_exprs()).map(ExprId::new) {
            let other = *first.entry(of[expr.index()]).or_insert(expr);
            if other == expr {
                continue;
            }
            for values in &values {
                let of = |it| eval(body, values, it, &mut Events::default());
                let (Some(x), Some(y)) = (of(expr), of(other)) else { continue };
                let text = |it| ir::print::expr_text(body, it);
                assert_eq!(x, y, "{level:?}, seed {seed}: {} and {}", text(expr), text(other));
                *n_equal += 1;
            }
        }
    }
}

#[test]
fn equal_terms_have_equal_values() {
    let mut n_equal = 0;
    for seed in 0..2500 {
        check_random(seed, &mut n_equal);
    }
    assert!(n_equal > 100_000, "{n_equal} comparisons");
}

#[test]
fn long_sums_stay_linear() {
    let mut bench = Bench::new(&["x: int32"]);
    let x = bench.expr("x");
    let mut prefix = x;
    let mut prefixes = Vec::new();
    for i in 0..10_000 {
        let value = bench.body.int(i, DataType::INT32);
        let index = bench.body.binary(BinaryOp::FloorMod, x, value);
        prefix = bench.body.binary(BinaryOp::Add, prefix, index);
        prefixes.push(prefix);
    }
    for level in LEVELS {
        let (terms, of) = terms_of(&bench.body, level);
        let operands: usize = terms.terms.iter().map(|it| it.operands.len()).sum();
        assert!(operands <= (MOST_OPERANDS + 4) * bench.body.n_exprs(), "{operands} at {level:?}");
        let last = prefixes.last().map(|it| of[it.index()]);
        assert!(last.is_some());
    }
}
