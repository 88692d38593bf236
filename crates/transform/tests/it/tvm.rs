//! The preset `tvm`, habit by habit. The expected texts are the output of TVM 0.27 for the same input. The expected
//! texts are the output of TVM 0.27 for the same input.

use dataflow::analyses::Analyses;
use expect_test::{Expect, expect};
use ir::effects::EffectTable;

use crate::support::{describe, kernel, lowered, rewritten, tvm};

#[track_caller]
fn check(statements: &str, expected: Expect) {
    expected.assert_eq(&rewritten(&kernel(statements), &tvm(true)));
}

/// Checks the refusals of the preset without the flag.
#[track_caller]
fn check_refused(statements: &str, expected: Expect) {
    let text = kernel(statements);
    let (_, _, it) = &lowered(&text)[0];
    let occurrences = ir::Occurrences::collect(&it.body);
    let plan = transform::cse::plan(
        &Analyses::of(&it.body, &occurrences, EffectTable::builtin()),
        None,
        &tvm(false),
    );
    expected.assert_eq(&describe(&it.body, &plan));
}

#[test]
fn names_go_by_depth_then_by_discovery() {
    check(
        "
        A[0] = (x + y) * 2 + x
        A[1] = (x + y) * 2 + y
        A[2] = x + y
        A[3] = x * 7
        A[4] = x * 7
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x + y
            cse_v3: T.let[T.int32] = cse_v1 * 2
            A[0] = cse_v3 + x
            A[1] = cse_v3 + y
            A[2] = cse_v1
            cse_v2: T.let[T.int32] = x * 7
            A[3] = cse_v2
            A[4] = cse_v2
        "#]],
    );
}

#[test]
fn values_of_a_blocks_variables_do_not_leave_it() {
    check_refused(
        "
        with T.sblock(\"block\"):
            v = T.axis.reduce(4, x)
            with T.init():
                A[0] = v + v * 2
            A[1] = v + v * 2
        ",
        expect![[r#"
            v + v * 2: 2 times, cost 2, no-binding-site
            v * 2: 2 times, cost 1, covered by []
        "#]],
    );
}

#[test]
fn a_bool_operand_ends_the_chain_of_depths() {
    check(
        "
        for i in range(0, x * y + 1):
            A[i] = (x * y + 1) * 2
            A[x] = T.Select(x * y * 3 < 4, x, y) + T.Select(x * y * 3 < 4, x, y) + x * y * 3
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            cse_v3: T.let[T.int32] = cse_v1 + 1
            for i in range(cse_v3):
                A[i] = cse_v3 * 2
                cse_v2: T.let[T.int32] = T.Select(x * y * 3 < 4, x, y)
                cse_v4: T.let[T.int32] = cse_v1 * 3
                A[x] = cse_v2 + cse_v2 + cse_v4
        "#]],
    );
}

#[test]
fn one_arm_keeps_it_and_two_arms_share_it_above() {
    check(
        "
        if x < 4:
            A[0] = x * y
            A[1] = x * y
        if y < 4:
            A[0] = y * 8 + x
        else:
            A[1] = y * 8 + y
        ",
        expect![[r#"
            if x < 4:
                cse_v1: T.let[T.int32] = x * y
                A[0] = cse_v1
                A[1] = cse_v1
            cse_v2: T.let[T.int32] = y * 8
            if y < 4:
                A[0] = cse_v2 + x
            else:
                A[1] = cse_v2 + y
        "#]],
    );
}

#[test]
fn bounds_and_conditions_belong_to_the_scope_around() {
    check(
        "
        for i in range(x * y):
            if i < x * y:
                A[i] = i * 3
            A[0] = i * 3
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            for i in range(cse_v1):
                cse_v2: T.let[T.int32] = i * 3
                if i < cse_v1:
                    A[i] = cse_v2
                A[0] = cse_v2
        "#]],
    );
}

#[test]
fn calls_loads_and_bools_are_never_shared_but_their_operands_are() {
    check(
        "
        A[x * 2] = A[x * 2] + T.if_then_else(x < y, A[x * 2], y)
        A[1] = T.if_then_else(x < y, A[x * 2], y)
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * 2
            A[cse_v1] = A[cse_v1] + T.if_then_else(x < y, A[cse_v1], y)
            A[1] = T.if_then_else(x < y, A[cse_v1], y)
        "#]],
    );
}

#[test]
fn the_body_of_a_let_is_not_recorded_and_yet_rewritten() {
    check(
        "
        v = T.int32()
        A[0] = x * y + T.Let(v + x * y, where={v: x * y})
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            v = T.int32()
            A[0] = cse_v1 + T.Let(v + cse_v1, where={v: cse_v1})
        "#]],
    );
}

#[test]
fn user_bindings_are_bound_again() {
    check(
        "
        a: T.let[T.int32] = x * y
        A[0] = x * y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            a: T.let[T.int32] = cse_v1
            A[0] = cse_v1
        "#]],
    );
}

#[test]
fn a_division_is_hoisted_out_of_its_guard_only_on_request() {
    let guarded = "
        A[0] = T.if_then_else(y != 0, x // y, -1)
        A[1] = T.if_then_else(y != 0, x // y, -2)
        A[2] = x * 5 + x * 5
        ";
    check(
        guarded,
        expect![[r#"
        cse_v1: T.let[T.int32] = x // y
        A[0] = T.if_then_else(y != 0, cse_v1, -1)
        A[1] = T.if_then_else(y != 0, cse_v1, -2)
        cse_v2: T.let[T.int32] = x * 5
        A[2] = cse_v2 + cse_v2
    "#]],
    );
    check_refused(
        guarded,
        expect![[r#"
        x // y: 2 times, cost 20, may-trap
        x * 5: 2 times, cost 1, bind cse_v2
    "#]],
    );
}
