//! Scalars of the `tirx` dialect that hold a value already: reused as bindings are, while they hold it.

use expect_test::{Expect, expect};

use crate::support::{kernel, sound};

#[track_caller]
fn check(statements: &str, expected: Expect) {
    expected.assert_eq(&sound(&kernel(statements)));
}

#[test]
fn a_scalar_that_is_stored_once_serves_what_comes_after_it() {
    check(
        "
        a = x * y + 1
        A[0] = x * y + 1
        if x < 3:
            A[1] = x * y + 1
        ",
        expect![[r#"
            a: T.int32 = x * y + 1
            A[0] = a
            if x < 3:
                A[1] = a
            ---
            x * y + 1: 3 times, cost 2, reuse a
            x * y: 3 times, cost 1, covered by []
        "#]],
    );
}

#[test]
fn one_that_is_stored_again_serves_nothing() {
    check(
        "
        a = x * y + 1
        A[0] = x * y + 1
        a = 3
        A[1] = a
        ",
        expect![[r#"
            a: T.int32
            cse_v1: T.let[T.int32] = x * y + 1
            a = cse_v1
            A[0] = cse_v1
            a = 3
            A[1] = a
            ---
            x * y + 1: 2 times, cost 2, bind cse_v1
            x * y: 2 times, cost 1, covered by [cse_v1]
        "#]],
    );
    check(
        "
        a = x * y + 1
        A[0] = x * y + 1
        T.evaluate(T.call_extern(\"int32\", \"g\", T.address_of(a)))
        A[1] = x * y + 1
        ",
        expect![[r#"
            a: T.int32
            cse_v1: T.let[T.int32] = x * y + 1
            a = cse_v1
            A[0] = cse_v1
            T.call_extern("int32", "g", T.address_of(a))
            A[1] = cse_v1
            ---
            x * y + 1: 3 times, cost 2, bind cse_v1
            x * y: 3 times, cost 1, covered by [cse_v1]
        "#]],
    );
}

#[test]
fn one_that_is_stored_on_some_paths_serves_those() {
    check(
        "
        a: T.int32
        if x < 3:
            a = x * y + 1
            A[0] = x * y + 1
        A[1] = x * y + 1
        ",
        expect![[r#"
            a: T.int32
            cse_v1: T.let[T.int32] = x * y + 1
            if x < 3:
                a = cse_v1
                A[0] = cse_v1
            A[1] = cse_v1
            ---
            x * y + 1: 3 times, cost 2, bind cse_v1
            x * y: 3 times, cost 1, covered by [cse_v1]
        "#]],
    );
}

#[test]
fn loads_are_shared_while_nothing_writes() {
    check(
        "
        for i in range(8):
            a = A[i] * 2
            T.evaluate(A[i] * 2)
            A[i] = 1
            T.evaluate(A[i] * 2)
        ",
        expect![[r#"
            for i in range(8):
                a: T.int32 = A[i] * 2
                T.evaluate(a)
                A[i] = 1
                T.evaluate(A[i] * 2)
            ---
            A[i] * 2: 2 times, cost 5, reuse a
            A[i]: 2 times, cost 4, covered by []
            A[i]: 2 times, cost 4, memory
        "#]],
    );
}
