"""Expressions of TVM: their texts, and the types that their variables have.

An expression prints the names of its variables and not their types: `n // 8` is that of an `int32` and of an `int64`. A
list of statements declares each variable before the first one that has it (`n = T.int64()`), and gives two variables of
one name two names. So all expressions of a question are printed at once.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

from ._command import AnalyzerError

#: The declaration of a variable.
_DECLARED = re.compile(r"(\w+) = T\.(\w+)\((.*)\)")
#: The statement that evaluates an expression; a call stands alone.
_EVALUATED = re.compile(r"T\.evaluate\((.*)\)")


class Expressions(NamedTuple):
    """Expressions as texts, and what their objects know of the variables."""

    texts: list[str]
    types: dict[str, str]
    #: Variables that are not negative.
    sizes: list[str]


def read(parts: Iterable[Any]) -> Expressions:
    """The texts of expressions: texts as they are, objects as they print themselves.

    Raises:
        AnalyzerError: if an object is no expression over numbers.
    """
    parts = [it.asobject() if hasattr(it, "asobject") else it for it in parts]
    objects = [it for it in parts if is_object(it)]
    printed = _printed(objects) if objects else Expressions([], {}, [])
    texts = iter(printed.texts)
    return printed._replace(texts=[next(texts) if is_object(it) else _text(it) for it in parts])


def is_object(it: Any) -> bool:
    """An object of TVM that prints itself, or a comparison by `==` or `!=`, which becomes one when it is asked."""
    return hasattr(it, "asobject") or (type(it).__module__.startswith("tvm.") and callable(getattr(it, "script", None)))


def number(it: Any) -> Any:
    """The number that a constant of TVM is; everything else as it is."""
    return it.value if type(it).__name__ in ("IntImm", "FloatImm") else it


def _text(it: Any) -> str:
    """The text of what is no object of TVM: numbers of Python, and expressions of others as they print themselves."""
    if it is None or isinstance(it, (bytes, bytearray)):
        raise AnalyzerError(f"{type(it).__name__} is no expression to simplify")
    if isinstance(it, bool):
        return f"T.bool({it})"
    return f'T.float32("{it}")' if isinstance(it, float) and not math.isfinite(it) else str(it)


def _printed(objects: list[Any]) -> Expressions:
    tir = sys.modules.get("tvm.tirx") or sys.modules.get("tvm.tir")
    if tir is None:
        raise AnalyzerError("the expression is an object of TVM, and TVM is not imported")
    # The variable of an axis.
    objects = [getattr(it, "var", it) if type(it).__name__ == "IterVar" else it for it in objects]
    try:
        statements = [tir.Evaluate(it) for it in objects]
        # One statement is no sequence.
        lines = tir.SeqStmt([*statements, tir.Evaluate(0)]).script().splitlines()
    except Exception as error:  # noqa: BLE001 (errors of TVM have no class in common)
        raise AnalyzerError(f"this is no expression to simplify: {error}") from error
    found = Expressions([], {}, [])
    for line in lines:
        if declared := _DECLARED.fullmatch(line):
            name, dtype, options = declared.groups()
            if dtype == "Buffer":
                raise AnalyzerError(f"`{name}` is a buffer: an expression that loads is not simplified by itself")
            found.types[name] = dtype
            found.sizes.extend([name] if "is_size_var=True" in options else [])
        elif line and not line.startswith("#"):
            evaluated = _EVALUATED.fullmatch(line)
            found.texts.append(evaluated[1] if evaluated else line)
    if len(found.texts) != len(objects) + 1:
        raise AnalyzerError("the expression is printed as more than an expression:\n" + "\n".join(lines))
    found.texts.pop()
    return found
