"""Commands: words in, an answer out.

The package asks the same questions as the command line, through the same code; only the words and the meaning of the
answers are here.
"""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from . import _native


class AnalyzerError(Exception):
    """It was not done: wrong usage, or a text that cannot be read. The message says why."""


class NoSuchPath(AnalyzerError, FileNotFoundError):
    """There is no file or folder of this name."""

    @classmethod
    def of(cls, path: str) -> NoSuchPath:
        """That of a path. The arguments of an error are those of `OSError`, so that it can be copied."""
        return cls(errno.ENOENT, "cannot read: there is no such file or folder", path)


class LeftAsItWas(UserWarning):
    """A function was not changed; the message says why."""


class Answer(NamedTuple):
    """What a command wrote."""

    code: int
    out: str
    err: str


#: The exit code of a command that did not do its work.
_FAILURE = 2


def run(
    words: list[str], text: str | None = None, folder: str | None = None, names: Mapping[str, str] | None = None
) -> Answer:
    """Runs a command in `folder` (the current one by default), with `text` as its standard input. Messages have what
    `names` calls a path.

    Raises:
        AnalyzerError: if it was not done.
    """
    stdin = b"" if text is None else text.encode("utf-8", "surrogatepass")
    code, out, err = _native.command(words, stdin, folder or os.getcwd())
    answer = Answer(code, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))
    if answer.code == _FAILURE:
        message = answer.err.strip().removeprefix("error: ") or answer.out.strip()
        raise AnalyzerError(_in_python(message, names or {}))
    return answer


def ask(
    words: list[str], text: str | None = None, folder: str | None = None, names: Mapping[str, str] | None = None
) -> Any:
    """Runs a command and reads its answer as JSON.

    Raises:
        AnalyzerError: if it was not done.
    """
    return json.loads(run(words, text, folder, names).out)


def several(value: Any, separator: str | None = None) -> list[Any]:
    """What may be none, one or several: a text is one, or those between separators."""
    if isinstance(value, str):
        return [value] if separator is None else [it for part in value.split(separator) if (it := part.strip())]
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return list(value)
    return [] if value is None else [value]


def passes_word(passes: Iterable[str] | None) -> str:
    """The word for passes."""
    return ",".join(several(passes, ",")) or "none"


#: Options of the commands that have another name in Python.
_KEYWORDS = {"set": "sizes", "size": "sizes", "var": "types", "max-steps": "max_steps"}
#: What is said of arrays and values to those who give files and words.
_IN_PYTHON = (
    # `--passes cse`
    (r"`--([a-z]+) ([^\s`<>]+)`", lambda it: f'`{_keyword(it[1])}="{it[2]}"`'),
    (r"--set ([A-Z]+|[\w?]+)=([\w…]+)", r'`sizes={"\1": \2}`'),
    (r"'?--([a-z][a-z-]*)(?: <[^>]*>)?'?", lambda it: f"`{_keyword(it[1])}`"),
    (r"\bgive a \.npy file\b", "give an array"),
    (r"not the file input-\d+\.npy", "not an array"),
    (r"\binput-(\d+)\.npy", r"input \1"),
)


def _keyword(option: str) -> str:
    return _KEYWORDS.get(option, option)


def _in_python(message: str, names: Mapping[str, str]) -> str:
    """A message to those who write Python: names for private files, keywords for options."""
    message = message.removesuffix("For more information, try '--help'.").rstrip()
    for pattern, said in _IN_PYTHON:
        message = re.sub(pattern, said, message)
    # Last, so that names of others stay as they are.
    for path, name in names.items():
        message = message.replace(path, name)
    return message
