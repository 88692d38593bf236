from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def fragments_shared(A: T.Buffer((4096,), "int8"), B: T.Buffer((4096,), "int8"), C: T.Buffer((4096,), "int32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 2)
    by = T.launch_thread("blockIdx.y", 4)
    sa = T.alloc_buffer((1024,), "int8", scope="shared")
    sb = T.alloc_buffer((512,), "int8", scope="shared")
    a = T.alloc_buffer((512,), "int8", scope="wmma.matrix_a")
    b = T.alloc_buffer((256,), "int8", scope="wmma.matrix_b")
    c = T.alloc_buffer((512,), "int32", scope="wmma.accumulator")
    tx = T.launch_thread("threadIdx.x", 32)
    for i in range(2):
        T.tvm_fill_fragment(c.data, 16, 16, 16, i, T.int32(0))
    for ko in range(2):
        for v in range(8):
            for u in T.vectorized(4):
                sa[v * 128 + tx * 4 + u] = A[bx * 2048 + (v * 4 + tx // 8) * 64 + ko * 32 + tx % 8 * 4 + u]
        for v in range(4):
            for u in T.vectorized(4):
                sb[v * 128 + tx * 4 + u] = B[by * 1024 + (v * 4 + tx // 8) * 64 + ko * 32 + tx % 8 * 4 + u]
        for ki in range(2):
            for i in range(2):
                T.tvm_load_matrix_sync(a.data, 16, 16, 16, i, T.tvm_access_ptr(T.type_annotation("int8"), sa.data, i * 512 + ki * 16, 512, 1), 32, "row_major")
            T.tvm_load_matrix_sync(b.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("int8"), sb.data, ki * 16, 512, 1), 32, "col_major")
            for i in range(2):
                T.tvm_mma_sync(c.data, i, a.data, i, b.data, 0, c.data, i)
    for i in range(2):
        T.tvm_store_matrix_sync(c.data, 16, 16, 16, i, T.tvm_access_ptr(T.type_annotation("int32"), C.data, bx * 2048 + i * 1024 + by * 16, 1024, 2), 64, "row_major")
