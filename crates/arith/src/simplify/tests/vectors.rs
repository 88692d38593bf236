//! Vectors of known lanes.

use ir::{BinaryOp, Body, DataType, ExprId, ExprKind, print::expr_text};
use test_utils::Rng;

use super::{
    super::Simplifier,
    support::{check, check_unchanged, check_under, check_wrapping},
};
use crate::{
    Overflow,
    tests::support::{Bench, Events, eval, vector},
};

#[test]
fn equal_lanes_are_computed_once() {
    check("broadcast(x, 4) + broadcast(y, 4)", "broadcast(x + y, 4)");
    check("broadcast(f, 4) * broadcast(g, 4)", "broadcast(f * g, 4)");
    check("min(broadcast(x, 4), broadcast(x, 4))", "broadcast(x, 4)");
    check("broadcast(x, 4) < broadcast(y, 4)", "broadcast(x < y, 4)");
    check_under(&["x < y"], "broadcast(x, 4) < broadcast(y, 4)", "broadcast(true, 4)");
    check(
        "select(broadcast(p, 4), broadcast(x, 4), broadcast(y, 4))",
        "broadcast(select(p, x, y), 4)",
    );
    check("ramp(x, 0, 4)", "broadcast(x, 4)");
}

#[test]
fn neutral_lanes_go() {
    check("ramp(x, i, 4) + broadcast(0, 4)", "ramp(x, i, 4)");
    check("broadcast(1, 4) * ramp(x, i, 4)", "ramp(x, i, 4)");
    check_unchanged("ramp(x, i, 4) + broadcast(y, 4)");
}

#[test]
fn sums_and_products_of_ramps() {
    check("ramp(x, 1, 4) + broadcast(y, 4)", "ramp(x + y, 1, 4)");
    check("broadcast(y, 4) - ramp(x, 1, 4)", "ramp(y - x, -1, 4)");
    check("ramp(x, 1, 4) + ramp(y * 2, 2, 4)", "ramp(x + y * 2, 3, 4)");
    check("ramp(x, 1, 4) - ramp(y, 1, 4)", "broadcast(x - y, 4)");
    check("ramp(x, 2, 4) * broadcast(8, 4)", "ramp(x * 8, 16, 4)");
    check_unchanged("ramp(x, 2, 4) * broadcast(y, 4)");
    check_unchanged("ramp(x, 2, 4) + ramp(y, 2, 8)");
}

#[test]
fn ramps_over_constants() {
    check("ramp(x * 4, 1, 4) // broadcast(4, 4)", "broadcast(x, 4)");
    check("ramp(x * 4, 1, 4) % broadcast(4, 4)", "ramp(0, 1, 4)");
    check("ramp(x, 8, 4) // broadcast(4, 4)", "ramp(x // 4, 2, 4)");
    check("ramp(x, 8, 4) % broadcast(4, 4)", "broadcast(x % 4, 4)");
    check_unchanged("ramp(x * 4 + 1, 1, 4) // broadcast(4, 4)");
    check("ramp(x * 8 + 1, 15, 4) % broadcast(8, 4)", "ramp(1, 15, 4) % broadcast(8, 4)");
    check("ramp(x * 8 + 7, 1, 4) % broadcast(4, 4)", "ramp(3, 1, 4) % broadcast(4, 4)");
    check_under(
        &["x >= 0"],
        "truncmod(ramp(x * 8 + 1, 15, 4), broadcast(8, 4))",
        "truncmod(ramp(1, 15, 4), broadcast(8, 4))",
    );
    check_unchanged("ramp(x * 8 + 1, 15, 4) // broadcast(8, 4)");
    check_unchanged("truncmod(ramp(x * 8 + 1, 15, 4), broadcast(8, 4))");
    check_unchanged("truncdiv(ramp(x * 4, 1, 4), broadcast(4, 4))");
    check_under(&["x >= 0"], "truncdiv(ramp(x * 4, 1, 4), broadcast(4, 4))", "broadcast(x, 4)");
}

#[test]
fn nobody_may_use_the_first_lane() {
    let unknown = "ramp(x, 1, 4) + broadcast(y, 4)";
    check_wrapping(&[], unknown, unknown);
    check_wrapping(
        &["x >= 0 and x < 99 and y < 99 and y >= 0"],
        "ramp(x, 1, 4) + broadcast(y, 4)",
        "ramp(x + y, 1, 4)",
    );
}

/// A lane as a scalar.
fn lane(body: &mut Body, expr: ExprId, k: i128) -> ExprId {
    match body.expr(expr).kind {
        ExprKind::Ramp { base, stride, .. } => {
            let k = body.int(k, DataType::INT32);
            let ahead = body.binary(BinaryOp::Mul, stride, k);
            body.binary(BinaryOp::Add, base, ahead)
        }
        ExprKind::Broadcast { value, .. } => value,
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (lane(body, a, k), lane(body, b, k));
            body.binary(op, a, b)
        }
        _ => panic!("no vector: {}", expr_text(body, expr)),
    }
}

fn scalar(bench: &mut Bench, rng: &mut Rng) -> ExprId {
    let texts = [
        "x",
        "y",
        "x * 4",
        "x * 8 + 4",
        "y + 1",
        "x - y",
        "3",
        "0",
        "x * y",
        "x % 4",
        "y * 6 + x % 2",
    ];
    let text = *rng.pick(&texts);
    bench.expr(text)
}

fn random_vector(bench: &mut Bench, rng: &mut Rng, depth: u32) -> ExprId {
    use BinaryOp::{Add, Div, FloorDiv, FloorMod, Lt, Max, Min, Mod, Mul, Sub};
    if depth == 0 || rng.one_in(4) {
        let base = scalar(bench, rng);
        let stride = bench.body.int(rng.between(-4, 8).into(), DataType::INT32);
        let stride = rng.one_in(2).then_some(stride);
        return vector(&mut bench.body, base, stride, 4);
    }
    let a = random_vector(bench, rng, depth - 1);
    let b = if rng.one_in(2) {
        let constant = bench.body.int(*rng.pick(&[1, 2, 4, 8, 12, 0, -1]), DataType::INT32);
        vector(&mut bench.body, constant, None, 4)
    } else {
        random_vector(bench, rng, depth - 1)
    };
    let op = *rng.pick(&[Add, Add, Sub, Mul, FloorDiv, FloorMod, Div, Mod, Min, Max]);
    let op = if depth == 3 && rng.one_in(4) { Lt } else { op };
    bench.body.binary(op, a, b)
}

#[test]
fn lanes_keep_their_values() {
    let mut n_changed = 0;
    for seed in 0..2000 {
        let mut rng = Rng::new(seed);
        let mut bench = Bench::new(&["x: int32", "y: int32"]);
        let given = *rng.pick(&["x >= 0", "x < 100", "y >= 0 and x >= 0", "x > -50 and x < 50"]);
        let given = bench.expr(given);
        let expr = random_vector(&mut bench, &mut rng, 3);
        let mut simplifier = Simplifier::new(&bench.body);
        let root = simplifier.analyzer().root();
        let ctx = simplifier.analyzer().assume(root, given, true);
        for reading in [Overflow::Excluded, Overflow::Wraps] {
            let result = simplifier.simplify(ctx, expr, reading);
            n_changed += u32::from(result != expr);
            let mut body = simplifier.body().clone();
            let lanes: Vec<[ExprId; 2]> =
                (0..4).map(|k| [expr, result].map(|it| lane(&mut body, it, k))).collect();
            for _ in 0..80 {
                let mut draw = |low, high| match rng.below(8) {
                    0 => i128::from(i32::MAX) - i128::from(rng.between(0, 9)),
                    1 => i128::from(i32::MIN) + i128::from(rng.between(0, 9)),
                    _ => rng.between(low, high).into(),
                };
                let values = [draw(-60, 120), draw(-9, 60)];
                if eval(&body, &values, given, &mut Events::default()) != Some(1) {
                    continue;
                }
                let run = |it: ExprId| {
                    let mut events = Events::default();
                    (eval(&body, &values, it, &mut events), events.wide_overflow)
                };
                let runs: Vec<_> = lanes.iter().map(|it| it.map(run)).collect();
                if reading == Overflow::Excluded
                    && runs.iter().any(|it| it[0].1 || it[0].0.is_none())
                {
                    continue;
                }
                for (k, [(before, overflows), (after, overflows_now)]) in
                    runs.into_iter().enumerate().filter(|it| it.1[0].0.is_some())
                {
                    let texts = [expr, result].map(|it| expr_text(&body, it));
                    let message = || format!("seed {seed}, lane {k} of {values:?}: {texts:?}");
                    assert_eq!(before, after, "{}", message());
                    assert!(overflows || !overflows_now, "overflow, {}", message());
                }
            }
        }
    }
    assert!(n_changed > 2000, "{n_changed}");
}
