//! Functions of a file, their kinds, dialects and identities.

use expect_test::{Expect, expect};

use super::{super::Environment, file};

#[track_caller]
fn check(text: &str, expect: Expect) {
    let file = file(text);
    let lines: String = file
        .functions
        .iter()
        .map(|it| {
            let source = &it.source;
            let name = &text[usize::from(it.range.start() + source.name_range.start())..]
                [..source.name.len()];
            assert_eq!(name, &*source.name);
            let content = if source.key.content.is_some() { " by content" } else { "" };
            let guess = if source.dialect_is_guess { "?" } else { "" };
            format!(
                "{:?} {:?}{guess} {}/{} #{}{content}\n",
                source.kind, source.dialect, source.key.path, source.name, source.key.ordinal
            )
        })
        .collect();
    expect.assert_eq(&lines);
}

#[test]
fn decorators_are_resolved_through_imports() {
    check(
        "from tvm.script import tirx as X, ir as J, relax as R\nimport tvm\nimport tvm.script.tir as old\n@J.ir_module\nclass M:\n    @X.prim_func\n    def a():\n        pass\n    @X.prim_func(private=True)\n    def b():\n        pass\n    @R.function\n    def c():\n        pass\n    @J.pyfunc\n    def d():\n        pass\n@tvm.script.tir.prim_func\ndef e():\n    pass\n@tvm.script.tirx.prim_func(s_tir=True)\ndef g():\n    pass\n@X.inline\ndef h():\n    pass\n@other.prim_func\ndef no():\n    pass\n@prim_func\ndef no2():\n    pass\n",
        expect![[r#"
            PrimFunc Tirx M/a #0
            PrimFunc Tirx M/b #0
            Relax Tirx M/c #0
            Python Tirx M/d #0
            PrimFunc Tir /e #0
            PrimFunc Tirx /g #0
            Macro Tirx /h #0
        "#]],
    );
}

#[test]
fn commented_imports_of_dumps_count() {
    check(
        "# from tvm.script import ir as I\n# from tvm.script import tir as T\n\n@I.ir_module\nclass Module:\n    @T.prim_func\n    def main():\n        pass\n",
        expect![[r#"
            PrimFunc Tir Module/main #0
        "#]],
    );
}

#[test]
fn dumps_without_imports_have_predefined_names() {
    check(
        "@T.prim_func\ndef main():\n    pass\n",
        expect![[r#"
        PrimFunc Tirx? /main #0
    "#]],
    );
}

#[test]
fn equal_names_are_told_apart_by_content_then_number() {
    check(
        "@T.prim_func\ndef main():\n    T.evaluate(0)\n@T.prim_func\ndef main():\n    T.evaluate(1)\n@T.prim_func\ndef main():\n    T.evaluate(0)\n",
        expect![[r#"
            PrimFunc Tirx? /main #0 by content
            PrimFunc Tirx? /main #0 by content
            PrimFunc Tirx? /main #1 by content
        "#]],
    );
}

#[test]
fn functions_nested_in_python_are_found() {
    check(
        "from tvm.script import tirx as T\ndef make(n):\n    if n > 2:\n        @T.prim_func\n        def inner():\n            pass\n        return inner\nclass TestX:\n    def test_it(self):\n        for i in range(3):\n            @T.prim_func\n            def kernel():\n                pass\n",
        expect![[r#"
            PrimFunc Tirx make/inner #0
            PrimFunc Tirx TestX.test_it/kernel #0
        "#]],
    );
}

#[test]
fn an_edit_elsewhere_leaves_a_function_equal() {
    let text = "x = 1\n@T.prim_func\ndef f():\n    T.evaluate(0)\n";
    let before = file(text);
    let after = file(&format!("# a comment\ny = 2\n{text}"));
    assert_eq!(before.functions[0].source, after.functions[0].source);
    assert_ne!(before.functions[0].range, after.functions[0].range);
}

#[test]
fn captures_are_read_from_the_text() {
    let text = "
import math
from typing import TypeVar
n = TypeVar(\"n\")
WIDTH = 4 * 8
NAMES = (\"a\", WIDTH)
twice = 1
twice = 2
unknown = compute()
if WIDTH > 3:
    inner = -1.5
@T.prim_func
def f():
    pass
";
    let file = file(text);
    let environment = file.environment(&file.functions[0]);
    let names = ["n", "WIDTH", "NAMES", "twice", "unknown", "inner", "math", "T", "f", "nothing"];
    let result: String = names
        .iter()
        .map(|name| {
            let mut text = meaning(&environment.resolve(name));
            text.truncate(90);
            format!("{name}: {text}\n")
        })
        .collect();
    expect![[r#"
        n: TypeVar(int64)
        WIDTH: Constant(Int(32))
        NAMES: Constant(Tuple([Str("a"), Int(32)]))
        twice: Unknown
        unknown: Unknown
        inner: Constant(Float(13832806255468478464))
        math: Path("math")
        T: Namespace(Tirx)
        f: Function(Signature { name: "f", returns: None })
        nothing: Undefined
    "#]]
    .assert_eq(&result);
}

/// A meaning, without the reason of what is not known.
fn meaning(capture: &crate::tvmscript::Capture) -> String {
    use crate::tvmscript::Capture;
    match capture {
        Capture::Unknown(_) => "Unknown".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Checks the meaning of `N` for the first function of a text.
#[track_caller]
fn check_n(text: &str, expect: &str) {
    let text = format!("{text}\n@T.prim_func\ndef f():\n    pass\n");
    let file = file(&text);
    let item = file.functions.iter().find(|it| &*it.source.name == "f").expect("it is there");
    let found = meaning(&file.environment(item).resolve("N"));
    assert_eq!(found, expect, "{text}");
}

#[test]
fn a_name_that_is_bound_in_another_way_than_by_one_assignment_is_unknown() {
    for text in [
        "N = 4\nfor N in [8, 16]:\n    pass",
        "for N in [8, 16]:\n    pass",
        "for i, (N, k) in pairs:\n    pass",
        "try:\n    from config import N\nexcept ImportError:\n    N = 4",
        "import N\nN = 4",
        "N = 4\nwith opened() as N:\n    pass",
        "N = 4\nwith opened() as (a, N), other():\n    pass",
        "N = 4\ntry:\n    pass\nexcept Error as N:\n    pass",
        "N = 4\ndel N",
        "N = 4\nN += 1",
        "N = 4\nprint(N := 5)",
        "N = 4\nif (N := 5) > 3:\n    pass",
        "N = 4\nx = [N := k for k in range(3)]",
        "N = 4\ndef change():\n    global N\n    N = 8",
        "N = 4\nmatch x:\n    case [N, 3]:\n        pass",
        "N = 4\nmatch x:\n    case [1, *N]:\n        pass",
        "N = 4\nmatch x:\n    case Point() as N:\n        pass",
        "N = 4\nfrom config import *",
        "from config import *",
        "N = 4\nx, N = 1, 2",
        "N = 4\ndef N():\n    pass",
        "N = 4\nclass N:\n    pass",
        "def N():\n    pass\nN = 4",
        "type N = int",
        "N = [4]\nN.append(5)",
        "N = [4]\nN[0] = 5",
        "N = [4]\nN[0] += 5",
        "N = [4]\ndel N[0]",
        "N = [[4]]\nN[0][0] = 5",
        "N = ([4], 5)\nN[0].append(5)",
        "N = [4]\ndef change():\n    N.clear()",
        "@T.inline\ndef N(A):\n    A[0] = 1\n@T.inline\ndef N(A):\n    A[0] = 2",
        "if x:\n    @T.inline\n    def N(A):\n        A[0] = 1\nelse:\n    @T.inline\n    def N(A):\n        A[0] = 2",
    ] {
        check_n(text, "Unknown");
    }
    check_n("N = M = 4\nN2 = M", "Constant(Int(4))");
    check_n("M = N = 4", "Constant(Int(4))");
    check_n("N = [4]\nk = N.index(4)", "Constant(List([Int(4)]))");
    check_n("N = \"float16\"\nk = N.upper()", "Constant(Str(\"float16\"))");
    check_n("import N\nimport N", "Path(\"N\")");
    check_n("N = 1.0 // 0.1", &format!("Constant(Float({}))", 9.0f64.to_bits()));
    check_n("N = -7.5 % 2", &format!("Constant(Float({}))", 0.5f64.to_bits()));
    check_n("N = (-8) ** 0.5", "Unknown");
}

#[test]
fn names_of_a_class_are_not_visible_in_its_methods() {
    let text = "
N = 4
class Kernels:
    N = 8
    def make(self):
        @T.prim_func
        def f():
            pass
def other(N):
    def inner():
        nonlocal N
        N = 5
        @T.prim_func
        def g():
            pass
";
    let file = file(text);
    let found = |index: usize| meaning(&file.environment(&file.functions[index]).resolve("N"));
    assert_eq!(found(0), "Constant(Int(4))");
    assert_eq!(found(1), "Unknown");
}
