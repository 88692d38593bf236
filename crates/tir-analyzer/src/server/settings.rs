//! The settings of documents: those of the nearest `tir-analyzer.toml` above each, under those of the editor.
//!
//! The documents of one settings file are a group of the analysis. A file that cannot be read leaves its last settings
//! in force.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use ide::Group;
use lsp_types::Uri;

use crate::config::{CONFIG_FILE, Config, ConfigPatch};

/// All settings there are.
pub(crate) struct Settings {
    /// Those that the client gave when it started the server.
    pub(crate) initialization: ConfigPatch,
    /// The settings of the editor.
    pub(crate) editor: ConfigPatch,
    /// By the number of the group; the first is for documents without a settings file above them.
    folders: Vec<Folder>,
}

/// The settings of a folder.
struct Folder {
    root: Option<PathBuf>,
    file: ConfigPatch,
    config: Arc<Config>,
}

/// A group whose effective settings changed.
pub(crate) struct Changed {
    pub(crate) group: Group,
    pub(crate) old: Arc<Config>,
    pub(crate) new: Arc<Config>,
}

impl Settings {
    /// The defaults, with what the client says when it starts the server.
    pub(crate) fn new(initialization: ConfigPatch) -> Settings {
        let folder = Folder { root: None, file: ConfigPatch::default(), config: Arc::default() };
        Settings { initialization, editor: ConfigPatch::default(), folders: vec![folder] }
    }

    /// The group of the documents of a folder, which has its settings by then if it is a new one, and what is wrong
    /// with the settings file of a new one.
    pub(crate) fn group_of_folder(&mut self, folder: &Path) -> (Group, Vec<String>) {
        let root = ConfigPatch::nearest(folder);
        if let Some(at) = self.folders.iter().position(|it| it.root.as_deref() == root) {
            return (Group(at as u32), Vec::new());
        }
        let group = Group(self.folders.len() as u32);
        let root = root.map(Path::to_owned);
        self.folders.push(Folder { root, file: ConfigPatch::default(), config: Arc::default() });
        let problems = self.read(group);
        let folder = &self.folders[group.0 as usize];
        self.folders[group.0 as usize].config = Arc::new(self.layered(folder));
        (group, problems)
    }

    /// The settings of a group.
    pub(crate) fn config(&self, group: Group) -> &Arc<Config> {
        &self.folders[group.0 as usize].config
    }

    /// The folder of the settings file of a group.
    pub(crate) fn folder(&self, group: Group) -> Option<&Path> {
        self.folders[group.0 as usize].root.as_deref()
    }

    /// The number of groups.
    pub(crate) fn n_groups(&self) -> usize {
        self.folders.len()
    }

    /// Reads all settings files again, and tells what is wrong with them.
    pub(crate) fn read_files(&mut self) -> Vec<String> {
        (0..self.folders.len() as u32).flat_map(|it| self.read(Group(it))).collect()
    }

    fn read(&mut self, group: Group) -> Vec<String> {
        let folder = &mut self.folders[group.0 as usize];
        let Some(root) = &folder.root else { return Vec::new() };
        match ConfigPatch::load(root) {
            Ok(patch) => {
                let path = root.join(CONFIG_FILE);
                let problems = patch.unknown.iter().map(|it| it.of_file(&path)).collect();
                folder.file = patch;
                problems
            }
            Err(error) => vec![format!("{error:#}")],
        }
    }

    /// Makes the effective settings of their sources; the groups whose settings are others now.
    pub(crate) fn apply(&mut self) -> Vec<Changed> {
        let mut changed = Vec::new();
        for at in 0..self.folders.len() {
            let new = self.layered(&self.folders[at]);
            let config = &mut self.folders[at].config;
            if **config != new {
                let new = Arc::new(new.sharing_tables_of(config));
                let old = std::mem::replace(config, new.clone());
                changed.push(Changed { group: Group(at as u32), old, new });
            }
        }
        changed
    }

    fn layered(&self, folder: &Folder) -> Config {
        Config::layered([&folder.file, &self.initialization, &self.editor])
    }
}

/// The folder of a document on disk.
pub(crate) fn folder_of(uri: &Uri) -> Option<PathBuf> {
    Some(crate::server::client::path(uri)?.parent()?.to_owned())
}
