"""Findings in kernels that Triton compiles, without a GPU."""

import inspect

import pytest
import tir_analyzer as ta

triton = pytest.importorskip("triton")
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

from tir_analyzer.triton import CacheBackend, KernelFinding, install  # noqa: E402


@triton.jit
def add(x_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs * stride, mask=mask)
    again = tl.load(x_ptr + offs * stride, mask=mask)
    tl.store(out_ptr + offs, x + again, mask=mask)


LINES, FIRST = inspect.getsourcelines(add.fn)
AGAIN = FIRST + next(at for at, line in enumerate(LINES) if "again =" in line)


def compiled(monkeypatch, tmp_path):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "stride": "i32", "BLOCK": "constexpr"}
    source = ASTSource(fn=add, signature=signature, constexprs={"BLOCK": 1024})
    return triton.compile(source, target=GPUTarget("cuda", 80, 32))


def test_a_compiled_kernel_has_findings_at_its_lines(monkeypatch, tmp_path):
    found = ta.check(compiled(monkeypatch, tmp_path))
    assert AGAIN in [it.span.start.line for it in found]
    assert {it.span.path for it in found} == {__file__}


def test_the_listener_warns_at_the_line(monkeypatch, tmp_path):
    uninstall = install()
    try:
        with pytest.warns(KernelFinding) as told:
            compiled(monkeypatch, tmp_path)
    finally:
        uninstall()
    assert (__file__, AGAIN) in [(it.filename, it.lineno) for it in told]
    assert triton.knobs.compilation.listener is None


def test_a_level_that_is_none_is_refused_before_a_compilation():
    with pytest.raises(ValueError, match="there is no level 'bad'"):
        install(level="bad")
    assert triton.knobs.compilation.listener is None


def test_a_kernel_without_memory_does_not_run(monkeypatch, tmp_path):
    kernel = compiled(monkeypatch, tmp_path)
    for inputs in ("random", [], {"x_ptr": "zeros"}):
        with pytest.raises(ta.AnalyzerError, match="`add`: a parameter of type .* cannot be made"):
            ta.run(kernel, inputs)


def test_a_kernel_that_is_not_compiled_is_refused():
    with pytest.raises(ta.AnalyzerError, match="has no IR yet"):
        ta.check(add)


def test_what_one_process_compiled_another_finds(monkeypatch, tmp_path):
    monkeypatch.setenv("TIR_ANALYZER_STORE", str(tmp_path / "store"))
    first = CacheBackend("key")
    assert first.get(["add.cubin"]) == {}
    first.put("add.cubin", b"\x7fELF\x00")
    assert CacheBackend("key").get(["add.cubin", "add.ptx"]) == {"add.cubin": b"\x7fELF\x00"}
    assert CacheBackend("other").get(["add.cubin"]) == {}


def test_triton_uses_the_store(monkeypatch, tmp_path):
    monkeypatch.setenv("TIR_ANALYZER_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(triton.knobs.cache, "manager_class", triton.runtime.cache.RemoteCacheManager)
    monkeypatch.setattr(triton.knobs.cache, "remote_manager_class", CacheBackend)
    first = compiled(monkeypatch, tmp_path / "one")
    kept = [it for it in (tmp_path / "store" / "others").rglob("*") if it.is_file()]
    assert len(kept) > 3
    # Another machine has the store and nothing else.
    hits = []
    monkeypatch.setattr(triton.knobs.compilation, "listener", lambda **it: hits.append(it["cache_hit"]))
    second = compiled(monkeypatch, tmp_path / "two")
    assert hits == [True]
    assert second.asm["ptx"] == first.asm["ptx"]


def uses_the_store(monkeypatch, store):
    monkeypatch.setenv("TIR_ANALYZER_STORE", str(store))
    monkeypatch.setattr(triton.knobs.cache, "manager_class", triton.runtime.cache.RemoteCacheManager)
    monkeypatch.setattr(triton.knobs.cache, "remote_manager_class", CacheBackend)
    hits = []
    monkeypatch.setattr(triton.knobs.compilation, "listener", lambda **it: hits.append(it["cache_hit"]))
    return hits


def test_broken_entries_are_compiled_again(monkeypatch, tmp_path):
    hits = uses_the_store(monkeypatch, tmp_path / "store")
    first = compiled(monkeypatch, tmp_path / "one")
    for path in (tmp_path / "store" / "others").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-1] + b"!")
    second = compiled(monkeypatch, tmp_path / "two")
    # What was compiled again is kept again.
    third = compiled(monkeypatch, tmp_path / "three")
    assert hits == [False, False, True]
    assert first.asm["ptx"] == second.asm["ptx"] == third.asm["ptx"]


@pytest.mark.parametrize("address", ["grpc://127.0.0.1:1/main", "redis://127.0.0.1:1", "nonsense"])
def test_a_shared_cache_that_is_not_there_costs_nothing(monkeypatch, tmp_path, address):
    hits = uses_the_store(monkeypatch, tmp_path / "store")
    monkeypatch.setenv("TIR_ANALYZER_REMOTE_CACHE", address)
    monkeypatch.setenv("TIR_ANALYZER_REMOTE_UPLOAD", "1")
    kernel = compiled(monkeypatch, tmp_path / "one")
    assert hits == [False]
    assert ".visible .entry add" in kernel.asm["ptx"]


def test_a_store_that_cannot_be_written_costs_nothing(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder")
    hits = uses_the_store(monkeypatch, tmp_path / "file" / "store")
    kernel = compiled(monkeypatch, tmp_path / "one")
    assert hits == [False]
    assert ".visible .entry add" in kernel.asm["ptx"]


def test_names_and_contents_are_kept_as_they_are(monkeypatch, tmp_path):
    monkeypatch.setenv("TIR_ANALYZER_STORE", str(tmp_path / "store"))
    backend = CacheBackend("../key with spaces")
    contents = {"--store": b"", "../up.cubin": bytes(range(256)), "größe.json": b"x" * 3_000_000}
    for name, data in contents.items():
        backend.put(name, data)
    assert CacheBackend("../key with spaces").get([*contents, "none"]) == contents
    # Nothing is written beside the store.
    assert [it.name for it in tmp_path.iterdir()] == ["store"]
