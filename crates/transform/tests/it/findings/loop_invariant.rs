//! Values that a loop recomputes in every iteration.

use dataflow::analyses::Analyses;
use expect_test::{Expect, expect};
use ir::effects::EffectTable;
use transform::findings::FindingKind;
use transform::findings::FindingOptions;

use crate::support::kernel;

/// With values of 4 operations and more.
#[track_caller]
fn check(statements: &str, expected: Expect) {
    let options =
        FindingOptions { loop_invariant_cost: 4, ..super::only(FindingKind::LoopInvariant) };
    super::check_file(&options, &kernel(statements), expected);
}

#[test]
fn value_goes_before_the_outermost_loop_that_does_not_change_it() {
    check(
        "
        for i in range(4):
            for j in range(4):
                A[j] = x // 3 + i * 2
                A[j + 4] = (i + x) // 3
        ",
        expect![[r#"
            # loop-invariant at 3 `x // 3 + i * 2`: _ is the same in every iteration of the loop, and costs 6 operations in each; this loop: 2 `for j in range(4):`
            # loop-invariant at 4 `(i + x) // 3`: _ is the same in every iteration of the loop, and costs 5 operations in each; this loop: 2 `for j in range(4):`
            for i in range(4):
                value_v1: T.let[T.int32] = x // 3 + i * 2
                value_v2: T.let[T.int32] = (i + x) // 3
                for j in range(4):
                    A[j] = value_v1
                    A[j + 4] = value_v2
        "#]],
    );
}

#[test]
fn equal_values_of_a_loop_get_one_name() {
    check(
        "for i in range(4):\n    A[i] = x // 3\n    A[i + 4] = i + x // 3",
        expect![[r#"
        # loop-invariant at 2 `x // 3`: _ is the same in every iteration of the loop, and costs 4 operations in each; this loop: 1 `for i in range(4):`; the same value is computed here: 3 `x // 3`
        value_v1: T.let[T.int32] = x // 3
        for i in range(4):
            A[i] = value_v1
            A[i + 4] = i + value_v1
    "#]],
    );
}

#[test]
fn trapping_value_stays_under_its_guard() {
    check(
        "
        for i in range(x):
            A[i] = x // y
        for i in range(4):
            if y != 0:
                A[i] = x // y
        for i in range(4):
            A[i] = x // y
        for i in range(x):
            A[i] = x // 5
        ",
        expect![[r#"
            # loop-invariant at 7 `x // y`: _ is the same in every iteration of the loop, and costs 20 operations in each; this loop: 6 `for i in range(4):`
            # loop-invariant at 9 `x // 5`: _ is the same in every iteration of the loop, and costs 4 operations in each; this loop: 8 `for i in range(x):`
            for i in range(x):
                A[i] = x // y
            for i in range(4):
                if y != 0:
                    A[i] = x // y
            value_v1: T.let[T.int32] = x // y
            for i in range(4):
                A[i] = value_v1
            value_v2: T.let[T.int32] = x // 5
            for i in range(x):
                A[i] = value_v2
        "#]],
    );
}

#[test]
fn value_that_the_loop_writes_stays_inside() {
    check(
        "
        B = T.alloc_buffer((4,), \"int32\")
        B[0] = x
        for i in range(4):
            A[i] = B[0] * 2
        for i in range(4):
            A[i] = A[9] * 2
        for i in range(y):
            A[i] = B[0] * 2
        ",
        expect![[r##"
            # loop-invariant at 4 `B[0] * 2`: _ is the same in every iteration of the loop, and costs 5 operations in each; this loop: 3 `for i in range(4):`
            B = T.alloc_buffer((4,), "int32")
            B[0] = x
            value_v1: T.let[T.int32] = B[0] * 2
            for i in range(4):
                A[i] = value_v1
            for i in range(4):
                A[i] = A[9] * 2
            for i in range(y):
                A[i] = B[0] * 2
        "##]],
    );
}

#[test]
fn values_stay_in_their_kernel_and_calls_with_effects_where_they_are() {
    check(
        "
        for i in range(4):
            A[i] = T.call_extern(\"int32\", \"f\", x)
        with T.launch_thread(\"threadIdx.x\", 4) as tx:
            for i in range(4):
                A[i] = tx // 3
        ",
        expect![[r##"
            # loop-invariant at 5 `tx // 3`: _ is the same in every iteration of the loop, and costs 4 operations in each; this loop: 4 `for i in range(4):`
            for i in range(4):
                A[i] = T.call_extern("int32", "f", x)
            with T.launch_thread("threadIdx.x", 4) as tx:
                value_v1: T.let[T.int32] = tx // 3
                for i in range(4):
                    A[i] = value_v1
        "##]],
    );
}

#[test]
fn condition_of_a_while_is_evaluated_in_each_iteration() {
    check(
        "i: T.int32 = 0\nwhile i < x // 7:\n    i += 1",
        expect![[r#"
        # loop-invariant at 2 `x // 7`: _ is the same in every iteration of the loop, and costs 4 operations in each; this loop: 2 `while i < x // 7:`
        i: T.int32 = 0
        value_v1: T.let[T.int32] = x // 7
        while i < value_v1:
            i += 1
    "#]],
    );
}

#[test]
fn a_name_in_a_part_that_folds_away_stays_under_its_loop() {
    check(
        "for i in range(4):\n    A[0] = 1 + T.if_then_else(T.bool(True), x // 3, A[i])",
        expect![[r#"
            # loop-invariant at 2 `1 + T.if_then_else(T.bool(True), x // 3, A[i])`: _ is the same in every iteration of the loop, and costs 5 operations in each; this loop: 1 `for i in range(4):`
        "#]],
    );
}

#[test]
fn places_whose_address_is_taken_are_no_values() {
    let text = "for i in range(4):\n    T.evaluate(T.filter(7, A.ptr_to([1])))\n    T.evaluate(T.address_of(A[x // 3]))";
    let file = kernel(text);
    let body = &crate::support::lowered(&file)[0].2.body;
    let occurrences = ir::Occurrences::collect(body);
    let options = super::only(FindingKind::LoopInvariant);
    let found = transform::findings::findings(
        &Analyses::of(body, &occurrences, EffectTable::builtin()),
        None,
        &options,
    );
    let values = found.iter().filter_map(|it| match it.place {
        ir::plan::finding::Place::Occurrence(id) => Some(body.expr(occurrences[id].expr).kind),
        _ => None,
    });
    let values: Vec<ir::ExprKind> = values.collect();
    assert_eq!(values.len(), 1, "{values:?}");
    assert!(matches!(values[0], ir::ExprKind::Binary(ir::BinaryOp::FloorDiv, ..)));
}

#[test]
fn value_of_a_block_stays_out_of_inner_blocks() {
    let options =
        FindingOptions { loop_invariant_cost: 1, ..super::only(FindingKind::LoopInvariant) };
    let text = "from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), \"int32\"), O: T.Buffer((64,), \"int32\"), n: T.int32):
    T.func_attr({\"tirx.noalias\": True})
    for i in range(4):
        with T.sblock(\"outer\"):
            for j in range(8):
                with T.sblock(\"inner\"):
                    v = T.axis.spatial(64, i * 8 + j)
                    O[v] = A[v]
";
    super::check_file(&options, text, expect![[r#""#]]);
}

#[test]
fn only_loops_that_repeat_count() {
    check(
        "
        for i in range(1):
            A[i] = x // 3
        for i in T.vectorized(4):
            A[i] = x // 5
        for i in range(4):
            for j in range(1):
                A[i + j] = x // 7
        ",
        expect![[r#"
            # loop-invariant at 7 `x // 7`: _ is the same in every iteration of the loop, and costs 4 operations in each; this loop: 5 `for i in range(4):`
            for i in range(1):
                A[i] = x // 3
            for i in T.vectorized(4):
                A[i] = x // 5
            value_v1: T.let[T.int32] = x // 7
            for i in range(4):
                for j in range(1):
                    A[i + j] = value_v1
        "#]],
    );
}

#[test]
fn axes_of_blocks_to_schedule_keep_their_bindings() {
    let options =
        FindingOptions { loop_invariant_cost: 4, ..super::only(FindingKind::LoopInvariant) };
    let text = "from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(O: T.Buffer((64,), \"int32\"), n: T.int32):
    T.func_attr({\"tirx.noalias\": True})
    for i, j in T.grid(4, 8):
        with T.sblock(\"b\"):
            v = T.axis.spatial(64, n // 3 // 5)
            O[v] = 1
";
    super::check_file(&options, text, expect![[r#""#]]);
}
