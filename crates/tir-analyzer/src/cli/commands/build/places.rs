//! The names of files in manifests: where their outputs go.
//!
//! In: files, and the arguments that they were found by. Out: for each file its path from the root of its workspace,
//! which is the folder of the nearest `tir-analyzer.toml` above it, else the repository, else the argument. So a file
//! has one place, whatever else is built with it. A look at each folder above a file, once.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{cli::io::Io, config::CONFIG_FILE};

/// The entry in the root of a repository: a folder, or a file in a work tree of another.
const REPOSITORY: &str = ".git";

/// Finds the roots of workspaces.
pub(super) struct Places {
    /// The folders of the arguments, those above others first.
    arguments: Vec<PathBuf>,
    /// By folder, as the user names it: its real path. Texts are compared much faster than the parts of paths.
    real: BTreeMap<OsString, PathBuf>,
    /// By real folder: the root of its workspace.
    roots: BTreeMap<OsString, Option<PathBuf>>,
}

/// The place where a file belongs.
pub(super) struct Placed {
    /// The root of its workspace.
    pub(super) root: PathBuf,
    /// Its path from there, with `/`.
    pub(super) name: String,
    /// True if the root was found by the file alone, and not by an argument.
    pub(super) is_only_name: bool,
}

impl Places {
    pub(super) fn new(arguments: &[PathBuf], io: &Io<'_>) -> Places {
        let folder = |path: &PathBuf| {
            let full = io.resolve(path);
            let folder = match full.is_dir() {
                true => full.as_path(),
                false => full.parent().unwrap_or(&full),
            };
            folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
        };
        let mut arguments: Vec<PathBuf> = arguments.iter().map(folder).collect();
        if arguments.is_empty() {
            arguments.push(io.folder.canonicalize().unwrap_or_else(|_| io.folder.clone()));
        }
        arguments.sort();
        Places { arguments, real: BTreeMap::new(), roots: BTreeMap::new() }
    }

    /// The place of a file; `None` for input without a path.
    pub(super) fn of(&mut self, path: &Path) -> Option<Placed> {
        let (folder, name) = path.parent().zip(path.file_name())?;
        let real = self.real.entry(folder.as_os_str().to_owned());
        let folder =
            real.or_insert_with(|| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
        let folder = folder.clone();
        let (root, is_only_name) = self.root_of(&folder);
        let path = folder.join(name);
        let relative = path.strip_prefix(&root).unwrap_or(&path);
        let parts: Vec<_> = relative.iter().map(|it| it.to_string_lossy()).collect();
        Some(Placed { name: parts.join("/"), root, is_only_name })
    }

    /// The folder of an argument, for builds that find no file.
    pub(super) fn first_argument(&self) -> &Path {
        &self.arguments[0]
    }

    fn root_of(&mut self, folder: &Path) -> (PathBuf, bool) {
        let find = || {
            let above = |name| folder.ancestors().find(|it: &&Path| it.join(name).exists());
            let settings = folder.ancestors().find(|it| it.join(CONFIG_FILE).is_file());
            settings.or_else(|| above(REPOSITORY)).map(Path::to_owned)
        };
        let root = self.roots.entry(folder.as_os_str().to_owned()).or_insert_with(find).clone();
        let argument = || self.arguments.iter().find(|it| folder.starts_with(it)).cloned();
        let is_found = root.is_some();
        (root.or_else(argument).unwrap_or_else(|| folder.to_owned()), is_found)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_has_one_name_whatever_it_is_built_with() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        for path in ["a/k/one.py", "a/k/sub/two.py", "b/.git/HEAD", "b/k/c.py", "b/k/w/d.py"] {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        fs::write(root.join("b/k/w").join(CONFIG_FILE), "").expect("a file");
        let (mut out, mut err, mut none) = (Vec::new(), Vec::new(), std::io::empty());
        let io = Io {
            stdin: &mut none,
            out: &mut out,
            err: &mut err,
            folder: root.clone(),
            out_is_terminal: false,
            err_is_terminal: false,
        };
        let name = |arguments: &[&str], path: &str| {
            let arguments: Vec<PathBuf> = arguments.iter().map(PathBuf::from).collect();
            Places::new(&arguments, &io).of(&root.join(path)).expect("a place").name
        };
        // The argument is the root where there is nothing else.
        assert_eq!(name(&["a/k"], "a/k/one.py"), "one.py");
        assert_eq!(name(&["a/k/one.py"], "a/k/one.py"), "one.py");
        assert_eq!(name(&["a/k", "b"], "a/k/one.py"), "one.py");
        assert_eq!(name(&["a/k/sub", "a/k"], "a/k/sub/two.py"), "sub/two.py");
        // The repository, then the settings.
        for arguments in [&["b"][..], &["b/k"], &["b/k/c.py"], &["a", "b/k/../k"]] {
            assert_eq!(name(arguments, "b/k/../k/c.py"), "k/c.py", "{arguments:?}");
            assert_eq!(name(arguments, "b/k/w/d.py"), "d.py", "{arguments:?}");
        }
    }
}
