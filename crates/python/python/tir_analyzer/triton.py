"""Findings for every kernel that Triton compiles, at the lines of the Python source.

`install()` listens to the compiler of Triton 3.4 or later; nothing is executed, and a compilation never fails for a
finding. By default each finding is a `KernelFinding` warning at its line.

`CacheBackend` keeps what Triton compiles in a store of this package, and in the cache beyond it that a team shares.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import _findings, _native
from ._command import AnalyzerError
from ._document import Document
from ._findings import Finding, Findings, Level
from ._texts import check

#: Stages whose text is analysed, the first that is there: the IR as written, then after Triton's first passes.
_STAGES = (".source", ".ttir")


class KernelFinding(UserWarning):
    """A finding in a kernel that was compiled."""


def warn(finding: Finding) -> None:
    """Tells a finding as a warning at its line."""
    text = f"{finding.level}[{finding.rule}]: {finding.message}"
    warnings.warn_explicit(text, KernelFinding, finding.span.path, max(finding.span.start.line, 1))


def install(report: Callable[[Finding], None] = warn, *, level: Level = "hint") -> Callable[[], None]:
    """Reports what is found in each kernel that is compiled from now on. Gives a function that ends it.

    A listener that is there already goes on listening.
    """
    import triton

    _findings.rank(level)
    knobs = triton.knobs.compilation
    earlier = knobs.listener

    def listener(*, src: Any, metadata: Any, metadata_group: dict[str, str], times: Any, cache_hit: bool) -> None:
        if earlier is not None:
            earlier(src=src, metadata=metadata, metadata_group=metadata_group, times=times, cache_hit=cache_hit)
        for finding in _of_group(metadata_group, level):
            report(finding)

    def uninstall() -> None:
        if knobs.listener is listener:
            knobs.listener = earlier

    knobs.listener = listener
    return uninstall


def _of_group(group: dict[str, str], level: Level) -> Findings:
    """The findings in the first stage whose file is there."""
    for stage in _STAGES:
        for name, path in group.items():
            if name.endswith(stage):
                try:
                    text = Path(path).read_text(encoding="utf-8")
                    return check(Document(f"{Path(name).stem}.ttir", text, at_source=True), level=level)
                except (OSError, AnalyzerError) as error:
                    warnings.warn(f"{name} was not analysed: {error}", KernelFinding, stacklevel=2)
                    return Findings()
    return Findings()


class CacheBackend:
    """A remote cache of Triton in a store of tir-analyzer, and in the shared cache beyond it.

    Set `TRITON_CACHE_MANAGER=triton.runtime.cache:RemoteCacheManager` and
    `TRITON_REMOTE_CACHE_BACKEND=tir_analyzer.triton:CacheBackend`. The store is the folder `TIR_ANALYZER_STORE`
    (`~/.cache/tir-analyzer/triton.store` without it); the shared cache is that of the `tir-analyzer.toml` of the current
    folder, or `TIR_ANALYZER_REMOTE_CACHE`, and `TIR_ANALYZER_REMOTE_UPLOAD=1` keeps what is compiled there. What cannot
    be read or kept is compiled as without a cache.
    """

    def __init__(self, key: str) -> None:
        """A backend for the files of one kernel, whose key covers all that they depend on."""
        self._key = key
        self._store = os.environ.get("TIR_ANALYZER_STORE") or str(Path.home() / ".cache/tir-analyzer/triton.store")

    def get(self, filenames: list[str]) -> dict[str, bytes]:
        """The files that are there."""
        found = {}
        for filename in filenames:
            code, out, _ = self._run("get", filename)
            if code == 0:
                found[filename] = out
        return found

    def put(self, filename: str, data: bytes) -> None:
        """Keeps a file."""
        self._run("put", filename, data)

    def _run(self, what: str, filename: str, data: bytes = b"") -> tuple[int, bytes, bytes]:
        words = ["cache", what, "--store", self._store]
        if address := os.environ.get("TIR_ANALYZER_REMOTE_CACHE"):
            words += ["--remote-cache", address]
        if os.environ.get("TIR_ANALYZER_REMOTE_UPLOAD") == "1":
            words.append("--remote-upload")
        words += ["--", f"triton/{self._key}/{filename}"]
        return _native.command(words, data, os.getcwd())
