"""Commands: words in, an answer out.

The package asks the same questions as the command line, through the same code; only the words and the meaning of the
answers are here.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from . import _native


class AnalyzerError(Exception):
    """It was not done: wrong usage, or a text that cannot be read. The message says why."""


class LeftAsItWas(UserWarning):
    """A function was not changed; the message says why."""


class Answer(NamedTuple):
    """What a command wrote."""

    code: int
    out: str
    err: str


#: The exit code of a command that did not do its work.
_FAILURE = 2


def run(words: list[str], text: str | None = None, folder: str | None = None) -> Answer:
    """Runs a command in `folder` (the current one by default), with `text` as its standard input.

    Raises:
        AnalyzerError: if it was not done.
    """
    stdin = b"" if text is None else text.encode("utf-8", "surrogatepass")
    code, out, err = _native.command(words, stdin, folder or os.getcwd())
    answer = Answer(code, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
    if answer.code == _FAILURE:
        raise AnalyzerError(answer.err.strip().removeprefix("error: ") or answer.out.strip())
    return answer


def ask(words: list[str], text: str | None = None, folder: str | None = None) -> Any:
    """Runs a command and reads its answer as JSON.

    Raises:
        AnalyzerError: if it was not done.
    """
    return json.loads(run(words, text, folder).out)
