"""Compiles CUDA C++ with NVIDIA's run-time compiler, one JSON object a line. Needs no GPU.

    {"op": "version", "root": DIR}                                        -> {"version": "13.5"}
    {"op": "compile", "root": DIR, "source": S, "architectures": [...],
     "options": [...]}                                                    -> {"results": [{"architecture", "error",
                                                                              "log", "cubin_bytes"}]}

`root` is the folder of the packages (site-packages). Every request may carry an "id", which comes back.
"""

import ctypes
import glob
import os

from worker_loop import serve

LOG_CHARACTERS = 2000


class Compiler:
    def __init__(self):
        self.library = None
        self.include = None

    def load(self, root):
        if self.library is not None:
            return
        found = sorted(glob.glob(os.path.join(root, "nvidia", "*", "lib", "libnvrtc.so.*")))
        if not found:
            raise RuntimeError(f"no libnvrtc under {root}")
        self.library = ctypes.CDLL(found[-1])
        self.include = os.path.join(os.path.dirname(os.path.dirname(found[-1])), "include")
        self.library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def version(self, request):
        self.load(request["root"])
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        return {"version": f"{major.value}.{minor.value}"}

    def compile(self, request):
        self.load(request["root"])
        return {"results": [self.compile_for(request, name) for name in request["architectures"]]}

    def compile_for(self, request, architecture):
        program = ctypes.c_void_p()
        source = request["source"].encode()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source, b"kernel.cu", 0, None, None)
        options = [f"--gpu-architecture={architecture}", f"-I{self.include}", "--std=c++17"]
        options += request.get("options", [])
        values = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
        status = self.library.nvrtcCompileProgram(program, len(options), values)
        result = {
            "architecture": architecture,
            "error": None if status == 0 else self.library.nvrtcGetErrorString(status).decode(),
            "log": self.text(program, "ProgramLog")[:LOG_CHARACTERS],
            "cubin_bytes": 0,
        }
        if status == 0:
            size = ctypes.c_size_t()
            self.library.nvrtcGetCUBINSize(program, ctypes.byref(size))
            result["cubin_bytes"] = size.value
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return result

    def text(self, program, what):
        size = ctypes.c_size_t()
        getattr(self.library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        getattr(self.library, f"nvrtcGet{what}")(program, buffer)
        return buffer.value.decode(errors="replace")


if __name__ == "__main__":
    serve(Compiler)
