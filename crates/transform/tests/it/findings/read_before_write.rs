//! Loads of memory that nothing has written.

use expect_test::{Expect, expect};
use transform::findings::FindingKind;

#[track_caller]
fn check(statements: &str, expected: Expect) {
    super::check(FindingKind::ReadBeforeWrite, statements, expected);
}

#[test]
fn nothing_on_any_path_writes_it() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        V = L.view(2, 2)
        c: T.int32
        if x < y:
            A[0] = L[0] + V[0, 1] + c
        L[0] = x
        A[1] = L[0]
        A[2] = V[0, 0]
        ",
        expect![[r##"
            # read-before-write at 5 `L[0]`: _ is read, and nothing has written it; made here, without a value: 1 `L = T.alloc_local((4,), "int32")`; read here, too: 5 `V[0, 1]`; no fix
            # read-before-write at 5 `c`: _ is read, and nothing has written it; made here, without a value: 3 `c: T.int32`; no fix
        "##]],
    );
}

#[test]
fn a_value_that_is_dropped_may_be_anything() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        T.evaluate(L[0] + 1)
        ",
        expect![[r##""##]],
    );
}

#[test]
fn the_first_iteration_reads_what_later_ones_write() {
    check(
        "
        acc = T.alloc_local((1,), \"int32\")
        for i in range(16):
            for j in range(x):
                acc[0] = acc[0] + A[i]
        A[0] = acc[0]
        ",
        expect![[r##"
            # read-before-write at 4 `acc[0]`: _ may be read before anything writes it; made here, without a value: 1 `acc = T.alloc_local((1,), "int32")`; written here, but not on every path: 4 `acc[0] = acc[0] + A[i]`; no fix
        "##]],
    );
}

#[test]
fn memory_written_or_skipped_by_the_first_iteration_is_no_finding() {
    check(
        "
        acc = T.alloc_local((4,), \"int32\")
        for i in range(16):
            if i == 0:
                acc[0] = 0
            acc[0] = acc[0] + A[i]
            if i > 0:
                A[i] = acc[1]
            A[i] = T.if_then_else(i > 0, acc[2], 0)
            acc[1] = A[i]
            acc[2] = A[i]
        ",
        expect![[""]],
    );
}

#[test]
fn calls_that_may_write_it_are_taken_to() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        M = T.alloc_local((4,), \"int32\")
        S = T.alloc_shared((4,), \"int32\")
        T.call_extern(\"int32\", \"f\", L.data)
        A[0] = L[0]
        T.call_extern(\"int32\", \"g\", M[0])
        A[1] = M[0]
        T.tvm_storage_sync(\"shared\")
        A[2] = S[0]
        ",
        expect![[""]],
    );
}

#[test]
fn scalars_are_read_by_name() {
    check(
        "
        c: T.int32
        d: T.int32
        while c < x:
            c = c + 1
        if x < y:
            d = 1
        A[0] = d
        ",
        expect![[r#"
            # read-before-write at 3 `c`: _ may be read before anything writes it; made here, without a value: 1 `c: T.int32`; written here, but not on every path: 4 `c = c + 1`; no fix
            # read-before-write at 4 `c`: _ may be read before anything writes it; made here, without a value: 1 `c: T.int32`; written here, but not on every path: 4 `c = c + 1`; no fix
            # read-before-write at 7 `d`: _ may be read before anything writes it; made here, without a value: 2 `d: T.int32`; written here, but not on every path: 6 `d = 1`; no fix
        "#]],
    );
}

#[test]
fn an_if_that_writes_in_one_arm_leaves_the_other() {
    check(
        "
        c: T.int32
        d: T.int32
        e: T.int32
        if x < y:
            c = 1
            d = 1
        else:
            d = 2
        A[0] = c + d
        if x < y:
            e = 1
        if x < y:
            A[1] = e
        ",
        expect![[r#"
            # read-before-write at 9 `c`: _ may be read before anything writes it; made here, without a value: 1 `c: T.int32`; written here, but not on every path: 5 `c = 1`; no fix
        "#]],
    );
}

#[test]
fn a_pointer_that_is_a_statement_says_what_is_written() {
    check(
        "
        L = T.alloc_local((4,), \"int32\")
        M = T.alloc_local((4,), \"int32\")
        T.evaluate(L.access_ptr(\"w\"))
        T.evaluate(M.access_ptr(\"r\"))
        A[0] = L[0] + M[0]
        ",
        expect![[r##"
            # read-before-write at 5 `M[0]`: _ is read, and nothing has written it; made here, without a value: 2 `M = T.alloc_local((4,), "int32")`; no fix
        "##]],
    );
}

#[test]
fn the_place_of_an_element_is_no_load_of_it() {
    check(
        "
        L = T.alloc_local((4, 8), \"int32\")
        V = T.decl_buffer((8,), \"int32\", L.data, elem_offset=L.elem_offset_of([2, x]))
        A[0] = L.byte_offset_of([1, 0])
        V[0] = x
        A[1] = V[0]
        ",
        expect![[r##""##]],
    );
}
