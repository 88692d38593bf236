//! Long and deep texts: what is done and what is written grow as the text does. The steps of reading and planning
//! (nodes made, nodes walked over) are counted for a text and for one of four times as many parts; every command, run
//! on a long one, ends, and writes no more than so much.

use std::{fs, process::Command};

use dataflow::analyses::Analyses;
use frontend::tvmscript;
use ir::{Occurrences, effects::EffectTable, interrupt::counted};
use tempfile::TempDir;
use tests::binary;
use transform::{
    cse::{self, CseOptions},
    findings::{FindingOptions, findings},
    simplify::{self, SimplifyOptions},
};

/// A shape of a text of about `n` parts.
type Shape = (&'static str, fn(usize) -> String);

fn function(body: &str) -> String {
    format!(
        "from tvm.script import tirx as T\n\ndef make(n, g):\n    @T.prim_func\n    def f(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")):\n{body}    return f\n"
    )
}

fn statement(text: &str) -> String {
    function(&format!("        {text}\n"))
}

/// Long in one line, or in many lines of one indentation.
const LONG: &[Shape] = &[
    ("attributes of an unknown name", |n| statement(&format!("B[0] = n{}", ".a".repeat(n)))),
    ("attributes of a module", |n| statement(&format!("B[0] = T{}", ".a".repeat(n)))),
    ("calls of attributes", |n| statement(&format!("B[0] = n{}", ".a(1)".repeat(n)))),
    ("calls of calls", |n| statement(&format!("B[0] = g{}", "(1)".repeat(n)))),
    ("subscripts", |n| statement(&format!("B[0] = n{}", "[0]".repeat(n)))),
    ("mixed postfixes", |n| statement(&format!("B[0] = n{}", ".a[0](A[0])".repeat(n / 4)))),
    ("attributes as a statement", |n| statement(&format!("n{}(1)", ".a".repeat(n)))),
    ("attributes of a buffer", |n| statement(&format!("B[0] = A{}", ".a".repeat(n)))),
    ("attributes as a type", |n| statement(&format!("B[0] = T.Cast(n{}, A[0])", ".a".repeat(n)))),
    ("attributes as a decorator", |n| {
        function("        T.evaluate(0)\n")
            .replace("@T.prim_func", &format!("@T.prim_func\n    @n{}", ".a".repeat(n)))
    }),
    ("nested calls", |n| statement(&format!("B[0] = {}1{}", "g(".repeat(n), ")".repeat(n)))),
    ("nested subscripts", |n| statement(&format!("B[0] = {}0{}", "A[".repeat(n), "]".repeat(n)))),
    ("parentheses", |n| statement(&format!("B[0] = {}1{}", "(".repeat(n), ")".repeat(n)))),
    ("comparisons", |n| statement(&format!("B[0] = A[0]{}", " < A[1]".repeat(n)))),
    ("and", |n| statement(&format!("B[0] = A[0] > 0{}", " and A[1] > 0".repeat(n)))),
    ("or of unknown names", |n| statement(&format!("B[0] = n{}", " or n".repeat(n)))),
    ("sums", |n| statement(&format!("B[0] = A[0]{}", " + A[1]".repeat(n)))),
    ("not", |n| statement(&format!("B[0] = {}n", "not ".repeat(n)))),
    ("signs", |n| statement(&format!("B[0] = {}A[0]", "-".repeat(n)))),
    ("conditional expressions", |n| statement(&format!("B[0] = {}0", "1 if n else ".repeat(n)))),
    ("lambdas", |n| statement(&format!("g({}0)", "lambda: ".repeat(n)))),
    ("decorators", |n| {
        function("        T.evaluate(0)\n")
            .replace("    @T.prim_func\n", &format!("{}    @T.prim_func\n", "    @n\n".repeat(n)))
    }),
    ("a deep list", |n| statement(&format!("v = {}{}", "[".repeat(n), "]".repeat(n)))),
    ("a deep list as an attribute", |n| {
        statement(&format!("T.func_attr({{\"k\": {}{}}})", "[".repeat(n), "]".repeat(n)))
    }),
    ("a deep dictionary", |n| {
        statement(&format!("T.func_attr({}1{})", "{\"k\": ".repeat(n), "}".repeat(n)))
    }),
    ("a long list", |n| statement(&format!("v = [{}]", "1, ".repeat(n)))),
    ("a long tuple and its items", |n| {
        function(&format!(
            "        v = ({})\n{}",
            "1, ".repeat(n),
            "        B[v[0]] = 1\n".repeat(n / 8)
        ))
    }),
    ("a long captured tuple", |n| {
        format!("V = ({})\n{}", "1, ".repeat(n), function(&"        B[V[0]] = 1\n".repeat(n / 8)))
    }),
    ("unpacking", |n| statement(&format!("{}v = {}1", "v, ".repeat(n), "1, ".repeat(n)))),
    ("a long f-string", |n| statement(&format!("g(f\"{}\")", "{n}".repeat(n)))),
    ("nested f-strings", |n| {
        statement(&format!("g({}n{})", "f'{".repeat(n.min(64)), "}'".repeat(n.min(64))))
    }),
    ("keyword arguments", |n| {
        statement(&format!("g({})", (0..n).map(|it| format!("k{it}=1, ")).collect::<String>()))
    }),
    ("parameters", |n| {
        function("        T.evaluate(0)\n").replace(
            "def f(",
            &format!("def f({}", (0..n).map(|it| format!("p{it}: T.int32, ")).collect::<String>()),
        )
    }),
    ("elif", |n| {
        function(&format!(
            "        for i in range(16):\n            if i == 0:\n                B[0] = 0\n{}",
            (1..n)
                .map(|it| format!("            elif i == {it}:\n                B[0] = {it}\n"))
                .collect::<String>()
        ))
    }),
    ("else if in one line of names", |n| {
        function(&format!(
            "        if n:\n            B[0] = 0\n{}",
            "        elif n:\n            B[0] = 1\n".repeat(n)
        ))
    }),
    ("names for names", |n| {
        function(
            &(0..n)
                .map(|it| format!("        v{} = v{it}\n", it + 1))
                .collect::<String>()
                .replacen("= v0", "= A[0]", 1),
        )
    }),
    ("tuples of a tuple twice", |n| twice("x0 = (A[0], A[1])", "(?, ?)", "B[0] = ?[0]", n)),
    ("tuples of a tuple twice as data", |n| {
        twice("x0 = (1, 1)", "(?, ?)", "T.attr(A.data, \"k\", ?)", n)
    }),
    ("lists of a list twice as arguments", |n| {
        twice("x0 = [1, 1]", "[*?, *?]", "T.call_extern(\"int32\", \"f\", *?)", n)
    }),
    ("a shape twice", |n| twice("x0 = [2, 2]", "[*?, *?]", "v = T.alloc_buffer(?, \"int32\")", n)),
    ("loops over a list twice", |n| {
        twice("x0 = [2, 2]", "[*?, *?]", "for i in T.grid(*?):\n            B[0] = 1", n)
    }),
    ("arguments of macros twice", |n| {
        let macros: String = (0..n.min(60))
            .map(|it| format!("@T.inline\ndef m{it}(*a):\n    m{}(*a, *a)\n\n", it + 1))
            .collect();
        format!("{macros}{}", statement("m0(1, 2)"))
    }),
    ("tuples of a tuple", |n| {
        let step = |it| format!("        x{} = (x{it},)\n", it + 1);
        // So many, as one level takes little of a stack.
        let n = 40 * n;
        let steps: String = (0..n).map(step).collect();
        function(&format!("        x0 = (n, n)\n{steps}        B[0] = x{n}\n"))
    }),
    ("captured tuples eight times", |n| eightfold("(1, 2)", ", ", n, "T.func_attr({\"k\": ?})")),
    ("captured numbers eight times", |n| eightfold("1", " + ", n, "B[0] = ?")),
    ("captured strings eight times", |n| {
        eightfold("\"ab\"", " + ", n, "T.call_extern(\"int32\", ?)")
    }),
    ("nested absolute values", |n| {
        statement(&format!("B[0] = {}A[0]{}", "T.abs(".repeat(n), ")".repeat(n)))
    }),
    ("concise scopes", |n| function(&"        T.attr(0, \"k\", 1)\n".repeat(n))),
    ("with items", |n| {
        function(&format!(
            "        with {}T.attr(0, \"k\", 1):\n            B[0] = 1\n",
            "T.attr(0, \"k\", 1), ".repeat(n)
        ))
    }),
    ("buffers", |n| {
        function(
            &(0..n).map(|it| format!("        v{it} = T.alloc_buffer((4,))\n")).collect::<String>(),
        )
    }),
    ("functions", |n| {
        format!(
            "from tvm.script import tirx as T\n{}",
            (0..n / 16)
                .map(|it| format!(
                    "@T.prim_func\ndef f{it}(A: T.Buffer((4,), \"int32\")):\n    A[0] = n.a.b\n"
                ))
                .collect::<String>()
        )
    }),
];

/// Names for names twice: their value doubles with each.
fn twice(first: &str, next: &str, last: &str, n: usize) -> String {
    let n = n.min(2_000);
    let step = |it| format!("        x{} = {}\n", it + 1, next.replace('?', &format!("x{it}")));
    let steps: String = (0..n).map(step).collect();
    function(&format!("        {first}\n{steps}        {}\n", last.replace('?', &format!("x{n}"))))
}

/// The same around the function, where few levels are read.
fn eightfold(first: &str, between: &str, n: usize, last: &str) -> String {
    let n = n.min(14);
    let step = |it| format!("x{} = ({})\n", it + 1, vec![format!("x{it}"); 8].join(between));
    let steps: String = (0..n).map(step).collect();
    format!("x0 = {first}\n{steps}{}", statement(&last.replace('?', &format!("x{n}"))))
}

/// Deep in indentation: the text itself grows with the square of the depth.
const DEEP: &[Shape] = &[
    ("for", |n| deep(n, |it| format!("for i{it} in range(4):"))),
    ("if", |n| deep(n, |it| format!("if A[0] > {it}:"))),
    ("while", |n| deep(n, |_| "while A[0] > 0:".to_owned())),
    ("with", |n| deep(n, |_| "with T.attr(0, \"k\", 1):".to_owned())),
    ("blocks", |n| deep(n, |it| format!("with T.sblock(\"b{it}\"):"))),
    ("unknown with", |n| deep(n, |_| "with g(n):".to_owned())),
    ("try", |n| deep(n, |_| "try:".to_owned())),
    ("def", |n| deep(n, |it| format!("def h{it}():"))),
];

fn deep(n: usize, header: fn(usize) -> String) -> String {
    let mut body = String::new();
    for level in 0..n {
        body.push_str(&format!("{}{}\n", " ".repeat(8 + level), header(level)));
    }
    body.push_str(&format!("{}B[0] = 1\n", " ".repeat(8 + n)));
    function(&body)
}

/// Commands that read a file and write about it.
const COMMANDS: &[&[&str]] = &[
    &["check"],
    &["fix", "--diff"],
    &["opt", "--passes", "none"],
    &["opt", "--passes", "cse"],
    &["build", "--target", "c", "--out", "built"],
];

/// The parts of the shorter text whose steps are counted.
const COUNTED: usize = 500;
/// The same of a text that grows with the square of its parts.
const COUNTED_DEEP: usize = 50;

/// The limits that end a command that hangs or takes all memory, and that bound no other: seconds of the processor,
/// kilobytes of addresses.
const SECONDS: usize = 900;
const MEMORY: usize = 12_000_000;
/// Bytes that a command may write for one of the text.
const OUTPUT: usize = 40;

/// Steps of reading a text and of planning for it.
fn steps(text: &str) -> u64 {
    let plan = || {
        let all = tvmscript::functions(&syntax::parse(text));
        for item in &all.functions {
            let body = tvmscript::lower(&item.source, &all.environment(item)).body;
            let occurrences = Occurrences::collect(&body);
            let analyses = Analyses::of(&body, &occurrences, EffectTable::builtin());
            cse::plan(&analyses, None, &CseOptions::default());
            simplify::plan(&analyses, None, &SimplifyOptions::default());
            findings(&analyses, None, &FindingOptions::default());
        }
    };
    counted(plan).1
}

/// Shapes of which four times as many parts take more than four times the steps.
fn steep(shapes: &[Shape], n: usize) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, make) in shapes {
        let [small, large] = [n, 4 * n].map(|it| steps(&make(it)));
        if large > 5 * small + 1_000 {
            faults.push(format!("{name}: {small} steps for {n} parts, {large} for {}", 4 * n));
        }
    }
    faults
}

fn faults_of(shapes: &[Shape], n: usize) -> Vec<String> {
    let folder = TempDir::new().expect("a temporary folder");
    let mut faults = Vec::new();
    for (name, make) in shapes {
        let text = make(n);
        fs::write(folder.path().join("a.py"), &text).expect("the folder can be written");
        for command in COMMANDS {
            let script = format!("ulimit -v {MEMORY}; ulimit -t {SECONDS}; exec \"$0\" \"$@\"");
            let output = Command::new("sh")
                .args(["-c", &script])
                .arg(binary::path())
                .args(*command)
                .arg("a.py")
                .current_dir(folder.path())
                .output()
                .expect("it starts");
            let written = output.stdout.len() + output.stderr.len();
            let err = String::from_utf8_lossy(&output.stderr);
            let is_fine =
                matches!(output.status.code(), Some(0..=2)) && !err.contains("internal error");
            if !is_fine {
                let first: String =
                    err.lines().next().unwrap_or_default().chars().take(300).collect();
                faults.push(format!("{name}, {n}: {command:?}: {} {first}", output.status));
            } else if written > OUTPUT * text.len() + 100_000 {
                faults.push(format!(
                    "{name}, {n}: {command:?}: {written} bytes about {}",
                    text.len()
                ));
            }
        }
    }
    faults
}

fn is_long_run() -> bool {
    std::env::var_os("TIR_HOSTILE").is_some_and(|it| it == "all")
}

#[test]
fn steps_grow_as_long_texts_do() {
    super::run::assert_none(&steep(LONG, COUNTED));
}

#[test]
fn steps_grow_as_deep_texts_do() {
    super::run::assert_none(&steep(DEEP, COUNTED_DEEP));
}

#[test]
#[cfg(unix)]
fn commands_end_and_write_as_much_as_long_texts_are() {
    let n = if is_long_run() { 100_000 } else { 2_000 };
    super::run::assert_none(&faults_of(LONG, n));
}

#[test]
#[cfg(unix)]
fn commands_end_and_write_as_much_as_deep_texts_are() {
    let n = if is_long_run() { 2_000 } else { 200 };
    super::run::assert_none(&faults_of(DEEP, n));
}
