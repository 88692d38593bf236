//! The narrowing of integers of 64 bits.

use expect_test::expect;

use super::check_with;

const PASS: &str = "narrow_indices";

#[test]
fn variables_and_indices_that_fit_are_narrow() {
    check_with(
        PASS,
        "A: T.Buffer((T.int64(64),), \"float32\"), n: T.int64",
        "
        for i in range(T.int64(8)):
            x: T.let[T.int64] = i * T.int64(4)
            for j in range(n):
                if x + j < n:
                    A[x + T.int64(1)] = A[(x + j) % T.int64(64)]
        ",
        expect![[r#"
            for i in range(8):
                x: T.let[T.int32] = i * 4
                for j in range(n):
                    if T.Cast("int64", x) + j < n:
                        A[x + 1] = A[(T.Cast("int64", x) + j) % T.int64(64)]
        "#]],
    );
}

#[test]
fn threads_of_constant_extents_are_narrow() {
    check_with(
        PASS,
        "a: T.handle",
        "
        n = T.int64()
        A = T.match_buffer(a, (n,), \"float32\")
        bx = T.launch_thread(\"blockIdx.x\", (n + T.int64(255)) // T.int64(256))
        tx = T.launch_thread(\"threadIdx.x\", T.int64(256))
        if bx * T.int64(256) + tx < n:
            A[bx * T.int64(256) + tx] = T.Cast(\"float32\", tx // T.int64(32))
        ",
        expect![[r#"
            n = T.int64()
            A = T.match_buffer(a, (n,))
            with T.launch_thread("blockIdx.x", (n + T.int64(255)) // T.int64(256)) as bx:
                tx = T.launch_thread("threadIdx.x", 256)
                if bx * T.int64(256) + T.Cast("int64", tx) < n:
                    A[bx * T.int64(256) + T.Cast("int64", tx)] = T.Cast("float32", T.Cast("int64", tx // 32))
        "#]],
    );
}

#[test]
fn value_that_may_leave_32_bits_stays_wide() {
    check_with(
        PASS,
        "A: T.Buffer((T.int64(64),), \"int64\")",
        "
        for i in range(T.int64(65536)):
            A[i // T.int64(1024)] = i * i
            A[i * i // T.int64(67108864)] = i * T.int64(32767)
        for i in T.serial(T.int64(2147483640), T.int64(2147483647)):
            A[i % T.int64(64)] = i
        for i in T.serial(T.int64(2147483640), T.int64(2147483646)):
            A[i % T.int64(64)] = i
        ",
        expect![[r#"
            for i in range(65536):
                A[i // 1024] = T.Cast("int64", i) * T.Cast("int64", i)
                A[T.Cast("int64", i) * T.Cast("int64", i) // T.int64(67108864)] = T.Cast("int64", i * 32767)
            for i in range(T.int64(2147483640), T.int64(2147483647)):
                A[T.Cast("int32", i) % 64] = i
            for i in range(2147483640, 2147483646):
                A[i % 64] = T.Cast("int64", i)
        "#]],
    );
}

#[test]
fn vectors_of_indices_are_narrow() {
    check_with(
        PASS,
        "A: T.Buffer((T.int64(64),), \"float32\")",
        "
        for i in range(T.int64(8)):
            A[T.Ramp(i * T.int64(8), T.int64(1), 4)] = A[T.Ramp(i, T.int64(1), 4) + T.Broadcast(T.int64(3), 4)]
        ",
        expect![[r#"
            for i in range(8):
                A[T.Ramp(i * 8, 1, 4)] = A[T.Ramp(i, 1, 4) + T.Broadcast(3, 4)]
        "#]],
    );
}

#[test]
fn threads_of_a_reduction_are_named() {
    check_with(
        PASS,
        "A: T.Buffer((T.int64(64),), \"float32\")",
        "
        tx = T.launch_thread(\"threadIdx.x\", T.int64(32))
        R = T.alloc_local((1,))
        with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), \"reduce_scope\", T.reinterpret(\"handle\", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), A[tx], T.bool(True), R[0], tx)
        A[tx + T.int64(32)] = R[0]
        ",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", T.int64(32))
            R_1 = T.alloc_local((1,))
            with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
                T.tvm_thread_allreduce(T.uint32(1), A[T.Cast("int32", tx)], T.bool(True), R_1[0], tx)
            A[T.Cast("int32", tx) + 32] = R_1[0]
        "#]],
    );
}
