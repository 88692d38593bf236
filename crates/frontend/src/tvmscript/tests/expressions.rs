//! One test a shape of expression; promotion and folding as measured on TVM.

use expect_test::{Expect, expect};

use super::lowered;

/// Lowers each line as an expression and prints it with its type, or the diagnostic.
#[track_caller]
fn check(expressions: &str, expect: Expect) {
    let mut result = String::new();
    for line in expressions.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let text = format!(
            "@T.prim_func(s_tir=True)\ndef f(x: T.int32, y: T.int32, n: T.int64, u: T.uint32, b: T.int8, f: T.float32, h: T.float16, p: T.bool, q: T.bool, xv: T.int32x4, fv: T.float32x4, A: T.Buffer((16,), \"float32\"), B: T.Buffer((16, 16), \"int32\")):\n    T.evaluate({line})\n"
        );
        let (_, lowered) = lowered(&text);
        let body = &lowered.body;
        let last = body.ops.iter().last().map(|(_, op)| op);
        let outcome = match (lowered.diagnostics.first(), last) {
            (Some(diagnostic), _) => format!("{}: {}", diagnostic.code, diagnostic.message),
            (None, Some(op)) if op.kind == ir::OpKind::Evaluate => {
                let id = op.operands[0];
                let ty = match body.ty(id) {
                    ir::Type::Prim(dtype) => dtype.to_string(),
                    other => format!("{other:?}"),
                };
                format!("{}: {ty}", ir::print::expr_text(body, id))
            }
            other => format!("{other:?}"),
        };
        result.push_str(&format!("{line} => {outcome}\n"));
    }
    expect.assert_eq(&result);
}

#[test]
fn operands_are_promoted() {
    check(
        "x + n
         x + f
         n * h
         u + x
         b + 1
         b + x
         p + 1
         x + xv
         f * xv
         f + 1
         h + 1.5
         x < u
         n == x
         xv == 1
         3 < x
         f / 2
         u / 2
         x / 2
         f // 2",
        expect![[r#"
            x + n => T.Cast("int64", x) + n: int64
            x + f => T.Cast("float32", x) + f: float32
            n * h => T.Cast("float16", n) * h: float16
            u + x => u + T.Cast("uint32", x): uint32
            b + 1 => T.Cast("int32", b) + 1: int32
            b + x => T.Cast("int32", b) + x: int32
            p + 1 => T.Cast("int32", p) + 1: int32
            x + xv => T.Broadcast(x, 4) + xv: int32x4
            f * xv => T.Broadcast(f, 4) * T.Cast("float32x4", xv): float32x4
            f + 1 => f + T.float32(1.0): float32
            h + 1.5 => T.Cast("float32", h) + T.float32(1.5): float32
            x < u => T.Cast("uint32", x) < u: bool
            n == x => dtype-mismatch: int64 and int32 do not fit together
            xv == 1 => xv == T.Broadcast(1, 4): boolx4
            3 < x => 3 < x: bool
            f / 2 => f / T.float32(2.0): float32
            u / 2 => T.Div(u, T.uint32(2)): uint32
            x / 2 => dtype-mismatch: `/` is not defined on integers
            f // 2 => dtype-mismatch: this operator does not take float32
        "#]],
    );
}

#[test]
fn operators_fold_as_the_parser_of_tvm_does() {
    check(
        "x + 0
         0 - x
         x * 1
         x * 0
         f * 0.0
         x // 1
         x % 1
         x // 0
         x << 0
         x << 32
         u << 0
         2 * 3 + 1
         x + 2 + 3
         T.int32(7) + T.int32(2)
         T.int64(3) * 2
         T.float32(0.1) + T.float32(0.2)
         T.max(x, x)
         T.max(A[0], A[0])
         T.max(3, 4)
         xv * 0
         -x
         -(3)
         ~x
         T.Add(1, 2)
         T.Cast(\"int32\", x)
         x.astype(\"int64\")
         T.int64(x)
         T.int8(300)",
        expect![[r#"
            x + 0 => x: int32
            0 - x => 0 - x: int32
            x * 1 => x: int32
            x * 0 => 0: int32
            f * 0.0 => T.float32(0.0): float32
            x // 1 => x: int32
            x % 1 => 0: int32
            x // 0 => invalid-constant: division by the constant zero
            x << 0 => x: int32
            x << 32 => invalid-constant: the constant shift amount is negative or not less than the width of the type
            u << 0 => u << T.uint32(0): uint32
            2 * 3 + 1 => 7: int32
            x + 2 + 3 => x + 2 + 3: int32
            T.int32(7) + T.int32(2) => 9: int32
            T.int64(3) * 2 => T.int64(6): int64
            T.float32(0.1) + T.float32(0.2) => T.float32(0.30000001192092896): float32
            T.max(x, x) => x: int32
            T.max(A[0], A[0]) => T.max(A[0], A[0]): float32
            T.max(3, 4) => 4: int32
            xv * 0 => xv * T.Broadcast(0, 4): int32x4
            -x => x * -1: int32
            -(3) => -3: int32
            ~x => ~x: int32
            T.Add(1, 2) => T.Add(1, 2): int32
            T.Cast("int32", x) => T.Cast("int32", x): int32
            x.astype("int64") => T.Cast("int64", x): int64
            T.int64(x) => T.Cast("int64", x): int64
            T.int8(300) => invalid-constant: 300 does not fit in int8
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        "x < y and p
         not p
         0 < x < 5
         0 < x * y < 5
         True and p
         False and p
         p and x
         x if p else y
         x if True else y
         x if p else f
         T.if_then_else(p, x, n)
         T.Select(p, x, y)
         T.Select(p, x, n)
         T.all(p, q, x < 1)",
        expect![[r#"
            x < y and p => x < y and p: bool
            not p => not p: bool
            0 < x < 5 => 0 < x and x < 5: bool
            0 < x * y < 5 => 0 < x * y and x * y < 5: bool
            True and p => T.And(T.bool(True), p): bool
            False and p => T.bool(False): bool
            p and x => dtype-mismatch: `and` needs a bool, this is int32
            x if p else y => T.if_then_else(p, x, y): int32
            x if True else y => x: int32
            x if p else f => T.if_then_else(p, T.Cast("float32", x), f): float32
            T.if_then_else(p, x, n) => T.if_then_else(p, T.Cast("int64", x), n): int64
            T.Select(p, x, y) => T.Select(p, x, y): int32
            T.Select(p, x, n) => dtype-mismatch: int32 and int64 do not fit together
            T.all(p, q, x < 1) => p and q and x < 1: bool
        "#]],
    );
}

#[test]
fn functions_that_are_written_out() {
    check(
        "T.ceildiv(x, 4)
         T.abs(x)
         T.abs(f)
         T.isinf(f)
         T.isfinite(f)
         T.isnan(h)
         T.floor(f)
         T.floor(x)
         T.min_value(\"int8\")
         T.max_value(\"float16\")
         T.truncmod(x, y)
         T.pow(f, 2)
         T.pow(x, 2)
         T.shift_left(b, 1)
         T.likely(p)",
        expect![[r#"
            T.ceildiv(x, 4) => (x + 4 - 1) // 4: int32
            T.abs(x) => T.Select(x >= 0, x, 0 - x): int32
            T.abs(f) => T.fabs(f): float32
            T.isinf(f) => T.fabs(f) == T.float32("inf") and not T.isnan(f): bool
            T.isfinite(f) => not (T.fabs(f) == T.float32("inf") and not T.isnan(f)) and not T.isnan(f): bool
            T.isnan(h) => T.isnan(T.Cast("float32", h)): bool
            T.floor(f) => T.floor(f): float32
            T.floor(x) => x: int32
            T.min_value("int8") => T.int8(-128): int8
            T.max_value("float16") => T.float16(65504.0): float16
            T.truncmod(x, y) => T.truncmod(x, y): int32
            T.pow(f, 2) => T.pow(f, T.float32(2.0)): float32
            T.pow(x, 2) => dtype-mismatch: the power of int32: TVM has it for floats only
            T.shift_left(b, 1) => b << T.int8(1): int8
            T.likely(p) => T.likely(p): bool
        "#]],
    );
}

#[test]
fn calls() {
    check(
        "T.exp(f)
         T.exp(f, dtype=\"float32\")
         T.call_extern(\"int32\", \"f\", x)
         T.reinterpret(\"float32\", x)
         T.tvm_struct_get(A.data, 0, 1, \"int32\")
         T.address_of(A[0])
         A.access_ptr(\"r\")
         T.tvm_access_ptr(T.type_annotation(\"float32\"), A.data, 0, 16, 1)
         T.ptx.something(x)
         T.call_packed(\"f\", A, x)
         T.vscale()",
        expect![[r#"
            T.exp(f) => T.exp(f): float32
            T.exp(f, dtype="float32") => T.exp(f): float32
            T.call_extern("int32", "f", x) => T.call_extern("int32", "f", x): int32
            T.reinterpret("float32", x) => T.reinterpret("float32", x): float32
            T.tvm_struct_get(A.data, 0, 1, "int32") => T.tvm_struct_get(A.data, 0, 1, "int32"): int32
            T.address_of(A[0]) => T.address_of(A[0]): Pointer { element: float32, scope: Unwritten }
            A.access_ptr("r") => T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, 0, 16, 1): handle
            T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 16, 1) => T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 16, 1): Pointer { element: float32, scope: Unwritten }
            T.ptx.something(x) => T.ptx.something(x): Unknown
            T.call_packed("f", A, x) => T.call_packed("f", A, x): int32
            T.vscale() => T.vscale(): int32
        "#]],
    );
}

#[test]
fn pointers_into_buffers_know_strides_offsets_and_lanes() {
    // As TVM 0.27 reads them.
    let cases = [
        ("(4, 8), \"float32\", strides=(16, 2), elem_offset=5", "A.access_ptr(\"r\")"),
        ("(4, 8), \"float32\", strides=(16, 2), elem_offset=5", "A.access_ptr(\"rw\", offset=3)"),
        ("(4, 8), \"float32\", strides=(16, 2)", "A.access_ptr(\"r\", content_lanes=4, offset=3)"),
        ("(4, 8), \"float32\", elem_offset=n", "A.access_ptr(\"w\", offset=n, extent=7)"),
        ("(4, 8), \"float32\", elem_offset=n", "A.access_ptr(\"r\", content_lanes=4)"),
        ("(), \"float32\"", "A.access_ptr(\"rw\", offset=3)"),
        ("(n, 8), \"float32\", strides=(n, 1)", "A.access_ptr(\"r\", content_lanes=4, offset=3)"),
        ("(n, 8), \"float32\"", "A.access_ptr(\"r\", offset=T.int64(2))"),
        ("(T.int64(4), T.int64(8)), \"float32\"", "A.access_ptr(\"w\", offset=n, extent=7)"),
        ("(4, 8), \"float32x4\"", "A.access_ptr(\"r\", content_lanes=4)"),
        ("(4, 8), \"float32\", offset_factor=4", "A.access_ptr(\"r\")"),
        ("(4, 8), \"float32\", offset_factor=4", "A.access_ptr(\"r\", offset=3)"),
    ];
    let mut result = String::new();
    for (buffer, call) in cases {
        let text = format!(
            "@T.prim_func(s_tir=True)\ndef f(a: T.handle, n: T.int32):\n    A = T.match_buffer(a, {buffer})\n    T.evaluate({call})\n"
        );
        let (_, lowered) = lowered(&text);
        assert_eq!(lowered.diagnostics, [], "{text}");
        let last = lowered.body.ops.iter().last().expect("an operation").1.operands[0];
        result.push_str(&format!("{}\n", ir::print::expr_text(&lowered.body, last)));
    }
    expect![[r#"
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, 5, 64, 1)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, 8, 61, 3)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32x4"), A.data, 0, 15, 1)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, n + n, 7, 2)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32x4"), A.data, T.Div(n, 4), 8, 1)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, T.int64(3), T.int64(1), 3)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32x4"), A.data, 0, T.Div(n * n - 3, 4), 1)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, T.int64(2), T.Cast("int64", n * 8) - T.int64(2), 1)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, T.Cast("int64", n), 7, 2)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32x4"), A.data, 0, 8, 1)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, A.elem_offset, 32, 1)
        T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, A.elem_offset + 3, 29, 1)
    "#]]
    .assert_eq(&result);
}

#[test]
fn vectors_and_loads() {
    check(
        "T.Ramp(x, 1, 4)
         T.Ramp(x, 1, T.vscale() * 4)
         T.Broadcast(f, 4)
         T.Broadcast(xv, 4)
         T.Shuffle([xv], [0, 1])
         A[T.Ramp(0, 1, 4)]
         A.vload([T.Ramp(0, 1, 4)], predicate=T.Broadcast(p, 4))
         B[x, y]
         B[x]
         B[x, y, 0]
         A[0:4]
         A.shape[0] + 1
         A.data
         B.strides[0]
         T.Let(x + y, where={x: y + 1})
         T.comm_reducer(lambda a, b: a + b, [T.float32(0)])",
        expect![[r#"
            T.Ramp(x, 1, 4) => T.Ramp(x, 1, 4): int32x4
            T.Ramp(x, 1, T.vscale() * 4) => T.Ramp(x, 1, T.vscale() * 4): int32xvscalex4
            T.Broadcast(f, 4) => T.Broadcast(f, 4): float32x4
            T.Broadcast(xv, 4) => dtype-mismatch: a scalar is needed, this is int32x4
            T.Shuffle([xv], [0, 1]) => T.Shuffle([xv], [0, 1]): int32x2
            A[T.Ramp(0, 1, 4)] => A[T.Ramp(0, 1, 4)]: float32x4
            A.vload([T.Ramp(0, 1, 4)], predicate=T.Broadcast(p, 4)) => A.vload([T.Ramp(0, 1, 4)], predicate=T.Broadcast(p, 4)): float32x4
            B[x, y] => B[x, y]: int32
            B[x] => wrong-buffer-rank: `B` has 2 dimensions, this access has 1 index
            B[x, y, 0] => wrong-buffer-rank: `B` has 2 dimensions, this access has 3 indices
            A[0:4] => malformed-form: a part of a buffer is not a value
            A.shape[0] + 1 => 17: int32
            A.data => A.data: Pointer { element: float32, scope: Unwritten }
            B.strides[0] => B.strides[0]: int32
            T.Let(x + y, where={x: y + 1}) => T.Let(x + y, where={x: y + 1}): int32
            T.comm_reducer(lambda a, b: a + b, [T.float32(0)]) => T.comm_reducer(lambda a, b: a + b, [T.float32(0.0)]): handle
        "#]],
    );
}

#[test]
fn a_type_given_to_an_operator_is_dropped_as_tvm_does() {
    check(
        "T.if_then_else(p, f, f, dtype=\"float32\")
         T.max(x, y, dtype=\"int32\")
         T.Select(p, f, f, dtype=\"float32\")",
        expect![[r#"
            T.if_then_else(p, f, f, dtype="float32") => T.if_then_else(p, f, f): float32
            T.max(x, y, dtype="int32") => T.max(x, y): int32
            T.Select(p, f, f, dtype="float32") => unsupported-construct: the argument `dtype` has no meaning in TVMScript that is known here
        "#]],
    );
}

#[test]
fn instructions_that_are_no_attributes_of_python_keep_their_brackets() {
    check(
        "T.ptx[\"cp.async.bulk.tensor.2d.shared::cta.global\"](A.data, A.data)
         T.ptx[\"ld.global.s32\"](x, A.data)",
        expect![[r#"
            T.ptx["cp.async.bulk.tensor.2d.shared::cta.global"](A.data, A.data) => T.ptx["cp.async.bulk.tensor.2d.shared::cta.global"](A.data, A.data): Unknown
            T.ptx["ld.global.s32"](x, A.data) => T.ptx.ld.global_.s32(x, A.data): Unknown
        "#]],
    );
}
