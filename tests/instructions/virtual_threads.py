from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def virtual_threads(X: T.Buffer((32, 32), "float32"), Y: T.Buffer((32, 32), "float32"), Z: T.Buffer((32, 32), "float32")):
    T.func_attr({"tirx.noalias": True})
    Z_local = T.sblock_alloc_buffer((32, 32), scope="local")
    X_shared = T.sblock_alloc_buffer((32, 32), scope="shared")
    Y_shared = T.sblock_alloc_buffer((32, 32), scope="shared")
    for b in T.thread_binding(1, thread="blockIdx.x"):
        for v in T.thread_binding(4, thread="vthread.x"):
            for t in T.thread_binding(16, thread="threadIdx.x"):
                for i, j in T.grid(4, 4):
                    with T.sblock("init"):
                        v_i = T.axis.spatial(32, v // 2 * 16 + t // 4 * 4 + i)
                        v_j = T.axis.spatial(32, v % 2 * 16 + t % 4 * 4 + j)
                        T.reads()
                        T.writes(Z_local[v_i, v_j])
                        Z_local[v_i, v_j] = T.float32(0)
                for k_0 in range(4):
                    for f in range(16):
                        with T.sblock("X_shared"):
                            v_0 = T.axis.spatial(32, (f * 16 + t) // 8)
                            v_1 = T.axis.spatial(32, k_0 * 8 + (f * 16 + t) % 8)
                            T.reads(X[v_0, v_1])
                            T.writes(X_shared[v_0, v_1])
                            X_shared[v_0, v_1] = X[v_0, v_1]
                    for f in range(16):
                        with T.sblock("Y_shared"):
                            v_0 = T.axis.spatial(32, k_0 * 8 + (f * 16 + t) // 32)
                            v_1 = T.axis.spatial(32, (f * 16 + t) % 32)
                            T.reads(Y[v_0, v_1])
                            T.writes(Y_shared[v_0, v_1])
                            Y_shared[v_0, v_1] = Y[v_0, v_1]
                    for k_1, i, j in T.grid(8, 4, 4):
                        with T.sblock("update"):
                            v_i = T.axis.spatial(32, v // 2 * 16 + t // 4 * 4 + i)
                            v_j = T.axis.spatial(32, v % 2 * 16 + t % 4 * 4 + j)
                            v_k = T.axis.reduce(32, k_0 * 8 + k_1)
                            T.reads(Z_local[v_i, v_j], X_shared[v_i, v_k], Y_shared[v_k, v_j])
                            T.writes(Z_local[v_i, v_j])
                            Z_local[v_i, v_j] = Z_local[v_i, v_j] + X_shared[v_i, v_k] * Y_shared[v_k, v_j]
                for i, j in T.grid(4, 4):
                    with T.sblock("out"):
                        v_i = T.axis.spatial(32, v // 2 * 16 + t // 4 * 4 + i)
                        v_j = T.axis.spatial(32, v % 2 * 16 + t % 4 * 4 + j)
                        T.reads(Z_local[v_i, v_j])
                        T.writes(Z[v_i, v_j])
                        Z[v_i, v_j] = Z_local[v_i, v_j]
