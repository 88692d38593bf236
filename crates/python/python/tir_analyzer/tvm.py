"""Passes of TVM that call the analyzer: `tvm.transform.Sequential([tir_analyzer.tvm.CommonSubexprElim()])`.

A function is replaced only if what it prints reads back as the same function; all others stay as they are, with the
warning `LeftAsItWas`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from typing import Any

import tvm as _tvm
from tvm.script import tirx as _script
from tvm_ffi import structural_equal as _equal

from ._command import LeftAsItWas
from ._document import Document
from ._texts import text_after


def CommonSubexprElim(preset: str = "default", downstream: str = "tvm") -> Any:  # noqa: N802
    """A module pass that binds values that are computed more than once. Preset `tvm` does what TVM's pass does, where
    that is sound."""
    return _pass("CommonSubexprElim", ("cse",), preset, downstream)


def Simplify() -> Any:  # noqa: N802
    """A module pass that simplifies index arithmetic, guards and loops."""
    return _pass("Simplify", ("simplify",), None, None)


def _pass(name: str, passes: Sequence[str], preset: str | None, downstream: str | None) -> Any:
    @_tvm.transform.module_pass(opt_level=0, name=f"tir_analyzer.{name}")
    def run(module: Any, _context: Any) -> Any:
        text = module.script()
        after = text_after(Document("module.py", text), passes, preset, downstream)
        return module if after == text else _merged(module, text, after)

    return run


def read_like(obj: Any, text: str) -> Any:
    """The object that a text of TVMScript stands for, in place of `obj`."""
    if isinstance(obj, _tvm.IRModule):
        return _merged(obj, obj.script(), text)
    before = obj.script()
    if text == before:
        return obj
    read, after = _read(before), _read(text)
    if read is None or after is None or not _reads_back(read, obj):
        _tell(obj)
        return obj
    return after.with_attr(dict(obj.attrs.items())) if obj.attrs else after


def _merged(module: Any, before: str, after: str) -> Any:
    """The module with the functions of `after` whose text before reads back as they are."""
    read, new = _read(before), _read(after)
    if read is None or new is None:
        _tell(module)
        return module
    functions = dict(module.functions.items())
    for variable, function in module.functions.items():
        name = variable.name_hint
        if not isinstance(function, _tvm.tirx.PrimFunc) or _equal(read[name], new[name]):
            continue
        if _reads_back(read[name], function):
            functions[variable] = new[name]
        else:
            _tell(function, name)
    return _tvm.IRModule(functions, attrs=module.attrs)


def _read(text: str) -> Any:
    """What a text stands for, or none if it cannot be read: not all that TileLang prints can be.

    TileLang's TVM binds a name without the word for it: `x: T.int32 = …`.
    """
    if not hasattr(_script.let, "__getitem__"):
        text = re.sub(r"^(\s*\w+): T\.let\[(T\.\w+)\] = ", r"\1: \2 = ", text, flags=re.MULTILINE)
    try:
        return _tvm.script.from_source(text)
    except _tvm.error.DiagnosticError:
        return None


def _reads_back(read: Any, function: Any) -> bool:
    return bool(_equal(read, function))


def _tell(function: Any, name: str | None = None) -> None:
    what = name or type(function).__name__
    warnings.warn(f"`{what}` is left as it is: its text does not read back as the same function", LeftAsItWas, stacklevel=4)
