//! Diagnostics of units of MLIR and PIR: what cannot be read, what lowering says, and, as hints, what is computed twice or for nothing.

use db::{Database as _, Db, OpUnit, PlacedUnit, RootDatabase, SourceFile};
use frontend::ops::{Diagnostic as Lowering, Severity};
use ir::plan::ops::{OpAction, OpChange};

use super::plan_words::PlanWords;
use crate::diagnostics::{Diagnostic, DiagnosticsConfig};

/// The diagnostics of a file.
pub(crate) fn diagnostics(
    db: &RootDatabase,
    file: SourceFile,
    config: &DiagnosticsConfig,
) -> Vec<Diagnostic> {
    let mut res = Vec::new();
    for at in db::placed_units(db, file) {
        db.unwind_if_revision_cancelled();
        let found = &unit_diagnostics(db, at.unit);
        if config.operations {
            let problems = found.problems.iter().map(|it| placed(&at, it, false));
            res.extend(problems.filter(|it| !at.is_of_function(it.range.start())));
        }
        if config.common_subexpressions {
            res.extend(
                found.plan.iter().map(|(it, is_dead)| Diagnostic {
                    is_fixable: true,
                    ..placed(&at, it, *is_dead)
                }),
            );
        }
    }
    res
}

fn placed(at: &PlacedUnit<'_>, it: &Lowering, is_unnecessary: bool) -> Diagnostic {
    let related = it.related.iter();
    Diagnostic {
        code: it.code,
        severity: it.severity,
        range: at.to_file(it.range),
        message: it.message.clone(),
        help: it.help.clone(),
        related: related.map(|(range, it)| (at.to_file(*range), it.clone())).collect(),
        is_unnecessary,
        is_fixable: false,
    }
}

/// What there is to say about a unit, relative to it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct UnitDiagnostics {
    /// What cannot be read, and what lowering says.
    problems: Vec<Lowering>,
    /// What could be shared or deleted, and whether it could go altogether.
    plan: Vec<(Lowering, bool)>,
}

/// What there is to say about a unit.
#[salsa::tracked(returns(ref), no_eq)]
pub(crate) fn unit_diagnostics<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> UnitDiagnostics {
    let mut problems = syntax_errors(db, unit);
    problems.extend(db::op_diagnostics(db, unit).iter().cloned());
    UnitDiagnostics { problems, plan: plan(db, unit) }
}

/// What cannot be read. What is wrong with the header of a function is the function's.
fn syntax_errors<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Vec<Lowering> {
    let errors = syntax::syntax_errors(&unit.source(db).green.syntax()).into_iter();
    errors
        .map(|it| Lowering {
            code: it.kind.code(),
            severity: Severity::Error,
            range: it.range,
            message: it.message,
            help: it.help.map(str::to_owned),
            related: Vec::new(),
        })
        .collect()
}

fn plan<'db>(db: &'db dyn Db, unit: OpUnit<'db>) -> Vec<(Lowering, bool)> {
    let Some(words) = PlanWords::new(db, unit) else { return Vec::new() };
    let actions = words.plan.actions.iter().filter(|it| words.is_written(it));
    let diagnostic = |action: &OpAction| {
        let role = match action.change {
            OpChange::Hoist { .. } => "it could stand before this one",
            _ => "this one stays",
        };
        let related = words.other_place(action).map(|it| (it, role.to_owned()));
        let found = Lowering {
            code: action.kind.name(),
            severity: Severity::Hint,
            range: words.action_place(action),
            message: words.sentence(action),
            help: Some(words.title(action)),
            related: related.into_iter().collect(),
        };
        (found, matches!(action.change, OpChange::Delete))
    };
    actions.map(diagnostic).collect()
}
