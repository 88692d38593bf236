//! Reports of `check`: text for people, the others for programs.
//!
//! A report is written piece by piece (beginning, one piece a file, end), so that none is ever held as a whole. Of one
//! with a limit the worst findings are held, as they are written.

mod github;
mod gitlab;
mod json;
mod junit;
mod sarif;
mod text;

use std::collections::BTreeMap;

use ide::Severity;
use syntax::{ColumnEncoding, LineCol, LineIndex, SourcePlace, TextRange, TextSize};

use crate::cli::{args::ReportFormat, input::source::Source, output::count};

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
    /// A name that edits elsewhere leave; empty where the format has none.
    pub(crate) identity: String,
}

/// The findings of one file.
pub(crate) struct FileFindings<'a> {
    pub(crate) shown: &'a str,
    pub(crate) source: &'a Source,
    pub(crate) lines: &'a LineIndex,
    pub(crate) findings: Vec<Finding>,
}

/// The findings of a report that are told at one file: at the text itself, or at the source that it was made of.
struct Told<'a> {
    path: &'a str,
    findings: Vec<&'a Finding>,
    is_source: bool,
}

impl Told<'_> {
    /// The line and column where a finding is told, and those of its end if that is known.
    fn lines_of(&self, it: &Finding) -> ((u32, u32), Option<(u32, u32)>) {
        match it.place.as_ref().filter(|_| self.is_source) {
            Some(place) => ((place.line, place.column), None),
            None => {
                let Region { start, end, .. } = it.region;
                ((start.line, start.col), Some((end.line, end.col)))
            }
        }
    }
}

/// A finding as it is written.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The file that it is told at.
    path: String,
    severity: Severity,
    text: String,
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

/// The findings of one rule and level.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Tally {
    pub(crate) n: usize,
    /// Those that `fix` does something about.
    pub(crate) fixable: usize,
}

/// How many findings there are of each rule and level: the level of a rule may depend on what is proven.
#[derive(Clone, Default, Debug)]
pub(crate) struct Statistics {
    of_rule: BTreeMap<(Severity, &'static str), Tally>,
}

impl Statistics {
    pub(crate) fn count(&mut self, it: &ide::Diagnostic) {
        let fixable = usize::from(it.n_fixes > 0);
        self.tally((it.severity, it.code), Tally { n: 1, fixable });
    }

    pub(crate) fn add(&mut self, other: Statistics) {
        other.of_rule.into_iter().for_each(|(of, it)| self.tally(of, it));
    }

    fn tally(&mut self, of: (Severity, &'static str), more: Tally) {
        let it = self.of_rule.entry(of).or_default();
        it.n += more.n;
        it.fixable += more.fixable;
    }

    /// The number of findings.
    pub(crate) fn n(&self) -> usize {
        self.of_rule.values().map(|it| it.n).sum()
    }

    /// Returns true if there is one at least as bad as this.
    pub(crate) fn has(&self, worst: Severity) -> bool {
        self.of_rule.keys().any(|(severity, _)| *severity <= worst)
    }

    /// The levels and rules, the worst and most frequent first.
    pub(crate) fn rules(&self) -> Vec<(Severity, &'static str, Tally)> {
        let rules = self.of_rule.iter().map(|(&(severity, code), &it)| (severity, code, it));
        let mut rules: Vec<_> = rules.collect();
        rules.sort_by_key(|(severity, code, it)| (*severity, std::cmp::Reverse(it.n), *code));
        rules
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

/// The offset of a place as users count.
///
/// # Errors
///
/// A line or a column that the text does not have.
pub(crate) fn offset(lines: &LineIndex, at: LineCol) -> Result<TextSize, String> {
    let place = LineCol { line: at.line - 1, col: at.col - 1 };
    // What follows the last line break is a line only if there is something on it.
    let last = lines.line_count() - 1;
    let n_lines = last + u32::from(last == 0 || !lines.line_range(last).is_empty());
    if place.line >= n_lines {
        return Err(format!("the file has {}", count(n_lines as usize, "line")));
    }
    let end = lines.line_range(place.line).end();
    let n_columns = lines.line_col(end, ColumnEncoding::Utf32).col;
    if place.col > n_columns {
        return Err(format!("the line has {}", count(n_columns as usize, "column")));
    }
    Ok(lines.offset(place, ColumnEncoding::Utf32))
}

/// Writes reports in one format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reporter {
    format: ReportFormat,
    is_styled: bool,
    at_source: bool,
    /// The mildest severity that fails the run; nothing does if it is absent.
    fails: Option<Severity>,
}

impl Reporter {
    pub(crate) fn new(
        format: ReportFormat,
        is_styled: bool,
        at_source: bool,
        fails: Option<Severity>,
    ) -> Reporter {
        Reporter { format, is_styled, at_source, fails }
    }

    /// Returns true if findings need names of their own.
    pub(crate) fn has_identities(&self) -> bool {
        self.format == ReportFormat::Gitlab
    }

    /// Returns the text before all files.
    pub(crate) fn begin(&self) -> String {
        match self.format {
            ReportFormat::Text | ReportFormat::Github => String::new(),
            ReportFormat::Json => json::begin(),
            ReportFormat::Sarif => sarif::begin(),
            ReportFormat::Gitlab => "[\n".to_owned(),
            ReportFormat::Junit => junit::begin(),
        }
    }

    /// The findings of a file, those that are told at one path together.
    pub(crate) fn pieces(&self, file: &FileFindings<'_>) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(file.findings.len());
        for told in file.told(self.at_source) {
            for it in &told.findings {
                let text = match self.format {
                    ReportFormat::Text => text::finding(file, &told, it, self.is_styled),
                    ReportFormat::Json => json::finding(file, &told, it),
                    ReportFormat::Sarif => sarif::finding(file, &told, it),
                    ReportFormat::Github => github::finding(&told, it),
                    ReportFormat::Gitlab => gitlab::finding(&told, it),
                    ReportFormat::Junit => {
                        let fails = self.fails.is_some_and(|worst| it.severity <= worst);
                        junit::finding(&told, it, fails)
                    }
                };
                pieces.push(Piece { path: told.path.to_owned(), severity: it.severity, text });
            }
        }
        pieces
    }

    /// The findings that are told at one path, and how many more there are.
    fn file(&self, path: &str, findings: &[&str], n_hidden: usize) -> String {
        match self.format {
            ReportFormat::Text | ReportFormat::Github => findings.concat(),
            ReportFormat::Json => json::file(path, findings, n_hidden),
            ReportFormat::Sarif | ReportFormat::Gitlab => findings.join(",\n"),
            ReportFormat::Junit => junit::file(path, findings),
        }
    }

    /// Returns the text between two pieces that are not empty.
    fn separator(&self) -> &'static str {
        match self.format {
            ReportFormat::Text | ReportFormat::Github | ReportFormat::Junit => "",
            ReportFormat::Json | ReportFormat::Sarif | ReportFormat::Gitlab => ",\n",
        }
    }

    /// Returns the text after all files.
    pub(crate) fn end(&self, counts: &Counts, is_empty: bool, failures: &[String]) -> String {
        match self.format {
            ReportFormat::Text => String::new(),
            ReportFormat::Json => json::end(counts, failures),
            ReportFormat::Sarif => sarif::end(failures),
            ReportFormat::Github => String::new(),
            ReportFormat::Gitlab => "\n]\n".to_owned(),
            ReportFormat::Junit => junit::end(counts, is_empty, failures),
        }
    }
}

/// The findings of a report on their way: each file at once, or the worst at the end if there is a limit; as text then
/// the file of the worst first.
pub(crate) struct Report {
    reporter: Reporter,
    limit: usize,
    /// By path, in the order of the files: its findings, with their numbers, and how many are not shown.
    held: Vec<(String, Vec<Piece>, usize)>,
    n_held: usize,
    is_empty: bool,
}

impl Report {
    /// A report of at most this many findings.
    pub(crate) fn new(reporter: Reporter, limit: usize) -> Report {
        Report { reporter, limit, held: Vec::new(), n_held: 0, is_empty: true }
    }

    /// Takes the findings of a file, of which some were left out as milder than as many as the limit. Returns what is
    /// written at once.
    pub(crate) fn add(&mut self, pieces: Vec<Piece>, n_left_out: usize) -> String {
        self.n_held += pieces.len();
        for piece in pieces {
            match self.held.last_mut().filter(|it| it.0 == piece.path) {
                Some(last) => last.1.push(piece),
                None => self.held.push((piece.path.clone(), vec![piece], 0)),
            }
        }
        if let Some(last) = self.held.last_mut() {
            last.2 += n_left_out;
        }
        if self.limit == usize::MAX {
            return self.take();
        }
        // What goes is twice of what stays: each finding is looked at a constant number of times.
        if self.n_held / 3 >= self.limit {
            self.keep_worst();
        }
        String::new()
    }

    /// Writes the findings that are held. Returns the number of those that are not shown too.
    pub(crate) fn end(&mut self) -> (String, usize) {
        self.keep_worst();
        let n_hidden = self.held.iter().map(|it| it.2).sum();
        // People read from above: files with errors first, among equals in their order.
        if self.reporter.format == ReportFormat::Text {
            self.held.sort_by_key(|(_, pieces, _)| {
                let worst = pieces.iter().map(|it| it.severity).min();
                (worst.is_none(), worst)
            });
        }
        (self.take(), n_hidden)
    }

    /// True if nothing was written.
    pub(crate) fn is_empty(&self) -> bool {
        self.is_empty
    }

    fn take(&mut self) -> String {
        let mut out = String::new();
        self.n_held = 0;
        for (path, pieces, n_hidden) in std::mem::take(&mut self.held) {
            let texts: Vec<&str> = pieces.iter().map(|it| it.text.as_str()).collect();
            let text = self.reporter.file(&path, &texts, n_hidden);
            if !text.is_empty() {
                out.push_str(if self.is_empty { "" } else { self.reporter.separator() });
                out.push_str(&text);
                self.is_empty = false;
            }
        }
        out
    }

    /// Lets all but the worst go, among equals the later ones.
    fn keep_worst(&mut self) {
        if self.n_held <= self.limit {
            return;
        }
        let severities = self.held.iter().flat_map(|it| it.1.iter().map(|it| it.severity));
        let mut severities: Vec<Severity> = severities.collect();
        severities.sort_unstable();
        let last = severities.get(self.limit.wrapping_sub(1)).copied();
        // Of the mildest that stays, so many.
        let mut n_last = severities[..self.limit].iter().filter(|it| Some(**it) == last).count();
        for (_, pieces, n_hidden) in &mut self.held {
            let before = pieces.len();
            pieces.retain(|it| match last {
                Some(last) if it.severity < last => true,
                Some(last) if it.severity == last && n_last > 0 => {
                    n_last -= 1;
                    true
                }
                _ => false,
            });
            *n_hidden += before - pieces.len();
        }
        self.n_held = self.limit;
    }
}

pub(in crate::cli) use self::json::region as range_json;
pub(crate) use self::text::{FEW, summary, table};

/// Severities as programs read them.
pub(crate) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information => "info",
        Severity::Hint => "hint",
    }
}

/// A path as a URI reference: with `/`, and with escapes for all that is not allowed there.
pub(in crate::cli) fn uri(path: &str) -> String {
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
