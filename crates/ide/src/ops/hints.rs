//! Inlay hints of MLIR: at an operation that computes what another already has, which one; at one that could stand somewhere else,
//! where; at one that nothing needs, that.
//!
//! ```text
//! %3 = arith.addi %a, %b : i32‹ = %1 (line 8)›
//! ```

use db::{Db, OpUnit, RootDatabase, SourceFile};
use ir::plan::ops::{OpAction, OpChange, OpRefusal};
use syntax::{TextRange, TextSize};

use super::plan_words::PlanWords;
use crate::inlay_hints::{InlayHint, InlayHintsConfig, LabelPart};

/// The hints of a file, or of a part of it.
pub(crate) fn inlay_hints(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
    config: &InlayHintsConfig,
) -> Vec<InlayHint> {
    let mut res = Vec::new();
    for at in db::placed_units(db, file) {
        if range.is_some_and(|range| at.range.intersect(range).is_none()) {
            continue;
        }
        let hints = unit_hints(db, at.unit).iter().filter(|it| config.all || !it.is_refusal);
        for UnitHint { hint, .. } in hints {
            let offset = at.to_file(TextRange::empty(hint.offset)).start();
            if range.is_some_and(|it| !it.contains_inclusive(offset)) {
                continue;
            }
            let label = hint.label.iter().map(|part| LabelPart {
                target: part.target.map(|it| at.to_file(it)),
                ..part.clone()
            });
            res.push(InlayHint { offset, label: label.collect(), tooltip: hint.tooltip.clone() });
        }
    }
    // Those of a frame stand around those of its functions.
    res.sort_by_key(|it| it.offset);
    res.truncate(config.limit);
    res
}

/// A hint of a unit, relative to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct UnitHint {
    hint: InlayHint,
    /// Whether it says why something is not done.
    is_refusal: bool,
}

/// The hints of a unit, in text order.
#[salsa::tracked(returns(ref), no_eq)]
pub(crate) fn unit_hints<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Vec<UnitHint> {
    let Some(words) = PlanWords::new(db, unit) else { return Vec::new() };
    let actions = words.plan.actions.iter().filter(|it| words.is_written(it));
    let refusals = words.plan.refusals.iter().filter(|it| words.map.is_written(it.op));
    let mut hints: Vec<UnitHint> = actions
        .map(|it| UnitHint { hint: action_hint(&words, it), is_refusal: false })
        .chain(refusals.map(|it| UnitHint { hint: refusal_hint(&words, it), is_refusal: true }))
        .collect();
    hints.sort_by_key(|it| it.hint.offset);
    hints
}

fn action_hint(words: &PlanWords<'_>, action: &OpAction) -> InlayHint {
    let target = words.other_place(action);
    let text = match &action.change {
        OpChange::Merge { into }
        | OpChange::MergeWithCopies { into, .. }
        | OpChange::MergeUses { into, .. } => {
            format!("= {}", words.results(*into))
        }
        OpChange::Delete => "not needed".to_owned(),
        OpChange::Hoist { .. } => "could stand earlier".to_owned(),
        OpChange::Argument { value, .. } => format!("= {}", words.value(*value)),
    };
    let mut label = vec![LabelPart { text, target, names_line: false }];
    if target.is_some() {
        label.push(LabelPart { text: String::new(), target, names_line: true });
    }
    InlayHint { offset: offset_of(words, action), label, tooltip: words.reason(action) }
}

/// Behind an operation of one line, else behind its name; behind a block argument.
fn offset_of(words: &PlanWords<'_>, action: &OpAction) -> TextSize {
    match &action.change {
        OpChange::Argument { .. } => words.action_place(action).end(),
        _ => behind(words, action.op),
    }
}

fn behind(words: &PlanWords<'_>, op: ir::OpId) -> TextSize {
    let whole = words.map.op(op);
    let has_lines = words.root.text_in(whole).contains('\n');
    if has_lines { words.place(op).end() } else { whole.end() }
}

fn refusal_hint(words: &PlanWords<'_>, refusal: &OpRefusal) -> InlayHint {
    let target = refusal.obstacle.or(refusal.into).map(|it| words.place(it));
    let target = target.filter(|it| !it.is_empty());
    let text = refusal.kind.name().to_owned();
    let equal = match refusal.into {
        Some(into) => format!("`{}` looks like `{}`", words.op(refusal.op), words.results(into)),
        None => format!("`{}` stays", words.op(refusal.op)),
    };
    let tooltip = format!("{equal}, but: {} (`explain {0}` tells more).", refusal.kind.name());
    let label = vec![LabelPart { text, target, names_line: false }];
    InlayHint { offset: behind(words, refusal.op), label, tooltip }
}
