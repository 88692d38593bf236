from tvm.script import tirx as T


@T.prim_func(s_tir=True)
def mma_m8n8k4_fp64_fp64(A: T.Buffer((32,), "float64"), B: T.Buffer((32,), "float64"), C: T.Buffer((64,), "float64")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((1,), "float64", scope="local")
    b = T.alloc_buffer((1,), "float64", scope="local")
    c = T.alloc_buffer((2,), "float64", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(1):
        a[i] = A[tx * 1 + i]
    for i in range(1):
        b[i] = B[tx * 1 + i]
    for i in range(2):
        c[i] = C[tx * 2 + i]
    T.ptx_legacy.mma("m8n8k4", "row", "col", "fp64", "fp64", "fp64", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="float64")
    for i in range(2):
        C[tx * 2 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k8_fp16_fp32(A: T.Buffer((128,), "float16"), B: T.Buffer((64,), "float16"), C: T.Buffer((128,), "float32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((4,), "float16", scope="local")
    b = T.alloc_buffer((2,), "float16", scope="local")
    c = T.alloc_buffer((4,), "float32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(4):
        a[i] = A[tx * 4 + i]
    for i in range(2):
        b[i] = B[tx * 2 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k8", "row", "col", "fp16", "fp16", "fp32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="float32")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k8_fp16_fp16(A: T.Buffer((128,), "float16"), B: T.Buffer((64,), "float16"), C: T.Buffer((128,), "float16")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((4,), "float16", scope="local")
    b = T.alloc_buffer((2,), "float16", scope="local")
    c = T.alloc_buffer((4,), "float16", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(4):
        a[i] = A[tx * 4 + i]
    for i in range(2):
        b[i] = B[tx * 2 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k8", "row", "col", "fp16", "fp16", "fp16", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="float16")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k16_fp16_fp16(A: T.Buffer((256,), "float16"), B: T.Buffer((128,), "float16"), C: T.Buffer((128,), "float16")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((8,), "float16", scope="local")
    b = T.alloc_buffer((4,), "float16", scope="local")
    c = T.alloc_buffer((4,), "float16", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(8):
        a[i] = A[tx * 8 + i]
    for i in range(4):
        b[i] = B[tx * 4 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k16", "row", "col", "fp16", "fp16", "fp16", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="float16")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k16_bf16_fp32(A: T.Buffer((256,), "bfloat16"), B: T.Buffer((128,), "bfloat16"), C: T.Buffer((128,), "float32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((8,), "bfloat16", scope="local")
    b = T.alloc_buffer((4,), "bfloat16", scope="local")
    c = T.alloc_buffer((4,), "float32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(8):
        a[i] = A[tx * 8 + i]
    for i in range(4):
        b[i] = B[tx * 4 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k16", "row", "col", "bf16", "bf16", "fp32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="float32")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k8_bf16_fp32(A: T.Buffer((128,), "bfloat16"), B: T.Buffer((64,), "bfloat16"), C: T.Buffer((128,), "float32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((4,), "bfloat16", scope="local")
    b = T.alloc_buffer((2,), "bfloat16", scope="local")
    c = T.alloc_buffer((4,), "float32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(4):
        a[i] = A[tx * 4 + i]
    for i in range(2):
        b[i] = B[tx * 2 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k8", "row", "col", "bf16", "bf16", "fp32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="float32")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k8_tf32_fp32(A: T.Buffer((128,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((128,), "float32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((4,), "float32", scope="local")
    b = T.alloc_buffer((2,), "float32", scope="local")
    c = T.alloc_buffer((4,), "float32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(4):
        a[i] = A[tx * 4 + i]
    for i in range(2):
        b[i] = B[tx * 2 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k8", "row", "col", "tf32", "tf32", "fp32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="float32")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k4_tf32_fp32(A: T.Buffer((64,), "float32"), B: T.Buffer((32,), "float32"), C: T.Buffer((128,), "float32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((2,), "float32", scope="local")
    b = T.alloc_buffer((1,), "float32", scope="local")
    c = T.alloc_buffer((4,), "float32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(2):
        a[i] = A[tx * 2 + i]
    for i in range(1):
        b[i] = B[tx * 1 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k4", "row", "col", "tf32", "tf32", "fp32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="float32")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m8n8k16_int8_int32(A: T.Buffer((128,), "int8"), B: T.Buffer((128,), "int8"), C: T.Buffer((64,), "int32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((4,), "int8", scope="local")
    b = T.alloc_buffer((4,), "int8", scope="local")
    c = T.alloc_buffer((2,), "int32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(4):
        a[i] = A[tx * 4 + i]
    for i in range(4):
        b[i] = B[tx * 4 + i]
    for i in range(2):
        c[i] = C[tx * 2 + i]
    T.ptx_legacy.mma("m8n8k16", "row", "col", "int8", "int8", "int32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="int32")
    for i in range(2):
        C[tx * 2 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k16_uint8_int32(A: T.Buffer((256,), "uint8"), B: T.Buffer((128,), "uint8"), C: T.Buffer((128,), "int32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((8,), "uint8", scope="local")
    b = T.alloc_buffer((4,), "uint8", scope="local")
    c = T.alloc_buffer((4,), "int32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(8):
        a[i] = A[tx * 8 + i]
    for i in range(4):
        b[i] = B[tx * 4 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k16", "row", "col", "uint8", "uint8", "int32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="int32")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k32_int8_int32(A: T.Buffer((512,), "int8"), B: T.Buffer((256,), "int8"), C: T.Buffer((128,), "int32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((16,), "int8", scope="local")
    b = T.alloc_buffer((8,), "int8", scope="local")
    c = T.alloc_buffer((4,), "int32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(16):
        a[i] = A[tx * 16 + i]
    for i in range(8):
        b[i] = B[tx * 8 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k32", "row", "col", "int8", "int8", "int32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="int32")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m8n8k32_int4_int32(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32"), C: T.Buffer((64,), "int32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((1,), "int32", scope="local")
    b = T.alloc_buffer((1,), "int32", scope="local")
    c = T.alloc_buffer((2,), "int32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(1):
        a[i] = A[tx * 1 + i]
    for i in range(1):
        b[i] = B[tx * 1 + i]
    for i in range(2):
        c[i] = C[tx * 2 + i]
    T.ptx_legacy.mma("m8n8k32", "row", "col", "int4", "int4", "int32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="int32")
    for i in range(2):
        C[tx * 2 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k64_uint4_int32(A: T.Buffer((128,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((128,), "int32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((4,), "int32", scope="local")
    b = T.alloc_buffer((2,), "int32", scope="local")
    c = T.alloc_buffer((4,), "int32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(4):
        a[i] = A[tx * 4 + i]
    for i in range(2):
        b[i] = B[tx * 2 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k64", "row", "col", "uint4", "uint4", "int32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="int32")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m8n8k128_int1_int32(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32"), C: T.Buffer((64,), "int32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((1,), "int32", scope="local")
    b = T.alloc_buffer((1,), "int32", scope="local")
    c = T.alloc_buffer((2,), "int32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(1):
        a[i] = A[tx * 1 + i]
    for i in range(1):
        b[i] = B[tx * 1 + i]
    for i in range(2):
        c[i] = C[tx * 2 + i]
    T.ptx_legacy.mma("m8n8k128", "row", "col", "int1", "int1", "int32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), "xor", dtype="int32")
    for i in range(2):
        C[tx * 2 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m16n8k256_int1_int32(A: T.Buffer((128,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((128,), "int32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((4,), "int32", scope="local")
    b = T.alloc_buffer((2,), "int32", scope="local")
    c = T.alloc_buffer((4,), "int32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(4):
        a[i] = A[tx * 4 + i]
    for i in range(2):
        b[i] = B[tx * 2 + i]
    for i in range(4):
        c[i] = C[tx * 4 + i]
    T.ptx_legacy.mma("m16n8k256", "row", "col", "int1", "int1", "int32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), "xor", dtype="int32")
    for i in range(4):
        C[tx * 4 + i] = c[i]


@T.prim_func(s_tir=True)
def mma_m8n8k4_fp16_fp32(A: T.Buffer((128,), "float16"), B: T.Buffer((128,), "float16"), C: T.Buffer((256,), "float32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    a = T.alloc_buffer((4,), "float16", scope="local")
    b = T.alloc_buffer((4,), "float16", scope="local")
    c = T.alloc_buffer((8,), "float32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(4):
        a[i] = A[tx * 4 + i]
    for i in range(4):
        b[i] = B[tx * 4 + i]
    for i in range(8):
        c[i] = C[tx * 8 + i]
    T.ptx_legacy.mma("m8n8k4", "row", "row", "fp16", "fp16", "fp32", a.data, 0, b.data, 0, c.data, 0, T.bool(False), dtype="float32")
    for i in range(8):
        C[tx * 8 + i] = c[i]
