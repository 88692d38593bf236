//! `run`.

use expect_test::expect;

use super::Project;

/// Adds `n` to each element; `half` reads one element too far and divides by it.
const FUNCTIONS: &str = r#"from tvm.script import tir as T

@T.prim_func
def add(a: T.handle, b: T.handle, n: T.int32):
    m = T.int32()
    A = T.match_buffer(a, (m, 2), "int32")
    B = T.match_buffer(b, (m * 2,), "int32")
    for i, j in T.grid(m, 2):
        B[i * 2 + j] = A[i, j] + n

@T.prim_func
def half(A: T.Buffer((4,), "int32"), B: T.Buffer((4,), "int32")):
    for i in range(4):
        B[i] = A[i + 1] // A[i]
"#;

const RACE: &str = r#"from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def shift(A: T.Buffer((8,), "float32")):
    with T.launch_thread("blockIdx.x", 1) as bx:
        tx = T.launch_thread("threadIdx.x", 7)
        A[tx] = A[tx + 1]
"#;

fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|it| it.to_le_bytes()).collect()
}

fn project() -> Project {
    let project = Project::new(&[("a.py", FUNCTIONS), ("race.py", RACE)]);
    project.write("a.npy", &npy("<i4", "(3, 2)", &ints(&[1, 2, 3, 4, 5, 6])));
    project.write("zero.npy", &npy("<i4", "(4,)", &ints(&[3, 0, 7, 2])));
    project.write("f8.npy", &npy("<f8", "(3, 2)", &[0; 48]));
    project
}

#[test]
fn shapes_of_inputs_tell_symbols_and_results_are_written() {
    let project = project();
    project.run("run a.py --function add --inputs a.npy,zeros,10 --output out").check(expect![[
        r#"
        A: int32 [3, 2] in out/A.npy
        B: int32 [6] in out/B.npy
        n: 10
        `add` ran: 20 operators, 6 loads, 6 stores, 0 calls; nothing went wrong
        --- exit code 0
    "#
    ]]);
    let bytes = std::fs::read(project.path().join("out/B.npy")).unwrap();
    assert!(bytes.ends_with(&ints(&[11, 12, 13, 14, 15, 16])));
    assert_eq!(std::fs::read_dir(project.path().join("out")).unwrap().count(), 2);
}

#[test]
fn events_are_reported_with_their_place_and_the_run_continues() {
    project().run("run a.py --function half --inputs zero.npy,zeros").check(expect![[r#"
        a.py:14:9: division-by-zero: division by zero
        a.py:14:9: out-of-bounds: index 4 of dimension 0 of `A` is not in 0..4
        A: int32 [4] = 3 0 7 2
        B: int32 [4] = 0 0 0 0
        `half` ran: 8 operators, 8 loads, 4 stores, 0 calls; something went wrong at 2 places
        --- exit code 1
    "#]]);
}

#[test]
fn stop_ends_at_the_first_error() {
    project().run("run a.py --function half --inputs zero.npy,zeros --stop").check(expect![[r#"
        --- errors
        error: a.py:14:9: division by zero; without --stop it is reported and the run goes on
        --- exit code 2
    "#]]);
}

#[test]
fn races_are_found_under_every_schedule() {
    let project = project();
    for schedule in ["lockstep", "serial", "reverse", "random"] {
        let outcome = project.run(&format!("run race.py --schedule {schedule}"));
        assert!(outcome.out().contains("race.py:7:9: race: thread "), "{}", outcome.out());
        assert_eq!(outcome.code, 1);
    }
    assert_eq!(project.run("run race.py --no-races").code, 0);
}

#[test]
fn json_says_the_same() {
    project().run("run race.py --inputs zeros --format json").check(expect![[r#"
        {
          "version": 1,
          "path": "race.py",
          "function": "shift",
          "events": [
            {
              "kind": "race",
              "message": "thread 1 writes a byte of `A` that another thread accessed",
              "count": 6,
              "range": {
                "start": {
                  "line": 7,
                  "column": 9,
                  "offset": 204
                },
                "end": {
                  "line": 7,
                  "column": 26,
                  "offset": 221
                }
              }
            }
          ],
          "arguments": [
            {
              "name": "A",
              "dtype": "float32",
              "shape": [
                8
              ],
              "path": null
            }
          ],
          "returned": null,
          "counts": {
            "arith": 7,
            "loads": 7,
            "stores": 7,
            "calls": 0
          },
          "steps": 40
        }
        --- exit code 1
    "#]]);
}

#[test]
fn equal_seeds_give_equal_values() {
    let project = project();
    let run = |seed: u32| project.run(&format!("run a.py --function half --seed {seed}")).out();
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}

#[test]
fn wrong_inputs_are_refused_with_the_expected_form() {
    let project = project();
    let error = |command: &str| {
        let outcome = project.run(command);
        assert_eq!(outcome.code, 2, "{}", outcome.out());
        outcome.err()
    };
    let errors = [
        error("run a.py"),
        error("run a.py --function hlaf"),
        error("run a.py --function add"),
        error("run a.py --function add --set k=3"),
        error("run a.py --function add --set m=three"),
        error("run a.py --function add --inputs a.npy,zeros"),
        error("run a.py --function add --inputs f8.npy,zeros,1"),
        error("run a.py --function add --inputs none.npy,zeros,1"),
        error("run a.py --function add --inputs a.npy,zeros,a.npy"),
        error("run a.py --function add --inputs 7,zeros,1"),
        error("run a.py --function add --inputs a.npy,zero.npy,1"),
        error("run a.py --function half --max-steps 10"),
    ];
    expect![[r#"
        error: a.py has several functions: choose one with --function: add, half
        error: a.py has no function `hlaf`; did you mean `half`?
        error: `add`: the shape of `A` depends on `m`, without a value; give it one with --set m=…
        error: `add` has no symbol `k` (it has n, m); did you mean `m` or `n`?
        error: --set m=three: write NAME=VALUE, the value an integer
        error: `add` has 3 parameters (A, B, n), and --inputs has 2 entries; write `random` or `zeros` for what you do not have
        error: f8.npy does not fit `A`: it holds <f8, and the parameter is int32: convert it, as with .astype or .view (numpy's <i4)
        error: cannot read none.npy for `A`: No such file or directory (os error 2)
        error: `n` is a scalar: give a number or `random`, not the file a.npy
        error: `A` is an array of int32: give a .npy file, `random` or `zeros`
        error: a.py: `B` has shape [4], the signature says [6]; see --inputs
        error: a.py:14:9: stopped after 10 steps; allow more with --max-steps, or run it on smaller arrays
    "#]]
    .assert_eq(&errors.concat());
}

#[test]
fn given_symbols_size_random_arrays() {
    project().run("run a.py --function add --set m=2,n=1 --inputs zeros").check(expect![[r#"
        A: int32 [2, 2] = 0 0 0 0
        B: int32 [4] = 1 1 1 1
        n: 1
        `add` ran: 14 operators, 4 loads, 4 stores, 0 calls; nothing went wrong
        --- exit code 0
    "#]]);
}

#[test]
fn functions_of_mlir_run_too() {
    let text = "func.func @f(%m: memref<?xi32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %m[%c0] : memref<?xi32>
  %q = arith.divsi %n, %v : i32
  return %q : i32
}
";
    let project = Project::new(&[("a.mlir", text)]);
    project.run("run a.mlir --inputs zeros,3 --set ?=2").check(expect![[r#"
        a.mlir:4:3: division-by-zero: division by zero
        %m: int32 [2] = 0 0
        %n: 3
        returned: 0
        `f` ran: 4 steps; something went wrong at 1 place
        --- exit code 1
    "#]]);
    project.run("run a.mlir --inputs zeros,3 --set ?=2 --stop").check(expect![[r#"
        --- errors
        error: a.mlir:4:3: `f`: division by zero; without --stop it is reported and the run goes on
        --- exit code 2
    "#]]);
    let unknown = "func.func private @g(%n: i32) -> i32 {
  %0 = my.op %n : i32
  return %0 : i32
}
func.func @f(%n: i32) -> i32 {
  %0 = call @g(%n) : (i32) -> i32
  return %0 : i32
}
";
    let project_of_two = Project::new(&[("b.mlir", unknown)]);
    project_of_two.run("run b.mlir --function f --inputs 3").check(expect![[r#"
        --- errors
        error: b.mlir:2:3: `f`: my.op in a form that is not known: the interpreter does not execute this
        --- exit code 2
    "#]]);
    project.run("run a.mlir --function g").check(expect![[r#"
        --- errors
        error: a.mlir has no function `g`; did you mean `f`?
        --- exit code 2
    "#]]);
}
