"""`simplify`, `run` and `device_code`: questions with answers of their own."""

from __future__ import annotations

import operator
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _command, _expressions, _findings, _inputs
from ._command import AnalyzerError, passes_word, several
from ._document import document_of
from ._findings import Span


@dataclass(frozen=True)
class Step:
    """One rewrite on the way to the simplest form."""

    rule: str
    before: str
    after: str
    because: str | None


@dataclass(frozen=True)
class Simplified:
    """An expression and its simplest form."""

    before: str
    after: str
    dtype: str
    #: No value has all the conditions.
    contradiction: bool
    steps: tuple[Step, ...]
    #: Facts that would let one more rule apply: the rule, the expression, the fact.
    missing: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        return self.after


def simplify(
    expr: Any,
    given: Iterable[Any] | Any = (),
    *,
    types: Mapping[str, Any] | None = None,
    sizes: Iterable[str] | str = (),
) -> Simplified:
    """The simplest form of an expression in TVMScript's notation, where the conditions `given` hold.

    Args:
        expr: a text, an expression of TVM, whose variables have their types, or FILE:LINE:COLUMN of a value of MLIR.
        given: conditions that hold, as `n > 0`: texts or expressions of TVM, several or one.
        types: types of variables in texts; others have those of the objects, else `int32`.
        sizes: variables that are not negative: names, several or one.

    Raises:
        AnalyzerError: if it cannot be read.
    """
    conditions = [given] if _expressions.is_object(given) else several(given)
    # The expression first: where two variables have one name, its own stays.
    read = _expressions.read([expr, *conditions])
    text, *conditions = read.texts
    for name, dtype in (types or {}).items():
        if read.types.setdefault(name, str(dtype)) != str(dtype):
            raise AnalyzerError(f"`{name}` is {read.types[name]} in the expression, and {dtype} in `types`")
    words = ["simplify", "--format=json", *(f"--given={it}" for it in conditions)]
    words += [f"--var={name}:{dtype}" for name, dtype in read.types.items()]
    words += [f"--size={it}" for it in [*read.sizes, *several(sizes, ",")]]
    it = _command.ask([*words, "--", text])
    steps = tuple(Step(**step) for step in it["steps"])
    if "term" in it:
        missing = tuple((one["rule"], it["term"], one["fact"]) for one in it["missing"])
        return Simplified(it["term"], it["simple"] or it["term"], it["type"], False, steps, missing)
    return Simplified(
        before=it["before"],
        after=it["after"],
        dtype=it["dtype"],
        contradiction=it["contradiction"],
        steps=steps,
        missing=tuple((one["rule"], one["expression"], one["fact"]) for one in it["missing"]),
    )


@dataclass(frozen=True)
class Event:
    """Something that went wrong while a function ran: a race, an overflow, an access out of bounds."""

    kind: str
    message: str
    count: int
    span: Span


@dataclass(frozen=True)
class RunResult:
    """What a function did."""

    #: The arrays as the function leaves them, by the names of the parameters.
    arrays: dict[str, Any]
    events: tuple[Event, ...]
    #: What it returns, in words.
    returned: str | None
    #: Evaluated operators, loads, stores and calls; of MLIR the steps.
    counts: dict[str, int]
    #: What a function of MLIR returns: numbers and arrays; none for one that nothing defines.
    results: tuple[Any, ...] = ()

    def assert_clean(self) -> None:
        """Does nothing if nothing went wrong.

        Raises:
            AssertionError: with all events, otherwise.
        """
        if self.events:
            raise AssertionError("\n".join(f"{it.span}: {it.kind}: {it.message}" for it in self.events))


def run(
    fn: Any,
    inputs: Iterable[Any] | Mapping[str, Any] | str = "random",
    *,
    function: str | None = None,
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
    schedule: str = "lockstep",
    instance: str | None = None,
) -> RunResult:
    """Executes a function in the analyzer's interpreter, on copies of NumPy's arrays.

    Args:
        fn: what `check` takes.
        inputs: one a parameter, in order or by its name: an array, a number, `random` or `zeros`; or one word for all.
            bfloat16 and narrow floats are arrays of `ml_dtypes`.
        function: its name, if there are several.
        sizes: values of symbols that the shapes of the inputs do not tell.
        seed: of random values and of the random schedule.
        schedule: in which order threads run: `lockstep`, `serial`, `reverse` or `random`.
        instance: a call of a factory of kernels.

    Raises:
        AnalyzerError: if it cannot be run.
    """
    document = document_of(fn)
    words = ["run", "--format=json", "--output=out", f"--seed={seed}", f"--schedule={schedule}"]
    words += [f"--function={function}"] if function else []
    words += [f"--instance={instance}"] if instance else []
    words += [f"--set={name}={operator.index(_expressions.number(value))}" for name, value in (sizes or {}).items()]
    with document.as_file() as path, tempfile.TemporaryDirectory(prefix="tir-analyzer-") as folder:

        def ask(entries: list[str]) -> Any:
            listed = [f"--inputs={','.join(entries)}"] if entries else []
            return _command.ask([*words, *listed, "--", path], folder=folder, names={path: document.shown})

        answer = ask(_inputs.words(inputs, folder, ask))
        arrays = {it["name"].lstrip("%"): _array(it, folder) for it in answer["arguments"] if it.get("path")}
        returned = answer["returned"]
        results = tuple(_result(it, folder) for it in returned) if isinstance(returned, list) else ()
    name = document.name
    events = (
        Event(it["kind"], it["message"], it["count"], _findings.span(name, it["range"])) for it in answer["events"]
    )
    if results:
        returned = ", ".join(map(str, results))
    counts = answer.get("counts") or {"steps": answer["steps"]}
    return RunResult(arrays, tuple(events), returned or None, counts, results)


def _result(it: dict[str, Any], folder: str) -> Any:
    """A number, an array, or none for a value that is not defined."""
    if it.get("path"):
        return _array(it, folder)
    return it["value"] if it.get("defined") else None


def _array(it: dict[str, Any], folder: str) -> Any:
    """The array of a file, with the type that NumPy's format has no name for."""
    import numpy

    array = numpy.load(os.path.join(folder, it["path"]), allow_pickle=False)
    if array.dtype.kind == "V":
        import ml_dtypes

        array = array.view(getattr(ml_dtypes, it["dtype"].split("x")[0]))
    return array


@dataclass(frozen=True)
class Kernel:
    """The device code of one kernel."""

    name: str
    #: The function that it was made of.
    function: str
    source: str


@dataclass(frozen=True)
class DeviceCode:
    """Device code for a target."""

    target: str
    kernels: tuple[Kernel, ...]
    #: Functions and kernels without code, and why.
    refused: tuple[dict[str, Any], ...]

    def __str__(self) -> str:
        return "\n".join(it.source for it in self.kernels)


def device_code(
    fn: Any, target: str = "cuda", *, passes: Iterable[str] | str = ("cse",), instance: str | None = None
) -> DeviceCode:
    """The device code of the kernels in something, for a target as `build --target` names it (`cuda:arch=sm_90`).

    Raises:
        AnalyzerError: if it cannot be read.
    """
    document = document_of(fn)
    words = ["build", "--format=json", f"--target={target}", "--out=out", "--store=store"]
    words += [f"--passes={passes_word(passes)}"]
    words += [f"--instance={instance}"] if instance else []
    with document.as_file() as path, tempfile.TemporaryDirectory(prefix="tir-analyzer-") as folder:
        answer = _command.ask([*words, "--", path], folder=folder, names={path: document.shown})
        kernels = tuple(
            Kernel(it["entry"], it["function"], Path(folder, "out", it["output"]).read_text(encoding="utf-8"))
            for it in answer["kernels"]
            if it["output"]
        )
    return DeviceCode(target, kernels, tuple(answer["unsupported"]))
