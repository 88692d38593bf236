//! TileLang's functions and operators of Python, and what TileLang makes of them.

use expect_test::expect;

use super::tilelang::check;

#[test]
fn functions_are_calls_of_operators() {
    check(
        "        tx = T.get_thread_binding()
        x = T.shfl_xor(A[tx, 0], 16)
        A[tx, 1] = T.shfl_sync(x, 0, mask=15)
        A[tx, 2] = T.shfl_down(x, 8, width=16)
        if T.any_sync(B[tx] > 0) != 0:
            T.inc_max_nreg(240)
            T.dec_max_nreg(24)
        if T.shuffle_elect(128):
            T.annotate_producer_reg_dealloc()
            T.disable_warp_group_reg_alloc()
        T.tma_store_wait()
        A[tx, 3] = T.ieee_add(x, x)
        A[tx, 4] = T.__ldg(A[tx, 5])
        B[tx] = T.__ldg(B, tx + 1)
        B[tx] = T.align_up(B[tx], 32) + T.cdiv(B[tx], 8)
        B[tx] = T.get_thread_extent() + T.get_block_extent(1)
        T.call_extern(\"handle\", \"f\", T.access_ptr(A[tx, 0], \"rw\", 4), T.access_ptr(B, \"r\"))",
        expect![[r#"
            x: T.float16 = T.shfl_xor_sync(T.uint32(4294967295), A[tx, 0], 16, 32)
            A[tx, 1] = T.shfl_sync(T.uint32(15), x, 0, 32)
            A[tx, 2] = T.shfl_down_sync(T.uint32(4294967295), x, 8, 16)
            if T.any_sync(T.uint32(4294967295), B[tx] > 0) != 0:
                T.set_max_nreg(240, 1)
                T.set_max_nreg(24, 0)
            if T.tl_shuffle_elect(128):
                T.annotate_producer_reg_dealloc(24)
                T.no_set_max_nreg()
            T.tma_store_wait(0, T.bool(True))
            A[tx, 3] = T.ieee_add(x, x, "rn")
            A[tx, 4] = T.__ldg(A[tx, 5])
            B[tx] = T.__ldg(B[tx + 1])
            B[tx] = (B[tx] + 32 - 1) // 32 * 32 + (B[tx] + 8 - 1) // 8
            B[tx] = 258
            T.call_extern("handle", "f", T.access_ptr(A[tx, 0], 4, 3), T.access_ptr(B[0], 64, 1))
        "#]],
    );
}

#[test]
fn atomics_say_their_order_as_a_number() {
    check(
        "        T.atomic_add(B[0], 1)
        T.atomic_max(B[0], 1)
        T.atomic_min(B[0], 1, memory_order=\"relaxed\")
        T.atomic_store(B[0], 1, memory_order=\"release\")
        B[1] = T.atomic_load(B[0])
        T.atomic_or(B[0], 4)
        T.atomic_addx2(A[0, 0:2], A[1, 0:2])
        both = T.atomic_addx4(B[4], B[8], return_prev=True)
        T.atomic_add(B[0], 1, memory_order=\"acq_rel\")",
        expect![[r#"
            T.atomic_add_elem_op(T.address_of(B[0]), 1)
            T.atomic_max_elem_op(T.address_of(B[0]), 1, 0)
            T.atomic_min_elem_op(T.address_of(B[0]), 1, 0)
            T.atomic_store_elem_op(T.address_of(B[0]), 1, 3)
            B[1] = T.atomic_load_elem_op(T.address_of(B[0]), 5)
            T.atomic_or_elem_op(T.address_of(B[0]), 4, 0)
            T.atomic_addx2_elem_op(T.address_of(A[0, 0]), T.address_of(A[1, 0]))
            both: T.int32x4 = T.atomic_addx4_ret_elem_op(T.address_of(B[4]), T.address_of(B[8]))
            T.atomic_add_elem_op(T.address_of(B[0]), 1, 4)
        "#]],
    );
}

#[test]
fn comparisons_promote_and_a_number_on_the_left_leaves_them_to_the_right() {
    check(
        "        if A[bx, 0] == B[bx]:
            B[0] = 1
        if 0.5 < B[bx]:
            B[0] = 2
        if 3 == B[bx] or 3 <= B[bx] < n:
            B[0] = 3
        if B[bx] == T.int64(1):
            B[0] = 4",
        expect![[r#"
            if A[bx, 0] == T.Cast("float16", B[bx]):
                B[0] = 1
            if T.Cast("float32", B[bx]) > T.float32(0.5):
                B[0] = 2
            if B[bx] == 3 or B[bx] >= 3 and B[bx] < n:
                B[0] = 3
            if T.Cast("int64", B[bx]) == T.int64(1):
                B[0] = 4
        "#]],
    );
}

#[test]
fn conditions_are_grouped_from_the_right_and_python_decides_what_it_knows() {
    check(
        "        flag = True
        if bx < n and by < n and bx < 7:
            B[0] = 1
        if flag and bx < n and (by < n or by < 3 or bx < 3):
            B[0] = 2
        if bx < n and flag:
            B[0] = 3",
        expect![[r#"
            if bx < n and (by < n and bx < 7):
                B[0] = 1
            if bx < n and (by < n or (by < 3 or bx < 3)):
                B[0] = 2
            if T.And(bx < n, T.bool(True)):
                B[0] = 3
        "#]],
    );
}

#[test]
fn loops_with_a_step_count_iterations() {
    check(
        "        for i in range(0, 64, 4):
            B[i] = 1
        for i in T.serial(63, -1, -2):
            B[i] = 2
        for i in T.unroll(n, 64, bx):
            B[i] = 3
        for i in range(0, 64, 0):
            B[i] = 4",
        expect![[r#"
            for _tmp in range(16):
                i: T.int32 = _tmp * 4
                B[i] = 1
            for _tmp in range(32):
                i: T.int32 = 63 + _tmp * -2
                B[i] = 2
            for _tmp in T.unroll((64 - n + bx - 1) // bx):
                i: T.int32 = n + _tmp * bx
                B[i] = 3
            for i in range(0, 64, 0):
                B[i] = 4
        "#]],
    );
}

#[test]
fn a_type_of_tensor_cores_gives_way_to_floats() {
    check(
        "        S = T.alloc_shared((64,), T.tfloat32)
        for i in T.Parallel(64):
            S[i] = A[i, 0]
            A[i, 1] = S[i] * S[i]
            S[i] = S[i] + 1.0
            S[i] = S[i] * 2
            S[i] = 0
            B[i] = T.if_then_else(S[i] > 0.5, 1, 0)",
        expect![[r#"
            S = T.sblock_alloc_buffer((64,), "custom[tfloat32]", scope="shared.dyn")
            for i in T.parallel(64):
                S[i] = T.Cast("custom[tfloat32]", A[i, 0])
                A[i, 1] = T.Cast("float16", S[i] * S[i])
                S[i] = T.Cast("custom[tfloat32]", T.Cast("float32", S[i]) + T.float32(1.0))
                S[i] = S[i] * T.Cast("custom[tfloat32]", 2)
                S[i] = T.Cast("custom[tfloat32]", 0)
                B[i] = T.if_then_else(T.Cast("float32", S[i]) > T.float32(0.5), 1, 0)
        "#]],
    );
}

#[test]
fn a_name_that_no_table_has_is_a_value_of_python() {
    check(
        "        T.call_extern(\"handle\", \"wait\", T.address_of(B[0]), T.CmpType.GE, bx)
        x = T.copy + 1",
        expect![[r#"
            malformed-form: a function is not a value
            T.call_extern("handle", "wait", T.address_of(B[0]), T.CmpType.GE, bx)
            x = T.copy + 1
        "#]],
    );
}
