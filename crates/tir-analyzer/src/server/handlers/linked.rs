//! The other files of a folder that mean a symbol of MLIR: which gets a new name, or whose places are asked for. Open
//! ones are as they are in the editor, closed ones as they are on the disk.
//!
//! The folder is that of the document, without the folders in it. Only files whose text has the name are read as MLIR.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ide::{
    Analysis, AnalysisHost, Cancellable, Edit, FileId, Group, Language, LineIndex, SymbolPart,
    SymbolPlace, SymbolRole, TextRange, TextSize, linked_files, linked_places,
};
use lsp_types as lsp;

use crate::server::{
    client::{path, uri_of},
    documents::Document,
    lsp::to_proto,
    snapshot::{Failure, Snapshot},
};

/// The limit on the files of a folder.
const MAX_FILES: usize = 10_000;

/// The limit on the bytes of one of them. What a larger one mentions is not known.
const MAX_SIZE: u64 = 64 << 20;

/// The edits of one file.
pub(super) struct FileEdits {
    pub(super) uri: lsp::Uri,
    /// The version of an open document.
    pub(super) version: Option<i32>,
    pub(super) edits: Vec<lsp::TextEdit>,
}

/// The edits of other files that go with a new name of the symbol at an offset.
pub(super) fn edits(
    snapshot: &Snapshot,
    document: &Document,
    offset: TextSize,
    new_name: &str,
) -> Result<Vec<FileEdits>, Failure> {
    let Some(symbol) = snapshot.analysis.shared_symbol(document.file, offset)? else {
        return Ok(Vec::new());
    };
    let wanted = |text: &str| symbol.may_be_in(text, Some(new_name));
    let read = |it: &Analysis, file| it.symbol_part(file, &symbol, new_name);
    let found = others(snapshot, document, &wanted, &read)?;
    if let Some(why) = found.unreadable {
        return Err(Failure::Refused(why));
    }
    let files = found.files;
    let parts: Vec<(String, SymbolPart)> =
        files.iter().map(|it| (it.name.clone(), it.part.clone())).collect();
    let linked = linked_files(&symbol, &parts, new_name).map_err(Failure::Refused)?;
    let encoding = snapshot.encoding();
    let edits = linked.into_iter().filter_map(|at| files.get(at)).map(|file| {
        let edit = |it: &Edit| lsp::TextEdit {
            range: to_proto::range_of(&file.lines, encoding, it.range),
            new_text: it.text.clone(),
        };
        FileEdits {
            uri: file.uri.clone(),
            version: file.version,
            edits: file.part.edits.iter().map(edit).collect(),
        }
    });
    Ok(edits.collect())
}

/// The places of a symbol in the files of a folder.
#[derive(Default)]
pub(super) struct Places {
    /// Those in the file that was asked about.
    pub(super) own: Vec<SymbolPlace>,
    /// Those in other files that mean the same symbol.
    pub(super) others: Vec<Other<Vec<SymbolPlace>>>,
}

impl Places {
    /// The place of the symbol with its body in another file.
    pub(super) fn definition(&self, snapshot: &Snapshot) -> Option<lsp::Location> {
        let mut of_others =
            self.others.iter().flat_map(|file| file.part.iter().map(move |place| (file, place)));
        let (file, place) = of_others.find(|it| it.1.role == SymbolRole::Definition)?;
        Some(file.location(snapshot, place))
    }
}

/// The places of the symbol at an offset, in its file and in others; none if other files do not mean it.
pub(super) fn places(
    snapshot: &Snapshot,
    document: &Document,
    offset: TextSize,
) -> Result<Option<Places>, Failure> {
    let Some(symbol) = snapshot.analysis.meant_symbol(document.file, offset)? else {
        return Ok(None);
    };
    let wanted = |text: &str| symbol.may_be_in(text, None);
    let read = |it: &Analysis, file| it.symbol_places(file, &symbol);
    let files = others(snapshot, document, &wanted, &read)?.files;
    let parts: Vec<Vec<SymbolPlace>> = files.iter().map(|it| it.part.clone()).collect();
    let linked = linked_places(&symbol, &parts);
    if linked.is_empty() {
        return Ok(None);
    }
    let own = snapshot.analysis.symbol_places(document.file, &symbol)?;
    let others = files.into_iter().enumerate().filter(|it| linked.contains(&it.0));
    Ok(Some(Places { own, others: others.map(|it| it.1).collect() }))
}

/// A file that has to do with the symbol.
pub(super) struct Other<T> {
    /// For people.
    name: String,
    pub(super) uri: lsp::Uri,
    version: Option<i32>,
    lines: LineIndex,
    pub(super) part: T,
}

impl<T> Other<T> {
    /// A range of the file.
    pub(super) fn range(&self, snapshot: &Snapshot, range: TextRange) -> lsp::Range {
        to_proto::range_of(&self.lines, snapshot.encoding(), range)
    }

    /// A place of the file.
    pub(super) fn location(&self, snapshot: &Snapshot, place: &SymbolPlace) -> lsp::Location {
        lsp::Location { uri: self.uri.clone(), range: self.range(snapshot, place.range) }
    }
}

/// Files by their names, and why one of them cannot be read.
struct Others<T> {
    files: Vec<Other<T>>,
    unreadable: Option<String>,
}

/// The files beside a document whose text is wanted, with what is read off them.
fn others<T>(
    snapshot: &Snapshot,
    document: &Document,
    wanted: &dyn Fn(&str) -> bool,
    read: &dyn Fn(&Analysis, FileId) -> Cancellable<T>,
) -> Result<Others<T>, Failure> {
    let mut found = Others { files: Vec::new(), unreadable: None };
    let Some(own) = path(&document.uri) else { return Ok(found) };
    let Some(folder) = own.parent() else { return Ok(found) };
    let mut host: Option<AnalysisHost> = None;
    let open = snapshot.documents.sorted();
    let Some(language) = Language::of_path(&own) else { return Ok(found) };
    for file in listed(folder, language).into_iter().filter(|it| *it != own) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if snapshot.analysis.cancellation_token().is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let is_this = |it: &&Document| path(&it.uri).is_some_and(|it| it == file);
        if let Some(it) = open.iter().find(is_this) {
            let part = read(&snapshot.analysis, it.file)?;
            let (uri, version) = (it.uri.clone(), Some(it.version));
            let lines = LineIndex::clone(&it.lines);
            found.files.push(Other { name, uri, version, lines, part });
            continue;
        }
        let text = match files::read_text_within(folder, &file, MAX_SIZE) {
            Ok(text) => text,
            // What is no text is no MLIR.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => continue,
            Err(error) => {
                let why = || format!("`{name}` may mention the symbol and cannot be read: {error}");
                found.unreadable.get_or_insert_with(why);
                continue;
            }
        };
        if !wanted(&text) {
            continue;
        }
        let lines = LineIndex::new(&text);
        let host = host.get_or_insert_with(|| {
            let mut host = AnalysisHost::new();
            host.set_settings(Group::default(), document.config.for_analysis());
            host
        });
        host.set_text(FileId(0), language, text.into());
        let part = read(&host.analysis(), FileId(0))?;
        let uri = uri_of(&file).into();
        found.files.push(Other { name, uri, version: None, lines, part });
    }
    Ok(found)
}

/// The files of a language in a folder, in the order of their names.
fn listed(folder: &Path, language: Language) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.take(MAX_FILES).filter_map(|it| Some(it.ok()?.path()));
    let is_wanted = |it: &PathBuf| Language::of_path(it) == Some(language) && it.is_file();
    let mut paths: Vec<PathBuf> = paths.filter(is_wanted).collect();
    paths.sort_unstable();
    paths
}
