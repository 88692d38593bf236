//! The reuse of memory.

use expect_test::{Expect, expect};

use super::check;

const PASS: &str = "storage_reuse";

#[test]
fn memory_that_is_used_up_serves_again() {
    check(
        PASS,
        "
        C = T.alloc_buffer((16,), \"int32\")
        D = T.alloc_buffer((16,), \"int32\")
        E = T.alloc_buffer((16,), \"int32\")
        F = T.alloc_buffer((17,), \"int32\")
        for i in range(16):
            C[i] = A[i]
        for i in range(16):
            D[i] = C[i]
        for i in range(16):
            E[i] = D[i]
        for i in range(16):
            F[i] = E[i]
        ",
        expect![[r#"
            C = T.alloc_buffer((16,), "int32")
            D = T.alloc_buffer((16,), "int32")
            F = T.alloc_buffer((17,), "int32")
            for i in range(16):
                C[i] = A[i]
            for i in range(16):
                D[i] = C[i]
            for i in range(16):
                C[i] = D[i]
            for i in range(16):
                F[i] = C[i]
        "#]],
    );
}

#[test]
fn memory_of_the_next_iteration_is_in_use() {
    check(
        PASS,
        "
        C = T.alloc_buffer((16,), \"int32\")
        D = T.alloc_buffer((16,), \"int32\")
        for i in range(16):
            C[0] = A[i]
            A[i] = C[0]
            D[0] = A[i]
            A[i] = D[0]
        ",
        expect![[r#"
            C = T.alloc_buffer((16,), "int32")
            D = T.alloc_buffer((16,), "int32")
            for i in range(16):
                C[0] = A[i]
                A[i] = C[0]
                D[0] = A[i]
                A[i] = D[0]
        "#]],
    );
}

#[test]
fn memory_of_an_iteration_serves_again_in_it() {
    check(
        PASS,
        "
        for i in range(16):
            C = T.alloc_buffer((16,), \"int32\")
            D = T.alloc_buffer((16,), \"int32\")
            V = T.decl_buffer((4, 4), \"int32\", data=D.data)
            C[0] = A[i]
            A[i] = C[0]
            V[0, 0] = A[i]
            A[i] = D[0]
        ",
        expect![[r#"
            for i in range(16):
                C = T.alloc_buffer((16,), "int32")
                D = T.alloc_buffer((16,), "int32")
                V = T.decl_buffer((4, 4), "int32", data=D.data)
                C[0] = A[i]
                A[i] = C[0]
                V[0, 0] = A[i]
                A[i] = D[0]
        "#]],
    );
}

#[test]
fn an_address_keeps_its_memory() {
    check(
        PASS,
        "
        C = T.alloc_buffer((16,), \"int32\")
        D = T.alloc_buffer((16,), \"int32\")
        T.evaluate(T.call_extern(\"int32\", \"f\", C.data))
        D[0] = A[0]
        A[1] = D[0]
        ",
        expect![[r#"
            C = T.alloc_buffer((16,), "int32")
            D = T.alloc_buffer((16,), "int32")
            T.call_extern("int32", "f", C.data)
            D[0] = A[0]
            A[1] = D[0]
        "#]],
    );
}

/// Two shared buffers of so many elements, one after the other.
fn check_shared(size: u32, expected: Expect) {
    let statements = format!(
        "
        C = T.alloc_shared(({size},), \"int32\")
        D = T.alloc_shared(({size},), \"int32\")
        tx = T.launch_thread(\"threadIdx.x\", 8)
        C[tx] = A[tx]
        A[tx] = C[7 - tx]
        D[tx] = A[tx]
        A[tx] = D[7 - tx]
        "
    );
    check(PASS, &statements, expected);
}

#[test]
fn shared_memory_serves_again_where_there_is_too_little() {
    check_shared(
        64,
        expect![[r#"
        C = T.alloc_shared((64,), "int32")
        D = T.alloc_shared((64,), "int32")
        with T.launch_thread("threadIdx.x", 8) as tx:
            C[tx] = A[tx]
            A[tx] = C[7 - tx]
            D[tx] = A[tx]
            A[tx] = D[7 - tx]
    "#]],
    );
    check_shared(
        8192,
        expect![[r#"
        C = T.alloc_shared((8192,), "int32")
        with T.launch_thread("threadIdx.x", 8) as tx:
            C[tx] = A[tx]
            A[tx] = C[7 - tx]
            C[tx] = A[tx]
            A[tx] = C[7 - tx]
    "#]],
    );
}
