//! What was found at a place: for hovers and the command line.
//!
//! In: an offset. Out: the findings whose place holds it, the smallest place first: what is found and why, the places
//! that bear on it, and what its fix would do. A place of several lines is pointed at by its first one: nobody who
//! points into a loop asks about the loop. What the user allows is not told. Linear in the findings of the function.

use db::{PlacedUnit, RootDatabase, SourceFile};
use frontend::tvmscript::Reading;
use syntax::{TextRange, TextSize};
use transform::findings::Finding;

use crate::{
    finding_actions::edits, finding_text::FindingText, plan_text::function_text, units::function_at,
};

/// Something that was found at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindingAt {
    /// The rule, in kebab-case.
    pub kind: &'static str,
    /// Where.
    pub range: TextRange,
    /// What was found and why, without a full stop.
    pub message: String,
    /// Other places that bear on it, with what they are.
    pub related: Vec<RelatedPlace>,
    /// What the fix does; none if there is none, or the text has no place for it.
    pub fix: Option<String>,
}

/// A place that bears on what was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RelatedPlace {
    /// Where.
    pub range: TextRange,
    /// Its line in the function, from 1.
    pub line: u32,
    /// What it is.
    pub what: String,
}

pub(crate) fn findings_at(db: &RootDatabase, file: SourceFile, offset: TextSize) -> Vec<FindingAt> {
    let Some((at, offset)) = function_at(db, file, offset) else { return Vec::new() };
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
    let lines = &function_text(db, at.unit).lines;
    let line = |at: TextSize| lines.line(at) + 1;
    let related = text.related(it).into_iter();
    FindingAt {
        kind: it.kind.name(),
        range: at.to_file(range),
        message: text.message(it),
        related: related
            .map(|(range, what)| RelatedPlace {
                range: at.to_file(range),
                line: line(range.start()),
                what,
            })
            .collect(),
        fix: text.action(it).filter(|_| !edits(db, at, [it], Reading::Later).edit.is_empty()),
    }
}

/// The part of a range that is on the line on which it begins.
fn first_line(text: &str, range: TextRange) -> TextRange {
    let inside = text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default();
    let len = inside.find(['\n', '\r']).unwrap_or(inside.len());
    TextRange::at(range.start(), TextSize::from(len as u32))
}
