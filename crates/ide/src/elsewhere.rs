//! Equal expressions and functions elsewhere in the workspace.
//!
//! Each file has them by structural fingerprints, outside of the database: no query reads it. When the index is asked
//! and a file of the host has changed, all entries of the file are replaced: typing costs nothing here. Entries of the
//! other files of the workspace are made by their owner, from their text alone ([`ClosedFile::read`], on any thread),
//! and inserted and removed as a whole too ([`WorkspaceIndex`]). Who asks looks into every file: a workspace has few
//! files beside its places, and a table of these would take more memory than they do. No guard is held while anything
//! is computed or another map is asked; a file is one value, so that a reader never sees two versions of it; readers
//! sort the places by file and position.
//!
//! The index holds functions in every language; and, in functions of statements, expressions of at least [`MIN_NODES`]
//! nodes that are operands of operations, loads or calls. Entries are equal up to names.

use std::{cell::OnceCell, sync::Arc};

use dashmap::DashMap;
use db::{Database as _, Db, FileIndex, PlacedUnit, RootDatabase, SourceFile, Unit};
use frontend::{
    mlir,
    tvmscript::{
        self, FileFunctions, ForeignCall, SourceMap,
        skim::{self, Named, Skimmed},
    },
};
use ir::{
    Body, Occurrences,
    fingerprint::{self, Fingerprint},
};
use pipeline::{Dialects, expressions, operations};
use rustc_hash::{FxBuildHasher, FxHashMap};
use syntax::{ColumnEncoding, Form, Language, LineIndex, Parse, TextRange, TextSize, Units};

use crate::{
    FileId, guarded,
    kept::{Elsewhere, Kept},
    outline::{OTHERS, Outline, Spot},
    units::of_units,
};

/// Smaller expressions are everywhere.
const MIN_NODES: u32 = 5;

/// Something with a fingerprint, relative to its function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Print {
    fingerprint: Fingerprint,
    range: TextRange,
    is_function: bool,
}

/// All that is known, by file.
#[derive(Default)]
pub(crate) struct Index {
    /// The files of the host, as they were when somebody asked.
    open: DashMap<FileId, Open, FxBuildHasher>,
    /// The files that the host does not have.
    closed: DashMap<FileId, Kept, FxBuildHasher>,
    /// The calls of functions of other files, of the files that the host does not have.
    calls: DashMap<FileId, Arc<[ForeignCall]>, FxBuildHasher>,
}

/// A version of a file of the host.
struct Open {
    index: Arc<FileIndex>,
    kept: Kept,
}

impl Index {
    /// Brings the entries of a file up to date. Of two that do so at once the later one stays, whole.
    fn update(&self, db: &RootDatabase, id: FileId, file: SourceFile) {
        let index = db::file_index(db, file);
        let is_current = self.open.get(&id).is_some_and(|it| Arc::ptr_eq(&it.index, index));
        if !is_current {
            let kept = Kept::new(&Outline::default(), &places(db, id, file));
            self.open.insert(id, Open { index: index.clone(), kept });
        }
    }

    /// Takes a file out.
    pub(crate) fn remove(&self, id: FileId) {
        self.open.remove(&id);
        self.closed.remove(&id);
        self.calls.remove(&id);
    }

    /// The files that the host does not have, in the order of their numbers.
    pub(crate) fn closed(&self) -> Vec<(FileId, Kept)> {
        let mut all: Vec<_> =
            self.closed.iter().map(|it| (*it.key(), it.value().clone())).collect();
        all.sort_unstable_by_key(|it| it.0);
        all
    }

    /// The calls of functions of other files, by the file that they are in.
    pub(crate) fn calls(&self) -> Vec<(FileId, Arc<[ForeignCall]>)> {
        let mut all: Vec<_> = self.calls.iter().map(|it| (*it.key(), it.value().clone())).collect();
        all.sort_unstable_by_key(|it| it.0);
        all
    }

    /// All places of a fingerprint, in order. O(files).
    fn places(&self, fingerprint: Fingerprint) -> Vec<Elsewhere> {
        let mut files: Vec<(FileId, Kept)> = Vec::new();
        let mut look = |id: FileId, kept: &Kept| {
            if kept.has(fingerprint) {
                files.push((id, kept.clone()));
            }
        };
        self.open.iter().for_each(|it| look(*it.key(), &it.kept));
        self.closed.iter().for_each(|it| look(*it.key(), it.value()));
        let of_file = |it: &(FileId, Kept)| it.1.places(fingerprint, it.0);
        let mut places: Vec<Elsewhere> = files.iter().flat_map(of_file).collect();
        places.sort_by_key(|it| (it.file, it.range.start(), it.range.end()));
        places
    }
}

fn places(db: &RootDatabase, id: FileId, file: SourceFile) -> Vec<(Fingerprint, Elsewhere)> {
    let of_unit = |at: PlacedUnit<'_>| -> Vec<(Fingerprint, Elsewhere)> {
        db.unwind_if_revision_cancelled();
        let place = |it: &Print| Elsewhere {
            file: id,
            range: at.to_file(it.range),
            function: at.unit.name(db).to_owned(),
            is_function: it.is_function,
            line: None,
        };
        prints(db, at.unit).iter().map(|it| (it.fingerprint, place(it))).collect()
    };
    of_units(db, file, None, of_unit).flatten().collect()
}

/// The entries of a file that does not belong to the host.
#[derive(PartialEq, Eq, Default, Debug)]
pub struct ClosedFile {
    pub(crate) places: Vec<(Fingerprint, Elsewhere)>,
    calls: Vec<ForeignCall>,
    pub(crate) outline: Outline,
    /// It has functions, which may have places.
    has_functions: bool,
}

impl ClosedFile {
    /// Reads a file from its text, without a database. Before each function `goes_on` is asked; `None` if it returns
    /// false.
    pub fn read(
        id: FileId,
        language: Language,
        text: &str,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<ClosedFile> {
        let lines = LineIndex::new(text);
        let mut places = Vec::new();
        let mut add = |name: &str, start: TextSize, prints: Vec<Print>| {
            for it in prints {
                let range = it.range + start;
                let place = Elsewhere {
                    file: id,
                    range,
                    function: name.to_owned(),
                    is_function: it.is_function,
                    line: Some(lines.line_col(range.start(), ColumnEncoding::Utf8).line),
                };
                places.push((it.fingerprint, place));
            }
        };
        let parse = syntax::parse_as(language, text);
        let mut file = match language.support().form {
            Form::Expressions => {
                let functions = tvmscript::functions(&parse);
                if !each_function(&functions, goes_on, &mut add) {
                    return None;
                }
                ClosedFile::of_functions(&functions, &parse, &|it| Spot::new(&lines, it))
            }
            Form::Operations => {
                let units = syntax::units(&parse);
                if !each_operation_unit(&units, goes_on, &mut add) {
                    return None;
                }
                ClosedFile::of_units(&units, &lines)
            }
        };
        file.places = places;
        Some(file)
    }

    /// Reads a file like [`ClosedFile::read`], but for the places: no function is lowered, and of most kernels the body
    /// is not even parsed.
    pub fn outline(language: Language, text: &str) -> ClosedFile {
        match language.support().form {
            Form::Expressions => {
                if let Some(names) = skim::names(text, &OTHERS) {
                    return ClosedFile::of_names(&names);
                }
                if skim::is_plain(text, &OTHERS) {
                    return ClosedFile::default();
                }
                let short = skim::skim(text, &OTHERS);
                let short = short.and_then(|it| ClosedFile::skimmed(language, text, &it));
                short.unwrap_or_else(|| ClosedFile::outline_of_whole(language, text))
            }
            Form::Operations => ClosedFile::outline_of_whole(language, text),
        }
    }

    /// Reads a file like [`ClosedFile::outline`], with all that is in it.
    pub(crate) fn outline_of_whole(language: Language, text: &str) -> ClosedFile {
        let parse = syntax::parse_as(language, text);
        let lines = OnceCell::new();
        let lines = || lines.get_or_init(|| LineIndex::new(text));
        match language.support().form {
            Form::Expressions => {
                let spot = |it| Spot::new(lines(), it);
                ClosedFile::of_functions(&tvmscript::functions(&parse), &parse, &spot)
            }
            Form::Operations => ClosedFile::of_units(&syntax::units(&parse), lines()),
        }
    }

    /// Of a text that has nothing but these modules and kernels.
    pub(crate) fn of_names(names: &[Named<'_>]) -> ClosedFile {
        let outline = Outline::of_names(names);
        ClosedFile { outline, has_functions: true, ..ClosedFile::default() }
    }

    /// By a text without the bodies of its kernels; none if something was taken for a kernel that is none.
    pub(crate) fn skimmed(language: Language, text: &str, short: &Skimmed) -> Option<ClosedFile> {
        let parse = syntax::parse_as(language, &short.text);
        let functions = tvmscript::functions(&parse);
        let lines = LineIndex::new(text);
        let spot = |it| Spot::new(&lines, short.original(it));
        short.is_of(&functions).then(|| ClosedFile::of_functions(&functions, &parse, &spot))
    }

    fn of_functions(
        functions: &FileFunctions,
        parse: &Parse,
        spot: &dyn Fn(TextRange) -> Spot,
    ) -> ClosedFile {
        let mut calls = functions.foreign_calls(functions.context());
        calls.retain(|it| !OTHERS.contains(&it.package()));
        ClosedFile {
            places: Vec::new(),
            calls,
            outline: Outline::of_functions(functions, parse, spot),
            has_functions: !functions.functions.is_empty(),
        }
    }

    fn of_units(units: &Units, lines: &LineIndex) -> ClosedFile {
        ClosedFile {
            places: Vec::new(),
            calls: Vec::new(),
            outline: Outline::of_units(units, lines),
            has_functions: !units.functions.is_empty(),
        }
    }

    /// Returns true if the file has functions: reading it whole may find places of them.
    pub fn has_functions(&self) -> bool {
        self.has_functions
    }

    /// Returns the number of places.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        !self.has_functions && self.calls.is_empty()
    }
}

/// Takes what has a fingerprint in a function, its name, and where it starts.
type Add<'a> = &'a mut dyn FnMut(&str, TextSize, Vec<Print>);

/// Adds the fingerprints of the functions of statements of a text; returns false if it was stopped.
fn each_function(
    functions: &FileFunctions,
    goes_on: &mut dyn FnMut() -> bool,
    add: Add<'_>,
) -> bool {
    for item in &functions.functions {
        if !goes_on() {
            return false;
        }
        if item.source.kind != tvmscript::FunctionKind::PrimFunc {
            continue;
        }
        let prints = || {
            let lowered = expressions::lower(&item.source, &functions.environment(item));
            let occurrences = Occurrences::collect(&lowered.body);
            let (map, name_range) = (&lowered.source_map, item.source.name_range);
            prints_of(&lowered.body, map, &occurrences, name_range)
        };
        let prints = guarded::item(&item.source.name, prints).unwrap_or_default();
        add(&item.source.name, item.range.start(), prints);
    }
    true
}

/// Adds the fingerprints of the functions and programs of operations of a text; returns false if it was stopped.
fn each_operation_unit(units: &Units, goes_on: &mut dyn FnMut() -> bool, add: Add<'_>) -> bool {
    let dialects = &Dialects::default();
    let aliases: Vec<mlir::Aliases> =
        units.frames.iter().map(|it| mlir::aliases_of(&it.source.green)).collect();
    for item in &units.functions {
        if !goes_on() {
            return false;
        }
        let source = &item.source;
        let prints = || {
            let aliases = &aliases[item.frame as usize];
            let lowered = operations::lower(source, &source.green.text(), aliases, dialects);
            let print = |body: &Body| whole_print(body, source.name_range);
            lowered.and_then(|it| print(&it.body)).into_iter().collect()
        };
        let prints = guarded::item(&source.name, prints).unwrap_or_default();
        add(&source.name, item.range.start(), prints);
    }
    true
}

/// The index, for owners of files that the host does not have. Their ids must be others than
/// the host's.
#[derive(Clone)]
pub struct WorkspaceIndex {
    index: Arc<Index>,
}

impl WorkspaceIndex {
    pub(crate) fn new(index: Arc<Index>) -> WorkspaceIndex {
        WorkspaceIndex { index }
    }

    /// Replaces the entries of a file.
    pub fn replace(&self, id: FileId, file: ClosedFile) {
        let ClosedFile { places, calls, outline, has_functions: _ } = file;
        match outline.is_empty() && places.is_empty() {
            true => drop(self.index.closed.remove(&id)),
            false => drop(self.index.closed.insert(id, Kept::new(&outline, &places))),
        }
        match calls.is_empty() {
            true => drop(self.index.calls.remove(&id)),
            false => drop(self.index.calls.insert(id, calls.into())),
        }
    }

    /// Takes a file out of the map.
    pub fn remove(&self, id: FileId) {
        self.index.remove(id);
    }
}

/// Returns the fingerprints of a unit, relative to it.
#[salsa::tracked(returns(ref), no_eq)]
fn prints<'db>(db: &'db dyn Db, unit: Unit<'db>) -> Vec<Print> {
    let (body, name_range) = (db::body(db, unit), unit.name_range(db));
    match unit.form(db) {
        Form::Expressions => {
            prints_of(body, db::source_map(db, unit), db::occurrences(db, unit), name_range)
        }
        Form::Operations if unit.is_frame(db) => Vec::new(),
        Form::Operations => whole_print(body, name_range).into_iter().collect(),
    }
}

/// The fingerprint of a function or program of operations, at its name or, without one, where it begins; none of a
/// declaration, which computes nothing.
fn whole_print(body: &Body, name_range: TextRange) -> Option<Print> {
    if body.blocks[body.entry(body.root)].ops.is_empty() {
        return None;
    }
    let fingerprint = fingerprint::of_function(body)?;
    let has_name = !name_range.is_empty();
    let range = if has_name { name_range } else { TextRange::at(name_range.start(), 1.into()) };
    Some(Print { fingerprint, range, is_function: true })
}

/// Returns the fingerprints of a function of statements.
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

/// Returns the other places of the expression or the function at an offset, in order of file and place.
pub(crate) fn elsewhere(
    db: &RootDatabase,
    files: &FxHashMap<FileId, SourceFile>,
    index: &Index,
    id: FileId,
    offset: TextSize,
) -> Vec<Elsewhere> {
    let Some(&file) = files.get(&id) else { return Vec::new() };
    let at = db::unit_at(db, file, offset);
    let Some((at, offset)) = at.and_then(|it| Some((it, it.from_file(offset)?))) else {
        return Vec::new();
    };
    let here = prints(db, at.unit);
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
    places.retain(|it| {
        it.is_function == print.is_function
            && !(it.file == id && (it.range == own || at.range.contains_range(it.range)))
    });
    places
}
