"""rust-analyzer for tensor IR, from Python.

`check` finds what is wrong and what is computed more than once; `simplify`, `run`, `opt` and `device_code` are the
commands of the same names. Neither TVM nor Triton, TileLang, NumPy or torch is imported here.
"""

from ._answers import DeviceCode, Event, Kernel, RunResult, Simplified, Step, device_code, run, simplify
from ._command import AnalyzerError, LeftAsItWas
from ._findings import Finding, Findings, Level, NotClean, Place, Related, Span
from ._native import __version__
from ._texts import check, opt

__all__ = [
    "AnalyzerError",
    "DeviceCode",
    "Event",
    "Finding",
    "Findings",
    "Kernel",
    "LeftAsItWas",
    "Level",
    "NotClean",
    "Place",
    "Related",
    "RunResult",
    "Simplified",
    "Span",
    "Step",
    "__version__",
    "check",
    "device_code",
    "opt",
    "run",
    "simplify",
]
