//! The folder `dialects` beside the settings of a project: a file for each dialect that the product does not know, or
//! knows otherwise. `tir-analyzer dialect import` writes such files; they begin with `dialect = "NAME"`.
//!
//! In: the folder that holds it. Out: the dialects, in the order of the names of their files.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use dialects::{Dialect, file};

/// Name of the folder.
pub const DIALECTS_FOLDER: &str = "dialects";

/// The files of dialects in `root`, by name; none if there is no such folder.
pub(super) fn paths(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join(DIALECTS_FOLDER)).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.retain(|it| it.extension().is_some_and(|it| it == "toml") && is_of_dialect(it));
    paths.sort();
    paths
}

/// Returns true if the first line of a file that is no comment names a dialect: other programs have a folder of this
/// name too.
fn is_of_dialect(path: &Path) -> bool {
    let Ok(text) = files::read_text(path, files::SETTINGS) else { return false };
    let first = text.lines().find(|it| !it.trim().is_empty() && !it.starts_with('#'));
    first.is_some_and(|it| it.split('=').next().is_some_and(|it| it.trim() == "dialect"))
}

/// Reads the files of dialects in `root`.
///
/// # Errors
///
/// A file that cannot be read, with its path, and line and column of the mistake.
pub(super) fn read(root: &Path) -> anyhow::Result<Vec<Dialect>> {
    paths(root).iter().map(|it| read_file(root, it)).collect()
}

fn read_file(root: &Path, path: &Path) -> anyhow::Result<Dialect> {
    let text = files::read_text_within(crate::walk::workspace_of(root), path, files::SETTINGS)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let mut dialect = file::read(&text).map_err(|it| anyhow!("{}:{it}", path.display()))?;
    // Where a row comes from, for those who ask: the file, and where that comes from.
    dialect.source = match dialect.source.is_empty() {
        true => path.display().to_string(),
        false => format!("{} ({})", path.display(), dialect.source),
    };
    Ok(dialect)
}
