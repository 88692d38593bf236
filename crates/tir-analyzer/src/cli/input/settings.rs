//! The settings of each file: those of the nearest `tir-analyzer.toml` above it.
//!
//! Input: paths of files. Output: their settings, each settings file read once. Unknown keys are reported once for each
//! settings file, and change nothing.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::config::{CONFIG_FILE, Config, ConfigPatch};

/// Finds settings.
#[derive(Default)]
pub(crate) struct Settings {
    of_folder: FxHashMap<PathBuf, Config>,
    /// The warnings for the user, in the order of discovery.
    pub(crate) warnings: Vec<String>,
}

impl Settings {
    /// The settings of a file at an absolute path.
    pub(crate) fn of_file(&mut self, path: &Path) -> anyhow::Result<Config> {
        match path.parent() {
            Some(folder) => self.of_folder(folder),
            None => Ok(Config::default()),
        }
    }

    /// The settings for the contents of a folder.
    pub(crate) fn of_folder(&mut self, folder: &Path) -> anyhow::Result<Config> {
        if let Some(config) = self.of_folder.get(folder) {
            return Ok(config.clone());
        }
        let config = match ConfigPatch::nearest(folder) {
            None => Config::default(),
            Some(root) if root != folder => self.of_folder(root)?,
            Some(root) => {
                let patch = ConfigPatch::load(root)?;
                let file = root.join(CONFIG_FILE);
                self.warnings.extend(patch.unknown.iter().map(|it| it.of_file(&file)));
                Config::layered([&patch])
            }
        };
        self.of_folder.insert(folder.to_owned(), config.clone());
        Ok(config)
    }
}
