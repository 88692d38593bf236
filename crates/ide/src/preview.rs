//! A function before and after each of some passes.
//!
//! In: a body, or the function at a place, and passes in order. Out: [`PassPreview`]: the function as text before the
//! first pass and after each, with the notes of each pass, for a virtual document and for the command line. Texts of
//! TVMScript are printed from the IR, so that only changes of a pass differ; those of MLIR and PIR are the user's,
//! edited.

mod expressions;
mod operations;

use std::borrow::Cow;

use db::{RootDatabase, SourceFile};
use syntax::{Form, TextSize};
use transform::passes::Pass;

pub use self::{expressions::preview, operations::preview_operations};

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
    pub pass: Cow<'static, str>,
    /// Its text.
    pub text: String,
    /// True if the pass changed the function.
    pub is_changed: bool,
    /// The notes of the pass, one line each.
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

/// The unit at an offset before and after each of some passes, as its settings say; none where the offset is in nothing
/// that has a plan.
pub(crate) fn view_passes(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
    passes: &[Pass],
) -> Option<PassPreview> {
    let unit = db::unit_at(db, file, offset)?.shown(db).unit;
    match unit.form(db) {
        Form::Expressions => {
            let configuration = unit.configuration(db);
            let effects = &configuration.dialects(db).effects;
            let sharing = &configuration.options(db).cse;
            Some(preview(db::body(db, unit), effects, passes, sharing))
        }
        Form::Operations => operations::view(db, unit, passes),
    }
}
