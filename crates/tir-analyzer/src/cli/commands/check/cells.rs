//! Findings in notebooks, told at their cells.
//!
//! In: findings in the text of all code cells together. Out: a report with a part for each cell (`x.ipynb: cell 3`),
//! whose lines count from its first. Places in other cells are left out. O(findings + text).

use syntax::{Language, TextRange};

use super::pieces as of_text;
use crate::{
    cli::{
        input::source::Source,
        output::findings::{Piece, Reporter},
    },
    notebook::Cell,
};

/// The findings of a notebook as they are written.
pub(super) fn pieces(
    shown: &str,
    (source, language): (&Source, Language),
    cells: &[Cell],
    findings: &[&ide::Diagnostic],
    reporter: &Reporter,
) -> anyhow::Result<Vec<Piece>> {
    let mut pieces = Vec::new();
    for cell in cells {
        let in_cell: Vec<ide::Diagnostic> =
            findings.iter().filter_map(|it| moved(it, cell.range)).collect();
        let in_cell: Vec<&ide::Diagnostic> = in_cell.iter().collect();
        let text = &source.text[std::ops::Range::<usize>::from(cell.range)];
        let source = Source::new(text.as_bytes().to_vec())?;
        let shown = format!("{shown}: cell {}", cell.number);
        pieces.extend(of_text(&shown, (&source, language), &in_cell, reporter));
    }
    Ok(pieces)
}

/// The finding as one of a cell, if it is in the cell.
fn moved(it: &ide::Diagnostic, cell: TextRange) -> Option<ide::Diagnostic> {
    let is_inside = |range: &TextRange| cell.contains_range(*range);
    if !is_inside(&it.range) {
        return None;
    }
    let mut moved = it.clone();
    moved.range = it.range - cell.start();
    moved.related.retain(|it| is_inside(&it.0));
    moved.related.iter_mut().for_each(|it| it.0 -= cell.start());
    Some(moved)
}
