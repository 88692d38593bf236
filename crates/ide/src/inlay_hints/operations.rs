//! Hints of operations: at an operation that computes what another already has, which one; at one that could stand
//! somewhere else, where; at one that nothing needs, that.
//!
//! ```text
//! %3 = arith.addi %a, %b : i32‹ = %1 (line 8)›
//! ```

use db::{PlacedUnit, RootDatabase, SourceFile};
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
        // The whole of what a hint is about, before its place in that is looked for.
        let is_near = |place: TextRange| {
            range.is_none_or(|range| range.intersect(at.to_file(place)).is_some())
        };
        // One that cannot be worded costs itself.
        let hint = |place: HintPlace| {
            let offset = at.to_file(TextRange::empty(place.offset)).start();
            if range.is_some_and(|it| !it.contains_inclusive(offset)) {
                return None;
            }
            let (mut label, tooltip) = item(at.unit.name(db), || {
                let tooltip = config.tooltips.then(|| tooltip(&words, &place));
                (label(&words, &place), tooltip)
            })?;
            for part in &mut label {
                part.target = part.target.map(|it| at.to_file(it));
            }
            Some(InlayHint { offset, label, tooltip })
        };
        hint_places(&words, config, is_near).filter_map(hint).collect()
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
struct HintPlace {
    offset: TextSize,
    what: What,
}

/// The places of the hints about what is near, in the order of the plan. O(plan), and what is near: a request is about
/// a screen, so nothing is kept of a whole unit.
fn hint_places<'w>(
    words: &'w PlanWords<'_>,
    config: &InlayHintsConfig,
    is_near: impl Fn(TextRange) -> bool + Copy + 'w,
) -> impl Iterator<Item = HintPlace> + 'w {
    let action = move |(number, it): (u32, &OpAction)| {
        ir::interrupt::check();
        let offset = match &it.change {
            OpChange::Argument { .. } | OpChange::RemoveArgument { .. } => {
                // Behind the argument.
                let place = words.action_place(it);
                (is_near(place) && !place.is_empty()).then(|| place.end())
            }
            _ => behind(words, it.op, is_near),
        };
        Some(HintPlace { offset: offset?, what: What::Action(number) })
    };
    let refusal = move |(number, it): (u32, &OpRefusal)| {
        ir::interrupt::check();
        let offset = behind(words, it.op, is_near)?;
        Some(HintPlace { offset, what: What::Refusal(number) })
    };
    let refusals = if config.all { &words.plan.refusals[..] } else { &[] };
    let actions = (0..).zip(&words.plan.actions).filter_map(action);
    actions.chain((0..).zip(refusals).filter_map(refusal))
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

/// Behind an operation of one line, else behind its name; none if it is not near, or not in the text.
fn behind(
    words: &PlanWords<'_>,
    op: ir::OpId,
    is_near: impl Fn(TextRange) -> bool,
) -> Option<TextSize> {
    let (whole, name) = (words.map.op(op), words.place(op));
    if name.is_empty() || !is_near(whole) {
        return None;
    }
    let has_lines = words.text[whole].contains('\n');
    Some(if has_lines { name.end() } else { whole.end() })
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
