# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def c_expf(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_pure_extern("float32", "expf", A[i])

    @T.prim_func(s_tir=True)
    def c_floorf(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_pure_extern("float32", "floorf", A[i])

    @T.prim_func(s_tir=True)
    def c_roundf(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_pure_extern("float32", "roundf", A[i])

    @T.prim_func(s_tir=True)
    def c_fminf(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_pure_extern("float32", "fminf", A[i], B[i])

    @T.prim_func(s_tir=True)
    def c_fmaxf(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_pure_extern("float32", "fmaxf", A[i], B[i])

    @T.prim_func(s_tir=True)
    def c_cbrtf(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_pure_extern("float32", "cbrtf", A[i])

    @T.prim_func(s_tir=True)
    def c_powf(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_pure_extern("float32", "powf", T.fabs(A[i]) + T.float32(0.5), B[i])

    @T.prim_func(s_tir=True)
    def llvm_exp2_f32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float32", "llvm.exp2.f32", A[i])

    @T.prim_func(s_tir=True)
    def llvm_log_f32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float32", "llvm.log.f32", T.fabs(A[i]) + T.float32(0.5))

    @T.prim_func(s_tir=True)
    def llvm_round_f32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float32", "llvm.round.f32", A[i])

    @T.prim_func(s_tir=True)
    def llvm_minnum_f32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float32", "llvm.minnum.f32", A[i], B[i])

    @T.prim_func(s_tir=True)
    def llvm_maxnum_f32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float32", "llvm.maxnum.f32", A[i], B[i])

    @T.prim_func(s_tir=True)
    def llvm_fma_f32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float32", "llvm.fma.f32", A[i], B[i], C[i])

    @T.prim_func(s_tir=True)
    def llvm_copysign_f32(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((64,), "float32")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float32", "llvm.copysign.f32", A[i], B[i])

    @T.prim_func(s_tir=True)
    def c_exp(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_pure_extern("float64", "exp", A[i])

    @T.prim_func(s_tir=True)
    def c_floor(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_pure_extern("float64", "floor", A[i])

    @T.prim_func(s_tir=True)
    def c_round(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_pure_extern("float64", "round", A[i])

    @T.prim_func(s_tir=True)
    def c_fmin(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_pure_extern("float64", "fmin", A[i], B[i])

    @T.prim_func(s_tir=True)
    def c_fmax(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_pure_extern("float64", "fmax", A[i], B[i])

    @T.prim_func(s_tir=True)
    def c_cbrt(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_pure_extern("float64", "cbrt", A[i])

    @T.prim_func(s_tir=True)
    def c_pow(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_pure_extern("float64", "pow", T.fabs(A[i]) + T.float64(0.5), B[i])

    @T.prim_func(s_tir=True)
    def llvm_exp2_f64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float64", "llvm.exp2.f64", A[i])

    @T.prim_func(s_tir=True)
    def llvm_log_f64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float64", "llvm.log.f64", T.fabs(A[i]) + T.float64(0.5))

    @T.prim_func(s_tir=True)
    def llvm_round_f64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float64", "llvm.round.f64", A[i])

    @T.prim_func(s_tir=True)
    def llvm_minnum_f64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float64", "llvm.minnum.f64", A[i], B[i])

    @T.prim_func(s_tir=True)
    def llvm_maxnum_f64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float64", "llvm.maxnum.f64", A[i], B[i])

    @T.prim_func(s_tir=True)
    def llvm_fma_f64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float64", "llvm.fma.f64", A[i], B[i], C[i])

    @T.prim_func(s_tir=True)
    def llvm_copysign_f64(A: T.Buffer((64,), "float64"), B: T.Buffer((64,), "float64"), C: T.Buffer((64,), "float64")):
        for i in range(64):
            C[i] = T.call_llvm_pure_intrin("float64", "llvm.copysign.f64", A[i], B[i])

    @T.prim_func(s_tir=True)
    def llvm_ctpop_i32(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.call_llvm_pure_intrin("int32", "llvm.ctpop.i32", A[i])

    @T.prim_func(s_tir=True)
    def llvm_bitreverse_i32(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.call_llvm_pure_intrin("int32", "llvm.bitreverse.i32", A[i])

    @T.prim_func(s_tir=True)
    def llvm_bswap_i32(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.call_llvm_pure_intrin("int32", "llvm.bswap.i32", A[i])

    @T.prim_func(s_tir=True)
    def address_of_an_element(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        A1 = T.decl_buffer((32,), "int32", data=T.address_of(A[16]))
        for i in range(32):
            B[i] = A1[i]

    @T.prim_func(s_tir=True)
    def pointer_moved_by_bytes(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        A1 = T.decl_buffer((32,), "int32", data=T.handle_add_byte_offset(A.data, 64))
        for i in range(32):
            B[i] = A1[i]

    @T.prim_func(s_tir=True)
    def null_pointers(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = T.if_then_else(T.isnullptr(A.data), -1, A[i])

    @T.prim_func(s_tir=True)
    def extern_with_effects(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.call_extern("float32", "sqrtf", T.fabs(A[i]))

    @T.prim_func(s_tir=True)
    def llvm_with_effects(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = T.call_llvm_intrin("float32", "llvm.fabs.f32", A[i])

    @T.prim_func(s_tir=True)
    def access_pointer(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        A1 = T.decl_buffer((32,), "int32", data=T.tvm_access_ptr(T.type_annotation("int32"), A.data, 16, 32, 1))
        for i in range(32):
            B[i] = A1[i]
