//! Work grows with the size of the query, counted.

use ir::{BinaryOp, DataType, ExprId, ExprKind};

use super::support::{Bench, if_then_else};
use crate::{Analyzer, Overflow};

const N: usize = 2_000;

/// Checks that `of(n)` units of work grow by about as much as `n`.
#[track_caller]
fn check_linear(of: impl Fn(usize) -> u64) {
    let (small, large) = (of(N / 4), of(N));
    assert!(large <= 5 * small + 100, "{small} for a quarter, {large} for all");
}

fn work(analyzer: &Analyzer<'_>) -> u64 {
    let work = analyzer.work();
    work.nodes + work.contexts + work.proof_steps
}

#[test]
fn nested_distinct_conditions() {
    check_linear(|n| {
        let mut bench = Bench::new(&["x: int32", "y: int32"]);
        let conditions: Vec<ExprId> =
            (0..n).map(|i| bench.expr(&format!("x * 3 + y > {i}"))).collect();
        let mut analyzer = Analyzer::new(&bench.body);
        let mut ctx = analyzer.root();
        for &cond in &conditions {
            assert_eq!(analyzer.decide(ctx, cond), None);
            ctx = analyzer.assume(ctx, cond, true);
        }
        assert_eq!(analyzer.decide(ctx, conditions[0]), Some(true));
        work(&analyzer)
    });
}

#[test]
fn chains_of_conditions_that_say_nothing() {
    check_linear(|n| {
        let mut bench = Bench::new(&["x: int32"]);
        let text = bench.body.intern("loaded");
        let kind = |instance| ExprKind::Opaque { text, instance };
        let conditions: Vec<ExprId> =
            (0..n as u32).map(|it| bench.body.make(kind(it), DataType::BOOL.into())).collect();
        let mut analyzer = Analyzer::new(&bench.body);
        let root = analyzer.root();
        let mut ctx = root;
        for &cond in &conditions {
            ctx = analyzer.assume(ctx, cond, false);
            assert_eq!(analyzer.informative(ctx), root);
        }
        analyzer.work().passed
    });
}

#[test]
fn sums_of_many_terms() {
    check_linear(|n| {
        let mut bench = Bench::new(&["x: int32", "y: int32"]);
        let mut sum = bench.expr("x % 5");
        for i in 0..n {
            let term = bench.expr(&format!("(x + {i}) % 7 * y"));
            sum = bench.body.binary(BinaryOp::Add, sum, term);
        }
        let mut analyzer = Analyzer::new(&bench.body);
        let root = analyzer.root();
        for expr in 0..bench.body.n_exprs() {
            use ir::arena::Id;
            analyzer.facts_with(Overflow::Excluded, root, ExprId::new(expr));
            analyzer.cannot_trap(root, ExprId::new(expr));
        }
        work(&analyzer)
    });
}

#[test]
fn chains_of_bindings() {
    check_linear(|n| {
        let mut bench = Bench::new(&["x: int32"]);
        let mut last = bench.expr("x % 16");
        for i in 0..n {
            let variable = bench.bind(&format!("b{i}"), last);
            let value = bench.body.value_expr(variable);
            let small = bench.body.int(3, DataType::INT32);
            let sum = bench.body.binary(BinaryOp::Add, value, small);
            last = bench.body.binary(BinaryOp::Min, sum, value);
        }
        let mut analyzer = Analyzer::new(&bench.body);
        let root = analyzer.root();
        assert_eq!(analyzer.bound(root, last), crate::Interval::new(0, 15));
        work(&analyzer)
    });
}

#[test]
fn nested_conditional_expressions() {
    check_linear(|n| {
        let mut bench = Bench::new(&["x: int32", "y: int32"]);
        let mut value = bench.expr("y");
        let mut arms = Vec::new();
        for i in 0..n {
            let cond = bench.expr(&format!("x > {i}"));
            let other = bench.expr("y // 3");
            arms.push((cond, value));
            value = if_then_else(&mut bench.body, cond, value, other);
        }
        let mut analyzer = Analyzer::new(&bench.body);
        let mut ctx = analyzer.root();
        analyzer.cannot_trap(ctx, value);
        for (cond, value) in arms.into_iter().rev() {
            ctx = analyzer.assume(ctx, cond, true);
            analyzer.bound(ctx, value);
            analyzer.cannot_trap(ctx, value);
        }
        work(&analyzer)
    });
}

#[test]
fn values_of_choices_of_choices() {
    // As a tree the last value has 2^n leaves.
    check_linear(|n| {
        let mut bench = Bench::new(&["x: int32", "y: int32"]);
        let mut value = bench.expr("x % 8");
        for i in 0..n / 20 {
            let cond = bench.expr(&format!("y > {i}"));
            let one = bench.body.int(1, DataType::INT32);
            let more = bench.body.binary(BinaryOp::BitXor, value, one);
            let choice = if_then_else(&mut bench.body, cond, value, more);
            let variable = bench.bind(&format!("b{i}"), choice);
            value = bench.body.value_expr(variable);
        }
        let mut analyzer = Analyzer::new(&bench.body);
        let root = analyzer.root();
        analyzer.bound(root, value);
        analyzer.cannot_trap(root, value);
        work(&analyzer)
    });
}

#[test]
fn an_unrolled_binary_search() {
    // Each step has three choices, whose conditions are about those of the step before: as a tree, 9^n.
    check_linear(|n| {
        let mut bench = Bench::new(&["lo0: int32", "hi0: int32", "x: int32"]);
        let zero = bench.expr("0");
        for i in 0..n / 100 {
            let is_open = bench.expr(&format!("lo{i} < hi{i}"));
            let middle = bench.expr(&format!("lo{i} + (hi{i} - lo{i}) // 2"));
            let middle = if_then_else(&mut bench.body, is_open, middle, zero);
            bench.bind(&format!("mid{i}"), middle);
            for (name, found, then) in [("lo", ">", "+ 1"), ("hi", "<=", "+ 0")] {
                let cond = bench.expr(&format!("x {found} {i} and lo{i} < hi{i}"));
                let then = bench.expr(&format!("mid{i} {then}"));
                let same = bench.expr(&format!("{name}{i}"));
                let next = if_then_else(&mut bench.body, cond, then, same);
                bench.bind(&format!("{name}{}", i + 1), next);
            }
        }
        let mut analyzer = Analyzer::new(&bench.body);
        let root = analyzer.root();
        for expr in 0..bench.body.n_exprs() {
            use ir::arena::Id;
            analyzer.facts_with(Overflow::Excluded, root, ExprId::new(expr));
            analyzer.cannot_trap(root, ExprId::new(expr));
        }
        work(&analyzer)
    });
}

#[test]
fn many_loops_one_after_another() {
    check_linear(|n| {
        let mut bench = Bench::new(&["n: size int32"]);
        let (zero, extent) = (bench.expr("0"), bench.expr("n"));
        let mut bodies = Vec::new();
        for i in 0..10 * n {
            let name = format!("i{i}");
            let kind = ir::ValueKind::Symbol;
            let var = bench.body.new_value(&name, DataType::INT32.into(), kind);
            let node = bench.body.value_expr(var);
            let four = bench.body.int(4, DataType::INT32);
            bodies.push((var, bench.body.binary(BinaryOp::FloorDiv, node, four)));
        }
        let mut analyzer = Analyzer::new(&bench.body);
        let root = analyzer.root();
        for (var, node) in bodies {
            let inside = analyzer.range(root, var, zero, extent);
            assert_eq!(analyzer.bound(inside, node).min, 0);
        }
        work(&analyzer)
    });
}

#[test]
fn many_loops_inside_each_other() {
    check_linear(|n| {
        let mut bench = Bench::new(&["n: size int32"]);
        let (zero, extent) = (bench.expr("0"), bench.expr("n"));
        let vars: Vec<_> = (0..n)
            .map(|i| {
                let kind = ir::ValueKind::Symbol;
                let var = bench.body.new_value(&format!("i{i}"), DataType::INT32.into(), kind);
                (var, bench.body.value_expr(var))
            })
            .collect();
        let mut analyzer = Analyzer::new(&bench.body);
        let mut ctx = analyzer.root();
        for &(var, _) in &vars {
            ctx = analyzer.range(ctx, var, zero, extent);
        }
        for &(_, node) in &vars {
            assert_eq!(analyzer.bound(ctx, node).min, 0);
        }
        work(&analyzer)
    });
}

/// Nested conditions, each decided in the context of those around it, and assumed.
#[track_caller]
fn check_nested(variables: &[&str], condition: impl Fn(usize) -> String) {
    check_linear(|n| {
        let n = n / 2;
        let mut bench = Bench::new(variables);
        let conditions: Vec<ExprId> = (0..n).map(|i| bench.expr(&condition(i))).collect();
        let mut analyzer = Analyzer::new(&bench.body);
        let mut ctx = analyzer.root();
        for &cond in &conditions {
            for reading in [Overflow::Wraps, Overflow::Excluded] {
                assert_eq!(analyzer.decide_with(reading, ctx, cond), None);
            }
            ctx = analyzer.assume(ctx, cond, true);
        }
        for reading in [Overflow::Wraps, Overflow::Excluded] {
            assert_eq!(analyzer.decide_with(reading, ctx, conditions[0]), Some(true));
        }
        work(&analyzer)
    });
}

#[test]
fn nested_conditions_over_products_and_quotients() {
    const V: &[&str] = &["x: int32", "y: int32", "n: size int32", "m: size int32", "d: size int32"];
    check_nested(V, |i| format!("x // d + {i} < n * m + y * {i}"));
    check_nested(V, |i| format!("x * n + y >= {i} * m * d"));
    check_nested(V, |i| format!("x % {} + y < n", i + 2));
}

#[test]
fn nested_conditions_that_form_a_chain() {
    check_linear(|n| {
        let n = n / 2;
        let names: Vec<String> = (0..=n).map(|i| format!("x{i}: int32")).collect();
        let names: Vec<&str> = names.iter().map(|it| &it[..]).collect();
        let mut bench = Bench::new(&names);
        let conditions: Vec<ExprId> =
            (0..n).map(|i| bench.expr(&format!("x{i} < x{}", i + 1))).collect();
        let first_to_last = bench.expr(&format!("x0 < x{n}"));
        let near = bench.expr("x0 < x6");
        let mut analyzer = Analyzer::new(&bench.body);
        let mut ctx = analyzer.root();
        for &cond in &conditions {
            assert_eq!(analyzer.decide(ctx, cond), None);
            ctx = analyzer.assume(ctx, cond, true);
        }
        // As far as the limits go; nothing wrong beyond.
        assert_eq!(analyzer.decide(ctx, near), Some(true));
        assert_eq!(analyzer.decide(ctx, first_to_last), None);
        work(&analyzer)
    });
}
