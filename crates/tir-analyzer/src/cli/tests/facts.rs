//! `explain --facts`.

use expect_test::expect;

use super::Project;

const KERNEL: &str = "\
from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((1024,), \"int32\"), B: T.Buffer((1024,), \"int32\"), n: T.int32):
    T.func_attr({\"tirx.noalias\": True})
    tx = T.launch_thread(\"threadIdx.x\", 32)
    C = T.alloc_buffer((4,), \"int32\", scope=\"local\")
    C[0] = A[tx]
    for i in range(n):
        if i < 7:
            B[tx] = (
                C[0] + i
            )
    B[0] = 1
";

#[test]
fn facts_of_a_line_are_told() {
    Project::new(&[("a.py", KERNEL)]).run("explain --facts a.py:11").check(expect![[r#"
        a.py:11: `B[tx] = (`
        before it:
          live         n, tx, i
          live memory  A, B, C
          memory       C: written at line 8
                       B: of an iteration of the loop at line 9
          known        0 <= tx < 32
                       0 <= i < n
                       i < 7
          threads      coming here: uniform
                       tx: varies by thread
          initialised  C: written in part or on some paths
        --- exit code 0
    "#]]);
}

#[test]
fn a_line_inside_a_statement_is_that_statement() {
    let project = Project::new(&[("a.py", KERNEL)]);
    let outcome = project.run("explain --facts a.py:12 --format json");
    let answer: serde_json::Value = serde_json::from_slice(&outcome.out).unwrap();
    assert_eq!(answer["text"], "B[tx] = (");
    assert_eq!(answer["range"]["start"]["line"], 11);
    assert_eq!(answer["live"], serde_json::json!(["n", "tx", "i"]));
    assert_eq!(answer["memory"][0]["buffer"], "C");
    assert_eq!(answer["memory"][0]["range"]["start"]["line"], 8);
}

#[test]
fn a_line_without_statement_is_an_error() {
    let project = Project::new(&[("a.py", KERNEL)]);
    project.run("explain --facts a.py:1").check(expect![[r#"
        --- errors
        error: a.py:1: there is no statement of a TVMScript function on this line
        --- exit code 2
    "#]]);
    project.run("explain --facts a.py:100").check(expect![[r#"
        --- errors
        error: a.py:100: the file has 14 lines
        --- exit code 2
    "#]]);
    project.run("explain --facts a.py").check(expect![[r#"
        --- errors
        error: `a.py` names no place; write FILE:LINE or FILE:LINE:COLUMN, numbers from 1
        --- exit code 2
    "#]]);
}

#[test]
fn values_and_lines_of_standard_input_have_facts() {
    let project = Project::new(&[]);
    let text = "func.func @f(%a: i32) -> i32 {
  %c = arith.constant 8 : i32
  %r = arith.remui %a, %c : i32
  return %r : i32
}
";
    project.run_with("explain --facts --stdin 3", text.as_bytes()).check(expect![[r#"
        <stdin>:3:3: `%r : i32`
          is           i32(rems(ui32(%a), ui32(8)))
          bounds       0 <= value <= 7
          simpler      i32(ui32(%a) mod 8)
                         fold: ui32(8)  =>  8
                         truncmod-floor: rems(ui32(%a), 8)  =>  ui32(%a) mod 8
        not known: `ui32(%a) < 8`; with it, floormod-small would apply to `ui32(%a) mod 8`; state it by `llvm.intr.assume` or `cf.assert`
        --- exit code 0
    "#]]);
    project.run_with("explain --stdin 9:1", text.as_bytes()).check(expect![[r#"
        --- errors
        error: <stdin>:9:1: the file has 5 lines
        --- exit code 2
    "#]]);
    project.run_with("explain --stdin a.py:9", text.as_bytes()).check(expect![[r#"
        --- errors
        error: `a.py:9` is not a place in standard input; write LINE or LINE:COLUMN, from 1
        --- exit code 2
    "#]]);
}
