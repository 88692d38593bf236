//! Short texts.

use expect_test::{Expect, expect};

use super::{is_plain, skim};
use crate::tvmscript::functions;

#[track_caller]
fn check(text: &str, expected: Expect) {
    let Some(short) = skim(text, &["tvm"]) else {
        return expected.assert_eq("nothing is left out");
    };
    // Each name is where it was.
    let functions = functions(&syntax::parse(&short.text));
    for it in &functions.functions {
        let range = it.source.name_range + it.range.start();
        assert_eq!(&text[short.original(range)], &*it.source.name);
    }
    let is_of = if short.is_of(&functions) { "" } else { "(not so)\n" };
    expected.assert_eq(&format!("{is_of}{}", short.text));
}

const IMPORT: &str = "from tvm.script import tirx as T\n";

/// One kernel with a body.
#[track_caller]
fn check_body(body: &str, expected: Expect) {
    check(&format!("{IMPORT}@T.prim_func\ndef f(a: T.handle):\n{body}x = 1\n"), expected);
}

#[test]
fn parameters_and_bodies_of_kernels_are_left_out() {
    check(
        &format!(
            "{IMPORT}
def make(n):
    m = n + 1
    @T.prim_func(private=True)
    def kernel(A: T.Buffer((n,), 'int32'), B: T.Buffer(
        (m,), \"int32\"
    )) -> None:
        '''Adds.

Of some lines.'''
        for i in range(n):
            if i > 0:
                A[i] = B[i] # ): comment
# not indented
        T.evaluate({{1: [2]}})

    return kernel

@other.one
def helper(n): return n

class C:
    @T.macro
    def g(A): # comment
        A[0] = 1
    h = 1
"
        ),
        expect![[r#"
            from tvm.script import tirx as T

            def make(n):
                m = n + 1
                @T.prim_func(private=True)
                def kernel() -> None:pass

                return kernel

            @other.one
            def helper(n): return n

            class C:
                @T.macro
                def g():pass
                h = 1
        "#]],
    );
}

#[test]
fn functions_of_python_without_kernels_have_no_bodies() {
    check(
        &format!(
            "{IMPORT}
class C:
    def g(self, x):
        if x:
            return 1

    @property
    def h(self):
        return 1

@a.b.c(\"x\")
@d.e
def test(x):
    def inner():
        pass
    return inner

@a.jit
def f(x):
    return x

@a.b
@c
def f(x):
    return x

def make(n):
    def size():
        return n
    @T.prim_func
    def kernel(A):
        A[0] = 1

def binds():
    global T
    T = 1
"
        ),
        expect![[r#"
            from tvm.script import tirx as T

            class C:
                def g():pass

                @property
                def h(self):
                    return 1

            @a.b.c("x")
            @d.e
            def test():pass

            @a.jit
            def f(x):
                return x

            @a.b
            @c
            def f(x):
                return x

            def make(n):
                def size():
                    return n
                @T.prim_func
                def kernel():pass

            def binds():
                global T
                T = 1
        "#]],
    );
}

#[test]
fn functions_of_python_stay_in_a_text_that_uses_what_it_imports() {
    let lines = "def size(x):\n    return x\n@T.prim_func\ndef g(z):\n    x = 1\n";
    for (import, is_used) in [
        ("from a import f\n", false),
        ("from a import f\nf(size(1))\n", true),
        ("from a import f\n@f\ndef h():\n    return 1\n", true),
        ("if 1: import a\n", true),
        ("from a import *\n", true),
        ("from tvm import *\n", false),
    ] {
        let short = skim(&format!("{IMPORT}{import}{lines}"), &["tvm"]).unwrap();
        assert_eq!(short.text.contains("return x"), is_used, "{import}");
        assert!(!short.text.contains("x = 1"), "{import}");
    }
}

#[test]
fn what_is_odd_stays() {
    let whole = || expect!["nothing is left out"];
    check_body("", whole());
    check_body("    x = (\n", whole());
    check_body("    x = 'a\n", whole());
    check_body("    x = '''a\n", whole());
    check_body("    x = 1\r\n", whole());
    check_body("\tx = 1\n", whole());
    check_body("    x = 1\n      y = 2\n", whole());
    check_body("    if x:\n", whole());
    check_body("    if x:\n    y = 2\n", whole());
    check_body("    if x:\n        y = 2\n      z = 3\n", whole());
    check_body("    x = 1 \\ 2\n", whole());
    check_body("    x = 1)\n", whole());
    check("@T.prim_func\ndef f(\ndef g(a):\n    b,\n):\n    x = 1\n", whole());
    check("@T.prim_func\ndef f(a): x = 1\n", whole());
    check("@T.prim_func\nx = 1\ndef f(a):\n    x = 1\n", whole());
    check("@T.prim_func\nasync def f(a):\n    x = 1\n", whole());
    check("@prim_func\ndef f(a):\n    x = 1\n", whole());
}

#[test]
fn what_is_no_kernel_is_found_out() {
    check(
        "@other.inline\ndef f(a):\n    x = 1\n",
        expect![[r#"
            (not so)
            @other.inline
            def f():pass
        "#]],
    );
}

#[test]
fn what_may_call_something_imported_stays() {
    let kernel = |call: &str| format!("@T.prim_func\ndef g(z):\n    {call}(z)\n");
    let is_whole = |imports: &str, call: &str| {
        skim(&format!("{imports}\n{}", kernel(call)), &["tvm"]).is_none()
    };
    for (imports, call) in [
        ("import a", "a.f"),
        ("import tvm, a.b", "a.b.f"),
        ("import tvm; import a", "a.f"),
        ("from .a import (b,\n    c as f)", "f"),
        ("from a import \\\n    f", "f"),
        ("# from a import f", "f"),
        ("if 1: import a", "a.f"),
        ("if 1:\n    import a", "a.f"),
    ] {
        assert!(is_whole(imports, call), "{imports}");
        assert!(!is_whole(imports, "other"), "{imports}");
    }
    assert!(!is_whole("import tvm, tvm.script as a", "a.f"));
    assert!(!is_whole("# important: a\nx = reimport(a)", "a.f"));
}

#[test]
fn a_text_is_plain_that_has_no_function_of_the_script_and_imports_nothing() {
    let is_plain = |text: &str| is_plain(text, &["tvm", "numpy"]);
    for text in [
        "",
        "import numpy as np\nx = np.zeros(3)\n",
        "import tvm\n\n@tvm.testing.main\ndef f():\n    'a function of tvm, inline'\n",
        "import numpy\n@numba.jit\ndef f(): pass\n",
    ] {
        assert!(is_plain(text), "{text}");
    }
    for text in [
        "import a\n",
        "if 1: import numpy\n",
        "@T.prim_func\ndef f(): pass\n",
        "@ T . prim_func\ndef f(): pass\n",
        "from tvm.script.tirx import prim_func as p\n@p\ndef f(): pass\n",
        "from tvm.script.tirx import (\n    prim_func as p,\n)\n",
        "from tvm.script.relax import \\\n    function\n",
        "from tvm.script import relax as X\n@X.function\ndef f(): pass\n",
        "# from tvm.script import tir as X\n@X.macro\ndef f(): pass\n",
        "import tilelang\n@tilelang.jit\ndef f(): pass\n",
    ] {
        assert!(!is_plain(text), "{text}");
    }
}

/// A function that binds a name for the rest of the file stays, wherever it does.
#[test]
fn what_binds_names_around_a_function_stays() {
    for function in [
        "def h():\n    x = 1; global T; T = 3\n",
        "def h():\n    if x: global T; T = 3\n",
        "def h(x=(T := 3)):\n    return x\n",
    ] {
        let text = format!("{IMPORT}{function}@T.prim_func\ndef f(a: T.handle):\n    x = 1\n");
        let short = skim(&text, &["tvm"]).expect("the kernel is shorter");
        assert!(short.text.contains(function), "{}", short.text);
    }
}

/// A line in brackets is looked at once for each that is empty before it.
#[test]
fn empty_lines_in_brackets_are_looked_at_once() {
    let text =
        format!("{IMPORT}x = (1{})\n@T.prim_func\ndef f():\n    y = 1\n", "\n".repeat(300_000));
    assert!(skim(&text, &["tvm"]).is_some());
}
