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
    /// By folder; of one whose settings cannot be read, the reason.
    of_folder: FxHashMap<PathBuf, Result<Config, String>>,
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
        let known = self.of_folder.get(folder).cloned();
        let found = known.unwrap_or_else(|| {
            let found = self.read(folder).map_err(|error| format!("{error:#}"));
            self.of_folder.insert(folder.to_owned(), found.clone());
            found
        });
        found.map_err(anyhow::Error::msg)
    }

    fn read(&mut self, folder: &Path) -> anyhow::Result<Config> {
        Ok(match ConfigPatch::nearest(folder) {
            None => Config::default(),
            Some(root) if root != folder => self.of_folder(root)?,
            Some(root) => {
                let patch = ConfigPatch::load(root)?;
                let file = root.join(CONFIG_FILE);
                self.warnings.extend(patch.unknown.iter().map(|it| it.of_file(&file)));
                Config::layered([&patch])
            }
        })
    }
}
