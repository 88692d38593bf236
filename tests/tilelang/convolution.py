# from tvm.script import tirx as T

@T.prim_func
def convolution(D_handle: T.handle, K_handle: T.handle, O_handle: T.handle):
    D = T.match_buffer(D_handle, (1, 4, 4, 4), "float16", strides=(64, 16, 4, 1))
    K = T.match_buffer(K_handle, (3, 3, 4, 8), "float16", strides=(96, 32, 8, 1))
    O = T.match_buffer(O_handle, (1, 4, 4, 8), strides=(128, 32, 8, 1))
    # with T.sblock("root"):
    for bx in T.thread_binding(1, thread="blockIdx.x"):
        tx: T.int32 = T.launch_thread_idx(0)
        ty: T.int32 = T.launch_thread_idx(1)
        tz: T.int32 = T.launch_thread_idx(2)
        with T.sblock("tilelang_root"):
            T.reads()
            T.writes()
            T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
            d = T.sblock_alloc_buffer((16, 8), "float16", scope="shared.dyn")
            k = T.sblock_alloc_buffer((8, 8), "float16", scope="shared.dyn")
            o = T.sblock_alloc_buffer((16, 8), scope="local.fragment")
            T.fill(T.region(o[0, 0], 2, 16, 8), 0)
            for i in T.serial(5, annotations={"num_stages": 2}):
                T.im2col(T.region(D[0, 0, 0, 0], 1, 1, 4, 4, 4), T.region(d[0, 0], 2, 16, 8), bx, i, 3, 1, 1, 1)
                Kf = T.Buffer((36, 8), "float16", data=K.data, strides=(8, 1))
                T.copy(T.region(Kf[i * 8, 0], 1, 8, 8), T.region(k[0, 0], 2, 8, 8))
                T.gemm(T.region(d[0, 0], 1, 16, 8), T.region(k[0, 0], 1, 8, 8), T.region(o[0, 0], 3, 16, 8), T.bool(False), T.bool(False), 16, 8, 8, 0, T.bool(False), 0, 0, 0)
            Of = T.Buffer((16, 8), data=O.data, strides=(8, 1))
            T.copy(T.region(o[0, 0], 1, 16, 8), T.region(Of[bx * 16, 0], 2, 16, 8))
