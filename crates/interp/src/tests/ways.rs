//! The two ways to execute a statement agree: every operator and conversion, on values at the edges of each type, gives
//! the same bits and the same events whether it is compiled or not.

use super::*;

/// Iterations: enough that the last ones are compiled.
const N: usize = 24;

fn integers() -> impl Iterator<Item = DataType> {
    [8, 16, 32, 64].into_iter().flat_map(|bits| [DataType::int(bits), DataType::uint(bits)])
}

fn floats() -> impl Iterator<Item = DataType> {
    [16, 32, 64].into_iter().map(DataType::float)
}

/// Values at the edges of a type, as bits.
fn edges(dtype: DataType) -> Vec<u64> {
    if dtype.is_bool() {
        return vec![0, 1];
    }
    if dtype.is_float() {
        let values = [0.0, -0.0, -1.5, 2.0, -0.5, 40_000.0, f64::INFINITY, f64::NAN];
        let large = [1e10, -1e10, 9e15, 1.9e19].into_iter().filter(|_| dtype.bits > 16);
        let all = values.into_iter().chain(large).map(|it| ops::Val::Float(dtype.round_float(it)));
        return all.filter_map(|it| memory::scalar_bits(dtype, &it)).collect();
    }
    let top = 1u64 << (dtype.bits - 1);
    let mask = u64::MAX >> (64 - dtype.bits);
    [0, 1, 2, 7, top - 1, top, mask - 1, mask].to_vec()
}

/// Runs `C[i] = value(A[i], B[i])` both ways; the outcomes must be the same.
#[track_caller]
fn check(
    (a, b): (u64, u64),
    (dtype, to): (DataType, DataType),
    value: impl Fn(&mut Body, ExprId, ExprId) -> ExprId,
) {
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
    let (x, y) = (body.load(buffers[0], &[i], None), body.load(buffers[1], &[i], None));
    let value = value(&mut body, x, y);
    store(&mut body, inner, buffers[2], i, value);
    ir::verify::assert_valid(&body);
    let [fast, slow] = [true, false].map(|fast| {
        let options = Options { fast, on_error: OnError::Event, ..Options::default() };
        let outcome = run(&body, arguments.clone(), &options);
        outcome.map(|it| (it.arguments, it.events, it.has_lost_overflow))
    });
    assert_eq!(fast, slow, "{}", ir::print::tvmscript(&body, 0));
}

fn each_pair(dtype: DataType, mut f: impl FnMut((u64, u64))) {
    let edges = edges(dtype);
    edges.iter().for_each(|&a| edges.iter().for_each(|&b| f((a, b))));
}

#[test]
fn conversions_are_the_same_compiled_or_not() {
    let types: Vec<DataType> = integers().chain(floats()).chain([DataType::BOOL]).collect();
    for &from in &types {
        for &to in &types {
            for value in edges(from) {
                check((value, value), (from, to), |body, a, _| body.cast(a, to));
            }
        }
    }
}

#[test]
fn operators_on_integers_are_the_same_compiled_or_not() {
    use BinaryOp::{
        Add, BitAnd, BitOr, BitXor, Div, Eq, FloorDiv, FloorMod, Ge, Gt, Le, Lt, Max, Min, Mod,
        Mul, Ne, Shl, Shr, Sub,
    };
    let values = [Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min, Max];
    let bits = [BitAnd, BitOr, BitXor, Shl, Shr];
    for dtype in integers() {
        for op in values.into_iter().chain(bits) {
            each_pair(dtype, |it| check(it, (dtype, dtype), |body, a, b| body.binary(op, a, b)));
        }
        for op in [Eq, Ne, Lt, Le, Gt, Ge] {
            let to = DataType::BOOL;
            each_pair(dtype, |it| check(it, (dtype, to), |body, a, b| body.binary(op, a, b)));
        }
        for value in edges(dtype) {
            check((value, value), (dtype, dtype), |body, a, _| body.unary(ir::UnaryOp::BitNot, a));
        }
    }
}

#[test]
fn operators_on_floats_are_the_same_compiled_or_not() {
    use BinaryOp::{Add, Div, Eq, FloorDiv, FloorMod, Ge, Gt, Le, Lt, Max, Min, Mod, Mul, Ne, Sub};
    for dtype in floats() {
        for op in [Add, Sub, Mul, Div, Mod, FloorDiv, FloorMod, Min, Max] {
            each_pair(dtype, |it| check(it, (dtype, dtype), |body, a, b| body.binary(op, a, b)));
        }
        for op in [Eq, Ne, Lt, Le, Gt, Ge] {
            let to = DataType::BOOL;
            each_pair(dtype, |it| check(it, (dtype, to), |body, a, b| body.binary(op, a, b)));
        }
    }
}

/// Rarely executed code is not compiled: the reference value of a negative float is 0 there and everywhere (SEMANTICS:
/// C2).
#[test]
fn a_negative_float_becomes_zero_as_uint64_however_often() {
    let mut body = Body::new("f", Dialect::Tirx);
    let handle = body.new_value("C", DataType::HANDLE.into(), ValueKind::Param(0));
    let buffer = new_buffer(&mut body, "C", N as i128, "global", BufferOrigin::Param);
    let dtype = DataType::uint(64);
    body.buffers[buffer].dtype = dtype;
    body.params.push(Param { value: handle, buffer: Some(buffer) });
    let entry = body.entry(body.root);
    let (inner, i) = loop_of(&mut body, entry, ForKind::Serial, 0, N as i128);
    let minus = body.float(-1.5, DataType::FLOAT32);
    let value = body.cast(minus, dtype);
    store(&mut body, inner, buffer, i, value);
    let array = Array { dtype, shape: vec![N as i64], data: vec![7; 8 * N] };
    let outcome = run(&body, vec![Argument::Array(array)], &Options::default()).expect("runs");
    let Argument::Array(array) = &outcome.arguments[0] else { panic!("not an array") };
    assert_eq!(array.data, [0; 8 * N]);
    let events: Vec<_> = outcome.events.iter().map(|it| (it.kind, it.count)).collect();
    assert_eq!(events, [(EventKind::ConversionOutOfRange, N as u64)]);
}
