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
            for vx in T.unroll(2):
                for vy in range(1):
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
