//! Definitions of names from the Python around a function.

use expect_test::{Expect, expect};

use syntax::{ColumnEncoding, LineIndex};

use super::{FILE, imports, with_cursor};
use crate::{AnalysisHost, CallFile, CallPlace, FileId};

/// The places that define the name at `$0`, `line:column` each, with the file if it is another.
#[track_caller]
fn check_in(host: &mut AnalysisHost, text: &str, expected: Expect) {
    let (text, offset) = with_cursor(text);
    host.open_file(FILE, syntax::parse(&text));
    let lines = LineIndex::new(&text);
    let mut shown = Vec::new();
    for it in host.analysis().definitions(FILE, offset).unwrap() {
        shown.push(match (&it.file, it.place) {
            (CallFile::Open(FILE), CallPlace::Range(range)) => {
                let at = lines.line_col(range.start(), ColumnEncoding::Utf8);
                let name = &text[std::ops::Range::<usize>::from(range)];
                format!("{}:{} {name}", at.line + 1, at.col + 1)
            }
            (CallFile::Path(path), CallPlace::Spot(spot)) => {
                format!("{path}:{}:{}", spot.line + 1, spot.columns(ColumnEncoding::Utf8).0 + 1)
            }
            (file, CallPlace::Range(range)) => format!("{file:?} {range:?}"),
            other => panic!("{other:?}"),
        });
    }
    expected.assert_eq(&shown.join(", "));
}

#[track_caller]
fn check(text: &str, expected: Expect) {
    check_in(
        &mut AnalysisHost::new(),
        &format!("from tvm.script import tirx as T, ir as I\n{text}"),
        expected,
    );
}

const KERNEL: &str = "
EPS = 1e-5
@T.macro
def store(A, i):
    A[i] = EPS
def index_of(i, j):
    return i * 4 + j
def make(N, block=4):
    half = N // 2
    def clamp(i):
        return T.min(i, 3)
    @T.prim_func
    def kernel(A: T.Buffer((N,), \"float32\")):
        for i in T.serial(half):
            A[clamp(i)] = EPS
            store(A, index_of(i, block))
    return kernel
";

#[test]
fn captured_names_lead_to_what_binds_them() {
    let check = |at: &str, with: &str, expected: Expect| {
        assert!(KERNEL.contains(at), "{at}");
        check(&KERNEL.replacen(at, with, 1), expected);
    };
    check("= EPS\n            store", "= E$0PS\n            store", expect!["3:1 EPS"]);
    check("[clamp(", "[cl$0amp(", expect!["11:9 clamp"]);
    check("store(A, index_of", "sto$0re(A, index_of", expect!["5:5 store"]);
    check("index_of(i, block", "index_of$0(i, block", expect!["7:5 index_of"]);
    check(", block))", ", blo$0ck))", expect!["9:13 block"]);
    check("((N,)", "(($0N,)", expect!["9:10 N"]);
    check("serial(half", "serial(h$0alf", expect!["10:5 half"]);
    // Of a macro, and on a definition itself.
    check("A[i] = EPS", "A[i] = $0EPS", expect!["3:1 EPS"]);
    check("def kernel", "def ker$0nel", expect!["14:9 kernel"]);
    check("serial(half", "ser$0ial(half", expect![""]);
    check("T.serial", "T$0.serial", expect!["1:32 T"]);
}

#[test]
fn kernels_lead_to_each_other() {
    let text = "
@I.ir_module
class Module:
    @T.prim_func
    def inner(A: T.Buffer((8,), \"int32\")):
        A[0] = 1
    @T.prim_func
    def main(A: T.Buffer((8,), \"int32\")):
        Module.inner(A)
        cls.inner(A)
";
    check(&text.replacen("Module.inner", "Module.in$0ner", 1), expect!["6:9 inner"]);
    check(&text.replacen("Module.inner", "Mod$0ule.inner", 1), expect!["4:7 Module"]);
    check(&text.replacen("cls.inner", "cls.$0inner", 1), expect!["6:9 inner"]);
}

#[test]
fn names_of_a_kernel_that_are_no_values_of_it_lead_to_its_own() {
    let text = "
EPS = 2
@T.prim_func
def f(A: T.Buffer((8,), \"float32\")):
    EPS = 1e-5
    def clamp(tx):
        return T.min(tx, 3)
    for i in range(8):
        A[clamp(i)] = EPS
";
    check(&text.replacen("= EPS", "= E$0PS", 1), expect!["6:5 EPS"]);
    check(&text.replacen("[clamp", "[cl$0amp", 1), expect!["7:9 clamp"]);
    check(&text.replacen("min(tx", "min(t$0x", 1), expect!["7:15 tx"]);
}

#[test]
fn a_name_with_several_definitions_has_them_all() {
    let text = "
if input():
    SIZE = 4
else:
    SIZE = 8
def make(n, dtype=None):
    if dtype is None:
        dtype = \"int32\"
    @T.prim_func
    def f(A: T.Buffer((SIZE,), dtype)):
        A[0] = [k for k in range(3)][0]
    return f
";
    check(&text.replacen("(SIZE", "($0SIZE", 1), expect!["4:5 SIZE, 6:5 SIZE"]);
    check(&text.replacen("dtype)):", "$0dtype)):", 1), expect!["7:13 dtype"]);
    check(&text.replacen("[k for", "[$0k for", 1), expect!["12:23 k"]);
}

#[test]
fn imported_names_lead_to_their_file_or_else_to_the_import() {
    let (mut host, _disk) = imports::host();
    let mut check = |text: &str, expected| check_in(&mut host, text, expected);
    let text = imports::KERNEL;
    check(&text.replacen("i * LIMIT", "i * LIM$0IT", 1), expect!["/w/ops/sizes.py:4:1"]);
    check(&text.replacen("((N,)", "(($0N,)", 1), expect!["/w/ops/sizes.py:3:1"]);
    let text = text.replace("from .sizes import N, LIMIT", "from unknown import N as M, N, LIMIT");
    check(&text.replacen("i * LIMIT", "i * LIM$0IT", 1), expect!["2:32 LIMIT"]);
    let of_module = "from tvm.script import tirx as T\nfrom . import sizes as s\n\n@T.prim_func\n\
        def f(A: T.Buffer((s.N,), \"int32\")):\n    A[s.scale(1)] = nothing.N\n";
    check(&of_module.replacen("(s.N", "($0s.N", 1), expect!["/w/ops/sizes.py:1:1"]);
    check(&of_module.replacen("(s.N", "(s.$0N", 1), expect!["/w/ops/sizes.py:3:1"]);
    check(&of_module.replacen("s.scale", "s.sc$0ale", 1), expect!["/w/ops/sizes.py:7:5"]);
    check(&of_module.replacen("nothing.N", "nothing.$0N", 1), expect![""]);
    let of_star = of_module.replace("from . import sizes as s", "from .sizes import *");
    check(&of_star.replacen("nothing.N", "$0N", 1), expect!["/w/ops/sizes.py:3:1"]);
    // In a file that is open as well.
    let sizes = FileId(7);
    host.set_path(sizes, Some("/w/ops/sizes.py".into()));
    host.open_file(sizes, syntax::parse(&format!("\n{}", imports::SIZES)));
    let text = imports::KERNEL.replacen("i * LIMIT", "i * LIM$0IT", 1);
    check_in(&mut host, &text, expect!["Open(FileId(7)) 42..47"]);
}

#[test]
fn imports_in_a_circle_end() {
    let (mut host, disk) = imports::host();
    disk.put("/w/ops/sizes.py", "from .kernel import *\nfrom .other import N\n");
    disk.put("/w/ops/other.py", "from .sizes import N\nfrom .sizes import *\n");
    check_in(
        &mut host,
        &imports::KERNEL.replacen("((N,)", "(($0N,)", 1),
        expect!["/w/ops/other.py:1:20"],
    );
}
