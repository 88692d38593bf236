//! Python that is run while a kernel is read: helpers, comprehensions, formatted strings, captured objects.

use expect_test::{Expect, expect};

use super::{lowered, printed};

/// Checks a kernel with Python around it.
#[track_caller]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&printed(text));
}

#[test]
fn what_a_helper_returns_by_meta_var_is_no_variable() {
    check(
        "
def place(i, j):
    row = i % 8
    return T.meta_var((row, j + i // 8))
def half(i):
    return T.meta_var(i // 2)
@T.prim_func(s_tir=True)
def f(A: T.Buffer((8, 8), \"float32\")):
    for i, j in T.grid(16, 4):
        with T.sblock(\"a\"):
            vi, vj = T.axis.remap(\"SS\", [i, j])
            r, c = place(vi, vj)
            h = half(vi)
            T.reads(A[r, c])
            T.writes(A[h, c])
            A[h, c] = A[r, c]
",
        expect![[r#"
            @T.prim_func(s_tir=True)
            def f(A: T.Buffer((8, 8), "float32")):
                for i, j in T.grid(16, 4):
                    with T.sblock("a"):
                        vi = T.axis.spatial(16, i)
                        vj = T.axis.spatial(4, j)
                        T.reads(A[vi % 8, vj + vi // 8])
                        T.writes(A[vi // 2, vj + vi // 8])
                        A[vi // 2, vj + vi // 8] = A[vi % 8, vj + vi // 8]
        "#]],
    );
}

#[test]
fn helpers_that_get_ir_are_read_where_they_are_called() {
    check(
        "
def rows(i, j, by=4):
    if by is None:
        return i
    row = i * by
    row += j
    return row, j
class Config:
    def __init__(self, n):
        self.n = n
    def at(self, i):
        return i + self.n
cfg = Config(3)
@T.prim_func
def f(A: T.Buffer((64, 4), \"float32\")):
    for i, j in T.grid(16, 4):
        r, c = T.meta_var(rows(i, j))
        A[r, c] = 0.0
        A[cfg.at(i), j] = 1.0
",
        expect![[r#"
            @T.prim_func
            def f(A: T.Buffer((64, 4), "float32")):
                for i, j in T.grid(16, 4):
                    A[i * 4 + j, j] = T.float32(0.0)
                    A[i + 3, j] = T.float32(1.0)
        "#]],
    );
}

#[test]
fn what_python_knows_is_evaluated() {
    check(
        "
from enum import Enum
class Mode(Enum):
    ROW = 1
    COL = 2
mode = Mode.ROW
table = {\"a\": 4, \"b\": 8}
def sizes(n):
    return [n * k for k in (1, 2)]
bits = 16
@T.prim_func
def f(A: T.Buffer((sum(sizes(8)),), f\"float{bits}\")):
    if mode == Mode.ROW:
        for i in range(table[\"b\"]):
            A[i + max([k for k in sizes(2)])] = T.Cast(f\"float{bits}\", i)
    else:
        A[0] = 1.0
",
        expect![[r#"
            @T.prim_func
            def f(A: T.Buffer((24,), "float16")):
                for i in range(8):
                    A[i + 4] = T.Cast("float16", i)
        "#]],
    );
}

#[test]
fn helpers_may_ask_for_types_far_behind_the_text_of_the_function() {
    check(
        "
def pad(value):
    # A comment that is longer than the function below, so that no offset in this helper is one in the function.
    # ...........................................................................................................
    # ...........................................................................................................
    extent = value.shape[0]
    return T.Cast(value.dtype, extent)
@T.prim_func
def f(A: T.Buffer((8,), \"int64\")):
    A[0] = pad(A)
",
        expect![[r#"
            @T.prim_func
            def f(A: T.Buffer((8,), "int64")):
                A[0] = T.Cast("int64", 8)
        "#]],
    );
}

#[test]
fn helpers_that_do_anything_else_stay_calls() {
    check(
        "
def store(A, i):
    print(i)
    A[i] = 1.0
def pick(x):
    return other(x) - other(x)
@T.prim_func
def f(A: T.Buffer((8,), \"float32\")):
    for i in range(8):
        A[pick(i)] = 1.0
        store(A, i)
",
        expect![[r#"
            unresolved-capture: the values of `pick` and `store` are not known here
            @T.prim_func
            def f(A: T.Buffer((8,), "float32")):
                for i in range(8):
                    A[pick(i)] = T.float32(1.0)
                    store(A, i)
        "#]],
    );
}

#[test]
fn a_helper_may_make_the_buffer_that_a_name_gets() {
    check(
        "
def _var(dtype=\"int32\"):
    return T.sblock_alloc_buffer((1,), dtype, scope=\"local\")
def _two():
    return _var()
@T.prim_func
def f(A: T.Buffer((8,), \"float32\")):
    with T.sblock(\"root\"):
        total = _var(\"float32\")
        other = T.exp(_var(\"float32\"))
        last = _two()
        total[0] = A[0]
        A[1] = total[0]
",
        expect![[r#"
            unresolved-capture: the values of `_var` and `_two` are not known here
            @T.prim_func
            def f(A: T.Buffer((8,), "float32")):
                with T.sblock("root"):
                    total = T.sblock_alloc_buffer((1,), scope="local")
                    other = T.exp(_var("float32"))
                    last = _two()
                    total[0] = A[0]
                    A[1] = total[0]
        "#]],
    );
}

#[test]
fn lists_are_joined() {
    check(
        "
@T.prim_func
def f(A: T.Buffer((8,), \"bool\"), B: T.Buffer((8,), \"int32\")):
    A[0] = tvm.tirx.all(*([A[k] for k in range(2)] + [A[k] for k in range(6, 8)]))
    for i, j in T.grid(*([4] + (B[1],))):
        B[i] = j
",
        expect![[r#"
            @T.prim_func
            def f(A: T.Buffer((8,), "bool"), B: T.Buffer((8,), "int32")):
                A[0] = A[0] and A[1] and A[6] and A[7]
                for i, j in T.grid(4, B[1]):
                    B[i] = j
        "#]],
    );
}

#[test]
fn helpers_fill_lists_and_make_slices() {
    check(
        "
from tvm.script import tirx as T
def parts(flat, shape):
    indices = []
    rest = flat
    for extent in reversed(list(shape)):
        indices.append(rest % extent)
        rest = rest // extent
    indices.reverse()
    return indices
def rows(i):
    all = [slice(0, 4), slice(0, 4)]
    all[0] = slice(i * 4, (i + 1) * 4)
    return all
def shared():
    a = [1]
    b = a
    b.append(2)
    return a
def given(x, all=[]):
    all.append(x)
    return all
def growing():
    all = [1]
    for x in reversed(all):
        all.append(x)
    return all
whole = tuple(slice(0, 4) for _ in range(2))
@T.prim_func
def f(A: T.Buffer((16, 4), \"float32\")):
    for i in range(64):
        at = T.meta_var(parts(i, (16, 4)))
        A[tuple(at)] = A[(0, *list(at)[1:])]
    for i in range(4):
        T.call_packed(\"f\", A[tuple(rows(i))])
        T.tile.fill(A[tuple(rows(i))], T.float32(0))
    T.tile.fill(A[whole], T.float32(0))
    T.evaluate(shared()[0])
    T.evaluate(given(2)[0])
    T.evaluate(growing()[0])
",
        expect![[r#"
            unresolved-capture: the values of `shared` and `given` are not known here
            unsupported-construct: this depends on a value that is not known here, and is kept by its text
            @T.prim_func
            def f(A: T.Buffer((16, 4), "float32")):
                for i in range(64):
                    A[i // 4 % 16, i % 4] = A[0, i % 4]
                for i in range(4):
                    T.call_packed("f", A[i * 4:(i + 1) * 4, 0:4])
                    T.tile.fill(A[i * 4:(i + 1) * 4, 0:4], T.float32(0.0))
                T.tile.fill(A[0:4, 0:4], T.float32(0.0))
                shared()[0]
                given(2)[0]
                T.evaluate(1)
        "#]],
    );
}

#[test]
fn older_primitives_of_tiles_stand_beside_the_operators_of_elements() {
    check(
        "
from tvm.script import tirx as Tx
@Tx.prim_func
def f(A: Tx.Buffer((16, 4), \"float32\"), B: Tx.Buffer((16, 4), \"float16\")):
    Tx.cast(B[0:4, 0], A[:, 0])
    B[0, 0] = Tx.cast(A[0, 0], \"float16\")
",
        expect![[r#"
            @T.prim_func
            def f(A: T.Buffer((16, 4), "float32"), B: T.Buffer((16, 4), "float16")):
                T.tile.cast(B[0:4, 0], A[:, 0])
                B[0, 0] = T.Cast("float16", A[0, 0])
        "#]],
    );
}

#[test]
fn a_slice_of_bounds_that_are_not_known_is_one_value() {
    check(
        "
from tvm.script import tirx as T
def factory(n):
    part = (slice(0, n), slice(0, 4))
    @T.prim_func
    def f(A: T.Buffer((16, 4), \"float32\")):
        T.tile.fill(A[part], T.float32(0))
    return f
",
        expect![[r#"
            unresolved-capture: the value of `part[0]` is not known here
            @T.prim_func
            def f(A: T.Buffer((16, 4), "float32")):
                T.tile.fill(A[part[0], 0:4], T.float32(0.0))
        "#]],
    );
}

#[test]
fn attributes_of_a_function_may_be_an_object_of_python() {
    check(
        "
import tvm
attrs = {\"target\": tvm.target.Target(\"llvm\")}
@T.prim_func
def f(x: T.int32):
    T.func_attr(attrs)
    T.evaluate(x)
",
        expect![[r#"
            @T.prim_func
            def f(x: T.int32):
                T.func_attr(attrs)
                T.evaluate(x)
        "#]],
    );
}

#[test]
fn macros_inside_of_macros_see_the_names_of_their_own_place() {
    check(
        "
@T.inline
def twice(step, x):
    k = T.meta_var(100)
    step(x, 0)
    step(x + 1, 5)
@T.prim_func
def f(A: T.Buffer((64,), \"int32\"), k: T.int32):
    @T.inline
    def outer(i):
        slot = T.meta_var(i + k)
        @T.inline
        def inner(x, j):
            A[x] = slot + j
        inner(i, 0)
        twice(inner, i + 8)
    outer(0)
    outer(16)
",
        expect![[r#"
            @T.prim_func
            def f(A: T.Buffer((64,), "int32"), k: T.int32):
                A[0] = k
                A[8] = k
                A[9] = k + 5
                A[16] = 16 + k
                A[24] = 16 + k
                A[25] = 16 + k + 5
        "#]],
    );
}

#[test]
fn types_of_descriptors_and_of_128_bits_are_types() {
    check(
        "
@T.prim_func
def f(a: T.handle | None, m: T.TensorMap()):
    d: T.let[T.TensorMap()] = T.tvm_stack_alloca(\"tensormap\", 1)
    w = T.alloc_buffer((4,), \"uint128\", scope=\"local\")
    w[0] = w[1]
    T.evaluate(d)
",
        expect![[r#"
            @T.prim_func
            def f(a: T.handle | None, m: T.TensorMap()):
                d = T.bind(T.tvm_stack_alloca("tensormap", 1))
                w = T.alloc_local((4,), "uint128")
                w[0] = w[1]
                T.evaluate(d)
        "#]],
    );
}

#[test]
fn a_layout_has_the_values_that_python_named() {
    check(
        "
def make(k, n):
    @T.prim_func
    def f(A: T.Buffer((8,), \"float32\")):
        tx = T.thread_id([32])
        rows = T.meta_var(8 if k == \"r\" else 1)
        columns = T.meta_var(n * 2)
        B = T.alloc_buffer((4, rows), \"float32\", layout=T.TileLayout(T.S[(4, rows)]))
        C = T.alloc_buffer((4, columns), \"float32\", layout=T.TileLayout(T.S[(4, columns) : (n, 1)]))
        C[0, 0] = B[0, 0]
        A[tx] = C[0, 0]
    return f
",
        expect![[r#"
            unresolved-capture: the values of `k` and `n` are not known here
            @T.prim_func
            def f(A: T.Buffer((8,), "float32")):
                tx = T.thread_id([32])
                B = T.alloc_buffer((4, 8 if (k == "r") else 1), layout=T.TileLayout(T.S[(4, (8 if (k == "r") else 1))]))
                C = T.alloc_buffer((4, n * 2), layout=T.TileLayout(T.S[(4, (n * 2)) : (n, 1)]))
                C[0, 0] = B[0, 0]
                A[tx] = C[0, 0]
        "#]],
    );
}

#[test]
fn a_cell_of_a_type_without_a_name_is_made_by_a_call() {
    check(
        "
@T.prim_func
def f(A: T.Buffer((1,), \"uint32\")):
    wide = T.local_scalar(\"uint128\")
    T.ptx[\"ld.shared.b128\"](wide, A.data)
",
        expect![[r#"
            @T.prim_func
            def f(A: T.Buffer((1,), "uint32")):
                wide = T.local_scalar("uint128")
                T.ptx.ld.shared.b128(wide, A.data)
        "#]],
    );
}

#[test]
fn lines_of_a_string_lose_the_indentation_of_what_tvm_reads() {
    let kernel = |indent: &str, last: &str| {
        let value = format!("\"\"\"a  \n      b\n  c\n{last}\"\"\"");
        let head = "@T.prim_func(s_tir=True)\ndef f():\n";
        let text = format!("{head}    T.func_attr({{\"k\": {value}}})\n    T.evaluate(0)\n");
        let lines: Vec<String> = text.lines().map(|it| format!("{indent}{it}\n")).collect();
        lines.concat()
    };
    // What is at the beginning of the file stays as it is, and so does a function in a module there.
    check(
        &kernel("", "    "),
        expect![[r#"
        @T.prim_func(s_tir=True)
        def f():
            T.func_attr({"k": "a  \n      b\n  c\n    "})
            T.evaluate(0)
    "#]],
    );
    check(
        &format!("@I.ir_module\nclass M:\n{}", kernel("    ", "")),
        expect![[r#"
        @T.prim_func(s_tir=True)
        def f():
            T.func_attr({"k": "a  \n          b\n      c\n    "})
            T.evaluate(0)
    "#]],
    );
    check(
        &format!("def g():\n{}", kernel("    ", "  ")),
        expect![[r#"
        @T.prim_func(s_tir=True)
        def f():
            T.func_attr({"k": "a\n      b\n  c\n  "})
            T.evaluate(0)
    "#]],
    );
    let module = format!("    @I.ir_module\n    class M:\n{}", kernel("        ", ""));
    check(
        &format!("def g():\n{module}"),
        expect![[r#"
        @T.prim_func(s_tir=True)
        def f():
            T.func_attr({"k": "a\n          b\n      c\n    "})
            T.evaluate(0)
    "#]],
    );
}

#[test]
fn a_call_of_a_function_of_the_module_may_be_written_as_one_of_tvm() {
    let module = |call: &str| {
        format!(
            "from tvm import tirx\n@I.ir_module\nclass M:\n    @T.prim_func(s_tir=True)\n    def f(A: T.Buffer((4,), \"float32\"), n: T.int32):\n        {call}\n    @T.prim_func(s_tir=True)\n    def sub(n: T.int32):\n        T.evaluate(n)\n"
        )
    };
    let texts = ["M.sub(n + 1)", "tirx.call_tir(M.sub, n + 1)"].map(|it| printed(&module(it)));
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].contains("    M.sub(n + 1)"), "{}", texts[0]);
    let (_, lowered) = lowered(&module("tirx.call_tir()"));
    assert_eq!(lowered.diagnostics.len(), 1);
}
