"""Builds and runs OpenCL C through the system's loader (PoCL on a CPU is enough), one JSON object a line.

    {"op": "version"}                                    -> {"version", "platform", "device", "extensions": [...]}
    {"op": "build", "source": S, "options": O}           -> {"log"}
    {"op": "run", "sources": [S, ...], "options": O,
     "launches": [{"kernel": N, "source": number, "arguments": [...], "global": [x, y, z], "local": [x, y, z],
                   "shared_bytes": 0}],
     "times": number}                                    -> {"outputs": [path], "milliseconds": [...]}

An argument is {"path"} (a global buffer: its bytes), {"dtype", "value"} (a scalar) or {"local_bytes"} (work-group
memory). A file that several launches name is one buffer. The contents of every buffer after the last launch are
written to its path + ".opencl"; then all launches are made so many "times" again (0 if it is absent), and timed. Every
request may carry an "id", which comes back.
"""

import ctypes
import struct
import time

from worker_loop import serve

DEVICE_TYPE_ALL = 0xFFFFFFFF
MEM_READ_WRITE = 1
PROGRAM_BUILD_LOG = 0x1183
PLATFORM_VERSION, PLATFORM_NAME = 0x0901, 0x0902
DEVICE_NAME, DEVICE_EXTENSIONS = 0x102B, 0x1030
LOG_CHARACTERS = 2000
FORMATS = {
    "bool": "<b", "int8": "<b", "uint8": "<B", "int16": "<h", "uint16": "<H", "int32": "<i", "uint32": "<I",
    "int64": "<q", "uint64": "<Q", "float16": "<e", "float32": "<f", "float64": "<d",
}
SIZE = ctypes.c_size_t
POINTER = ctypes.c_void_p


def load():
    for name in ("libOpenCL.so.1", "libOpenCL.so", "OpenCL.dll", "/System/Library/Frameworks/OpenCL.framework/OpenCL"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        for function in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel",
                         "clCreateBuffer"):
            getattr(library, function).restype = POINTER
        return library
    raise RuntimeError("no OpenCL loader")


def check(status, what):
    if status != 0:
        raise RuntimeError(f"{what} failed with code {status}")


class Runner:
    def __init__(self):
        self.library = load()
        count = ctypes.c_uint()
        check(self.library.clGetPlatformIDs(0, None, ctypes.byref(count)), "listing the platforms")
        platforms = (POINTER * count.value)()
        check(self.library.clGetPlatformIDs(count, platforms, None), "listing the platforms")
        self.platform, self.device = self.first_device(platforms)
        status = ctypes.c_int()
        device = POINTER(self.device)
        self.context = POINTER(
            self.library.clCreateContext(None, 1, ctypes.byref(device), None, None, ctypes.byref(status))
        )
        check(status.value, "making a context")
        self.queue = POINTER(
            self.library.clCreateCommandQueue(self.context, device, ctypes.c_ulonglong(0), ctypes.byref(status))
        )
        check(status.value, "making a queue")

    def first_device(self, platforms):
        for platform in platforms:
            device = POINTER()
            status = self.library.clGetDeviceIDs(
                POINTER(platform), ctypes.c_ulonglong(DEVICE_TYPE_ALL), 1, ctypes.byref(device), None
            )
            if status == 0:
                return platform, device.value
        raise RuntimeError("no OpenCL device")

    def info(self, function, object_, key):
        size = SIZE()
        getattr(self.library, function)(POINTER(object_), key, SIZE(0), None, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        getattr(self.library, function)(POINTER(object_), key, size, buffer, None)
        return buffer.value.decode(errors="replace")

    def version(self, _request):
        return {
            "version": self.info("clGetPlatformInfo", self.platform, PLATFORM_VERSION),
            "platform": self.info("clGetPlatformInfo", self.platform, PLATFORM_NAME),
            "device": self.info("clGetDeviceInfo", self.device, DEVICE_NAME),
            "extensions": self.info("clGetDeviceInfo", self.device, DEVICE_EXTENSIONS).split(),
        }

    def program(self, text, options):
        source = ctypes.c_char_p(text.encode())
        status = ctypes.c_int()
        program = POINTER(
            self.library.clCreateProgramWithSource(self.context, 1, ctypes.byref(source), None, ctypes.byref(status))
        )
        check(status.value, "reading the source")
        device = POINTER(self.device)
        status = self.library.clBuildProgram(
            program, 1, ctypes.byref(device), options.encode(), None, None
        )
        log = self.build_log(program)
        if status != 0:
            raise RuntimeError(f"build failed with code {status}: {log}")
        return program, log

    def build_log(self, program):
        size = SIZE()
        device = POINTER(self.device)
        self.library.clGetProgramBuildInfo(program, device, PROGRAM_BUILD_LOG, SIZE(0), None, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value + 1)
        self.library.clGetProgramBuildInfo(program, device, PROGRAM_BUILD_LOG, size, buffer, None)
        return buffer.value.decode(errors="replace")[:LOG_CHARACTERS]

    def build(self, request):
        program, log = self.program(request["source"], request.get("options", ""))
        self.library.clReleaseProgram(program)
        return {"log": log}

    def run(self, request):
        options = request.get("options", "")
        programs = [self.program(text, options)[0] for text in request["sources"]]
        buffers = {}
        try:
            for launch in request["launches"]:
                self.launch(programs[launch["source"]], launch, buffers)
            check(self.library.clFinish(self.queue), "running")
            outputs = [self.read_back(path, *buffer) for path, buffer in buffers.items()]
            return {"outputs": outputs, "milliseconds": self.timed(programs, request, buffers)}
        finally:
            for memory, _ in buffers.values():
                self.library.clReleaseMemObject(memory)
            for program in programs:
                self.library.clReleaseProgram(program)

    def timed(self, programs, request, buffers):
        milliseconds = []
        for _ in range(request.get("times", 0)):
            start = time.perf_counter()
            for launch in request["launches"]:
                self.launch(programs[launch["source"]], launch, buffers)
            milliseconds.append((time.perf_counter() - start) * 1e3)
        return milliseconds

    def launch(self, program, launch, buffers):
        status = ctypes.c_int()
        kernel = POINTER(self.library.clCreateKernel(program, launch["kernel"].encode(), ctypes.byref(status)))
        check(status.value, f"finding the kernel {launch['kernel']}")
        for index, argument in enumerate(launch["arguments"]):
            self.set_argument(kernel, index, argument, buffers)
        if launch.get("shared_bytes"):
            raise RuntimeError("kernels in OpenCL declare their memory themselves")
        dimensions = len(launch["global"])
        sizes = (SIZE * dimensions)(*launch["global"])
        local = (SIZE * dimensions)(*launch["local"])
        status = self.library.clEnqueueNDRangeKernel(
            self.queue, kernel, dimensions, None, sizes, local, 0, None, None
        )
        check(status, f"launching {launch['kernel']} with {launch['global']} in groups of {launch['local']}")
        check(self.library.clFinish(self.queue), f"running {launch['kernel']}")
        self.library.clReleaseKernel(kernel)

    def set_argument(self, kernel, index, argument, buffers):
        if "path" in argument:
            memory = self.buffer(argument["path"], buffers)
            value, size = ctypes.byref(memory), ctypes.sizeof(POINTER)
        elif "local_bytes" in argument:
            value, size = None, argument["local_bytes"]
        else:
            raw = struct.pack(FORMATS[argument["dtype"]], argument["value"])
            value, size = ctypes.create_string_buffer(raw, len(raw)), len(raw)
        check(self.library.clSetKernelArg(kernel, index, SIZE(size), value), f"setting argument {index}")

    def buffer(self, path, buffers):
        if path not in buffers:
            with open(path, "rb") as file:
                raw = file.read()
            status = ctypes.c_int()
            size = max(len(raw), 1)
            memory = POINTER(
                self.library.clCreateBuffer(
                    self.context, ctypes.c_ulonglong(MEM_READ_WRITE), SIZE(size), None, ctypes.byref(status)
                )
            )
            check(status.value, f"making a buffer of {size} bytes")
            if raw:
                check(
                    self.library.clEnqueueWriteBuffer(
                        self.queue, memory, 1, SIZE(0), SIZE(len(raw)), raw, 0, None, None
                    ),
                    "filling a buffer",
                )
            buffers[path] = (memory, len(raw))
        return buffers[path][0]

    def read_back(self, path, memory, size):
        raw = ctypes.create_string_buffer(max(size, 1))
        if size:
            check(
                self.library.clEnqueueReadBuffer(self.queue, memory, 1, SIZE(0), SIZE(size), raw, 0, None, None),
                "reading a buffer",
            )
        with open(path + ".opencl", "wb") as file:
            file.write(raw.raw[:size])
        return path + ".opencl"


if __name__ == "__main__":
    serve(Runner)
