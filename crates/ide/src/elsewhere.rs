//! The same expression and the same function in other places of the workspace.
//!
//! A map from structural fingerprints to places, outside of the database: no query reads it. The entries of a file of the host are replaced
//! as a whole when somebody asks and the file is another one than it was: typing costs nothing here. Those of other files of the
//! workspace are made by whoever owns them, from their text alone ([`ClosedFile::read`], on any thread), and put in and taken out as a
//! whole too ([`WorkspaceIndex`]). The map is sharded by fingerprint; no lock is held while anything is computed, and readers sort what they get by
//! file and place.
//!
//! What is compared: functions, and expressions of at least [`MIN_NODES`] nodes that are operands of operations, loads or calls. Equal
//! up to names.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use db::{Database as _, Db, FileIndex, Function, RootDatabase, SourceFile};
use frontend::tvmscript::{self, SourceMap};
use ir::{
    Body, Occurrences,
    fingerprint::{self, Fingerprint},
};
use rustc_hash::FxHashMap;
use syntax::{ColumnEncoding, LineIndex, TextRange, TextSize};

use crate::{
    FileId,
    function_at::{FunctionAt, function_at, of_functions},
    guarded,
};

/// Smaller expressions are everywhere.
const MIN_NODES: u32 = 5;
const N_SHARDS: usize = 16;

/// A place of something that is elsewhere too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elsewhere {
    /// The file.
    pub file: FileId,
    /// Where in it.
    pub range: TextRange,
    /// The function there.
    pub function: String,
    /// Whether all of the function is the same, not one expression in it.
    pub is_function: bool,
    /// The line, from 0, in a file that the host does not have.
    pub line: Option<u32>,
}

/// Something with a fingerprint, relative to its function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Print {
    fingerprint: Fingerprint,
    range: TextRange,
    is_function: bool,
}

/// The map, and which version of each file is in it.
#[derive(Default)]
pub(crate) struct Index {
    shards: [Mutex<FxHashMap<Fingerprint, Vec<Elsewhere>>>; N_SHARDS],
    files: Mutex<FxHashMap<FileId, Version>>,
}

/// A version of a file, with what it has in the map.
struct Version {
    /// None for a file that the host does not have.
    index: Option<Arc<FileIndex>>,
    prints: Arc<[Fingerprint]>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What a panicking thread left is replaced with its file.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Index {
    fn shard(&self, fingerprint: Fingerprint) -> &Mutex<FxHashMap<Fingerprint, Vec<Elsewhere>>> {
        &self.shards[usize::from(fingerprint.0[0]) % N_SHARDS]
    }

    /// Brings the entries of a file up to date.
    fn update(&self, db: &RootDatabase, id: FileId, file: SourceFile) {
        let index = db::file_index(db, file);
        let is_same = |it: &Version| it.index.as_ref().is_some_and(|it| Arc::ptr_eq(it, index));
        let is_current = lock(&self.files).get(&id).is_some_and(is_same);
        if !is_current {
            self.replace(id, Some(index.clone()), places(db, id, file));
        }
    }

    /// Replaces all that the map has of a file.
    fn replace(
        &self,
        id: FileId,
        index: Option<Arc<FileIndex>>,
        places: Vec<(Fingerprint, Elsewhere)>,
    ) {
        // One place may have several, and one of them may have several places.
        let mut prints: Vec<Fingerprint> = places.iter().map(|it| it.0).collect();
        prints.sort_unstable();
        prints.dedup();
        let version = Version { index, prints: prints.into() };
        // Two updates of one file must not mix; nothing is computed meanwhile.
        let mut files = lock(&self.files);
        self.take_out(id, files.insert(id, version));
        for (fingerprint, place) in places {
            lock(self.shard(fingerprint)).entry(fingerprint).or_default().push(place);
        }
    }

    /// Takes a file out of the map.
    pub(crate) fn remove(&self, id: FileId) {
        let mut files = lock(&self.files);
        self.take_out(id, files.remove(&id));
    }

    /// Takes out what a version has in the map. Under the lock of the files.
    fn take_out(&self, id: FileId, old: Option<Version>) {
        for &fingerprint in old.iter().flat_map(|it| it.prints.iter()) {
            let mut shard = lock(self.shard(fingerprint));
            if let Some(entries) = shard.get_mut(&fingerprint) {
                entries.retain(|it| it.file != id);
                if entries.is_empty() {
                    shard.remove(&fingerprint);
                }
            }
        }
    }

    /// All places of a fingerprint, in order.
    fn places(&self, fingerprint: Fingerprint) -> Vec<Elsewhere> {
        let mut places =
            lock(self.shard(fingerprint)).get(&fingerprint).cloned().unwrap_or_default();
        places.sort_by_key(|it| (it.file, it.range.start(), it.range.end()));
        places
    }
}

fn places(db: &RootDatabase, id: FileId, file: SourceFile) -> Vec<(Fingerprint, Elsewhere)> {
    let of_function = |at: FunctionAt<'_>| -> Vec<(Fingerprint, Elsewhere)> {
        db.unwind_if_revision_cancelled();
        let place = |it: &Print| Elsewhere {
            file: id,
            range: at.to_file(it.range),
            function: at.function.name(db).to_owned(),
            is_function: it.is_function,
            line: None,
        };
        prints(db, at.function).iter().map(|it| (it.fingerprint, place(it))).collect()
    };
    of_functions(db, file, None, of_function).flatten().collect()
}

/// What a file has in the map that is not one of the host's.
#[derive(Debug)]
pub struct ClosedFile {
    places: Vec<(Fingerprint, Elsewhere)>,
}

impl ClosedFile {
    /// Reads a file from its text, without a database. Before each function `goes_on` is asked; none if it says no.
    pub fn read(id: FileId, text: &str, goes_on: &mut dyn FnMut() -> bool) -> Option<ClosedFile> {
        let functions = tvmscript::functions(&syntax::parse(text));
        let lines = LineIndex::new(text);
        let mut places = Vec::new();
        for item in &functions.functions {
            if !goes_on() {
                return None;
            }
            if item.source.kind != tvmscript::FunctionKind::PrimFunc {
                continue;
            }
            let prints = || {
                let lowered = tvmscript::lower(&item.source, &functions.environment(item));
                let occurrences = Occurrences::collect(&lowered.body);
                let (map, name_range) = (&lowered.source_map, item.source.name_range);
                prints_of(&lowered.body, map, &occurrences, name_range)
            };
            for it in guarded::item(&item.source.name, prints).unwrap_or_default() {
                let range = it.range + item.range.start();
                let place = Elsewhere {
                    file: id,
                    range,
                    function: item.source.name.to_string(),
                    is_function: it.is_function,
                    line: Some(lines.line_col(range.start(), ColumnEncoding::Utf8).line),
                };
                places.push((it.fingerprint, place));
            }
        }
        Some(ClosedFile { places })
    }

    /// How many places it has.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

/// The map of what is where, for those who have files that the host does not have. Their ids must be others than the host's.
#[derive(Clone)]
pub struct WorkspaceIndex {
    index: Arc<Index>,
}

impl WorkspaceIndex {
    pub(crate) fn new(index: Arc<Index>) -> WorkspaceIndex {
        WorkspaceIndex { index }
    }

    /// Replaces what the map has of a file.
    pub fn replace(&self, id: FileId, file: ClosedFile) {
        self.index.replace(id, None, file.places);
    }

    /// Takes a file out of the map.
    pub fn remove(&self, id: FileId) {
        self.index.remove(id);
    }
}

/// What has a fingerprint in a function, relative to its start.
#[salsa::tracked(returns(ref), no_eq)]
fn prints<'db>(db: &'db dyn Db, function: Function<'db>) -> Vec<Print> {
    let (body, map) = (db::body(db, function), db::source_map(db, function));
    let name_range = function.source(db).name_range;
    prints_of(body, map, db::occurrences(db, function), name_range)
}

fn prints_of(
    body: &Body,
    map: &SourceMap,
    occurrences: &Occurrences,
    name_range: TextRange,
) -> Vec<Print> {
    let of_operands = fingerprint::of_operands(body, occurrences, MIN_NODES);
    let mut prints: Vec<Print> = of_operands
        .into_iter()
        .filter(|(it, _)| map.is_real(*it))
        .map(|(it, fingerprint)| Print {
            fingerprint,
            range: map.occurrence_range(it),
            is_function: false,
        })
        .collect();
    if let Some(fingerprint) = fingerprint::of_function(body) {
        prints.push(Print { fingerprint, range: name_range, is_function: true });
    }
    prints
}

/// Where else the expression or the function at an offset is, in order of file and place.
pub(crate) fn elsewhere(
    db: &RootDatabase,
    files: &FxHashMap<FileId, SourceFile>,
    index: &Index,
    id: FileId,
    offset: TextSize,
) -> Vec<Elsewhere> {
    let Some(&file) = files.get(&id) else { return Vec::new() };
    let Some((at, offset)) = function_at(db, file, offset) else { return Vec::new() };
    let here = prints(db, at.function);
    let is_here = |it: &&Print| it.range.contains_inclusive(offset);
    let Some(print) = here.iter().filter(is_here).min_by_key(|it| it.range.len()) else {
        return Vec::new();
    };
    let mut all: Vec<(FileId, SourceFile)> = files.iter().map(|(&id, &file)| (id, file)).collect();
    all.sort_unstable_by_key(|it| it.0);
    for (id, file) in all {
        db.unwind_if_revision_cancelled();
        index.update(db, id, file);
    }
    let own = at.to_file(print.range);
    let mut places = index.places(print.fingerprint);
    // What the same function has twice is its plan's business.
    let function = TextRange::at(at.start, at.function.source(db).green.text_len());
    places.retain(|it| {
        it.is_function == print.is_function
            && !(it.file == id && (it.range == own || function.contains_range(it.range)))
    });
    places
}
