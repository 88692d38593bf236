//! GitLab's Code Quality report: a list of findings, each with a fingerprint by which it is told from new ones.

use ide::Severity;
use serde_json::json;

use crate::cli::output::findings::{Finding, Told};

/// A finding as an object.
pub(super) fn finding(told: &Told<'_>, it: &Finding) -> String {
    let severity = match it.severity {
        Severity::Error => "critical",
        Severity::Warning => "major",
        Severity::Information => "minor",
        Severity::Hint => "info",
    };
    let (start, end) = told.lines_of(it);
    let (end_line, end_column) = end.unwrap_or(start);
    json!({
        "description": it.message,
        "check_name": it.code,
        "fingerprint": it.identity,
        "severity": severity,
        "location": { "path": told.path.replace('\\', "/"), "positions": {
            "begin": { "line": start.0, "column": start.1 },
            "end": { "line": end_line, "column": end_column },
        } },
    })
    .to_string()
}
