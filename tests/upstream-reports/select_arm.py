"""RewriteUnsafeSelect keeps a `T.Select` eager whose arm may trap.

`before` and `after` differ by a binding: `v` for `A[2]`, which is always evaluated. A load in an arm makes the pass turn the `T.Select` into
`T.if_then_else`; without one it leaves it, although the other arm divides. Both arms are then evaluated, for `a == 0` too.

Run this file with TVM 0.27 to see both functions after the pass.
"""

from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def before(A: T.Buffer((8,), "int32"), O: T.Buffer((8,), "int32"), a: T.int32, n: T.int32):
    T.func_attr({"tirx.noalias": True})
    O[2] = T.Select(a != 0, n // a, A[2])
    O[4] = A[2]


@T.prim_func(s_tir=True)
def after(A: T.Buffer((8,), "int32"), O: T.Buffer((8,), "int32"), a: T.int32, n: T.int32):
    T.func_attr({"tirx.noalias": True})
    v: T.let[T.int32] = A[2]
    O[2] = T.Select(a != 0, n // a, v)
    O[4] = v


def main():
    import tvm

    for function in (before, after):
        module = tvm.IRModule({"main": function})
        print(tvm.s_tir.transform.RewriteUnsafeSelect()(module).script())


if __name__ == "__main__":
    main()
