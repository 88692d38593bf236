from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def fragments(A: T.Buffer((16, 16), "float16"), B: T.Buffer((16, 16), "float16"), C: T.Buffer((16, 16), "float32")):
    T.func_attr({"tirx.noalias": True})
    with T.launch_thread("blockIdx.x", 1) as bx:
        a = T.alloc_buffer((256,), "float16", scope="wmma.matrix_a")
        b = T.alloc_buffer((256,), "float16", scope="wmma.matrix_b")
        c = T.alloc_buffer((256,), "float32", scope="wmma.accumulator")
        tx = T.launch_thread("threadIdx.x", 32)
        T.tvm_fill_fragment(c.data, 16, 16, 16, 0, T.float32(0.0))
        T.tvm_load_matrix_sync(a.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), A.data, 0, 256, 1), 16, "row_major")
        T.tvm_load_matrix_sync(b.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float16"), B.data, 0, 256, 1), 16, "col_major")
        T.tvm_mma_sync(c.data, 0, a.data, 0, b.data, 0, c.data, 0)
        T.tvm_store_matrix_sync(c.data, 16, 16, 16, 0, T.tvm_access_ptr(T.type_annotation("float32"), C.data, 0, 256, 2), 16, "row_major")
