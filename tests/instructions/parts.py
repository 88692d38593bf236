from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def parts(X: T.Buffer((64, 64), "float16"), W: T.Buffer((64, 64), "float16"), Y: T.Buffer((64, 64), "float16")):
    S = T.sblock_alloc_buffer((64, 64), "float16", scope="shared")
    V = T.sblock_alloc_buffer((64, 64), "float16", scope="shared")
    Z = T.sblock_alloc_buffer((64, 64), "float16", scope="shared")
    F = T.sblock_alloc_buffer((64, 64), "float16", scope="wmma.matrix_a")
    G = T.sblock_alloc_buffer((64, 64), "float16", scope="wmma.matrix_b")
    H = T.sblock_alloc_buffer((64, 64), "float16", scope="wmma.accumulator")
    for b in T.thread_binding(2, thread="blockIdx.x"):
        for w in T.thread_binding(2, thread="threadIdx.y"):
            for c in range(4):
                with T.sblock("init"):
                    v = T.axis.spatial(4, b * 2 + w)
                    u = T.axis.spatial(4, c)
                    T.reads()
                    T.writes(H[v * 16:v * 16 + 16, u * 16:u * 16 + 16])
                    C = T.match_buffer(H[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("C_s0", "C_s1"), scope="wmma.accumulator", offset_factor=16)
                    T.tvm_fill_fragment(C.data, 16, 16, 16, C.elem_offset // C.strides[0] // 16 * (C.strides[0] // 16) + C.elem_offset % C.strides[0] // 16, T.float32(0))
            for k in range(2):
                for i in range(16):
                    for t in T.thread_binding(32, thread="threadIdx.x"):
                        with T.sblock("fill_a"):
                            v = T.axis.spatial(64, b * 32 + w * 16 + i)
                            u = T.axis.spatial(64, k * 32 + t)
                            T.reads(X[v, u])
                            T.writes(S[v, u])
                            T.sblock_attr({"buffer_dim_align": [[0, 0, 16, 8]]})
                            S[v, u] = X[v, u]
                for i in range(8):
                    for t in T.thread_binding(32, thread="threadIdx.x"):
                        for lane in T.vectorized(4):
                            with T.sblock("fill_b"):
                                v = T.axis.spatial(64, w * 32 + i * 4 + t // 8)
                                u = T.axis.spatial(64, k * 32 + t % 8 * 4 + lane)
                                T.reads(W[v, u])
                                T.writes(V[v, u])
                                V[v, u] = W[v, u]
                for j in range(2):
                    with T.sblock("load_a"):
                        v = T.axis.spatial(4, b * 2 + w)
                        u = T.axis.spatial(4, k * 2 + j)
                        T.reads(S[v * 16:v * 16 + 16, u * 16:u * 16 + 16])
                        T.writes(F[v * 16:v * 16 + 16, u * 16:u * 16 + 16])
                        A = T.match_buffer(S[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("A_s0", "A_s1"), scope="shared", offset_factor=16)
                        C = T.match_buffer(F[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("C_s0", "C_s1"), scope="wmma.matrix_a", offset_factor=16)
                        T.tvm_load_matrix_sync(C.data, 16, 16, 16, C.elem_offset // C.strides[0] // 16 * (C.strides[0] // 16) + C.elem_offset % C.strides[0] // 16, T.tvm_access_ptr(T.type_annotation("float16"), A.data, A.elem_offset, A.strides[0] * 16, 1), A.strides[0], "row_major")
                    for c in range(4):
                        with T.sblock("load_b"):
                            v = T.axis.spatial(4, c)
                            u = T.axis.spatial(4, k * 2 + j)
                            T.reads(V[v * 16:v * 16 + 16, u * 16:u * 16 + 16])
                            T.writes(G[v * 16:v * 16 + 16, u * 16:u * 16 + 16])
                            A = T.match_buffer(V[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("A_s0", "A_s1"), scope="shared", offset_factor=16)
                            C = T.match_buffer(G[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("C_s0", "C_s1"), scope="wmma.matrix_b", offset_factor=16)
                            T.tvm_load_matrix_sync(C.data, 16, 16, 16, C.elem_offset // C.strides[0] // 16 * (C.strides[0] // 16) + C.elem_offset % C.strides[0] // 16, A.access_ptr("r"), A.strides[0], "col_major")
                        with T.sblock("update"):
                            v = T.axis.spatial(4, b * 2 + w)
                            u = T.axis.spatial(4, c)
                            q = T.axis.reduce(4, k * 2 + j)
                            T.reads(H[v * 16:v * 16 + 16, u * 16:u * 16 + 16], F[v * 16:v * 16 + 16, q * 16:q * 16 + 16], G[u * 16:u * 16 + 16, q * 16:q * 16 + 16])
                            T.writes(H[v * 16:v * 16 + 16, u * 16:u * 16 + 16])
                            A = T.match_buffer(F[v * 16:v * 16 + 16, q * 16:q * 16 + 16], (16, 16), "float16", strides=("A_s0", "A_s1"), scope="wmma.matrix_a", offset_factor=16)
                            B = T.match_buffer(G[u * 16:u * 16 + 16, q * 16:q * 16 + 16], (16, 16), "float16", strides=("B_s0", "B_s1"), scope="wmma.matrix_b", offset_factor=16)
                            C = T.match_buffer(H[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("C_s0", "C_s1"), scope="wmma.accumulator", offset_factor=16)
                            T.tvm_mma_sync(C.data, C.elem_offset // C.strides[0] // 16 * (C.strides[0] // 16) + C.elem_offset % C.strides[0] // 16, A.data, A.elem_offset // A.strides[0] // 16 * (A.strides[0] // 16) + A.elem_offset % A.strides[0] // 16, B.data, B.elem_offset // B.strides[0] // 16 * (B.strides[0] // 16) + B.elem_offset % B.strides[0] // 16, C.data, C.elem_offset // C.strides[0] // 16 * (C.strides[0] // 16) + C.elem_offset % C.strides[0] // 16)
            for c in range(4):
                with T.sblock("store"):
                    v = T.axis.spatial(4, b * 2 + w)
                    u = T.axis.spatial(4, c)
                    T.reads(H[v * 16:v * 16 + 16, u * 16:u * 16 + 16])
                    T.writes(Z[v * 16:v * 16 + 16, u * 16:u * 16 + 16])
                    A = T.match_buffer(H[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("A_s0", "A_s1"), scope="wmma.accumulator", offset_factor=16)
                    C = T.match_buffer(Z[v * 16:v * 16 + 16, u * 16:u * 16 + 16], (16, 16), "float16", strides=("C_s0", "C_s1"), scope="shared", offset_factor=16)
                    T.tvm_store_matrix_sync(A.data, 16, 16, 16, A.elem_offset // A.strides[0] // 16 * (A.strides[0] // 16) + A.elem_offset % A.strides[0] // 16, T.tvm_access_ptr(T.type_annotation("float16"), C.data, C.elem_offset, C.strides[0] * 16, 2), C.strides[0], "row_major")
            for i in range(32):
                for t in T.thread_binding(32, thread="threadIdx.x"):
                    with T.sblock("out"):
                        v = T.axis.spatial(64, b * 32 + w * 16 + i // 2)
                        u = T.axis.spatial(64, i % 2 * 32 + t)
                        T.reads(Z[v, u])
                        T.writes(Y[v, u])
                        Y[v, u] = Z[v, u]
