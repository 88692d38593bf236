"""TileLang, where it is installed: on request, for it is large."""

import pytest
import tir_analyzer as ta

tilelang = pytest.importorskip("tilelang")
import tilelang.language as T  # noqa: E402


@tilelang.jit
def twice(A, B, block: int = 128):
    N = T.const("N")
    A: T.Tensor[[N], T.float32]
    B: T.Tensor[[N], T.float32]
    with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
        for i in T.Parallel(block):
            B[bx * block + i] = A[bx * block + i] * 2.0


def test_a_jitted_function_is_read_in_its_file():
    assert all(it.span.path == __file__ for it in ta.check(twice))


def test_what_it_makes_is_read():
    ta.check(twice.get_tir(N=1024)).assert_clean("error")
