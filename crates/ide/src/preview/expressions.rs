//! A function of statements before and after passes: its text is printed from the IR, so that only what a pass changed
//! differs.

use ir::{
    Body, Occurrences,
    effects::EffectTable,
    guard::{self, guarded},
    plan::simplify::{Simplification, SimplifyPlan},
};
use pipeline::passes::{self, Done};
use transform::{cse::CseOptions, passes::Pass};

use super::{PassPreview, Stage};

/// The passes over one body. `sharing` are the options of [`Pass::Cse`].
pub fn preview(
    body: &Body,
    effects: &EffectTable,
    wanted: &[Pass],
    sharing: &CseOptions,
) -> PassPreview {
    let before = ir::print::tvmscript(body, 0);
    let mut stages: Vec<Stage> = Vec::new();
    let mut current: Option<Body> = None;
    for &pass in wanted {
        let from = current.as_ref().unwrap_or(body);
        let last = stages.last().map_or(&before, |it| &it.text);
        let work = || {
            let ran = passes::run(pass, from, effects, sharing);
            let (after, done) = ran.map_err(|it| it.report())?;
            let notes = match done {
                Done::Simplifications(done) => {
                    let (occurrences, plan) = &*done;
                    plan.items.iter().map(|it| note(occurrences, plan, it)).collect()
                }
                Done::Sharing(_) | Done::Fixes => Vec::new(),
            };
            Ok((ir::print::tvmscript(&after, 0), after, notes))
        };
        let done = guarded(guard::Stage::Planning, &body.name, work);
        let stage = |text: String, notes, refusal| {
            let is_changed = *last != text;
            Stage { pass: pass.name().into(), text, is_changed, notes, refusal }
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
