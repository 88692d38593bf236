//! `report`.

use expect_test::expect;

use super::{Project, SHARED};

/// The same function as in another file but for names, and a loop that computes a value in each of 100 iterations.
const OTHER: &str = r#"from tvm.script import tir as T


@T.prim_func
def renamed(B: T.Buffer((64,), "int32"), m: T.int32):
    B[m * 4] = 1
    B[m * 4 + 1] = m * 4


@T.prim_func
def looped(A: T.Buffer((64,), "int32"), n: T.int32, m: T.int32):
    for i in range(100):
        for j in range(n):
            A[i * 64 + j * m + 3] = i * 64 + j * m + 5
    if n > 0:
        A[0] = n // m
    A[1] = n // m


@T.prim_func
def looped_too(A: T.Buffer((64,), "int32"), n: T.int32, k: T.int32):
    A[n * 64 + k * 2 + n] = 1


@T.prim_func
def looped_also(A: T.Buffer((64,), "int32"), p: T.int32, q: T.int32):
    A[p * 64 + q * 2 + p] = 2
"#;

#[test]
fn savings_are_ranked_and_twins_are_listed() {
    let project = Project::new(&[("a.py", SHARED), ("b.py", OTHER)]);
    project.run("report").check(expect![[r#"
        5 functions in 2 files

        Functions by the share of their work that is done twice
        A loop counts with its extent, a load, a division and a call more than an addition (`explain` tells the cost of a value); ~ where an extent is no constant and was taken as 64. A value that is part of another counts in both, but once in the share of the function.

            50 %  a.py:5:5 main: 1 value
                    50 %  a.py:6:7: `n * 4` as `cse_v1`
            50 %  b.py:5:5 renamed: 1 value
                    50 %  b.py:6:7: `m * 4` as `cse_v1`
           ~38 %  b.py:11:5 looped: 2 values
                   ~37 %  b.py:14:37: `i * 64 + j * m` as `cse_v1`
                    <1 %  b.py:16:16: `n // m` as `cse_v2`

        Functions that are equal up to names
          main in 2 places
              a.py:5:5 (main)
              b.py:5:5 (renamed)

        Expressions in several functions
          n * 64 + k * 2 + n in 2 places
              b.py:22:7 (looped_too)
              b.py:27:7 (looped_also)
          n * 4 + 1 in 2 places
              a.py:7:7 (main)
              b.py:7:7 (renamed)
        --- exit code 0
    "#]]);
}

#[test]
fn json_has_a_schema_and_a_version() {
    let project = Project::new(&[("a.py", SHARED), ("b.py", SHARED)]);
    project.run("report --format json").check(expect![[r#"
        {
          "schema": "tir-analyzer.report",
          "version": 1,
          "files": 2,
          "functions": 2,
          "symbolicExtent": 64.0,
          "savings": [
            {
              "path": "a.py",
              "line": 6,
              "column": 7,
              "function": "main",
              "expression": "n * 4",
              "name": "cse_v1",
              "decision": "bind",
              "informational": false,
              "cost": 1,
              "evaluations": 2.0,
              "estimated": false,
              "operations": 2.0,
              "share": 0.5
            },
            {
              "path": "b.py",
              "line": 6,
              "column": 7,
              "function": "main",
              "expression": "n * 4",
              "name": "cse_v1",
              "decision": "bind",
              "informational": false,
              "cost": 1,
              "evaluations": 2.0,
              "estimated": false,
              "operations": 2.0,
              "share": 0.5
            }
          ],
          "byFunction": [
            {
              "path": "a.py",
              "line": 5,
              "column": 5,
              "function": "main",
              "operations": 4.0,
              "share": 0.5,
              "estimated": false,
              "values": 1
            },
            {
              "path": "b.py",
              "line": 5,
              "column": 5,
              "function": "main",
              "operations": 4.0,
              "share": 0.5,
              "estimated": false,
              "values": 1
            }
          ],
          "sameFunctions": [
            {
              "places": [
                {
                  "path": "a.py",
                  "line": 5,
                  "column": 5,
                  "function": "main"
                },
                {
                  "path": "b.py",
                  "line": 5,
                  "column": 5,
                  "function": "main"
                }
              ]
            }
          ],
          "sameExpressions": [
            {
              "expression": "n * 4 + 1",
              "nodes": 5,
              "places": [
                {
                  "path": "a.py",
                  "line": 7,
                  "column": 7,
                  "function": "main"
                },
                {
                  "path": "b.py",
                  "line": 7,
                  "column": 7,
                  "function": "main"
                }
              ]
            }
          ],
          "refused": []
        }
        --- exit code 0
    "#]]);
}

#[test]
fn page_is_self_contained_and_escaped() {
    let text = OTHER.replace("i * 64 + j * m + 5", "T.Select(i < j * m, i * 64 + j * m, 5)");
    let project = Project::new(&[("a<b>.py", text.as_str())]);
    let outcome = project.run("report --html out.html");
    assert_eq!(outcome.code, 0, "{}", outcome.err());
    let page = project.read("out.html");
    assert!(
        page.starts_with("<!doctype html>")
            && page.contains("class=\"chart\"")
            && page.ends_with("</html>\n")
    );
    assert!(page.contains("a&lt;b&gt;.py") && !page.contains("a<b>.py"));
    assert!(!page.contains("http") && !page.contains("src=") && !page.contains("<script"));
}

#[test]
fn files_without_functions_have_an_empty_report() {
    Project::new(&[("a.py", "x = 1\n")]).run("report").check(expect![[r#"
        0 functions in 1 file

        Nothing is computed twice that could be computed once.
        --- exit code 0
    "#]]);
}

#[test]
fn files_of_operations_are_refused_and_not_called_free_of_anything() {
    let project = super::Project::new(&[("a.mlir", "func.func @f() {\n  return\n}\n")]);
    for command in ["report a.mlir", "bisect a.mlir -- true"] {
        let outcome = project.run(command);
        assert_eq!(outcome.code, 2);
        assert!(outcome.err().contains("a.mlir is MLIR: `"), "{}", outcome.err());
    }
}
