"""Records the kernels that files of TileLang make, as TileLang prints them, with the values that make each.

    {"op": "version"} -> {"version"}
    {"op": "record", "path": P, "limit": SECONDS, "most": N}
        -> {"kernels": [{"factory", "arguments", "objects", "nested", "name", "text"}], "ended": [...]}

The file is run in a process of its own, which is ended at its limit: first as a module, then its functions `main`, `test_…` and their kin,
with the values that pytest's marks give. No GPU is needed: tensors are fake, nothing is compiled, and a kernel that is called gives fake
tensors back. What a file has made by the time that it ends counts; "ended" says how its functions ended, where it was an error.

A kernel is made by a *factory*, the outermost function around it; an eager kernel is its own. "arguments" are its parameters as literals
of Python, sizes that `T.const` declares included; "objects" names those whose values are no literals. "nested" is true if a further
function with parameters stands between the factory and the kernel. "text" is TileLang's own print, `PrimFunc.script()`, before any pass.
"""

import contextlib
import importlib.util
import inspect
import io
import itertools
import json
import os
import re
import signal
import sys
import time

from literals import literal
from worker_loop import serve

TARGET = '{"kind":"cuda","arch":"sm_90a"}'
# Instances of one kernel: a test with marks makes one for each of their values.
MOST_INSTANCES = 3
# Combinations of a test's marks that are run.
MOST_CASES = 12
# Seconds that one function of a file may take.
FUNCTION_SECONDS = 20
ENTRIES = re.compile(r"^(main|run|test|bench|example|check|run_regression_perf|test_\w+|run_\w+|bench_\w+|main_\w+)$")


class Ended(Exception):
    """One function of a file took too long."""


class Outputs:
    """What a compiled kernel is in a run that compiles nothing."""

    def __init__(self, function, out_idx):
        import torch

        self.function, self.torch = function, torch
        given = [] if out_idx is None else out_idx
        self.out = [given] if isinstance(given, int) else list(given)

    def func(self, *tensors, **_):
        every = [self.tensor(it) for it in self.buffers(self.out)]
        return every[0] if len(every) == 1 else every or None

    def buffers(self, places):
        parameters = list(self.function.params)
        return [self.function.buffer_map[parameters[it]] for it in places]

    def tensor(self, buffer):
        shape = [int(it) if hasattr(it, "value") else 128 for it in buffer.shape]
        return self.torch.empty(shape, dtype=getattr(self.torch, str(buffer.dtype), self.torch.float16))

    def get_kernel_source(self, *_, **__):
        return ""

    def __getattr__(self, _):
        return lambda *args, **kwargs: None


class Recorder:
    """Watches TileLang make kernels of one file."""

    def __init__(self, path, most, tell):
        self.path, self.most, self.tell = os.path.realpath(path), most, tell
        self.known, self.count = {}, 0

    def watch(self):
        """Stands between the decorators and what they make."""
        from tilelang.language.eager import builder

        make, take, recorder = builder.prim_func, builder.JITFunc.get_tir, self

        def made(func, eager_jit, frame):
            # The parameters of the factories have their values now: the frames around the definition are alive.
            around = [] if eager_jit else recorder.around(func, frame)
            result = make(func, eager_jit=eager_jit)
            if not eager_jit:
                recorder.made(func, around, result)
            return result

        def prim_func(func=None, *, eager_jit=False):
            if func is None:
                return lambda it: made(it, eager_jit, sys._getframe(1))
            return made(func, eager_jit, sys._getframe(1))

        def get_tir(jit, *args, **kwargs):
            result = take(jit, *args, **kwargs)
            if jit.mode == "eager":
                values = dict(jit._argument_binder.bind(args, kwargs).compile_kwargs)
                values.update(recorder.sizes(jit, args, kwargs))
                recorder.made(jit.orig_func, [(jit.orig_func.__qualname__, values)], result)
            return result

        for name, module in list(sys.modules.items()):
            if name.startswith("tilelang") and getattr(module, "prim_func", None) is make:
                module.prim_func = prim_func
        builder.JITFunc.get_tir = get_tir

    @staticmethod
    def sizes(jit, args, kwargs):
        """The values of the names of `T.const` in a call."""
        bound = jit._argument_binder.bind(args, kwargs)
        template = jit.p1_cache[bound.p1_key]
        matcher = getattr(template, "matcher", None) or {}
        found = template._parse_phase2_key(**bound.tensor_args, **bound.compile_kwargs)
        return {var.name: value for var, value in zip(matcher, found) if isinstance(value, int)}

    def around(self, func, frame):
        """The functions of Python around a definition, from the outside, with the values of their parameters."""
        found = []
        names = func.__qualname__.split(".<locals>.")[:-1]
        while frame is not None and names:
            code = frame.f_code
            if os.path.realpath(code.co_filename) == self.path and code.co_name == names[-1].rsplit(".", 1)[-1]:
                count = code.co_argcount + code.co_kwonlyargcount
                values = {it: frame.f_locals.get(it) for it in code.co_varnames[:count] if it != "self"}
                found.append((".".join(names), values))
                names.pop()
            frame = frame.f_back
        return found[::-1]

    def made(self, func, around, result):
        if os.path.realpath(func.__code__.co_filename) != self.path or not hasattr(result, "script"):
            return
        values = around[0][1] if around else {}
        texts = {name: literal(value) for name, value in values.items()}
        kernel = {
            "factory": around[0][0] if around else None,
            "arguments": {name: text for name, text in texts.items() if text is not None},
            "objects": [name for name, text in texts.items() if text is None],
            "nested": any(it[1] for it in around[1:]),
            "name": func.__name__,
        }
        known = self.known.setdefault((kernel["factory"], kernel["name"]), [])
        if kernel in known or len(known) >= MOST_INSTANCES:
            return
        known.append(dict(kernel))
        kernel["text"] = result.script()
        self.count += 1
        self.tell({"kernel": kernel})

    def is_enough(self):
        return self.count >= self.most


class Nothing:
    """An object that answers every call with 1."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: 1.0


def pretend():
    """Makes a GPU and its tensors of nothing; returns a context in which tensors are made where they can be."""
    import tilelang.profiler
    import torch
    from tilelang.backend import target
    from tilelang.jit import kernel as jit_kernel
    from torch.overrides import TorchFunctionMode

    def compiled(self, function, out_idx):
        self.artifact = Nothing()
        return Outputs(function, out_idx)

    jit_kernel.JITKernel._compile_and_create_adapter = compiled
    jit_kernel.JITKernel.get_profiler = lambda *a, **k: Nothing()
    bench = tilelang.profiler.do_bench
    for name, module in list(sys.modules.items()):
        if name.startswith("tilelang") and getattr(module, "do_bench", None) is bench:
            module.do_bench = lambda *a, **k: 1.0
    target._TARGET_DETECTORS.clear()
    target.register_target_detector("none", lambda: json.loads(TARGET))

    class Device:
        multi_processor_count, major, minor, name = 132, 9, 0, "H100"
        total_memory, shared_memory_per_block_optin, warp_size = 80 << 30, 232448, 32
        max_threads_per_multi_processor, regs_per_multiprocessor, L2_cache_size = 2048, 65536, 50 << 20

    answers = {
        "is_available": True, "device_count": 1, "get_device_capability": (9, 0), "current_device": 0, "synchronize": None,
        "get_device_properties": Device, "get_device_name": "H100", "manual_seed": None, "manual_seed_all": None,
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *a, _answer=answer, **k: _answer)
    torch.testing.assert_close = lambda *a, **k: None
    torch.allclose = lambda *a, **k: True
    torch.equal = lambda *a, **k: True
    torch.Tensor.cuda = lambda self, *a, **k: self
    torch.Tensor.item = lambda self: 1
    torch.set_default_device = lambda *a: None

    def is_cuda(value):
        return (isinstance(value, str) and value.startswith("cuda")) or (isinstance(value, torch.device) and value.type == "cuda")

    class OnHost(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            kwargs = dict(kwargs or {})
            if is_cuda(kwargs.get("device")):
                kwargs["device"] = "cpu"
            return func(*["cpu" if is_cuda(it) else it for it in args], **kwargs)

    return OnHost()


def cases(function):
    """The arguments that marks of pytest give to a function; it is called without any if it has no marks."""
    sets = []
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            names = [it.strip() for it in mark.args[0].split(",")] if isinstance(mark.args[0], str) else list(mark.args[0])
            values = [getattr(it, "values", (it,) if len(names) == 1 else it) for it in mark.args[1]]
            sets.append([dict(zip(names, it)) for it in values])
    for chosen in itertools.islice(itertools.product(*sets), MOST_CASES):
        yield {name: value for part in chosen for name, value in part.items()}


def entries(module, path):
    """The functions of a file that make kernels when they are called, `main` first."""
    found = []
    for name, it in list(vars(module).items()):
        it = inspect.unwrap(it) if inspect.isfunction(it) else it
        if inspect.isfunction(it) and ENTRIES.match(name) and os.path.realpath(it.__code__.co_filename) == path:
            needed = [p for p in inspect.signature(it).parameters.values() if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
            marked = next(cases(it), {})
            if all(p.name in marked for p in needed):
                found.append((name != "main", it.__code__.co_firstlineno, name, it))
    return [(name, it) for _, _, name, it in sorted(found, key=lambda it: it[:3])]


def describe(error):
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[-1][:160]}"


def run(path, most, tell):
    """Runs one file."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    recorder = Recorder(path, most, tell)
    recorder.watch()
    on_host = pretend()
    path = os.path.realpath(path)
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    os.chdir(os.path.dirname(path))

    def late(*_):
        raise Ended(f"{FUNCTION_SECONDS} s")

    signal.signal(signal.SIGALRM, late)
    with FakeTensorMode(allow_non_fake_inputs=True), on_host:
        spec = importlib.util.spec_from_file_location("recorded", path)
        module = sys.modules["recorded"] = importlib.util.module_from_spec(spec)
        signal.alarm(2 * FUNCTION_SECONDS)
        try:
            spec.loader.exec_module(module)
        except BaseException as error:  # noqa: BLE001 - what it has made by then counts
            tell({"ended": f"<module>: {describe(error)}"})
        for name, function in entries(module, path):
            for given in cases(function):
                if recorder.is_enough():
                    return
                signal.alarm(FUNCTION_SECONDS)
                try:
                    function(**given)
                except BaseException as error:  # noqa: BLE001
                    tell({"ended": f"{name}: {describe(error)}"})
                signal.alarm(0)


class Worker:
    def __init__(self):
        os.environ.update(TILELANG_DEFAULT_TARGET=TARGET, TILELANG_DISABLE_CACHE="1", OMP_NUM_THREADS="1")
        import tilelang
        import torch._subclasses.fake_tensor  # noqa: F401 - once for all files

        self.tilelang = tilelang

    def version(self, _request):
        return {"version": self.tilelang.__version__}

    def record(self, request):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            out = os.fdopen(write, "w")

            def tell(it):
                out.write(json.dumps(it) + "\n")
                out.flush()

            with contextlib.suppress(BaseException), contextlib.redirect_stdout(io.StringIO()):
                run(request["path"], request.get("most", 1000), tell)
            with contextlib.suppress(BaseException):
                tell({"done": True})
            os._exit(0)
        os.close(write)
        told = self.listen(child, read, time.monotonic() + request["limit"])
        return {
            "kernels": [it["kernel"] for it in told if "kernel" in it],
            "ended": [it["ended"] for it in told if "ended" in it] + ([] if {"done": True} in told else ["the process ended early"]),
        }

    @staticmethod
    def listen(child, read, until):
        """What a child tells before it ends, or before it is ended."""
        import select

        text, told = b"", []
        while time.monotonic() < until:
            if not select.select([read], [], [], 0.5)[0]:
                continue
            part = os.read(read, 1 << 16)
            text += part
            if not part or text.endswith(b'{"done": true}\n'):
                break
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(read)
        for line in text.splitlines():
            with contextlib.suppress(ValueError):
                told.append(json.loads(line))
        return told


if __name__ == "__main__":
    serve(Worker, describe)
