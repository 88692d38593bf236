//! The index of closed workspace files: read in the background, for "the same elsewhere".
//!
//! ```text
//! main loop ─ commands ─► indexer thread ─ ClosedFile ─► ide::WorkspaceIndex ◄─ hovers
//! ```
//!
//! It is one thread of its own, which holds no snapshot: an edit never waits for it. It takes one file at a time, looks
//! for new commands before each function, waits while a request is answered, and rests after some files as long as they
//! took, so that it uses at most half of one processor. First it reads the outlines of all files: their symbols and
//! calls. Their places, for which every function is lowered, follow once a hover has asked, and at once in a workspace
//! of up to [`AT_ONCE`] bytes of files with functions. Files without kernels cost only their reading. The settings
//! limit the number of files with kernels and the size of files, and a scan that meets a limit reports it once. Ignored
//! and hidden files are left out, and folders and files that are links. A file that changes, appears or disappears is
//! read again when the client reports it.
//!
//! Closed files have numbers of their own, from [`FIRST_CLOSED`] on, in the order of discovery. An open one is
//! represented by its document: readers skip it ([`ClosedFiles`]).

use std::{
    collections::VecDeque,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, TryRecvError, unbounded};
use files::LastFolder;
use ide::{ClosedFile, FileId, Language, WorkspaceIndex};
use ignore::Walk;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::server::event::Event;

/// Numbers of closed files begin here; documents have smaller ones.
const FIRST_CLOSED: u32 = 1 << 31;

/// The pause before looking again whether a request is still answered.
const NAP: Duration = Duration::from_millis(5);

/// Between two reports how far a scan is; one that ends before the first is not shown.
const PROGRESS: Duration = Duration::from_millis(500);

/// The longest rest after a file: one that waited for requests has rested already.
const MAX_REST: Duration = Duration::from_millis(200);

/// It rests when it has worked so long: falling asleep takes as long as a small file.
const WORK: Duration = Duration::from_millis(1);

/// The bytes of the files with functions whose places are read before anybody asks.
const AT_ONCE: usize = 4 << 20;

/// The limit on listed files and folders: a root may be a whole disk.
const MAX_LISTED: usize = 1_000_000;

/// Deeply nested input is walked with growing stacks; a large first stack keeps that rare.
const STACK_SIZE: usize = 16 * 1024 * 1024;

/// The limits on reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    /// Files with kernels.
    pub(crate) files: usize,
    /// Bytes of one file; larger ones are left out.
    pub(crate) file_size: u64,
}

/// The commands of the main loop.
enum Command {
    /// Forget everything and read these folders.
    Scan(Vec<PathBuf>, Limits),
    /// Read no more of the folders.
    Stop,
    /// Read this file again, if it is one of the workspace's or in one of its folders.
    Changed(PathBuf),
    /// Somebody asks for places.
    Places,
}

/// The numbers of closed files.
#[derive(Clone, Default)]
pub(crate) struct ClosedFiles {
    table: Arc<Mutex<Table>>,
}

#[derive(Default)]
struct Table {
    paths: Vec<Arc<Path>>,
    by_path: FxHashMap<Arc<Path>, FileId>,
}

impl ClosedFiles {
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The path of a closed file.
    pub(crate) fn path(&self, file: FileId) -> Option<Arc<Path>> {
        let at = file.0.checked_sub(FIRST_CLOSED)?;
        self.lock().paths.get(at as usize).cloned()
    }

    /// The number of a file that has one.
    fn known(&self, path: &Path) -> Option<FileId> {
        self.lock().by_path.get(path).copied()
    }

    /// The number that the next file gets.
    fn next(&self) -> FileId {
        FileId(FIRST_CLOSED + self.lock().paths.len() as u32)
    }

    /// Gives a file the next number. Only the indexer does.
    fn add(&self, path: &Path) {
        let file = self.next();
        let mut table = self.lock();
        let path: Arc<Path> = path.into();
        table.paths.push(path.clone());
        table.by_path.insert(path, file);
    }
}

/// Asks for the places in closed files.
#[derive(Clone)]
pub(crate) struct AskPlaces {
    commands: Sender<Command>,
    /// It was asked already.
    is_asked: Arc<AtomicBool>,
}

impl AskPlaces {
    /// Has the places read, if they are not.
    pub(crate) fn ask(&self) {
        if !self.is_asked.swap(true, Ordering::AcqRel) {
            // Without the thread there are none.
            let _ = self.commands.send(Command::Places);
        }
    }
}

/// Reads the workspace.
pub(crate) struct Workspace {
    commands: Sender<Command>,
    /// Requests that are being answered.
    busy: Arc<AtomicUsize>,
    pub(crate) closed: ClosedFiles,
    pub(crate) places: AskPlaces,
}

/// A request is being answered as long as this is there.
pub(crate) struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Workspace {
    /// Starts the thread. It ends when this is dropped.
    pub(crate) fn new(index: WorkspaceIndex, events: Sender<Event>) -> std::io::Result<Workspace> {
        let (commands, receiver) = unbounded();
        let busy = Arc::new(AtomicUsize::new(0));
        let closed = ClosedFiles::default();
        let indexer = Indexer {
            mailbox: Mailbox { receiver, waiting: VecDeque::new(), is_closed: false },
            busy: busy.clone(),
            closed: closed.clone(),
            index,
            roots: Vec::new(),
            limits: Limits { files: 0, file_size: 0 },
            walks: VecDeque::new(),
            n_listed: 0,
            n_read: 0,
            n_large: 0,
            has_said_limit: false,
            told: Instant::now(),
            is_shown: false,
            changed: VecDeque::new(),
            known: FxHashSet::default(),
            unread: VecDeque::new(),
            n_bytes: 0,
            is_asked: false,
            folder: LastFolder::default(),
            worked: Duration::ZERO,
            events,
        };
        thread::Builder::new()
            .name("indexer".to_owned())
            .stack_size(STACK_SIZE)
            .spawn(move || indexer.run())?;
        let places = AskPlaces { commands: commands.clone(), is_asked: Arc::default() };
        Ok(Workspace { commands, busy, closed, places })
    }

    /// Reads these folders instead of the earlier ones; with no folders everything is dropped.
    pub(crate) fn scan(&self, roots: Vec<PathBuf>, limits: Limits) {
        // The thread lives as long as the sender.
        let _ = self.commands.send(Command::Scan(roots, limits));
    }

    /// Reads no more of the folders; a change of them begins anew.
    pub(crate) fn stop(&self) {
        let _ = self.commands.send(Command::Stop);
    }

    /// Reads a file again.
    pub(crate) fn changed(&self, path: PathBuf) {
        let _ = self.commands.send(Command::Changed(path));
    }

    /// Holds the thread up until the result is dropped.
    pub(crate) fn busy(&self) -> Busy {
        self.busy.fetch_add(1, Ordering::AcqRel);
        Busy(self.busy.clone())
    }
}

/// The unread commands of the main loop.
struct Mailbox {
    receiver: Receiver<Command>,
    waiting: VecDeque<Command>,
    is_closed: bool,
}

impl Mailbox {
    /// Takes the pending commands.
    fn look(&mut self) {
        loop {
            match self.receiver.try_recv() {
                Ok(command) => self.waiting.push_back(command),
                Err(TryRecvError::Empty) => return,
                Err(TryRecvError::Disconnected) => {
                    self.is_closed = true;
                    return;
                }
            }
        }
    }

    /// Waits until something comes.
    fn wait(&mut self) {
        match self.receiver.recv() {
            Ok(command) => self.waiting.push_back(command),
            Err(_) => self.is_closed = true,
        }
    }

    /// Returns true if the file that is being read is of no use any more.
    fn interrupts(&self) -> bool {
        self.is_closed || self.waiting.iter().any(|it| matches!(it, Command::Scan(..)))
    }
}

struct Indexer {
    mailbox: Mailbox,
    busy: Arc<AtomicUsize>,
    closed: ClosedFiles,
    index: WorkspaceIndex,
    roots: Vec<PathBuf>,
    limits: Limits,
    /// Folders that are being listed.
    walks: VecDeque<Walk>,
    n_listed: usize,
    /// Files that were read in this scan.
    n_read: usize,
    /// Files of this scan that are too large.
    n_large: usize,
    has_said_limit: bool,
    /// The last time that the main loop heard how far this scan is, or its beginning.
    told: Instant,
    /// It has heard of this scan.
    is_shown: bool,
    /// Files to read before going on with the folders.
    changed: VecDeque<PathBuf>,
    /// Files that are in the index.
    known: FxHashSet<FileId>,
    /// Files with functions of which only the outline was read.
    unread: VecDeque<FileId>,
    /// The bytes of files with functions that were read in this scan.
    n_bytes: usize,
    /// Somebody has asked for places.
    is_asked: bool,
    /// The folder of the last file.
    folder: LastFolder,
    /// The time since the last rest.
    worked: Duration,
    /// The receiver of reports about files that are left out.
    events: Sender<Event>,
}

impl Indexer {
    fn run(mut self) {
        loop {
            let has_work = !self.changed.is_empty() || self.is_scanning();
            if has_work || !self.mailbox.waiting.is_empty() {
                self.mailbox.look();
            } else {
                self.folder.forget();
                self.mailbox.wait();
            }
            if self.mailbox.is_closed {
                return;
            }
            match self.mailbox.waiting.pop_front() {
                Some(command) => self.take(command),
                None => self.step(),
            }
        }
    }

    fn take(&mut self, command: Command) {
        self.folder.forget();
        match command {
            Command::Scan(roots, limits) => {
                #[expect(clippy::iter_over_hash_type, reason = "the order does not matter")]
                for file in std::mem::take(&mut self.known) {
                    self.index.remove(file);
                }
                self.walks = roots.iter().map(|root| walk(root, None)).collect();
                (self.n_listed, self.n_large, self.has_said_limit) = (0, 0, false);
                self.tell_end();
                (self.n_read, self.told) = (0, Instant::now());
                self.changed.clear();
                self.unread.clear();
                self.n_bytes = 0;
                (self.roots, self.limits) = (roots, limits);
            }
            Command::Changed(path) => {
                let is_ours = self.roots.iter().any(|root| path.starts_with(root));
                if is_ours && is_source(&path) && !self.changed.contains(&path) {
                    self.changed.push_back(path);
                }
            }
            Command::Stop if !self.is_scanning() => {}
            Command::Stop => {
                self.unread.clear();
                self.stop("the reading of the workspace was cancelled".to_owned());
            }
            Command::Places => self.is_asked = true,
        }
    }

    /// Returns true if places are read as well as outlines.
    fn wants_places(&self) -> bool {
        self.is_asked || self.n_bytes <= AT_ONCE
    }

    /// Returns true if there is something left of a scan.
    fn is_scanning(&self) -> bool {
        !self.walks.is_empty() || (self.wants_places() && !self.unread.is_empty())
    }

    /// Reads one file, or lists one entry.
    fn step(&mut self) {
        if let Some(path) = self.changed.pop_front() {
            // One that became a link, or is ignored now, is none of ours any more.
            match is_listed(&path) {
                true => self.read(&path),
                false => self.forget(&path),
            }
            return;
        }
        let Some(walk) = self.walks.front_mut() else {
            let file = self.unread.pop_front();
            // It may be gone since.
            let path =
                file.filter(|it| self.known.contains(it)).and_then(|it| self.closed.path(it));
            if let Some(path) = path {
                self.read_places(&path);
            }
            return self.tell();
        };
        self.n_listed += 1;
        match walk.next() {
            Some(_) if self.n_listed > MAX_LISTED => {
                self.stop(format!("{MAX_LISTED} files and folders were listed"));
            }
            // What cannot be listed is left out: nobody asked for it.
            Some(Err(_)) => {}
            Some(Ok(entry)) => {
                let is_file = entry.file_type().is_some_and(|it| it.is_file());
                if is_file && is_source(entry.path()) {
                    self.n_read += 1;
                    self.read(entry.path());
                }
                self.tell();
            }
            None => {
                self.walks.pop_front();
                self.say_large();
                self.tell();
            }
        }
    }

    /// Says once a scan that a limit was met, and lists nothing more.
    fn stop(&mut self, limit: String) {
        self.walks.clear();
        self.tell_end();
        if !std::mem::replace(&mut self.has_said_limit, true) {
            let rest = "their contents are not listed as equal elsewhere";
            let _ = self.events.send(Event::LeftOut(format!("{limit}; {rest}")));
        }
    }

    /// Says how far the scan is, once it takes longer than a moment, and when it has ended.
    fn tell(&mut self) {
        if !self.is_scanning() {
            return self.tell_end();
        }
        if self.told.elapsed() >= PROGRESS {
            self.told = Instant::now();
            self.is_shown = true;
            let _ = self.events.send(Event::Indexing { n_files: self.n_read, is_done: false });
        }
    }

    fn tell_end(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = self.events.send(Event::Indexing { n_files: self.n_read, is_done: true });
        }
    }

    /// Says at the end of a scan how many files were too large.
    fn say_large(&mut self) {
        if self.walks.is_empty() && self.n_large > 0 {
            let (n, limit) = (self.n_large, self.limits.file_size);
            let files = if n == 1 { "file has" } else { "files have" };
            let message = format!(
                "{n} {files} more than {limit} bytes (`elsewhere.max-file-size`); their contents are not listed as equal elsewhere"
            );
            let _ = self.events.send(Event::TooLarge(message));
        }
    }

    /// Reads one file, unless it is too large or one too many; one that has nothing is taken out.
    fn read(&mut self, path: &Path) {
        let begin = Instant::now();
        let number = self.closed.known(path);
        let is_known = number.is_some_and(|it| self.known.contains(&it));
        if !is_known && self.known.len() >= self.limits.files {
            let limit = format!("{} files with kernels were read", self.limits.files);
            return self.stop(format!("{limit} (`elsewhere.max-files`)"));
        }
        let file = number.unwrap_or_else(|| self.closed.next());
        let text = self.text(path);
        let outline = |text: &String| {
            // What goes wrong costs this file.
            let run = || ClosedFile::outline(Language::of_file(path, text), text);
            self.goes_on().then(|| catch_unwind(AssertUnwindSafe(run)).ok()).flatten()
        };
        match text.as_ref().and_then(outline).filter(|it| !it.is_empty()) {
            Some(found) => {
                if number.is_none() {
                    self.closed.add(path);
                }
                self.known.insert(file);
                if found.has_functions() {
                    self.n_bytes += text.filter(|_| !is_known).map_or(0, |it| it.len());
                    self.unread.push_back(file);
                }
                self.index.replace(file, found);
            }
            None => self.forget(path),
        }
        self.rest(begin);
    }

    /// Reads the places of a file of which the outline is known.
    fn read_places(&mut self, path: &Path) {
        let begin = Instant::now();
        if let Some(file) = self.closed.known(path)
            && let Some(text) = self.text(path)
            && let Some(found) = self.places(file, Language::of_file(path, &text), &text)
        {
            self.index.replace(file, found);
        }
        self.rest(begin);
    }

    /// Rests as long as the work since the last rest took.
    fn rest(&mut self, begin: Instant) {
        self.worked += begin.elapsed().min(MAX_REST);
        if self.worked >= WORK {
            thread::sleep(std::mem::take(&mut self.worked).min(MAX_REST));
        }
    }

    /// The text of a file that is one of the workspace's.
    fn text(&mut self, path: &Path) -> Option<String> {
        let root = self.roots.iter().find(|it| path.starts_with(it))?;
        match self.folder.read_text_within(root, path, self.limits.file_size) {
            Ok(text) => Some(text),
            Err(error) => {
                self.n_large += usize::from(error.kind() == std::io::ErrorKind::FileTooLarge);
                None
            }
        }
    }

    /// Takes a file out of the index.
    fn forget(&mut self, path: &Path) {
        if let Some(file) = self.closed.known(path)
            && self.known.remove(&file)
        {
            self.index.remove(file);
        }
    }

    /// Returns the entries of a file; `None` if it cannot be read, or is of no use any more.
    fn places(&mut self, file: FileId, language: Language, text: &str) -> Option<ClosedFile> {
        let run = || ClosedFile::read(file, language, text, &mut || self.goes_on());
        catch_unwind(AssertUnwindSafe(run)).ok().flatten()
    }

    /// Waits while a request is answered; returns false if what is read is of no use any more.
    fn goes_on(&mut self) -> bool {
        self.mailbox.look();
        while self.busy.load(Ordering::Acquire) > 0 && !self.mailbox.interrupts() {
            thread::sleep(NAP);
            self.mailbox.look();
        }
        !self.mailbox.interrupts()
    }
}

/// Returns true if a file is in a language that is read, by its name.
pub(crate) fn is_source(path: &Path) -> bool {
    Language::of_path(path).is_some()
}

/// Returns true if a folder lists a file: it is there, and not ignored.
fn is_listed(path: &Path) -> bool {
    let Some(folder) = path.parent() else { return false };
    let is_it = |entry: ignore::DirEntry| {
        entry.path() == path && entry.file_type().is_some_and(|it| it.is_file())
    };
    walk(folder, Some(1)).filter_map(Result::ok).any(is_it)
}

fn walk(root: &Path, depth: Option<usize>) -> Walk {
    let mut builder = crate::walk::walk(root, false);
    builder.max_depth(depth).sort_by_file_path(Path::cmp).build()
}
