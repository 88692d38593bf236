//! Reports of `check`: text for people, JSON and SARIF for programs.
//!
//! A report is written piece by piece (beginning, one piece a file, end), so that none is ever held as a whole.

mod json;
mod sarif;
mod text;

use ide::Severity;

use crate::cli::{
    args::ReportFormat,
    check::{Counts, FileFindings},
};

/// Writes reports in one format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporter {
    format: ReportFormat,
    is_styled: bool,
}

impl Reporter {
    pub(crate) fn new(format: ReportFormat, is_styled: bool) -> Reporter {
        Reporter { format, is_styled }
    }

    /// What comes before all files.
    pub(crate) fn begin(&self) -> String {
        match self.format {
            ReportFormat::Text => String::new(),
            ReportFormat::Json => json::begin(),
            ReportFormat::Sarif => sarif::begin(),
        }
    }

    /// One file; empty if there is nothing to say.
    pub(crate) fn file(&self, findings: &FileFindings<'_>) -> String {
        match self.format {
            ReportFormat::Text => text::file(findings, self.is_styled),
            ReportFormat::Json => json::file(findings),
            ReportFormat::Sarif => sarif::file(findings),
        }
    }

    /// What stands between two pieces that are not empty.
    pub(crate) fn separator(&self) -> &'static str {
        match self.format {
            ReportFormat::Text => "",
            ReportFormat::Json | ReportFormat::Sarif => ",\n",
        }
    }

    /// What comes after all files.
    pub(crate) fn end(&self, counts: &Counts, failures: &[String]) -> String {
        match self.format {
            ReportFormat::Text => text::end(counts, failures.len(), self.is_styled),
            ReportFormat::Json => json::end(counts, failures),
            ReportFormat::Sarif => sarif::end(failures),
        }
    }
}

pub(super) use self::{json::region as range_json, text::count};

/// Severities as programs read them.
pub(super) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "information",
        Severity::Hint => "hint",
    }
}

/// A path as a URI reference: with `/`, and with escapes for all that is not allowed there.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 8);
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    if is_drive {
        out.push_str("file:///");
    } else if path.starts_with('/') {
        out.push_str("file://");
    }
    for (at, byte) in path.bytes().enumerate() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        if is_plain || (is_drive && at == 1) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_relative_where_paths_are() {
        assert_eq!(uri("a b/ü:c.py"), "a%20b/%C3%BC%3Ac.py");
        assert_eq!(uri("../x.py"), "../x.py");
        assert_eq!(uri("/k/x.py"), "file:///k/x.py");
    }
}
