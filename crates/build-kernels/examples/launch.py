"""Launches a function that `tir-analyzer build` wrote, through pyopencl or cuda-python, by its manifest alone.

    python launch.py FOLDER FILE FUNCTION [NAME=VALUE ...]

FOLDER is the folder of a target (`build/kernels/opencl`), FILE and FUNCTION are as the manifest names them. Symbols of
shapes and scalar parameters get their values from NAME=VALUE, and 64 without. Buffers hold random values; afterwards a
checksum of each is printed, as `name dtype shape sum`. As a module: `load`, `Function.call`.

Needs numpy, and pyopencl (any OpenCL device, PoCL too) or cuda-python (a GPU).
"""

import json
import sys
from pathlib import Path

import numpy as np

VERSION = 2


def check(data, expected, path):
    """Compares a file with its hash in the manifest, where the package blake3 is installed."""
    try:
        from blake3 import blake3
    except ImportError:
        return data
    if blake3(data).hexdigest() != expected:
        raise SystemExit(f"{path} is not of the same build as its manifest; build again")
    return data


def load(folder, file, name):
    """The function `name` of the source `file`."""
    folder = Path(folder)
    index = json.loads((folder / "manifest.json").read_text())
    if (index["schema"], index["version"]) != ("tir-analyzer/kernels", VERSION):
        raise SystemExit("the manifest is of another version; build again")
    for module in index["modules"]:
        if module["file"] == file:
            path = folder / module["manifest"]
            text = check(path.read_bytes(), module["hash"], path)
            module = json.loads(text)
            for function in module["functions"]:
                if function["name"] == name:
                    return Function(folder, index["target"], function)
            for refused in module["unsupported"]:
                if refused["name"] == name:
                    place = f"{file}:{refused['line']}:{refused['column']}"
                    raise SystemExit(f"{place}: {name} was not built: {refused['detail']}")
    raise SystemExit(f"there is no {name} of {file} in {folder}")


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": lambda a, b: a // b,
    "floormod": lambda a, b: a % b,
    "div": lambda a, b: int(a / b),
    "mod": lambda a, b: a - int(a / b) * b,
    "min": min,
    "max": max,
    "shl": lambda a, b: a << b,
    "shr": lambda a, b: a >> b,
    "bitand": lambda a, b: a & b,
    "bitor": lambda a, b: a | b,
    "bitxor": lambda a, b: a ^ b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "and": lambda a, b: bool(a) and bool(b),
    "or": lambda a, b: bool(a) or bool(b),
}


def evaluate(tree, symbols):
    """The value of an expression's tree."""
    if "var" in tree:
        return symbols[tree["var"]]
    if "const" in tree:
        return json.loads(tree["const"])
    op = tree["op"]
    if op == "select":
        # Only the value that is taken is computed.
        condition, *values = tree["args"]
        return evaluate(values[0 if evaluate(condition, symbols) else 1], symbols)
    args = [evaluate(it, symbols) for it in tree["args"]]
    if op in BINARY:
        return BINARY[op](*args)
    if op == "cast":
        return np.dtype(tree["dtype"]).type(args[0]).item()
    if op in ("not", "bitnot"):
        return not args[0] if op == "not" else ~args[0]
    raise SystemExit(f"this loader does not know the operator {op}")


def dtype_of(name):
    """A type of numpy with as many bytes: what a device calls bfloat16 is two bytes here."""
    name = name.split("x")[0]
    return np.dtype({"bfloat16": "uint16", "bool": "int8", "handle": "uint8"}.get(name, name))


class Function:
    """A function with its kernels, ready to be called on arrays."""

    def __init__(self, folder, target, described):
        self.described = described
        sources = []
        for kernel in described["kernels"]:
            path = folder / kernel["file"]
            sources.append(check(path.read_bytes(), kernel["hash"], path).decode())
        device = {"opencl": OpenCl, "cuda": Cuda}.get(target)
        if device is None:
            raise SystemExit(f"this loader does not launch {target}")
        self.device = device(sources, described)

    def symbols(self, arguments, given):
        """Values of symbols: from arrays and scalars, or as given."""
        values = dict(given)
        for symbol in self.described["symbols"]:
            source = symbol["from"]
            if source == "loop":
                continue
            ((kind, where),) = source.items()
            if kind == "param":
                values[symbol["name"]] = arguments[where]
            elif kind == "shape":
                values[symbol["name"]] = arguments[where["param"]].shape[where["dim"]]
            elif kind == "stride":
                array = arguments[where["param"]]
                values[symbol["name"]] = array.strides[where["dim"]] // array.itemsize
            else:
                values[symbol["name"]] = 0
        return values

    def call(self, *arguments):
        """Runs the function on contiguous arrays and numbers, in place."""
        symbols = self.symbols(arguments, {})
        memory = [self.device.upload(it) if isinstance(it, np.ndarray) else it for it in arguments]
        spaces = [
            self.device.allocate(evaluate(it["elements"]["tree"], symbols) * dtype_of(it["dtype"]).itemsize)
            for it in self.described["workspaces"]
        ]
        self.steps(self.described["host"], symbols, memory, spaces)
        for array, place in zip(arguments, memory):
            if isinstance(array, np.ndarray):
                self.device.download(place, array)

    def steps(self, steps, symbols, memory, spaces):
        for step in steps:
            ((kind, what),) = step.items()
            if kind == "launch":
                self.launch(what, symbols, memory, spaces)
            elif kind == "loop":
                first = evaluate(what["min"]["tree"], symbols)
                for at in range(first, first + evaluate(what["extent"]["tree"], symbols)):
                    self.steps(what["steps"], {**symbols, what["var"]: at}, memory, spaces)
            elif kind == "if":
                branch = "then" if evaluate(what["condition"]["tree"], symbols) else "otherwise"
                self.steps(what[branch], symbols, memory, spaces)
            elif not evaluate(what["tree"], symbols):
                raise SystemExit(f"the function demands {what['text']}")

    def launch(self, number, symbols, memory, spaces):
        kernel = self.described["kernels"][number]
        grid = [evaluate(it["tree"], symbols) for it in kernel["grid"]]
        block = [evaluate(it["tree"], symbols) for it in kernel["block"]]
        if min(grid + block) <= 0:
            return
        values = []
        for argument in kernel["arguments"]:
            if argument["kind"] == "buffer":
                values.append(memory[argument["param"]])
            elif argument["kind"] == "workspace":
                values.append(spaces[argument["workspace"]])
            else:
                value = evaluate(argument["value"]["tree"], symbols)
                values.append(dtype_of(argument["dtype"]).type(value))
        self.device.launch(number, grid, block, values, kernel["dynamic_shared_bytes"])


class OpenCl:
    """Kernels on the first OpenCL device."""

    def __init__(self, sources, described):
        import pyopencl as cl

        self.cl = cl
        device = cl.get_platforms()[0].get_devices()[0]
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        programs = [cl.Program(self.context, it).build(described["compile_flags"]) for it in sources]
        kernels = zip(programs, described["kernels"])
        self.kernels = [cl.Kernel(program, kernel["entry"]) for program, kernel in kernels]

    def upload(self, array):
        flags = self.cl.mem_flags
        return self.cl.Buffer(self.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=array)

    def allocate(self, size):
        return self.cl.Buffer(self.context, self.cl.mem_flags.READ_WRITE, max(size, 1))

    def download(self, buffer, array):
        self.cl.enqueue_copy(self.queue, array, buffer)

    def launch(self, number, grid, block, values, shared):
        if shared:
            values = values + [self.cl.LocalMemory(shared)]
        everything = [blocks * threads for blocks, threads in zip(grid, block)]
        self.kernels[number](self.queue, everything, block, *values)


class Cuda:
    """Kernels on the first GPU, compiled by NVRTC."""

    def __init__(self, sources, described):
        from cuda.bindings import driver, nvrtc

        self.driver = driver
        self.ask(driver.cuInit(0))
        device = self.ask(driver.cuDeviceGet(0))
        self.context = self.ask(driver.cuDevicePrimaryCtxRetain(device))
        self.ask(driver.cuCtxSetCurrent(self.context))
        attribute = driver.CUdevice_attribute
        major = self.ask(
            driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)
        )
        minor = self.ask(
            driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)
        )
        flags = described["compile_flags"] + [f"--gpu-architecture=sm_{major}{minor}"]
        flags = [it.encode() for it in flags]
        self.kernels = []
        for source, kernel in zip(sources, described["kernels"]):
            program = self.ask(nvrtc.nvrtcCreateProgram(source.encode(), b"kernel.cu", 0, [], []))
            self.ask(nvrtc.nvrtcCompileProgram(program, len(flags), flags))
            binary = b" " * self.ask(nvrtc.nvrtcGetCUBINSize(program))
            self.ask(nvrtc.nvrtcGetCUBIN(program, binary))
            module = self.ask(driver.cuModuleLoadData(binary))
            self.kernels.append(self.ask(driver.cuModuleGetFunction(module, kernel["entry"].encode())))

    @staticmethod
    def ask(answer):
        error, *values = answer
        if int(error) != 0:
            raise SystemExit(f"CUDA: {error}")
        return values[0] if values else None

    def upload(self, array):
        place = self.allocate(array.nbytes)
        self.ask(self.driver.cuMemcpyHtoD(place, array.ctypes.data, array.nbytes))
        return place

    def allocate(self, size):
        return self.ask(self.driver.cuMemAlloc(max(size, 1)))

    def download(self, place, array):
        self.ask(self.driver.cuCtxSynchronize())
        self.ask(self.driver.cuMemcpyDtoH(array.ctypes.data, place, array.nbytes))

    def launch(self, number, grid, block, values, shared):
        values = [np.array([int(it)], "uint64") if not isinstance(it, np.generic) else np.array([it]) for it in values]
        pointers = np.array([it.ctypes.data for it in values], "uint64")
        stream = 0
        self.ask(
            self.driver.cuLaunchKernel(self.kernels[number], *grid, *block, shared, stream, pointers.ctypes.data, 0)
        )


def main(folder, file, name, *words):
    given = {key: int(value) for key, value in (it.split("=") for it in words)}
    function = load(folder, file, name)
    described = function.described

    def size(tree):
        names = {}

        def note(tree):
            if "var" in tree:
                names[tree["var"]] = given.get(tree["var"], 64)
            for it in tree.get("args", []):
                note(it)

        note(tree)
        return evaluate(tree, names)

    random = np.random.default_rng(0)
    arguments = []
    for param in described["params"]:
        if param["kind"] == "scalar":
            arguments.append(given.get(param["name"], 64))
            continue
        shape = [size(it["tree"]) for it in param["shape"]]
        dtype = dtype_of(param["dtype"])
        is_float = dtype.kind == "f"
        values = random.uniform(-1, 1, shape) if is_float else random.integers(0, 4, shape)
        arguments.append(np.ascontiguousarray(values.astype(dtype)))
    function.call(*arguments)
    for param, value in zip(described["params"], arguments):
        if isinstance(value, np.ndarray):
            print(param["name"], value.dtype, list(value.shape), f"{value.astype('float64').sum():.6g}")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
