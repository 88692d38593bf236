"""What is analysed: a file, or the text that an object of a compiler prints.

No compiler is imported here. An object is known by the module of its class, or by a method that only such objects have.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._command import AnalyzerError, NoSuchPath

#: Endings of the names of files that the analyzer reads.
_ENDINGS = frozenset({".py", ".pyi", ".mlir", ".ttir", ".ttgir", ".pir", ".ipynb"})

#: What a line of code has, and hardly a path.
_CODE = re.compile(r"[({]| = ")


@dataclass(frozen=True)
class Document:
    """A text or a file, and what of it is asked about."""

    #: The name in findings. Its ending says the language; without one, the text does.
    name: str
    #: The text; none of a file, which is read where it is, and of an object that prints itself.
    written: str | None = None
    #: True if places are those of the source that the text was made of.
    at_source: bool = False
    #: Lines, from 1, that findings are told of; all if there are none.
    lines: range | None = field(default=None)
    #: The object of TVM that the text is printed from, once it is asked for.
    printed: Any = field(default=None, compare=False)
    #: What messages call an object; the name, if this is none.
    title: str | None = None

    @property
    def shown(self) -> str:
        """The name in messages."""
        return self.title or self.name

    @functools.cached_property
    def text(self) -> str | None:
        """The text; none of a file."""
        return self.written if self.printed is None else str(self.printed.script())

    @contextlib.contextmanager
    def as_file(self) -> Iterator[str]:
        """A path of the text, for commands that take a file. A text is a file of a folder that goes afterwards."""
        if self.text is None:
            yield os.path.abspath(self.name)
            return
        with tempfile.TemporaryDirectory(prefix="tir-analyzer-") as folder:
            path = os.path.join(folder, "text" + Path(self.name).suffix)
            Path(path).write_text(self.text, encoding="utf-8", errors="surrogatepass", newline="")
            yield path


def document_of(obj: Any) -> Document:
    """The document of an object.

    Raises:
        AnalyzerError: if nothing is known of its class.
        FileNotFoundError: if it names a file or folder that does not exist; an `AnalyzerError` as well.
    """
    if isinstance(obj, Document):
        return obj
    if isinstance(obj, os.PathLike):
        return _of_path(os.fsdecode(obj))
    if isinstance(obj, str):
        return _of_str(obj)
    home = type(obj).__module__
    if home.startswith("triton."):
        return _of_triton(obj)
    if home.startswith("tilelang.") and not hasattr(obj, "script"):
        return _of_tilelang(obj)
    if callable(getattr(obj, "script", None)):
        if home.startswith("tvm.") and not (hasattr(obj, "functions") or hasattr(obj, "with_attr")):
            raise AnalyzerError(
                f"{type(obj).__qualname__} is a part of a function: give a function or module of TVM (`simplify` takes "
                "expressions)"
            )
        name = _name(obj)
        return Document(f"{name}.py", printed=obj, title=f"<{type(obj).__name__} {name}>")
    get_asm = getattr(getattr(obj, "operation", None), "get_asm", None)
    if callable(get_asm):
        if not len(obj.operation.regions):
            raise AnalyzerError(f"{obj.operation.name} is a part of a function: give a function or module of MLIR")
        return Document("module.mlir", str(get_asm(enable_debug_info=True)), at_source=True, title="<module>")
    lowered = getattr(obj, "compiler_ir", None)
    if home.startswith("jax.") and callable(lowered):
        return document_of(lowered())
    if inspect.isfunction(obj):
        return _of_function(obj)
    raise AnalyzerError(
        f"nothing is known of {type(obj).__module__}.{type(obj).__qualname__}: give a path, a text, a function or module "
        "of TVM, a kernel of TileLang, a compiled kernel of Triton, a module of MLIR, or what JAX lowers"
    )


def _of_str(text: str) -> Document:
    """A text has a line break, or what no function can be written without in one line: `(`, `{` or ` = `. Every other
    line is a path, and so are those that name a file which is there, or end as one does."""
    has_breaks = "\n" in text or "\r" in text
    if not has_breaks and (os.path.exists(text) or Path(text).suffix in _ENDINGS or not _CODE.search(text)):
        return _of_path(text)
    # Without an ending the language is that of the words.
    return Document("<text>", text)


def _of_path(path: str) -> Document:
    if not os.path.exists(path):
        raise NoSuchPath.of(path)
    return Document(path)


def _name(obj: Any) -> str:
    """The name of a function of TVM, where it has one."""
    attributes = getattr(obj, "attrs", None)
    with contextlib.suppress(Exception):
        if attributes is not None and "global_symbol" in attributes:
            return str(attributes["global_symbol"])
    return "module"


def _of_triton(obj: Any) -> Document:
    """A compiled kernel: its IR before the passes of Triton, where there is one."""
    asm = getattr(obj, "asm", None)
    if asm is None:
        raise AnalyzerError(
            f"{type(obj).__qualname__} has no IR yet: compile the kernel (`triton.compile`, or call it), and give what comes back"
        )
    for stage in ("source", "ttir"):
        if isinstance(asm.get(stage), str):
            return Document(f"{getattr(obj, 'name', 'kernel')}.ttir", asm[stage], at_source=True)
    raise AnalyzerError("the compiled kernel has no TTIR")


def _of_tilelang(obj: Any) -> Document:
    """A compiled kernel by its function; a jitted function by the file that it is written in."""
    function = getattr(obj, "prim_func", None)
    if function is not None:
        return document_of(function)
    inner = getattr(obj, "func", None) or getattr(obj, "orig_func", None) or getattr(obj, "fn", None)
    for candidate in (inner, getattr(inner, "orig_func", None), getattr(inner, "__wrapped__", None)):
        if inspect.isfunction(candidate):
            return _of_function(candidate)
    raise AnalyzerError(f"{type(obj).__qualname__} has neither a function of TVM nor a source")


def _of_function(function: Any) -> Document:
    """The lines of a Python function in its file."""
    function = inspect.unwrap(function)
    path = inspect.getsourcefile(function)
    if path is None or not os.path.exists(path):
        raise AnalyzerError(f"the source of `{function.__qualname__}` is in no file")
    lines, first = inspect.getsourcelines(function)
    return Document(path, lines=range(first, first + len(lines)))
