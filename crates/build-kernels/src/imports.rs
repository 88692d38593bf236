//! The imports of the files of a build: what the functions of a file depend on in other files.
//!
//! In: a file in a workspace. Out: the scopes of the files that it imports, each read once a build; a digest of all
//! that was asked for, which is part of the hash of the file's functions; and a record of it, by which the next build
//! knows without reading anything that it is unchanged.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use codegen::build::{Looks, hash_of};
use frontend::tvmscript::{
    Modules, Scopes,
    modules::{Entry, Files, Workspace},
};

use crate::{
    texts::{Counts, Look, Record, Texts},
    workspace::{WorkspaceFiles, module_path},
};

/// The workspaces of a build.
pub(crate) struct Workspaces(Vec<Arc<Shared>>);

/// A workspace, shared by its files.
struct Shared {
    root: Box<str>,
    files: Arc<ReadFiles>,
    workspace: Workspace,
}

/// The files of a workspace, with the hashes of those that were read.
struct ReadFiles {
    files: WorkspaceFiles,
    counts: Counts,
    read: Mutex<BTreeMap<Box<str>, Read>>,
}

/// A file that was read.
#[derive(Clone, Copy)]
struct Read {
    text: [u8; 32],
    look: Option<Look>,
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Files for ReadFiles {
    fn roots(&self) -> &[Box<str>] {
        self.files.roots()
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        self.counts.stat();
        self.files.entry(path)
    }

    fn text(&self, path: &str) -> Option<String> {
        self.counts.stat();
        self.counts.read();
        // A look from before the bytes: a change in between makes it an old one.
        let look = fs::metadata(path).ok().and_then(|it| Look::of(&it));
        let text = self.files.text(path)?;
        let read = Read { text: hash_of(&[text.as_bytes()]), look };
        lock(&self.read).insert(path.into(), read);
        Some(text)
    }
}

impl Workspaces {
    /// Those of these folders: of each first its own, then the others in which imports are searched.
    pub(crate) fn new(workspaces: &[Vec<PathBuf>]) -> Workspaces {
        let shared = |folders: &Vec<PathBuf>| {
            let files = WorkspaceFiles::new(folders.iter().cloned());
            let root = files.roots().first()?.clone();
            let (counts, read) = (Counts::default(), Mutex::default());
            let files = Arc::new(ReadFiles { files, counts, read });
            let workspace = Workspace::new(files.clone());
            Some(Arc::new(Shared { root, files, workspace }))
        };
        Workspaces(workspaces.iter().filter_map(shared).collect())
    }

    /// The looks at imported files, counted anew after each call.
    pub(crate) fn take_looks(&self) -> Looks {
        let mut sum = Looks::default();
        for Looks { stats, reads } in self.0.iter().map(|it| it.files.counts.take()) {
            sum.stats += stats;
            sum.reads += reads;
        }
        sum
    }

    /// The imports of a file, of which nothing was asked yet; none if it is in no workspace.
    pub(crate) fn of_file(&self, path: &Path) -> Option<Arc<Imports>> {
        let own = module_path(path)?;
        let is_around = |it: &&Arc<Shared>| {
            own.strip_prefix(&*it.root).is_some_and(|rest| rest.starts_with('/'))
        };
        let shared = self.0.iter().filter(is_around).max_by_key(|it| it.root.len())?.clone();
        Some(Arc::new(Imports { shared, own: own.into(), asked: Mutex::default() }))
    }
}

/// The imports of a file, and what was asked of them.
pub(crate) struct Imports {
    shared: Arc<Shared>,
    own: Arc<str>,
    asked: Mutex<Asked>,
}

#[derive(Default)]
struct Asked {
    /// By the file in which an import stands and its words: the file that it means.
    words: BTreeMap<(Box<str>, Box<str>), Option<Arc<str>>>,
    read: BTreeSet<Box<str>>,
}

impl fmt::Debug for Imports {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Imports").field(&self.own).finish()
    }
}

impl Modules for Imports {
    fn module(&self, from: &str, path: &str) -> Option<Arc<str>> {
        let from = if from.is_empty() { &*self.own } else { from };
        let found = self.shared.workspace.module(from, path);
        lock(&self.asked).words.insert((from.into(), path.into()), found.clone());
        found.map(|it| if it == self.own { "".into() } else { it })
    }

    fn file(&self, number: &str) -> Option<Scopes> {
        if number.ends_with('/') {
            return None;
        }
        lock(&self.asked).read.insert(number.into());
        self.shared.workspace.scopes(number)
    }
}

impl Imports {
    /// The path of the file itself.
    pub(crate) fn own(&self) -> &str {
        &self.own
    }

    /// Returns true if words of an import mean a file of the workspace, or a name in one.
    pub(crate) fn is_known(&self, words: &str) -> bool {
        let name_at = words.rfind('.').map_or(0, |it| it + 1);
        let before = &words[..name_at];
        // The dots of `from . import name` are a module, those between names are not.
        let module = match before.trim_start_matches('.').is_empty() {
            true => before,
            false => &before[..name_at - 1],
        };
        // Both are asked for, so that it is noticed when one appears.
        let (of_module, whole) = (self.module("", module), self.module("", words));
        of_module.is_some() || whole.is_some()
    }

    /// A hash of all that was asked, independent of where the workspace is.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let asked = lock(&self.asked);
        let read = lock(&self.shared.files.read);
        let short = |it: &str| it.strip_prefix(&*self.shared.root).unwrap_or(it).to_owned();
        let mut parts: Vec<Vec<u8>> = Vec::new();
        for ((from, words), found) in &asked.words {
            let found = found.as_deref().map(short);
            parts.push(format!("{}\n{words}\n{found:?}", short(from)).into_bytes());
        }
        for path in &asked.read {
            parts.push(short(path).into_bytes());
            parts.push(read.get(path).map_or_else(Vec::new, |it| it.text.to_vec()));
        }
        hash_of(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    /// The files that were read, or would have been if they could be.
    pub(crate) fn read(&self) -> Vec<String> {
        lock(&self.asked).read.iter().map(|it| it.to_string()).collect()
    }

    /// The record of all that was asked; none if a file may change without another look.
    pub(crate) fn record(&self, texts: &Texts, calls: Vec<(String, String)>) -> Option<Record> {
        let asked = lock(&self.asked);
        let known = lock(&self.shared.files.read);
        let words = asked.words.iter().map(|((from, words), found)| {
            (from.to_string(), words.to_string(), found.as_deref().map(str::to_owned))
        });
        let mut read = Vec::new();
        for path in &asked.read {
            let look = match known.get(path) {
                Some(it) => Some(it.look.filter(|it| texts.is_settled(it))?),
                None => None,
            };
            read.push((path.to_string(), look));
        }
        Some(Record { words: words.collect(), read, calls })
    }

    /// Returns true if all of a record is as it was.
    pub(crate) fn is_unchanged(&self, record: &Record) -> bool {
        let is_found = |(from, words, found): &(String, String, Option<String>)| {
            self.shared.workspace.module(from, words).as_deref() == found.as_deref()
        };
        let is_same = |(path, look): &(String, Option<Look>)| {
            self.shared.files.counts.stat();
            let now = fs::metadata(path).ok().and_then(|it| Look::of(&it));
            look.is_some() && now == *look
        };
        record.words.iter().all(is_found) && record.read.iter().all(is_same)
    }
}
