"""Runs files of TVM's tests of passes, and tells what each run of a pass took and what the test expects of it.

    {"op": "version"} -> {"version"}
    {"op": "pairs", "path": P, "text": T, "limit": SECONDS, "packages": DIR} -> {"pairs": [{"id", "of", "pass", "options", "name",
     "before": T, "theirs": T, "expected": T or null}], "ended": [...], "late"}

A pair is a function of a module that a test gives to a pass. "theirs" is the function after the pass, "expected" what the test compares
it with; there is none where a test looks at the result otherwise. "options" are those of the pass that are not the usual ones.

A row of a test of the simplifier, an expression under a condition, is a pair too: its functions hand the expression to a call.
"""

import contextlib
import os

from run_tests import FileWatch, TestsWorker
from tvm_worker import serve_deep

# The passes that have counterparts here.
PASSES = ("StmtSimplify", "CommonSubexprElim", "RemoveNoOp")
# The name under which rows of expressions are told.
ROWS = "rewrite_simplify"


def function_with(expr, conditions, params):
    """A function that gives an expression to a call, below these conditions."""
    from tvm import tirx

    body = tirx.Evaluate(tirx.call_extern("int32", "use", expr))
    for condition in reversed(conditions):
        body = tirx.IfThenElse(condition, body, None)
    return tirx.PrimFunc(params, body)


def variables(exprs):
    """The variables of expressions, each once, by their names."""
    from tvm.tirx.analysis import undefined_vars

    found = []
    for expr in exprs:
        found += [it for it in undefined_vars(expr) if not any(it.same_as(known) for known in found)]
    return sorted(found, key=lambda it: it.name)


def functions_of(it):
    """The functions of a module, or the one that it is."""
    import tvm

    if isinstance(it, tvm.IRModule):
        return [(gv.name_hint, it[gv]) for gv in sorted(it.get_global_vars(), key=lambda gv: gv.name_hint) if is_function(it[gv])]
    return [("main", it)] if is_function(it) else []


def is_function(it):
    import tvm

    return isinstance(it, tvm.tirx.PrimFunc)


class Pairs(FileWatch):
    """Watches the passes and the comparisons of tests instead of the parser."""

    def __init__(self, request, tell):
        super().__init__(request, tell)
        self.count, self.last, self.conditions = 0, [], []

    def watch(self):
        import tvm
        import tvm.ir.base

        run, compare = tvm.transform.Pass.__call__, tvm.ir.base.assert_structural_equal

        def watched(transform, module):
            after = run(transform, module)
            with contextlib.suppress(Exception):
                self.ran(transform, module, after)
            return after

        def compared(left, right, *args, **kwargs):
            with contextlib.suppress(Exception):
                self.compared(left, right)
            return compare(left, right, *args, **kwargs)

        tvm.transform.Pass.__call__ = watched
        for place in (tvm.ir.base, tvm.ir):
            place.assert_structural_equal = compared
        self.watch_rows()

    def watch_rows(self):
        import tvm

        # Sources of another day than the release have other names for a module and for operators.
        arith = tvm.sym
        if not hasattr(tvm, "arith"):
            tvm.arith = arith
        find = tvm.ir.Op.get

        def found(name):
            try:
                return find(name)
            except AttributeError:
                known = tvm.ir.Op.list_op_names()
                renamed = name.replace("tirx.", "prim.")
                return find(renamed if renamed in known else "tirx.call_pure_extern")

        tvm.ir.Op.get = staticmethod(found)
        simplify, scope, watch = arith.Analyzer.rewrite_simplify, arith.Analyzer.constraint_scope, self

        def simplified(analyzer, expr):
            after = simplify(analyzer, expr)
            with contextlib.suppress(Exception):
                watch.row(expr, after)
            return after

        def scoped(analyzer, condition):
            inner = scope(analyzer, condition)
            enter = inner._fenter

            def entered():
                leave = enter()
                watch.conditions.append(condition)
                return lambda: (watch.conditions.pop(), leave())

            inner._fenter = entered
            return inner

        arith.Analyzer.rewrite_simplify, arith.Analyzer.constraint_scope = simplified, scoped

    def row(self, expr, after):
        from tvm import tirx

        conditions = [it for it in self.conditions if isinstance(it, tirx.Expr) and not isinstance(it, tirx.IntImm)]
        params = variables([*conditions, expr])
        pair = {
            "id": self.count,
            "of": "::".join(os.environ.get("PYTEST_CURRENT_TEST", "").split("::")[1:]).removesuffix(" (call)"),
            "pass": ROWS,
            "options": [],
            "name": "row",
            "before": function_with(expr, conditions, params).script(),
            "theirs": function_with(after, conditions, params).script(),
            "expected": None,
        }
        self.count += 1
        self.tell(pair)

    def ran(self, transform, before, after):
        name = next((it for it in PASSES if transform.info.name.endswith(it)), None)
        if name is None:
            return
        self.last = []
        results = dict(functions_of(after))
        for function_name, function in functions_of(before):
            if function_name not in results:
                continue
            pair = {
                "id": self.count,
                "of": os.environ.get("PYTEST_CURRENT_TEST", "").split("::")[-1].removesuffix(" (call)"),
                "pass": name,
                "options": self.options(name),
                "name": function_name,
                "before": function.script(),
                "theirs": results[function_name].script(),
                "expected": None,
            }
            self.count += 1
            self.last.append((pair, results[function_name]))
            self.tell(pair)

    def options(self, name):
        import tvm

        config = tvm.transform.PassContext.current().config
        found = []
        for key, value in config.items():
            if name in str(key):
                items = value.items() if hasattr(value, "items") else [(it, getattr(value, it)) for it in dir(value) if it.islower() and not it.endswith("_")]
                found += [str(it) for it, on in items if on is True or (isinstance(on, int) and on)]
        return sorted(found)

    def compared(self, left, right):
        for one, other in ((left, right), (right, left)):
            others = dict(functions_of(other))
            for name, function in functions_of(one):
                for pair, result in self.last:
                    if not function.same_as(result):
                        continue
                    expected = others.get(name) or (next(iter(others.values())) if len(others) == 1 else None)
                    if expected is not None and pair["expected"] is None:
                        pair["expected"] = expected.script()
                        self.tell(pair)
            if any(it[0]["expected"] for it in self.last):
                return

    def unreached(self, module):
        """What no test runs has no expectation."""


class Worker(TestsWorker):
    def pairs(self, request):
        found = {}
        ended = self.run(Pairs, request, lambda it: found.__setitem__((it["of"], it["id"]), it))
        return {"pairs": list(found.values()), **ended}


if __name__ == "__main__":
    serve_deep(Worker)
