//! `preview`.

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
        +++ f after simplify
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
