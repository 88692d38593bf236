//! One function of which something is not known: planned and edited as it is, run with values.
//!
//! Each text of the function after our plans, and our printed text of it, is put into a file that defines the names;
//! there it must read without an error, and compute the same as the original in the same file. Equal values make names
//! equal that the plans had to treat as different; different values show where they were merged.

use dataflow::analyses::Analyses;
use ir::effects::EffectTable;
use std::collections::BTreeSet;

use frontend::tvmscript::{
    Selection, checked_finding_edits, checked_simplify_edits, unchecked::cse_edits,
};
use ir::{
    Body, ExprKind, Occurrences, OpKind,
    plan::finding::FindingFix,
    print::{expr_text, tvmscript},
};
use test_utils::Program;
use transform::{
    cse,
    findings::{self, FindingKind, FindingKinds, FindingOptions},
    simplify::{SimplifyOptions, plan, rewrite_items},
};

use super::{Checked, Failure, Variant, failure, guarded, is_understood, selected_options};
use crate::{
    functions::{Function, functions_of},
    generated::{selected::Family, values::ROUNDS},
};

/// A text that stands for the text of the function.
pub(super) struct Text {
    name: &'static str,
    text: String,
    excludes_overflow: bool,
}

impl Text {
    pub(super) fn new(name: &'static str, text: String) -> Text {
        Text { name, text, excludes_overflow: false }
    }
}

/// Checks every text that is made of the function.
pub(super) fn check(
    program: &Program,
    function: &Function,
    seed: u64,
    checked: &mut Checked,
) -> Result<(), Failure> {
    let mut texts = guarded("edited text", || Ok(of_plans(function)))?;
    if Family::Findings.is_selected() {
        texts.extend(guarded("fixed text", || Ok(of_findings(function)))?);
    }
    if Family::Simplify.is_selected() {
        texts.extend(guarded("simplified text", || Ok(of_simplification(function)))?);
    }
    checked.edited += texts.len() as u64;
    if Family::Printed.is_selected() {
        let indent = if program.text().contains("def make(") { 4 } else { 0 };
        let text = guarded("print", || Ok(tvmscript(&function.lowered.body, indent)))?;
        texts.push(Text::new("printed", text.trim_start().to_owned()));
    }
    compare(program, function, &texts, seed, checked)
}

/// Runs the function and other texts of it with each set of values.
pub(super) fn compare(
    program: &Program,
    function: &Function,
    texts: &[Text],
    seed: u64,
    checked: &mut Checked,
) -> Result<(), Failure> {
    for (at, instance) in program.instances().iter().enumerate() {
        let read = |text: &str| functions_of("instance", &instance.file(text)).pop();
        checked.instances += 1;
        let runs = |it: &Function| is_understood(it) && !keeps_text(&it.lowered.body);
        let Some(original) = read(function.text()).filter(runs) else {
            checked.ill_typed_instances += 1;
            continue;
        };
        let mut variants = Vec::new();
        for text in texts {
            let name = text.name;
            let Some(other) = read(&text.text) else {
                return failure(format!("{name}, with values: lost"), instance.file(&text.text));
            };
            if !is_understood(&other) {
                let what =
                    format!("{:?}\n{}", other.lowered.diagnostics, instance.file(&text.text));
                return failure(format!("{name}, with values: diagnostics"), what);
            }
            let excludes_overflow = text.excludes_overflow;
            variants.push(Variant { name, body: other.lowered.body, excludes_overflow });
        }
        // Each instance gets some of the sets of arguments.
        let rounds = 2 * at % (ROUNDS.len() - 1);
        let arguments = (seed ^ (at as u64) << 48, rounds..rounds + 2);
        super::compare(program, &original.lowered.body, &variants, arguments, checked)?;
    }
    Ok(())
}

/// Returns true if a statement is kept by its text: with these values it cannot be read, and no diagnostic says so if
/// other names are unknown.
fn keeps_text(body: &Body) -> bool {
    body.ops_preorder().any(|op| matches!(body.ops[op].kind, OpKind::Opaque(_)))
}

/// The texts that the plans edit.
fn of_plans(function: &Function) -> Vec<Text> {
    let lowered = &function.lowered;
    let occurrences = Occurrences::collect(&lowered.body);
    let mut texts: Vec<Text> = Vec::new();
    for (name, options) in selected_options() {
        let plan = lowered.source_map.with_view(|view| {
            cse::plan(
                &Analyses::of(&lowered.body, &occurrences, EffectTable::builtin()),
                Some(view),
                &options,
            )
        });
        let edit = cse_edits(function.written(&occurrences), &plan, Selection::All);
        let text = edit.apply(function.text());
        if !edit.is_empty() && texts.iter().all(|it| it.text != text) {
            texts.push(Text::new(name, text));
        }
    }
    texts
}

/// The text after all fixes of findings that can be done together. Those that rest on conditions take for granted that
/// no sum overflows.
fn of_findings(function: &Function) -> Option<Text> {
    let lowered = &function.lowered;
    let body = &lowered.body;
    let occurrences = Occurrences::collect(body);
    let kinds = FindingKind::ALL.iter().copied().filter(|it| *it != FindingKind::MissingNoalias);
    let options = FindingOptions { kinds: FindingKinds::from_iter(kinds), loop_invariant_cost: 1 };
    let found = lowered.source_map.with_view(|view| {
        findings::findings(
            &Analyses::of(body, &occurrences, EffectTable::builtin()),
            Some(view),
            &options,
        )
    });
    let fixes: Vec<&FindingFix> = findings::compatible(body, &occurrences, &found)
        .into_iter()
        .filter_map(|it| it.fix.as_ref())
        .collect();
    let (_, environment) = function.source();
    let edited = function.edited(&environment, &occurrences);
    let rewritten =
        |fixes: &[&FindingFix]| findings::apply_fixes(body, &occurrences, fixes.iter().copied());
    let edit = checked_finding_edits(edited, &fixes, &rewritten).edit;
    let text = (!edit.is_empty()).then(|| edit.apply(function.text()));
    text.map(|text| Text { excludes_overflow: true, ..Text::new("fixed text", text) })
}

/// The text after simplification.
fn of_simplification(function: &Function) -> Option<Text> {
    let lowered = &function.lowered;
    let occurrences = Occurrences::collect(&lowered.body);
    let plan = lowered.source_map.with_view(|view| {
        plan(
            &Analyses::of(&lowered.body, &occurrences, EffectTable::builtin()),
            Some(view),
            &SimplifyOptions::default(),
        )
    });
    let rewritten =
        |is_done: &[bool]| rewrite_items(&lowered.body, &occurrences, &plan, |at| is_done[at]);
    let (_, environment) = function.source();
    let edited = function.edited(&environment, &occurrences);
    let edit = checked_simplify_edits(edited, &plan, |_| true, &rewritten).edit;
    let text = (!edit.is_empty()).then(|| edit.apply(function.text()));
    text.map(|text| Text { excludes_overflow: true, ..Text::new("simplified text", text) })
}

/// Numbers of lanes are written as they were, and nothing new has one.
pub(super) fn keep_lanes(body: &Body, variants: &[Variant]) -> Result<(), Failure> {
    let before = lanes(body);
    for variant in variants {
        if let Some(new) = lanes(&variant.body).difference(&before).next() {
            let what = format!("`{new}`\n{}", tvmscript(&variant.body, 0));
            return failure(format!("{}: another number of lanes", variant.name), what);
        }
    }
    Ok(())
}

/// The operands that say how many lanes a vector has.
fn lanes(body: &Body) -> BTreeSet<String> {
    let lanes_of = |kind| match kind {
        ExprKind::Ramp { lanes, .. } | ExprKind::Broadcast { lanes, .. } => Some(lanes),
        _ => None,
    };
    Occurrences::collect(body)
        .iter()
        .filter_map(|(_, it)| lanes_of(body.expr(it.expr).kind))
        .map(|it| expr_text(body, it))
        .collect()
}
