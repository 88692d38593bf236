//! The source files of the outputs in a folder.
//!
//! In: names of files and their paths. Out: which file may not be built because its outputs would take the place of
//! another's, and whose source is gone, or has another name now because its workspace has another root. One file among
//! the store's notes about the output folder; it may be lost at any time: then nothing is known to be gone. Linear in
//! the files, with one look at each that is not built.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
};

use codegen::{
    build::{Build, OutputFolder},
    store::sealed,
};

use crate::run::{Input, InputSource};

/// Among the notes.
const FILE: &str = "sources";
/// Raised with the form of the file.
const VERSION: u32 = 1;

/// The paths of sources, by name.
pub(crate) struct Sources {
    path: PathBuf,
    before: BTreeMap<String, PathBuf>,
    now: BTreeMap<String, PathBuf>,
}

/// The sources of an output folder and the files that claim them.
#[derive(Default)]
pub(crate) struct Claims {
    /// The reason why each of these files cannot be built.
    pub(crate) refused: BTreeMap<String, String>,
    /// Files whose outputs give way to those of another: their source is gone.
    pub(crate) replaced: BTreeSet<String>,
    /// Other files whose source is gone, or is built under another name.
    pub(crate) gone: BTreeSet<String>,
    /// Files with an unknown source.
    pub(crate) unknown: BTreeSet<String>,
}

impl Sources {
    pub(crate) fn new(folder: &OutputFolder) -> Sources {
        let path = folder.notes().join(FILE);
        let stored = sealed::read::<(u32, BTreeMap<String, PathBuf>)>(&path);
        let before = stored.filter(|it| it.0 == VERSION).unwrap_or_default().1;
        let now = before.clone();
        Sources { path, before, now }
    }

    /// Reads the existing claims, and records the sources of the built files.
    pub(crate) fn claim(&mut self, inputs: &[Input], build: &Build<'_>) -> Claims {
        let before = build.files_before();
        let places: BTreeMap<_, &str> =
            before.iter().map(|it| (Build::place_of(it), *it)).collect();
        let mut folders = Folders::new();
        let mut claims = Claims::default();
        let mut renamed = BTreeSet::new();
        for input in inputs {
            let InputSource::Path(path) = &input.source else { continue };
            let path = real(path, &mut folders);
            if let Some(holder) = places.get(&Build::place_of(&input.name)) {
                match self.contest(holder, &input.name, &path) {
                    Err(why) => {
                        claims.refused.insert(input.name.clone(), why);
                        continue;
                    }
                    Ok(()) if *holder != input.name => {
                        claims.replaced.insert((*holder).to_owned());
                    }
                    Ok(()) => {}
                }
            }
            if input.is_only_name {
                renamed.insert(path.clone());
            }
            // A path that is no text cannot be noted: the source of such a file is unknown to the next build.
            if path.to_str().is_some() {
                self.now.insert(input.name.clone(), path);
            }
        }
        let built: BTreeSet<&str> = inputs.iter().map(|it| it.name.as_str()).collect();
        for name in before.into_iter().filter(|it| !built.contains(it)) {
            match self.before.get(name) {
                _ if claims.replaced.contains(name) => {}
                None => drop(claims.unknown.insert(name.to_owned())),
                Some(path) if is_gone(path) || renamed.contains(path) => {
                    claims.gone.insert(name.to_owned());
                }
                Some(_) => {}
            }
        }
        claims
    }

    /// Checks that a file may take over the outputs of `holder`: the same file, one that is gone, or one of the same
    /// text.
    fn contest(&self, holder: &str, name: &str, path: &Path) -> Result<(), String> {
        let other = match self.before.get(holder) {
            None if holder == name => return Ok(()),
            None => holder.into(),
            Some(other) if other == path || is_gone(other) || is_equal(other, path) => {
                return Ok(());
            }
            Some(other) => other.display().to_string(),
        };
        Err(format!(
            "its outputs would take the place of those of {other}; build it into another folder, or give both files one \
             workspace with a `tir-analyzer.toml` above them"
        ))
    }

    /// Forgets files.
    pub(crate) fn forget<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        for name in names {
            self.now.remove(name);
        }
    }

    /// Writes it, if anything is new.
    pub(crate) fn write(self) -> io::Result<()> {
        match self.now == self.before {
            true => Ok(()),
            false => sealed::write(&self.path, &(VERSION, self.now)),
        }
    }
}

/// Folders by their paths as they are written, which are compared much faster than as parts, with their real paths.
pub(crate) type Folders = BTreeMap<OsString, PathBuf>;

/// A path with the real path of its folder: a link is a file of its own.
pub(crate) fn real(path: &Path, folders: &mut Folders) -> PathBuf {
    let Some((folder, name)) = path.parent().zip(path.file_name()) else { return path.to_owned() };
    let folder = match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    };
    if let Some(real) = folders.get(folder.as_os_str()) {
        return real.join(name);
    }
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let path = real.join(name);
    folders.insert(folder.as_os_str().to_owned(), real);
    path
}

/// Returns true if there is certainly no such file: one that nobody may look at may exist.
fn is_gone(path: &Path) -> bool {
    matches!(fs::metadata(path), Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}

fn is_equal(one: &Path, other: &Path) -> bool {
    let read = |it: &Path| files::read(it, files::ARTIFACT).ok();
    read(one).is_some_and(|it| read(other) == Some(it))
}
