//! Commands of GitHub's workflows: `::error file=a.py,line=3,…::message`, which it shows at the lines of a change.

use ide::Severity;

use crate::cli::output::findings::{Finding, Told};

/// A finding as a command, with the end of its line.
pub(super) fn finding(told: &Told<'_>, it: &Finding) -> String {
    let command = match it.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "notice",
    };
    let (start, end) = told.lines_of(it);
    let mut place = format!("file={},line={},col={}", property(told.path), start.0, start.1);
    // It marks columns of one line only.
    match end {
        Some(end) if end.0 == start.0 => place.push_str(&format!(",endColumn={}", end.1)),
        Some(end) => place.push_str(&format!(",endLine={}", end.0)),
        None => {}
    }
    let help = it.help.as_ref().map(|it| format!("\n{it}")).unwrap_or_default();
    let message = data(&format!("{}{help}", it.message));
    format!("::{command} title=tir-analyzer ({}),{place}::{message}\n", property(it.code))
}

/// A text behind `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
