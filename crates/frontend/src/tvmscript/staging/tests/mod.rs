//! Tests of the evaluator: values of names of small texts, hostile texts, and a comparison with Python itself.

mod hostile;
mod lead_up;
mod modules;
mod oracle;

use crate::tvmscript::{
    Capture, Context,
    discover::MODULE,
    functions,
    staging::{Value, format},
};

/// The meaning of a name at the level of the module, as text.
fn meaning(text: &str, name: &str) -> String {
    let file = functions(&syntax::parse(text));
    let place = file.scopes().capture(MODULE, None, name, Context::default());
    shown(&place.capture)
}

pub(crate) fn shown(capture: &Capture) -> String {
    match capture {
        Capture::Constant(value) => shown_value(value),
        Capture::Unknown(it) => match it.kind.name() {
            Some(kind) => format!("? {kind}: {}", it.reason),
            None => format!("?: {}", it.reason),
        },
        Capture::Path(path) => format!("path {path}"),
        other => format!("{other:?}"),
    }
}

fn shown_value(value: &Value) -> String {
    match (format::repr(value), value) {
        (Some(text), _) => text,
        (None, Value::Instance(class, fields)) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, it)| format!("{name}={}", shown_value(it))).collect();
            format!("{}({})", class.name, fields.join(", "))
        }
        (None, Value::Function(it)) => format!("function {}", it.name),
        (None, Value::Class(it)) => format!("class {}", it.name),
        (None, Value::Tuple(items)) => {
            let items: Vec<String> = items.iter().map(shown_value).collect();
            format!("({})", items.join(", "))
        }
        (None, Value::Typed(dtype, items)) => format!("{dtype}({})", shown_value(&items[0])),
        (None, Value::Unknown(it)) => format!("<{}>", it.reason),
        (None, other) => format!("{other:?}"),
    }
}

/// Checks the meaning of `N` at the end of a text.
#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(meaning(text, "N"), expected, "{text}");
}

#[test]
fn expressions_have_their_values() {
    check("N = 2 ** 10 // 3 % 100", "41");
    check("N = 1 if 2 > 1 else 0", "1");
    check("N = 1 < 2 <= 2 != 3", "True");
    check("N = 'a' in ('a', 'b') and 3 not in [1, 2]", "True");
    check("N = None is None", "True");
    check("N = [x * y for x in range(3) for y in (1, 10) if x]", "[1, 10, 2, 20]");
    check("N = {k: v for k, v in zip('ab', (1, 2))}", "{'a': 1, 'b': 2}");
    check("N = sum(x for x in range(5))", "10");
    check("N = (1, *[2, 3], *range(2))", "(1, 2, 3, 0, 1)");
    check("N = [1, 2, 3, 4][::-2]", "[4, 2]");
    check("N = 'float16'[-2:] + 'x' * 2", "'16xx'");
    check("N = len({1, 2, 2})", "2");
    check("N = (n := 4) + n", "8");
    check("import math\nN = math.ceil(math.log2(100))", "7");
    check("import functools\nN = functools.reduce(lambda a, b: a * b, (2, 3, 4), 1)", "24");
    check("from functools import partial\nf = partial(max, 3)\nN = f(5)", "5");
    check("import itertools\nN = list(itertools.product((1, 2), 'a'))", "[(1, 'a'), (2, 'a')]");
    check("N = sorted([3, 1, 2], key=lambda x: -x)", "[3, 2, 1]");
    check("N = ', '.join(str(i) for i in range(3))", "'0, 1, 2'");
    check("N = 'a-b'.split('-')", "['a', 'b']");
    check("N = '{}x{n}'.format(1, n=2)", "'1x2'");
    check("N = max((4, 'a'), (4, 'b'))[1]", "'b'");
    check("N = isinstance(True, int), isinstance('', (int, str))", "(True, True)");
    check("N = dict(a=1).get('b', 2)", "2");
    check("N = divmod(-7, 2)", "(-4, 1)");
    check("N = range(0, 10, 3)", "range(0, 10, 3)");
    check("N = float('inf') > 1e300", "True");
}

#[test]
fn formatted_strings_have_their_text() {
    check("d, n = 'float16', 4\nN = f'{d}x{n}'", "'float16x4'");
    check("N = f'{3:04d}|{255:#x}|{1.5:.2f}|{\"a\"!r:>5}|{{}}'", "\"0003|0xff|1.50|  'a'|{}\"");
    check("N = f'{[i for i in range(3)]}' 'b' f'{1 + 1}'", "'[0, 1, 2]b2'");
    check("N = f'{1 if True else 2}{dict(a=1)[\"a\"]}'", "'11'");
    check("def f(k):\n    N = f'{k}'", "Undefined");
    check(
        "def f(k: int):\n    return k\nN = f'{f}'",
        "? str: its definition is not of a form that is evaluated",
    );
}

#[test]
fn what_is_not_known_has_a_kind_and_a_reason() {
    let text = "
def make(k: int, dtype, n: str = 'a'):
    both = k * 2 + 1
    half = k / 2
    name = f'{dtype}x4'
    pair = (k, 4)
    first, second = pair
    @T.prim_func
    def f():
        pass
";
    let file = functions(&syntax::parse(text));
    let scope = file.functions[0].scope;
    let of =
        |name: &str| shown(&file.scopes().capture(scope, None, name, Context::default()).capture);
    assert_eq!(of("k"), "? int: `k` is a parameter of `make`, int");
    assert_eq!(of("dtype"), "?: `dtype` is a parameter of `make`");
    assert_eq!(of("both"), "? int: `k` is a parameter of `make`, int");
    assert_eq!(of("half"), "? float: `k` is a parameter of `make`, int");
    assert_eq!(of("name"), "? str: `dtype` is a parameter of `make`");
    assert_eq!(of("pair"), "(<`k` is a parameter of `make`, int>, 4)");
    assert_eq!(of("second"), "4");
}

#[test]
fn helpers_are_interpreted() {
    check(
        "def f(a, b=2, *c, d, **e):\n    return a, b, c, d, e\nN = f(1, d=4, z=5)",
        "(1, 2, (), 4, {'z': 5})",
    );
    check(
        "def f(n):\n    out = []\n    for i in range(n):\n        if i == 2:\n            continue\n        \
            out.append(i)\n    return out\nN = f(4)",
        "[0, 1, 3]",
    );
    check("def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nN = f(10)", "3628800");
    check("def f(n):\n    while n % 2 == 0:\n        n //= 2\n    return n\nN = f(48)", "3");
    check("def f(k):\n    def g(x):\n        return x + k\n    return g\nN = f(3)(4)", "7");
    check(
        "from functools import lru_cache\n@lru_cache(maxsize=None)\ndef f(x):\n    return x\nN = f(2)",
        "2",
    );
    check("@other\ndef f(x):\n    return x\nN = f(2)", "?: it is decorated by `other`");
    check(
        "def f(x):\n    if x > 3:\n        raise ValueError\n    return x\nN = f(4)",
        "?: an error is raised before it",
    );
    check("def f(x):\n    assert x == 1\n    return x\nN = f(1)", "1");
    check(
        "def f(x):\n    d = {}\n    d['a'] = x\n    d['a'] += 1\n    return d\nN = f(1)",
        "{'a': 2}",
    );
    check(
        "def f(x):\n    global M\n    return x\nN = f(1)",
        "?: its definition is not of a form that is evaluated",
    );
    check(
        "def f():\n    for i in range(3):\n        if i == 1:\n            break\n    else:\n        \
            return 9\n    return i\nN = f()",
        "1",
    );
    check("def f(*, a):\n    return a\nN = f(1)", "?: `f` does not take these");
    check("fs = [lambda: i for i in range(3)]\nN = fs[0]()", "2");
    check("K = 4\ndef f():\n    import math as m\n    return m.floor(2.5) + K\nN = f()", "6");
    check("def f():\n    yield 1\nN = f()", "?: it is computed by a generator");
    let hidden = "?: `a` is bound in a way whose value is not read";
    check("def f():\n    a = 1\n    import math as a\n    return a\nN = f()", hidden);
    check(
        "def f(a):\n    @run\n    def g():\n        nonlocal a\n        a = 2\n    return a\nN = f(1)",
        hidden,
    );
    check(
        "def f():\n    x = 1\n    def g():\n        return x\n    x = 2\n    return g()\nN = f()",
        "2",
    );
}

#[test]
fn classes_have_fields_and_members() {
    let data = "from dataclasses import dataclass, field, replace\n@dataclass\nclass A:\n    m: int\n    \
        n: int = 4\n    k: int = field(default=5)\n    @property\n    def size(self):\n        \
        return self.m * self.n\n    def scaled(self, by):\n        return self.size * by\n";
    check(&format!("{data}N = A(2).size"), "8");
    check(&format!("{data}N = A(2, n=3).scaled(2)"), "12");
    check(&format!("{data}N = replace(A(2), k=7)"), "A(m=2, n=4, k=7)");
    check(&format!("{data}N = A(1) == A(1)"), "True");
    check(&format!("{data}a = A(1)\na.m = 2\nN = a.m"), "?: `a` may be changed after it is made");
    let kinds = "from enum import Enum, IntEnum, auto\nclass C(Enum):\n    A = 1\n    B = 'b'\n\
        class D(IntEnum):\n    X = auto()\n    Y = auto()\n";
    check(
        &format!("{kinds}N = C.B.value, C.A.name, C.A == C.A, C.A is C.B"),
        "('b', 'A', True, False)",
    );
    check(&format!("{kinds}N = D.Y + 1, D(1).name, [c.name for c in C]"), "(3, 'X', ['A', 'B'])");
    check(
        "class A:\n    K = 3\n    def __init__(self, n):\n        self.n = n * self.K\n    @staticmethod\n    \
            def twice(x):\n        return 2 * x\nN = A(2).n, A.twice(4), A.K",
        "(6, 8, 3)",
    );
    check("class A:\n    K = 3\nA.K = 4\nN = A.K", "?: `A` is changed after it is made");
    check(
        "class A:\n    def __getattr__(self, n):\n        return 1\nN = A().x",
        "?: it has a method `__getattr__`",
    );
    check(
        "class A(metaclass=M):\n    K = 3\nN = A.K",
        "?: its definition is not of a form that is evaluated",
    );
    check("class A:\n    K = 3\nclass B(A):\n    L = 4\nN = B.K + B.L", "7");
}

#[test]
fn an_object_is_believed_while_one_name_has_it() {
    check("M = [1]\nN = M[0]", "1");
    check("M = [1]\nK = M\nK.append(2)\nN = len(M)", "? int: `M` may be changed after it is made");
    check("M = [1]\nchange(M)\nN = len(M)", "? int: `M` may be changed after it is made");
    check("M = [1]\nK = [M]\nN = len(M)", "? int: `M` may be changed after it is made");
    check("M = [1]\nprint(len(M), sum(M))\nN = len(M)", "1");
    check(
        "def f():\n    a = [1]\n    b = a\n    b.append(2)\n    return len(a)\nN = f()",
        "?: an object is changed in a way that is not followed",
    );
    check(
        "def f():\n    a = [1]\n    g(a)\n    return len(a)\nN = f()",
        "?: something that can be changed is passed to a function that is not known",
    );
    check(
        "def g(x):\n    x.append(1)\ndef f():\n    a = [1]\n    g(a)\n    return len(a)\nN = f()",
        "?: an object is changed in a way that is not followed",
    );
    check("M = (1, 2)\nK = M\nchange(M)\nN = len(M)", "2");
}

#[test]
fn numbers_of_tvm_have_a_data_type() {
    let check = |value: &str, expected: &str| {
        check(&format!("import tvm\nfrom tvm import tirx\nN = {value}"), expected);
    };
    check("tvm.tirx.const(1, 'float16')", "float16(1)");
    check(
        "tirx.const(True), tirx.const(2), tirx.const(0.5)",
        "(bool(True), int32(2), float32(0.5))",
    );
    check("tirx.const(value=1, dtype='int8').dtype", "'int8'");
    check("tirx.const(float('-inf'), dtype='float64')", "float64(-inf)");
    check("tirx.IntImm('int32', 0).astype('float16')", "float16(0)");
    check("tirx.IntImm('float32', 0)", "?: `tvm.tirx.IntImm` is not evaluated");
    check("tirx.FloatImm('float32', 1.5).value", "1.5");
    check(
        "tirx.FloatImm('float32', 1.5).astype('int32')",
        "?: its definition is not of a form that is evaluated",
    );
    check("tvm.runtime.convert(16) // 2", "8");
    // More than one lane: one number, and no value by itself.
    check("tirx.const(1, 'float32x4')", "float32x4(1)");
    check("tirx.Broadcast(tirx.const(1, 'bfloat16'), 2)", "bfloat16x2(1)");
    check(
        "tirx.const(1, 'float32x4').value",
        "?: its definition is not of a form that is evaluated",
    );
    check("tirx.const(1 << 40)", "?: `tvm.tirx.const` is not evaluated");
}
