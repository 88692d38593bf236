//! Diagnostics of a file: what cannot be read, what lowering says, what the facts tell (dead stores, conditions that
//! are always true …), and, as hints, what could be computed once or not at all.
//!
//! Nothing outside the units is reported: in a file of Python, that is the business of the Python tools.

mod expressions;
mod instances;
mod once;
mod operations;
mod operations_not_known;

use std::ops::Range;

use db::{Database as _, Db, PlacedUnit, RootDatabase, SourceFile, Unit};
use frontend::tvmscript::diagnostics::{INTERNAL_ERROR, internal_error};
use syntax::{Diagnostic, Form, TextSize};

pub(crate) use self::expressions::function_diagnostics;
use self::{instances::Instances, operations_not_known::OperationsNotKnown};
use crate::{
    diagnostic::DiagnosticsConfig,
    names,
    pace::Pace,
    simplifications,
    units::{n_units, try_units},
};

/// Returns the problems in the units of a file, and the values that could be shared.
pub(crate) fn diagnostics(
    db: &RootDatabase,
    file: SourceFile,
    config: &DiagnosticsConfig,
    pace: &Pace<'_>,
) -> Vec<Diagnostic> {
    let mut in_file = InFile::default();
    in_file.add(db, file, config, 0..usize::MAX, pace);
    in_file.finish(db, file, config)
}

/// Like [`diagnostics`], for a file that is queried once: the results for some functions are dropped before the next.
pub(crate) fn diagnostics_once(
    db: &mut RootDatabase,
    file: SourceFile,
    config: &DiagnosticsConfig,
) -> Vec<Diagnostic> {
    /// Finding a part is linear in the units before it: with so many parts that is negligible, and the memory of one
    /// part is a small fraction of the whole.
    const MAX_PARTS: usize = 64;
    db.keep_few();
    keep(db, db::FEW);
    let n = n_units(db, file);
    let step = (n / MAX_PARTS).max(db::FEW);
    let mut in_file = InFile::default();
    for first in (0..n).step_by(step) {
        in_file.add(db, file, config, first..first + step, &Pace::default());
        db.forget(file);
    }
    in_file.finish(db, file, config)
}

/// Sets how many results the queries about units keep; see [`RootDatabase::keep_few`].
fn keep(db: &mut dyn Db, n: usize) {
    expressions::keep(db, n);
    operations::keep(db, n);
    names::marks::keep(db, n);
    simplifications::keep(db, n);
}

/// Computes what is told of a unit.
pub(crate) fn warm(db: &dyn Db, unit: Unit<'_>) {
    match unit.form(db) {
        Form::Expressions => expressions::warm(db, unit),
        Form::Operations => {
            operations::unit_diagnostics(db, unit);
        }
    }
}

/// The diagnostics of a file as they are collected.
#[derive(Default)]
struct InFile {
    found: Vec<Diagnostic>,
    not_known: OperationsNotKnown,
}

impl InFile {
    /// Adds those of some units, by their numbers in the order of the text.
    fn add(
        &mut self,
        db: &RootDatabase,
        file: SourceFile,
        config: &DiagnosticsConfig,
        numbers: Range<usize>,
        pace: &Pace<'_>,
    ) {
        let InFile { found, not_known } = self;
        let instances = (!config.instances).then(|| Instances::of(db, file));
        let of_unit = |at: PlacedUnit<'_>| {
            if !pace.takes_next() {
                return Vec::new();
            }
            db.unwind_if_revision_cancelled();
            match at.unit.form(db) {
                Form::Expressions => match &instances {
                    None => function_diagnostics(db, &at.shown(db), config),
                    Some(instances) => {
                        let mut told = function_diagnostics(db, &at, config);
                        instances.add_mistakes(db, &at, config, &mut told);
                        told
                    }
                },
                Form::Operations => operations::diagnostics(db, &at, config, not_known),
            }
        };
        for (at, of_unit) in try_units(db, file, numbers, of_unit) {
            let name = at.to_file(at.unit.name_range(db));
            found.extend(of_unit.unwrap_or_else(|it| vec![internal_error(&it, name)]));
        }
    }

    /// All of them, in the order of the text.
    fn finish(
        self,
        db: &RootDatabase,
        file: SourceFile,
        config: &DiagnosticsConfig,
    ) -> Vec<Diagnostic> {
        let mut res = self.found;
        res.extend(self.not_known.finish());
        res.extend(expressions::redefined_functions(db, file));
        if res.len() > config.limit {
            // The worst first, then as in the text.
            res.sort_by_key(|it| (it.severity, it.range.start(), it.range.end()));
            res.truncate(config.limit);
        }
        res.sort_by_key(|it| (it.range.start(), it.range.end(), it.severity));
        res
    }
}

/// Returns the syntax errors of a unit, relative to it.
fn syntax_errors(db: &dyn Db, unit: Unit<'_>) -> Vec<Diagnostic> {
    db::syntax_errors(db, unit).into_iter().map(Diagnostic::from).collect()
}

/// Returns the reports of internal errors in the unit at an offset.
pub(crate) fn internal_errors(
    db: &RootDatabase,
    file: SourceFile,
    offset: TextSize,
) -> Vec<String> {
    let Some(at) = db::unit_at(db, file, offset) else { return Vec::new() };
    let config = DiagnosticsConfig::default();
    let found = match at.unit.form(db) {
        Form::Expressions => function_diagnostics(db, &at, &config),
        // What is told of a function may be its frame's business.
        Form::Operations => {
            let mut in_file = InFile::default();
            in_file.add(db, file, &config, 0..usize::MAX, &Pace::default());
            in_file.found
        }
    };
    let found = found.into_iter().filter(|it| at.range.contains_range(it.range));
    let ours = found.filter(|it| it.code == INTERNAL_ERROR);
    ours.map(|it| format!("{}\n  {}", it.message, it.help.unwrap_or_default())).collect()
}
