//! Instructions of a GPU's warps and copy engines: matrix products on registers and fragments, asynchronous copies,
//! barriers of a warp, atomic exchanges. TVM runs none of them on a CPU: their results are compared with plain loops
//! here.

use interp::{Argument, Array, Event, EventKind, OnError, Options, Outcome, Schedule, run};
use ir::DataType;

use crate::functions::functions_of;

const SCHEDULES: [Schedule; 4] =
    [Schedule::Lockstep, Schedule::Serial, Schedule::Reverse, Schedule::Random(5)];

/// Runs `f(PARAMS)` with these statements.
#[track_caller]
fn outcome_of(
    params: &str,
    statements: &str,
    arguments: Vec<Array>,
    schedule: Schedule,
) -> Outcome {
    let mut text =
        format!("from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef f({params}):\n");
    for line in statements.lines().filter(|it| !it.trim().is_empty()) {
        text.push_str("    ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let functions = functions_of("case", &text);
    let lowered = &functions[0].lowered;
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    let options =
        Options { schedule, on_error: OnError::Event, find_races: true, ..Options::default() };
    let arguments = arguments.into_iter().map(Argument::Array).collect();
    run(&lowered.body, arguments, &options).expect("runs")
}

fn array(dtype: &str, shape: &[i64], value: impl Fn(usize) -> f64) -> Array {
    let mut array = Array::zeros(DataType::parse(dtype).expect("a data type"), shape);
    (0..array.len()).for_each(|at| array.set_f64(at, value(at)));
    array
}

fn result(outcome: &Outcome, argument: usize) -> Vec<f64> {
    let Argument::Array(array) = &outcome.arguments[argument] else { panic!("an array") };
    array.to_f64s()
}

fn kinds(outcome: &Outcome) -> Vec<EventKind> {
    outcome.events.iter().map(|it| it.kind).collect()
}

fn details(outcome: &Outcome) -> Vec<String> {
    let detail = |it: &Event| format!("{}: {}", it.kind.name(), it.detail);
    outcome.events.iter().map(detail).collect()
}

/// Two matrices of 16 × 16 small numbers, and their product.
fn matrices(dtype: &str) -> (Array, Array, Vec<f64>) {
    let a = array(dtype, &[16, 16], |at| (at * 7 % 23) as f64 - 9.0);
    let b = array(dtype, &[16, 16], |at| (at * 5 % 19) as f64 - 8.0);
    let product = product(&a.to_f64s(), &b.to_f64s(), [16, 16, 16]);
    (a, b, product)
}

fn product(a: &[f64], b: &[f64], [m, n, k]: [usize; 3]) -> Vec<f64> {
    let at = |i: usize, j: usize| (0..k).map(|it| a[i * k + it] * b[it * n + j]).sum();
    (0..m).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| at(i, j)).collect()
}

const FRAGMENTS: &str = "
with T.launch_thread(\"blockIdx.x\", 1) as bx:
    a = T.alloc_buffer((256,), \"float16\", scope=\"wmma.matrix_a\")
    b = T.alloc_buffer((256,), \"float16\", scope=\"wmma.matrix_b\")
    c = T.alloc_buffer((256,), \"float32\", scope=\"wmma.accumulator\")
    tx = T.launch_thread(\"threadIdx.x\", 32)
    T.tvm_fill_fragment(c.data, 16, 16, 16, 0, T.float32(0.0))
    T.tvm_load_matrix_sync(a.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation(\"float16\"), A.data, 0, 256, 1), 16, \"row_major\")
    T.tvm_load_matrix_sync(b.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation(\"float16\"), B.data, 0, 256, 1), 16, \"LAYOUT\")
    T.tvm_mma_sync(c.data, 0, a.data, 0, b.data, 0, c.data, 0)
    T.tvm_store_matrix_sync(c.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation(\"float32\"), C.data, 0, 256, 2), 16, \"row_major\")
";

const MATMUL: &str = "A: T.Buffer((16, 16), \"float16\"), B: T.Buffer((16, 16), \"float16\"), C: T.Buffer((16, 16), \"float32\")";

#[test]
fn fragments_are_loaded_multiplied_and_stored() {
    let (a, b, expected) = matrices("float16");
    let c = array("float32", &[16, 16], |_| -1.0);
    for schedule in SCHEDULES {
        let text = FRAGMENTS.replace("LAYOUT", "row_major");
        let outcome = outcome_of(MATMUL, &text, vec![a.clone(), b.clone(), c.clone()], schedule);
        assert_eq!((result(&outcome, 2), details(&outcome)), (expected.clone(), vec![]));
    }
    let transposed = array("float16", &[16, 16], |at| b.to_f64s()[at % 16 * 16 + at / 16]);
    let text = FRAGMENTS.replace("LAYOUT", "col_major");
    let outcome = outcome_of(MATMUL, &text, vec![a, transposed, c], Schedule::Lockstep);
    assert_eq!(result(&outcome, 2), expected);
}

#[test]
fn a_fill_is_converted_to_the_type_of_the_fragment() {
    let c = array("int32", &[16, 16], |_| -1.0);
    let text = "
with T.launch_thread(\"blockIdx.x\", 1) as bx:
    c = T.alloc_buffer((256,), \"int32\", scope=\"wmma.accumulator\")
    tx = T.launch_thread(\"threadIdx.x\", 32)
    T.tvm_fill_fragment(c.data, 16, 16, 16, 0, T.float32(3.0))
    T.tvm_store_matrix_sync(c.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation(\"int32\"), C.data, 0, 256, 2), 16, \"row_major\")
";
    let params = "C: T.Buffer((16, 16), \"int32\")";
    let outcome = outcome_of(params, text, vec![c], Schedule::Lockstep);
    assert_eq!((result(&outcome, 0), details(&outcome)), (vec![3.0; 256], vec![]));
}

#[test]
fn part_of_a_warp_executes_no_matrix_instruction() {
    let (a, b, _) = matrices("float16");
    let c = array("float32", &[16, 16], |_| -1.0);
    let text = FRAGMENTS.replace("\"threadIdx.x\", 32", "\"threadIdx.x\", 16");
    let outcome =
        outcome_of(MATMUL, &text.replace("LAYOUT", "row_major"), vec![a, b, c], Schedule::Lockstep);
    assert_eq!(result(&outcome, 2), vec![-1.0; 256]);
    assert_eq!(
        details(&outcome)[0],
        "inactive-lane: 16 of 32 threads of a warp execute a matrix instruction"
    );
}

/// TVM's way: `ldmatrix` of both matrices (B transposed by it), two products of 16 × 8, a store of their registers.
const REGISTERS: &str = "
with T.launch_thread(\"blockIdx.x\", 1) as bx:
    sa = T.alloc_buffer((256,), \"float16\", scope=\"shared\")
    sb = T.alloc_buffer((256,), \"float16\", scope=\"shared\")
    a = T.alloc_buffer((8,), \"float16\", scope=\"local\")
    b = T.alloc_buffer((8,), \"float16\", scope=\"local\")
    c = T.alloc_buffer((8,), \"float32\", scope=\"local\")
    tx = T.launch_thread(\"threadIdx.x\", 32)
    for i in range(8):
        sa[i * 32 + tx] = A[(i * 32 + tx) // 16, (i * 32 + tx) % 16]
        sb[i * 32 + tx] = B[(i * 32 + tx) // 16, (i * 32 + tx) % 16]
    T.tvm_storage_sync(\"shared\")
    T.cuda.mma_fill_legacy(8, c.data, 0, dtype=\"float32\")
    T.ptx_legacy.ldmatrix(T.bool(False), 4, \".b16\", a.data, 0, T.tvm_access_ptr(T.type_annotation(\"float16\"), sa.data, 0, 256, 1), 16 * (tx % 16) + 8 * (tx // 16), dtype=\"float16\")
    T.ptx_legacy.ldmatrix(T.bool(True), 4, \".b16\", b.data, 0, T.tvm_access_ptr(T.type_annotation(\"float16\"), sb.data, 0, 256, 1), 16 * (tx % 16) + 8 * (tx // 16), dtype=\"float16\")
    T.ptx_legacy.mma(\"m16n8k16\", \"row\", \"col\", \"fp16\", \"fp16\", \"fp32\", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype=\"float32\")
    T.ptx_legacy.mma(\"m16n8k16\", \"row\", \"col\", \"fp16\", \"fp16\", \"fp32\", a.data, 0, b.data, 4, c.data, 4, T.bool(False), dtype=\"float32\")
    T.cuda.mma_store_legacy(16, 16, T.tvm_access_ptr(T.type_annotation(\"float32\"), C.data, 0, 256, 2), c.data, 0, 16, dtype=\"float32\")
";

#[test]
fn registers_are_loaded_multiplied_and_stored() {
    let (a, b, expected) = matrices("float16");
    for schedule in SCHEDULES {
        let c = array("float32", &[16, 16], |_| -1.0);
        let outcome = outcome_of(MATMUL, REGISTERS, vec![a.clone(), b.clone(), c], schedule);
        assert_eq!((result(&outcome, 2), details(&outcome)), (expected.clone(), vec![]));
    }
}

/// As TVM writes it before warp memory is lowered: each thread has its row of the buffer.
#[test]
fn warp_memory_is_one_for_each_warp() {
    let (a, b, expected) = matrices("float16");
    let mut text =
        REGISTERS.replace("scope=\"local\"", "scope=\"warp\"").replace("(8,)", "(32, 8)");
    for (name, at) in [("a", "tx * 8"), ("b", "tx * 8")] {
        text = text.replace(
            &format!("{name}.data, 0, T.tvm_access_ptr"),
            &format!("{name}.data, {at}, T.tvm_access_ptr"),
        );
    }
    text = text
        .replace(
            "a.data, 0, b.data, 0, c.data, 0",
            "a.data, tx * 8, b.data, tx * 8, c.data, tx * 8",
        )
        .replace(
            "a.data, 0, b.data, 4, c.data, 4",
            "a.data, tx * 8, b.data, tx * 8 + 4, c.data, tx * 8 + 4",
        );
    let c = array("float32", &[16, 16], |_| -1.0);
    let outcome = outcome_of(MATMUL, &text, vec![a, b, c], Schedule::Lockstep);
    assert_eq!((result(&outcome, 2), details(&outcome)), (expected, vec![]));
}

#[test]
fn bytes_are_multiplied_exactly() {
    let params = "A: T.Buffer((32, 16), \"int8\"), B: T.Buffer((32, 8), \"int8\"), C: T.Buffer((32, 4), \"int32\")";
    let text = "
with T.launch_thread(\"blockIdx.x\", 1) as bx:
    tx = T.launch_thread(\"threadIdx.x\", 32)
    T.ptx_legacy.mma(\"m16n8k32\", \"row\", \"col\", \"int8\", \"int8\", \"int32\", A.data, tx * 16, B.data, tx * 8, C.data, tx * 4, T.bool(False), dtype=\"int32\")
";
    // Thread 4 g + p holds, of the left matrix, rows g and g + 8 and columns 4 p .. 4 p + 4 and those plus 16.
    let (left, right) = (
        |i: usize, k: usize| (i * 3 + k) as f64 % 11.0 - 5.0,
        |k: usize, j: usize| (k * 2 + j * 7) as f64 % 13.0 - 6.0,
    );
    let a = array("int8", &[32, 16], |at| {
        let (thread, element) = (at / 16, at % 16);
        let row = thread / 4 + if element / 4 % 2 == 1 { 8 } else { 0 };
        left(row, thread % 4 * 4 + element % 4 + element / 8 * 16)
    });
    let b = array("int8", &[32, 8], |at| {
        let (thread, element) = (at / 8, at % 8);
        right(thread % 4 * 4 + element % 4 + element / 4 * 16, thread / 4)
    });
    let c = array("int32", &[32, 4], |at| at as f64);
    let outcome = outcome_of(params, text, vec![a, b, c], Schedule::Lockstep);
    let expected: Vec<f64> = (0..128)
        .map(|at| {
            let (thread, element) = (at / 4, at % 4);
            let (row, column) = (thread / 4 + element / 2 * 8, thread % 4 * 2 + element % 2);
            at as f64 + (0..32).map(|k| left(row, k) * right(k, column)).sum::<f64>()
        })
        .collect();
    assert_eq!((result(&outcome, 2), details(&outcome)), (expected, vec![]));
}

const VECTOR: &str = "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")";

/// Two stages in flight: each iteration waits for the older one.
const PIPELINE: &str = "
with T.launch_thread(\"blockIdx.x\", 1) as bx:
    s = T.alloc_buffer((2, 8), \"float32\", scope=\"shared\")
    tx = T.launch_thread(\"threadIdx.x\", 2)
    T.s_tir.cp_async_raw(T.tvm_access_ptr(T.type_annotation(\"float32\"), s.data, tx * 4, 4, 2), 0, T.tvm_access_ptr(T.type_annotation(\"float32\"), A.data, tx * 4, 4, 1), 0, 16)
    T.ptx.cp.async_.commit_group()
    for i in range(7):
        T.s_tir.cp_async_raw(T.tvm_access_ptr(T.type_annotation(\"float32\"), s.data, (i + 1) % 2 * 8 + tx * 4, 4, 2), 0, T.tvm_access_ptr(T.type_annotation(\"float32\"), A.data, (i + 1) * 8 + tx * 4, 4, 1), 0, 16)
        T.ptx.cp.async_.commit_group()
        T.ptx.cp.async_.wait_group(1)
        T.tvm_storage_sync(\"shared\")
        for j in range(4):
            B[i * 8 + tx * 4 + j] = s[i % 2, (1 - tx) * 4 + j]
        T.tvm_storage_sync(\"shared\")
    T.ptx.cp.async_.wait_group(0)
    T.tvm_storage_sync(\"shared\")
    for j in range(4):
        B[56 + tx * 4 + j] = s[1, (1 - tx) * 4 + j]
";

fn numbers() -> Array {
    array("float32", &[64], |at| at as f64)
}

#[test]
fn copies_end_at_the_wait_for_their_group() {
    let expected: Vec<f64> = (0..64).map(|at| f64::from(at ^ 4)).collect();
    for schedule in SCHEDULES {
        let b = array("float32", &[64], |_| 0.0);
        let outcome = outcome_of(VECTOR, PIPELINE, vec![numbers(), b], schedule);
        assert_eq!((result(&outcome, 1), details(&outcome)), (expected.clone(), vec![]));
    }
}

#[test]
fn a_read_before_the_wait_is_reported_and_finds_no_data() {
    let early = PIPELINE.replace("T.ptx.cp.async_.wait_group(1)", "T.ptx.cp.async_.wait_group(2)");
    let b = array("float32", &[64], |_| 0.0);
    let outcome = outcome_of(VECTOR, &early, vec![numbers(), b], Schedule::Lockstep);
    let read = "in-flight: memory is read before a copy to it was waited for";
    assert!(details(&outcome).iter().any(|it| it == read), "{:?}", details(&outcome));
    assert_ne!(result(&outcome, 1)[..4], [4.0, 5.0, 6.0, 7.0]);
}

#[test]
fn copied_data_is_for_other_threads_after_a_barrier() {
    let racy =
        PIPELINE.replacen("        T.tvm_storage_sync(\"shared\")\n        for", "        for", 1);
    let b = array("float32", &[64], |_| 0.0);
    let outcome = outcome_of(VECTOR, &racy, vec![numbers(), b], Schedule::Lockstep);
    assert!(kinds(&outcome).contains(&EventKind::Race), "{:?}", details(&outcome));
}

/// One thread copies 16 bytes in each of today's and yesterday's spellings, then does something and waits.
fn copy_then(what: &str) -> Vec<(Vec<f64>, Vec<String>)> {
    let copies = [
        "T.ptx_cp_async(\"float32\", s.data, 0, A.data, 8, 16)\nT.ptx_commit_group()",
        "T.ptx.cp.async_.ca.shared.global_(T.address_of(s[0]), T.address_of(A[8]), 16)\nT.ptx.cp.async_.commit_group()",
        "T.ptx.cp.async_.cg.shared.global_(T.address_of(s[0]), T.address_of(A[8]), 16)",
    ];
    let waits =
        ["T.ptx_wait_group(0)", "T.ptx.cp.async_.wait_group(0)", "T.ptx.cp.async_.wait_all()"];
    let run = |(copy, wait): (&&str, &&str)| {
        let mut text = String::from(
            "with T.launch_thread(\"blockIdx.x\", 1) as bx:\n    s = T.alloc_buffer((4,), \"float32\", scope=\"shared\")\n    tx = T.launch_thread(\"threadIdx.x\", 1)\n",
        );
        for line in copy.lines().chain([what, wait]).filter(|it| !it.is_empty()) {
            text.push_str(&format!("    {line}\n"));
        }
        text.push_str("    for j in range(4):\n        B[j] = s[j]\n");
        let b = array("float32", &[64], |_| 0.0);
        let outcome = outcome_of(VECTOR, &text, vec![numbers(), b], Schedule::Lockstep);
        (result(&outcome, 1)[..4].to_vec(), details(&outcome))
    };
    copies.iter().zip(&waits).map(run).collect()
}

#[test]
fn every_spelling_of_a_copy_copies() {
    for case in copy_then("") {
        assert_eq!(case, (vec![8.0, 9.0, 10.0, 11.0], vec![]));
    }
}

#[test]
fn a_source_belongs_to_its_copy_until_the_wait() {
    for case in copy_then("A[9] = T.float32(7)") {
        let event = "in-flight: memory is written before a copy from it was waited for";
        assert_eq!(case, (vec![8.0, 7.0, 10.0, 11.0], vec![event.to_owned()]));
    }
    for case in copy_then("A[12] = T.float32(7)") {
        assert_eq!(case, (vec![8.0, 9.0, 10.0, 11.0], vec![]));
    }
}

#[test]
fn a_store_to_the_target_of_a_copy_is_reported() {
    for case in copy_then("s[1] = T.float32(7)") {
        let event = "in-flight: memory is written before a copy to it was waited for";
        assert_eq!(case, (vec![8.0, 9.0, 10.0, 11.0], vec![event.to_owned()]));
    }
}

#[test]
fn a_barrier_of_a_warp_orders_no_other_warp() {
    let exchange = "
with T.launch_thread(\"blockIdx.x\", 1) as bx:
    s = T.alloc_buffer((64,), \"float32\", scope=\"shared\")
    tx = T.launch_thread(\"threadIdx.x\", 64)
    s[tx] = A[tx]
    T.cuda.warp_sync()
    B[tx] = s[FROM]
";
    let found = |from: &str| {
        let b = array("float32", &[64], |_| 0.0);
        let text = exchange.replace("FROM", from);
        kinds(&outcome_of(VECTOR, &text, vec![numbers(), b], Schedule::Lockstep))
    };
    assert_eq!(found("tx // 32 * 32 + 31 - tx % 32"), []);
    assert_eq!(found("63 - tx"), [EventKind::Race]);
}

#[test]
fn compare_and_swap_compares_bits() {
    let text = "
with T.launch_thread(\"blockIdx.x\", 1) as bx:
    tx = T.launch_thread(\"threadIdx.x\", 1)
    B[8] = T.cuda.atomic_cas(T.address_of(B[0]), T.float32(0), T.float32(5))
    B[9] = T.cuda.atomic_cas(T.address_of(B[1]), T.float32(0), T.float32(5))
    B[10] = T.cuda.atomic_cas(T.address_of(B[2]), A[0], T.float32(5))
";
    let a = array("float32", &[64], |_| f64::NAN);
    let b = array("float32", &[64], |at| [-0.0, 0.0, f64::NAN][at.min(2)]);
    let outcome = outcome_of(VECTOR, text, vec![a, b], Schedule::Lockstep);
    let after = result(&outcome, 1);
    assert_eq!((after[0], after[1], after[2]), (0.0, 5.0, 5.0));
    assert!(after[0].is_sign_negative() && after[8].is_sign_negative());
    assert_eq!(details(&outcome), Vec::<String>::new());
}

/// A kernel that begins in the middle of a function, with tile primitives of blocks, warps and threads.
const TILES: &str = "
T.device_entry()
bx = T.cta_id([2])
tx, ty = T.thread_id([8, 8])
warp = T.warp_id([2])
lane = T.lane_id([32])
s = T.alloc_buffer((4, 16), \"float32\", scope=\"shared\")
own = T.alloc_local((4,), \"float32\")
T.tile.cta.copy(s, A[bx * 4 : bx * 4 + 4, :])
T.cuda.cta_sync()
T.tile.cta.mul(s, s, T.float32(2))
T.cuda.cta_sync()
T.tile.warp.sum(C[bx * 4 + warp * 2 : bx * 4 + warp * 2 + 2], s[warp * 2 : warp * 2 + 2, :], [-1], False)
T.tile.fill(own, T.float32(tx))
T.tile.fma(own, own, T.float32(10), T.float32(1))
if lane < 4:
    B[bx * 4 + lane, warp] = own[ty % 4]
";

#[test]
fn tile_primitives_are_executed_by_their_teams() {
    let a = array("float32", &[8, 16], |at| (at * 7 % 23) as f64 - 9.0);
    let sums: Vec<f64> = a.to_f64s().chunks(16).map(|row| 2.0 * row.iter().sum::<f64>()).collect();
    for schedule in SCHEDULES {
        let arguments =
            vec![a.clone(), array("float32", &[8, 2], |_| 0.0), array("float32", &[8], |_| 0.0)];
        let params = "A: T.Buffer((8, 16), \"float32\"), B: T.Buffer((8, 2), \"float32\"), C: T.Buffer((8,), \"float32\")";
        let outcome = outcome_of(params, TILES, arguments, schedule);
        assert_eq!(details(&outcome), Vec::<String>::new(), "{schedule:?}");
        assert_eq!(result(&outcome, 2), sums, "{schedule:?}");
        let lanes: Vec<f64> =
            (0..8).flat_map(|row| [row % 4; 2]).map(|it| it as f64 * 10.0 + 1.0).collect();
        assert_eq!(result(&outcome, 1), lanes, "{schedule:?}");
    }
}

#[test]
fn products_of_tiles_are_those_of_matrices() {
    let (a, b, product) = matrices("float32");
    let params = "A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((16, 16), \"float32\"), C: T.Buffer((16, 16), \"float32\"), D: T.Buffer((4, 16), \"float32\")";
    let statements = "
T.tile.gemm(C, A, B, C)
T.tile.max(D[0, :], A, [0])
";
    let arguments = vec![
        a.clone(),
        b,
        array("float32", &[16, 16], |_| 3.0),
        array("float32", &[4, 16], |_| 0.0),
    ];
    let outcome = outcome_of(params, statements, arguments, Schedule::Lockstep);
    assert_eq!(result(&outcome, 2), product);
    let largest = |column: usize| {
        a.to_f64s().chunks(16).map(|row| row[column]).fold(f64::NEG_INFINITY, f64::max)
    };
    assert_eq!(result(&outcome, 3)[..16], (0..16).map(largest).collect::<Vec<_>>());
}
