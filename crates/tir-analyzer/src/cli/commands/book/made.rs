//! The parts of pages that are made of tables of the program, and of texts that stand elsewhere in the checkout.

use std::path::Path;

use clap::{CommandFactory as _, ValueEnum as _};
use ide::{Target, TargetOptions};

use super::{python, read, rules};
use crate::{
    cli::args::Arguments,
    config::{Config, Preset, settings},
    mcp,
};

/// The part of this name.
///
/// # Errors
/// A name that nothing has, or a text that cannot be read.
pub(super) fn part(root: &Path, name: &str) -> anyhow::Result<String> {
    if let Some(path) = name.strip_prefix("text of ") {
        return text_of(root, path);
    }
    if let Some(module) = name.strip_prefix("python ") {
        return python::module(root, module);
    }
    Ok(match name {
        "rules of the contents" => rules::summary(),
        "rules" => rules::table(),
        "settings" => settings_text(),
        "commands" => commands(),
        "presets" => presets(),
        "targets" => targets(),
        "tools" => tools(),
        _ => anyhow::bail!("nothing makes the part `{name}`"),
    })
}

/// A text of the checkout under its own title, with headings one level down. Its links lead to files of the checkout,
/// which the book does not have: they become plain words.
fn text_of(root: &Path, path: &str) -> anyhow::Result<String> {
    let bytes = read(&root.join(path))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut is_code = false;
    let mut out = String::new();
    for line in text.lines().skip_while(|it| it.starts_with("# ")) {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        match is_code || is_fence {
            true => out.push_str(line),
            false => out.push_str(&without_links(line)),
        }
        out.push('\n');
    }
    Ok(out)
}

/// A line without links to files: `[words](path)` is `words`.
fn without_links(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find("](") {
        let open = rest[..at].rfind('[');
        let end = rest[at..].find(')').map(|it| at + it);
        let (Some(open), Some(end)) = (open, end) else { break };
        let goal = &rest[at + "](".len()..end];
        match goal.contains("://") || goal.starts_with('#') {
            true => out.push_str(&rest[..=end]),
            false => {
                let words = &rest[open + 1..at];
                out.push_str(&rest[..open]);
                out.push_str(words);
            }
        }
        rest = &rest[end + 1..];
    }
    out + rest
}

fn settings_text() -> String {
    let defaults = Config::default();
    let mut section = "";
    let mut out = String::new();
    let all: Vec<_> = settings().iter().filter(|it| !it.key.is_empty()).collect();
    let mut keys: Vec<&str> =
        all.iter().map(|it| it.key.split_once('.').map_or("", |it| it.0)).collect();
    keys.dedup();
    keys.sort_by_key(|it| *it == "findings");
    for name in keys {
        if name != section {
            out.push_str(&format!("\n## {name}\n"));
            section = name;
        }
        for it in all.iter().filter(|it| it.key.split_once('.').is_some_and(|it| it.0 == name)) {
            let values = values(&it.schema());
            out.push_str(&format!(
                "\n### {}\n\n{}\n\n",
                it.key,
                it.doc.trim().replace("\n ", "\n")
            ));
            out.push_str(&format!("Values: {values}. Default: `{}`.\n", it.value(&defaults)));
        }
    }
    out
}

/// The values that a schema allows, in words.
fn values(schema: &serde_json::Value) -> String {
    if let Some(all) = schema["enum"].as_array() {
        return all.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ");
    }
    match schema["type"].as_str() {
        Some("boolean") => "`true`, `false`".to_owned(),
        Some("integer") => "a number".to_owned(),
        Some("array") => "a list of texts".to_owned(),
        _ => "a text".to_owned(),
    }
}

fn commands() -> String {
    let mut out = String::new();
    let mut all = Arguments::command();
    all.build();
    for command in
        all.get_subcommands_mut().filter(|it| !it.is_hide_set() && it.get_name() != "help")
    {
        let name = command.get_name().to_owned();
        let help = command.render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        out.push_str(&format!("\n## {name}\n\n```text\n{}\n```\n", help.join("\n").trim()));
    }
    out
}

fn presets() -> String {
    let mut out = "| preset | follows |\n|---|---|\n".to_owned();
    for it in Preset::value_variants().iter().filter_map(clap::ValueEnum::to_possible_value) {
        let help = it.get_help().map(ToString::to_string).unwrap_or_default();
        out.push_str(&format!("| `{}` | {help} |\n", it.get_name()));
    }
    out
}

fn targets() -> String {
    let mut out = "| target | files | is called by |\n|---|---|---|\n".to_owned();
    for it in Target::ALL {
        let by = if it.is_host() { "the host" } else { "a launch" };
        out.push_str(&format!("| `{}` | `.{}` | {by} |\n", it.name(), it.extension()));
    }
    let keys: Vec<String> = TargetOptions::KEYS.iter().map(|it| format!("`{it}`")).collect();
    out.push_str(&format!("\nOptions of a target: {}.\n", keys.join(", ")));
    out
}

fn tools() -> String {
    let mut out = String::new();
    for (name, description, parameters) in mcp::tools() {
        out.push_str(&format!("\n### {name}\n\n{description}\n\n"));
        for (name, doc) in parameters {
            out.push_str(&format!("- `{name}`: {doc}\n"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn links_to_files_become_words() {
        let line = "see [a](b.md), [c](https://d.e) and `x[0]` [f](../g/README.md)";
        assert_eq!(without_links(line), "see a, [c](https://d.e) and `x[0]` f");
    }
}
