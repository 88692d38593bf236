//! The other files of a folder that mean a symbol of MLIR which gets a new name: open ones as they are in the editor,
//! closed ones as they are on the disk.
//!
//! The folder is that of the document, without the folders in it. Only files whose text has the name are read as MLIR.

use std::{
    fs,
    path::{Path, PathBuf},
};

use ide::{
    AnalysisHost, Edit, FileId, Group, Language, LineIndex, SharedSymbol, SymbolPart, TextSize,
    linked_files,
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
    let Some(own) = path(&document.uri) else { return Ok(Vec::new()) };
    let files = others(snapshot, document, &own, &symbol, new_name)?;
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

/// A file that has to do with the symbol.
struct Other {
    /// For people.
    name: String,
    uri: lsp::Uri,
    version: Option<i32>,
    lines: LineIndex,
    part: SymbolPart,
}

/// The files beside one that have the old or the new name in their text, by their names.
fn others(
    snapshot: &Snapshot,
    document: &Document,
    own: &Path,
    symbol: &SharedSymbol,
    new_name: &str,
) -> Result<Vec<Other>, Failure> {
    let Some(folder) = own.parent() else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    let mut host: Option<AnalysisHost> = None;
    let open = snapshot.documents.sorted();
    let Some(language) = Language::of_path(own) else { return Ok(found) };
    for file in listed(folder, language).into_iter().filter(|it| it != own) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if snapshot.analysis.cancellation_token().is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let is_this = |it: &&Document| path(&it.uri).is_some_and(|it| it == file);
        if let Some(it) = open.iter().find(is_this) {
            let part = snapshot.analysis.symbol_part(it.file, symbol, new_name)?;
            let (uri, version) = (it.uri.clone(), Some(it.version));
            let lines = LineIndex::clone(&it.lines);
            found.push(Other { name, uri, version, lines, part });
            continue;
        }
        let text = match files::read_text_within(folder, &file, MAX_SIZE) {
            Ok(text) => text,
            // What is no text is no MLIR.
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => continue,
            Err(error) => {
                let why = format!("`{name}` may mention the symbol and cannot be read: {error}");
                return Err(Failure::Refused(why));
            }
        };
        if !symbol.may_be_in(&text, new_name) {
            continue;
        }
        let lines = LineIndex::new(&text);
        let host = host.get_or_insert_with(|| {
            let mut host = AnalysisHost::new();
            host.set_settings(Group::default(), document.config.for_analysis());
            host
        });
        host.set_text(FileId(0), language, text.into());
        let part = host.analysis().symbol_part(FileId(0), symbol, new_name)?;
        found.push(Other { name, uri: uri_of(&file).into(), version: None, lines, part });
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
