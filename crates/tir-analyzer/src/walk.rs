//! Folder listing: all entries that are not ignored, in order.
//!
//! Which files are ignored is read by a library, from files that stand in the folders themselves and that it opens
//! whatever they are. So a folder is entered only where those are files that can be read ([`has_good_rules`]).

use std::path::Path;

use ignore::WalkBuilder;

use crate::config::CONFIG_FILE;

/// The names of ignore files.
const RULES: &[&str] = &[".gitignore", ".ignore", ".git/info/exclude"];

/// A walk over a folder, without following links to folders; with `all`, ignored and hidden entries too.
pub(crate) fn walk(root: &Path, all: bool) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder.standard_filters(!all).require_git(false).follow_links(false);
    if all {
        return builder;
    }
    // The rules of the folders above hold as well.
    if !root.ancestors().skip(1).all(has_good_rules) {
        builder.parents(false);
    }
    if !has_good_rules(root) {
        builder.git_ignore(false).git_exclude(false).ignore(false).parents(false);
    }
    builder.filter_entry(|entry| {
        let is_folder = entry.file_type().is_some_and(|it| it.is_dir());
        !is_folder || has_good_rules(entry.path())
    });
    builder
}

/// Returns true if the ignore files of a folder are regular files of a plausible size.
fn has_good_rules(folder: &Path) -> bool {
    let is_good = |name: &&str| match std::fs::metadata(folder.join(name)) {
        Ok(it) => it.is_file() && it.len() <= files::SETTINGS,
        Err(_) => true,
    };
    RULES.iter().all(is_good)
}

/// The folder that links may not lead out of: the repository around a folder, else the nearest folder with settings,
/// else the folder.
pub(crate) fn workspace_of(folder: &Path) -> &Path {
    let with = |name: &str| folder.ancestors().find(|it| it.join(name).exists());
    with(".git").or_else(|| with(CONFIG_FILE)).unwrap_or(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use std::{ffi::OsStr, fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn rules_that_cannot_be_read_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["good", "bad", "good/in"] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("a.py"), "").unwrap();
        }
        let names = || -> Vec<String> {
            let entries =
                walk(folder.path(), false).sort_by_file_name(OsStr::cmp).build().flatten();
            let inside = |it: ignore::DirEntry| {
                Some(it.path().strip_prefix(folder.path()).ok()?.display().to_string())
            };
            entries.filter_map(inside).filter(|it| it.ends_with(".py")).collect()
        };
        // Reading it would not end.
        symlink("/dev/zero", at("bad/.gitignore")).unwrap();
        fs::write(at("good/.gitignore"), "in\n").unwrap();
        assert_eq!(names(), ["good/a.py"]);
        // Without rules that can be read at the top there are none.
        symlink("/dev/zero", at(".ignore")).unwrap();
        assert_eq!(names(), ["good/a.py", "good/in/a.py"]);
    }
}
