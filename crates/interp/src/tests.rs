//! Runs of small bodies made by hand; runs of real text are in the crates above.

mod nan;
mod ways;
mod wrapped;

use super::*;
use ir::{
    AllocKind, BinaryOp, BlockId, Buffer, BufferId, BufferOrigin, DataType, Dialect, ExprId,
    ExprKind, ForKind, Intrinsic, OpKind, Param, ValueKind,
};

const I32: DataType = DataType::INT32;

/// A body with one `int32` buffer parameter `A` of 8 elements.
fn with_buffer() -> (Body, BufferId, BlockId) {
    let mut body = Body::new("f", Dialect::Tirx);
    let handle = body.new_value("A_handle", DataType::HANDLE.into(), ValueKind::Param(0));
    let buffer = new_buffer(&mut body, "A", 8, "global", BufferOrigin::Param);
    body.params.push(Param { value: handle, buffer: Some(buffer) });
    let entry = body.entry(body.root);
    (body, buffer, entry)
}

fn new_buffer(
    body: &mut Body,
    name: &str,
    extent: i128,
    scope: &str,
    origin: BufferOrigin,
) -> BufferId {
    let extent = body.int(extent, I32);
    let (name, scope) = (body.intern(name), body.memory_scope(scope));
    let attrs = Body::no_attrs();
    let buffer = Buffer {
        name,
        dtype: I32,
        shape: vec![extent],
        strides: None,
        elem_offset: None,
        scope,
        origin,
        attrs,
    };
    body.buffers.push(buffer)
}

fn run_on(body: &Body, input: [i32; 8]) -> Result<(Vec<f64>, Vec<EventKind>), RunError> {
    ir::verify::assert_valid(body);
    let data = input.iter().flat_map(|it| it.to_le_bytes()).collect();
    let array = Array { dtype: I32, shape: vec![8], data };
    let outcome = run(body, vec![Argument::Array(array)], &Options::default())?;
    let Argument::Array(array) = &outcome.arguments[0] else { panic!("not an array") };
    Ok((array.to_f64s(), outcome.events.iter().map(|it| it.kind).collect()))
}

fn store(body: &mut Body, block: BlockId, buffer: BufferId, index: ExprId, value: ExprId) {
    body.push_op(block, OpKind::Store { buffer, predicated: false }, &[value, index]);
}

fn loop_of(
    body: &mut Body,
    block: BlockId,
    kind: ForKind,
    min: i128,
    extent: i128,
) -> (BlockId, ExprId) {
    let (min, extent) = (body.int(min, I32), body.int(extent, I32));
    let op = body.push_op(block, OpKind::For(kind), &[min, extent]);
    let region = body.push_region(op);
    let inner = body.entry(region);
    let i = body.new_block_arg(inner, "i", I32.into());
    (inner, body.value_expr(i))
}

/// `for i in KIND(7): A[i + 1] = A[i]`
fn shift(kind: ForKind) -> Body {
    let (mut body, a, entry) = with_buffer();
    let (inner, i) = loop_of(&mut body, entry, kind, 0, 7);
    let one = body.int(1, I32);
    let next = body.binary(BinaryOp::Add, i, one);
    let value = body.load(a, &[i], None);
    store(&mut body, inner, a, next, value);
    body
}

#[test]
fn serial_iterations_see_earlier_ones_and_vector_lanes_do_not() {
    let (serial, _) = run_on(&shift(ForKind::Serial), [1, 2, 3, 4, 5, 6, 7, 8]).expect("runs");
    assert_eq!(serial, [1.0; 8]);
    let (vector, _) = run_on(&shift(ForKind::Vectorized), [1, 2, 3, 4, 5, 6, 7, 8]).expect("runs");
    assert_eq!(vector, [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
}

#[test]
fn overflow_is_an_event_where_it_is_used() {
    let (mut body, a, entry) = with_buffer();
    let zero = body.int(0, I32);
    let (x, y) = (body.load(a, &[zero], None), body.int(1, I32));
    let sum = body.binary(BinaryOp::Add, x, y);
    body.push_op(entry, OpKind::Evaluate, &[sum]);
    assert_eq!(run_on(&body, [i32::MAX; 8]).expect("runs").1, []);
    store(&mut body, entry, a, zero, sum);
    let (values, events) = run_on(&body, [i32::MAX; 8]).expect("runs");
    assert_eq!((values[0], events), (f64::from(i32::MIN), vec![EventKind::Overflow]));
}

#[test]
fn division_by_zero_and_out_of_bounds_end_the_run() {
    let (mut body, a, entry) = with_buffer();
    let zero = body.int(0, I32);
    let x = body.load(a, &[zero], None);
    let quotient = body.binary(BinaryOp::FloorDiv, x, x);
    store(&mut body, entry, a, zero, quotient);
    assert_eq!(run_on(&body, [0; 8]).expect_err("divides by zero").kind, RunErrorKind::Program);
    assert_eq!(run_on(&body, [3; 8]).expect("runs").0[0], 1.0);

    let (mut body, a, entry) = with_buffer();
    let nine = body.int(8, I32);
    store(&mut body, entry, a, nine, nine);
    let error = run_on(&body, [0; 8]).expect_err("out of bounds");
    assert_eq!(error.message, "index 8 of dimension 0 of `A` is not in 0..8");
}

/// `A[0] = A[0] OP A[1]`
fn of_first_two(op: BinaryOp, a: i32, b: i32) -> f64 {
    let (mut body, buffer, entry) = with_buffer();
    let (zero, one) = (body.int(0, I32), body.int(1, I32));
    let (x, y) = (body.load(buffer, &[zero], None), body.load(buffer, &[one], None));
    let result = body.binary(op, x, y);
    store(&mut body, entry, buffer, zero, result);
    run_on(&body, [a, b, 0, 0, 0, 0, 0, 0]).expect("runs").0[0]
}

#[test]
fn floor_division_rounds_down_for_all_signs() {
    for (a, b) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, -3)] {
        let quotient = of_first_two(BinaryOp::FloorDiv, a, b);
        assert_eq!(quotient, (f64::from(a) / f64::from(b)).floor());
        assert_eq!(quotient * f64::from(b) + of_first_two(BinaryOp::FloorMod, a, b), f64::from(a));
    }
}

/// A kernel of 2 blocks of 4 threads that stores, in each thread, the sum of its block's elements.
#[test]
fn threads_of_a_block_are_reduced_together() {
    let (mut body, a, entry) = with_buffer();
    let (two, four) = (body.int(2, I32), body.int(4, I32));
    let launch = |body: &mut Body, block: BlockId, tag: &str, extent: ExprId| {
        let tag = body.thread_tag(tag);
        let var = ir::arena::Id::new(body.values.len());
        let op = body.push_op(block, OpKind::LaunchThread { tag, var }, &[extent]);
        let region = body.push_region(op);
        let inner = body.entry(region);
        let index = body.new_block_arg(inner, "index", I32.into());
        assert_eq!(index, var);
        (inner, body.value_expr(index))
    };
    let (blocks, bx) = launch(&mut body, entry, "blockIdx.x", two);
    let result = new_buffer(&mut body, "sum", 1, "local", BufferOrigin::Alloc);
    let extent = body.int(1, I32);
    body.push_op(blocks, OpKind::Alloc { buffer: result, kind: AllocKind::Flat }, &[extent]);
    let (threads, tx) = launch(&mut body, blocks, "threadIdx.x", four);
    let offset = body.binary(BinaryOp::Mul, bx, four);
    let index = body.binary(BinaryOp::Add, offset, tx);

    let (x, y) =
        (body.make(ExprKind::Bound(1), I32.into()), body.make(ExprKind::Bound(0), I32.into()));
    let sum = body.binary(BinaryOp::Add, x, y);
    let lambda = body.make(ExprKind::Lambda { params: 2, body: sum }, DataType::HANDLE.into());
    let zero = body.int(0, I32);
    let identity = body.list(&[zero]);
    let identity = body.make(ExprKind::Tuple(identity), DataType::HANDLE.into());
    let no_attrs = Body::no_attrs();
    let callee = body.intrinsic(Intrinsic::CommReducer);
    let reducer = body.call(callee, &[lambda, identity], no_attrs, DataType::HANDLE.into(), false);
    let key = body.intern("reduce_scope");
    let scope = body.push_op(threads, OpKind::Attr(key), &[reducer, zero]);
    let region = body.push_region(scope);
    let inner = body.entry(region);
    let one = body.int(1, DataType::uint(32));
    let yes = body.int(1, DataType::BOOL);
    let value = body.load(a, &[index], None);
    let target = body.load(result, &[zero], None);
    let callee = body.intrinsic(Intrinsic::ThreadAllreduce);
    let call =
        body.call(callee, &[one, value, yes, target, tx], no_attrs, DataType::VOID.into(), true);
    body.push_op(inner, OpKind::Evaluate, &[call]);
    store(&mut body, threads, a, index, target);
    let (values, events) = run_on(&body, [1, 2, 3, 4, 10, 20, 30, 40]).expect("runs");
    assert_eq!(values, [10.0, 10.0, 10.0, 10.0, 100.0, 100.0, 100.0, 100.0]);
    assert_eq!(events, []);
}

#[test]
fn global_memory_of_a_kernel_is_each_threads_own_written_or_not() {
    // x = alloc(1); x[0] = A[tx]; A[tx] = x[0] + 1
    for scope in ["", "global", "local"] {
        let (mut body, a, entry) = with_buffer();
        let (zero, one, eight) = (body.int(0, I32), body.int(1, I32), body.int(8, I32));
        let tag = body.thread_tag("threadIdx.x");
        let var = ir::arena::Id::new(body.values.len());
        let op = body.push_op(entry, OpKind::LaunchThread { tag, var }, &[eight]);
        let region = body.push_region(op);
        let threads = body.entry(region);
        body.new_block_arg(threads, "tx", I32.into());
        let tx = body.value_expr(var);
        let own = new_buffer(&mut body, "x", 1, scope, BufferOrigin::Alloc);
        body.push_op(threads, OpKind::Alloc { buffer: own, kind: AllocKind::Flat }, &[one]);
        let read = body.load(a, &[tx], None);
        store(&mut body, threads, own, zero, read);
        let kept = body.load(own, &[zero], None);
        let next = body.binary(BinaryOp::Add, kept, one);
        store(&mut body, threads, a, tx, next);
        let (values, _) = run_on(&body, [1, 2, 3, 4, 5, 6, 7, 8]).expect("runs");
        assert_eq!(values, [2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0], "scope {scope:?}");
    }
}

#[test]
fn a_fresh_cell_is_reported_when_read() {
    let (mut body, a, entry) = with_buffer();
    let cell = new_buffer(&mut body, "x", 1, "local", BufferOrigin::Cell);
    let (zero, one) = (body.int(0, I32), body.int(1, I32));
    body.push_op(entry, OpKind::Alloc { buffer: cell, kind: AllocKind::Flat }, &[one]);
    let value = body.load(cell, &[zero], None);
    store(&mut body, entry, a, zero, value);
    assert_eq!(run_on(&body, [0; 8]).expect("runs").1, [EventKind::UninitializedRead]);
}

#[test]
fn a_break_leaves_the_loop_only_in_its_lane() {
    // for i in vectorized(4): for k in range(8): if k == i: break; A[i] = A[i] + 1
    let (mut body, a, entry) = with_buffer();
    let (outer, i) = loop_of(&mut body, entry, ForKind::Vectorized, 0, 4);
    let (inner, k) = loop_of(&mut body, outer, ForKind::Serial, 0, 8);
    let stops = body.binary(BinaryOp::Eq, k, i);
    let branch = body.push_op(inner, OpKind::If, &[stops]);
    let region = body.push_region(branch);
    let then = body.entry(region);
    body.push_op(then, OpKind::Break, &[]);
    let one = body.int(1, I32);
    let old = body.load(a, &[i], None);
    let new = body.binary(BinaryOp::Add, old, one);
    store(&mut body, inner, a, i, new);
    let (values, _) = run_on(&body, [0; 8]).expect("runs");
    assert_eq!(values, [0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn a_sample_of_a_loop_has_its_first_and_last_iterations() {
    // for i in range(8): A[i] = 1
    let (mut body, a, entry) = with_buffer();
    let (inner, i) = loop_of(&mut body, entry, ForKind::Serial, 0, 8);
    let one = body.int(1, I32);
    store(&mut body, inner, a, i, one);
    let options = Options { max_trips: Some(3), ..Options::default() };
    let array = Array { dtype: I32, shape: vec![8], data: vec![0; 32] };
    let outcome = run(&body, vec![Argument::Array(array)], &options).expect("runs");
    let Argument::Array(array) = &outcome.arguments[0] else { panic!("not an array") };
    assert_eq!(array.to_f64s(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn lanes_that_a_predicate_switches_off_are_not_accessed() {
    // i = Ramp(5, 1, 4); A.vstore([i], A.vload([i - 5], i < 8) + 1, predicate=i < 8)
    let (mut body, a, entry) = with_buffer();
    let x4 = I32.with_lanes(ir::Lanes::Fixed(4));
    let (one, five, eight, four) =
        (body.int(1, I32), body.int(5, I32), body.int(8, I32), body.int(4, I32));
    let zero = body.int(0, I32);
    let ramp = ExprKind::Ramp { base: five, stride: one, lanes: four };
    let index = body.make(ramp, x4.into());
    let from = body.make(ExprKind::Ramp { base: zero, stride: one, lanes: four }, x4.into());
    let all =
        |body: &mut Body, value| body.make(ExprKind::Broadcast { value, lanes: four }, x4.into());
    let (ones, eights) = (all(&mut body, one), all(&mut body, eight));
    let predicate = body.binary(BinaryOp::Lt, index, eights);
    let loaded = body.load(a, &[from], Some(predicate));
    let value = body.binary(BinaryOp::Add, loaded, ones);
    body.push_op(entry, OpKind::Store { buffer: a, predicated: true }, &[value, index, predicate]);
    let (values, events) = run_on(&body, [10, 11, 12, 13, 14, 15, 16, 17]).expect("runs");
    assert_eq!(values, [10.0, 11.0, 12.0, 13.0, 14.0, 11.0, 12.0, 13.0]);
    assert_eq!(events, []);
}

#[test]
fn memory_allocated_in_a_loop_is_fresh_in_each_iteration() {
    // for i in range(2): x: T.int32; A[i] = x; x = 5
    let (mut body, a, entry) = with_buffer();
    let (inner, i) = loop_of(&mut body, entry, ForKind::Serial, 0, 2);
    let cell = new_buffer(&mut body, "x", 1, "local", BufferOrigin::Cell);
    let (zero, one, five) = (body.int(0, I32), body.int(1, I32), body.int(5, I32));
    body.push_op(inner, OpKind::Alloc { buffer: cell, kind: AllocKind::Flat }, &[one]);
    let value = body.load(cell, &[zero], None);
    store(&mut body, inner, a, i, value);
    store(&mut body, inner, cell, zero, five);
    let (values, events) = run_on(&body, [0; 8]).expect("runs");
    assert_eq!(events, [EventKind::UninitializedRead]);
    assert!(values[0] == values[1] && values[0] != 5.0, "{values:?}");
}

#[test]
fn counts_are_of_the_program_not_of_the_interpreter() {
    // The same loop, serial (7 iterations) and vectorised (7 lanes): index sums, loads and stores.
    for kind in [ForKind::Serial, ForKind::Vectorized] {
        let array = Array { dtype: I32, shape: vec![8], data: vec![0; 32] };
        let outcome = run(&shift(kind), vec![Argument::Array(array)], &Options::default());
        let counts = outcome.expect("runs").counts;
        assert_eq!(counts, Counts { arith: 7, loads: 7, stores: 7, calls: 0 }, "{kind:?}");
    }
}

#[test]
fn uniform_value_counts_for_each_lane() {
    // x: T.let = A[0] * 2 is evaluated outside; for i in vectorized(4): A[i] = (x + 1) + (x + 1)
    let (mut body, a, entry) = with_buffer();
    let zero = body.int(0, I32);
    let (two, one) = (body.int(2, I32), body.int(1, I32));
    let first = body.load(a, &[zero], None);
    let double = body.binary(BinaryOp::Mul, first, two);
    let bind = body.push_op(entry, OpKind::Bind, &[double]);
    let x = body.push_result(bind, "x", I32.into());
    let (inner, i) = loop_of(&mut body, entry, ForKind::Vectorized, 0, 4);
    let x = body.value_expr(x);
    let next = body.binary(BinaryOp::Add, x, one);
    let sum = body.binary(BinaryOp::Add, next, next);
    store(&mut body, inner, a, i, sum);
    let array = Array { dtype: I32, shape: vec![8], data: vec![0; 32] };
    let outcome = run(&body, vec![Argument::Array(array)], &Options::default()).expect("runs");
    let counts = outcome.counts;
    assert_eq!(counts, Counts { arith: 1 + 3 * 4, loads: 1, stores: 4, calls: 0 });
}

/// A body whose buffer `A` has one dimension, which `extent` makes from the symbol `n`.
fn with_symbol(extent: impl FnOnce(&mut Body, ExprId) -> ExprId) -> (Body, ir::ValueId) {
    let (mut body, a, _) = with_buffer();
    let n = body.new_value("n", I32.into(), ValueKind::Symbol);
    let value = body.value_expr(n);
    let extent = extent(&mut body, value);
    body.buffers[a].shape = vec![extent];
    (body, n)
}

#[test]
fn extents_that_are_linear_in_one_symbol_tell_it() {
    let (body, n) = with_symbol(|body, n| {
        let (two, one) = (body.int(2, I32), body.int(1, I32));
        let double = body.binary(BinaryOp::Mul, n, two);
        body.binary(BinaryOp::Add, double, one)
    });
    let found = solve(&body, &[Some(vec![9])], &Symbols::new());
    assert_eq!(found, Symbols::from([(n, 4)]));
    assert_eq!(solve(&body, &[Some(vec![8])], &Symbols::new()), Symbols::new(), "no such n");
    let needs = needs(&body, &found).expect("known");
    assert_eq!(needs, [ArgumentNeed::Array { dtype: I32, shape: vec![9] }]);
}

#[test]
fn extents_with_several_solutions_must_be_given() {
    let (body, n) = with_symbol(|body, n| {
        let four = body.int(4, I32);
        body.binary(BinaryOp::FloorDiv, n, four)
    });
    assert_eq!(solve(&body, &[Some(vec![2])], &Symbols::new()), Symbols::new());
    let error = needs(&body, &Symbols::new()).expect_err("unknown");
    assert_eq!(error.to_string(), "the shape of `A` depends on `n`, without a value");
    let given = Symbols::from([(n, 11)]);
    let needs = needs(&body, &given).expect("known");
    assert_eq!(needs, [ArgumentNeed::Array { dtype: I32, shape: vec![2] }]);
}

#[test]
fn a_compiled_loop_reports_what_the_general_evaluator_reports() {
    // for i in range(8): A[i] = A[i] + 2147483640: the later iterations overflow, when the statement is compiled.
    let (mut body, a, entry) = with_buffer();
    let (inner, i) = loop_of(&mut body, entry, ForKind::Serial, 0, 8);
    let much = body.int(i128::from(i32::MAX) - 4, I32);
    let old = body.load(a, &[i], None);
    let sum = body.binary(BinaryOp::Add, old, much);
    store(&mut body, inner, a, i, sum);
    let input: Vec<u8> = (0..8i32).flat_map(i32::to_le_bytes).collect();
    let outcomes = [true, false].map(|fast| {
        let array = Array { dtype: I32, shape: vec![8], data: input.clone() };
        let options = Options { fast, ..Options::default() };
        run(&body, vec![Argument::Array(array)], &options).expect("runs")
    });
    assert_eq!(outcomes[0].events, outcomes[1].events);
    assert_eq!(outcomes[0].arguments, outcomes[1].arguments);
    assert_eq!(outcomes[0].counts, outcomes[1].counts);
    assert_eq!(
        outcomes[0].events.iter().map(|it| (it.kind, it.count)).collect::<Vec<_>>(),
        [(EventKind::Overflow, 3)]
    );
}

#[test]
fn an_allocation_of_more_bytes_than_there_are_numbers_is_refused() {
    let (mut body, _, entry) = with_buffer();
    let large = new_buffer(&mut body, "B", i128::from(i32::MAX), "global", BufferOrigin::Alloc);
    let extent = body.buffers[large].shape[0];
    body.buffers[large].shape = vec![extent; 4];
    body.push_op(entry, OpKind::Alloc { buffer: large, kind: AllocKind::Flat }, &[extent; 4]);
    let error = run_on(&body, [0; 8]).expect_err("there is no such memory");
    assert_eq!(error.kind, RunErrorKind::Unsupported);
}
