"""Times TVM's way from the text of kernels to CUDA C++, on the files named on standard input, one JSON object a line.

That is `tvm.tirx.build` up to the compiler of the device: from_source, the pipeline of passes, the split of host and device, the passes for device
functions, and CodeGenCUDA, in seconds of the processor. NVCC is not called, and host code is neither finished nor generated. Files that TVM cannot
read or build are reported with the reason; the caller leaves them out of its own sums as well.
"""

import json
import sys
import time

import tvm
from tvm.script import from_source
from tvm.tirx.build import split_host_device_mods


@tvm.register_global_func("tvm_callback_cuda_compile", override=True)
def compile_nothing(code, *_):
    return "//"


def build(module, target):
    module = tvm.tirx.transform.BindTarget(target)(module)
    pipeline, _, finish = tvm.tirx.get_default_tir_pipeline(target)
    module = pipeline(module)
    _, devices = split_host_device_mods(module)
    written = 0
    for device, part in devices.items():
        if len(part.functions) != 0:
            part = finish()(part)
            tvm.get_global_func("target.build.cuda")(part, device)
            written += len(part.functions)
    return written


def main():
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_80"}).with_host(tvm.target.Target("llvm"))
    for line in sys.stdin:
        path = line.rstrip("\n")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            best, parsed = None, None
            for _ in range(2):
                start = time.process_time()
                module = from_source(text)
                middle = time.process_time()
                kernels = build(module, target)
                done = time.process_time()
                if best is None or done - start < best:
                    best, parsed = done - start, middle - start
        except Exception as error:  # a file that the peer cannot read is a fact, not a failure
            print(json.dumps({"path": path, "error": str(error)[-200:]}), flush=True)
            continue
        print(json.dumps({"path": path, "seconds": best, "parse": parsed, "kernels": kernels}), flush=True)


main()
