//! A content-addressed store on disk that needs no lock.
//!
//! An entry is one file, named by its kind and key: a line with the BLAKE3 hash of kind, key and data, then the data.
//! It is written to a temporary file beside it and renamed, which either happens or not: a reader sees no entry or a
//! whole one, whichever process is killed when, and two builds that write one key write the same bytes. A file that a
//! power failure or another program damaged, also by another entry under its name, is detected by its hash when it is
//! read; then it counts as absent and is replaced. Temporary files that a kill left behind are removed by a later build
//! once they are old. [`maintain`] counts, checks and shrinks a store.

pub mod layer;
pub mod maintain;
pub mod pack;
pub mod place;
pub mod sealed;
mod stamp;
pub mod statistics;

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::artifact::key::Key;

use place::Place;
pub(crate) use stamp::Folder;
pub use stamp::Stamp;

/// Prefix of temporary files.
const TEMPORARY: &str = ".tmp-";
/// A temporary file this old has no living writer.
pub(crate) const STALE: Duration = Duration::from_secs(60 * 60);
/// How exactly the last use of an entry is known: a read within this time writes nothing.
const USE_PRECISION: Duration = Duration::from_secs(60 * 60);
/// Bytes of the line before the data.
const HEADER: usize = 65;

/// A store in a folder.
#[derive(Clone, Debug)]
pub struct Store {
    root: PathBuf,
}

/// The kind of an entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// The canonical code of a function.
    Kernel,
    /// The record of a source text.
    Text,
    /// The output of a vendor's compiler for a source.
    Binary,
    /// Describes what another program keeps.
    Other,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Kernel, Kind::Text, Kind::Binary, Kind::Other];

    /// Its folder in a store.
    pub fn folder(self) -> &'static str {
        match self {
            Kind::Kernel => "kernels",
            Kind::Text => "texts",
            Kind::Binary => "binaries",
            Kind::Other => "others",
        }
    }
}

/// The result of reading an entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Read {
    /// The entry.
    Found(Vec<u8>),
    /// There is none.
    Absent,
    /// The entry exists and is corrupt.
    Corrupt,
}

impl Store {
    /// The store in `root`; the folder is made when something is written.
    pub fn new(root: impl Into<PathBuf>) -> Store {
        Store { root: root.into() }
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns true if the store was ever written to: a folder without its mark is no store, whatever else is in it.
    pub fn exists(&self) -> bool {
        let parts = Kind::ALL.map(Kind::folder);
        parts.iter().chain([&maintain::SIZE]).any(|it| self.root.join(it).exists())
    }

    /// Returns the place where an entry is kept.
    pub fn path(&self, kind: Kind, key: Key) -> PathBuf {
        let name = key.to_string();
        self.root.join(kind.folder()).join(&name[..2]).join(&name[2..])
    }

    /// Reads an entry, checks it, and notes that it was used.
    pub fn read(&self, kind: Kind, key: Key) -> io::Result<Read> {
        self.load(kind, key, note_use)
    }

    fn load(&self, kind: Kind, key: Key, note: impl Fn(&File)) -> io::Result<Read> {
        let file = match files::open(&self.path(kind, key)) {
            Ok(file) => file,
            Err(error) => {
                return match error.kind() {
                    io::ErrorKind::NotFound => Ok(Read::Absent),
                    // Something that is no file stands in its place.
                    io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory => Ok(Read::Corrupt),
                    _ => Err(error),
                };
            }
        };
        let bytes = files::read_open(&file, files::ARTIFACT)?;
        note(&file);
        Ok(match data_of(kind, key, &bytes) {
            Some(data) => Read::Found(data.to_owned()),
            None => Read::Corrupt,
        })
    }

    /// Writes an entry: after a kill at any moment there is the old one, none, or this one. Gives the bytes written.
    pub fn write(&self, kind: Kind, key: Key, data: &[u8]) -> io::Result<u64> {
        let bytes = layer::file_of(kind, key, data);
        self.write_file(kind, key, &bytes)?;
        Ok(bytes.len() as u64)
    }

    /// Writes the file of an entry ([`layer::file_of`]), as [`Self::write`] does.
    pub(crate) fn write_file(&self, kind: Kind, key: Key, file: &[u8]) -> io::Result<()> {
        write_atomically(&self.path(kind, key), file).map(drop)
    }

    /// Returns true if there is an entry, be it broken.
    pub(crate) fn has(&self, kind: Kind, key: Key) -> bool {
        fs::metadata(self.path(kind, key)).is_ok()
    }
}

/// The data of an entry's file, if it is intact and belongs to this key.
fn data_of(kind: Kind, key: Key, bytes: &[u8]) -> Option<&[u8]> {
    let (line, data) = bytes.split_at_checked(HEADER)?;
    let expected = checksum(kind, key, data);
    let is_whole = line.strip_suffix(b"\n")? == expected.as_bytes();
    is_whole.then_some(data)
}

fn checksum(kind: Kind, key: Key, data: &[u8]) -> String {
    Key::of(&[kind.folder().as_bytes(), &key.0, data]).to_string()
}

/// The time of the last change of an entry's file is the time of its last use. A store that is not ours to write is
/// used without a note.
fn note_use(file: &File) {
    let now = SystemTime::now();
    let modified = file.metadata().and_then(|it| it.modified());
    if modified.is_ok_and(|it| is_older(it, now, USE_PRECISION)) {
        let _ = file.set_modified(now);
    }
}

fn is_older(time: SystemTime, now: SystemTime, than: Duration) -> bool {
    now.duration_since(time).is_ok_and(|it| it > than)
}

/// Removes temporary files of a folder that are older than [`STALE`]; a file that another process removed first counts
/// as removed.
pub(crate) fn remove_stale(folder: &Path) {
    remove_temporary(folder, STALE);
}

/// Removes temporary files of a folder that were last written before this long.
pub(crate) fn remove_temporary(folder: &Path, age: Duration) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let now = SystemTime::now();
    for entry in entries.flatten() {
        let temporary = entry.file_name().to_string_lossy().starts_with(TEMPORARY);
        if !temporary {
            continue;
        }
        let modified = entry.metadata().and_then(|it| it.modified());
        if age.is_zero() || modified.is_ok_and(|it| is_older(it, now, age)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Replaces a file by one rename, the one that a link leads to; anything that is not a file is left alone.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<Stamp> {
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display()))
    };
    let (path, metadata) = Place::file(path).map_err(named)?;
    let new = || place::beside(&path, metadata.as_ref(), TEMPORARY);
    let file = match new() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(named)?;
            new()
        }
        file => file,
    };
    let mut file = file.map_err(named)?;
    file.write_all(bytes).map_err(named)?;
    // Of this file, whatever takes its name afterwards.
    let stamp = Stamp::of(&file.as_file().metadata()?);
    file.persist(&path).map_err(|it| named(it.error))?;
    Ok(stamp)
}

/// Replaces a file if its bytes differ; whether it did.
pub(crate) fn write_if_changed(path: &Path, bytes: &[u8]) -> io::Result<(Stamp, bool)> {
    match unchanged(path, bytes) {
        Some(stamp) => Ok((stamp, false)),
        None => Ok((write_atomically(path, bytes)?, true)),
    }
}

fn unchanged(path: &Path, bytes: &[u8]) -> Option<Stamp> {
    let file = files::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    if metadata.len() != bytes.len() as u64 {
        return None;
    }
    let old = files::read_open(&file, files::ARTIFACT).ok()?;
    (old == bytes).then(|| Stamp::of(&metadata))
}

#[cfg(test)]
mod tests;
