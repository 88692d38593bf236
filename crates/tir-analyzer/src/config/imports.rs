//! Where imports are searched beside the workspace.

use std::path::{Component, Path, PathBuf};

/// Returns the folders that settings in a folder name. One that is not inside of it has no part in the workspace,
/// whoever wrote the settings.
pub fn import_folders(settings: &Path, roots: &[PathBuf]) -> Vec<PathBuf> {
    let is_inside = |it: &&PathBuf| it.components().all(|it| matches!(it, Component::Normal(_)));
    roots.iter().filter(is_inside).map(|it| settings.join(it)).collect()
}
