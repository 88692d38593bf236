# from tvm.script import tirx as T

@T.prim_func
def layer_norm(X_handle: T.handle, G_handle: T.handle, B_handle: T.handle, Y_handle: T.handle):
    X = T.match_buffer(X_handle, (8, 16), strides=(16, 1))
    G = T.match_buffer(G_handle, (16,), strides=(1,))
    B = T.match_buffer(B_handle, (16,), strides=(1,))
    Y = T.match_buffer(Y_handle, (8, 16), strides=(16, 1))
    # with T.sblock("root"):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        tx: T.int32 = T.launch_thread_idx(0)
        ty: T.int32 = T.launch_thread_idx(1)
        tz: T.int32 = T.launch_thread_idx(2)
        with T.sblock("tilelang_root"):
            T.reads()
            T.writes()
            T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
            x = T.sblock_alloc_buffer((4, 16), scope="local.fragment")
            d = T.sblock_alloc_buffer((4, 16), scope="local.fragment")
            m = T.sblock_alloc_buffer((4,), scope="local.fragment")
            v = T.sblock_alloc_buffer((4,), scope="local.fragment")
            T.copy(T.region(X[bx * 4, 0], 1, 4, 16), T.region(x[0, 0], 2, 4, 16))
            T.reduce(T.region(x[0, 0], 1, 4, 16), T.region(m[0], 2, 4), "sum", 1, T.bool(True))
            for i in T.parallel(4):
                for j in T.parallel(16):
                    d[i, j] = (x[i, j] - m[i] / T.float32(16.0)) * (x[i, j] - m[i] / T.float32(16.0))
            T.reduce(T.region(d[0, 0], 1, 4, 16), T.region(v[0], 2, 4), "sum", 1, T.bool(True))
            for i in T.parallel(4):
                for j in T.parallel(16):
                    Y[bx * 4 + i, j] = (x[i, j] - m[i] / T.float32(16.0)) * T.rsqrt(v[i] / T.float32(16.0) + T.float32(1.0000000000000001e-05)) * G[j] + B[j]
