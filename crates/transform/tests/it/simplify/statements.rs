//! Statements that are removed, opened, or reordered.

use expect_test::expect;

use super::{check, check_file};

#[test]
fn branch_with_a_known_condition_becomes_its_arm() {
    check(
        "
        for i in range(64):
            if i < x:
                if i < x + 1:
                    A[i] = 1
                else:
                    A[i] = 2
            if i < 64:
                A[i] = 3
        ",
        expect![[r#"
            # redundant-condition 3 `i < x + 1`; this decides it: 2 `i < x`
            # constant-condition 7 `i < 64`; this decides it: 1 `for i in range(64):`
            for i in range(64):
                if i < x:
                    A[i] = 1
                A[i] = 3
        "#]],
    );
}

#[test]
fn a_guard_goes_with_its_hint() {
    check(
        "
        for i in range(64):
            if T.likely(i < 64):
                A[i] = 1
            if T.likely(i < x):
                if T.likely(i < x + 1):
                    A[i] = 2
        ",
        expect![[r#"
            # constant-condition 2 `T.likely(i < 64)`; this decides it: 1 `for i in range(64):`
            # redundant-condition 5 `T.likely(i < x + 1)`; this decides it: 4 `i < x`
            for i in range(64):
                A[i] = 1
                if T.likely(i < x):
                    A[i] = 2
        "#]],
    );
}

#[test]
fn bindings_of_block_variables() {
    check(
        "
        for i in range(64):
            with T.sblock(\"b\"):
                v = T.axis.spatial(64, (i + 64) % 64)
                A[v] = 1
        ",
        expect![[r##"
            # simplifiable 3 `(i + 64) % 64`; by floormod-multiple
            for i in range(64):
                with T.sblock("b"):
                    v = T.axis.spatial(64, i)
                    A[v] = 1
        "##]],
    );
}

#[test]
fn loops_of_one_iteration_and_of_none() {
    check(
        "
        for i in range(1):
            for j in T.unroll(x, x + 1):
                A[i + j] = i + 3
        for k in range(0):
            A[k] = 1
        for k in range(y - y):
            A[k] = 1
        ",
        expect![[r#"
            # simplifiable 3 `i + 3`; by fold
            # simplifiable 3 `i + j`; by neutral-operand
            # simplifiable 6 `y - y`; by sum-of-products
            # single-iteration-loop 2 `for j in T.unroll(x, x + 1):`
            # single-iteration-loop 1 `for i in range(1):`
            # empty-loop 4 `for k in range(0):`
            # empty-loop 6 `for k in range(y - y):`
            A[x] = 3
        "#]],
    );
}

#[test]
fn loops_that_stay() {
    check(
        "
        for tx in T.thread_binding(1, thread=\"threadIdx.x\"):
            for i in T.serial(1, annotations={\"hint\": 1}):
                A[i] = 1
            for i in range(1):
                if A[i] > 2:
                    break
                A[i] = 4
            for i in range(A[3], A[3] + 1):
                A[i] = i
            for i in range(x * y + 3, x * y + 4):
                A[i] = i
        ",
        expect![[r##"
            # not single-iteration-loop 1 `for tx in T.thread_binding(1, thread="threadIdx.x"):`: thread-loop
            # not single-iteration-loop 2 `for i in T.serial(1, annotations={"hint": 1}):`: annotated-loop
            # not single-iteration-loop 4 `for i in range(1):`: leaves-loop
            # not single-iteration-loop 8 `for i in range(A[3], A[3] + 1):`: reads-memory
            # not single-iteration-loop 10 `for i in range(x * y + 3, x * y + 4):`: would-grow
        "##]],
    );
}

#[test]
fn names_that_would_hide_another_keep_their_loop() {
    check(
        "
        for i in range(1):
            v: T.let[T.int32] = x
            A[i] = v
        for i in range(2):
            v: T.let[T.int32] = y
            A[i] = v
        ",
        expect![[r#"
            # not single-iteration-loop 1 `for i in range(1):`: hides-name
        "#]],
    );
}

#[test]
fn guard_in_a_guard_becomes_one() {
    check(
        "
        for i, j in T.grid(64, 64):
            if i < x:
                if j < y:
                    if i + j < 100:
                        A[i] = j
        ",
        expect![[r#"
            # invariant-guard 2 `i < x`; this loop: 1 `for i, j in T.grid(64, 64):`
            # mergeable-guards 4 `i + j < 100`; this is the guard around it: 3 `j < y`
            for i in range(64):
                if i < x:
                    for j in range(64):
                        if j < y and i + j < 100:
                            A[i] = j
        "#]],
    );
}

#[test]
fn inner_guard_that_may_fail_stays_inside() {
    check(
        "
        if x != 0:
            if y // x > 3:
                A[0] = 1
        if x > 0:
            if A[x] > 3:
                A[1] = 1
        if x > 0:
            if x * y > 3:
                A[2] = 1
        ",
        expect![[r#"
            # mergeable-guards 7 `x > 0`; this guard has the same condition: 4 `x > 0`
            # not mergeable-guards 2 `if y // x > 3:`: may-trap
            if x != 0:
                if y // x > 3:
                    A[0] = 1
            if x > 0:
                if A[x] > 3:
                    A[1] = 1
                if x * y > 3:
                    A[2] = 1
        "#]],
    );
}

#[test]
fn neighbours_with_one_condition_become_one() {
    check(
        "
        if x < y:
            A[0] = 1
        if x < y:
            A[1] = 2
        A[2] = 3
        if x < y:
            A[3] = 1
        ",
        expect![[r#"
            # mergeable-guards 3 `x < y`; this guard has the same condition: 1 `x < y`
            if x < y:
                A[0] = 1
                A[1] = 2
            A[2] = 3
            if x < y:
                A[3] = 1
        "#]],
    );
}

#[test]
fn neighbours_that_read_memory_stay() {
    check(
        "
        if A[0] < y:
            A[0] = 1
        if A[0] < y:
            A[1] = 2
        ",
        expect![[r#""#]],
    );
}

#[test]
fn invariant_guard_goes_around_its_loops() {
    check(
        "
        for i in range(x):
            for j in range(y):
                if x < 7:
                    A[i] = j
        ",
        expect![[r#"
            # invariant-guard 3 `x < 7`; this loop: 2 `for j in range(y):`
            # invariant-guard 3 `x < 7`; this loop: 1 `for i in range(x):`
            if x < 7:
                for i, j in T.grid(x, y):
                    A[i] = j
        "#]],
    );
}

#[test]
fn guard_that_changes_in_the_inner_loop_only_leaves_the_outer() {
    check(
        "
        for i in range(x):
            for j in range(y):
                if j < 7:
                    if 12 // x > 1:
                        A[i] = j
        ",
        expect![[r#"
            # mergeable-guards 4 `12 // x > 1`; this is the guard around it: 3 `j < 7`
            for i, j in T.grid(x, y):
                if j < 7 and 12 // x > 1:
                    A[i] = j
        "#]],
    );
}

#[test]
fn guard_with_an_else_never_copies_its_loop() {
    check(
        "
        for i in range(x):
            if y < 7:
                A[i] = 1
            else:
                A[i] = 2
        ",
        expect![[r#""#]],
    );
}

#[test]
fn guard_around_a_thread_loop_stays_inside() {
    check(
        "
        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):
            if x < 7:
                A[tx] = 1
        ",
        expect![[r#"
            # not invariant-guard 2 `if x < 7:`: thread-loop
        "#]],
    );
}

#[test]
fn statements_that_do_nothing_go() {
    check(
        "
        T.evaluate(0)
        if x < 3:
            T.evaluate(0)
        if x < 4:
            T.evaluate(0)
        else:
            A[0] = 1
        if x < 5:
            A[1] = 1
        else:
            T.evaluate(0)
        for i in range(10):
            for j in range(x):
                if y < j:
                    T.evaluate(0)
        T.evaluate(x // y)
        ",
        expect![[r#"
            # redundant-guard 2 `if x < 3:`
            # no-op 4 `if x < 4:`
            # no-op 8 `if x < 5:`
            # redundant-guard 14 `if y < j:`
            # empty-loop 13 `for j in range(x):`
            # empty-loop 12 `for i in range(10):`
            # no-op 1 `T.evaluate(0)`
            # no-op 16 `T.evaluate(x // y)`
            if 3 < x:
                A[0] = 1
            if x < 5:
                A[1] = 1
        "#]],
    );
}

#[test]
fn function_keeps_a_statement() {
    check(
        "
        for i in range(10):
            T.evaluate(0)
        ",
        expect![[r#"
            # empty-loop 1 `for i in range(10):`
            T.evaluate(0)
        "#]],
    );
}

#[test]
fn loop_that_may_not_end_stays() {
    check(
        "
        while x < y:
            T.evaluate(0)
            T.evaluate(1)
        ",
        expect![[r#"
            # no-op 3 `T.evaluate(1)`
            while x < y:
                T.evaluate(0)
        "#]],
    );
}

#[test]
fn conditions_with_effects_stay() {
    check(
        "
        if T.call_extern(\"int32\", \"f\") < 3:
            T.evaluate(0)
        for i in range(T.call_extern(\"int32\", \"g\")):
            T.evaluate(0)
        ",
        expect![[r##"
            # not redundant-guard 1 `if T.call_extern("int32", "f") < 3:`: has-effect
            # not empty-loop 3 `for i in range(T.call_extern("int32", "g")):`: has-effect
        "##]],
    );
}

#[test]
fn barrier_keeps_its_conditions() {
    check(
        "
        for i in range(x):
            if y < 7:
                T.tvm_storage_sync(\"shared\")
                A[i] = 1
        ",
        expect![[r##"
            # invariant-guard 2 `y < 7`; this loop: 1 `for i in range(x):`
            if y < 7:
                for i in range(x):
                    T.tvm_storage_sync("shared")
                    A[i] = 1
        "##]],
    );
}

#[test]
fn opened_arm_joins_its_neighbours() {
    check(
        "
        if x < y:
            A[0] = 1
        if 1 < 2:
            if x < y:
                A[1] = 2
        for i in range(4):
            if x < y:
                A[i] = 3
        ",
        expect![[r#"
            # invariant-guard 7 `x < y`; this loop: 6 `for i in range(4):`
            # mergeable-guards 4 `x < y`; this guard has the same condition: 1 `x < y`
            # mergeable-guards 7 `x < y`; this guard has the same condition: 1 `x < y`
            if x < y:
                A[0] = 1
                A[1] = 2
                for i in range(4):
                    A[i] = 3
        "#]],
    );
}

#[test]
fn many_guards_become_a_few() {
    check(
        "
        if x != 1:
            if x != 2:
                if x != 3:
                    if x != 4:
                        if x != 5:
                            if x != 6:
                                if x != 7:
                                    if x != 8:
                                        if x != 9:
                                            if x != 10:
                                                A[0] = 1
        ",
        expect![[r#"
            # mergeable-guards 2 `x != 2`; this is the guard around it: 1 `x != 1`
            # mergeable-guards 3 `x != 3`; this is the guard around it: 1 `x != 1`
            # mergeable-guards 4 `x != 4`; this is the guard around it: 1 `x != 1`
            # mergeable-guards 5 `x != 5`; this is the guard around it: 1 `x != 1`
            # mergeable-guards 6 `x != 6`; this is the guard around it: 1 `x != 1`
            # mergeable-guards 7 `x != 7`; this is the guard around it: 1 `x != 1`
            # mergeable-guards 8 `x != 8`; this is the guard around it: 1 `x != 1`
            # mergeable-guards 10 `x != 10`; this is the guard around it: 9 `x != 9`
            if x != 1 and x != 2 and x != 3 and x != 4 and x != 5 and x != 6 and x != 7 and x != 8:
                if x != 9 and x != 10:
                    A[0] = 1
        "#]],
    );
}

#[test]
fn store_of_what_is_there_goes() {
    check(
        "
        A[x] = A[x]
        A[y] = A[y] + 0
        A[x] = A[y]
        ",
        expect![[r#"
            # no-op 1 `A[x] = A[x]`
            # no-op 2 `A[y] = A[y] + 0`
            A[x] = A[y]
        "#]],
    );
}

#[test]
fn assertion_that_always_holds_goes() {
    check(
        "
        assert x > 3, \"x\"
        assert x > 1, \"x\"
        A[x] = 1
        ",
        expect![[r##"
            # no-op 2 `assert x > 1, "x"`; by decided
            assert x > 3, "x"
            A[x] = 1
        "##]],
    );
}

#[test]
fn assumption_stays() {
    check(
        "
        T.evaluate(T.assume(x > 3))
        T.evaluate(T.assume(x > 1))
        if x > 2:
            A[x] = 1
        ",
        expect![[r#"
            # redundant-condition 3 `x > 2`; this decides it: 1 `x > 3`
            T.assume(x > 3)
            T.assume(x > 1)
            A[x] = 1
        "#]],
    );
}

#[test]
fn guard_goes_around_its_loop_once_its_condition_is_simplified() {
    check(
        "
        for i in range(4):
            if x < 0 and i <= 3:
                A[i] = 1
        ",
        expect![[r#"
            # constant-condition 2 `x < 0 and i <= 3`; this decides it: 1 `for i in range(4):`
            # invariant-guard 2 `x < 0 and i <= 3`; this loop: 1 `for i in range(4):`
            if x < 0:
                for i in range(4):
                    A[i] = 1
        "#]],
    );
}

#[test]
fn guard_leaves_its_loop_only_without_its_else() {
    check(
        "
        for i in T.parallel(4):
            if x > 2:
                A[0] = 1
            else:
                A[i] = A[i]
        ",
        expect![[r#"
            # no-op 2 `if x > 2:`
            # invariant-guard 2 `x > 2`; this loop: 1 `for i in T.parallel(4):`
            if x > 2:
                for i in T.parallel(4):
                    A[0] = 1
        "#]],
    );
    check(
        "
        for i in T.parallel(2):
            if x == 0:
                A[1] = 1
            else:
                for j in range(0):
                    A[i] = 0
        ",
        expect![[r#"
            # empty-loop 5 `for j in range(0):`
            # no-op 2 `if x == 0:`
            # invariant-guard 2 `x == 0`; this loop: 1 `for i in T.parallel(2):`
            if x == 0:
                for i in T.parallel(2):
                    A[1] = 1
        "#]],
    );
}

#[test]
fn guards_merge_only_without_their_else() {
    check(
        "
        if x > 2:
            if y > 3:
                A[0] = 1
            else:
                A[1] = A[1]
        else:
            A[2] = A[2]
        ",
        expect![[r#"
            # no-op 2 `if y > 3:`
            # no-op 1 `if x > 2:`
            # mergeable-guards 2 `y > 3`; this is the guard around it: 1 `x > 2`
            if x > 2 and y > 3:
                A[0] = 1
        "#]],
    );
}

#[test]
fn guard_out_of_a_loop_of_one_iteration_joins_its_neighbour_after_it() {
    check(
        "
        if x * x != 3:
            A[4] = 0
        for i in T.unroll(1):
            if x * x != 3:
                assert x < y, \"no\"
                A[i] = 1
                A[i + 1] = i
        ",
        expect![[r##"
            # simplifiable 7 `i + 1`; by fold
            # single-iteration-loop 3 `for i in T.unroll(1):`
            # mergeable-guards 4 `x * x != 3`; this guard has the same condition: 1 `x * x != 3`
            if x * x != 3:
                A[4] = 0
                assert x < y, "no"
                A[0] = 1
                A[1] = 0
        "##]],
    );
}

#[test]
fn guard_whose_value_may_have_overflowed_stays_in_a_loop_that_may_not_run() {
    check(
        "
        p: T.let[T.bool] = x + 1 <= 8
        for i in T.serial(x & 31, 5):
            if p:
                A[i] = 1
        ",
        expect![[r#"
            # not invariant-guard 3 `if p:`: may-trap
        "#]],
    );
}

/// A barrier has to be placed between the store and the load, for all threads of the block.
#[test]
fn guards_around_what_threads_exchange_are_not_joined() {
    check(
        "
        with T.launch_thread(\"threadIdx.x\", 32) as tx:
            S = T.alloc_buffer((32,), \"int32\", scope=\"shared\")
            if tx < 16:
                S[tx] = A[tx]
            if tx < 16:
                A[tx] = S[15 - tx]
            for i in range(4):
                if tx < 16:
                    S[tx] = A[tx + i]
                    A[tx] = S[15 - tx]
        ",
        expect![""],
    );
}

#[test]
fn whole_logarithms_have_bounds() {
    check(
        "
        A[0] = T.Cast(\"int32\", T.ceil(T.log2(T.Cast(\"float64\", 14))))
        A[1] = T.Cast(\"int32\", T.ceil(T.log2(T.Cast(\"float64\", 16))))
        A[2] = T.Cast(\"int32\", T.log2(T.Cast(\"float64\", 14)))
        for i in range(16):
            r: T.let[T.int32] = T.Cast(\"int32\", T.ceil(T.log2(T.Cast(\"float64\", i + 1025))))
            if r == 11:
                A[i] = x
        ",
        expect![[r##"
            # simplifiable 1 `T.Cast("int32", T.ceil(T.log2(T.Cast("float64", 14))))`; by fold, known-value
            # simplifiable 2 `T.Cast("int32", T.ceil(T.log2(T.Cast("float64", 16))))`; by fold, known-value
            # simplifiable 3 `T.Cast("int32", T.log2(T.Cast("float64", 14)))`; by fold, known-value
            # constant-condition 6 `r == 11`; this decides it: 4 `for i in range(16):`
            A[0] = 4
            A[1] = 4
            A[2] = 3
            for i in range(16):
                r: T.let[T.int32] = T.Cast("int32", T.ceil(T.log2(T.Cast("float64", i + 1025))))
                A[i] = x
        "##]],
    );
    // Of float32 a target's error may be larger, and of 0 there is no logarithm.
    check(
        "
        A[0] = T.Cast(\"int32\", T.ceil(T.log2(T.Cast(\"float32\", 14))))
        for i in range(16):
            A[i] = T.Cast(\"int32\", T.ceil(T.log2(T.Cast(\"float64\", i))))
        ",
        expect![[r##"
            # simplifiable 1 `T.Cast("float32", 14)`; by fold
            A[0] = T.Cast("int32", T.ceil(T.log2(T.float32(14.0))))
            for i in range(16):
                A[i] = T.Cast("int32", T.ceil(T.log2(T.Cast("float64", i))))
        "##]],
    );
}

#[test]
fn an_extent_that_is_a_sum_says_something_of_its_symbol() {
    check_file(
        r#"
from tvm.script import tirx as T

@T.prim_func
def f(a: T.handle, n: T.int64):
    A = T.match_buffer(a, (n * T.int64(32) - T.int64(1),), "float32")
    A[T.min(T.int64(1), n)] = T.float32(0)
"#,
        expect![[r#"
            # simplifiable 2 `T.min(T.int64(1), n)`; by known-value
            A = T.match_buffer(a, (n * T.int64(32) - T.int64(1),))
            A[T.int64(1)] = T.float32(0.0)
        "#]],
    );
    check_file(
        r#"
# from typing import TypeVar
# from tvm.script import tirx as T

n = TypeVar("n")

@T.prim_func
def f(A: T.Buffer(("n * T.int64(32) - T.int64(1)",), "float32")):
    A[T.min(T.int64(1), n)] = T.float32(0)
    A[T.min(T.int64(2), n)] = T.float32(0)
"#,
        expect![[r#"
            # simplifiable 1 `T.min(T.int64(1), n)`; by known-value
            A[T.int64(1)] = T.float32(0.0)
            A[T.min(T.int64(2), n)] = T.float32(0.0)
        "#]],
    );
}
