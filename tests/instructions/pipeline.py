from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def pipeline(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    T.func_attr({"tirx.noalias": True})
    bx = T.launch_thread("blockIdx.x", 1)
    s = T.alloc_buffer((256,), "float32", scope="shared")
    tx = T.launch_thread("threadIdx.x", 32)
    T.s_tir.cp_async_raw("float32", T.tvm_access_ptr(T.type_annotation("float32"), s.data, tx * 4, 4, 2), 0, T.tvm_access_ptr(T.type_annotation("float32"), A.data, tx * 4, 4, 1), 0, 16)
    T.ptx.cp.async_.commit_group()
    for i in range(7):
        T.s_tir.cp_async_raw("float32", T.tvm_access_ptr(T.type_annotation("float32"), s.data, (i + 1) % 2 * 128 + tx * 4, 4, 2), 0, T.tvm_access_ptr(T.type_annotation("float32"), A.data, (i + 1) * 128 + tx * 4, 4, 1), 0, 16)
        T.ptx.cp.async_.commit_group()
        T.ptx.cp.async_.wait_group(1)
        for j in range(4):
            B[i * 128 + tx * 4 + j] = s[i % 2 * 128 + (31 - tx) * 4 + j]
    T.ptx.cp.async_.wait_group(0)
    for j in range(4):
        B[896 + tx * 4 + j] = s[128 + (31 - tx) * 4 + j]
