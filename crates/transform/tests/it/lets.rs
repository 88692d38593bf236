//! The bodies of lets: evaluated as often as the let, so their computations count, except those that name the variable.

use expect_test::{Expect, expect};

use crate::support::{kernel, sound};

#[track_caller]
fn check_kernel(statements: &str, expected: Expect) {
    expected.assert_eq(&sound(&kernel(statements)));
}

#[test]
fn body_of_a_let_counts_like_code_beside_it() {
    check_kernel(
        "
        v = T.int32()
        A[0] = T.Let(v * v + x * y, where={v: x + 1}) + x * y
        A[1] = T.Let(v + x * y * 2, where={v: A[x] + 1})
        A[2] = T.Let(v + T.Let(w + v + x * y * 2, where={w: y - 1}), where={v: y - 1})
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            v = T.int32()
            A[0] = T.Let(v * v + cse_v1, where={v: x + 1}) + cse_v1
            cse_v2: T.let[T.int32] = cse_v1 * 2
            v_1 = T.int32()
            A[1] = T.Let(v_1 + cse_v2, where={v_1: A[x] + 1})
            cse_v3: T.let[T.int32] = y - 1
            v_2 = T.int32()
            w = T.int32()
            A[2] = T.Let(v_2 + T.Let(w + v_2 + cse_v2, where={w: cse_v3}), where={v_2: cse_v3})
            ---
            x * y: 4 times, cost 1, bind cse_v1
            x * y * 2: 2 times, cost 2, bind cse_v2
            y - 1: 2 times, cost 1, bind cse_v3
        "#]],
    );
}

#[test]
fn the_body_of_a_let_is_certain_where_the_let_is() {
    check_kernel(
        "
        v = T.int32()
        A[0] = T.Let(v + x // y, where={v: x})
        A[1] = T.Let(v - x // y, where={v: x})
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x // y
            v = T.int32()
            A[0] = T.Let(v + cse_v1, where={v: x})
            v_1 = T.int32()
            A[1] = T.Let(v_1 - cse_v1, where={v_1: x})
            ---
            x // y: 2 times, cost 20, bind cse_v1
        "#]],
    );
    check_kernel(
        "
        v = T.int32()
        A[0] = T.if_then_else(y != 0, T.Let(v + x // y, where={v: x}), 1)
        A[1] = T.if_then_else(y != 0, T.Let(v - x // y, where={v: x}), 2)
        if y > 0:
            A[2] = T.Let(v + (x + 1) // y, where={v: x // y})
            A[3] = T.Let(v - (x + 1) // y, where={v: x})
        ",
        expect![[r#"
            v = T.int32()
            A[0] = T.if_then_else(y != 0, T.Let(v + x // y, where={v: x}), 1)
            v_1 = T.int32()
            A[1] = T.if_then_else(y != 0, T.Let(v_1 - x // y, where={v_1: x}), 2)
            if y > 0:
                cse_v1: T.let[T.int32] = (x + 1) // y
                v_2 = T.int32()
                A[2] = T.Let(v_2 + cse_v1, where={v_2: x // y})
                v_3 = T.int32()
                A[3] = T.Let(v_3 - cse_v1, where={v_3: x})
            ---
            y != 0: 2 times, cost 1, predicate
            x // y: 3 times, cost 20, may-trap
            (x + 1) // y: 2 times, cost 21, bind cse_v1
            x + 1: 2 times, cost 1, covered by [cse_v1]
        "#]],
    );
}

#[test]
fn a_load_in_the_body_of_a_let_sees_the_memory_of_its_statement() {
    check_kernel(
        "
        v = T.int32()
        A[0] = T.Let(v * v + A[x + 4] * 2, where={v: A[x + 4]})
        A[1] = T.Let(v * v + A[x + 4] * 2, where={v: y})
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x + 4
            cse_v2: T.let[T.int32] = A[cse_v1]
            v = T.int32()
            A[0] = T.Let(v * v + cse_v2 * 2, where={v: cse_v2})
            v_1 = T.int32()
            A[1] = T.Let(v_1 * v_1 + A[cse_v1] * 2, where={v_1: y})
            ---
            A[x + 4]: 2 times, cost 5, bind cse_v2
            A[x + 4]: 2 times, cost 5, memory
            x + 4: 3 times, cost 1, bind cse_v1
            bound_0 * bound_0: 2 times, cost 1, under-binder
        "#]],
    );
}

#[test]
fn loads_by_the_variables_of_two_lets_are_no_near_miss() {
    check_kernel(
        "
        v = T.int32()
        A[0] = T.Let(A[v] + v, where={v: x})
        A[1] = T.Let(A[v] - v, where={v: y})
        ",
        expect![[r#"
            v = T.int32()
            A[0] = T.Let(A[v] + v, where={v: x})
            v_1 = T.int32()
            A[1] = T.Let(A[v_1] - v_1, where={v_1: y})
            ---
        "#]],
    );
}

#[test]
fn the_body_of_a_reducer_is_not_evaluated_where_it_stands() {
    check_kernel(
        "
        A[0] = x * y
        T.evaluate(T.call_extern(\"int32\", \"f\", T.comm_reducer(lambda a, b: a + b * (x * y), [T.int32(0)])))
        A[1] = x * y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            A[0] = cse_v1
            T.call_extern("int32", "f", T.comm_reducer(lambda a, b: a + b * (x * y), [0]))
            A[1] = cse_v1
            ---
            x * y: 2 times, cost 1, bind cse_v1
        "#]],
    );
}
