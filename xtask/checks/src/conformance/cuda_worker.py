"""Compiles CUDA C++ with NVRTC and runs it on the first GPU, one JSON object a line. The protocol is that of the OpenCL
worker, so that one driver makes the requests of both:

    {"op": "version"}                                    -> {"version", "device"}
    {"op": "run", "sources": [S, ...], "options": O,
     "launches": [{"kernel": N, "source": number, "arguments": [...], "global": [x, y, z], "local": [x, y, z],
                   "shared_bytes": number}],
     "times": number}                                    -> {"outputs": [path], "milliseconds": [...]}

An argument is {"path"} (a global buffer: its bytes) or {"dtype", "value"} (a scalar). A file that several launches name is
one buffer. The contents of every buffer after the last launch are written to its path + ".cuda"; then all launches are made
so many "times" again, and timed by the device.
"""

import ctypes
import glob
import os
import struct

from cuda.bindings import driver, nvrtc
from worker_loop import serve

FORMATS = {
    "bool": "<b", "int8": "<b", "uint8": "<B", "int16": "<h", "uint16": "<H", "int32": "<i", "uint32": "<I",
    "int64": "<q", "uint64": "<Q", "float16": "<e", "float32": "<f", "float64": "<d",
}
LOG_CHARACTERS = 2000


def ask(answer, what):
    error, *values = answer
    if int(error) != 0:
        raise RuntimeError(f"{what} failed: {error}")
    return values[0] if len(values) == 1 else values


class Runner:
    def __init__(self):
        ask(driver.cuInit(0), "finding a driver")
        self.device = ask(driver.cuDeviceGet(0), "finding a GPU")
        self.context = ask(driver.cuDevicePrimaryCtxRetain(self.device), "making a context")
        ask(driver.cuCtxSetCurrent(self.context), "choosing the context")
        kinds = driver.CUdevice_attribute
        major = self.attribute(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
        minor = self.attribute(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
        self.arch = f"sm_{major}{minor}"
        folder = os.path.dirname(os.path.dirname(os.path.abspath(nvrtc.__file__)))
        includes = glob.glob(os.path.join(os.path.dirname(folder), "nvidia", "*", "include"))
        self.includes = [f"-I{it}" for it in sorted(includes)]

    def attribute(self, kind):
        return ask(driver.cuDeviceGetAttribute(kind, self.device), "asking the GPU")

    def version(self, _request):
        number = ask(driver.cuDriverGetVersion(), "asking the driver")
        name = ask(driver.cuDeviceGetName(256, self.device), "asking the GPU").split(b"\0")[0].decode()
        return {"version": f"CUDA {number // 1000}.{number % 1000 // 10}", "device": f"{name} ({self.arch})"}

    def module(self, text, options):
        flags = [it for it in options.split() if not it.startswith("--gpu-architecture")]
        flags = [it.encode() for it in [*flags, *self.includes, f"--gpu-architecture={self.arch}"]]
        program = ask(nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], []), "reading the source")
        status = nvrtc.nvrtcCompileProgram(program, len(flags), flags)[0]
        if int(status) != 0:
            log = b" " * ask(nvrtc.nvrtcGetProgramLogSize(program), "asking for the log")
            nvrtc.nvrtcGetProgramLog(program, log)
            raise RuntimeError(f"build failed: {log.decode(errors='replace')[:LOG_CHARACTERS]}")
        binary = b" " * ask(nvrtc.nvrtcGetCUBINSize(program), "asking for the binary")
        ask(nvrtc.nvrtcGetCUBIN(program, binary), "asking for the binary")
        return ask(driver.cuModuleLoadData(binary), "loading the binary")

    def run(self, request):
        modules = [self.module(text, request.get("options", "")) for text in request["sources"]]
        buffers = {}
        try:
            for launch in request["launches"]:
                self.launch(modules[launch["source"]], launch, buffers)
            ask(driver.cuCtxSynchronize(), "running")
            outputs = [self.read_back(path, *buffer) for path, buffer in buffers.items()]
            return {"outputs": outputs, "milliseconds": self.timed(modules, request, buffers)}
        finally:
            for memory, _ in buffers.values():
                driver.cuMemFree(memory)
            for module in modules:
                driver.cuModuleUnload(module)

    def timed(self, modules, request, buffers):
        milliseconds = []
        start, end = (ask(driver.cuEventCreate(0), "making an event") for _ in range(2))
        for _ in range(request.get("times", 0)):
            ask(driver.cuEventRecord(start, 0), "timing")
            for launch in request["launches"]:
                self.launch(modules[launch["source"]], launch, buffers)
            ask(driver.cuEventRecord(end, 0), "timing")
            ask(driver.cuEventSynchronize(end), "timing")
            milliseconds.append(ask(driver.cuEventElapsedTime(start, end), "timing"))
        return milliseconds

    def launch(self, module, launch, buffers):
        name = launch["kernel"]
        kernel = ask(driver.cuModuleGetFunction(module, name.encode()), f"finding the kernel {name}")
        values = [self.argument(it, buffers) for it in launch["arguments"]]
        pointers = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(it) for it in values])
        local = launch["local"]
        grid = [everything // block for everything, block in zip(launch["global"], local)]
        shared = launch.get("shared_bytes", 0)
        if shared > 48 << 10:
            kind = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            ask(driver.cuFuncSetAttribute(kernel, kind, shared), f"asking for {shared} bytes of shared memory")
        ask(
            driver.cuLaunchKernel(kernel, *grid, *local, shared, 0, ctypes.addressof(pointers), 0),
            f"launching {name} with {grid} blocks of {local}",
        )

    def argument(self, argument, buffers):
        if "path" in argument:
            return ctypes.c_uint64(int(self.buffer(argument["path"], buffers)))
        raw = struct.pack(FORMATS[argument["dtype"]], argument["value"])
        return ctypes.create_string_buffer(raw, len(raw))

    def buffer(self, path, buffers):
        if path not in buffers:
            with open(path, "rb") as file:
                raw = file.read()
            memory = ask(driver.cuMemAlloc(max(len(raw), 1)), f"making a buffer of {len(raw)} bytes")
            if raw:
                ask(driver.cuMemcpyHtoD(memory, raw, len(raw)), "filling a buffer")
            buffers[path] = (memory, len(raw))
        return buffers[path][0]

    def read_back(self, path, memory, size):
        raw = bytearray(size)
        if size:
            view = (ctypes.c_char * size).from_buffer(raw)
            ask(driver.cuMemcpyDtoH(ctypes.addressof(view), memory, size), "reading a buffer")
        with open(path + ".cuda", "wb") as file:
            file.write(raw)
        return path + ".cuda"


if __name__ == "__main__":
    serve(Runner)
