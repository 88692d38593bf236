//! `fix`.

use std::fs;

use expect_test::expect;

use super::{BROKEN, CLEAN, Project, SHARED};

#[test]
fn diff_shows_the_edits_and_writes_nothing() {
    let project = Project::new(&[("a.py", SHARED), ("b.py", BROKEN), ("c.py", CLEAN)]);
    project.run("fix --diff").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -3,8 +3,9 @@
         # kept
         @T.prim_func
         def main(A: T.Buffer((64,), "int32"), n: T.int32):
        -    A[n * 4] = 1  # first
        -    A[n * 4 + 1] = n * 4
        +    cse_v1: T.int32 = n * 4
        +    A[cse_v1] = 1  # first
        +    A[cse_v1 + 1] = cse_v1
        ·
        ·
         def helper():
        --- errors
        1 fix in 1 file; without `--diff` they are written
        --- exit code 0
    "#]]);
    assert_eq!(project.read("a.py"), SHARED);
}

#[test]
fn files_are_fixed_in_place_and_comments_stay() {
    let project = Project::new(&[("a.py", SHARED), ("c.py", CLEAN)]);
    project.run("fix").check(expect![[r#"
        --- errors
        1 fix in 1 file
        --- exit code 0
    "#]]);
    expect![[r#"
        from tvm.script import tir as T

        # kept
        @T.prim_func
        def main(A: T.Buffer((64,), "int32"), n: T.int32):
            cse_v1: T.int32 = n * 4
            A[cse_v1] = 1  # first
            A[cse_v1 + 1] = cse_v1


        def helper():
            return 1
    "#]]
    .assert_eq(&project.read("a.py"));
    project.run("fix").check(expect![[r#"
        --- errors
        nothing to fix
        --- exit code 0
    "#]]);
}

#[test]
fn nothing_is_written_when_nothing_changes() {
    let project = Project::new(&[("c.py", CLEAN)]);
    let time =
        |project: &Project| fs::metadata(project.path().join("c.py")).unwrap().modified().unwrap();
    let before = time(&project);
    assert_eq!(project.run("fix").code, 0);
    assert_eq!(time(&project), before);
}

#[test]
fn first_fixes_of_all_files_are_done() {
    let two =
        SHARED.replace("    A[n * 4] = 1  # first\n", "    A[n * 4] = n // 3\n    A[n // 3] = 2\n");
    let project = Project::new(&[("a.py", &two), ("b.py", SHARED)]);
    let n_fixed = |n: usize| {
        let diff = project.run(&format!("fix --diff --max-fixes {n}")).out();
        diff.lines().filter(|it| it.starts_with('+') && it.contains(": T.")).count()
    };
    assert_eq!([0, 1, 2, 3, 9].map(n_fixed), [0, 1, 2, 3, 3]);
}

#[test]
fn rules_of_operations_are_selected_with_what_they_need() {
    let text = "func.func @f(%a: i32, %b: i32) -> i32 {\n  %dead = arith.muli %a, %b : i32\n  %0 = arith.addi %a, %b : i32\n  %1 = arith.addi %b, %a : i32\n  %2 = arith.addi %a, %b : i32\n  %3 = arith.subi %1, %2 : i32\n  %4 = arith.subi %0, %3 : i32\n  return %4 : i32\n}\n";
    let project = Project::new(&[("a.mlir", text)]);
    project.run("fix --diff --select dead-operation").check(expect![[r#"
        --- a.mlir
        +++ a.mlir
        @@ -1,5 +1,4 @@
         func.func @f(%a: i32, %b: i32) -> i32 {
        -  %dead = arith.muli %a, %b : i32
           %0 = arith.addi %a, %b : i32
           %1 = arith.addi %b, %a : i32
           %2 = arith.addi %a, %b : i32
        --- errors
        1 fix in 1 file; without `--diff` they are written
        --- exit code 0
    "#]]);
    project.run("fix --diff --select dead-operation,common-operation").check(expect![[r#"
        --- a.mlir
        +++ a.mlir
        @@ -1,9 +1,6 @@
         func.func @f(%a: i32, %b: i32) -> i32 {
        -  %dead = arith.muli %a, %b : i32
           %0 = arith.addi %a, %b : i32
        -  %1 = arith.addi %b, %a : i32
        -  %2 = arith.addi %a, %b : i32
        -  %3 = arith.subi %1, %2 : i32
        +  %3 = arith.subi %0, %0 : i32
           %4 = arith.subi %0, %3 : i32
           return %4 : i32
         }
        --- errors
        3 fixes in 1 file; without `--diff` they are written
        --- exit code 0
    "#]]);
    project.run("fix --diff --select dead-store").check(expect![[r#"
        --- errors
        nothing to fix
        --- exit code 0
    "#]]);
}

#[test]
fn selection_names_rules_with_fixes() {
    let project = Project::new(&[("a.py", SHARED)]);
    assert_eq!(project.run("fix --diff --select common-subexpression").code, 0);
    project.run("fix --select undefined-name").check(expect![[r#"
        --- errors
        error: `undefined-name` has no fix; these have: `common-after-side-effect`, `common-operation`, `common-subexpression`, `commuted-operation`, `constant-condition`, `copy-propagation`, `dead-binding`, `dead-operation`, `dead-operation-chain`, `dead-store`, `empty-loop`, `equal-block-arguments`, `equal-carried-values`, `equal-in-branches`, `invariant-guard`, `load-across-blocks`, `loop-invariant`, `mergeable-guards`, `missing-noalias`, `no-op`, `read-before-write`, `reassociated-operation`, `redundant-condition`, `redundant-guard`, `redundant-load`, `region-that-reads`, `scalar-access`, `simplifiable`, `single-iteration-loop`, `tail-guard`, `unneeded-block-argument`, `unneeded-carried-value`, `unreachable`, `weaker-flags`
        --- exit code 2
    "#]]);
    project.run("fix --select common-subexpresion").check(expect![[r#"
        --- errors
        error: there is no rule `common-subexpresion`; did you mean `common-subexpression` or `common-operation`?
        --- exit code 2
    "#]]);
    assert_eq!(project.read("a.py"), SHARED);
}

#[test]
fn functions_that_are_still_scheduled_are_left_alone() {
    let text = r#"from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    for i in range(64):
        with T.block("A"):
            vi = T.axis.spatial(64, i)
            A[vi] = n * 4 + n * 4
"#;
    let project = Project::new(&[("a.py", text)]);
    project.run("fix").check(expect![[r#"
        --- errors
        nothing to fix
        1 fix left out in 1 function with blocks that can still be scheduled: a new binding can make `compute_inline` or `fuse` fail there; an editor offers them one by one
        --- exit code 0
    "#]]);
    assert_eq!(project.read("a.py"), text);
}

#[test]
fn standard_input_is_fixed_to_standard_output() {
    let project = Project::new(&[]);
    project.run_with("fix --stdin", SHARED.as_bytes()).check(expect![[r#"
        from tvm.script import tir as T

        # kept
        @T.prim_func
        def main(A: T.Buffer((64,), "int32"), n: T.int32):
            cse_v1: T.int32 = n * 4
            A[cse_v1] = 1  # first
            A[cse_v1 + 1] = cse_v1


        def helper():
            return 1
        --- errors
        1 fix in 1 file
        --- exit code 0
    "#]]);
    let outcome = project.run_with("fix --stdin", CLEAN.as_bytes());
    assert_eq!(outcome.out(), CLEAN);
}

#[test]
fn bytes_that_are_no_text_and_line_breaks_stay() {
    let mut bytes = SHARED.replace('\n', "\r\n").into_bytes();
    bytes.splice(0..0, *b"# \xff\xfe\r\n");
    let outcome = Project::new(&[]).run_with("fix --stdin", &bytes);
    assert!(outcome.out.starts_with(b"# \xff\xfe\r\n"));
    let text = outcome.out();
    assert!(text.contains("cse_v1"), "{text}");
    assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text:?}");
}

/// A name that nothing uses, in the way of a value that is computed twice.
const SUPERFLUOUS: &str = r#"from tvm.script import tirx as T


@T.prim_func
def f(A: T.Buffer((64,), "int32"), n: T.int32):
    a: T.let[T.int32] = n * 4  # unused
    A[n * 4] = n * 4
    for i in range(8):
        A[i] = n // 7 // 5 // 3 // 2 + i
"#;

#[test]
fn superfluous_code_is_removed_before_values_are_shared() {
    let project = Project::new(&[("a.py", SUPERFLUOUS)]);
    project.run("fix --diff a.py").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -3,7 +3,8 @@
        ·
         @T.prim_func
         def f(A: T.Buffer((64,), "int32"), n: T.int32):
        -    a: T.let[T.int32] = n * 4  # unused
        -    A[n * 4] = n * 4
        +    # unused
        +    cse_v1: T.let[T.int32] = n * 4
        +    A[cse_v1] = cse_v1
             for i in range(8):
                 A[i] = n // 7 // 5 // 3 // 2 + i
        --- errors
        2 fixes in 1 file; without `--diff` they are written
        1 of them only after others, which `check` does not foresee
        --- exit code 0
    "#]]);
    project.run("fix a.py");
    project.run("fix a.py").check(expect![[r#"
        --- errors
        nothing to fix
        --- exit code 0
    "#]]);
}

#[test]
fn rules_that_are_named_are_fixed_only() {
    let project = Project::new(&[("a.py", SUPERFLUOUS)]);
    project.run("fix --diff --only loop-invariant a.py").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -5,5 +5,6 @@
         def f(A: T.Buffer((64,), "int32"), n: T.int32):
             a: T.let[T.int32] = n * 4  # unused
             A[n * 4] = n * 4
        +    value_v1: T.let[T.int32] = n // 7 // 5 // 3 // 2
             for i in range(8):
        -        A[i] = n // 7 // 5 // 3 // 2 + i
        +        A[i] = value_v1 + i
        --- errors
        1 fix in 1 file; without `--diff` they are written
        --- exit code 0
    "#]]);
    project.run("fix --diff --only dead-binding,dead-store a.py").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -3,7 +3,7 @@
        ·
         @T.prim_func
         def f(A: T.Buffer((64,), "int32"), n: T.int32):
        -    a: T.let[T.int32] = n * 4  # unused
        +    # unused
             A[n * 4] = n * 4
             for i in range(8):
                 A[i] = n // 7 // 5 // 3 // 2 + i
        --- errors
        1 fix in 1 file; without `--diff` they are written
        --- exit code 0
    "#]]);
    project.run("fix --only out-of-bounds a.py").check(expect![[r#"
        --- errors
        error: `out-of-bounds` has no fix; these have: `common-after-side-effect`, `common-operation`, `common-subexpression`, `commuted-operation`, `constant-condition`, `copy-propagation`, `dead-binding`, `dead-operation`, `dead-operation-chain`, `dead-store`, `empty-loop`, `equal-block-arguments`, `equal-carried-values`, `equal-in-branches`, `invariant-guard`, `load-across-blocks`, `loop-invariant`, `mergeable-guards`, `missing-noalias`, `no-op`, `read-before-write`, `reassociated-operation`, `redundant-condition`, `redundant-guard`, `redundant-load`, `region-that-reads`, `scalar-access`, `simplifiable`, `single-iteration-loop`, `tail-guard`, `unneeded-block-argument`, `unneeded-carried-value`, `unreachable`, `weaker-flags`
        --- exit code 2
    "#]]);
    project.write("tir-analyzer.toml", b"[findings]\ndead-binding = \"off\"\n");
    assert!(!project.run("fix --diff a.py").out().contains("-    a:"));
}

#[test]
fn simplifications_are_done_where_they_are_named() {
    let text = SHARED.replace("A[n * 4] = 1", "A[n * 4 + n - n] = T.min(n, n + 1)");
    let project = Project::new(&[("a.py", &text)]);
    project.run("fix --diff --only simplifiable").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -3,7 +3,7 @@
         # kept
         @T.prim_func
         def main(A: T.Buffer((64,), "int32"), n: T.int32):
        -    A[n * 4 + n - n] = T.min(n, n + 1)  # first
        +    A[n * 4] = n  # first
             A[n * 4 + 1] = n * 4
        ·
        ·
        --- errors
        2 fixes in 1 file; without `--diff` they are written
        --- exit code 0
    "#]]);
}

/// A value that one path has, and a logarithm on the host and in a kernel.
const ON_REQUEST: &str = "from tvm.script import tirx as T

@T.prim_func
def f(A: T.Buffer((64,), \"float32\"), n: T.int32):
    if A[0] * T.float32(2) > T.float32(1):
        A[0] = T.float32(0)
    A[1] = A[0] * T.float32(2)
    A[2] = T.log2(T.cast(n, \"float32\"))
    with T.launch_thread(\"threadIdx.x\", 64) as tx:
        A[tx] = T.log2(T.cast(n, \"float32\"))
";

#[test]
fn partial_redundancies_are_done_on_request() {
    let project = Project::new(&[("a.py", ON_REQUEST)]);
    project.run("fix --diff --partial-redundancies a.py").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -2,9 +2,12 @@
        ·
         @T.prim_func
         def f(A: T.Buffer((64,), "float32"), n: T.int32):
        -    if A[0] * T.float32(2) > T.float32(1):
        +    cse_v2: T.float32 = A[0] * T.float32(2)
        +    if cse_v2 > T.float32(1):
                 A[0] = T.float32(0)
        -    A[1] = A[0] * T.float32(2)
        -    A[2] = T.log2(T.cast(n, "float32"))
        +        cse_v2 = A[0] * T.float32(2)
        +    A[1] = cse_v2
        +    cse_v1: T.let[T.float32] = T.cast(n, "float32")
        +    A[2] = T.log2(cse_v1)
             with T.launch_thread("threadIdx.x", 64) as tx:
        -        A[tx] = T.log2(T.cast(n, "float32"))
        +        A[tx] = T.log2(cse_v1)
        --- errors
        2 fixes in 1 file; without `--diff` they are written
        --- exit code 0
    "#]]);
    project.run("opt --passes cse --partial-redundancies a.py").check(expect![[r#"
        from tvm.script import tirx as T

        @T.prim_func
        def f(A: T.Buffer((64,), "float32"), n: T.int32):
            cse_v2: T.float32 = A[0] * T.float32(2.0)
            if cse_v2 > T.float32(1.0):
                A[0] = T.float32(0.0)
                cse_v2 = A[0] * T.float32(2.0)
            A[1] = cse_v2
            cse_v1: T.let[T.float32] = T.Cast("float32", n)
            A[2] = T.log2(cse_v1)
            with T.launch_thread("threadIdx.x", 64) as tx:
                A[tx] = T.log2(cse_v1)
        --- exit code 0
    "#]]);
}

#[test]
fn intrinsics_are_shared_across_a_launch_on_request() {
    let project = Project::new(&[("a.py", ON_REQUEST)]);
    project.run("fix --diff a.py").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -5,6 +5,7 @@
             if A[0] * T.float32(2) > T.float32(1):
                 A[0] = T.float32(0)
             A[1] = A[0] * T.float32(2)
        -    A[2] = T.log2(T.cast(n, "float32"))
        +    cse_v1: T.let[T.float32] = T.cast(n, "float32")
        +    A[2] = T.log2(cse_v1)
             with T.launch_thread("threadIdx.x", 64) as tx:
        -        A[tx] = T.log2(T.cast(n, "float32"))
        +        A[tx] = T.log2(cse_v1)
        --- errors
        1 fix in 1 file; without `--diff` they are written
        --- exit code 0
    "#]]);
    project.run("fix --diff --share-intrinsics-across-launch a.py").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -5,6 +5,7 @@
             if A[0] * T.float32(2) > T.float32(1):
                 A[0] = T.float32(0)
             A[1] = A[0] * T.float32(2)
        -    A[2] = T.log2(T.cast(n, "float32"))
        +    cse_v1: T.let[T.float32] = T.log2(T.cast(n, "float32"))
        +    A[2] = cse_v1
             with T.launch_thread("threadIdx.x", 64) as tx:
        -        A[tx] = T.log2(T.cast(n, "float32"))
        +        A[tx] = cse_v1
        --- errors
        1 fix in 1 file; without `--diff` they are written
        --- exit code 0
    "#]]);
}

#[test]
fn simplification_whose_text_would_read_back_differently_is_left_out() {
    let text = "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((64,), \"int32\"), n: T.int32):\n    \
                A[0] = T.Cast(\"int32\", (T.Select(T.bool(False), T.float32(1), T.float32(3)) - T.float32(3)) * T.Cast(\"float32\", n))\n    A[1] = T.max(n, n + 1)\n";
    let project = Project::new(&[("a.py", text)]);
    project.run("fix --diff --only simplifiable a.py").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -3,4 +3,4 @@
         @T.prim_func
         def f(A: T.Buffer((64,), "int32"), n: T.int32):
             A[0] = T.Cast("int32", (T.Select(T.bool(False), T.float32(1), T.float32(3)) - T.float32(3)) * T.Cast("float32", n))
        -    A[1] = T.max(n, n + 1)
        +    A[1] = n + 1
        --- errors
        1 fix in 1 file; without `--diff` they are written
        1 fix left out because the edited text would mean something else, or lose a comment (`tir-analyzer explain reads-back-differently`)
        --- exit code 1
    "#]]);
}

/// A name for the sum makes TVM's pass hoist the division.
const EXPOSED: &str = "\
from tvm.script import tirx as T

@T.prim_func
def f(C: T.Buffer((2,), \"int32\"), O: T.Buffer((8,), \"int32\"), a: T.int32, b: T.int32):
    T.func_attr({\"tirx.noalias\": True})
    O[2] = C[0] + C[1]
    O[0] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b)
    O[1] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b + 1)
";

#[test]
fn values_that_a_tvm_pass_gets_wrong_are_reported_and_kept_on_request() {
    let project = Project::new(&[("a.py", EXPOSED)]);
    project.run("fix --diff a.py").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -3,6 +3,7 @@
         @T.prim_func
         def f(C: T.Buffer((2,), "int32"), O: T.Buffer((8,), "int32"), a: T.int32, b: T.int32):
             T.func_attr({"tirx.noalias": True})
        -    O[2] = C[0] + C[1]
        -    O[0] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b)
        -    O[1] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b + 1)
        +    cse_v1: T.let[T.int32] = C[0] + C[1]
        +    O[2] = cse_v1
        +    O[0] = T.if_then_else(a != 0, cse_v1 // a, b)
        +    O[1] = T.if_then_else(a != 0, cse_v1 // a, b + 1)
        --- errors
        1 fix in 1 file; without `--diff` they are written
        note: if TVM compiles this, its `CommonSubexprElim` may evaluate code around a new name where the text does not; `--downstream tvm` keeps such values unbound (`tir-analyzer explain downstream`)
        --- exit code 0
    "#]]);
    project.run("fix --diff --downstream tvm a.py").check(expect![[r#"
        --- errors
        nothing to fix
        --- exit code 0
    "#]]);
    let settings = "[cse]\ndownstream = \"tvm\"\n";
    let project = Project::new(&[("a.py", EXPOSED), ("tir-analyzer.toml", settings)]);
    project.run("fix --diff a.py").check(expect![[r#"
        --- errors
        nothing to fix
        --- exit code 0
    "#]]);
    project.run("fix --diff --downstream sound a.py").check(expect![[r#"
        --- a.py
        +++ a.py
        @@ -3,6 +3,7 @@
         @T.prim_func
         def f(C: T.Buffer((2,), "int32"), O: T.Buffer((8,), "int32"), a: T.int32, b: T.int32):
             T.func_attr({"tirx.noalias": True})
        -    O[2] = C[0] + C[1]
        -    O[0] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b)
        -    O[1] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b + 1)
        +    cse_v1: T.let[T.int32] = C[0] + C[1]
        +    O[2] = cse_v1
        +    O[0] = T.if_then_else(a != 0, cse_v1 // a, b)
        +    O[1] = T.if_then_else(a != 0, cse_v1 // a, b + 1)
        --- errors
        1 fix in 1 file; without `--diff` they are written
        note: if TVM compiles this, its `CommonSubexprElim` may evaluate code around a new name where the text does not; `--downstream tvm` keeps such values unbound (`tir-analyzer explain downstream`)
        --- exit code 0
    "#]]);
}

#[test]
fn a_loop_invariant_in_a_function_to_be_scheduled_is_left_to_an_editor() {
    let text = "\
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def f(A: T.Buffer((64,), \"int32\"), n: T.int32):
    for i in range(4):
        for j in range(16):
            with T.sblock(\"a\"):
                v = T.axis.spatial(64, i * 16 + j)
                A[v] = v + n // 3 // 5 // 7 // 9 // 11
";
    let project = Project::new(&[("a.py", text)]);
    project.run("fix --diff --select loop-invariant a.py").check(expect![[r#"
        --- errors
        nothing to fix
        1 fix left out in 1 function with blocks that can still be scheduled: a new binding can make `compute_inline` or `fuse` fail there; an editor offers them one by one
        --- exit code 0
    "#]]);
}

/// The number before the first of some words in a text.
fn number_before(text: &str, words: &[&str]) -> usize {
    let at = words.iter().find_map(|it| text.find(it));
    let number = at.and_then(|at| text[..at].split_whitespace().next_back());
    number.and_then(|it| it.parse().ok()).unwrap_or(0)
}

#[test]
fn check_counts_what_fix_does_at_once() {
    let (python, other) = (test_utils::sample_files(), test_utils::ir_samples());
    let samples = python.iter().step_by(5).chain(other.iter().step_by(3));
    for sample in samples.filter(|it| it.text.len() < 60_000) {
        let name = sample.name.rsplit('/').next().unwrap_or_default();
        let project = Project::new(&[(name, &sample.text)]);
        let (checked, fixed) = (
            project.run(&format!("check {name}")).out(),
            project.run(&format!("fix --diff {name}")).err(),
        );
        let end = checked.rfind(" checked: ").map_or("", |at| &checked[at..]);
        let shared = number_before(end, &[" value can be computed", " values can be computed"]);
        let rest = end.split("computed once,").last().unwrap_or_default();
        let removed = number_before(rest, &[" superfluous part"]);
        let all = number_before(&fixed, &[" fix in ", " fixes in "]);
        let later = number_before(&fixed, &[" of them only after others"]);
        assert_eq!(fixed.contains("nothing to fix"), shared + removed == 0, "{}", sample.name);
        // What is superfluous goes first: what can be shared after that is not what can be shared before.
        if removed == 0 {
            assert_eq!(shared, all - later, "{}\n{end}\n{fixed}", sample.name);
        }
    }
}
