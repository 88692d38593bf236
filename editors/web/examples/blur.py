# A blur of three rows, as it is written by hand: hover over a name, open the tabs on the right, apply an action.
from tvm.script import tirx as T


@T.prim_func
def blur(source: T.Buffer((4096, 1024), "float32"), target: T.Buffer((4096, 1024), "float32")):
    for block in T.thread_binding(16384, thread="blockIdx.x"):
        for thread in T.thread_binding(256, thread="threadIdx.x"):
            row: T.int32 = (block * 256 + thread) // 1024
            if 0 < row and row < 4095 and thread < 256:
                target[(block * 256 + thread) // 1024, (block * 256 + thread) % 1024] = (
                    source[(block * 256 + thread) // 1024 - 1, (block * 256 + thread) % 1024] * T.float32(0.25)
                    + source[(block * 256 + thread) // 1024, (block * 256 + thread) % 1024] * T.float32(0.5)
                    + source[(block * 256 + thread) // 1024 + 1, (block * 256 + thread) % 1024] * T.float32(0.25)
                )
