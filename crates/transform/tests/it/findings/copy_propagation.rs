//! Loads of copies.

use expect_test::{Expect, expect};
use transform::findings::FindingKind;

#[track_caller]
fn check(statements: &str, expected: Expect) {
    super::check(FindingKind::CopyPropagation, statements, expected);
}

#[test]
fn an_element_equals_the_one_it_was_copied_from() {
    check(
        "
        B0 = T.alloc_local((16,), \"int32\")
        C0 = T.alloc_local((16,), \"int32\")
        for i in range(16):
            B0[i] = A[i]
            C0[i] = B0[i]
            A[i + 16] = C0[i] * 2
        ",
        expect![[r##"
            # copy-propagation at 6 `C0[i]`: _ is a copy of …, and neither has changed since; copied here: 5 `C0[i] = B0[i]`
            B0 = T.alloc_local((16,), "int32")
            C0 = T.alloc_local((16,), "int32")
            for i in range(16):
                B0[i] = A[i]
                C0[i] = B0[i]
                A[i + 16] = B0[i] * 2
        "##]],
    );
}

#[test]
fn a_copy_in_a_register_costs_nothing_to_read() {
    check(
        "
        B0 = T.alloc_local((1,), \"int32\")
        C0 = T.alloc_local((1,), \"int32\")
        for i in range(16):
            B0[0] = A[i]
            C0[0] = B0[0]
            A[i + 16] = C0[0] * 2
        ",
        expect![[""]],
    );
}

#[test]
fn a_copy_in_farther_memory_is_read_from_the_original() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        L[0] = x * y
        A[x] = L[0]
        A[y] = A[x] + 1
        T.evaluate(A[x])
        ",
        expect![[r##"
            # copy-propagation at 4 `A[x]`: _ is a copy of …, and neither has changed since; copied here: 3 `A[x] = L[0]`
            L = T.alloc_local((4,), "int32")
            L[0] = x * y
            A[x] = L[0]
            A[y] = L[0] + 1
            T.evaluate(A[x])
        "##]],
    );
}

#[test]
fn a_copy_into_nearer_memory_is_meant() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        B = T.alloc_buffer((4,), \"int32\")
        L[0] = A[x]
        T.evaluate(L[0])
        B[0] = A[x]
        T.evaluate(B[0])
        ",
        expect![[""]],
    );
}

#[test]
fn a_copy_that_others_still_read_is_left() {
    check(
        "
        B0 = T.alloc_local((1,), \"int32\")
        C0 = T.alloc_local((1,), \"int32\")
        B0[0] = x
        C0[0] = B0[0]
        A[0] = C0[0]
        B0[0] = y
        A[1] = C0[0] + B0[0]
        ",
        expect![[""]],
    );
}

#[test]
fn writes_of_either_refuse() {
    check(
        "
        B0 = T.alloc_local((1,), \"int32\")
        C0 = T.alloc_local((1,), \"int32\")
        B0[0] = x
        C0[0] = B0[0]
        B0[0] = y
        A[0] = C0[0]
        C0[0] = x + y
        A[1] = C0[0] + B0[0]
        ",
        expect![[""]],
    );
}

#[test]
fn a_scalar_is_read_by_its_name() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        L[0] = x * y
        e: T.int32 = L[0]
        A[0] = A[e] + A[e + 1]
        ",
        expect![[r#""#]],
    );
}
