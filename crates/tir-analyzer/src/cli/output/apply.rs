//! The destination of a file's edits: the file, a diff, or standard output for standard input.

use syntax::Edit;

use crate::cli::{
    input::{jobs::Job, source::Source},
    io::{Io, Styled},
    output::{diff, progress::Progress, write},
};

/// The output of a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// Files, whole or not at all.
    Files,
    /// Unified diffs; nothing is written.
    Diff,
}

impl Output {
    pub(crate) fn of(is_diff: bool) -> Output {
        if is_diff { Output::Diff } else { Output::Files }
    }
}

/// Writes the file, the diff, or the text for standard input.
pub(crate) fn apply(
    output: Output,
    job: &Job,
    source: &Source,
    edits: &[Edit],
    io: &mut Io<'_>,
    progress: &Progress,
    styled: Styled,
) -> anyhow::Result<()> {
    let shown = &job.file.shown;
    if output == Output::Diff {
        let text = diff::unified(shown, source, edits, styled.out)?;
        progress.write(io.out, &text)?;
    } else if job.is_stdin() {
        io.out.write_all(&source.edited(edits)?)?;
    } else if !edits.is_empty() {
        write::replace(&job.file.path, shown, source.bytes(), &source.edited(edits)?)?;
    }
    Ok(())
}
