"""TileLang, where it is installed: on request, for it is large."""

import pytest
import tir_analyzer as ta

tilelang = pytest.importorskip("tilelang")
import tilelang.language as T  # noqa: E402
import tvm  # noqa: E402

import tir_analyzer.tilelang  # noqa: E402, F401
import tir_analyzer.tvm  # noqa: E402, F401


@tilelang.jit
def twice(A, B, block: int = 128):
    N = T.const("N")
    A: T.Tensor[[N], T.float32]
    B: T.Tensor[[N], T.float32]
    with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
        for i in T.Parallel(block):
            B[bx * block + i] = A[bx * block + i] * 2.0


@tilelang.jit
def scaled(N: int, block: int = 128):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            for i in T.Parallel(block):
                B[bx * block + i] = (
                    T.exp(A[bx * block + i])
                    + T.exp(A[bx * block + i]) * 2.0
                )

    return main


def test_findings_of_a_function_stand_at_its_source():
    source = open(__file__, encoding="utf-8").read().splitlines()
    for kernel, line in [
        (twice.get_tir(N=1024), "B[bx * block + i] = A[bx * block + i] * 2.0"),
        (scaled.get_tir(1024), "B[bx * block + i] = ("),
    ]:
        for obj in (kernel, tvm.IRModule({"main": kernel})):
            it = next(it for it in ta.check(obj) if it.rule == "common-subexpression")
            assert it.span.path == __file__
            assert source[it.span.start.line - 1][it.span.start.column - 1 : it.span.end.column - 1] == line
            assert it.ir_span is not None


def test_a_kernel_whose_text_cannot_be_read_again_stays():
    kernel = scaled.get_tir(1024)
    assert "launch_thread_idx" in kernel.script()
    with pytest.warns(ta.LeftAsItWas):
        assert ta.opt(kernel).same_as(kernel)
    module = tvm.IRModule({"main": kernel})
    with pytest.warns(ta.LeftAsItWas):
        assert ta.tvm.CommonSubexprElim()(module).same_as(module)


def test_what_is_compiled_is_told_at_its_lines():
    found = []
    end = ta.tilelang.install(found.append)
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_80"})
    try:
        with target:
            tilelang.lower(scaled.get_tir(2048), target=target)
    finally:
        end()
    assert {it.span.path for it in found if it.rule == "common-subexpression"} == {__file__}


def test_a_jitted_function_is_read_in_its_file():
    assert all(it.span.path == __file__ for it in ta.check(twice))


def test_what_it_makes_is_read():
    ta.check(twice.get_tir(N=1024)).assert_clean("error")
