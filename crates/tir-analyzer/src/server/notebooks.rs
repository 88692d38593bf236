//! Notebooks: their code cells are one document, and each cell is asked about by itself.
//!
//! The cells stand one below the other in a document under the name of the notebook, as `check` reads them: a cell sees
//! those before it. A request about a cell becomes one about that document, and its answer one in the places of the
//! cell, by the shapes of the protocol: only numbers of lines change, as a cell begins with a line. What is in other
//! cells is told where the protocol names a document, and is left out elsewhere. O(message), and O(cells) for a place.

mod answer;

use std::{collections::BTreeMap, sync::Arc};

use lsp_types as lsp;
use serde_json::Value;
use syntax::LineIndex;

pub(crate) use self::answer::CellPlace;
use crate::notebook::Notebook as Cells;

/// A cell in the order of its notebook.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) uri: String,
    /// As the client has it; empty if it has sent none.
    pub(crate) text: String,
    /// The line of the document that it begins with.
    first: u32,
    n_lines: u32,
}

impl Cell {
    /// A cell without a place.
    pub(crate) fn new(uri: String, text: String) -> Cell {
        Cell { uri, text, first: 0, n_lines: 0 }
    }

    fn has(&self, line: u32) -> bool {
        (self.first..self.first + self.n_lines).contains(&line)
    }
}

/// An open notebook.
#[derive(Clone, Debug)]
pub(crate) struct Notebook {
    pub(crate) uri: String,
    pub(crate) cells: Vec<Cell>,
}

impl Notebook {
    /// Gives the cells their places, and returns the text of all of them.
    pub(crate) fn laid_out(&mut self) -> String {
        let mut line = 0;
        for cell in &mut self.cells {
            cell.first = line;
            cell.n_lines = LineIndex::new(&cell.text).line_count();
            line += cell.n_lines;
        }
        Cells::of_cells(self.cells.iter().map(|it| &*it.text)).text
    }

    /// The cell that a line of the document is in.
    fn at(&self, line: u32) -> Option<usize> {
        let next = self.cells.partition_point(|it| it.first <= line);
        next.checked_sub(1).filter(|&it| self.cells[it].has(line))
    }
}

/// The open notebooks. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notebooks {
    by_uri: BTreeMap<String, Arc<Notebook>>,
    /// The notebook of each cell.
    of_cell: Arc<BTreeMap<String, String>>,
}

impl Notebooks {
    /// An open notebook.
    pub(crate) fn get(&self, uri: &str) -> Option<&Arc<Notebook>> {
        self.by_uri.get(uri)
    }

    /// Opens a notebook, or has it as it is now.
    pub(crate) fn set(&mut self, notebook: Notebook) {
        let of_cell = Arc::make_mut(&mut self.of_cell);
        of_cell.retain(|_, it| *it != notebook.uri);
        for cell in &notebook.cells {
            of_cell.insert(cell.uri.clone(), notebook.uri.clone());
        }
        self.by_uri.insert(notebook.uri.clone(), Arc::new(notebook));
    }

    /// Closes a notebook.
    pub(crate) fn remove(&mut self, uri: &str) -> Option<Arc<Notebook>> {
        Arc::make_mut(&mut self.of_cell).retain(|_, it| it != uri);
        self.by_uri.remove(uri)
    }

    /// Makes a request about a cell one about its notebook. Where the answer has its places.
    pub(crate) fn enter(&self, request: &mut lsp_server::Request) -> Option<CellPlace> {
        if self.by_uri.is_empty() {
            return None;
        }
        let place = self.named_in(&request.params)?;
        place.enter(&mut request.params);
        // A difference to tokens of other cells is none to those of this one.
        if request.method == "textDocument/semanticTokens/full/delta" {
            request.method = "textDocument/semanticTokens/full".to_owned();
        }
        Some(place)
    }

    /// The cell that is named somewhere in the parameters of a request.
    fn named_in(&self, params: &Value) -> Option<CellPlace> {
        match params {
            Value::String(uri) => {
                let notebook = self.by_uri.get(self.of_cell.get(uri)?)?;
                let cell = notebook.cells.iter().position(|it| it.uri == *uri)?;
                Some(CellPlace { notebook: notebook.clone(), cell })
            }
            Value::Array(items) => items.iter().find_map(|it| self.named_in(it)),
            Value::Object(fields) => fields.values().find_map(|it| self.named_in(it)),
            _ => None,
        }
    }

    /// The diagnostics of each cell of a notebook; none if the document is no notebook.
    pub(crate) fn diagnostics(
        &self,
        uri: &str,
        items: &[lsp::Diagnostic],
    ) -> Option<Vec<(String, Vec<Value>)>> {
        let notebook = self.by_uri.get(uri)?;
        let of_cell = |cell: usize| {
            let place = CellPlace { notebook: notebook.clone(), cell };
            let items = place.leave("textDocument/publishDiagnostics", &items);
            let items = items.as_array().cloned().unwrap_or_default();
            (notebook.cells[cell].uri.clone(), items)
        };
        Some((0..notebook.cells.len()).map(of_cell).collect())
    }
}
