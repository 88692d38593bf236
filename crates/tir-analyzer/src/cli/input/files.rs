//! The input files of a command: those that are named, and the files in folders with an extension of its languages that
//! are not ignored.
//!
//! Input: paths as the user wrote them. Output: files sorted by path, each once, with the name that messages use. Paths
//! that cannot be found or listed are reported separately, so that the rest goes on.

use std::{
    ffi::OsStr,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use syntax::Language;

use crate::cli::{args::Inputs, io::Io};

/// A file to work on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct InputFile {
    /// As the file system sees it.
    pub(crate) path: PathBuf,
    /// The name in messages: as the user wrote it, or relative to the folder of the run.
    pub(crate) shown: String,
    /// The workspace of the folder in which it was found; none of a file that the user named.
    pub(crate) found_in: Option<Arc<Path>>,
}

/// The files found.
#[derive(Default, Debug)]
pub(crate) struct InputFiles {
    pub(crate) files: Vec<InputFile>,
    /// The messages about paths that could not be found or listed.
    pub(crate) failures: Vec<String>,
}

/// Finds the files; in folders, those of these languages.
pub(crate) fn find(inputs: &Inputs, languages: &[Language], io: &Io<'_>) -> InputFiles {
    let here = [PathBuf::from(".")];
    let paths = if inputs.paths.is_empty() { &here[..] } else { &inputs.paths };
    let mut found = InputFiles::default();
    for path in paths {
        let full = io.resolve(path);
        match std::fs::metadata(&full) {
            Ok(it) if it.is_dir() => walk(path, languages, io, inputs.no_ignore, &mut found),
            Ok(_) => found.files.push(input_file(path, io)),
            Err(error) => {
                found.failures.push(format!("cannot read {}: {error}", path.display()));
            }
        }
    }
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.files.dedup_by(|a, b| a.path == b.path);
    found
}

/// The file of a path that the user wrote.
pub(crate) fn input_file(path: &Path, io: &Io<'_>) -> InputFile {
    let path = simplify(path);
    InputFile { shown: path.display().to_string(), path: io.resolve(&path), found_in: None }
}

fn walk(folder: &Path, languages: &[Language], io: &Io<'_>, all: bool, found: &mut InputFiles) {
    let is_wanted = |path: &Path| Language::of_path(path).is_some_and(|it| languages.contains(&it));
    let root = io.resolve(folder);
    let found_in: Arc<Path> = crate::walk::workspace_of(&root).into();
    let mut builder = crate::walk::walk(&root, all);
    // In order at once: comparing names is much cheaper than comparing paths.
    builder.sort_by_file_name(OsStr::cmp);
    for entry in builder.build() {
        match entry {
            Ok(entry) => {
                let is_file = entry.file_type().is_some_and(|it| it.is_file())
                    || (entry.path_is_symlink() && entry.path().is_file());
                if is_file && is_wanted(entry.path()) {
                    if entry.path_is_symlink()
                        && let Err(error) = files::check_within(&found_in, entry.path())
                    {
                        let shown = entry.path().display();
                        found.failures.push(format!("cannot read {shown}: {error}"));
                        continue;
                    }
                    let rest = entry.path().strip_prefix(&root).unwrap_or(entry.path());
                    let file = input_file(&folder.join(rest), io);
                    found.files.push(InputFile { found_in: Some(found_in.clone()), ..file });
                }
            }
            Err(error) => found.failures.push(format!("cannot list {}: {error}", folder.display())),
        }
    }
}

/// A path without `.` components.
fn simplify(path: &Path) -> PathBuf {
    path.components().filter(|it| !matches!(it, Component::CurDir)).collect()
}
