//! The inputs that determine the output of a crate, for build scripts.
//!
//! In: a crate of this workspace. Out: the files of it and of all crates of the workspace that it needs, tests and
//! pages for people left out, and names, versions and checksums of all other packages that these need. Which those are
//! is read from the manifests and the lock file, so no list can miss one.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

/// The inputs that determine the output of a crate.
#[derive(Default, Debug)]
pub(crate) struct Inputs {
    /// Files of the workspace.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Other packages: name, version and checksum.
    pub(crate) packages: BTreeSet<String>,
}

/// Collects the inputs that determine the output of a crate of the workspace in `root`. A crate that is not there
/// counts as empty.
pub(crate) fn inputs_of(root: &Path, name: &str) -> io::Result<Inputs> {
    let mut inputs = Inputs::default();
    let mut needed = vec![name.to_owned()];
    let mut seen = BTreeSet::new();
    let mut others = Vec::new();
    while let Some(name) = needed.pop() {
        let folder = root.join("crates").join(&name);
        if !seen.insert(name.clone()) {
            continue;
        }
        if !folder.is_dir() {
            others.push(name);
            continue;
        }
        add(&folder, &mut inputs.files)?;
        needed.extend(dependencies(&fs::read_to_string(folder.join("Cargo.toml"))?));
    }
    let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap_or_default();
    inputs.packages = locked(&lock, others);
    Ok(inputs)
}

/// The packages that a manifest names as needed to run or to build, on any system.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_inside = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            is_inside = table.ends_with("dependencies") && !table.ends_with("dev-dependencies");
        } else if let (true, Some((name, _))) = (is_inside, line.split_once(['.', '=', ' '])) {
            found.push(name.trim().to_owned());
        }
    }
    found
}

/// Packages of a lock file and all that they need, each as its name, version and checksum.
fn locked(lock: &str, mut needed: Vec<String>) -> BTreeSet<String> {
    let mut packages: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let name = package.lines().find_map(|it| it.strip_prefix("name = "));
        packages.entry(name.unwrap_or_default().trim_matches('"')).or_default().push(package);
    }
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    while let Some(name) = needed.pop() {
        if !seen.insert(name.clone()) {
            continue;
        }
        // Of several versions of a package, all.
        for package in packages.get(name.as_str()).into_iter().flatten() {
            let field =
                |it: &&str| ["name", "version", "checksum"].iter().any(|key| it.starts_with(key));
            found.insert(package.lines().filter(field).collect::<Vec<_>>().join(" "));
            let entry =
                |it: &str| Some(it.trim().strip_prefix('"')?.split([' ', '"']).next()?.to_owned());
            let list = package.split_once("dependencies = [").map_or("", |it| it.1);
            needed.extend(list.lines().filter_map(entry));
        }
    }
    found
}

/// A file, or all of a folder except files for tests or for people.
fn add(path: &Path, files: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_dir = path.is_dir();
    let is_left_out = match is_dir {
        true => matches!(&*name, "tests" | "test_data" | "examples" | "benches"),
        false => matches!(&*name, "tests.rs" | "test_bodies.rs") || name.ends_with(".md"),
    };
    if is_left_out || name.starts_with('.') {
        return Ok(());
    }
    if !is_dir {
        files.insert(path.to_owned());
        return Ok(());
    }
    fs::read_dir(path)?.try_for_each(|it| add(&it?.path(), files))
}
