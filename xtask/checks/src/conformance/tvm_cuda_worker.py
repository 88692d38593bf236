"""TVM's own CUDA C++ of functions, and the launches that its host code makes, one JSON object a line. Needs no GPU.

    {"op": "version"}                                  -> {"version": "0.27.0"}
    {"op": "source", "text": T, "function": N, "arch": "sm_90",
     "arguments": [{"dtype", "shape"} or {"dtype", "value"}, ...]}
        -> {"source": S, "options": [...], "launches": [...], "workspaces": [bytes, ...]}

The source and the options are those that TVM 0.27 gives to NVRTC, without the folders of headers. A launch is
{"kernel", "arguments", "global": [x, y, z], "local": [x, y, z], "shared_bytes"}, as a launcher by our manifest writes it;
its arguments are {"param": position}, {"workspace": number} or {"dtype", "value"}. They are read off the host function as
it is after SplitHostDevice, with the extents of the arguments put in.
"""

import operator

from tvm_worker import Reader, describe, only_function, serve_deep, split_functions

# A program with more launches is not one to compare times of.
MAX_LAUNCHES = 10_000
# Hints that change nothing in the code, and folders of this machine.
NOT_CODE = ("-I", "--gpu-architecture", "--ptxas-options=-v", "--ptxas-options=--warn")


class Worker:
    def __init__(self):
        self.reader = Reader()
        self.preamble, self.options = what_nvrtc_gets()

    def version(self, _request):
        return {"version": self.reader.tvm.__version__}

    def source(self, request):
        tvm = self.reader.tvm
        text = next((text for name, text in split_functions(request["text"]) if name == request["function"]), None)
        if text is None:
            raise LookupError("no such function")
        module, error = self.reader.read(text)
        if module is None:
            raise ValueError(error)
        function = only_function(module).with_attr("global_symbol", "run_this")
        target = tvm.target.Target({"kind": "cuda", "arch": request["arch"]}).with_host(tvm.target.Target("llvm"))
        split, devices = self.lowered(tvm.IRModule({"run_this": function}), target)
        host = Host(tvm, split["run_this"], request["arguments"])
        host.run(split["run_this"].body)
        return {
            "source": self.preamble + self.generated(devices),
            "options": self.options,
            "launches": host.launches,
            "workspaces": host.workspaces,
        }

    def lowered(self, module, target):
        """The module after SplitHostDevice, and the device modules that code is generated for."""
        tvm = self.reader.tvm
        from tvm.tirx.build import split_host_device_mods

        transform = tvm.tirx.transform
        seen, pack = [], transform.MakePackedAPI

        @tvm.transform.module_pass(opt_level=0)
        def look(module, _context):
            seen.append(module)
            return module

        transform.MakePackedAPI = lambda: tvm.transform.Sequential([look, pack()])
        try:
            pipeline, _, finish = tvm.tirx.get_default_tir_pipeline(target)
            module = pipeline(transform.BindTarget(target)(module))
        finally:
            transform.MakePackedAPI = pack
        _, devices = split_host_device_mods(module)
        return seen[-1], {device: finish()(part) for device, part in devices.items()}

    def generated(self, devices):
        build = self.reader.tvm.get_global_func("target.build.cuda")
        return "\n".join(build(part, device).inspect_source("cuda") for device, part in devices.items())


class Host:
    """Runs a host function, and notes the launches."""

    def __init__(self, tvm, function, arguments):
        self.tvm = tvm
        self.numbers, self.places = {}, {}
        self.launches, self.workspaces = [], []
        for position, (param, argument) in enumerate(zip(function.params, arguments, strict=True)):
            if "shape" not in argument:
                self.numbers[param] = argument["value"]
                continue
            self.places[param] = {"param": position}
            offset = getattr(self.buffer(param), "elem_offset", None)
            if type(offset).__name__ == "Var":
                self.numbers[offset] = 0
            for extent, value in zip(self.buffer(param).shape, argument["shape"], strict=True):
                if type(extent).__name__ == "Var":
                    self.numbers[extent] = value

    def buffer(self, var):
        return var if hasattr(var, "shape") else var.ty

    def run(self, root):
        tirx = self.tvm.tirx
        todo = [root]
        while todo:
            stmt = todo.pop()
            if isinstance(stmt, tirx.SeqStmt):
                todo += list(stmt.seq)[::-1]
            elif isinstance(stmt, tirx.Evaluate):
                self.evaluate(stmt.value)
            elif isinstance(stmt, tirx.For):
                start, extent = self.number(stmt.min), self.number(stmt.extent)
                for value in range(start, start + extent):
                    self.numbers[stmt.loop_var] = value
                    self.run(stmt.body)
            elif isinstance(stmt, tirx.IfThenElse):
                todo += [it for it in [stmt.then_case if self.number(stmt.condition) else stmt.else_case] if it is not None]
            elif isinstance(stmt, tirx.AssertStmt):
                if not self.number(stmt.condition):
                    raise ValueError(f"the host stops: {stmt.condition}")
            else:
                self.bind(stmt)
                body = getattr(stmt, "body", None)
                todo += [body] if body is not None else []

    def bind(self, stmt):
        kind = type(stmt).__name__
        if kind == "Bind":
            self.numbers[stmt.var] = self.number(stmt.value)
        elif kind == "AllocBuffer":
            size = 1
            for extent in stmt.buffer.shape:
                size *= self.number(extent)
            self.places[stmt.buffer] = {"workspace": len(self.workspaces)}
            self.workspaces.append(size * (self.tvm.DataType(str(stmt.buffer.dtype)).bits + 7) // 8)
        elif kind == "DeclBuffer":
            self.places[stmt.buffer] = self.place(stmt.data)
        elif kind != "AttrStmt":
            raise NotImplementedError(f"a host statement {kind}")

    def evaluate(self, call):
        name = getattr(getattr(call, "op", None), "name", "")
        if name != "tirx.call_ffi_kernel":
            if type(call).__name__ == "IntImm":
                return
            raise NotImplementedError(f"a host call of {name or call}")
        if len(self.launches) >= MAX_LAUNCHES:
            raise ValueError("too many launches")
        tags = list(call.attrs.launch_params)
        kernel, *arguments = call.args
        cut = len(arguments) - len(tags)
        extents = dict(zip(tags, map(self.number, arguments[cut:])))
        of = lambda name: [int(extents.pop(f"{name}.{axis}", 1)) for axis in "xyz"]  # noqa: E731
        grid, block = of("blockIdx"), of("threadIdx")
        shared = extents.pop("tirx.use_dyn_shared_memory", 0)
        if extents:
            raise NotImplementedError(f"launch parameters {sorted(extents)}")
        if min(grid + block) <= 0:
            return
        self.launches.append({
            "kernel": kernel.value,
            "arguments": [self.argument(it) for it in arguments[:cut]],
            "global": [one * other for one, other in zip(grid, block)],
            "local": block,
            "shared_bytes": int(shared),
        })

    def argument(self, expr):
        if type(expr).__name__ == "Call" or expr in self.places:
            return self.place(expr)
        value = self.number(expr)
        return {"dtype": str(expr.ty.dtype), "value": float(value) if isinstance(value, float) else int(value)}

    def place(self, expr):
        if type(expr).__name__ == "Call":
            (expr,) = expr.args
        return self.places[expr]

    def number(self, expr):
        """The value of an expression of the host: of sizes, so of no great depth."""
        kind = type(expr).__name__
        if kind in ("IntImm", "FloatImm"):
            return expr.value
        if kind in BINARY:
            return BINARY[kind](self.number(expr.a), self.number(expr.b))
        if kind == "Cast":
            return self.number(expr.value)
        if kind == "Not":
            return not self.number(expr.a)
        if kind == "Select":
            return self.number(expr.true_value if self.number(expr.condition) else expr.false_value)
        if kind == "Call" and getattr(expr.op, "name", "").rpartition(".")[2] in CALLS:
            return CALLS[expr.op.name.rpartition(".")[2]](*map(self.number, expr.args))
        if kind == "Var" and expr in self.numbers:
            return self.numbers[expr]
        raise ValueError(f"the host cannot evaluate {expr}")


# Sizes are not negative, so division that truncates and division that rounds down are one.
BINARY = {
    "Add": operator.add, "Sub": operator.sub, "Mul": operator.mul, "FloorDiv": operator.floordiv, "FloorMod": operator.mod,
    "Div": operator.floordiv, "Mod": operator.mod, "Min": min, "Max": max, "EQ": operator.eq, "NE": operator.ne,
    "LT": operator.lt, "LE": operator.le, "GT": operator.gt, "GE": operator.ge,
    "LShift": operator.lshift, "RShift": operator.rshift, "BitwiseAnd": operator.and_, "BitwiseOr": operator.or_,
    "And": lambda a, b: a and b, "Or": lambda a, b: a or b,
}
CALLS = {
    "shift_left": operator.lshift, "shift_right": operator.rshift, "bitwise_and": operator.and_,
    "bitwise_or": operator.or_, "if_then_else": lambda condition, a, b: a if condition else b,
}


def what_nvrtc_gets():
    """The text that TVM puts before a source, and its options, taken from a call that compiles nothing."""
    import sys
    import types

    from tvm.support import nvcc

    class Caught(Exception):
        pass

    got = {}

    def create(source, *_):
        got["source"] = source.decode()
        return 0, None

    def compile_program(_program, _count, options):
        got["options"] = [it.decode() for it in options]
        raise Caught

    fake = types.ModuleType("cuda.bindings.nvrtc")
    fake.nvrtcResult = types.SimpleNamespace(NVRTC_SUCCESS=0)
    fake.nvrtcCreateProgram, fake.nvrtcCompileProgram = create, compile_program
    bindings = types.ModuleType("cuda.bindings")
    bindings.nvrtc = fake
    cuda = types.ModuleType("cuda")
    cuda.bindings = bindings
    before = {name: sys.modules.get(name) for name in ("cuda", "cuda.bindings", "cuda.bindings.nvrtc")}
    find, exists = nvcc.find_cuda_path, nvcc.os.path.isfile
    sys.modules.update({"cuda": cuda, "cuda.bindings": bindings, "cuda.bindings.nvrtc": fake})
    nvcc.find_cuda_path, nvcc.os.path.isfile = lambda: "/cuda", lambda _path: True
    nvcc.os.path.isdir, isdir = (lambda _path: True), nvcc.os.path.isdir
    try:
        nvcc.compile_cuda("MARK", target_format="cubin", arch="sm_90", compiler="nvrtc")
    except Caught:
        pass
    finally:
        nvcc.find_cuda_path, nvcc.os.path.isfile, nvcc.os.path.isdir = find, exists, isdir
        for name, module in before.items():
            sys.modules.pop(name, None) if module is None else sys.modules.__setitem__(name, module)
    options = [it for it in got["options"] if not it.startswith(NOT_CODE)]
    return got["source"].replace("MARK", ""), options


if __name__ == "__main__":
    serve_deep(Worker)
