//! Operands that must be seen as they are written: no planner replaces them by a name.

use transform::findings::{FindingKind, FindingKinds};
use transform::{cse::CseOptions, findings::FindingOptions};

use crate::{
    findings::{found, only},
    support::{check_unchanged, kernel, lowered, plan_of_text, rewritten},
};

const HEAD: &str = "from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func(s_tir=True)
def f(A: T.Buffer((1024,), \"int32\"), B: T.Buffer((64, 256), \"float16\"), V: T.Buffer((25,), \"int32xvscalex4\"), x: T.int32):
    T.func_attr({\"tirx.noalias\": True})
    for i in range(16):
";

/// Bodies of a loop over `i` in which something is written twice that no planner may name.
const STAYS: &[(&str, &str)] = &[
    (
        "lanes of a broadcast",
        "V[i] = T.Broadcast(i, T.vscale() * 4) + T.Broadcast(x, T.vscale() * 4)",
    ),
    ("lanes of a ramp", "V[i] = T.Ramp(i, 1, T.vscale() * 4) + T.Ramp(x, 1, T.vscale() * 4)"),
    (
        "types",
        "T.evaluate(T.tvm_access_ptr(T.type_annotation(\"int32\"), A.data, 0, 4, 1))
T.evaluate(T.tvm_access_ptr(T.type_annotation(\"int32\"), A.data, 4, 4, 1))",
    ),
    ("parts of buffers", "Tx.copy(B[0:64, i * 32 : i * 32 + 32], B[0:64, i * 32 : i * 32 + 32])"),
    (
        "trips of vector loops",
        "for j in T.vectorized(T.vscale() * 4):
    A[j] = 0
for j in T.vectorized(T.vscale() * 4):
    A[j] = 1",
    ),
    (
        "trips of unrolled loops",
        "for j in T.unroll(x * 4):
    A[j] = 0
for j in T.unroll(x * 4):
    A[j] = 1",
    ),
    (
        "bounds of loops whose extent is a difference",
        "for j in range(i * 32, i * 32 + 32):
    A[j] = 0
for j in range(i * 32, i * 32 + 32):
    A[j] = 1",
    ),
    (
        "what is said to passes",
        "with T.attr(A.data, \"pragma_unroll\", x * 4):
    A[i] = 0
with T.attr(A.data, \"pragma_unroll\", x * 4):
    A[i] = 1",
    ),
    (
        "waits",
        "T.evaluate(T.ptx.cp_async.wait_group(15 - i))
T.evaluate(T.ptx.cp_async.wait_group(15 - i))",
    ),
    (
        "access masks",
        "T.evaluate(T.tvm_access_ptr(T.type_annotation(\"int32\"), A.data, 0, 4, x * 2))
T.evaluate(T.tvm_access_ptr(T.type_annotation(\"int32\"), A.data, 4, 4, x * 2))",
    ),
    ("assumptions", "T.evaluate(T.assume(x * 4 < 8))\nT.evaluate(T.assume(x * 4 < 9))"),
    ("scopes", "bx = T.cta_id([x * 4])\nby = T.cta_id([x * 4])\nA[i] = bx + by"),
];

fn file(statements: &str) -> String {
    let mut text = HEAD.to_owned();
    for line in statements.lines() {
        text.push_str(&format!("        {line}\n"));
    }
    text
}

#[test]
fn no_planner_names_an_operand_that_must_stay_visible() {
    let invariants = FindingOptions {
        kinds: FindingKinds::from_iter([FindingKind::LoopInvariant]),
        loop_invariant_cost: 1,
    };
    for (what, statements) in STAYS {
        let text = file(statements);
        check_unchanged(&text, &CseOptions::default());
        let (_, _, it) = &lowered(&text)[0];
        let plan = plan_of_text(it, &CseOptions::default());
        assert!(plan.is_empty(), "{what}: {plan:#?}");
        let found = found(it, &invariants);
        assert!(found.is_empty(), "{what}: {found:#?}");
    }
}

/// Reads twice what nothing writes, with a statement between.
fn around(statement: &str) -> String {
    let read = "T.let[T.int32] = A[0] * A[1]";
    kernel(&format!("u: {read}\n{statement}\nv: {read}\nA[2] = u + v"))
}

#[test]
fn definitions_of_threads_stay_and_touch_no_memory() {
    let options = CseOptions::default();
    let threads = "T.device_entry()\na = T.cta_id([2])\nb = T.cta_id([2])\nc = T.lane_id([32])";
    let text = kernel(&format!("{threads}\nA[0] = a"));
    check_unchanged(&text, &options);
    let found = found(&lowered(&text)[0].2, &only(FindingKind::DeadBinding));
    assert!(found.is_empty(), "{found:#?}");
    for statement in ["t = T.thread_id([64])", "t = T.warp_id_in_wg()", "t = T.cta_id_in_pair()"] {
        let after = rewritten(&around(statement), &options);
        assert_eq!(after.matches("A[0] * A[1]").count(), 1, "{after}");
    }
    // What the host has loaded is not there on the device.
    check_unchanged(&around("T.device_entry()"), &options);
}
