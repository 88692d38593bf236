//! Notebooks that are opened, changed and closed: changes of the document that their cells have together.

use lsp_types as lsp;
use syntax::LineIndex;

use crate::server::{
    lsp::from_proto,
    notebooks::{Cell, Notebook},
    outbox::Key,
    publish,
    state::State,
};

pub(super) fn did_open(
    state: &mut State,
    params: lsp::DidOpenNotebookDocumentParams,
) -> Result<(), String> {
    let lsp::NotebookDocument { uri, version, cells, .. } = params.notebook_document;
    let cells = cells.into_iter().map(|it| {
        let mut texts = params.cell_text_documents.iter();
        let known = texts.find(|text| text.uri == it.document && is_python(text));
        Cell::new(it.document.to_string(), known.map_or(String::new(), |it| it.text.clone()))
    });
    let mut notebook = Notebook { uri: uri.to_string(), cells: cells.collect() };
    let text = notebook.laid_out();
    state.notebooks.set(notebook);
    let text_document = lsp::TextDocumentItem { uri, version, text, language_id: python() };
    super::did_open(state, lsp::DidOpenTextDocumentParams { text_document })
}

/// The language of the document of all cells.
fn python() -> lsp::LanguageKind {
    "python".to_owned().into()
}

fn is_python(text: &lsp::TextDocumentItem) -> bool {
    text.language_id.as_str() == "python"
}

pub(super) fn did_change(
    state: &mut State,
    params: lsp::DidChangeNotebookDocumentParams,
) -> Result<(), String> {
    let lsp::VersionedNotebookDocumentIdentifier { uri, version } = params.notebook_document;
    let Some(known) = state.notebooks.get(uri.as_ref()) else {
        state.told_of_unopened(uri, "notebookDocument/didChange");
        return Ok(());
    };
    let mut notebook = Notebook::clone(known);
    let changes = params.change.cells.unwrap_or_default();
    if let Some(structure) = changes.structure {
        let gone = splice(&mut notebook, structure);
        if !state.client.pulls_diagnostics {
            gone.into_iter().for_each(|it| forget(state, it));
        }
    }
    let encoding = state.client.encoding;
    for content in changes.text_content.into_iter().flatten() {
        let uri = content.document.text_document_identifier.uri.to_string();
        let Some(cell) = notebook.cells.iter_mut().find(|it| it.uri == uri) else { continue };
        for change in content.changes {
            match change {
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(it) => {
                    cell.text = it.text;
                }
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangePartial(it) => {
                    let lines = LineIndex::new(&cell.text);
                    let range = from_proto::range(&lines, encoding, it.range);
                    cell.text.replace_range(std::ops::Range::<usize>::from(range), &it.text);
                }
            }
        }
    }
    let text = notebook.laid_out();
    state.notebooks.set(notebook);
    let whole = lsp::TextDocumentContentChangeWholeDocument { text };
    let whole = lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole);
    let text_document = lsp::VersionedTextDocumentIdentifier {
        version,
        text_document_identifier: lsp::TextDocumentIdentifier { uri },
    };
    let params = lsp::DidChangeTextDocumentParams { text_document, content_changes: vec![whole] };
    super::did_change(state, params)
}

/// Takes cells out and puts others in. The names of those that are gone.
fn splice(notebook: &mut Notebook, it: lsp::NotebookDocumentCellChangeStructure) -> Vec<String> {
    let opened = it.did_open.unwrap_or_default();
    let n_cells = notebook.cells.len();
    let start = (it.array.start as usize).min(n_cells);
    let end = start.saturating_add(it.array.delete_count as usize).min(n_cells);
    // A cell that only moves keeps its text.
    let before = notebook.cells.clone();
    let cell = |it: lsp::NotebookCell| {
        let uri = it.document.to_string();
        let text = opened.iter().find(|text| text.uri == it.document);
        let kept = before.iter().find(|it| it.uri == uri).map(|it| it.text.clone());
        let text = match text {
            Some(text) if is_python(text) => text.text.clone(),
            Some(_) => String::new(),
            None => kept.unwrap_or_default(),
        };
        Cell::new(uri, text)
    };
    let new: Vec<Cell> = it.array.cells.into_iter().flatten().map(cell).collect();
    let gone: Vec<String> = notebook.cells.splice(start..end, new).map(|it| it.uri).collect();
    gone.into_iter().filter(|uri| notebook.cells.iter().all(|it| it.uri != *uri)).collect()
}

pub(super) fn did_close(
    state: &mut State,
    params: lsp::DidCloseNotebookDocumentParams,
) -> Result<(), String> {
    let uri = params.notebook_document.uri;
    let closed = state.notebooks.remove(uri.as_ref());
    if !state.client.pulls_diagnostics {
        for cell in closed.iter().flat_map(|it| &it.cells) {
            forget(state, cell.uri.clone());
        }
    }
    let text_document = lsp::TextDocumentIdentifier { uri };
    super::did_close(state, lsp::DidCloseTextDocumentParams { text_document })
}

/// Takes the diagnostics of a cell away that is no longer there.
fn forget(state: &State, cell: String) {
    let frame = publish::cell_frame(&cell, Vec::new());
    state.outbox.replace(Key::Cell(cell), frame);
}
