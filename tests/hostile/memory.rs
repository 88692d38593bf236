//! The memory that a text takes: no shape of a text takes more than a fixed multiple of its length beyond an empty
//! text, so that every file that can be opened fits in memory. `TIR_HOSTILE_LONG=1` makes the texts a megabyte.

use tests::{binary, peak};

/// A shape of a text: the name of its file, and a text of about so many bytes.
type Shape = (&'static str, &'static str, fn(usize) -> String);

/// The most that a byte of text may cost in `check`. The worst of these shapes takes about 105.
const MAX_RATIO: u64 = 130;

/// The memory that does not depend on the length of the text: the tables that a first function needs (7 MB for a
/// function of one line), the allocator's own, a stack that grew.
const SLACK: u64 = 8_000_000;

/// Tries for a text that seems to take too much.
const TRIES: usize = 4;

fn repeat(piece: &str, len: usize) -> String {
    piece.repeat(len / piece.len())
}

fn numbered(len: usize, piece: impl Fn(usize) -> String) -> String {
    let mut res = String::new();
    let mut n = 0;
    while res.len() < len {
        res.push_str(&piece(n));
        n += 1;
    }
    res
}

fn in_function(body: &str) -> String {
    format!("func.func @f(%a: i32, %c: i1) {{\n{body}\n  return\n}}\n")
}

fn script(rest: &str) -> String {
    format!("from tvm.script import tirx as T\n{rest}")
}

fn prim_func(body: &str) -> String {
    script(&format!("@T.prim_func\ndef f(A: T.Buffer((16,), \"int32\")):\n{body}"))
}

const SHAPES: &[Shape] = &[
    ("nests", "a.mlir", |len| {
        let nest = format!("{}{}", "scf.if %c {\n".repeat(1000), "}\n".repeat(1000));
        in_function(&repeat(&nest, len))
    }),
    ("closing braces", "a.mlir", |len| repeat("}", len)),
    ("closing braces on lines", "a.mlir", |len| repeat("}\n", len)),
    ("labels that are none", "a.mlir", |len| in_function(&repeat("^a\n", len))),
    ("labels", "a.mlir", |len| in_function(&numbered(len, |n| format!("^a{n}:\n")))),
    ("labels outside", "a.mlir", |len| repeat("^a", len)),
    ("small functions", "a.mlir", |len| {
        numbered(len, |n| format!("func.func @f{n}() {{ return }}\n"))
    }),
    ("declarations", "a.mlir", |len| numbered(len, |n| format!("func.func @f{n}()\n"))),
    ("functions of one name", "a.mlir", |len| repeat("func.func @f() {return}\n", len)),
    ("modules", "a.mlir", |len| repeat("module {}\n", len)),
    ("unknown words", "a.mlir", |len| repeat("x.y\n", len)),
    ("split markers", "a.mlir", |len| repeat("// -----\n", len)),
    ("aliases", "a.mlir", |len| numbered(len, |n| format!("#a{} = [#a{n}]\n", n + 1))),
    ("equal operations", "a.mlir", |len| {
        in_function(&numbered(len, |n| format!("%{n} = arith.addi %a, %a : i32\n")))
    }),
    ("open braces", "a.pir", |len| repeat("{", len)),
    ("open braces on lines", "a.pir", |len| repeat("{\n", len)),
    ("programs", "a.pir", |len| repeat("{\n}\n", len)),
    ("small functions of Python", "a.py", |len| {
        script(&numbered(len, |n| format!("@T.prim_func\ndef f{n}(): T.evaluate(0)\n")))
    }),
    ("other functions of Python", "a.py", |len| {
        script(&numbered(len, |n| format!("def f{n}(): pass\n")))
    }),
    ("stores", "a.py", |len| prim_func(&numbered(len, |n| format!("    A[{}] = 1\n", n % 16)))),
    ("statements", "a.py", |len| prim_func(&repeat("    T.evaluate(0)\n", len))),
    ("names in lines", "a.py", |len| script(&repeat("x\n", len))),
    ("closing parentheses", "a.py", |len| script(&repeat(")", len))),
];

fn peak_of(name: &str, text: &str) -> u64 {
    let folder = tempfile::tempdir().expect("a folder for the input");
    std::fs::write(folder.path().join(name), text).expect("the input is written");
    let mut command = binary::command();
    command.args(["check", name]).current_dir(folder.path());
    let ended = peak::run(command);
    let said = String::from_utf8_lossy(&ended.output.stderr);
    let is_fine = matches!(ended.output.status.code(), Some(0 | 1));
    assert!(
        is_fine && !said.contains("internal error"),
        "{name}: {:?} {said}",
        ended.output.status
    );
    ended.peak
}

#[test]
#[cfg(target_os = "linux")]
fn texts_take_memory_as_their_length() {
    let len = if std::env::var_os("TIR_HOSTILE_LONG").is_some() { 1_000_000 } else { 150_000 };
    let mut faults = Vec::new();
    for (what, name, make) in SHAPES {
        let text = make(len);
        let most = MAX_RATIO * text.len() as u64 + SLACK;
        // On a loaded machine the last look at an empty text comes before its peak, and the allocator gives memory
        // back later: the least of some tries is what the text takes.
        let one = || peak_of(name, &text).saturating_sub(peak_of(name, ""));
        let mut of_text = one();
        for _ in 1..TRIES {
            if of_text > most {
                of_text = of_text.min(one());
            }
        }
        let per_byte = of_text as f64 / text.len() as f64;
        if of_text > most {
            faults.push(format!("{what}: {per_byte:.0} bytes for one of {}", text.len()));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
