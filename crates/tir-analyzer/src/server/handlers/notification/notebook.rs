//! Notebooks that are opened, changed and closed: changes of the document that their cells have together.

use lsp_types as lsp;
use syntax::LineIndex;

use super::Change;
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
        Cell::new(it.document.to_string(), known.map_or("", |it| &it.text))
    });
    let mut notebook = Notebook { uri: uri.to_string(), cells: cells.collect() };
    notebook.lay_out();
    let text = notebook.whole();
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
    let mut edits = Vec::new();
    let is_whole = changes.structure.is_some();
    if let Some(structure) = changes.structure {
        let gone = splice(&mut notebook, structure);
        if !state.client.pulls_diagnostics {
            gone.into_iter().for_each(|it| forget(state, it));
        }
    }
    let encoding = state.client.encoding;
    for content in changes.text_content.into_iter().flatten() {
        let uri = content.document.text_document_identifier.uri.to_string();
        let Some(cell) = notebook.cells.iter().position(|it| it.uri == uri) else { continue };
        let mut text = notebook.cells[cell].text().to_owned();
        for change in content.changes {
            match change {
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(it) => {
                    text = it.text;
                }
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangePartial(it) => {
                    let range = from_proto::range(&LineIndex::new(&text), encoding, it.range);
                    text.replace_range(std::ops::Range::<usize>::from(range), &it.text);
                }
            }
        }
        edits.push(Change::Edit(notebook.set_text(cell, &text)));
    }
    if is_whole {
        notebook.lay_out();
        edits = vec![Change::Whole(notebook.whole())];
    }
    state.notebooks.set(notebook);
    super::change(state, uri, version, edits)
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
        let kept = before.iter().find(|it| it.uri == uri).map(Cell::text);
        let text = match text {
            Some(text) if is_python(text) => &text.text,
            Some(_) => "",
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
