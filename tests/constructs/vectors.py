# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def ramps(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(8):
            B[T.Ramp(i, 8, 8)] = A[T.Ramp(i * 8, 1, 8)] + T.Broadcast(i, 8)

    @T.prim_func(s_tir=True)
    def backwards(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        B[T.Ramp(63, -2, 32)] = A[T.Ramp(0, 2, 32)]

    @T.prim_func(s_tir=True)
    def slices(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(8):
            B[T.Ramp(i * 8, 1, 8)] = A[T.Ramp(i * 8, 1, 8)] * T.Broadcast(3, 8) - T.Ramp(0, 1, 8)

    @T.prim_func(s_tir=True)
    def vector_types(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        A4 = T.decl_buffer((16,), "float32x4", data=A.data)
        B4 = T.decl_buffer((16,), "float32x4", data=B.data)
        for i in range(16):
            B4[i] = T.max(A4[i], T.Broadcast(T.float32(0.0), 4)) + A4[15 - i]

    @T.prim_func(s_tir=True)
    def vector_select(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(8):
            B[T.Ramp(i * 8, 1, 8)] = T.Select(A[T.Ramp(i * 8, 1, 8)] < T.Broadcast(0, 8), T.Broadcast(-1, 8), A[T.Ramp(i * 8, 1, 8)])

    @T.prim_func(s_tir=True)
    def vector_cast(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32")):
        for i in range(16):
            B[T.Ramp(i * 4, 1, 4)] = T.Cast("float32x4", A[T.Ramp(i * 4, 1, 4)]) * T.Broadcast(T.float32(0.5), 4)

    @T.prim_func(s_tir=True)
    def shuffle_lanes(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(16):
            B[T.Ramp(i * 4, 1, 4)] = T.Shuffle([A[T.Ramp(i * 4, 1, 4)]], [3, 1, 2, 0])

    @T.prim_func(s_tir=True)
    def shuffle_scalars(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(16):
            B[T.Ramp(i * 4, 1, 4)] = T.Shuffle([A[i], A[i + 1], A[i + 2], A[63 - i]], [0, 1, 2, 3])

    @T.prim_func(s_tir=True)
    def vector_parts(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(8):
            B[T.Ramp(i * 8, 1, 4)] = T.vectorlow("int32x4", A[T.Ramp(i * 8, 1, 8)])
            B[T.Ramp(i * 8 + 4, 1, 4)] = T.vectorhigh("int32x4", A[T.Ramp(i * 8, 1, 8)])

    @T.prim_func(s_tir=True)
    def vector_functions(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(16):
            B[T.Ramp(i * 4, 1, 4)] = T.exp(A[T.Ramp(i * 4, 1, 4)]) + T.sqrt(T.fabs(A[T.Ramp(i * 4, 1, 4)]))

    @T.prim_func(s_tir=True)
    def vector_combine(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(8):
            B[T.Ramp(i * 8, 1, 8)] = T.vectorcombine("int32x8", A[T.Ramp(i * 4, 1, 4)], A[T.Ramp(32 + i * 4, 1, 4)])

    @T.prim_func(s_tir=True)
    def let_of_a_vector(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(8):
            x: T.let[T.int32x8] = A[T.Ramp(i * 8, 1, 8)]
            B[T.Ramp(i * 8, 1, 8)] = x * x

    @T.prim_func(s_tir=True)
    def vectorized_loop_with_a_condition(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(8):
            for j in T.vectorized(8):
                if A[i * 8 + j] > 0:
                    B[i * 8 + j] = A[i * 8 + j]
