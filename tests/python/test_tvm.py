"""The passes in TVM: the same function for TVM, and the same results."""

import contextlib
import random

import numpy as np
import pytest
import tir_analyzer as ta

# TileLang has a TVM of its own, which is found once it is imported.
with contextlib.suppress(ImportError):
    import tilelang  # noqa: F401
tvm = pytest.importorskip("tvm")
from tvm.script import tirx as T  # noqa: E402
from tvm_ffi import structural_equal  # noqa: E402

import tir_analyzer.tvm  # noqa: E402, F401

tirx = getattr(tvm, "tirx", None) or tvm.tir

#: The TVM inside of TileLang has neither LLVM nor, in its parser of this script, places.
executes = pytest.mark.skipif(
    tvm.get_global_func("target.build.llvm", allow_missing=True) is None, reason="this TVM is built without LLVM"
)
has_places = pytest.mark.skipif("tilelang" in tvm.__file__, reason="TileLang's parser of TVM's script keeps no places")


@T.prim_func
def f(A: T.Buffer((4096,), "float32"), B: T.Buffer((4096,), "float32"), n: T.int32):
    for i in range(64):
        for j in range(64):
            if i * 64 + j < n:
                B[i * 64 + j] = A[i * 64 + j] * T.exp(A[i * 64 + j])


@T.prim_func
def g(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
    for i in range(64):
        B[i] = (
            A[i * n % 64]
            + A[i * n % 64]
        )


def module():
    return tvm.IRModule({"f": f})


def result(mod):
    a = np.linspace(-1, 1, 4096).astype("float32")
    a, b = tvm.runtime.tensor(a), tvm.runtime.tensor(np.zeros(4096, "float32"))
    tvm.compile(mod, target="llvm")["f"](a, b, 3000)
    return b.numpy()


def test_findings_of_a_function_and_of_a_module():
    assert [it.rule for it in ta.check(f)] == [it.rule for it in ta.check(module())]
    assert "common-subexpression" in [it.rule for it in ta.check(f)]


@has_places
def test_findings_stand_at_the_lines_of_the_source():
    for obj in (g, tvm.IRModule({"g": g})):
        it = ta.check(obj)[0]
        source = open(__file__, encoding="utf-8").read().splitlines()
        assert it.span.path == __file__
        assert source[it.span.start.line - 1].strip() == "B[i] = (", it.span
        assert source[it.span.end.line - 1].strip() == ")", it.span
        printed = obj.script().splitlines()
        assert "A[i * n % 64] + A[i * n % 64]" in printed[it.ir_span.start.line - 1]


def test_an_object_is_printed_once():
    class Printed:
        count = 0

        def script(self, **_options):
            Printed.count += 1
            return f.script()

    for question in (ta.check, ta.opt, ta.device_code):
        Printed.count = 0
        question(Printed())
        assert Printed.count == 1, question


def test_a_text_that_was_in_no_file_has_its_own_places():
    it = ta.check(tvm.script.from_source(g.script()))[0]
    assert it.ir_span is None
    assert it.span.path == "g.py"


def test_preset_tvm_is_the_pass_of_tvm():
    ours = ta.tvm.CommonSubexprElim(preset="tvm")(module())
    assert structural_equal(ours, tvm.tirx.transform.CommonSubexprElim()(module()))


@executes
def test_passes_in_a_pipeline_keep_the_results():
    pipeline = tvm.transform.Sequential([ta.tvm.Simplify(), ta.tvm.CommonSubexprElim()])
    after = pipeline(module())
    assert not structural_equal(after, module())
    assert np.array_equal(result(after), result(module()))


def test_opt_of_a_function_is_a_function():
    after = ta.opt(f)
    assert isinstance(after, tvm.tirx.PrimFunc)
    assert "common-subexpression" not in [it.rule for it in ta.check(after)]


def test_a_module_without_findings_is_the_same_object():
    once = ta.tvm.CommonSubexprElim()(module())
    assert ta.tvm.CommonSubexprElim()(once).same_as(once)


@executes
def test_interpreter_and_tvm_agree():
    a = np.linspace(-1, 1, 4096).astype("float32")
    ours = ta.run(f, [a, np.zeros(4096, "float32"), 3000]).arrays["B"]
    np.testing.assert_allclose(ours, result(module()), rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "expr", "after"),
    [
        ("int64", lambda n: n < tirx.IntImm("int64", 2**31), "n < T.int64(2147483648)"),
        ("int64", lambda n: tirx.Cast("int32", n), 'T.Cast("int32", n)'),
        ("int64", lambda n: n * 2 // 2, "n"),
        ("int32", lambda n: n < tirx.IntImm("int32", 2**31 - 1), "n < 2147483647"),
        ("uint8", lambda n: tirx.Cast("int32", n) < 256, "T.bool(True)"),
        ("float32", lambda n: n + n, "n + n"),
        ("bool", lambda n: tirx.Not(tirx.Not(n)), "n"),
        ("handle", lambda n: tirx.isnullptr(n), "T.isnullptr(n)"),
        ("float32x4", lambda n: n, "n"),
        ("bfloat16", lambda n: n, "n"),
    ],
)
def test_variables_of_an_expression_have_their_types(dtype, expr, after):
    expr = expr(tirx.Var("n", dtype))
    done = ta.simplify(expr)
    assert done.after == after
    assert done.dtype == ("bool" if dtype == "handle" else dtype_of(expr))


def test_conditions_of_an_expression_have_the_types_of_its_variables():
    n, other = tirx.Var("n", "int64"), tirx.Var("n", "int32")
    assert str(ta.simplify(n // 8, [n >= 0, n < 8])) == "T.int64(0)"
    assert str(ta.simplify(n // 8, ["0 <= n", "n < 8"])) == "T.int64(0)"
    # `n == 3` is asked of Python first.
    assert str(ta.simplify(n + 1, n == 3)) == "T.int64(4)"
    # Another variable of the name: nothing is known of the first.
    assert str(ta.simplify(n // 8, [n >= 0, other < 8])) == "n // T.int64(8)"
    assert str(ta.simplify(n + tirx.Cast("int64", other), other == 3)) == "n + T.int64(3)"
    with pytest.raises(ta.AnalyzerError, match="`n` is int64 in the expression, and int32 in `types`"):
        ta.simplify(n + 1, types={"n": "int32"})


def test_what_is_no_expression_is_refused_by_simplify_and_an_expression_by_check():
    n = tirx.Var("n", "int32")
    A = tirx.decl_buffer((n,), "float32", name="A")
    for obj in (tirx.Evaluate(n), A, f):
        with pytest.raises(ta.AnalyzerError, match="this is no expression"):
            ta.simplify(obj)
    with pytest.raises(ta.AnalyzerError, match="`A` is a buffer"):
        ta.simplify(tirx.BufferLoad(A, [n]))
    for obj in (n + 1, tirx.Evaluate(n)):
        with pytest.raises(ta.AnalyzerError, match="is a part of a function"):
            ta.check(obj)


def dtype_of(expr):
    """The type of an expression: TVM's own, or the one of TileLang, which is older."""
    return str(expr.ty.dtype if hasattr(expr, "ty") else expr.dtype)


def test_constants_and_tensors_are_inputs():
    inputs = [tvm.runtime.tensor(np.ones(4096, "float32")), "zeros", tirx.IntImm("int32", 2)]
    assert list(np.nonzero(ta.run(f, inputs).arrays["B"])[0]) == [0, 1]


BOUNDS = {"int32": 1 << 31, "int64": 1 << 63}
ARITHMETIC = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Min": min,
    "Max": max,
    "FloorDiv": lambda a, b: a // b,
    "FloorMod": lambda a, b: a % b,
    "Div": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "Mod": lambda a, b: a - b * ARITHMETIC["Div"](a, b),
}
COMPARISONS = {
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
}


class Undefined(Exception):
    """Arithmetic beyond the type."""


class TextOfT:
    """What the words of an answer compute."""

    int32 = int64 = int
    bool = bool
    Div, truncmod = ARITHMETIC["Div"], ARITHMETIC["Mod"]
    min, max = min, max

    @staticmethod
    def Cast(dtype, value):
        bound = BOUNDS[dtype]
        return (value + bound) % (2 * bound) - bound

    @staticmethod
    def Select(condition, a, b):
        return a if condition else b


def value_of(expr, values):
    """The value of an object, by its classes alone."""
    kind = type(expr).__name__

    def parts(*names):
        return [value_of(getattr(expr, it), values) for it in names]

    if kind == "Var":
        return values[expr.name]
    if kind == "IntImm":
        return expr.value
    if kind == "Cast":
        return TextOfT.Cast(dtype_of(expr), *parts("value"))
    if kind == "Select":
        return TextOfT.Select(*parts("condition", "true_value", "false_value"))
    if kind == "Not":
        return not parts("a")[0]
    if kind in ("And", "Or"):
        first = parts("a")[0]
        return first if first == (kind == "Or") else parts("b")[0]
    a, b = parts("a", "b")
    if kind in COMPARISONS:
        return COMPARISONS[kind](a, b)
    if kind.endswith(("Div", "Mod")) and b == 0:
        raise Undefined
    value = ARITHMETIC[kind](a, b)
    if not -BOUNDS[dtype_of(expr)] <= value < BOUNDS[dtype_of(expr)]:
        raise Undefined
    return value


def random_expr(rng, variables, dtype, depth):
    """A random expression of a type."""

    def part(dtype):
        return random_expr(rng, variables, dtype, depth - 1)

    if dtype == "bool":
        kind = rng.choice([*COMPARISONS] * 2 + ["And", "Or", "Not"]) if depth > 1 else rng.choice([*COMPARISONS])
        if kind == "Not":
            return tirx.Not(part("bool"))
        operand = "bool" if kind in ("And", "Or") else rng.choice([*BOUNDS])
        return getattr(tirx, kind)(part(operand), part(operand))
    if depth <= 0 or rng.random() < 0.15:
        if rng.random() < 0.7:
            return rng.choice([it for it in variables if dtype_of(it) == dtype])
        return tirx.IntImm(dtype, rng.choice([0, 1, 2, 3, 4, 8, -1, -2, BOUNDS[dtype] - 1]))
    kind = rng.choice([*ARITHMETIC, "Cast", "Cast", "Select"])
    if kind == "Cast":
        return tirx.Cast(dtype, part("int32" if dtype == "int64" else "int64"))
    if kind == "Select":
        return tirx.Select(part("bool"), part(dtype), part(dtype))
    if kind.endswith(("Div", "Mod")):
        # Neither TVM nor the analyzer reads a division by the constant zero.
        divisors = [tirx.IntImm(dtype, it) for it in (2, 3, 4, 8, -3)]
        divisors += [it for it in variables if dtype_of(it) == dtype]
        return getattr(tirx, kind)(part(dtype), rng.choice(divisors))
    return getattr(tirx, kind)(part(dtype), part(dtype))


@pytest.mark.parametrize("seed", range(200))
def test_a_simplified_expression_has_the_values_of_the_object(seed):
    rng = random.Random(seed)
    variables = [tirx.Var(name, dtype) for name, dtype in zip("ijmn", ["int32"] * 2 + ["int64"] * 2, strict=True)]
    expr = random_expr(rng, variables, rng.choice(["int32", "int64", "bool"]), 4)
    done = ta.simplify(expr)
    assert done.dtype == dtype_of(expr)
    compared = 0
    for _ in range(50):
        values = {}
        for it in variables:
            power = rng.choice([1, -1]) * (1 << rng.randint(0, 40)) + rng.randint(-1, 1)
            bound = BOUNDS[dtype_of(it)]
            values[it.name] = min(max(rng.choice([rng.randint(-9, 9), power]), -bound), bound - 1)
        with contextlib.suppress(Undefined):
            expected = value_of(expr, values)
            assert eval(done.after, {"T": TextOfT}, dict(values)) == expected, (done, values)
            compared += 1
    # Constants may overflow wherever they stand.
    assert compared or "2147483647" in done.before or "9223372036854775807" in done.before
