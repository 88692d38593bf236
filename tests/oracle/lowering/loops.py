# Loops and memory as the passes after blocks find them, in few lines each.
from tvm.script import ir as I
from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def vector_copy(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
        for i, j in T.grid(8, 2):
            for v in T.vectorized(4):
                B[i, j * 4 + v] = A[i, (j * 4 + v) % 8] * v + i

    @T.prim_func(s_tir=True)
    def vector_shift(A: T.Buffer((16,), "int32")):
        for v in T.vectorized(8):
            A[v + 1] = A[v]

    @T.prim_func(s_tir=True)
    def vector_column(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
        for i in range(8):
            for v in T.vectorized(8):
                B[v, i] = A[i, v] + A[v, i]

    @T.prim_func(s_tir=True)
    def vector_guard(A: T.Buffer((30,), "float32"), B: T.Buffer((30,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            for v in T.vectorized(4):
                if i * 4 + v < 30:
                    B[i * 4 + v] = T.exp(A[i * 4 + v]) + T.float32(1)

    @T.prim_func(s_tir=True)
    def vector_choice(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        T.func_attr({"tirx.noalias": True})
        for i in range(8):
            for v in T.vectorized(4):
                B[i * 4 + v] = T.if_then_else(1 <= i * 4 + v, A[i * 4 + v - 1], T.float32(0))

    @T.prim_func(s_tir=True)
    def vector_uniform_choice(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        for i in range(8):
            for v in T.vectorized(4):
                B[i * 4 + v] = T.if_then_else(1 <= i, A[i * 4 + v - 4], T.float32(0))

    @T.prim_func(s_tir=True)
    def vector_names(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
        for i in range(8):
            for v in T.vectorized(4):
                x: T.let[T.int32] = A[i * 4 + v]
                y: T.let[T.int32] = A[i * 4]
                B[i * 4 + v] = x * x + y

    @T.prim_func(s_tir=True)
    def vector_select(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
        for i in range(8):
            for v in T.vectorized(4):
                B[i * 4 + v] = T.Select(A[i * 4 + v] < 0 and v != 2, T.max(A[i * 4 + v], v), 7 - v)

    @T.prim_func(s_tir=True)
    def vector_last_lane(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
        for i in range(8):
            for v in T.vectorized(4):
                B[i] = A[i * 4 + v]

    @T.prim_func(s_tir=True)
    def vector_sum(A: T.Buffer((32,), "float32"), B: T.Buffer((8, 4), "float32")):
        for v in T.vectorized(4):
            for i in range(8):
                B[i, v] = T.float32(0)
                for j in range(4):
                    B[i, v] = B[i, v] + A[j * 4 + v] * A[i * 4]

    @T.prim_func(s_tir=True)
    def vector_narrow(A: T.Buffer((32,), "float16"), B: T.Buffer((32,), "int8")):
        for i in range(8):
            for v in T.vectorized(4):
                B[i * 4 + v] = T.Cast("int8", v * 3)
                A[i * 4 + v] = A[i * 4 + v] * T.float16(0.5)

    @T.prim_func(s_tir=True)
    def vector_wide(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(4)), "float32")
        B = T.match_buffer(b, (n, T.int64(4)), "float32")
        for i in range(n):
            for v in T.vectorized(T.int64(4)):
                B[i, v] = A[i, v] + A[i, T.int64(3) - v]

    @T.prim_func(s_tir=True)
    def vector_in_threads(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        with T.launch_thread("blockIdx.x", 2) as bx:
            tx = T.launch_thread("threadIdx.x", 8)
            S = T.alloc_buffer((8, 5), scope="shared")
            for v in T.vectorized(4):
                S[tx, v] = A[bx * 32 + tx * 4 + v]
            T.tvm_storage_sync("shared")
            for v in T.vectorized(4):
                if tx + v < 9:
                    B[bx * 32 + tx * 4 + v] = S[7 - tx, v] * T.float32(2)

    @T.prim_func(s_tir=True)
    def unroll_plain(A: T.Buffer((4, 4), "int32"), B: T.Buffer((4, 4), "int32")):
        for i in T.unroll(4):
            for j in T.unroll(4):
                B[i, j] = A[j, i] * i + j

    @T.prim_func(s_tir=True)
    def unroll_from(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        for i in T.unroll(3, 9):
            x: T.let[T.int32] = A[i] * 2
            for j in range(2):
                B[i + j] = x + j

    @T.prim_func(s_tir=True)
    def unroll_none(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        for i in T.unroll(0):
            B[i] = A[i]
        B[1] = A[2]

    @T.prim_func(s_tir=True)
    def unroll_left(A: T.Buffer((16,), "int32"), B: T.Buffer((4, 4), "int32")):
        for i in T.unroll(4):
            if A[i] > 2:
                break
            for j in T.unroll(4):
                if A[j] > i:
                    continue
                B[i, j] = A[j]

    @T.prim_func(s_tir=True)
    def unroll_pragma(A: T.Buffer((16, 16), "int32"), B: T.Buffer((16, 16), "int32")):
        for i in T.serial(16, annotations={"pragma_auto_unroll_max_step": 16, "pragma_unroll_explicit": 1}):
            for j in range(4):
                for k in range(4):
                    B[i, j * 4 + k] = A[i, k * 4 + j]

    @T.prim_func(s_tir=True)
    def unroll_cells(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        for i in T.unroll(4):
            x: T.int32 = A[i]
            for j in range(3):
                x = x + A[i * 4 + j]
            B[i] = x
            L = T.alloc_local((2, 2), "int32")
            L[1, i % 2] = x
            B[i + 4] = L[1, i % 2]

    @T.prim_func(s_tir=True)
    def unroll_barriers(A: T.Buffer((32,), "float32"), B: T.Buffer((32,), "float32")):
        with T.launch_thread("blockIdx.x", 1) as bx:
            tx = T.launch_thread("threadIdx.x", 8)
            S = T.alloc_shared((8,))
            for i in T.unroll(4):
                S[tx] = A[i * 8 + tx]
                T.tvm_storage_sync("shared")
                B[i * 8 + tx] = S[7 - tx]
                T.tvm_storage_sync("shared")

    @T.prim_func(s_tir=True)
    def flat_many(A: T.Buffer((2, 3, 4), "int32"), B: T.Buffer((4, 3, 2), "int32")):
        C = T.alloc_buffer((3, 2, 4), "int32")
        for i, j, k in T.grid(2, 3, 4):
            C[j, i, k] = A[i, j, k] * 2
        for i, j, k in T.grid(4, 3, 2):
            B[i, j, k] = C[j, k, i]

    @T.prim_func(s_tir=True)
    def flat_padded(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
        C = T.alloc_buffer((8, 8), "int32", strides=(8, 1))
        V = T.decl_buffer((4, 16), "int32", data=C.data)
        for i, j in T.grid(8, 8):
            C[i, j] = A[j, i]
        for i, j in T.grid(4, 16):
            B[i * 2 + j // 8, j % 8] = V[i, j]

    @T.prim_func(s_tir=True)
    def flat_dynamic(a: T.handle, b: T.handle):
        n = T.int32()
        m = T.int32()
        A = T.match_buffer(a, (n, m, 2), "int32")
        B = T.match_buffer(b, (m, n), "int32")
        for i, j in T.grid(n, m):
            B[j, i] = A[i, j, 1] - A[i, j, 0]

    @T.prim_func(s_tir=True)
    def flat_offsets(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (4, 4), "int32", offset_factor=1)
        B = T.match_buffer(b, (16,), "int32", offset_factor=1)
        for i, j in T.grid(4, 4):
            B[j * 4 + i] = A[i, j]

    @T.prim_func(s_tir=True)
    def flat_scalars(A: T.Buffer((), "int32"), B: T.Buffer((4, 1), "int32")):
        C = T.alloc_buffer((), "int32")
        C[()] = A[()] + 1
        for i in range(4):
            B[i, 0] = C[()] * i

    @T.prim_func(s_tir=True)
    def flat_vectors(A: T.Buffer((4, 8), "int32"), B: T.Buffer((4, 8), "int32")):
        for i in range(4):
            B[i, T.Ramp(7, -1, 8)] = A[i, T.Ramp(0, 1, 8)]

    @T.prim_func(s_tir=True)
    def virtual_threads(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for bx in T.thread_binding(2, thread="blockIdx.x"):
            for vx in T.thread_binding(4, thread="vthread.x"):
                for tx in T.thread_binding(4, thread="threadIdx.x"):
                    L = T.alloc_local((2,), "int32")
                    for i in range(2):
                        L[i] = A[bx * 32 + vx * 8 + tx * 2 + i]
                    for i in range(2):
                        B[bx * 32 + vx * 8 + tx * 2 + i] = L[1 - i] + vx

    @T.prim_func(s_tir=True)
    def reuse_between_loops(A: T.Buffer((16,), "int32"), B: T.Buffer((16,), "int32")):
        C = T.alloc_buffer((16,), "int32")
        D = T.alloc_buffer((16,), "int32")
        E = T.alloc_buffer((16,), "int32")
        for i in range(16):
            C[i] = A[i] * 2
        for i in range(16):
            D[i] = C[15 - i] + 1
        for i in range(16):
            E[i] = D[i] * D[15 - i]
        for i in T.parallel(16):
            B[i] = E[i]

    @T.prim_func(s_tir=True)
    def reuse_in_threads(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        with T.launch_thread("blockIdx.x", 2) as bx:
            C = T.alloc_local((4,), "int32")
            D = T.alloc_local((4,), "int32")
            S = T.alloc_shared((8192,), "int32")
            Q = T.alloc_shared((8192,), "int32")
            tx = T.launch_thread("threadIdx.x", 8)
            for i in range(4):
                C[i] = A[bx * 32 + i * 8 + tx]
            for i in range(4):
                S[i * 8 + tx] = C[3 - i]
            T.tvm_storage_sync("shared")
            for i in range(4):
                D[i] = S[i * 8 + 7 - tx]
            T.tvm_storage_sync("shared")
            for i in range(4):
                Q[i * 8 + tx] = D[3 - i]
            T.tvm_storage_sync("shared")
            for i in range(4):
                B[bx * 32 + i * 8 + tx] = Q[i * 8 + 7 - tx]

    @T.prim_func(s_tir=True)
    def narrow_loops(A: T.Buffer((T.int64(8), T.int64(8)), "int64"), B: T.Buffer((T.int64(8), T.int64(8)), "int64")):
        for i, j in T.grid(T.int64(8), T.int64(8)):
            if T.int64(3) <= i * T.int64(2) + j and i * T.int64(8) + j < T.int64(60):
                B[j, i] = A[i, (j * T.int64(3) + i) % T.int64(8)] + i * j - T.Select(i < j, i, j)

    @T.prim_func(s_tir=True)
    def narrow_where_it_fits(a: T.handle, B: T.Buffer((T.int64(16),), "int64")):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(4)), "int64")
        for i in range(n):
            for j in range(T.int64(4)):
                x: T.let[T.int64] = j * T.int64(4) + i % T.int64(4)
                y: T.let[T.int64] = i * T.int64(4) + j
                B[x] = A[i, j] + y * T.int64(1073741824)

    @T.prim_func(s_tir=True)
    def narrow_vectors(A: T.Buffer((T.int64(64),), "float32"), B: T.Buffer((T.int64(64),), "float32")):
        with T.launch_thread("blockIdx.x", T.int64(2)) as bx:
            tx = T.launch_thread("threadIdx.x", T.int64(8))
            for v in T.vectorized(T.int64(4)):
                B[bx * T.int64(32) + tx * T.int64(4) + v] = A[T.int64(63) - (bx * T.int64(32) + tx * T.int64(4) + v)]

    @T.prim_func(s_tir=True)
    def narrow_steps(A: T.Buffer((T.int64(64),), "int32"), B: T.Buffer((T.int64(64),), "int32")):
        for i in T.serial(T.int64(1), T.int64(63), step=T.int64(3)):
            B[i] = A[i - T.int64(1)] + T.Cast("int32", i // T.int64(2))
