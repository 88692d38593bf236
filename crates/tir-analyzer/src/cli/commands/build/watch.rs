//! `build --watch`: rebuilds whenever a file is saved.
//!
//! In: messages of the file system. Out: after each pause in them, a build, and its report. Which files there are is
//! asked anew each time, so ignore rules hold and new files count; only those that changed are read. Outputs of this
//! command itself start nothing. An interrupt waits for the end of a build and then ends the program.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use build_kernels::{How, Outcome, store_of};
use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};
use notify::{Event, EventKind, RecursiveMode, Watcher as _};

use super::{Plan, SharedCache, report};
use crate::cli::{
    Exit,
    args::{BuildArgs, Format},
    interrupt,
    io::{self, Io, Styled, Tone},
};

/// A save is over when nothing happened for so long.
const PAUSE: Duration = Duration::from_millis(20);
/// A build comes after this long, whatever happens.
const PATIENCE: Duration = Duration::from_millis(500);

type Message = notify::Result<Event>;

pub(super) fn watch(args: &BuildArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let (sender, messages) = unbounded();
    // When nobody listens any more, there is nothing to tell.
    let tell = move |message: Message| drop(sender.send(message));
    let mut watcher = notify::recommended_watcher(tell).context("cannot watch files")?;
    for (path, mode) in watched(args, io) {
        watcher
            .watch(&path, mode)
            .with_context(|| format!("cannot watch {}; name fewer folders", path.display()))?;
    }
    let mut saved = BTreeSet::new();
    let mut gone = Vec::new();
    let mut shared = SharedCache::default();
    loop {
        // A build that fails is told, and the next save is waited for.
        if let Err(error) = build_again(args, &saved, &mut gone, &mut shared, io, styled) {
            if io::is_broken_pipe(&error) {
                return Err(error);
            }
            io::message(io.err, styled.err, Tone::Error, &format!("{error:#}"))?;
        }
        if saved.is_empty() && args.format == Format::Text {
            writeln!(io.out, "watching; Ctrl-C ends it")?;
        }
        io.out.flush()?;
        let ours = own_folders(args, io);
        saved = next_saves(&messages, &ours).context("the file system tells nothing any more")?;
    }
}

/// One build; silent if there was nothing to do, except the first time.
fn build_again(
    args: &BuildArgs,
    saved: &BTreeSet<PathBuf>,
    gone: &mut Vec<String>,
    shared: &mut SharedCache,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<()> {
    let started = Instant::now();
    let section = interrupt::critical_section();
    let plan = Plan::new(args, shared, io, styled)?;
    let (outcome, _) = plan.run(args, io, styled)?;
    drop(section);
    let is_gone_new = *gone != outcome.gone;
    gone.clone_from(&outcome.gone);
    if !saved.is_empty() && !has_news(&outcome) && !is_gone_new {
        return Ok(());
    }
    match args.format {
        Format::Json => writeln!(io.out, "{}", report::json(&outcome))?,
        Format::Text => {
            for file in outcome.report.files.iter().filter(|it| it.how != How::Kept) {
                if !saved.is_empty() {
                    writeln!(io.out, "{} was saved", file.file)?;
                }
            }
            report::text(&outcome, &plan.shown, args, io, styled)?;
            if !saved.is_empty() {
                let milliseconds = started.elapsed().as_secs_f64() * 1e3;
                writeln!(io.out, "in {milliseconds:.1} ms")?;
            }
        }
    }
    Ok(())
}

fn has_news(outcome: &Outcome) -> bool {
    let report = &outcome.report;
    report.files.iter().any(|it| it.how != How::Kept)
        || !report.removed.is_empty()
        || !report.pruned.is_empty()
        || !outcome.failures.is_empty()
}

/// Folders with all that is in them, and the folders of single files: a save may replace a file by another.
fn watched(args: &BuildArgs, io: &Io<'_>) -> Vec<(PathBuf, RecursiveMode)> {
    if args.inputs.paths.is_empty() {
        return vec![(io.folder.clone(), RecursiveMode::Recursive)];
    }
    let one = |path: &PathBuf| {
        let full = io.resolve(path);
        match full.is_dir() {
            true => (full, RecursiveMode::Recursive),
            false => {
                let folder = full.parent().map(Path::to_owned).unwrap_or_default();
                (folder, RecursiveMode::NonRecursive)
            }
        }
    };
    args.inputs.paths.iter().map(one).collect()
}

/// Returns the place where a build writes.
fn own_folders(args: &BuildArgs, io: &Io<'_>) -> Vec<PathBuf> {
    let out = io.resolve(&args.out);
    let store = args.store.as_ref().map_or_else(|| store_of(&out), |it| io.resolve(it));
    // As the file system's messages name them.
    let real = |it: &PathBuf| it.canonicalize().unwrap_or_else(|_| it.clone());
    [out, store].into_iter().flat_map(|it| [real(&it), it]).collect()
}

/// Waits for a change outside of `ours`, and for the pause after it. `None` if there will be no message any more.
fn next_saves(messages: &Receiver<Message>, ours: &[PathBuf]) -> Option<BTreeSet<PathBuf>> {
    let mut saved = BTreeSet::new();
    while saved.is_empty() {
        note(messages.recv().ok()?, ours, &mut saved);
    }
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        match messages.recv_timeout(PAUSE) {
            Ok(message) => note(message, ours, &mut saved),
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    Some(saved)
}

fn note(message: Message, ours: &[PathBuf], saved: &mut BTreeSet<PathBuf>) {
    let Ok(event) = message else {
        // Something was lost, perhaps a save: the next build finds what changed.
        saved.insert(PathBuf::new());
        return;
    };
    if event.need_rescan() {
        saved.insert(PathBuf::new());
    }
    // Reading is no change.
    if matches!(event.kind, EventKind::Access(_)) {
        return;
    }
    let is_foreign = |path: &PathBuf| !ours.iter().any(|own| path.starts_with(own));
    saved.extend(event.paths.into_iter().filter(is_foreign));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: EventKind, path: &str) -> Message {
        Ok(Event { kind, paths: vec![path.into()], attrs: notify::event::EventAttributes::new() })
    }

    #[test]
    fn many_messages_about_a_save_are_one_and_own_files_are_none() {
        let (sender, messages) = unbounded();
        let modified = EventKind::Modify(notify::event::ModifyKind::Any);
        for path in ["k/out/cuda/a.cu", "k/a.py", "k/a.py", "k/b.py", "k/out/x"] {
            sender.send(event(modified, path)).unwrap();
        }
        let read = EventKind::Access(notify::event::AccessKind::Read);
        sender.send(event(read, "k/c.py")).unwrap();
        let saved = next_saves(&messages, &["k/out".into()]).unwrap();
        assert_eq!(saved, BTreeSet::from(["k/a.py".into(), "k/b.py".into()]));
        drop(sender);
        assert_eq!(next_saves(&messages, &[]), None);
    }
}
