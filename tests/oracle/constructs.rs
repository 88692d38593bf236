//! Constructs that few kernels use, each in a small function whose result is known.

use interp::{Argument, Array, Options, Overlap, UnknownCalls, run, run_overlapping};

use crate::functions::functions_of;

/// Runs `f(A, B)` on `A = 0, 1, …, 63` and `B = 0` (both 8 × 8, `int32`) and gives `B`.
#[track_caller]
fn result_of(statements: &str) -> Vec<f64> {
    let mut text = String::from(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n\
         def f(A: T.Buffer((8, 8), \"int32\"), B: T.Buffer((8, 8), \"int32\")):\n",
    );
    for line in statements.lines().map(str::trim_end).filter(|it| !it.trim().is_empty()) {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    let functions = functions_of("case", &text);
    let lowered = &functions[0].lowered;
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    let mut a = Array::zeros(ir::DataType::INT32, &[8, 8]);
    (0..64).for_each(|at| a.set_f64(at, at as f64));
    let b = Array::zeros(ir::DataType::INT32, &[8, 8]);
    let arguments = vec![Argument::Array(a), Argument::Array(b)];
    let outcome = run(&lowered.body, arguments, &Options::default()).expect("runs");
    assert_eq!(outcome.events, [], "no event");
    let Argument::Array(array) = &outcome.arguments[1] else { panic!("an array") };
    array.to_f64s()
}

#[test]
fn a_matched_region_is_part_of_its_buffer() {
    let values = result_of(
        "
for i, j in T.grid(2, 2):
    with T.sblock(\"block\"):
        vi, vj = T.axis.remap(\"SS\", [i, j])
        T.reads(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
        T.writes(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
        from_a = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), \"int32\", offset_factor=1)
        to_b = T.match_buffer(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), \"int32\", offset_factor=1)
        for k, l in T.grid(4, 4):
            to_b[k, l] = from_a[k, l] * 2
",
    );
    assert_eq!(values, (0..64).map(|at| f64::from(at * 2)).collect::<Vec<_>>());
}

#[test]
fn threads_exchange_values_through_shared_memory() {
    let values = result_of(
        "
with T.launch_thread(\"blockIdx.x\", 8) as bx:
    tile = T.alloc_shared((8,), \"int32\")
    tx = T.launch_thread(\"threadIdx.x\", 8)
    tile[tx] = A[bx, tx]
    T.tvm_storage_sync(\"shared\")
    B[bx, tx] = tile[7 - tx]
",
    );
    let expected: Vec<f64> = (0..64).map(|at| f64::from(at / 8 * 8 + 7 - at % 8)).collect();
    assert_eq!(values, expected);
}

#[test]
fn a_value_per_block_and_one_per_thread_are_kept_apart() {
    let values = result_of(
        "
with T.launch_thread(\"blockIdx.x\", 8) as bx:
    tx = T.launch_thread(\"threadIdx.x\", 8)
    base: T.let[T.int32] = bx * 8
    mine: T.let[T.int32] = base + tx
    for k in range(mine % 3):
        B[bx, tx] = B[bx, tx] + base + k
",
    );
    let one = |at: i32| (0..at % 3).map(|k| at / 8 * 8 + k).sum::<i32>();
    assert_eq!(values, (0..64).map(|at| f64::from(one(at))).collect::<Vec<_>>());
}

#[test]
fn a_vector_of_fixed_point_products_is_stored_lane_by_lane() {
    let values = result_of(
        "
B[0, 0:4] = T.q_multiply_shift(A[7, T.Ramp(0, 1, 4)], T.Broadcast(536870912, 4), T.Broadcast(31, 4), T.Broadcast(0, 4))
",
    );
    assert_eq!(values[..5], [14.0, 14.0, 15.0, 15.0, 0.0]);
}

/// Runs `f(A, B, C)` of three `int32` arrays of 4, and gives `B`.
#[track_caller]
fn with_overlaps(statements: &str, overlaps: &[Overlap]) -> Vec<f64> {
    let text = format!(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n\
         def f(A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\"), C: T.Buffer((2,), \"int32\")):\n{statements}"
    );
    let functions = functions_of("case", &text);
    let arguments = [4, 4, 2].map(|n| Argument::Array(Array::zeros(ir::DataType::INT32, &[n])));
    let options = Options { unknown_calls: UnknownCalls::Model, ..Options::default() };
    let outcome =
        run_overlapping(&functions[0].lowered.body, arguments.to_vec(), overlaps, &options)
            .expect("runs");
    let Argument::Array(array) = &outcome.arguments[1] else { panic!("an array") };
    array.to_f64s()
}

#[test]
fn arguments_that_overlap_see_each_others_stores() {
    let statements = "    A[0] = 1\n    A[3] = 4\n    C[0] = 7\n    B[1] = A[0] + A[3]\n";
    let bytes = |argument, offset| Overlap { argument, with: 1, offset };
    assert_eq!(with_overlaps(statements, &[]), [0.0, 5.0, 0.0, 0.0]);
    assert_eq!(with_overlaps(statements, &[bytes(0, 0)]), [1.0, 5.0, 0.0, 4.0]);
    assert_eq!(with_overlaps(statements, &[bytes(0, 0), bytes(2, 8)]), [1.0, 5.0, 7.0, 4.0]);
}

#[test]
fn an_unknown_call_reads_and_changes_what_it_can_reach() {
    let call = "    T.evaluate(T.call_extern(\"int32\", \"g\", A.data))\n";
    let once = with_overlaps(call, &[]);
    assert_eq!(once, with_overlaps(call, &[]), "the same each time");
    assert_ne!(once, [0.0; 4], "also memory that it got no pointer to");
    let after = |first: &str| with_overlaps(&format!("    A[0] = {first}\n{call}"), &[]);
    assert_ne!(after("1"), after("2"), "it depends on memory");
    assert_ne!(with_overlaps(&call.repeat(2), &[]), once, "twice is not once");
}
