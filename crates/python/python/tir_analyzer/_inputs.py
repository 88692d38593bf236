"""The inputs of a run: values of Python as words of the command, and files for arrays."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from . import _expressions
from ._command import AnalyzerError

#: Inputs that are made up.
_MADE = ("random", "zeros")
#: A file that is never there: nothing runs, and the refusal says what a parameter is.
_PROBE = "none.npy"
#: What is said of a parameter that gets this file: of TVMScript, then of MLIR.
_NAMED = re.compile(
    rf"cannot read {_PROBE} for `([^`]+)`|`([^`]+)` is a scalar|`([^`]+)`: (?:cannot read {_PROBE}|it takes a number)"
)
#: Runs the command on words, and raises its refusal.
_Ask = Callable[[list[str]], Any]


class _Single(NamedTuple):
    """A value without extents: what it is for a scalar, and for an array."""

    number: str
    file: str


def words(inputs: Any, folder: str, ask: _Ask) -> list[str]:
    """One word a parameter, or one for all of them; none for a function without parameters. Arrays become files of the
    folder.

    Raises:
        AnalyzerError: if something is no input, or not all have a name or place.
    """
    if isinstance(inputs, str):
        if inputs in _MADE:
            return [inputs]
        inputs = [it.strip() for it in inputs.split(",")]
    elif isinstance(inputs, Mapping):
        inputs = _in_order(inputs, _parameters(ask))
    elif hasattr(inputs, "shape") or isinstance(inputs, (bytes, bytearray)) or not isinstance(inputs, Iterable):
        inputs = [inputs]
    found = [_word(it, number, folder) for number, it in enumerate(inputs)]
    # The command makes everything up without inputs, and takes one word for all.
    if not found or found[0] in _MADE and len(found) == 1:
        count = _count(_refusal(ask, [_PROBE]))
        if count != len(found):
            parameters = "1 parameter" if count == 1 else f"{count} parameters"
            raise AnalyzerError(
                f"the function has {parameters}, and `inputs` has {len(found)}; one word, in no list, is for all"
            )
    res: list[str] = []
    for number, it in enumerate(found):
        if isinstance(it, _Single):
            refusal = _refusal(ask, [*res, _PROBE, *["random"] * (len(found) - number - 1)])
            it = it.file if f"cannot read {_PROBE}" in refusal else it.number
        res.append(it)
    return res


def _word(value: Any, number: int, folder: str) -> str | _Single:
    if isinstance(value, str):
        if value in _MADE:
            return value
        for read in (int, float):
            try:
                return _number(read(value), number)
            except ValueError:
                continue
        raise AnalyzerError(f"input {number} is {value!r}: give an array, a number, `random` or `zeros`")
    value = _expressions.number(value)
    if isinstance(value, (bool, int, float)):
        return _number(value, number)
    array = _array(value, number)
    import numpy

    file = f"input-{number}.npy"
    numpy.save(os.path.join(folder, file), array, allow_pickle=False)
    if array.ndim:
        return file
    single = array.item()
    return _Single(_number(single if isinstance(single, (bool, int)) else float(single), number), file)


def _array(value: Any, number: int) -> Any:
    """An array of numbers: of NumPy, and what can be read as one."""
    import numpy

    try:
        # A tensor of TVM.
        read = None if hasattr(value, "__array__") else getattr(value, "numpy", None)
        array = numpy.asarray(read() if callable(read) else value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise AnalyzerError(f"input {number} is no array of numbers: {error}") from error
    # Narrow floats of `ml_dtypes` are `V`, as are records.
    if array.dtype.kind not in "biufV" or array.dtype.names:
        raise AnalyzerError(f"input {number} is no array of numbers, but of {array.dtype}")
    return array


def _number(value: float, number: int) -> str:
    """The word for a number. Integers without a sign beyond 64 bits with one are those of the same bits."""
    if isinstance(value, float):
        return repr(float(value))
    if not -(1 << 63) <= value < 1 << 64:
        raise AnalyzerError(f"input {number} does not fit in 64 bits: {value}")
    return str(int(value) if value < 1 << 63 else value - (1 << 64))


def _in_order(inputs: Mapping[str, Any], names: list[str]) -> list[Any]:
    """The inputs by their places."""
    given = {str(name).lstrip("%"): value for name, value in inputs.items()}
    unknown = [it for it in given if it not in names]
    missing = [it for it in names if it not in given]
    if unknown or missing:
        what = f"there is no parameter `{unknown[0]}`" if unknown else f"`inputs` has none for `{'`, `'.join(missing)}`"
        raise AnalyzerError(f"{what}; the parameters are {', '.join(names) or 'none'}")
    return [given[it] for it in names]


def _parameters(ask: _Ask) -> list[str]:
    """The names of the parameters, as the answer of a run has them."""
    refusal = _refusal(ask, [_PROBE])
    if listed := re.search(r"has \d+ parameters \((.*)\), and", refusal):
        return [it for it in listed[1].split(", ") if it]
    count = _count(refusal)
    names = []
    for number in range(count):
        probe = ["zeros"] * count
        probe[number] = _PROBE
        refusal = _refusal(ask, probe)
        named = _NAMED.match(refusal)
        if named is None:
            raise AnalyzerError(refusal)
        names.append(named[named.lastindex or 0].lstrip("%"))
    return names


def _count(refusal: str) -> int:
    """The number of parameters, from what is said of one input.

    Raises:
        AnalyzerError: with what is said, if the function is refused for something else.
    """
    if counted := re.search(r"has (\d+) parameters", refusal):
        return int(counted[1])
    if _NAMED.match(refusal):
        return 1
    raise AnalyzerError(refusal)


def _refusal(ask: _Ask, probe: list[str]) -> str:
    try:
        ask(probe)
    except AnalyzerError as error:
        return str(error)
    return ""
