//! Symbols of the whole workspace by a part of their name: kernels, macros, factories and modules, functions and other
//! symbols of MLIR; of open files as they are, of others as they were last read.

use db::{Database as _, RootDatabase, SourceFile};
use rustc_hash::FxHashMap;
use syntax::{Form, TextRange};

use crate::{
    FileId,
    document_symbols::{self, DocumentSymbol, SymbolKind},
    elsewhere::Index,
    names::marks::marks,
    outline::{self, Spot},
    shortened::shown_name,
    units,
};

/// The most symbols of one answer.
const MAX_SYMBOLS: usize = 512;

/// Where something of the workspace is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WorkspacePlace {
    /// In a file of the host.
    Open(FileId, OrderedRange),
    /// In a file that the host does not have.
    Closed(FileId, Spot),
}

/// A range, with an order: by start, then end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderedRange(pub TextRange);

impl PartialOrd for OrderedRange {
    fn partial_cmp(&self, other: &OrderedRange) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedRange {
    fn cmp(&self, other: &OrderedRange) -> std::cmp::Ordering {
        (self.0.start(), self.0.end()).cmp(&(other.0.start(), other.0.end()))
    }
}

/// A symbol of the workspace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkspaceSymbol {
    /// Its name.
    pub name: Box<str>,
    /// The names around it.
    pub container: Box<str>,
    /// The kind.
    pub kind: SymbolKind,
    /// Its name in its file.
    pub place: WorkspacePlace,
}

/// The symbols whose names have the letters of a query in this order, the best first. O(symbols of the workspace +
/// tokens of open files).
pub(crate) fn workspace_symbols(
    db: &RootDatabase,
    files: &FxHashMap<FileId, SourceFile>,
    index: &Index,
    query: &str,
) -> Vec<WorkspaceSymbol> {
    let mut found: Vec<(Match, WorkspaceSymbol)> = Vec::new();
    let mut add = |it: WorkspaceSymbol| {
        if let Some(how) = matches(&it.name, query) {
            found.push((how, it));
        }
    };
    let mut open: Vec<(FileId, SourceFile)> = files.iter().map(|(&id, &it)| (id, it)).collect();
    open.sort_unstable_by_key(|it| it.0);
    for (id, file) in open {
        db.unwind_if_revision_cancelled();
        symbols_of(db, id, file, &mut add);
    }
    for (id, file) in index.closed() {
        for it in file.outline().symbols {
            let Some(how) = matches(it.name, query) else { continue };
            let place = WorkspacePlace::Closed(id, it.spot);
            let (name, container, kind) =
                (shown_name(it.name).into(), it.container.into(), it.kind);
            found.push((how, WorkspaceSymbol { name, container, kind, place }));
        }
    }
    found.sort_by(|a, b| (a.0, &a.1.name, a.1.place).cmp(&(b.0, &b.1.name, b.1.place)));
    found.truncate(MAX_SYMBOLS);
    found.into_iter().map(|it| it.1).collect()
}

/// The symbols of an open file.
fn symbols_of(
    db: &RootDatabase,
    id: FileId,
    file: SourceFile,
    add: &mut dyn FnMut(WorkspaceSymbol),
) {
    let symbol = |name: &str, container: &str, kind, range| WorkspaceSymbol {
        name: shown_name(name).into(),
        container: container.into(),
        kind,
        place: WorkspacePlace::Open(id, OrderedRange(range)),
    };
    match db::form(db, file) {
        Form::Expressions => {
            if db::file_index(db, file).functions().is_none_or(|it| it.functions.is_empty()) {
                return;
            }
            for it in document_symbols::document_symbols(db, file) {
                let DocumentSymbol { name, kind, selection_range, .. } = it;
                if kind == SymbolKind::Module {
                    add(symbol(&name, "", kind, selection_range));
                }
            }
            for it in db::calls(db, file).callables.iter().filter(|it| outline::is_symbol(it)) {
                let around = outline::container(&it.path);
                add(symbol(it.name(), around, SymbolKind::Function, it.name_range));
            }
        }
        Form::Operations => {
            let of_frames = units::of_units(db, file, None, |at| {
                if !at.unit.is_frame(db) {
                    return Vec::new();
                }
                let definitions = &marks(db, at.unit).definitions;
                let symbol = |it: &crate::names::marks::SymbolDef| {
                    symbol(&it.name, "", it.kind(), at.to_file(it.range))
                };
                definitions.iter().map(symbol).collect()
            });
            of_frames.flatten().for_each(add);
        }
    }
}

/// How well a name fits a query, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Match {
    Whole,
    Start,
    Part,
    Letters,
}

fn matches(name: &str, query: &str) -> Option<Match> {
    let (name, query) = (name.to_lowercase(), query.trim().to_lowercase());
    if name == query {
        return Some(Match::Whole);
    }
    if name.starts_with(&query) {
        return Some(Match::Start);
    }
    if name.contains(&query) {
        return Some(Match::Part);
    }
    let mut letters = name.chars();
    query.chars().all(|it| letters.any(|other| other == it)).then_some(Match::Letters)
}
