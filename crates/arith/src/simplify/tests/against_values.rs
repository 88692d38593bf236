//! Random expressions in random contexts, simplified against evaluated, on many values of their variables.

use ir::{BinaryOp, DataType, ExprId, ValueId, ValueKind, arena::Id, print::expr_text};
use test_utils::Rng;

use super::super::Simplifier;
use crate::{
    Interval, Overflow,
    tests::{
        random::{condition, integer},
        support::{Bench, Events, eval},
    },
};

/// An index expression, as kernels have many of. Deeper and narrower than the general ones.
fn index(bench: &mut Bench, rng: &mut Rng, dtype: DataType, depth: u32) -> ExprId {
    if depth == 0 || rng.one_in(7) {
        return integer(bench, rng, dtype, 0);
    }
    let a = index(bench, rng, dtype, depth - 1);
    let small = [1, 2, 3, 4, 6, 8, 12, 16, -1, -4];
    let constant = bench.body.int(*rng.pick(&small), dtype);
    match rng.below(12) {
        0 | 1 => bench.body.binary(BinaryOp::Mul, a, constant),
        2 => bench.body.binary(BinaryOp::FloorDiv, a, constant),
        3 => bench.body.binary(BinaryOp::FloorMod, a, constant),
        4 => {
            let b = integer(bench, rng, dtype, 0);
            let op =
                *rng.pick(&[BinaryOp::FloorDiv, BinaryOp::FloorMod, BinaryOp::Div, BinaryOp::Mod]);
            bench.body.binary(op, a, b)
        }
        5 => {
            let b = index(bench, rng, dtype, depth - 1);
            bench.body.binary(*rng.pick(&[BinaryOp::Min, BinaryOp::Max]), a, b)
        }
        6 => {
            let b = integer(bench, rng, dtype, 0);
            bench.body.binary(BinaryOp::Mul, a, b)
        }
        7 => bench.body.binary(BinaryOp::Add, a, constant),
        _ => {
            let b = index(bench, rng, dtype, depth - 1);
            bench.body.binary(*rng.pick(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub]), a, b)
        }
    }
}

fn index_condition(bench: &mut Bench, rng: &mut Rng, dtype: DataType, depth: u32) -> ExprId {
    if depth > 1 && rng.one_in(3) {
        let a = index_condition(bench, rng, dtype, depth - 1);
        let b = index_condition(bench, rng, dtype, depth - 1);
        return match rng.below(5) {
            0 | 1 => bench.body.binary(BinaryOp::And, a, b),
            2 | 3 => bench.body.binary(BinaryOp::Or, a, b),
            _ => bench.body.unary(ir::UnaryOp::Not, a),
        };
    }
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let a = index(bench, rng, dtype, depth);
    let b = index(bench, rng, dtype, depth.min(2));
    bench.body.binary(*rng.pick(&[Lt, Lt, Le, Gt, Ge, Eq, Ne]), a, b)
}

struct Case {
    bench: Bench,
    conditions: Vec<ExprId>,
    queries: Vec<ExprId>,
}

fn random_case(rng: &mut Rng) -> Case {
    let sets: &[&[&str]] = &[
        &["a: int32", "b: int32", "c: int32"],
        &["a: size int32", "b: int32", "c: size int32"],
        &["a: int64", "b: int64", "c: int64"],
        &["a: int32", "b: int64", "c: int32"],
        &["a: int4", "b: int4"],
        &["a: uint4", "b: int4"],
        &["a: uint32", "b: int32"],
        &["a: int8", "b: int8"],
    ];
    let set = if rng.one_in(4) { rng.below(sets.len()) } else { rng.below(3) };
    let mut bench = Bench::new(sets[set]);
    let dtype = bench.body.values[bench.variables[0].1].ty.prim().expect("an integer");
    let mut conditions = Vec::new();
    for place in 0..bench.variables.len() {
        if rng.one_in(2) {
            let name = bench.variables[place].0.clone();
            let (low, high) = (rng.between(-2, 2), rng.between(0, 9));
            let bound =
                if rng.one_in(2) { format!("{name} >= {low}") } else { format!("{name} < {high}") };
            conditions.push(bench.expr(&bound));
        }
    }
    for _ in 0..rng.below(2) {
        conditions.push(index_condition(&mut bench, rng, dtype, 1));
    }
    let mut queries = Vec::new();
    for _ in 0..3 {
        let depth = 1 + rng.below(4) as u32;
        queries.push(index(&mut bench, rng, dtype, depth));
        let depth = 1 + rng.below(4) as u32;
        queries.push(index_condition(&mut bench, rng, dtype, depth));
    }
    let depth = 2 + rng.below(2) as u32;
    queries.push(integer(&mut bench, rng, dtype, depth));
    queries.push(condition(&mut bench, rng, depth));
    Case { bench, conditions, queries }
}

fn assignments(bench: &Bench, rng: &mut Rng, most: usize) -> Vec<Vec<i128>> {
    let free: Vec<ValueId> = bench
        .variables
        .iter()
        .map(|it| it.1)
        .filter(|it| bench.body.values[*it].kind == ValueKind::Symbol)
        .collect();
    let mut all = Vec::new();
    for n in 0..most {
        let mut values = vec![0; bench.body.values.len()];
        for &value in &free {
            let range = Interval::of_type(bench.body.values[value].ty.prim().expect("an integer"));
            let low = if bench.body.values[value].is_size { 0 } else { range.min };
            let picked = match rng.below(if n % 4 == 0 { 10 } else { 7 }) {
                0..=5 => rng.between(-9, 17).into(),
                6 => rng.between(-200, 200).into(),
                7 => range.min + i128::from(rng.between(0, 2)),
                8 => range.max - i128::from(rng.between(0, 2)),
                _ => i128::from(rng.next_u64() as i64) >> rng.below(40),
            };
            values[value.index()] = picked.clamp(low, range.max);
        }
        all.push(values);
    }
    all
}

/// Binds all bindings of the run; returns true if that succeeded.
fn bind_all(body: &ir::Body, values: &mut [i128]) -> bool {
    let ops = &body.blocks[body.entry(body.root)].ops;
    ops.iter().all(|&op| {
        let mut events = Events { is_shallow: true, ..Events::default() };
        let value = eval(body, values, body.ops[op].operands[0], &mut events);
        values[body.ops[op].results[0].index()] = value.unwrap_or(0);
        value.is_some()
    })
}

/// Returns the overflows on the way if the run reaches the place.
fn reaches(body: &ir::Body, conditions: &[ExprId], values: &[i128]) -> Option<Events> {
    let mut events = Events::default();
    for &cond in conditions {
        if eval(body, values, cond, &mut events)? == 0 {
            return None;
        }
    }
    Some(events)
}

#[derive(Default)]
struct Counts {
    compared: u64,
    changed: u64,
    n_results: u64,
    /// The number of nodes that a new simplifier leaves unchanged.
    n_same: u64,
}

fn check_case(seed: u64, counts: &mut Counts) {
    let mut rng = Rng::new(seed);
    let case = random_case(&mut rng);
    let mut all = assignments(&case.bench, &mut rng, 60);
    all.retain_mut(|values| bind_all(&case.bench.body, values));
    let mut simplifier = Simplifier::new(&case.bench.body);
    for reading in [Overflow::Excluded, Overflow::Wraps] {
        let mut ctx = simplifier.analyzer().root();
        for &cond in &case.conditions {
            ctx = simplifier.analyzer().assume(ctx, cond, true);
        }
        for &query in &case.queries {
            let result = simplifier.simplify(ctx, query, reading);
            let again = simplifier.simplify(ctx, result, reading);
            let mut fresh = Simplifier::new(simplifier.body());
            let mut fresh_ctx = fresh.analyzer().root();
            for &cond in &case.conditions {
                fresh_ctx = fresh.analyzer().assume(fresh_ctx, cond, true);
            }
            let twice = fresh.simplify(fresh_ctx, result, reading);
            let (before, after) = (simplifier.cost(query), simplifier.cost(result));
            let message = || {
                let body = simplifier.body();
                let given: Vec<String> =
                    case.conditions.iter().map(|it| expr_text(body, *it)).collect();
                format!(
                    "seed {seed}, {reading:?}: {} => {}, given {given:?}",
                    expr_text(body, query),
                    expr_text(body, result)
                )
            };
            assert_eq!(
                again,
                result,
                "{} again, {}",
                expr_text(simplifier.body(), again),
                message()
            );
            // What the analyzer finds out of a cyclic set of facts depends on what it was asked before.
            let (once, twice_cost) = (fresh.cost(result), fresh.cost(twice));
            assert!(twice_cost.cost <= once.cost, "{}", message());
            counts.n_same += u64::from(twice == result);
            counts.n_results += 1;
            assert!(after.cost <= before.cost, "{before:?} {after:?} {}", message());
            assert!(after.operations <= before.operations, "{}", message());
            if result == query {
                continue;
            }
            counts.changed += 1;
            let body = simplifier.body();
            for values in &all {
                let Some(on_the_way) = reaches(body, &case.conditions, values) else { continue };
                let mut events = Events { is_shallow: true, ..Events::default() };
                let Some(value) = eval(body, values, query, &mut events) else { continue };
                let mut every = Events::default();
                eval(body, values, query, &mut every);
                if reading == Overflow::Excluded
                    && (every.wide_overflow || on_the_way.wide_overflow)
                {
                    continue;
                }
                let mut own = Events { is_shallow: true, ..Events::default() };
                let new = eval(body, values, result, &mut own);
                counts.compared += 1;
                assert_eq!(new, Some(value), "of {values:?}, {}", message());
                assert!(events.shift || !own.shift, "shift: {values:?}, {}", message());
                assert!(
                    events.wide_overflow || !own.wide_overflow,
                    "overflow: {values:?}, {}",
                    message()
                );
            }
        }
    }
}

/// `TIR_SIMPLIFY_CASES=50000` asks for more (each is some 230 comparisons), after a change of a rule or a stage;
/// `TIR_SIMPLIFY_SEED` for others.
#[test]
fn results_have_the_value_of_the_expression() {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse::<u64>().ok());
    let first = number("TIR_SIMPLIFY_SEED").unwrap_or(0);
    let n = number("TIR_SIMPLIFY_CASES").unwrap_or(500);
    let mut counts = Counts::default();
    for seed in first..first + n {
        check_case(seed, &mut counts);
    }
    assert!(counts.n_results - counts.n_same <= counts.n_results / 1000, "{}", counts.n_same);
    assert!(counts.changed > n && counts.compared > n, "{} {}", counts.changed, counts.compared);
}
