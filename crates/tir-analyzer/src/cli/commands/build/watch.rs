//! `build --watch`: rebuilds whenever a file is saved.
//!
//! In: messages of the file system. Out: after each pause in them, a build, and its report. The pause is short where
//! the system tells that the files are closed. What was read and written stays in memory ([`Resident`]): a save reads
//! the files that changed, and builds what they reach. Where files appear or go, or settings and ignore rules change,
//! the files are listed and looked at anew. Outputs of this command itself start nothing; those that somebody else
//! changed or removed are made again. The notes for the next process are written after a while without a save, and at
//! the end. Folders are watched one by one ([`folders`]). An interrupt waits for the end of a build and then ends the
//! program.

mod folders;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use anyhow::Context as _;
use build_kernels::{How, Outcome, Reached, Resident, Settings, store_of};
use codegen::build::Build;
use crossbeam_channel::{Receiver, RecvTimeoutError, unbounded};
use notify::{
    Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode, ModifyKind, RenameMode},
};
use syntax::Language;

use super::{Plan, SharedCache, report};
use crate::cli::{
    Exit,
    args::{BuildArgs, Format},
    interrupt,
    io::{self, Io, Styled, Tone},
};

/// A save is over when nothing happened for so long.
const PAUSE: Duration = Duration::from_millis(20);
/// The same where all files that were written to are closed, as far as the system tells: others may be saved with them.
const PAUSE_AFTER_CLOSING: Duration = Duration::from_millis(3);
/// A build comes after this long, whatever happens.
const PATIENCE: Duration = Duration::from_millis(500);
/// The notes for the next process are written when nothing happened for so long.
const QUIET: Duration = Duration::from_millis(400);
/// Ignore rules.
const RULES: [&str; 4] = [".gitignore", ".ignore", "exclude", ".git"];

type Message = notify::Result<Event>;

/// The state between builds.
#[derive(Default)]
struct Watch {
    shared: SharedCache,
    /// The files whose outputs stay without them.
    gone: Vec<String>,
    plan: Option<Plan>,
    resident: Arc<Mutex<Option<Resident>>>,
    /// Files that could be read and that no build of these files reads.
    passed: BTreeSet<PathBuf>,
}

pub(super) fn watch(args: &BuildArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let (sender, messages) = unbounded();
    // When nobody listens any more, there is nothing to tell.
    let tell = move |message: Message| drop(sender.send(message));
    let mut watcher = notify::recommended_watcher(tell).context("cannot watch files")?;
    let watched = watched(args, io);
    for (path, mode) in &watched {
        folders::watch(&mut watcher, path, *mode)
            .with_context(|| format!("cannot watch {}; name fewer folders", path.display()))?;
    }
    let mut watch = Watch::default();
    let resident = Arc::clone(&watch.resident);
    // Nobody can be told at the end: without notes the next process reads more.
    let _noting =
        interrupt::OnExit::new(move || drop(lock(&resident).as_mut().map(Resident::note)));
    let mut saved = BTreeSet::new();
    loop {
        // A build that fails is told, and the next save is waited for.
        if let Err(error) = watch.build((&mut watcher, &watched), args, &saved, io, styled) {
            if io::is_broken_pipe(&error) {
                return Err(error);
            }
            io::message(io.err, styled.err, Tone::Error, &format!("{error:#}"))?;
        }
        let mut ours = own_folders(args, io);
        if saved.is_empty() && args.format == Format::Text {
            writeln!(io.out, "watching; Ctrl-C ends it")?;
        }
        io.out.flush()?;
        let folders = lock(&watch.resident).as_mut().map(Resident::new_folders);
        for folder in folders.into_iter().flatten().filter(|it| !is_watched(&watched, it)) {
            // Imports may be searched outside of what is built.
            let _ = watcher.watch(&folder, RecursiveMode::NonRecursive);
        }
        if lock(&watch.resident).is_some() {
            // Outputs are known one by one.
            ours.truncate(1);
        }
        let ours: Vec<PathBuf> = ours.into_iter().flatten().collect();
        saved = loop {
            let patience = watch.has_news().then_some(QUIET);
            match next_saves(&messages, &ours, patience) {
                Next::Saved(paths, new) => {
                    folders::watch_new(&mut watcher, &new);
                    break paths;
                }
                Next::Folders(new) => folders::watch_new(&mut watcher, &new),
                Next::Quiet => watch.note(),
                Next::Over => anyhow::bail!("the file system tells nothing any more"),
            }
        };
    }
}

/// Returns true if a folder is watched with what is around it.
fn is_watched(watched: &[(PathBuf, RecursiveMode)], folder: &Path) -> bool {
    watched.iter().any(|(path, mode)| match mode {
        RecursiveMode::Recursive => folder.starts_with(path),
        RecursiveMode::NonRecursive => folder == path,
    })
}

/// Watches the outputs of a build, before it is told: of all of them, or of the files that were made. Folders of an
/// earlier one may be watched again.
fn watch_outputs(
    watcher: &mut RecommendedWatcher,
    watched: &[(PathBuf, RecursiveMode)],
    plan: &Plan,
    made: Option<&Outcome>,
) -> notify::Result<()> {
    let Settings { out, targets, .. } = &plan.settings;
    let Some(made) = made else {
        // Nothing was written, perhaps ever.
        let is_done = !out.is_dir() || (!folders::ONE_BY_ONE && is_watched(watched, out));
        return if is_done {
            Ok(())
        } else {
            folders::watch(watcher, out, RecursiveMode::Recursive)
        };
    };
    for file in made.report.files.iter().filter(|it| it.how != How::Kept) {
        for target in targets {
            let folder = out.join(target.name()).join(&*Build::place_of(&file.file));
            folders::watch_up_to(watcher, out, &folder);
        }
    }
    Ok(())
}

fn lock(resident: &Mutex<Option<Resident>>) -> MutexGuard<'_, Option<Resident>> {
    resident.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// One build; silent if there was nothing to do, except the first time.
    fn build(
        &mut self,
        (watcher, watched): (&mut RecommendedWatcher, &[(PathBuf, RecursiveMode)]),
        args: &BuildArgs,
        saved: &BTreeSet<PathBuf>,
        io: &mut Io<'_>,
        styled: Styled,
    ) -> anyhow::Result<()> {
        let started = Instant::now();
        let section = interrupt::critical_section();
        let some = self.build_some(args, saved, io);
        let (outcome, is_all) = match some {
            Ok(Some(Some(outcome))) => (outcome, false),
            Ok(Some(None)) => return Ok(()),
            Ok(None) => (self.build_all(args, saved, io, styled)?, true),
            Err(error) => {
                // What stands is not known any more.
                *lock(&self.resident) = None;
                return Err(error);
            }
        };
        drop(section);
        let Some(plan) = &self.plan else { return Ok(()) };
        if let Err(error) = watch_outputs(watcher, watched, plan, (!is_all).then_some(&outcome)) {
            let text = format!("outputs that somebody changes are not noticed at once: {error}");
            io::message(io.err, styled.err, Tone::Warning, &text)?;
        }
        plan.tell(&outcome, io, styled)?;
        let is_gone_new = is_all && self.gone != outcome.gone;
        if is_all {
            self.gone.clone_from(&outcome.gone);
        }
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

    /// Builds what the saved files reach; `None` if all has to be built, `Some(None)` if they reach nothing.
    fn build_some(
        &self,
        args: &BuildArgs,
        saved: &BTreeSet<PathBuf>,
        io: &Io<'_>,
    ) -> anyhow::Result<Option<Option<Outcome>>> {
        let mut resident = lock(&self.resident);
        let Some((plan, resident)) = self.plan.as_ref().zip(resident.as_mut()) else {
            return Ok(None);
        };
        // Which files differ from a revision has to be asked anew.
        if saved.is_empty() || args.since.is_some() || saved.iter().any(|it| is_about_files(it)) {
            return Ok(None);
        }
        plan.with(args, io, |_, show| {
            Ok(match resident.reached(saved, &self.passed)? {
                Reached::All => None,
                Reached::Some(reached) if reached.is_empty() => Some(None),
                Reached::Some(reached) => resident.build(&reached, show)?.map(Some),
            })
        })
    }

    /// Lists the files anew and builds all.
    fn build_all(
        &mut self,
        args: &BuildArgs,
        saved: &BTreeSet<PathBuf>,
        io: &mut Io<'_>,
        styled: Styled,
    ) -> anyhow::Result<Outcome> {
        *lock(&self.resident) = None;
        self.plan = None;
        if saved.iter().any(|it| is_about_files(it)) {
            self.passed.clear();
        }
        for path in saved {
            match path.is_file() {
                true => self.passed.insert(path.clone()),
                false => self.passed.remove(path),
            };
        }
        let plan = Plan::new(args, &mut self.shared, io, styled)?;
        let (outcome, resident) = plan.with(args, io, |options, show| {
            Resident::start(&plan.inputs, &plan.settings, options, show)
        })?;
        // A name that was mistyped may be there with the next save.
        *lock(&self.resident) = resident.filter(|_| plan.failures.is_empty());
        self.plan = Some(plan);
        Ok(outcome)
    }

    fn has_news(&self) -> bool {
        lock(&self.resident).as_ref().is_some_and(Resident::has_news)
    }

    /// Writes the notes for the next process: if that fails, it reads more.
    fn note(&self) {
        let _section = interrupt::critical_section();
        let mut resident = lock(&self.resident);
        if resident.as_mut().is_some_and(|it| it.note().is_err()) {
            *resident = None;
        }
    }
}

/// Returns true if a change at a path may change which files are built, and how: settings and ignore rules; an empty
/// path is a message that was lost.
fn is_about_files(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.is_empty()
        || path.extension().is_some_and(|it| it == "toml")
        || RULES.iter().any(|it| name == *it)
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

/// The places where a build writes, each as it is named and as the file system's messages name it: the store, and the
/// output folder.
fn own_folders(args: &BuildArgs, io: &Io<'_>) -> Vec<[PathBuf; 2]> {
    let out = io.resolve(&args.out);
    let store = args.store.as_ref().map_or_else(|| store_of(&out), |it| io.resolve(it));
    let real = |it: &PathBuf| it.canonicalize().unwrap_or_else(|_| it.clone());
    [store, out].into_iter().map(|it| [real(&it), it]).collect()
}

/// The next thing that happens.
#[derive(PartialEq, Eq, Debug)]
enum Next {
    /// A change at these paths, and the pause after it; with folders that are new.
    Saved(BTreeSet<PathBuf>, BTreeSet<PathBuf>),
    /// Folders that are new, of this command itself.
    Folders(BTreeSet<PathBuf>),
    /// Nothing happened for as long as was given.
    Quiet,
    /// There will be no message any more.
    Over,
}

/// Waits for a change outside of `ours`, and for the pause after it.
fn next_saves(messages: &Receiver<Message>, ours: &[PathBuf], quiet: Option<Duration>) -> Next {
    let mut saves = Saves::default();
    while saves.paths.is_empty() {
        if !saves.folders.is_empty() {
            return Next::Folders(saves.folders);
        }
        let message = match quiet {
            Some(quiet) => messages.recv_timeout(quiet),
            None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match message {
            Ok(message) => saves.note(message, ours),
            Err(RecvTimeoutError::Timeout) => return Next::Quiet,
            Err(RecvTimeoutError::Disconnected) => return Next::Over,
        }
    }
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        match messages.recv_timeout(saves.pause()) {
            Ok(message) => saves.note(message, ours),
            Err(RecvTimeoutError::Timeout) => break,
            Err(RecvTimeoutError::Disconnected) => return Next::Over,
        }
    }
    Next::Saved(saves.paths, saves.folders)
}

/// The files that were saved since the last build.
#[derive(Default)]
struct Saves {
    paths: BTreeSet<PathBuf>,
    /// Those of them that somebody may be writing to, or is about to replace.
    unfinished: BTreeSet<PathBuf>,
    /// New folders: nobody tells what happens in them.
    folders: BTreeSet<PathBuf>,
}

impl Saves {
    fn pause(&self) -> Duration {
        if self.unfinished.is_empty() { PAUSE_AFTER_CLOSING } else { PAUSE }
    }

    fn note(&mut self, message: Message, ours: &[PathBuf]) {
        let Ok(event) = message else {
            // Something was lost, perhaps a save: the next build finds what changed.
            self.paths.insert(PathBuf::new());
            return;
        };
        if event.need_rescan() {
            self.paths.insert(PathBuf::new());
        }
        let is_finished = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => {
                for path in &event.paths {
                    self.unfinished.remove(path);
                }
                return;
            }
            // Reading is no change.
            EventKind::Access(_) => return,
            EventKind::Modify(ModifyKind::Name(RenameMode::To | RenameMode::Both)) => true,
            // Copies that editors keep until a file is saved.
            EventKind::Remove(_) => !event.paths.iter().any(|it| Language::of_path(it).is_some()),
            _ => false,
        };
        if folders::is_of_new(event.kind) {
            self.folders.extend(event.paths.iter().cloned());
        }
        for path in event.paths {
            if ours.iter().any(|own| path.starts_with(own)) {
                continue;
            }
            if is_finished {
                self.unfinished.remove(&path);
            } else {
                self.unfinished.insert(path.clone());
            }
            self.paths.insert(path);
        }
    }
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
        let ours = ["k/out".into()];
        let saved = BTreeSet::from(["k/a.py".into(), "k/b.py".into()]);
        assert_eq!(next_saves(&messages, &ours, None), Next::Saved(saved, BTreeSet::new()));
        assert_eq!(next_saves(&messages, &ours, Some(Duration::ZERO)), Next::Quiet);
        drop(sender);
        assert_eq!(next_saves(&messages, &ours, None), Next::Over);
    }

    #[test]
    fn what_is_closed_is_saved() {
        let modified = EventKind::Modify(ModifyKind::Any);
        let closed = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let renamed = |it| EventKind::Modify(ModifyKind::Name(it));
        let removed = EventKind::Remove(notify::event::RemoveKind::File);
        let check = |events: &[(EventKind, &str)], pause| {
            let mut saves = Saves::default();
            for (kind, path) in events {
                saves.note(event(*kind, path), &["k/out".into()]);
            }
            assert_eq!(saves.pause(), pause, "{events:?}");
            assert_eq!(saves.paths, BTreeSet::from(["k/a.py".into()]), "{events:?}");
        };
        check(&[(modified, "k/a.py")], PAUSE);
        check(&[(modified, "k/a.py"), (closed, "k/a.py")], PAUSE_AFTER_CLOSING);
        check(&[(modified, "k/a.py"), (closed, "k/a.py"), (modified, "k/a.py")], PAUSE);
        check(
            &[(modified, "k/a.py"), (closed, "k/a.py"), (modified, "k/out/b")],
            PAUSE_AFTER_CLOSING,
        );
        check(&[(renamed(RenameMode::To), "k/a.py")], PAUSE_AFTER_CLOSING);
        // Another file takes its place soon, perhaps.
        check(&[(renamed(RenameMode::From), "k/a.py")], PAUSE);
        check(&[(removed, "k/a.py")], PAUSE);
        check(&[(removed, "k/a.py"), (renamed(RenameMode::To), "k/a.py")], PAUSE_AFTER_CLOSING);
        let mut saves = Saves::default();
        for (kind, path) in [(modified, "k/a.py"), (closed, "k/a.py"), (removed, "k/a.py~")] {
            saves.note(event(kind, path), &[]);
        }
        assert_eq!(saves.pause(), PAUSE_AFTER_CLOSING);
    }

    #[test]
    fn settings_and_ignore_rules_are_about_files() {
        for path in
            ["", "a/tir-analyzer.toml", "dialects/x.toml", "a/.gitignore", ".git/info/exclude"]
        {
            assert!(is_about_files(Path::new(path)), "{path}");
        }
        assert!(!is_about_files(Path::new("a/b.py")) && !is_about_files(Path::new("git/x.mlir")));
    }
}
