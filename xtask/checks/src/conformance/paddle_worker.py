"""Makes programs with the real Paddle and runs its common-subexpression pass, one JSON object a line.

    {"op": "version"}                      -> {"version": "3.3.1"}
    {"op": "cse", "seed": N, "ops": M}     -> {"before": text, "after": text, "facts": {name: {"attributes", "overwrites"}}}
    {"op": "growth", "family": F, "n": N}  -> {"text": text before, "seconds": time of the pass}

A program is made of about M operations by the seed alone. The facts are what Paddle's registry says of the operations in it. Everything
that Paddle prints goes to standard error. An exception is an answer with "error".
"""

import random
import sys
import time

import paddle
from paddle.base.libpaddle import pir

from worker_loop import serve, type_and_words

ERROR_CHARACTERS = 400
SHAPE = [2, 2]
CONSTANTS = [0.5, 1.0, 2.0, -3.0, 0.25]


class Maker:
    """Adds random operations to the program that is being made; all values have one shape."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values = []

    def value(self):
        # Recent values are used more often, so that expressions grow deep and repeat.
        recent = self.values[-8:]
        return self.random.choice(recent if self.random.random() < 0.6 else self.values)

    def constant(self):
        return self.random.choice(CONSTANTS)

    def step(self, depth):
        plain = [self.binary, self.binary, self.binary, self.unary, self.unary, self.scale, self.full,
                 self.matmul, self.split, self.topk, self.cast, self.compare, self.repeat, self.repeat]
        rare = [self.draw, self.draw, self.overwrite, self.show]
        nested = [self.branch, self.loop] if depth < 2 else []
        if nested and self.random.random() < 0.06:
            result = self.random.choice(nested)(depth)
        else:
            result = self.random.choice(plain * 2 + rare)(depth)
        self.values.append(result)

    def binary(self, _):
        name = self.random.choice(["add", "subtract", "multiply", "maximum", "minimum", "divide"])
        return getattr(paddle, name)(self.value(), self.value())

    def unary(self, _):
        name = self.random.choice(["exp", "tanh", "abs", "sqrt", "square"])
        return getattr(paddle, name)(self.value())

    def scale(self, _):
        return paddle.scale(self.value(), self.constant(), self.constant())

    def full(self, _):
        return paddle.full(SHAPE, self.constant(), "float32")

    def matmul(self, _):
        return paddle.matmul(self.value(), self.value(), transpose_y=self.random.random() < 0.5)

    def split(self, _):
        parts = paddle.split(self.value(), 2, axis=self.random.randrange(2))
        parts = parts if self.random.random() < 0.5 else parts[::-1]
        axis = 0 if parts[0].shape == [1, 2] else 1
        return paddle.concat(parts, axis=axis)

    def topk(self, _):
        return paddle.topk(self.value(), 2)[0]

    def cast(self, _):
        return paddle.cast(paddle.cast(self.value(), "int32"), "float32")

    def compare(self, _):
        name = self.random.choice(["equal", "not_equal", "less_than"])
        return paddle.cast(getattr(paddle, name)(self.value(), self.value()), "float32")

    def repeat(self, _):
        """The same small expression over old values, operands swapped at times."""
        a, b = self.values[0], self.values[1]
        if self.random.random() < 0.5:
            a, b = b, a
        return paddle.tanh(paddle.add(paddle.multiply(a, b), self.values[0]))

    def draw(self, _):
        name = self.random.choice(["bernoulli", "poisson", "uniform", "dropout"])
        if name == "uniform":
            return paddle.uniform(SHAPE, "float32", 0.0, 1.0)
        if name == "dropout":
            return paddle.nn.functional.dropout(self.value(), 0.5)
        return getattr(paddle, name)(self.value())

    def overwrite(self, _):
        target = self.value()
        name = self.random.choice(["assign", "exp_"])
        if name == "assign":
            return paddle.assign(self.value(), output=target)
        return paddle.nn.functional.relu_(target) if hasattr(target, "persistable") else paddle.exp(target)

    def show(self, _):
        return paddle.static.Print(self.value())

    def inner(self, depth):
        """A block: its values are visible in it alone."""
        before = list(self.values)
        for _ in range(self.random.randint(1, 5)):
            self.step(depth + 1)
        result = self.values[-1]
        self.values = before
        return paddle.scale(result, 1.0) if any(result is it for it in before) else result

    def branch(self, depth):
        condition = paddle.less_than(paddle.sum(self.value()), paddle.full([], 1.0, "float32"))
        return paddle.static.nn.cond(condition, lambda: self.inner(depth), lambda: self.inner(depth))

    def loop(self, depth):
        start, end = paddle.full([], 0, "int32"), paddle.full([], 3, "int32")

        def body(i, carried):
            before = list(self.values)
            self.values.append(carried)
            result = self.inner(depth)
            self.values = before
            return i + 1, result

        return paddle.static.nn.while_loop(lambda i, _: i < end, body, [start, self.value()])[1]


def program(seed, ops):
    made = paddle.static.Program()
    with paddle.static.program_guard(made):
        maker = Maker(seed)
        maker.values = [paddle.static.data(name, SHAPE, "float32") for name in "xyz"]
        for _ in range(ops):
            try:
                maker.step(0)
            except (TypeError, ValueError, RuntimeError, AttributeError) as error:
                print("left out:", str(error)[:80], file=sys.stderr)
        outputs = maker.random.sample(maker.values[3:], min(4, len(maker.values) - 3))
        seen = set()
        for number, value in enumerate(outputs):
            if value.id not in seen:
                seen.add(value.id)
                at = len(made.global_block().ops)
                pir.append_shadow_output(made, value, f"out{number}", at)
    return made


def facts(block, found):
    for op in block.ops:
        for inner in op.blocks():
            facts(inner, found)
        name = op.name()
        if name.startswith("pd_op.") and name not in found and not list(op.blocks()):
            overwrites = sorted(set(pir.get_op_inplace_info(op).values())) if name.endswith("_") else []
            found[name] = {"attributes": sorted(op.get_attr_names()), "overwrites": overwrites}
    return found


def family(name, n):
    made = paddle.static.Program()
    with paddle.static.program_guard(made):
        x = paddle.static.data("x", SHAPE, "float32")
        for _ in range(2):
            value = x
            for _ in range(n):
                if name == "doubling":
                    value = value + value
                elif name == "residual":
                    value = value + paddle.tanh(value) * value
                else:
                    value = paddle.exp(value)
    return made


class Worker:
    def version(self, _):
        return {"version": paddle.__version__}

    def cse(self, request):
        made = program(request["seed"], request["ops"])
        known = facts(made.global_block(), {})
        before = str(made)
        pir.apply_cse_pass(made)
        return {"before": before, "after": str(made), "facts": known}

    def growth(self, request):
        made = family(request["family"], request["n"])
        text = str(made)
        start = time.perf_counter()
        pir.apply_cse_pass(made)
        return {"text": text, "seconds": time.perf_counter() - start}


def words(error):
    return type_and_words(error)[:ERROR_CHARACTERS]


if __name__ == "__main__":
    paddle.enable_static()
    serve(Worker, words)
