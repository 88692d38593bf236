//! The JSON report. Its schema is in the README of this crate; [`VERSION`] is raised when a field changes its meaning
//! or goes, not when one comes.

use serde_json::{Value, json};
use syntax::SourcePlace;

use crate::cli::output::findings::{Counts, FileFindings, Finding, Region, Told, severity_name};

/// Version of the schema.
const VERSION: u32 = 2;

pub(super) fn begin() -> String {
    let tool = json!(crate::version::NUMBER);
    format!("{{\"version\": {VERSION}, \"toolVersion\": {tool}, \"files\": [\n")
}

pub(super) fn finding(file: &FileFindings<'_>, told: &Told<'_>, it: &Finding) -> String {
    let value = if told.is_source { at_its_source(it, file.shown) } else { diagnostic(it) };
    value.to_string()
}

pub(super) fn file(path: &str, findings: &[&str], n_hidden: usize) -> String {
    let (path, findings) = (json!(path), findings.join(","));
    format!("{{\"path\":{path},\"diagnostics\":[{findings}],\"notShown\":{n_hidden}}}")
}

/// A finding of a text at the place of the source that it was made of. The source is not opened: there are no offsets.
fn at_its_source(it: &Finding, text: &str) -> Value {
    let mut res = diagnostic(it);
    if let Some(place) = &it.place {
        let at = json!({ "line": place.line, "column": place.column, "offset": null });
        let ir = json!({ "path": text, "range": res["range"], "related": res["related"] });
        res["ir"] = ir;
        res["range"] = json!({ "start": at, "end": at });
        res["related"] = json!([]);
    }
    res
}

pub(super) fn end(counts: &Counts, failures: &[String]) -> String {
    let summary = json!({
        "files": counts.files,
        "errors": counts.errors,
        "warnings": counts.warnings,
        "info": counts.information,
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
    let place = |it: &SourcePlace| json!({ "path": it.path, "line": it.line, "column": it.column });
    json!({
        "code": it.code,
        "severity": severity_name(it.severity),
        "message": it.message,
        "help": it.help,
        "range": region(&it.region),
        "related": related,
        "source": it.place.as_ref().map(place),
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
