//! Functions of statements: read, planned, edited.
//!
//! In: a function and what its captured names mean. Out: its body, the plans for it, and edits of its text. O(function)
//! a step, times the readings of edits.

mod editor;
mod planner;

use std::sync::Arc;

use dataflow::analyses::Analyses;
use frontend::tvmscript::{self, Environment, FileFunctions, FunctionSource, Lowered, Severity};
use ir::{Occurrences, effects::EffectTable, guard::Panicked};
use syntax::{Diagnostic, Parse};

pub use self::{editor::Editor, planner::Planner};

/// Returns the functions of a tree, whose calls have these effects.
pub fn functions(parse: &Parse, effects: &Arc<EffectTable>) -> FileFunctions {
    tvmscript::functions(parse).with_effects(effects.clone())
}

/// Lowers a function. A mistake of ours leaves an empty body and a diagnostic.
pub fn lower(source: &FunctionSource, environment: &dyn Environment) -> Lowered {
    tvmscript::lower(source, environment)
}

/// Lowers a function.
///
/// # Errors
/// A mistake of ours, with a report.
pub fn try_lower(
    source: &FunctionSource,
    environment: &dyn Environment,
) -> Result<Lowered, Panicked> {
    tvmscript::try_lower(source, environment)
}

/// Returns the first error about a function: what is made of its body is not what its author means.
pub fn first_error(lowered: &Lowered) -> Option<&Diagnostic> {
    lowered.diagnostics.iter().find(|it| it.severity == Severity::Error)
}

/// A function as it was read.
#[derive(Clone, Copy)]
pub struct Function<'a> {
    /// Its text.
    pub source: &'a FunctionSource,
    /// The meaning of its captured names.
    pub environment: &'a dyn Environment,
    /// The result of lowering it.
    pub lowered: &'a Lowered,
}

impl<'a> Function<'a> {
    /// Returns its analyses; each is computed when it is first asked for.
    pub fn analyses(&self, occurrences: &'a Occurrences) -> Analyses<'a> {
        Analyses::of(&self.lowered.body, occurrences, self.environment.effects())
    }

    /// Runs `run` with what plans it, as its text is now.
    pub fn with_planner<R>(
        &self,
        analyses: &Analyses<'_>,
        run: impl FnOnce(Planner<'_>) -> R,
    ) -> R {
        self.lowered.source_map.with_view(|view| run(Planner { analyses, view }))
    }
}
