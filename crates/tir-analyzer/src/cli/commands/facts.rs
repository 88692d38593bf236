//! `explain --facts`: the results of the data-flow analyses at a line.

use anyhow::bail;
use ide::{FileId, LineFacts};
use serde_json::{Value, json};
use syntax::{Form, LineIndex, TextRange};

use crate::cli::{
    args::AnswerFormat,
    commands::values,
    guard::none_broken,
    input::{
        jobs::Job,
        place::{self, Place},
        source::Source,
    },
    output::{
        findings::{self, region},
        visible::visible,
    },
};

/// Version of the JSON answers.
const VERSION: u32 = 1;
/// Lists are cut to this many names for people.
const MOST_NAMES: usize = 30;

/// Answers for a place: of MLIR with the facts about a value, of functions of statements with those of the line.
pub(crate) fn answer(
    job: &Job,
    source: &Source,
    place: &Place<'_>,
    format: AnswerFormat,
    is_styled: bool,
) -> anyhow::Result<String> {
    let language = ide::Language::of_file(&job.file.path, &source.text);
    match language.support().form {
        Form::Operations => values::place_answer(job, source, place, &[], format, is_styled),
        Form::Expressions => line_answer(job, source, place.line, format, is_styled),
    }
}

fn line_answer(
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
    let host = job.host(job.config.analysis(), source);
    let text = &source.text[std::ops::Range::<usize>::from(lines.line_range(line - 1))];
    let indent = (text.len() - text.trim_start().len()) as u32;
    let range = lines.line_range(line - 1);
    // A statement that holds the line holds its first character that is no blank.
    let range = TextRange::new(
        (range.start() + syntax::TextSize::from(indent)).min(range.end()),
        range.end(),
    );
    // Nothing changes this host, so nothing is cancelled.
    let analysis = host.analysis();
    let facts = analysis.facts(FileId(0), range, 1).unwrap_or_default();
    none_broken(&analysis, range.start(), format_args!("{shown}:{line}"))?;
    let Some(facts) = facts.first() else {
        bail!("{shown}:{line}: there is no statement of a TVMScript function on this line");
    };
    Ok(match format {
        AnswerFormat::Text => {
            let line_of = |at| region(source, &lines, at).start.line;
            as_text(shown, line, facts, line_of, is_styled)
        }
        AnswerFormat::Json => format!("{}\n", as_json(path, line, source, &lines, facts)),
    })
}

fn as_text(
    shown: &str,
    line: u32,
    facts: &LineFacts,
    line_of: impl Fn(TextRange) -> u32,
    is_styled: bool,
) -> String {
    let (bold, plain) = if is_styled { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let mut out = format!("{bold}{shown}:{line}: `{}`{plain}\nbefore it:\n", facts.text);
    let mut row = |what: &str, value: String| {
        out.push_str(&format!("  {what:<12} {value}\n"));
    };
    if !facts.is_reached {
        row("reached", "never".to_owned());
    }
    row("live", names(facts.live.iter().cloned()));
    row("live memory", names(facts.live_memory.iter().cloned()));
    for (index, it) in facts.versions.iter().enumerate() {
        let what = if index == 0 { "memory" } else { "" };
        row(what, format!("{}: {}", it.buffer, it.words(&line_of)));
    }
    for (index, it) in facts.known.iter().enumerate() {
        row(if index == 0 { "known" } else { "" }, it.clone());
    }
    for (index, it) in facts.checked.iter().enumerate() {
        row(if index == 0 { "checked" } else { "" }, it.clone());
    }
    if let Some(how) = facts.reached_by {
        row("threads", format!("coming here: {how}"));
    }
    for (name, how) in &facts.varies {
        row("", format!("{name}: {how}"));
    }
    if !facts.initialised.is_empty() {
        row(
            "initialised",
            names(facts.initialised.iter().map(|(name, how)| format!("{name}: {how}"))),
        );
    }
    out
}

fn names(items: impl ExactSizeIterator<Item = String>) -> String {
    let n = items.len();
    let mut list: Vec<String> = items.take(MOST_NAMES).collect();
    if n > MOST_NAMES {
        list.push(format!("and {} more", n - MOST_NAMES));
    }
    if list.is_empty() { "nothing".to_owned() } else { list.join(", ") }
}

fn as_json(path: &str, line: u32, source: &Source, lines: &LineIndex, facts: &LineFacts) -> Value {
    let range = |at| findings::range_json(&region(source, lines, at));
    let line_of = |at| region(source, lines, at).start.line;
    let named = |list: &[(String, &'static str)]| -> Vec<Value> {
        list.iter().map(|(name, how)| json!({ "name": name, "how": how })).collect()
    };
    let versions: Vec<Value> = facts
        .versions
        .iter()
        .map(|it| {
            let words = it.words(line_of);
            json!({ "buffer": it.buffer, "version": words, "range": it.place.map(range) })
        })
        .collect();
    json!({
        "version": VERSION,
        "path": path,
        "line": line,
        "range": range(facts.range),
        "text": facts.text,
        "reached": facts.is_reached,
        "live": facts.live,
        "liveMemory": facts.live_memory,
        "memory": versions,
        "known": facts.known,
        "checked": facts.checked,
        "divergence": facts.reached_by,
        "varies": named(&facts.varies),
        "initialised": named(&facts.initialised),
    })
}
