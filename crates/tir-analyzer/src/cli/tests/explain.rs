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
        error: a.py:99: the file has 11 lines
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

        - operands: lhs, rhs
        - results: result
        - attributes: overflowFlags
        - traits: AlwaysSpeculatable, Commutative, ConditionallySpeculatable, Elementwise, IsCommutative, NoMemoryEffect, Pure, SameOperandsAndResultType
        --- exit code 0
    "#]]);
    project.run("explain a.mlir:3:3").check(expect![[r#"
        a.mlir:3:3
        %1 : i32
        result of `arith.addi` (line 3) · used once

        - is `%a + %a`
        - congruence: `2*k`
        - simpler form: `%a * 2` (sum-of-products)
        --- exit code 0
    "#]]);
    project.run("explain a.mlir:3").check(expect![[r#"
        a.mlir:3:3: %1 : i32: result of `arith.addi` (line 3) · used once
        a.mlir:3:8: `arith.addi`: no effect on memory: arith.addi %a, %b : type
        a.mlir:3:19: %a : i32: argument 0 of its region · used 4 times
        a.mlir:3:23: %a : i32: argument 0 of its region · used 4 times
        --- exit code 0
    "#]]);
    project.run("explain a.mlir:3:3 --format json").check(expect![[r#"
        {"version":1,"path":"a.mlir","range":{"start":{"line":3,"column":3,"offset":64},"end":{"line":3,"column":5,"offset":66}},"text":"%1 : i32\nresult of `arith.addi` (line 3) · used once\n\n- is `%a + %a`\n- congruence: `2*k`\n- simpler form: `%a * 2` (sum-of-products)"}
        --- exit code 0
    "#]]);
    project.run("explain a.mlir:5:1").check(expect![[r#"
        --- errors
        error: a.mlir:5:1: there is no operation and no name at this place; point at the name of one
        --- exit code 2
    "#]]);
}

const LOOP: &str = "\
func.func @f(%m: memref<?xf32>, %k: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %k step %c1 {
    %inside = arith.cmpi slt, %i, %n : index
    scf.if %inside {
      %j = arith.muli %i, %c4 : index
      %q = arith.divsi %j, %c4 : index
      %x = memref.load %m[%q] : memref<?xf32>
    }
  }
  return
}
";

#[test]
fn facts_about_a_value_of_mlir() {
    let project = Project::new(&[("a.mlir", LOOP)]);
    project.run("explain --facts a.mlir:6:5").check(expect![[r#"
        a.mlir:6:5: `%inside : i1`
          is           %i < %n
          simpler      it is in its simplest form
          holds here   %i >= 0 (a.mlir:5)
                       %i < %k (a.mlir:5)
        not known: `%k <= %n`; with it, it is always true; state it by `llvm.intr.assume` or `cf.assert`, or `k = "k <= n"` in `[facts]` of the settings
        --- exit code 0
    "#]]);
    project.run("explain --facts a.mlir:8").check(expect![[r#"
        a.mlir:8:7: `%j : index`
          is           %i * 4
          congruence   4*k
          simpler      it is in its simplest form
          holds here   %i >= 0 (a.mlir:5)
                       %i < %k (a.mlir:5)
                       %i < %n (a.mlir:7)
        --- exit code 0
    "#]]);
    project.run("simplify a.mlir:9:7").check(expect![[r#"
        a.mlir:9:7: `%q : index`
          is           divs(%i * 4, 4)
          bounds       -2305843009213693952 <= value <= 2305843009213693951
          simpler      it is in its simplest form
          holds here   %i >= 0 (a.mlir:5)
                       %i < %k (a.mlir:5)
                       %i < %n (a.mlir:7)
        not known: that `divs(%i * 4, 4)` does not overflow; with it, truncdiv-floor would apply to `divs(%i * 4, 4)`
        --- exit code 0
    "#]]);
    project.run("simplify a.mlir:6:5 --given 0<=k<=16 --given n>=16").check(expect![[r#"
        a.mlir:6:5: `%inside : i1`
          is           %i < %n
          bounds       always true
          known from   %i < %k (a.mlir:5)
          simpler      true
                         decided: %i < %n  =>  true, as %i < %k
          holds here   0 <= %k (stated: `0<=k<=16`)
                       %k <= 16 (stated: `0<=k<=16`)
                       %n >= 16 (stated: `n>=16`)
                       %i >= 0 (a.mlir:5)
                       %i < %k (a.mlir:5)
        --- exit code 0
    "#]]);
    project.run("explain --facts a.mlir:6:5 --format json").check(expect![[r#"
        {"version":1,"path":"a.mlir","range":{"start":{"line":6,"column":5,"offset":195},"end":{"line":6,"column":12,"offset":202}},"name":"%inside","type":"i1","term":"%i < %n","bounds":null,"congruence":null,"because":[],"known":[{"condition":"%i >= 0","range":{"start":{"line":5,"column":3,"offset":157},"end":{"line":5,"column":10,"offset":164}},"by":null},{"condition":"%i < %k","range":{"start":{"line":5,"column":3,"offset":157},"end":{"line":5,"column":10,"offset":164}},"by":null}],"simple":null,"steps":[],"missing":[{"fact":"%k <= %n","overflow":false,"outcome":"it is always true","rule":null,"ways":["`llvm.intr.assume` or `cf.assert`","`k = \"k <= n\"` in `[facts]` of the settings"]}]}
        --- exit code 0
    "#]]);
    project.run("explain --facts a.mlir:13:3").check(expect![[r#"
        --- errors
        error: a.mlir:13:3: there is no value of integers at this place whose facts are known; point at the name of one, in a region that is understood
        --- exit code 2
    "#]]);
    project.run("explain a.mlir:7:12").check(expect![[r#"
        a.mlir:7:12
        %inside : i1
        result of `arith.cmpi` (line 6) · used once

        - is `%i < %n`
        - not known: `%k <= %n`; with it, it is always true; state it by `llvm.intr.assume` or `cf.assert`, or `k = "k <= n"` in `[facts]` of the settings
        --- exit code 0
    "#]]);
}

const MASK: &str = "\
tt.func public @add(%p: tensor<64x!tt.ptr<f32>>, %n: i32 {tt.divisibility = 16 : i32}) {
  %c64 = arith.constant 64 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %c64 : i32
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %start : i32 -> tensor<64xi32>
  %offs = arith.addi %s, %r : tensor<64xi32>
  %nn = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %offs, %nn : tensor<64xi32>
  %x = tt.load %p, %mask : tensor<64x!tt.ptr<f32>>
  tt.return
}
";

#[test]
fn fact_that_keeps_a_mask() {
    let project = Project::new(&[("a.mlir", MASK)]);
    project.run("explain --facts a.mlir:10:21").check(expect![[r#"
        a.mlir:10:20: `%mask : tensor<64xi1>`
          is           program_id_x * 64 + d0 < %n
          simpler      it is in its simplest form
          holds here   %n mod 16 == 0 (`tt.divisibility`)
        not known: `program_id_x * 64 + 63 < %n`; with it, every element of it is true; state it by `llvm.intr.assume` or `cf.assert`
        not known: `%n mod 64 == 0`; with it, it is the same in all 64 elements; state it by `tt.divisibility = 64 : i32` of the argument, or `llvm.intr.assume` or `cf.assert`, or `n = "n % 64 == 0"` in `[facts]` of the settings
        --- exit code 0
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

        Why

        TVM refuses the access; a dimension was forgotten, or the buffer is another one.

        Example

        ```python
        from tvm.script import tirx as T


        @T.prim_func
        def main(A: T.Buffer((16, 16), "int32")):
            A[0] = 1
        ```

        ```text
        6:5: `A` has 2 dimensions, this access has 1 index
        ```

        After

        ```python
        from tvm.script import tirx as T


        @T.prim_func
        def main(A: T.Buffer((16, 16), "int32")):
            A[0, 0] = 1
        ```

        When not

        Never: it is an error.
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

        Why

        Index arithmetic, loads and intrinsics are written several times because that reads well or because a generator wrote
        them. Many compilers find the cheap ones again, few find loads and launch bounds, and in a printed kernel a name says
        more than the fifth copy.

        Example

        ```python
        from tvm.script import tirx as T


        @T.prim_func
        def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
            A[0] = x * y + 1
            B[0] = x * y - 1
        ```

        ```text
        6:12: `x * y` is computed 2 times
        ```

        After

        ```python
        from tvm.script import tirx as T


        @T.prim_func
        def main(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
            cse_v1: T.let[T.int32] = x * y
            A[0] = cse_v1 + 1
            B[0] = cse_v1 - 1
        ```

        When not

        Where the repetition is the point: a text that is compared with a paper, or code that the next step matches by its
        form. Say so with `# tir: allow(common-subexpression)`. Hints that save little are not shown in the first place
        (`hints.min-saving`, `hints.per-function`).

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
