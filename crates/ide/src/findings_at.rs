//! The findings at a place: for hovers and the command line.
//!
//! In: an offset. Out: the findings whose place contains it, the smallest place first: the finding and its reason, the
//! related places, and the effect of its fix. A place of several lines is hit by its first line only: a question inside
//! a loop is not a question about the loop. Findings that the user allows are left out. Linear in the findings of the
//! function.

use db::{PlacedUnit, RootDatabase, SourceFile, function_text};
use frontend::tvmscript::ReadBack;
use syntax::{TextRange, TextSize};
use transform::findings::Finding;

use crate::{finding_text::FindingText, units::shown_function_at};

/// Something that was found at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingAt {
    /// The rule, in kebab-case.
    pub kind: &'static str,
    /// The place.
    pub range: TextRange,
    /// The message with the reason, without a full stop.
    pub message: String,
    /// Other places that bear on it, with their descriptions.
    pub related: Vec<RelatedPlace>,
    /// The effect of the fix; `None` if there is none, or the text has no place for it.
    pub fix: Option<String>,
}

/// A place that bears on the finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelatedPlace {
    /// The place.
    pub range: TextRange,
    /// The kind.
    pub what: String,
}

pub(crate) fn findings_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Vec<FindingAt> {
    let Some((at, offset)) = shown_function_at(db, file, offset) else { return Vec::new() };
    let text = FindingText::new(db, at.unit);
    let source = &function_text(db, at.unit).text;
    let allowances = db::source_map(db, at.unit).allowances();
    let mut found: Vec<(TextRange, &Finding)> = db::findings(db, at.unit)
        .iter()
        .filter_map(|it| {
            let range = text.range(it.place)?;
            let is_here = first_line(source, range).contains_inclusive(offset);
            (is_here && !allowances.at(it.kind.name(), range)).then_some((range, it))
        })
        .collect();
    found.sort_by_key(|(range, _)| (range.len(), range.start()));
    found.into_iter().map(|(range, it)| told(db, &at, &text, range, it)).collect()
}

fn told(
    db: &RootDatabase,
    at: &PlacedUnit<'_>,
    text: &FindingText<'_>,
    range: TextRange,
    it: &Finding,
) -> FindingAt {
    let related = text.related(it).into_iter();
    FindingAt {
        kind: it.kind.name(),
        range: at.to_file(range),
        message: text.message(it),
        related: related
            .map(|(range, what)| RelatedPlace { range: at.to_file(range), what })
            .collect(),
        fix: text
            .action(it)
            .filter(|_| !db::finding_edits(db, at.unit, [it], ReadBack::Later).edit.is_empty()),
    }
}

/// The part of a range that is on the line on which it begins.
fn first_line(text: &str, range: TextRange) -> TextRange {
    let inside = text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default();
    let len = inside.find(['\n', '\r']).unwrap_or(inside.len());
    TextRange::at(range.start(), TextSize::from(len as u32))
}
