"""The blocks of the book that are marked `python run`."""

import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).parents[2] / "crates/tir-analyzer/book/src/python.md"
BLOCKS = re.findall(r"^```python run\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs(block):
    exec(compile(block, str(PAGE), "exec"), {})


def test_there_are_blocks():
    assert len(BLOCKS) >= 2
