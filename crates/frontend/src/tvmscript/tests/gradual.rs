//! Values that are not known: symbolic element types, captured expressions, unknown ranks, choices of Python.

use expect_test::{Expect, expect};

use super::printed;

#[track_caller]
fn check(parameters: &str, function: &str, expected: Expect) {
    let function = test_utils::trim_indent(function);
    let mut text = format!("def make({parameters}):\n    @T.prim_func\n");
    for line in function.lines() {
        text.push_str(&format!("    {line}\n"));
    }
    expected.assert_eq(&printed(&text));
}

#[test]
fn an_element_type_may_be_captured() {
    check(
        "dtype, n",
        "
        def f(a: T.handle, B: T.Buffer((n,), dtype), p: T.handle(dtype)):
            A = T.match_buffer(a, (n, 4), dtype, scope=\"shared\")
            C = T.alloc_buffer((16,), dtype + \"x4\")
            D = T.alloc_local((n,), f\"{dtype}x{n}\")
            B[0] = A[0, 1] * 2 + T.cast(1.5, dtype) * T.Cast(dtype, 0)
            B[1] = A[0, 1].astype(dtype) - A[0, 2] / A[0, 3]
            B[2] = -A[0, 1]
            A[0, 0] = T.max(T.min_value(dtype), T.exp(B[0]))
            C[0] = T.Cast(dtype + \"x4\", C[1])
            A[1, 1] = T.if_then_else(A[0, 0] > 0, A[0, 0], T.abs(A[1, 0]))
            x = A[0, 1]
            x = x + A[0, 2]
            E = T.match_buffer(p, (n,), A.dtype)
            B[3] = T.truncdiv(A[0, 1], 3)
        ",
        expect![[r#"
            unresolved-capture: the values of `n` and `dtype` are not known here
            @T.prim_func
            def f(a: T.handle, B: T.Buffer((n,), dtype), p: T.handle(dtype, "global")):
                A = T.match_buffer(a, (n, 4), dtype, scope="shared")
                C = T.alloc_buffer((16,), dtype + "x4")
                D = T.alloc_local((n,), f"{dtype}x{n}")
                B[0] = A[0, 1] * 2 + T.cast(T.float32(1.5), dtype) * T.Cast(dtype, 0)
                B[1] = T.cast(A[0, 1], dtype) - A[0, 2] / A[0, 3]
                B[2] = -A[0, 1]
                A[0, 0] = T.max(T.min_value(dtype), T.exp(B[0]))
                C[0] = T.Cast(dtype + "x4", C[1])
                A[1, 1] = T.if_then_else(A[0, 0] > 0, A[0, 0], T.abs(A[1, 0]))
                x = A[0, 1]
                x = x + A[0, 2]
                E = T.match_buffer(p, (n,), dtype)
                B[3] = T.truncdiv(A[0, 1], 3)
        "#]],
    );
}

#[test]
fn pure_python_over_captured_values_is_one_value() {
    check(
        "shape, spec, k, mode",
        "
        def f(A: T.Buffer((shape[0], len(shape)), \"float32\"), x: T.int32):
            A[0, x] = A[spec.n * (k + 1) + spec.n * (k + 1) * x, k // 2 - 1]
            A[1, x] = A[max(k, 1) + min(len(shape), 3), int(k / 2)]
            A[2, x] = A[k if mode == \"a\" else spec.m, shape[k - 1]]
            A[3, x] = -k + (k - (k - 1)) + k ** 2
            T.evaluate(spec.f is None and not mode)
        ",
        expect![[r#"
            unresolved-capture: the values of `shape`, `spec`, `k` and `mode` are not known here
            @T.prim_func
            def f(A: T.Buffer((shape[0], len(shape)), "float32"), x: T.int32):
                A[0, x] = A[spec.n * (k + 1) + spec.n * (k + 1) * x, k // 2 - 1]
                A[1, x] = A[max(k, 1) + min(len(shape), 3), int(k / 2)]
                A[2, x] = A[k if (mode == "a") else spec.m, shape[k - 1]]
                A[3, x] = (-k) + (k - (k - 1)) + k ** 2
                T.evaluate(spec.f is None and not mode)
        "#]],
    );
}

#[test]
fn a_rank_may_be_unknown() {
    check(
        "shape, idx, dtype",
        "
        def f(a: T.handle, B: T.Buffer(shape, \"int32\"), C: T.Buffer((1, *shape), dtype)):
            A = T.match_buffer(a, shape, dtype)
            D = A.view(*shape)
            for i, j in T.grid(*shape):
                with T.sblock(\"x\"):
                    vi, vj = T.axis.remap(\"SS\", [i, j])
                    T.reads(A[vi, vj], C[0, 0:shape[0], 0])
                    T.writes(B[vi, vj])
                    B[vi, vj] = A[vi, vj] + C[0, vi, vj]
            B[tuple(idx)] = A[idx] + D[0, 1, 2]
            for i in range(B.shape[0]):
                B[i] = A.shape[1]
        ",
        expect![[r#"
            unresolved-capture: the values of `shape`, `dtype` and `idx` are not known here
            @T.prim_func
            def f(a: T.handle, B: T.Buffer(shape, "int32"), C: T.Buffer((1, *shape), dtype)):
                A = T.match_buffer(a, shape, dtype)
                D = A.view(*shape)
                for i, j in T.grid(shape[0], shape[1]):
                    with T.sblock("x"):
                        vi = T.axis.spatial(shape[0], i)
                        vj = T.axis.spatial(shape[1], j)
                        T.reads(A[vi, vj], C[0, 0:shape[0], 0])
                        T.writes(B[vi, vj])
                        B[vi, vj] = A[vi, vj] + C[0, vi, vj]
                B[tuple(idx)] = A[idx] + D[0, 1, 2]
                for i in range(shape[0]):
                    B[i] = shape[1]
        "#]],
    );
}

#[test]
fn both_arms_of_a_choice_of_python_are_kernels() {
    check(
        "fused, mode, k",
        "
        def f(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"float32\"), x: T.int32):
            if fused:
                A[x * k] = A[x * k] + 1
                scale: T.let = x + 1
            elif mode == \"slow\":
                A[x * k] = 2
                scale: T.let = x + 2
            else:
                pass
            A[0] = A[1] if fused else x
            A[2] = A[1] if k > 2 else B[1]
            A[3] = scale
        ",
        expect![[r#"
            unresolved-capture: the values of `fused`, `k` and `mode` are not known here
            @T.prim_func
            def f(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "float32"), x: T.int32):
                if fused:
                    A[x * k] = A[x * k] + 1
                    scale: T.let[T.int32] = x + 1
                elif mode == "slow":
                    A[x * k] = 2
                    scale: T.let[T.int32] = x + 2
                else:
                    pass
                A[0] = A[1] if fused else x
                A[2] = A[1] if k > 2 else B[1]
                A[3] = scale
        "#]],
    );
}

#[test]
fn a_name_that_python_gives_to_one_of_two_buffers_is_unknown() {
    check(
        "fused",
        "
        def f(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")):
            if fused:
                x = A
                y = A
            else:
                x = B
                y = A
            x[0] = 1
            y[0] = 1
        ",
        expect![[r#"
            unresolved-capture: the value of `fused` is not known here
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            @T.prim_func
            def f(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
                if fused:
                    pass
                else:
                    pass
                x[0] = 1
                A[0] = 1
        "#]],
    );
}

#[test]
fn a_captured_number_that_is_assigned_again_is_memory() {
    check(
        "k",
        "
        def f(A: T.Buffer((16,), \"int32\")):
            once = k
            y = k
            for i in range(16):
                y = y + 1
                A[i] = once
        ",
        expect![[r#"
            unresolved-capture: the value of `k` is not known here
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            @T.prim_func
            def f(A: T.Buffer((16,), "int32")):
                y = k
                for i in range(16):
                    y = y + 1
                    A[i] = k
        "#]],
    );
}

#[test]
fn an_unknown_function_may_be_called() {
    check(
        "g, spec",
        "
        def f(A: T.Buffer((16,), \"int32\"), x: T.int32):
            A[0] = g(x, A[1]) + spec.offset(x)
            g(A, x)
            a, b = g(x)
            A[a] = b
        ",
        expect![[r#"
            unresolved-capture: the values of `g` and `spec` are not known here
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            @T.prim_func
            def f(A: T.Buffer((16,), "int32"), x: T.int32):
                A[0] = g(x, A[1]) + spec.offset(x)
                g(A, x)
                a, b = g(x)
                A[a] = b
        "#]],
    );
}

#[test]
fn the_length_of_a_slice_is_unknown_where_the_slice_is_used_too() {
    check(
        "n",
        "
        def f(A: T.Buffer((1, n), \"float16\"), B: T.Buffer((1, n), \"float16\")):
            lhs = A[0, 0:n]
            rhs = B[0, n:n * 2]
            B[0, 0:n] = lhs + rhs
        ",
        expect![[r#"
            unresolved-capture: the value of `n` is not known here
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            @T.prim_func
            def f(A: T.Buffer((1, n), "float16"), B: T.Buffer((1, n), "float16")):
                lhs = A[0, 0:n]
                rhs = B[0, n:n * 2]
                B[0, 0:n] = lhs + rhs
        "#]],
    );
}

#[test]
fn a_loop_of_a_kind_that_python_decides_is_kept() {
    check(
        "n, kind",
        "
        def f(A: T.Buffer((16,), \"int32\")):
            for i in kind(n):
                A[i] = 1
        ",
        expect![[r#"
            unresolved-capture: the values of `kind` and `n` are not known here
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            @T.prim_func
            def f(A: T.Buffer((16,), "int32")):
                for i in kind(n):
                    A[i] = 1
        "#]],
    );
}

#[test]
fn what_an_unknown_annotation_declares_may_be_memory() {
    check(
        "kind",
        "
        def f(A: T.Buffer((4,), \"int32\")):
            count: kind
            count = count + 1
            A[0] = count
        ",
        expect![[r#"
            unresolved-capture: the value of `kind` is not known here
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            @T.prim_func
            def f(A: T.Buffer((4,), "int32")):
                count: kind
                count = count + 1
                A[0] = count
        "#]],
    );
}

#[test]
fn another_value_for_a_name_of_unknown_kind_is_no_warning() {
    check(
        "kind, n",
        "
        def f(A: T.Buffer((4,), kind), B: T.Buffer((4,), \"int32\")):
            last = A[0] - 1
            if B[0] > 3:
                last = A[1] - 2
            C = T.alloc_local((1,), \"int32\")
            C = n
            B[0] = last
        ",
        expect![[r#"
            unresolved-capture: the values of `kind` and `n` are not known here
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            @T.prim_func
            def f(A: T.Buffer((4,), kind), B: T.Buffer((4,), "int32")):
                last = A[0] - 1
                if B[0] > 3:
                    last = A[1] - 2
                C = T.alloc_local((1,), "int32")
                C = n
                B[0] = last
        "#]],
    );
}

#[test]
fn what_python_has_checked_decides_choices_and_comparisons() {
    let text = "
def factory(M, N: int, k: int, D, flag, dtype):
    assert k % 16 == 0 and M > 0
    assert N >= 3, \"message\"
    assert M <= N
    assert flag and dtype == \"float16\"
    assert M % k == 0
    if D % 4 != 0:
        raise ValueError(D)
    if D < 0:
        raise ValueError(D)
    @T.prim_func
    def f(A: T.Buffer((64,), \"int32\")):
        A[0] = 1 if k % 8 == 0 else 2
        A[1] = 1 if k % 32 == 0 else 2
        A[2] = 1 if 2 < N else 2
        A[3] = 1 if M > 1 else 2
        A[4] = 1 if N < M else 2
        A[5] = 1 if D % 2 == 1 else 2
        A[6] = 1 if D >= 0 else 2
        A[7] = 1 if dtype != \"float16\" else 2
        A[8] = 1 if M % k else 2
        A[9] = 1 if M % k == 0 else 2
        if flag:
            A[10] = 1
        else:
            A[10] = 2
        if not flag:
            A[11] = 2
    return f
";
    expect![[r#"
        unresolved-capture: the values of `k`, `N`, `M`, `D`, `dtype` and `flag` are not known here
        @T.prim_func
        def f(A: T.Buffer((64,), "int32")):
            A[0] = 1
            A[1] = 1 if (k % 32 == 0) else 2
            A[2] = 1
            A[3] = 1 if (M > 1) else 2
            A[4] = 2
            A[5] = 2
            A[6] = 1 if (D >= 0) else 2
            A[7] = 2
            A[8] = 2
            A[9] = 1
            A[10] = 1
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn only_what_holds_before_in_any_case_is_taken_for_checked() {
    let text = "
def factory(a, b, c, d, e, x, n):
    if x:
        assert a == 1
    assert b == 1 or x
    for i in range(2):
        assert c == 1
    c2 = 1
    assert d > 0
    d = 0
    assert e.n == 1
    e.n = 2
    assert n > 0
    def inner(n):
        @T.prim_func
        def f(A: T.Buffer((64,), \"int32\")):
            A[0] = 1 if a == 1 else 2
            A[1] = 1 if b == 1 else 2
            A[2] = 1 if c == 1 else 2
            A[3] = 1 if d > 0 else 2
            A[4] = 1 if e.n == 1 else 2
            A[5] = 1 if n > 0 else 2
        assert a == 1
        return f
    return inner
";
    expect![[r#"
        unresolved-capture: the values of `a`, `b`, `c`, `d`, `e` and `n` are not known here
        @T.prim_func
        def f(A: T.Buffer((64,), "int32")):
            A[0] = 1 if (a == 1) else 2
            A[1] = 1 if (b == 1) else 2
            A[2] = 1 if (c == 1) else 2
            A[3] = 1 if (d > 0) else 2
            A[4] = 1 if (e.n == 1) else 2
            A[5] = 1 if (n > 0) else 2
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn a_dictionary_that_is_not_known_may_have_the_right_keys() {
    check(
        "layout",
        "
        def f(a: T.handle, B: T.Buffer((16,), \"int32\")):
            A = T.match_buffer(a, (16,), \"int32\", **({\"layout\": layout} if layout else {}))
            B[0] = A[1]
        ",
        expect![[r#"
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            unresolved-capture: the value of `layout` is not known here
            @T.prim_func
            def f(a: T.handle, B: T.Buffer((16,), "int32")):
                A = T.match_buffer(a, (16,), "int32", **({"layout": layout} if layout else {}))
                B[0] = A[1]
        "#]],
    );
}

#[test]
fn what_a_pool_counts_is_a_number_in_sums_and_macros() {
    check(
        "",
        "
        def f(B: T.Buffer((16,), \"int32\")):
            pool = T.TMEMPool(B.data, total_cols=512)
            column = T.meta_var(pool.offset)
            @T.inline
            def g(stage):
                T.evaluate(T.cuda.get_tmem_addr(column + stage * 16, 0, 0))
            g(1)
            T.evaluate(T.cuda.get_tmem_addr(column + 16, 0, 0))
        ",
        expect![[r#"
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            @T.prim_func
            def f(B: T.Buffer((16,), "int32")):
                pool = T.TMEMPool(B.data, total_cols=512)
                T.cuda.get_tmem_addr((g(1)) + 16, 0, 0)
                T.cuda.get_tmem_addr((column) + 16, 0, 0)
        "#]],
    );
}

#[test]
fn a_conversion_of_a_number_of_python_stays_a_constant() {
    // `T.Cast` of a number is an operator, `T.uint32` of one is a constant.
    check(
        "n, shape",
        "
        def f(x: T.int32, A: T.Buffer((16,), \"uint32\")):
            T.evaluate(T.call_extern(\"int32\", \"f\", T.uint32(n), T.cast(n * 2 + 1, \"int64\")))
            T.evaluate(T.call_extern(\"int32\", \"f\", T.uint32(n + x)))
            A[0] = T.uint32(n) + T.bitwise_not(T.uint32(7))
            A[1] = T.Cast(\"uint32\", T.if_then_else(T.bool(False), 0, -2) // n)
            A[2] = n - 2
            T.evaluate(T.call_extern(\"int32\", \"f\", T.int64(shape[0]), T.int64(shape[1] // n)))
        ",
        expect![[r#"
            unresolved-capture: the values of `n` and `shape` are not known here
            @T.prim_func
            def f(x: T.int32, A: T.Buffer((16,), "uint32")):
                T.call_extern("int32", "f", T.uint32(n), T.int64(n * 2 + 1))
                T.call_extern("int32", "f", T.Cast("uint32", n + x))
                A[0] = T.uint32(n) + ~T.uint32(7)
                A[1] = T.Cast("uint32", -2 // n)
                A[2] = n - 2
                T.call_extern("int32", "f", T.int64(shape[0]), T.int64(shape[1] // n))
        "#]],
    );
}

#[test]
fn a_function_of_python_is_given_what_is_written() {
    check(
        "name, helper",
        "
        def f(x: T.int32, A: T.Buffer((16,), \"uint32\")):
            T.ptx[name](x, 0, True)
            helper(x, False, T.float32(1), 2)
            T.evaluate(T.call_extern(\"int32\", \"f\", False))
        ",
        expect![[r#"
            unresolved-capture: the values of `name` and `helper` are not known here
            @T.prim_func
            def f(x: T.int32, A: T.Buffer((16,), "uint32")):
                T.ptx[name](x, 0, True)
                helper(x, False, T.float32(1.0), 2)
                T.call_extern("int32", "f", T.bool(False))
        "#]],
    );
}

#[test]
fn a_division_of_unknown_types_is_the_one_that_is_written() {
    check(
        "k, dtype",
        "
        def f(x: T.int32, A: T.Buffer((16,), dtype), B: T.Buffer((16,), \"float32\")):
            B[0] = T.Cast(\"float32\", k / x)
            B[1] = T.Cast(\"float32\", T.truncdiv(k, x))
            B[2] = T.Cast(\"float32\", A[T.ramp(x, 1, 4)] / A[x])
            B[3] = T.Cast(\"float32\", T.truncdiv(A[T.ramp(x, 1, 4)], A[x]))
        ",
        expect![[r#"
            unresolved-capture: the values of `dtype` and `k` are not known here
            @T.prim_func
            def f(x: T.int32, A: T.Buffer((16,), dtype), B: T.Buffer((16,), "float32")):
                B[0] = k / x
                B[1] = T.truncdiv(k, x)
                B[2] = A[T.Ramp(x, 1, 4)] / A[x]
                B[3] = T.truncdiv(A[T.Ramp(x, 1, 4)], A[x])
        "#]],
    );
}

#[test]
fn a_constant_without_a_text_keeps_its_name() {
    let file = "\
import tvm
small = tvm.tirx.const(123, \"uint64\")
large = tvm.tirx.const((1 << 63) + 123, \"uint64\")

@T.prim_func
def f(A: T.Buffer((12,), \"uint64\")):
    A[0] = small + T.uint64(3)
    A[1] = large + T.uint64(3)
";
    expect![[r#"
        unresolved-capture: the value of `large` is not known here
        @T.prim_func
        def f(A: T.Buffer((12,), "uint64")):
            A[0] = T.uint64(126)
            A[1] = large + T.uint64(3)
    "#]]
    .assert_eq(&printed(file));
}
