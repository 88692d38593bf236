"""Times TVM's from_source, CommonSubexprElim and StmtSimplify on the files named on standard input, one JSON object a line.

The module's text is read in dump style (import lines are comments in printed files). Files that TVM cannot read are
reported and left out of the sums; the caller leaves them out of its own as well.
"""

import json
import sys
import time

import tvm
from tvm.script import from_source


def find_pass(*names):
    for namespace in ("tirx", "tir"):
        module = getattr(tvm, namespace, None)
        transform = getattr(module, "transform", None)
        for name in names:
            if hasattr(transform, name):
                return getattr(transform, name)()
    raise SystemExit(f"this TVM has no pass {names[0]}")


def main():
    eliminate = find_pass("CommonSubexprElim", "CommonSubexprElimTIR")
    simplify = find_pass("StmtSimplify", "Simplify")
    for line in sys.stdin:
        path = line.rstrip("\n")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            start = time.perf_counter()
            module = from_source(text)
            parsed = time.perf_counter()
            eliminate(module)
            eliminated = time.perf_counter()
            simplify(module)
            done = time.perf_counter()
        except Exception as error:  # a file that the peer cannot read is a fact, not a failure
            print(json.dumps({"path": path, "error": str(error)[:200]}), flush=True)
            continue
        times = {"parse": parsed - start, "cse": eliminated - parsed, "simplify": done - eliminated}
        print(json.dumps({"path": path, **times}), flush=True)


main()
