"""CommonSubexprElim evaluates a guarded division that the function never reaches.

`before` and `after` differ by a binding: `v` for `C[0] + C[1]`, which is always evaluated. With the loads written out, the pass leaves
`(C[0] + C[1]) // a` alone, because it loads memory. With `v` it binds `v // a` above both guards. For `a == 0` the compiled `after` divides by zero.

Run this file with TVM 0.27 to see the function after the pass, and with `--run` to execute both (the second run ends the process).
"""

from tvm.script import tirx as T


@T.prim_func
def before(C: T.Buffer((2,), "int32"), O: T.Buffer((8,), "int32"), a: T.int32, b: T.int32):
    T.func_attr({"tirx.noalias": True})
    O[2] = C[0] + C[1]
    O[0] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b)
    O[1] = T.if_then_else(a != 0, (C[0] + C[1]) // a, b + 1)


@T.prim_func
def after(C: T.Buffer((2,), "int32"), O: T.Buffer((8,), "int32"), a: T.int32, b: T.int32):
    T.func_attr({"tirx.noalias": True})
    v: T.let[T.int32] = C[0] + C[1]
    O[2] = v
    O[0] = T.if_then_else(a != 0, v // a, b)
    O[1] = T.if_then_else(a != 0, v // a, b + 1)


def main():
    import sys

    import numpy as np
    import tvm

    for function in (before, after):
        module = tvm.IRModule({"main": function})
        print(tvm.tirx.transform.CommonSubexprElim()(module).script())
        if "--run" in sys.argv:
            O = tvm.runtime.tensor(np.zeros(8, "int32"))
            C = tvm.runtime.tensor(np.array([5, 6], "int32"))
            tvm.compile(function, target="llvm")(C, O, 0, 7)
            print(O.numpy()[:3], flush=True)


if __name__ == "__main__":
    main()
