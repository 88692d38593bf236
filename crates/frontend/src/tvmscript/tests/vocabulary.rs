//! The vocabulary of tirx kernels: one test a family of forms.

use expect_test::{Expect, expect};

use super::{dedent, printed};

/// Lowers `body` as the body of a kernel with a few parameters.
#[track_caller]
fn check(body: &str, expect: Expect) {
    let text = format!(
        "from tvm.script import tirx as T\nfrom tvm.script.tirx import tile as Tx\nfrom tvm.tirx.layout import TileLayout, S, laneid, wg_local_layout\nfrom tvm.tirx.lang.pipeline import MBarrier\nfrom tvm.tirx.lang.warp_role import WarpRole\nfrom tvm.ir import PointerType, PrimType\nN = 4\n@T.prim_func\ndef f(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((16,), \"int32\"), n: T.int32):\n{body}"
    );
    let printed = printed(&text);
    let body = printed.split_once("n: T.int32):\n").map_or(&*printed, |(_, body)| body);
    let before = printed.lines().take_while(|line| !line.starts_with('@'));
    let diagnostics: String = before.map(|line| format!("{line}\n")).collect();
    expect.assert_eq(&(diagnostics + &dedent(body)));
}

#[test]
fn indices_of_several_extents_are_values_of_their_own() {
    check(
        "    T.device_entry()\n    bx, by = T.cta_id([2, n])\n    tx = T.thread_id([32], dtype=\"uint32\")\n    if bx == 0:\n        B[by] = T.int32(tx)\n",
        expect![[r#"
            T.device_entry()
            bx, by = T.cta_id([2, n])
            tx = T.thread_id([32], dtype="uint32")
            if bx == 0:
                B[by] = T.Cast("int32", tx)
        "#]],
    );
    check(
        "    T.device_entry()\n    x, y = T.cta_id([2])\n",
        expect![[r#"
        malformed-form: 1 indices for 2 names
        T.device_entry()
        x, y = T.cta_id([2])
    "#]],
    );
}

#[test]
fn layouts_are_data() {
    check(
        "    L = TileLayout(S[(4, N) : (1, 4)])\n    a = T.alloc_buffer((4, 4), \"float32\", scope=\"local\", layout=L)\n    b = T.alloc_buffer((32, 2), \"float32\", scope=\"local\", layout=T.TileLayout(T.S[(32, 2) : (1 @ laneid, 1)]))\n    c = T.alloc_buffer((128, N), \"float32\", scope=\"local\", layout=wg_local_layout(N))\n    M = L.tile(T.TileLayout(T.S[N]), (1, 1), (N, N))\n    d = T.alloc_buffer((4, 4), \"float32\", scope=\"local\", layout=M)\n",
        expect![[r#"
            a = T.alloc_local((4, 4), layout=T.TileLayout(T.S[(4, 4) : (1, 4)]))
            b = T.alloc_local((32, 2), layout=T.TileLayout(T.S[(32, 2) : (1 @ laneid, 1)]))
            c = T.alloc_local((128, 4), layout=wg_local_layout(4))
            d = T.alloc_local((4, 4), layout=(T.TileLayout(T.S[(4, 4) : (1, 4)])).tile(T.TileLayout(T.S[4]), (1, 1), (4, 4)))
        "#]],
    );
}

#[test]
fn layouts_of_values_that_are_not_known_keep_their_names() {
    let text = "from tvm.script import tirx as T\nfrom tvm.tirx.layout import S, TileLayout\ndef make(n):\n    shape = (n * 32, 8)\n    @T.prim_func\n    def f(a: T.handle):\n        A = T.match_buffer(a, shape, \"float16\", layout=TileLayout(S[shape]))\n        A[0, 0] = T.float16(1)\n    return f\n";
    expect![[r#"
        unresolved-capture: the value of `shape[0]` is not known here
        @T.prim_func
        def f(a: T.handle):
            A = T.match_buffer(a, (shape[0], 8), "float16", layout=T.TileLayout(T.S[shape]))
            A[0, 0] = T.float16(1.0)
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn written_casts_of_captured_values_stay() {
    let text = "from tvm.script import tirx as T\ndef make(value):\n    @T.prim_func\n    def f(C: T.Buffer((1,), \"float32\")):\n        C[0] = T.Cast(\"float32\", value)\n        C[0] = value\n    return f\n";
    expect![[r#"
        unresolved-capture: the value of `value` is not known here
        @T.prim_func
        def f(C: T.Buffer((1,), "float32")):
            C[0] = T.Cast("float32", value)
            C[0] = value
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn forms_of_tvm_that_no_table_has_are_no_news() {
    let text = "from tvm.script import tirx as T\n@T.prim_func\ndef f(h: T.Optional(T.handle), n: T.int32):\n    T.call_kernel(n, h)\n    x = T.decl_scalar(\"uint32\", h, \"shared\", 0)\n    T.my_own(n)\n";
    expect![[r#"
        unknown-intrinsic: `T.my_own` is in no table: it may do anything
        @T.prim_func
        def f(h: T.Optional(T.handle), n: T.int32):
            T.call_kernel(n, h)
            x = T.decl_scalar("uint32", h, "shared", 0)
            T.my_own(n)
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn pointers_of_older_texts_are_types() {
    let text = "from tvm.script import tir as T\n@T.prim_func\ndef f(a: T.ptr(\"float32\"), b: T.ptr(\"float32\", \"shared\")):\n    A = T.decl_buffer(16, \"float32\", data=a)\n    A[0] = T.float32(1)\n";
    expect![[r#"
        @T.prim_func
        def f(a: T.handle("float32", "global"), b: T.handle("float32", "shared")):
            A = T.Buffer((16,), data=a)
            A[0] = T.float32(1.0)
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn pointer_types_are_called_and_subscripted() {
    let text = "from tvm.script import tirx as T\n@T.prim_func\ndef f(a: T.Ptr[T.float32], b: T.Ptr[T.float16, \"shared\"], c: T.Ptr(\"float32\"), A: T.Buffer((16,), \"float32\")):\n    p: T.let[T.Ptr[T.float32]] = A.data\n    q: T.Ptr[T.float32] = A.data\n    B = T.decl_buffer((16,), \"float32\", data=p)\n    C = T.decl_buffer((16,), \"float32\", data=q)\n    B[0] = C[0]\n";
    expect![[r#"
        @T.prim_func
        def f(a: T.handle("float32", "global"), b: T.handle("float16", "shared"), c: T.handle("float32", "global"), A: T.Buffer((16,), "float32")):
            p: T.let[T.handle("float32", "global")] = A.data
            q: T.let[T.handle("float32", "global")] = A.data
            B = T.decl_buffer((16,), data=p)
            C = T.decl_buffer((16,), data=q)
            B[0] = C[0]
    "#]].assert_eq(&printed(text));
}

#[test]
fn an_instruction_of_a_computed_name_is_called_by_its_text() {
    check(
        "    T.ptx[\"ld.global.s32\"](B[0], B.ptr_to([1]))\n    T.ptx[f\"ld.{n}.s32\"](B[0], B.ptr_to([1]))\n    T.ptx.mov.u32(T.ptx.SINK, B[0])\n",
        expect![[r#"
            T.ptx.ld.global_.s32(B[0], T.address_of(B[1]))
            T.ptx[f"ld.{n}.s32"](B[0], T.address_of(B[1]))
            T.ptx.mov.u32(T.ptx.SINK, B[0])
        "#]],
    );
}

#[test]
fn views_have_the_shapes_that_follow_from_their_methods() {
    check(
        "    a = A.view(4, -1)\n    b = A.permute(1, 0)\n    c = A.sub[4:8, 2]\n    d = A.rearrange(\"(a b) c -> b (a c)\", a=4)\n    e = A.view(\"float16\")\n    B[0] = T.int32(A.view(256)[3] + a[0, 1] + b[2, 3] + c[1] + d[0, 63])\n    B[1] = A.sub[n].elem_offset_of([1])\n",
        expect![[r#"
            a = A.view(4, -1)
            b = A.permute(1, 0)
            c = A.sub[4:8, 2]
            d = A.rearrange("(a b) c -> b (a c)", a=4)
            e = A.view("float16")
            buffer = A.view(256)
            B[0] = T.Cast("int32", buffer[3] + a[0, 1] + b[2, 3] + c[1] + d[0, 63])
            buffer_1 = A.sub[n, :]
            B[1] = buffer_1.elem_offset_of([1])
        "#]],
    );
    check(
        "    a = A.sub[4:8, 2]\n    a[0, 0] = 1.0\n",
        expect![[r#"
        wrong-buffer-rank: `a` has 1 dimension, this access has 2 indices
        a = A.sub[4:8, 2]
        a[0, 0] = 1.0
    "#]],
    );
}

#[test]
fn parts_without_a_name_are_as_those_with_one() {
    check(
        "    C = T.alloc_local((4, 8, 16))\n    T.tile.copy(C.chunk((None, 2, 4))[1, 0, n], C.chunk((None, None, 4))[2, 0:4])\n    B[0] = T.int32(C.tile(0, (2, -1))[n, :][0, 0, 0])\n",
        expect![[r#"
            C = T.alloc_local((4, 8, 16))
            T.tile.copy(C[1, 0:4, n * 4:n * 4 + 4], C[2, 0:4, :])
            buffer = C.tile(0, [2, -1])[n, :]
            B[0] = T.Cast("int32", buffer[0, 0, 0])
        "#]],
    );
    // How many there are is not known here.
    check(
        "    C = T.alloc_local((4, 8))\n    T.tile.fill(C.chunk((None, n))[0, 1], 0)\n    T.tile.fill(C.tile(1, (n, -1))[n, :], 0)\n",
        expect![[r#"
            unsupported-construct: this has no meaning in TVMScript that is known here
            unsupported-construct: this has no meaning in TVMScript that is known here
            C = T.alloc_local((4, 8))
            T.tile.fill(C.chunk((None, n))[0, 1], 0)
            T.tile.fill(C.tile(1, (n, -1))[n, :], 0)
        "#]],
    );
    check(
        "    C = T.alloc_local((4, 8))\n    T.tile.fill(C.chunk((None, 2))[0, 1:2], 0)\n    T.tile.fill(C.chunk((2,))[0], 0)\n",
        expect![[r#"
            malformed-form: a dimension of chunks takes the number of one
            malformed-form: one number of chunks for each dimension is needed
            C = T.alloc_local((4, 8))
            T.tile.fill(C.chunk((None, 2))[0, 1:2], 0)
            T.tile.fill(C.chunk((2,))[0], 0)
        "#]],
    );
}

#[test]
fn a_dictionary_is_made_by_a_comprehension() {
    check(
        "    regs = T.meta_var({i: B[i] * 2 for i in range(3)})\n    named = T.meta_var({f\"r{i}\": B[i + 4] for i in range(2)})\n    B[0] = regs[1] + regs[2] + named[\"r1\"]\n",
        expect![[r#"
            B[0] = B[1] * 2 + B[2] * 2 + B[5]
        "#]],
    );
}

#[test]
fn pools_are_memory_and_their_objects_are_called() {
    check(
        "    pool = T.SMEMPool()\n    a = pool.alloc((n, 32), \"float16\", align=128)\n    bar = MBarrier(pool, 2)\n    pool.commit()\n    bar.init(1)\n    bar.remote_view(0).arrive(n, count=T.uint32(2))\n    bar.wait(0, bar.phase)\n    a[0, 0] = T.float16(1)\n",
        expect![[r#"
            pool = T.SMEMPool()
            a = pool.alloc([n, 32], "float16", align=128)
            bar = MBarrier(pool, 2)
            pool.commit()
            bar.init(1)
            bar.remote_view(0).arrive(n, count=T.uint32(2))
            bar.wait(0, bar.phase)
            a[0, 0] = T.float16(1.0)
        "#]],
    );
}

#[test]
fn tile_primitives_name_their_team() {
    check(
        "    Tx.copy(A, A[0:16, :])\n    Tx.cta.exp(A)\n    T.warp.sum(B[0], B, [-1], False)\n    with Tx.compose_op(schedule=\"A\"):\n        Tx.wg.add(B, B, 1)\n",
        expect![[r#"
            T.tile.copy(A, A[0:16, :])
            T.tile.cta.exp(A, A)
            T.tile.warp.sum(B[0], B, [-1], False)
            with T.tile.compose_op(schedule="A"):
                T.tile.wg.add(B, B, 1)
        "#]],
    );
}

#[test]
fn a_hint_describes_its_scope() {
    check(
        "    with T.hint(\"pipeline\", depth=4):\n        B[0] = 1\n    T.hint(\"rest\")\n    B[1] = 1\n",
        expect![[r#"
            with T.hint("pipeline", depth=4):
                B[0] = 1
            with T.hint("rest"):
                B[1] = 1
        "#]],
    );
}

#[test]
fn numbers_are_conditions() {
    check(
        "    if B[0]:\n        B[1] = 1\n    elif T.cuda.elect_sync():\n        B[2] = 1\n    while B[3]:\n        B[3] = B[3] - 1\n",
        expect![[r#"
            if B[0]:
                B[1] = 1
            elif T.cuda.elect_sync():
                B[2] = 1
            while B[3]:
                B[3] = B[3] - 1
        "#]],
    );
}

#[test]
fn types_have_short_names() {
    check(
        "    a = T.alloc_buffer((4,), \"float\")\n    b = T.alloc_buffer((4,), \"uint\")\n    T.call_extern(\"\", \"g\", a[0])\n    p: T.let = T.reinterpret(PointerType(PrimType(\"uint64\"), \"shared\"), b.ptr_to([0]))\n",
        expect![[r#"
            a = T.alloc_buffer((4,))
            b = T.alloc_buffer((4,), "uint32")
            T.call_extern("", "g", a[0])
            p: T.let[T.handle("uint64", "shared")] = T.reinterpret(T.handle("uint64", "shared").ty, T.address_of(b[0]))
        "#]],
    );
}

#[test]
fn a_loop_may_say_the_type_of_its_variable() {
    check(
        "    for i in T.serial(4, dtype=\"uint32\"):\n        B[i] = 1\n    for i, j in T.grid(4, n, dtype=\"int64\"):\n        B[i] = T.int32(j)\n    for i in range(4, annotations={\"a\": 1}):\n        B[i] = 2\n",
        expect![[r#"
            for i in range(T.uint32(4)):
                B[i] = 1
            for i, j in T.grid(T.int64(4), T.Cast("int64", n)):
                B[i] = T.Cast("int32", j)
            for i in T.serial(4, annotations={"a": 1}):
                B[i] = 2
        "#]],
    );
}

#[test]
fn vectors_are_loaded_by_their_type_and_stored_by_their_value() {
    check(
        "    B.vstore([8], B.vload([4], dtype=\"int32x4\"))\n    x: T.int32x4 = B[0:4]\n    B[4:8] = x\n    B[n : n + T.vscale() * 4] = T.Broadcast(1, T.vscale() * 4)\n",
        expect![[r#"
            B[T.Ramp(8, 1, 4)] = B[T.Ramp(4, 1, 4)]
            x: T.int32x4 = B[T.Ramp(0, 1, 4)]
            B[T.Ramp(4, 1, 4)] = x
            B[T.Ramp(n, 1, T.vscale() * 4)] = T.Broadcast(1, T.vscale() * 4)
        "#]],
    );
}

#[test]
fn an_index_is_launched_by_the_attribute_too() {
    check(
        "    tx = T.env_thread(\"threadIdx.x\")\n    with T.attr(tx, \"thread_extent\", 16):\n        B[tx] = 1\n",
        expect![[r#"
            tx = T.env_thread("threadIdx.x")
            with T.attr(tx, "thread_extent", 16):
                B[tx] = 1
        "#]],
    );
}

#[test]
fn dictionaries_give_keyword_arguments() {
    check(
        "    T.device_entry()\n    bar = T.alloc_shared((2,), \"uint64\")\n    S0 = T.alloc_shared((16, 16))\n    how = T.meta_var({\"dispatch\": \"tma\", \"mbar\": bar.ptr_to([0])})\n    Tx.copy_async(S0[:, :], A[:, :], **how)\n    Tx.copy_async(S0[:, :], A[:, :], cta_group=2, **how)\n",
        expect![[r#"
            T.device_entry()
            bar = T.alloc_shared((2,), "uint64")
            S0 = T.alloc_shared((16, 16))
            T.tile.copy_async(S0[:, :], A[:, :], dispatch="tma", mbar=T.address_of(bar[0]))
            T.tile.copy_async(S0[:, :], A[:, :], cta_group=2, dispatch="tma", mbar=T.address_of(bar[0]))
        "#]],
    );
}

#[test]
fn parts_of_known_sequences_are_sequences() {
    check(
        "    shape = T.meta_var((N, 8, 2))\n    a = T.alloc_local(shape[1:], layout=TileLayout(S[shape[1:]]))\n    b = T.alloc_local(shape[::-1])\n    a[0, 0] = b[0, 0, 0]\n",
        expect![[r#"
            a = T.alloc_local((8, 2), layout=T.TileLayout(T.S[(4, 8, 2)[1:]]))
            b = T.alloc_local((2, 8, 4))
            a[0, 0] = b[0, 0, 0]
        "#]],
    );
}

#[test]
fn members_are_found_by_name() {
    check(
        "    for i in getattr(T, \"unroll\")(4):\n        B[i] = getattr(T, \"int32\")(3)\n    getattr(Tx, \"cta\").fill(A[0:4, 0:4], T.float32(0))\n",
        expect![[r#"
            for i in T.unroll(4):
                B[i] = 3
            T.tile.cta.fill(A[0:4, 0:4], T.float32(0.0))
        "#]],
    );
}

#[test]
fn views_by_brackets_pick_and_step() {
    check(
        "    C = T.alloc_local((4, 8, 16))\n    D = C.sub[1:, 1::2]\n    E = C.tile((2, (-1, 4, 2)))[:, n, :]\n    F = C.tile(0, (2, -1))[n, :]\n    D[0, 0, 0] = E[0, 0, 0] + F[0, 0, 0]\n",
        expect![[r#"
            C = T.alloc_local((4, 8, 16))
            D = C.sub[1:, 1::2, :]
            E = C.tile([2, [-1, 4, 2]])[:, n, :]
            F = C.tile(0, [2, -1])[n, :]
            D[0, 0, 0] = E[0, 0, 0] + F[0, 0, 0]
        "#]],
    );
}

#[test]
fn addresses_of_tensor_memory_are_what_they_were_given() {
    check(
        "    a = T.alloc_shared((1,), \"uint32\")\n    t = T.decl_buffer((64, 4), scope=\"tmem\", allocated_addr=a[0])\n    T.evaluate(T.cuda.get_tmem_addr(t.allocated_addr[0], 0, 1))\n",
        expect![[r#"
            a = T.alloc_shared((1,), "uint32")
            t = T.decl_buffer((64, 4), scope="tmem", allocated_addr=a[0])
            T.cuda.get_tmem_addr(a[0], 0, 1)
        "#]],
    );
}

#[test]
fn fragments_of_a_warp_group_have_the_shape_of_the_whole() {
    check(
        "    f = T.alloc_tcgen05_ldst_frag(\"32x32b\", (128, 2 * N), \"float16\")\n    g = T.alloc_cast_frag(f, \"float32\")\n    Tx.wg.cast(g[:, :], f[:, :])\n",
        expect![[r#"
            f = T.alloc_tcgen05_ldst_frag("32x32b", [128, 8], "float16")
            g = T.alloc_cast_frag(f, "float32")
            T.tile.wg.cast(g[:, :], f[:, :])
        "#]],
    );
}

#[test]
fn roles_of_warps_are_conditions() {
    check(
        "    T.device_entry()\n    w = T.warp_id([4])\n    with WarpRole(w, 1, regs=48):\n        B[0] = 1\n    with WarpRole(w, N, regs=232, increase=True):\n        B[1] = 2\n",
        expect![[r#"
            T.device_entry()
            w = T.warp_id([4])
            if w == 1:
                T.ptx.setmaxnreg.dec.sync.aligned.u32(48)
                B[0] = 1
            if w == 4:
                T.ptx.setmaxnreg.inc.sync.aligned.u32(232)
                B[1] = 2
        "#]],
    );
}

#[test]
fn axes_may_share_a_name() {
    check(
        "    for i, *s in T.grid(16, 4, 4):\n        with T.sblock(\"b\"):\n            vi, *vs = T.axis.remap(\"SSS\", [i, *s])\n            A[vi, vs[0] + vs[1]] = T.float32(1)\n",
        expect![[r#"
            for i, s_0, s_1 in T.grid(16, 4, 4):
                with T.sblock("b"):
                    vi = T.axis.spatial(16, i)
                    vs_0 = T.axis.spatial(4, s_0)
                    vs_1 = T.axis.spatial(4, s_1)
                    A[vi, vs_0 + vs_1] = T.float32(1.0)
        "#]],
    );
}

#[test]
fn an_axis_of_a_pattern_may_be_called_pattern() {
    check(
        "    C = A.rearrange(\"(pattern inner) tail -> pattern tail inner\", pattern=2)\n    C[0, 0, 0] = T.float32(0)\n",
        expect![[r#"
            C = A.rearrange("(pattern inner) tail -> pattern tail inner", pattern=2)
            C[0, 0, 0] = T.float32(0.0)
        "#]],
    );
}

#[test]
fn keyword_arguments_of_a_macro_are_a_dictionary() {
    let text = "
from tvm.script import tirx as T
from tvm.tirx import BufferAccessKind
@T.inline
def set(i, *rest, to, **given):
    given[\"of\"][i, rest[0]] = to
@T.prim_func
def f(A: T.Buffer((16, 16), \"float32\")):
    for i in range(16):
        set(i, 3, to=T.float32(1), of=A)
    T.evaluate(A.access_ptr(BufferAccessKind.WRITE))
";
    expect![[r#"
        @T.prim_func
        def f(A: T.Buffer((16, 16), "float32")):
            for i in range(16):
                A[i, 3] = T.float32(1.0)
            T.call_intrin("handle", "tirx.tvm_access_ptr", T.type_annotation("float32"), A.data, 0, 256, 2)
    "#]].assert_eq(&printed(text));
}
