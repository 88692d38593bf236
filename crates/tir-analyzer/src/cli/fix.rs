//! `fix`: the edits that bind shared values, in the files or as a diff.
//!
//! In: files. Out: the files with the edits, written whole or not at all; or a unified diff; or, for standard input,
//! the new text. Comments, layout and line breaks stay. Functions whose blocks are still to be scheduled are left
//! alone, because a new binding can make `compute_inline` or `fuse` fail there; they are counted.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, bail};
use frontend::tvmscript::{
    self, FunctionKind,
    edits::{Selection, cse_edits},
};
use ir::{Occurrences, plan::docs};
use syntax::Edit;
use transform::cse::{self, CseOptions};

use crate::cli::{
    Exit,
    args::FixArgs,
    diff,
    io::{self, Io, Styled, Tone},
    jobs::{self, Job},
    opt::n_fixes,
    parallel,
    progress::Progress,
    report::count,
    rules::{self, did_you_mean},
    source::Source,
    write,
};

/// What is done to one file.
pub(crate) struct FileFix {
    pub(crate) source: Source,
    pub(crate) edits: Vec<Edit>,
    pub(crate) n_fixes: usize,
    /// Fixes that were not done, and the functions they are in.
    n_left: usize,
    n_left_functions: usize,
}

/// The sums over all files.
#[derive(Default)]
struct Totals {
    fixes: usize,
    files: usize,
    left: usize,
    left_functions: usize,
    failures: usize,
}

/// Runs the command.
pub(crate) fn fix(args: &FixArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    select(&args.select)?;
    let jobs::Jobs { jobs, failures } = jobs::find(&args.inputs, io, styled)?;
    for failure in &failures {
        io::message(io.err, styled.err, Tone::Error, failure)?;
    }
    let mut totals = Totals { failures: failures.len(), ..Totals::default() };
    let budget = Budget::new(args.cse.max_fixes);
    // What earlier files leave of the budget is known only after them.
    let n_jobs = match args.cse.max_fixes {
        Some(_) => 1,
        None => parallel::n_jobs(args.inputs.jobs, jobs.len()),
    };
    let progress = Progress::new(jobs.len(), io.err_is_terminal);
    let work = |job: &Job| job.run(|source| plan(args.cse.options(&job.config), source, &budget));
    let mut jobs_in_order = jobs.iter();
    parallel::for_each_in_order(&jobs, n_jobs, work, |planned| -> anyhow::Result<()> {
        let job = jobs_in_order.next().expect("there is one result a job");
        let done = planned.and_then(|it| {
            apply(args, job, &it, io, &progress, styled)?;
            totals.add(&it);
            Ok(())
        });
        match done {
            Ok(()) => {}
            Err(error) if io::is_broken_pipe(&error) => return Err(error),
            Err(error) => {
                totals.failures += 1;
                let mut line = Vec::new();
                io::message(&mut line, styled.err, Tone::Error, &format!("{error:#}"))?;
                progress.write(io.err, &line)?;
            }
        }
        progress.advance();
        Ok(())
    })?;
    drop(progress);
    io.out.flush()?;
    io.err.write_all(summary(&totals, args.diff).as_bytes())?;
    Ok(if totals.failures > 0 { Exit::Failure } else { Exit::Success })
}

/// Checks that the selected rules are there and have fixes.
fn select(names: &[String]) -> anyhow::Result<()> {
    for name in names {
        match rules::find(name) {
            Ok(rule) if rule.is_fixable => {}
            Ok(_) => bail!("`{name}` has no fix; `{}` has", docs::COMMON_SUBEXPRESSION),
            Err(near) => bail!("there is no rule `{name}`{}", did_you_mean(&near)),
        }
    }
    Ok(())
}

/// How many fixes may still be done.
pub(crate) struct Budget(Option<AtomicUsize>);

impl Budget {
    pub(crate) fn new(max: Option<usize>) -> Budget {
        Budget(max.map(AtomicUsize::new))
    }

    /// With a limit, files are worked on one after the other, so no two threads meet here.
    fn left(&self) -> Option<usize> {
        self.0.as_ref().map(|it| it.load(Ordering::Relaxed))
    }

    fn take(&self, n: usize) {
        if let Some(left) = &self.0 {
            left.store(left.load(Ordering::Relaxed).saturating_sub(n), Ordering::Relaxed);
        }
    }
}

/// Plans the fixes of one file.
pub(crate) fn plan(
    options: CseOptions,
    source: Source,
    budget: &Budget,
) -> anyhow::Result<FileFix> {
    let functions = tvmscript::functions(&syntax::parse(&source.text));
    let mut fix = FileFix { source, edits: Vec::new(), n_fixes: 0, n_left: 0, n_left_functions: 0 };
    for item in &functions.functions {
        if item.source.kind != FunctionKind::PrimFunc {
            continue;
        }
        let lowered = tvmscript::lower(&item.source, &functions.environment(item));
        let occurrences = Occurrences::collect(&lowered.body);
        let options = CseOptions { max_bindings: budget.left(), ..options };
        let plan = lowered
            .source_map
            .with_view(|view| cse::plan(&lowered.body, &occurrences, Some(view), &options));
        let n = n_fixes(&plan);
        if plan.informational {
            fix.n_left += n;
            fix.n_left_functions += usize::from(n > 0);
            continue;
        }
        let start = item.range.start();
        let edits = cse_edits(&lowered, &item.source.green.text(), &plan, Selection::All);
        if edits.is_empty() {
            continue;
        }
        budget.take(n);
        fix.n_fixes += n;
        let to_file = |it: Edit| Edit::replace(it.range + start, it.text);
        fix.edits.extend(edits.into_edits().into_iter().map(to_file));
    }
    Ok(fix)
}

/// Writes the file, the diff, or the text for standard input.
fn apply(
    args: &FixArgs,
    job: &Job,
    fix: &FileFix,
    io: &mut Io<'_>,
    progress: &Progress,
    styled: Styled,
) -> anyhow::Result<()> {
    let shown = &job.file.shown;
    let cannot = || format!("cannot fix {shown}");
    if args.diff {
        let text = diff::unified(shown, &fix.source, &fix.edits, styled.out);
        let text = text.with_context(cannot)?;
        progress.write(io.out, &text)?;
    } else if job.is_stdin() {
        io.out.write_all(&fix.source.edited(&fix.edits).with_context(cannot)?)?;
    } else if !fix.edits.is_empty() {
        let after = fix.source.edited(&fix.edits).with_context(cannot)?;
        write::replace(&job.file.path, shown, fix.source.bytes(), &after)?;
    }
    Ok(())
}

impl Totals {
    fn add(&mut self, fix: &FileFix) {
        self.fixes += fix.n_fixes;
        self.files += usize::from(!fix.edits.is_empty());
        self.left += fix.n_left;
        self.left_functions += fix.n_left_functions;
    }
}

fn summary(totals: &Totals, is_diff: bool) -> String {
    let (fixes, files) = (fixes(totals.fixes), count(totals.files, "file"));
    let mut out = match (totals.fixes, is_diff) {
        (0, _) => "nothing to fix\n".to_owned(),
        (_, true) => format!("{fixes} in {files}; without `--diff` they are written\n"),
        (_, false) => format!("{fixes} in {files}\n"),
    };
    if totals.left > 0 {
        out.push_str(&format!(
            "{} left out in {} with blocks that can still be scheduled: a new binding can make `compute_inline` or \
             `fuse` fail there; an editor offers them one by one\n",
            self::fixes(totals.left),
            count(totals.left_functions, "function")
        ));
    }
    if totals.failures > 0 {
        out.push_str(&format!("{}, see above\n", count(totals.failures, "failure")));
    }
    out
}

pub(crate) fn fixes(n: usize) -> String {
    if n == 1 { "1 fix".to_owned() } else { format!("{n} fixes") }
}
