//! `format`: MLIR laid out, in the files or as a diff.
//!
//! In: files of MLIR. Out: the files with other white space, written whole or not at all; or a unified diff; or the
//! names of those that would change. A file of another language that is named is an error; in folders only MLIR is
//! found.

use anyhow::{Context as _, bail};
use syntax::{Edit, Language, LineIndex, Shapes};

use crate::cli::{
    Exit,
    args::FormatArgs,
    input::{
        jobs::{self, Job},
        source::Source,
    },
    io::{self, Io, Styled, Tone},
    output::{
        apply::{Output, apply},
        count,
        progress::Progress,
    },
    parallel,
};

/// Runs the command.
pub(crate) fn format(args: &FormatArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let languages = Language::with(|it| it.format.is_some());
    let jobs::Jobs { jobs, failures } = jobs::find_of(&languages, &args.inputs, io, styled)?;
    for failure in &failures {
        io::message(io.err, styled.err, Tone::Error, failure)?;
    }
    let (mut n_failures, mut n_changed) = (failures.len(), 0);
    let n_jobs = parallel::n_jobs(args.inputs.jobs, jobs.len());
    let progress = Progress::new(jobs.len(), io.err_is_terminal);
    let mut jobs_in_order = jobs.iter();
    let work = |job: &Job| job.run(|source| laid_out(job, source));
    parallel::for_each_in_order(&jobs, n_jobs, work, |planned| -> anyhow::Result<()> {
        let job = jobs_in_order.next().expect("there is one result a job");
        let done = planned.and_then(|(source, edits)| {
            n_changed += usize::from(!edits.is_empty());
            if args.check {
                let named = if edits.is_empty() { "" } else { &format!("{}\n", job.file.shown) };
                return Ok(progress.write(io.out, named.as_bytes())?);
            }
            let cannot = || format!("cannot format {}", job.file.shown);
            apply(Output::of(args.diff), job, &source, &edits, io, &progress, styled)
                .with_context(cannot)
        });
        if let Err(error) = done {
            n_failures += 1;
            progress.tell(io.err, styled.err, error)?;
        }
        progress.advance();
        Ok(())
    })?;
    drop(progress);
    io.out.flush()?;
    io.err.write_all(summary(args, jobs.len(), n_changed, n_failures).as_bytes())?;
    Ok(match (n_failures, n_changed) {
        (0, n) if n > 0 && args.check => Exit::Findings,
        (0, _) => Exit::Success,
        _ => Exit::Failure,
    })
}

fn laid_out(job: &Job, source: Source) -> anyhow::Result<(Source, Vec<Edit>)> {
    let language = Language::of_file(&job.file.path, &source.text);
    let Some(format) = language.support().format else {
        let formatted = Language::with(|it| it.format.is_some());
        let names: Vec<_> = formatted.iter().map(|it| it.support().name).collect();
        bail!("{} is no {}: only that is formatted", job.file.shown, names.join(" and no "));
    };
    match format(&source.text, Shapes::builtin(), None) {
        Ok(edits) => Ok((source, edits)),
        Err(error) => {
            let at = source.line_col(&LineIndex::new(&source.text), error.offset);
            bail!("{}:{}:{}: {error}", job.file.shown, at.line, at.col)
        }
    }
}

fn summary(args: &FormatArgs, n_files: usize, n_changed: usize, n_failures: usize) -> String {
    let files = |n| count(n, "file");
    let mut out = match (n_changed, args.check || args.diff) {
        (0, _) if n_failures > 0 => String::new(),
        (0, _) => format!("{} laid out already\n", files(n_files)),
        (_, true) => format!("{} of {} would change\n", n_changed, files(n_files)),
        (_, false) => format!("{} of {} changed\n", n_changed, files(n_files)),
    };
    if n_failures > 0 {
        out.push_str(&format!("{}, see above\n", count(n_failures, "failure")));
    }
    out
}
