//! The bits of a NaN: one in results, kept by copies (SEMANTICS: C1, C9, F6, F8).

use super::*;

const F16: DataType = DataType::float(16);
const F32: DataType = DataType::FLOAT32;
const F64: DataType = DataType::float(64);
/// Iterations: enough that the last ones are compiled.
const N: usize = 50;

/// Two NaNs of different payload and sign, the second one signalling.
fn two(dtype: DataType) -> [u64; 2] {
    match dtype.bits {
        16 => [0x7e11, 0xfc22],
        32 => [0x7fc0_1111, 0xff80_2222],
        _ => [0x7ff8_0000_0000_1111, 0xfff0_0000_0000_2222],
    }
}

/// The one of results.
fn one(dtype: DataType) -> u64 {
    match dtype.bits {
        16 => 0x7e00,
        32 => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    }
}

/// The bits that `C[i] = value(A[i], B[i])` gives, in every iteration and in both ways to execute it.
#[track_caller]
fn result(
    dtype: DataType,
    to: DataType,
    [a, b]: [u64; 2],
    value: impl Fn(&mut Body, ExprId, ExprId) -> ExprId,
) -> u64 {
    let mut body = Body::new("f", Dialect::Tirx);
    let mut arguments = Vec::new();
    let mut buffers = Vec::new();
    for (k, (name, dtype, bits)) in
        [("A", dtype, a), ("B", dtype, b), ("C", to, 0)].into_iter().enumerate()
    {
        let handle = body.new_value(name, DataType::HANDLE.into(), ValueKind::Param(k as u32));
        let buffer = new_buffer(&mut body, name, N as i128, "global", BufferOrigin::Param);
        body.buffers[buffer].dtype = dtype;
        body.params.push(Param { value: handle, buffer: Some(buffer) });
        let data = bits.to_le_bytes()[..dtype.bytes()].repeat(N);
        arguments.push(Argument::Array(Array { dtype, shape: vec![N as i64], data }));
        buffers.push(buffer);
    }
    let entry = body.entry(body.root);
    let (inner, i) = loop_of(&mut body, entry, ForKind::Serial, 0, N as i128);
    let (a, b) = (body.load(buffers[0], &[i], None), body.load(buffers[1], &[i], None));
    let value = value(&mut body, a, b);
    store(&mut body, inner, buffers[2], i, value);
    ir::verify::assert_valid(&body);
    let mut found = [true, false].into_iter().flat_map(|fast| {
        let options = Options { fast, ..Options::default() };
        let outcome = run(&body, arguments.clone(), &options).expect("runs");
        let Argument::Array(array) = &outcome.arguments[2] else { panic!("not an array") };
        let cells = array.data.chunks_exact(to.bytes());
        cells
            .map(|cell| cell.iter().rfold(0, |bits, byte| bits << 8 | u64::from(*byte)))
            .collect::<Vec<_>>()
    });
    let first = found.next().expect("iterations");
    assert!(found.all(|it| it == first), "all iterations give the same, compiled or not");
    first
}

#[test]
fn operators_give_one_nan_whatever_the_order_of_operands() {
    for dtype in [F16, F32, F64] {
        let [a, b] = two(dtype);
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::FloorMod] {
            let of = |operands| result(dtype, dtype, operands, |body, a, b| body.binary(op, a, b));
            assert_eq!([of([a, b]), of([b, a])], [one(dtype); 2], "{op:?} of {dtype}");
        }
    }
}

#[test]
fn an_invalid_operation_gives_the_same_nan_as_a_nan_operand() {
    // The processor's own NaN of infinity - infinity is negative on some machines.
    let infinity = f32::INFINITY.to_bits().into();
    let of = result(F32, F32, [infinity; 2], |body, a, b| body.binary(BinaryOp::Sub, a, b));
    assert_eq!(of, one(F32));
}

#[test]
fn functions_and_conversions_give_one_nan() {
    for dtype in [F16, F32, F64] {
        for nan in two(dtype) {
            for name in ["fabs", "floor", "exp", "sqrt", "trunc"] {
                let of = result(dtype, dtype, [nan; 2], |body, a, _| call(body, name, dtype, &[a]));
                assert_eq!(of, one(dtype), "{name} of {dtype}");
            }
            for name in ["pow", "copysign", "nextafter"] {
                let of =
                    result(dtype, dtype, [nan; 2], |body, a, b| call(body, name, dtype, &[a, b]));
                assert_eq!(of, one(dtype), "{name} of {dtype}");
            }
            let fused =
                result(dtype, dtype, [nan; 2], |body, a, b| call(body, "fma", dtype, &[a, b, a]));
            assert_eq!(fused, one(dtype), "fma of {dtype}");
            for to in [F16, F32, F64].into_iter().filter(|to| *to != dtype) {
                let of = result(dtype, to, [nan; 2], |body, a, _| body.cast(a, to));
                assert_eq!(of, one(to), "{dtype} to {to}");
            }
        }
    }
}

#[test]
fn copies_keep_every_bit() {
    for dtype in [F16, F32, F64] {
        for nan in two(dtype) {
            let copy = result(dtype, dtype, [nan, 0], |_, a, _| a);
            let select = result(dtype, dtype, [0, nan], |body, a, b| {
                let differs = body.binary(BinaryOp::Ne, b, a);
                body.select(differs, b, a)
            });
            // `max(a, b)` is `a > b ? a : b`: a choice too.
            let max = result(dtype, dtype, [0, nan], |body, a, b| body.binary(BinaryOp::Max, a, b));
            let min = result(dtype, dtype, [0, nan], |body, a, b| body.binary(BinaryOp::Min, a, b));
            assert_eq!([copy, select, max, min], [nan; 4], "{dtype}");
        }
    }
}

#[test]
fn bits_are_the_same_as_another_type_and_back() {
    for dtype in [F16, F32, F64] {
        let integer = DataType::int(dtype.bits);
        for nan in two(dtype) {
            let out = result(dtype, integer, [nan; 2], |body, a, _| {
                call(body, "reinterpret", integer, &[a])
            });
            let back = result(integer, dtype, [nan; 2], |body, a, _| {
                call(body, "reinterpret", dtype, &[a])
            });
            assert_eq!([out, back], [nan; 2], "{dtype}");
        }
    }
}

fn call(body: &mut Body, name: &str, dtype: DataType, operands: &[ExprId]) -> ExprId {
    let callee = body.operator(name);
    body.call(callee, operands, Body::no_attrs(), dtype.into(), false)
}
