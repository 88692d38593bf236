//! Names that several statements of a factory bind.

use super::shown;
use crate::tvmscript::{Context, Request, functions};

/// The meanings of names in a factory `make` whose only kernel stands behind `body`, without values of its parameters
/// and for a call.
fn in_factory(header: &str, body: &str, call: Option<&str>, names: &[&str]) -> Vec<String> {
    let body: String = body.lines().map(|it| format!("    {it}\n")).collect();
    let text = format!("{header}\n{body}    @T.prim_func\n    def kernel():\n        pass\n");
    of_text(&text, call, names)
}

fn of_text(text: &str, call: Option<&str>, names: &[&str]) -> Vec<String> {
    let file = functions(&syntax::parse(text));
    let factories = file.factories(Context::default());
    let request = call.map(|it| Request::parse(it).unwrap());
    let asked = file.requested_instances(&factories, request.as_slice());
    let instance = asked.first().map(|it| it.as_ref().unwrap());
    let context = Context { instance, ..Context::default() };
    let scope = file.functions.last().unwrap().scope;
    let of = |name: &&str| shown(&file.scopes().capture(scope, None, name, context).capture);
    names.iter().map(of).collect()
}

const CHOICE: &str = "vec = None
if dtype == 'float16':
    vec = 8
    if n > 100:
        vec *= 2
elif dtype == 'float32':
    vec = 4
else:
    raise ValueError(dtype)
name = 'k'
name = f'{name}_{vec}'
for i in range(3):
    n = n + i
rest = n // vec";

#[test]
fn last_value_that_is_executed_counts() {
    let of = |call| in_factory("def make(dtype, n):", CHOICE, call, &["vec", "name", "n", "rest"]);
    assert_eq!(of(Some("make('float16', 64)")), ["8", "'k_8'", "67", "8"]);
    assert_eq!(of(Some("make('float16', 128)")), ["16", "'k_16'", "131", "8"]);
    assert_eq!(of(Some("make('float32', 64)")), ["4", "'k_4'", "67", "16"]);
    let of_parameter = "?: `dtype` is a parameter of `make`";
    assert_eq!(
        of(None),
        [
            of_parameter,
            "? str: `dtype` is a parameter of `make`",
            "?: `n` is a parameter of `make`",
            "?: `n` is a parameter of `make`"
        ]
    );
}

#[test]
fn parameter_that_is_bound_anew_starts_with_the_value_of_the_call() {
    let body = "n = n * 2\nif n is None:\n    m = 1\nm = m or n";
    let of = |call| in_factory("def make(n, m=None):", body, Some(call), &["n", "m"]);
    assert_eq!(of("make(3)"), ["6", "6"]);
    assert_eq!(of("make(3, 5)"), ["6", "5"]);
}

#[test]
fn unknown_branch_takes_the_values_that_it_binds_and_no_others() {
    let body = "a = 1\nb = 2\nc = [1]\nif n:\n    a = 3\nb = b + 1\nc = c + [2]";
    let of = |call| in_factory("def make(n):", body, call, &["a", "b", "c"]);
    let reason = "?: `n` is a parameter of `make`";
    assert_eq!(of(None), [reason, "3", reason]);
    assert_eq!(of(Some("make(1)")), ["3", "3", "[1, 2]"]);
}

#[test]
fn what_is_not_interpreted_gives_no_value() {
    let unread = "?: `a` is bound more than once";
    for body in [
        "a = 1\nfrom m import a",
        "a = 1\nfor b in range(2):\n    (a := 2)",
        "a = 1\ndef g():\n    nonlocal a\n    a = 2\ng()",
        "a = 1\ndel a",
        "a = 1\nwith f() as a:\n    pass",
        "a = 1\nclass a:\n    pass",
    ] {
        assert_eq!(in_factory("def make():", body, None, &["a"]), [unread], "{body}");
    }
    let body = "a = 1\ntry:\n    a = 2\nexcept Error:\n    pass";
    let of = in_factory("def make():", body, None, &["a"]);
    assert_eq!(of, ["?: its definition is not of a form that is evaluated"]);
    let body = "a = 1\na = 2\nobject.field = a";
    let of = in_factory("def make(object):", body, None, &["a"]);
    assert_eq!(of, ["?: something is changed through a name that is not followed"]);
}

#[test]
fn value_that_is_made_of_a_name_bound_elsewhere_is_not_known() {
    let hidden = "?: `a` is bound in a way whose value is not read";
    for body in [
        "a = 1\nfrom m import a\nn = 0\nn = a",
        "a = 1\n@run\ndef g():\n    nonlocal a\n    a = 2\nn = 0\nn = a",
    ] {
        assert_eq!(in_factory("def make():", body, None, &["n"]), [hidden], "{body}");
    }
    // What is seen counts.
    let body = "a = 1\nn = (a := 2)\nn = n + a";
    assert_eq!(in_factory("def make():", body, None, &["n"]), ["4"]);
}

#[test]
fn name_that_is_bound_from_the_first_kernel_on_has_no_value() {
    let kernel = |at: &str| format!("{at}@T.prim_func\n{at}def kernel():\n{at}    pass\n");
    let first = format!("def make():\n    a = 1\n    a = 2\n{}", kernel("    "));
    assert_eq!(of_text(&first, None, &["a"]), ["2"]);
    let behind = format!("{first}    a = 3\n");
    assert_eq!(of_text(&behind, None, &["a"]), ["?: `a` is bound more than once"]);
    // In the statement that the kernel stands in, too.
    let inside = format!(
        "def make(n):\n    a = 1\n    a = 2\n    if n:\n        a = 3\n{}",
        kernel("        ")
    );
    assert_eq!(of_text(&inside, None, &["a"]), ["?: `a` is bound more than once"]);
    let other = format!(
        "def make(n):\n    a = 1\n    a = 2\n    if n:\n        b = 3\n{}",
        kernel("        ")
    );
    assert_eq!(of_text(&other, None, &["a", "b"]), ["2", "3"]);
    let class = "def make():\n    a = 1\n    a = 2\n    @I.ir_module\n    class M:\n        @T.prim_func\n        def kernel():\n            pass\n";
    assert_eq!(of_text(class, None, &["a"]), ["2"]);
}

#[test]
fn factories_in_factories_see_the_values_of_those_around() {
    let text = "def outer(n):\n    size = 1\n    size = size + n\n    def make():\n        half = size\n        \
                half = half // 2\n        @T.prim_func\n        def kernel():\n            pass\n";
    assert_eq!(of_text(text, Some("outer(7)"), &["size", "half"]), ["8", "4"]);
}

#[test]
fn function_that_a_branch_chooses_is_inlined() {
    let text = "import tvm
from tvm.script import tirx as T

WIDTH = 16

def make(dtype, lanes):
    offset = None
    if lanes == 1:
        offset = lambda x, stride: stride * (x % WIDTH)
    else:
        offset = lambda x, stride: stride * x + WIDTH
    one = tvm.tirx.const(1, f'{dtype}x{lanes}')

    @T.prim_func
    def kernel(A: T.Buffer((64,), f'{dtype}x{lanes}')):
        for i in range(2):
            A[offset(i, 8)] = one
";
    let file = functions(&syntax::parse(text));
    let factories = file.factories(Context::default());
    let request = Request::parse("make('float16', 4)").unwrap();
    let asked = file.requested_instances(&factories, &[request]);
    let item = &file.functions[0];
    let environment = file.environment_in(item, Some(asked[0].as_ref().unwrap()));
    let lowered = crate::tvmscript::lower(&item.source, &environment);
    assert_eq!(lowered.diagnostics, []);
    expect_test::expect![[r#"
        @T.prim_func
        def kernel(A: T.Buffer((64,), "float16x4")):
            for i in range(2):
                A[8 * i + 16] = T.Broadcast(T.float16(1.0), 4)
    "#]]
    .assert_eq(&ir::print::tvmscript(&lowered.body, 0));
}
