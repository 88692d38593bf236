//! Names without a tree.

use expect_test::{Expect, expect};

use super::names;

#[track_caller]
fn check(text: &str, expected: Expect) {
    let shown = match names(text, &["tvm", "numpy"]) {
        None => "by the tree".to_owned(),
        Some(all) => {
            let shown = all.iter().map(|it| {
                let of = if it.is_module { "module " } else { "" };
                format!("{of}{} in `{}` at {}:{}\n", it.name, it.module, it.line, it.column)
            });
            shown.collect()
        }
    };
    expected.assert_eq(&shown);
}

const IMPORT: &str = "from tvm.script import ir as I, tirx as T\n";

/// Behind the usual import.
#[track_caller]
fn check_lines(lines: &str, expected: Expect) {
    check(&format!("{IMPORT}{lines}"), expected);
}

const KERNEL: &str = "@T.prim_func\ndef f(a: T.handle):\n    x = 1\n";

#[test]
fn modules_and_kernels_have_names() {
    check_lines(
        "import numpy as np
# one

@T.prim_func(private=True)
def f(A: T.Buffer((n,), 'int32'), B: T.Buffer(
    (m,), \"int32\"
)) -> None:
    \"\"\"
Adds ü.
\"\"\"
    def inner(x):
        return x
    A[0] = B[0]
@I.ir_module(check_well_formed=False)
class Module:
    I.module_attrs({\"a\": 1})
    @T.macro
    def g(A):
        A[0] = 1
    @T.prim_func
    def h(A: T.handle): # ü
        x = 1
@T.inline
def k(): 
    x = 1
",
        expect![[r#"
            f in `` at 5:4
            module Module in `` at 15:6
            g in `Module` at 18:8
            h in `Module` at 21:8
            k in `` at 24:4
        "#]],
    );
}

#[test]
fn printed_programs_import_in_comments() {
    check(
        "# from tvm.script import tirx as X\n\n@X.prim_func\ndef f():\n    x = 1\n",
        expect![[r#"
            f in `` at 3:4
        "#]],
    );
    // Without an import, `T` is the script's.
    check(
        KERNEL,
        expect![[r#"
            f in `` at 1:4
        "#]],
    );
    check("@X.prim_func\ndef f():\n    x = 1\n", expect!["by the tree"]);
}

#[test]
fn of_all_else_the_tree_tells() {
    let tree = || expect!["by the tree"];
    for other in [
        "x = 1\n",
        "import other\n",
        "from . import a\n",
        "from tvm.script import *\n",
        "from tvm.script import tir as T\n",
        "from tvm import (a)\n",
        "def f():\n    pass\n",
        "class A:\n    pass\n",
        "print(1)\n",
        "T.f(1)\n",
        "'text'\n",
        "@T.other\ndef f():\n    x = 1\n",
        "@prim_func\ndef f():\n    x = 1\n",
        "@T.prim_func\n@T.prim_func\ndef f():\n    x = 1\n",
        "@T.prim_func(1)(2)\ndef f():\n    x = 1\n",
        "@T.prim_func\ndef f[A]():\n    x = 1\n",
        "@T.prim_func\ndef ü():\n    x = 1\n",
        "@T.prim_func\ndef if():\n    x = 1\n",
        "@T.prim_func\ndef T():\n    x = 1\n",
        "@T.prim_func\ndef f() x:\n    x = 1\n",
        "@T.prim_func\ndef f(): x = 1\n",
        "@T.prim_func\ndef f():\n    x = 1\n      y = 2\n",
        "@T.prim_func\n    def f():\n        x = 1\n",
        "@T.prim_func\n",
        "@I.ir_module\nclass M:\n",
        "@I.ir_module\nclass M(A):\n    @T.prim_func\n    def f():\n        x = 1\n",
        "@I.ir_module\nclass M:\n    @I.ir_module\n    class N:\n        T.x(1)\n",
        "@I.ir_module\nclass M:\n    T.f(x := 1)\n",
        "@I.ir_module\nclass M:\n    T.f(1)\n  T.f(1)\n",
        "@I.ir_module\nclass M:\n    import tvm\n",
        "@I.other\nclass M:\n    @T.prim_func\n    def f():\n        x = 1\n",
    ] {
        check_lines(&format!("{other}{KERNEL}"), tree());
        check_lines(&format!("{KERNEL}{other}"), tree());
    }
    check_lines("", tree());
    check_lines("@T.prim_func\ndef f():\n    x = (\n", tree());
    check_lines("@T.prim_func\ndef f():\n", tree());
    check_lines("@T.prim_func\ndef f():\r\n    x = 1\n", tree());
    check(&format!("# from other import a\n{IMPORT}{KERNEL}"), tree());
    check(&format!("# from tvm.script import tir as T\n{IMPORT}{KERNEL}"), tree());
    check(&format!("'text'\n{IMPORT}{KERNEL}"), tree());
}

/// `T` and `I` are the script's without an import, until something else has their name.
#[test]
fn a_kernel_with_the_name_of_the_script_is_read_by_the_tree() {
    check(
        "@T.prim_func\ndef T():\n    x = 1\n@T.prim_func\ndef g():\n    x = 1\n",
        expect!["by the tree"],
    );
    check(
        "@I.ir_module\nclass T:\n    @T.prim_func\n    def g():\n        x = 1\n",
        expect!["by the tree"],
    );
}

/// A name that an import binds is looked up, not searched for among all others.
#[test]
fn imports_of_many_names() {
    let names: Vec<String> = (0..100_000).map(|it| format!("x{it}")).collect();
    let text = format!("from tvm import {}\n{IMPORT}{KERNEL}", names.join(", "));
    check(
        &text,
        expect![[r#"
        f in `` at 3:4
    "#]],
    );
}
