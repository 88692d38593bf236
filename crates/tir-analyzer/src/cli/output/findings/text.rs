//! The report for people: each finding with the lines that it is about, and a summary.
//!
//! A finding shows a window of a few lines only, cut out of the file before it is drawn, so that its cost does not
//! depend on the size of the file.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use ide::Severity;
use syntax::{SourcePlace, TextRange};

use crate::cli::{
    output::{
        count,
        findings::{Counts, FileFindings, Finding, Statistics, Tally, Told},
    },
    rules,
};

/// Ranges of more lines are marked by their first line.
const MAX_LINES: u32 = 6;
/// Related places so many lines away are drawn in the same window.
const NEAR_LINES: u32 = 6;
/// Windows of more bytes are not drawn: minified text.
const MAX_WINDOW: usize = 16 << 10;
/// Related places that are named one by one.
const MAX_PLACES: usize = 8;

pub(super) fn finding(
    file: &FileFindings<'_>,
    told: &Told<'_>,
    it: &Finding,
    is_styled: bool,
) -> String {
    let renderer = if is_styled { Renderer::styled() } else { Renderer::plain() };
    let place = it.place.as_ref();
    let group = match place.filter(|_| told.is_source) {
        Some(place) => at_its_source(file, it, place),
        None => at_its_text(file, it),
    };
    renderer.render(&[group]) + "\n\n"
}

/// A finding at the place of the source that the text was made of. The source is not opened: a text may name any file.
fn at_its_source<'a>(
    file: &FileFindings<'_>,
    it: &'a Finding,
    place: &'a SourcePlace,
) -> Group<'a> {
    let title = level(it.severity).primary_title(it.message.as_str()).id(it.code);
    let origin = Origin::path(&*place.path).line(place.line as usize);
    let region = it.region.start;
    let group = title.element(origin.char_column(place.column as usize)).element(
        Level::NOTE.message(format!("in the IR at {}:{}:{}", file.shown, region.line, region.col)),
    );
    match &it.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    }
}

/// A finding with the lines that it is about.
fn at_its_text<'a>(file: &FileFindings<'a>, it: &'a Finding) -> Group<'a> {
    let title = level(it.severity).primary_title(it.message.as_str()).id(it.code);
    let window = Window::new(file, it);
    let mut group = match window.text(file) {
        Some(text) => {
            let primary = AnnotationKind::Primary.span(window.span(window.primary));
            let related = window.related.iter().map(|&at| {
                let (region, message) = &it.related[at];
                AnnotationKind::Context.span(window.span(region.range)).label(message.as_str())
            });
            let snippet = Snippet::source(text)
                .path(file.shown)
                .line_start(window.first_line as usize)
                .annotation(primary)
                .annotations(related);
            title.element(snippet)
        }
        None => title.element(
            Origin::path(file.shown)
                .line(it.region.start.line as usize)
                .char_column(it.region.start.col as usize),
        ),
    };
    if let Some(far) = window.far_places(it) {
        group = group.element(Level::NOTE.message(far));
    }
    if let Some(place) = &it.place {
        let text = format!("of {}:{}:{}", place.path, place.line, place.column);
        group = group.element(Level::INFO.message(text));
    }
    match &it.help {
        Some(help) => group.element(Level::HELP.message(help.as_str())),
        None => group,
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP.with_name("hint"),
    }
}

/// The lines that are drawn for a finding.
struct Window {
    /// From 1.
    first_line: u32,
    range: TextRange,
    /// The range to mark; the first line of a long range.
    primary: TextRange,
    /// Related places in the window.
    related: Vec<usize>,
}

impl Window {
    fn new(file: &FileFindings<'_>, it: &Finding) -> Window {
        let line_range = |line: u32| file.lines.line_range(line - 1);
        let is_long = it.region.end.line - it.region.start.line > MAX_LINES;
        let primary = if is_long {
            let end = line_range(it.region.start.line).end();
            TextRange::new(it.region.range.start(), end.max(it.region.range.start()))
        } else {
            it.region.range
        };
        let mut first = it.region.start.line;
        let mut last = if is_long { first } else { it.region.end.line };
        let mut related = Vec::new();
        for (at, (region, _)) in it.related.iter().enumerate() {
            let is_near = region.start.line + NEAR_LINES >= it.region.start.line
                && region.end.line <= it.region.end.line + NEAR_LINES
                && region.end.line - region.start.line <= MAX_LINES;
            if is_near {
                first = first.min(region.start.line);
                last = last.max(region.end.line);
                related.push(at);
            }
        }
        let range = TextRange::new(line_range(first).start(), line_range(last).end());
        Window { first_line: first, range, primary, related }
    }

    /// The lines; none if they are too long to be drawn.
    fn text<'a>(&self, file: &FileFindings<'a>) -> Option<&'a str> {
        let range = std::ops::Range::<usize>::from(self.range);
        if range.len() > MAX_WINDOW {
            return None;
        }
        file.source.text.get(range)
    }

    /// A range of the file as one of the window.
    fn span(&self, range: TextRange) -> std::ops::Range<usize> {
        let range = range.intersect(self.range).unwrap_or(TextRange::empty(self.range.start()));
        (range - self.range.start()).into()
    }

    /// The related places outside of the window, by their descriptions: `computed again here: 12:5, 40:9`.
    fn far_places(&self, it: &Finding) -> Option<String> {
        let mut far: Vec<(&str, Vec<String>)> = Vec::new();
        for (at, (region, message)) in it.related.iter().enumerate() {
            if self.related.contains(&at) {
                continue;
            }
            let place = format!("{}:{}", region.start.line, region.start.col);
            match far.iter_mut().find(|(other, _)| other == message) {
                Some((_, places)) => places.push(place),
                None => far.push((message, vec![place])),
            }
        }
        let lines: Vec<String> = far
            .into_iter()
            .map(|(message, places)| {
                let more = places.len().saturating_sub(MAX_PLACES);
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{message}: {}{more}", places[..places.len().min(MAX_PLACES)].join(", "))
            })
            .collect();
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}

/// More findings than this have a table of their rules, and a word on where to begin.
pub(crate) const FEW: usize = 20;

/// The findings of each rule, a line each: number, level, name, meaning; `*` marks those that `fix` changes.
pub(crate) fn table(statistics: &Statistics) -> String {
    let rules = statistics.rules();
    let of_number = rules.iter().map(|it| it.2.n.to_string().len()).max().unwrap_or_default();
    let of_name = rules.iter().map(|it| it.1.len()).max().unwrap_or_default();
    let line = |(severity, code, it): &(Severity, &'static str, Tally)| {
        let level = match severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "info",
            Severity::Hint => "hint",
        };
        let mark = if it.fixable > 0 { '*' } else { ' ' };
        let summary = rules::find(code).map_or("", |it| it.summary);
        format!("{:>of_number$} {level:<7} {mark} {code:<of_name$}  {summary}\n", it.n)
    };
    rules.iter().map(line).collect()
}

/// The last lines of a report: what was found, and what to do next.
pub(crate) fn summary(
    counts: &Counts,
    statistics: &Statistics,
    n_failures: usize,
    n_hidden: usize,
    is_styled: bool,
) -> String {
    let mut parts = Vec::new();
    for (n, word) in [(counts.errors, "error"), (counts.warnings, "warning")] {
        if n > 0 {
            parts.push(count(n, word));
        }
    }
    if counts.information > 0 {
        parts.push(format!("{} info", counts.information));
    }
    if counts.hints > 0 {
        parts.push(count(counts.hints, "hint"));
    }
    let mut line = format!("{} checked", count(counts.files, "file"));
    match parts.is_empty() {
        false => line.push_str(&format!(": {}", parts.join(", "))),
        // Of what was not read nothing is known.
        true if counts.files == 0 => {}
        true => line.push_str(": nothing to report"),
    }
    if n_failures > 0 {
        line.push_str(&format!("; {} could not be read", count(n_failures, "path")));
    }
    let superfluous = counts.fixable - counts.shared;
    let fixable = match (counts.shared, superfluous) {
        (0, 0) => None,
        (n, 0) => Some(format!("{} can be computed once", count(n, "value"))),
        (0, n) => Some(format!("{} can be removed", count(n, "superfluous part"))),
        (shared, n) => Some(format!(
            "{} can be computed once, {} removed",
            count(shared, "value"),
            count(n, "superfluous part")
        )),
    };
    if n_hidden > 0 {
        let more = count(n_hidden, "more finding");
        line.push_str(&format!("\n{more}: `--limit 0` shows all"));
        if counts.errors + counts.warnings > 0 && counts.information + counts.hints > 0 {
            line.push_str(", `--level warning` those that matter most");
        }
    }
    match (fixable, statistics.rules().first()) {
        (Some(fixable), _) => {
            line.push_str(&format!("\n{fixable}: `tir-analyzer fix --diff` shows how"));
        }
        // A few findings speak for themselves.
        (None, Some((_, rule, _))) if statistics.n() > FEW => line.push_str(&format!(
            "\n`tir-analyzer explain {rule}` tells what it means and what to do"
        )),
        (None, _) => {}
    }
    if is_styled { format!("\x1b[1m{line}\x1b[0m\n") } else { format!("{line}\n") }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn a_rule_of_two_levels_has_a_row_of_each() {
        let mut statistics = Statistics::default();
        let rule = "read-before-write";
        statistics.tally((Severity::Warning, rule), Tally { n: 2, fixable: 0 });
        statistics.tally((Severity::Error, rule), Tally { n: 1, fixable: 0 });
        expect![[r#"
            1 error     read-before-write  memory is read that nothing has written
            2 warning   read-before-write  memory is read that nothing has written
        "#]]
        .assert_eq(&table(&statistics));
    }
}
