//! The files that files import: inputs that are made when a name of theirs is first asked for.
//!
//! ```text
//! Files (of the owner) ──► ModuleFile ──► imported_module ──► scopes ──► capture
//!                          (by its path)   (words of an import)
//! ```
//!
//! A path that was asked for is an input: what stands there, and the open file that stands for it. Its owner reports
//! changes ([`RootDatabase::module_changed`](crate::RootDatabase::module_changed)); then its scopes are made anew, and
//! only captured names with another meaning reach a function. A capture never asks for another one, so files may import
//! each other. A generation of the database has its own table, and one owner of files.

use std::{fmt, sync::Arc};

use dashmap::DashMap;
use frontend::tvmscript::{
    Modules, Scopes,
    modules::{Entry, Files, resolve},
};

use crate::{
    Db,
    index::{FileIndex, Names, file_index},
    input::SourceFile,
};

/// A path in the workspace.
#[salsa::input(debug)]
pub struct ModuleFile {
    /// The path.
    #[returns(ref)]
    pub path: Arc<str>,
    /// The kind of entry on disk.
    #[returns(copy)]
    pub entry: Option<Entry>,
    /// The number of changes on disk.
    #[returns(copy)]
    pub version: u32,
    /// The open file.
    #[returns(copy)]
    pub open: Option<SourceFile>,
}

/// The paths that were asked for, and the open files.
#[derive(Clone, Default)]
pub struct ModuleTable {
    files: Option<Arc<dyn Files>>,
    asked: Arc<DashMap<Arc<str>, ModuleFile>>,
    open: Arc<DashMap<Arc<str>, SourceFile>>,
    /// The names of open files when [`ModuleTable::is_new`] was last asked.
    exports: Arc<DashMap<SourceFile, Naming>>,
}

impl ModuleTable {
    pub(crate) fn new(files: Option<Arc<dyn Files>>) -> ModuleTable {
        ModuleTable { files, ..ModuleTable::default() }
    }

    pub(crate) fn files(&self) -> Option<&Arc<dyn Files>> {
        self.files.as_ref()
    }

    /// A path as people know it: without the folder of the workspace.
    pub fn shown<'a>(&self, path: &'a str) -> &'a str {
        let roots = self.files.iter().flat_map(|it| it.roots()).map(|it| &**it);
        let inside = |root: &str| path.strip_prefix(root)?.strip_prefix('/');
        roots.filter_map(inside).min_by_key(|it| it.len()).unwrap_or(path)
    }

    /// Returns the kind of entry that is at a path on disk now.
    pub(crate) fn entry(&self, path: &str) -> Option<Entry> {
        self.files.as_ref()?.entry(path)
    }

    /// The input of a path, if it was asked for.
    pub(crate) fn asked(&self, path: &str) -> Option<ModuleFile> {
        self.asked.get(path).map(|it| *it)
    }

    /// The inputs of the folders around a path that were asked for.
    pub(crate) fn asked_around(&self, path: &str) -> Vec<ModuleFile> {
        let folders = path.match_indices('/').map(|it| &path[..it.0]);
        folders.filter_map(|it| self.asked(it)).collect()
    }

    pub(crate) fn set_open(&self, path: &Arc<str>, file: Option<SourceFile>) {
        match file {
            Some(file) => drop(self.open.insert(path.clone(), file)),
            None => drop(self.open.remove(path)),
        }
    }

    /// Forgets the names of a file that is closed.
    pub(crate) fn forget(&self, file: SourceFile) {
        drop(self.exports.remove(&file));
    }

    /// Returns true if the names of a file are others than when this was last asked.
    pub(crate) fn is_new(&self, file: SourceFile, names: &Naming) -> bool {
        self.exports.insert(file, names.clone()).is_none_or(|it| it != *names)
    }

    /// The input of a path, which is made if there is none.
    fn get(&self, db: &dyn Db, path: &str) -> ModuleFile {
        if let Some(known) = self.asked(path) {
            return known;
        }
        let entry = self.entry(path);
        let open = self.open.get(path).map(|it| *it);
        let path: Arc<str> = path.into();
        let made = || ModuleFile::new(db, path.clone(), entry, 0, open);
        *self.asked.entry(path.clone()).or_insert_with(made)
    }
}

/// An import: its words, and the folder of the file in which it stands.
#[salsa::interned(debug)]
pub struct Import<'db> {
    /// The folder, with `/` at the end.
    #[returns(ref)]
    pub folder: Box<str>,
    /// The words: `a.b`, or `.a.b`.
    #[returns(ref)]
    pub words: Box<str>,
}

/// Returns the path of the module that an import means.
#[salsa::tracked(returns(ref))]
pub fn imported_module<'db>(db: &'db dyn Db, import: Import<'db>) -> Option<Arc<str>> {
    let table = db.modules();
    let entry = |path: &str| {
        let module = table.get(db, path);
        match module.open(db) {
            Some(_) => Some(Entry::File),
            None => module.entry(db),
        }
    };
    resolve(import.folder(db), import.words(db), table.files()?.roots(), &entry)
}

/// Scopes that are equal only to themselves.
#[derive(Clone, Debug)]
pub(crate) struct SameScopes(Scopes);

impl PartialEq for SameScopes {
    fn eq(&self, other: &SameScopes) -> bool {
        self.0.is_same(&other.0)
    }
}

/// Returns the scopes of a file on disk.
#[salsa::tracked(returns(ref))]
fn closed_scopes(db: &dyn Db, module: ModuleFile) -> Option<SameScopes> {
    // What is read is that of this version.
    let _ = module.version(db);
    let is_file = module.entry(db) == Some(Entry::File);
    let files = db.modules().files().filter(|_| is_file)?;
    files.scopes(module.path(db)).map(SameScopes)
}

/// The meaning of the names of a file: its index, the same while only bodies are edited.
#[derive(Clone)]
pub(crate) struct Naming(Arc<FileIndex>);

impl fmt::Debug for Naming {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Naming")
    }
}

impl PartialEq for Naming {
    fn eq(&self, other: &Naming) -> bool {
        let scopes = |it: &Naming| it.0.functions().map(|it| it.scopes().clone());
        let names: fn(&Naming) -> &Arc<Names> = |it| &it.0.names;
        Arc::ptr_eq(names(self), names(other))
            && match (scopes(self), scopes(other)) {
                (Some(a), Some(b)) => a.is_same(&b),
                (a, b) => a.is_none() && b.is_none(),
            }
    }
}

impl Naming {
    /// An index of which the scopes, the calls and the kinds of functions are right; bodies and places may be old.
    pub(crate) fn index(&self) -> &FileIndex {
        &self.0
    }
}

/// Returns what the names of a file mean.
#[salsa::tracked(returns(ref))]
pub(crate) fn naming(db: &dyn Db, file: SourceFile) -> Naming {
    Naming(file_index(db, file).clone())
}

/// The files that a file imports.
pub(crate) struct DbModules<'db> {
    pub(crate) db: &'db dyn Db,
    pub(crate) own: SourceFile,
}

impl Modules for DbModules<'_> {
    fn module(&self, from: &str, path: &str) -> Option<Arc<str>> {
        let db = self.db;
        db.modules().files()?;
        let own = self.own.path(db).as_ref()?;
        let from = if from.is_empty() { own } else { from };
        let folder = &from[..=from.rfind('/')?];
        let found = imported_module(db, Import::new(db, folder, path)).as_ref()?;
        Some(if found == own { "".into() } else { found.clone() })
    }

    fn file(&self, number: &str) -> Option<Scopes> {
        if number.ends_with('/') {
            return None;
        }
        let db = self.db;
        let module = db.modules().get(db, number);
        match module.open(db) {
            Some(file) => Some(naming(db, file).index().functions()?.scopes().clone()),
            None => closed_scopes(db, module).as_ref().map(|it| it.0.clone()),
        }
    }
}
