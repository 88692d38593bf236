# from tvm.script import tirx as T

@T.prim_func
def gemm(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle):
    A = T.match_buffer(A_handle, (16, 16), "float16", strides=(16, 1))
    B = T.match_buffer(B_handle, (8, 16), "float16", strides=(16, 1))
    C = T.match_buffer(C_handle, (16, 8), strides=(8, 1))
    # with T.sblock("root"):
    for bx in T.thread_binding(1, thread="blockIdx.x"):
        for by in T.thread_binding(2, thread="blockIdx.y"):
            tx: T.int32 = T.launch_thread_idx(0)
            ty: T.int32 = T.launch_thread_idx(1)
            tz: T.int32 = T.launch_thread_idx(2)
            with T.sblock("tilelang_root"):
                T.reads()
                T.writes()
                T.sblock_attr({"tl.launch_threads": [32, 1, 1]})
                a = T.sblock_alloc_buffer((16, 8), "float16", scope="shared.dyn")
                b = T.sblock_alloc_buffer((8, 16), "float16", scope="shared.dyn")
                c = T.sblock_alloc_buffer((8, 8), scope="local.fragment")
                T.fill(T.region(c[0, 0], 2, 8, 8), 0)
                for k in T.serial(1, annotations={"num_stages": 2}):
                    T.copy(T.region(A[k * 16, by * 8], 1, 16, 8), T.region(a[0, 0], 2, 16, 8))
                    T.copy(T.region(B[bx * 8, k * 16], 1, 8, 16), T.region(b[0, 0], 2, 8, 16))
                    T.gemm(T.region(a[0, 0], 1, 16, 8), T.region(b[0, 0], 1, 8, 16), T.region(c[0, 0], 3, 8, 8), T.bool(True), T.bool(True), 8, 8, 16, 0, T.bool(False), 0, 0, 0)
                T.copy(T.region(c[0, 0], 1, 8, 8), T.region(C[by * 8, bx * 8], 2, 8, 8))
