//! Partial redundancies: reported by default, and done on request with code inserted in branches.

use dataflow::analyses::Analyses;
use expect_test::{Expect, expect};
use frontend::tvmscript::Selection;
use ir::effects::EffectTable;
use ir::{Occurrences, fingerprint::of_function};
use transform::cse::{CseOptions, plan_counted};

use crate::support::{applied, describe, edited, kernel, lowered, plan_of_text, statements};

fn requested() -> CseOptions {
    CseOptions { partial_redundancies: true, ..CseOptions::default() }
}

/// The text after the plan with the option, then the plan without it. The edited text lowers to the rewriter's body.
#[track_caller]
fn check_text(file: &str, expected: Expect) {
    let (item, text, it) = &lowered(file)[0];
    let plan = plan_of_text(it, &requested());
    let (new, body) = edited(file, item, text, it, &plan, Selection::All);
    let (_, _, again) = &lowered(&new)[0];
    assert!(again.diagnostics.is_empty(), "{:?}\n{new}", again.diagnostics);
    assert_eq!(of_function(&body), of_function(&again.body), "{new}");
    let asked = plan_of_text(it, &CseOptions::default());
    for group in 0..asked.groups.len() {
        if asked.only(group).is_some() && !applied(&asked).contains(&group) {
            let one = Selection::Group(group);
            let (new, body) = edited(file, item, text, it, &asked, one);
            let (_, _, again) = &lowered(&new)[0];
            assert_eq!(of_function(&body), of_function(&again.body), "{new}");
        }
    }
    expected.assert_eq(&format!("{}---\n{}", statements(&new), describe(&it.body, &asked)));
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    check_text(&kernel(text), expected);
}

#[test]
fn value_of_a_condition_is_recomputed_only_where_it_changed() {
    check(
        "
        if A[x] * 2 > y:
            A[x] = y
        A[0] = A[x] * 2
        ",
        expect![[r#"
            cse_v1: T.int32 = A[x] * 2
            if cse_v1 > y:
                A[x] = y
                cse_v1 = A[x] * 2
            A[0] = cse_v1
            ---
            A[x] * 2: 2 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
}

#[test]
fn an_arm_that_computes_it_and_one_that_writes() {
    check(
        "
        if x < 3:
            T.evaluate(A[x] * y)
        else:
            A[x] = 7  # changes it
            # and no more
        A[0] = A[x] * y
        ",
        expect![[r#"
            cse_v1: T.int32
            if x < 3:
                cse_v1 = A[x] * y
                T.evaluate(cse_v1)
            else:
                A[x] = 7  # changes it
                cse_v1 = A[x] * y
                # and no more
            A[0] = cse_v1
            ---
            A[x] * y: 2 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
}

#[test]
fn both_arms_have_it_and_nothing_is_inserted() {
    check(
        "
        if x < 3:
            A[x] = 1
            T.evaluate(A[x] * y)
        else:
            A[x] = 2
            T.evaluate(A[x] * y)
        A[0] = A[x] * y
        ",
        expect![[r#"
            cse_v1: T.int32
            if x < 3:
                A[x] = 1
                cse_v1 = A[x] * y
                T.evaluate(cse_v1)
            else:
                A[x] = 2
                cse_v1 = A[x] * y
                T.evaluate(cse_v1)
            A[0] = cse_v1
            ---
            A[x] * y: 3 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
}

#[test]
fn nothing_is_inserted_where_some_path_does_not_compute_it() {
    check(
        "
        T.evaluate(A[x] * y)
        if x < 3:
            A[x] = 1
        if y < 3:
            A[0] = A[x] * y
        ",
        expect![[r#"
            T.evaluate(A[x] * y)
            if x < 3:
                A[x] = 1
            if y < 3:
                A[0] = A[x] * y
            ---
            A[x] * y: 2 times, cost 5, partial-redundancy (not-anticipated)
        "#]],
    );
    check(
        "
        T.evaluate(A[x] * y)
        if x < 3:
            A[x] = 1
        assert y > 3, \"too small\"
        A[0] = A[x] * y
        ",
        expect![[r#"
            T.evaluate(A[x] * y)
            if x < 3:
                A[x] = 1
            assert y > 3, "too small"
            A[0] = A[x] * y
            ---
            A[x] * y: 2 times, cost 5, partial-redundancy (not-anticipated)
        "#]],
    );
}

#[test]
fn one_scalar_goes_through_several_branches() {
    check(
        "
        if A[x] * 2 > y:
            A[x] = y
        T.evaluate(A[x] * 2 + 1)
        if x < 5:
            A[x] = 5
        A[1] = A[x] * 2 + 2
        ",
        expect![[r#"
            cse_v1: T.int32 = A[x] * 2
            if cse_v1 > y:
                A[x] = y
                cse_v1 = A[x] * 2
            T.evaluate(cse_v1 + 1)
            if x < 5:
                A[x] = 5
                cse_v1 = A[x] * 2
            A[1] = cse_v1 + 2
            ---
            A[x] * 2: 3 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
}

#[test]
fn an_else_is_made_where_there_is_none() {
    check(
        "
        if x < 3:
            A[x] = 1
            T.evaluate(A[x] * 2)
            # the end of it
        # the next
        A[0] = A[x] * 2
        ",
        expect![[r#"
            cse_v1: T.int32
            if x < 3:
                A[x] = 1
                cse_v1 = A[x] * 2
                T.evaluate(cse_v1)
                # the end of it
            else:
                cse_v1 = A[x] * 2
            # the next
            A[0] = cse_v1
            ---
            A[x] * 2: 2 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
    check(
        "
        if x < 3:
            A[x] = 1
            T.evaluate(A[x] * 2)
        elif x < 4:
            A[x] = 2
            T.evaluate(A[x] * 2)
        T.evaluate(A[x] * 2)
        ",
        expect![[r#"
            cse_v1: T.int32
            if x < 3:
                A[x] = 1
                cse_v1 = A[x] * 2
                T.evaluate(cse_v1)
            elif x < 4:
                A[x] = 2
                cse_v1 = A[x] * 2
                T.evaluate(cse_v1)
            else:
                cse_v1 = A[x] * 2
            T.evaluate(cse_v1)
            ---
            A[x] * 2: 3 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
}

#[test]
fn inner_branches_come_before_the_end_of_outer_ones() {
    check(
        "
        if x < 3:
            T.evaluate(A[y] + 3)
            if x < 2:
                A[x] = 1
                T.evaluate(A[x] * 2)
                A[y] = 3
            T.evaluate(A[x] * 2)
        T.evaluate(A[x] * 2)
        T.evaluate(A[y] + 3)
        ",
        expect![[r#"
            cse_v1: T.int32
            cse_v2: T.int32
            if x < 3:
                cse_v2 = A[y] + 3
                T.evaluate(cse_v2)
                if x < 2:
                    A[x] = 1
                    T.evaluate(A[x] * 2)
                    A[y] = 3
                    cse_v2 = A[y] + 3
                cse_v1 = A[x] * 2
                T.evaluate(cse_v1)
            else:
                cse_v1 = A[x] * 2
                cse_v2 = A[y] + 3
            T.evaluate(cse_v1)
            T.evaluate(cse_v2)
            ---
            A[y] + 3: 2 times, cost 5, partial-redundancy (on-request)
            A[x]: 3 times, cost 4, memory
            A[x] * 2: 2 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
}

#[test]
fn an_arm_that_leaves_needs_nothing() {
    check(
        "
        for i in range(8):
            T.evaluate(A[i] * 2)
            if x < 3:
                A[i] = 1
                break
            elif y < 3:
                A[i] = 2
            T.evaluate(A[i] * 2)
        ",
        expect![[r#"
            for i in range(8):
                cse_v1: T.int32 = A[i] * 2
                T.evaluate(cse_v1)
                if x < 3:
                    A[i] = 1
                    break
                elif y < 3:
                    A[i] = 2
                    cse_v1 = A[i] * 2
                T.evaluate(cse_v1)
            ---
            A[i] * 2: 2 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
}

#[test]
fn an_elif_is_asked_through() {
    check(
        "
        T.evaluate(A[x] * 2)
        if x < 1:
            A[x] = 1
        elif x < 2:
            A[x] = 2
        A[y] = A[x] * 2
        ",
        expect![[r#"
            cse_v1: T.int32 = A[x] * 2
            T.evaluate(cse_v1)
            if x < 1:
                A[x] = 1
                cse_v1 = A[x] * 2
            elif x < 2:
                A[x] = 2
                cse_v1 = A[x] * 2
            A[y] = cse_v1
            ---
            A[x] * 2: 2 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
}

#[test]
fn parts_that_have_names_are_used_in_every_store() {
    check(
        "
        T.evaluate(A[x * y + 1] * 2)
        if x < 3:
            A[x * y + 1] = 1
        A[0] = A[x * y + 1] * 2
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y + 1
            cse_v2: T.int32 = A[cse_v1] * 2
            T.evaluate(cse_v2)
            if x < 3:
                A[cse_v1] = 1
                cse_v2 = A[cse_v1] * 2
            A[0] = cse_v2
            ---
            A[x * y + 1] * 2: 2 times, cost 7, partial-redundancy (on-request)
            x * y + 1: 3 times, cost 2, bind cse_v1
            x * y: 3 times, cost 1, covered by [cse_v1]
        "#]],
    );
}

#[test]
fn in_a_loop_each_iteration_has_its_own() {
    check(
        "
        for i in range(16):
            if A[i] * 2 > y:
                A[i] = y
            A[i + 16] = A[i] * 2
        ",
        expect![[r#"
            for i in range(16):
                cse_v1: T.int32 = A[i] * 2
                if cse_v1 > y:
                    A[i] = y
                    cse_v1 = A[i] * 2
                A[i + 16] = cse_v1
            ---
            A[i] * 2: 2 times, cost 5, partial-redundancy (on-request)
        "#]],
    );
    check(
        "
        for i in T.vectorized(16):
            if A[i] * 2 > y:
                A[i] = y
            A[i + 16] = A[i] * 2
        ",
        expect![[r#"
            for i in T.vectorized(16):
                if A[i] * 2 > y:
                    A[i] = y
                A[i + 16] = A[i] * 2
            ---
            A[i] * 2: 2 times, cost 5, partial-redundancy (no-scalar)
        "#]],
    );
}

#[test]
fn places_that_the_text_does_not_have() {
    check(
        "
        T.evaluate(A[x] * 2)
        if x < 1: A[x] = 1
        A[y] = A[x] * 2
        ",
        expect![[r#"
            T.evaluate(A[x] * 2)
            if x < 1: A[x] = 1
            A[y] = A[x] * 2
            ---
            A[x] * 2: 2 times, cost 5, partial-redundancy (no-place)
        "#]],
    );
}

#[test]
fn the_legacy_dialect_has_no_scalar() {
    check_text(
        "from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), x: T.int32):
    if A[x] * 2 > 3:
        A[x] = 1
    A[0] = A[x] * 2
",
        expect![[r#"
            if A[x] * 2 > 3:
                A[x] = 1
            A[0] = A[x] * 2
            ---
            A[x] * 2: 2 times, cost 5, partial-redundancy (no-scalar)
        "#]],
    );
}

#[test]
fn values_that_do_not_change_are_bound_above_the_branch() {
    check(
        "
        if x < 3:
            A[0] = x // y
        A[1] = x // y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x // y
            if x < 3:
                A[0] = cse_v1
            A[1] = cse_v1
            ---
            x // y: 2 times, cost 20, bind cse_v1
        "#]],
    );
}

/// Returns the cost of planning, with the scalars that it plans.
fn cost(statements: &str) -> (u64, usize) {
    let file = kernel(statements);
    let (_, _, it) = &lowered(&file)[0];
    let occurrences = Occurrences::collect(&it.body);
    let (plan, work) = it.source_map.with_view(|view| {
        plan_counted(
            &Analyses::of(&it.body, &occurrences, EffectTable::builtin()),
            Some(view),
            &requested(),
        )
    });
    (work.visited + work.hashed + work.compared, plan.cells.len())
}

#[track_caller]
fn check_growth(made: fn(usize) -> String, n: usize, cells: [usize; 2]) {
    let [(once, few), (twice, more)] = [n, 2 * n].map(|n| cost(&made(n)));
    assert_eq!([few, more], cells);
    // Sorting and trees add a logarithm.
    assert!(twice * 10 <= once * 23, "{once} and {twice}");
}

#[test]
fn work_grows_with_the_branches() {
    let one_each = |n: usize| -> String {
        let one = |k: usize| format!("if A[{k}] * 2 > y:\n    A[{k}] = y\nA[1000] = A[{k}] * 2\n");
        (0..n).map(one).collect()
    };
    check_growth(one_each, 50, [50, 100]);
    let one_through_all = |n: usize| -> String {
        let one = |k: usize| format!("if A[x] * 2 > {k}:\n    A[x] = y\n");
        (0..n).map(one).chain(["A[1000] = A[x] * 2\n".to_owned()]).collect()
    };
    check_growth(one_through_all, 100, [1, 1]);
    let nested = |n: usize| -> String {
        let mut text = String::from("if A[x] * 2 > y:\n    A[x] = y\n");
        for k in 0..n {
            text.push_str(&format!("{:1$}if x > {k}:\n", "", 4 * k));
        }
        text.push_str(&format!("{:1$}A[1000] = A[x] * 2\n", "", 4 * n));
        text
    };
    check_growth(nested, 40, [1, 1]);
}
