"""Runs a file of TVM's tests and reads each function of it twice: as it is written, and as it is printed.

    {"op": "version"} -> {"version"}
    {"op": "reread", "path": P, "text": T, "printed": {NAME: T}, "limit": SECONDS, "packages": DIR} -> {"functions": [{"line", "name", "original",
     "why", "texts": {NAME: {"kind", "why"}}}], "ended": [how a run ended that did not end well],
     "late"}

The file is run (`run_tests.py`): whenever TVM reads a function or module of the file, it reads the printed text in its place right
after, with the values that the names have at that moment. What no run reaches is read with the names of the module alone.

"original" is "read", "unread" (TVM refuses the function as it is written) or "unreached". "kind" is "same" (the text is the
function's own), "equal", "renamed" (equal but for names), "changed" or "refused".
"""

import ast

from run_tests import FileWatch, TestsWorker, accepts, attempt, decorated, function_of, modules
from tvm_worker import describe, serve_deep, text_difference

# How often one function is compared: a test with parameters reads it once for each of their values.
MOST_COMPARISONS = 6
# The worst comes last.
KINDS = ["same", "equal", "renamed", "changed", "refused"]


class Survey(FileWatch):
    """The functions of one file, what is known of each, and the watch on TVM's parser."""

    def __init__(self, request, tell):
        super().__init__(request, tell)
        self.printed, self.broken = {}, {}
        for name, text in request["printed"].items():
            try:
                found, lines = decorated(ast.parse(text)), text.splitlines()
                if len(found) != len(self.functions):
                    raise SyntaxError(f"{len(found)} functions of {len(self.functions)}")
                self.printed[name] = [lines[first:last] for first, last, _ in found]
            except SyntaxError as error:
                self.broken[name] = f"no Python: {error}"
        self.times = [0] * len(self.functions)
        self.read = [False] * len(self.functions)

    def made(self, unit, program, result, args, kwargs):
        self.compare(*unit, result, lambda text: self.parse_instead(self.parse, program, text, args, kwargs))

    def parse_instead(self, parse, program, text, args, kwargs):
        """Reads a text as what `program` would be."""
        try:
            return parse(text, *args, **kwargs)
        except Exception:
            # Annotations that only Python can evaluate come from the function itself; so they must for the original.
            source = self.entry.Source
            own = source(program).source
            if accepts(lambda: parse(own, *args, **kwargs)):
                raise
            self.entry.Source = lambda it: source(text)
            try:
                return parse(program, *args, **kwargs)
            finally:
                self.entry.Source = source

    def refused(self, program, why):
        for index in (self.unit(program) or (0, 0, []))[2]:
            self.say(index, "unread", why=why)

    def compare(self, first, last, indices, original, parse):
        indices = [it for it in indices if self.times[it] < MOST_COMPARISONS]
        for index in indices:
            self.times[index] += 1
            self.read[index] = True
        if not indices:
            return
        answers = {index: {} for index in indices}
        for name in [*self.printed, *self.broken]:
            if name in self.broken:
                for index in indices:
                    answers[index][name] = ("refused", self.broken[name])
                continue
            changed = [it for it in indices if not self.is_same(name, it)]
            for index in set(indices) - set(changed):
                answers[index][name] = ("same", None)
            if not changed:
                continue
            result, why = attempt(lambda: parse(self.text(first, last, name, changed)))
            if why is None:
                for index in changed:
                    answers[index][name] = self.judge(index, original, result)
                continue
            # One that is refused takes all of its module with it: each alone.
            for index in changed:
                result, why = attempt(lambda: parse(self.text(first, last, name, [index])))
                answers[index][name] = ("refused", why) if why else self.judge(index, original, result)
        for index in indices:
            texts = {name: {"kind": kind, "why": why} for name, (kind, why) in sorted(answers[index].items())}
            self.say(index, "read", texts=texts)

    def is_same(self, name, index):
        first, last, _ = self.functions[index]
        return self.printed[name][index] == self.lines[first:last]

    def text(self, first, last, name, changed):
        """The lines with some functions as they are printed."""
        lines, at = [], first
        for index in changed:
            start, end, _ = self.functions[index]
            lines += self.lines[at:start] + self.printed[name][index]
            at = end
        lines += self.lines[at:last]
        indent = len(lines[0]) - len(lines[0].lstrip())
        return "\n".join(it[indent:].rstrip() for it in lines)

    def judge(self, index, original, result):
        import tvm_ffi

        name = self.functions[index][2].rsplit(".", 1)[-1]
        left, right = function_of(original, name), function_of(result, name)
        if left is None or right is None:
            return ("refused", f"no function {name}")
        if not tvm_ffi.structural_equal(left, right, map_free_vars=True):
            return ("changed", difference(left, right) or "structurally different, printed alike")
        why = difference(left, right)
        return ("renamed", why) if why else ("equal", None)

    def unreached(self, module):
        """Reads what nothing has read, with the names of the module."""
        names = {**self.entry._default_globals(), **(vars(module) if module else {})}
        wholes = list(modules(self.tree))
        for index, (first, last, _) in enumerate(self.functions):
            if self.read[index]:
                continue
            first, last = next(((a, b) for a, b in wholes if a <= first and last <= b), (first, last))
            indices = [it for it in self.inside(first, last) if not self.read[it]]
            indent = len(self.lines[first]) - len(self.lines[first].lstrip())
            own = "\n".join(it[indent:].rstrip() for it in self.lines[first:last])
            original, why = attempt(lambda: self.parse(own, names))
            if why is None:
                self.compare(first, last, indices, original, lambda text: self.parse(text, names))
            else:
                self.say(index, "unreached", why=why)

    def say(self, index, original, why=None, texts=None):
        self.tell({"index": index, "original": original, "why": why, "texts": texts})


def difference(left, right):
    try:
        return text_difference(left.script(), right.script())
    except Exception as error:  # noqa: BLE001 - TVM cannot print all that it can read
        return describe(error)


class Worker(TestsWorker):
    def reread(self, request):
        functions = [
            {"line": first + 1, "name": name, "original": "unreached", "why": "the run ended before", "texts": {}}
            for first, _, name in decorated(ast.parse(request["text"]))
        ]
        ended = self.run(Survey, request, lambda it: take(functions, it)) if functions else {"ended": [], "late": False}
        return {"functions": functions, **ended}


def take(functions, said):
    """Adds what was said of a function: one reading counts more than none, the worst text more than a better one."""
    function = functions[said["index"]]
    if said["original"] == "read":
        function["original"], function["why"] = "read", None
        for name, answer in said["texts"].items():
            known = function["texts"].get(name)
            if known is None or KINDS.index(answer["kind"]) > KINDS.index(known["kind"]):
                function["texts"][name] = answer
    elif function["original"] != "read" and not (function["original"] == "unread" and said["original"] == "unreached"):
        function["original"], function["why"] = said["original"], said["why"]


if __name__ == "__main__":
    serve_deep(Worker)
