"""`check` and `opt`: findings of a text, and a text after passes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import Any

from . import _command, _findings
from ._command import AnalyzerError, LeftAsItWas
from ._document import Document, document_of
from ._findings import Findings, Level, Span
from ._places import script_with_places


def check(obj: Any, *, level: Level = "hint", preset: str | None = None, instance: str | None = None) -> Findings:
    """What is wrong in something, and what it computes more than once.

    Args:
        obj: a path, a text, a function or module of TVM, a kernel or jitted function of TileLang, a compiled kernel of
            Triton, a module of MLIR, what JAX lowers, or a Python function with kernels inside.
        level: nothing milder is found: `error`, `warning`, `info` or `hint`.
        preset: the compiler whose rules are followed, as `--preset`.
        instance: a call of a factory of kernels, as `matmul(M=1024)`.

    Raises:
        AnalyzerError: if it cannot be read.
    """
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
    found = _findings.at_places(_findings.read(_command.ask(words, text)), places)
    lines = document.lines
    return found if lines is None else Findings(it for it in found if it.span.start.line in lines)


def opt(
    obj: Any,
    *,
    passes: Sequence[str] = ("cse",),
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
    passes: Sequence[str],
    preset: str | None = None,
    downstream: str | None = None,
    function: str | None = None,
    instance: str | None = None,
) -> str:
    """The text of a document after passes.

    Raises:
        AnalyzerError: if it cannot be read.
    """
    words = ["opt", f"--passes={','.join(passes)}"]
    options = {"preset": preset, "downstream": downstream, "function": function, "instance": instance}
    words += [f"--{name}={value}" for name, value in options.items() if value]
    with document.as_file() as path:
        answer = _command.run([*words, "--", path])
    for line in answer.err.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line.removeprefix("warning: ").replace(path, document.name), LeftAsItWas, stacklevel=3)
    return answer.out
