//! Values that may trap: each operator in them is computed there anyway, or is shown not to trap, one this way and one
//! that.

use expect_test::{Expect, expect};

use crate::support::sound;

#[track_caller]
fn check(head: &str, statements: &str, expected: Expect) {
    let mut text = format!("from tvm.script import tirx as T\n\n@T.prim_func\ndef f({head}):\n");
    for line in test_utils::trim_indent(statements).lines() {
        text.push_str(&format!("    {line}\n"));
    }
    expected.assert_eq(&sound(&text));
}

const NUMBERS: &str = "A: T.Buffer((1024,), \"int32\"), x: T.int32, y: T.int32, z: T.int32";

#[test]
fn one_operator_is_certain_and_the_other_is_shown_safe() {
    // `x // y` is computed anyway; the remainder by 5 and the access of 16 cells cannot err.
    check(
        "A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\"), x: T.int32, y: T.int32, z: T.int32",
        "
        T.func_attr({\"tirx.noalias\": True})
        A[0] = x // y
        if z > 0:
            A[1] = B[x // y % 16] + x // y % 5
        if z > 1:
            A[2] = B[x // y % 16] + x // y % 5
        ",
        expect![[r#"
            T.func_attr({"tirx.noalias": True})
            cse_v1: T.let[T.int32] = x // y
            A[0] = cse_v1
            cse_v2: T.let[T.int32] = B[cse_v1 % 16] + cse_v1 % 5
            if z > 0:
                A[1] = cse_v2
            if z > 1:
                A[2] = cse_v2
            ---
            x // y: 5 times, cost 20, bind cse_v1
            B[x // y % 16] + x // y % 5: 2 times, cost 53, bind cse_v2
            B[x // y % 16]: 2 times, cost 28, covered by [cse_v2]
            x // y % 16: 2 times, cost 24, covered by [cse_v2]
            x // y % 5: 2 times, cost 24, covered by [cse_v2]
        "#]],
    );
}

#[test]
fn neither_is_enough_alone() {
    check(
        NUMBERS,
        "
        A[0] = x // y
        if z > 0:
            A[1] = x // y % z
        if z > 1:
            A[2] = x // y % z
        if z != 0 and y != 0:
            A[3] = x // y % z
            A[4] = x // y % z
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x // y
            A[0] = cse_v1
            if z > 0:
                A[1] = cse_v1 % z
            if z > 1:
                A[2] = cse_v1 % z
            if z != 0 and y != 0:
                cse_v2: T.let[T.int32] = cse_v1 % z
                A[3] = cse_v2
                A[4] = cse_v2
            ---
            x // y: 5 times, cost 20, bind cse_v1
            x // y % z: 2 times, cost 40, may-trap
            x // y % z: 2 times, cost 40, bind cse_v2
        "#]],
    );
}

#[test]
fn both_arms_of_a_conditional_expression_compute_it() {
    check(
        NUMBERS,
        "
        A[0] = T.if_then_else(z > 0, (x // y) * (x // y), x // y + 1)
        A[1] = T.if_then_else(z > 0, (x // y) * (x // y), 7)
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = x // y
            cse_v2: T.let[T.int32] = cse_v1 * cse_v1
            A[0] = T.if_then_else(z > 0, cse_v2, cse_v1 + 1)
            A[1] = T.if_then_else(z > 0, cse_v2, 7)
            ---
            z > 0: 2 times, cost 1, predicate
            x // y * (x // y): 2 times, cost 41, bind cse_v2
            x // y: 5 times, cost 20, bind cse_v1
        "#]],
    );
    check(
        NUMBERS,
        "
        A[0] = T.if_then_else(z > 0, (x // y) * (x // y), 1)
        A[1] = T.if_then_else(z > 0, (x // y) * (x // y), 7)
        ",
        expect![[r#"
            A[0] = T.if_then_else(z > 0, x // y * (x // y), 1)
            A[1] = T.if_then_else(z > 0, x // y * (x // y), 7)
            ---
            z > 0: 2 times, cost 1, predicate
            x // y * (x // y): 2 times, cost 41, may-trap
            x // y: 4 times, cost 20, may-trap
        "#]],
    );
}

#[test]
fn an_index_that_memory_holds_is_below_what_it_is_a_remainder_of() {
    check(
        "A: T.Buffer((\"n\",), \"int32\"), B: T.Buffer((\"n\",), \"int32\"), C: T.Buffer((\"n\",), \"int32\"), x: T.int32",
        "
        n = T.int32()
        T.func_attr({\"tirx.noalias\": True})
        for i in range(n):
            C[i] = A[i]
            if x > 0:
                C[0] = B[A[i] % n]
            if x > 1:
                C[1] = B[A[i] % n]
            if x > 2:
                C[2] = B[T.min(T.max(A[i], 0), n - 1)]
            if x > 3:
                C[3] = B[T.min(T.max(A[i], 0), n - 1)]
            if x > 4:
                C[4] = B[T.min(T.max(A[i], 0), n)]
            if x > 5:
                C[5] = B[T.min(T.max(A[i], 0), n)]
        ",
        expect![[r#"
            n = T.int32()
            T.func_attr({"tirx.noalias": True})
            for i in range(n):
                cse_v1: T.let[T.int32] = A[i]
                C[i] = cse_v1
                cse_v2: T.let[T.int32] = B[cse_v1 % n]
                if x > 0:
                    C[0] = cse_v2
                if x > 1:
                    C[1] = cse_v2
                cse_v3: T.let[T.int32] = T.max(cse_v1, 0)
                cse_v4: T.let[T.int32] = B[T.min(cse_v3, n - 1)]
                if x > 2:
                    C[2] = cse_v4
                if x > 3:
                    C[3] = cse_v4
                cse_v5: T.let[T.int32] = T.min(cse_v3, n)
                if x > 4:
                    C[4] = B[cse_v5]
                if x > 5:
                    C[5] = B[cse_v5]
            ---
            A[i]: 7 times, cost 4, bind cse_v1
            B[A[i] % n]: 2 times, cost 28, bind cse_v2
            A[i] % n: 2 times, cost 24, covered by [cse_v2]
            B[T.min(T.max(A[i], 0), n - 1)]: 2 times, cost 11, bind cse_v4
            T.min(T.max(A[i], 0), n - 1): 2 times, cost 7, covered by [cse_v4]
            T.max(A[i], 0): 4 times, cost 5, bind cse_v3
            n - 1: 2 times, cost 1, covered by [cse_v4]
            B[T.min(T.max(A[i], 0), n)]: 2 times, cost 10, may-trap
            T.min(T.max(A[i], 0), n): 2 times, cost 6, bind cse_v5
        "#]],
    );
}

#[test]
fn a_sum_of_a_bound_product_stays_on_its_side_of_a_launch() {
    // The host may fuse the sum with the product that the variable stands for.
    check(
        "A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"float32\"), a: T.float32, b: T.float32",
        "
        p: T.let[T.float32] = a * b
        q: T.let[T.float32] = a + b
        A[0] = p + a
        A[1] = q + a
        with T.launch_thread(\"threadIdx.x\", 4) as t:
            B[t] = (p + a) * (q + a)
        ",
        expect![[r#"
            p: T.let[T.float32] = a * b
            q: T.let[T.float32] = a + b
            A[0] = p + a
            cse_v1: T.let[T.float32] = q + a
            A[1] = cse_v1
            with T.launch_thread("threadIdx.x", 4) as t:
                B[t] = (p + a) * cse_v1
            ---
            p + a: 2 times, cost 1, launch-bound
            q + a: 2 times, cost 1, bind cse_v1
        "#]],
    );
}

#[test]
fn certain_value_makes_its_lazy_parts_safe() {
    check(
        NUMBERS,
        "
        A[0] = T.if_then_else(y != 0, x // y, 7)
        if z > 0:
            A[1] = T.if_then_else(y != 0, x // y, 7) * z
        if z > 1:
            A[2] = T.if_then_else(y != 0, x // y, 7) * z
        ",
        expect![[r#"
            cse_v1: T.let[T.int32] = T.if_then_else(y != 0, x // y, 7)
            A[0] = cse_v1
            cse_v2: T.let[T.int32] = cse_v1 * z
            if z > 0:
                A[1] = cse_v2
            if z > 1:
                A[2] = cse_v2
            ---
            T.if_then_else(y != 0, x // y, 7): 3 times, cost 22, bind cse_v1
            x // y: 3 times, cost 20, covered by [cse_v1, cse_v2]
            T.if_then_else(y != 0, x // y, 7) * z: 2 times, cost 23, bind cse_v2
        "#]],
    );
}

#[test]
fn value_certain_in_one_kernel_is_bound_there() {
    check(
        NUMBERS,
        "
        A[0] = T.if_then_else(z > 0, 0, x % y)
        while A[1] < 3:
            A[1] = A[1] + 1
        with T.launch_thread(\"threadIdx.x\", 4) as t:
            A[t] = x % y * (x % y)
        ",
        expect![[r#"
            A[0] = T.if_then_else(z > 0, 0, x % y)
            while A[1] < 3:
                A[1] = A[1] + 1
            with T.launch_thread("threadIdx.x", 4) as t:
                cse_v1: T.let[T.int32] = x % y
                A[t] = cse_v1 * cse_v1
            ---
            x % y: 1 times, cost 20, may-trap
            A[1]: 2 times, cost 4, memory
            x % y: 2 times, cost 20, bind cse_v1
        "#]],
    );
}

#[test]
fn operand_folded_beside_an_unknown_number_is_not_certain() {
    // `x % 1` is 0, and so is `x * 0`: with such numbers nothing divides. Of `+` both sides are evaluated.
    let text = format!(
        "from tvm.script import tirx as T
some, other = settings[\"some\"], settings[\"other\"]

@T.prim_func
def f({NUMBERS}):
    A[0] = (x // y) % some + (x // y) % some
    A[1] = (x // z) * some + (x // z) * other
    A[2] = (z // y) + some
    A[3] = (z // y) + other
    A[4] = (x // 5) * some + (x // 5) * other
"
    );
    expect![[r#"
        cse_v1 = T.bind(x // y % some)
        A[0] = cse_v1 + cse_v1
        A[1] = x // z * some + x // z * other
        cse_v2: T.let[T.int32] = z // y
        A[2] = cse_v2 + some
        A[3] = cse_v2 + other
        cse_v3: T.let[T.int32] = x // 5
        A[4] = cse_v3 * some + cse_v3 * other
        ---
        x // y % some: 2 times, cost 24, bind cse_v1
        x // y: 2 times, cost 20, covered by [cse_v1]
        x // z: 2 times, cost 20, may-trap
        z // y: 2 times, cost 20, bind cse_v2
        x // 5: 2 times, cost 4, bind cse_v3
    "#]]
    .assert_eq(&sound(&text));
}

#[test]
fn value_that_may_fold_away_an_operand_that_may_fail_gets_no_name() {
    // For `some = 1` the first two are 0 and nothing divides; `x // some` is no constant for any number.
    let text = format!(
        "from tvm.script import tirx as T
some = settings[\"some\"]

@T.prim_func
def f({NUMBERS}):
    A[x % some] = (x % some) * (8 // y)
    A[y % some] = (y % some) * 2 * A[7]
    A[z % some] = (z % some) * y
    A[x // some] = (x // some) * (7 // z)
    A[z * some] = (z * some + x) * (9 // y)
    A[x * some] = x * some % y
    A[y * some] = y * some % 7
"
    );
    expect![[r#"
        A[x % some] = x % some * (8 // y)
        A[y % some] = y % some * 2 * A[7]
        cse_v1 = T.bind(z % some)
        A[cse_v1] = cse_v1 * y
        cse_v2 = T.bind(x // some)
        A[cse_v2] = cse_v2 * (7 // z)
        cse_v3 = T.bind(z * some)
        A[cse_v3] = (cse_v3 + x) * (9 // y)
        A[x * some] = x * some % y
        cse_v4 = T.bind(y * some)
        A[cse_v4] = cse_v4 % 7
        ---
        x % some: 2 times, cost 4, folds
        y % some: 2 times, cost 4, folds
        z % some: 2 times, cost 4, bind cse_v1
        x // some: 2 times, cost 4, bind cse_v2
        z * some: 2 times, cost 1, bind cse_v3
        x * some: 2 times, cost 1, folds
        y * some: 2 times, cost 1, bind cse_v4
    "#]]
    .assert_eq(&sound(&text));
}

#[test]
fn an_arm_is_lazy_by_whatever_its_choice_is_called() {
    let text = |[first, second]: [&str; 2]| {
        format!(
            "from tvm.script import tirx as T\n\n@T.prim_func\ndef f({NUMBERS}):\n    A[0] = {first}\n    A[1] = {second}\n"
        )
    };
    let written = ["T.if_then_else(y != 0, x // y, 0)", "T.if_then_else(y != 0, x // y, 1)"];
    let called = [
        "T.call_intrin(\"int32\", \"tirx.if_then_else\", y != 0, x // y, 0)",
        "T.call_intrin(\"int32\", \"tir.if_then_else\", y != 0, x // y, 1)",
    ];
    assert_eq!(sound(&text(called)), sound(&text(written)));
    // What is not the same as `T.if_then_else` is kept by its text.
    let other = [
        "T.call_intrin(\"int64\", \"tirx.if_then_else\", y != 0, x // y, 0)",
        "T.Call(\"int32\", \"tirx.if_then_else\", [y != 0, x // y, 1])",
    ];
    assert!(!sound(&text(other)).contains("cse_v1"), "{}", sound(&text(other)));
}
