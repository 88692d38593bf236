# from tvm.script import tirx as T

@T.prim_func
def gemm(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle):
    A = T.match_buffer(A_handle, (13, 19), "float16", strides=(19, 1))
    B = T.match_buffer(B_handle, (19, 11), "float16", strides=(11, 1))
    C = T.match_buffer(C_handle, (13, 11), strides=(11, 1))
    # with T.sblock("root"):
    for bx in T.thread_binding(2, thread="blockIdx.x"):
        for by in T.thread_binding(2, thread="blockIdx.y"):
            tx: T.int32 = T.launch_thread_idx(0)
            ty: T.int32 = T.launch_thread_idx(1)
            tz: T.int32 = T.launch_thread_idx(2)
            with T.sblock("tilelang_root"):
                T.reads()
                T.writes()
                T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
                a = T.sblock_alloc_buffer((8, 8), "float16", scope="shared.dyn")
                b = T.sblock_alloc_buffer((8, 8), "float16", scope="shared.dyn")
                c = T.sblock_alloc_buffer((8, 8), scope="local.fragment")
                T.fill(T.region(c[0, 0], 2, 8, 8), 0)
                for k in T.serial(3, annotations={"num_stages": 2}):
                    T.copy(T.region(A[by * 8, k * 8], 1, 8, 8), T.region(a[0, 0], 2, 8, 8))
                    T.copy(T.region(B[k * 8, bx * 8], 1, 8, 8), T.region(b[0, 0], 2, 8, 8))
                    T.gemm(T.region(a[0, 0], 1, 8, 8), T.region(b[0, 0], 1, 8, 8), T.region(c[0, 0], 3, 8, 8), T.bool(False), T.bool(False), 8, 8, 8, 0, T.bool(False), 0, 0, 0)
                T.copy(T.region(c[0, 0], 1, 8, 8), T.region(C[by * 8, bx * 8], 2, 8, 8))
