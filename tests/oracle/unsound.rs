//! Programs that the reference compiler's pass breaks: with the divisor 0 the original runs, TVM's plan divides by it,
//! ours does not.

use dataflow::analyses::Analyses;
use interp::{Argument, Array, Options, Outcome, RunError, RunErrorKind, run};
use ir::effects::EffectTable;
use ir::{Body, Occurrences, plan::Preset};
use transform::cse::{self, CseOptions};

use crate::{functions::functions_of, rewrites::agrees};

/// A function of `x`, `y`, `n` and `A` with these statements.
fn lowered(statements: &str) -> Body {
    let mut text = String::from(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n\
         def f(A: T.Buffer((8,), \"int32\"), x: T.int32, y: T.int32, n: T.int32):\n",
    );
    for line in statements.lines().map(str::trim_end).filter(|it| !it.trim().is_empty()) {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    let mut functions = functions_of("case", &text);
    let function = functions.pop().expect("one function");
    assert!(functions.is_empty() && function.lowered.diagnostics.is_empty(), "{text}");
    function.lowered.body
}

fn run_with(body: &Body, y: i64, n: i64) -> Result<Outcome, RunError> {
    let array = Argument::Array(Array::zeros(ir::DataType::INT32, &[8]));
    let arguments = vec![array, Argument::Int(7), Argument::Int(y), Argument::Int(n)];
    run(body, arguments, &Options::default())
}

fn rewritten(body: &Body, preset: Preset, allow_unsound: bool) -> (usize, Body) {
    let occurrences = Occurrences::collect(body);
    let options = CseOptions { preset, allow_unsound, ..CseOptions::default() };
    let plan = cse::plan(&Analyses::of(body, &occurrences, EffectTable::builtin()), None, &options);
    (plan.bindings.len(), cse::rewrite(body, &occurrences, &plan))
}

/// The original and our plans run for a divisor of 0 (and of 2); the peer's plan does not.
#[track_caller]
fn check_breaks(statements: &str, n: i64) {
    let body = lowered(statements);
    let (n_unsound, unsound) = rewritten(&body, Preset::Tvm, true);
    assert!(n_unsound > 0, "the peer's rules bind something");
    let original = run_with(&body, 0, n);
    assert!(original.is_ok(), "{original:?}");
    let error = run_with(&unsound, 0, n).expect_err("the peer's plan divides by zero");
    assert_eq!((error.kind, &*error.message), (RunErrorKind::Program, "division by zero"));
    for preset in [Preset::Default, Preset::Tvm] {
        let (_, sound) = rewritten(&body, preset, false);
        for y in [0, 2, -1] {
            let (before, after) = (run_with(&body, y, n), run_with(&sound, y, n));
            assert_eq!(agrees(&before, &after), Ok(()), "{preset:?}, y = {y}");
        }
    }
}

#[test]
fn a_division_stays_in_the_arm_that_guards_it() {
    check_breaks(
        "
A[0] = T.if_then_else(y != 0, x // y, -1)
A[1] = T.if_then_else(y != 0, x // y, -2)
",
        0,
    );
}

#[test]
fn a_division_stays_right_of_the_and_that_guards_it() {
    check_breaks(
        "
if y != 0 and x // y > 2:
    A[0] = x // y
",
        0,
    );
}

#[test]
fn a_division_in_two_guarded_branches_stays_in_them() {
    check_breaks(
        "
if y != 0:
    A[0] = x // y
if y != 0:
    A[1] = x // y
",
        0,
    );
}

#[test]
fn a_division_stays_in_loops_that_do_not_run() {
    check_breaks(
        "
for i in range(n):
    A[i] = x // y
for i in range(n):
    A[i] = A[i] + x // y
",
        0,
    );
}

#[test]
fn a_loop_that_does_not_run_keeps_its_division() {
    // The peer binds inside the loop here; nobody may bind above it.
    let body = lowered("for i in range(n):\n    A[i] = x // y + A[x // y]\n");
    for preset in [Preset::Default, Preset::Tvm] {
        let (_, after) = rewritten(&body, preset, preset == Preset::Tvm);
        assert_eq!(agrees(&run_with(&body, 0, 0), &run_with(&after, 0, 0)), Ok(()));
        assert_eq!(agrees(&run_with(&body, 3, 4), &run_with(&after, 3, 4)), Ok(()));
    }
}

#[test]
fn a_division_stays_in_a_while_loop_that_does_not_run() {
    check_breaks(
        "
while A[0] < n:
    A[0] = A[0] + 1
    A[1] = x % y
if n > 0:
    A[2] = x % y
",
        0,
    );
}

#[test]
fn a_division_right_of_or_stays_there() {
    check_breaks(
        "
if y == 0 or x // y > 2:
    A[0] = 1
if y == 0 or x // y > 1:
    A[1] = 1
",
        0,
    );
}

#[test]
fn a_division_before_its_guards_is_shared() {
    // Certain to be computed first: sharing is sound, and a zero divisor is an error of the original.
    let body = lowered("A[0] = x // y\nif y != 0:\n    A[1] = x // y\n");
    let (n_bindings, sound) = rewritten(&body, Preset::Default, false);
    assert_eq!(n_bindings, 1);
    assert_eq!(agrees(&run_with(&body, 2, 0), &run_with(&sound, 2, 0)), Ok(()));
    assert!(run_with(&body, 0, 0).is_err() && run_with(&sound, 0, 0).is_err());
}

#[test]
fn an_extent_of_a_launch_stays_what_the_host_can_compute() {
    // The peer binds `n * 2 + 1` in the kernel, below the first launch, and takes the second extent from there.
    let body = lowered(
        "
with T.launch_thread(\"threadIdx.x\", 2) as tx:
    bx = T.launch_thread(\"blockIdx.x\", n * 2 + 1)
    A[bx * 2 + tx] = A[bx * 2 + tx] + (n * 2 + 1)
",
    );
    assert!(rewritten(&body, Preset::Tvm, true).0 > 0, "the peer binds something");
    let before = run_with(&body, 0, 1);
    assert!(before.is_ok(), "{before:?}");
    for preset in [Preset::Default, Preset::Tvm] {
        let (_, after) = rewritten(&body, preset, false);
        assert_eq!(agrees(&before, &run_with(&after, 0, 1)), Ok(()), "{preset:?}");
    }
}
