//! The workspaces of the files of a run: the folders whose files they may import.
//!
//! In: a file. Out: its workspace, one for all files of a folder, so that a module is read once a run, whoever imports
//! it. The workspace of a file that was found in a folder is that of the folder; of one that the user named, the
//! repository around it, else the folder with settings, else the folder that holds the outermost package around it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use build_kernels::WorkspaceFiles;
use frontend::tvmscript::modules::Workspace;
use rustc_hash::FxHashMap;

use crate::{
    cli::input::{files::InputFile, settings::Settings},
    config::{ConfigPatch, import_folders},
    walk::workspace_of,
};

/// The workspaces by their folders.
#[derive(Default)]
pub(crate) struct Workspaces {
    of_root: FxHashMap<PathBuf, Arc<Workspace>>,
    /// The roots of folders with files that the user named.
    root_of: FxHashMap<PathBuf, PathBuf>,
}

impl Workspaces {
    /// The workspace of a file; its settings are those that the run has read.
    pub(crate) fn of_file(&mut self, file: &InputFile, settings: &mut Settings) -> Arc<Workspace> {
        let root = match &file.found_in {
            Some(root) => root.to_path_buf(),
            None => {
                let folder = file.path.parent().unwrap_or(&file.path);
                let root = self.root_of.entry(folder.to_owned());
                root.or_insert_with(|| root_around(folder)).clone()
            }
        };
        let workspace = self.of_root.entry(root.clone());
        workspace
            .or_insert_with(|| {
                let files = WorkspaceFiles::new(folders(&root, settings));
                Arc::new(Workspace::new(Arc::new(files)))
            })
            .clone()
    }
}

/// The folder of a workspace, and those in which its settings have imports searched. Settings that cannot be read are
/// told by who needs them.
fn folders(root: &Path, settings: &mut Settings) -> Vec<PathBuf> {
    let top = workspace_of(root);
    let mut folders = vec![root.to_owned()];
    if let Some(place) = ConfigPatch::nearest(root).filter(|it| it.starts_with(top)) {
        let config = settings.of_folder(place).unwrap_or_default();
        folders.extend(import_folders(place, &config.import_roots));
    }
    folders
}

fn root_around(folder: &Path) -> PathBuf {
    let root = workspace_of(folder);
    if root != folder {
        return root.to_owned();
    }
    let is_no_package = |it: &&Path| !it.join("__init__.py").is_file();
    folder.ancestors().find(is_no_package).unwrap_or(folder).to_owned()
}
