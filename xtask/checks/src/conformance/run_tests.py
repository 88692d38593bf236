"""Runs a file of other people's tests in TVM, with TVM's own entry to its parser watched.

Functions stand inside tests and factories and take names from around them, so the file is run (by pytest, devices and skip marks
disregarded; a file that is no test is imported), and a `FileWatch` is told of each function or module of the file that TVM reads. A test
ends where it would compile or tune something: the text has been read by then. Each file is run in a process of its own, which is ended
at its limit; what it has told by then counts. Limits are seconds of the processor, so that a loaded machine gives the answers of an idle
one; what only waits is ended by the clock, and its answer is "late".
"""

import ast
import contextlib
import importlib
import importlib.util
import inspect
import json
import linecache
import os
import resource
import signal
import sys
import tempfile
import time
import unittest.mock

from tvm_worker import describe

# How often a file is run, each time without the tests that ended a run before.
MOST_RUNS = 6
# Seconds of the processor that one test may take.
TEST_SECONDS = 20
# Seconds of the clock for one of the processor, for what waits for others, and the most that all runs of a file have.
PATIENCE = 10
MOST_SECONDS = 840


def decorated(tree):
    """The functions that are prim_funcs by their decorator, in text order: (first line, last line, name), lines from 0."""
    found = []

    def visit(node, path):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                inner = [*path, child.name]
                if isinstance(child, ast.FunctionDef) and is_prim_func(child):
                    first = min([child.lineno, *(it.lineno for it in child.decorator_list)])
                    found.append((first - 1, child.end_lineno, ".".join(inner)))
                    continue
                visit(child, inner)
            else:
                visit(child, path)

    visit(tree, [])
    return found


def is_prim_func(function):
    for decorator in function.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", None)
        if name == "prim_func":
            return True
    return False


def modules(tree):
    """Classes that TVM reads as a whole: (first line, last line)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and any("ir_module" in ast.unparse(it) for it in node.decorator_list):
            yield (min([node.lineno, *(it.lineno for it in node.decorator_list)]) - 1, node.end_lineno)


class FileWatch:
    """The functions of one file, and the watch on TVM's parser. Who watches says what becomes of what is `made` and `refused`."""

    def __init__(self, request, tell):
        self.path, self.tell = os.path.realpath(request["path"]), tell
        self.lines = request["text"].splitlines()
        self.tree = ast.parse(request["text"])
        self.functions = decorated(self.tree)

    def watch(self):
        """Stands between TVM's decorators and its parser."""
        from tvm.script.parser.core import entry

        self.entry = entry
        parse = entry.parse

        def watched(program, *args, **kwargs):
            try:
                result = parse(program, *args, **kwargs)
            except BaseException as error:
                with contextlib.suppress(Exception):
                    self.refused(program, describe(error))
                raise
            with contextlib.suppress(TestTimeout):
                unit = self.unit(program)
                if unit is not None:
                    self.made(unit, program, result, args, kwargs)
            return result

        for name, module in list(sys.modules.items()):
            if name.startswith("tvm.") and getattr(module, "parse", None) is parse:
                module.parse = watched
        self.parse = parse

    def unit(self, program):
        """The lines of what is read, if it is of this file, and the functions inside."""
        try:
            source = self.entry.Source(program)
        except Exception:  # noqa: BLE001 - no source, no comparison
            return None
        if os.path.realpath(source.source_name or "") != self.path:
            return None
        first = source.start_line - 1
        last = first + len(source.source.splitlines())
        return (first, last, self.inside(first, last))

    def inside(self, first, last):
        return [i for i, (start, end, _) in enumerate(self.functions) if first <= start and end <= last]

    def made(self, unit, program, result, args, kwargs):
        """TVM has made this of a unit."""

    def refused(self, program, why):
        """TVM refuses what it was to read."""

    def unreached(self, module):
        """All runs are over; the module is what was imported of the file."""


def function_of(result, name):
    import tvm

    if not isinstance(result, tvm.IRModule):
        result = getattr(result, "ir_module", result)
    if not isinstance(result, tvm.IRModule):
        return result
    return next((it for gv, it in result.functions_items() if gv.name_hint == name), None)


def attempt(act):
    try:
        return act(), None
    except TestTimeout:
        raise
    except Exception as error:  # noqa: BLE001 - whatever the peer raises is its answer
        return None, describe(error) or type(error).__name__


def accepts(act):
    return attempt(act)[1] is None


class TestTimeout(BaseException):
    """A test took its time."""


class Plugin:
    """A pytest plug-in: no skips, a limit for each test, and the module for what is left at the end."""

    def __init__(self, tell, without):
        self.module, self.tell, self.without = None, tell, without

    def pytest_collection_modifyitems(self, items):
        items[:] = [it for it in items if it.nodeid not in self.without]
        for item in items:
            self.module = getattr(item, "module", self.module)
            for node in item.listchain():
                node.own_markers = [it for it in node.own_markers if it.name not in ("skip", "skipif", "xfail")]

    def pytest_runtest_setup(self, item):
        self.tell({"test": item.nodeid})
        set_timers(TEST_SECONDS)

    def pytest_runtest_teardown(self, item):
        set_timers(0)


def set_timers(seconds):
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, seconds * PATIENCE)


def quick_stacks():
    """The frames that TVM's decorators ask for, without a search for the module of each: most of the time goes there."""

    def line_of(frame):
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
        return [line] if line else None

    def frames(frame, context=1):
        found = []
        while frame is not None:
            place = (frame, frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
            found.append(inspect.FrameInfo(*place, line_of(frame), 0))
            frame = frame.f_back
        return found

    inspect.getouterframes = frames
    inspect.stack = lambda context=1: frames(sys._getframe(1), context)


def import_or_stand_in(name, *_args, **_kwargs):
    """A library that is not there, where a test would be skipped without it: few functions need it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return unittest.mock.MagicMock(name=name)


def end_test(*_args, **_kwargs):
    import pytest

    pytest.skip("what is compiled has been read")


def compile_nothing():
    """Tests end where they would compile, tune or wait for a device."""
    import tvm
    import tvm.relax
    import tvm.s_tir.meta_schedule as tuning

    compilers = [getattr(tvm, "compile", None), getattr(tvm, "build", None)]
    compilers += [getattr(tvm.relax, "build", None), getattr(tvm.tirx, "build", None)]
    compilers += [getattr(tuning, it, None) for it in ("tune_tir", "tune_tasks")]
    compilers = [it for it in compilers if it is not None]
    for name, module in list(sys.modules.items()):
        if name == "tvm" or name.startswith("tvm."):
            for attribute, value in list(vars(module).items()):
                if any(value is it for it in compilers):
                    setattr(module, attribute, end_test)


def run_file(watching, path, without):
    """Runs the file, as tests if it has some (but those that ended an earlier run), else as a module."""
    import pytest

    def out_of_time(*_args):
        raise TestTimeout

    signal.signal(signal.SIGALRM, out_of_time)
    signal.signal(signal.SIGPROF, out_of_time)
    plugin = Plugin(watching.tell, without)
    name = os.path.basename(path)
    if name.startswith("test_") or name.endswith("_test.py"):
        os.chdir(os.path.dirname(path))
        options = [path, "-q", "-p", "no:cacheprovider", "-p", "no:faulthandler", "-W", "ignore", "--rootdir", os.path.dirname(path)]
        with contextlib.suppress(TestTimeout):
            pytest.main(options, plugins=[plugin])
        set_timers(0)
    module = plugin.module
    if module is None:
        spec = importlib.util.spec_from_file_location(package_name(path), path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        # What was defined before an end is there.
        with contextlib.suppress(BaseException):
            spec.loader.exec_module(module)
    watching.unreached(module)


def package_name(path):
    """The name under which a module of TVM imports its neighbours; any other for the rest."""
    parts = path.removesuffix(".py").split(os.sep)
    for at in range(len(parts) - 1, -1, -1):
        if parts[at] == "tvm" and os.path.exists(os.sep.join([*parts[: at + 1], "__init__.py"])):
            return ".".join(parts[at:])
    return "surveyed"


class TestsWorker:
    """A worker that runs files; each kind of watch has a worker of its own."""

    def __init__(self):
        self.is_ready = False

    def version(self, _request):
        import tvm

        return {"version": tvm.__version__}

    def get_ready(self, packages):
        """All that the processes of the files have in common."""
        if self.is_ready:
            return
        self.is_ready = True
        sys.path.append(packages)
        import pytest

        pytest.importorskip = import_or_stand_in
        import tvm
        import tvm.relax
        import tvm.script
        import tvm.testing

        quick_stacks()
        import tvm.s_tir.tensor_intrin  # noqa: F401 - reads a hundred functions
        compile_nothing()

    def run(self, watch, request, take):
        """Runs the file of a request under a watch, and gives what it tells to `take`: how runs ended that did not end well, and whether the
        clock ended one."""
        self.get_ready(request["packages"])
        left = Left(request["limit"])
        without, ended, is_late = [], [], False
        # A test that ends the process is left out of the next run.
        while len(without) < MOST_RUNS:
            with tempfile.NamedTemporaryFile("r") as told:
                how = run_apart(watch, request, without, told.name, left)
                test = take_all(told, take)
            if how is None:
                break
            ended.append(f"{test or 'the module'}: {how}")
            is_late = is_late or how == LATE
            if test is None or test in without or left.is_over():
                break
            without.append(test)
        return {"ended": ended, "late": is_late}


# How a run ends that the clock ended.
LATE = "not done in time by the clock"


class Left:
    """The time that is left to the runs of one file: seconds of the processor, and the end by the clock."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.end = time.monotonic() + min(seconds * PATIENCE, MOST_SECONDS)

    def is_over(self):
        return self.seconds < 1 or time.monotonic() > self.end


def run_apart(watch, request, without, told, left):
    """Runs the file in a process of its own; how that ended, if not well."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.setsid()
            limit = max(1, int(left.seconds))
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(nothing, number)
            with open(told, "a", buffering=1) as out:
                watching = watch(request, lambda it: out.write(json.dumps(it) + "\n"))
                watching.watch()
                run_file(watching, request["path"], without)
            code = 0
        finally:
            os._exit(code)
    done, status, used = 0, 0, None
    while not done and time.monotonic() < left.end:
        time.sleep(0.02)
        done, status, used = os.wait4(pid, os.WNOHANG)
    # Those that it has started go with it.
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    if not done:
        os.waitpid(pid, 0)
        return LATE
    left.seconds -= used.ru_utime + used.ru_stime
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return f"not done after {request['limit']} s"
    return None if status == 0 else f"ended with status {status}"


def take_all(told, take):
    """Gives what a run told to `take`; the test that ran last."""
    test = None
    for line in told:
        with contextlib.suppress(json.JSONDecodeError):
            said = json.loads(line)
            if "test" in said:
                test = said["test"]
            else:
                take(said)
    return test
