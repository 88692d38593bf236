"""Records the functions that files of tests and factories make in TVM, and compares them with what is printed of them elsewhere.

    {"op": "version"} -> {"version"}
    {"op": "record", "path": P, "text": T, "limit": SECONDS, "packages": DIR} -> {"written": T, "instances": [{"first", "last", "placed",
     "given": {NAME: LITERAL}, "objects": [NAME], "around", "functions": [{"index", "placed", "line", "name"}]}], "ended": [...], "late"}
    {"op": "compare", ... as recorded, "printed": T} -> {"functions": [{"index", "kind", "why"}], "ended": [...], "late"}

The file is run (`run_tests.py`). What makes an instance of a function or module is known when TVM reads it: the values of the names that
it takes from the functions around it. "written" is the file with the instances written out: the outermost function around is copied,
its arguments become lines `name = literal`, and so do the names that the function or module takes, in a scope of their own around it.
Names whose values are no literals ("objects") are left to whoever reads the text. "first" and "last" are lines of the file, "placed" those
of the instance in that text, from 0; "index" counts the functions of the text, "line" is the place in the file, from 1.

Printed functions are read in the next run of the file in place of the own text of an instance, with its names and options; they are
"equal", "different" or "refused". "same" is the text as it was, where that is not equal.
"""

import ast
import json
import os
import sys
import types

from literals import literal
from run_tests import FileWatch, TestsWorker, attempt, decorated, function_of
from tvm_worker import describe, serve_deep, text_difference

# Instances of one function or module: a test with parameters makes one for each of their values.
MOST_INSTANCES = 4


def first_line(node):
    return min([node.lineno, *(it.lineno for it in getattr(node, "decorator_list", []))]) - 1


def functions_around(tree, first, last):
    """The Python functions around lines, from the outside."""
    found = [it for it in ast.walk(tree) if isinstance(it, ast.FunctionDef) and first_line(it) < first and last <= it.end_lineno]
    return sorted(found, key=lambda it: it.lineno)


class Instances(FileWatch):
    """Meets each instance of the functions of the file once. Who watches says what becomes of one that is `met`."""

    def __init__(self, request, tell):
        super().__init__(request, tell)
        self.known = {}

    def made(self, unit, program, result, args, kwargs):
        first, last, indices = unit
        names = kwargs.get("extra_vars", args[0] if args else None) or {}
        given, objects = self.captured(program, names, first, last)
        around = {str(it.lineno): self.arguments(it) for it in functions_around(self.tree, first, last)}
        known = self.known.setdefault(first, [])
        if (given, around) in known or len(known) >= MOST_INSTANCES:
            return
        known.append((given, around))
        functions = [{"name": self.functions[it][2].rsplit(".", 1)[-1], "line": self.functions[it][0] + 1} for it in indices]
        instance = {"first": first, "last": last, "given": given, "objects": objects, "around": around, "functions": functions}
        self.met(instance, result, lambda text: self.parse(text, *args, **kwargs))

    def captured(self, program, names, first, last):
        """The plain values that the lines take from the functions around them, and the names of the other ones."""
        module = vars(sys.modules.get(program.__module__, types.ModuleType("none")))
        tree = next((it for it in ast.walk(self.tree) if hasattr(it, "decorator_list") and first_line(it) == first), None)
        used = {it.id for it in ast.walk(tree) if isinstance(it, ast.Name)} if tree else set()
        given, objects = {}, []
        for name in sorted(used):
            if name not in names or (name in module and module[name] is names[name]):
                continue
            text = literal(names[name])
            if text is None:
                objects.append(name)
            else:
                given[name] = text
        return given, objects

    def arguments(self, function):
        """The plain values of the parameters of a function that runs."""
        frame = sys._getframe()
        while frame is not None:
            code = frame.f_code
            is_it = code.co_name == function.name and first_line(function) <= code.co_firstlineno <= function.lineno + 1
            if is_it and os.path.realpath(code.co_filename) == self.path:
                break
            frame = frame.f_back
        if frame is None:
            return {}
        values = {it: literal(frame.f_locals[it]) for it in parameters(function) if it in frame.f_locals}
        return {name: text for name, text in values.items() if text is not None}


def parameters(function):
    every = function.args
    return [it.arg for it in [*every.posonlyargs, *every.args, *every.kwonlyargs]]


class Text:
    """A file with instances written out."""

    def __init__(self, text):
        self.lines, self.tree = text.splitlines(), ast.parse(text)

    def write(self, told):
        """Adds the places of the instances to what was told of them, and returns the text."""
        after = {}
        for number, instance in enumerate(told):
            around = functions_around(self.tree, instance["first"], instance["last"])
            if around:
                after.setdefault(around[0].end_lineno, []).append((number, instance, around))
        lines = []
        for at in range(len(self.lines) + 1):
            for number, instance, around in after.get(at, []):
                self.copy(lines, number, instance, around)
            lines += self.lines[at : at + 1]
            for instance in told:
                if instance["first"] == at and not functions_around(self.tree, instance["first"], instance["last"]):
                    instance["placed"] = (len(lines) - 1, len(lines) - 1 + instance["last"] - instance["first"])
        text = "\n".join(lines) + "\n"
        found = decorated(ast.parse(text))
        for instance in told:
            first, last = instance["placed"]
            inside = [(i, it) for i, it in enumerate(found) if first <= it[0] and it[1] <= last]
            for function in instance["functions"]:
                mine = next(((i, it) for i, it in inside if it[2].rsplit(".", 1)[-1] == function["name"]), None)
                function["index"], function["placed"] = (mine[0], mine[1][:2]) if mine else (None, None)
        return text

    def copy(self, lines, number, instance, around):
        """Writes an instance: the outermost function around it with known arguments, the text with the names that it takes."""
        outermost = around[0]
        edits = {}
        for function in around:
            name = f"{function.name}_instance_{number}" if function is outermost else function.name
            end = first_line(function.body[0])
            edits[function.lineno - 1] = (end, self.header(function, name, instance["around"].get(str(function.lineno), {})))
        first, last = instance["first"], instance["last"]
        at = outermost.lineno - 1
        while at < outermost.end_lineno:
            if at == first:
                indent = self.indent(first)
                lines.append(f"{indent}def instance():")
                lines += [f"{indent}    {name} = {text}" for name, text in instance["given"].items()]
                start = len(lines)
                lines += [f"    {it}" if it.strip() else it for it in self.lines[first:last]]
                instance["placed"] = (start, len(lines))
                at = last
            elif at in edits:
                at, header = edits[at]
                lines += header
            else:
                lines.append(self.lines[at])
                at += 1

    def header(self, function, name, arguments):
        every = function.args
        unknown = [it for it in parameters(function) if it not in arguments]
        unknown += [f"*{every.vararg.arg}"] if every.vararg else []
        unknown += [f"**{every.kwarg.arg}"] if every.kwarg else []
        inside = self.indent(first_line(function.body[0]))
        head = f"{self.indent(function.lineno - 1)}def {name}({', '.join(unknown)}):"
        return [head, *(f"{inside}{name} = {text}" for name, text in arguments.items())]

    def indent(self, line):
        text = self.lines[line]
        return text[: len(text) - len(text.lstrip())]


class Recorder(Instances):
    """Tells each instance."""

    def met(self, instance, _result, _parse):
        self.tell(instance)


class Comparison(Instances):
    """Reads what is printed of instances in their place, and compares it with what TVM makes of them."""

    def __init__(self, request, tell):
        super().__init__(request, tell)
        self.instances = {key_of(it): it for it in request["instances"]}
        self.written, self.printed = (request[it].splitlines() for it in ("written", "printed"))
        self.places = [decorated(ast.parse(request[it])) for it in ("written", "printed")]
        if len(self.places[0]) != len(self.places[1]):
            raise ValueError(f"{len(self.places[1])} functions of {len(self.places[0])}")

    def met(self, instance, result, parse):
        known = self.instances.get(key_of(instance))
        for function in known["functions"] if known else []:
            kind, why = self.judge(known, function, result, parse)
            self.tell({"index": function["index"], "kind": kind, "why": why})

    def judge(self, instance, function, result, parse):
        import tvm_ffi

        original = function_of(result, function["name"])
        if original is None or function["index"] is None:
            return "unknown", "it is not found in what TVM makes"
        (first, last, _), (start, end, _) = (it[function["index"]] for it in self.places)
        is_same = self.written[first:last] == self.printed[start:end]
        begin, until = instance["placed"]
        lines = self.written[begin:first] + self.printed[start:end] + self.written[last:until]
        indent = len(lines[0]) - len(lines[0].lstrip())
        text = "\n".join(it[indent:].rstrip() for it in lines)
        read, why = attempt(lambda: parse(text))
        if why is not None:
            return ("same" if is_same else "refused"), why
        read = function_of(read, function["name"])
        if read is None:
            return "refused", "no function of the name"
        if tvm_ffi.structural_equal(original, read, map_free_vars=True):
            return "equal", None
        try:
            why = text_difference(original.script(), read.script())
        except Exception as error:  # noqa: BLE001 - TVM cannot print all that it can read
            why = describe(error)
        return ("same" if is_same else "different"), why or "structurally different, printed alike"


def key_of(instance):
    return json.dumps([instance["first"], instance["given"], instance["around"]], sort_keys=True)


class Worker(TestsWorker):
    def record(self, request):
        told = {}
        ended = self.run(Recorder, request, lambda it: told.setdefault(key_of(it), it))
        instances = sorted(told.values(), key=lambda it: it["first"])
        return {"written": Text(request["text"]).write(instances), "instances": instances, **ended}

    def compare(self, request):
        functions = {}
        ended = self.run(Comparison, request, lambda it: functions.setdefault(it["index"], it))
        return {"functions": list(functions.values()), **ended}


if __name__ == "__main__":
    serve_deep(Worker)
