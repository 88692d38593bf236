# from tvm.script import tirx as T

@T.prim_func
def gemv(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle):
    A = T.match_buffer(A_handle, (24,), "float16", strides=(1,))
    B = T.match_buffer(B_handle, (32, 24), "float16", strides=(24, 1))
    C = T.match_buffer(C_handle, (32,), strides=(1,))
    # with T.sblock("root"):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        tn: T.int32 = T.launch_thread_idx(0)
        ty: T.int32 = T.launch_thread_idx(1)
        tz: T.int32 = T.launch_thread_idx(2)
        with T.sblock("tilelang_root"):
            T.reads()
            T.writes()
            T.sblock_attr({"tl.launch_threads": [16, 1, 1]})
            a = T.sblock_alloc_buffer((8,), "float16", scope="shared.dyn")
            c = T.sblock_alloc_buffer((1,), scope="local")
            T.fill(T.region(c[0], 2, 1), 0)
            for bk in range(3):
                for t in range(8):
                    a[t] = A[bk * 8 + t]
                for t in range(8):
                    c[0] = c[0] + T.Cast("float32", a[t]) * T.Cast("float32", B[bx * 16 + tn, bk * 8 + t])
            C[bx * 16 + tn] = c[0]
