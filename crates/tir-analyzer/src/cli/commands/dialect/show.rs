//! `dialect list` and `dialect show`: the dialects and operations that are known, and where that comes from.

use dialects::{Dialect, Row, shipped};
use ide::{Dialects, Namespace};
use serde_json::json;

use crate::{
    cli::{
        Exit,
        args::Format,
        input::settings::Settings,
        io::{self, Io, Styled, Tone},
        output::count,
    },
    config::Config,
};

/// Version of the JSON: raised when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// Lists the dialects: those of the project, then those of the product.
pub(super) fn list(format: Format, io: &mut Io<'_>) -> anyhow::Result<Exit> {
    let config = settings(io)?;
    let own = config.dialects.dialects().iter().map(|it| {
        let source = if it.source.is_empty() { "tir-analyzer.toml" } else { &it.source };
        (it.name.as_str(), it.rows.iter().map(|it| it.ops.len()).sum(), source)
    });
    let shipped = shipped::definitions().iter();
    let all = own.chain(shipped.map(|it| (it.dialect, usize::from(it.n_operations), it.source)));
    if format == Format::Json {
        let all: Vec<_> = all
            .map(|(name, n, source)| json!({ "name": name, "operations": n, "source": source }))
            .collect();
        writeln!(io.out, "{}", json!({ "version": VERSION, "dialects": all }))?;
        return Ok(Exit::Success);
    }
    for (name, n, source) in all {
        writeln!(io.out, "{name:<20} {:>15}  {source}", count(n, "operation"))?;
    }
    Ok(Exit::Success)
}

/// Shows an operation.
pub(super) fn show(
    name: &str,
    format: Format,
    io: &mut Io<'_>,
    styled: Styled,
) -> anyhow::Result<Exit> {
    let config = settings(io)?;
    let facts = facts(name, &config);
    if facts.is_empty() {
        let text = format!(
            "nothing is known of `{name}`; `tir-analyzer dialect import` makes a file of its dialect from the definitions"
        );
        io::message(io.err, styled.err, Tone::Error, &text)?;
        return Ok(Exit::Findings);
    }
    if format == Format::Json {
        let facts: Vec<_> =
            facts.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect();
        writeln!(io.out, "{}", json!({ "version": VERSION, "name": name, "facts": facts }))?;
        return Ok(Exit::Success);
    }
    writeln!(io.out, "{name}")?;
    for (key, value) in facts {
        writeln!(io.out, "  {key:<11} {value}")?;
    }
    Ok(Exit::Success)
}

fn settings(io: &Io<'_>) -> anyhow::Result<Config> {
    Settings::default().of_folder(&io.folder)
}

/// Facts with their keys, in the order in which they count.
fn facts(name: &str, config: &Config) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    for dialect in config.dialects.dialects() {
        for row in
            dialect.rows.iter().filter(|it| it.ops.iter().any(|op| is_meant(dialect, op, name)))
        {
            let source =
                if dialect.source.is_empty() { "tir-analyzer.toml" } else { &dialect.source };
            let line = if row.line > 0 { format!(", line {}", row.line) } else { String::new() };
            facts.push(("from", format!("{source}{line}")));
            of_row(row, &mut facts);
        }
    }
    let is_named = |it: &&shipped::Overlay| {
        it.ops.contains(&name)
            || it.ops.iter().any(|it| it.strip_suffix('*').is_some_and(|it| name.starts_with(it)))
    };
    for row in shipped::overlays().iter().filter(is_named) {
        facts.push(("from", format!("tir-analyzer, overlays/{}.toml", row.file)));
        if let Some(shape) = row.shape {
            facts.push(("shape", shape.to_owned()));
        }
        facts.extend(row.fields.iter().map(|it| (it.0, it.1.to_owned())));
    }
    if let Some(operation) = shipped::operation(name) {
        facts.push(("from", format!("definitions of {}", operation.dialect.source)));
        let stated = shipped::stated()[usize::from(operation.stated)].text;
        let format = operation.format.map(|it| shipped::formats()[usize::from(it)]);
        let parts = operation.parts.split("; ").map(str::to_owned);
        facts.extend(parts.map(|it| ("parts", it)));
        facts.push(("traits", operation.traits.to_owned()));
        facts
            .push(("effects", if stated.is_empty() { "not stated".into() } else { stated.into() }));
        facts.extend(format.map(|it| ("format", it.text.to_owned())));
    }
    if !facts.is_empty() {
        conclusions(name, config.dialects.tables(), &mut facts);
    }
    facts.retain(|it| !it.1.is_empty());
    facts
}

fn is_meant(dialect: &Dialect, op: &str, name: &str) -> bool {
    let full = dialect.full_name(op);
    full == name || full.strip_suffix('*').is_some_and(|it| name.starts_with(it))
}

fn of_row(row: &Row, facts: &mut Vec<(&'static str, String)>) {
    facts.push(("summary", row.summary.clone().unwrap_or_default()));
    facts.extend(row.parts.to_text().split("; ").map(|it| ("parts", it.to_owned())));
    facts.push(("traits", row.traits.join(", ")));
    facts.push(("effects", row.effects.join(", ")));
    facts.push(("format", row.format.clone().unwrap_or_default()));
    facts.push(("shape", row.shape.clone().unwrap_or_default()));
    facts.extend(row.fields.iter().map(|it| ("row", format!("{} = {}", it.0, it.1))));
}

/// Adds the facts that follow from all rows together.
fn conclusions(name: &str, tables: &Dialects, facts: &mut Vec<(&'static str, String)>) {
    let found = tables.effects.explain(Namespace::Mlir, name);
    facts.push(("so it", ide::effects_text(&tables.effects, Namespace::Mlir, name)));
    facts.push(("by", found.entry.to_owned()));
    let written = match tables.shapes.example_of(name) {
        Some(example) => example,
        None => "in a form that only its code reads".to_owned(),
    };
    facts.push(("is written", written));
}
