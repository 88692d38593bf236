//! Files of operations (MLIR): plans of equal and dead operations, as edits.
//!
//! In: a text, whose rules. Out: the edits of one round over all its units, or of all rounds until nothing is left. Units are lowered from the steps of the parse, one
//! at a time; no tree is made, and no more than one function is kept. Comments, names and layout stay.

use anyhow::{Context as _, bail};
use frontend::{
    mlir::{self, Shapes, Unit},
    ops::{self, Severity},
};
use ir::{effects::EffectTable, plan::ops::OpPreset};
use syntax::{Edit, Language, TextEdit, TextSize};
use transform::ops::{OpOptions, part, plan};

use crate::cli::{
    args::{CseArgs, LlvmVersion, PresetName},
    source::Source,
};

/// Rounds of the preset `default`: what moved may be equal to something it now stands beside.
const MAX_ROUNDS: usize = 16;

/// What is done to the operations of a file.
pub(crate) struct Done {
    pub(crate) edits: TextEdit,
    pub(crate) n_actions: usize,
    /// Units that were left as they are, and why.
    pub(crate) notes: Vec<String>,
}

/// Whether a file is one of operations, by its name and its text.
pub(crate) fn language(path: &std::path::Path, source: &Source) -> Language {
    Language::of_file(path, &source.text)
}

/// The rules that the command line asks for.
pub(crate) fn options(cse: &CseArgs, allow_unsound: bool) -> anyhow::Result<OpOptions> {
    let preset = match (cse.preset, cse.llvm) {
        (None | Some(PresetName::Default), _) => OpPreset::Default,
        (Some(PresetName::Mlir), None | Some(LlvmVersion::V19)) => OpPreset::Mlir19,
        (Some(PresetName::Mlir), Some(LlvmVersion::V24)) => OpPreset::Mlir24,
        (Some(PresetName::Tvm | PresetName::Tvm2022), _) => {
            bail!(
                "this is MLIR, and the preset is of TVM; use `--preset mlir` or `--preset default`"
            )
        }
    };
    Ok(OpOptions { preset, allow_unsound })
}

/// Refuses the presets of operations for files that have none.
pub(crate) fn refuse_for_tvmscript(cse: &CseArgs) -> anyhow::Result<()> {
    if cse.preset == Some(PresetName::Mlir) {
        bail!("the preset `mlir` is for files of MLIR, and this is TVMScript");
    }
    Ok(())
}

/// One round for a peer's rules, rounds until nothing is left for ours.
pub(crate) fn run(
    text: &str,
    options: &OpOptions,
    function: Option<&str>,
    limit: Option<usize>,
) -> anyhow::Result<Done> {
    let mut done = round(text, options, function, limit)?;
    if options.preset != OpPreset::Default || limit.is_some() {
        return Ok(done);
    }
    let mut now = done.edits.apply(text);
    for _ in 1..MAX_ROUNDS {
        let next = round(&now, options, function, None)?;
        if next.edits.is_empty() {
            break;
        }
        done.n_actions += next.n_actions;
        let after = next.edits.apply(&now);
        done.edits = done.edits.then(&now, &next.edits);
        now = after;
    }
    Ok(done)
}

fn round(
    text: &str,
    options: &OpOptions,
    function: Option<&str>,
    limit: Option<usize>,
) -> anyhow::Result<Done> {
    let mut round =
        Round { text, options, left: limit, edits: Vec::new(), n_actions: 0, notes: Vec::new() };
    mlir::lower_file(text, Shapes::builtin(), &mut |unit| {
        if function.is_none_or(|it| *unit.lowered.body.name == *it) {
            round.unit(&unit);
        }
    });
    let edits = TextEdit::from_edits(round.edits).context("functions inside each other")?;
    Ok(Done { edits, n_actions: round.n_actions, notes: round.notes })
}

struct Round<'a> {
    text: &'a str,
    options: &'a OpOptions,
    left: Option<usize>,
    edits: Vec<Edit>,
    n_actions: usize,
    notes: Vec<String>,
}

impl Round<'_> {
    fn unit(&mut self, unit: &Unit) {
        let body = &unit.lowered.body;
        let errors = unit.lowered.diagnostics.iter().filter(|it| it.severity == Severity::Error);
        if let Some(error) = errors.into_iter().next() {
            let name = if body.name.is_empty() { "the module" } else { &body.name };
            self.notes.push(format!("`{name}` is left as it is: {}", error.message));
            return;
        }
        let mut plan = plan(body, EffectTable::builtin(), self.options);
        if let Some(left) = self.left {
            if left < plan.actions.len() {
                plan = part(body, &plan, 0..left);
            }
            self.left = Some(left.saturating_sub(plan.actions.len()));
        }
        self.n_actions += plan.actions.len();
        let text = &self.text[unit.offset..];
        let edits = ops::edits(text, &unit.lowered.source_map, body, &plan);
        let start = TextSize::new(unit.offset as u32);
        let in_file = |it: Edit| Edit::replace(it.range + start, it.text);
        self.edits.extend(edits.into_edits().into_iter().map(in_file));
    }
}
