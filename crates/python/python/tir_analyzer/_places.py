"""Where the statements of a function of TVM stand in the source that they were read from.

TVM's parser keeps the place of each statement. Its printer writes a remark of ours beside each one, from which the line
of the text is known; the remarks are taken out again, so the text is what TVM prints.
"""

from __future__ import annotations

import contextlib
import linecache
from collections.abc import Iterator
from typing import Any

from ._findings import Place, Span

#: Before the number of a statement, in a comment of its own or at the end of its line.
_MARK = "# tir-analyzer:statement "
#: The column that stands for the end of a line, where a place is a line (TileLang).
_WHOLE_LINE = 1 << 20
#: The fields of statements that hold statements, the last of the text first.
_PARTS = ("else_case", "then_case", "body", "block", "init")


def script_with_places(obj: Any) -> tuple[str, dict[int, Span]]:
    """The text of a function or module, and the places of its lines (from 1) that begin a statement with a known one."""
    marks: dict[Any, str] = {}
    spans: list[Span] = []
    for statement in _statements(obj):
        span = _span(statement)
        if span is not None:
            marks[statement] = f"{_MARK[2:]}{len(spans)}"
            spans.append(span)
    if not spans:
        return obj.script(), {}
    try:
        text = obj.script(obj_to_annotate=marks)
    except TypeError:
        # A printer that knows no remarks.
        return obj.script(), {}
    return _taken_out(text, spans)


def _taken_out(text: str, spans: list[Span]) -> tuple[str, dict[int, Span]]:
    """The text without the remarks, and the places of its lines: the outermost statement's, where several begin."""
    lines: list[str] = []
    places: dict[int, Span] = {}
    waiting: Span | None = None
    for line in text.splitlines(keepends=True):
        code, mark, number = line.rpartition(_MARK)
        if not mark or not number.strip().isdecimal():
            code, span = line, waiting
        else:
            span = waiting or spans[int(number)]
            if not code.strip():
                waiting = span
                continue
            code = code.rstrip() + "\n"
        lines.append(code)
        if span is not None:
            places[len(lines)] = span
        waiting = None
    return "".join(lines), places


def _statements(obj: Any) -> Iterator[Any]:
    """The statements of a function or of the functions of a module."""
    functions = getattr(obj, "functions", None)
    todo = [getattr(it, "body", None) for it in ([obj] if functions is None else functions.values())]
    while todo:
        it = todo.pop()
        # Bodies of other functions (Relax) have parts of these names that are no objects.
        if not hasattr(it, "same_as"):
            continue
        yield it
        todo.extend(getattr(it, part, None) for part in _PARTS)
        todo.extend(reversed(list(getattr(it, "seq", None) or ())))


def _span(statement: Any) -> Span | None:
    span = _field(statement, "span")
    with contextlib.suppress(AttributeError, TypeError):
        path = str(span.source_name.name)
        # A text that was never in a file is called `<…>`.
        if path and not path.startswith("<"):
            start, end = Place(span.line, span.column), Place(span.end_line, span.end_column)
            return Span(path, start, end) if span.end_column < _WHOLE_LINE else _whole_line(path, start)
    return None


def _field(obj: Any, name: str) -> Any:
    """The field of an object of TVM. TileLang's TVM keeps that of statements, and gives it no attribute."""
    value = getattr(obj, name, None)
    kind = getattr(type(obj), "__tvm_ffi_type_info__", None) if value is None else None
    while kind is not None:
        for it in getattr(kind, "fields", None) or ():
            if it.name == name:
                with contextlib.suppress(Exception):
                    return it.getter(obj)
        kind = getattr(kind, "parent_type_info", None)
    return value


def _whole_line(path: str, start: Place) -> Span:
    """The text of a line, where only the line is known."""
    line = linecache.getline(path, start.line).rstrip()
    if not line:
        return Span(path, start, start)
    first = len(line) - len(line.lstrip()) + 1
    return Span(path, Place(start.line, first), Place(start.line, len(line) + 1))
