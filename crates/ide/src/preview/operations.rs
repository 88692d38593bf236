//! A function of MLIR or PIR before and after its plan: the text of the user, and the same with all edits of the plan.
//!
//! In: an offset, passes. Out: [`PassPreview`]. O(function).

use db::{RootDatabase, Unit};
use transform::passes::Pass;

use super::{PassPreview, Stage};
use crate::plan_text::operations::PlanWords;

/// A text of MLIR or PIR before and after passes. `cse` gives it after the plan, with the notes about it.
pub fn preview_operations(
    function: &str,
    before: &str,
    passes: &[Pass],
    cse: impl Fn() -> (String, Vec<String>),
) -> PassPreview {
    let mut current = before.to_owned();
    let mut stages: Vec<Stage> = Vec::new();
    for &pass in passes {
        let (mut is_changed, mut notes) = (false, Vec::new());
        if pass != Pass::Cse {
            notes.push(format!("pass `{}` is for TVMScript", pass.name()));
        } else if stages.iter().all(|it| it.pass != pass.name()) {
            (current, notes) = cse();
            is_changed = current != before;
        }
        stages.push(Stage {
            pass: pass.name().into(),
            text: current.clone(),
            is_changed,
            notes,
            refusal: None,
        });
    }
    PassPreview { function: function.to_owned(), before: before.to_owned(), stages }
}

/// None of a unit that has no plan.
pub(super) fn view(db: &RootDatabase, unit: Unit<'_>, passes: &[Pass]) -> Option<PassPreview> {
    let words = PlanWords::new(db, unit)?;
    let cse = || {
        let Some(checked) = db::op_fixes(db, unit) else { return (words.text.to_owned(), vec![]) };
        let done = words.plan.actions.iter().zip(&checked.is_done).filter(|it| *it.1);
        let after = checked.edits.apply(words.text);
        (after, done.map(|(it, _)| words.sentence(it)).collect())
    };
    Some(preview_operations(unit.name(db), words.text, passes, cse))
}
