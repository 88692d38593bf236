//! One source of settings.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Context as _, anyhow};
use ide::{Request, StatedFacts, Target, TargetOptions};
use serde_json::{Map, Value};

use super::{
    CONFIG_FILE, CONFIG_SECTION, Config, DialectRows, folder, instances,
    key::kebab,
    place::Place,
    problem::{Problem, shown, unknown},
    rows::{Setting, settings},
    targets,
};
use crate::suggest::near;

/// One source of settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfigPatch {
    /// The settings of [`settings`] by their number there.
    values: BTreeMap<usize, Value>,
    dialects: Option<Arc<DialectRows>>,
    stated: Option<Arc<StatedFacts>>,
    targets: BTreeMap<Target, TargetOptions>,
    instances: Option<Arc<[Request]>>,
    /// The tables with names of the user, as they are written.
    tables: Map<String, Value>,
    /// Keys that mean nothing here.
    pub unknown: Vec<Problem>,
}

impl ConfigPatch {
    /// Reads settings from JSON. `null` and a missing section change nothing.
    ///
    /// # Errors
    /// The first value that is not possible.
    pub fn from_json(value: &Value) -> Result<ConfigPatch, Problem> {
        let mut patch = ConfigPatch::default();
        let value = kebab_keys(value);
        let value = value.get(CONFIG_SECTION).unwrap_or(&value);
        if is_nothing(value) {
            return Ok(patch);
        }
        let Some(sections) = value.as_object() else {
            return Err(Problem::new("", "settings are a table of sections"));
        };
        // What is checked here is applied later.
        let mut scratch = Config::default();
        for (section, content) in sections.iter().filter(|it| !is_nothing(it.1)) {
            if !patch.read_table(section, content)? {
                patch.read_section(section, content, &mut scratch)?;
            }
        }
        Ok(patch)
    }

    /// Reads a table with names of the user; returns false if the section is none.
    fn read_table(&mut self, section: &str, content: &Value) -> Result<bool, Problem> {
        match section {
            "targets" => self.targets = targets::read(content, &mut self.unknown)?,
            "instance" => self.instances = Some(instances::read(content)?.into()),
            "effects" => {
                self.dialects = Some(Arc::new(DialectRows::read(content, &mut self.unknown)?));
            }
            _ => return Ok(false),
        }
        self.tables.insert(section.to_owned(), content.clone());
        Ok(true)
    }

    fn read_section(
        &mut self,
        section: &str,
        content: &Value,
        scratch: &mut Config,
    ) -> Result<(), Problem> {
        let of_section = |it: &&Setting| it.key.split('.').next() == Some(section);
        if !settings().iter().any(|it| of_section(&it)) {
            let sections = settings().iter().filter_map(|it| it.key.split('.').next());
            let known = sections.chain(["targets", "instance", "effects"]);
            self.unknown.push(unknown(section, &near(section, known)));
            return Ok(());
        }
        let Some(content) = content.as_object() else {
            return Err(Problem::new(section, format!("a table is expected: `[{section}]`")));
        };
        let mut facts = StatedFacts::default();
        for (name, value) in content.iter().filter(|it| !it.1.is_null()) {
            let key = format!("{section}.{name}");
            if section == "facts"
                && let Some(condition) = value.as_str()
            {
                let added = facts.add(name, condition);
                added.map_err(|it| Problem::new(key, it))?;
                let tables = self.tables.entry(section).or_insert_with(|| Map::new().into());
                tables[name] = value.clone();
                continue;
            }
            let Some(at) = settings().iter().position(|it| it.key == key) else {
                let names = settings().iter().filter(of_section).map(|it| &*it.key);
                self.unknown.push(unknown(&key, &near(&key, names)));
                continue;
            };
            settings()[at].set(scratch, value).map_err(|expected| {
                Problem::new(key, format!("{expected} is expected, not {}", shown(value)))
            })?;
            self.values.insert(at, value.clone());
        }
        if facts.iter().next().is_some() {
            self.stated = Some(Arc::new(facts));
        }
        Ok(())
    }

    /// Reads settings from the text of a `tir-analyzer.toml`.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub fn from_toml(text: &str) -> Result<ConfigPatch, Problem> {
        let table: toml::Table = toml::from_str(text).map_err(|it| {
            Problem::new("", it.message()).at(it.span().map(|it| Place::of_offset(text, it.start)))
        })?;
        let value = serde_json::to_value(table);
        let value = value.map_err(|it| Problem::new("", it.to_string()))?;
        let mut patch = ConfigPatch::from_json(&value).map_err(|it| it.of_text(text))?;
        patch.unknown = patch.unknown.into_iter().map(|it| it.of_text(text)).collect();
        patch.unknown.sort_by_key(Problem::place);
        Ok(patch)
    }

    /// Reads `tir-analyzer.toml` and the files of dialects in `root`; no file changes nothing.
    ///
    /// # Errors
    /// A file that cannot be read, or the first mistake in one, with its place.
    pub fn load(root: &Path) -> anyhow::Result<ConfigPatch> {
        let path = root.join(CONFIG_FILE);
        let text = files::read_text_within(crate::walk::workspace_of(root), &path, files::SETTINGS);
        let mut patch = match text {
            Ok(text) => ConfigPatch::from_toml(&text).map_err(|it| anyhow!(it.of_file(&path)))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => ConfigPatch::default(),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let files = folder::read(root)?;
        if !files.is_empty() {
            let rows = DialectRows::of_files(files, patch.dialects.as_deref())?;
            patch.dialects = Some(Arc::new(rows));
        }
        Ok(patch)
    }

    /// The nearest folder with settings, of a folder and those around it: with the file, or files of dialects.
    pub fn nearest(folder: &Path) -> Option<&Path> {
        let has_settings =
            |it: &&Path| it.join(CONFIG_FILE).exists() || !folder::paths(it).is_empty();
        folder.ancestors().find(has_settings)
    }

    /// The files of dialects that [`ConfigPatch::load`] reads in a folder, by name.
    pub fn dialect_files(root: &Path) -> Vec<PathBuf> {
        folder::paths(root)
    }

    /// The value that it gives to a setting.
    pub fn value(&self, setting: &Setting) -> Option<&Value> {
        let at = settings().iter().position(|it| it.key == setting.key)?;
        self.values.get(&at)
    }

    /// The tables with names of the user, as they are written: `targets`, `instance`, `effects`, and the texts of
    /// `facts`.
    pub fn tables(&self) -> &Map<String, Value> {
        &self.tables
    }

    pub(super) fn apply(&self, config: &mut Config) {
        fn set<T: Clone>(slot: &mut T, value: &Option<T>) {
            if let Some(value) = value {
                *slot = value.clone();
            }
        }
        for (&at, value) in &self.values {
            // It was possible when it was read.
            let _ = settings()[at].set(config, value);
        }
        set(&mut config.dialects, &self.dialects);
        set(&mut config.stated, &self.stated);
        set(&mut config.instances, &self.instances);
        for (&target, options) in &self.targets {
            let all = config.target_options(target).overlaid(options);
            config.targets.insert(target, all);
        }
    }
}

/// Returns true for what stands for no settings: `null`, and the empty table of Lua, which is written as an empty list.
fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Settings with their keys in kebab-case; names of the user stay as they are.
fn kebab_keys(value: &Value) -> Value {
    /// Levels of keys: the section of the editor, sections, settings.
    const LEVELS: usize = 3;
    fn at(value: &Value, level: usize) -> Value {
        let Some(map) = value.as_object().filter(|_| level < LEVELS) else { return value.clone() };
        let convert = |(key, it): (&String, &Value)| match key.as_str() {
            "facts" => (key.clone(), facts(it)),
            _ => (kebab(key), at(it, level + 1)),
        };
        Value::Object(map.iter().map(convert).collect())
    }
    fn facts(value: &Value) -> Value {
        let Some(map) = value.as_object() else { return value.clone() };
        let convert = |(key, it): (&String, &Value)| {
            (if it.is_string() { key.clone() } else { kebab(key) }, it.clone())
        };
        Value::Object(map.iter().map(convert).collect())
    }
    at(value, 0)
}
