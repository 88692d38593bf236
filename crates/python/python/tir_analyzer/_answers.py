"""`simplify`, `run` and `device_code`: questions with answers of their own."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _command, _findings
from ._command import AnalyzerError
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
    expr: Any, given: Sequence[Any] = (), *, types: Mapping[str, str] | None = None, sizes: Sequence[str] = ()
) -> Simplified:
    """The simplest form of an expression in TVMScript's notation, where the conditions `given` hold.

    Args:
        expr: the expression; an object is taken as it prints itself.
        given: conditions that hold, as `n > 0`.
        types: types of variables; others are `int32`.
        sizes: variables that are not negative.

    Raises:
        AnalyzerError: if it cannot be read.
    """
    words = ["simplify", "--format=json", *(f"--given={it}" for it in given)]
    words += [f"--var={name}:{dtype}" for name, dtype in (types or {}).items()]
    words += [f"--size={it}" for it in sizes]
    it = _command.ask([*words, "--", str(expr)])
    return Simplified(
        before=it["before"],
        after=it["after"],
        dtype=it["dtype"],
        contradiction=it["contradiction"],
        steps=tuple(Step(**step) for step in it["steps"]),
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
    inputs: Sequence[Any] | str = "random",
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
        inputs: one a parameter, in order: an array, a number, `random` or `zeros`; or one word for all. bfloat16 and
            narrow floats are arrays of `ml_dtypes`.
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
    words += [f"--set={name}={value}" for name, value in (sizes or {}).items()]
    with document.as_file() as path, tempfile.TemporaryDirectory(prefix="tir-analyzer-") as folder:
        entries = [inputs] if isinstance(inputs, str) else [_entry(it, n, folder) for n, it in enumerate(inputs)]
        words += [f"--inputs={','.join(entries)}"] if entries else []
        answer = _command.ask([*words, "--", path], folder=folder)
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


def _entry(value: Any, number: int, folder: str) -> str:
    """The word for an input; an array becomes a file of the folder."""
    if isinstance(value, (str, bool, int, float)):
        return str(int(value)) if isinstance(value, bool) else str(value)
    import numpy

    array = numpy.asarray(value)
    if array.dtype.hasobject:
        raise AnalyzerError(f"input {number} is no array of numbers")
    numpy.save(os.path.join(folder, f"{number}.npy"), array, allow_pickle=False)
    return f"{number}.npy"


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
    fn: Any, target: str = "cuda", *, passes: Sequence[str] = ("cse",), instance: str | None = None
) -> DeviceCode:
    """The device code of the kernels in something, for a target as `build --target` names it (`cuda:arch=sm_90`).

    Raises:
        AnalyzerError: if it cannot be read.
    """
    document = document_of(fn)
    words = ["build", "--format=json", f"--target={target}", "--out=out", "--store=store"]
    words += [f"--passes={','.join(passes)}"]
    words += [f"--instance={instance}"] if instance else []
    with document.as_file() as path, tempfile.TemporaryDirectory(prefix="tir-analyzer-") as folder:
        answer = _command.ask([*words, "--", path], folder=folder)
        kernels = tuple(
            Kernel(it["entry"], it["function"], Path(folder, "out", it["output"]).read_text(encoding="utf-8"))
            for it in answer["kernels"]
            if it["output"]
        )
    return DeviceCode(target, kernels, tuple(answer["unsupported"]))
