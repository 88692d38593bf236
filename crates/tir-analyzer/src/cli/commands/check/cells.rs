//! Findings in notebooks, told at their cells.
//!
//! In: findings in the text of all code cells together. Out: a report with a part for each cell (`x.ipynb: cell 3`), whose
//! lines count from its first. Places in other cells are left out. O(findings + text).

use syntax::{LineIndex, TextRange};

use super::finding;
use crate::cli::{
    input::{notebook::Cell, source::Source},
    output::findings::{FileFindings, Reporter},
};

/// The report on a notebook.
pub(super) fn report(
    shown: &str,
    source: &Source,
    cells: &[Cell],
    findings: &[&ide::Diagnostic],
    reporter: &Reporter,
) -> anyhow::Result<String> {
    let mut report = String::new();
    for cell in cells {
        let in_cell: Vec<ide::Diagnostic> =
            findings.iter().filter_map(|it| moved(it, cell.range)).collect();
        if in_cell.is_empty() {
            continue;
        }
        let text = &source.text[std::ops::Range::<usize>::from(cell.range)];
        let source = Source::new(text.as_bytes().to_vec())?;
        let lines = LineIndex::new(&source.text);
        let findings = in_cell.iter().map(|it| finding(it, &source, &lines)).collect();
        let shown = format!("{shown}: cell {}", cell.number);
        let part =
            FileFindings { shown: &shown, source: &source, lines: &lines, findings, n_hidden: 0 };
        let part = reporter.file(&part);
        if !report.is_empty() && !part.is_empty() {
            report.push_str(reporter.separator());
        }
        report.push_str(&part);
    }
    Ok(report)
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
