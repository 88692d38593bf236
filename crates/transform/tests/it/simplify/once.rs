//! One plan is enough: simplifications that an earlier step enables are in the same plan.
//!
//! `check` plans the result a second time and fails if anything is found there.

use expect_test::expect;

use super::check_file;

#[test]
fn value_of_a_let_is_known_in_its_body_as_it_becomes() {
    check_file(
        r#"
@T.prim_func(s_tir=True)
def f(b: T.Buffer((4, 4), "int16"), n: T.int32):
    b[1, 0] = T.Let(T.Let(b[0, 2], where={w: T.Cast("int16", v)}), where={v: (n ^ n)})
"#,
        expect![[r##"
            # simplifiable 1 `T.Let(T.Let(b[0, 2], where={w: T.Cast("int16", v)}), where={v: (n ^ n)})`; by xor-self, known-value, fold
            v = T.int32()
            w = T.int16()
            b[1, 0] = T.Let(T.Let(b[0, 2], where={w: T.int16(0)}), where={v: 0})
        "##]],
    );
}

#[test]
fn guard_that_becomes_the_one_around_it_goes() {
    check_file(
        r#"
@T.prim_func(s_tir=True)
def f(b: T.Buffer((2,), "uint32"), n: T.int32):
    with T.launch_thread("blockIdx.x", 1) as v2:
        if (T.Cast("float64", v2) < T.Cast("float64", n)) or (0 >= n):
            if (T.Cast("float64", v2) < T.Cast("float64", n)) or ((v2 & 31) >= n):
                b[0] = T.uint32(0)
            b[0] = T.uint32(0)
"#,
        expect![[r##"
            # simplifiable 2 `T.Cast("float64", v2)`; by known-value, fold
            # redundant-guard 3 `(T.Cast("float64", v2) < T.Cast("float64", n)) or ((v2 & 31) >= n)`; by known-value, fold, ge-swap, logic-chain, decided
            v2 = T.launch_thread("blockIdx.x", 1)
            if T.float64(0.0) < T.Cast("float64", n) or 0 >= n:
                b[0] = T.uint32(0)
                b[0] = T.uint32(0)
        "##]],
    );
}

#[test]
fn condition_that_the_guard_decides_goes_from_its_chain() {
    check_file(
        r#"
@T.prim_func(s_tir=True)
def f(v0: T.int32, v2: T.bool, b0: T.Buffer((16,), "float32")):
    with T.launch_thread("blockIdx.x", 1) as v9:
        for v11 in range(7):
            if (v11 < 1) and (T.float32(-1.5) <= T.Cast("float32", v9)):
                b0[0] = T.if_then_else((v2 and (T.bool(True) and (T.float32(-1.5) <= T.Cast("float32", v9)))), T.float32(-1.5), T.float32(0.0))
"#,
        expect![[r##"
            # simplifiable 3 `T.Cast("float32", v9)`; by known-value, fold
            # redundant-condition 4 `v2 and (T.bool(True) and (T.float32(-1.5) <= T.Cast("float32", v9)))`; this decides it: 3 `T.float32(-1.5) <= T.Cast("float32", v9)`
            v9 = T.launch_thread("blockIdx.x", 1)
            for v11 in range(7):
                if v11 < 1 and T.LE(T.float32(-1.5), T.float32(0.0)):
                    b0[0] = T.if_then_else(v2, T.float32(-1.5), T.float32(0.0))
        "##]],
    );
}
