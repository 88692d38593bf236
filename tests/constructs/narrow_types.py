# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def to_bfloat16(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "bfloat16")):
        for i in range(64):
            B[i] = T.Cast("bfloat16", A[i])

    @T.prim_func(s_tir=True)
    def from_bfloat16(A: T.Buffer((64,), "bfloat16"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_bfloat16(A: T.Buffer((64,), "bfloat16"), B: T.Buffer((64,), "bfloat16"), C: T.Buffer((64,), "bfloat16")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float8_e3m4(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float8_e3m4")):
        for i in range(64):
            B[i] = T.Cast("float8_e3m4", A[i])

    @T.prim_func(s_tir=True)
    def from_float8_e3m4(A: T.Buffer((64,), "float8_e3m4"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float8_e3m4(A: T.Buffer((64,), "float8_e3m4"), B: T.Buffer((64,), "float8_e3m4"), C: T.Buffer((64,), "float8_e3m4")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float8_e4m3(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float8_e4m3")):
        for i in range(64):
            B[i] = T.Cast("float8_e4m3", A[i])

    @T.prim_func(s_tir=True)
    def from_float8_e4m3(A: T.Buffer((64,), "float8_e4m3"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float8_e4m3(A: T.Buffer((64,), "float8_e4m3"), B: T.Buffer((64,), "float8_e4m3"), C: T.Buffer((64,), "float8_e4m3")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float8_e4m3b11fnuz(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float8_e4m3b11fnuz")):
        for i in range(64):
            B[i] = T.Cast("float8_e4m3b11fnuz", A[i])

    @T.prim_func(s_tir=True)
    def from_float8_e4m3b11fnuz(A: T.Buffer((64,), "float8_e4m3b11fnuz"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float8_e4m3b11fnuz(A: T.Buffer((64,), "float8_e4m3b11fnuz"), B: T.Buffer((64,), "float8_e4m3b11fnuz"), C: T.Buffer((64,), "float8_e4m3b11fnuz")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float8_e4m3fn(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float8_e4m3fn")):
        for i in range(64):
            B[i] = T.Cast("float8_e4m3fn", A[i])

    @T.prim_func(s_tir=True)
    def from_float8_e4m3fn(A: T.Buffer((64,), "float8_e4m3fn"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float8_e4m3fn(A: T.Buffer((64,), "float8_e4m3fn"), B: T.Buffer((64,), "float8_e4m3fn"), C: T.Buffer((64,), "float8_e4m3fn")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float8_e4m3fnuz(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float8_e4m3fnuz")):
        for i in range(64):
            B[i] = T.Cast("float8_e4m3fnuz", A[i])

    @T.prim_func(s_tir=True)
    def from_float8_e4m3fnuz(A: T.Buffer((64,), "float8_e4m3fnuz"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float8_e4m3fnuz(A: T.Buffer((64,), "float8_e4m3fnuz"), B: T.Buffer((64,), "float8_e4m3fnuz"), C: T.Buffer((64,), "float8_e4m3fnuz")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float8_e5m2(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float8_e5m2")):
        for i in range(64):
            B[i] = T.Cast("float8_e5m2", A[i])

    @T.prim_func(s_tir=True)
    def from_float8_e5m2(A: T.Buffer((64,), "float8_e5m2"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float8_e5m2(A: T.Buffer((64,), "float8_e5m2"), B: T.Buffer((64,), "float8_e5m2"), C: T.Buffer((64,), "float8_e5m2")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float8_e5m2fnuz(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float8_e5m2fnuz")):
        for i in range(64):
            B[i] = T.Cast("float8_e5m2fnuz", A[i])

    @T.prim_func(s_tir=True)
    def from_float8_e5m2fnuz(A: T.Buffer((64,), "float8_e5m2fnuz"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float8_e5m2fnuz(A: T.Buffer((64,), "float8_e5m2fnuz"), B: T.Buffer((64,), "float8_e5m2fnuz"), C: T.Buffer((64,), "float8_e5m2fnuz")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float8_e8m0fnu(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float8_e8m0fnu")):
        for i in range(64):
            B[i] = T.Cast("float8_e8m0fnu", A[i])

    @T.prim_func(s_tir=True)
    def from_float8_e8m0fnu(A: T.Buffer((64,), "float8_e8m0fnu"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float8_e8m0fnu(A: T.Buffer((64,), "float8_e8m0fnu"), B: T.Buffer((64,), "float8_e8m0fnu"), C: T.Buffer((64,), "float8_e8m0fnu")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float6_e2m3fn(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float6_e2m3fn")):
        for i in range(64):
            B[i] = T.Cast("float6_e2m3fn", A[i])

    @T.prim_func(s_tir=True)
    def from_float6_e2m3fn(A: T.Buffer((64,), "float6_e2m3fn"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float6_e2m3fn(A: T.Buffer((64,), "float6_e2m3fn"), B: T.Buffer((64,), "float6_e2m3fn"), C: T.Buffer((64,), "float6_e2m3fn")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float6_e3m2fn(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float6_e3m2fn")):
        for i in range(64):
            B[i] = T.Cast("float6_e3m2fn", A[i])

    @T.prim_func(s_tir=True)
    def from_float6_e3m2fn(A: T.Buffer((64,), "float6_e3m2fn"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float6_e3m2fn(A: T.Buffer((64,), "float6_e3m2fn"), B: T.Buffer((64,), "float6_e3m2fn"), C: T.Buffer((64,), "float6_e3m2fn")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def to_float4_e2m1fn(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float4_e2m1fn")):
        for i in range(64):
            B[i] = T.Cast("float4_e2m1fn", A[i])

    @T.prim_func(s_tir=True)
    def from_float4_e2m1fn(A: T.Buffer((64,), "float4_e2m1fn"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.Cast("float32", A[i])

    @T.prim_func(s_tir=True)
    def add_float4_e2m1fn(A: T.Buffer((64,), "float4_e2m1fn"), B: T.Buffer((64,), "float4_e2m1fn"), C: T.Buffer((64,), "float4_e2m1fn")):
        for i in range(64):
            C[i] = A[i] + B[i]

    @T.prim_func(s_tir=True)
    def from_int1(A: T.Buffer((64,), "int1"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", A[i])

    @T.prim_func(s_tir=True)
    def from_int2(A: T.Buffer((64,), "int2"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", A[i])

    @T.prim_func(s_tir=True)
    def from_int4(A: T.Buffer((64,), "int4"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", A[i])

    @T.prim_func(s_tir=True)
    def from_uint1(A: T.Buffer((64,), "uint1"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", A[i])

    @T.prim_func(s_tir=True)
    def from_uint2(A: T.Buffer((64,), "uint2"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", A[i])

    @T.prim_func(s_tir=True)
    def from_uint4(A: T.Buffer((64,), "uint4"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.Cast("int32", A[i])

    @T.prim_func(s_tir=True)
    def mul_of_float16(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float16"), C: T.Buffer((64,), "float16")):
        for i in range(64):
            C[i] = A[i] * B[i]

    @T.prim_func(s_tir=True)
    def div_of_float16(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float16"), C: T.Buffer((64,), "float16")):
        for i in range(64):
            C[i] = A[i] / (B[i] * B[i] + T.float16(1.0))

    @T.prim_func(s_tir=True)
    def max_of_float16(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "float16"), C: T.Buffer((64,), "float16")):
        for i in range(64):
            C[i] = T.max(A[i], B[i])

    @T.prim_func(s_tir=True)
    def mul_of_bfloat16(A: T.Buffer((64,), "bfloat16"), B: T.Buffer((64,), "bfloat16"), C: T.Buffer((64,), "bfloat16")):
        for i in range(64):
            C[i] = A[i] * B[i]

    @T.prim_func(s_tir=True)
    def div_of_bfloat16(A: T.Buffer((64,), "bfloat16"), B: T.Buffer((64,), "bfloat16"), C: T.Buffer((64,), "bfloat16")):
        for i in range(64):
            C[i] = A[i] / (B[i] * B[i] + T.bfloat16(1.0))

    @T.prim_func(s_tir=True)
    def max_of_bfloat16(A: T.Buffer((64,), "bfloat16"), B: T.Buffer((64,), "bfloat16"), C: T.Buffer((64,), "bfloat16")):
        for i in range(64):
            C[i] = T.max(A[i], B[i])
