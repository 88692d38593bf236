//! Unknown values are printed as they were written, and are equal to themselves only; no argument is lost.

use std::fs;

use tempfile::TempDir;

use super::run::{assert_none, run};

/// Expressions with a hole for a captured name.
const CAPTURED: &[&str] = &[
    "T.Cast(\"int32\", T.Cast({}, A[0] * 3))",
    "T.cast(A[0] * 3, {})",
    "(A[0] * 3).astype({})",
    "T.reinterpret({}, A[0] * 3)",
    "T.max_value({})",
    "T.min_value({})",
    "T.infinity({})",
    "T.call_extern({}, \"g\", A[0])",
    "T.call_pure_extern({}, \"g\", A[0])",
    "T.call_pure_extern(\"int32\", {}, A[0])",
    "T.call_pure_extern(dtype={}, func_name=\"g\")",
    "T.call_llvm_pure_intrin({}, 1, A[0])",
    "T.call_pure_extern(\"int32\", \"g\", A[0], dtype={})",
    "T.unknown_thing(A[0], dtype={})",
    "T.exp(T.float32(1), dtype={})",
    "A[0] * {}",
    "A[{}]",
    "A[{} // 2]",
    "A[0] + {} * 2",
    "{}(A[0])",
    "T.type_annotation({})",
    "T.tvm_struct_get(A.data, 0, 1, {})",
    "T.Select(A[0] > {}, 1, 2)",
    "T.ptx.thing({}, A.data)",
];

/// Statements with holes for captured names and their results.
const STATEMENTS: &[&str] = &[
    "v = T.alloc_buffer((4,), scope={})\n        v[0] = T.float32(0)",
    "v = T.alloc_buffer((4,), align={})\n        v[0] = T.float32(0)",
    "v = T.alloc_buffer(({},))\n        v[0] = T.float32(0)",
    "v = T.alloc_buffer(({} // 2 + 1,))\n        v[0] = T.float32(0)",
    "v = {} + 1\n        B[0] = A[v]",
    "v = T.bind({} + 1)\n        B[0] = A[v]",
    "for i in range({}):\n            B[i] = 1",
    "for i in range({}, {} + 4):\n            B[i] = 1",
    "T.func_attr({\"k\": {}})",
    "with T.attr(0, \"pragma\", {}):\n            B[0] = 1",
    "for i in T.serial(4, annotations={\"k\": {}}):\n            B[i] = 1",
    "T.evaluate(T.call_packed(\"f\", {}))",
];

fn module(body: &str) -> String {
    format!(
        "from tvm.script import tirx as T\n\ndef make(one, two):\n    @T.prim_func\n    def f(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")):\n        T.func_attr({{\"tirx.noalias\": True}})\n        {body}\n    return f\n"
    )
}

/// Returns the text that `opt` prints for a function, or `None` if it leaves the function alone.
fn printed(folder: &TempDir, text: &str, passes: &str) -> Result<Option<String>, String> {
    fs::write(folder.path().join("a.py"), text).expect("the folder can be written");
    let outcome = run(folder.path(), &["opt", "--passes", passes, "a.py"]);
    match outcome.fault() {
        Some(fault) => Err(fault),
        None if outcome.err.contains("is left as it is") => Ok(None),
        None => Ok(Some(outcome.out)),
    }
}

/// Returns the number of times that a word occurs in a text.
fn count(text: &str, word: &str) -> usize {
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    text.split(|it: char| !is_word(it)).filter(|it| *it == word).count()
}

#[test]
fn captured_names_are_printed_as_often_as_they_are_written() {
    let folder = TempDir::new().expect("a temporary folder");
    let (mut faults, mut n_printed) = (Vec::new(), 0);
    let of = |template: &str, name: &str| template.replace("{}", name);
    let pairs = CAPTURED.iter().map(|it| format!("B[0] = {} + {}", of(it, "one"), of(it, "two")));
    let statements = STATEMENTS.iter().map(|it| of(it, "one"));
    for body in pairs.chain(statements) {
        let text = module(&body);
        match printed(&folder, &text, "cse,simplify") {
            Err(fault) => faults.push(format!("{body}: {fault}")),
            Ok(None) => {}
            Ok(Some(out)) => {
                n_printed += 1;
                for name in ["one", "two"] {
                    if count(&text, name) != count(&out, name) || out.contains(&format!("\"{name}"))
                    {
                        faults.push(format!("{body}: `{name}` in\n{out}"));
                    }
                }
            }
        }
    }
    assert_none(&faults);
    assert!(n_printed > 25, "only {n_printed} are printed at all");
}

/// Forms with a place for one more named argument.
const FORMS: &[&str] = &[
    "B[0] = T.Cast(\"int32\", A[0]{})",
    "B[0] = T.max(A[0], 3{})",
    "B[0] = T.Select(A[0] > 1, 1, 2{})",
    "B[0] = T.if_then_else(A[0] > 1, 1, 2{})",
    "B[0] = T.abs(A[0]{})",
    "B[0] = T.ceildiv(A[0], 2{})",
    "B[0] = T.Add(A[0], 1{})",
    "B[0] = T.min_value(\"int32\"{})",
    "B[0] = T.clz(A[0]{})",
    "B[0] = T.call_extern(\"int32\", \"f\"{})",
    "T.unknown_thing(A.data{})",
    "T.s_tir.cp_async_raw.legacy(A.data, 0, B.data, 0, 16{})",
    "T.ptx.cp_async(A.data, 0, B.data, 0, 16{})",
    "T.evaluate(make(A.data{}))",
    "v = T.alloc_buffer((4,){})\n        v[0] = T.float32(0)",
    "v = T.decl_buffer((4,), \"int32\", data=A.data{})\n        v[0] = 1",
    "v = A.view(4{})\n        v[0] = 1",
    "B[0] = A.vload([0]{})",
    "A.vstore([0], 1{})",
    "for i in T.serial(4{}):\n            B[i] = 1",
    "for i in range(4{}):\n            B[i] = 1",
    "for i in T.unroll(4{}):\n            B[i] = 1",
    "for i, j in T.grid(4, 4{}):\n            B[i] = j",
    "for i in T.thread_binding(4, thread=\"threadIdx.x\"{}):\n            B[i] = 1",
    "with T.sblock(\"b\"{}):\n            B[0] = 1",
    "with T.sblock(\"b\"):\n            v = T.axis.spatial(4, 0{})\n            B[v] = 1",
    "with T.launch_thread(\"threadIdx.x\", 4{}) as v:\n            B[v] = 1",
    "with T.attr(0, \"k\", 1{}):\n            B[0] = 1",
    "T.buffer_store(B, 1, [0]{})",
    "v = T.bind(A[0]{})\n        B[0] = v",
    "v = T.env_thread(\"threadIdx.x\"{})\n        with T.launch_thread(v, 4):\n            B[v] = 1",
    "B[0] = A[0].astype(\"int64\"{})",
    "T.evaluate(0{})",
    "B[0] = T.float32(1{})",
];

#[test]
fn no_named_argument_is_lost() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut faults = Vec::new();
    for form in FORMS {
        for argument in ["marker=77", "**one"] {
            let text = module(&form.replace("{}", &format!(", {argument}")));
            match printed(&folder, &text, "none") {
                Err(fault) => faults.push(format!("{form}: {fault}")),
                Ok(Some(out)) if !out.contains(argument) => {
                    faults.push(format!("{form}: {argument}\n{out}"))
                }
                Ok(_) => {}
            }
        }
    }
    assert_none(&faults);
}
