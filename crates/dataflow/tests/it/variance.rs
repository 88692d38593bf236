//! Variance: of the value stored next (`# stored:`), and of the decision to come here (`# reached:`).

use dataflow::{point::Point, variance::Variance};
use ir::{OpId, OpKind};

use crate::support::check;

fn op_of(point: Point) -> OpId {
    match point {
        Point::Before(op) | Point::After(op) => op,
        Point::At(_) => unreachable!("annotations are at statements"),
    }
}

#[track_caller]
fn check_stored(statements: &str) {
    check("stored", statements, |flow, aliases, points| {
        let variance = Variance::build(flow, aliases);
        points
            .iter()
            .map(|&point| {
                let data = &flow.body.ops[op_of(point)];
                assert!(matches!(data.kind, OpKind::Store { .. } | OpKind::Bind));
                variance.of_expr(data.operands[0]).text().to_owned()
            })
            .collect()
    });
}

#[track_caller]
fn check_reached(statements: &str) {
    check("reached", statements, |flow, aliases, points| {
        let variance = Variance::build(flow, aliases);
        let how = |&it: &Point| variance.divergence(flow.scopes.of_op(op_of(it))).text().to_owned();
        points.iter().map(how).collect()
    });
}

#[test]
fn values_vary_with_what_they_are_made_of() {
    check_stored(
        "
        bx = T.launch_thread(\"blockIdx.x\", 8)
        tx = T.launch_thread(\"threadIdx.x\", 32)
        T.tvm_storage_sync(\"shared\")
        # stored: uniform
        B[0] = n * m
        # stored: varies by block
        x: T.let = bx * 32
        # stored: varies by thread
        B[1] = x + tx
        # stored: varies by block
        B[2] = A[x]
        # stored: varies by thread
        B[3] = A[tx]
        # stored: varies by thread
        B[4] = B[0]
        for i in range(n):
            # stored: uniform
            B[5] = i
        ",
    );
}

#[test]
fn a_cell_varies_with_its_stores_and_where_they_are() {
    check_stored(
        "
        tx = T.launch_thread(\"threadIdx.x\", 32)
        x: T.int32 = n
        y: T.int32 = n
        z: T.int32 = n
        x = x + 1
        if tx > 3:
            y = 1
        z = tx
        # stored: uniform
        B[0] = x
        # stored: varies by thread
        B[1] = y
        # stored: varies by thread
        B[2] = z
        ",
    );
}

#[test]
fn scopes_diverge_with_their_conditions_and_bounds() {
    check_reached(
        "
        bx = T.launch_thread(\"blockIdx.x\", 8)
        tx = T.launch_thread(\"threadIdx.x\", 32)
        # reached: uniform
        B[0] = 0
        if n > 3:
            # reached: uniform
            B[0] = 1
        if bx > 3:
            # reached: varies by block
            B[0] = 1
            if tx > 3:
                # reached: varies by thread
                B[0] = 2
        for i in range(tx):
            # reached: varies by thread
            B[0] = 3
        while A[bx] < n:
            # reached: varies by block
            B[0] = 4
        ",
    );
}

#[test]
fn a_thread_that_leaves_a_loop_is_missing_in_it() {
    check_reached(
        "
        tx = T.launch_thread(\"threadIdx.x\", 32)
        for i in range(n):
            # reached: varies by thread
            B[0] = 0
            if A[tx] > i:
                break
        for i in range(n):
            # reached: uniform
            B[0] = 0
            if A[0] > i:
                break
        # reached: uniform
        B[0] = 0
        ",
    );
}

#[test]
fn without_threads_everything_is_uniform() {
    check_stored(
        "
        # stored: uniform
        B[0] = T.call_extern(\"int32\", \"g\", n)
        ",
    );
}
