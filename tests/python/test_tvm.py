"""The passes in TVM: the same function for TVM, and the same results."""

import contextlib

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
