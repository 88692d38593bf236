"""A plug-in of pytest: kernels without findings.

`@pytest.mark.kernel_clean(kernel, …, level="warning")` fails a test if one of the objects has a finding; the fixture
`kernel_check` does the same for an object that the test makes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from . import Findings, Level, check


def pytest_configure(config: pytest.Config) -> None:
    """Declares the mark."""
    config.addinivalue_line(
        "markers", "kernel_clean(*objects, level='hint'): tir-analyzer finds nothing of this level or worse in the objects"
    )


def pytest_runtest_call(item: pytest.Item) -> None:
    """Checks the objects of the marks before the test runs."""
    for mark in item.iter_markers("kernel_clean"):
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
