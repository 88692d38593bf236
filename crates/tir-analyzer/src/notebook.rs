//! Notebooks: the code cells of an `.ipynb` file, or of an editor, as one text, and the way back to the cell.
//!
//! In: the text of a notebook, or its cells. Out: its code cells one below the other, as Python would execute them in
//! order, and the place of each. Lines that are commands of IPython (`%pip`, `!ls`) are comments, cells in another
//! language (`%%bash`) are empty. Nothing is written into a notebook. O(bytes).

use std::path::Path;

use anyhow::{Context as _, bail};
use serde_json::Value;
use syntax::{TextRange, TextSize};

/// Magic words of cells that are Python all the same.
const OF_PYTHON: [&str; 4] = ["%%capture", "%%prun", "%%time", "%%timeit"];

/// The code of a notebook.
pub(crate) struct Notebook {
    /// All code cells, a line break between two.
    pub(crate) text: String,
    pub(crate) cells: Vec<Cell>,
}

/// A code cell.
pub(crate) struct Cell {
    /// Its place among all cells of the notebook, from 1.
    pub(crate) number: usize,
    /// Its place in the text.
    pub(crate) range: TextRange,
}

/// Returns true if a file is a notebook by its name.
pub(crate) fn is_notebook(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "ipynb")
}

/// The message of a command that does not read notebooks.
pub(crate) fn refusal(shown: &str) -> String {
    format!("{shown} is a notebook: only `check` reads its cells")
}

impl Notebook {
    /// Reads the text of a notebook.
    ///
    /// # Errors
    ///
    /// The text is no notebook, or one in another language than Python.
    pub(crate) fn read(text: &str) -> anyhow::Result<Notebook> {
        let json: Value = serde_json::from_str(text).context("it is no notebook")?;
        let Some(cells) = json.get("cells").and_then(Value::as_array) else {
            bail!("it is a notebook of a format before 4; save it again with a newer Jupyter");
        };
        let language = json.pointer("/metadata/language_info/name");
        let language = language.or_else(|| json.pointer("/metadata/kernelspec/language"));
        if let Some(other) = language.and_then(Value::as_str).filter(|it| *it != "python") {
            bail!("it is a notebook of {other}, and only Python is read");
        }
        let mut notebook = Notebook { text: String::new(), cells: Vec::new() };
        for (at, cell) in cells.iter().enumerate() {
            if cell.get("cell_type").and_then(Value::as_str) == Some("code") {
                notebook.push(at + 1, &source(cell));
            }
        }
        Ok(notebook)
    }

    /// The text of code cells, in order.
    pub(crate) fn of_cells<'a>(sources: impl Iterator<Item = &'a str>) -> Notebook {
        let mut notebook = Notebook { text: String::new(), cells: Vec::new() };
        for (at, source) in sources.enumerate() {
            notebook.push(at + 1, source);
        }
        notebook
    }

    fn push(&mut self, number: usize, source: &str) {
        let start = TextSize::of(self.text.as_str());
        let is_other = source.starts_with("%%") && !OF_PYTHON.iter().any(|it| is_word(source, it));
        for line in source.split_inclusive('\n') {
            let code = line.trim_start();
            match (is_other, code.starts_with(['%', '!', '?'])) {
                (true, _) => self.text.extend(line.chars().filter(|it| matches!(it, '\r' | '\n'))),
                (false, true) => {
                    self.text.push_str(&line[..line.len() - code.len()]);
                    self.text.push('#');
                    self.text.push_str(&code[1..]);
                }
                (false, false) => self.text.push_str(line),
            }
        }
        let range = TextRange::new(start, TextSize::of(self.text.as_str()));
        self.cells.push(Cell { number, range });
        self.text.push('\n');
    }
}

fn is_word(source: &str, word: &str) -> bool {
    source.split_whitespace().next() == Some(word)
}

/// The text of a cell: a string, or its lines.
fn source(cell: &Value) -> String {
    match cell.get("source") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_cells_are_one_text_with_a_place_for_each() {
        let text = r##"{"cells": [
            {"cell_type": "markdown", "source": "# Title"},
            {"cell_type": "code", "source": ["%pip install x\n", "a = 1\n", "  !ls"]},
            {"cell_type": "code", "source": "%%bash\nls\n"},
            {"cell_type": "code", "source": "%%time\nb = a"}
        ], "metadata": {"language_info": {"name": "python"}}}"##;
        let notebook = Notebook::read(text).unwrap();
        assert_eq!(notebook.text, "#pip install x\na = 1\n  #ls\n\n\n\n#%time\nb = a\n");
        let numbers: Vec<usize> = notebook.cells.iter().map(|it| it.number).collect();
        assert_eq!(numbers, [2, 3, 4]);
        let last = &notebook.text[std::ops::Range::<usize>::from(notebook.cells[2].range)];
        assert_eq!(last, "#%time\nb = a");
    }

    #[test]
    fn what_is_no_notebook_of_python_is_refused() {
        assert!(Notebook::read("a = 1").is_err());
        assert!(Notebook::read("{}").is_err());
        let julia = r#"{"cells": [], "metadata": {"kernelspec": {"language": "julia"}}}"#;
        assert!(Notebook::read(julia).is_err());
    }
}
