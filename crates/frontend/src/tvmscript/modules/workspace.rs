//! The files of a workspace, for who asks without a database: each is looked at and read once.

use std::{
    fmt,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use rustc_hash::FxHashMap;

use super::{Entry, Files, resolve};
use crate::tvmscript::discover::{Modules, Scopes};

/// The results that are kept, each computed once, also where several threads ask for it.
struct Kept<K, V>(Mutex<FxHashMap<K, Arc<OnceLock<V>>>>);

impl<K: Eq + Hash, V: Clone> Kept<K, V> {
    fn new() -> Kept<K, V> {
        Kept(Mutex::default())
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<K, Arc<OnceLock<V>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, key: K, compute: impl FnOnce() -> V) -> V {
        let slot = self.lock().entry(key).or_default().clone();
        slot.get_or_init(compute).clone()
    }
}

/// The files of a workspace, with the scopes of those that were asked for. Shared by all files of a run: O(text of the
/// files that are imported) in all.
pub struct Workspace {
    files: Arc<dyn Files>,
    entries: Kept<Box<str>, Option<Entry>>,
    scopes: Kept<Box<str>, Option<Scopes>>,
    /// By the folder of the file that imports, and the words.
    resolved: Kept<(Box<str>, Box<str>), Option<Arc<str>>>,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("Workspace").field(&self.files).finish()
    }
}

impl Workspace {
    /// The workspace of these files, of which nothing was asked yet.
    pub fn new(files: Arc<dyn Files>) -> Workspace {
        let (entries, scopes, resolved) = (Kept::new(), Kept::new(), Kept::new());
        Workspace { files, entries, scopes, resolved }
    }

    /// Returns the number of the module that an import in the file `from` means.
    pub fn module(&self, from: &str, path: &str) -> Option<Arc<str>> {
        let folder = from.rsplit_once('/')?.0;
        self.resolved.get((folder.into(), path.into()), || {
            resolve(from, path, self.files.roots(), &|it| self.entry(it))
        })
    }
}

impl Files for Workspace {
    fn roots(&self) -> &[Box<str>] {
        self.files.roots()
    }

    fn entry(&self, path: &str) -> Option<Entry> {
        self.entries.get(path.into(), || self.files.entry(path))
    }

    fn text(&self, path: &str) -> Option<String> {
        self.files.text(path)
    }

    fn scopes(&self, path: &str) -> Option<Scopes> {
        self.scopes.get(path.into(), || self.files.scopes(path))
    }
}

/// The files that a file of a workspace imports.
#[derive(Clone, Debug)]
pub struct FileModules {
    workspace: Arc<Workspace>,
    own: Arc<str>,
}

impl FileModules {
    /// Those of the file at a path.
    pub fn new(workspace: Arc<Workspace>, own: impl Into<Arc<str>>) -> FileModules {
        FileModules { workspace, own: own.into() }
    }
}

impl Modules for FileModules {
    fn module(&self, from: &str, path: &str) -> Option<Arc<str>> {
        let from = if from.is_empty() { &*self.own } else { from };
        let found = self.workspace.module(from, path)?;
        Some(if found == self.own { "".into() } else { found })
    }

    fn file(&self, number: &str) -> Option<Scopes> {
        if number.ends_with('/') { None } else { self.workspace.scopes(number) }
    }
}
