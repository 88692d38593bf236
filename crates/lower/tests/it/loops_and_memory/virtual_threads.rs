//! The replacements of virtual threads, and the refused ones.

use expect_test::expect;

use super::check;

const PASS: &str = "virtual_threads";

#[test]
fn a_virtual_thread_is_an_iteration() {
    check(
        PASS,
        "
        tx = T.launch_thread(\"threadIdx.x\", 8)
        for vx in T.thread_binding(2, thread=\"vthread.x\"):
            for vy in T.thread_binding(1, thread=\"vthread.y\"):
                A[vx * 8 + tx] = vy
        ",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 8)
            for vy in range(1):
                for vx in T.unroll(2):
                    A[vx * 8 + tx] = vy
        "#]],
    );
}

#[test]
fn a_launch_of_virtual_threads_is_a_loop() {
    check(
        PASS,
        "
        tx = T.launch_thread(\"threadIdx.x\", 8)
        vx = T.launch_thread(\"vthread.x\", 2)
        A[vx * 8 + tx] = x
        ",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 8)
            for vx in T.unroll(2):
                A[vx * 8 + tx] = x
        "#]],
    );
}

#[test]
fn virtual_threads_that_wait_for_each_other_are_refused() {
    check(
        PASS,
        "
        tx = T.launch_thread(\"threadIdx.x\", 8)
        vx = T.launch_thread(\"vthread.x\", 2)
        A[vx * 8 + tx] = x
        T.tvm_storage_sync(\"shared\")
        ",
        expect![[r#"
            vthread-effect: a virtual thread has a call with an effect, which others may wait for
        "#]],
    );
}

#[test]
fn what_all_virtual_threads_need_is_fetched_once() {
    check(
        PASS,
        "
        tx = T.launch_thread(\"threadIdx.x\", 8)
        for vx in T.thread_binding(4, thread=\"vthread.x\"):
            S = T.alloc_buffer((32,), \"int32\", scope=\"shared\")
            L = T.alloc_buffer((2,), \"int32\", scope=\"local\")
            for i in range(2):
                L[i] = 0
            for k in range(4):
                for i in range(4):
                    S[i * 8 + tx] = x + k * 32 + i * 8 + tx
                y: T.let[T.int32] = k + 1
                for i in range(2):
                    L[i] = L[i] + S[vx * 8 + 7 - tx] * y
            for i in range(2):
                z: T.let[T.int32] = vx * 16 + tx * 2
                A[z + i] = L[i]
        ",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 8)
            S = T.alloc_shared((32,), "int32")
            L = T.alloc_local((8,), "int32")
            for i in range(2):
                for vx in T.unroll(4):
                    L[vx * 2 + i] = 0
            for k in range(4):
                for i in range(4):
                    S[i * 8 + tx] = x + k * 32 + i * 8 + tx
                y_1: T.let[T.int32] = k + 1
                for i in range(2):
                    for vx in T.unroll(4):
                        L[vx * 2 + i] = L[vx * 2 + i] + S[vx * 8 + 7 - tx] * y_1
            for i in range(2):
                for vx in T.unroll(4):
                    z: T.let[T.int32] = vx * 16 + tx * 2
                    A[z + i] = L[vx * 2 + i]
        "#]],
    );
}

#[test]
fn virtual_threads_that_cannot_be_spread_run_one_after_the_other() {
    check(
        PASS,
        "
        tx = T.launch_thread(\"threadIdx.x\", 8)
        for vx in T.thread_binding(2, thread=\"vthread.x\"):
            L = T.alloc_buffer((2,), \"int32\", scope=\"local\")
            V = T.decl_buffer((1,), \"int32\", data=L.data, scope=\"local\")
            L[0] = vx
            L[1] = 1
            A[vx * 8 + tx] = V[0] + L[1]
        ",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 8)
            for vx in T.unroll(2):
                L = T.alloc_local((2,), "int32")
                V = T.decl_buffer((1,), "int32", data=L.data, scope="local")
                L[0] = vx
                L[1] = 1
                A[vx * 8 + tx] = V[0] + L[1]
        "#]],
    );
}

#[test]
fn conditions_of_virtual_threads_are_theirs_also_around_what_is_common() {
    check(
        PASS,
        "
        tx = T.launch_thread(\"threadIdx.x\", 8)
        for vx in T.thread_binding(2, thread=\"vthread.x\"):
            for vy in T.thread_binding(2, thread=\"vthread.y\"):
                L = T.alloc_buffer((1,), \"int32\", scope=\"local\")
                M = T.alloc_buffer((1,), \"int32\", scope=\"local\")
                M[0] = x
                L[0] = 1
                if vx > 0:
                    L[0] = 2
                if x > 0:
                    M[0] = M[0] + 1
                    A[vx * 16 + vy * 8 + tx] = L[0] + M[0]
        ",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 8)
            L = T.alloc_local((2,), "int32")
            M = T.alloc_local((1,), "int32")
            M[0] = x
            for vx in T.unroll(2):
                L[vx] = 1
                if vx > 0:
                    L[vx] = 2
            if x > 0:
                M[0] = M[0] + 1
                for vy in T.unroll(2):
                    for vx in T.unroll(2):
                        A[vx * 16 + vy * 8 + tx] = L[vx] + M[0]
        "#]],
    );
}

#[test]
fn scalars_of_virtual_threads_stay_with_them() {
    check(
        PASS,
        "
        tx = T.launch_thread(\"threadIdx.x\", 8)
        for vx in T.thread_binding(2, thread=\"vthread.x\"):
            S = T.alloc_buffer((8,), \"int32\", scope=\"shared\")
            s: T.int32 = 0
            for k in range(4):
                S[tx] = x + k
                s = s + S[7 - tx] * vx
            A[vx * 8 + tx] = s
        ",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 8)
            for vx in T.unroll(2):
                S = T.alloc_shared((8,), "int32")
                s: T.int32 = 0
                for k in range(4):
                    S[tx] = x + k
                    s = s + S[7 - tx] * vx
                A[vx * 8 + tx] = s
        "#]],
    );
}
