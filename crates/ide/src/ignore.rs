//! "Ignore here": a comment that allows a rule where something is reported.

use db::{PlacedUnit, RootDatabase};
use frontend::tvmscript::allow;
use syntax::{Edit, Severity, TextRange};

use crate::{
    code_action::{ActionKind, CodeAction},
    diagnostic::DiagnosticsConfig,
    diagnostics::function_diagnostics,
};

/// One action for each rule that reports something in the range; errors cannot be ignored.
pub(crate) fn ignore_actions(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    range: TextRange,
) -> Vec<CodeAction> {
    let mut seen = Vec::new();
    let mut res = Vec::new();
    for it in function_diagnostics(db, at, &DiagnosticsConfig::default()) {
        let is_error = it.severity == Severity::Error;
        if is_error || seen.contains(&it.code) || it.range.intersect(range).is_none() {
            continue;
        }
        seen.push(it.code);
        let place = it.range.start() - at.start();
        let Some(edit) = allow::comment(at.unit.green(db), place, it.code) else {
            continue;
        };
        res.push(CodeAction {
            edits: vec![Edit { range: at.to_file(edit.range), ..edit }],
            ..CodeAction::without_edits(format!("Ignore `{}` here", it.code), ActionKind::QuickFix)
        });
    }
    res
}
