//! Maintenance of a store: usage, verification, and clean-up.
//!
//! In: a store. Out: counts ([`Store::usage`]), corrupt entries ([`Store::verify`]), and room: [`Store::shrink`]
//! removes the least recently used entries until a limit is kept. Only files that are named as entries are ever looked
//! at, so a wrong folder loses nothing. Others may read and write meanwhile: an entry that goes is one that a build
//! makes again. Each is linear in the entries; `verify` also in their bytes.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{Kind, Read, Store, TEMPORARY, remove_stale, write_atomically};
use crate::artifact::key::Key;

/// The file with the estimate of a store's size, so that a build need not count.
pub(super) const SIZE: &str = "size";

/// The contents of a store.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Usage {
    /// Canonical code.
    pub kernels: Part,
    /// The records of source texts.
    pub texts: Part,
    /// The outputs of vendors' compilers.
    pub binaries: Part,
    /// Describes what other programs keep.
    pub others: Part,
    /// Files that are being written, or that a kill left behind.
    pub temporary: Part,
    /// The last use of the least recently used entry.
    pub oldest: Option<SystemTime>,
}

impl Usage {
    /// Bytes of all entries.
    pub fn all(&self) -> u64 {
        [self.kernels, self.texts, self.binaries, self.others].iter().map(|it| it.bytes).sum()
    }
}

/// A number of files.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Part {
    /// The number.
    pub entries: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Part {
    fn add(&mut self, bytes: u64) {
        self.entries += 1;
        self.bytes += bytes;
    }
}

/// The result of a check of all entries.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Verified {
    /// Entries that are as they were written.
    pub whole: Part,
    /// Files of entries that are not, by path.
    pub corrupt: Vec<PathBuf>,
}

/// The removed and the remaining entries.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Shrunk {
    /// Entries that are gone.
    pub removed: Part,
    /// Entries that stay.
    pub kept: Part,
}

/// The file of an entry.
struct Entry {
    kind: Kind,
    key: Key,
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Store {
    /// Counts the entries. A store that does not exist is empty.
    pub fn usage(&self) -> io::Result<Usage> {
        let mut usage = Usage::default();
        for entry in self.entries()? {
            match entry.kind {
                Kind::Kernel => usage.kernels.add(entry.bytes),
                Kind::Text => usage.texts.add(entry.bytes),
                Kind::Binary => usage.binaries.add(entry.bytes),
                Kind::Other => usage.others.add(entry.bytes),
            }
            usage.oldest = usage.oldest.into_iter().chain([entry.used]).min();
        }
        for folder in self.folders()? {
            for (path, name) in children(&folder.path)? {
                if name.starts_with(TEMPORARY) {
                    usage.temporary.add(path.metadata().map_or(0, |it| it.len()));
                }
            }
        }
        Ok(usage)
    }

    /// Reads every entry and compares it with its checksum. This is no use of an entry.
    pub fn verify(&self) -> io::Result<Verified> {
        let mut verified = Verified::default();
        let mut entries = self.entries()?;
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        for entry in entries {
            match self.load(entry.kind, entry.key, |_| {})? {
                Read::Found(_) => verified.whole.add(entry.bytes),
                Read::Corrupt => verified.corrupt.push(entry.path),
                Read::Absent => {}
            }
        }
        Ok(verified)
    }

    /// Removes the least recently used entries until the rest has at most `limit` bytes, and the leftovers of kills.
    pub fn shrink(&self, limit: u64) -> io::Result<Shrunk> {
        self.sweep()?;
        let mut entries = self.entries()?;
        entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        let mut rest: u64 = entries.iter().map(|it| it.bytes).sum();
        let mut shrunk = Shrunk::default();
        for entry in entries {
            // What another process removed first is gone all the same.
            if rest > limit && fs::remove_file(&entry.path).is_ok() {
                shrunk.removed.add(entry.bytes);
                rest -= entry.bytes;
            } else {
                shrunk.kept.add(entry.bytes);
            }
        }
        self.note_size(shrunk.kept.bytes)?;
        Ok(shrunk)
    }

    /// Called by a build that wrote so many bytes: shrinks the store to nine tenths of the limit where it may have
    /// grown over it. The size is an estimate that builds at once may get too small; a count sets it right.
    pub fn keep_below(&self, limit: u64, written: u64) -> io::Result<Option<Shrunk>> {
        if written == 0 {
            return Ok(None);
        }
        let before = files::read_text(&self.root.join(SIZE), files::SETTINGS);
        let before: Option<u64> = before.ok().and_then(|it| it.trim().parse().ok());
        match before.map(|it| it.saturating_add(written)) {
            Some(size) if size <= limit => {
                self.note_size(size)?;
                Ok(None)
            }
            _ => {
                let size = self.usage()?.all();
                if size <= limit {
                    self.note_size(size)?;
                    return Ok(None);
                }
                self.shrink(limit - limit / 10).map(Some)
            }
        }
    }

    /// Removes temporary files that were left behind long ago.
    pub fn sweep(&self) -> io::Result<()> {
        for folder in self.folders()? {
            remove_stale(&folder.path);
        }
        Ok(())
    }

    fn note_size(&self, bytes: u64) -> io::Result<()> {
        match self.root.is_dir() {
            true => {
                write_atomically(&self.root.join(SIZE), format!("{bytes}\n").as_bytes()).map(drop)
            }
            false => Ok(()),
        }
    }

    fn entries(&self) -> io::Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for Folder { kind, prefix, path } in self.folders()? {
            for (path, name) in children(&path)? {
                let Some(key) = Key::parse(&format!("{prefix}{name}")) else { continue };
                let Ok(metadata) = path.metadata() else { continue };
                let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                entries.push(Entry { kind, key, bytes: metadata.len(), used, path });
            }
        }
        Ok(entries)
    }

    /// The folders that hold entries: `kernels/ab`.
    fn folders(&self) -> io::Result<Vec<Folder>> {
        let mut folders = Vec::new();
        for kind in Kind::ALL {
            for (path, prefix) in children(&self.root.join(kind.folder()))? {
                let is_prefix =
                    prefix.len() == 2 && prefix.bytes().all(|it| it.is_ascii_hexdigit());
                if is_prefix && path.is_dir() {
                    folders.push(Folder { kind, prefix, path });
                }
            }
        }
        Ok(folders)
    }
}

struct Folder {
    kind: Kind,
    /// The first two digits of its keys.
    prefix: String,
    path: PathBuf,
}

/// Returns the entries of a folder, with their names; empty if there is no folder.
fn children(folder: &Path) -> io::Result<Vec<(PathBuf, String)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    Ok(entries
        .flatten()
        .map(|it| (it.path(), it.file_name().to_string_lossy().into_owned()))
        .collect())
}
