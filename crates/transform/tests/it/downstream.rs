//! Values whose names would make TVM's passes evaluate something where the source does not. The reports in
//! `tests/upstream-reports` show it with TVM.

use ir::plan::{Decision, Downstream, Refusal, TvmPass};
use transform::cse::CseOptions;

use crate::support::{lowered, plan_of_text};

const GUARDED_TWICE: &str = include_str!("../../../../tests/upstream-reports/guarded_division.py");
const SELECT: &str = include_str!("../../../../tests/upstream-reports/select_arm.py");

/// The pass that a plan of the first function exposes something to, and whether it stays unbound for TVM.
fn exposed(text: &str) -> (Vec<TvmPass>, bool) {
    let (_, _, it) = &lowered(text)[0];
    let plan = plan_of_text(it, &CseOptions::default());
    let options = CseOptions { downstream: Downstream::Tvm, ..CseOptions::default() };
    let kept = plan_of_text(it, &options);
    let is_refused = |refusal: &Refusal| matches!(refusal, Refusal::Downstream { .. });
    let refused = kept
        .groups
        .iter()
        .any(|it| matches!(&it.decision, Decision::Refuse(refusal) if is_refused(refusal)));
    assert!(kept.exposed_to().is_empty());
    (plan.exposed_to(), refused)
}

#[test]
fn a_name_for_a_load_in_a_guarded_division_that_is_written_twice() {
    assert_eq!(exposed(GUARDED_TWICE), (vec![TvmPass::CommonSubexprElim], true));
}

#[test]
fn a_name_for_the_load_that_makes_a_select_lazy() {
    assert_eq!(exposed(SELECT), (vec![TvmPass::RewriteUnsafeSelect], true));
}

/// A function that loads from `C` and stores to `O`.
fn function(statements: &str) -> String {
    let mut text =
        "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(C: T.Buffer((8,), \"int32\"), \
                    O: T.Buffer((8,), \"int32\"), x: T.int32, y: T.int32):\n    \
                    T.func_attr({\"tirx.noalias\": True})\n"
            .to_owned();
    for line in statements.lines() {
        text.push_str(&format!("    {line}\n"));
    }
    text
}

#[test]
fn the_same_guarded_by_statements() {
    let text = function(
        "O[2] = C[0] + C[1]
if x != 0:
    O[3] = (C[0] + C[1]) // x
if x != 0 and y != 0:
    O[4] = (C[0] + C[1]) // x",
    );
    assert_eq!(exposed(&text), (vec![TvmPass::CommonSubexprElim], true));
}

#[test]
fn nothing_is_exposed_where_nothing_can_trap_or_all_is_evaluated_anyway() {
    for statements in [
        // No trap.
        "O[2] = C[0] + C[1]
O[3] = T.if_then_else(x != 0, (C[0] + C[1]) * x, y)
O[4] = T.if_then_else(x != 0, (C[0] + C[1]) * x, y + 1)",
        // The division is written once.
        "O[2] = C[0] + C[1]\nO[3] = T.if_then_else(x != 0, (C[0] + C[1]) // x, y)",
        // It is not guarded.
        "O[2] = C[0]\nO[3] = C[0] // x + 1\nO[4] = C[0] // x + 2",
        // TVM sees it without the name too.
        "O[2] = x * y
O[3] = T.if_then_else(x != 0, (x * y) // x, y)
O[4] = T.if_then_else(x != 0, (x * y) // x, y + 1)",
        // Both arms may be evaluated.
        "O[3] = T.Select(0 < x, C[2], C[2] + 1)",
    ] {
        assert_eq!(exposed(&function(statements)), (vec![], false), "{statements}");
    }
}
