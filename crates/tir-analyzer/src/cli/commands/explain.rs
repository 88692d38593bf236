//! `explain`: the decision about the expression or operation at a place with its reason, or the meaning of a rule.

mod line;

use std::path::Path;

use ::rules::{Rule, Topic};
use anyhow::bail;
use ide::{Explanation, FileId, FindingAt};
use serde_json::{Value, json};
use syntax::{Form, LineCol, LineIndex, TextSize};

use crate::{
    cli::{
        Exit,
        args::{AnswerFormat, ExplainArgs},
        commands::facts,
        guard::none_broken,
        input::{
            jobs::Job,
            place::{self, Place},
            source::Source,
        },
        io::{Io, Styled},
        output::{
            count,
            findings::{self, region},
            markdown::plain,
            progress::Progress,
            visible::visible,
        },
        rules,
    },
    suggest::did_you_mean,
};

/// Version of the JSON answers.
const VERSION: u32 = 1;

/// The subject of a question.
enum Question<'a> {
    Place(Place<'a>),
    Rule(&'a str),
}

/// Runs the command.
pub(crate) fn explain(args: &ExplainArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let Some(what) = args.what.as_deref().filter(|_| !args.list) else {
        io.out.write_all(list(args.format, styled.out).as_bytes())?;
        return Ok(Exit::Success);
    };
    let answer = match question(what, args, io)? {
        Question::Rule(name) => match rules::find(name) {
            Ok(rule) => rule_answer(rule, args.format, styled.out),
            Err(near) => bail!(
                "there is no rule `{name}`{} (`tir-analyzer explain --list` lists all, and \
                 `tir-analyzer explain FILE:LINE:COLUMN` explains an expression)",
                did_you_mean(&near)
            ),
        },
        Question::Place(place) => {
            let job = place.job(args.stdin_filename.as_deref(), io, styled)?;
            let (format, is_styled) = (args.format, styled.out);
            let _progress = Progress::new(1, io.err_is_terminal);
            job.run(|source| match (args.facts, place.column) {
                (true, _) => facts::answer(&job, &source, &place, format, is_styled),
                (false, Some(col)) => {
                    let at = LineCol { line: place.line, col };
                    answer_at(&job, job.config.analysis(), &source, at, format, is_styled)
                }
                (false, None) => line::answer(&job, &source, place.line, format, is_styled),
            })?
        }
    };
    io.out.write_all(answer.as_bytes())?;
    Ok(Exit::Success)
}

/// Reads a place, or the name of a rule.
fn question<'a>(what: &'a str, args: &ExplainArgs, io: &Io<'_>) -> anyhow::Result<Question<'a>> {
    let place = if args.stdin { Place::of_stdin(what) } else { Place::of_file(what) };
    if let Some(place) = place {
        return Ok(Question::Place(place));
    }
    if args.stdin {
        bail!("`{what}` is not a place in standard input; write LINE or LINE:COLUMN, from 1");
    }
    let is_place =
        args.facts || what.contains([':', '/', '\\']) || io.resolve(Path::new(what)).is_file();
    if is_place {
        bail!("`{what}` names no place; write FILE:LINE or FILE:LINE:COLUMN, numbers from 1");
    }
    Ok(Question::Rule(what))
}

/// Answers a question about the expression at a place of a text with the decision about it.
pub(crate) fn answer_at(
    job: &Job,
    config: ide::Config,
    source: &Source,
    at: LineCol,
    format: AnswerFormat,
    is_styled: bool,
) -> anyhow::Result<String> {
    let path = job.file.shown.as_str();
    let shown = &*visible(path);
    let lines = LineIndex::new(&source.text);
    let offset = place::offset(shown, &lines, at)?;
    let host = job.host(config, source);
    let language = ide::Language::of_file(&job.file.path, &source.text);
    let analysis = host.analysis();
    // What was not computed is no answer.
    none_broken(&analysis, offset, format_args!("{shown}:{}:{}", at.line, at.col))?;
    if language.support().form == Form::Operations {
        return operation_answer(path, source, &lines, at, &analysis, offset, format, is_styled);
    }
    // Nothing changes this host, so nothing is cancelled.
    let found = analysis.findings_at(FileId(0), offset).unwrap_or_default();
    let it = analysis.explain(FileId(0), offset).unwrap_or_default();
    if it.is_none() && found.is_empty() {
        bail!(
            "{shown}:{}:{}: there is no expression of a TVMScript function at this place; \
             point at an operator or an operand inside one",
            at.line,
            at.col
        );
    }
    Ok(match format {
        AnswerFormat::Text => {
            let expression = it.map(|it| text(shown, source, &lines, &it, is_styled));
            let notes = found.iter().map(|it| finding_text(shown, source, &lines, it, is_styled));
            expression.into_iter().chain(notes).collect()
        }
        AnswerFormat::Json => {
            let mut answer = match &it {
                Some(it) => value(path, source, &lines, it),
                None => json!({ "version": VERSION, "path": path }),
            };
            answer["findings"] =
                found.iter().map(|it| finding_json(source, &lines, it)).collect::<Vec<_>>().into();
            format!("{answer}\n")
        }
    })
}

/// Answers a question about the operation or the name at a place of MLIR or PIR with the text that editors show on
/// hover.
fn operation_answer(
    path: &str,
    source: &Source,
    lines: &LineIndex,
    at: LineCol,
    analysis: &ide::Analysis,
    offset: TextSize,
    format: AnswerFormat,
    is_styled: bool,
) -> anyhow::Result<String> {
    let shown = &*visible(path);
    // Nothing changes this host, so nothing is cancelled.
    let Some(it) = analysis.hover(FileId(0), offset).unwrap_or_default() else {
        bail!(
            "{shown}:{}:{}: there is no operation and no name at this place; point at the name of one",
            at.line,
            at.col
        );
    };
    let text = plain(&it.markdown, is_styled && format == AnswerFormat::Text);
    Ok(match format {
        AnswerFormat::Text => {
            let start = region(source, lines, it.range).start;
            format!("{shown}:{}:{}\n{text}\n", start.line, start.col)
        }
        AnswerFormat::Json => {
            let range = findings::range_json(&region(source, lines, it.range));
            let answer = json!({
                "version": VERSION, "path": path, "range": range, "text": text,
            });
            format!("{answer}\n")
        }
    })
}

/// Returns the text of a finding at the place: message, reason, related places, and fix.
fn finding_text(
    shown: &str,
    source: &Source,
    lines: &LineIndex,
    it: &FindingAt,
    is_styled: bool,
) -> String {
    let (bold, plain) = if is_styled { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let at = region(source, lines, it.range).start;
    let mut out = format!(
        "found: {bold}{}{plain} at {shown}:{}:{}\n  {}\n",
        it.kind, at.line, at.col, it.message
    );
    for related in &it.related {
        let place = region(source, lines, related.range).start;
        out.push_str(&format!("  {shown}:{}:{}: {}\n", place.line, place.col, related.what));
    }
    match &it.fix {
        Some(fix) => out.push_str(&format!("  fix: {fix}\n")),
        None => out.push_str("  no fix is certain to be right here\n"),
    }
    out.push_str(&format!("`tir-analyzer explain {}` says more about it.\n", it.kind));
    out
}

fn finding_json(source: &Source, lines: &LineIndex, it: &FindingAt) -> Value {
    let range = |at| findings::range_json(&region(source, lines, at));
    let related = it.related.iter();
    let related: Vec<Value> =
        related.map(|it| json!({ "range": range(it.range), "message": it.what })).collect();
    json!({
        "rule": it.kind,
        "range": range(it.range),
        "message": it.message,
        "related": related,
        "fix": it.fix,
    })
}

fn text(
    shown: &str,
    source: &Source,
    lines: &LineIndex,
    it: &Explanation,
    is_styled: bool,
) -> String {
    const MAX_PLACES: usize = 20;
    let (bold, plain) = if is_styled { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let at = region(source, lines, it.range);
    let mut out = format!(
        "{bold}{shown}:{}:{}: `{}`{plain}\n{}, {}\n",
        at.start.line,
        at.start.col,
        it.text,
        it.ty,
        times(it.n_occurrences)
    );
    let facts: Vec<String> = it.integer.iter().flat_map(|it| it.sentences()).collect();
    for reason in it.reasons.iter().chain(&facts) {
        out.push_str(&format!("  {reason}\n"));
    }
    for step in it.integer.iter().flat_map(|it| &it.steps) {
        out.push_str(&format!("    {step}\n"));
    }
    out.push_str("places:\n");
    for range in it.occurrences.iter().take(MAX_PLACES) {
        let place = region(source, lines, *range).start;
        let line = &source.text[std::ops::Range::<usize>::from(lines.line_range(place.line - 1))];
        out.push_str(&format!("  {shown}:{}:{}: {}\n", place.line, place.col, excerpt(line)));
    }
    if it.occurrences.len() > MAX_PLACES {
        let more = it.occurrences.len() - MAX_PLACES;
        out.push_str(&format!("  and {} (`--format json` lists all)\n", count(more, "more")));
    }
    if let Ok(rule) = rules::find(it.decision) {
        out.push_str(&format!("`tir-analyzer explain {}` says more about it.\n", rule.name));
    }
    out
}

fn times(n: usize) -> String {
    match n {
        1 => "computed once".to_owned(),
        n => format!("computed {n} times"),
    }
}

/// A line without its indentation, cut where it is long.
fn excerpt(line: &str) -> String {
    const MAX: usize = 100;
    ide::shortened(line.trim(), MAX)
}

fn value(path: &str, source: &Source, lines: &LineIndex, it: &Explanation) -> Value {
    let range = |at| findings::range_json(&region(source, lines, at));
    let places: Vec<Value> = it.occurrences.iter().map(|it| range(*it)).collect();
    json!({
        "version": VERSION,
        "path": path,
        "range": range(it.range),
        "integer": it.integer.as_ref().map(|it| json!({
            "bounds": it.bounds,
            "congruence": it.congruence,
            "canonical": it.canonical,
            "rules": it.rules,
            "steps": it.steps.iter().map(|it| json!({
                "rule": it.rule, "before": it.before, "after": it.after, "because": it.because,
            })).collect::<Vec<_>>(),
            "because": it.because,
        })),
        "text": it.text,
        "type": it.ty,
        "valueNumber": it.value_number,
        "count": it.n_occurrences,
        "decision": it.decision,
        "binding": it.binding,
        "cost": it.cost,
        "saved": it.saved,
        "reasons": it.reasons,
        "places": places,
    })
}

fn rule_answer(rule: &Rule, format: AnswerFormat, is_styled: bool) -> String {
    match format {
        AnswerFormat::Json => format!("{}\n", rule_json(rule)),
        AnswerFormat::Text => {
            let (bold, plain) = if is_styled { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
            let kind = match rule.level {
                Some(severity) => findings::severity_name(severity),
                None => "reason",
            };
            let fix = if rule.is_fixable() { "\n`tir-analyzer fix` can apply it.\n" } else { "" };
            let text = rule.docs.trim().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
            let page = rules::pages::of(rule.name)
                .map_or_else(String::new, |it| format!("\n{}", it.plain(is_styled)));
            format!("{bold}{}{plain} ({kind}): {}\n\n{text}\n{page}{fix}", rule.name, rule.summary)
        }
    }
}

fn rule_json(rule: &Rule) -> Value {
    let topic = match rule.topic {
        Topic::Finding => "finding",
        Topic::NotShared => "not-shared",
        Topic::Simplification => "simplification",
        Topic::NotBuilt => "not-built",
    };
    json!({
        "version": VERSION,
        "name": rule.name,
        "topic": topic,
        "summary": rule.summary,
        "severity": rule.level.map(findings::severity_name),
        "fixable": rule.is_fixable(),
        "text": rule.docs.trim(),
        "page": rules::pages::of(rule.name).map(|it| it.json()),
    })
}

fn list(format: AnswerFormat, is_styled: bool) -> String {
    let all = rules::all();
    if format == AnswerFormat::Json {
        let all: Vec<Value> = all.iter().copied().map(rule_json).collect();
        return format!("{}\n", Value::from(all));
    }
    let (bold, plain) = if is_styled { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let width = all.iter().map(|it| it.name.len()).max().unwrap_or_default();
    let mut out = String::new();
    for (title, topic) in [
        ("What is reported:", Topic::Finding),
        ("Why something is not shared:", Topic::NotShared),
        ("What is simplified, and why something is not:", Topic::Simplification),
        ("Why a function has no device code:", Topic::NotBuilt),
    ] {
        out.push_str(&format!("{title}\n"));
        for it in all.iter().filter(|it| it.topic == topic) {
            out.push_str(&format!("  {bold}{:width$}{plain}  {}\n", it.name, it.summary));
        }
    }
    out
}
