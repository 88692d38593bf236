# from tvm.script import tirx as T

@T.prim_func
def softmax(X_handle: T.handle, Y_handle: T.handle):
    X = T.match_buffer(X_handle, (8, 24), strides=(24, 1))
    Y = T.match_buffer(Y_handle, (8, 24), strides=(24, 1))
    # with T.sblock("root"):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        tx: T.int32 = T.launch_thread_idx(0)
        ty: T.int32 = T.launch_thread_idx(1)
        tz: T.int32 = T.launch_thread_idx(2)
        with T.sblock("tilelang_root"):
            T.reads()
            T.writes()
            T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
            x = T.sblock_alloc_buffer((4, 24), scope="local.fragment")
            m = T.sblock_alloc_buffer((4,), scope="local.fragment")
            s = T.sblock_alloc_buffer((4,), scope="local.fragment")
            T.copy(T.region(X[bx * 4, 0], 1, 4, 24), T.region(x[0, 0], 2, 4, 24))
            T.reduce(T.region(x[0, 0], 1, 4, 24), T.region(m[0], 2, 4), "max", 1, T.bool(True))
            for i in T.parallel(4):
                for j in T.parallel(24):
                    x[i, j] = T.exp(x[i, j] - m[i])
            T.reduce(T.region(x[0, 0], 1, 4, 24), T.region(s[0], 2, 4), "sum", 1, T.bool(True))
            for i in T.parallel(4):
                for j in T.parallel(24):
                    x[i, j] = x[i, j] / s[i]
            T.copy(T.region(x[0, 0], 1, 4, 24), T.region(Y[bx * 4, 0], 2, 4, 24))
