//! `preview`: a function before and after each pass.
//!
//! In: a file, a function of it, passes. Out: the two texts of each pass side by side, as wide as the terminal, or as a
//! unified diff, or as JSON. The file is not changed. With `--by tilelang` the passes are those of TileLang, which runs
//! the file; the device code that it makes comes last.

mod by_tilelang;
mod operations;

use ide::{PassPreview, preview};
use ir::guard::Stage;
use pipeline::expressions;
use serde_json::{Value, json};
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff};
use syntax::Form;
use transform::{cse::CseOptions, passes::Pass};

use crate::cli::{
    Exit,
    args::{PreviewArgs, PreviewBy, PreviewFormat},
    driver::{
        ops,
        unit::{Function, choose, functions, instance_of, with_instance},
    },
    input::{
        jobs::{self, Job},
        source::Source,
    },
    io::{self, Io, Styled, Tone},
    output::progress::Progress,
};

/// The default number of columns.
const COLUMNS: usize = 160;
/// Columns of a side, at least.
const NARROWEST: usize = 20;
/// Lines of a text beyond which its lines are not matched with those of the other: comparing is not linear.
const MOST_LINES: usize = 20_000;

/// Runs the command.
pub(crate) fn run(args: &PreviewArgs, io: &mut Io<'_>, styled: Styled) -> anyhow::Result<Exit> {
    let job = jobs::one(&args.input, io, styled)?;
    let asked = args.passes.as_ref();
    let asked = asked.map(|it| it.iter().filter_map(|it| it.0).collect::<Vec<Pass>>());
    let progress = Progress::new(1, io.err_is_terminal);
    let Previews { functions, left, code } = job.run(|source| {
        let language = ops::language(&job.file.path, &source);
        let by_default = match language.support().form {
            Form::Expressions => &[Pass::Simplify, Pass::Cse][..],
            Form::Operations => &[Pass::Cse],
        };
        let passes = asked.as_deref().unwrap_or(by_default);
        match language.support().form {
            Form::Expressions if args.by == PreviewBy::Tilelang => {
                by_tilelang::previews(args, &source, &job)
            }
            _ if args.by == PreviewBy::Tilelang => {
                anyhow::bail!("{} is no Python: it has no kernels of TileLang", job.file.shown)
            }
            Form::Expressions => previews(args, &source, &job, passes),
            Form::Operations => {
                ops::refuse_instance(args.instance.as_ref(), language)?;
                let dialects = job.config.dialects.tables();
                let function = args.function.as_deref();
                operations::previews(function, dialects, language, &source, passes)
            }
        }
    })?;
    drop(progress);
    let terminal = if io.out_is_terminal { console::Term::stdout().size_checked() } else { None };
    let columns = args.width.or(terminal.map(|it| usize::from(it.1))).unwrap_or(COLUMNS);
    match args.format {
        PreviewFormat::Json => {
            let mut all: Vec<Value> = functions.iter().map(json_of).collect();
            for (it, code) in all.iter_mut().zip(&code) {
                it["code"] = code.as_str().into();
            }
            serde_json::to_writer_pretty(
                &mut *io.out,
                &json!({
                    "schema": "tir-analyzer.preview", "version": 1, "functions": all,
                }),
            )?;
            io.out.write_all(b"\n")?;
        }
        PreviewFormat::Unified => {
            for it in &functions {
                io.out.write_all(unified(it, styled.out).as_bytes())?;
            }
        }
        PreviewFormat::SideBySide => {
            for it in &functions {
                io.out.write_all(side_by_side(it, columns, styled.out).as_bytes())?;
            }
        }
    }
    if args.format != PreviewFormat::Json {
        for it in &code {
            io.out.write_all(paint("device code\n", "1", styled.out).as_bytes())?;
            io.out.write_all(it.as_bytes())?;
        }
    }
    for note in &left {
        let note = format!("{}: {note}", job.file.shown);
        io::message(io.err, styled.err, Tone::Warning, &note)?;
    }
    Ok(if left.is_empty() { Exit::Success } else { Exit::Findings })
}

/// The previews, and the functions and passes that have none: functions that cannot be read, and passes whose result
/// was not kept.
struct Previews {
    functions: Vec<PassPreview>,
    left: Vec<String>,
    /// The device code of each function, where another compiler has made it.
    code: Vec<String>,
}

fn previews(
    args: &PreviewArgs,
    source: &Source,
    job: &Job,
    passes: &[Pass],
) -> anyhow::Result<Previews> {
    let shown = &job.file.shown;
    let functions = functions(source, job);
    let instance = instance_of(args.instance.as_ref(), &functions, shown)?;
    let instance = instance.as_ref();
    let chosen = choose(args.function.as_deref(), instance, &functions, shown)?;
    let mut all = Previews { functions: Vec::new(), left: Vec::new(), code: Vec::new() };
    for item in chosen {
        let work = |function: Function<'_>| {
            let error = expressions::first_error(function.lowered);
            let error = error.map(|it| format!("`{}`: {}", item.source.name, it.message));
            let (body, effects) = (&function.lowered.body, function.environment.effects());
            (error, preview(body, effects, passes, &CseOptions::default()))
        };
        match with_instance(&functions, item, instance, Stage::Showing, work) {
            Ok((error, preview)) => {
                all.left.extend(error);
                all.left.extend(preview.stages.iter().filter_map(|it| it.refusal.clone()));
                // A mistake that every pass meets is told once.
                all.left.dedup();
                all.functions.push(preview);
            }
            Err(failed) => all.left.push(failed.report),
        }
    }
    Ok(all)
}

fn json_of(preview: &PassPreview) -> Value {
    let stages: Vec<Value> = preview
        .stages
        .iter()
        .map(|it| {
            json!({ "pass": it.pass, "changed": it.is_changed, "notes": it.notes, "text": it.text })
        })
        .collect();
    json!({ "function": preview.function, "before": preview.before, "stages": stages })
}

/// The difference of the two texts of a stage, by lines.
fn diff<'t>(before: &'t str, after: &'t str) -> Option<TextDiff<'t, 't, 't, str>> {
    let is_short = |it: &str| it.lines().count() <= MOST_LINES;
    (is_short(before) && is_short(after))
        .then(|| TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(before, after))
}

fn paint(text: &str, color: &str, is_styled: bool) -> String {
    if is_styled && !color.is_empty() {
        format!("\x1b[{color}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

fn unified(preview: &PassPreview, is_styled: bool) -> String {
    let mut out = String::new();
    for (index, stage) in preview.stages.iter().enumerate() {
        let Some((before, after)) = preview.sides(index) else { continue };
        let name = &preview.function;
        out.push_str(&paint(
            &format!("--- {name}\n+++ {name} after {}\n", stage.pass),
            "1",
            is_styled,
        ));
        let Some(diff) = diff(before, after) else {
            out.push_str(after);
            continue;
        };
        for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
            out.push_str(&paint(&format!("{}\n", hunk.header()), "36", is_styled));
            for change in hunk.iter_changes() {
                let (mark, color) = match change.tag() {
                    ChangeTag::Equal => (" ", ""),
                    ChangeTag::Delete => ("-", "31"),
                    ChangeTag::Insert => ("+", "32"),
                };
                let line = change.value().trim_end_matches(['\n', '\r']);
                out.push_str(&paint(&format!("{mark}{line}"), color, is_styled));
                out.push('\n');
            }
        }
    }
    out
}

fn side_by_side(preview: &PassPreview, columns: usize, is_styled: bool) -> String {
    let side = (columns.saturating_sub(3) / 2).max(NARROWEST);
    let mut out = String::new();
    let mut last = "source";
    for (index, stage) in preview.stages.iter().enumerate() {
        let Some((before, after)) = preview.sides(index) else { continue };
        let heading = format!("{}: {last} | {}", preview.function, stage.pass);
        out.push_str(&paint(&heading, "1", is_styled));
        out.push('\n');
        last = &stage.pass;
        for note in &stage.notes {
            out.push_str(&format!("  {}\n", fitted(note, columns.saturating_sub(2)).trim_end()));
        }
        if !stage.is_changed {
            out.push_str("  nothing changes\n\n");
            continue;
        }
        for (left, right) in rows(before, after) {
            out.push_str(&row(left, right, side, is_styled));
        }
        out.push('\n');
    }
    out
}

/// Lines beside each other; one without the other where it came or went.
fn rows<'t>(before: &'t str, after: &'t str) -> Vec<(Option<&'t str>, Option<&'t str>)> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let Some(diff) = diff(before, after) else {
        let len = old.len().max(new.len());
        return (0..len).map(|it| (old.get(it).copied(), new.get(it).copied())).collect();
    };
    let mut rows = Vec::new();
    for op in diff.ops() {
        let (a, b) = (op.old_range(), op.new_range());
        let len = match op {
            DiffOp::Equal { len, .. } => *len,
            _ => a.len().max(b.len()),
        };
        for at in 0..len {
            let left = (at < a.len()).then(|| old.get(a.start + at).copied()).flatten();
            let right = (at < b.len()).then(|| new.get(b.start + at).copied()).flatten();
            rows.push((left, right));
        }
    }
    rows
}

fn row(left: Option<&str>, right: Option<&str>, side: usize, is_styled: bool) -> String {
    let (mark, colors) = match (left, right) {
        (Some(a), Some(b)) if a == b => (" ", ["", ""]),
        (Some(_), Some(_)) => ("|", ["31", "32"]),
        (Some(_), None) => ("<", ["31", ""]),
        _ => (">", ["", "32"]),
    };
    let left = fitted(left.unwrap_or_default(), side);
    let right = right.unwrap_or_default();
    let right = fitted(right, side).trim_end().to_owned();
    let line = format!(
        "{} {mark} {}",
        paint(&left, colors[0], is_styled),
        paint(&right, colors[1], is_styled)
    );
    format!("{}\n", line.trim_end())
}

/// A line of exactly this many columns; longer ones are cut.
fn fitted(line: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut width = 0;
    for it in line.chars() {
        let it = if it == '\t' { ' ' } else { it };
        if width + 1 == columns && line.chars().count() > columns {
            out.push('…');
            return out;
        }
        if width == columns {
            return out;
        }
        out.push(it);
        width += 1;
    }
    out.extend(std::iter::repeat_n(' ', columns - width));
    out
}
