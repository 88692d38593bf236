//! Claims about products, symbolic divisors and stepped loops, against evaluation: contexts as launches over fused
//! shapes make them, with guards taken from the same pieces, over sizes small and large.

use ir::{BinaryOp, DataType, ExprId, ValueId};
use test_utils::Rng;

use super::against_values::{describe, reaches};
use super::support::{Bench, Events, eval};
use crate::{Analyzer, ContextId, Interval, Lacking, Overflow};

const I32: DataType = DataType::INT32;

/// A launch over shapes: `x` and `t` are indices, the rest sizes.
struct Case {
    bench: Bench,
    loops: Vec<Loop>,
    guards: Vec<(ExprId, bool)>,
    /// An additional assumption of a careless caller.
    extra: ExprId,
    queries: Vec<ExprId>,
}

struct Loop {
    var: ValueId,
    min: ExprId,
    extent: ExprId,
    step: Option<ExprId>,
}

fn variable(bench: &mut Bench, name: &str) -> ExprId {
    let value = bench.variable(name);
    bench.body.value_expr(value)
}

fn size(bench: &mut Bench, rng: &mut Rng) -> ExprId {
    let name = *rng.pick(&["d0", "d1", "d2"]);
    variable(bench, name)
}

fn number(bench: &mut Bench, rng: &mut Rng) -> ExprId {
    let value = *rng.pick(&[1, 2, 3, 4, 7, 8, 12, 32]);
    bench.body.int(value, I32)
}

fn binary(bench: &mut Bench, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    bench.body.binary(op, a, b)
}

/// A product of sizes, sometimes with a number or a sum in it.
fn product(bench: &mut Bench, rng: &mut Rng) -> ExprId {
    let mut product = size(bench, rng);
    for _ in 0..rng.below(3) {
        let factor = match rng.below(6) {
            0 => number(bench, rng),
            1 => {
                let (a, b) = (size(bench, rng), number(bench, rng));
                let op = *rng.pick(&[BinaryOp::Add, BinaryOp::Sub]);
                binary(bench, op, a, b)
            }
            _ => size(bench, rng),
        };
        product = match rng.one_in(2) {
            true => binary(bench, BinaryOp::Mul, product, factor),
            false => binary(bench, BinaryOp::Mul, factor, product),
        };
    }
    product
}

/// An index: a flattened one, or a quotient or remainder of one, or of these.
fn index(bench: &mut Bench, rng: &mut Rng, depth: u32) -> ExprId {
    if depth == 0 {
        let (x, t) = (variable(bench, "x"), variable(bench, "t"));
        return match rng.below(4) {
            0 => x,
            1 => t,
            2 => {
                let four = number(bench, rng);
                let scaled = binary(bench, BinaryOp::Mul, x, four);
                binary(bench, BinaryOp::Add, scaled, t)
            }
            _ => {
                let size = size(bench, rng);
                let scaled = binary(bench, BinaryOp::Mul, x, size);
                binary(bench, BinaryOp::Add, scaled, t)
            }
        };
    }
    let inner = index(bench, rng, depth - 1);
    let by = match rng.below(4) {
        0 => number(bench, rng),
        1 => product(bench, rng),
        _ => size(bench, rng),
    };
    const OPS: &[BinaryOp] = &[
        BinaryOp::FloorDiv,
        BinaryOp::FloorDiv,
        BinaryOp::FloorMod,
        BinaryOp::Mul,
        BinaryOp::Min,
        BinaryOp::Max,
        BinaryOp::Div,
        BinaryOp::Mod,
        BinaryOp::Add,
        BinaryOp::Sub,
    ];
    binary(bench, *rng.pick(OPS), inner, by)
}

fn guard(bench: &mut Bench, rng: &mut Rng) -> ExprId {
    const OPS: &[BinaryOp] = &[
        BinaryOp::Lt,
        BinaryOp::Lt,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::Eq,
        BinaryOp::Ne,
    ];
    let depth = rng.below(3) as u32;
    let a = index(bench, rng, depth);
    let b = match rng.below(5) {
        0 => number(bench, rng),
        1 => index(bench, rng, depth),
        _ => product(bench, rng),
    };
    binary(bench, *rng.pick(OPS), a, b)
}

fn random_case(rng: &mut Rng) -> Case {
    let sizes: &[&str] = match rng.below(4) {
        // Sizes that nobody said are not negative.
        0 => &["x: int32", "t: int32", "d0: size int32", "d1: int32", "d2: int32"],
        _ => &["x: int32", "t: int32", "d0: size int32", "d1: size int32", "d2: size int32"],
    };
    let mut bench = Bench::new(sizes);
    let bench = &mut bench;
    let mut loops = Vec::new();
    let whole = product(bench, rng);
    let zero = bench.body.int(0, I32);
    let extent = match rng.below(3) {
        0 => whole,
        _ => {
            let (less, by) = (bench.body.int(3, I32), bench.body.int(4, I32));
            let up = binary(bench, BinaryOp::Add, whole, less);
            binary(bench, BinaryOp::FloorDiv, up, by)
        }
    };
    let step = rng.one_in(4).then(|| number(bench, rng));
    loops.push(Loop { var: bench.variable("x"), min: zero, extent, step });
    if !rng.one_in(4) {
        let extent = match rng.one_in(2) {
            true => bench.body.int(4, I32),
            false => size(bench, rng),
        };
        let min = if rng.one_in(4) { size(bench, rng) } else { zero };
        let step = rng.one_in(4).then(|| size(bench, rng));
        loops.push(Loop { var: bench.variable("t"), min, extent, step });
    }
    let mut guards = Vec::new();
    for _ in 0..rng.below(3) {
        guards.push((guard(bench, rng), !rng.one_in(4)));
    }
    let extra = guard(bench, rng);
    let mut queries: Vec<ExprId> = (0..5).map(|_| guard(bench, rng)).collect();
    for _ in 0..2 {
        let depth = 1 + rng.below(2) as u32;
        queries.push(index(bench, rng, depth));
        queries.push(product(bench, rng));
    }
    let bench = std::mem::replace(bench, Bench::new(&[]));
    Case { bench, loops, guards, extra, queries }
}

/// Values of the variables: small ones together, and some that make products wrap.
fn assignments(case: &Case, rng: &mut Rng) -> Vec<Vec<i128>> {
    const LARGE: &[i128] = &[46341, 65536, 1 << 20, (1 << 30) + 1, i32::MAX as i128];
    let mut all = Vec::new();
    for round in 0..600 {
        let mut values = vec![0; case.bench.body.values.len()];
        for (name, value) in &case.bench.variables {
            let is_index = name == "x" || name == "t";
            use ir::arena::Id;
            values[value.index()] = match () {
                () if round % 4 == 3 && rng.one_in(2) => *rng.pick(LARGE),
                () if is_index => rng.between(0, 11).into(),
                () if !case.bench.body.values[*value].is_size => rng.between(-3, 4).into(),
                () => rng.between(0, 4).into(),
            };
        }
        all.push(values);
    }
    all
}

/// The contexts of a case, with and without the assumptions of a careless caller.
fn context(case: &Case, analyzer: &mut Analyzer<'_>) -> ContextId {
    let mut ctx = analyzer.root();
    for it in &case.loops {
        ctx = match it.step {
            Some(step) => analyzer.stepped(ctx, it.var, it.min, it.extent, step),
            None => analyzer.range(ctx, it.var, it.min, it.extent),
        };
    }
    for &(cond, holds) in &case.guards {
        ctx = analyzer.assume(ctx, cond, holds);
    }
    ctx
}

/// How claims are made: as they should be, or with a planted mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claims {
    Sound,
    /// Those that hold where overflow is excluded, for runs in which it happened.
    OfTheOtherReading,
    /// Those that hold under one more condition.
    UnderMore,
}

/// The number of decided conditions, and of sums shown to be in range; or the failure.
fn check_case(seed: u64, claims: Claims) -> Result<[usize; 2], String> {
    let mut rng = Rng::new(seed);
    let case = random_case(&mut rng);
    let all = assignments(&case, &mut rng);
    let body = &case.bench.body;
    let mut analyzer = Analyzer::new(body);
    let ctx = context(&case, &mut analyzer);
    let claimed = match claims {
        Claims::UnderMore => analyzer.assume(ctx, case.extra, true),
        _ => ctx,
    };
    let runs: Vec<(&Vec<i128>, Events)> = all
        .iter()
        .filter_map(|values| reaches(&analyzer, ctx, values).map(|events| (values, events)))
        .collect();
    let (mut decided, mut n_fitting) = (0, 0);
    for overflow in [Overflow::Wraps, Overflow::Excluded] {
        let excludes = overflow == Overflow::Excluded && claims != Claims::OfTheOtherReading;
        let is_possible = |events: &Events| !excludes || !events.wide_overflow;
        if analyzer.is_contradiction(overflow, claimed)
            && let Some(run) = runs.iter().find(|it| is_possible(&it.1))
        {
            return Err(format!(
                "seed {seed} {overflow:?}: {:?} is a run of\n{}",
                run.0,
                describe(&analyzer, ctx)
            ));
        }
        for &query in &case.queries {
            let facts = analyzer.facts_with(overflow, claimed, query);
            let no_overflow = match overflow {
                Overflow::Wraps => analyzer.no_overflow(claimed, query),
                Overflow::Excluded => analyzer.adds_no_overflow(claimed, query),
            };
            n_fitting += usize::from(no_overflow && body.expr(query).size > 4);
            decided += usize::from(body.ty(query).is_bool() && facts.interval != Interval::BOOL);
            for (values, before) in &runs {
                let mut events = *before;
                let value = eval(body, values, query, &mut events);
                let mut own = Events { is_shallow: true, ..Events::default() };
                eval(body, values, query, &mut own);
                let is_right = match value {
                    _ if no_overflow && own.overflow && (!excludes || !before.wide_overflow) => {
                        false
                    }
                    Some(value) if is_possible(&events) => {
                        facts.interval.contains(value) && facts.modular.contains(value)
                    }
                    _ => true,
                };
                if !is_right {
                    return Err(format!(
                        "seed {seed}, {overflow:?}, {} of {values:?}: {value:?}, facts {facts:?}, no overflow {no_overflow}\n{}",
                        ir::print::expr_text(body, query),
                        describe(&analyzer, ctx)
                    ));
                }
            }
        }
    }
    Ok([decided, n_fitting])
}

/// Checks the facts reported as missing against evaluation: where one holds, so does the decision. Returns the number
/// of conditions that it would decide.
fn check_lacking(seed: u64) -> usize {
    let mut rng = Rng::new(seed);
    let case = random_case(&mut rng);
    let all = assignments(&case, &mut rng);
    let body = &case.bench.body;
    let mut analyzer = Analyzer::new(body);
    let ctx = context(&case, &mut analyzer);
    let mut n_said = 0;
    for &query in case.queries.iter().filter(|it| body.ty(**it).is_bool()) {
        let Some((decision, facts)) = analyzer.lacking(Overflow::Excluded, ctx, query) else {
            continue;
        };
        assert!(!facts.is_empty(), "seed {seed}: what lacks nothing is decided");
        n_said += 1;
        for values in &all {
            let Some(mut events) = reaches(&analyzer, ctx, values) else { continue };
            let holds = facts.iter().all(|fact| match *fact {
                Lacking::AtLeast(expr, least) => {
                    eval(body, values, expr, &mut events).is_some_and(|it| it >= least.into())
                }
                Lacking::NoOverflow => true,
            });
            let value = eval(body, values, query, &mut events);
            let (Some(value), true, false) = (value, holds, events.wide_overflow) else { continue };
            assert_eq!(
                value != 0,
                decision,
                "seed {seed}: {} of {values:?} given {facts:?}\n{}",
                ir::print::expr_text(body, query),
                describe(&analyzer, ctx)
            );
        }
    }
    n_said
}

#[test]
fn missing_facts_would_decide() {
    let n_said: usize = (0..400).map(check_lacking).sum();
    assert!(n_said > 40, "{n_said} conditions would be decided");
}

/// The values of indices while `x` and `t` run, against evaluation. Returns how many bounds were given, and how many
/// were reached.
fn check_sets(seed: u64) -> [usize; 2] {
    let mut rng = Rng::new(seed);
    let case = random_case(&mut rng);
    let all = assignments(&case, &mut rng);
    let body = &case.bench.body;
    let mut analyzer = Analyzer::growing(body, ir::effects::EffectTable::builtin());
    let ctx = context(&case, &mut analyzer);
    let over: Vec<ValueId> = case.loops.iter().map(|it| it.var).collect();
    let mut counts = [0; 2];
    for &query in case.queries.iter().filter(|it| !body.ty(**it).is_bool()) {
        let Some(set) = analyzer.int_set(Overflow::Excluded, ctx, query, &over) else { continue };
        let mut is_reached = [false; 2];
        for values in &all {
            let Some(mut events) = reaches(&analyzer, ctx, values) else { continue };
            let value = eval(analyzer.body(), values, query, &mut events);
            let ends = [set.min, set.max]
                .map(|it| it.and_then(|it| eval(analyzer.body(), values, it, &mut events)));
            let (Some(value), false) = (value, events.overflow) else { continue };
            let text = |it: Option<ExprId>| it.map(|it| ir::print::expr_text(analyzer.body(), it));
            let about = || {
                format!(
                    "seed {seed}: {} = {value}, of {values:?}, in {:?} to {:?} by {}\n{}",
                    ir::print::expr_text(body, query),
                    text(set.min),
                    text(set.max),
                    set.stride,
                    describe(&analyzer, ctx)
                )
            };
            for (at, end) in ends.into_iter().enumerate() {
                let Some(end) = end else { continue };
                assert!(if at == 0 { end <= value } else { value <= end }, "{}", about());
                let gap = value - end;
                assert!(
                    if set.stride == 0 { gap == 0 } else { gap % set.stride == 0 },
                    "{}",
                    about()
                );
                is_reached[at] |= gap == 0;
            }
        }
        counts[0] += [set.min, set.max].iter().flatten().count();
        counts[1] += is_reached.iter().filter(|it| **it).count();
    }
    counts
}

#[test]
fn values_of_indices_lie_in_their_sets() {
    let mut total = [0; 2];
    for seed in 0..400 {
        let counts = check_sets(seed);
        total = [total[0] + counts[0], total[1] + counts[1]];
    }
    assert!(total[0] > 1000 && total[1] > 400, "{total:?} bounds given and reached");
}

fn check_cases(n: u64, claims: Claims) -> Result<[usize; 2], String> {
    let mut total = [0; 2];
    for seed in 0..n {
        let counts = check_case(seed, claims)?;
        total = [total[0] + counts[0], total[1] + counts[1]];
    }
    Ok(total)
}

/// `TIR_ARITH_CASES=20000` runs more, for changes of the rules about products and quotients.
#[test]
fn claims_about_shapes_hold_for_all_values() {
    let asked = std::env::var("TIR_ARITH_CASES").ok().and_then(|it| it.parse().ok());
    let n = asked.unwrap_or(1000);
    let counts = check_cases(n, Claims::Sound).unwrap_or_else(|wrong| panic!("{wrong}"));
    // The claims are worth something: many are made.
    assert!(counts.iter().all(|&it| it as u64 > n / 2), "{counts:?} decided and in range of {n}");
}

#[test]
fn a_claim_of_the_other_reading_is_found() {
    assert!(check_cases(1000, Claims::OfTheOtherReading).is_err());
}

#[test]
fn a_claim_under_one_more_condition_is_found() {
    assert!(check_cases(1000, Claims::UnderMore).is_err());
}
