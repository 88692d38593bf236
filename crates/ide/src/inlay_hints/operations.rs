//! Hints of operations: at an operation that computes what another already has, which one; at one that could stand
//! somewhere else, where; at one that nothing needs, that.
//!
//! ```text
//! %3 = arith.addi %a, %b : i32‹ = %1 (line 8)›
//! ```

use db::{Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use ir::plan::ops::{OpAction, OpChange, OpRefusal};
use syntax::{TextRange, TextSize};

use super::{InlayHint, InlayHintsConfig, LabelPart};
use crate::{guarded::item, pace::Pace, plan_text::operations::PlanWords, units::of_units};

/// The hints of a file of operations, or of a part of it.
pub(super) fn inlay_hints(
    db: &RootDatabase,
    file: SourceFile,
    range: Option<TextRange>,
    config: &InlayHintsConfig,
    pace: &Pace<'_>,
) -> Vec<InlayHint> {
    let hints = |at: PlacedUnit<'_>| {
        if !pace.takes_next() {
            return Vec::new();
        }
        let Some(words) = PlanWords::new(db, at.unit) else { return Vec::new() };
        let places = hint_places(db, at.unit).iter();
        let places = places.filter(|it| config.all || !matches!(it.what, What::Refusal(_)));
        // One that cannot be worded costs itself.
        let hint = |place: &HintPlace| {
            let offset = at.to_file(TextRange::empty(place.offset)).start();
            if range.is_some_and(|it| !it.contains_inclusive(offset)) {
                return None;
            }
            let (mut label, tooltip) = item(at.unit.name(db), || {
                let tooltip = config.tooltips.then(|| tooltip(&words, place));
                (label(&words, place), tooltip)
            })?;
            for part in &mut label {
                part.target = part.target.map(|it| at.to_file(it));
            }
            Some(InlayHint { offset, label, tooltip })
        };
        places.filter_map(hint).collect()
    };
    let mut res: Vec<_> = of_units(db, file, range, hints).flatten().collect();
    // Those of a frame stand around those of its functions.
    res.sort_by_key(|it| it.offset);
    res.truncate(config.limit);
    res
}

/// The planned item that a hint is about, by its number in the plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum What {
    Action(u32),
    Refusal(u32),
}

/// The place where a hint of a unit stands, relative to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HintPlace {
    offset: TextSize,
    what: What,
}

/// The places of the hints of a unit, in text order. Their texts are made for the visible ones.
#[salsa::tracked(returns(ref), no_eq)]
pub(crate) fn hint_places<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<HintPlace> {
    let Some(words) = PlanWords::new(db, unit) else { return Vec::new() };
    let actions = (0..).map(What::Action).zip(&words.plan.actions);
    let refusals = (0..).map(What::Refusal).zip(&words.plan.refusals);
    let mut places: Vec<HintPlace> = actions
        .filter(|(_, it)| words.is_written(it))
        .map(|(what, it)| HintPlace { offset: offset_of(&words, it), what })
        .collect();
    let refused = refusals.filter(|(_, it)| words.map.is_written(it.op));
    places.extend(refused.map(|(what, it)| HintPlace { offset: behind(&words, it.op), what }));
    places.sort_by_key(|it| it.offset);
    places
}

/// The label of a hint, with places relative to the unit.
fn label(words: &PlanWords<'_>, place: &HintPlace) -> Vec<LabelPart> {
    match place.what {
        What::Action(it) => of_action(words, &words.plan.actions[it as usize]),
        What::Refusal(it) => of_refusal(words, &words.plan.refusals[it as usize]),
    }
}

fn tooltip(words: &PlanWords<'_>, place: &HintPlace) -> String {
    match place.what {
        What::Action(it) => words.reason(&words.plan.actions[it as usize]),
        What::Refusal(it) => refused(words, &words.plan.refusals[it as usize]),
    }
}

fn of_action(words: &PlanWords<'_>, action: &OpAction) -> Vec<LabelPart> {
    let target = words.other_place(action);
    let text = match &action.change {
        OpChange::Merge { into }
        | OpChange::MergeWithCopies { into, .. }
        | OpChange::MergeUses { into, .. } => {
            format!("= {}", words.results(*into))
        }
        OpChange::Delete | OpChange::RemoveArgument { .. } => "not needed".to_owned(),
        OpChange::Hoist { before } => format!("could stand before {}", words.op(*before)),
        OpChange::Argument { value, .. } => format!("= {}", words.value(*value)),
    };
    let mut label = vec![LabelPart { text, target, names_line: false }];
    if target.is_some() {
        label.push(LabelPart { text: String::new(), target, names_line: true });
    }
    label
}

/// Behind an operation of one line, else behind its name; behind a block argument.
fn offset_of(words: &PlanWords<'_>, action: &OpAction) -> TextSize {
    match &action.change {
        OpChange::Argument { .. } | OpChange::RemoveArgument { .. } => {
            words.action_place(action).end()
        }
        _ => behind(words, action.op),
    }
}

fn behind(words: &PlanWords<'_>, op: ir::OpId) -> TextSize {
    let whole = words.map.op(op);
    let has_lines = words.text[whole].contains('\n');
    if has_lines { words.place(op).end() } else { whole.end() }
}

fn of_refusal(words: &PlanWords<'_>, refusal: &OpRefusal) -> Vec<LabelPart> {
    let target = refusal.obstacle.or(refusal.into).map(|it| words.place(it));
    let target = target.filter(|it| !it.is_empty());
    let text = refusal.kind.name().to_owned();
    vec![LabelPart { text, target, names_line: false }]
}

fn refused(words: &PlanWords<'_>, refusal: &OpRefusal) -> String {
    let equal = match refusal.into {
        Some(into) => format!("`{}` looks like `{}`", words.op(refusal.op), words.results(into)),
        None => format!("`{}` stays", words.op(refusal.op)),
    };
    format!("{equal}, but: {} (`explain {0}` tells more).", refusal.kind.name())
}
