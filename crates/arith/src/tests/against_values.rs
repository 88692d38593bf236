//! Every claim of the analyzer against evaluation: random contexts and expressions, all values of the variables (or,
//! for wide types, the ends of the range, small values and random ones).

use ir::{DataType, ExprId, ValueId, ValueKind, arena::Id};
use test_utils::Rng;

use super::{
    random::{condition, constant, integer, types_of},
    support::{Bench, Events, eval},
};
use crate::{Analyzer, Constraint, ContextId, Interval, Overflow};

/// All assignments that are tried.
fn assignments(bench: &Bench, rng: &mut Rng) -> Vec<Vec<i128>> {
    let free: Vec<ValueId> = bench
        .variables
        .iter()
        .map(|it| it.1)
        .filter(|it| bench.body.values[*it].kind == ValueKind::Symbol)
        .collect();
    let mut all = vec![vec![0; bench.body.values.len()]];
    for value in free {
        let dtype = bench.body.values[value].ty.prim().expect("an integer");
        let range = Interval::of_type(dtype);
        let mut values: Vec<i128> = if dtype.bits <= 4 {
            (range.min..=range.max).collect()
        } else {
            let near = (-4..=9).chain([range.min, range.min + 1, range.max - 1, range.max]);
            let wide = i128::from(rng.next_u64() as i64);
            let random = (0..3).map(|_| i128::from(rng.between(-200, 200)));
            near.chain(random)
                .chain([crate::interval::floor_mod(wide, 1 << dtype.bits) + range.min])
                .filter(|it| range.contains(*it))
                .collect()
        };
        if bench.body.values[value].is_size {
            values.retain(|it| *it >= 0);
        }
        let mut next = Vec::new();
        for assignment in &all {
            for &value_of in &values {
                let mut assignment = assignment.clone();
                assignment[value.index()] = value_of;
                next.push(assignment);
            }
        }
        all = next;
    }
    all.retain_mut(|values| bind_all(&bench.body, values));
    all
}

/// Every value of every variable, in all combinations: for narrow types.
pub(super) fn every_assignment(bench: &Bench) -> Vec<Vec<i128>> {
    let mut all = vec![vec![0; bench.body.values.len()]];
    for &(_, value) in &bench.variables {
        if bench.body.values[value].kind != ValueKind::Symbol {
            continue;
        }
        let dtype = bench.body.values[value].ty.prim().expect("an integer");
        let range = Interval::of_type(dtype);
        let with = |assignment: &Vec<i128>, number: i128| {
            let mut assignment = assignment.clone();
            assignment[value.index()] = number;
            assignment
        };
        let numbers = range.min..=range.max;
        all = all
            .iter()
            .flat_map(|assignment| numbers.clone().map(move |number| with(assignment, number)))
            .collect();
    }
    all.retain_mut(|values| bind_all(&bench.body, values));
    all
}

/// Evaluates the bindings; false if an error ends the run there.
fn bind_all(body: &ir::Body, values: &mut [i128]) -> bool {
    let ops = &body.blocks[body.entry(body.root)].ops;
    ops.iter().all(|&op| {
        let mut events = Events { is_shallow: true, ..Events::default() };
        let value = eval(body, values, body.ops[op].operands[0], &mut events);
        values[body.ops[op].results[0].index()] = value.unwrap_or(0);
        value.is_some()
    })
}

/// Returns the events on the way if a run with these values reaches the context.
pub(super) fn reaches(analyzer: &Analyzer<'_>, ctx: ContextId, values: &[i128]) -> Option<Events> {
    let body = analyzer.body();
    let mut events = Events::default();
    let mut at = Some(ctx);
    while let Some(ctx) = at {
        let holds = match analyzer.constraint(ctx) {
            Constraint::Assume { cond, holds } => {
                (eval(body, values, cond, &mut events)? != 0) == holds
            }
            Constraint::Range { var, min, extent, step } => {
                let min = match min {
                    Some(min) => eval(body, values, min, &mut events)?,
                    None => 0,
                };
                let extent = eval(body, values, extent, &mut events)?;
                let value = values[var.index()];
                let dtype = body.values[var].ty.prim().expect("an integer");
                // L3: a range that leaves the type is an error.
                let step = match step {
                    Some(step) => eval(body, values, step, &mut events)?,
                    None => 1,
                };
                step > 0
                    && (min..min + extent).contains(&value)
                    && (value - min) % step == 0
                    && Interval::of_type(dtype).contains(min + extent - 1)
            }
            Constraint::AtLeast { expr, least } => {
                eval(body, values, expr, &mut events)? >= least.into()
            }
            Constraint::Define { var, value } => {
                eval(body, values, value, &mut events)? == values[var.index()]
            }
            _ => true,
        };
        if !holds {
            return None;
        }
        at = analyzer.parent(ctx);
    }
    Some(events)
}

/// The constraints of a context, for a message.
pub(super) fn describe(analyzer: &Analyzer<'_>, ctx: ContextId) -> String {
    let mut lines = Vec::new();
    let mut at = Some(ctx);
    while let Some(ctx) = at {
        let constraint = analyzer.constraint(ctx);
        let text = |it| ir::print::expr_text(analyzer.body(), it);
        lines.push(match constraint {
            Constraint::Assume { cond, holds } => format!("{} is {holds}", text(cond)),
            Constraint::Range { min, extent, .. } => {
                format!("a from {:?}, {} times", min.map(text), text(extent))
            }
            other => format!("{other:?}"),
        });
        at = analyzer.parent(ctx);
    }
    lines.join("\n")
}

/// Variables, a context, and a query there.
pub(super) struct Case {
    pub(super) bench: Bench,
    conditions: Vec<(ExprId, bool)>,
    range: Option<(ValueId, ExprId, ExprId)>,
    pub(super) queries: Vec<ExprId>,
}

impl Case {
    pub(super) fn context(&self, analyzer: &mut Analyzer<'_>) -> ContextId {
        let mut ctx = analyzer.root();
        if let Some((var, min, extent)) = self.range {
            ctx = analyzer.range(ctx, var, min, extent);
        }
        for &(cond, holds) in &self.conditions {
            ctx = analyzer.assume(ctx, cond, holds);
        }
        ctx
    }
}

pub(super) fn random_case(rng: &mut Rng) -> Case {
    random_case_of(rng, SETS, 3)
}

/// The variables of random cases.
const SETS: &[&[&str]] = &[
    &["a: int4", "b: int4"],
    &["a: int4", "b: uint4"],
    &["a: uint4", "b: uint4", "c: int4"],
    &["a: int8", "b: int8"],
    &["a: int32", "b: int32"],
    &["a: size int32", "b: int32", "c: int32"],
    &["a: uint32", "b: int32"],
    &["a: int64", "b: int64"],
    &["a: int64", "b: int32"],
    &["a: uint64", "b: int8"],
];

/// A random case over one of these sets of variables, with so many conditions and integers as queries.
pub(super) fn random_case_of(rng: &mut Rng, sets: &[&[&str]], n_queries: usize) -> Case {
    let mut bench = Bench::new(sets[rng.below(sets.len())]);
    let n_conditions = rng.below(4);
    let mut conditions = Vec::new();
    for _ in 0..n_conditions {
        let depth = 1 + rng.below(2) as u32;
        conditions.push((condition(&mut bench, rng, depth), !rng.one_in(3)));
    }
    let mut range = None;
    if rng.one_in(2) {
        let var = bench.variables[0].1;
        let dtype = bench.body.values[var].ty.prim().expect("an integer");
        let min =
            if rng.one_in(2) { bench.body.int(0, dtype) } else { constant(&mut bench, rng, dtype) };
        let extent = integer(&mut bench, rng, dtype, 1);
        range = Some((var, min, extent));
    }
    let mut queries: Vec<ExprId> = conditions.iter().map(|it| it.0).collect();
    for _ in 0..n_queries {
        queries.push(condition(&mut bench, rng, 2));
        let types = types_of(&bench);
        let dtype = *rng.pick(&types);
        queries.push(integer(&mut bench, rng, dtype, 3));
    }
    Case { bench, conditions, range, queries }
}

/// Checks all claims of one random case. Returns how many conditions were decided, and how many traps excluded.
fn check_case(seed: u64) -> (usize, usize) {
    let mut rng = Rng::new(seed);
    let case = random_case(&mut rng);
    let all = assignments(&case.bench, &mut rng);
    let body = &case.bench.body;
    let mut analyzer = Analyzer::new(body);
    let ctx = case.context(&mut analyzer);
    let mut runs = Vec::new();
    for values in &all {
        if let Some(events) = reaches(&analyzer, ctx, values) {
            runs.push((values, events));
        }
    }
    let (mut decided, mut safe) = (0, 0);
    for &query in &case.queries {
        let is_bool = body.ty(query).is_bool();
        for overflow in [Overflow::Wraps, Overflow::Excluded] {
            let facts = analyzer.facts_with(overflow, ctx, query);
            let decision = if is_bool { analyzer.decide_with(overflow, ctx, query) } else { None };
            decided += usize::from(decision.is_some());
            let cannot_trap = analyzer.cannot_trap(ctx, query);
            let no_overflow = analyzer.no_overflow(ctx, query);
            safe += usize::from(cannot_trap && body.expr(query).size > 5);
            for (values, before) in &runs {
                let mut events = *before;
                let value = eval(body, values, query, &mut events);
                if overflow == Overflow::Excluded && events.wide_overflow {
                    continue;
                }
                let context = || {
                    format!(
                        "seed {seed}, {overflow:?}, {} of {values:?}: {value:?}, facts {facts:?}, decided {decision:?}\n{}",
                        ir::print::expr_text(body, query),
                        describe(&analyzer, ctx)
                    )
                };
                let mut own = Events { is_shallow: true, ..Events::default() };
                eval(body, values, query, &mut own);
                assert!(
                    !cannot_trap || (value.is_some() && !own.shift && !own.used),
                    "trap: {}",
                    context()
                );
                assert!(!no_overflow || !own.overflow, "overflow: {}", context());
                let Some(value) = value else { continue };
                assert!(facts.interval.contains(value), "bound: {}", context());
                assert!(facts.modular.contains(value), "congruence: {}", context());
                if let Some(decision) = decision {
                    assert_eq!(decision, value != 0, "decision: {}", context());
                }
            }
            if analyzer.is_contradiction(overflow, ctx) {
                let possible = runs
                    .iter()
                    .filter(|it| overflow == Overflow::Wraps || !it.1.wide_overflow)
                    .count();
                assert_eq!(possible, 0, "contradiction: seed {seed} {overflow:?}");
            }
        }
    }
    (decided, safe)
}

fn check_cases(seeds: std::ops::Range<u64>) {
    let n = seeds.end - seeds.start;
    let (mut decided, mut safe) = (0, 0);
    for seed in seeds {
        let (more, safer) = check_case(seed);
        decided += more;
        safe += safer;
    }
    // The claims are worth something: many are made.
    assert!(decided as u64 > n / 2 && safe as u64 > n / 4, "{decided} decided, {safe} safe of {n}");
}

/// `TIR_ARITH_CASES=20000` asks for more, after a change of the transfer functions.
#[test]
fn claims_hold_for_all_values() {
    let asked = std::env::var("TIR_ARITH_CASES").ok().and_then(|it| it.parse().ok());
    check_cases(0..asked.unwrap_or(1500));
}

#[test]
fn types_of_constants_are_those_of_the_bench() {
    let mut bench = Bench::new(&["a: int8"]);
    let mut rng = Rng::new(3);
    let expr = constant(&mut bench, &mut rng, DataType::int(8));
    assert_eq!(bench.body.dtype(expr), Some(DataType::int(8)));
}
