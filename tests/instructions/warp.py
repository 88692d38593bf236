from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def warp(A: T.Buffer((32, 16), "float16"), B: T.Buffer((16, 16), "float16"), C: T.Buffer((32, 16), "float32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    sa = T.alloc_buffer((512,), "float16", scope="shared")
    sb = T.alloc_buffer((256,), "float16", scope="shared")
    a = T.alloc_buffer((512,), "float16", scope="warp")
    b = T.alloc_buffer((256,), "float16", scope="warp")
    c = T.alloc_buffer((512,), "float32", scope="warp")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(16):
        sa[i * 32 + tx] = A[(i * 32 + tx) // 16, (i * 32 + tx) % 16]
    for i in range(8):
        sb[i * 32 + tx] = B[(i * 32 + tx) // 16, (i * 32 + tx) % 16]
    for i in range(2):
        T.cuda.mma_fill_legacy(8, c.data, i * 256, dtype="float32")
        T.ptx_legacy.ldmatrix(T.bool(False), 4, ".b16", a.data, i * 256 + tx * 8, T.tvm_access_ptr(T.type_annotation("float16"), sa.data, i * 256, 256, 1), 16 * (tx % 16) + 8 * (tx // 16), dtype="float16")
    T.ptx_legacy.ldmatrix(T.bool(True), 4, ".b16", b.data, tx * 8, T.tvm_access_ptr(T.type_annotation("float16"), sb.data, 0, 256, 1), 16 * (tx % 16) + 8 * (tx // 16), dtype="float16")
    for i in range(2):
        T.ptx_legacy.mma("m16n8k16", "row", "col", "fp16", "fp16", "fp32", a.data, i * 256 + tx * 8, b.data, tx * 8, c.data, i * 256 + tx * 8, T.bool(False), dtype="float32")
        T.ptx_legacy.mma("m16n8k16", "row", "col", "fp16", "fp16", "fp32", a.data, i * 256 + tx * 8, b.data, tx * 8 + 4, c.data, i * 256 + tx * 8 + 4, T.bool(False), dtype="float32")
    for i in range(2):
        T.cuda.mma_store_legacy(16, 16, T.tvm_access_ptr(T.type_annotation("float32"), C.data, i * 256, 256, 2), c.data, i * 256, 16, dtype="float32")
