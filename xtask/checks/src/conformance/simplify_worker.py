"""Simplifies functions with TVM, one JSON object a line: a part of the worker beside it.

    {"op": "version"}              -> {"version": "0.27.0"}
    {"op": "simplify", "text": T}  -> {"functions": [{"name", "error", "text", "statements"}]}

"text" is the function with every operand of every statement as `Analyzer.simplify` has it at that place: loops, threads
and block variables are bound to their ranges, conditions hold in their arms, shapes of parameters are not negative. No
statement is added or removed, so that both sides can be compared operand by operand. "statements" is the function after
`StmtSimplify`.
"""

import contextlib

from tvm_worker import Reader, describe, only_function, serve_deep, split_functions


class Simplifier:
    """The operands of a function, simplified in place."""

    def __init__(self, tvm):
        self.tvm = tvm
        self.analyzer = tvm.sym.Analyzer()

    def function(self, function):
        for parameter in function.params:
            with contextlib.suppress(AttributeError, TypeError):
                for extent in parameter.shape:
                    self.not_negative(extent)
        return function.with_body(self.statement(function.body))

    def not_negative(self, extent):
        sym = self.tvm.sym
        if type(extent).__name__ in ("Var", "SizeVar") and not sym.Analyzer().const_int_bound_is_bound(extent):
            with contextlib.suppress(Exception):
                self.analyzer.update(extent, sym.ConstIntBound(0, sym.ConstIntBound.POS_INF), True)

    def simple(self, expr):
        return self.analyzer.simplify(expr)

    def bind(self, var, first, extent):
        self.analyzer.bind(var, self.tvm.ir.Range.from_min_extent(first, extent), True)

    def under(self, condition, statement):
        if statement is None:
            return None
        with self.analyzer.constraint_scope(condition):
            return self.statement(statement)

    def statement(self, it):
        handler = getattr(self, "on_" + type(it).__name__, None)
        return it if handler is None else handler(it)

    def on_SeqStmt(self, it):
        return self.tvm.tirx.SeqStmt([self.statement(inner) for inner in it.seq])

    def on_For(self, it):
        first, extent = self.simple(it.min), self.simple(it.extent)
        if it.step is None:
            self.bind(it.loop_var, first, extent)
        return self.tvm.tirx.For(
            it.loop_var, first, extent, it.kind, self.statement(it.body), it.thread_binding, it.annotations, it.step
        )

    def on_While(self, it):
        return self.tvm.tirx.While(self.simple(it.condition), self.statement(it.body))

    def on_IfThenElse(self, it):
        condition = self.simple(it.condition)
        then_case = self.under(it.condition, it.then_case)
        else_case = self.under(self.tvm.tirx.Not(it.condition), it.else_case)
        return self.tvm.tirx.IfThenElse(condition, then_case, else_case)

    def on_AttrStmt(self, it):
        if it.attr_key in ("thread_extent", "virtual_thread"):
            self.bind(it.node.var, 0, it.value)
        return self.tvm.tirx.AttrStmt(it.node, it.attr_key, it.value, self.statement(it.body))

    def on_BufferStore(self, it):
        indices = [self.simple(index) for index in it.indices]
        return self.tvm.tirx.BufferStore(it.buffer, self.simple(it.value), indices)

    def on_Evaluate(self, it):
        return self.tvm.tirx.Evaluate(self.simple(it.value))

    def on_AssertStmt(self, it):
        return self.tvm.tirx.AssertStmt(it.kind, self.simple(it.condition), it.message_parts)

    def on_Bind(self, it):
        return self.tvm.tirx.Bind(it.var, self.simple(it.value))


    def on_SBlockRealize(self, it):
        values = [self.simple(value) for value in it.iter_values]
        predicate = self.simple(it.predicate)
        for var in it.block.iter_vars:
            self.bind(var.var, var.dom.min, var.dom.extent)
        with self.analyzer.constraint_scope(it.predicate):
            block = self.block(it.block)
        return type(it)(values, predicate, block)

    def block(self, it):
        body = self.statement(it.body)
        init = None if it.init is None else self.statement(it.init)
        return type(it)(
            it.iter_vars, it.reads, it.writes, it.name_hint, body, init, it.alloc_buffers, it.match_buffers, it.annotations
        )


class Worker:
    def __init__(self):
        self.reader = Reader()

    def version(self, _request):
        return {"version": self.reader.tvm.__version__}

    def simplify(self, request):
        tvm = self.reader.tvm
        functions = []
        for name, text in split_functions(request["text"]):
            answer = {"name": name, "error": None, "text": None, "statements": None}
            functions.append(answer)
            module, answer["error"] = self.reader.read(text)
            if module is None:
                continue
            try:
                function = Simplifier(tvm).function(only_function(module))
                answer["text"] = function.script()
                if request.get("statements", True):
                    answer["statements"] = tvm.tirx.transform.StmtSimplify()(module).script()
            except Exception as error:  # noqa: BLE001 - whatever the peer raises is its answer
                answer["error"] = describe(error)
        return {"functions": functions}


if __name__ == "__main__":
    serve_deep(Worker)
