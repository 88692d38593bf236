//! One test a shape of statement.

use expect_test::{Expect, expect};

use super::{dedent, printed};

/// Lowers `body` as the body of a tirx function with a few parameters.
#[track_caller]
fn check(body: &str, expect: Expect) {
    let text = format!(
        "@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((16, 16), \"float32\"), B: T.Buffer((16,), \"int32\"), n: T.int32, p: T.handle):\n{body}"
    );
    let printed = printed(&text);
    let body = printed.split_once("p: T.handle):\n").map_or(&*printed, |(_, body)| body);
    let before = printed.lines().take_while(|line| !line.starts_with('@'));
    let diagnostics: String = before.map(|line| format!("{line}\n")).collect();
    expect.assert_eq(&(diagnostics + &dedent(body)));
}

/// As [`check`], in the legacy dialect.
#[track_caller]
fn check_legacy(body: &str, expect: Expect) {
    let text = format!(
        "from tvm.script import tir as T\n@T.prim_func\ndef f(A: T.Buffer((16, 16), \"float32\"), n: T.int32, p: T.handle):\n{body}"
    );
    let printed = printed(&text);
    let body = printed.split_once("p: T.handle):\n").map_or(&*printed, |(_, body)| body);
    expect.assert_eq(&dedent(body));
}

#[test]
fn a_store_casts_its_value() {
    check(
        "    A[n, 0] = n\n    B[n] = 1.5\n    B[0] = 1\n",
        expect![[r#"
                A[n, 0] = T.Cast("float32", n)
                B[n] = 1
                B[0] = 1
        "#]],
    );
}

#[test]
fn a_slice_in_a_store_is_a_ramp() {
    check(
        "    A[0, 0:4] = T.Broadcast(1.0, 4)\n    A[0, n:n + 8:2] = T.Broadcast(T.float32(0), 4)\n    A[1, n + 1 + 2:n + 1 + 2 + 4] = T.Broadcast(T.float32(0), 4)\n    A[1, 3:4] = 0.0\n    A[0, 0:4] = A[1, 4:8]\n    A[0, 0:4] = A[1, n:n + 4:1] + A[2, 0:8:2]\n    A[0, 0:4] = A[1, 4:8] + 1.0\n",
        expect![[r#"
            malformed-form: a part of a buffer is not a value
            A[0, T.Ramp(0, 1, 4)] = T.Broadcast(T.float32(1.0), 4)
            A[0, T.Ramp(n, 2, 4)] = T.Broadcast(T.float32(0.0), 4)
            A[1, T.Ramp(n + 1 + 2, 1, 4)] = T.Broadcast(T.float32(0.0), 4)
            A[1, 3] = T.float32(0.0)
            A[0, T.Ramp(0, 1, 4)] = A[1, T.Ramp(4, 1, 4)]
            A[0, T.Ramp(0, 1, 4)] = A[1, T.Ramp(n, 1, 4)] + A[2, T.Ramp(0, 2, 4)]
            A[0, 0:4] = A[1, 4:8] + 1.0
        "#]],
    );
}

#[test]
fn an_augmented_store_loads_and_stores() {
    check(
        "    A[n, n] += 2.0\n    B[n] *= n\n",
        expect![[r#"
                A[n, n] = A[n, n] + T.float32(2.0)
                B[n] = B[n] * n
        "#]],
    );
}

#[test]
fn an_assigned_name_is_a_cell_in_tirx() {
    check(
        "    x = n + 1\n    x = x * 2\n    x += 3\n    y: T.float32 = n\n    z: T.int64\n    B[x] = x\n",
        expect![[r#"
                x: T.int32 = n + 1
                x = x * 2
                x = x + 3
                y: T.float32 = T.Cast("float32", n)
                z: T.int64
                B[x] = x
        "#]],
    );
}

#[test]
fn an_assigned_name_is_a_binding_in_the_legacy_dialect() {
    check_legacy(
        "    x: T.int32 = n + 1\n    y = x * 2\n    A[x, y] = 0.0\n    T.evaluate(T.ret(x))\n",
        expect![[r#"
                x: T.int32 = n + 1
                y: T.int32 = x * 2
                A[x, y] = T.float32(0.0)
                T.evaluate(T.ret(x))
        "#]],
    );
}

#[test]
fn lets_bind() {
    check(
        "    x: T.let[T.int32] = n + 1\n    y: T.let = x * 2\n    z = T.bind(y + 1)\n    q: T.let[T.handle(\"float32\", \"global\")] = A.data\n    s = \"text\"\n    B[x] = z\n",
        expect![[r#"
                x: T.let[T.int32] = n + 1
                y: T.let[T.int32] = x * 2
                z: T.let[T.int32] = y + 1
                q: T.let[T.handle("float32", "global")] = A.data
                s = T.bind("text")
                B[x] = z
        "#]],
    );
}

#[test]
fn loops_of_every_kind() {
    check(
        "    for i, j in T.grid(16, n):\n        A[i, j] = 0.0\n    for i in range(n):\n        pass\n    for i in range(1, n):\n        B[i] = i\n    for i in range(n, n + 4):\n        B[i] = i\n    for i in range(0, 10, 2):\n        B[i] = i\n    for i in T.serial(0, 4, annotations={\"pragma\": 1}):\n        B[i] = i\n    for i in T.parallel(4):\n        for j in T.vectorized(4):\n            for k in T.unroll(2):\n                A[i, j] = 1.0\n    for i in T.thread_binding(4, thread=\"threadIdx.x\"):\n        B[i] = i\n    for i in T.serial(4, unroll=False):\n        B[i] = i\n",
        expect![[r#"
                for i, j in T.grid(16, n):
                    A[i, j] = T.float32(0.0)
                for i in range(n):
                    T.evaluate(0)
                for i in range(1, n):
                    B[i] = i
                for i in range(n, n + (4)):
                    B[i] = i
                for i in range(0, 10, 2):
                    B[i] = i
                for i in T.serial(4, annotations={"pragma": 1}):
                    B[i] = i
                for i in T.parallel(4):
                    for j in T.vectorized(4):
                        for k in T.unroll(2):
                            A[i, j] = T.float32(1.0)
                for i in T.thread_binding(4, thread="threadIdx.x"):
                    B[i] = i
                for i in T.serial(4, annotations={"disable_unroll": True}):
                    B[i] = i
        "#]],
    );
}

#[test]
fn the_end_of_a_loop_keeps_the_brackets_of_its_start() {
    check(
        "    for i in T.serial(n & 3, (n & 3) + 2):\n        B[i] = 0\n    for i in T.serial(n, n * n):\n        B[i] = 0\n",
        expect![[r#"
            for i in range(n & 3, (n & 3) + (2)):
                B[i] = 0
            for i in range(n, n * n):
                B[i] = 0
        "#]],
    );
}

#[test]
fn a_division_of_unknown_numbers_is_printed_as_the_form_that_folds() {
    check(
        "    B[0] = T.truncdiv(3 % missing, n)\n    B[1] = T.truncdiv(n, 3)\n",
        expect![[r#"
            undefined-name: `missing` is not defined here
            B[0] = T.truncdiv(3 % missing, n)
            B[1] = T.Div(n, 3)
        "#]],
    );
}

#[test]
fn a_loop_over_wider_bounds_has_a_wider_variable() {
    check(
        "    for i in range(n, T.int64(8)):\n        B[i] = 0\n",
        expect![[r#"
                for i in range(T.Cast("int64", n), T.int64(8)):
                    B[i] = 0
        "#]],
    );
}

#[test]
fn branches() {
    check(
        "    if n > 0:\n        B[0] = 0\n    elif n < -4:\n        B[0] = 1\n    else:\n        B[0] = 2\n    while B[0] < 4:\n        if B[0] == 2:\n            break\n        continue\n    return n\n",
        expect![[r#"
            if n > 0:
                B[0] = 0
            elif n < -4:
                B[0] = 1
            else:
                B[0] = 2
            while B[0] < 4:
                if B[0] == 2:
                    break
                continue
            return n
        "#]],
    );
}

#[test]
fn a_condition_that_python_decides_opens_no_scope() {
    check(
        "    if True:\n        x: T.let = n + 1\n    else:\n        B[0] = 1\n    B[x] = 0\n",
        expect![[r#"
                x: T.let[T.int32] = n + 1
                B[x] = 0
        "#]],
    );
}

#[test]
fn asserts() {
    check(
        "    assert n > 0, \"positive\"\n    assert n < 8, (\"ValueError\", [\"too \", \"big\"])\n    with T.Assert(n != 3, \"three\"):\n        B[n] = 0\n",
        expect![[r#"
                assert n > 0, "positive"
                assert n < 8, ("ValueError", ["too ", "big"])
                assert n != 3, "three"
                B[n] = 0
        "#]],
    );
}

#[test]
fn blocks() {
    check(
        "    for i, j in T.grid(16, 16):\n        with T.sblock(\"b\"):\n            vi, vj = T.axis.remap(\"SR\", [i, j])\n            vk = T.axis.spatial((2, n), i + 2)\n            T.where(i < n)\n            T.reads(B[vi], A[0:16, vj])\n            T.writes(A[vi, vj])\n            T.sblock_attr({\"k\": 1})\n            with T.init():\n                A[vi, vj] = 0.0\n            A[vi, vj] = A[vi, vj] + 1.0\n",
        expect![[r#"
                for i, j in T.grid(16, 16):
                    with T.sblock("b"):
                        vi = T.axis.spatial(16, i)
                        vj = T.axis.reduce(16, j)
                        vk = T.axis.spatial((2, n), i + 2)
                        T.where(i < n)
                        T.reads(B[vi], A[0:16, vj])
                        T.writes(A[vi, vj])
                        T.sblock_attr({"k": 1})
                        with T.init():
                            A[vi, vj] = T.float32(0.0)
                        A[vi, vj] = A[vi, vj] + T.float32(1.0)
        "#]],
    );
}

#[test]
fn a_block_alone_with_pass() {
    check(
        "    with T.sblock(\"b\"):\n        pass\n",
        expect![[r#"
                with T.sblock("b"):
                    T.evaluate(0)
        "#]],
    );
}

#[test]
fn matched_buffers() {
    check(
        "    m = T.int32()\n    C = T.match_buffer(p, (m, 4), \"float16\", strides=[\"s0\", \"s1\"], offset_factor=1)\n    with T.sblock(\"b\"):\n        D = T.match_buffer(A[0:4, 0:8], (4, 8), offset_factor=8)\n        D[0, 0] = T.Cast(\"float32\", C[m - 1, 0])\n",
        expect![[r#"
                m = T.int32()
                s0 = T.int32()
                s1 = T.int32()
                C = T.match_buffer(p, (m, 4), "float16", strides=(s0, s1), offset_factor=1)
                with T.sblock("b"):
                    D = T.match_buffer(A[0:4, 0:8], (4, 8), offset_factor=8)
                    D[0, 0] = T.Cast("float32", C[m - 1, 0])
        "#]],
    );
}

#[test]
fn allocations_and_views() {
    check(
        "    C = T.alloc_buffer((16,), \"float16\", scope=\"shared.dyn\")\n    D = T.alloc_local((4,))\n    E = T.alloc_shared((8,), \"int32\")\n    F = T.decl_buffer((256,), data=A.data)\n    G = A.view(256)\n    H = B.view(\"float32\")\n    v: T.float32[4]\n    F[0] = G[0] + H[0] + v[0] + D[0]\n",
        expect![[r#"
                C = T.alloc_buffer((16,), "float16", scope="shared.dyn")
                D = T.alloc_local((4,))
                E = T.alloc_shared((8,), "int32")
                F = T.decl_buffer((256,), data=A.data)
                G = A.view(256)
                H = B.view("float32")
                v = T.alloc_local((4,))
                F[0] = G[0] + H[0] + v[0] + D[0]
        "#]],
    );
}

#[test]
fn threads_and_attributes_scope_over_the_rest() {
    check(
        "    bx = T.launch_thread(\"blockIdx.x\", n)\n    T.attr({\"k\": 1})\n    T.attr(0, \"key\", n)\n    B[bx] = bx\n",
        expect![[r#"
                bx = T.launch_thread("blockIdx.x", n)
                T.attr({"k": 1})
                T.attr(0, "key", n)
                B[bx] = bx
        "#]],
    );
}

#[test]
fn threads_and_attributes_with_a_body() {
    check(
        "    tx = T.env_thread(\"threadIdx.x\")\n    with T.launch_thread(\"blockIdx.x\", 4) as bx:\n        T.launch_thread(tx, 8)\n        with T.attr(B.data, \"key\", \"value\"):\n            B[bx] = tx\n    B[0] = 1\n",
        expect![[r#"
                tx = T.env_thread("threadIdx.x")
                with T.launch_thread("blockIdx.x", 4) as bx:
                    T.launch_thread(tx, 8)
                    T.attr(B.data, "key", "value")
                    B[bx] = tx
                B[0] = 1
        "#]],
    );
}

#[test]
fn legacy_scopes() {
    check_legacy(
        "    with T.LetStmt(n + 1) as x:\n        A[x, 0] = 0.0\n    with T.let(T.int32(), 1):\n        pass\n    with T.allocate([16], \"float32\", \"shared\") as q:\n        C = T.Buffer((16,), data=q, scope=\"shared\")\n        C[0] = 1.0\n    with T.block(\"b\"):\n        D = T.alloc_buffer((4,))\n        D[0] = 0.0\n",
        expect![[r#"
                with T.LetStmt(n + 1) as x:
                    A[x, 0] = T.float32(0.0)
                with T.let(T.int32(), 1):
                    T.evaluate(0)
                with T.allocate((16,), scope="shared") as q:
                    C = T.Buffer((16,), data=q, scope="shared")
                    C[0] = T.float32(1.0)
                with T.block("b"):
                    D = T.alloc_buffer((4,))
                    D[0] = T.float32(0.0)
        "#]],
    );
}

#[test]
fn function_attributes_and_docstrings() {
    check(
        "    \"\"\"doc\"\"\"\n    T.func_attr({\"tir.noalias\": True, \"target\": T.target({\"kind\": \"cuda\"}), \"n\": T.int64(4), \"l\": [1, 2.5, None]})\n    T.evaluate(n)\n    T.tvm_storage_sync(\"shared\")\n",
        expect![[r#"
                T.func_attr({"tir.noalias": True, "target": T.target({"kind": "cuda"}), "n": T.int64(4), "l": [1, 2.5, None]})
                T.evaluate(n)
                T.tvm_storage_sync("shared")
        "#]],
    );
}

#[test]
fn a_macro_is_expanded_and_sees_only_its_own_names() {
    let text = "
LIMIT = 4
@T.macro
def fill(C, value, scale=2):
    for i in range(LIMIT):
        C[i] = value * scale
@T.prim_func
def f(B: T.Buffer((16,), \"int32\"), n: T.int32):
    @T.inline
    def twice(k):
        B[k] = k
        B[k + 1] = n
    i: T.let = n + 1
    fill(B, i)
    twice(i)
";
    expect![[r#"
        @T.prim_func
        def f(B: T.Buffer((16,), "int32"), n: T.int32):
            i: T.let[T.int32] = n + 1
            for i_1 in range(4):
                B[i_1] = i * 2
            B[i] = i
            B[i + 1] = n
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn a_broken_statement_leaves_the_others_alone() {
    check(
        "    x: T.let = n + 1\n    y = foo(x)\n    B[x] = y\n    B[x, 1] = 2\n    for i in unknown(3):\n        B[i] = x\n    B[0] = x + 1\n",
        expect![[r#"
            undefined-name: `foo` is not defined here
            wrong-buffer-rank: `B` has 1 dimension, this access has 2 indices
            undefined-name: `unknown` is not defined here
            x: T.let[T.int32] = n + 1
            y = foo(x)
            B[x] = y
            B[x, 1] = 2
            for i in unknown(3):
                B[i] = x
            B[0] = x + 1
        "#]],
    );
}

#[test]
fn an_if_on_an_unknown_name_is_no_scope() {
    let text = "
def outer(flag, size):
    @T.prim_func
    def f(B: T.Buffer((16,), \"int32\")):
        if flag:
            x: T.let = 1
        else:
            x: T.let = 2
        B[x] = size + 1
";
    expect![[r#"
        unresolved-capture: the values of `flag` and `size` are not known here
        @T.prim_func
        def f(B: T.Buffer((16,), "int32")):
            if flag:
                x: T.let[T.int32] = 1
            else:
                x: T.let[T.int32] = 2
            B[x] = size + 1
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn symbols_of_the_signature() {
    let text = "
n = TypeVar(\"n\")
@T.prim_func(private=True)
def f(A: T.Buffer((n, \"m\"), \"float32\"), B: T.Buffer((\"n * T.int64(2)\", \"k\"), \"float32\"), k: T.int64) -> T.int32:
    m = T.int32()
    A[k, m - 1] = B[n, 0]
    return 0
";
    expect![[r#"
        @T.prim_func(private=True)
        def f(A: T.Buffer((n, "m"), "float32"), B: T.Buffer(("n * T.int64(2)", "k"), "float32"), k: T.int64) -> T.int32:
            m = T.int32()
            A[k, m - 1] = B[n, 0]
            return 0
    "#]].assert_eq(&printed(text));
}

#[test]
fn a_macro_means_what_it_means_where_it_stands() {
    let text = "
N = 4
@T.inline
def put(A, i, step=N, twice=N * 2, **named):
    A[i] = N + step + twice
def make(N):
    @T.prim_func
    def f(A: T.Buffer((16,), \"int32\")):
        put(A, 0)
        put(A, i=1, step=N)
        put(A, 2, 3, 5)
    return f
";
    expect![[r#"
        unresolved-capture: the value of `N` is not known here
        @T.prim_func
        def f(A: T.Buffer((16,), "int32")):
            A[0] = 16
            A[1] = 4 + N + 8
            A[2] = 12
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn a_name_that_is_given_something_unknown_is_unknown() {
    let text = "
from helpers import pair, within, each
def make(flag, views):
    @T.prim_func
    def f(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")):
        for i in range(4):
            B, C = pair(A)
            B[0] = 7
        with within(A) as B:
            B[0] = 7
        for B in each(A):
            B[0] = 7
        if flag:
            S = A
        else:
            S = B
        S[0] = 7
        D = views[0]
        D[0] = 7
        T.reads(D[0])
        D[0, 1] += 7
        x, B[0] = A[0], 3
    return f
";
    let (_, lowered) = super::lowered(text);
    let mut stored: Vec<&str> = Vec::new();
    for op in lowered.body.ops_preorder() {
        if let ir::OpKind::Store { buffer, .. } = lowered.body.ops[op].kind {
            stored.push(lowered.body.name(lowered.body.buffers[buffer].name));
        }
    }
    assert_eq!(stored, ["x"]);
    let errors =
        lowered.diagnostics.iter().filter(|it| it.severity == super::super::Severity::Error);
    assert_eq!(errors.count(), 0, "{:?}", lowered.diagnostics);
    assert!(ir::verify::verify(&lowered.body).is_empty());
}

#[test]
fn a_form_without_a_name_is_kept() {
    check(
        "    T.match_buffer(p, (16,), \"int32\")\n    T.alloc_buffer((4,), \"int32\")\n    B[0] = n\n",
        expect![[r#"
                T.match_buffer(p, (16,), "int32")
                T.alloc_buffer((4,), "int32")
                B[0] = n
        "#]],
    );
}

#[test]
fn one_name_for_the_variables_of_several_loops() {
    let text = "
SHAPE = (2, 3, 4)
@T.prim_func(s_tir=True)
def f(A: T.Buffer(SHAPE, \"int32\"), B: T.Buffer((4, 4), \"int32\")):
    for *some, last in T.grid(*SHAPE):
        A[(*some, last)] = some[1]
    for all in T.grid(4, 4):
        with T.sblock(\"b\"):
            i, j = T.axis.remap(\"SS\", all)
            B[i, j] = all[0]
";
    expect![[r#"
        @T.prim_func(s_tir=True)
        def f(A: T.Buffer((2, 3, 4), "int32"), B: T.Buffer((4, 4), "int32")):
            for some_0, some_1, last in T.grid(2, 3, 4):
                A[some_0, some_1, last] = some_1
            for all_0, all_1 in T.grid(4, 4):
                with T.sblock("b"):
                    i = T.axis.spatial(4, all_0)
                    j = T.axis.spatial(4, all_1)
                    B[i, j] = all_0
    "#]]
    .assert_eq(&printed(text));
}

#[test]
fn python_decides_where_nothing_is_ir() {
    let text = "
def make(k, g):
    @T.prim_func
    def f(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")):
        if k > 2 and not g(k):
            x: T.let = A[0]
        else:
            x: T.let = A[1]
        B[0] = x
        for i in range(16):
            if i < k:
                B[i] = A[i]
        def helper(j):
            return j
        B[helper(1)] = 2
    return f
";
    let (_, lowered) = super::lowered(text);
    let kinds = lowered.body.ops_preorder().map(|it| lowered.body.ops[it].kind);
    assert_eq!(kinds.filter(|it| *it == ir::OpKind::If).count(), 1);
    let errors =
        lowered.diagnostics.iter().filter(|it| it.severity == super::super::Severity::Error);
    assert_eq!(errors.count(), 0, "{:?}", lowered.diagnostics);
    assert!(ir::verify::verify(&lowered.body).is_empty());
}

/// A function inside one of Python, whose parameter `k` is not known.
fn captured(body: &str) -> String {
    let body: String =
        test_utils::trim_indent(body).lines().map(|it| format!("        {it}\n")).collect();
    printed(&format!(
        "from tvm.script import tirx as T\n\ndef make(k):\n    @T.prim_func\n    def f(A: T.Buffer((16,), \"int32\")):\n{body}    return f\n"
    ))
}

#[test]
fn a_wide_number_of_python_beside_an_unknown_one_stays_one() {
    expect![[r#"
        unresolved-capture: the value of `k` is not known here
        @T.prim_func
        def f(A: T.Buffer((16,), "int32")):
            A[0] = A[1] + (-4294967296) % k
            A[2] = k * 4294967296 + 3
            A[3] = 7 % k
            A[4] = A[5] * (0.1 * k)
    "#]]
    .assert_eq(&captured(
        "
         A[0] = A[1] + (-2 << 31) % k
         A[2] = k * 4294967296 + 3
         A[3] = 7 % k
         A[4] = A[5] * (0.1 * k)
        ",
    ));
}

#[test]
fn a_name_that_is_given_inside_of_an_expression_is_there() {
    expect![[r#"
        unsupported-construct: a name that is given inside of an expression has no meaning in TVMScript
        @T.prim_func
        def f(A: T.Buffer((16,), "int32")):
            for i in range(4):
                if (t := A[i]) > 3:
                    A[i + 4] = t
            A[1] = t
    "#]]
    .assert_eq(&captured(
        "
         for i in range(4):
             if (t := A[i]) > 3:
                 A[i + 4] = t
         A[1] = t
        ",
    ));
}
