//! Inlining a name: here, or everywhere.
//!
//! Offered where a binding or a use of it is; where it would be wrong, the action says why instead of what it would do.

use db::RootDatabase;
use frontend::tvmscript::{DefinitionKind, finding_edits};
use ir::{ValueId, plan::finding::FindingFix};
use syntax::{Edit, TextRange};
use transform::inline::{Obstacle, Uses, inline, uses_of};

use crate::{
    code_actions::{ActionKind, CodeAction},
    function_at::FunctionAt,
    plan_text::PlanText,
};

/// The actions for the name that a range touches.
pub(crate) fn inline_actions(
    db: &RootDatabase,
    at: FunctionAt<'_>,
    range: TextRange,
) -> Vec<CodeAction> {
    let map = db::source_map(db, at.function);
    let Some(offset) = range.start().checked_sub(at.start) else { return Vec::new() };
    let Some((mention, id)) = map.mention_at(offset) else { return Vec::new() };
    let definition = map.definition(id);
    let Some(value) = definition.value.filter(|_| definition.kind == DefinitionKind::Binding)
    else {
        return Vec::new();
    };
    let (body, occurrences) = (db::body(db, at.function), db::occurrences(db, at.function));
    let name = &definition.name;
    let uses = uses_of(body, occurrences, value);
    let here = uses.iter().copied().find(|&it| map.occurrence_range(it) == mention);
    let mut res = Vec::new();
    if let Some(here) = here.filter(|_| uses.len() > 1) {
        res.push(action(db, at, value, Uses::One(here), format!("Inline `{name}` here")));
    }
    let n = uses.len();
    let everywhere = match n {
        0 => return res,
        1 => format!("Inline `{name}`"),
        n => format!("Inline `{name}` at all {n} uses"),
    };
    res.push(action(db, at, value, Uses::All, everywhere));
    res
}

fn action(
    db: &RootDatabase,
    at: FunctionAt<'_>,
    value: ValueId,
    uses: Uses,
    title: String,
) -> CodeAction {
    let (body, occurrences) = (db::body(db, at.function), db::occurrences(db, at.function));
    let (edits, disabled) = match inline(body, occurrences, value, uses) {
        Ok(fix) => match edits(db, at, &fix) {
            Some(edits) => (edits, None),
            None => (Vec::new(), Some(NO_TEXT.to_owned())),
        },
        Err(obstacle) => (Vec::new(), Some(reason(db, at, obstacle))),
    };
    CodeAction { title, kind: ActionKind::Inline, is_preferred: false, edits, disabled }
}

const NO_TEXT: &str = "a use is not written in the text, shares its text with another, or a name of the value means something else there";

fn edits(db: &RootDatabase, at: FunctionAt<'_>, fix: &FindingFix) -> Option<Vec<Edit>> {
    let green = &at.function.source(db).green;
    let found = finding_edits(db::lowered(db, at.function), green, [fix]);
    let edits = found.edit.into_edits().into_iter();
    let edits = edits.map(|it| Edit { range: at.to_file(it.range), ..it }).collect();
    found.is_done.first().copied().unwrap_or_default().then_some(edits)
}

fn reason(db: &RootDatabase, at: FunctionAt<'_>, obstacle: Obstacle) -> String {
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
        Obstacle::NoUse => "it has no use here".to_owned(),
        Obstacle::WriteBetween { by, .. } => {
            let text = PlanText::new(db, at.function);
            match by {
                Some(op) => format!(
                    "what its value reads may be written on line {} of the function",
                    text.line(text.map.op_range(op).start()) + 1
                ),
                None => "what its value reads may be written before a use".to_owned(),
            }
        }
    }
}
