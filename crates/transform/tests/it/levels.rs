//! Equivalence levels above the syntactic one, and proofs from bounds about values at places where the program does not
//! evaluate them.

use expect_test::{Expect, expect};
use ir::plan::Equivalence;
use transform::cse::CseOptions;

use crate::support::planned;

#[track_caller]
fn check(equivalence: Equivalence, text: &str, expected: Expect) {
    let text = format!("from tvm.script import tirx as T\n\n@T.prim_func\n{text}");
    let options = CseOptions { equivalence, ..CseOptions::default() };
    expected.assert_eq(&planned(&text, &options));
}

const HEAD: &str = "def f(A: T.Buffer((64,), \"int32\"), x: T.int32, y: T.int32, z: T.int32):\n";

#[test]
fn each_level_finds_what_the_one_below_finds() {
    let text = format!(
        "{HEAD}    A[0] = x * y + z
    A[1] = z + y * x
"
    );
    check(
        Equivalence::Syntactic,
        &text,
        expect![[r#"
        A[0] = x * y + z
        A[1] = z + y * x
        ---
    "#]],
    );
    check(
        Equivalence::Commutative,
        &text,
        expect![[r#"
        cse_v1: T.let[T.int32] = x * y + z
        A[0] = cse_v1
        A[1] = cse_v1
        ---
        x * y + z: 2 times, cost 2, bind cse_v1, Commutative
        x * y: 2 times, cost 1, covered by [cse_v1], Commutative
    "#]],
    );
}

#[test]
fn sums_in_another_order_are_shared_where_they_cannot_overflow() {
    let text = "def f(A: T.Buffer((64,), \"int32\"), x: T.int32, y: T.int32):
    for i, j in T.grid(8, 8):
        A[i * 8 + (j + 1)] = 1
        A[(i * 8 + j) + 1] = 2
    A[0] = x + (y + 7)
    A[1] = (x + y) + 7
    A[2] = (x + y) + 7
";
    check(
        Equivalence::Commutative,
        text,
        expect![[r#"
        for i, j in T.grid(8, 8):
            cse_v1: T.let[T.int32] = i * 8
            A[cse_v1 + (j + 1)] = 1
            A[cse_v1 + j + 1] = 2
        A[0] = x + (y + 7)
        cse_v2: T.let[T.int32] = x + y + 7
        A[1] = cse_v2
        A[2] = cse_v2
        ---
        i * 8: 2 times, cost 1, bind cse_v1
        x + y + 7: 2 times, cost 2, bind cse_v2
        x + y: 2 times, cost 1, covered by [cse_v2]
    "#]],
    );
    check(
        Equivalence::Associative,
        text,
        expect![[r#"
            for i, j in T.grid(8, 8):
                cse_v1: T.let[T.int32] = i * 8 + (j + 1)
                A[cse_v1] = 1
                A[cse_v1] = 2
            cse_v2: T.let[T.int32] = x + (y + 7)
            A[0] = cse_v2
            A[1] = cse_v2
            A[2] = cse_v2
            ---
            i * 8 + (j + 1): 2 times, cost 3, bind cse_v1, Associative
            i * 8: 2 times, cost 1, covered by [cse_v1]
            x + (y + 7): 3 times, cost 2, bind cse_v2, Associative
            x + y: 2 times, cost 1, covered by [cse_v2]
        "#]],
    );
    check(
        Equivalence::Arithmetic,
        text,
        expect![[r#"
            for i, j in T.grid(8, 8):
                cse_v1: T.let[T.int32] = i * 8 + (j + 1)
                A[cse_v1] = 1
                A[cse_v1] = 2
            cse_v2: T.let[T.int32] = x + (y + 7)
            A[0] = cse_v2
            A[1] = cse_v2
            A[2] = cse_v2
            ---
            i * 8 + (j + 1): 2 times, cost 3, bind cse_v1, Associative
            i * 8: 2 times, cost 1, covered by [cse_v1]
            x + (y + 7): 3 times, cost 2, bind cse_v2, Associative
            x + y: 2 times, cost 1, covered by [cse_v2]
        "#]],
    );
}

#[test]
fn sum_that_may_overflow_serves_other_orders_only_after_it_was_used() {
    check(
        Equivalence::Associative,
        "def f(A: T.Buffer((64,), \"int32\"), x: T.int32, y: T.int32, z: T.int32):
    a: T.let[T.int32] = T.min(x + (y + 7), 0)
    A[1] = (x + y) + 7
    A[2] = T.if_then_else(z < 3, z + (y + 9), 0)
    A[3] = (z + y) + 9
    A[4] = (x + (z + 5)) * 2
    A[5] = (x + z) + 5
",
        expect![[r#"
            a: T.let[T.int32] = T.min(x + (y + 7), 0)
            A[1] = x + y + 7
            A[2] = T.if_then_else(z < 3, z + (y + 9), 0)
            A[3] = z + y + 9
            cse_v1: T.let[T.int32] = x + (z + 5)
            A[4] = cse_v1 * 2
            A[5] = cse_v1
            ---
            x + (y + 7): 2 times, cost 2, overflow, Associative
            z + (y + 9): 2 times, cost 2, overflow, Associative
            x + (z + 5): 2 times, cost 2, bind cse_v1, Associative
        "#]],
    );
}

#[test]
fn distribution_is_arithmetic() {
    let text = "def f(A: T.Buffer((4096,), \"int32\"), x: T.int32):
    for i, j in T.grid(8, 8):
        A[(i + 1) * 8 + j] = 1
        A[i * 8 + j + 8] = 2
";
    check(
        Equivalence::Associative,
        text,
        expect![[r#"
        for i, j in T.grid(8, 8):
            A[(i + 1) * 8 + j] = 1
            A[i * 8 + j + 8] = 2
        ---
    "#]],
    );
    check(
        Equivalence::Arithmetic,
        text,
        expect![[r#"
            for i, j in T.grid(8, 8):
                cse_v1: T.let[T.int32] = (i + 1) * 8 + j
                A[cse_v1] = 1
                A[cse_v1] = 2
            ---
            (i + 1) * 8 + j: 2 times, cost 3, bind cse_v1, Arithmetic
        "#]],
    );
}

#[test]
fn bounds_show_that_a_division_cannot_trap() {
    let text = "def f(A: T.Buffer((64,), \"int32\"), x: T.int32, n: T.int32):
    for i in range(x):
        if x < 3:
            A[i] = x // (i + 1)
        if x < 7:
            A[i] = x // (i + 1) + 1
    if n > 0:
        if x < 3:
            A[0] = x // n
        if x < 7:
            A[1] = x // n
";
    check(
        Equivalence::Commutative,
        text,
        expect![[r#"
        for i in range(x):
            cse_v1: T.let[T.int32] = x // (i + 1)
            if x < 3:
                A[i] = cse_v1
            if x < 7:
                A[i] = cse_v1 + 1
        if n > 0:
            cse_v2: T.let[T.int32] = x // n
            if x < 3:
                A[0] = cse_v2
            if x < 7:
                A[1] = cse_v2
        ---
        x < 3: 2 times, cost 1, predicate
        x // (i + 1): 2 times, cost 21, bind cse_v1
        i + 1: 2 times, cost 1, covered by [cse_v1]
        x < 7: 2 times, cost 1, predicate
        x // n: 2 times, cost 20, bind cse_v2
    "#]],
    );
}

#[test]
fn a_load_in_bounds_may_leave_its_guard_if_no_other_thread_writes() {
    let text = "def f(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), x: T.int32):
    T.func_attr({\"tirx.noalias\": True})
    with T.launch_thread(\"threadIdx.x\", 64) as tx:
        S = T.alloc_buffer((64,), \"int32\", scope=\"shared\")
        S[tx] = x
        T.tvm_storage_sync(\"shared\")
        if x < 5:
            B[tx] = A[tx] + S[tx]
        if x < 7:
            B[tx] = A[tx] * 2 + S[tx]
        if x < 8:
            B[tx] = A[tx + x]
        if x < 9:
            B[tx] = A[tx + x]
        L = T.alloc_buffer((4,), \"int32\", scope=\"local\")
        L[tx % 4] = x
        if x < 2:
            B[tx] = L[x % 4]
        if x < 1:
            B[tx] = L[x % 4] + 1
";
    check(
        Equivalence::Commutative,
        text,
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            tx = T.launch_thread("threadIdx.x", 64)
            S = T.alloc_shared((64,), "int32")
            S[tx] = x
            T.tvm_storage_sync("shared")
            cse_v1: T.let[T.int32] = A[tx]
            if x < 5:
                B[tx] = cse_v1 + S[tx]
            if x < 7:
                B[tx] = cse_v1 * 2 + S[tx]
            cse_v2: T.let[T.int32] = tx + x
            if x < 8:
                B[tx] = A[cse_v2]
            if x < 9:
                B[tx] = A[cse_v2]
            L = T.alloc_local((4,), "int32")
            L[tx % 4] = x
            cse_v3: T.let[T.int32] = x % 4
            if x < 2:
                B[tx] = L[cse_v3]
            if x < 1:
                B[tx] = L[cse_v3] + 1
            ---
            A[tx]: 2 times, cost 4, bind cse_v1
            S[tx]: 2 times, cost 4, may-trap
            A[tx + x]: 2 times, cost 5, may-trap
            tx + x: 2 times, cost 1, bind cse_v2
            L[x % 4]: 2 times, cost 8, may-trap
            x % 4: 2 times, cost 4, bind cse_v3
        "#]],
    );
}

#[test]
fn a_condition_uses_a_sum_that_may_have_overflowed() {
    let text = "def f(A: T.Buffer((64,), \"int32\"), x: T.int32, y: T.int32, i: T.int32):
    s: T.let[T.int32] = x * y
    if i < 3:
        A[0] = T.if_then_else(s < 7, x, y)
    if i < 5:
        A[1] = T.if_then_else(s < 7, x, y)
    if i < 7:
        A[2] = T.if_then_else(i < 7, x, y)
    if i < 9:
        A[3] = T.if_then_else(i < 7, x, y)
";
    check(
        Equivalence::Commutative,
        text,
        expect![[r#"
        s: T.let[T.int32] = x * y
        if i < 3:
            A[0] = T.if_then_else(s < 7, x, y)
        if i < 5:
            A[1] = T.if_then_else(s < 7, x, y)
        cse_v1: T.let[T.int32] = T.if_then_else(i < 7, x, y)
        if i < 7:
            A[2] = cse_v1
        if i < 9:
            A[3] = cse_v1
        ---
        T.if_then_else(s < 7, x, y): 2 times, cost 2, may-trap
        i < 7: 3 times, cost 1, predicate
        T.if_then_else(i < 7, x, y): 2 times, cost 2, bind cse_v1
    "#]],
    );
}

#[test]
fn a_form_that_names_the_variable_of_a_let_is_never_the_value() {
    // Where `z` is read the open form could stand earlier, if it could stand anywhere.
    check(
        Equivalence::Arithmetic,
        &format!(
            "{HEAD}    v = T.int32()
    if 0 < x and x < 9 and 0 < y and y < 9:
        A[0] = T.Let((v + x * y) - v, where={{v: A[x] % 7}})
        w: T.let[T.int32] = z % 5
        A[1] = T.Let((w + x * y) - w, where={{v: 1}})
        A[2] = T.Let((w + x * y) - w, where={{v: 1}})
"
        ),
        expect![[r#"
            if 0 < x and x < 9 and 0 < y and y < 9:
                v = T.int32()
                A[0] = T.Let(v + x * y - v, where={v: A[x] % 7})
                w: T.let[T.int32] = z % 5
                cse_v1: T.let[T.int32] = w + x * y - w
                v_1 = T.int32()
                A[1] = T.Let(cse_v1, where={v_1: 1})
                v_2 = T.int32()
                A[2] = T.Let(cse_v1, where={v_2: 1})
            ---
            w + x * y - w: 2 times, cost 3, bind cse_v1
            w + x * y: 2 times, cost 2, covered by [cse_v1]
        "#]],
    );
}
