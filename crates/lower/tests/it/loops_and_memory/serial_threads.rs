//! Kernels split at their barriers: their new form, and that they compute the same.

use expect_test::{Expect, expect};
use interp::{Argument, Array, Options};
use ir::{Body, DataType, OpKind};
use lower::serial_threads;

use crate::support::{read, statements};

/// The statements of `f(A, B, n)` without threads, or the refusal; both bodies leave the same in `A` and `B`.
#[track_caller]
fn check(statements_in: &str, expected: Expect) {
    let mut text = String::from(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n\
         def f(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), n: T.int32):\n",
    );
    for line in test_utils::trim_indent(statements_in).lines() {
        text.push_str(if line.is_empty() { "" } else { "    " });
        text.push_str(line);
        text.push('\n');
    }
    let it = &read(&text)[0];
    assert!(it.diagnostics.is_empty(), "{:?}", it.diagnostics);
    let mut body = it.body.clone();
    let is_launch = |op: &ir::OpId| matches!(body.ops[*op].kind, OpKind::LaunchThread { .. });
    let kernel = body.ops_preorder().find(is_launch).expect("a kernel");
    if let Err(refused) = serial_threads::run(&mut body, kernel) {
        assert_eq!(body, it.body);
        return expected.assert_eq(&format!("{}: {}\n", refused.reason, refused.detail));
    }
    assert_eq!(ir::verify::verify(&body), []);
    for n in [0, 1, 3] {
        assert_eq!(results(&it.body, n), results(&body, n), "n = {n}");
    }
    expected.assert_eq(&statements(&ir::print::tvmscript(&body, 0)));
}

fn results(body: &Body, n: i64) -> Vec<Argument> {
    let array = |factor: i64| {
        let mut array = Array::zeros(DataType::INT32, &[64]);
        (0..64).for_each(|at| array.set_f64(at, (at as i64 * factor % 13 - 4) as f64));
        Argument::Array(array)
    };
    let arguments = vec![array(5), array(7), Argument::Int(n)];
    let outcome = interp::run(body, arguments, &Options::default()).expect("runs");
    assert_eq!(outcome.events, []);
    outcome.arguments
}

#[test]
fn a_barrier_splits_the_loop_over_threads() {
    check(
        r#"
        with T.launch_thread("blockIdx.x", 2) as bx:
            tx = T.launch_thread("threadIdx.x", 32)
            S = T.alloc_shared((32,), "int32")
            S[tx] = A[bx * 32 + tx]
            T.tvm_storage_sync("shared")
            B[bx * 32 + tx] = S[31 - tx]
        "#,
        expect![[r#"
            for bx in range(2):
                S = T.alloc_shared((32,), "int32")
                for tx in range(32):
                    S[tx] = A[bx * 32 + tx]
                for tx in range(32):
                    B[bx * 32 + tx] = S[31 - tx]
        "#]],
    );
}

#[test]
fn memory_of_a_thread_that_outlives_a_barrier_has_a_place_for_each() {
    check(
        r#"
        with T.launch_thread("blockIdx.x", 2) as bx:
            s = T.alloc_local((2,), "int32")
            own = T.alloc_local((1,), "int32")
            S = T.alloc_shared((32,), "int32")
            tx = T.launch_thread("threadIdx.x", 32)
            own[0] = A[tx]
            s[0] = own[0]
            s[1] = 0
            for k in range(n):
                T.tvm_storage_sync("shared")
                S[tx] = s[k % 2] + k
                T.tvm_storage_sync("shared")
                s[k % 2] = s[k % 2] + S[(tx + k) % 32]
            B[bx * 32 + tx] = s[0] + s[1]
        "#,
        expect![[r#"
            for bx in range(2):
                s = T.alloc_local((64,), "int32")
                S = T.alloc_shared((32,), "int32")
                for tx in range(32):
                    own = T.alloc_local((1,), "int32")
                    own[0] = A[tx]
                    s[tx * 2] = own[0]
                    s[tx * 2 + 1] = 0
                for k in range(n):
                    for tx in range(32):
                        S[tx] = s[tx * 2 + k % 2] + k
                    for tx in range(32):
                        s[tx * 2 + k % 2] = s[tx * 2 + k % 2] + S[(tx + k) % 32]
                for tx in range(32):
                    B[bx * 32 + tx] = s[tx * 2] + s[tx * 2 + 1]
        "#]],
    );
}

#[test]
fn variables_are_computed_again_or_kept() {
    check(
        r#"
        with T.launch_thread("threadIdx.y", 2) as ty:
            tx = T.launch_thread("threadIdx.x", 32)
            S = T.alloc_shared((64,), "int32")
            at: T.let[T.int32] = ty * 32 + tx
            read: T.let[T.int32] = A[at]
            S[at] = read
            T.tvm_storage_sync("shared")
            B[at] = S[63 - at] + read
        "#,
        expect![[r#"
            read = T.alloc_local((64,), "int32")
            S = T.alloc_shared((64,), "int32")
            for ty, tx in T.grid(2, 32):
                at: T.let[T.int32] = ty * 32 + tx
                read_1: T.let[T.int32] = A[at]
                read[ty * 32 + tx] = read_1
                S[at] = read_1
            for ty, tx in T.grid(2, 32):
                at: T.let[T.int32] = ty * 32 + tx
                B[at] = S[63 - at] + read[ty * 32 + tx]
        "#]],
    );
}

#[test]
fn uniform_condition_is_decided_once() {
    check(
        r#"
        with T.launch_thread("threadIdx.x", 32) as tx:
            S = T.alloc_shared((32,), "int32")
            x: T.int32 = A[3]
            last: T.let[T.int32] = A[0]
            S[tx] = tx
            while T.tvm_thread_invariant(x < 9):
                if last < n:
                    T.tvm_storage_sync("shared")
                    S[tx] = S[tx] + 1
                x = x + 1
                T.tvm_storage_sync("shared")
            B[tx] = S[31 - tx]
        "#,
        expect![[r#"
            last = T.alloc_local((32,), "int32")
            S = T.alloc_shared((32,), "int32")
            x: T.int32
            for tx in range(32):
                x = A[3]
                last_1: T.let[T.int32] = A[0]
                last[tx] = last_1
                S[tx] = tx
            while T.tvm_thread_invariant(x < 9):
                if last[0] < n:
                    for tx in range(32):
                        S[tx] = S[tx] + 1
                for tx in range(32):
                    x = x + 1
            for tx in range(32):
                B[tx] = S[31 - tx]
        "#]],
    );
}

#[test]
fn a_block_may_have_no_threads() {
    check(
        r#"
        with T.launch_thread("threadIdx.x", n) as tx:
            S = T.alloc_shared((64,), "int32")
            s: T.int32 = A[tx]
            T.tvm_storage_sync("shared")
            for k in range(s + 5 - s):
                S[tx] = k
                T.tvm_storage_sync("shared")
            B[tx] = S[n - 1 - tx] + s
        "#,
        expect![[r#"
            if 0 < n:
                S = T.alloc_shared((64,), "int32")
                s: T.int32
                for tx in range(n):
                    s = A[tx]
                for k, tx in T.grid(s + 5 - s, n):
                    S[tx] = k
                for tx in range(n):
                    B[tx] = S[n - 1 - tx] + s
        "#]],
    );
}

#[test]
fn views_of_memory_of_a_thread_are_of_its_place() {
    check(
        r#"
        with T.launch_thread("threadIdx.x", 32) as tx:
            s = T.alloc_local((2,), "int32")
            wide = T.decl_buffer((1,), "int32x2", data=s.data)
            s[0:2] = T.Broadcast(A[tx], 2)
            T.tvm_storage_sync("shared")
            wide[0] = wide[0] + T.Broadcast(1, 2)
            T.tvm_storage_sync("shared")
            B[tx] = s[1]
        "#,
        expect![[r#"
            s = T.alloc_local((64,), "int32")
            wide = T.decl_buffer((32,), "int32x2", data=s.data)
            for tx in range(32):
                s[T.Ramp(T.Add(tx * 2, 0), 1, 2)] = T.Broadcast(A[tx], 2)
            for tx in range(32):
                wide[tx] = wide[tx] + T.Broadcast(1, 2)
            for tx in range(32):
                B[tx] = s[tx * 2 + 1]
        "#]],
    );
}

#[test]
fn without_a_barrier_there_is_one_loop() {
    check(
        r#"
        with T.launch_thread("blockIdx.x", 2) as bx:
            s = T.alloc_local((1,), "int32")
            with T.launch_thread("threadIdx.x", 32) as tx:
                s[0] = A[tx]
            with T.launch_thread("threadIdx.x", 32) as tx:
                B[bx * 32 + tx] = s[0]
        "#,
        expect![[r#"
            for bx, tx in T.grid(2, 32):
                s = T.alloc_local((1,), "int32")
                s[0] = A[tx]
                B[bx * 32 + tx] = s[0]
        "#]],
    );
}

#[test]
fn kernel_that_cannot_be_split_is_refused() {
    check(
        r#"
        with T.launch_thread("threadIdx.x", 32) as tx:
            if tx < n:
                T.tvm_storage_sync("shared")
                B[tx] = 1
        "#,
        expect![[r#"
            threads-exchange: `tx` decides over a barrier
        "#]],
    );
    check(
        r#"
        with T.launch_thread("threadIdx.x", 32) as tx:
            for k in range(n):
                if k == 2:
                    break
                T.tvm_storage_sync("shared")
                B[tx] = k
        "#,
        expect![[r#"
            threads-exchange: a jump leaves a loop with a barrier
        "#]],
    );
}
