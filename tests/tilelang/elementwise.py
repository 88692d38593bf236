# from tvm.script import tirx as T

@T.prim_func
def elementwise(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle):
    A = T.match_buffer(A_handle, (77,), strides=(1,))
    B = T.match_buffer(B_handle, (77,), "float16", strides=(1,))
    C = T.match_buffer(C_handle, (77,), "float16", strides=(1,))
    # with T.sblock("root"):
    for bx in T.thread_binding(3, thread="blockIdx.x"):
        tx: T.int32 = T.launch_thread_idx(0)
        ty: T.int32 = T.launch_thread_idx(1)
        tz: T.int32 = T.launch_thread_idx(2)
        with T.sblock("tilelang_root"):
            T.reads()
            T.writes()
            T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
            a = T.sblock_alloc_buffer((32,), scope="shared.dyn")
            b = T.sblock_alloc_buffer((32,), scope="local.fragment")
            T.copy(T.region(A[bx * 32], 1, 32), T.region(a[0], 2, 32))
            T.copy(T.region(B[bx * 32], 1, 32), T.region(b[0], 2, 32))
            for i in T.parallel(32):
                b[i] = T.max(a[i] + b[i] * T.float32(2.0), T.float32(0.0))
            T.copy(T.region(b[0], 1, 32), T.region(C[bx * 32], 2, 32))
