//! TileLang's script, as its printer writes it.

use expect_test::{Expect, expect};

use super::{dedent, printed};

const HEADER: &str = "# from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((16, 8), \"float16\"), B: T.Buffer((16, 8)), p: T.handle):\n";

#[track_caller]
fn check(body: &str, expected: Expect) {
    let indented = body.lines().map(|it| format!("    {it}\n")).collect::<String>();
    let print = printed(&format!("{HEADER}{indented}"));
    let told = print.lines().take_while(|it| !it.starts_with('@'));
    assert_eq!(told.collect::<Vec<_>>(), [""; 0], "{print}");
    let body = print.split_once(":\n").map_or(&*print, |it| it.1);
    expected.assert_eq(&dedent(body));
}

#[test]
fn parts_of_buffers_come_back_with_their_access() {
    check(
        "k: T.int32 = T.launch_thread_idx(0)\nT.copy(T.region(A[k * 4, 0], 1, 4, 8), T.region(B[0, 0], 2, 4, 8), disable_tma=T.bool(True))\nT.fill(T.region(B[2, 3], 2, 1, 1), T.float32(1.0))\nT.reduce(T.region(A[0, 0], 1, 16, 8), T.region(B[0, 0], 3, 16, 1), \"sum\", 1, T.bool(False))",
        expect![[r#"
                k: T.int32 = T.launch_thread_idx(0)
                T.copy(T.region(A[k * 4, 0], 1, 4, 8), T.region(B[0, 0], 2, 4, 8), disable_tma=T.bool(True))
                T.fill(T.region(B[2, 3], 2, 1, 1), T.float32(1.0))
                T.reduce(T.region(A[0, 0], 1, 16, 8), T.region(B[0, 0], 3, 16, 1), "sum", 1, T.bool(False))
        "#]],
    );
}

#[test]
fn a_part_of_a_buffer_is_the_vector_of_its_elements() {
    check(
        "k: T.int32 = T.launch_thread_idx(0)\nB[k, 0:4] = T.max(B[k, 4:8], B[0, 0:4]) + T.exp2(B[1, 0:4])\nB[k, 0:4] = T.Cast(\"float32x4\", A[k, k * 2:k * 2 + 4])",
        expect![[r#"
                k: T.int32 = T.launch_thread_idx(0)
                B[k, T.Ramp(0, 1, 4)] = T.max(B[k, T.Ramp(4, 1, 4)], B[0, T.Ramp(0, 1, 4)]) + T.exp2(B[1, T.Ramp(0, 1, 4)])
                B[k, T.Ramp(0, 1, 4)] = T.Cast("float32x4", A[k, T.Ramp(k * 2, 1, 4)])
        "#]],
    );
}

#[test]
fn a_launch_by_a_name_and_memory_that_has_several_forms() {
    check(
        "with T.sblock(\"root\"):\n    bx = T.int32()\n    C = T.Buffer((4,), scope=\"local\")\n    T.reads(A[bx, 0])\n    T.writes()\n    T.sblock_attr({\"layout_map\": {C: metadata[\"tl.Fragment\"][0]}})\n    T.attr(None, \"threadblock_swizzle_pattern\", T.tvm_tuple(\"rasterization2DRow\", 10))\n    T.launch_thread(bx, 16)\n    C = T.sblock_alloc_buffer((2, 2), data=C.data, scope=\"local\")\n    C[0, 0] = B[bx, 0]",
        expect![[r#"
            bx = T.int32()
            with T.sblock("root"):
                T.reads(A[bx, 0])
                T.writes()
                T.sblock_attr({"layout_map": {"C": metadata["tl.Fragment"][0]}})
                C = T.Buffer((4,), scope="local")
                with T.attr(None, "threadblock_swizzle_pattern", T.tvm_tuple("rasterization2DRow", 10)):
                    T.launch_thread(bx, 16)
                    C_1 = T.sblock_alloc_buffer((2, 2), data=C.data, scope="local")
                    C_1[0, 0] = B[bx, 0]
        "#]],
    );
}

#[test]
fn an_operator_that_tvm_had_too_makes_no_script_of_tilelang() {
    let text = format!("{HEADER}    x = 1\n    x = 2\n    T.ptx_cp_async(p, 0, B.data, x, 16)\n");
    let (item, lowered) = super::lowered(&text);
    assert_eq!(lowered.body.dialect, item.source.dialect);
}
