//! Reports of `check`: text for people, JSON and SARIF for programs.
//!
//! A report is written piece by piece (beginning, one piece a file, end), so that none is ever held as a whole.

mod json;
mod sarif;
mod text;

use ide::Severity;

use syntax::{LineCol, LineIndex, SourcePlace, TextRange};

use crate::cli::{args::ReportFormat, input::source::Source};

/// A range as users count: lines and columns from 1, columns in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Region {
    pub(crate) range: TextRange,
    pub(crate) start: LineCol,
    pub(crate) end: LineCol,
}

/// A finding with its places in the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Finding {
    pub(crate) code: &'static str,
    pub(crate) severity: Severity,
    pub(crate) region: Region,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) related: Vec<(Region, String)>,
    /// The place of the source that the text was made of.
    pub(crate) place: Option<SourcePlace>,
}

/// The findings of one file.
pub(crate) struct FileFindings<'a> {
    pub(crate) shown: &'a str,
    pub(crate) source: &'a Source,
    pub(crate) lines: &'a LineIndex,
    pub(crate) findings: Vec<Finding>,
    /// Findings beyond the limit.
    pub(crate) n_hidden: usize,
}

/// The findings of a report that are told at one file: at the text itself, or at the source that it was made of.
struct Told<'a> {
    path: &'a str,
    findings: Vec<&'a Finding>,
    is_source: bool,
}

impl FileFindings<'_> {
    /// The findings by the files that they are told at, in the order of the text; only the text itself unless
    /// `at_source`.
    fn told(&self, at_source: bool) -> Vec<Told<'_>> {
        let mut res: Vec<Told<'_>> = Vec::new();
        for it in &self.findings {
            let source = it.place.as_ref().filter(|_| at_source).map(|it| &*it.path);
            let (path, is_source) = (source.unwrap_or(self.shown), source.is_some());
            match res.iter_mut().find(|it| it.path == path && it.is_source == is_source) {
                Some(told) => told.findings.push(it),
                None => res.push(Told { path, findings: vec![it], is_source }),
            }
        }
        res.iter_mut().filter(|it| it.is_source).for_each(|it| {
            it.findings.sort_by(|a, b| a.place.cmp(&b.place));
        });
        res
    }
}

/// The number of findings of each severity.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Counts {
    pub(crate) files: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) information: usize,
    pub(crate) hints: usize,
    /// Findings that `fix` does something about.
    pub(crate) fixable: usize,
    /// Those of them that are computed once then.
    pub(crate) shared: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Counts) {
        self.files += other.files;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.information += other.information;
        self.hints += other.hints;
        self.fixable += other.fixable;
        self.shared += other.shared;
    }

    pub(crate) fn count(&mut self, finding: &ide::Diagnostic) {
        match finding.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Information => self.information += 1,
            Severity::Hint => self.hints += 1,
        }
        self.fixable += finding.n_fixes;
        let is_shared = finding.code == ir::plan::COMMON_SUBEXPRESSION.name;
        self.shared += if is_shared { finding.n_fixes } else { 0 };
    }
}

/// A range as users count.
pub(crate) fn region(source: &Source, lines: &LineIndex, range: TextRange) -> Region {
    Region {
        range,
        start: source.line_col(lines, range.start()),
        end: source.line_col(lines, range.end()),
    }
}

/// Writes reports in one format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporter {
    format: ReportFormat,
    is_styled: bool,
    at_source: bool,
}

impl Reporter {
    pub(crate) fn new(format: ReportFormat, is_styled: bool, at_source: bool) -> Reporter {
        Reporter { format, is_styled, at_source }
    }

    /// Returns the text before all files.
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
            ReportFormat::Text => text::file(findings, self.is_styled, self.at_source),
            ReportFormat::Json => json::file(findings, self.at_source),
            ReportFormat::Sarif => sarif::file(findings, self.at_source),
        }
    }

    /// Returns the text between two pieces that are not empty.
    pub(crate) fn separator(&self) -> &'static str {
        match self.format {
            ReportFormat::Text => "",
            ReportFormat::Json | ReportFormat::Sarif => ",\n",
        }
    }

    /// Returns the text after all files.
    pub(crate) fn end(&self, counts: &Counts, failures: &[String]) -> String {
        match self.format {
            ReportFormat::Text => text::end(counts, failures.len(), self.is_styled),
            ReportFormat::Json => json::end(counts, failures),
            ReportFormat::Sarif => sarif::end(failures),
        }
    }
}

pub(in crate::cli) use self::json::region as range_json;

/// Severities as programs read them.
pub(crate) fn severity_name(severity: Severity) -> &'static str {
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
