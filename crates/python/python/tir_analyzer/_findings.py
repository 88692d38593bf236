"""Findings: what was found, where, and how to show it."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

from ._native import __version__

#: How bad a finding is.
Level = Literal["error", "warning", "info", "hint"]

#: Levels, the worst first.
LEVELS: tuple[Level, ...] = ("error", "warning", "info", "hint")


@dataclass(frozen=True)
class Place:
    """A place in a text: lines and columns from 1, columns in characters."""

    line: int
    column: int
    #: The offset in bytes of UTF-8; none in a source that was not opened.
    offset: int | None = None


@dataclass(frozen=True)
class Span:
    """A range of a file or text."""

    path: str
    start: Place
    end: Place

    def __str__(self) -> str:
        return f"{self.path}:{self.start.line}:{self.start.column}"


@dataclass(frozen=True)
class Related:
    """Another place that a finding is about."""

    span: Span
    message: str


@dataclass(frozen=True)
class Finding:
    """One finding."""

    #: The name of the rule; `tir-analyzer explain RULE` is its page.
    rule: str
    #: `error`, `warning`, `info` or `hint`.
    level: Level
    message: str
    #: What to do, or which fact is missing.
    help: str | None
    #: Its place: in the source, where the text says what it was made of.
    span: Span
    #: Its place in the text that was analysed, where `span` is in the source.
    ir_span: Span | None
    related: tuple[Related, ...]

    def __str__(self) -> str:
        text = f"{self.span}: {self.level}[{self.rule}]: {self.message}"
        return f"{text}\n    {self.help}" if self.help else text


class NotClean(AssertionError):
    """There are findings where none were allowed."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        count = len(findings)
        head = f"{count} finding{'' if count == 1 else 's'}"
        super().__init__("\n".join([head, *map(str, findings)]))

    def __reduce__(self) -> tuple[type[NotClean], tuple[Findings]]:
        return NotClean, (self.findings,)


class Findings(Sequence[Finding]):
    """A sequence of findings, in the order of the text; equal to a list of the same ones."""

    def __init__(self, findings: Iterable[Finding] = ()) -> None:
        self._all = tuple(findings)

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Findings: ...
    def __getitem__(self, index: int | slice) -> Finding | Findings:
        return Findings(self._all[index]) if isinstance(index, slice) else self._all[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Findings, list, tuple)) and self._all == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all)

    def __add__(self, other: Iterable[Finding]) -> Findings:
        return Findings([*self._all, *other])

    def at_least(self, level: Level) -> Findings:
        """Those of a level or a worse one."""
        worst = LEVELS[: rank(level) + 1]
        return Findings(it for it in self._all if it.level in worst)

    def assert_clean(self, level: Level = "hint") -> None:
        """Does nothing if there is no finding of this level or a worse one.

        Raises:
            NotClean: with all of them, otherwise.
        """
        found = self.at_least(level)
        if found:
            raise NotClean(found)

    def to_sarif(self) -> dict[str, Any]:
        """The findings as a SARIF 2.1.0 log; `json.dump` writes it."""
        rules = sorted({it.rule for it in self._all})
        driver = {"name": "tir-analyzer", "version": __version__, "rules": [{"id": it} for it in rules]}
        results = [_sarif_result(it, rules) for it in self._all]
        return {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}],
        }

    def to_json(self) -> str:
        """The findings as a JSON array."""
        import dataclasses

        return json.dumps([dataclasses.asdict(it) for it in self._all])

    def __str__(self) -> str:
        return "\n".join(map(str, self._all)) or "no findings"

    def __repr__(self) -> str:
        return f"<Findings: {len(self._all)}>\n{self}" if self._all else "<Findings: 0>"

    def _repr_html_(self) -> str:
        """A table, for notebooks. Names and messages come from texts of others: everything is escaped."""
        if not self._all:
            return "<p>no findings</p>"
        return f"<table><thead><tr>{_HEAD}</tr></thead><tbody>{''.join(map(_row, self._all))}</tbody></table>"


_HEAD = "".join(f'<th style="text-align:left">{it}</th>' for it in ("place", "level", "rule", "message"))


def _row(it: Finding) -> str:
    message = html.escape(it.message)
    if it.help:
        message += f"<br><small>{html.escape(it.help)}</small>"
    cells = (html.escape(str(it.span)), html.escape(it.level), f"<code>{html.escape(it.rule)}</code>", message)
    return "<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in cells) + "</tr>"


def rank(level: Level) -> int:
    """The number of a level, the worst first.

    Raises:
        ValueError: if it is none.
    """
    if level not in LEVELS:
        raise ValueError(f"there is no level {level!r}: {', '.join(LEVELS)}")
    return LEVELS.index(level)


def _sarif_place(span: Span) -> dict[str, Any]:
    region = {"startLine": span.start.line, "startColumn": span.start.column}
    if span.end != span.start:
        region |= {"endLine": span.end.line, "endColumn": span.end.column}
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(span.path)}, "region": region}}


def _uri(path: str) -> str:
    from pathlib import Path
    from urllib.parse import quote

    return Path(path).as_uri() if Path(path).is_absolute() else quote(path.replace("\\", "/"))


def _sarif_result(it: Finding, rules: list[str]) -> dict[str, Any]:
    levels = {"error": "error", "warning": "warning"}
    text = f"{it.message}. {it.help}" if it.help else it.message
    result: dict[str, Any] = {
        "ruleId": it.rule,
        "ruleIndex": rules.index(it.rule),
        "level": levels.get(it.level, "note"),
        "message": {"text": text},
        "locations": [_sarif_place(it.span)],
    }
    others = [(other.span, other.message) for other in it.related]
    if it.ir_span is not None:
        others.insert(0, (it.ir_span, "in the IR"))
    if others:
        result["relatedLocations"] = [
            _sarif_place(span) | {"id": number, "message": {"text": message}}
            for number, (span, message) in enumerate(others)
        ]
    return result


def read(answer: dict[str, Any]) -> Findings:
    """The findings of the JSON report of `check`."""
    return Findings(_finding(file["path"], it) for file in answer["files"] for it in file["diagnostics"])


def at_places(findings: Findings, places: dict[int, Span]) -> Findings:
    """The findings at the places of their lines in the source, where they have one."""

    def at_place(it: Finding) -> Finding:
        place = places.get(it.span.start.line)
        return it if place is None else replace(it, span=place, ir_span=it.span)

    return Findings(map(at_place, findings))


def span(path: str, region: dict[str, Any]) -> Span:
    """The span of a range in an answer."""
    start, end = (Place(it["line"], it["column"], it["offset"]) for it in (region["start"], region["end"]))
    return Span(path, start, end)


def _finding(path: str, it: dict[str, Any]) -> Finding:
    ir = it.get("ir")
    source = it["source"]["path"] if ir is not None else path
    related = ((ir or {}).get("related") or it["related"])
    text = path if ir is None else ir["path"]
    return Finding(
        rule=it["code"],
        level=it["severity"],
        message=it["message"],
        help=it["help"],
        span=span(source, it["range"]),
        ir_span=None if ir is None else span(ir["path"], ir["range"]),
        related=tuple(Related(span(text, other["range"]), other["message"]) for other in related),
    )
