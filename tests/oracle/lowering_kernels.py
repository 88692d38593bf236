# Small kernels of the forms that schedules make, each run as a whole before and after each pass of the lowering.
from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def sum_by_threads(A: T.Buffer((3, 100), "float32"), B: T.Buffer((3, 40), "float32")):
    S = T.sblock_alloc_buffer((3,), scope="shared")
    for b in T.thread_binding(3, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for k in range(4):
                with T.sblock("sum"):
                    v = T.axis.spatial(3, b)
                    r = T.axis.reduce(100, k * 32 + t)
                    T.where(k * 32 + t < 100)
                    with T.init():
                        S[v] = T.float32(0)
                    S[v] = S[v] + A[v, r]
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for k in range(2):
                with T.sblock("scale"):
                    v = T.axis.spatial(3, b)
                    w = T.axis.spatial(40, k * 32 + t)
                    T.where(k * 32 + t < 40)
                    B[v, w] = A[v, w] / S[v]


@T.prim_func(s_tir=True)
def norm_by_threads(A: T.Buffer((3, 128), "float32"), B: T.Buffer((3, 128), "float32"), C: T.Buffer((3, 32), "float32")):
    squares = T.sblock_alloc_buffer((3, 128), scope="local")
    mean = T.sblock_alloc_buffer((3,), scope="shared")
    for b in T.thread_binding(3, thread="blockIdx.x"):
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for j in range(4):
                with T.sblock("square"):
                    vb = T.axis.spatial(3, b)
                    v = T.axis.spatial(128, t * 4 + j)
                    squares[vb, v] = A[vb, v] * A[vb, v]
            for j in range(4):
                with T.sblock("mean"):
                    vb = T.axis.spatial(3, b)
                    r = T.axis.reduce(128, t * 4 + j)
                    with T.init():
                        mean[vb] = T.float32(0)
                    mean[vb] = mean[vb] + squares[vb, r]
            with T.sblock("beside"):
                vb, v = T.axis.remap("SS", [b, t])
                C[vb, v] = squares[vb, v * 4]
        for t in T.thread_binding(32, thread="threadIdx.x"):
            for j in range(4):
                with T.sblock("scale"):
                    vb = T.axis.spatial(3, b)
                    v = T.axis.spatial(128, t * 4 + j)
                    B[vb, v] = A[vb, v] * mean[vb]


@T.prim_func(s_tir=True)
def argmax_by_threads(A: T.Buffer((2, 100), "int32"), I: T.Buffer((2,), "int32"), V: T.Buffer((2,), "int32")):
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for k in range(7):
            for t in T.thread_binding(16, thread="threadIdx.x"):
                with T.sblock("argmax"):
                    v = T.axis.spatial(2, b)
                    r = T.axis.reduce(100, k * 16 + t)
                    T.where(k * 16 + t < 100)
                    with T.init():
                        I[v] = -1
                        V[v] = -2147483648
                    i: T.let[T.int32] = T.Select(V[v] > A[v, r] or V[v] == A[v, r] and I[v] < r, I[v], r)
                    m: T.let[T.int32] = T.Select(V[v] > A[v, r], V[v], A[v, r])
                    I[v] = i
                    V[v] = m


@T.prim_func(s_tir=True)
def product_by_tiles(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32"), C: T.Buffer((32, 32), "float32")):
    L = T.sblock_alloc_buffer((32, 32), scope="local")
    SA = T.sblock_alloc_buffer((32, 32), scope="shared")
    SB = T.sblock_alloc_buffer((32, 32), scope="shared")
    for by in T.thread_binding(2, thread="blockIdx.y"):
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for vy in T.thread_binding(1, thread="vthread.y"):
                for ty in T.thread_binding(8, thread="threadIdx.y"):
                    for tx in T.thread_binding(4, thread="threadIdx.x"):
                        for i, j in T.grid(2, 4):
                            with T.sblock("start"):
                                v = T.axis.spatial(32, by * 16 + ty * 2 + i)
                                w = T.axis.spatial(32, bx * 16 + tx * 4 + j)
                                L[v, w] = T.float32(0)
                        for k in range(4):
                            for uy in T.thread_binding(8, thread="threadIdx.y"):
                                for ux in T.thread_binding(4, thread="threadIdx.x"):
                                    for e in range(4):
                                        with T.sblock("fetch_a"):
                                            v = T.axis.spatial(32, by * 16 + (uy * 16 + ux * 4 + e) // 8)
                                            w = T.axis.spatial(32, k * 8 + (uy * 16 + ux * 4 + e) % 8)
                                            T.reads(A[v, w])
                                            T.writes(SA[v, w])
                                            T.sblock_attr({"buffer_dim_align": [[0, 0, 8, 3]]})
                                            SA[v, w] = A[v, w]
                            for uy in T.thread_binding(8, thread="threadIdx.y"):
                                for ux in T.thread_binding(4, thread="threadIdx.x"):
                                    for e in range(4):
                                        with T.sblock("fetch_b"):
                                            v = T.axis.spatial(32, k * 8 + (uy * 16 + ux * 4 + e) // 16)
                                            w = T.axis.spatial(32, bx * 16 + (uy * 16 + ux * 4 + e) % 16)
                                            SB[v, w] = B[v, w]
                            for kk, i, j in T.grid(8, 2, 4):
                                with T.sblock("update"):
                                    v = T.axis.spatial(32, by * 16 + ty * 2 + i)
                                    w = T.axis.spatial(32, bx * 16 + tx * 4 + j)
                                    r = T.axis.reduce(32, k * 8 + kk)
                                    L[v, w] = L[v, w] + SA[v, r] * SB[r, w]
                        for i, j in T.grid(2, 4):
                            with T.sblock("write"):
                                v = T.axis.spatial(32, by * 16 + ty * 2 + i)
                                w = T.axis.spatial(32, bx * 16 + tx * 4 + j)
                                C[v, w] = L[v, w]


@T.prim_func(s_tir=True)
def stencil(A: T.Buffer((68,), "int32"), B: T.Buffer((64,), "int32")):
    S = T.sblock_alloc_buffer((68,), "int32", scope="shared")
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for k in range(2):
            for t in T.thread_binding(20, thread="threadIdx.x"):
                S[b * 32 + k * 16 + t] = A[b * 32 + k * 16 + t] * 3
            for t in T.thread_binding(16, thread="threadIdx.x"):
                B[b * 32 + k * 16 + t] = S[b * 32 + k * 16 + t] - S[b * 32 + k * 16 + t + 4]


@T.prim_func(s_tir=True)
def outside_of_threads(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), N: T.Buffer((2,), "int32")):
    S = T.sblock_alloc_buffer((2,), "int32", scope="shared")
    for b in T.thread_binding(2, thread="blockIdx.x"):
        S[b] = A[b * 32 + 5] + 1
        N[b] = A[b] * 2
        for t in T.thread_binding(32, thread="threadIdx.x"):
            B[b * 32 + t] = A[b * 32 + t] + S[b]


@T.prim_func(s_tir=True)
def factored_sum(A: T.Buffer((64, 8), "float32"), C: T.Buffer((8,), "float32")):
    P = T.sblock_alloc_buffer((4, 8), scope="local")
    for tx in T.thread_binding(8, thread="threadIdx.x"):
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            with T.sblock("start"):
                w, v = T.axis.remap("SS", [ty, tx])
                P[w, v] = T.float32(0)
            for k in range(16):
                with T.sblock("part"):
                    w, v, r = T.axis.remap("SSR", [ty, tx, k])
                    P[w, v] = P[w, v] + A[r * 4 + w, v]
        for ty in T.thread_binding(4, thread="threadIdx.y"):
            with T.sblock("sum"):
                w, v = T.axis.remap("RS", [ty, tx])
                with T.init():
                    C[v] = T.float32(0)
                C[v] = C[v] + P[w, v]


@T.prim_func(s_tir=True)
def dynamic_rows(a: T.handle, b: T.handle):
    n = T.int64()
    A = T.match_buffer(a, (n, n), "float32")
    B = T.match_buffer(b, (n, n), "float32")
    M = T.sblock_alloc_buffer((n,), scope="shared")
    for row in T.thread_binding(n, thread="blockIdx.x"):
        for one in range(T.int64(1)):
            for t in T.thread_binding(T.int64(4), thread="threadIdx.x"):
                for k in range((n + T.int64(3)) // T.int64(4)):
                    with T.sblock("max"):
                        v = T.axis.spatial(n, row + one)
                        r = T.axis.reduce(n, k * T.int64(4) + t)
                        T.where(k * T.int64(4) + t < n)
                        with T.init():
                            M[v] = T.float32(-1e30)
                        M[v] = T.max(M[v], A[v, r])
        for t in T.thread_binding(T.int64(4), thread="threadIdx.x"):
            for k in range((n + T.int64(3)) // T.int64(4)):
                with T.sblock("minus"):
                    v = T.axis.spatial(n, row)
                    w = T.axis.spatial(n, k * T.int64(4) + t)
                    T.where(k * T.int64(4) + t < n)
                    B[v, w] = A[v, w] - M[v]
