//! Work grows as the text does, also for the shapes on which TVM's pass is quadratic or cubic.

use dataflow::analyses::Analyses;
use ir::effects::EffectTable;
use ir::{BinaryOp, DataType, ExprId, Occurrences, OpKind, plan::Preset};

use super::build::Build;
use crate::cse::{CseOptions, Work, plan_counted, rewrite_counted};

const PRESETS: [Preset; 3] = [Preset::Tvm, Preset::Tvm2022, Preset::Default];

/// Plans and rewrites; gives for each the nodes visited and the words hashed and compared, and the number of
/// occurrences.
fn work(build: &Build, preset: Preset) -> (u64, u64, u64) {
    let occurrences = Occurrences::collect(&build.body);
    let options = CseOptions { preset, allow_unsound: true, ..CseOptions::default() };
    let (plan, planning) = plan_counted(
        &Analyses::of(&build.body, &occurrences, EffectTable::builtin()),
        None,
        &options,
    );
    let (_, rewriting) = rewrite_counted(&build.body, &occurrences, &plan);
    let all = |it: Work| it.visited + (it.hashed + it.compared) / 8;
    (all(planning), all(rewriting) + 1, occurrences.len() as u64)
}

/// Doubling `n` may multiply the work by no more than it multiplies the text, and a little.
#[track_caller]
fn check_linear(family: impl Fn(i64) -> Build, n: i64) {
    check_linear_of(&PRESETS, family, n);
}

#[track_caller]
fn check_linear_of(presets: &[Preset], family: impl Fn(i64) -> Build, n: i64) {
    for &preset in presets {
        let (plan, rewrite, text) = work(&family(n), preset);
        let (plan2, rewrite2, text2) = work(&family(2 * n), preset);
        let growth = 1.1 * text2 as f64 / text as f64;
        assert!(plan2 as f64 <= plan as f64 * growth, "{preset:?} plan: {plan} -> {plan2}");
        assert!(
            rewrite2 as f64 <= rewrite as f64 * growth,
            "{preset:?} rewrite: {rewrite} -> {rewrite2}"
        );
        assert!(plan <= 40 * text, "{preset:?}: {plan} for {text} occurrences");
    }
}

/// `((x*y+1)*y+2)*y…`
fn chain(build: &mut Build, n: i64) -> ExprId {
    let mut at = build.x;
    for k in 1..=n {
        at = build.mul(at, build.y);
        let k = build.int(k);
        at = build.add(at, k);
    }
    at
}

#[test]
fn many_distinct_candidates() {
    check_linear(
        |n| {
            let mut build = Build::new();
            for k in 0..n {
                let k = build.int(k + 256);
                let product = build.mul(build.x, k);
                let four = build.int(4096);
                let index = build.add(product, four);
                let value = build.load(index);
                build.store(product, value);
            }
            build
        },
        1000,
    );
}

#[test]
fn two_long_chains() {
    check_linear(
        |n| {
            let mut build = Build::new();
            let value = chain(&mut build, n);
            let zero = build.int(0);
            build.store(zero, value);
            build.store(zero, value);
            build
        },
        1000,
    );
}

#[test]
fn all_prefixes_of_a_chain() {
    check_linear(
        |n| {
            let mut build = Build::new();
            let zero = build.int(0);
            for k in 0..n {
                let value = chain(&mut build, k);
                build.store(zero, value);
            }
            build
        },
        100,
    );
}

#[test]
fn all_prefixes_of_a_chain_from_the_longest_on() {
    check_linear(
        |n| {
            let mut build = Build::new();
            let zero = build.int(0);
            for k in (0..n).rev() {
                let value = chain(&mut build, k);
                build.store(zero, value);
            }
            build
        },
        100,
    );
}

#[test]
fn long_sums_of_loads_and_of_products() {
    for with_loads in [true, false] {
        check_linear(
            |n| {
                let mut build = Build::new();
                let mut sum = build.int(0);
                for k in 0..n {
                    let k = build.int(k);
                    let term = build.mul(build.x, k);
                    let term = if with_loads { build.load(term) } else { term };
                    sum = build.add(sum, term);
                }
                let zero = build.int(0);
                build.store(zero, sum);
                build.store(zero, sum);
                build
            },
            10_000,
        );
    }
}

#[test]
fn nested_branches() {
    // Each condition may trap and is guarded by those around it.
    for op in [BinaryOp::Mul, BinaryOp::FloorDiv] {
        for lazy in [false, true] {
            check_linear(
                |n| {
                    let mut build = Build::new();
                    for k in 0..n {
                        let quotient = build.op(op, build.x, build.y);
                        let k = build.int(k);
                        let mut condition = build.op(BinaryOp::Lt, quotient, k);
                        if lazy {
                            let left = build.op(BinaryOp::Lt, build.x, k);
                            condition = build.op(BinaryOp::And, left, condition);
                        }
                        build.enter_if(condition);
                    }
                    let zero = build.int(0);
                    let index = build.op(op, build.x, build.y);
                    build.store(zero, index);
                    build
                },
                1000,
            );
        }
    }
}

#[test]
fn many_guards_with_two_uses_each() {
    for bound_by_user in [false, true] {
        check_linear(
            |n| {
                let mut build = Build::new();
                let zero = build.int(0);
                let quotient = build.op(BinaryOp::FloorDiv, build.x, build.y);
                for k in 0..n {
                    let k = build.int(k);
                    let condition = build.op(BinaryOp::Lt, build.x, k);
                    let outside = build.enter_if(condition);
                    if bound_by_user {
                        let op = build.body.push_op(build.block, OpKind::Bind, &[quotient]);
                        build.body.push_result(op, "q", DataType::INT32.into());
                    }
                    build.store(zero, quotient);
                    build.store(k, quotient);
                    build.block = outside;
                }
                build
            },
            1000,
        );
    }
}

#[test]
fn loads_with_many_stores_between() {
    check_linear(
        |n| {
            let mut build = Build::new();
            let zero = build.int(0);
            for k in 0..n {
                let k = build.int(k);
                let value = build.load(build.x);
                let sum = build.add(value, value);
                build.store(k, sum);
                if k == zero {
                    build.store(zero, value);
                }
            }
            build
        },
        1000,
    );
}

#[test]
fn equal_loads_in_many_branches_and_loops() {
    for loops in [false, true] {
        check_linear(
            |n| {
                let mut build = Build::new();
                for k in 0..n {
                    let k = build.int(k);
                    let condition = build.op(BinaryOp::Lt, build.x, k);
                    let outside =
                        if loops { build.enter_for(k) } else { build.enter_if(condition) };
                    let value = build.load(build.x);
                    let product = build.mul(value, build.y);
                    let index = build.load(build.y);
                    build.store(index, product);
                    build.store(build.x, product);
                    build.block = outside;
                }
                build
            },
            1000,
        );
    }
}

#[test]
fn nested_loops_that_write_what_they_read() {
    check_linear(
        |n| {
            let mut build = Build::new();
            for k in 0..n {
                let k = build.int(k);
                build.enter_for(k);
                let value = build.load(build.x);
                let sum = build.add(value, value);
                build.store(build.y, sum);
            }
            build
        },
        500,
    );
}

#[test]
fn chains_of_the_users_bindings() {
    check_linear(
        |n| {
            let mut build = Build::new();
            let mut at = build.x;
            for k in 0..n {
                let k = build.int(k);
                let sum = build.add(at, k);
                let product = build.mul(sum, build.y);
                let op = build.body.push_op(build.block, OpKind::Bind, &[product]);
                let value = build.body.push_result(op, "v", DataType::INT32.into());
                build.store(k, product);
                at = build.body.value_expr(value);
            }
            build
        },
        1000,
    );
}

#[test]
fn lets_in_lets_and_beside_each_other() {
    for nested in [false, true] {
        // The variables of lets are terms of their own, so `tvm-2022` reads a let again in each let around it.
        let presets = if nested { &[Preset::Tvm, Preset::Default][..] } else { &PRESETS };
        check_linear_of(
            presets,
            |n| {
                let mut build = Build::new();
                let product = build.mul(build.x, build.y);
                let mut at = product;
                for k in 0..n {
                    let k = build.int(k);
                    let closed = build.add(product, k);
                    let bound = build.bound();
                    let open = build.mul(bound, closed);
                    let inner = if nested { build.add(open, at) } else { open };
                    at = build.bind_in(closed, inner);
                    if !nested {
                        build.store(k, at);
                    }
                }
                build.store(product, at);
                build
            },
            1000,
        );
    }
}

#[test]
fn very_deep_nesting_is_planned_and_rewritten() {
    let mut build = Build::new();
    for k in 0..10_000 {
        let k = build.int(k);
        let product = build.mul(build.x, build.y);
        let condition = build.op(BinaryOp::Lt, product, k);
        build.enter_if(condition);
    }
    let value = chain(&mut build, 10_000);
    build.store(build.x, value);
    build.store(build.x, value);
    for preset in PRESETS {
        let (plan, _, text) = work(&build, preset);
        assert!(plan < 40 * text);
    }
}

#[test]
fn one_statement_many_times_and_an_unrolled_loop() {
    for unrolled in [false, true] {
        check_linear(
            |n| {
                let mut build = Build::new();
                let base = build.mul(build.x, build.y);
                for k in 0..n {
                    let k = build.int(if unrolled { k } else { 7 });
                    let index = build.add(base, k);
                    let four = build.int(4096);
                    let from = build.add(base, four);
                    let from = build.add(from, k);
                    let value = build.load(from);
                    build.store(index, value);
                }
                build
            },
            1000,
        );
    }
}

#[test]
fn branches_beside_each_other() {
    check_linear(
        |n| {
            let mut build = Build::new();
            let base = build.mul(build.x, build.y);
            for k in 0..n {
                let k = build.int(k);
                let condition = build.op(BinaryOp::Lt, base, k);
                let outside = build.enter_if(condition);
                let index = build.add(base, k);
                let value = build.load(index);
                build.store(index, value);
                build.block = outside;
            }
            build
        },
        1000,
    );
}

#[test]
fn many_bindings_of_the_user_each_used_by_what_follows() {
    for chained in [false, true] {
        check_linear(
            |n| {
                let mut build = Build::new();
                let mut last = build.x;
                for k in 0..n {
                    let k = build.int(k);
                    let value = build.mul(last, k);
                    let op = build.body.push_op(build.block, OpKind::Bind, &[value]);
                    let bound = build.body.push_result(op, "b", DataType::INT32.into());
                    let bound = build.body.value_expr(bound);
                    let three = build.int(3);
                    let twice = build.mul(bound, three);
                    build.store(k, twice);
                    build.store(twice, k);
                    last = if chained { bound } else { build.x };
                }
                build
            },
            1000,
        );
    }
}

#[test]
fn every_branch_of_a_deep_nest_has_its_own_values() {
    check_linear(
        |n| {
            let mut build = Build::new();
            for k in 0..n {
                let k = build.int(k);
                let condition = build.op(BinaryOp::Lt, build.x, k);
                build.enter_if(condition);
                let product = build.mul(build.y, k);
                build.store(product, product);
                let value = build.add(product, build.x);
                build.store(value, k);
            }
            build
        },
        1000,
    );
}

#[test]
fn a_million_statements_are_planned() {
    let mut build = Build::new();
    for k in 0..1_000_000 {
        let k = build.int(k % 1000);
        let index = build.mul(build.x, k);
        build.store(index, k);
    }
    for preset in PRESETS {
        let (plan, _, text) = work(&build, preset);
        assert!(plan < 40 * text, "{preset:?}: {plan} for {text} occurrences");
    }
}
