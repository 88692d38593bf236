"""Compiles CUDA C++ with NVIDIA's run-time compiler.

Started with the path of the library. Each line of the input is a folder and the options, with 0x1f between them; the
source is the folder's `kernel.cu`. What comes out is written beside it (`kernel.ptx`, `kernel.cubin`, `kernel.log`),
then a line says `ok` or the error. The end of the input ends the process.
"""

import ctypes
import os
import sys


def output(library, program, what):
    """What the library has of a program: its size is asked first."""
    size = ctypes.c_size_t()
    if getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) != 0:
        return b""
    buffer = ctypes.create_string_buffer(max(size.value, 1))
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw[: size.value]


def compile_in(library, folder, options):
    def write(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    with open(os.path.join(folder, "kernel.cu"), "rb") as file:
        source = file.read()
    program = ctypes.c_void_p()
    status = library.nvrtcCreateProgram(
        ctypes.byref(program), source, b"kernel.cu", 0, None, None
    )
    if status == 0:
        values = (ctypes.c_char_p * len(options))(*options)
        status = library.nvrtcCompileProgram(program, len(options), values)
        write("kernel.log", output(library, program, "ProgramLog").rstrip(b"\0"))
        if status == 0:
            write("kernel.ptx", output(library, program, "PTX").rstrip(b"\0"))
            write("kernel.cubin", output(library, program, "CUBIN"))
        library.nvrtcDestroyProgram(ctypes.byref(program))
    return b"ok" if status == 0 else library.nvrtcGetErrorString(status)


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    for line in sys.stdin.buffer:
        folder, *options = line.rstrip(b"\n").split(b"\x1f")
        said = compile_in(library, os.fsdecode(folder), options)
        sys.stdout.buffer.write(said + b"\n")
        sys.stdout.buffer.flush()


main()
