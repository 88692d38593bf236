//! `check`: what is wrong in files, and what could be computed once.
//!
//! In: files. Out: a report in one of three formats, file by file in order, and the exit code. Each file has a
//! database of its own, dropped when its report is written, so memory follows the largest files and not their number;
//! the questions are those that the editor asks, so the answers are the same.

use std::sync::atomic::{AtomicUsize, Ordering};

use ide::{AnalysisHost, FileId, Severity};
use syntax::{LineCol, LineIndex, TextRange};

use crate::cli::{
    Exit,
    args::{CheckArgs, Level, ReportFormat},
    io::{self, Io, Styled, Tone},
    jobs::{self, Job},
    parallel,
    progress::Progress,
    report::Reporter,
    source::Source,
};

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

/// How many findings of each severity there are.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Counts {
    pub(crate) files: usize,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    pub(crate) information: usize,
    pub(crate) hints: usize,
    /// Findings that something can be done about.
    pub(crate) fixable: usize,
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.files += other.files;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.information += other.information;
        self.hints += other.hints;
        self.fixable += other.fixable;
    }

    fn count(&mut self, finding: &ide::Diagnostic) {
        match finding.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Information => self.information += 1,
            Severity::Hint => self.hints += 1,
        }
        self.fixable += usize::from(finding.is_fixable);
    }
}

/// Runs the command.
pub(crate) fn check(args: &CheckArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let reporter = Reporter::new(args.format, styled.out);
    let jobs::Jobs { jobs, mut failures } = jobs::find(&args.inputs, io, styled)?;
    for failure in &failures {
        io::message(io.err, styled.err, Tone::Error, failure)?;
    }
    let progress = Progress::new(jobs.len(), io.err_is_terminal);
    let left = args.cse.max_fixes.map(AtomicUsize::new);
    // What earlier files leave is known only after them.
    let n_jobs = match left {
        Some(_) => 1,
        None => parallel::n_jobs(args.inputs.jobs, jobs.len()),
    };
    io.out.write_all(reporter.begin().as_bytes())?;
    let mut counts = Counts::default();
    let mut is_first = true;
    let work =
        |job: &Job| job.run(|source| check_file(args, job, &source, &reporter, left.as_ref()));
    parallel::for_each_in_order(&jobs, n_jobs, work, |result| -> anyhow::Result<()> {
        match result {
            Ok((text, of_file)) => {
                counts.add(of_file);
                if !text.is_empty() {
                    let separator = if is_first { "" } else { reporter.separator() };
                    is_first = false;
                    progress.write(io.out, format!("{separator}{text}").as_bytes())?;
                }
            }
            Err(error) => {
                let mut line = Vec::new();
                io::message(&mut line, styled.err, Tone::Error, &format!("{error:#}"))?;
                progress.write(io.err, &line)?;
                failures.push(format!("{error:#}"));
            }
        }
        progress.advance();
        Ok(())
    })?;
    drop(progress);
    io.out.write_all(reporter.end(&counts, &failures).as_bytes())?;
    Ok(if !failures.is_empty() {
        Exit::Failure
    } else if counts.errors > 0 {
        Exit::Findings
    } else {
        Exit::Success
    })
}

fn check_file(
    args: &CheckArgs,
    job: &Job,
    source: &Source,
    reporter: &Reporter,
    left: Option<&AtomicUsize>,
) -> anyhow::Result<(String, Counts)> {
    let mut host = AnalysisHost::new();
    host.set_config(ide::Config { cse: args.cse.options(&job.config), ..job.config.analysis() });
    let file = FileId(0);
    host.set_text(file, source.text.clone());
    let found = host.analysis().diagnostics(file, &job.config.diagnostics(usize::MAX));
    // Nothing changes this host, so nothing is cancelled.
    let found =
        found.map_err(|_| anyhow::anyhow!("the analysis of {} was cancelled", job.file.shown))?;
    drop(host);
    let found = first_fixes(found, left);
    let mut counts = Counts { files: 1, ..Counts::default() };
    found.iter().for_each(|it| counts.count(it));
    let lines = LineIndex::new(&source.text);
    let mut findings: Vec<&ide::Diagnostic> =
        found.iter().filter(|it| it.severity <= severity(args.level)).collect();
    let n_hidden = limit(&mut findings, limit_of(args, job));
    let findings = findings.into_iter().map(|it| finding(it, source, &lines)).collect();
    let shown = job.file.shown.as_str();
    let report = FileFindings { shown, source, lines: &lines, findings, n_hidden };
    Ok((reporter.file(&report), counts))
}

/// Keeps so many of what could be computed once as are left of the limit, in the order of the text.
fn first_fixes(
    mut found: Vec<ide::Diagnostic>,
    left: Option<&AtomicUsize>,
) -> Vec<ide::Diagnostic> {
    let Some(left) = left else { return found };
    found.retain(|it| {
        if it.code != ir::plan::docs::COMMON_SUBEXPRESSION {
            return true;
        }
        let n = left.load(Ordering::Relaxed);
        left.store(n.saturating_sub(1), Ordering::Relaxed);
        n > 0
    });
    found
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Error => Severity::Error,
        Level::Warning => Severity::Warning,
        Level::Info => Severity::Information,
        Level::Hint => Severity::Hint,
    }
}

/// People read the worst first; programs want all.
fn limit_of(args: &CheckArgs, job: &Job) -> usize {
    args.limit.unwrap_or(match args.format {
        ReportFormat::Text => job.config.diagnostics_limit,
        ReportFormat::Json | ReportFormat::Sarif => usize::MAX,
    })
}

/// Keeps the worst, in the order of the text. Gives the number of those that went.
fn limit(findings: &mut Vec<&ide::Diagnostic>, limit: usize) -> usize {
    let n_hidden = findings.len().saturating_sub(limit);
    if n_hidden > 0 {
        findings.sort_by_key(|it| (it.severity, it.range.start(), it.range.end()));
        findings.truncate(limit);
        findings.sort_by_key(|it| (it.range.start(), it.range.end(), it.severity));
    }
    n_hidden
}

fn finding(it: &ide::Diagnostic, source: &Source, lines: &LineIndex) -> Finding {
    let region = |range| region(source, lines, range);
    Finding {
        code: it.code,
        severity: it.severity,
        region: region(it.range),
        message: it.message.clone(),
        help: it.help.clone(),
        related: it.related.iter().map(|(range, text)| (region(*range), text.clone())).collect(),
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
