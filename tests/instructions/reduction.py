from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def reduction(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32,), "float32")):
    T.func_attr({"tirx.noalias": True})
    ty = T.launch_thread("threadIdx.y", 32)
    partial = T.alloc_buffer((1,), "float32", scope="local")
    tx = T.launch_thread("threadIdx.x", 32)
    result = T.decl_buffer((1,), "float32", data=partial.data, scope="local")
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "reduce_scope", T.int32(0)):
        flat = T.decl_buffer((1024,), "float32", data=A.data)
        T.tvm_thread_allreduce(T.uint32(1), flat[ty * 32 + tx], T.bool(True), result[0], tx)
    if tx == 0:
        B[ty] = result[0]
