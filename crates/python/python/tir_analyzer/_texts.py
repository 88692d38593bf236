"""`check` and `opt`: findings of a text, and a text after passes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Any

from . import _command, _findings
from ._command import AnalyzerError, LeftAsItWas, passes_word
from ._document import Document, document_of
from ._findings import Findings, Level, Span
from ._places import script_with_places


def check(obj: Any, *, level: Level = "hint", preset: str | None = None, instance: str | None = None) -> Findings:
    """What is wrong in something, and what it computes more than once.

    Args:
        obj: a path of a file or folder, a text, a function or module of TVM, a kernel or jitted function of TileLang, a
            compiled kernel of Triton, a module of MLIR, what JAX lowers, or a Python function with kernels inside. A
            string of one line without `(`, `{` and ` = ` is a path.
        level: nothing milder is found: `error`, `warning`, `info` or `hint`.
        preset: the compiler whose rules are followed, as `--preset`.
        instance: a call of a factory of kernels, as `matmul(M=1024)`.

    Raises:
        AnalyzerError: if it cannot be read.
        FileNotFoundError: if there is no such file or folder; an `AnalyzerError` as well.
    """
    _findings.rank(level)
    document = document_of(obj)
    places: dict[int, Span] = {}
    if document.printed is None:
        text = document.text
    else:
        text, places = script_with_places(document.printed)
    words = ["check", "--format=json", f"--level={level}"]
    words += [f"--preset={preset}"] if preset else []
    words += [f"--instance={instance}"] if instance else []
    words += ["--at-source"] if document.at_source else []
    if text is None:
        words += ["--", document.name]
    else:
        words += ["--stdin", f"--stdin-filename={document.name}"]
    answer = _command.ask(words, text, names={} if text is None else {document.name: document.shown})
    if text is None and not answer["summary"]["files"]:
        raise AnalyzerError(f"there is no file to read in {document.name} that is neither hidden nor ignored by git")
    found = _findings.at_places(_findings.read(answer), places)
    lines = document.lines
    return found if lines is None else Findings(it for it in found if it.span.start.line in lines)


def opt(
    obj: Any,
    *,
    passes: Iterable[str] | str = ("cse",),
    preset: str | None = None,
    downstream: str | None = None,
    function: str | None = None,
    instance: str | None = None,
) -> Any:
    """The text after passes; of a function or module of TVM or MLIR, an object of the same kind.

    A function that cannot be rewritten faithfully stays as it is, with the warning `LeftAsItWas`.

    Raises:
        AnalyzerError: if it cannot be read.
    """
    document = document_of(obj)
    text = text_after(document, passes, preset, downstream, function, instance)
    if isinstance(obj, (str, os.PathLike, Document)):
        return text
    if hasattr(obj, "operation"):
        return type(obj).parse(text, context=obj.context)
    if callable(getattr(obj, "script", None)) and hasattr(obj, "same_as"):
        from . import tvm

        return tvm.read_like(obj, text)
    return text


def text_after(
    document: Document,
    passes: Iterable[str] | str,
    preset: str | None = None,
    downstream: str | None = None,
    function: str | None = None,
    instance: str | None = None,
) -> str:
    """The text of a document after passes.

    Raises:
        AnalyzerError: if it cannot be read.
    """
    words = ["opt", f"--passes={passes_word(passes)}"]
    options = {"preset": preset, "downstream": downstream, "function": function, "instance": instance}
    words += [f"--{name}={value}" for name, value in options.items() if value]
    with document.as_file() as path:
        answer = _command.run([*words, "--", path], names={path: document.shown})
    for line in answer.err.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line.removeprefix("warning: ").replace(path, document.shown), LeftAsItWas, stacklevel=3)
    return answer.out
