//! Threads in other orders: a race-free kernel gives the same results under every schedule, and errors that the
//! schedules and the race detection find are reported.

use interp::{Argument, Array, EventKind, OnError, Options, Outcome, Schedule, run};
use test_utils::Rng;

use crate::{
    functions::{Corpus, functions_of, functions_of_file},
    inputs::{self, Flavour},
    rewrites::skip_reason,
    tally::Tally,
};

const SCHEDULES: [Schedule; 4] =
    [Schedule::Lockstep, Schedule::Serial, Schedule::Reverse, Schedule::Random(11)];

/// Runs `f(A, B)` on `A = 0, 1, …, 63` and `B = 0` (both 8 × 8, `int32`).
#[track_caller]
fn outcome_of(statements: &str, schedule: Schedule) -> Outcome {
    let mut text = String::from(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n\
         def f(A: T.Buffer((8, 8), \"int32\"), B: T.Buffer((8, 8), \"int32\")):\n",
    );
    for line in statements.lines().filter(|it| !it.trim().is_empty()) {
        text.push_str("    ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let functions = functions_of("case", &text);
    let lowered = &functions[0].lowered;
    assert!(lowered.diagnostics.is_empty(), "{:?}", lowered.diagnostics);
    let mut a = Array::zeros(ir::DataType::INT32, &[8, 8]);
    (0..64).for_each(|at| a.set_f64(at, at as f64));
    let b = Array::zeros(ir::DataType::INT32, &[8, 8]);
    let options =
        Options { schedule, on_error: OnError::Event, find_races: true, ..Options::default() };
    run(&lowered.body, vec![Argument::Array(a), Argument::Array(b)], &options).expect("runs")
}

fn kinds(outcome: &Outcome) -> Vec<EventKind> {
    outcome.events.iter().map(|it| it.kind).collect()
}

fn array_b(outcome: &Outcome) -> Vec<f64> {
    let Argument::Array(array) = &outcome.arguments[1] else { panic!("an array") };
    array.to_f64s()
}

const EXCHANGE: &str = "
with T.launch_thread(\"blockIdx.x\", 8) as bx:
    tile = T.alloc_shared((8,), \"int32\")
    tx = T.launch_thread(\"threadIdx.x\", 8)
    tile[tx] = A[bx, tx]
    T.tvm_storage_sync(\"shared\")
    B[bx, tx] = tile[7 - tx]
";

#[test]
fn a_barrier_makes_every_schedule_agree() {
    let expected: Vec<f64> = (0..64).map(|at| f64::from(at / 8 * 8 + 7 - at % 8)).collect();
    for schedule in SCHEDULES {
        let outcome = outcome_of(EXCHANGE, schedule);
        assert_eq!(
            (array_b(&outcome), kinds(&outcome)),
            (expected.clone(), vec![]),
            "{schedule:?}"
        );
    }
}

#[test]
fn a_missing_barrier_is_a_race_and_shows_under_other_schedules() {
    let racy = EXCHANGE.replace("    T.tvm_storage_sync(\"shared\")\n", "");
    let lockstep = outcome_of(&racy, Schedule::Lockstep);
    assert_eq!(kinds(&lockstep), [EventKind::Race]);
    let serial = outcome_of(&racy, Schedule::Serial);
    assert_eq!(kinds(&serial), [EventKind::Race, EventKind::UninitializedRead, EventKind::Race]);
    assert_ne!(array_b(&lockstep), array_b(&serial));
}

#[test]
fn blocks_that_write_one_cell_race() {
    let outcome = outcome_of(
        "
with T.launch_thread(\"blockIdx.x\", 8) as bx:
    tx = T.launch_thread(\"threadIdx.x\", 1)
    B[0, 0] = A[bx, tx]
",
        Schedule::Lockstep,
    );
    assert_eq!(kinds(&outcome), [EventKind::Race]);
    assert_eq!(outcome.events[0].count, 7, "from the second block on");
}

#[test]
fn parallel_iterations_race_only_where_they_share() {
    let shared = outcome_of("for i in T.parallel(8):\n    B[0, 0] = A[i, 0]\n", Schedule::Lockstep);
    assert_eq!(kinds(&shared), [EventKind::Race]);
    let apart = outcome_of("for i in T.parallel(8):\n    B[i, 0] = A[i, 0]\n", Schedule::Reverse);
    assert_eq!(kinds(&apart), []);
    let last = outcome_of("for i in T.parallel(8):\n    B[0, 0] = A[i, 0]\n", Schedule::Reverse);
    assert_eq!((array_b(&shared)[0], array_b(&last)[0]), (56.0, 0.0));
}

#[test]
fn a_barrier_that_some_threads_miss_is_reported() {
    let outcome = outcome_of(
        "
with T.launch_thread(\"blockIdx.x\", 1) as bx:
    tx = T.launch_thread(\"threadIdx.x\", 8)
    if tx < 3:
        T.tvm_storage_sync(\"shared\")
    B[bx, tx] = A[bx, tx]
",
        Schedule::Lockstep,
    );
    assert_eq!(kinds(&outcome), [EventKind::DivergentBarrier]);
    assert_eq!(outcome.events[0].detail, "3 of 8 threads of the block reach a barrier");
}

#[test]
fn threads_read_registers_of_their_warp() {
    for schedule in SCHEDULES {
        let outcome = outcome_of(
            "
with T.launch_thread(\"blockIdx.x\", 8) as bx:
    tx = T.launch_thread(\"threadIdx.x\", 8)
    x = T.alloc_local((1,), \"int32\")
    x[0] = A[bx, tx]
    x[0] = x[0] + T.tvm_warp_shuffle_down(T.uint32(255), x[0], 4, 8, 32)
    x[0] = x[0] + T.tvm_warp_shuffle_down(T.uint32(255), x[0], 2, 8, 32)
    x[0] = x[0] + T.tvm_warp_shuffle_down(T.uint32(255), x[0], 1, 8, 32)
    B[bx, tx] = T.tvm_warp_shuffle(T.uint32(255), x[0], 0, 8, 32)
",
            schedule,
        );
        let sums: Vec<f64> = (0..64).map(|at| f64::from((at / 8) * 64 + 28)).collect();
        assert_eq!((array_b(&outcome), kinds(&outcome)), (sums, vec![]), "{schedule:?}");
    }
}

#[test]
fn a_shuffle_from_a_thread_that_left_is_reported() {
    let outcome = outcome_of(
        "
with T.launch_thread(\"blockIdx.x\", 1) as bx:
    tx = T.launch_thread(\"threadIdx.x\", 8)
    if tx < 6:
        B[bx, tx] = T.tvm_warp_shuffle_down(T.uint32(63), A[bx, tx], 4, 8, 32)
",
        Schedule::Lockstep,
    );
    assert_eq!(kinds(&outcome), [EventKind::InactiveLane]);
    assert_eq!(array_b(&outcome)[..8], [4.0, 5.0, 2.0, 3.0, 4.0, 5.0, 0.0, 0.0]);
}

#[test]
fn atomics_add_up_and_do_not_race() {
    for schedule in SCHEDULES {
        let outcome = outcome_of(
            "
with T.launch_thread(\"blockIdx.x\", 8) as bx:
    tx = T.launch_thread(\"threadIdx.x\", 8)
    T.evaluate(T.call_extern(\"int32\", \"atomicAdd\", T.address_of(B[0, 0]), A[bx, tx]))
",
            schedule,
        );
        assert_eq!((array_b(&outcome)[0], kinds(&outcome)), (2016.0, vec![]), "{schedule:?}");
    }
}

#[test]
fn a_view_may_lie_elsewhere_in_each_thread() {
    for schedule in SCHEDULES {
        let outcome = outcome_of(
            "
with T.launch_thread(\"blockIdx.x\", 8) as bx:
    tx = T.launch_thread(\"threadIdx.x\", 8)
    mine = T.decl_buffer((1,), \"int32\", data=A.data, elem_offset=bx * 8 + 7 - tx)
    for k in T.vectorized(1):
        B[bx, tx] = mine[k] * 2
",
            schedule,
        );
        let expected: Vec<f64> =
            (0..64).map(|at| f64::from((at / 8 * 8 + 7 - at % 8) * 2)).collect();
        assert_eq!((array_b(&outcome), kinds(&outcome)), (expected, vec![]), "{schedule:?}");
    }
}

#[test]
fn errors_are_events_if_asked_and_the_run_goes_on() {
    let outcome = outcome_of(
        "
for i in range(3):
    B[0, i] = A[0, 5] // i
for i in range(2):
    B[1, i] = A[0, i + 7] + 1
assert A[0, 0] == 1, \"one\"
B[2, 0] = 1
",
        Schedule::Lockstep,
    );
    let found: Vec<(&str, u64, &str)> =
        outcome.events.iter().map(|it| (it.kind.name(), it.count, it.detail.as_str())).collect();
    assert_eq!(
        found,
        [
            ("division-by-zero", 1, "division by zero"),
            ("out-of-bounds", 1, "index 8 of dimension 1 of `A` is not in 0..8"),
            ("failed-assertion", 1, "an assertion failed"),
        ]
    );
    let b = array_b(&outcome);
    assert_eq!((&b[..3], &b[8..10], b[16]), (&[0.0, 5.0, 2.0][..], &[8.0, 1.0][..], 0.0));
}

/// Kernels after TVM has put its barriers: no schedule may change their results, and none may race.
#[test]
fn kernels_with_their_barriers_give_the_same_under_every_schedule() {
    let corpus = Corpus::chosen(400_000);
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    for path in corpus.files("final_cuda") {
        for function in functions_of_file("final_cuda", &path) {
            let body = &function.lowered.body;
            let symbols = inputs::symbols(body, 0);
            let arguments = inputs::arguments(body, &symbols, Flavour::Tame, &mut Rng::new(7));
            let Ok(arguments) = arguments else {
                tally.add("skipped: host code", &function.name);
                continue;
            };
            let mut results = Vec::new();
            for schedule in SCHEDULES {
                let options = Options {
                    max_steps: corpus.max_steps,
                    max_trips: Some(4),
                    on_error: OnError::Event,
                    find_races: true,
                    schedule,
                    ..Options::default()
                };
                results.push(tally.run(body, arguments.clone(), &options));
            }
            if let Some(error) = results.iter().find_map(|it| it.as_ref().err()) {
                tally.add(format!("skipped: {}", skip_reason(error)), &function.name);
                continue;
            }
            let mut outcomes = results.into_iter().flatten();
            let Some(first) = outcomes.next() else { continue };
            let has = |kind: EventKind| kinds(&first).contains(&kind);
            let differs = outcomes.any(|it| it.arguments != first.arguments);
            if has(EventKind::OutOfBounds) {
                assert!(!differs || has(EventKind::Race), "{}: an unseen race", function.name);
                tally.add("skipped: the made-up sizes do not fit", &function.name);
            } else if differs || has(EventKind::Race) {
                failures.push(format!("{}: {differs} {:?}", function.name, first.events));
            } else {
                tally.add("agree", &function.name);
            }
        }
    }
    tally.print("kernels under four schedules");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
