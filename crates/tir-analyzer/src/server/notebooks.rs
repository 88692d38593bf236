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
use syntax::{Edit, LineIndex, TextRange, TextSize};

pub(crate) use self::answer::CellPlace;
use crate::notebook::Notebook as Cells;

/// A cell in the order of its notebook.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub(crate) uri: String,
    /// As the client has it; empty if it has sent none.
    text: Arc<str>,
    /// The line of the document that it begins with, and the place there.
    first: u32,
    start: TextSize,
    n_lines: u32,
    /// The length of its part of the document.
    len: TextSize,
}

impl Cell {
    /// A cell without a place.
    pub(crate) fn new(uri: String, text: &str) -> Cell {
        Cell {
            uri,
            text: text.into(),
            first: 0,
            start: TextSize::default(),
            n_lines: LineIndex::new(text).line_count(),
            len: TextSize::of(part(text).as_str()),
        }
    }

    /// As the client has it.
    pub(crate) fn text(&self) -> &str {
        &self.text
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
    /// Gives the cells their places. O(cells).
    pub(crate) fn lay_out(&mut self) {
        let (mut line, mut at) = (0, TextSize::default());
        for cell in &mut self.cells {
            (cell.first, cell.start) = (line, at);
            line += cell.n_lines;
            at += cell.len;
        }
    }

    /// The text of all cells. O(bytes).
    pub(crate) fn whole(&self) -> String {
        Cells::of_cells(self.cells.iter().map(|it| &*it.text)).text
    }

    /// Gives a cell another text, and all cells their places. The change of the document: of what differs in the cell.
    /// O(bytes of the cell + cells).
    pub(crate) fn set_text(&mut self, cell: usize, text: &str) -> Edit {
        let old = &self.cells[cell];
        let edit = difference(&part(&old.text), &part(text), old.start);
        self.cells[cell] = Cell::new(old.uri.clone(), text);
        self.lay_out();
        edit
    }

    /// The cell that a line of the document is in.
    fn at(&self, line: u32) -> Option<usize> {
        let next = self.cells.partition_point(|it| it.first <= line);
        next.checked_sub(1).filter(|&it| self.cells[it].has(line))
    }
}

/// The part of the document that a cell with this text is.
fn part(text: &str) -> String {
    Cells::of_cells(std::iter::once(text)).text
}

/// The smallest edit that makes one text of another, which begins at `start`.
fn difference(old: &str, new: &str, start: TextSize) -> Edit {
    let same = |old: &mut dyn Iterator<Item = char>, new: &mut dyn Iterator<Item = char>| {
        old.zip(new).take_while(|(a, b)| a == b).map(|(it, _)| it.len_utf8()).sum::<usize>()
    };
    let first = same(&mut old.chars(), &mut new.chars());
    let (old, new) = (&old[first..], &new[first..]);
    let last = same(&mut old.chars().rev(), &mut new.chars().rev());
    let (old, new) = (&old[..old.len() - last], &new[..new.len() - last]);
    let begin = start + TextSize::new(first as u32);
    Edit::replace(TextRange::at(begin, TextSize::of(old)), new)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_of_a_cell_is_one_of_what_differs_in_it() {
        let texts = ["%pip x\na = 1", "é = 2\nb = é", "%%bash\nls"];
        let cells = (0..).zip(texts).map(|(n, it): (u32, _)| Cell::new(n.to_string(), it));
        let mut notebook = Notebook { uri: "n".to_owned(), cells: cells.collect() };
        notebook.lay_out();
        let mut text = notebook.whole();
        for (cell, new) in [
            (1, "é = 3\nb = é"),
            (1, "ü = 3\nb = é\n\n"),
            (0, "%pip x\na = 1"),
            (0, ""),
            (2, "%%time\nls"),
            (1, "é = 3\n!ls"),
            (0, "a = 1\na = 1\n"),
        ] {
            let edit = notebook.set_text(cell, new);
            edit.apply(&mut text);
            assert_eq!(text, notebook.whole());
            let of = |it: &Cell| text[usize::from(it.start)..].starts_with(&*part(&it.text));
            assert!(notebook.cells.iter().all(of), "{notebook:?}");
        }
        let edit = notebook.set_text(1, "é = 4\n!ls");
        assert_eq!((edit.range.len(), &*edit.text), (1.into(), "4"));
    }
}
