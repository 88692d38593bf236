//! Loads of values that a name holds.

use expect_test::{Expect, expect};
use transform::findings::FindingKind;

#[track_caller]
fn check(statements: &str, expected: Expect) {
    super::check(FindingKind::RedundantLoad, statements, expected);
}

#[test]
fn a_binding_holds_the_value() {
    check(
        "
        a: T.let[T.int32] = A[x]
        A[y] = a + A[x]
        A[y] = A[x]
        ",
        expect![[r#"
            # redundant-load at 2 `A[x]`: _ is read again while 1 `a` holds it; this holds the value: 1 `a`; the same value is computed here: 1 `a: T.let[T.int32] = A[x]`
            a: T.let[T.int32] = A[x]
            A[y] = a + a
            A[y] = A[x]
        "#]],
    );
}

#[test]
fn a_scalar_holds_the_value_until_it_is_assigned() {
    check(
        "
        a = A[x]
        T.evaluate(a + A[x])
        T.evaluate(A[x])
        a = y
        T.evaluate(A[x])
        ",
        expect![[r#"
            # redundant-load at 2 `A[x]`: _ is read again while 1 `a` holds it; this holds the value: 1 `a`; the same value is computed here: 1 `a = A[x]`
            # redundant-load at 3 `A[x]`: _ is read again while 1 `a` holds it; this holds the value: 1 `a`; the same value is computed here: 1 `a = A[x]`
            a = A[x]
            T.evaluate(a + a)
            T.evaluate(a)
            a = y
            T.evaluate(A[x])
        "#]],
    );
}

#[test]
fn a_variable_was_stored() {
    check(
        "
        A[x] = y
        T.evaluate(A[x])
        A[0] = 5
        A[1] = A[0] + A[x]
        A[0] = x * y
        A[1] = A[0]
        ",
        expect![[r#"
            # redundant-load at 2 `A[x]`: _ still holds the value that was stored to it; stored here: 1 `A[x] = y`
            A[x] = y
            T.evaluate(y)
            A[0] = 5
            A[1] = A[0] + A[x]
            A[0] = x * y
            A[1] = A[0]
        "#]],
    );
}

#[test]
fn writes_and_barriers_between_refuse() {
    check(
        "
        a: T.let[T.int32] = A[x]
        T.tvm_storage_sync(\"shared\")
        T.evaluate(A[x])
        A[x] = y
        T.call_extern(\"int32\", \"f\")
        T.evaluate(A[x])
        A[x] = y
        for i in range(4):
            A[i] = A[x]
        if x < y:
            A[x] = y
        T.evaluate(A[x])
        while x < A[0]:
            T.evaluate(A[0])
        ",
        expect![[""]],
    );
}

#[test]
fn names_of_places_and_other_lanes_refuse() {
    check(
        "
        A[x] = y
        T.evaluate(T.address_of(A[x]))
        for i in T.vectorized(4):
            A[x] = i
            A[i] = A[x]
        ",
        expect![[""]],
    );
}

#[test]
fn a_name_that_is_not_visible_refuses() {
    check(
        "
        with T.attr(0, \"pragma_x\", 1):
            a: T.let[T.int32] = x + y
            A[x] = a
        T.evaluate(A[x])
        ",
        expect![[""]],
    );
}

#[test]
fn thread_local_memory_is_as_good_as_a_name() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        L[0] = y
        A[x] = L[0]
        ",
        expect![[""]],
    );
}

#[test]
fn a_name_that_means_something_else_by_now_is_not_written() {
    let file = "from tvm.script import tir as T\n\n@T.prim_func\ndef f(A: T.Buffer((16,), \"int32\"), x: T.int32):\n    \
                a = A[x]\n    A[0] = a\n    A[x] = a\n    a = x + 1\n    T.evaluate(A[x] + a)\n";
    let options = super::only(FindingKind::RedundantLoad);
    super::check_file(
        &options,
        file,
        expect![[r#"
        # redundant-load at 5 `A[x]`: _ still holds the value that was stored to it; stored here: 3 `A[x] = a`
    "#]],
    );
}
