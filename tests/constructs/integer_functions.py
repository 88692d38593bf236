# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def clz_int32(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", T.clz(A[i] | T.int32(1)))

    @T.prim_func(s_tir=True)
    def popcount_int32(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.popcount(A[i])

    @T.prim_func(s_tir=True)
    def clz_int64(A: T.Buffer((64,), "int64"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", T.clz(A[i] | T.int64(1)))

    @T.prim_func(s_tir=True)
    def popcount_int64(A: T.Buffer((64,), "int64"), B: T.Buffer((64,), "int64")):
        for i in range(64):
            B[i] = T.popcount(A[i])

    @T.prim_func(s_tir=True)
    def clz_uint32(A: T.Buffer((64,), "uint32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", T.clz(A[i] | T.uint32(1)))

    @T.prim_func(s_tir=True)
    def popcount_uint32(A: T.Buffer((64,), "uint32"), B: T.Buffer((64,), "uint32")):
        for i in range(64):
            B[i] = T.popcount(A[i])

    @T.prim_func(s_tir=True)
    def clz_uint64(A: T.Buffer((64,), "uint64"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", T.clz(A[i] | T.uint64(1)))

    @T.prim_func(s_tir=True)
    def popcount_uint64(A: T.Buffer((64,), "uint64"), B: T.Buffer((64,), "uint64")):
        for i in range(64):
            B[i] = T.popcount(A[i])

    @T.prim_func(s_tir=True)
    def logic_bool(A: T.Buffer((64,), "bool"), B: T.Buffer((64,), "bool"), C: T.Buffer((64,), "bool")):
        for i in range(64):
            C[i] = (A[i] and not B[i]) or (not A[i] and B[i])

    @T.prim_func(s_tir=True)
    def bits_bool(A: T.Buffer((64,), "bool"), B: T.Buffer((64,), "bool"), C: T.Buffer((64,), "bool")):
        for i in range(64):
            C[i] = (A[i] & B[i]) | (A[i] ^ B[i])

    @T.prim_func(s_tir=True)
    def q_multiply_shift(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.q_multiply_shift(A[i] * 1000, 1395864371, 31, -5)

    @T.prim_func(s_tir=True)
    def dp4a(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "int8"), C: T.Buffer((16,), "int32")):
        for i in range(16):
            C[i] = T.dp4a(A[T.Ramp(i * 4, 1, 4)], B[T.Ramp(i * 4, 1, 4)], C[i])

    @T.prim_func(s_tir=True)
    def mixed_widths(A: T.Buffer((64,), "int8"), B: T.Buffer((64,), "uint8"), C: T.Buffer((64,), "int64")):
        for i in range(64):
            C[i] = T.Cast("int64", A[i]) * T.Cast("int64", B[i]) - T.Cast("int64", A[i] + T.Cast("int8", B[i]))

    @T.prim_func(s_tir=True)
    def reinterpret_bits(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.reinterpret("int32", A[i])
            C[i] = T.reinterpret("float32", B[i] ^ 8388608)

    @T.prim_func(s_tir=True)
    def reinterpret_wide(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "uint64"), C: T.Buffer((64,), "float16"), D: T.Buffer((64,), "uint16")):
        for i in range(64):
            B[i] = T.reinterpret("uint64", A[i])
            D[i] = T.reinterpret("uint16", C[i])
