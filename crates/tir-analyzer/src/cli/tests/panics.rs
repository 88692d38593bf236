//! A panic in the work on one function costs that function: it is reported, and the rest of the file is answered.

use ir::guard::{Stage, planted::plant};

use super::*;

/// A file of two functions, in each of which a value is shared; the first one panics in a stage.
fn file(stage: Stage) -> String {
    let bad = format!("panics_{}", stage.name());
    plant(stage, &bad);
    let function = |name: &str| {
        format!(
            "@T.prim_func\ndef {name}(A: T.Buffer((8,), \"int32\"), x: T.int32):\n    A[x + 1] = x * 3\n    A[0] = x + 1\n\n"
        )
    };
    format!("from tvm.script import tirx as T\n\n{}{}", function(&bad), function("good"))
}

/// The complete output of a command.
fn said(project: &Project, command: &str) -> (String, u8) {
    let done = project.run(command);
    (done.out() + &done.err(), done.code)
}

#[test]
fn panic_in_one_function_costs_that_function() {
    for stage in &[Stage::Reading, Stage::Planning, Stage::Rewriting] {
        let project = Project::new(&[("a.py", &file(*stage))]);
        let bad = format!("internal error in `panics_{}`", stage.name());
        let (fixed, code) = said(&project, "fix --diff a.py");
        assert_eq!(fixed.matches("+    cse_v1: T.let[T.int32] = x + 1").count(), 1, "{fixed}");
        assert!(fixed.contains("internal error in `panics_") && code == 1, "{fixed}");
        let (checked, code) = said(&project, "check a.py");
        assert!(checked.contains("`x + 1` is computed 2 times"), "{checked}");
        if *stage == Stage::Rewriting {
            continue;
        }
        assert_eq!(checked.matches(&bad).count(), 1, "{checked}");
        assert_eq!(code, 1);
        for command in ["opt a.py", "preview --format unified a.py"] {
            let (done, code) = said(&project, command);
            assert!(done.contains("= x + 1"), "{command}: {done}");
            assert!(done.contains(&bad) && code == 1, "{command}: {done}");
        }
    }
}

#[test]
fn panic_in_a_function_of_mlir_costs_that_function() {
    plant(Stage::Planning, "panics_mlir");
    let function = |name: &str| {
        format!(
            "func.func @{name}(%a: i32) -> i32 {{\n  %0 = arith.addi %a, %a : i32\n  %1 = arith.addi %a, %a : i32\n  %2 = arith.muli %0, %1 : i32\n  return %2 : i32\n}}\n"
        )
    };
    let text = function("panics_mlir") + &function("good");
    let project = Project::new(&[("a.mlir", &text)]);
    for command in ["fix --diff", "opt --passes cse", "check", "preview --passes cse"] {
        let (done, code) = said(&project, &format!("{command} a.mlir"));
        assert!(done.contains("internal error in `panics_mlir`"), "{command}: {done}");
        assert_eq!(code, 1, "{command}: {done}");
    }
    let (fixed, _) = said(&project, "opt --passes cse a.mlir");
    assert_eq!(fixed.matches("%1 = arith.addi").count(), 1, "{fixed}");
}
