//! Generated pipelines: whatever the stages and orders are, a loop computes what the plain loop computes.
//!
//! Each is run as the plain loop; after the pass; after all passes; and as code generation leaves it, with its barriers
//! and asynchronous copies, its threads in several orders, with races looked for: a barrier or a wait too few shows.
//! `TIR_ORACLE_FUNCTIONS=100000 TIR_ORACLE_SEED=7` for more of them and others.

use codegen::kernels;
use expect_test::{Expect, expect};
use interp::{Argument, Array, OnError, Options, Schedule, run};
use ir::{Body, DataType};
use lower::{LowerOptions, lower, lower_until};
use test_utils::Rng;

use crate::functions::functions_of;

const SCHEDULES: [Schedule; 4] =
    [Schedule::Lockstep, Schedule::Serial, Schedule::Reverse, Schedule::Random(3)];

const THREADS: i64 = 4;
/// Rows of the arrays.
const ROWS: i64 = 16;

/// A generated function.
struct Program {
    text: String,
    /// Values of its parameters `n` and `m`.
    sizes: Vec<[i64; 2]>,
}

fn pick<'a>(rng: &mut Rng, of: &[&'a str]) -> &'a str {
    of[rng.below(of.len())]
}

/// Some memory, as an operand.
fn operand(rng: &mut Rng, names: &[String], var: &str) -> String {
    let thread = pick(rng, &["tx", "tx", "tx", "3 - tx", "(tx + 1) % 4"]);
    match rng.below(names.len() + 2) {
        0 => format!("A[{var}, {thread}]"),
        1 if rng.below(3) == 0 => format!("A[{var} + 2, {thread}]"),
        1 => "acc[0]".to_owned(),
        at if names[at - 2].starts_with('L') => format!("{}[tx % 2]", names[at - 2]),
        at => format!("{}[{thread}]", names[at - 2]),
    }
}

/// The kinds of statements of a program.
#[derive(Clone, Copy)]
struct Form {
    /// A value from iteration to iteration.
    carries: bool,
    /// Write memory that the start of an iteration has written.
    overwrites: bool,
}

/// A statement of the loop with this variable, as lines.
fn statement(rng: &mut Rng, names: &[String], var: &str, form: Form) -> Vec<String> {
    let [a, b] = [0, 1].map(|_| operand(rng, names, var));
    let op = pick(rng, &["+", "-", "*"]);
    let number = rng.below(9);
    let value = format!("({a} {op} {b}) % 1009 + {number}");
    let at = rng.below(if form.overwrites { names.len() + 2 } else { 2 });
    let line = match at {
        0 => format!("C[{var}, tx] = {value}"),
        1 if form.carries => format!("acc[0] = (acc[0] * 3 + {a}) % 1009"),
        1 => format!("C[{var}, tx] = {a}"),
        _ if names[at - 2].starts_with('L') => {
            let name = &names[at - 2];
            return vec!["for e in range(2):".into(), format!("    {name}[e] = {value} + e")];
        }
        _ => format!("{}[tx] = {value}", names[at - 2]),
    };
    match rng.below(6) {
        0 => vec![format!("if {var} % 2 == 0:"), format!("    {line}")],
        _ => vec![line],
    }
}

fn list(of: &[usize]) -> String {
    let all: Vec<String> = of.iter().map(ToString::to_string).collect();
    format!("[{}]", all.join(", "))
}

fn shuffled(rng: &mut Rng, n: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..n).collect();
    for at in (1..n).rev() {
        all.swap(at, rng.below(at + 1));
    }
    all
}

/// Stages and orders, which often fit the order of the text.
fn annotations(rng: &mut Rng, n: usize) -> String {
    let mut stages: Vec<usize> = (0..n).map(|_| rng.below(4)).collect();
    if rng.below(4) != 0 {
        stages.sort_unstable();
    }
    let mut orders: Vec<usize> = (0..n).collect();
    if rng.below(2) == 0 {
        orders = shuffled(rng, n);
    }
    let (stages, orders) = (list(&stages), list(&orders));
    let asynchronous = pick(rng, &["[]", "[0]", "[0, 1]"]);
    format!(
        "annotations={{\"software_pipeline_stage\": {stages}, \"software_pipeline_order\": {orders}, \
         \"software_pipeline_async_stages\": {asynchronous}}}"
    )
}

/// Where the memory of a program is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Home {
    /// Around the loop, with values before and after it.
    Around,
    /// Around the loop, and used in it only.
    UsedInside,
    /// In each iteration.
    Inside,
}

fn declare(name: &str) -> String {
    let (extent, scope) = if name.starts_with('S') { (4, "shared") } else { (2, "local") };
    format!("{name} = T.sblock_alloc_buffer(({extent},), \"int32\", scope=\"{scope}\")")
}

/// Gives every element a value, so that nothing undefined is read.
fn start(name: &str, row: &str) -> Vec<String> {
    match name.starts_with('S') {
        true => vec![format!("{name}[tx] = A[{row}, tx]")],
        false => vec!["for e in range(2):".into(), format!("    {name}[e] = e + 5")],
    }
}

fn indented(by: usize, lines: impl IntoIterator<Item = String>) -> Vec<String> {
    lines.into_iter().map(|it| format!("{:by$}{it}", "")).collect()
}

/// The loop with its annotations.
fn pipeline(rng: &mut Rng, [min, stop]: [&str; 2], memory: &[String], home: Home) -> Vec<String> {
    let form = Form { carries: rng.below(3) != 0, overwrites: rng.below(2) == 0 };
    let mut body: Vec<Vec<String>> = Vec::new();
    if home != Home::Around {
        // What only the first iteration writes, the others have from it.
        let is_first = home == Home::UsedInside && rng.below(3) == 0;
        for name in memory {
            let lines = start(name, "k");
            body.push(match is_first {
                true => [vec![format!("if k == {min}:")], indented(4, lines)].concat(),
                false => lines,
            });
        }
    }
    body.extend((0..2 + rng.below(4)).map(|_| statement(rng, memory, "k", form)));
    let mut count = body.len();
    let mut lines: Vec<String> = Vec::new();
    for statement in body {
        lines.push("with T.sblock():".into());
        lines.extend(indented(4, statement));
    }
    if rng.below(4) == 0 {
        // A pipeline is three statements of the list.
        let n = 2 + rng.below(2);
        let inner: Vec<String> = (0..n).flat_map(|_| statement(rng, memory, "j", form)).collect();
        let extent = 1 + rng.below(3);
        let annotations = annotations(rng, n);
        lines.push(format!("for j in T.serial({extent}, {annotations}):"));
        lines.extend(indented(4, inner));
        count += 3;
    }
    let annotations = annotations(rng, count);
    let mut all = vec![format!("for k in T.serial({min}, {stop}, {annotations}):")];
    all.push("    with T.sblock():".into());
    if home == Home::Inside {
        all.extend(indented(8, memory.iter().map(|it| declare(it))));
    }
    all.extend(indented(8, lines));
    all
}

impl Program {
    fn new(rng: &mut Rng) -> Program {
        let is_dynamic = rng.below(3) == 0;
        let (min, stop) = match is_dynamic {
            true => (pick(rng, &["0", "1", "m"]), "n".to_owned()),
            false => {
                let min = pick(rng, &["0", "0", "2"]);
                (min, (rng.below(8) + min.parse::<usize>().unwrap_or(0)).to_string())
            }
        };
        let memory: Vec<String> = (0..1 + rng.below(3))
            .map(|at| format!("{}{at}", pick(rng, &["S", "S", "L"])))
            .collect();
        let home = [Home::Around, Home::UsedInside, Home::Inside, Home::Inside][rng.below(4)];
        let mut lines = vec!["acc[0] = 1".to_owned()];
        if home != Home::Inside {
            lines.extend(memory.iter().map(|it| declare(it)));
        }
        if home == Home::Around {
            lines.extend(memory.iter().flat_map(|it| start(it, "0")));
        }
        lines.extend(pipeline(rng, [min, &stop], &memory, home));
        lines.push("C[15, tx] = acc[0]".into());
        if home == Home::Around {
            let shared = memory.iter().filter(|it| it.starts_with('S'));
            lines.extend(shared.map(|it| format!("C[14, tx] = {it}[3 - tx]")));
        }
        let mut text = String::from(
            "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n\
             def f(A: T.Buffer((16, 4), \"int32\"), C: T.Buffer((16, 4), \"int32\"), \
             n: T.int32, m: T.int32):\n    T.func_attr({\"tirx.noalias\": True})\n    \
             with T.sblock(\"root\"):\n        \
             acc = T.sblock_alloc_buffer((1,), \"int32\", scope=\"local\")\n        \
             for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n",
        );
        for line in lines {
            text.push_str(&format!("            {line}\n"));
        }
        let sizes = match is_dynamic {
            true => (0..8).map(|n| [n, rng.below(3) as i64]).collect(),
            false => vec![[0, 0]],
        };
        Program { text, sizes }
    }
}

fn body_of(text: &str) -> Body {
    let functions = functions_of("case", text);
    let lowered = &functions[0].lowered;
    assert!(lowered.diagnostics.is_empty(), "{:?}\n{text}", lowered.diagnostics);
    lowered.body.clone()
}

fn results(
    body: &Body,
    [n, m]: [i64; 2],
    seed: u64,
    schedule: Schedule,
) -> Result<Vec<f64>, String> {
    let mut rng = Rng::new(seed);
    let mut a = Array::zeros(DataType::INT32, &[ROWS, THREADS]);
    (0..a.len()).for_each(|at| a.set_f64(at, rng.below(1000) as f64));
    let c = Array::zeros(DataType::INT32, &[ROWS, THREADS]);
    let arguments =
        vec![Argument::Array(a), Argument::Array(c), Argument::Int(n), Argument::Int(m)];
    let find_races = schedule != Schedule::Lockstep;
    let options = Options { schedule, find_races, on_error: OnError::Stop, ..Options::default() };
    let outcome = run(body, arguments, &options).map_err(|it| format!("{it:?}"))?;
    if let Some(event) = outcome.events.first() {
        return Err(format!("{}: {}", event.kind.name(), event.detail));
    }
    let Argument::Array(c) = &outcome.arguments[1] else { return Err("no array".into()) };
    Ok(c.to_f64s())
}

/// The fates of the loops.
#[derive(Default, Debug)]
struct Tally {
    pipelined: usize,
    left: usize,
    refused: usize,
    /// Kernels with asynchronous copies.
    asynchronous: usize,
    /// Kernels without code, by reason.
    without_code: usize,
    /// Runs of pipelines that were compared, and of kernels with their barriers.
    compared: usize,
    kernels: usize,
}

fn check(program: &Program, seed: u64, tally: &mut Tally) {
    let options = LowerOptions::default();
    let with_copies = LowerOptions { has_async_copies: true, ..options.clone() };
    let plain = body_of(&program.text.replace("software_pipeline", "hint"));
    let plain = lower_until(&plain, &options, "flatten_buffers").expect("a plain loop is lowered");
    let body = body_of(&program.text);
    let after = match lower_until(&body, &options, "software_pipeline") {
        Ok(after) => after,
        Err(refused) => {
            assert_eq!(refused.reason.name(), "software-pipeline", "{}", program.text);
            tally.refused += 1;
            return;
        }
    };
    let printed = ir::print::tvmscript(&after, 0);
    let is_pipelined = !printed.contains("not_pipelined");
    match is_pipelined {
        true => tally.pipelined += 1,
        false => tally.left += 1,
    }
    let mut bodies = vec![after];
    bodies.push(lower(&body, &options).expect("a pipeline is lowered"));
    let copies = lower(&body, &with_copies).expect("a pipeline with copies is lowered");
    tally.asynchronous += usize::from(ir::print::tvmscript(&copies, 0).contains("cp_async"));
    let [of_loops, of_copies] = [&bodies[1], &copies].map(kernels);
    if !of_loops.unsupported.is_empty() {
        tally.without_code += 1;
    }
    for &sizes in &program.sizes {
        let Ok(expected) = results(&plain, sizes, seed, Schedule::Lockstep) else { continue };
        tally.compared += usize::from(is_pipelined);
        let told = |body: &Body| {
            format!("{sizes:?}\n{}\n{printed}\n{}", program.text, ir::print::tvmscript(body, 0))
        };
        for body in &bodies {
            let found = results(body, sizes, seed, Schedule::Lockstep);
            assert_eq!(found.as_ref(), Ok(&expected), "{}", told(body));
        }
        for set in [&of_loops, &of_copies] {
            for schedule in SCHEDULES.iter().filter(|_| set.unsupported.is_empty()) {
                tally.kernels += usize::from(is_pipelined);
                let found = results(&set.body, sizes, seed, *schedule);
                assert_eq!(found.as_ref(), Ok(&expected), "{schedule:?} {}", told(&set.body));
            }
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the report of a test, shown with --nocapture")]
fn generated_pipelines_compute_what_their_loops_compute() {
    let number = |key: &str| std::env::var(key).ok().and_then(|it| it.parse::<u64>().ok());
    let n = number("TIR_ORACLE_FUNCTIONS").unwrap_or(150);
    let mut rng = Rng::new(number("TIR_ORACLE_SEED").unwrap_or(1));
    let mut tally = Tally::default();
    for seed in 0..n {
        let program = Program::new(&mut rng);
        check(&program, seed, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.compared as u64 > n / 8 && tally.asynchronous as u64 > n / 40, "{tally:?}");
}

/// The loop of a kernel with its barriers.
#[track_caller]
fn check_barriers(lists: [&str; 3], copy: &str, expected: Expect) {
    let [stages, orders, asynchronous] = lists;
    let text = format!(
        "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\n\
         def f(A: T.Buffer((64, 64), \"float32\"), C: T.Buffer((64, 64), \"float32\")):\n    \
         for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n        \
         for i in T.serial(64, annotations={{\"software_pipeline_stage\": {stages}, \
         \"software_pipeline_order\": {orders}, \"software_pipeline_async_stages\": {asynchronous}}}):\n            \
         with T.sblock():\n                \
         S = T.sblock_alloc_buffer((64,), scope=\"shared\")\n                \
         with T.sblock():\n                    {copy}\n                \
         with T.sblock():\n                    C[i, tx] = S[63 - tx]\n"
    );
    let options = LowerOptions { has_async_copies: true, ..LowerOptions::default() };
    let set = kernels(&lower(&body_of(&text), &options).expect("lowers"));
    let printed = ir::print::tvmscript(&set.body, 0);
    let is_in_loop = |it: &&str| it.starts_with("            ") || it.trim().starts_with("for ");
    let lines = printed.lines().filter(is_in_loop).map(|it| format!("{}\n", it.trim()));
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn two_versions_need_one_barrier_an_iteration() {
    let copy = "S[tx] = A[i, tx] * T.float32(2)";
    check_barriers(
        ["[0, 1]", "[0, 1]", "[]"],
        copy,
        expect![[r#"
        for i in range(63):
        T.tvm_storage_sync("shared")
        S[(i + 1) % 2 * 64 + threadIdx_x] = A_1[(i + 1) * 64 + threadIdx_x] * T.float32(2.0)
        C_1[i * 64 + threadIdx_x] = S[i % 2 * 64 + (63 - threadIdx_x)]
    "#]],
    );
}

#[test]
fn one_version_needs_two_barriers_an_iteration() {
    let copy = "S[tx] = A[i, tx] * T.float32(2)";
    check_barriers(
        ["[0, 1]", "[1, 0]", "[]"],
        copy,
        expect![[r#"
        for i in range(63):
        T.tvm_storage_sync("shared")
        C_1[i * 64 + threadIdx_x] = S[63 - threadIdx_x]
        T.tvm_storage_sync("shared")
        S[threadIdx_x] = A_1[(i + 1) * 64 + threadIdx_x] * T.float32(2.0)
    "#]],
    );
    check_barriers(
        ["[0, 0]", "[0, 1]", "[]"],
        copy,
        expect![[r#"
        for i in range(64):
        T.tvm_storage_sync("shared")
        S[threadIdx_x] = A_1[i * 64 + threadIdx_x] * T.float32(2.0)
        T.tvm_storage_sync("shared")
        C_1[i * 64 + threadIdx_x] = S[63 - threadIdx_x]
    "#]],
    );
}

#[test]
fn copies_of_other_threads_are_waited_for_together() {
    check_barriers(
        ["[0, 1]", "[0, 1]", "[0]"],
        "S[tx] = A[i, tx]",
        expect![[r#"
        for i in range(63):
        T.tvm_storage_sync("shared")
        T.s_tir.cp_async_raw("float32", S.data, (i + 1) % 2 * 64 + threadIdx_x, A_1.data, (i + 1) * 64 + threadIdx_x, 4)
        T.ptx.cp.async_.commit_group()
        T.ptx.cp.async_.wait_group(1)
        T.tvm_storage_sync("shared")
        C_1[i * 64 + threadIdx_x] = S[i % 2 * 64 + (63 - threadIdx_x)]
    "#]],
    );
    check_barriers(
        ["[0, 2]", "[0, 1]", "[0]"],
        "S[tx] = A[i, tx]",
        expect![[r#"
        for i in range(62):
        T.tvm_storage_sync("shared")
        T.s_tir.cp_async_raw("float32", S.data, (i + 2) % 3 * 64 + threadIdx_x, A_1.data, (i + 2) * 64 + threadIdx_x, 4)
        T.ptx.cp.async_.commit_group()
        T.ptx.cp.async_.wait_group(2)
        T.tvm_storage_sync("shared")
        C_1[i * 64 + threadIdx_x] = S[i % 3 * 64 + (63 - threadIdx_x)]
    "#]],
    );
}
