//! A function before and after each of some passes.
//!
//! In: a body, or the function at a place, and passes in order. Out: [`PassPreview`]: the function as text before the first pass and after each,
//! with what each pass did, for a virtual document and for the command line. Texts of TVMScript are printed from the IR, so that only what a
//! pass changed differs; those of MLIR and PIR are the user's, edited.

use dataflow::analyses::Analyses;
use db::{RootDatabase, SourceFile};
use ir::{
    Body, Occurrences,
    effects::EffectTable,
    guard::{self, guarded},
    plan::simplify::{Simplification, SimplifyPlan},
};
use syntax::{Language, TextSize};
use transform::{
    broken::kept,
    passes::Pass,
    simplify::{self, SimplifyOptions},
};

use crate::{function_at::function_at, ops};

/// A function on its way through passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassPreview {
    /// Name of the function.
    pub function: String,
    /// Its text before the first pass.
    pub before: String,
    /// After each pass, in order.
    pub stages: Vec<Stage>,
}

/// A function after a pass.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Name of the pass.
    pub pass: &'static str,
    /// Its text.
    pub text: String,
    /// Whether the pass changed something.
    pub is_changed: bool,
    /// What the pass did, one line each, where it says so.
    pub notes: Vec<String>,
    /// The report of a mistake of ours, for which the pass did nothing.
    pub refusal: Option<String>,
}

impl PassPreview {
    /// The texts on both sides of a stage.
    pub fn sides(&self, stage: usize) -> Option<(&str, &str)> {
        let after = self.stages.get(stage)?;
        let before = match stage.checked_sub(1) {
            Some(it) => &self.stages[it].text,
            None => &self.before,
        };
        Some((before, &after.text))
    }
}

/// The passes over one body.
pub fn preview(body: &Body, effects: &EffectTable, passes: &[Pass]) -> PassPreview {
    let before = ir::print::tvmscript(body, 0);
    let mut stages: Vec<Stage> = Vec::new();
    let mut current: Option<Body> = None;
    for &pass in passes {
        let from = current.as_ref().unwrap_or(body);
        let last = stages.last().map_or(&before, |it| &it.text);
        let work = || {
            let (after, notes) = match pass {
                Pass::Simplify => simplified(from, effects),
                pass => (pass.run(from, effects), Vec::new()),
            };
            let after = kept(pass.name(), from, after).map_err(|it| it.report())?;
            Ok((ir::print::tvmscript(&after, 0), after, notes))
        };
        let done = guarded(guard::Stage::Planning, &body.name, work);
        let stage = |text: String, notes, refusal| {
            let is_changed = *last != text;
            Stage { pass: pass.name(), text, is_changed, notes, refusal }
        };
        match done.map_err(|it| it.report()).and_then(|it| it) {
            Ok((text, after, notes)) => {
                stages.push(stage(text, notes, None));
                current = Some(after);
            }
            Err(report) => stages.push(stage(last.clone(), vec![report.clone()], Some(report))),
        }
    }
    PassPreview { function: body.name.to_string(), before, stages }
}

fn simplified(body: &Body, effects: &EffectTable) -> (Body, Vec<String>) {
    let occurrences = Occurrences::collect(body);
    let plan = simplify::plan(
        &Analyses::of(body, &occurrences, effects),
        None,
        &SimplifyOptions::default(),
    );
    let after = simplify::rewrite(body, &occurrences, &plan);
    let notes = plan.items.iter().map(|it| note(&occurrences, &plan, it)).collect();
    (after, notes)
}

/// ``simplifiable: `x + 0` -> `x` (add-zero)``
fn note(occurrences: &Occurrences, plan: &SimplifyPlan, item: &Simplification) -> String {
    use ir::plan::simplify::Step;
    let text = |expr| ir::print::expr_text(&plan.grown, expr);
    let mut out = item.kind.name().to_owned();
    if let [Step::Replace { occurrence, with }] = item.steps[..] {
        out.push_str(&format!(": {} -> {}", text(occurrences[occurrence].expr), text(with)));
    }
    if !item.rules.is_empty() {
        out.push_str(&format!(" ({})", item.rules.join(", ")));
    }
    out
}

pub(crate) fn view_passes(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    passes: &[Pass],
) -> Option<PassPreview> {
    if db::language(db, file) != Language::TvmScript {
        return ops::preview::view_passes(db, file, offset, passes);
    }
    let (at, _) = function_at(db, file, offset)?;
    Some(preview(db::body(db, at.function), &db.dialects().effects, passes))
}
