//! Flattening of multi-dimensional buffers and of their indices.

use expect_test::expect;

use super::{check, check_with};

const PASS: &str = "flatten_buffers";

#[test]
fn a_parameter_gets_a_flat_view_and_an_allocation_becomes_flat() {
    check_with(
        PASS,
        "A: T.Buffer((4, 8), \"float32\"), B: T.Buffer((32,), \"float32\")",
        "
        C = T.alloc_buffer((2, 4, 4))
        for i, j, k in T.grid(2, 4, 4):
            C[i, j, k] = A[j, i * 4 + k]
            B[i * 16 + j * 4 + k] = C[i, j, 3 - k]
        ",
        expect![[r#"
            A_1 = A.view(32)
            C = T.alloc_buffer((32,))
            for i, j, k in T.grid(2, 4, 4):
                C[i * 16 + j * 4 + k] = A_1[j * 8 + (i * 4 + k)]
                B[i * 16 + j * 4 + k] = C[i * 16 + j * 4 + (3 - k)]
        "#]],
    );
}

#[test]
fn sizes_that_are_not_known_are_computed_in_64_bits() {
    check_with(
        PASS,
        "a: T.handle, n: T.int32, m: T.int32",
        "
        A = T.match_buffer(a, (n, m, 2))
        for i, j in T.grid(n, m):
            A[i, j, 1] = A[i, j, 0]
        ",
        expect![[r#"
            A = T.match_buffer(a, (n, m, 2))
            A_1 = A.view(T.Cast("int64", n) * T.Cast("int64", m) * T.int64(2))
            for i, j in T.grid(n, m):
                A_1[T.Cast("int64", i) * T.Cast("int64", m) * T.int64(2) + T.Cast("int64", j) * T.int64(2) + T.int64(1)] = A_1[T.Cast("int64", i) * T.Cast("int64", m) * T.int64(2) + T.Cast("int64", j) * T.int64(2)]
        "#]],
    );
}

#[test]
fn an_offset_of_the_caller_is_in_the_index() {
    check_with(
        PASS,
        "a: T.handle",
        "
        A = T.match_buffer(a, (8,), \"int32\", offset_factor=1)
        A[2] = A[3] + A[A[1]]
        ",
        expect![[r#"
            A = T.match_buffer(a, (8,), "int32", offset_factor=1)
            A_1 = T.decl_buffer((8,), "int32", data=A.data)
            A_1[T.Cast("int64", A.elem_offset) + T.int64(2)] = A_1[T.Cast("int64", A.elem_offset) + T.int64(3)] + A_1[T.Cast("int64", A_1[T.Cast("int64", A.elem_offset) + T.int64(1)]) + T.Cast("int64", A.elem_offset)]
        "#]],
    );
}

#[test]
fn strides_of_an_allocation_leave_gaps() {
    check(
        PASS,
        "
        S = T.alloc_buffer((4, 4), \"int32\", strides=(5, 1), scope=\"shared\")
        S[x, y] = A[x]
        A[y] = S[y, x]
        ",
        expect![[r#"
            S = T.alloc_shared((19,), "int32")
            S[x * 5 + y] = A[x]
            A[y] = S[y * 5 + x]
        "#]],
    );
}

#[test]
fn groups_of_dimensions_stay_apart() {
    check(
        PASS,
        "
        S = T.alloc_buffer((2, 3, 4, 5), \"int32\", axis_separators=[2])
        S[x, y, x, y] = A[x]
        A[y] = S[1, 2, 3, 4]
        ",
        expect![[r#"
            S = T.alloc_buffer((6, 20), "int32", axis_separators=[1])
            S[x * 3 + y, x * 5 + y] = A[x]
            A[y] = S[5, 19]
        "#]],
    );
}

#[test]
fn use_of_a_shape_keeps_the_buffer() {
    check(
        PASS,
        "
        S = T.alloc_buffer((2, 3), \"int32\")
        V = S.permute(1, 0)
        S[x, y] = A[x]
        A[y] = V[y, x]
        ",
        expect![[r#"
            S = T.alloc_buffer((2, 3), "int32")
            V = S.permute(1, 0)
            S[x, y] = A[x]
            A[y] = V[y, x]
        "#]],
    );
}

#[test]
fn vectors_of_indices_are_ramps_of_elements() {
    check(
        PASS,
        "
        S = T.alloc_buffer((4, 8), \"int32\")
        S[x, T.Ramp(y, 2, 4)] = A[T.Ramp(0, 1, 4)]
        A[T.Ramp(0, 1, 4)] = S[x, A[T.Ramp(y, 1, 4)]]
        ",
        expect![[r#"
            S = T.alloc_buffer((32,), "int32")
            S[T.Ramp(x * 8 + y, 2, 4)] = A[T.Ramp(0, 1, 4)]
            A[T.Ramp(0, 1, 4)] = S[T.Broadcast(x * 8, 4) + A[T.Ramp(y, 1, 4)]]
        "#]],
    );
}

#[test]
fn scalars_are_buffers_of_one_element() {
    check(
        PASS,
        "
        S = T.alloc_buffer((), \"int32\")
        S[()] = A[x]
        A[y] = S[()]
        ",
        expect![[r#"
            S = T.alloc_buffer((1,), "int32")
            S[0] = A[x]
            A[y] = S[0]
        "#]],
    );
}

#[test]
fn blocks_come_first() {
    check(
        PASS,
        "
        for i in range(4):
            with T.sblock(\"block\"):
                vi = T.axis.spatial(4, i)
                A[vi] = x
        ",
        expect![[r#"
            unlowered-block: a block that is still to be scheduled
        "#]],
    );
}

#[test]
fn a_vector_before_the_last_index_is_refused() {
    check_with(
        PASS,
        "B: T.Buffer((8, 8), \"float32\")",
        "
        B[T.Ramp(0, 1, 2), 0] = T.float32(1)
        ",
        expect![[r#"
            inner-vector-index: an access has a vector as an index that is not its last one
        "#]],
    );
}
