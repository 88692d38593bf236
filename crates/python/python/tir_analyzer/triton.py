"""Findings for every kernel that Triton compiles, at the lines of the Python source.

`install()` listens to the compiler of Triton 3.4 or later; nothing is executed, and a compilation never fails for a
finding. By default each finding is a `KernelFinding` warning at its line.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._command import AnalyzerError
from ._document import Document
from ._findings import Finding, Findings
from ._texts import check

#: Stages whose text is analysed, the first that is there: the IR as written, then after Triton's first passes.
_STAGES = (".source", ".ttir")


class KernelFinding(UserWarning):
    """A finding in a kernel that was compiled."""


def warn(finding: Finding) -> None:
    """Tells a finding as a warning at its line."""
    text = f"{finding.level}[{finding.rule}]: {finding.message}"
    warnings.warn_explicit(text, KernelFinding, finding.span.path, max(finding.span.start.line, 1))


def install(report: Callable[[Finding], None] = warn, *, level: str = "hint") -> Callable[[], None]:
    """Reports what is found in each kernel that is compiled from now on. Gives a function that ends it.

    A listener that is there already goes on listening.
    """
    import triton

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


def _of_group(group: dict[str, str], level: str) -> Findings:
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
