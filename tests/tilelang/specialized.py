# from tvm.script import tirx as T

@T.prim_func
def specialized(A_handle: T.handle, B_handle: T.handle, C_handle: T.handle):
    A = T.match_buffer(A_handle, (16, 64), "float16", strides=(64, 1))
    B = T.match_buffer(B_handle, (64, 16), "float16", strides=(16, 1))
    C = T.match_buffer(C_handle, (16, 16), strides=(16, 1))
    # with T.sblock("root"):
    for bx in T.thread_binding(1, thread="blockIdx.x"):
        tx: T.int32 = T.launch_thread_idx(0)
        ty: T.int32 = T.launch_thread_idx(1)
        tz: T.int32 = T.launch_thread_idx(2)
        with T.sblock("tilelang_root"):
            T.reads()
            T.writes()
            done = T.handle("uint64", "shared.barrier")
            ready = T.handle("uint64", "shared.barrier")
            T.sblock_attr({"barrier_init": {done: [128], ready: [128]}, "tl.launch_threads": [256, 1, 1]})
            a = T.sblock_alloc_buffer((16, 16), "float16", scope="shared.dyn")
            b = T.sblock_alloc_buffer((16, 16), "float16", scope="shared.dyn")
            c = T.sblock_alloc_buffer((16, 16), scope="local.fragment")
            ready_1 = T.sblock_alloc_buffer((1,), "uint64", data=ready, scope="shared.barrier")
            done_1 = T.sblock_alloc_buffer((1,), "uint64", data=done, scope="shared.barrier")
            if tx >= 128 and tx < 256:
                T.attr(0, "warp_specialize", 1)
                T.fill(T.region(c[0, 0], 2, 16, 16), 0)
            for k in range(4):
                if tx >= 0 and tx < 128:
                    T.attr(0, "warp_specialize", 1)
                    T.mbarrier_wait_parity(done_1[0], (k + 1) % 2)
                    T.copy(T.region(A[0, k * 16], 1, 16, 16), T.region(a[0, 0], 2, 16, 16))
                    T.copy(T.region(B[k * 16, 0], 1, 16, 16), T.region(b[0, 0], 2, 16, 16))
                    T.ptx_arrive_barrier(ready_1[0])
                if tx >= 128 and tx < 256:
                    T.attr(0, "warp_specialize", 1)
                    T.mbarrier_wait_parity(ready_1[0], k % 2)
                    T.gemm(T.region(a[0, 0], 1, 16, 16), T.region(b[0, 0], 1, 16, 16), T.region(c[0, 0], 3, 16, 16), T.bool(False), T.bool(False), 16, 16, 16, 0, T.bool(False), 0, 0, 0)
                    T.ptx_arrive_barrier(done_1[0])
            if tx >= 128 and tx < 256:
                T.attr(0, "warp_specialize", 1)
                T.copy(T.region(c[0, 0], 1, 16, 16), T.region(C[0, 0], 2, 16, 16))
