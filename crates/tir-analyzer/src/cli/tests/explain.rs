//! `explain`.

use expect_test::expect;

use super::{Project, SHARED};

#[test]
fn decision_about_an_expression_is_explained() {
    Project::new(&[("a.py", SHARED)]).run("explain a.py:6:8").check(expect![[r#"
        a.py:6:7: `n * 4`
        int32, computed 3 times
          Computed once as `cse_v1` before `A[n * 4] = 1`, it saves 2 evaluations of 1 operation each.
          congruence: `4*k`
        places:
          a.py:6:7: A[n * 4] = 1  # first
          a.py:7:7: A[n * 4 + 1] = n * 4
          a.py:7:20: A[n * 4 + 1] = n * 4
        --- exit code 0
    "#]]);
}

#[test]
fn expressions_of_a_line_are_listed() {
    let project = Project::new(&[("a.py", SHARED)]);
    project.run("explain a.py:7").check(expect![[r#"
        a.py:7:7: `n * 4 + 1`: int32, computed once
        a.py:7:7: `n * 4`: int32, computed 3 times; a binding would share it
        a.py:7:20: `n * 4`: int32, computed 3 times; a binding would share it
        --- exit code 0
    "#]]);
    project.run("explain a.py:1").check(expect![[r#"
        --- errors
        error: a.py:1: nothing on this line belongs to a function of tensor IR
        --- exit code 2
    "#]]);
    project.run("explain a.py:99").check(expect![[r#"
        --- errors
        error: a.py:99: the file has 12 lines
        --- exit code 2
    "#]]);
    let outcome = project.run("explain a.py:7 --format json");
    let value: serde_json::Value = serde_json::from_slice(&outcome.out).unwrap();
    assert_eq!(value["items"][0]["range"]["start"]["line"], 7);
}

#[test]
fn operations_of_mlir_are_explained() {
    let text = "func.func @f(%a: i32) -> i32 {\n  %0 = arith.addi %a, %a : i32\n  \
                %1 = arith.addi %a, %a : i32\n  return %1 : i32\n}\n";
    let project = Project::new(&[("a.mlir", text)]);
    project.run("explain a.mlir:3:9").check(expect![[r#"
        a.mlir:3:8
        `arith.addi`: no effect on memory

        arith.addi %a, %b : type
        --- exit code 0
    "#]]);
    project.run("explain a.mlir:3:3").check(expect![[r#"
        a.mlir:3:3
        %1 : i32
        result of `arith.addi` (line 3) · used once · value 2
        --- exit code 0
    "#]]);
    project.run("explain a.mlir:3").check(expect![[r#"
        a.mlir:3:3: %1 : i32: result of `arith.addi` (line 3) · used once · value 2
        a.mlir:3:8: `arith.addi`: no effect on memory: arith.addi %a, %b : type
        a.mlir:3:19: %a : i32: argument 0 of its region · used 4 times · value 0
        a.mlir:3:23: %a : i32: argument 0 of its region · used 4 times · value 0
        --- exit code 0
    "#]]);
    project.run("explain a.mlir:3:3 --format json").check(expect![[r#"
        {"version":1,"path":"a.mlir","range":{"start":{"line":3,"column":3,"offset":64},"end":{"line":3,"column":5,"offset":66}},"text":"%1 : i32\nresult of `arith.addi` (line 3) · used once · value 2"}
        --- exit code 0
    "#]]);
    project.run("explain a.mlir:5:1").check(expect![[r#"
        --- errors
        error: a.mlir:5:1: there is no operation and no name at this place; point at the name of one
        --- exit code 2
    "#]]);
}

#[test]
fn json_has_the_places() {
    let outcome = Project::new(&[("a.py", SHARED)]).run("explain a.py:6:8 --format json");
    let value: serde_json::Value = serde_json::from_slice(&outcome.out).unwrap();
    expect![[r#"
        {
          "version": 1,
          "path": "a.py",
          "range": {
            "start": {
              "line": 6,
              "column": 7,
              "offset": 110
            },
            "end": {
              "line": 6,
              "column": 12,
              "offset": 115
            }
          },
          "integer": {
            "bounds": null,
            "congruence": "4*k",
            "canonical": null,
            "rules": [],
            "steps": [],
            "because": []
          },
          "text": "n * 4",
          "type": "int32",
          "valueNumber": 3,
          "count": 3,
          "decision": "bind",
          "binding": "cse_v1",
          "cost": 1,
          "saved": 2,
          "reasons": [
            "Computed once as `cse_v1` before `A[n * 4] = 1`, it saves 2 evaluations of 1 operation each."
          ],
          "places": [
            {
              "start": {
                "line": 6,
                "column": 7,
                "offset": 110
              },
              "end": {
                "line": 6,
                "column": 12,
                "offset": 115
              }
            },
            {
              "start": {
                "line": 7,
                "column": 7,
                "offset": 136
              },
              "end": {
                "line": 7,
                "column": 12,
                "offset": 141
              }
            },
            {
              "start": {
                "line": 7,
                "column": 20,
                "offset": 149
              },
              "end": {
                "line": 7,
                "column": 25,
                "offset": 154
              }
            }
          ],
          "findings": []
        }"#]].assert_eq(&serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn refusals_are_explained_by_name() {
    let text = SHARED
        .replace("    A[n * 4] = 1  # first\n", "    if n != 0:\n        A[8 // n] = 1\n")
        .replace("    A[n * 4 + 1] = n * 4\n", "    if n > 3:\n        A[8 // n + 1] = 2\n");
    Project::new(&[]).run_with("explain --stdin 7:13", text.as_bytes()).check(expect![[r#"
        <stdin>:7:11: `8 // n`
        int32, computed 2 times
          Not shared (`may-trap`): it may trap (nothing shows that `n` is not 0), and `8 // n` is computed under a condition only; `T.assume(n > 0)` or an assert would show it.
          bounds: `-8 <= value <= 8`
        places:
          <stdin>:7:11: A[8 // n] = 1
          <stdin>:9:11: A[8 // n + 1] = 2
        `tir-analyzer explain may-trap` says more about it.
        --- exit code 0
    "#]]);
}

#[test]
fn places_without_an_expression_say_so() {
    let project = Project::new(&[("a.py", SHARED)]);
    project.run("explain a.py:1:1").check(expect![[r#"
        --- errors
        error: a.py:1:1: there is no expression of a TVMScript function at this place; point at an operator or an operand inside one
        --- exit code 2
    "#]]);
    project.run("explain a.py:100:1").check(expect![[r#"
        --- errors
        error: a.py:100:1: the file has 11 lines
        --- exit code 2
    "#]]);
    project.run("explain a.py:1:100").check(expect![[r#"
        --- errors
        error: a.py:1:100: the line has 31 columns
        --- exit code 2
    "#]]);
    project.run("explain a.py:1").check(expect![[r#"
        --- errors
        error: a.py:1: nothing on this line belongs to a function of tensor IR
        --- exit code 2
    "#]]);
    project.run("explain a.py").check(expect![[r#"
        --- errors
        error: `a.py` names no place; write FILE:LINE or FILE:LINE:COLUMN, numbers from 1
        --- exit code 2
    "#]]);
}

#[test]
fn rules_are_documented() {
    Project::new(&[]).run("explain wrong-buffer-rank").check(expect![[r#"
        wrong-buffer-rank (error): a buffer access with the wrong number of indices

        A buffer is accessed with more or fewer indices than it has dimensions.
        --- exit code 0
    "#]]);
    Project::new(&[]).run("explain common-subexpression").check(expect![[r#"
        common-subexpression (hint): a value is computed at several places

        The same expression is evaluated more than once, and one evaluation, bound to a name, would do:

        ```python
        A[i] = x * y + i          # before
        B[i] = x * y - i

        cse_v1: T.let[T.int32] = x * y
        A[i] = cse_v1 + i         # after
        B[i] = cse_v1 - i
        ```

        Two expressions are the same if operators, types, constants and variables are, and the memory that they read. How alike they must be is
        `--equivalence`: `syntactic` (the same tree), `commutative` (`x * y` and `y * x`, no bit changes; the default), `associative` (terms of
        integer sums in any order, where no intermediate can overflow) or `arithmetic` (equal sums of products); each contains the ones
        before it, and a hint says when it was needed. A variable counts as its definition.

        The binding stands right before the first statement that uses it in the innermost scope that holds all uses. If the value is a part of
        larger values that are bound themselves, only what remains counts, and nothing is bound that would be used once. A binding that is
        there already (`n: T.let[T.int32] = x * y`) is used for the expressions after it. Loads, calls that are values of their operands and bounds
        of launches are shared too; arguments of `T.likely` are, the hint itself stays.

        The fix never changes what the function computes, and never makes it fail where it did not: see `may-trap`.

        `tir-analyzer fix` can apply it.
        --- exit code 0
    "#]]);
}

#[test]
fn unknown_rules_are_met_with_near_names() {
    Project::new(&[]).run("explain may-trp").check(expect![[r#"
        --- errors
        error: there is no rule `may-trp`; did you mean `may-trap`? (`tir-analyzer explain --list` lists all, and `tir-analyzer explain FILE:LINE:COLUMN` explains an expression)
        --- exit code 2
    "#]]);
}

#[test]
fn all_rules_are_listed_under_what_they_are_about() {
    let out = Project::new(&[]).run("explain --list").out();
    let title_of = |name: &str| {
        let mut title = "";
        for line in out.lines() {
            if !line.starts_with(' ') {
                title = line;
            } else if line.split_whitespace().next() == Some(name) {
                return title;
            }
        }
        panic!("{name} is not in the list:\n{out}")
    };
    assert_eq!(title_of("common-subexpression"), "What is reported:");
    assert_eq!(title_of("undefined-name"), "What is reported:");
    assert_eq!(title_of("unclosed-bracket"), "What is reported:");
    assert_eq!(title_of("may-trap"), "Why something is not shared:");
    assert_eq!(title_of("allreduce"), "Why a function has no device code:");
    for rule in crate::cli::rules::all() {
        title_of(rule.name);
    }
}
