"""A plug-in of pytest: kernels without findings.

`@pytest.mark.kernel_clean(kernel, …, level="warning")` fails a test if one of the objects has a finding; the fixture
`kernel_check` does the same for an object that the test makes. A mark without objects, or with other keywords, ends the
session: its test would pass whatever the kernels are.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from . import Findings, Level, check
from ._findings import LEVELS

_MARK = "kernel_clean"
_NO_OBJECTS = "has no objects: name the kernels, and of one function the level, too: `kernel_clean(f, level='hint')`"


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark."""
    config.addinivalue_line(
        "markers",
        f"{_MARK}(*objects, level='hint'): tir-analyzer finds nothing of this level or worse in the objects. "
        "With a function alone write the level, too: without a keyword, pytest marks that function",
    )


def pytest_pycollect_makeitem(collector: pytest.Collector, name: str, obj: object) -> None:
    """Refuses a mark without objects wherever it stands: `kernel_clean(make)` marks the function `make`, and what is
    below it is no test any more."""
    if inspect.isfunction(obj) or inspect.isclass(obj):
        for mark in vars(obj).get("pytestmark", ()):
            if getattr(mark, "name", None) == _MARK and not mark.args:
                raise collector.CollectError(f"{name}: {_MARK} {_NO_OBJECTS}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuses marks that say nothing, or something else."""
    for item in items:
        for mark in item.iter_markers(_MARK):
            if (mistake := _mistake(mark)) is not None:
                raise pytest.UsageError(f"{item.nodeid}: {_MARK} {mistake}")


def _mistake(mark: pytest.Mark) -> str | None:
    if not mark.args:
        return _NO_OBJECTS
    unknown = [it for it in mark.kwargs if it != "level"]
    if unknown:
        return f"has no keyword `{unknown[0]}`; there is `level`"
    level = mark.kwargs.get("level", "hint")
    return None if level in LEVELS else f"has no level {level!r}: {', '.join(LEVELS)}"


def pytest_runtest_call(item: pytest.Item) -> None:
    """Checks the objects of the marks before the test runs."""
    for mark in item.iter_markers(_MARK):
        level = mark.kwargs.get("level", "hint")
        for obj in mark.args:
            check(obj, level=level).assert_clean(level)


@pytest.fixture
def kernel_check() -> Callable[..., Findings]:
    """Checks an object: fails on a finding of `level` (`hint`) or a worse one, and gives the milder ones."""

    def checked(obj: Any, *, level: Level = "hint") -> Findings:
        found = check(obj)
        found.assert_clean(level)
        return found

    return checked
