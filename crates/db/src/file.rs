//! From a file to its functions: `parse`, `file_functions`, `functions`.
//!
//! These are the only queries that read a whole file. What they cost for each function that an edit leaves alone is
//! one small record: its tree is compared by address, its text is not read.
//!
//! A [`Function`] is *the same* over edits of its body and of everything around it. Its identity is the path of the
//! scopes around it, its name, and, among functions that share these (dumps are full of `main`), a [slot](slots) that
//! is handed on from version to version: to the function with the same tree first, then in order. Files of MLIR and PIR have
//! [units](crate::units) instead.

use std::sync::{Arc, Mutex};

use frontend::tvmscript::{
    FileFunctions, FunctionItem, FunctionKind, FunctionSource,
    discover::{self, ScopeId},
};
use rustc_hash::FxHashMap;
use syntax::{Green, Language, Parse, TextSize};

use crate::{
    Db,
    input::{Configuration, Content, SourceFile},
    reading::Reading,
    slots,
    units::OpIndex,
};

/// Trees of closed files that are kept.
const KEPT_TREES: usize = 32;

/// The tree of a file.
pub fn parse(db: &dyn Db, file: SourceFile) -> Parse {
    match file.content(db) {
        Content::Tree(parse) => parse.clone(),
        Content::Text(..) => parse_text(db, file).clone(),
    }
}

/// The language of a file.
pub fn language(db: &dyn Db, file: SourceFile) -> Language {
    match file.content(db) {
        Content::Tree(parse) => parse.language(),
        Content::Text(language, _) => *language,
    }
}

#[salsa::tracked(returns(ref), no_eq, lru = 32)]
fn parse_text(db: &dyn Db, file: SourceFile) -> Parse {
    const { assert!(KEPT_TREES == 32) };
    match file.content(db) {
        Content::Text(Language::Mlir, text) => {
            let shapes = &Configuration::get(db).dialects(db).shapes;
            syntax::parse_with(Language::Mlir, shapes, text)
        }
        Content::Text(language, text) => syntax::parse_as(*language, text),
        Content::Tree(parse) => parse.clone(),
    }
}

/// The functions of a file with what is around them, in text order.
#[derive(Debug)]
pub struct FileIndex {
    /// The frontend's view.
    pub functions: FileFunctions,
    names: Arc<FileNames>,
}

/// What stays the same while only bodies are edited.
#[derive(Debug)]
struct FileNames {
    /// The scopes that functions stand in, by path; several where classes or functions of one name follow another.
    scopes: FxHashMap<Box<str>, Vec<ScopeId>>,
    /// For each function, who it is and where it stands.
    functions: Vec<(Arc<Identity>, Arc<ScopeKey>)>,
}

/// Which function of a file it is, over edits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Identity {
    /// Names of the scopes around it.
    pub path: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Its number among functions of the same path and name.
    pub slot: u32,
}

/// A scope of a file that stays the same over edits of what is in it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ScopeKey {
    /// Names of the classes and functions that the scope is in, and its own.
    pub path: Box<str>,
    /// Its number among the scopes of the same path that have functions.
    pub ordinal: u32,
}

impl FileIndex {
    fn new(functions: FileFunctions, last: Option<&FileIndex>) -> FileIndex {
        let kept = last.filter(|it| it.functions.differs_in_a_body_only(&functions));
        let names = match kept {
            Some(last) => last.names.clone(),
            None => Arc::new(FileNames::new(&functions, last)),
        };
        FileIndex { functions, names }
    }

    /// The scope of a key, if the file still has it.
    pub fn scope(&self, key: &ScopeKey) -> Option<ScopeId> {
        self.names.scopes.get(&key.path)?.get(key.ordinal as usize).copied()
    }
}

impl FileNames {
    fn new(functions: &FileFunctions, last: Option<&FileIndex>) -> FileNames {
        let mut scopes: FxHashMap<Box<str>, Vec<ScopeId>> = FxHashMap::default();
        let slots = slots(functions, last);
        let mut names = Vec::with_capacity(slots.len());
        for (item, slot) in functions.functions.iter().zip(slots) {
            let key = &item.source.key;
            let of_path = match scopes.get_mut(&key.path) {
                Some(it) => it,
                None => scopes.entry(key.path.clone()).or_default(),
            };
            let ordinal = of_path.iter().position(|it| *it == item.scope).unwrap_or_else(|| {
                of_path.push(item.scope);
                of_path.len() - 1
            });
            let identity = Identity { path: key.path.clone(), name: key.name.clone(), slot };
            let scope = ScopeKey { path: key.path.clone(), ordinal: ordinal as u32 };
            names.push((Arc::new(identity), Arc::new(scope)));
        }
        FileNames { scopes, functions: names }
    }
}

/// Which of its namesakes each function is.
fn slots(new: &FileFunctions, last: Option<&FileIndex>) -> Vec<u32> {
    fn name(item: &FunctionItem) -> slots::Name<'_> {
        (&item.source.key.path, &item.source.key.name)
    }
    let old =
        last.into_iter().flat_map(|it| it.functions.functions.iter().zip(&it.names.functions));
    slots::assign(
        new.functions.iter().map(|item| (name(item), &item.source.green)),
        old.map(|(item, (identity, _))| (name(item), &item.source.green, identity.slot)),
        Green::text_hash,
    )
}

/// What the last version of each file looked like, so that the next one can take over hashes and identities. Results
/// do not depend on it, only their cost, and which of two namesakes is found to be the one that was edited.
#[derive(Clone, Default)]
pub struct History(Arc<Mutex<FxHashMap<SourceFile, Last>>>);

/// The last version of a file; both are there if its language changed.
#[derive(Clone, Default)]
struct Last {
    tvmscript: Option<Arc<FileIndex>>,
    ops: Option<Arc<OpIndex>>,
    /// Versions of large functions by their units, the last one asked for first; few.
    readings: Vec<(salsa::Id, Arc<Reading>)>,
}

/// So many large functions of a file are remembered as they were.
const MAX_READINGS: usize = 4;

impl History {
    fn last(&self, file: SourceFile) -> Option<Arc<FileIndex>> {
        self.0.lock().ok()?.get(&file)?.tvmscript.clone()
    }
    fn set(&self, file: SourceFile, index: &Arc<FileIndex>) {
        if let Ok(mut files) = self.0.lock() {
            files.entry(file).or_default().tvmscript = Some(index.clone());
        }
    }
    pub(crate) fn last_ops(&self, file: SourceFile) -> Option<Arc<OpIndex>> {
        self.0.lock().ok()?.get(&file)?.ops.clone()
    }
    pub(crate) fn set_ops(&self, file: SourceFile, index: &Arc<OpIndex>) {
        if let Ok(mut files) = self.0.lock() {
            files.entry(file).or_default().ops = Some(index.clone());
        }
    }
    pub(crate) fn reading(&self, file: SourceFile, unit: salsa::Id) -> Option<Arc<Reading>> {
        let files = self.0.lock().ok()?;
        let mut readings = files.get(&file)?.readings.iter();
        readings.find(|it| it.0 == unit).map(|it| it.1.clone())
    }
    pub(crate) fn set_reading(&self, file: SourceFile, unit: salsa::Id, reading: Reading) {
        let reading = Arc::new(reading);
        // What is let go is dropped after the lock.
        let mut old = Vec::new();
        if let Ok(mut files) = self.0.lock() {
            let readings = &mut files.entry(file).or_default().readings;
            if let Some(at) = readings.iter().position(|it| it.0 == unit) {
                old.push(readings.remove(at));
            }
            readings.insert(0, (unit, reading));
            old.extend(readings.drain(MAX_READINGS.min(readings.len())..));
        }
    }
    pub(crate) fn forget(&self, file: SourceFile) {
        if let Ok(mut files) = self.0.lock() {
            files.remove(&file);
        }
    }
}

/// The functions of a file of TVMScript, with their places; none of a file in another language.
#[salsa::tracked(returns(ref), no_eq)]
pub fn file_index(db: &dyn Db, file: SourceFile) -> Arc<FileIndex> {
    let last = db.history().last(file);
    let parse = match language(db, file) {
        Language::TvmScript => parse(db, file),
        Language::Mlir | Language::Pir => syntax::parse(""),
    };
    let functions = match &last {
        Some(last) => discover::functions_after(&parse, &last.functions),
        None => discover::functions(&parse),
    };
    let index = Arc::new(FileIndex::new(functions, last.as_deref()));
    db.history().set(file, &index);
    index
}

/// The text of a function. Equal whatever its key says: which of several namesakes it is, is the identity's business, and
/// must not change the source when a namesake comes or goes.
#[derive(Clone, Debug)]
pub struct SharedSource(Arc<FunctionSource>);

impl std::ops::Deref for SharedSource {
    type Target = FunctionSource;
    fn deref(&self) -> &FunctionSource {
        &self.0
    }
}

impl PartialEq for SharedSource {
    fn eq(&self, other: &SharedSource) -> bool {
        // Without `..`, so that a new field is decided on here.
        let FunctionSource {
            key: _,
            name,
            kind,
            dialect,
            dialect_is_guess,
            green,
            name_range,
            allowed_above,
        } = &*self.0;
        Arc::ptr_eq(&self.0, &other.0)
            || (*green == other.green
                && *name == other.name
                && *kind == other.kind
                && *dialect == other.dialect
                && *dialect_is_guess == other.dialect_is_guess
                && *name_range == other.name_range
                && *allowed_above == other.allowed_above)
    }
}

/// A function of a file. It outlives edits.
#[salsa::tracked(debug)]
pub struct Function<'db> {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// Who it is.
    #[returns(ref)]
    pub identity: Arc<Identity>,
    /// Its text and what is needed to read it, independent of its place.
    #[tracked]
    #[returns(ref)]
    pub source: SharedSource,
    /// Where its captured names are looked up.
    #[tracked]
    #[returns(ref)]
    pub scope: Arc<ScopeKey>,
}

impl<'db> Function<'db> {
    /// Its name.
    pub fn name(self, db: &'db dyn Db) -> &'db str {
        &self.identity(db).name
    }
}

/// The functions of a file of TVMScript, in text order: parallel to the items of its [`FileIndex`].
#[salsa::tracked(returns(ref), no_eq)]
pub fn functions<'db>(db: &'db dyn Db, file: SourceFile) -> Vec<Function<'db>> {
    let index = file_index(db, file);
    let items = index.functions.functions.iter().zip(&index.names.functions);
    items
        .map(|(item, (identity, scope))| {
            let source = SharedSource(item.source.clone());
            Function::new(db, file, identity.clone(), source, scope.clone())
        })
        .collect()
}

/// A function with its place in the file.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'db> {
    /// The function.
    pub function: Function<'db>,
    /// Where it starts.
    pub start: TextSize,
    /// Where it ends.
    pub end: TextSize,
}

/// The tensor functions of a file with their places, in text order. Macros are read where they are used; graph functions and
/// Python functions are opaque.
pub fn placed_functions<'db>(
    db: &'db dyn Db,
    file: SourceFile,
) -> impl Iterator<Item = Placed<'db>> {
    let items = &file_index(db, file).functions.functions;
    let tensor_functions = functions(db, file)
        .iter()
        .zip(items)
        .filter(|(_, item)| item.source.kind == FunctionKind::PrimFunc);
    tensor_functions.map(|(&function, item)| Placed {
        function,
        start: item.range.start(),
        end: item.range.end(),
    })
}
