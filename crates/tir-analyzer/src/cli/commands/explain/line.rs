//! `explain FILE:LINE`: what stands on a line, an expression or operation a row, and what was found there.
//!
//! A row has the place at which `explain` says more.

use anyhow::bail;
use ide::{Analysis, FileId};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use syntax::{Form, LineIndex, TextRange, TextSize};

use super::{VERSION, finding_json, finding_text, times};
use crate::cli::{
    args::AnswerFormat,
    guard::none_broken,
    input::{jobs::Job, place, source::Source},
    output::{
        findings::{self, region},
        markdown::plain,
        visible::visible,
    },
};

/// Places of a line that are looked at; longer lines are of machines, which ask for JSON at a column.
const MOST_PLACES: usize = 400;

/// An expression, operation or name on the line.
struct Row {
    range: TextRange,
    /// Its text, or that of the hover.
    text: String,
    /// Its type, how often it is computed, what was decided.
    about: Option<(String, usize, &'static str)>,
}

/// Answers a question about a line, counted from 1.
pub(super) fn answer(
    job: &Job,
    source: &Source,
    line: u32,
    format: AnswerFormat,
    is_styled: bool,
) -> anyhow::Result<String> {
    let path = job.file.shown.as_str();
    let shown = &*visible(path);
    let lines = LineIndex::new(&source.text);
    place::start_of_line(shown, &lines, line)?;
    let range = lines.line_range(line - 1);
    let host = job.host(job.config.analysis(), source);
    let language = ide::Language::of_file(&job.file.path, &source.text);
    let analysis = host.analysis();
    none_broken(&analysis, range.start(), format_args!("{shown}:{line}"))?;
    let starts = starts_of_words(&source.text, range);
    let rows = match language.support().form {
        Form::Operations => operations(&analysis, &starts),
        Form::Expressions => expressions(&analysis, &starts),
    };
    let found = found(&analysis, &starts);
    if rows.is_empty() && found.is_empty() {
        bail!("{shown}:{line}: nothing on this line belongs to a function of tensor IR");
    }
    Ok(match format {
        AnswerFormat::Text => {
            let row = |it: &Row| row_text(shown, source, &lines, it);
            let notes = found.iter().map(|it| finding_text(shown, source, &lines, it, is_styled));
            rows.iter().map(row).chain(notes).collect()
        }
        AnswerFormat::Json => {
            let rows: Vec<Value> = rows.iter().map(|it| row_json(source, &lines, it)).collect();
            let found: Vec<Value> =
                found.iter().map(|it| finding_json(source, &lines, it)).collect();
            let answer = json!({
                "version": VERSION, "path": path, "line": line, "items": rows, "findings": found,
            });
            format!("{answer}\n")
        }
    })
}

/// The offsets of a line at which a word or a sign begins.
fn starts_of_words(text: &str, line: TextRange) -> Vec<TextSize> {
    let is_word = |it: char| it.is_alphanumeric() || "_%@#^!.".contains(it);
    let mut before = ' ';
    let mut starts = Vec::new();
    for (at, it) in text[std::ops::Range::<usize>::from(line)].char_indices() {
        let is_inside = is_word(it) && is_word(before);
        if !it.is_whitespace() && !is_inside {
            starts.push(line.start() + TextSize::of(&text[usize::from(line.start())..][..at]));
        }
        before = it;
    }
    starts.truncate(MOST_PLACES);
    starts
}

/// The expressions at the places, each once, in the order of the text.
fn expressions(analysis: &Analysis, starts: &[TextSize]) -> Vec<Row> {
    let mut seen = FxHashSet::default();
    // Nothing changes this host, so nothing is cancelled.
    let at = |&it: &TextSize| analysis.explain(FileId(0), it).unwrap_or_default();
    let all = starts.iter().filter_map(at).filter(|it| seen.insert(it.range));
    let row = |it: ide::Explanation| Row {
        range: it.range,
        text: it.text,
        about: Some((it.ty, it.n_occurrences, it.decision)),
    };
    in_order(all.map(row).collect())
}

/// The operations and names at the places, each once, in the order of the text.
fn operations(analysis: &Analysis, starts: &[TextSize]) -> Vec<Row> {
    let mut seen = FxHashSet::default();
    let at = |&it: &TextSize| analysis.hover(FileId(0), it).unwrap_or_default();
    let all = starts.iter().filter_map(at).filter(|it| seen.insert(it.range));
    // A value and its operation are kept by the same.
    let mut told = FxHashSet::default();
    let row = |it: ide::Hover| {
        let text = plain(&it.markdown, false);
        let lines = text.lines().filter(|it| !it.trim().is_empty());
        let (kept, lines): (Vec<&str>, Vec<&str>) =
            lines.partition(|it| it.starts_with(ide::NOT_THE_SAME));
        let mut row = lines.into_iter().take(2).collect::<Vec<_>>().join(": ");
        for kept in kept.into_iter().filter(|it| told.insert((*it).to_owned())) {
            row.push_str(&format!("\n  {kept}"));
        }
        Row { range: it.range, text: row, about: None }
    };
    in_order(all.map(row).collect())
}

fn in_order(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(|it| (it.range.start(), std::cmp::Reverse(it.range.end())));
    rows
}

/// The findings at the places, each once.
fn found(analysis: &Analysis, starts: &[TextSize]) -> Vec<ide::FindingAt> {
    let mut seen = FxHashSet::default();
    let at = |&it: &TextSize| analysis.findings_at(FileId(0), it).unwrap_or_default();
    let all = starts.iter().flat_map(at);
    all.filter(|it| seen.insert((it.range, it.kind, it.message.clone()))).collect()
}

fn row_text(shown: &str, source: &Source, lines: &LineIndex, it: &Row) -> String {
    let at = region(source, lines, it.range).start;
    let place = format!("{shown}:{}:{}", at.line, at.col);
    match &it.about {
        Some((ty, n, decision)) => {
            format!("{place}: `{}`: {ty}, {}{}\n", it.text, times(*n), decided(decision))
        }
        None => format!("{place}: {}\n", it.text),
    }
}

/// The end of a sentence about a value by what was decided about it.
fn decided(decision: &str) -> String {
    match decision {
        "bind" => "; a binding would share it".to_owned(),
        "reuse" => "; a name has it already".to_owned(),
        "covered" => "; shared as a part of a larger value".to_owned(),
        // A name or a number by itself is nothing that could be shared.
        "single" | "not-considered" => String::new(),
        refusal => format!("; not shared: `{refusal}`"),
    }
}

fn row_json(source: &Source, lines: &LineIndex, it: &Row) -> Value {
    let range = findings::range_json(&region(source, lines, it.range));
    match &it.about {
        Some((ty, n, decision)) => json!({
            "range": range, "text": it.text, "type": ty, "count": n, "decision": decision,
        }),
        None => json!({ "range": range, "text": it.text }),
    }
}
