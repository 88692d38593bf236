//! `config`: the settings in force for a file, and where each comes from.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::{
    cli::{
        Exit,
        args::{ConfigArgs, Format},
        io::Io,
    },
    config::{CONFIG_FILE, Config, ConfigPatch, schema, settings},
};

/// Version of the JSON: raised when a field changes its meaning or goes.
const VERSION: u32 = 1;

/// Runs the command.
pub(crate) fn config(args: &ConfigArgs, io: &mut Io<'_>) -> anyhow::Result<Exit> {
    if args.schema {
        writeln!(io.out, "{}", serde_json::to_string_pretty(&schema())?)?;
        return Ok(Exit::Success);
    }
    let path = args.path.as_ref().map_or_else(|| io.folder.clone(), |it| io.resolve(it));
    let folder = match path.is_dir() {
        true => path.as_path(),
        false if path.exists() => path.parent().unwrap_or(&path),
        false => anyhow::bail!("{} is neither a file nor a folder", path.display()),
    };
    let root = ConfigPatch::nearest(folder);
    let patch = root.map(ConfigPatch::load).transpose()?.unwrap_or_default();
    let in_force = InForce { root, config: Config::layered([&patch]), patch };
    match args.format {
        Format::Json => writeln!(io.out, "{}", in_force.json())?,
        Format::Text => write!(io.out, "{}", in_force.toml())?,
    }
    Ok(Exit::Success)
}

/// The settings in force, with their source.
struct InForce<'a> {
    /// The folder of the settings file.
    root: Option<&'a Path>,
    patch: ConfigPatch,
    config: Config,
}

impl InForce<'_> {
    /// The settings as TOML that says the same, with the source of what is not the default.
    fn toml(&self) -> String {
        let mut text = match self.root {
            Some(root) => format!("# settings of {}\n", root.join(CONFIG_FILE).display()),
            None => format!("# defaults: there is no {CONFIG_FILE} above\n"),
        };
        for path in self.root.map(ConfigPatch::dialect_files).unwrap_or_default() {
            text.push_str(&format!("# operations of {}\n", path.display()));
        }
        for problem in &self.patch.unknown {
            text.push_str(&format!("# {problem}\n"));
        }
        for it in settings() {
            let row = format!("{} = {}", it.key, toml_of(&it.value(&self.config)));
            match self.patch.value(it) {
                Some(_) => text.push_str(&format!("{row:<44}  # {CONFIG_FILE}\n")),
                None => text.push_str(&format!("{row}\n")),
            }
        }
        for (name, table) in self.patch.tables() {
            match table.as_object().filter(|_| name == "facts") {
                Some(facts) => facts.iter().for_each(|(argument, it)| {
                    let row = format!("{name}.{} = {}", toml_key(argument), toml_of(it));
                    text.push_str(&format!("{row:<44}  # {CONFIG_FILE}\n"));
                }),
                None => text.push_str(&format!("{name} = {}  # {CONFIG_FILE}\n", toml_of(table))),
            }
        }
        text
    }

    fn json(&self) -> Value {
        let mut rows = Map::new();
        for it in settings() {
            let source = if self.patch.value(it).is_some() { "file" } else { "default" };
            let row = json!({ "value": it.value(&self.config), "source": source });
            rows.insert(it.key.to_string(), row);
        }
        let problems: Vec<String> = self.patch.unknown.iter().map(|it| it.to_string()).collect();
        json!({
            "version": VERSION,
            "file": self.root.map(|it| it.join(CONFIG_FILE).display().to_string()),
            "dialects": self.root.map(ConfigPatch::dialect_files).unwrap_or_default(),
            "settings": rows,
            "tables": self.patch.tables(),
            "unknown": problems,
        })
    }
}

/// A value as TOML has it, on one line.
fn toml_of(value: &Value) -> String {
    match toml::Value::try_from(value) {
        Ok(value) => value.to_string(),
        // `null` is none.
        Err(_) => value.to_string(),
    }
}

/// A key as TOML has it.
fn toml_key(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    match !key.is_empty() && key.chars().all(is_bare) {
        true => key.to_owned(),
        false => toml::Value::from(key).to_string(),
    }
}
