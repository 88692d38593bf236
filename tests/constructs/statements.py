# from tvm.script import ir as I
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def while_break_continue(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            n = T.alloc_buffer((1,), "int32", scope="local")
            n[0] = 0
            while n[0] < 10:
                n[0] = n[0] + 1
                if n[0] % 3 == A[i] % 3:
                    continue
                if n[0] > 8:
                    break
                B[i] = B[i] + n[0]

    @T.prim_func(s_tir=True)
    def loop_kinds(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32"), C: T.Buffer((64,), "int32"), D: T.Buffer((64,), "int32")):
        for i in T.parallel(64):
            B[i] = A[i] * 3
        for i in T.unroll(64):
            C[i] = A[i] - B[i]
        for i in range(16):
            for j in T.vectorized(4):
                D[i * 4 + j] = A[i * 4 + j] + C[63 - i * 4 - j]

    @T.prim_func(s_tir=True)
    def vectorized_loop_reads_before_it_writes(A: T.Buffer((64,), "int32")):
        for i in T.vectorized(8):
            A[i + 1] = A[i]

    @T.prim_func(s_tir=True)
    def steps_and_bounds(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(3, 64, 7):
            B[i] = A[i]
        for i in range(60, 4):
            B[i] = 99

    @T.prim_func(s_tir=True)
    def binding_keeps_its_value(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            x: T.let[T.int32] = A[i] * 2
            A[i] = 7
            B[i] = x + A[i]

    @T.prim_func(s_tir=True)
    def cell_changes_its_value(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            x = A[i]
            x = x + 1
            x += x
            B[i] = x

    @T.prim_func(s_tir=True)
    def conditions(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            if A[i] > 0 and A[i] % 2 == 0:
                B[i] = 1
            elif A[i] < -3 or not A[i] != 0:
                B[i] = 2
            else:
                B[i] = T.Select(0 < A[i] < 4, A[i], T.if_then_else(i < 32, 5, 6))

    @T.prim_func(s_tir=True)
    def assertion_that_holds(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            assert A[i] < 1000, "small"
            B[i] = A[i]

    @T.prim_func(s_tir=True)
    def views(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        A2 = T.decl_buffer((8, 8), "int32", data=A.data)
        B2 = T.decl_buffer((4, 8), "int32", data=B.data, strides=(16, 2), elem_offset=1)
        for i, j in T.grid(4, 8):
            B2[i, j] = A2[j, i * 2] + A2[i, j]

    @T.prim_func(s_tir=True)
    def other_type_of_the_same_memory(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "int32")):
        A2 = T.decl_buffer((64,), "int32", data=A.data)
        for i in range(64):
            B[i] = A2[i] // 1024

    @T.prim_func(s_tir=True)
    def local_memory(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(8):
            x = T.alloc_buffer((8,), "int32")
            for j in range(8):
                x[j] = A[i * 8 + j]
            for j in range(8):
                B[i * 8 + j] = x[7 - j]

    @T.prim_func(s_tir=True)
    def matched_region(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
        for i, j in T.grid(2, 2):
            with T.sblock("block"):
                vi, vj = T.axis.remap("SS", [i, j])
                T.reads(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
                T.writes(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4])
                a = T.match_buffer(A[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "int32", offset_factor=1)
                b = T.match_buffer(B[vi * 4:vi * 4 + 4, vj * 4:vj * 4 + 4], (4, 4), "int32", offset_factor=1)
                for k, l in T.grid(4, 4):
                    b[k, l] = a[l, k]

    @T.prim_func(s_tir=True)
    def reduction_block(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8,), "float32")):
        for i, k in T.grid(8, 16):
            with T.sblock("sum"):
                vi, vk = T.axis.remap("SR", [i, k])
                T.where(k < 13)
                with T.init():
                    B[vi] = T.float32(0.0)
                B[vi] = B[vi] + A[vi, vk]

    @T.prim_func(s_tir=True)
    def dynamic_shape(A: T.Buffer(("n", "m"), "int32"), B: T.Buffer(("n", "m"), "int32")):
        n = T.int32()
        m = T.int32()
        for i, j in T.grid(n, m):
            B[i, j] = A[i, j] * n + m

    @T.prim_func(s_tir=True)
    def scalars(A: T.Buffer((64,), "float32"), x: T.float32, n: T.int32, B: T.Buffer((64,), "float32")):
        for i in range(64):
            B[i] = A[i] * x + T.Cast("float32", n)

    @T.prim_func(s_tir=True)
    def hints(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            if T.likely(A[i] < 3):
                B[i] = A[i]
        T.evaluate(0)

    @T.prim_func(s_tir=True)
    def let_in_an_expression(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            x = T.int32()
            B[i] = T.Let(x * x + A[i], where={x: A[i] + 1})

    @T.prim_func(s_tir=True)
    def assumption(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
        for i in range(64):
            T.assume(A[i] < 1000)
            B[i] = T.if_then_else(A[i] < 1000, A[i], 0)

    @T.prim_func(s_tir=True)
    def early_return(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")) -> T.int32:
        for i in range(64):
            B[i] = A[i]
        return 0

    @T.prim_func(s_tir=True)
    def invariant_hint(A: T.Buffer((64,), "int32"), n: T.int32, B: T.Buffer((64,), "int32")):
        for i in range(64):
            B[i] = A[i] + T.tvm_thread_invariant(n * 2)
