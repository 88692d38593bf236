//! Units of operations: read, planned, edited.
//!
//! In: a unit of a tree or of a text, and the tables of its dialects. Out: its body, the plan for equal and dead
//! operations, and edits of its text. O(unit) a step, times the readings of edits.

use frontend::{
    language::{self, TextUnit, UnitInput},
    mlir,
    ops::{self, CheckedEdits, Edited, Lowered, Severity, codes::UNKNOWN_OPERATION},
};
use ir::{
    Body,
    effects::{EffectTable, MatchKind},
    guard::{Panicked, Stage, guarded},
    plan::{Preset, ops::OpPlan},
};
use syntax::{Diagnostic, Language, UnitSource};
use transform::ops::{OpOptions, rewrite, with_needs};

use crate::Dialects;

/// Lowers a unit of a tree; none if nothing is made of it.
pub fn lower(
    source: &UnitSource,
    text: &str,
    aliases: &mlir::Aliases,
    dialects: &Dialects,
) -> Option<Lowered> {
    let (kind, green, shapes) = (source.kind, &source.green, &*dialects.shapes);
    let operations = language::operations(green.language())?;
    let mut lowered = (operations.lower)(&UnitInput { kind, green, text, aliases, shapes })?;
    retain_undeclared(&mut lowered, green.language(), text, dialects);
    Some(lowered)
}

/// Runs the lowering of a unit; a mistake of ours leaves an empty body and a diagnostic where its name is written.
pub fn guarded_lowering<T: From<Lowered>>(
    source: &UnitSource,
    lower: impl FnOnce() -> Option<T>,
) -> Option<T> {
    guarded(Stage::Reading, &source.name, lower).unwrap_or_else(|panicked| {
        let dialect = language::of(source.green.language()).dialect;
        let mut lowered = Lowered::not_read(&panicked, dialect);
        lowered.diagnostics.iter_mut().for_each(|it| it.range = source.name_range);
        Some(lowered.into())
    })
}

/// Drops the diagnostics of operations that the user has declared; for operations without a known form, keeps a
/// diagnostic about the form.
pub fn retain_undeclared(
    lowered: &mut Lowered,
    language: Language,
    text: &str,
    dialects: &Dialects,
) {
    let Dialects { shapes, effects, .. } = dialects;
    let namespace = language::of(language).namespace;
    lowered.diagnostics.retain_mut(|it| {
        let written = &text[std::ops::Range::<usize>::from(it.range)];
        let name = shapes.full_name(written.trim_matches('"'));
        let is_told = it.code == UNKNOWN_OPERATION
            && effects.explain(namespace, name).kind != MatchKind::Default;
        let is_pretty = !written.starts_with('"');
        if is_told && is_pretty && shapes.shape_of(name).is_none() {
            *it = mlir::unread_operation(name, it.range);
            return true;
        }
        !is_told
    });
}

/// Lowers the units of a text, one after the other, without a tree. Bodies need not know the names of values.
pub fn each_unit(
    text: &str,
    language: Language,
    dialects: &Dialects,
    take: &mut dyn FnMut(TextUnit<'_>),
) {
    if let Some(operations) = language::operations(language) {
        (operations.units)(text, &dialects.shapes, take);
    }
}

/// Returns the first error about a unit: what is made of its body is not what its author means.
pub fn first_error(lowered: &Lowered) -> Option<&Diagnostic> {
    lowered.diagnostics.iter().find(|it| it.severity == Severity::Error)
}

/// Plans what is done about equal and dead operations.
pub fn plan(body: &Body, effects: &EffectTable, options: &OpOptions) -> OpPlan {
    transform::ops::plan(body, effects, options)
}

/// Returns true if the edits of a preset leave the meaning of a text alone: Paddle's rules take constants for equal
/// that were printed with six digits.
pub fn is_exact(preset: Preset) -> bool {
    preset != Preset::Pir
}

/// The editor of a unit.
#[derive(Clone, Copy)]
pub struct Editor<'a> {
    /// Its text.
    pub text: &'a str,
    /// The result of lowering it, without errors.
    pub lowered: &'a Lowered,
    /// Reads an edited text of it.
    pub reread: &'a dyn Fn(&str) -> Option<Lowered>,
}

impl Editor<'_> {
    /// Returns the edits that do as much of a plan as reads back.
    pub fn apply(&self, plan: &OpPlan) -> CheckedEdits {
        let Editor { text, lowered, reread } = *self;
        let body = &lowered.body;
        let edited = Edited {
            text,
            lowered,
            reread,
            is_foreseen: &|edits, plan| {
                let operations = language::operations_of(body.dialect);
                operations.is_some_and(|it| (it.is_foreseen)(text, lowered, edits, plan))
            },
            rewritten: &|plan| rewrite(body, plan),
            with_needs: &|plan, wanted| with_needs(body, plan, wanted.iter().copied()),
        };
        ops::checked_edits(edited, plan)
    }

    /// As [`Editor::apply`].
    ///
    /// # Errors
    /// A mistake of ours, with a report.
    pub fn try_apply(&self, plan: &OpPlan) -> Result<CheckedEdits, Panicked> {
        guarded(Stage::Rewriting, &self.lowered.body.name, || self.apply(plan))
    }
}
