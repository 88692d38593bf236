//! `check`: reports problems in files, and values that could be computed once.
//!
//! In: files. Out: a report in one of six formats, file by file in order, and the exit code. Each file has a database
//! of its own, dropped when its report is written, so memory follows the largest files and not their number; the
//! questions are those that the editor asks, so the answers are the same. With a baseline only unlisted findings are
//! reported, with a revision only findings in functions that were changed since.

mod baseline;
mod cells;
mod sources;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use anyhow::Context as _;
use ide::{DiagnosticsConfig, FileId, Instance, Severity};
use syntax::{Form, Language, LineIndex};

use self::baseline::{Baseline, Key};
use crate::cli::{
    Exit,
    args::{CheckArgs, InstanceCall, Level, ReportFormat},
    driver::unit::{functions, instance_of},
    input::{
        functions::Functions,
        jobs::{self, Job},
        since::Since,
        source::Source,
    },
    io::{self, Io, Styled, Tone},
    output::{
        count,
        findings::{
            Counts, FEW, FileFindings, Finding, Piece, Report, Reporter, Statistics, region,
            summary, table,
        },
        progress::Progress,
        visible::visible,
        write,
    },
    parallel,
};
use crate::notebook::{self, Notebook};

/// Runs the command.
pub(crate) fn check(args: &CheckArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let fails = (!args.exit_zero).then(|| severity(args.fail_on));
    let reporter = Reporter::new(args.format, styled.out, args.at_source, fails);
    let jobs::Jobs { jobs, mut failures } =
        jobs::find_of(&Language::ALL, &args.inputs, io, styled)?;
    for failure in &failures {
        io::message(io.err, styled.err, Tone::Error, failure)?;
    }
    let progress = Progress::new(jobs.len(), io.err_is_terminal && !args.quiet);
    let adoption = Adoption::new(args, io)?;
    let left = args.cse.max_fixes.map(AtomicUsize::new);
    let wanted = Wanted { call: args.instance.as_ref(), is_found: AtomicBool::new(false) };
    // What earlier files leave is known only after them.
    let n_jobs = match left {
        Some(_) => 1,
        None => parallel::n_jobs(args.inputs.jobs, jobs.len()),
    };
    if !args.statistics {
        io.out.write_all(reporter.begin().as_bytes())?;
    }
    let mut counts = Counts::default();
    let mut statistics = Statistics::default();
    let mut report = Report::new(reporter, limit_of(args));
    let mut written = Baseline::default();
    let mut stale = Vec::new();
    let work = |job: &Job| {
        job.run_with_notebooks(|source| {
            check_file(args, job, source, &reporter, (&adoption, &wanted), left.as_ref())
        })
    };
    parallel::for_each_in_order(&jobs, n_jobs, work, |result| -> anyhow::Result<()> {
        match result {
            Ok(Checked { pieces, n_left_out, counts: of_file, rules, accepted, stale: gone }) => {
                counts.add(of_file);
                statistics.add(rules);
                accepted.into_iter().for_each(|it| written.add(it, 1));
                stale.extend(gone);
                progress.write(io.out, report.add(pieces, n_left_out).as_bytes())?;
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
    let (rest, n_hidden) = report.end();
    io.out.write_all(rest.as_bytes())?;
    if args.statistics {
        io.out.write_all(table(&statistics).as_bytes())?;
    }
    if args.format == ReportFormat::Text && !args.quiet {
        if n_hidden > 0 || (statistics.n() > FEW && !args.statistics) {
            writeln!(io.out, "{}", table(&statistics))?;
        }
        let summary = summary(&counts, &statistics, failures.len(), n_hidden, styled.out);
        io.out.write_all(summary.as_bytes())?;
    }
    if !args.statistics {
        io.out.write_all(reporter.end(&counts, report.is_empty(), &failures).as_bytes())?;
    }
    if let Some(missing) = wanted.missing() {
        io::message(io.err, styled.err, Tone::Error, &missing)?;
        return Ok(Exit::Failure);
    }
    if let Some(path) = &args.write_baseline {
        let shown = path.display().to_string();
        write::create(&io.resolve(path), &shown, written.text().as_bytes(), io)?;
        let n = count(written.len(), "finding");
        writeln!(io.err, "{n} accepted in {shown}")?;
    }
    tell_stale(&stale, io, styled)?;
    Ok(if !failures.is_empty() {
        Exit::Failure
    } else if fails.is_some_and(|worst| statistics.has(worst)) {
        Exit::Findings
    } else {
        Exit::Success
    })
}

/// The result for one file.
struct Checked {
    pieces: Vec<Piece>,
    /// Findings beyond the limit.
    n_left_out: usize,
    counts: Counts,
    rules: Statistics,
    /// The entries of the baseline that is written.
    accepted: Vec<Key>,
    /// Entries of the baseline that match nothing any more, and how many of each.
    stale: Vec<(Key, usize)>,
}

/// The instance that is checked, and whether a file has its factory.
struct Wanted<'a> {
    call: Option<&'a InstanceCall>,
    is_found: AtomicBool,
}

impl Wanted<'_> {
    /// The instance of the factory in a file; none if it has no such factory.
    fn of_file(&self, job: &Job, source: &Source) -> anyhow::Result<Option<Instance>> {
        let language = Language::of_file(&job.file.path, &source.text);
        let Some(call) = self.call.filter(|_| language.support().form == Form::Expressions) else {
            return Ok(None);
        };
        let functions = functions(source, job);
        if !functions.functions_around(functions.context()).iter().any(|it| call.0.means(&it.path))
        {
            return Ok(None);
        }
        self.is_found.store(true, Ordering::Relaxed);
        instance_of(Some(call), &functions, &job.file.shown)
    }

    /// The complaint that no file has the factory.
    fn missing(&self) -> Option<String> {
        let call = self.call.filter(|_| !self.is_found.load(Ordering::Relaxed))?;
        Some(format!("no file has the factory `{}`", call.0.function))
    }
}

/// The findings that count: those that are new.
struct Adoption {
    baseline: Option<Baseline>,
    since: Option<Since>,
    writes: bool,
}

impl Adoption {
    fn new(args: &CheckArgs, io: &Io<'_>) -> anyhow::Result<Adoption> {
        let read = |path: &PathBuf| Baseline::read(&io.resolve(path), &path.display().to_string());
        let since = |it: &String| Since::new(&io.folder, it);
        Ok(Adoption {
            baseline: args.baseline.as_ref().map(read).transpose()?,
            since: args.since.as_ref().map(since).transpose()?,
            writes: args.write_baseline.is_some(),
        })
    }

    /// Leaves the findings that count. Returns the accepted findings, and the entries of the baseline that match
    /// nothing.
    fn select(
        &self,
        job: &Job,
        source: &Source,
        found: &mut Vec<ide::Diagnostic>,
    ) -> anyhow::Result<(Vec<Key>, Vec<(Key, usize)>)> {
        if let Some(since) = &self.since
            && let Some(changed) = since.changed(&job.file.path, &source.text)?
        {
            found.retain(|it| changed.iter().any(|range| range.contains_range(it.range)));
        }
        if self.baseline.is_none() && !self.writes {
            return Ok((Vec::new(), Vec::new()));
        }
        let functions =
            Functions::of(Language::of_file(&job.file.path, &source.text), &source.text);
        let shown = job.file.shown.as_str();
        let key =
            |it: &ide::Diagnostic| baseline::key(shown, source, &functions, it.code, it.range);
        if self.writes {
            return Ok((found.drain(..).map(|it| key(&it)).collect(), Vec::new()));
        }
        let mut left = self.baseline.as_ref().map(|it| it.of_file(shown)).unwrap_or_default();
        found.retain(|it| match left.get_mut(&key(it)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        // What is not looked at is not gone.
        let is_stale = |count: usize| count > 0 && self.since.is_none();
        Ok((Vec::new(), left.into_iter().filter(|it| is_stale(it.1)).collect()))
    }
}

/// Says which entries of the baseline match nothing any more.
fn tell_stale(stale: &[(Key, usize)], io: &mut Io<'_>, styled: Styled) -> anyhow::Result<()> {
    const MAX_NAMED: usize = 10;
    if stale.is_empty() {
        return Ok(());
    }
    let n: usize = stale.iter().map(|it| it.1).sum();
    let mut text = format!(
        "the baseline lists findings that no longer occur ({}); write it again with `--write-baseline`:",
        count(n, "finding")
    );
    for (key, count) in stale.iter().take(MAX_NAMED) {
        text.push_str(&format!("\n  {key}"));
        if *count > 1 {
            text.push_str(&format!(", {count} times"));
        }
    }
    if stale.len() > MAX_NAMED {
        text.push_str(&format!("\n  and {} more", stale.len() - MAX_NAMED));
    }
    io::message(io.err, styled.err, Tone::Warning, &text)?;
    Ok(())
}

fn check_file(
    args: &CheckArgs,
    job: &Job,
    source: Source,
    reporter: &Reporter,
    (adoption, wanted): (&Adoption, &Wanted<'_>),
    left: Option<&AtomicUsize>,
) -> anyhow::Result<Checked> {
    let shown = job.file.shown.as_str();
    let cells = match notebook::is_notebook(&job.file.path) {
        true => Some(Notebook::read(&source.text).with_context(|| format!("cannot read {shown}"))?),
        false => None,
    };
    let (source, cells) = match cells {
        Some(Notebook { text, cells }) => (Source::new(text.into_bytes())?, Some(cells)),
        None => (source, None),
    };
    let source = &source;
    let mut host = job.host(args.cse.analysis(&job.config), source);
    let file = FileId(0);
    let instance = wanted.of_file(job, source)?;
    let config = DiagnosticsConfig {
        read_back: true,
        instances: instance.is_some(),
        ..job.config.diagnostics(usize::MAX)
    };
    if let Some(instance) = instance {
        let factory = instance.factory().to_owned();
        host.choose_instance(file, &factory, Some(Arc::new(instance)));
    }
    let mut found = host.diagnostics_once(file, &config);
    drop(host);
    let (accepted, stale) = adoption.select(job, source, &mut found)?;
    let mut found = first_fixes(found, left);
    if args.at_source {
        found = sources::merged(found);
    }
    let mut counts = Counts { files: 1, ..Counts::default() };
    found.iter().for_each(|it| counts.count(it));
    let mut rules = Statistics::default();
    found.iter().filter(|it| it.severity <= severity(args.level)).for_each(|it| rules.count(it));
    let mut findings: Vec<&ide::Diagnostic> =
        found.iter().filter(|it| it.severity <= severity(args.level)).collect();
    let language = Language::of_file(&job.file.path, &source.text);
    let n_left_out = limit(&mut findings, limit_of(args));
    if args.statistics {
        findings.clear();
    }
    // People read names, programs open them.
    let shown = match args.format {
        ReportFormat::Text => &*visible(shown),
        _ => shown,
    };
    if let Some(cells) = cells {
        // Nothing is written into a notebook.
        counts.fixable = 0;
        counts.shared = 0;
        let pieces = cells::pieces(shown, (source, language), &cells, &findings, reporter)?;
        return Ok(Checked { pieces, n_left_out, counts, rules, accepted, stale });
    }
    let pieces = pieces(shown, (source, language), &findings, reporter);
    Ok(Checked { pieces, n_left_out, counts, rules, accepted, stale })
}

/// The findings of a text as they are written.
fn pieces(
    shown: &str,
    (source, language): (&Source, Language),
    findings: &[&ide::Diagnostic],
    reporter: &Reporter,
) -> Vec<Piece> {
    let lines = LineIndex::new(&source.text);
    let mut findings: Vec<Finding> =
        findings.iter().map(|it| finding(it, source, &lines)).collect();
    if reporter.has_identities() {
        identify(&mut findings, shown, source, language);
    }
    reporter.pieces(&FileFindings { shown, source, lines: &lines, findings })
}

/// Gives findings names that edits elsewhere leave: those of the baseline, with a number where several are alike.
fn identify(findings: &mut [Finding], shown: &str, source: &Source, language: Language) {
    let functions = Functions::of(language, &source.text);
    let mut seen: BTreeMap<Key, usize> = BTreeMap::new();
    for it in findings {
        let key = baseline::key(shown, source, &functions, it.code, it.region.range);
        let nth = seen.entry(key.clone()).or_default();
        it.identity = key.digest(*nth);
        *nth += 1;
    }
}

/// Keeps at most the remaining limit of findings that could be computed once, in the order of the text.
fn first_fixes(
    mut found: Vec<ide::Diagnostic>,
    left: Option<&AtomicUsize>,
) -> Vec<ide::Diagnostic> {
    let Some(left) = left else { return found };
    found.retain(|it| {
        if it.code != ir::plan::COMMON_SUBEXPRESSION.name {
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

/// The most findings of a report: people read the worst first, programs want all.
fn limit_of(args: &CheckArgs) -> usize {
    /// More than this nobody reads.
    const FOR_PEOPLE: usize = 100;
    match (args.limit, args.format) {
        (None, ReportFormat::Text) if !args.statistics => FOR_PEOPLE,
        (None | Some(0), _) => usize::MAX,
        (Some(limit), _) => limit,
    }
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
        place: it.source.as_deref().cloned(),
        identity: String::new(),
    }
}
