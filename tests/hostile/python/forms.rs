//! Every kind of value in every position: for any text, each command answers.
//!
//! A function is a position (a statement with a hole) filled with a value. The functions of some positions stand in one
//! file, inside a factory whose parameters are the captured names. The usual run takes some of the combinations, spread
//! over all positions and values; `TIR_HOSTILE=all` takes all of them.

use std::{fs, path::Path};

use tempfile::TempDir;
use tests::{document::Document, lsp::Server};

use super::run::{assert_none, run};

/// Kinds of values, each as an expression. Names: see [`HEADER`] and [`LOCALS`].
const VALUES: &[&str] = &[
    // Constants of Python.
    "4",
    "-1",
    "0",
    "3.5",
    "1e400",
    "10**40",
    "1 << 200",
    "True",
    "None",
    "1j",
    "0x7f",
    // Strings.
    "\"float32\"",
    "\"\"",
    "\"{\"",
    "\"}{%s\\\\\"",
    "'a\"b'",
    "b\"x\"",
    "\"a\" \"b\"",
    "f\"{n}\"",
    "f\"float{bits}x{4:>2}\"",
    "\"\"\"two\nlines\"\"\"",
    // Containers.
    "(1, 2)",
    "((1, 2), 3)",
    "()",
    "(n,)",
    "[1, 2]",
    "[]",
    "[[1], (2, [3])]",
    "{\"a\": 1}",
    "{}",
    "{n: x}",
    "{1, 2}",
    "{**cfg}",
    "[*shape]",
    "(n, A, \"x\")",
    // Python that computes.
    "lambda i: i",
    "lambda i, j: (i, j)",
    "lambda *a, **k: a",
    "lambda: 0",
    "[i for i in range(4)]",
    "(i for i in range(3))",
    "{i: i for i in names}",
    "(y := 3)",
    "1 if flag else 2",
    "n if n > 0 else x",
    "A if flag else B",
    "not n",
    "~n",
    "-n",
    "+n",
    "n @ n",
    "n ** 2",
    "0 < n < 3",
    "n is None",
    "n in shape",
    "await n",
    "(yield)",
    "len(shape)",
    "max(1, 2)",
    "tuple(shape)",
    "int(\"3\")",
    "isinstance(n, int)",
    "getattr(T, \"int32\")",
    "__import__(\"os\")",
    "print",
    // Captured names and what is unknown of them.
    "cap",
    "cap.dtype",
    "cap.a.b.c(1)[2].d",
    "fun",
    "fun(n)",
    "fun(A, key=n)",
    "cfg[\"x\"]",
    "shape",
    "shape[0]",
    "shape[0:2]",
    "names[n]",
    "CONSTANT",
    "TUPLE",
    "TUPLE[1]",
    "Kind.A",
    "Kind",
    "undefined_name",
    "undefined.a(1)",
    "mac",
    "mac(n)",
    "helper",
    "helper(n)",
    // Things of TVMScript.
    "n",
    "x",
    "c",
    "i0",
    "A",
    "A[0, 0]",
    "A[0, n]",
    "A[0:2, 0]",
    "A[0:2:1, 0]",
    "A[0]",
    "A[0, 0, 0]",
    "A[...]",
    "A[()]",
    "A[None]",
    "A[(0, 1)]",
    "A[tup]",
    "A[lambda: 0, 0]",
    "A.data",
    "A.shape",
    "A.shape[0]",
    "A.strides",
    "A.strides[7]",
    "A.dtype",
    "A.scope()",
    "A.elem_offset",
    "A.unknown",
    "A.unknown(1)",
    "A.vload([0, 0])",
    "A.vload([0, 0], \"float32x4\")",
    "A.access_ptr(\"r\")",
    "A.access_ptr(n)",
    "A.ptr_to([0, 0])",
    "A.view(16)",
    "n.dtype",
    "n.astype(\"int64\")",
    "n.astype(cap)",
    "n.unknown",
    "p",
    "T",
    "T.exp",
    "T.exp(x)",
    "T.let",
    "T.let[T.int32]",
    "T.int32",
    "T.int32()",
    "T.int32(3)",
    "T.int32[4]",
    "T.float32(\"nan\")",
    "T.handle(\"float32\", \"shared\")",
    "T.handle",
    "T.vscale() * 4",
    "T.Ramp(0, 1, 4)",
    "T.Ramp(n, 1, n)",
    "T.Broadcast(x, 4)",
    "T.Broadcast(x, cap)",
    "T.Cast(cap, n)",
    "T.max_value(cap)",
    "T.TileLayout(T.S[(4, 4) : (4, 1)])",
    "T.S[1, 2]",
    "T.ptx[\"x\"](n)",
    "T.meta_var((n, n))",
    "T.Let(w, where={w: n})",
    "T.Select(n > 0, x, x)",
    "T.if_then_else(n > 0, 1, 2)",
    "T.comm_reducer(lambda a, b: a + b, [T.float32(0)])",
    "T.tvm_struct_get(p, 0, 1, \"int32\")",
    "T.call_extern(\"int32\", \"f\", n)",
    "T.target({\"kind\": \"cuda\"})",
    "T.bind(n)",
    "T.grid(4, 4)",
    "T.alloc_buffer((4,))",
    "T.env_thread(\"threadIdx.x\")",
    "T.cta_id([2])",
    "T.unknown(n, key=cap)",
    // Local names for all of these.
    "tup",
    "nested",
    "region",
    "alias",
    "layout",
    "lam",
    "text",
    "vec",
    "unknown",
    "plain",
    "local_mac",
    // Not an expression everywhere, or nowhere.
    "*shape",
    "**cfg",
    "1:2",
    "::",
    "n:n+4",
    "key=n",
    "",
    "n,",
    ")",
    "@",
    "pass",
    "n n",
    "\"unclosed",
];

/// Statements with a hole.
const POSITIONS: &[&str] = &[
    // Assigned, bound, annotated.
    "v = {}\nB[0, 0] = v",
    "v = {}\nw = T.alloc_buffer(v, \"float32\")",
    "v = {}\nfor i, j in T.grid(*v):\n    B[i, j] = v",
    "v, w = {}\nB[v, w] = 1.0",
    "(v, *w) = {}\nB[0, 0] = v",
    "v = w = {}",
    "v: T.int32 = {}\nB[v, 0] = v",
    "v: {} = 1\nB[v, 0] = v",
    "v: {}\nB[0, 0] = v",
    "v: T.let = {}\nB[0, 0] = v",
    "v: T.let[{}] = n",
    "v = T.bind({})\nB[0, 0] = v",
    "T.bind({}, var=v)",
    "v = {}\nv = {}\nB[0, 0] = v",
    "v = {}\nv += v",
    "v = ({}, {})\nB[0, 0] = v[0]",
    "v = [{}]\nB[0, 0] = v[-1]",
    "v = ({},)\nw = v\nu = w\nB[0, 0] = u[0]",
    "v = T.meta_var({})\nB[0, 0] = v",
    "c = {}",
    "B = {}\nB[0, 0] = 1.0",
    "i0 = {}\nB[i0, 0] = 1.0",
    // Stored and loaded.
    "B[0, 0] = {}",
    "B[{}, 0] = 1.0",
    "B[{}] = 1.0",
    "B[0, 0] = A[{}, 0]",
    "B[0, 0] = A[{}]",
    "B[0, 0] += {}",
    "B[{}, 0] += 1.0",
    "{}[0] = 1.0",
    "{} = 1.0",
    "{}.x = 1",
    "{} += 1",
    "B[0, {}:4] = A[0, 0:{}]",
    "B[0, 0:4:{}] = x",
    "B.vstore([{}, 0], x)",
    "B.vstore([0, 0], {}, predicate={})",
    "T.buffer_store(B, {}, [0, 0])",
    "T.buffer_store({}, x, {})",
    "del {}",
    "global g\ng = {}",
    // Evaluated.
    "{}",
    "T.evaluate({})",
    "return {}",
    "T.ret({})",
    "raise {}",
    "assert {}",
    "assert n > 0, {}",
    "assert {}, (\"k\", [{}])",
    "yield {}",
    "B[0, 0] = ({}).a.b",
    "B[0, 0] = ({})(n, x)",
    "B[0, 0] = ({})[n]",
    "T.evaluate(({}).dtype)",
    "import {}",
    // Arithmetic.
    "B[0, 0] = n + {}",
    "B[0, 0] = {} * x",
    "B[0, 0] = {} // {}",
    "B[0, 0] = x / {}",
    "B[0, 0] = n << {}",
    "B[0, 0] = -({})",
    "B[0, 0] = not {}",
    "B[0, 0] = {} < n",
    "B[0, 0] = 0 < {} < n",
    "B[0, 0] = {} and n > 0",
    "B[0, 0] = n > 0 or {}",
    "B[0, 0] = x if {} else x",
    "B[0, 0] = {} if n > 0 else {}",
    "B[0, 0] = {} is None",
    "B[0, 0] = n in {}",
    "B[0, 0] = {} == {}",
    // Calls of each family.
    "B[0, 0] = T.exp({})",
    "B[0, 0] = T.max({}, x)",
    "B[0, 0] = T.Select({}, x, {})",
    "B[0, 0] = T.if_then_else({}, {}, x)",
    "B[0, 0] = T.Cast({}, x)",
    "B[0, 0] = T.Cast(\"int32\", {})",
    "B[0, 0] = T.cast({}, {})",
    "B[0, 0] = x.astype({})",
    "B[0, 0] = T.int32({})",
    "B[0, 0] = T.float16({})",
    "B[0, 0] = T.bool({})",
    "v = T.handle({}, {})",
    "B[0, 0] = T.Ramp({}, 1, 4)",
    "B[0, 0] = T.Ramp(0, {}, {})",
    "B[0, 0] = T.Broadcast({}, {})",
    "B[0, 0] = T.Shuffle({}, [0])",
    "B[0, 0] = T.Shuffle([x], {})",
    "B[0, 0] = T.Let(w, where={})",
    "B[0, 0] = T.Let({}, where={w: {}})",
    "B[0, 0] = T.ceildiv({}, 4)",
    "B[0, 0] = T.truncdiv(n, {})",
    "B[0, 0] = T.abs({})",
    "B[0, 0] = T.isnan({})",
    "B[0, 0] = T.all({}, n > 0)",
    "B[0, 0] = T.any(*{})",
    "B[0, 0] = T.min_value({})",
    "B[0, 0] = T.Add({}, {})",
    "B[0, 0] = T.Not({})",
    "B[0, 0] = T.reinterpret({}, x)",
    "B[0, 0] = T.pow(x, {})",
    "B[0, 0] = T.shift_left({}, {})",
    "B[0, 0] = T.clz({})",
    "T.call_extern(\"int32\", {}, n)",
    "T.call_extern({}, \"f\", {})",
    "T.call_packed({}, A, {})",
    "T.call_pure_extern(\"int32\", \"f\", {}, dtype={})",
    "T.call_llvm_intrin({}, {})",
    "T.ptx.cp_async({}, 0, A.data, 0, 16)",
    "T.ptx_ldmatrix({}, {}, dtype={})",
    "T.tvm_storage_sync({})",
    "T.tvm_mma_sync({}, 0, {})",
    "T.tvm_access_ptr({}, A.data, 0, 4, 1)",
    "T.address_of({})",
    "T.tvm_struct_set({}, 0, {}, n)",
    "T.unknown_thing({}, key={})",
    "T.a.b.c({})",
    "fun({})",
    "fun(key={})",
    "cap.m({}).k({})",
    "helper({}, {})",
    "Module.sub({})",
    "mac({})",
    "local_mac({}, {})",
    "v = T.comm_reducer({}, [{}])",
    "T.comm_reducer(lambda a, b: {}, [T.float32(0)])",
    "v = T.index_map(lambda i: {})",
    "v = T.iter_var({}, {}, \"x\", {})",
    "v = T.target({})",
    "T.tvm_thread_allreduce(T.uint32(1), {}, True, B[0, 0], n)",
    "T.exp(x, {}={})",
    "T.exp(x, dtype={})",
    "T.print({})",
    "T.cuda.ldg({}, dst={})",
    "T.evaluate(T.reads({}))",
    "Tx.copy({}, {})",
    "B[0, 0] = T.uint8[{}]",
    "len({})",
    "max({}, {})",
    "tuple({})",
    "print({})",
    "B[0, 0] = mod.fun({})",
    "B[0, 0] = tvm.tirx.exp({})",
    // Buffers.
    "v = T.alloc_buffer({}, \"float32\")\nv[0] = x",
    "v = T.alloc_buffer(({}, 4), {})",
    "v = T.alloc_buffer((4,), scope={})\nv[0] = x",
    "v = T.alloc_buffer((4,), strides={}, elem_offset={})",
    "v = T.alloc_buffer((4,), align={}, layout={})",
    "v = T.alloc_shared({})",
    "v = T.alloc_local([{}], {})",
    "v = T.allocate([{}], {}, {})",
    "v = T.allocate_const({}, \"int32\", [4])",
    "v = T.decl_buffer({}, data=A.data)",
    "v = T.decl_buffer((4,), data={})\nv[0] = x",
    "v = T.Buffer({}, {}, data={})",
    "v = T.match_buffer({}, (4, 4))",
    "v = T.match_buffer(p, {})\nv[0] = x",
    "v = T.match_buffer(A[0:2, 0:2], {}, {})",
    "v = A.view({})\nv[0] = x",
    "v = A.local({})",
    "v = A.permute({}, {})",
    "v = A.access_ptr({})",
    "v = A.access_ptr(\"r\", offset={}, extent={}, content_lanes={})",
    "B[0, 0] = A.vload({})",
    "v = A.ptr_to({})",
    "B[0, 0] = A.{}",
    "v = T.local_scalar({})\nv = n",
    "v = T.sblock_alloc_buffer({}, {})",
    // Loops.
    "for i in range({}):\n    B[i, 0] = x",
    "for i in range({}, 4):\n    B[i, 0] = x",
    "for i in range(0, 4, {}):\n    B[i, 0] = x",
    "for i in {}:\n    B[i, 0] = x",
    "for {} in range(4):\n    B[0, 0] = x",
    "for i, j in T.grid({}, 4):\n    B[i, j] = x",
    "for i in T.grid({}):\n    B[i, 0] = x",
    "for i, j in T.grid(*{}):\n    B[i, j] = x",
    "for *i, j in T.grid(4, {}):\n    B[0, j] = x",
    "for i in T.serial({}, annotations={}):\n    B[i, 0] = x",
    "for i in T.unroll({}, unroll={}):\n    B[i, 0] = x",
    "for i in T.thread_binding({}, thread={}):\n    B[i, 0] = x",
    "for i in T.parallel(0, {}, step={}):\n    B[i, 0] = x",
    "for i in T.vectorized({}):\n    B[0, i] = x",
    "for i in T.serial(4):\n    if {}:\n        break",
    "while {}:\n    B[0, 0] = x",
    // Conditions.
    "if {}:\n    B[0, 0] = x",
    "if n > 0:\n    B[0, 0] = x\nelif {}:\n    B[0, 0] = x + x\nelse:\n    B[0, 0] = {}",
    "match {}:\n    case {}:\n        pass",
    "try:\n    {}\nexcept {}:\n    pass",
    // Scopes.
    "with {}:\n    B[0, 0] = x",
    "with {} as v:\n    B[0, 0] = v",
    "with T.launch_thread({}, 4) as v:\n    B[v, 0] = x",
    "with T.launch_thread(\"threadIdx.x\", {}) as v:\n    B[v, 0] = x",
    "v = T.launch_thread({}, {})\nB[v, 0] = x",
    "v = T.env_thread({})\nwith T.launch_thread(v, {}):\n    B[v, 0] = x",
    "with T.attr({}, \"k\", 1):\n    B[0, 0] = x",
    "T.attr(n, {}, {})\nB[0, 0] = x",
    "T.attr({})\nB[0, 0] = x",
    "with T.LetStmt({}) as v:\n    B[0, 0] = v",
    "with T.let(v, {}):\n    B[0, 0] = v",
    "with T.Assert({}, {}):\n    B[0, 0] = x",
    "with T.allocate([4], {}, {}) as v:\n    T.evaluate(v)",
    "with T.decl_buffer({}) as v:\n    v[0] = x",
    "T.func_attr({})",
    "T.func_attr({\"k\": {}})",
    "T.func_attr({{}: 1})",
    // Blocks.
    "with T.sblock({}):\n    B[0, 0] = x",
    "with T.sblock(\"b\"):\n    v = T.axis.spatial({}, {})\n    B[v, 0] = x",
    "with T.sblock(\"b\"):\n    v = T.axis.reduce((0, {}), 0)\n    B[v, 0] = x",
    "with T.sblock(\"b\"):\n    v = T.axis.remap({}, [i0])\n    B[v, 0] = x",
    "with T.sblock(\"b\"):\n    v, w = T.axis.remap(\"SS\", {})\n    B[v, w] = x",
    "with T.sblock(\"b\"):\n    T.where({})\n    B[0, 0] = x",
    "with T.sblock(\"b\"):\n    T.reads({})\n    T.writes([{}])\n    B[0, 0] = x",
    "with T.sblock(\"b\"):\n    T.reads(A[{}, 0:{}])\n    B[0, 0] = x",
    "with T.sblock(\"b\"):\n    T.sblock_attr({})\n    B[0, 0] = x",
    "with T.sblock(\"b\"):\n    T.sblock_attr({\"k\": {}})\n    v = T.match_buffer({}, (4,))",
    "with T.sblock(\"b\"):\n    v = T.axis.spatial(4, i0)\n    with T.init():\n        B[v, 0] = {}\n    B[v, 0] = B[v, 0] + {}",
    // Functions inside, and text that goes on in lines.
    "@T.inline\ndef inner(q):\n    B[0, 0] = q\ninner({})",
    "@{}\ndef inner(q):\n    B[0, 0] = q\ninner(n)",
    "def inner(q={}):\n    B[0, 0] = q\ninner()",
    "class Inner({}):\n    pass",
    "B[0, 0] = (\n    x +\n    {}\n)",
    "# {}\nB[0, 0] = x",
];

/// Holes in the signature: decorator, parameters, result.
const SIGNATURES: &[&str] = &[
    "@T.prim_func({})\ndef NAME(A: T.Buffer((4, 4), \"float32\")):\n    T.evaluate(0)",
    "@T.prim_func(private={}, s_tir={})\ndef NAME(A: T.Buffer((4, 4), \"float32\")):\n    T.evaluate(0)",
    "@{}\n@T.prim_func\ndef NAME(A: T.Buffer((4, 4), \"float32\")):\n    T.evaluate(0)",
    "@T.prim_func\ndef NAME(A: {}):\n    A[0] = A[1]",
    "@T.prim_func\ndef NAME(A: T.Buffer({}, {})):\n    A[0] = A[1]",
    "@T.prim_func\ndef NAME(A: T.Buffer(({}, 4), \"float32\", strides={}, elem_offset={})):\n    A[0, 0] = A[1, 1]",
    "@T.prim_func\ndef NAME(A: T.Buffer((4,), \"float32\", scope={}, align={})):\n    A[0] = A[1]",
    "@T.prim_func\ndef NAME(n: T.int32 = {}):\n    T.evaluate(n)",
    "@T.prim_func\ndef NAME({}):\n    T.evaluate(0)",
    "@T.prim_func\ndef NAME(*{}):\n    T.evaluate(0)",
    "@T.prim_func\ndef NAME(a: T.handle) -> {}:\n    return {}",
    "@T.prim_func\ndef NAME[{}](A: T.Buffer((n,), \"float32\")):\n    A[0] = n",
    "@T.prim_func\ndef NAME(A: T.Buffer((\"{}\",), \"float32\")):\n    A[0] = A[1]",
];

const HEADER: &str = "\
from enum import Enum
import tvm
import some.module as mod
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
CONSTANT = 7
TUPLE = (4, (2, \"x\"), [1.5, None])
class Kind(Enum):
    A = 1
@T.macro
def mac(q):
    T.evaluate(q)
def helper(a, b=1):
    return a
def factory(cap, cfg, shape, fun, names, flag, bits):
";

const LOCALS: &str = "\
tup = (4, 4)
nested = ((n, 2), [A, \"s\"])
region = A[0:2, 0]
alias = A
layout = cap.layout(1)
lam = lambda i: i
text = \"float32\"
vec = T.Ramp(0, 1, 4)
unknown = fun(n)
plain = cap + 1
c = n * 2
x = A[0, 0]
@T.inline
def local_mac(q, r):
    T.evaluate(q)
";

/// Returns true if this combination is in the usual run.
fn is_chosen(position: usize, value: usize) -> bool {
    static ALL: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    let all = ALL.get_or_init(|| std::env::var_os("TIR_HOSTILE").is_some_and(|it| it == "all"));
    *all || (position * 7 + value).is_multiple_of(97)
}

/// Positions of one file: a process for each would take most of the time of the usual run.
const GROUP: usize = 16;

fn indented(text: &str, columns: usize) -> String {
    let indent = " ".repeat(columns);
    // What is inside of a string of several lines is moved too: it is only text.
    text.lines().map(|line| format!("{indent}{line}\n")).collect()
}

/// Appends the functions of a position; gives how many there are.
fn functions(position: usize, text: &mut String) -> usize {
    let mut count = 0;
    for (index, value) in VALUES.iter().enumerate().filter(|(it, _)| is_chosen(position, *it)) {
        let name = format!("f{position}_{index}");
        let function = match POSITIONS.get(position) {
            Some(statement) => {
                let signature = "@T.prim_func\ndef NAME(A: T.Buffer((4, 4), \"float32\"), B: T.Buffer((4, 4), \"float32\"), p: T.handle, n: T.int32):\n";
                let body = format!(
                    "{LOCALS}for i0 in range(4):\n{}",
                    indented(&statement.replace("{}", value), 4)
                );
                format!("{signature}{}", indented(&body, 4))
            }
            None => SIGNATURES[position - POSITIONS.len()].replace("{}", value),
        };
        text.push_str(&indented(&function.replace("NAME", &name), 4));
        count += 1;
    }
    count
}

/// Writes all files; gives their names and the number of functions.
fn write(folder: &Path) -> (Vec<String>, usize) {
    let mut names = Vec::new();
    let mut total = 0;
    let positions: Vec<usize> = (0..POSITIONS.len() + SIGNATURES.len()).collect();
    for group in positions.chunks(GROUP) {
        let mut text = HEADER.to_owned();
        total += group.iter().map(|&it| functions(it, &mut text)).sum::<usize>();
        let name = format!("p{:03}.py", group[0]);
        fs::write(folder.join(&name), text).expect("the folder can be written");
        names.push(name);
    }
    (names, total)
}

#[test]
fn every_value_in_every_position_is_answered_by_every_command() {
    let folder = TempDir::new().expect("a temporary folder");
    let (files, total) = write(folder.path());
    assert!(VALUES.len() * (POSITIONS.len() + SIGNATURES.len()) > 6_110);
    assert!(total > 400, "{total}");
    let mut faults = Vec::new();
    let mut note = |what: &str, args: &[&str]| {
        if let Some(fault) = run(folder.path(), args).fault() {
            faults.push(format!("{what} {args:?}: {fault}"));
        }
    };
    note("", &["check", "."]);
    note("", &["fix", "--diff", "."]);
    note("", &["report", "."]);
    note("", &["build", ".", "--target", "c", "--out", "built"]);
    for file in &files {
        note(file, &["opt", file]);
        note(file, &["opt", "--passes", "simplify,dead-store,loop-invariant,cse", file]);
        note(file, &["preview", file]);
    }
    for (index, file) in files.iter().enumerate().filter(|(it, _)| it % 8 == 0) {
        let text = fs::read_to_string(folder.path().join(file)).expect("it was written");
        let line = index % text.lines().count() + 20;
        note(file, &["explain", &format!("{file}:{line}:20")]);
        note(file, &["explain", "--facts", &format!("{file}:{line}")]);
        let functions =
            text.lines().filter_map(|it| it.trim().strip_prefix("def f")?.split(['(', '[']).next());
        for name in functions.filter(|it| it.contains('_')).take(12) {
            note(file, &["run", file, "--function", &format!("f{name}"), "--inputs", "zeros"]);
        }
    }
    for value in VALUES.iter().filter(|it| !it.is_empty() && !it.starts_with('-')) {
        note(value, &["simplify", value]);
    }
    assert_none(&faults);
}

/// The server reads each function alone, so a function that breaks it breaks the answers about the file.
#[test]
fn every_value_in_every_position_is_answered_by_the_server() {
    let folder = TempDir::new().expect("a temporary folder");
    let (files, _) = write(folder.path());
    let mut server = Server::start(folder.path());
    let mut faults = Vec::new();
    for file in &files {
        let text = fs::read_to_string(folder.path().join(file)).expect("it was written");
        let document = Document::new(format!("file:///{file}"), &text);
        server.open(&document);
        for method in [
            "textDocument/diagnostic",
            "textDocument/inlayHint",
            "textDocument/codeAction",
            "textDocument/semanticTokens/full",
        ] {
            let mut params = document.over_all();
            params["context"] = serde_json::json!({ "diagnostics": [] });
            if let Err(error) = server.request(method, params)
                && error.code == tests::lsp::code::INTERNAL_ERROR
            {
                faults.push(format!("{file} {method}: {}", error.message));
            }
        }
        server.notify(
            "textDocument/didClose",
            serde_json::json!({ "textDocument": { "uri": document.uri() } }),
        );
    }
    assert_none(&faults);
}
