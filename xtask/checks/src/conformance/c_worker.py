"""Calls functions of shared objects, one JSON object a line.

    {"op": "version"}                                                   -> {"version"}
    {"op": "call", "library": path, "function": N, "arguments": [...]}  -> {"code"}

An argument is {"path"} (a pointer: a copy of its bytes) or {"dtype", "value"} (a number). What a pointer's bytes are
after the call is written to its path + "." + the library's name without folder and ending. A function returns an `int32_t`.
"""

import ctypes
import os
import sys

from worker_loop import serve

NUMBERS = {
    "bool": ctypes.c_bool, "int8": ctypes.c_int8, "uint8": ctypes.c_uint8, "int16": ctypes.c_int16,
    "uint16": ctypes.c_uint16, "int32": ctypes.c_int32, "uint32": ctypes.c_uint32, "int64": ctypes.c_int64,
    "uint64": ctypes.c_uint64, "float32": ctypes.c_float, "float64": ctypes.c_double,
}
# Bytes before and after an array, to find a store beside it.
MARGIN = 64
FILLER = b"\xa5" * MARGIN


def call(request):
    library = ctypes.CDLL(request["library"])
    function = getattr(library, request["function"])
    function.restype = ctypes.c_int32
    arrays, arguments = [], []
    for argument in request["arguments"]:
        if "path" in argument:
            with open(argument["path"], "rb") as file:
                raw = file.read()
            memory = ctypes.create_string_buffer(FILLER + raw + FILLER, 2 * MARGIN + len(raw))
            arrays.append((argument["path"], memory, len(raw)))
            arguments.append(ctypes.c_void_p(ctypes.addressof(memory) + MARGIN))
        else:
            value = argument["value"]
            kind = NUMBERS[argument["dtype"]]
            arguments.append(kind(value if argument["dtype"].startswith("float") else int(value)))
    code = function(*arguments)
    ending = os.path.splitext(os.path.basename(request["library"]))[0]
    for path, memory, size in arrays:
        if memory.raw[:MARGIN] != FILLER or memory.raw[MARGIN + size:] != FILLER:
            raise RuntimeError(f"a store beside the array of {os.path.basename(path)}")
        with open(path + "." + ending, "wb") as file:
            file.write(memory.raw[MARGIN:MARGIN + size])
    return {"code": code}


class Calls:
    def version(self, _request):
        return {"version": sys.version.split()[0]}

    def call(self, request):
        return call(request)


if __name__ == "__main__":
    serve(Calls)
