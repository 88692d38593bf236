//! Known conditions (`# known:`): the chain of contexts at a point, and its decisions.

use arith::{Analyzer, Constraint};
use dataflow::{analyses::Analyses, conditions::Conditions, point::Point};
use ir::{Body, print::expr_text};

use crate::support::{check, value_name};

fn text(body: &Body, constraint: Constraint) -> Option<String> {
    match constraint {
        Constraint::Assume { cond, holds } => {
            let text = expr_text(body, cond);
            Some(if holds { text } else { format!("not ({text})") })
        }
        Constraint::Range { var, min, extent, step } => {
            let step = step.map_or(String::new(), |it| format!(" by {}", expr_text(body, it)));
            let min = min.map_or("0".to_owned(), |it| expr_text(body, it));
            let (var, extent) = (value_name(body, var), expr_text(body, extent));
            Some(format!("{var} in {min} +: {extent}{step}"))
        }
        _ => None,
    }
}

#[track_caller]
fn check_known(statements: &str) {
    check("known", statements, |flow, _, points| {
        let mut analyzer = Analyzer::new(flow.body);
        let conditions = Conditions::build(flow, &mut analyzer);
        let chain = |&point: &Point| {
            let mut at = Some(match point {
                Point::Before(op) => conditions.before(op),
                Point::After(op) => conditions.after(op),
                Point::At(id) => conditions.at(flow, id),
            });
            let mut facts = Vec::new();
            while let Some(context) = at {
                facts.extend(text(flow.body, analyzer.constraint(context)));
                at = analyzer.parent(context);
            }
            facts.reverse();
            facts.join("; ")
        };
        points.iter().map(chain).collect()
    });
}

#[test]
fn conditions_hold_in_their_arms_and_ranges_in_their_loops() {
    check_known(
        "
        # known:
        for i in range(n):
            # known: i in 0 +: n
            if i < m:
                # known: i in 0 +: n; i < m
                B[i] = 0
            else:
                # known: i in 0 +: n; not (i < m)
                B[i] = 1
            # known: i in 0 +: n
        # known:
        ",
    );
}

#[test]
fn an_arm_that_does_not_go_on_leaves_its_condition_behind() {
    check_known(
        "
        for i in range(n):
            if i > m:
                continue
            # known: i in 0 +: n; not (i > m)
            B[i] = 0
        assert n > 3, \"small\"
        # known: n > 3
        T.evaluate(T.assume(m > 4))
        # known: n > 3; m > 4
        B[0] = 1
        ",
    );
}

#[test]
fn a_while_holds_inside_and_fails_after_it() {
    check_known(
        "
        while B[0] < n:
            # known: B[0] < n
            B[0] = B[0] + 1
        # known: not (B[0] < n)
        while B[1] < n:
            if A[0] == 3:
                break
            B[1] = B[1] + 1
        # known: not (B[0] < n)
        ",
    );
}

#[test]
fn threads_and_predicates_are_known() {
    check_known(
        "
        bx = T.launch_thread(\"blockIdx.x\", n)
        tx = T.launch_thread(\"threadIdx.x\", 32)
        # known: bx in 0 +: n; tx in 0 +: 32
        with T.sblock(\"b\"):
            v = T.axis.spatial(1024, bx * 32 + tx)
            T.where(bx * 32 + tx < m)
            # known: bx in 0 +: n; tx in 0 +: 32; bx * 32 + tx < m
            B[v] = 0
        ",
    );
}

#[test]
fn arms_of_expressions_know_their_condition() {
    let text = crate::support::kernel("B[0] = T.if_then_else(n > 0, m // n, m % 3)");
    let (lowered, _) = crate::support::lowered(&text);
    let body = &lowered.body;
    let occurrences = ir::Occurrences::collect(body);
    let effects = ir::effects::EffectTable::builtin();
    let analyses = Analyses::of(body, &occurrences, effects);
    let flow = analyses.flow();
    let mut analyzer = Analyzer::new(body);
    let conditions = Conditions::build(&flow, &mut analyzer);
    let mut checked = 0;
    for (id, occurrence) in occurrences.iter() {
        let division = expr_text(body, occurrence.expr);
        if division == "m // n" || division == "m % 3" {
            let context = conditions.at(&flow, id);
            let outside = conditions.before(occurrence.op);
            assert!(analyzer.cannot_trap(context, occurrence.expr), "{division}");
            assert_eq!(analyzer.cannot_trap(outside, occurrence.expr), division == "m % 3");
            checked += 1;
        }
    }
    assert_eq!(checked, 2);
}

#[test]
fn steps_are_known_in_their_loops() {
    check_known(
        "
        for i in range(0, n, 4):
            # known: i in 0 +: n by 4
            B[i] = 0
        ",
    );
}

/// The guards of a softmax over dynamic shapes, fused into one launch: inside the first, the others hold.
#[test]
fn guards_of_fused_dynamic_shapes_imply_each_other() {
    let text = "
import tvm
from tvm.script import tirx as T

@T.prim_func
def main(a: T.handle, b: T.handle):
    d0 = T.int32(is_size_var=True)
    d1 = T.int32(is_size_var=True)
    d2 = T.int32(is_size_var=True)
    A = T.match_buffer(a, (d0 * d1 * d2,), \"float32\")
    B = T.match_buffer(b, (d0 * d1 * d2,), \"float32\")
    bx = T.launch_thread(\"blockIdx.x\", (d0 * d1 * d2 + 511) // 512)
    tx = T.launch_thread(\"threadIdx.x\", 512)
    if T.likely(bx * 512 + tx < d0 * d1 * d2):
        if T.likely((bx * 512 + tx) // d2 // d1 < d0):
            if T.likely((bx * 512 + tx) // d2 < d0 * d1):
                B[bx * 512 + tx] = A[bx * 512 + tx]
";
    let (lowered, _) = crate::support::lowered(text);
    let body = &lowered.body;
    let occurrences = ir::Occurrences::collect(body);
    let effects = ir::effects::EffectTable::builtin();
    let analyses = Analyses::of(body, &occurrences, effects);
    let flow = analyses.flow();
    let mut analyzer = Analyzer::new(body);
    let conditions = Conditions::build(&flow, &mut analyzer);
    let mut decided = Vec::new();
    for op in body.ops_preorder() {
        if body.ops[op].kind == ir::OpKind::If {
            let guard = body.ops[op].operands[0];
            let context = conditions.before(op);
            decided.push(analyzer.decide_with(arith::Overflow::Excluded, context, guard));
        }
    }
    assert_eq!(decided, [None, Some(true), Some(true)]);
}
