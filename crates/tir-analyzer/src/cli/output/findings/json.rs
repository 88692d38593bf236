//! The JSON report. Its schema is in the README of this crate; [`VERSION`] is raised when a field changes its meaning
//! or goes, not when one comes.

use serde_json::{Value, json};

use crate::cli::output::findings::{Counts, FileFindings, Finding, Region, severity_name};

/// Version of the schema.
const VERSION: u32 = 1;

pub(super) fn begin() -> String {
    let tool = json!(env!("CARGO_PKG_VERSION"));
    format!("{{\"version\": {VERSION}, \"toolVersion\": {tool}, \"files\": [\n")
}

pub(super) fn file(file: &FileFindings<'_>) -> String {
    if file.findings.is_empty() {
        return String::new();
    }
    let diagnostics: Vec<Value> = file.findings.iter().map(diagnostic).collect();
    json!({ "path": file.shown, "diagnostics": diagnostics, "notShown": file.n_hidden }).to_string()
}

pub(super) fn end(counts: &Counts, failures: &[String]) -> String {
    let summary = json!({
        "files": counts.files,
        "errors": counts.errors,
        "warnings": counts.warnings,
        "information": counts.information,
        "hints": counts.hints,
        "fixable": counts.fixable,
    });
    format!("\n], \"summary\": {summary}, \"failures\": {}}}\n", json!(failures))
}

fn diagnostic(it: &Finding) -> Value {
    let related: Vec<Value> = it
        .related
        .iter()
        .map(|(at, message)| json!({ "message": message, "range": region(at) }))
        .collect();
    json!({
        "code": it.code,
        "severity": severity_name(it.severity),
        "message": it.message,
        "help": it.help,
        "range": region(&it.region),
        "related": related,
    })
}

/// Lines and columns from 1, columns in characters; offsets from 0, in bytes of UTF-8.
pub(in crate::cli) fn region(region: &Region) -> Value {
    let place = |at: syntax::LineCol, offset: syntax::TextSize| json!({ "line": at.line, "column": at.col, "offset": u32::from(offset) });
    json!({
        "start": place(region.start, region.range.start()),
        "end": place(region.end, region.range.end()),
    })
}
