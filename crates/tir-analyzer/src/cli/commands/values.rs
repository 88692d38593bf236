//! The facts about a value of MLIR at `FILE:LINE:COLUMN`: for `explain --facts` and `simplify`.
//!
//! In: a place in a file of operations, conditions that hold besides. Out: the value in terms of arguments and loops,
//! bounds, congruence, the conditions in force with their lines, a simpler form with its rules, and what is missing.
//! A line of MLIR without a column is the first value that is defined on it.

use std::path::Path;

use anyhow::{anyhow, bail};
use ide::{FileId, StatedFacts, ValueFacts};
use serde_json::{Value, json};
use syntax::{Form, LineCol, LineIndex, TextRange};

use crate::cli::{
    args::AnswerFormat,
    guard::none_broken,
    input::{
        jobs::Job,
        place::{self, Place},
        source::Source,
    },
    io::{Io, Styled},
    output::{
        findings::{self, region},
        visible::visible,
    },
};

/// Version of the JSON answers.
const VERSION: u32 = 1;

/// Answers for a place in a file of operations; none for other questions, which are not about MLIR.
pub(crate) fn answer(
    what: &str,
    given: &[String],
    format: AnswerFormat,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<Option<String>> {
    let place = Place::of_file(what);
    let is_file = |it: &Place<'_>| it.file.is_some_and(|it| io.resolve(Path::new(it)).is_file());
    let Some(place) = place.filter(is_file) else { return Ok(None) };
    let job = place.job(None, io, styled)?;
    job.run(|source| {
        let language = ide::Language::of_file(&job.file.path, &source.text);
        if language.support().form != Form::Operations {
            return Ok(None);
        }
        place_answer(&job, &source, &place, given, format, styled.out).map(Some)
    })
}

/// Answers for a value of a file of operations, where `given` holds besides.
pub(crate) fn place_answer(
    job: &Job,
    source: &Source,
    place: &Place<'_>,
    given: &[String],
    format: AnswerFormat,
    is_styled: bool,
) -> anyhow::Result<String> {
    let path = job.file.shown.as_str();
    let shown = &*visible(path);
    let lines = LineIndex::new(&source.text);
    let line = place.line;
    let col = place.column.unwrap_or_else(|| first_column(source, &lines, line));
    let offset = place::offset(shown, &lines, LineCol { line, col })?;
    let mut more = StatedFacts::default();
    for condition in given {
        let name = first_name(condition);
        more.add(name, condition).map_err(|why| anyhow!("--given `{condition}`: {why}"))?;
    }
    let host = job.host(job.config.analysis(), source);
    // Nothing changes this host, so nothing is cancelled.
    let analysis = host.analysis();
    let found = analysis.value_facts(FileId(0), offset, &more).unwrap_or_default();
    none_broken(&analysis, offset, format_args!("{shown}:{line}:{col}"))?;
    let Some(facts) = found else {
        bail!(
            "{shown}:{line}:{col}: there is no value of integers at this place whose facts are known; point at the \
             name of one, in a region that is understood"
        );
    };
    Ok(match format {
        AnswerFormat::Text => text(shown, source, &lines, &facts, is_styled),
        AnswerFormat::Json => format!("{}\n", value(path, source, &lines, &facts)),
    })
}

/// The column of the first name of a value on a line; 1 if there is none.
fn first_column(source: &Source, lines: &LineIndex, line: u32) -> u32 {
    if line > lines.line_count() {
        return 1;
    }
    let range = std::ops::Range::<usize>::from(lines.line_range(line - 1));
    let text = &source.text[range];
    text.find('%').map_or(1, |at| text[..at].chars().count() as u32 + 1)
}

/// The first word of a condition that is a name: what it is about.
fn first_name(condition: &str) -> &str {
    let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '$';
    condition
        .split(|it| !is_part(it))
        .find(|it| it.starts_with(|it: char| !it.is_ascii_digit()))
        .unwrap_or_default()
}

fn text(
    shown: &str,
    source: &Source,
    lines: &LineIndex,
    facts: &ValueFacts,
    is_styled: bool,
) -> String {
    let (bold, plain) = if is_styled { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let place = |range: TextRange| region(source, lines, range).start;
    let start = place(facts.range);
    let mut out = format!(
        "{bold}{shown}:{}:{}: `{} : {}`{plain}\n",
        start.line, start.col, facts.name, facts.ty
    );
    let mut row = |what: &str, text: &str| {
        out.push_str(&format!("  {what:<12} {text}\n"));
    };
    let line_of = |place_of: Option<TextRange>, by: &Option<String>| match (place_of, by) {
        (Some(range), _) => format!(" ({shown}:{})", place(range).line),
        (_, Some(by)) => format!(" ({by})"),
        _ => String::new(),
    };
    row("is", facts.term.as_deref().unwrap_or("not made of anything that is understood here"));
    if let Some(bounds) = &facts.bounds {
        row("bounds", bounds);
    }
    if let Some(congruence) = &facts.congruence {
        row("congruence", congruence);
    }
    for (at, it) in facts.because.iter().enumerate() {
        let what = if at == 0 { "known from" } else { "" };
        row(what, &format!("{}{}", it.text, line_of(it.place, &it.by)));
    }
    match &facts.simple {
        Some(simple) => row("simpler", simple),
        None => row("simpler", "it is in its simplest form"),
    }
    for it in &facts.steps {
        let because = it.because.as_ref().map(|it| format!(", as {it}")).unwrap_or_default();
        row("", &format!("  {}: {}  =>  {}{because}", it.rule, it.before, it.after));
    }
    for (at, it) in facts.known.iter().enumerate() {
        let what = if at == 0 { "holds here" } else { "" };
        row(what, &format!("{}{}", it.text, line_of(it.place, &it.by)));
    }
    for it in &facts.missing {
        out.push_str(&format!("{}\n", it.sentence()));
    }
    out
}

fn value(path: &str, source: &Source, lines: &LineIndex, facts: &ValueFacts) -> Value {
    let range = |at| findings::range_json(&region(source, lines, at));
    let known = |list: &[ide::KnownFact]| -> Vec<Value> {
        let of = |it: &ide::KnownFact| json!({ "condition": it.text, "range": it.place.map(range), "by": it.by });
        list.iter().map(of).collect()
    };
    json!({
        "version": VERSION,
        "path": path,
        "range": range(facts.range),
        "name": facts.name,
        "type": facts.ty,
        "term": facts.term,
        "bounds": facts.bounds,
        "congruence": facts.congruence,
        "because": known(&facts.because),
        "known": known(&facts.known),
        "simple": facts.simple,
        "steps": facts.steps.iter().map(|it| json!({
            "rule": it.rule, "before": it.before, "after": it.after, "because": it.because,
        })).collect::<Vec<_>>(),
        "missing": facts.missing.iter().map(|it| json!({
            "fact": it.fact, "overflow": it.is_overflow, "outcome": it.outcome, "rule": it.rule, "ways": it.ways,
        })).collect::<Vec<_>>(),
    })
}
