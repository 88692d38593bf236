"""Times TVM's from_source and CommonSubexprElim on the files named on standard input, one JSON object a line.

The module's text is read in dump style (import lines are comments in printed files). Files that TVM cannot read are
reported and left out of the sums; the caller leaves them out of its own as well.
"""

import json
import sys
import time

import tvm
from tvm.script import from_source


def cse_pass():
    for namespace in ("tirx", "tir"):
        module = getattr(tvm, namespace, None)
        transform = getattr(module, "transform", None)
        for name in ("CommonSubexprElim", "CommonSubexprElimTIR"):
            if hasattr(transform, name):
                return getattr(transform, name)()
    raise SystemExit("this TVM has no common subexpression elimination")


def main():
    eliminate = cse_pass()
    for line in sys.stdin:
        path = line.rstrip("\n")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            start = time.perf_counter()
            module = from_source(text)
            parsed = time.perf_counter()
            eliminate(module)
            done = time.perf_counter()
        except Exception as error:  # a file that the peer cannot read is a fact, not a failure
            print(json.dumps({"path": path, "error": str(error)[:200]}), flush=True)
            continue
        print(json.dumps({"path": path, "parse": parsed - start, "cse": done - parsed}), flush=True)


main()
