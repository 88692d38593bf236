//! The preset `default`: the groups that it finds, the places where it binds, and its limits.

use expect_test::{Expect, expect};

use crate::support::{kernel, sound};

/// The body after the plan, then the plan.
#[track_caller]
fn check(text: &str, expected: Expect) {
    expected.assert_eq(&sound(text));
}

#[track_caller]
fn check_kernel(statements: &str, expected: Expect) {
    check(&kernel(statements), expected);
}

#[test]
fn larger_values_first_and_no_name_for_a_single_use() {
    check_kernel(
        "
        A[0] = (x + y) * 2 + x
        A[1] = (x + y) * 2 + y
        A[2] = x * 7
        A[3] = x * 7 + y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = (x + y) * 2
            A[0] = cse_v1 + x
            A[1] = cse_v1 + y
            cse_v2: T.let[T.int32] = x * 7
            A[2] = cse_v2
            A[3] = cse_v2 + y
            ---
            (x + y) * 2: 2 times, cost 2, bind cse_v1
            x + y: 2 times, cost 1, covered by [cse_v1]
            x * 7: 2 times, cost 1, bind cse_v2
        "#]],
    );
}

#[test]
fn a_value_uses_the_names_of_its_parts() {
    check_kernel(
        "
        A[0] = (x + y) * 2
        A[1] = (x + y) * 2
        A[2] = x + y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x + y
            cse_v2: T.let[T.int32] = cse_v1 * 2
            A[0] = cse_v2
            A[1] = cse_v2
            A[2] = cse_v1
            ---
            (x + y) * 2: 2 times, cost 2, bind cse_v2
            x + y: 3 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn a_guarded_division_stays_behind_its_guard() {
    check_kernel(
        "
        A[0] = T.if_then_else(y != 0, x // y, -1)
        A[1] = T.if_then_else(y != 0, x // y, -2)
        ",
        expect![[r#"
            A[0] = T.if_then_else(y != 0, x // y, -1)
            A[1] = T.if_then_else(y != 0, x // y, -2)
            ---
            y != 0: 2 times, cost 1, predicate
            x // y: 2 times, cost 20, may-trap
        "#]],
    );
}

#[test]
fn two_uses_in_one_guard_are_bound_in_it() {
    check_kernel(
        "
        if y != 0:
            A[0] = x // y
            A[1] = x // y + 1
        if y > 7:
            A[2] = x // y
        ",
        expect![[r#"
            if y != 0:
                cse_v1: T.let[T.int32] = x // y
                A[0] = cse_v1
                A[1] = cse_v1 + 1
            if y > 7:
                A[2] = x // y
            ---
            x // y: 2 times, cost 20, bind cse_v1
            x // y: 1 times, cost 20, may-trap
        "#]],
    );
}

#[test]
fn both_arms_compute_it_so_it_may_stand_above() {
    check_kernel(
        "
        if x < 4:
            A[0] = x // y
        else:
            A[1] = x // y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x // y
            if x < 4:
                A[0] = cse_v1
            else:
                A[1] = cse_v1
            ---
            x // y: 2 times, cost 20, bind cse_v1
        "#]],
    );
}

#[test]
fn a_certain_use_lets_a_guarded_one_before_it_share() {
    check_kernel(
        "
        if x < 4:
            A[0] = x // y
        A[1] = x // y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x // y
            if x < 4:
                A[0] = cse_v1
            A[1] = cse_v1
            ---
            x // y: 2 times, cost 20, bind cse_v1
        "#]],
    );
}

#[test]
fn nothing_that_may_trap_crosses_what_may_end_the_function() {
    check_kernel(
        "
        if x < 4:
            A[0] = x // y
        assert y != 0, \"zero\"
        A[1] = x // y
        A[2] = x // y
        ",
        expect![[r#"
            if x < 4:
                A[0] = x // y
            assert y != 0, "zero"
            cse_v1: T.let[T.int32] = x // y
            A[1] = cse_v1
            A[2] = cse_v1
            ---
            x // y: 1 times, cost 20, may-trap
            x // y: 2 times, cost 20, bind cse_v1
        "#]],
    );
}

#[test]
fn a_loop_that_may_run_no_iteration_guards_its_body() {
    check_kernel(
        "
        for i in range(x):
            A[i] = x // y
        for i in range(x):
            A[i] = x // y + i
        for i in range(4):
            A[i] = x % y
        for i in range(4):
            A[i] = x % y + i
        ",
        expect![[r#"
            for i in range(x):
                A[i] = x // y
            for i in range(x):
                A[i] = x // y + i
            cse_v1: T.let[T.int32] = x % y
            for i in range(4):
                A[i] = cse_v1
            for i in range(4):
                A[i] = cse_v1 + i
            ---
            x // y: 2 times, cost 20, may-trap
            x % y: 2 times, cost 20, bind cse_v1
        "#]],
    );
}

#[test]
fn the_right_side_of_and_is_not_certain() {
    check_kernel(
        "
        if y != 0 and x // y > 2:
            A[0] = x // y
        ",
        expect![[r#"
            if y != 0 and x // y > 2:
                A[0] = x // y
            ---
            x // y: 2 times, cost 20, may-trap
        "#]],
    );
}

#[test]
fn a_divisor_that_is_not_zero_cannot_trap() {
    check_kernel(
        "
        A[0] = T.if_then_else(y != 0, x // 8, -1)
        A[1] = T.if_then_else(y != 0, x // 8, -2)
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x // 8
            A[0] = T.if_then_else(y != 0, cse_v1, -1)
            A[1] = T.if_then_else(y != 0, cse_v1, -2)
            ---
            y != 0: 2 times, cost 1, predicate
            x // 8: 2 times, cost 4, bind cse_v1
        "#]],
    );
}

#[test]
fn a_while_condition_is_certain_once_and_its_body_is_not() {
    check_kernel(
        "
        while A[0] < x // y:
            A[0] = A[0] + x % y
            A[1] = x // y + x % y
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x // y
            while A[0] < cse_v1:
                cse_v2: T.let[T.int32] = x % y
                A[0] = A[0] + cse_v2
                A[1] = cse_v1 + cse_v2
            ---
            A[0]: 2 times, cost 4, memory
            x // y: 2 times, cost 20, bind cse_v1
            x % y: 2 times, cost 20, bind cse_v2
        "#]],
    );
}

#[test]
fn the_users_own_binding_is_reused() {
    check_kernel(
        "
        n: T.let[T.int32] = x * y
        A[0] = x * y
        A[1] = x * y + n
        m: T.let[T.int32] = x * y
        A[m] = (x * y + 3) * 2
        A[1] = (x * y + 3) * 2
        ",
        expect![[r#"
            n: T.let[T.int32] = x * y
            A[0] = n
            A[1] = n + n
            m: T.let[T.int32] = n
            cse_v1: T.let[T.int32] = (n + 3) * 2
            A[m] = cse_v1
            A[1] = cse_v1
            ---
            x * y: 6 times, cost 1, reuse n
            (x * y + 3) * 2: 2 times, cost 3, bind cse_v1
            x * y + 3: 2 times, cost 2, covered by [cse_v1]
        "#]],
    );
}

#[test]
fn a_use_before_the_users_binding_needs_a_new_one() {
    check_kernel(
        "
        A[0] = x * y
        n: T.let[T.int32] = x * y
        A[1] = x * y + n
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            A[0] = cse_v1
            n: T.let[T.int32] = cse_v1
            A[1] = cse_v1 + n
            ---
            x * y: 3 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn names_differ_from_all_that_are_there() {
    check_kernel(
        "
        A[0] = x * y
        A[1] = x * y
        cse_v1: T.let[T.int32] = A[3]
        A[cse_v1] = x * 2 + x * 2
        ",
        expect![[r#"
            cse_v2: T.let[T.int32] = x * y
            A[0] = cse_v2
            A[1] = cse_v2
            cse_v1: T.let[T.int32] = A[3]
            cse_v3: T.let[T.int32] = x * 2
            A[cse_v1] = cse_v3 + cse_v3
            ---
            x * y: 2 times, cost 1, bind cse_v2
            x * 2: 2 times, cost 1, bind cse_v3
        "#]],
    );
}

#[test]
fn kernels_share_nothing_and_the_host_only_integers_it_has() {
    check(
        "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((1024,), \"float32\"), x: T.int32, y: T.int32, a: T.float32, b: T.float32):
    with T.launch_thread(\"blockIdx.x\", 16) as bx:
        A[bx + x * y] = a * b
    with T.launch_thread(\"blockIdx.x\", 16) as bx:
        A[bx + x * y] = a * b
    A[x + y] = a + b
    with T.launch_thread(\"blockIdx.x\", 16) as bx:
        A[bx * 2 + (x + y)] = a + b
        A[bx * 2 + 1] = a + b
",
        expect![[r#"
            with T.launch_thread("blockIdx.x", 16) as bx:
                A[bx + x * y] = a * b
            with T.launch_thread("blockIdx.x", 16) as bx:
                A[bx + x * y] = a * b
            cse_v1: T.let[T.float32] = a + b
            cse_v2: T.let[T.int32] = x + y
            A[cse_v2] = cse_v1
            with T.launch_thread("blockIdx.x", 16) as bx:
                cse_v3: T.let[T.int32] = bx * 2
                A[cse_v3 + cse_v2] = cse_v1
                A[cse_v3 + 1] = cse_v1
            ---
            a * b: 2 times, cost 1, launch-bound
            x * y: 2 times, cost 1, launch-bound
            a + b: 3 times, cost 1, bind cse_v1
            x + y: 2 times, cost 1, bind cse_v2
            bx * 2: 2 times, cost 1, bind cse_v3
        "#]],
    );
}

#[test]
fn launch_bounds_stay_as_they_are() {
    check(
        "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((1024,), \"int32\"), x: T.int32):
    with T.launch_thread(\"blockIdx.x\", x * 4) as bx:
        with T.launch_thread(\"threadIdx.x\", x * 4) as tx:
            A[bx] = x * 4
            A[tx] = x * 4
",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * 4
            with T.launch_thread("blockIdx.x", cse_v1) as bx:
                tx = T.launch_thread("threadIdx.x", cse_v1)
                A[bx] = cse_v1
                A[tx] = cse_v1
            ---
            x * 4: 4 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn calls_that_are_values_are_shared() {
    check(
        "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((1024,), \"float32\"), x: T.int32, y: T.int32, a: T.float32):
    A[0] = T.exp(a) * 2.0
    A[1] = T.exp(a) + 1.0
    A[2] = T.if_then_else(x < 3, T.log2(a), a)
    A[3] = T.if_then_else(x < 3, T.log2(a), a) * a
    A[T.shift_left(x, y)] = 0.0
    A[T.shift_left(x, y) + 1] = T.call_extern(\"float32\", \"next\", a)
    A[6] = T.call_extern(\"float32\", \"next\", a)
    A[x] = T.if_then_else(T.likely(x < 8), a * 3.0, a)
    A[y] = T.if_then_else(T.likely(x < 8), a * 4.0, a)
",
        expect![[r#"
            cse_v1: T.let[T.float32] = T.exp(a)
            A[0] = cse_v1 * T.float32(2.0)
            A[1] = cse_v1 + T.float32(1.0)
            cse_v2: T.let[T.float32] = T.if_then_else(x < 3, T.log2(a), a)
            A[2] = cse_v2
            A[3] = cse_v2 * a
            cse_v3: T.let[T.int32] = x << y
            A[cse_v3] = T.float32(0.0)
            A[cse_v3 + 1] = T.call_extern("float32", "next", a)
            A[6] = T.call_extern("float32", "next", a)
            A[x] = T.if_then_else(T.likely(x < 8), a * T.float32(3.0), a)
            A[y] = T.if_then_else(T.likely(x < 8), a * T.float32(4.0), a)
            ---
            T.exp(a): 2 times, cost 16, bind cse_v1
            T.if_then_else(x < 3, T.log2(a), a): 2 times, cost 18, bind cse_v2
            T.log2(a): 2 times, cost 16, covered by [cse_v2]
            x << y: 2 times, cost 1, bind cse_v3
            x < 8: 2 times, cost 1, predicate
        "#]],
    );
}

#[test]
fn convergent_calls_stay_in_their_block() {
    check(
        "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((1024,), \"int32\"), x: T.int32):
    with T.launch_thread(\"threadIdx.x\", 32) as tx:
        A[tx] = T.tvm_warp_shuffle(T.uint32(7), x, 0, 32, 32)
        A[tx + 32] = T.tvm_warp_shuffle(T.uint32(7), x, 0, 32, 32)
        if tx < 5:
            A[tx + 64] = T.tvm_warp_shuffle(T.uint32(7), x, 0, 32, 32)
        A[tx + 96] = T.tvm_warp_shuffle(T.uint32(7), x, 0, 32, 32)
",
        expect![[r#"
            tx = T.launch_thread("threadIdx.x", 32)
            cse_v1: T.let[T.int32] = T.tvm_warp_shuffle(T.uint32(7), x, 0, 32, 32)
            A[tx] = cse_v1
            A[tx + 32] = cse_v1
            if tx < 5:
                A[tx + 64] = T.tvm_warp_shuffle(T.uint32(7), x, 0, 32, 32)
            A[tx + 96] = T.tvm_warp_shuffle(T.uint32(7), x, 0, 32, 32)
            ---
            T.tvm_warp_shuffle(T.uint32(7), x, 0, 32, 32): 2 times, cost 16, bind cse_v1
            T.tvm_warp_shuffle(T.uint32(7), x, 0, 32, 32): 3 times, cost 16, convergent
        "#]],
    );
}

#[test]
fn values_of_the_host_are_passed_to_kernels() {
    check(
        "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((1024,), \"float32\"), n: T.int32, a: T.float32):
    for i in range(T.Cast(\"int32\", T.ceil(T.Cast(\"float32\", n)))):
        with T.launch_thread(\"blockIdx.x\", n * 4) as bx:
            A[bx] = T.ceil(T.Cast(\"float32\", n)) + T.log2(a)
        with T.launch_thread(\"blockIdx.x\", n * 4) as bx:
            with T.launch_thread(\"threadIdx.x\", n * 4) as tx:
                A[bx] = T.ceil(T.Cast(\"float32\", n)) + T.Cast(\"float32\", tx + i)
    A[0] = T.log2(a)
",
        expect![[r#"
            cse_v1: T.let[T.float32] = T.ceil(T.Cast("float32", n))
            for i in range(T.Cast("int32", cse_v1)):
                cse_v2: T.let[T.int32] = n * 4
                with T.launch_thread("blockIdx.x", cse_v2) as bx:
                    A[bx] = cse_v1 + T.log2(a)
                with T.launch_thread("blockIdx.x", cse_v2) as bx:
                    tx = T.launch_thread("threadIdx.x", cse_v2)
                    A[bx] = cse_v1 + T.Cast("float32", tx + i)
            A[0] = T.log2(a)
            ---
            T.ceil(T.Cast("float32", n)): 3 times, cost 2, bind cse_v1
            T.Cast("float32", n): 3 times, cost 1, covered by [cse_v1]
            n * 4: 3 times, cost 1, bind cse_v2
            T.log2(a): 2 times, cost 16, launch-bound
        "#]],
    );
}

#[test]
fn narrow_integers_are_found_and_left() {
    check(
        "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((1024,), \"int32\"), a: T.int8, b: T.int8):
    A[0] = T.Cast(\"int32\", a + b)
    A[1] = T.Cast(\"int32\", a + b) * 2
",
        expect![[r#"
            cse_v1: T.let[T.int32] = T.Cast("int32", a + b)
            A[0] = cse_v1
            A[1] = cse_v1 * 2
            ---
            T.Cast("int32", a + b): 2 times, cost 2, bind cse_v1
            a + b: 2 times, cost 1, narrow-integer
        "#]],
    );
}

#[test]
fn loads_calls_predicates_and_binders_are_found_with_the_reason() {
    check(
        "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((1024,), \"float32\"), x: T.int32, a: T.float32):
    v = T.int32()
    A[0] = T.exp(a) * 2.0 + A[x]
    A[1] = T.exp(a) + A[x]
    if x < 5:
        A[2] = T.Cast(\"float32\", T.Let(v * v + v * v, where={v: x}))
    if x < 5:
        A[3] = 1.0
",
        expect![[r#"
            cse_v1: T.let[T.float32] = T.exp(a)
            A[0] = cse_v1 * T.float32(2.0) + A[x]
            A[1] = cse_v1 + A[x]
            if x < 5:
                v = T.int32()
                A[2] = T.Cast("float32", T.Let(v * v + v * v, where={v: x}))
            if x < 5:
                A[3] = T.float32(1.0)
            ---
            T.exp(a): 2 times, cost 16, bind cse_v1
            A[x]: 2 times, cost 4, memory
            x < 5: 2 times, cost 1, predicate
            bound_0 * bound_0: 2 times, cost 1, under-binder
        "#]],
    );
}

#[test]
fn an_unknown_branch_is_not_crossed() {
    check(
        "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((1024,), \"int32\"), x: T.int32):
    A[0] = x * 4
    A[1] = x * 4
    if UNKNOWN:
        A[2] = x * 4
    A[3] = x * 4
",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * 4
            A[0] = cse_v1
            A[1] = cse_v1
            if UNKNOWN:
                A[2] = x * 4
            A[3] = x * 4
            ---
            x * 4: 2 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn block_and_init_have_no_common_site() {
    check(
        "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), x: T.int32):
    for i, k in T.grid(4, 16):
        with T.sblock(\"b\"):
            vi = T.axis.spatial(4, i)
            vk = T.axis.reduce(16, k)
            T.reads()
            T.writes(A[vi * 3])
            with T.init():
                A[vi * 3] = x * 7
            A[vi * 3] = B[vk] + x * 7
",
        expect![[r#"
            for i, k in T.grid(4, 16):
                cse_v1: T.let[T.int32] = x * 7
                with T.sblock("b"):
                    vi = T.axis.spatial(4, i)
                    vk = T.axis.reduce(16, k)
                    T.reads()
                    T.writes(A[vi * 3])
                    with T.init():
                        A[vi * 3] = cse_v1
                    A[vi * 3] = B[vk] + cse_v1
            ---
            x * 7: 2 times, cost 1, bind cse_v1
            vi * 3: 2 times, cost 1, no-binding-site
        "#]],
    );
}

#[test]
fn a_variable_is_what_it_is_bound_to() {
    check_kernel(
        "
        a: T.let[T.int32] = x * y
        A[0] = a + 1
        A[1] = x * y + 1
        if x < 3:
            b: T.let[T.int32] = x * 5
            A[2] = b * 2
        else:
            A[3] = x * 5 * 2
        c: T.let[T.int32] = x // y
        A[4] = c * 3
        A[5] = (x // y) * 3 + c
        ",
        expect![[r#"
            a: T.let[T.int32] = x * y
            cse_v1: T.let[T.int32] = a + 1
            A[0] = cse_v1
            A[1] = cse_v1
            cse_v2: T.let[T.int32] = x * 5
            cse_v3: T.let[T.int32] = cse_v2 * 2
            if x < 3:
                b: T.let[T.int32] = cse_v2
                A[2] = cse_v3
            else:
                A[3] = cse_v3
            c: T.let[T.int32] = x // y
            cse_v4: T.let[T.int32] = c * 3
            A[4] = cse_v4
            A[5] = cse_v4 + c
            ---
            x * y: 2 times, cost 1, reuse a
            x * y + 1: 2 times, cost 2, bind cse_v1
            x * 5: 2 times, cost 1, bind cse_v2
            x * 5 * 2: 2 times, cost 2, bind cse_v3
            x // y: 2 times, cost 20, reuse c
            x // y * 3: 2 times, cost 21, bind cse_v4
        "#]],
    );
}

#[test]
fn a_variable_is_no_condition_early_if_it_may_come_from_an_overflow() {
    check_kernel(
        "
        a: T.let[T.bool] = (x * x) < -2
        if y < 3:
            A[0] = T.if_then_else(a, x, y)
        if y < 5:
            A[1] = T.if_then_else(a, x, y)
        b: T.let[T.bool] = y < -2
        if y < 3:
            A[2] = T.if_then_else(b, x, y)
        if y < 5:
            A[3] = T.if_then_else(b, x, y)
        ",
        expect![[r#"
            a: T.let[T.bool] = x * x < -2
            if y < 3:
                A[0] = T.if_then_else(a, x, y)
            if y < 5:
                A[1] = T.if_then_else(a, x, y)
            b: T.let[T.bool] = y < -2
            cse_v1: T.let[T.int32] = T.if_then_else(b, x, y)
            if y < 3:
                A[2] = cse_v1
            if y < 5:
                A[3] = cse_v1
            ---
            y < 3: 2 times, cost 1, predicate
            T.if_then_else(a, x, y): 2 times, cost 1, may-trap
            y < 5: 2 times, cost 1, predicate
            T.if_then_else(b, x, y): 2 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn value_that_no_path_computes_twice_is_not_hoisted() {
    check_kernel(
        "
        if x < 3:
            A[0] = x * y
        elif x < 5:
            A[1] = x * y
        A[2] = T.if_then_else(x < 7, x * 9, T.if_then_else(x < 8, 1 + x * 9, T.if_then_else(y < 4, x * 9 - y, 3)))
        ",
        expect![[r#"
            if x < 3:
                A[0] = x * y
            elif x < 5:
                A[1] = x * y
            A[2] = T.if_then_else(x < 7, x * 9, T.if_then_else(x < 8, 1 + x * 9, T.if_then_else(y < 4, x * 9 - y, 3)))
            ---
            x * y: 2 times, cost 1, no-path-twice
            x * 9: 3 times, cost 1, no-path-twice
        "#]],
    );
}

#[test]
fn value_that_some_path_computes_twice_is_shared_before_the_arms() {
    check_kernel(
        "
        if x < 3:
            A[0] = x * y
        if x < 5:
            A[1] = x * y
        A[2] = T.if_then_else(x < 7, x * 9, y) + T.if_then_else(y < 8, x * 9, x)
        if y < 9:
            for i in range(x):
                A[i] = A[i] + x * 11
        elif y < 12:
            A[3] = x * 11
        if y < 13:
            for i in range(1):
                A[i] = A[i] + x * 13
        elif y < 14:
            A[4] = x * 13
        A[5] = T.if_then_else(x * 15 < y, x * 15, y)
        A[6] = T.Select(x < 20, x * 17, x * 17 + y)
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            if x < 3:
                A[0] = cse_v1
            if x < 5:
                A[1] = cse_v1
            cse_v2: T.let[T.int32] = x * 9
            A[2] = T.if_then_else(x < 7, cse_v2, y) + T.if_then_else(y < 8, cse_v2, x)
            cse_v3: T.let[T.int32] = x * 11
            if y < 9:
                for i in range(x):
                    A[i] = A[i] + cse_v3
            elif y < 12:
                A[3] = cse_v3
            if y < 13:
                for i in range(1):
                    A[i] = A[i] + x * 13
            elif y < 14:
                A[4] = x * 13
            cse_v4: T.let[T.int32] = x * 15
            A[5] = T.if_then_else(cse_v4 < y, cse_v4, y)
            cse_v5: T.let[T.int32] = x * 17
            A[6] = T.Select(x < 20, cse_v5, cse_v5 + y)
            ---
            x * y: 2 times, cost 1, bind cse_v1
            x * 9: 2 times, cost 1, bind cse_v2
            x * 11: 2 times, cost 1, bind cse_v3
            x * 13: 2 times, cost 1, no-path-twice
            x * 15: 2 times, cost 1, bind cse_v4
            x * 17: 2 times, cost 1, bind cse_v5
        "#]],
    );
}

#[test]
fn value_that_every_path_computes_is_shared() {
    check_kernel(
        "
        if x < 3:
            A[0] = x * y
        else:
            A[1] = x * y + 1
        A[2] = T.if_then_else(x < 7, x * 9, x * 9 + 1)
        A[3] = T.if_then_else(x < 1, T.if_then_else(x < 2, x // y, x // y + 1), T.if_then_else(x < 3, x // y + 2, x // y + 3))
        A[4] = T.if_then_else(x < 1, x // 3 // y, T.if_then_else(x < 3, x // 3 // y + 2, T.if_then_else(x < 4, x // 3 // y + 4, 0)))
        A[5] = T.if_then_else(x < 1, x * 21, x * 21 + y) * 2
        A[6] = T.if_then_else(x < 1, x * 21, x * 21 + y) * 2
        A[7] = T.if_then_else(x < 1, x * 23, 3) + T.if_then_else(x < 2, T.if_then_else(x < 3, x * 23, 5), x * 23)
        A[8] = T.if_then_else(x < 1, x * 2 // y, 3) + T.if_then_else(x < 2, T.if_then_else(x < 3, x * 2 // y, 5), x * 2 // y)
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x * y
            if x < 3:
                A[0] = cse_v1
            else:
                A[1] = cse_v1 + 1
            cse_v2: T.let[T.int32] = x * 9
            A[2] = T.if_then_else(x < 7, cse_v2, cse_v2 + 1)
            cse_v3: T.let[T.int32] = x // y
            A[3] = T.if_then_else(x < 1, T.if_then_else(x < 2, cse_v3, cse_v3 + 1), T.if_then_else(x < 3, cse_v3 + 2, cse_v3 + 3))
            A[4] = T.if_then_else(x < 1, x // 3 // y, T.if_then_else(x < 3, x // 3 // y + 2, T.if_then_else(x < 4, x // 3 // y + 4, 0)))
            cse_v4: T.let[T.int32] = x * 21
            cse_v5: T.let[T.int32] = T.if_then_else(x < 1, cse_v4, cse_v4 + y) * 2
            A[5] = cse_v5
            A[6] = cse_v5
            cse_v6: T.let[T.int32] = x * 23
            A[7] = T.if_then_else(x < 1, cse_v6, 3) + T.if_then_else(x < 2, T.if_then_else(x < 3, cse_v6, 5), cse_v6)
            cse_v7: T.let[T.int32] = x * 2
            A[8] = T.if_then_else(x < 1, cse_v7 // y, 3) + T.if_then_else(x < 2, T.if_then_else(x < 3, cse_v7 // y, 5), cse_v7 // y)
            ---
            x < 3: 5 times, cost 1, predicate
            x * y: 2 times, cost 1, bind cse_v1
            x * 9: 2 times, cost 1, bind cse_v2
            x < 1: 6 times, cost 1, predicate
            x < 2: 3 times, cost 1, predicate
            x // y: 4 times, cost 20, bind cse_v3
            x // 3 // y: 3 times, cost 24, may-trap
            x // 3: 3 times, cost 4, no-path-twice
            T.if_then_else(x < 1, x * 21, x * 21 + y) * 2: 2 times, cost 6, bind cse_v5
            T.if_then_else(x < 1, x * 21, x * 21 + y): 2 times, cost 5, covered by [cse_v5]
            x * 21: 4 times, cost 1, bind cse_v4
            x * 21 + y: 2 times, cost 2, covered by [cse_v5]
            x * 23: 3 times, cost 1, bind cse_v6
            x * 2 // y: 3 times, cost 21, may-trap
            x * 2: 3 times, cost 1, bind cse_v7
        "#]],
    );
}

#[test]
fn subexpression_of_several_user_bindings_is_shared() {
    check_kernel(
        "
        for i in range(8):
            if i < x:
                a: T.let[T.int32] = x * y
                A[i] = a
            b: T.let[T.int32] = x * y
            A[x * y] = b
        if y < 3:
            c: T.let[T.int32] = x - y
            A[x - y] = c
        else:
            d: T.let[T.int32] = x - y
            A[1] = d
        ",
        expect![[r#"
            for i in range(8):
                cse_v1: T.let[T.int32] = x * y
                if i < x:
                    a: T.let[T.int32] = cse_v1
                    A[i] = a
                b: T.let[T.int32] = cse_v1
                A[b] = b
            cse_v2: T.let[T.int32] = x - y
            if y < 3:
                c: T.let[T.int32] = cse_v2
                A[c] = c
            else:
                d: T.let[T.int32] = cse_v2
                A[1] = d
            ---
            x * y: 2 times, cost 1, bind cse_v1
            x * y: 1 times, cost 1, reuse b
            x - y: 2 times, cost 1, bind cse_v2
            x - y: 1 times, cost 1, reuse c
        "#]],
    );
}
