//! The mark of overflow goes through calls and choices, and is lost in floats only (SEMANTICS: I1).

use super::*;

/// Checks the events that `A[0] = of(A[0] * A[0])` reports for `A[0] = 65536`, and whether the run may have used an
/// overflow.
#[track_caller]
fn check(
    dtype: DataType,
    expected: &[EventKind],
    may_have_used: bool,
    of: impl Fn(&mut Body, ExprId) -> ExprId,
) {
    let (mut body, a, entry) = with_buffer();
    let out = new_buffer(&mut body, "B", 8, "local", BufferOrigin::Alloc);
    body.buffers[out].dtype = dtype;
    let extent = body.int(8, I32);
    body.push_op(entry, OpKind::Alloc { buffer: out, kind: AllocKind::Flat }, &[extent]);
    let zero = body.int(0, I32);
    let x = body.load(a, &[zero], None);
    let product = body.binary(BinaryOp::Mul, x, x);
    let value = of(&mut body, product);
    store(&mut body, entry, out, zero, value);
    let array = Array { dtype: I32, shape: vec![8], data: 65_536i32.to_le_bytes().repeat(8) };
    let outcome = run(&body, vec![Argument::Array(array)], &Options::default()).expect("runs");
    let events: Vec<EventKind> = outcome.events.iter().map(|it| it.kind).collect();
    assert_eq!((&events[..], outcome.overflows()), (expected, may_have_used));
}

fn call(body: &mut Body, name: &str, dtype: DataType, operands: &[ExprId]) -> ExprId {
    let callee = body.operator(name);
    body.call(callee, operands, Body::no_attrs(), dtype.into(), false)
}

#[test]
fn calls_of_a_wrapped_integer_are_wrapped() {
    for name in ["popcount", "fabs", "cuda.ffs_u32", "reinterpret"] {
        check(I32, &[EventKind::Overflow], true, |body, it| call(body, name, I32, &[it]));
    }
}

#[test]
fn choice_by_a_wrapped_condition_is_wrapped() {
    check(I32, &[EventKind::Overflow], true, |body, it| {
        let (zero, one) = (body.int(0, I32), body.int(1, I32));
        let is_positive = body.binary(BinaryOp::Gt, it, zero);
        body.select(is_positive, one, zero)
    });
}

#[test]
fn a_float_of_a_wrapped_integer_is_no_event_but_noted() {
    let f32 = DataType::FLOAT32;
    check(f32, &[], true, |body, it| body.cast(it, f32));
    check(f32, &[], true, |body, it| call(body, "reinterpret", f32, &[it]));
    check(f32, &[], false, |body, _| body.float(1.0, f32));
}

#[test]
fn a_wrapped_integer_that_is_returned_is_used() {
    let (mut body, a, entry) = with_buffer();
    let zero = body.int(0, I32);
    let x = body.load(a, &[zero], None);
    let product = body.binary(BinaryOp::Mul, x, x);
    body.push_op(entry, OpKind::Return, &[product]);
    assert_eq!(run_on(&body, [65_536; 8]).expect("runs").1, [EventKind::Overflow]);
}

/// `cell = A[i] * A[i]` for each `i`, and `A[i] = cell` where asked: the events and their counts, compiled or not.
#[track_caller]
fn check_cell(is_read: bool, expected: &[(EventKind, u64)]) {
    const N: usize = 64;
    let (mut body, a, entry) = with_buffer();
    let n = body.int(N as i128, I32);
    body.buffers[a].shape = vec![n];
    let (inner, i) = loop_of(&mut body, entry, ForKind::Serial, 0, N as i128);
    let cell = new_buffer(&mut body, "cell", 1, "local", BufferOrigin::Cell);
    let (zero, one) = (body.int(0, I32), body.int(1, I32));
    body.push_op(inner, OpKind::Alloc { buffer: cell, kind: AllocKind::Flat }, &[one]);
    let x = body.load(a, &[i], None);
    let product = body.binary(BinaryOp::Mul, x, x);
    store(&mut body, inner, cell, zero, product);
    if is_read {
        let value = body.load(cell, &[zero], None);
        store(&mut body, inner, a, i, value);
    }
    // The last half of the products wrap, but for the very last one.
    let input = (0..N).map(|it| if it < N / 2 || it == N - 1 { 3i32 } else { 65_536 });
    let data: Vec<u8> = input.flat_map(i32::to_le_bytes).collect();
    for fast in [true, false] {
        let array = Array { dtype: I32, shape: vec![N as i64], data: data.clone() };
        let options = Options { fast, ..Options::default() };
        let outcome = run(&body, vec![Argument::Array(array)], &options).expect("runs");
        let events: Vec<_> = outcome.events.iter().map(|it| (it.kind, it.count)).collect();
        assert_eq!(events, expected, "compiled: {fast}");
    }
}

#[test]
fn a_scalar_of_the_program_keeps_the_mark_until_it_is_read() {
    check_cell(false, &[]);
    check_cell(true, &[(EventKind::Overflow, 31)]);
}
