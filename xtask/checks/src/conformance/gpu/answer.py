"""Answers what `cargo xtask conformance gpu --record DIR` wrote, on a machine with a GPU that may have nothing else.

    python3 answer.py DIR OUT [--seconds N] [--only check|time] [--filter WORD]

Needs Python with cuda-bindings and NumPy (ml_dtypes, too, where there is bfloat16), and an NVRTC. `DIR/sources.json` has the
sources, `DIR/requests.jsonl` a request a line:

    {"id", "op": "check", "buffers": [recipe or {"zeros": bytes}, ...], "launches": [...], "expected": {position: sha256}}
        -> {"id", "sha256": {position: digest}, "outputs": {position: [file, offset, bytes]}} for those that differ
    {"id", "op": "time", "buffers": [...], "sides": [{"name", "launches", "workspaces": [bytes, ...], "against": name or null},
     ...]} -> {"id", "sides": {name: {"milliseconds": [...], "error", "equal", "difference"}}}

A launch is {"source", "kernel", "arguments", "global", "local", "shared_bytes"}; an argument {"buffer": position},
{"workspace": number} or {"dtype", "value"}. A recipe says how SplitMix64 makes the elements, so that no array travels.

One process compiles on every processor, then one after the other answers: a kernel that hangs or breaks the context costs
its own request. Answers go to OUT/answers.jsonl as they come, arrays that differ to OUT/outputs-N.bin.
"""

import argparse
import ctypes
import glob
import hashlib
import json
import multiprocessing
import os
import struct
import subprocess
import sys
import threading
import time

FORMATS = {
    "bool": "<b", "int8": "<b", "uint8": "<B", "int16": "<h", "uint16": "<H", "int32": "<i", "uint32": "<I",
    "int64": "<q", "uint64": "<Q", "float16": "<e", "float32": "<f", "float64": "<d",
}
LOG_CHARACTERS = 1500
# A request that takes longer is given up, with its process.
SECONDS_OF_CHECK, SECONDS_OF_TIME = 15, 30
# Files of arrays that come back, and the bytes of each.
OUTPUT_FILES, OUTPUT_BYTES = 4, 12 << 20
# Rounds of all sides of a request; launches of a round take about so long.
ROUNDS, ROUND_MILLISECONDS, MOST_CALLS, MOST_LAUNCHES = 11, 2.0, 100, 1500


def ask(answer, what):
    error, *values = answer
    if int(error) != 0:
        raise RuntimeError(f"{what} failed: {error}")
    return values[0] if len(values) == 1 else values


# ---- compiling ----


def includes():
    from cuda.bindings import nvrtc

    site = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(nvrtc.__file__))))
    folders = glob.glob(os.path.join(site, "nvidia", "*", "include")) + glob.glob("/usr/local/cuda*/include")
    folders += [os.path.join(it, "cccl") for it in folders]
    return [f"-I{it}" for it in sorted(folders) if os.path.isdir(it)]


def compiled(job):
    """The binary of a source, or the words of the compiler."""
    index, text, options, arch = job
    from cuda.bindings import nvrtc

    flags = [it.encode() for it in [*options, *includes(), f"--gpu-architecture={arch}"]]
    program = ask(nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], []), "reading a source")
    try:
        if int(nvrtc.nvrtcCompileProgram(program, len(flags), flags)[0]) != 0:
            log = b" " * ask(nvrtc.nvrtcGetProgramLogSize(program), "asking for the log")
            nvrtc.nvrtcGetProgramLog(program, log)
            return index, None, log.decode(errors="replace")[:LOG_CHARACTERS]
        binary = b" " * ask(nvrtc.nvrtcGetCUBINSize(program), "asking for the binary")
        ask(nvrtc.nvrtcGetCUBIN(program, binary), "asking for the binary")
        return index, binary, None
    finally:
        nvrtc.nvrtcDestroyProgram(program)


def compile_all(pack, folder, arch, wanted):
    with open(os.path.join(pack, "sources.json"), encoding="utf-8") as file:
        sources = json.load(file)
    jobs = [("fill", FILL, [], arch)] + [(at, it["text"], it["options"], arch) for at, it in enumerate(sources) if at in wanted]
    failures = {}
    with multiprocessing.Pool() as pool:
        for index, binary, error in pool.imap_unordered(compiled, jobs, chunksize=4):
            if error is None:
                with open(os.path.join(folder, f"{index}.cubin"), "wb") as file:
                    file.write(binary)
            else:
                failures[index] = error
    with open(os.path.join(folder, "failures.json"), "w", encoding="utf-8") as file:
        json.dump(failures, file)
    return len(jobs), len(failures)


# ---- the process that has the GPU ----


# Makes the elements of a recipe.
FILL = r"""
extern "C" __global__ void fill(unsigned char* out, unsigned long long count, unsigned long long size, unsigned long long state,
                                const unsigned char* special, unsigned long long n_special,
                                const unsigned char* usual, unsigned long long n_usual) {
  unsigned long long draws = n_special ? 2 : 1, step = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long at = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += step) {
    unsigned long long drawn[2];
    for (unsigned long long draw = 0; draw < draws; ++draw) {
      unsigned long long mixed = state + (at * draws + draw + 1) * 0x9e3779b97f4a7c15ULL;
      mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
      drawn[draw] = mixed ^ (mixed >> 31);
    }
    bool is_special = n_special && drawn[0] % 8 == 0;
    const unsigned char* from = is_special ? special : usual;
    from += drawn[draws - 1] % (is_special ? n_special : n_usual) * size;
    for (unsigned long long byte = 0; byte < size; ++byte) out[at * size + byte] = from[byte];
  }
}
"""


class Device:
    def __init__(self, folder, out):
        import numpy
        from cuda.bindings import driver

        self.numpy, self.driver, self.folder, self.out = numpy, driver, folder, out
        ask(driver.cuInit(0), "finding a driver")
        self.device = ask(driver.cuDeviceGet(0), "finding a GPU")
        context = ask(driver.cuDevicePrimaryCtxRetain(self.device), "making a context")
        ask(driver.cuCtxSetCurrent(context), "choosing the context")
        self.stream = ask(driver.cuStreamCreate(1), "making a stream")
        with open(os.path.join(folder, "failures.json"), encoding="utf-8") as file:
            self.failures = {int(key): it for key, it in json.load(file).items() if key != "fill"}
        with open(os.path.join(folder, "fill.cubin"), "rb") as file:
            module = ask(driver.cuModuleLoadData(file.read()), "loading a binary")
        self.fill = ask(driver.cuModuleGetFunction(module, b"fill"), "finding a kernel")
        self.modules, self.n_written = {}, 0

    def answer(self, request):
        self.memories = []
        try:
            return getattr(self, request["op"])(request)
        finally:
            for memory in self.memories:
                self.driver.cuMemFree(memory)
            for module in self.modules.values():
                self.driver.cuModuleUnload(module)
            self.modules = {}

    def check(self, request):
        buffers = [self.made(it) for it in request["buffers"]]
        for launch in request["launches"]:
            self.launch(launch, buffers, [])
        ask(self.driver.cuStreamSynchronize(self.stream), "running")
        digests, outputs = {}, {}
        for position, expected in request["expected"].items():
            raw = self.read(*buffers[int(position)])
            digests[position] = hashlib.sha256(raw).hexdigest()
            if digests[position] != expected:
                outputs[position] = self.keep(raw)
        return {"sha256": digests, "outputs": outputs}

    def keep(self, raw):
        """Writes an array for the way back: (file, offset, bytes), or None where there is no room."""
        for number in range(OUTPUT_FILES):
            path = os.path.join(self.out, f"outputs-{number}.bin")
            offset = os.path.getsize(path) if os.path.exists(path) else 0
            if offset + len(raw) <= OUTPUT_BYTES:
                with open(path, "ab") as file:
                    file.write(raw)
                return [os.path.basename(path), offset, len(raw)]
        return None

    def time(self, request):
        buffers, pristine = ([self.made(it) for it in request["buffers"]] for _ in range(2))
        sides, results, graphs = request["sides"], {}, []
        for side in sides:
            result = results[side["name"]] = {"milliseconds": []}
            try:
                workspaces = [self.filled(self.numpy.zeros(it, dtype="uint8")) for it in side["workspaces"]]
                self.restore(buffers, pristine)
                first = self.timed(lambda: self.launch_all(side, buffers, workspaces))
                outputs = [self.read(*it) for it in buffers]
                self.compare(request, side, results, outputs)
                second = self.timed(lambda: self.launch_all(side, buffers, workspaces))
                result.update(first=first)
                graphs.append([result, side, workspaces, second])
            except (RuntimeError, OSError) as error:
                result["error"] = str(error)
                if "CUDA_ERROR_ILLEGAL" in str(error) or "MISALIGNED" in str(error) or "LAUNCH_FAILED" in str(error):
                    raise
        # As many calls for each side: what a graph costs itself is the same for all.
        slowest = max((it[3] for it in graphs), default=0.0)
        most = max((len(it[1]["launches"]) for it in graphs), default=1)
        calls = max(1, min(MOST_CALLS, int(ROUND_MILLISECONDS / max(slowest, 1e-4)), MOST_LAUNCHES // max(1, most)))
        graphs = [(result, *self.captured(side, buffers, workspaces, calls)) for result, side, workspaces, _ in graphs]
        rounds = max(2, min(ROUNDS, int(1500 / max(slowest * calls * max(1, len(graphs)), 1e-3))))
        for turn in range(rounds + 1):
            for result, graph, calls in graphs:
                self.restore(buffers, pristine)
                spent = self.timed(lambda graph=graph: ask(self.driver.cuGraphLaunch(graph, self.stream), "launching a graph"))
                if turn > 0:
                    result["milliseconds"].append(round(spent / calls, 7))
        for _, graph, _ in graphs:
            self.driver.cuGraphExecDestroy(graph)
        for result in results.values():
            result.pop("outputs", None)
        return {"sides": results}

    def compare(self, request, side, results, outputs):
        """How far the arrays are from those of the side that it is compared with."""
        results[side["name"]]["outputs"] = outputs
        other = results.get(side.get("against") or "", {}).get("outputs")
        if other is None:
            return
        result = results[side["name"]]
        result["equal"] = all(one == another for one, another in zip(outputs, other))
        if result["equal"]:
            return
        worst = 0.0
        for recipe, one, another in zip(request["buffers"], outputs, other):
            if one == another:
                continue
            one, another = (self.numbers(recipe["dtype"], it) for it in (one, another))
            gap, size = self.numpy.abs(one - another), self.numpy.linalg.norm(another[self.numpy.isfinite(another)])
            same = (one == another) | (self.numpy.isnan(one) & self.numpy.isnan(another))
            gap[same] = 0
            worst = max(worst, float(self.numpy.linalg.norm(gap) / max(size, 1e-30))) if self.numpy.isfinite(gap).all() else float("inf")
        result["difference"] = worst if worst < 1e300 else 1e300

    def numbers(self, dtype, raw):
        try:
            import ml_dtypes

            kind = self.numpy.dtype(getattr(ml_dtypes, dtype)) if hasattr(ml_dtypes, dtype) else self.numpy.dtype(dtype)
        except ImportError:
            kind = self.numpy.dtype(dtype)
        return self.numpy.frombuffer(raw, dtype=kind).astype("float64")

    # -- the driver --

    def made(self, recipe):
        """An array of a recipe: (memory, bytes)."""
        if "zeros" in recipe:
            return self.filled(self.numpy.zeros(recipe["zeros"], dtype="uint8"))
        size, count = recipe["bytes"], recipe["count"]
        memory = ask(self.driver.cuMemAlloc(max(count * size, 16)), f"making a buffer of {count * size} bytes")
        self.memories.append(memory)
        numbers = [int(memory), count, size, int(recipe["state"], 16)]
        for table in ("special", "usual"):
            raw = self.numpy.frombuffer(bytes.fromhex(recipe[table]), dtype="uint8")
            numbers += [int(self.filled(raw)[0]), len(raw) // size]
        values = [ctypes.c_uint64(it) for it in numbers]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(it) for it in values])
        if count:
            ask(
                self.driver.cuLaunchKernel(self.fill, min(2048, -(-count // 256)), 1, 1, 256, 1, 1, 0, self.stream, ctypes.addressof(pointers), 0),
                "making an array",
            )
            ask(self.driver.cuStreamSynchronize(self.stream), "making an array")
        return memory, count * size

    def filled(self, array):
        memory = ask(self.driver.cuMemAlloc(max(array.nbytes, 16)), f"making a buffer of {array.nbytes} bytes")
        self.memories.append(memory)
        if array.nbytes:
            array = self.numpy.ascontiguousarray(array)
            ask(self.driver.cuMemcpyHtoD(memory, array.ctypes.data, array.nbytes), "filling a buffer")
        return memory, array.nbytes

    def read(self, memory, size):
        raw = bytearray(size)
        if size:
            view = (ctypes.c_char * size).from_buffer(raw)
            ask(self.driver.cuMemcpyDtoH(ctypes.addressof(view), memory, size), "reading a buffer")
        return bytes(raw)

    def restore(self, buffers, pristine):
        for (to, size), (source, _) in zip(buffers, pristine):
            if size:
                ask(self.driver.cuMemcpyDtoDAsync(to, source, size, self.stream), "copying a buffer")

    def timed(self, work):
        driver = self.driver
        start, end = (ask(driver.cuEventCreate(0), "making an event") for _ in range(2))
        ask(driver.cuEventRecord(start, self.stream), "timing")
        work()
        ask(driver.cuEventRecord(end, self.stream), "timing")
        ask(driver.cuEventSynchronize(end), "running")
        spent = ask(driver.cuEventElapsedTime(start, end), "timing")
        driver.cuEventDestroy(start), driver.cuEventDestroy(end)
        return spent

    def launch_all(self, side, buffers, workspaces):
        for launch in side["launches"]:
            self.launch(launch, buffers, workspaces)

    def captured(self, side, buffers, workspaces, calls):
        driver = self.driver
        mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
        ask(driver.cuStreamBeginCapture(self.stream, mode), "beginning a graph")
        try:
            for _ in range(calls):
                self.launch_all(side, buffers, workspaces)
        finally:
            graph = ask(driver.cuStreamEndCapture(self.stream), "ending a graph")
        made = ask(driver.cuGraphInstantiate(graph, 0), "making a graph")
        driver.cuGraphDestroy(graph)
        return made, calls

    def function(self, launch):
        index = launch["source"]
        if index in self.failures:
            raise RuntimeError(f"build failed: {self.failures[index]}")
        if index not in self.modules:
            path = os.path.join(self.folder, f"{index}.cubin")
            with open(path, "rb") as file:
                self.modules[index] = ask(self.driver.cuModuleLoadData(file.read()), "loading a binary")
        name = launch["kernel"]
        return ask(self.driver.cuModuleGetFunction(self.modules[index], name.encode()), f"finding the kernel {name}")

    def launch(self, launch, buffers, workspaces):
        kernel = self.function(launch)
        values = [self.argument(it, buffers, workspaces) for it in launch["arguments"]]
        pointers = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(it) for it in values])
        local, shared = launch["local"], launch.get("shared_bytes", 0)
        grid = [everything // block for everything, block in zip(launch["global"], local)]
        grid, local = (it + [1] * (3 - len(it)) for it in (grid, local))
        if shared > 48 << 10:
            kind = self.driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            ask(self.driver.cuFuncSetAttribute(kernel, kind, shared), f"asking for {shared} bytes of shared memory")
        ask(
            self.driver.cuLaunchKernel(kernel, *grid, *local, shared, self.stream, ctypes.addressof(pointers), 0),
            f"launching {launch['kernel']} with {grid} blocks of {local}",
        )

    def argument(self, argument, buffers, workspaces):
        if "buffer" in argument:
            return ctypes.c_uint64(int(buffers[argument["buffer"]][0]))
        if "workspace" in argument:
            return ctypes.c_uint64(int(workspaces[argument["workspace"]][0]))
        raw = struct.pack(FORMATS[argument["dtype"]], argument["value"])
        return ctypes.create_string_buffer(raw, len(raw))


def serve(folder, out):
    """Answers requests from standard input, each in a line of the standard output."""
    device = Device(folder, out)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = device.answer(request)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
            answer = {"error": f"{type(error).__name__}: {error}"[:LOG_CHARACTERS]}
        print(json.dumps({"id": request["id"], "op": request["op"], **answer}), flush=True)
        if "CUDA_ERROR" in answer.get("error", ""):
            return  # the context may be broken


# ---- the process that watches ----


class Watched:
    """A process with the GPU, and a clock on its answers."""

    def __init__(self, folder, out):
        command = [sys.executable, os.path.abspath(__file__), "--serve", folder, out]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.line(60) is None:
            raise RuntimeError("no GPU answers")

    def line(self, seconds):
        killer = threading.Timer(seconds, self.process.kill)
        killer.start()
        try:
            return self.process.stdout.readline() or None
        finally:
            killer.cancel()

    def ask(self, line, seconds):
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        return self.line(seconds)

    def stop(self):
        self.process.kill()
        self.process.wait()


def about(out_of):
    from cuda.bindings import driver, nvrtc

    ask(driver.cuInit(0), "finding a driver")
    device = ask(driver.cuDeviceGet(0), "finding a GPU")
    kinds = driver.CUdevice_attribute
    number = lambda kind: ask(driver.cuDeviceGetAttribute(kind, device), "asking the GPU")  # noqa: E731
    major = number(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    minor = number(kinds.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    name = ask(driver.cuDeviceGetName(256, device), "asking the GPU").split(b"\0")[0].decode()
    version = ask(driver.cuDriverGetVersion(), "asking the driver")
    compiler = ".".join(str(it) for it in ask(nvrtc.nvrtcVersion(), "asking NVRTC"))
    text = f"{name}, driver for CUDA {version // 1000}.{version % 1000 // 10}, NVRTC {compiler}"
    out_of.put({"device": text, "arch": f"sm_{major}{minor}"})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pack")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--only", choices=["check", "time"])
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    began = time.monotonic()
    queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=about, args=(queue,))
    child.start()
    facts = queue.get(timeout=60)
    child.join()
    with open(os.path.join(options.pack, "requests.jsonl"), encoding="utf-8") as file:
        lines = [it for it in file if options.filter in it]
    requests = [json.loads(it) for it in lines]
    pairs = [(a, b) for a, b in zip(requests, lines) if options.only in (None, a["op"])]
    wanted = {it["source"] for request, _ in pairs for side in request.get("sides", [request]) for it in side["launches"]}
    folder = os.path.join("/tmp", f"binaries-{os.getpid()}")
    os.makedirs(folder)
    facts["sources"], facts["refused"] = compile_all(options.pack, folder, facts["arch"], wanted)
    facts["compile_seconds"] = round(time.monotonic() - began, 1)
    print(facts, flush=True)
    watched, lost = None, 0
    with open(os.path.join(options.out, "answers.jsonl"), "w", encoding="utf-8") as file:
        file.write(json.dumps(facts) + "\n")
        for at, (request, line) in enumerate(pairs):
            if time.monotonic() - began > options.seconds:
                print(f"stopped after {at} of {len(pairs)} requests", flush=True)
                break
            watched = watched or Watched(folder, options.out)
            answer = watched.ask(line, SECONDS_OF_CHECK if request["op"] == "check" else SECONDS_OF_TIME)
            if answer is None:
                lost += 1
                answer = json.dumps({"id": request["id"], "op": request["op"], "error": "no answer: it hangs, or ended the process"}) + "\n"
            if "\"error\": \"" in answer and ("no answer" in answer or "CUDA_ERROR" in answer):
                watched.stop()
                watched = None
            file.write(answer)
            file.flush()
        facts["seconds"] = round(time.monotonic() - began, 1)
        file.write(json.dumps({"seconds": facts["seconds"], "lost": lost}) + "\n")
    if watched:
        watched.stop()
    print(f"{facts['seconds']} s, {lost} without an answer", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:4])
    else:
        main()
