"""Findings for every kernel that TileLang compiles: a tool of its instrumentation.

The module is analysed as it is before the first pass. Findings stand at the lines of the Python source.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from . import _findings
from ._command import AnalyzerError
from ._findings import Finding, Level
from ._texts import check
from .triton import KernelFinding, warn

_NAME = "tir_analyzer"


def install(report: Callable[[Finding], None] = warn, *, level: Level = "hint") -> Callable[[], None]:
    """Reports what is found in each kernel that is compiled from now on. Gives a function that ends it."""
    import tvm
    from tilelang import instrumentation

    _findings.rank(level)

    class Tool(instrumentation.PassInstrumentationTool):  # type: ignore[misc]
        """One compilation: the first module that a pass sees is analysed."""

        def __init__(self) -> None:
            self.is_done = False

        def create_pass_instrument(self) -> object:
            tool = self

            @tvm.instrument.pass_instrument
            class First:
                def run_before_pass(self, module: Any, info: Any) -> None:
                    tool.look(module)

            return First()

        def look(self, module: Any) -> None:
            if self.is_done:
                return
            self.is_done = True
            try:
                found = check(module, level=level)
            except AnalyzerError as error:
                warnings.warn(f"the kernel was not analysed: {error}", KernelFinding, stacklevel=2)
                return
            for finding in found:
                report(finding)

    instrumentation.register_pass_instrumentation_tool(_NAME, Tool)
    return lambda: instrumentation.unregister_pass_instrumentation_tool(_NAME)
