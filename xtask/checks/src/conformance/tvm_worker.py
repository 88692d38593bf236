"""Answers questions about TVMScript with the real TVM, one JSON object a line.

Reads requests from standard input, writes one answer a line to the standard output it was started with. Everything
that TVM itself prints goes to standard error, so that it cannot garble the answers.

    {"op": "version"}                                  -> {"version": "0.27.0"}
    {"op": "read", "text": T}                          -> {"functions": [{"name", "error", "unchecked"}]}
    {"op": "equal", "left": T, "right": T}             -> {"functions": [{"name", "left_error", "right_error",
                                                           "unchecked", "equal", "mismatch", "same_text",
                                                           "text_difference"}]}
    {"op": "cse", "text": T}                           -> {"functions": [{"name", "error", "text"}]}
    {"op": "run", "text": T, "function": N, "arguments": [...]} -> {"outputs": [path]}
    {"op": "device", "kind": "cuda"}                   -> {"version", "device"}
    {"op": "time", "kind": "cuda", "text": T, "function": N, "arguments": [...],
     "times": number}                                  -> {"milliseconds": [...]}

A function is read on its own, with the lines of its file that are outside every function: one that TVM cannot read
takes no other with it. Every request may carry an "id", which comes back in the answer. An exception is an answer
with "error"; a crash of the process is for the caller to notice.
"""

import ast
import sys
import threading

from worker_loop import serve

# The deepest expressions of real dumps nest some thousand levels, in Python and in the native code below it.
STACK_BYTES = 1 << 30
RECURSION_LIMIT = 200_000
# How much of a mismatch is worth reading.
MISMATCH_CHARACTERS = 400
LINE_CHARACTERS = 120


def split_functions(text):
    """Each prim_func of a file as a file of its own, in order of appearance: [(name, text)]."""
    lines = text.splitlines(keepends=True)
    members = []
    for node in ast.parse(text).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        members += [member for member in inside if isinstance(member, ast.FunctionDef)]
    removable = []
    for member in members:
        first = min([member.lineno] + [decorator.lineno for decorator in member.decorator_list])
        removable.append((first - 1, member.end_lineno))
    result = []
    for index, member in enumerate(members):
        if not is_prim_func(member):
            continue
        kept, cursor = [], 0
        for other, (start, end) in enumerate(removable):
            if other == index:
                continue
            kept.append("".join(lines[cursor:start]))
            cursor = max(cursor, end)
        kept.append("".join(lines[cursor:]))
        result.append((member.name, "".join(kept)))
    return result


def is_prim_func(member):
    for decorator in member.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(target, ast.Attribute) and target.attr == "prim_func":
            return True
    return False


class Reader:
    """Reads functions, and remembers what it read last: both sides of a comparison are often the same text."""

    def __init__(self):
        import tvm
        import tvm.script

        self.tvm = tvm
        self.seen = {}
        self.unchecked = set()

    def read(self, text):
        """(module, None) or (None, error). The module holds one function."""
        key = hash(text)
        if key not in self.seen:
            if len(self.seen) > 256:
                self.seen.clear()
            self.seen[key] = self.read_now(text)
        return self.seen[key]

    def is_unchecked(self, text):
        """Whether the text is read only with the peer's check for well-formed functions off."""
        return hash(text) in self.unchecked

    def read_now(self, text):
        module, error = self.parse(text, check=True)
        if module is None and is_well_formedness(error):
            # Printed reductions use loop variables of the attribute outside their loops. The text itself reads.
            module, _ = self.parse(text, check=False)
            if module is not None:
                self.unchecked.add(hash(text))
                return module, None
        return module, error

    def parse(self, text, check):
        try:
            parsed = self.tvm.script.from_source(text, check_well_formed=check)
        except RecursionError:
            return None, "RecursionError"
        except Exception as error:  # noqa: BLE001 - whatever the peer raises is its answer
            return None, describe(error)
        if isinstance(parsed, self.tvm.IRModule):
            return parsed, None
        return self.tvm.IRModule({"main": parsed}), None


def is_well_formedness(error):
    return "Invalid use of undefined variable" in error


def describe(error):
    """What an exception says: its own cause first, then the last lines with the text that it points at."""
    if isinstance(error, RecursionError):
        return "RecursionError"
    cause = error.__cause__ or error.__context__
    parts = [] if cause is None else [f"{type(cause).__name__}: {first_line(str(cause))}"]
    lines = [line.strip(" |") for line in str(error).splitlines() if line.strip(" |^0123456789")]
    parts += [f"{type(error).__name__}: {line[:LINE_CHARACTERS]}" for line in lines[-1:]]
    return " / ".join(parts)[:MISMATCH_CHARACTERS]


def first_line(text):
    for line in text.splitlines():
        if line.strip():
            return line.strip()
    return ""


def only_function(module):
    return next(iter(module.functions_items()))[1] if hasattr(module, "functions_items") else next(
        iter(module.functions.values())
    )


def text_difference(left, right):
    """The first line that differs, from both sides."""
    left, right = left.splitlines(), right.splitlines()
    for number, (one, other) in enumerate(zip(left, right)):
        if one != other:
            at = next((i for i, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
            start = max(0, at - 60)
            return f"line {number + 1}: `{one[start:at + 80]}` / `{other[start:at + 80]}`"
    if len(left) != len(right):
        return f"{len(left)} / {len(right)} lines"
    return None


class Worker:
    def __init__(self):
        self.reader = Reader()

    def version(self, _request):
        return {"version": self.reader.tvm.__version__}

    def read(self, request):
        functions = []
        for name, text in split_functions(request["text"]):
            error = self.reader.read(text)[1]
            functions.append({"name": name, "error": error, "unchecked": self.reader.is_unchecked(text)})
        return {"functions": functions}

    def equal(self, request):
        right = {}
        for name, text in split_functions(request["right"]):
            right.setdefault(name, []).append(text)
        functions = []
        for name, text in split_functions(request["left"]):
            answer = {"name": name, "left_error": None, "right_error": None}
            functions.append(answer)
            left_module, answer["left_error"] = self.reader.read(text)
            answer["unchecked"] = self.reader.is_unchecked(text)
            if left_module is None:
                continue
            texts = right.get(name)
            if not texts:
                answer["right_error"] = "no such function"
                continue
            right_module, answer["right_error"] = self.reader.read(texts.pop(0))
            if right_module is None:
                continue
            answer.update(self.compare(only_function(left_module), only_function(right_module)))
        return {"functions": functions}

    def compare(self, left, right):
        import tvm_ffi

        equal = tvm_ffi.structural_equal(left, right, map_free_vars=True)
        answer = {"equal": bool(equal), "mismatch": None, "same_text": False, "text_difference": None}
        if not equal:
            answer["mismatch"] = self.mismatch(left, right)
        one, other = left.script(), right.script()
        answer["same_text"] = one == other
        if one != other:
            answer["text_difference"] = text_difference(one, other)
        return answer

    def mismatch(self, left, right):
        import tvm_ffi

        try:
            paths = tvm_ffi.get_first_structural_mismatch(left, right, map_free_vars=True)
        except Exception as error:  # noqa: BLE001
            return describe(error)
        return " / ".join(str(path) for path in paths)[:MISMATCH_CHARACTERS] if paths else None

    def cse(self, request):
        tvm = self.reader.tvm
        functions = []
        for name, text in split_functions(request["text"]):
            answer = {"name": name, "error": None, "text": None}
            functions.append(answer)
            module, answer["error"] = self.reader.read(text)
            if module is None:
                continue
            try:
                answer["text"] = tvm.tirx.transform.CommonSubexprElim()(module).script()
            except Exception as error:  # noqa: BLE001
                answer["error"] = describe(error)
        return {"functions": functions}

    def run(self, request):
        """Compiles one function for the CPU and runs it once on the bytes in the files of the arguments.

        An argument is {"dtype", "shape", "path"} (a buffer: its bytes) or {"dtype", "value"} (a scalar). The
        contents of every buffer after the run are written to "path" + ".tvm".
        """
        built = self.built(request, cpu())
        values = self.values(request, None)
        built["run_this"](*values)
        outputs = []
        for argument, value in zip(request["arguments"], values):
            if "path" in argument:
                outputs.append(argument["path"] + ".tvm")
                write_bytes(outputs[-1], value)
        return {"outputs": outputs}

    def device(self, request):
        """What TVM runs functions on, apart from the processor; an error where there is none."""
        kind = request["kind"]
        if not self.reader.tvm.runtime.enabled(kind):
            raise RuntimeError(f"this TVM does not run {kind} here")
        device = self.reader.tvm.device(kind, 0)
        if not device.exist:
            raise RuntimeError(f"TVM finds no device for {kind}")
        return {"version": self.reader.tvm.__version__, "device": device.device_name}

    def time(self, request):
        """Compiles one function for a kind of device and times so many calls, each on its own, by the device's clock."""
        kind = request["kind"]
        device = self.reader.tvm.device(kind, 0)
        target = cpu() if kind == "cpu" else {"kind": kind, "arch": "sm_" + device.compute_version.replace(".", "")}
        built = self.built(request, target)
        values = self.values(request, device)
        timer = built.jit().time_evaluator("run_this", device, number=1, repeat=request["times"])
        return {"milliseconds": [1e3 * seconds for seconds in timer(*values).results]}

    def built(self, request, target):
        tvm = self.reader.tvm
        text = next((text for name, text in split_functions(request["text"]) if name == request["function"]), None)
        if text is None:
            raise LookupError("no such function")
        module, error = self.reader.read(text)
        if module is None:
            raise ValueError(error)
        function = only_function(module).with_attr("global_symbol", "run_this")
        target = tvm.target.Target(target)
        if target.kind.name != "llvm":
            target = target.with_host(tvm.target.Target("llvm"))
        return tvm.compile(tvm.IRModule({"run_this": function}), target=target)

    def values(self, request, device):
        return [
            scalar(argument) if "value" in argument else self.tensor(argument, device)
            for argument in request["arguments"]
        ]

    def tensor(self, argument, device):
        import numpy

        raw = numpy.fromfile(argument["path"], dtype="uint8")
        shape, dtype = tuple(argument["shape"]), argument["dtype"]
        tensor = self.reader.tvm.runtime.empty(shape, dtype, device=device)
        view = raw.view(numpy_dtype(dtype)).reshape(shape)
        tensor.copyfrom(view)
        return tensor


def cpu():
    """The processor to compile for. One without fused multiply-add where there is a choice: TVM contracts
    `a * b + c` wherever the processor can, and the other sides of a comparison do not. Without optimizations: LLVM
    folds `a * b + c` of constants as if fused, and unrolled loops make constants."""
    import platform

    target = {"kind": "llvm", "opt-level": 0}
    if platform.machine().lower() in ("x86_64", "amd64"):
        target["mcpu"] = "x86-64"
    return target


def numpy_dtype(dtype):
    import ml_dtypes
    import numpy

    return numpy.dtype(getattr(ml_dtypes, dtype)) if hasattr(ml_dtypes, dtype) else numpy.dtype(dtype)


def scalar(argument):
    dtype = argument["dtype"]
    if dtype.startswith(("int", "uint")):
        return int(argument["value"])
    if dtype == "bool":
        return bool(argument["value"])
    return float(argument["value"])


def write_bytes(path, tensor):
    with open(path, "wb") as file:
        file.write(tensor.numpy().tobytes())


def serve_deep(make):
    """The loop on a stack that is large enough for what the peer reads."""
    sys.setrecursionlimit(RECURSION_LIMIT)
    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=serve, args=(make, describe))
    thread.start()
    thread.join()


if __name__ == "__main__":
    serve_deep(Worker)
