//! Inlining a name: here, or everywhere.
//!
//! Offered at a binding or at a use of it; where it would be wrong, the action gives the reason instead of its effect.

use db::{PlacedUnit, RootDatabase};
use frontend::tvmscript::{DefinitionKind, ReadBack};
use ir::ValueId;
use syntax::TextRange;
use transform::inline::{Obstacle, Uses, inline, uses_of};

use crate::{
    code_action::{ActionKind, CodeAction},
    plan_text::PlanText,
};

/// The actions for the name that a range touches.
pub(crate) fn inline_actions(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    range: TextRange,
    reading: ReadBack,
) -> Vec<CodeAction> {
    let map = db::source_map(db, at.unit);
    let Some(offset) = range.start().checked_sub(at.start()) else { return Vec::new() };
    let Some((mention, id)) = map.mention_at(offset) else { return Vec::new() };
    let definition = map.definition(id);
    let Some(value) = definition.value.filter(|_| definition.kind == DefinitionKind::Binding)
    else {
        return Vec::new();
    };
    let (body, occurrences) = (db::body(db, at.unit), db::occurrences(db, at.unit));
    let name = &definition.name;
    let uses = uses_of(body, occurrences, value);
    let here = uses.iter().copied().find(|&it| map.occurrence_range(it) == mention);
    let mut res = Vec::new();
    if let Some(here) = here.filter(|_| uses.len() > 1) {
        let title = format!("Inline `{name}` here");
        res.push(action(db, at, (value, Uses::One(here)), title, reading));
    }
    let n = uses.len();
    let everywhere = match n {
        0 => return res,
        1 => format!("Inline `{name}`"),
        n => format!("Inline `{name}` at all {n} uses"),
    };
    res.push(action(db, at, (value, Uses::All), everywhere, reading));
    res
}

fn action(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    (value, uses): (ValueId, Uses),
    title: String,
    reading: ReadBack,
) -> CodeAction {
    let disabled = match inline(&db::analyses(db, at.unit), value, uses) {
        Ok(fix) => {
            let found = db::fix_edits(db, at.unit, &fix, reading);
            match CodeAction::of(title.clone(), ActionKind::Inline, at, found) {
                Some(action) => return action,
                None => NO_TEXT.to_owned(),
            }
        }
        Err(obstacle) => reason(db, at, obstacle),
    };
    CodeAction { disabled: Some(disabled), ..CodeAction::without_edits(title, ActionKind::Inline) }
}

const NO_TEXT: &str = "a use is not written in the text, shares its text with another, or a name of the value means something else there";

fn reason(db: &RootDatabase, at: &PlacedUnit<'_>, obstacle: Obstacle) -> String {
    match obstacle {
        Obstacle::NoBinding => "it is no binding of one value".to_owned(),
        Obstacle::Impure => {
            "its value has a call that may have an effect or give another value each time"
                .to_owned()
        }
        Obstacle::NarrowInteger => {
            "C and CUDA cut narrow integers to their width only where they get a name".to_owned()
        }
        Obstacle::Seen { .. } => {
            "the bound beside it names it too, and shows an extent only together with it".to_owned()
        }
        Obstacle::Unread { .. } => {
            "its value would be read otherwise at a use: as a place, as a number of Python, or as \
             a divisor that is zero"
                .to_owned()
        }
        Obstacle::NoUse => "it has no use here".to_owned(),
        Obstacle::WriteBetween { by, .. } => {
            let text = PlanText::new(db, at.unit);
            match by {
                Some(op) => {
                    format!("memory that its value reads may be written by {}", text.statement(op))
                }
                None => "memory that its value reads may be written before a use".to_owned(),
            }
        }
    }
}
