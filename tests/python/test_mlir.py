"""Modules of MLIR's own bindings, as JAX has them, and what JAX lowers."""

import pytest
import tir_analyzer as ta

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax._src.interpreters.mlir import make_ir_context  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402

TEXT = """
module {
  func.func @f(%a: i32, %m: memref<4xf32>) -> i32 {
    %c = arith.constant 1 : index loc("k.py":9:5)
    %0 = arith.muli %a, %a : i32 loc("k.py":10:5)
    %1 = arith.muli %a, %a : i32 loc("k.py":11:5)
    %v = memref.load %m[%c] : memref<4xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %m[%c] : memref<4xf32>
    %2 = arith.addi %0, %1 : i32
    return %2 : i32
  }
}
"""


def f(x):
    return jnp.sin(x) * 2 + (
        jnp.sin(x)
    )


@pytest.fixture
def module():
    with make_ir_context():
        yield ir.Module.parse(TEXT)


def test_findings_stand_at_the_locations(module):
    [found] = ta.check(module)
    assert found.rule == "common-operation"
    assert (found.span.path, found.span.start.line, found.span.start.column) == ("k.py", 11, 5)
    text = module.operation.get_asm(enable_debug_info=True)
    assert "arith.muli" in text.splitlines()[found.ir_span.start.line - 1]
    [function] = module.body.operations
    assert [it.span for it in ta.check(function)] == [found.span]


def test_an_operation_is_no_function(module):
    [function] = module.body.operations
    operation = function.regions[0].blocks[0].operations[0]
    for question in (ta.check, ta.opt, ta.run):
        with pytest.raises(ta.AnalyzerError, match="arith.constant is a part of a function"):
            question(operation)


def test_single_values_are_arrays_where_jax_has_them():
    lowered = jax.jit(lambda x, y: x * y).lower(jnp.ones(4), 2.0)
    for question in ([np.ones(4, "float32"), np.float32(2)], {"arg0": jnp.ones(4), "%arg1": jnp.float32(2)}):
        # What comes after the inputs.
        with pytest.raises(ta.AnalyzerError, match="the interpreter does not execute this"):
            ta.run(lowered, question)


def test_opt_gives_a_module(module):
    after = ta.opt(module)
    assert isinstance(after, ir.Module)
    assert str(after).count("arith.muli") == 1 and len(ta.check(after)) == 0


def test_a_function_runs_on_arrays(module):
    done = ta.run(module, [3, np.array([1, 2, 3, 4], "float32")])
    assert done.results == (18,) and done.returned == "18"
    assert list(done.arrays["arg1"]) == [1, 4, 3, 4]
    done.assert_clean()


def test_what_jax_lowers_is_told_at_the_lines_of_python():
    [found] = ta.check(jax.jit(f).lower(jnp.ones(4)))
    assert found.rule == "common-operation" and found.span.path == __file__
    source = open(__file__, encoding="utf-8").read().splitlines()
    assert source[found.span.start.line - 1].strip() == "jnp.sin(x)"
