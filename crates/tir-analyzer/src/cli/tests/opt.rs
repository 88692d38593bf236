//! `opt`.

use expect_test::expect;

use super::{BROKEN, Project, SHARED, visible};

#[test]
fn lowered_functions_are_printed_and_all_else_stays() {
    Project::new(&[("a.py", SHARED)]).run("opt --passes cse a.py").check(expect![[r#"
        from tvm.script import tir as T

        # kept
        @T.prim_func
        def main(A: T.Buffer((64,), "int32"), n: T.int32):
            cse_v1: T.int32 = n * 4
            A[cse_v1] = 1
            A[cse_v1 + 1] = cse_v1


        def helper():
            return 1
        --- exit code 0
    "#]]);
}

#[test]
fn standard_input_is_of_the_language_and_folder_of_its_name() {
    let settings = "[cse]\npreset = \"tvm\"\nmin-occurrences = 9\n";
    let project = Project::new(&[("a/tir-analyzer.toml", settings)]);
    let opt = |name: &str, text: &str| {
        let command = format!("opt --stdin --stdin-filename {name}");
        project.run_with(&command, text.as_bytes()).out()
    };
    // Nothing occurs so often.
    assert!(!opt("a/x.py", SHARED).contains("cse_v1"));
    assert!(opt("b/x.py", SHARED).contains("cse_v1"));
    // A text that does not say what it is.
    let text = "// T.prim_func\n%0 = \"x\"() : () -> i32\n";
    assert_eq!(opt("x.mlir", text), text);
}

#[test]
fn preset_decides_names() {
    Project::new(&[("a.py", SHARED)]).run("opt --passes cse --preset tvm a.py").check(expect![[
        r#"
            from tvm.script import tir as T

            # kept
            @T.prim_func
            def main(A: T.Buffer((64,), "int32"), n: T.int32):
                cse_v1: T.int32 = n * 4
                A[cse_v1] = 1
                A[cse_v1 + 1] = cse_v1


            def helper():
                return 1
            --- exit code 0
        "#
    ]]);
}

#[test]
fn no_fixes_print_the_module_as_it_is_read() {
    Project::new(&[("a.py", SHARED)]).run("opt --max-fixes 0 a.py").check(expect![[r#"
        from tvm.script import tir as T

        # kept
        @T.prim_func
        def main(A: T.Buffer((64,), "int32"), n: T.int32):
            A[n * 4] = 1
            A[n * 4 + 1] = n * 4


        def helper():
            return 1
        --- exit code 0
    "#]]);
}

#[test]
fn function_with_errors_is_left_as_it_is() {
    let outcome = Project::new(&[("a.py", BROKEN)]).run("opt a.py");
    assert_eq!((outcome.out().as_str(), outcome.code), (BROKEN, 1));
    assert!(outcome.err().contains("`main` is left as it is"), "{}", outcome.err());
}

#[test]
fn methods_keep_their_indentation_and_line_breaks() {
    let text = SHARED.replace("# kept\n", "# kept\nclass Module:\n");
    let (head, body) = text.split_once("class Module:\n").unwrap();
    let body: String = body.lines().map(|it| format!("    {it}\r\n")).collect();
    let text = format!("{}class Module:\r\n{body}", head.replace('\n', "\r\n"));
    let outcome = Project::new(&[]).run_with("opt --stdin", text.as_bytes());
    assert!(!outcome.out().replace("\r\n", "").contains('\n'));
    expect![[r#"
        from tvm.script import tir as T

        # kept
        class Module:
            @T.prim_func
            def main(A: T.Buffer((64,), "int32"), n: T.int32):
                cse_v1: T.int32 = n * 4
                A[cse_v1] = 1
                A[cse_v1 + 1] = cse_v1
        ····
        ····
            def helper():
                return 1
    "#]]
    .assert_eq(&visible(&outcome.out().replace('\r', "")));
}

#[test]
fn one_function_is_chosen_by_name() {
    let text = format!("{SHARED}\n\n{}", SHARED.replace("main", "second"));
    let project = Project::new(&[("a.py", &text)]);
    let outcome = project.run("opt --function second a.py");
    assert!(outcome.out().starts_with(SHARED));
    project.run("opt --function secon a.py").check(expect![[r#"
        --- errors
        error: a.py has no function `secon`; did you mean `second`?
        --- exit code 2
    "#]]);
}

#[test]
fn other_names_of_the_dialect_are_left_alone() {
    let text = SHARED.replace("tir as T", "tir as X").replace("T.", "X.");
    let outcome = Project::new(&[("a.py", &text)]).run("opt a.py");
    assert_eq!((outcome.out(), outcome.code), (text, 1));
}

const MLIR: &str = "func.func @f(%a: i32) -> i32 {
  return %b : i32
}
";

#[test]
fn options_without_meaning_for_operations_are_reported_with_a_way_out() {
    let project = Project::new(&[("a.mlir", MLIR)]);
    project.run("opt a.mlir").check(expect![[r#"
        func.func @f(%a: i32) -> i32 {
          return %b : i32
        }
        --- errors
        warning: a.mlir:2:10: `f` is left as it is: `%b` is not defined here
        --- exit code 1
    "#]]);
    project.run("opt --passes simplify,cse a.mlir").check(expect![[r#"
        --- errors
        error: this is MLIR, and pass `simplify` is for TVMScript; use `--passes cse`
        --- exit code 2
    "#]]);
    project.run("opt --function g a.mlir").check(expect![[r#"
        --- errors
        error: there is no function `g`; did you mean `f`?
        --- exit code 2
    "#]]);
}

/// Without a solver what is one term is proved, the rest is run.
#[test]
fn functions_are_validated() {
    let project = Project::new(&[("a.py", SHARED)]);
    project.run("opt --validate --solver none --passes simplify,cse a.py").check(expect![[r#"
        a.py:5:5: `main`: simplify: changes nothing
        a.py:5:5: `main`: cse: proved: equal as terms
        --- exit code 0
    "#]]);
    project.run("opt --validate --solver none --format json a.py").check(expect![[r#"
        {
          "version": 1,
          "file": "a.py",
          "functions": [
            {
              "name": "main",
              "line": 5,
              "column": 5,
              "passes": [
                {
                  "pass": "cse",
                  "verdict": "proved",
                  "questions": 0
                }
              ],
              "failure": null
            }
          ]
        }
        --- exit code 0
    "#]]);
}

#[test]
fn a_solver_that_is_missing_is_an_error_with_a_way_out() {
    Project::new(&[("a.py", SHARED)])
        .run("opt --validate --solver no-such-solver a.py")
        .check(expect![[r#"
            --- errors
            error: cannot start the solver `no-such-solver`; install z3 (`apt install z3`, `brew install z3`, `pip install z3-solver`), name the program with --solver, or run the functions only with --solver none: No such file or directory (os error 2)
            --- exit code 2
        "#]]);
}

#[test]
fn operations_are_not_validated() {
    Project::new(&[("a.mlir", "func.func @f() {\n  return\n}\n")])
        .run("opt --validate --solver none a.mlir")
        .check(expect![[r#"
            --- errors
            error: --validate reads functions of statements (TVMScript, TileLang), no operations of MLIR or PIR; `run` executes MLIR before and after
            --- exit code 2
        "#]]);
}
