//! From the words of an import to a file.
//!
//! As Python searches: a relative import starts at the folder of the file; another one at the folder that holds the
//! outermost package around the file, then at the roots and their folders for sources. In each of these, `name/` with
//! `__init__.py` comes before `name.py`; a folder without either is a part of a package that may have others
//! (PEP 420). O(parts of the import * folders that are searched) looks.

use std::sync::Arc;

use super::Entry;

/// Folders of a root that hold the packages of a project by custom.
const SOURCES: [&str; 2] = ["src", "python"];

/// Folders around a file that are searched for the outermost package.
const MAX_PACKAGES: usize = 64;

/// Returns the number of the module that an import in a file means: `path` is `a.b`, or `.a.b` relative to the file
/// `from`, which may be a package without `__init__.py`. None if it is no file of the workspace. `entry` is asked only
/// for paths in the roots.
pub fn resolve(
    from: &str,
    path: &str,
    roots: &[Box<str>],
    entry: &dyn Fn(&str) -> Option<Entry>,
) -> Option<Arc<str>> {
    let root = roots.iter().filter(|it| is_in(from, it)).max_by_key(|it| it.len())?;
    let rest = path.trim_start_matches('.');
    let parts: Vec<&str> = rest.split('.').filter(|it| !it.is_empty()).collect();
    if parts.iter().any(|it| it.contains(['/', '\\', '\0', ':'])) {
        return None;
    }
    let here = folder_of(from);
    match path.len() - rest.len() {
        0 if parts.is_empty() => None,
        0 => find(searched(here, root, roots, entry), &parts, entry),
        n_dots => {
            let folder = (1..n_dots).try_fold(here, |it, _| parent(it))?;
            let folder = Some(folder).filter(|it| is_in_or_is(it, root))?;
            match parts.is_empty() {
                true => package(folder, entry).map(|it| it.0),
                false => find(vec![folder.to_owned()], &parts, entry),
            }
        }
    }
}

/// The folders in which the first part of an absolute import is searched, each once.
fn searched(
    here: &str,
    root: &str,
    roots: &[Box<str>],
    entry: &dyn Fn(&str) -> Option<Entry>,
) -> Vec<String> {
    let mut top = here;
    for _ in 0..MAX_PACKAGES {
        let is_package = entry(&format!("{top}/__init__.py")) == Some(Entry::File);
        match parent(top).filter(|it| is_package && is_in_or_is(it, root)) {
            Some(it) => top = it,
            None => break,
        }
    }
    let mut folders = vec![top.to_owned()];
    let others = roots.iter().map(|it| &**it).filter(|it| *it != root);
    for root in [root].into_iter().chain(others) {
        let sources = SOURCES.iter().map(|it| format!("{root}/{it}"));
        for folder in [root.to_owned()].into_iter().chain(sources) {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders
}

/// The module of the parts, from the first of the folders that has it.
fn find(
    mut folders: Vec<String>,
    parts: &[&str],
    entry: &dyn Fn(&str) -> Option<Entry>,
) -> Option<Arc<str>> {
    let mut found = None;
    for part in parts {
        let mut portions = Vec::new();
        let mut whole = None;
        for folder in &folders {
            let stem = format!("{folder}/{part}");
            match package(&stem, entry) {
                Some((number, true)) => {
                    whole = Some((number, vec![stem]));
                    break;
                }
                is_portion => {
                    let file = format!("{stem}.py");
                    if entry(&file) == Some(Entry::File) {
                        whole = Some((file.into(), Vec::new()));
                        break;
                    }
                    portions.extend(is_portion.map(|it| (it.0, stem)));
                }
            }
        }
        (found, folders) = match whole {
            Some((number, inside)) => (Some(number), inside),
            None => {
                let number = portions.first()?.0.clone();
                (Some(number), portions.into_iter().map(|it| it.1).collect())
            }
        };
    }
    found
}

/// The number of a folder as a package, and whether it has `__init__.py`.
fn package(folder: &str, entry: &dyn Fn(&str) -> Option<Entry>) -> Option<(Arc<str>, bool)> {
    (entry(folder) == Some(Entry::Folder)).then_some(())?;
    let init = format!("{folder}/__init__.py");
    Some(match entry(&init) {
        Some(Entry::File) => (init.into(), true),
        _ => (format!("{folder}/").into(), false),
    })
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |it| it.0)
}

fn parent(folder: &str) -> Option<&str> {
    folder.rsplit_once('/').map(|it| it.0)
}

fn is_in(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
}

fn is_in_or_is(folder: &str, root: &str) -> bool {
    folder == root || is_in(folder, root)
}
