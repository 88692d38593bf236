from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def parts_registers(A: T.Buffer((32, 16), "float16"), B: T.Buffer((16, 16), "float16"), C: T.Buffer((32, 16), "float32")):
    T.func_attr({"tirx.noalias": True})
    SA = T.sblock_alloc_buffer((32, 16), "float16", scope="shared")
    SB = T.sblock_alloc_buffer((16, 16), "float16", scope="shared")
    WA = T.sblock_alloc_buffer((2, 1, 32, 8), "float16", scope="warp")
    WB = T.sblock_alloc_buffer((1, 32, 8), "float16", scope="warp")
    WC = T.sblock_alloc_buffer((2, 32, 8), "float32", scope="warp")
    for b in T.thread_binding(1, thread="blockIdx.x"):
        for i in range(2):
            with T.sblock("fill"):
                v = T.axis.spatial(2, i)
                T.reads()
                T.writes(WC[v, 0:32, 0:8])
                P = T.match_buffer(WC[v, 0:32, 0:8], (32, 8), "float32", scope="warp", offset_factor=1)
                T.cuda.mma_fill_legacy(8, P.data, P.elem_offset, dtype="float32")
        for i in range(16):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("copy_a"):
                    v = T.axis.spatial(32, i * 2 + t // 16)
                    u = T.axis.spatial(16, t % 16)
                    T.reads(A[v, u])
                    T.writes(SA[v, u])
                    SA[v, u] = A[v, u]
        for i in range(8):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("copy_b"):
                    v = T.axis.spatial(16, i * 2 + t // 16)
                    u = T.axis.spatial(16, t % 16)
                    T.reads(B[v, u])
                    T.writes(SB[v, u])
                    SB[v, u] = B[v, u]
        for t in T.thread_binding(32, thread="threadIdx.x"):
            with T.sblock("load_b"):
                T.reads(SB[0:16, 0:16])
                T.writes(WB[0, 0:32, 0:8])
                P = T.match_buffer(WB[0, 0:32, 0:8], (32, 8), "float16", scope="warp", offset_factor=16)
                Q = T.match_buffer(SB[0:16, 0:16], (16, 16), "float16", strides=("Q_s0", "Q_s1"), scope="shared", offset_factor=16)
                T.ptx_legacy.ldmatrix(T.bool(True), 4, ".b16", P.data, P.elem_offset + 8 * t, T.tvm_access_ptr(T.type_annotation("float16"), Q.data, Q.elem_offset, Q.strides[0] * 16, 1), Q.strides[0] * (t % 16) + 8 * (t // 16), dtype="float16")
        for i in range(2):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("load_a"):
                    v = T.axis.spatial(2, i)
                    T.reads(SA[v * 16:v * 16 + 16, 0:16])
                    T.writes(WA[v, 0, 0:32, 0:8])
                    P = T.match_buffer(WA[v, 0, 0:32, 0:8], (32, 8), "float16", scope="warp", offset_factor=16)
                    Q = T.match_buffer(SA[v * 16:v * 16 + 16, 0:16], (16, 16), "float16", strides=("Q_s0", "Q_s1"), scope="shared", offset_factor=16)
                    T.ptx_legacy.ldmatrix(T.bool(False), 4, ".b16", P.data, P.elem_offset + 8 * t, T.tvm_access_ptr(T.type_annotation("float16"), Q.data, Q.elem_offset, Q.strides[0] * 16, 1), Q.strides[0] * (t % 16) + 8 * (t // 16), dtype="float16")
        for i in range(2):
            for t in T.thread_binding(32, thread="threadIdx.x"):
                with T.sblock("update"):
                    v = T.axis.spatial(2, i)
                    T.reads(WC[v, 0:32, 0:8], WA[v, 0, 0:32, 0:8], WB[0, 0:32, 0:8])
                    T.writes(WC[v, 0:32, 0:8])
                    P = T.match_buffer(WA[v, 0, 0:32, 0:8], (32, 8), "float16", scope="warp", offset_factor=16)
                    Q = T.match_buffer(WB[0, 0:32, 0:8], (32, 8), "float16", scope="warp", offset_factor=16)
                    R = T.match_buffer(WC[v, 0:32, 0:8], (32, 8), "float32", scope="warp", offset_factor=16)
                    T.ptx_legacy.mma("m16n8k16", "row", "col", "fp16", "fp16", "fp32", P.data, P.elem_offset + t * 8, Q.data, Q.elem_offset + t * 8, R.data, R.elem_offset + t * 8, T.bool(False), dtype="float32")
                    T.ptx_legacy.mma("m16n8k16", "row", "col", "fp16", "fp16", "fp32", P.data, P.elem_offset + t * 8, Q.data, Q.elem_offset + t * 8 + T.FloorDiv(8, 2), R.data, R.elem_offset + t * 8 + T.FloorDiv(8, 2), T.bool(False), dtype="float32")
        for i in range(2):
            with T.sblock("store"):
                v = T.axis.spatial(2, i)
                T.reads(WC[v, 0:32, 0:8])
                T.writes(C[v * 16:v * 16 + 16, 0:16])
                P = T.match_buffer(WC[v, 0:32, 0:8], (32, 8), "float32", scope="warp", offset_factor=1)
                Q = T.match_buffer(C[v * 16:v * 16 + 16, 0:16], (16, 16), "float32", strides=("Q_s0", "Q_s1"), scope="global", offset_factor=1)
                T.cuda.mma_store_legacy(16, 16, T.tvm_access_ptr(T.type_annotation("float32"), Q.data, Q.elem_offset, Q.strides[0] * 16, 2), P.data, P.elem_offset, Q.strides[0], dtype="float32")
