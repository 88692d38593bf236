//! `preview`.

use expect_test::expect;

use super::Project;

const GUARDED: &str = "from tvm.script import tir as T


@T.prim_func
def main(A: T.Buffer((64,), \"int32\"), n: T.int32):
    for i in range(64):
        if i < 64:
            A[i] = n * 3 + n * 3


@T.prim_func
def other(A: T.Buffer((64,), \"int32\")):
    A[0] = 1
";

#[test]
fn texts_stand_beside_each_other() {
    let project = Project::new(&[("a.py", GUARDED)]);
    let outcome = project.run("preview a.py --function main --width 100");
    let out = outcome.out();
    assert_eq!(outcome.code, 0);
    assert!(out.starts_with("main: source | simplify\n"), "{out}");
    assert!(out.contains("constant-condition"), "{out}");
    let guard = out.lines().find(|it| it.contains("if i < 64:")).expect("the guard is shown");
    assert!(guard.contains(" | ") || guard.ends_with('<'), "{out}");
    assert!(out.contains("main: simplify | cse"), "{out}");
    assert!(!out.contains("other"), "{out}");
    assert!(out.lines().all(|it| it.chars().count() <= 100), "{out}");
}

#[test]
fn difference_of_each_pass() {
    let project = Project::new(&[("a.py", GUARDED)]);
    let out = project.run("preview a.py --function main --passes simplify --format unified").out();
    assert!(out.starts_with("--- main\n+++ main after simplify\n@@"), "{out}");
    assert!(out.lines().any(|it| it.starts_with('-') && it.contains("if i < 64:")), "{out}");
}

#[test]
fn all_functions_as_json() {
    let out = Project::new(&[("a.py", GUARDED)]).run("preview a.py --format json").out();
    let json: serde_json::Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!(json["schema"], "tir-analyzer.preview");
    assert_eq!(json["functions"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["functions"][0]["stages"][0]["pass"], "simplify");
    assert_eq!(json["functions"][0]["stages"][0]["changed"], true);
    assert_eq!(json["functions"][1]["stages"][1]["changed"], false);
}

const EQUAL: &str = "func.func @f(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  %1 = arith.addi %a, %a : i32 // kept
  %2 = arith.muli %0, %1 : i32
  return %2 : i32
}
func.func @g() {
  return
}
";

#[test]
fn functions_of_mlir_are_shown_as_their_text_becomes() {
    let project = Project::new(&[("a.mlir", EQUAL)]);
    let out = project.run("preview a.mlir --function f --format unified").out();
    expect_test::expect![[r#"
        --- f
        +++ f after cse
        @@ -1,6 +1,6 @@
         func.func @f(%a: i32) -> i32 {
           %0 = arith.addi %a, %a : i32
        -  %1 = arith.addi %a, %a : i32 // kept
        -  %2 = arith.muli %0, %1 : i32
        +  // kept
        +  %2 = arith.muli %0, %0 : i32
           return %2 : i32
         }
    "#]]
    .assert_eq(&out);
    let outcome = project.run("preview a.mlir --function h");
    assert_eq!(outcome.code, 2);
    assert!(outcome.err().contains("there is no function `h`"), "{}", outcome.err());
}

const TILES: &str = "import tilelang.language as T


def make(n):
    @T.prim_func
    def main(A: T.Tensor((n,), \"int32\")):
        with T.Kernel(1, threads=32) as bx:
            A[bx] = 1

    return main
";

/// A project whose settings name a Python that is this script.
#[cfg(unix)]
fn with_tilelang(script: &str) -> Project {
    let settings = "[tilelang]\npython = \"bin/python\"\n";
    let project =
        Project::new(&[("a.py", TILES), ("tir-analyzer.toml", settings), ("bin/request", "")]);
    test_utils::stand_in::python(&project.path().join("bin/python"), script).unwrap();
    project
}

#[cfg(unix)]
#[test]
fn passes_and_device_code_of_tilelang() {
    let answers = r#"cat <<'END'
{"function": "main", "before": "a = 1\nb = 2"}
{"pass": "tl.Simplify", "text": "a = 1\nb = 3"}
{"code": "__global__ void main_kernel() {}\n"}
END"#;
    let project = with_tilelang(answers);
    let run = |more: &str| {
        project.run(&format!("preview a.py --by tilelang --instance make(n=8) {more}"))
    };
    run("--format unified").check(expect![[r#"
        --- main
        +++ main after tl.Simplify
        @@ -1,2 +1,2 @@
         a = 1
        -b = 2
        +b = 3
        device code
        __global__ void main_kernel() {}
        --- exit code 0
    "#]]);
    let json: serde_json::Value =
        serde_json::from_str(&run("--format json").out()).expect("it is JSON");
    assert_eq!(json["functions"][0]["stages"][0]["pass"], "tl.Simplify");
    assert_eq!(json["functions"][0]["code"], "__global__ void main_kernel() {}\n");
    let asked: serde_json::Value =
        serde_json::from_str(&project.read("bin/request")).expect("a request");
    assert!(asked["path"].as_str().is_some_and(|it| it.ends_with("/a.py")), "{asked}");
    assert_eq!(asked["call"], "make(n=8)");
    assert_eq!(asked["target"]["arch"], "sm_90a");
}

#[cfg(unix)]
#[test]
fn tilelang_is_asked_by_name_and_not_for_long() {
    let project = Project::new(&[("a.py", TILES)]);
    project.run("preview a.py --by tilelang --instance make(n=8)").check(expect![[r#"
        --- errors
        error: which Python has TileLang is not known: `tilelang.python` in tir-analyzer.toml names it
        --- exit code 2
    "#]]);
    let slow = with_tilelang("exec sleep 100");
    slow.run("preview a.py --by tilelang --instance make(n=8) --limit 1").check(expect![[r#"
        --- errors
        error: TileLang took longer than 1 s
        --- exit code 2
    "#]]);
}

#[test]
fn of_mlir_only_the_pass_that_there_is_runs_by_default() {
    let text =
        "func.func @f(%a: i32) -> i32 {\n  %0 = arith.muli %a, %a : i32\n  return %0 : i32\n}\n";
    Project::new(&[("a.mlir", text)]).run("preview a.mlir").check(expect![[r#"
        f: source | cse
          nothing changes

        --- exit code 0
    "#]]);
}
