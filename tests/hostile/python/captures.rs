//! Names of the Python around a function: `fix` and `opt` use the value that Python would find, or none.
//!
//! In each text `?` is where the function stands that uses `N`, which is not 4 when Python reads it.

use std::fs;

use tempfile::TempDir;

use super::run::{assert_none, run};

/// Files in which a value of `N` is written, 4, that is not the one that it has.
const CHANGED: &[&str] = &[
    "N = 4\nfor N in [8, 16]:\n    pass\n?",
    "try:\n    from config import N\nexcept ImportError:\n    N = 4\n?",
    "N = 4\ndef setup():\n    global N\n    N = 8\nsetup()\n?",
    "N = 4\nwith opened() as N:\n    pass\n?",
    "N = 4\nif (N := 8) > 3:\n    pass\n?",
    "N = 4\nfrom config import *\n?",
    "N = 4\nN, k = 8, 9\n?",
    "L = [4]\nL[0] = 8\nN = L\n?",
];

/// Bodies that print 4, fold it or take a branch by it where the value of `N` is believed.
const USES: &[&str] = &[
    "B[0] = A[0] * N",
    "B[0] = A[0] * (N + 0)",
    "if N == 4:\n        B[0] = 44\n    else:\n        B[0] = 45",
    "for i in range(N):\n        B[i] = A[i]",
];

fn function(body: &str) -> String {
    format!(
        "@T.prim_func\ndef f(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")):\n    T.func_attr({{\"tirx.noalias\": True}})\n    {body}\n"
    )
}

#[test]
fn a_value_that_may_have_changed_is_not_believed() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut faults = Vec::new();
    for file in CHANGED {
        for body in USES {
            let written = function(body);
            let text = format!("from tvm.script import tirx as T\n{}", file.replace('?', &written));
            fs::write(folder.path().join("a.py"), &text).expect("the folder can be written");
            let outcome = run(folder.path(), &["opt", "--passes", "cse,simplify", "a.py"]);
            faults.extend(outcome.fault().map(|it| format!("{text}{it}")));
            let printed = outcome.out.split_once("@T.prim_func").map_or("", |it| it.1);
            if !printed.contains('N') {
                faults.push(format!("{text}\nbecomes\n{printed}"));
            }
        }
    }
    assert_none(&faults);
}

/// Bodies in which a name means one thing or another, as Python decides; merging the loads of `A[0]`, or removing a
/// name, is wrong in each.
const CHOSEN: &[&str] = &[
    "if flag:\n            S = A\n        else:\n            S = B\n        B[1] = A[0] * 3\n        S[0] = 7\n        B[2] = A[0] * 3",
    "if flag > 2 and flag < 9:\n            S = A\n        else:\n            S = B\n        B[1] = A[0] * 3\n        S[0] = 7\n        B[2] = A[0] * 3",
    "B, C = flag(A)\n        C[1] = A[0] * 3\n        B[0] = 7\n        C[2] = A[0] * 3",
    "with flag(A) as B:\n            C[1] = A[0] * 3\n            B[0] = 7\n            C[2] = A[0] * 3",
    "x, A[0] = B[1], B[2]\n        C[1] = A[0] * 3\n        y, A[0] = B[3], B[4]\n        C[2] = A[0] * 3 + x + y",
    "S = A if flag else B\n        C[1] = A[0] * 3\n        S[0] = 7\n        C[2] = A[0] * 3",
    "if flag:\n            x: T.let[T.int32] = C[0]\n        else:\n            x: T.let[T.int32] = C[1]\n        B[0] = x",
    "if flag:\n            x = C[0]\n        else:\n            x = C[1]\n        B[0] = x",
    "if flag:\n            S = T.alloc_buffer((4,), \"int32\")\n            S[0] = C[0]\n        else:\n            S = T.alloc_buffer((8,), \"int32\")\n            S[0] = C[1]\n        B[0] = S[0]",
    "x: T.let[T.int32] = C[0]\n        flag[0][0] = x",
    "x: T.let[T.int32] = C[0]\n        B[0] = sum([x, x])",
    "x = C[0]\n        put(B, x, flag)",
];

#[test]
fn choice_by_python_is_left_alone() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut faults = Vec::new();
    for body in CHOSEN {
        let text = format!(
            "from tvm.script import tirx as T\n\n@T.inline\ndef put(dst, v, k):\n    dst[k[0]] = sum([v, v])\n\ndef make(flag):\n    @T.prim_func\n    def f(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\"), C: T.Buffer((16,), \"int32\")):\n        T.func_attr({{\"tirx.noalias\": True}})\n        {body}\n    return f\n"
        );
        fs::write(folder.path().join("a.py"), &text).expect("the folder can be written");
        let outcome = run(folder.path(), &["fix", "--diff", "a.py"]);
        faults.extend(outcome.fault().map(|it| format!("{text}{it}")));
        if !outcome.out.is_empty() {
            faults.push(format!("{text}\n{}", outcome.out));
        }
        let checked = run(folder.path(), &["check", "--level", "error", "a.py"]);
        if checked.code != Some(0) {
            faults.push(format!("{text}\n{}", checked.out));
        }
    }
    assert_none(&faults);
}
