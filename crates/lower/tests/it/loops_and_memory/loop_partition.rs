//! Loops that are split where a guard is decided.

use expect_test::expect;
use interp::{Argument, Array, Options, run};
use ir::DataType;
use lower::{LOWERINGS, LowerOptions};

use super::check;
use crate::support::read;

const PARAMS: &str = "A: T.Buffer((1024,), \"int32\"), x: T.int32, y: T.int32";

#[test]
fn a_hinted_loop_runs_without_its_guard_as_long_as_it_holds() {
    check(
        "loop_partition",
        r#"
        for i in T.serial(100, annotations={"pragma_loop_partition_hint": True}):
            for j in range(4):
                if i * 4 + j < 350:
                    A[i * 4 + j] = i
        "#,
        expect![[r#"
            for i, j in T.grid(87, 4):
                A[i * 4 + j] = i
            for i in range(87, 100):
                for j in range(4):
                    if i * 4 + j < 350:
                        A[i * 4 + j] = i
        "#]],
    );
}

#[test]
fn a_guard_around_everything_leaves_no_rest() {
    check(
        "loop_partition",
        r#"
        for i in T.serial(T.max(y, 0), annotations={"pragma_loop_partition_hint": True}):
            if i < x:
                A[i] = i
        "#,
        expect![[r#"
            end: T.let[T.int32] = T.Cast("int32", T.min(T.max(T.Cast("int64", x), T.int64(0)), T.max(T.Cast("int64", T.max(y, 0)), T.int64(0))))
            for i in range(end):
                A[i] = i
        "#]],
    );
}

#[test]
fn both_ends_of_a_marked_loop_are_split_off() {
    check(
        "loop_partition",
        r#"
        for i in range(T.min(T.max(x, 0), 1000)):
            A[i] = 1
            if T.likely(5 <= i) and T.likely(i + 3 < x):
                A[i] = A[i - 5] + A[i + 3]
        "#,
        expect![[r#"
            first: T.let[T.int32] = T.Cast("int32", T.min(T.int64(5), T.max(T.Cast("int64", T.min(T.max(x, 0), 1000)), T.int64(0))))
            end: T.let[T.int32] = T.Cast("int32", T.min(T.max(T.Cast("int64", x) - T.int64(3), T.Cast("int64", first)), T.max(T.Cast("int64", T.min(T.max(x, 0), 1000)), T.int64(0))))
            for i in range(first):
                A[i] = 1
                if 5 <= i and i + 3 < x:
                    A[i] = A[i - 5] + A[i + 3]
            for i in range(first, end):
                A[i] = 1
                A[i] = A[i - 5] + A[i + 3]
            for i in range(end, T.Cast("int32", T.max(T.Cast("int64", T.min(T.max(x, 0), 1000)), T.int64(0)))):
                A[i] = 1
                if 5 <= i and i + 3 < x:
                    A[i] = A[i - 5] + A[i + 3]
        "#]],
    );
}

#[test]
fn the_pragma_may_stand_around_the_loop() {
    check(
        "loop_partition",
        r#"
        with T.attr(T.int32(), "pragma_loop_partition_hint", 1):
            for i in range(20):
                if i >= 2:
                    A[i] = A[i - 2]
        "#,
        expect![[r#"
            for i in range(2, 20):
                A[i] = A[i - 2]
        "#]],
    );
}

#[test]
fn loops_of_constant_extent_and_unmarked_guards_stay() {
    for statements in [
        "for i in range(100):\n    if T.likely(i < 90):\n        A[i] = i",
        "for i in range(x):\n    if i < y:\n        A[i] = i",
        "for i in range(x):\n    if T.likely(A[i] < 3):\n        A[i] = i",
        "for i in range(x):\n    if T.likely(i * i < y):\n        A[i] = i",
        "for i in range(x):\n    if T.likely(i < y):\n        break",
    ] {
        let after = super::after("loop_partition", PARAMS, statements);
        assert_eq!(after, super::after("flatten_buffers", PARAMS, statements));
    }
}

#[test]
fn every_element_is_what_it_was() {
    let text = "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n\
        def f(A: T.Buffer((64,), \"int32\"), x: T.int32, y: T.int32):\n    \
        for i in range(T.max(x, 0)):\n        \
        for j in range(3):\n            \
        if T.likely(i * 3 + j < y) and T.likely(7 - 2 * i < j):\n                \
        A[i * 3 + j] = A[i * 3 + j] + i * 5 + j\n        \
        if T.likely(i > 2):\n            A[i] = A[i] - 1\n";
    let it = &read(text)[0];
    assert!(it.diagnostics.is_empty(), "{:?}", it.diagnostics);
    let pass = LOWERINGS.iter().find(|it| it.name == "loop_partition").expect("the pass");
    let after = pass.run(&it.body, &LowerOptions::default()).expect("split");
    assert_ne!(after, it.body);
    for (x, y) in (-1..21).flat_map(|x| [-5, 0, 1, 2, 7, 30, 63, 64].map(|y| (x, y))) {
        let array = Array::zeros(DataType::INT32, &[64]);
        let arguments = vec![Argument::Array(array), Argument::Int(x), Argument::Int(y)];
        let [before, after] = [&it.body, &after]
            .map(|body| run(body, arguments.clone(), &Options::default()).expect("it runs"));
        assert_eq!(before.arguments, after.arguments, "{x} {y}");
        assert_eq!(before.events.len(), after.events.len(), "{x} {y}: {:?}", after.events);
    }
}
