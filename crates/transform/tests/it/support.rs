//! From text to bodies and plans.

use dataflow::analyses::Analyses;
use frontend::tvmscript::{
    FunctionItem, FunctionKind, Lowered, Selection, WrittenFunction, functions, lower,
    unchecked::cse_edits,
};
use ir::effects::EffectTable;
use ir::{
    Body, Occurrences,
    plan::{CsePlan, Decision, Equivalence, Preset, Refusal},
};
use transform::cse::{CseOptions, plan, rewrite};

/// The functions of a file with their text and bodies.
pub(crate) fn lowered(text: &str) -> Vec<(FunctionItem, String, Lowered)> {
    let parse = syntax::parse(text);
    let file = functions(&parse);
    file.functions
        .iter()
        .filter(|it| it.source.kind == FunctionKind::PrimFunc)
        .map(|it| {
            let lowered = lower(&it.source, &file.environment(it));
            (it.clone(), text[std::ops::Range::<usize>::from(it.range)].to_owned(), lowered)
        })
        .collect()
}

/// A function of the new dialect with a buffer, two numbers and the given statements.
pub(crate) fn kernel(statements: &str) -> String {
    let mut text = String::from(
        "from tvm.script import tirx as T\n\n@T.prim_func\ndef f(A: T.Buffer((1024,), \"int32\"), \
         x: T.int32, y: T.int32):\n",
    );
    for line in test_utils::trim_indent(statements).lines() {
        text.push_str(if line.is_empty() { "" } else { "    " });
        text.push_str(line);
        text.push('\n');
    }
    text
}

pub(crate) fn tvm(allow_unsound: bool) -> CseOptions {
    CseOptions { preset: Preset::Tvm, allow_unsound, ..CseOptions::default() }
}

/// The statements of the function after the plan, as the printer writes them.
pub(crate) fn rewritten(text: &str, options: &CseOptions) -> String {
    let (_, _, lowered) = &lowered(text)[0];
    let occurrences = Occurrences::collect(&lowered.body);
    let plan =
        plan(&Analyses::of(&lowered.body, &occurrences, EffectTable::builtin()), None, options);
    let body = rewrite(&lowered.body, &occurrences, &plan);
    statements(&ir::print::tvmscript(&body, 0))
}

/// Asserts that a plan with these options leaves the first function as it is.
#[track_caller]
pub(crate) fn check_unchanged(text: &str, options: &CseOptions) {
    let (_, _, it) = &lowered(text)[0];
    assert_eq!(rewritten(text, options), statements(&ir::print::tvmscript(&it.body, 0)));
}

/// The first function after the plan of the preset `default`, then the plan.
pub(crate) fn sound(text: &str) -> String {
    planned(text, &CseOptions::default())
}

/// As [`sound`], with these options.
pub(crate) fn planned(text: &str, options: &CseOptions) -> String {
    let (_, _, it) = &lowered(text)[0];
    let occurrences = Occurrences::collect(&it.body);
    let plan = plan(&Analyses::of(&it.body, &occurrences, EffectTable::builtin()), None, options);
    let body = rewrite(&it.body, &occurrences, &plan);
    let mut got = statements(&ir::print::tvmscript(&body, 0));
    got.push_str("---\n");
    got.push_str(&describe(&it.body, &plan));
    got
}

/// Returns the text below the signature, without its indentation.
pub(crate) fn statements(text: &str) -> String {
    let start = text.find("):\n").map_or(0, |it| it + 3);
    let mut out = String::new();
    for line in text[start..].lines() {
        out.push_str(line.strip_prefix("    ").unwrap_or(line));
        out.push('\n');
    }
    out
}

/// The plan of a function with its text in view.
pub(crate) fn plan_of_text(lowered: &Lowered, options: &CseOptions) -> CsePlan {
    let occurrences = Occurrences::collect(&lowered.body);
    lowered.source_map.with_view(|view| {
        plan(
            &Analyses::of(&lowered.body, &occurrences, EffectTable::builtin()),
            Some(view),
            options,
        )
    })
}

/// The text of the file after the edits, and the rewriter's body for the same plan.
pub(crate) fn edited(
    file: &str,
    item: &FunctionItem,
    text: &str,
    lowered: &Lowered,
    plan: &CsePlan,
    selection: Selection,
) -> (String, Body) {
    let occurrences = Occurrences::collect(&lowered.body);
    let green = &item.source.green;
    let written = WrittenFunction { green, text, lowered, occurrences: &occurrences };
    let edit = cse_edits(written, plan, selection);
    let range = std::ops::Range::<usize>::from(item.range);
    let new = format!("{}{}{}", &file[..range.start], edit.apply(text), &file[range.end..]);
    let applied = match selection {
        Selection::All => plan.clone(),
        Selection::Group(group) => plan.only(group).expect("only applied groups are selected"),
    };
    (new, rewrite(&lowered.body, &occurrences, &applied))
}

/// Groups that a plan applies.
pub(crate) fn applied(plan: &CsePlan) -> Vec<usize> {
    (0..plan.groups.len()).filter(|&it| plan.groups[it].decision.is_applied()).collect()
}

/// All groups with their decisions, one a line.
pub(crate) fn describe(body: &Body, plan: &CsePlan) -> String {
    let mut out = String::new();
    for group in &plan.groups {
        let decision = match &group.decision {
            Decision::Bind(binding) => format!("bind {}", plan.bindings[*binding].name),
            Decision::Reuse(reuse) => format!("reuse {}", reuse.name(body)),
            Decision::Insert(cell) => format!("insert {}", plan.cells[*cell].name),
            Decision::Covered { by } => {
                let names: Vec<&str> = by.iter().map(|&it| &*plan.bindings[it].name).collect();
                format!("covered by [{}]", names.join(", "))
            }
            Decision::Refuse(Refusal::PartialRedundancy { obstacle, .. }) => {
                format!("partial-redundancy ({})", obstacle.name())
            }
            Decision::Refuse(refusal) => refusal.name().to_owned(),
        };
        let text = ir::print::expr_text(body, group.expr);
        let (count, cost) = (group.occurrences.len(), group.cost);
        let level = match group.equivalence {
            Equivalence::Syntactic => String::new(),
            level => format!(", {level:?}"),
        };
        out.push_str(&format!("{text}: {count} times, cost {cost}, {decision}{level}\n"));
    }
    out
}
