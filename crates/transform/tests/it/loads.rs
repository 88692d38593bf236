//! The preset `default` on memory reads: shared while nothing may write between, and only where the access is certain.

use expect_test::{Expect, expect};

use crate::support::{kernel, sound};

#[track_caller]
fn check(statements: &str, expected: Expect) {
    expected.assert_eq(&sound(&kernel(statements)));
}

#[track_caller]
fn check_function(text: &str, expected: Expect) {
    expected
        .assert_eq(&sound(&format!("from tvm.script import tirx as T\n\n@T.prim_func\n{text}")));
}

#[test]
fn a_load_is_shared_until_something_writes() {
    check(
        "
        A[0] = A[x] * 2 + A[x]
        A[1] = A[x] + 1
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = A[x]
            A[0] = cse_v1 * 2 + cse_v1
            A[1] = A[x] + 1
            ---
            A[x]: 2 times, cost 4, bind cse_v1
            A[x]: 2 times, cost 4, memory
        "#]],
    );
}

#[test]
fn a_store_to_another_parameter_is_no_obstacle_with_noalias() {
    let body = "
    B[0] = A[x] * 2
    B[1] = A[x] + 1
    if x < 3:
        B[2] = A[x] + 2
";
    let head = "def f(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), x: T.int32):";
    let noalias = "\n    T.func_attr({\"tirx.noalias\": True})";
    check_function(
        &format!("{head}{noalias}{body}"),
        expect![[r#"
        T.func_attr({"tirx.noalias": True})
        cse_v1: T.let[T.int32] = A[x]
        B[0] = cse_v1 * 2
        B[1] = cse_v1 + 1
        if x < 3:
            B[2] = cse_v1 + 2
        ---
        A[x]: 3 times, cost 4, bind cse_v1
    "#]],
    );
    check_function(
        &format!("{head}{body}"),
        expect![[r#"
            B[0] = A[x] * 2
            B[1] = A[x] + 1
            if x < 3:
                B[2] = A[x] + 2
            ---
            A[x]: 3 times, cost 4, memory
        "#]],
    );
}

#[test]
fn a_load_leaves_its_guard_only_where_it_is_in_bounds() {
    check_function(
        "def f(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), x: T.int32):
    T.func_attr({\"tirx.noalias\": True})
    if x < 64:
        B[0] = A[x]
    if x < 32:
        B[1] = A[x]
    if x < 16:
        B[2] = A[7]
    if x < 8:
        B[3] = A[7]
",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            if x < 64:
                B[0] = A[x]
            if x < 32:
                B[1] = A[x]
            cse_v1: T.let[T.int32] = A[7]
            if x < 16:
                B[2] = cse_v1
            if x < 8:
                B[3] = cse_v1
            ---
            A[x]: 2 times, cost 4, may-trap
            A[7]: 2 times, cost 4, bind cse_v1
        "#]],
    );
}

#[test]
fn a_loop_that_writes_gives_each_iteration_its_own_value() {
    check(
        "
        A[0] = A[x]
        for i in range(4):
            A[i] = A[x + 1] + A[x + 1] * i
        A[1] = A[x + 1]
        A[2] = A[x + 1] * 2
        ",
        expect![[r#"
            A[0] = A[x]
            cse_v1: T.let[T.int32] = x + 1
            for i in range(4):
                cse_v2: T.let[T.int32] = A[cse_v1]
                A[i] = cse_v2 + cse_v2 * i
            A[1] = A[cse_v1]
            A[2] = A[cse_v1] * 2
            ---
            A[x + 1]: 2 times, cost 5, bind cse_v2
            A[x + 1]: 3 times, cost 5, memory
            x + 1: 4 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn polled_memory_is_loaded_again() {
    check_function(
        "def f(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), x: T.int32):
    T.func_attr({\"tirx.noalias\": True})
    B[0] = A[x]
    while A[x] < 1:
        B[1] = A[x]
    B[2] = A[x]
",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            B[0] = A[x]
            while A[x] < 1:
                B[1] = A[x]
            B[2] = A[x]
            ---
            A[x]: 4 times, cost 4, memory
        "#]],
    );
}

#[test]
fn barriers_and_unknown_calls_end_what_is_known_of_memory() {
    check_function(
        "def f(A: T.Buffer((64,), \"int32\"), x: T.int32):
    with T.launch_thread(\"threadIdx.x\", 32) as tx:
        S = T.alloc_buffer((32,), \"int32\", scope=\"shared\")
        L = T.alloc_buffer((32,), \"int32\", scope=\"local\")
        S[tx] = x
        L[tx] = x
        A[0] = S[x] + L[x]
        T.tvm_storage_sync(\"shared\")
        A[1] = S[x] + L[x]
        T.evaluate(T.call_extern(\"int32\", \"g\", x))
        A[2] = S[x] + L[x]
",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 32)
            S = T.alloc_shared((32,), "int32")
            L = T.alloc_local((32,), "int32")
            S[tx] = x
            L[tx] = x
            cse_v1: T.let[T.int32] = L[x]
            A[0] = S[x] + cse_v1
            T.tvm_storage_sync("shared")
            A[1] = S[x] + cse_v1
            T.call_extern("int32", "g", x)
            A[2] = S[x] + cse_v1
            ---
            S[x]: 3 times, cost 4, memory
            L[x]: 3 times, cost 4, bind cse_v1
        "#]],
    );
}

#[test]
fn the_users_binding_of_a_load_is_reused() {
    check(
        "
        a: T.let[T.int32] = A[x]
        b: T.let[T.int32] = A[x] + a
        A[0] = a + b
        A[1] = A[x]
        A[2] = A[x]
        ",
        expect![[r#"
            a: T.let[T.int32] = A[x]
            b: T.let[T.int32] = a + a
            A[0] = a + b
            A[1] = A[x]
            A[2] = A[x]
            ---
            A[x]: 2 times, cost 4, reuse a
            A[x]: 3 times, cost 4, memory
        "#]],
    );
}

#[test]
fn places_are_no_values() {
    check_function(
        "def f(A: T.Buffer((64,), \"int32\"), x: T.int32):
    T.evaluate(T.call_extern(\"int32\", \"g\", T.address_of(A[x * 2]), A[x * 2] + 1, A[x * 2] + 2))
    T.evaluate(T.call_extern(\"int32\", \"g\", T.address_of(A[x * 2]), A[x * 2] + 3))
",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * 2
            cse_v2: T.let[T.int32] = A[cse_v1]
            T.call_extern("int32", "g", T.address_of(A[cse_v1]), cse_v2 + 1, cse_v2 + 2)
            T.call_extern("int32", "g", T.address_of(A[cse_v1]), A[cse_v1] + 3)
            ---
            x * 2: 5 times, cost 1, bind cse_v1
            A[x * 2]: 2 times, cost 5, bind cse_v2
            A[x * 2]: 2 times, cost 5, memory
        "#]],
    );
}

#[test]
fn the_type_of_a_pointer_is_no_value() {
    check_function(
        "def f(A: T.Buffer((64,), \"int32\"), x: T.int32):
    T.evaluate(T.call_extern(\"int32\", \"g\", T.tvm_access_ptr(T.type_annotation(\"int32\"), A.data, x * 2, 4, 1)))
    T.evaluate(T.call_extern(\"int32\", \"g\", T.tvm_access_ptr(T.type_annotation(\"int32\"), A.data, x * 2, 4, 2)))
",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * 2
            T.call_extern("int32", "g", T.tvm_access_ptr(T.type_annotation("int32"), A.data, cse_v1, 4, 1))
            T.call_extern("int32", "g", T.tvm_access_ptr(T.type_annotation("int32"), A.data, cse_v1, 4, 2))
            ---
            x * 2: 2 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn operands_of_commutative_operators_may_change_places() {
    check_function(
        "def f(A: T.Buffer((64,), \"float32\"), x: T.int32, y: T.int32, a: T.float32, b: T.float32):
    A[x * y + 1] = a * b + 1.0
    A[1 + y * x] = b * a + 2.0
    A[2] = T.max(a, b)
    A[3] = T.max(b, a)
    A[4] = T.Cast(\"float32\", T.max(x, y) - T.max(y, x))
",
        expect![[r#"
            cse_v1: T.let[T.float32] = a * b
            cse_v2: T.let[T.int32] = x * y + 1
            A[cse_v2] = cse_v1 + T.float32(1.0)
            A[cse_v2] = cse_v1 + T.float32(2.0)
            A[2] = T.max(a, b)
            A[3] = T.max(b, a)
            cse_v3: T.let[T.int32] = T.max(x, y)
            A[4] = T.Cast("float32", cse_v3 - cse_v3)
            ---
            a * b: 2 times, cost 1, bind cse_v1, Commutative
            x * y + 1: 2 times, cost 2, bind cse_v2, Commutative
            x * y: 2 times, cost 1, covered by [cse_v2], Commutative
            T.max(x, y): 2 times, cost 1, bind cse_v3, Commutative
        "#]],
    );
}
