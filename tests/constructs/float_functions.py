# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def exp10_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.exp10(A[i])

    @T.prim_func(s_tir=True)
    def log10_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.log10(T.fabs(A[i]) + T.float32(0.5))

    @T.prim_func(s_tir=True)
    def log1p_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.log1p(T.fabs(A[i]) + T.float32(0.5))

    @T.prim_func(s_tir=True)
    def tan_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.tan(A[i])

    @T.prim_func(s_tir=True)
    def asin_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.asin(A[i] * T.float32(0.4375))

    @T.prim_func(s_tir=True)
    def acos_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.acos(A[i] * T.float32(0.4375))

    @T.prim_func(s_tir=True)
    def atan_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.atan(A[i])

    @T.prim_func(s_tir=True)
    def sinh_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.sinh(A[i])

    @T.prim_func(s_tir=True)
    def cosh_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.cosh(A[i])

    @T.prim_func(s_tir=True)
    def asinh_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.asinh(A[i])

    @T.prim_func(s_tir=True)
    def acosh_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.acosh(T.fabs(A[i]) + T.float32(1.5))

    @T.prim_func(s_tir=True)
    def atanh_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.atanh(A[i] * T.float32(0.4375))

    @T.prim_func(s_tir=True)
    def log2_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.log2(T.fabs(A[i]) + T.float32(0.5))

    @T.prim_func(s_tir=True)
    def erf_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.erf(A[i])

    @T.prim_func(s_tir=True)
    def atan2_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.atan2(A[i], B[i])

    @T.prim_func(s_tir=True)
    def hypot_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.hypot(A[i], B[i])

    @T.prim_func(s_tir=True)
    def copysign_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.copysign(A[i], B[i])

    @T.prim_func(s_tir=True)
    def fmod_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.fmod(A[i], B[i])

    @T.prim_func(s_tir=True)
    def nextafter_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.nextafter(A[i], B[i])

    @T.prim_func(s_tir=True)
    def pow_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.pow(T.fabs(A[i]) + T.float32(0.25), B[i])

    @T.prim_func(s_tir=True)
    def fma_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32"), D: T.Buffer((64,), "float32")):
        for i in range(64):
            D[i] = T.fma(A[i], B[i], C[i])

    @T.prim_func(s_tir=True)
    def ldexp_float32(A: T.Buffer((64,), "float32"), N: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.ldexp(A[i], N[i])

    @T.prim_func(s_tir=True)
    def isnan_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "bool")):
        for i in range(64):
            B[i] = T.isnan(A[i] / (A[i] - A[0]))

    @T.prim_func(s_tir=True)
    def isinf_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "bool")):
        for i in range(64):
            B[i] = T.isinf(A[i] / (A[i] - A[0]))

    @T.prim_func(s_tir=True)
    def isfinite_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "bool")):
        for i in range(64):
            B[i] = T.isfinite(A[i] / (A[i] - A[0]))

    @T.prim_func(s_tir=True)
    def truncmod_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.truncmod(A[i], T.float32(0.75))

    @T.prim_func(s_tir=True)
    def special_values_float32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.if_then_else(i % 4 == 0, T.float32("inf"), T.if_then_else(i % 4 == 1, T.float32("-inf"), T.if_then_else(i % 4 == 2, T.float32("nan"), A[i]))) + A[i]

    @T.prim_func(s_tir=True)
    def exp10_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.exp10(A[i])

    @T.prim_func(s_tir=True)
    def log10_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.log10(T.fabs(A[i]) + T.float64(0.5))

    @T.prim_func(s_tir=True)
    def log1p_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.log1p(T.fabs(A[i]) + T.float64(0.5))

    @T.prim_func(s_tir=True)
    def tan_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.tan(A[i])

    @T.prim_func(s_tir=True)
    def asin_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.asin(A[i] * T.float64(0.4375))

    @T.prim_func(s_tir=True)
    def acos_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.acos(A[i] * T.float64(0.4375))

    @T.prim_func(s_tir=True)
    def atan_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.atan(A[i])

    @T.prim_func(s_tir=True)
    def sinh_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.sinh(A[i])

    @T.prim_func(s_tir=True)
    def cosh_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.cosh(A[i])

    @T.prim_func(s_tir=True)
    def asinh_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.asinh(A[i])

    @T.prim_func(s_tir=True)
    def acosh_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.acosh(T.fabs(A[i]) + T.float64(1.5))

    @T.prim_func(s_tir=True)
    def atanh_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.atanh(A[i] * T.float64(0.4375))

    @T.prim_func(s_tir=True)
    def log2_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.log2(T.fabs(A[i]) + T.float64(0.5))

    @T.prim_func(s_tir=True)
    def erf_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.erf(A[i])

    @T.prim_func(s_tir=True)
    def atan2_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.atan2(A[i], B[i])

    @T.prim_func(s_tir=True)
    def hypot_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.hypot(A[i], B[i])

    @T.prim_func(s_tir=True)
    def copysign_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.copysign(A[i], B[i])

    @T.prim_func(s_tir=True)
    def fmod_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.fmod(A[i], B[i])

    @T.prim_func(s_tir=True)
    def nextafter_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.nextafter(A[i], B[i])

    @T.prim_func(s_tir=True)
    def pow_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.pow(T.fabs(A[i]) + T.float64(0.25), B[i])

    @T.prim_func(s_tir=True)
    def fma_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64"), D: T.Buffer((64,), "float64")):
        for i in range(64):
            D[i] = T.fma(A[i], B[i], C[i])

    @T.prim_func(s_tir=True)
    def ldexp_float64(A: T.Buffer((64,), "float64"), N: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.ldexp(A[i], N[i])

    @T.prim_func(s_tir=True)
    def isnan_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "bool")):
        for i in range(64):
            B[i] = T.isnan(A[i] / (A[i] - A[0]))

    @T.prim_func(s_tir=True)
    def isinf_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "bool")):
        for i in range(64):
            B[i] = T.isinf(A[i] / (A[i] - A[0]))

    @T.prim_func(s_tir=True)
    def isfinite_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "bool")):
        for i in range(64):
            B[i] = T.isfinite(A[i] / (A[i] - A[0]))

    @T.prim_func(s_tir=True)
    def truncmod_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.truncmod(A[i], T.float64(0.75))

    @T.prim_func(s_tir=True)
    def special_values_float64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64")):
        for i in range(64):
            B[i] = T.if_then_else(i % 4 == 0, T.float64("inf"), T.if_then_else(i % 4 == 1, T.float64("-inf"), T.if_then_else(i % 4 == 2, T.float64("nan"), A[i]))) + A[i]
