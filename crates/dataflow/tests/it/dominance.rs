//! Dominance and lowest common ancestors (`# dominated by:`): which bindings have certainly been evaluated, and where
//! one binding could serve two uses. The instance is [`dataflow::scopes`].

use dataflow::{point::Point, scopes::ScopeTree};
use ir::{Body, OpId, OpKind};

use crate::support::{check, kernel, listed, lowered, value_name};

fn bindings(body: &Body) -> Vec<OpId> {
    body.ops_preorder().filter(|&it| body.ops[it].kind == OpKind::Bind).collect()
}

fn name(body: &Body, bind: OpId) -> String {
    value_name(body, body.ops[bind].results[0])
}

#[track_caller]
fn check_dominance(statements: &str) {
    check("dominated by", statements, |flow, _, points| {
        let dominating = |&point: &Point| {
            let Point::Before(op) = point else { panic!("annotate before a statement") };
            let mut before = bindings(flow.body);
            before.retain(|&it| it != op && flow.scopes.dominates(it, op));
            listed(before.into_iter().map(|it| name(flow.body, it)))
        };
        points.iter().map(dominating).collect()
    });
}

#[test]
fn a_binding_dominates_what_follows_it_in_its_scope_and_below() {
    check_dominance(
        "
        x: T.let = n + 1
        for i in range(n):
            # dominated by: x
            y: T.let = i + x
            if y > 3:
                z: T.let = y * 2
                # dominated by: x, y, z
                B[i] = z
            # dominated by: x, y
            B[i] = y
        # dominated by: x
        B[0] = x
        ",
    );
}

/// The statement before which one binding can serve all stores to `B`.
#[track_caller]
fn check_common(statements: &str, expected: &str) {
    let text = kernel(statements);
    let (lowered, start) = lowered(&text);
    let body = &lowered.body;
    let scopes = ScopeTree::build(body);
    let stores: Vec<OpId> = body
        .ops_preorder()
        .filter(|&it| matches!(body.ops[it].kind, OpKind::Store { .. }))
        .collect();
    let common =
        stores.iter().map(|&it| scopes.of_op(it)).reduce(|a, b| scopes.common(a, b)).unwrap();
    let first = stores[0];
    let before = match scopes.child_towards(common, scopes.of_op(first)) {
        Some(child) => scopes.creator(child).unwrap(),
        None => first,
    };
    let range = lowered.source_map.op_range(before);
    let line = text[start + usize::from(range.start())..].lines().next().unwrap();
    assert_eq!(line, expected);
}

#[test]
fn two_places_meet_in_the_innermost_scope_around_both() {
    check_common(
        "
        for i in range(n):
            if i > 1:
                B[0] = 1
            for j in range(m):
                if j > 1:
                    B[1] = 2
        ",
        "if i > 1:",
    );
    check_common(
        "
        for i in range(n):
            B[0] = 1
            if i > 1:
                B[1] = 2
        ",
        "B[0] = 1",
    );
}
